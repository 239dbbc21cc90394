"""Units of the coordinates and forces of a model."""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING

from myodyne.model.actuators import TorqueActuator
from myodyne.model.forces import BodyTorque
from myodyne.model.functions import Linear

if TYPE_CHECKING:
    from myodyne.model.model import Model


def angles(model: Model) -> frozenset[str]:
    """Return the coordinates that are angles: those that turn an axis and do not slide one in proportion."""
    turning: set[str] = set()
    sliding: set[str] = set()
    for joint in model.joints.values():
        for axis in joint.axes:
            if axis.motion == "rotation":
                turning.update(axis.function.coordinates)
            elif isinstance(axis.function, Linear) and abs(axis.function.slope) == 1.0:
                sliding.add(axis.function.coordinate)
    return frozenset(turning - sliding)


def force_units(model: Model) -> dict[str, str]:
    """Return the unit of the size of each force: N or N m."""
    turning = angles(model)

    def unit(force: object) -> str:
        if isinstance(force, BodyTorque | TorqueActuator):
            return "N m"
        return "N m" if getattr(force, "coordinate", None) in turning else "N"

    return {name: unit(force) for name, force in model.forces.items()}


def degrees(angle: float) -> float:
    """Return an angle given in degrees in radians: ``my.degrees(90)`` means 90°.

    Examples
    --------
    >>> round(degrees(180.0), 6)
    3.141593
    """
    return angle * (pi / 180.0)
