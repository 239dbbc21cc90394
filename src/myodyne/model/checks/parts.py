"""Faults of joints, constraints, paths and forces: references to unknown parts, and parts that would do nothing."""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING

from myodyne.model.actuators import TorqueActuator
from myodyne.model.bodies import GROUND
from myodyne.model.checks.references import Targets, bodies_of, unknown_references
from myodyne.model.constraints import (
    DistanceConstraint,
    MotionConstraint,
    PointConstraint,
    RollingConstraint,
    WeldConstraint,
)
from myodyne.model.contacts import (
    ContactPoint,
    EllipsoidContact,
    HuntCrossleyContact,
    SmoothSphereContact,
    SpherePairContact,
)
from myodyne.model.forces import PathForce
from myodyne.model.paths import ConditionalPoint, PointPath
from myodyne.model.units import angles

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from myodyne.model.constraints import Constraint
    from myodyne.model.forces import Force
    from myodyne.model.model import Model
    from myodyne.model.part import Part
    from myodyne.model.paths import Path

# Why a force between two bodies cannot act on one body alone, where "both ends" would not fit.
_ON_ONE_BODY: dict[type[Part], str] = {
    EllipsoidContact: "the point and the ellipsoid are both on '{body}'; it would have no effect",
    ContactPoint: "the point and the plane are both on '{body}'; it would have no effect",
    HuntCrossleyContact: "the sphere and the plane are both on '{body}'; it would have no effect",
    SmoothSphereContact: "the sphere and the plane are both on '{body}'; it would have no effect",
    SpherePairContact: "both spheres are on '{body}'; it would have no effect",
    TorqueActuator: "'{body}' would turn against itself",
}


def joint_faults(model: Model, targets: Targets) -> Iterator[str]:
    """Yield the faults of the joints and their axes."""
    for name, joint in model.joints.items():
        yield from unknown_references(f"joints.{name}", joint, targets)
        for number, axis in enumerate(joint.axes):
            yield from unknown_references(f"joints.{name}.axes.{number}", axis, targets)


def constraint_faults(model: Model, targets: Targets) -> Iterator[str]:
    """Yield the faults of the constraints."""
    for name, constraint in model.constraints.items():
        place = f"constraints.{name}"
        yield from unknown_references(place, constraint, targets)
        yield from _locked_motion(model, place, constraint)
        yield from _joined_to_itself(place, constraint)


def _locked_motion(model: Model, place: str, constraint: Constraint) -> Iterator[str]:
    """A coordinate that is a function of time cannot be locked."""
    if isinstance(constraint, MotionConstraint):
        parts = (joint.coordinates.get(constraint.coordinate) for joint in model.joints.values())
        if any(part is not None and part.locked for part in parts):
            yield f"{place}.coordinate: '{constraint.coordinate}' is locked and cannot follow a function of time"


def _joined_to_itself(place: str, constraint: Constraint) -> Iterator[str]:
    """A constraint between two bodies needs two of them."""
    if isinstance(constraint, RollingConstraint) and constraint.body == GROUND:
        yield f"{place}.body: the ground cannot roll on itself"
    if isinstance(constraint, PointConstraint | WeldConstraint | DistanceConstraint):
        first, second = bodies_of(constraint)
        if first == second:
            yield f"{place}: both ends are on '{first}'"


def path_faults(model: Model, targets: Targets) -> Iterator[str]:
    """Yield the faults of the paths of muscles and forces."""
    paths = {f"muscles.{name}.path": muscle.path for name, muscle in model.muscles.items()}
    paths |= {f"forces.{name}.path": force.path for name, force in model.forces.items() if isinstance(force, PathForce)}
    turning = angles(model)
    for place, path in paths.items():
        yield from _path_faults(place, path, targets, turning)


def _path_faults(place: str, path: Path, targets: Targets, turning: Collection[str]) -> Iterator[str]:
    yield from unknown_references(place, path, targets)
    if not isinstance(path, PointPath):
        for number, shown in enumerate(path.shown):
            yield from unknown_references(f"{place}.shown.{number}", shown, targets)
        return
    for number, point in enumerate(path.points):
        yield from unknown_references(f"{place}.points.{number}", point, targets)
        if isinstance(point, ConditionalPoint) and point.coordinate in turning:
            yield from _in_degrees(f"{place}.points.{number}.range", point.range)
    if len({point.body for point in path.points}) == 1:
        yield f"{place}: all points are on '{path.points[0].body}'; it would have no effect"
    for number, wrap in enumerate(path.wraps):
        yield from unknown_references(f"{place}.wraps.{number}", wrap, targets)


def _in_degrees(place: str, limits: tuple[float, float]) -> Iterator[str]:
    """A joint does not turn beyond a full turn: a limit beyond it is meant in degrees."""
    beyond = [limit for limit in limits if abs(limit) > 2 * pi]
    if beyond:
        yield f"{place}: {beyond[0]:g} rad is more than a full turn; degrees? use my.degrees (a file takes radians)"


def force_faults(model: Model, targets: Targets) -> Iterator[str]:
    """Yield the faults of the forces."""
    for name, force in model.forces.items():
        yield from unknown_references(f"forces.{name}", force, targets)
        yield from _without_effect(f"forces.{name}", force)


def _without_effect(place: str, force: Force) -> Iterator[str]:
    """A force between two bodies needs two of them, and a force from outside a body that can move."""
    bodies = bodies_of(force)
    if bodies == [GROUND]:
        yield f"{place}.body: a force on the ground moves nothing"
    elif len(bodies) == 2 and bodies[0] == bodies[1]:
        reason = _ON_ONE_BODY.get(type(force), "both ends are on '{body}'; it would have no effect")
        yield f"{place}: {reason.format(body=bodies[0])}"
