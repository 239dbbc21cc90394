"""What must hold between the parts of a model: names, references, one tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from myodyne.errors import listed, unknown_name
from myodyne.model import values
from myodyne.model.bodies import GROUND
from myodyne.model.forces import BodyTorque, CoordinateActuator, JointLimit, PointForce, PointSpring, TorsionSpring

if TYPE_CHECKING:
    from myodyne.model.model import Model


def check(model: Model) -> None:
    """Raise a ValueError that lists every fault between the parts of the model."""
    faults = [*_names(model), *_references(model), *_tree(model)]
    if not faults:
        faults = [*_free_values(model)]
    if faults:
        raise ValueError("\n".join(faults))


def _names(model: Model) -> Iterator[str]:
    owners: dict[str, str] = {GROUND: "the ground"}
    for kind, table in (("body", model.bodies), ("joint", model.joints), ("force", model.forces),
                        ("marker", model.markers)):
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
                yield (f"coordinate '{name}' has the name of {owners[name]}; "
                       "only a joint and its own coordinate may share a name")
            seen[name] = joint_name


def _references(model: Model) -> Iterator[str]:
    bodies = [GROUND, *model.bodies]
    coordinates = [name for joint in model.joints.values() for name in joint.coordinates]

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
    used = {c for joint in model.joints.values() for axis in joint.axes for c in axis.function.coordinates}
    for name in coordinates:
        if name not in used:
            yield f"coordinate '{name}' moves nothing: no axis is a function of it"
    for name, marker in model.markers.items():
        yield from body(f"markers.{name}.body", marker.body)
    for name, force in model.forces.items():
        place = f"forces.{name}"
        match force:
            case PointForce() | BodyTorque():
                yield from body(f"{place}.body", force.body)
                if force.body == GROUND:
                    yield f"{place}.body: a force on the ground moves nothing"
            case PointSpring():
                yield from body(f"{place}.start.body", force.start.body)
                yield from body(f"{place}.end.body", force.end.body)
                if force.start.body == force.end.body:
                    yield f"{place}: both ends are on '{force.start.body}'; it would pull on nothing"
            case CoordinateActuator() | TorsionSpring() | JointLimit():
                yield from coordinate(f"{place}.coordinate", [force.coordinate])


def _tree(model: Model) -> Iterator[str]:
    carriers: dict[str, str] = {}
    for name, joint in model.joints.items():
        child = joint.child.body
        if child == GROUND:
            yield f"joints.{name}.child.body: the ground cannot be the child of a joint; exchange parent and child"
        elif child == joint.parent.body:
            yield f"joints.{name}: joins body '{child}' to itself"
        elif child in carriers:
            yield (f"joints.{name}.child.body: body '{child}' is already the child of joint '{carriers[child]}'; "
                   "a body hangs on one joint")
        carriers.setdefault(child, name)
    for body in model.bodies:
        if body not in carriers:
            yield f"bodies.{body}: hangs on no joint; give it one (free or weld to the ground, for example)"
    # A chain of parents that is longer than the number of joints has run in a circle.
    parent = {joint.child.body: joint.parent.body for joint in model.joints.values()}
    reported: set[str] = set()
    for body in model.bodies:
        path = [body]
        while path[-1] in parent and path[-1] != GROUND and len(path) <= len(parent) + 1:
            following = parent[path[-1]]
            if following in path:
                circle = path[path.index(following):]
                if not reported.intersection(circle):
                    yield f"joints form a cycle through the bodies {listed(circle)}; cut it at one joint"
                reported.update(circle)
                break
            path.append(following)


def _free_values(model: Model) -> Iterator[str]:
    for name in model.free_values:
        value = values.get(model, name)
        if isinstance(value, bool) or not isinstance(value, float | int):
            yield f"free_values: '{name}' is not a single number"


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
