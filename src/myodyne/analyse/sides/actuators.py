"""The sign of a motor's control in a mirrored movement."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from myodyne.analyse.sides.names import other_side
from myodyne.errors import ModelError
from myodyne.model import CoordinateActuator, LineActuator, Model, PathActuator, PointActuator, TorqueActuator

# Gains and directions are alike within this.
_ALIKE = 0.05
# A turn is mirrored otherwise than a shift: about z it stays.
_SHIFTED, _TURNED = np.array([1.0, 1.0, -1.0]), np.array([-1.0, -1.0, 1.0])


def actuator_sign(model: Model, name: str, signs: Mapping[str, float]) -> float:
    """Return the sign that the control of a motor has on the other side, given the signs of the coordinates."""
    one, other = model.forces[name], model.forces[other_side(name)]
    if type(one) is not type(other):
        raise ModelError(f"'{model.name}' does not mirror: motors '{name}' and '{other_side(name)}' are of two kinds")
    sign: float | None = 1.0
    if isinstance(one, CoordinateActuator) and isinstance(other, CoordinateActuator):
        sign = signs.get(one.coordinate, 1.0) if other.coordinate == other_side(one.coordinate) else None
    elif isinstance(one, TorqueActuator) and isinstance(other, TorqueActuator):
        sign = _sign(_TURNED * one.axis, other.axis)
    elif isinstance(one, PointActuator) and isinstance(other, PointActuator):
        sign = _sign(_SHIFTED * one.direction, other.direction)
    gains = [float(getattr(part, "gain", 1.0)) for part in (one, other)]
    if sign is None or abs(abs(gains[0]) - abs(gains[1])) > _ALIKE * max(map(abs, gains)):
        raise ModelError(
            f"'{model.name}' does not mirror: '{other_side(name)}' does not act like '{name}' seen in a mirror"
        )
    if isinstance(one, LineActuator | PathActuator):
        return 1.0
    return sign * (1.0 if gains[0] * gains[1] >= 0 else -1.0)


def _sign(mirrored: object, own: object) -> float | None:
    along = float(np.dot(np.asarray(mirrored, float), np.asarray(own, float)))
    return float(np.sign(along)) if abs(abs(along) - 1.0) < _ALIKE else None
