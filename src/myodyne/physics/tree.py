"""A model as a tree of links, each with one axis: the tree of the recursions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import casadi as ca

from myodyne.model import GROUND, Function, Model
from myodyne.model.part import Vector
from myodyne.physics import joint_functions
from myodyne.physics.joint_functions import CoordinateJet
from myodyne.physics.spatial import SX, RigidInertia, Transform, rotation, turned, vector


@dataclass(frozen=True)
class Link:
    """One axis of a joint, and the frame that it moves.

    The frame of a link is placed in that of its parent by ``offset``, then moved by ``amount`` about or along
    ``axis``. A joint of several axes is a chain of links, all but the last without mass. ``body`` is fixed in the
    frame of the last.
    """

    joint: str
    parent: int
    offset: Transform
    motion: str  # "rotation", "translation" or "none"
    axis: Vector
    amount: SX
    gradient: SX
    velocity_term: SX
    body: str | None
    body_frame: Transform
    inertia: RigidInertia
    direction: tuple[SX, SX] | None = None

    @property
    def step(self) -> Transform:
        """The pose of this link's frame in its parent's."""
        if self.motion == "translation":
            along = self.offset.rotation @ (vector(self.axis) * self.amount)
            return Transform(self.offset.rotation, self.offset.position + along)
        if self.motion == "rotation":
            known = self.direction
            turn = rotation(self.axis, self.amount) if known is None else turned(self.axis, *known)
            return Transform(self.offset.rotation @ turn, self.offset.position)
        return self.offset


@dataclass(frozen=True)
class Tree:
    """All links of a model, parents first, with the symbols that they are functions of."""

    model: Model
    q: SX
    v: SX
    coordinates: Mapping[str, CoordinateJet]
    links: tuple[Link, ...]
    steps: tuple[Transform, ...]
    link_of_body: Mapping[str, int] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return int(self.q.numel())

    @property
    def bodies(self) -> tuple[str, ...]:
        return tuple(self.link_of_body)


def tree_of(model: Model, q: SX, v: SX, coordinates: Mapping[str, CoordinateJet]) -> Tree:
    """Return the links of a model, moved by all its coordinates as functions of ``q`` and their rates ``v``."""
    links: list[Link] = []
    last_link: dict[str, int] = {GROUND: -1}
    frame_in_link: dict[str, Transform] = {GROUND: Transform.identity()}
    for joint_name in model.tree:
        joint = model.joints[joint_name]
        parent = last_link[joint.parent.body]
        offset = frame_in_link[joint.parent.body] @ Transform.placed(joint.parent.at, joint.parent.orientation)
        # The body frame as seen from the joint's moving frame, which becomes the frame of the last link.
        body_frame = Transform.placed(joint.child.at, joint.child.orientation).inverse()
        body = model.bodies[joint.child.body]
        centre = body_frame.point(vector(body.centre_of_mass))
        about_centre = body_frame.rotation @ _matrix(body.inertia.matrix) @ body_frame.rotation.T
        inertia = RigidInertia.of_body(body.mass, centre, about_centre)
        motions: list[tuple[str, Vector, Function | None]] = [
            (axis.motion, axis.direction, axis.function) for axis in joint.axes
        ] or [("none", (0.0, 0.0, 0.0), None)]
        for number, (motion, direction, function) in enumerate(motions):
            last = number == len(motions) - 1
            size = q.numel()
            moved = (
                CoordinateJet.constant(0.0, size)
                if function is None
                else joint_functions.jet(function, coordinates, size)
            )
            links.append(
                Link(
                    joint=joint_name,
                    parent=parent,
                    offset=offset,
                    motion=motion,
                    axis=direction,
                    amount=moved.value,
                    gradient=ca.sparsify(moved.gradient),
                    velocity_term=moved.velocity_term,
                    body=joint.child.body if last else None,
                    body_frame=body_frame if last else Transform.identity(),
                    inertia=inertia if last else RigidInertia.none(),
                    direction=moved.direction,
                )
            )
            parent = len(links) - 1
            offset = Transform.identity()
        last_link[joint.child.body] = parent
        frame_in_link[joint.child.body] = body_frame
    order = {name: last_link[name] for name in model.bodies}
    return Tree(model, q, v, coordinates, tuple(links), tuple(link.step for link in links), order)


def coordinate_jets(model: Model, given: Mapping[str, CoordinateJet], size: int) -> dict[str, CoordinateJet]:
    """Return all coordinates by name: those that are given, the locked at their default, the coupled as functions."""
    found = dict(given)
    found |= {
        name: CoordinateJet.constant(part.default, size) for name, part in model.coordinates.items() if part.locked
    }
    waiting = {
        name: part.coupled for name, part in model.coordinates.items() if part.coupled is not None and name not in given
    }
    while waiting:
        # The model is checked to have no cycles, so every round finds at least one.
        ready = [name for name, function in waiting.items() if all(c in found for c in function.coordinates)]
        for name in ready:
            found[name] = joint_functions.jet(waiting.pop(name), found, size)
    return found


def _matrix(rows: tuple[Vector, Vector, Vector]) -> SX:
    return ca.vertcat(*(ca.horzcat(*map(SX, row)) for row in rows))
