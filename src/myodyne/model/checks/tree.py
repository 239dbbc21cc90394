"""Joints form one tree that is rooted in the ground."""

from __future__ import annotations

from typing import TYPE_CHECKING

from myodyne.errors import listed
from myodyne.model.bodies import GROUND

if TYPE_CHECKING:
    from collections.abc import Iterator

    from myodyne.model.model import Model


def tree_faults(model: Model) -> Iterator[str]:
    """Yield the faults of the tree: bodies with no joint or two, joints that form a cycle."""
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
                "a body is the child of one joint"
            )
        carriers.setdefault(child, name)
    for body in model.bodies:
        if body not in carriers:
            yield f"bodies.{body}: is the child of no joint; give it one (free or weld to the ground, for example)"
    yield from _cycles(model)


def _cycles(model: Model) -> Iterator[str]:
    parent = {joint.child.body: joint.parent.body for joint in model.joints.values()}
    settled: set[str] = {GROUND}
    for body in model.bodies:
        path: dict[str, None] = {}
        while body in parent and body not in settled and body not in path:
            path[body] = None
            body = parent[body]
        if body in path:
            cycle = list(path)[list(path).index(body) :]
            yield f"joints form a cycle through the bodies {listed(cycle)}; cut it at one joint"
        settled.update(path)


def tree_order(model: Model) -> tuple[str, ...]:
    """Return the joints, each after the one that carries its parent, otherwise in the order given."""
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
