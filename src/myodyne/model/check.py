"""What must hold between the parts of a model: names, references, one tree."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain, islice
from math import pi
from typing import TYPE_CHECKING

from myodyne.errors import listed, unknown_name
from myodyne.model import values
from myodyne.model.actuators import LineActuator, PointActuator, TorqueActuator
from myodyne.model.bodies import GROUND
from myodyne.model.constraints import (
    CouplerConstraint,
    LineConstraint,
    MotionConstraint,
    PointConstraint,
    SpeedConstraint,
)
from myodyne.model.contacts import ContactPoint, EllipsoidContact, HuntCrossleyContact, SmoothSphereContact
from myodyne.model.forces import BodyTorque, PathForce, PointForce, PointSpring
from myodyne.model.paths import ConditionalPoint, FunctionPath
from myodyne.model.springs import Bushing
from myodyne.model.units import angles

if TYPE_CHECKING:
    from myodyne.model.constraints import Constraint
    from myodyne.model.forces import Force
    from myodyne.model.model import Model


_MOST_FAULTS = 12


def check(model: Model) -> None:
    """Raise a ValueError that lists every fault between the parts of the model."""
    # Not all of thousands: the nearest names are looked for in each of them.
    faults = [*islice(chain(_names(model), _references(model), _tree(model)), _MOST_FAULTS)]
    if not faults:
        faults = [*_free_values(model)]
    if faults:
        raise ValueError("\n".join(faults))


def _names(model: Model) -> Iterator[str]:
    owners: dict[str, str] = {GROUND: "the ground"}
    for kind, table in (
        ("body", model.bodies),
        ("joint", model.joints),
        ("muscle", model.muscles),
        ("force", model.forces),
        ("marker", model.markers),
        ("surface", model.surfaces),
        ("constraint", model.constraints),
    ):
        for name in table:
            if name in owners:
                yield f"{kind} '{name}' has the name of {owners[name]}; names are unique across a model"
            owners[name] = f"a {kind}"
    seen: dict[str, str] = {}
    for joint_name, joint in model.joints.items():
        for name in joint.coordinates:
            if name in seen:
                yield f"coordinate '{name}' stands in joint '{seen[name]}' and again in joint '{joint_name}'"
            elif name in owners and name != joint_name:
                yield (
                    f"coordinate '{name}' has the name of {owners[name]}; "
                    "only a joint and its own coordinate may share a name"
                )
            seen[name] = joint_name


def _references(model: Model) -> Iterator[str]:
    bodies = dict.fromkeys([GROUND, *model.bodies])
    coordinates = dict.fromkeys(name for joint in model.joints.values() for name in joint.coordinates)

    def body(place: str, name: str) -> Iterator[str]:
        if name not in bodies:
            yield f"{place}: {unknown_name('body', name, bodies)}"

    def coordinate(place: str, names: Iterable[str]) -> Iterator[str]:
        for name in names:
            if name not in coordinates:
                yield f"{place}: {unknown_name('coordinate', name, coordinates)}"

    for name, joint in model.joints.items():
        yield from body(f"joints.{name}.parent.body", joint.parent.body)
        yield from body(f"joints.{name}.child.body", joint.child.body)
        for number, axis in enumerate(joint.axes):
            yield from coordinate(f"joints.{name}.axes.{number}", axis.function.coordinates)
    yield from _couplings(model, coordinates)
    used = {c for joint in model.joints.values() for axis in joint.axes for c in axis.function.coordinates}
    used |= {
        c
        for joint in model.joints.values()
        for part in joint.coordinates.values()
        if part.coupled
        for c in part.coupled.coordinates
    }
    for name in coordinates:
        if name not in used:
            yield f"coordinate '{name}' moves nothing: no axis is a function of it"
    yield from _solved(model)
    for name, constraint in model.constraints.items():
        place = f"constraints.{name}"
        for field in ("first", "second", "point"):
            if hasattr(constraint, field):
                yield from body(f"{place}.{field}.body", getattr(constraint, field).body)
        match constraint:
            case LineConstraint():
                yield from body(f"{place}.body", constraint.body)
            case CouplerConstraint():
                yield from coordinate(f"{place}.coordinate", [constraint.coordinate, *constraint.function.coordinates])
            case SpeedConstraint() | MotionConstraint():
                yield from coordinate(f"{place}.coordinate", [constraint.coordinate])
                yield from _movable(model, place, constraint)
            case _ if constraint.first.body == constraint.second.body:
                yield f"{place}: both ends are on '{constraint.first.body}'"
    for name, marker in model.markers.items():
        yield from body(f"markers.{name}.body", marker.body)
    paths = {f"muscles.{name}.path": muscle.path for name, muscle in model.muscles.items()}
    paths |= {f"forces.{name}.path": force.path for name, force in model.forces.items() if isinstance(force, PathForce)}
    turning = angles(model)
    for place, path in paths.items():
        if isinstance(path, FunctionPath):
            yield from coordinate(f"{place}.length", path.length.coordinates)
            continue
        for number, point in enumerate(path.points):
            yield from body(f"{place}.points.{number}.body", point.body)
            yield from coordinate(f"{place}.points.{number}", getattr(point, "coordinates", ()))
            if isinstance(point, ConditionalPoint) and point.coordinate in turning:
                yield from _in_radians(f"{place}.points.{number}.range", point.range)
        if len({point.body for point in path.points}) == 1:
            yield f"{place}: all points are on '{path.points[0].body}'; it would pull on nothing"
        for number, wrap in enumerate(path.wraps):
            if wrap.surface not in model.surfaces:
                yield f"{place}.wraps.{number}: {unknown_name('surface', wrap.surface, model.surfaces)}"
    for name, surface in model.surfaces.items():
        yield from body(f"surfaces.{name}.frame.body", surface.frame.body)
    for name, force in model.forces.items():
        place = f"forces.{name}"
        for field, other in _bodies_of(force).items():
            yield from body(f"{place}.{field}", other)
        yield from _opposed(place, force)
        if hasattr(force, "coordinate"):
            yield from coordinate(f"{place}.coordinate", [force.coordinate])


def _movable(model: Model, place: str, drive: SpeedConstraint | MotionConstraint) -> Iterator[str]:
    """A coordinate that follows time cannot be locked."""
    locked = (name for joint in model.joints.values() for name, part in joint.coordinates.items() if part.locked)
    if isinstance(drive, MotionConstraint) and drive.coordinate in locked:
        yield f"{place}.coordinate: '{drive.coordinate}' is locked and cannot follow a function of time"


def _bodies_of(force: Force) -> dict[str, str]:
    """Return the bodies that a force names, by field."""
    match force:
        case PointForce() | BodyTorque() | PointActuator():
            return {"body": force.body}
        case TorqueActuator():
            return {"body": force.body, "reaction": force.reaction or GROUND}
        case PointSpring() | LineActuator():
            return {"start.body": force.start.body, "end.body": force.end.body}
        case Bushing():
            return {"first.body": force.first.body, "second.body": force.second.body}
        case EllipsoidContact():
            return {"body": force.body, "point.body": force.point.body}
        case HuntCrossleyContact() | SmoothSphereContact() | ContactPoint():
            return {"body": force.body, "plane.body": force.plane.body}
        case _:
            return {}


def _opposed(place: str, force: Force) -> Iterator[str]:
    """A force between two bodies needs two of them, and one from outside something that can move."""
    bodies = [*_bodies_of(force).values()]
    if bodies == [GROUND]:
        yield f"{place}.body: a force on the ground moves nothing"
    elif len(bodies) == 2 and bodies[0] == bodies[1]:
        match force:
            case EllipsoidContact():
                yield f"{place}: the point and the ellipsoid are both on '{force.body}'; it would push on nothing"
            case ContactPoint():
                yield f"{place}: the point and the plane are both on '{force.body}'; it would push on nothing"
            case HuntCrossleyContact() | SmoothSphereContact():
                yield f"{place}: the sphere and the plane are both on '{force.body}'; it would push on nothing"
            case TorqueActuator():
                yield f"{place}: '{force.body}' would turn against itself"
            case _:
                yield f"{place}: both ends are on '{bodies[0]}'; it would pull on nothing"


def _in_radians(place: str, limits: tuple[float, float]) -> Iterator[str]:
    """A joint does not turn beyond a full turn: such a limit is meant in degrees."""
    beyond = [limit for limit in limits if abs(limit) > 2 * pi]
    if beyond:
        yield f"{place}: {beyond[0]:g} rad is more than a full turn; degrees? use my.degrees (a file takes radians)"


def _solved(model: Model) -> Iterator[str]:
    """What embedded constraints solve must be coupled, by a function that is a guess, and solved once."""
    parts = {name: part for joint in model.joints.values() for name, part in joint.coordinates.items()}
    owners: dict[str, str] = {}
    for name, constraint in model.constraints.items():
        rows = _most_rows(constraint)
        if len(constraint.solves) > rows:
            yield (
                f"constraints.{name}.solves.{rows}: a constraint of kind '{constraint.kind}' has {rows} "
                f"row{'' if rows == 1 else 's'} here and cannot solve {len(constraint.solves)} coordinates"
            )
        for number, solved in enumerate(constraint.solves):
            place = f"constraints.{name}.solves.{number}"
            if solved not in parts:
                yield f"{place}: {unknown_name('coordinate', solved, parts)}"
            elif parts[solved].coupled is None:
                yield (
                    f"{place}: '{solved}' is not coupled. Met by {constraint.by}, a loop needs a first guess as a "
                    f"function of the coordinates that stay free: give '{solved}' one (coupled), or use embed"
                )
            if solved in owners:
                yield f"{place}: '{solved}' is solved by constraint '{owners[solved]}' already"
            owners.setdefault(solved, name)


def _most_rows(constraint: Constraint) -> int:
    """Return how many rows a constraint has, those included that no coordinate of the model can change."""
    if isinstance(constraint, PointConstraint):
        return len(constraint.axes)
    return {"weld": 6, "line": 2}.get(constraint.kind, 1)


def _couplings(model: Model, coordinates: Collection[str]) -> Iterator[str]:
    """Coupled coordinates must lead to free ones, without going round in a circle."""
    parts = {name: part for joint in model.joints.values() for name, part in joint.coordinates.items()}
    leaders = {name: part.coupled.coordinates for name, part in parts.items() if part.coupled is not None}
    unsettled = _unsettled(leaders)
    for name, followed in leaders.items():
        if parts[name].locked:
            yield f"coordinate '{name}' is locked and coupled; it can be one of them"
        for other in followed:
            if other not in coordinates:
                yield f"coordinate '{name}', coupled: {unknown_name('coordinate', other, coordinates)}"
        waiting, seen = [*followed] if name in unsettled else [], {name}
        while waiting:
            other = waiting.pop()
            if other == name:
                yield f"coordinate '{name}' is coupled to itself, in a circle"
                break
            if other in unsettled and other not in seen:
                seen.add(other)
                waiting.extend(leaders[other])


def _unsettled(leaders: Mapping[str, Collection[str]]) -> set[str]:
    """Return the coupled coordinates that stand in circles or follow one: each of the others is visited once."""
    followers: dict[str, list[str]] = {}
    missing = {}
    for name, followed in leaders.items():
        coupled = {other for other in followed if other in leaders}
        missing[name] = len(coupled)
        for other in coupled:
            followers.setdefault(other, []).append(name)
    settled = [name for name, count in missing.items() if count == 0]
    for name in settled:
        for follower in followers.get(name, ()):
            missing[follower] -= 1
            if missing[follower] == 0:
                settled.append(follower)
    return set(leaders).difference(settled)


def _tree(model: Model) -> Iterator[str]:
    carriers: dict[str, str] = {}
    for name, joint in model.joints.items():
        child = joint.child.body
        if child == GROUND:
            yield f"joints.{name}.child.body: the ground cannot be the child of a joint; exchange parent and child"
        elif child == joint.parent.body:
            yield f"joints.{name}: joins body '{child}' to itself"
        elif child in carriers:
            yield (
                f"joints.{name}.child.body: body '{child}' is already the child of joint '{carriers[child]}'; "
                "a body hangs on one joint"
            )
        carriers.setdefault(child, name)
    for body in model.bodies:
        if body not in carriers:
            yield f"bodies.{body}: hangs on no joint; give it one (free or weld to the ground, for example)"
    parent = {joint.child.body: joint.parent.body for joint in model.joints.values()}
    settled: set[str] = {GROUND}
    for body in model.bodies:
        path: dict[str, None] = {}
        while body in parent and body not in settled and body not in path:
            path[body] = None
            body = parent[body]
        if body in path:
            circle = list(path)[list(path).index(body) :]
            yield f"joints form a cycle through the bodies {listed(circle)}; cut it at one joint"
        settled.update(path)


def _free_values(model: Model) -> Iterator[str]:
    for name in model.free_values:
        value = values.get(model, name)
        if isinstance(value, bool) or not isinstance(value, float | int):
            yield f"free_values: '{name}' is not a single number"
        if any(name.startswith(f"{motion}.") for motion in model.motions):
            yield f"free_values: '{name}' tells a motion in time, no part of the equations; with_values sets it"


def tree_order(model: Model) -> tuple[str, ...]:
    """Return the joints so that each comes after the one that carries its parent, else as they were given."""
    children: dict[str, list[str]] = {}
    rank = {name: number for number, name in enumerate(model.joints)}
    for name, joint in model.joints.items():
        children.setdefault(joint.parent.body, []).append(name)
    order: list[str] = []
    ready = list(children.get(GROUND, ()))
    while ready:
        ready.sort(key=rank.__getitem__, reverse=True)
        name = ready.pop()
        order.append(name)
        ready.extend(children.get(model.joints[name].child.body, ()))
    return tuple(order)
