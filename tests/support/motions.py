"""Joints as the fixed frames and single motions that other programs know."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from myodyne.model import Constant, Joint, Linear, Model
from support.frames import Frame, frame_of, moved


class NotExpressibleError(ValueError):
    """A tree that needs more than straight axes, each with a coordinate of its own."""


@dataclass(frozen=True)
class Motion:
    """One axis by the value ``slope * q``."""

    motion: str
    direction: tuple[float, float, float]
    coordinate: str
    slope: float


def motions_of(model: Model, joint: Joint) -> Iterator[Frame | Motion]:
    """Yield what leads from the parent to the child: fixed frames and motions, in order."""
    yield frame_of(joint.parent)
    for axis in joint.axes:
        function = axis.function
        if isinstance(function, Constant):
            yield moved(axis.motion, axis.direction, function.value)
            continue
        if not isinstance(function, Linear):
            raise NotExpressibleError(f"an axis is a {function.kind} of its coordinates")
        coordinate = model.coordinates[function.coordinate]
        if coordinate.coupled is not None:
            raise NotExpressibleError(f"coordinate '{function.coordinate}' follows others")
        still = function.offset + (function.slope * coordinate.default if coordinate.locked else 0.0)
        yield moved(axis.motion, axis.direction, still)
        if not coordinate.locked:
            yield Motion(axis.motion, axis.direction, function.coordinate, function.slope)
    yield frame_of(joint.child).inverse


def slopes_of(model: Model) -> dict[str, float]:
    """Return the slope of each coordinate, and raise NotExpressibleError where one moves several axes."""
    slopes: dict[str, float] = {}
    for joint in model.joints.values():
        for step in motions_of(model, joint):
            if isinstance(step, Motion):
                if step.coordinate in slopes:
                    raise NotExpressibleError(f"coordinate '{step.coordinate}' moves several axes")
                slopes[step.coordinate] = step.slope
    return {name: slopes[name] for name in model.moving}
