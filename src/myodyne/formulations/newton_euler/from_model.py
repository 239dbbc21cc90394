"""A planar model as a chain: the mapping between its coordinates and the angles of segments.

A tree is traversed along its joints, and back where another branch follows. A body that is passed more than once is
split into overlapping segments that share its mass and inertia and rotate together: the branches of Casius et al. 2004.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from myodyne.errors import ModelError, SolveError, listed, unknown_name
from myodyne.formulations.newton_euler.chain import Chain, Motion, Point, Segment
from myodyne.formulations.newton_euler.constraints import EqualAngularAccelerations
from myodyne.formulations.newton_euler.solve import solve
from myodyne.formulations.newton_euler.variables import (
    forward_unknowns,
    inverse_unknowns,
    values_of,
    weight,
)
from myodyne.model import GROUND, Axis, Joint, Linear, Model
from myodyne.types import Floats


@dataclass(frozen=True)
class ModelChain:
    """A planar model as a chain, with its equations of motion in the coordinates of the model.

    Angles of segments are ``angle_map @ q + angle_offset``, the position of the base is ``base_map @ q + base_offset``.
    ``directions`` (rad) are the angles of the segments relative to their bodies. ``constraints`` keep overlapping
    segments together; a model without branches has none.
    """

    model: Model
    chain: Chain
    constraints: tuple[EqualAngularAccelerations, ...]
    angle_map: Floats
    angle_offset: Floats
    base_map: Floats
    base_offset: Floats
    directions: Floats

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates, in the order of the model's equations."""
        return self.model.moving

    @property
    def free_base(self) -> bool:
        """Whether the base has its own coordinates."""
        return bool(self.base_map.any())

    def motion(self, q: ArrayLike, v: ArrayLike | None = None) -> Motion:
        """Return angles, rates and base for coordinates (..., n) and their rates."""
        q, v = self._checked(q, "q"), np.zeros_like(q, dtype=float) if v is None else self._checked(v, "v")
        return Motion(
            q @ self.angle_map.T + self.angle_offset,
            v @ self.angle_map.T,
            q @ self.base_map.T + self.base_offset,
            v @ self.base_map.T,
        )

    def point(self, body: str, at: Sequence[float] = (0.0, 0.0, 0.0)) -> Point:
        """Return a point of a body (m, in its axes) as a point of the chain, for constraints and forces."""
        if body not in self.model.bodies:
            raise ModelError(unknown_name("body", body, self.model.bodies))
        number = self.chain.names.index(body)
        segment, centre = self.chain.segments[number], self.model.bodies[body].centre_of_mass
        along, across = _rotation(-self.directions[number]) @ (np.array(at[:2]) - np.array(centre[:2]))
        return Point(body, segment.centre + float(along), segment.offset + float(across))

    def weight(self) -> dict[str, float]:
        """Return the model's gravity as external forces on the segments."""
        return weight(self.chain, self.model.gravity[:2])

    def forward_dynamics(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Floats:
        """Return the accelerations of the coordinates under gravity and generalised forces ``tau`` (N m, N)."""
        known = self.weight() | self.loads(tau)
        found = solve(
            self.chain, self.motion(q, v), known, forward_unknowns(self.chain, self.free_base), self.constraints
        )
        # One segment of each body; the ones that overlap with it rotate together.
        once = [number for number, name in enumerate(self.chain.names) if name in self.model.bodies]
        accelerations, mapped = found.angular_accelerations[..., once], self.angle_map[once]
        if self.free_base:
            accelerations = np.concatenate([accelerations, found.base_acceleration], axis=-1)
            mapped = np.vstack([mapped, self.base_map])
        vdot: Floats = np.linalg.solve(mapped, accelerations[..., None])[..., 0].astype(np.float64, copy=False)
        return vdot

    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, vdot: ArrayLike) -> Floats:
        """Return the generalised forces (N m, N) of inertia, Coriolis and gravity alone."""
        return self._forces(q, v, vdot, self.weight())

    def mass_matrix(self, q: ArrayLike) -> Floats:
        """Return the mass matrix (..., n, n): the forces of each unit acceleration, at rest and without gravity."""
        q = self._checked(q, "q")
        rows = np.repeat(q[..., None, :], q.shape[-1], axis=-2)
        return self._forces(rows, np.zeros_like(rows), np.broadcast_to(np.eye(q.shape[-1]), rows.shape), {})

    def _forces(self, q: ArrayLike, v: ArrayLike, vdot: ArrayLike, loads: Mapping[str, float]) -> Floats:
        vdot = self._checked(vdot, "vdot")
        known: dict[str, ArrayLike] = {
            **loads,
            **values_of(self.chain, "angular_acceleration", vdot @ self.angle_map.T),
        }
        base = vdot @ self.base_map.T
        known |= {"base.acceleration_x": base[..., 0], "base.acceleration_y": base[..., 1]}
        unknown = list(inverse_unknowns(self.chain))
        for constraint in self.constraints:
            # A body's acceleration is prescribed once; its other segments follow, with no moment in their joints.
            spin = f"{constraint.first}.angular_acceleration"
            del known[spin]
            unknown[unknown.index(f"{constraint.first}.moment")] = spin
        found = solve(self.chain, self.motion(q, v), known, unknown, self.constraints)
        at_base = np.stack([found[f"{self.chain.joints[0]}.reaction_force_{axis}"] for axis in "xy"], axis=-1)
        return found.moments[..., :-1] @ self._turns + at_base @ self.base_map

    def loads(self, tau: ArrayLike) -> dict[str, Floats]:
        """Return generalised forces (N m, N) as joint moments, and as the force on a free base, by name."""
        tau = self._checked(tau, "tau")
        slopes = self._turns.sum(axis=0)
        moments = (tau / np.where(slopes == 0.0, 1.0, slopes)) @ (self._turns != 0.0).T
        loads = values_of(self.chain, "moment", moments)
        if self.free_base:
            moving = np.flatnonzero(self.base_map.any(axis=0))
            force: Floats = np.linalg.solve(self.base_map[:, moving].T, tau[..., moving, None])[..., 0].astype(
                np.float64, copy=False
            )
            base = self.chain.joints[0]
            loads |= {f"{base}.reaction_force_x": force[..., 0], f"{base}.reaction_force_y": force[..., 1]}
        return loads

    @cached_property
    def _turns(self) -> Floats:
        """Rotation of each joint of the chain per unit of each coordinate, (n segments, n coordinates)."""
        turns = np.zeros_like(self.angle_map)
        for number, joint in enumerate(self.chain.joints[:-1]):
            if joint in self.model.joints:
                axis = self.model.joints[joint].axes[-1]
                name, slope, _ = _linear(axis)
                turns[number, self.coordinates.index(name)] = slope * axis.direction[2]
        return turns

    def _checked(self, values: ArrayLike, what: str) -> Floats:
        array = np.asarray(values, dtype=np.float64)
        if array.ndim == 0 or array.shape[-1] != len(self.coordinates):
            raise SolveError(f"{what} needs a value for each of the coordinates {listed(self.coordinates)}")
        return array


def chain_of(model: Model, end: str | None = None) -> ModelChain:
    """Return a planar model as a chain.

    Every joint must be a pin about z, the first one a pin or a planar joint; anything else raises an error that names
    it. Forces of the model are ignored, as in `Equations.inverse_dynamics`; constraints raise an error.

    Parameters
    ----------
    model : Model
        Bodies on pins about z, a chain or a tree with one joint to the ground.
    end : str, optional
        A marker on the last body where the chain ends; its centre of mass by default.

    Examples
    --------
    >>> import myodyne as my
    >>> pendulum = chain_of(my.load_model("double_pendulum"), end="tip")
    >>> pendulum.chain.names
    ('rod1', 'rod2')
    >>> pendulum.mass_matrix([0.0, 0.0]).round(4)
    array([[2.6667, 0.8333],
           [0.8333, 0.3333]])
    """
    if not model.bodies:
        raise ModelError(f"'{model.name}' has no bodies")
    problems = [(("joints", name), why) for name, why in _not_planar(model)]
    problems += [
        (("constraints", name), "is not supported; use model.unconstrained() and constrain the chain")
        for name in model.constraints
    ]
    if problems:
        lines = (f"{'.'.join(place)}: {why}" for place, why in problems)
        raise ModelError(f"'{model.name}' is not a planar chain:\n" + "\n".join(lines), problems)
    turn = {GROUND: (np.zeros(len(model.moving)), 0.0)}
    for name in model.tree:
        turn[model.joints[name].child.body] = _body_angle(model, model.joints[name], turn)
    hops = _Walk(model, end).hops
    shares = {body: sum(hop.body == body for hop in hops) for body in model.bodies}
    segments, joints, constraints = [], [], []
    for number, hop in enumerate(hops):
        first = all(other.body != hop.body for other in hops[:number])
        title = hop.body if first else f"{hop.body} #{sum(other.body == hop.body for other in hops[:number]) + 1}"
        segments.append(_segment(model, hop, title, shares[hop.body]))
        joints.append(hop.joint if first else title)
        if not first:
            constraints.append(EqualAngularAccelerations(title, hop.body))
    angle_map = np.array([turn[hop.body][0] for hop in hops])
    directions = np.array([hop.direction for hop in hops])
    angle_offset = np.array([turn[hop.body][1] for hop in hops]) + directions
    base_map, base_offset = _base(model)
    chain = Chain(segments, [*joints, f"{hops[-1].body} end"])
    return ModelChain(model, chain, tuple(constraints), angle_map, angle_offset, base_map, base_offset, directions)


def _not_planar(model: Model) -> list[tuple[str, str]]:
    """Return the joints that are not possible in a planar chain, and why."""
    base, *others = (name for name, joint in model.joints.items() if joint.parent.body == GROUND)
    problems = [(name, f"is joined to the ground like '{base}'; a chain has one base") for name in others]
    for name, joint in model.joints.items():
        problems += [(name, why) for why in _joint_problems(joint, is_base=name == base)]
    return problems


def _joint_problems(joint: Joint, is_base: bool) -> list[str]:
    problems = [
        f"the {side} is rotated about x or y, out of the plane"
        for side, place in (("parent", joint.parent), ("child", joint.child))
        if any(place.orientation[:2])
    ]
    *shifts, turn = joint.axes or (None,)
    if turn is None or turn.motion != "rotation" or abs(turn.direction[2]) != 1.0:
        return [*problems, "is not a pin about z; a planar chain has pins, and at its base possibly a planar joint"]
    if shifts and not is_base:
        problems.append("translates; only the joint on the ground may")
    flat = all(axis is not None and axis.motion == "translation" and axis.direction[2] == 0.0 for axis in shifts)
    if not flat or (shifts and (len(shifts) != 2 or abs(_cross(shifts[0].direction, shifts[1].direction)) < 1e-9)):
        problems.append("must translate along two directions of the plane, or not at all")
    for axis in joint.axes:
        function = axis.function
        if not isinstance(function, Linear) or function.slope == 0.0:
            problems.append("has an axis that is not a linear function of a coordinate")
        elif function.coordinate not in joint.coordinates:
            problems.append(f"follows the coordinate '{function.coordinate}' of another joint")
    names = [name for axis in joint.axes for name in axis.function.coordinates]
    problems += [f"moves two axes by the coordinate '{name}'" for name in {n for n in names if names.count(n) > 1}]
    problems += [
        f"has the {'locked' if part.locked else 'coupled'} coordinate '{name}'; use model.unconstrained()"
        for name, part in joint.coordinates.items()
        if part.locked or part.coupled is not None
    ]
    return problems


def _linear(axis: Axis) -> tuple[str, float, float]:
    function = axis.function
    assert isinstance(function, Linear)  # checked by _joint_problems
    return function.coordinate, function.slope, function.offset


def _body_angle(model: Model, joint: Joint, turn: dict[str, tuple[Floats, float]]) -> tuple[Floats, float]:
    """Return the angle of a joint's child as a linear function of the coordinates: slopes and offset."""
    slopes, offset = turn[joint.parent.body]
    axis = joint.axes[-1]
    name, slope, rest = _linear(axis)
    slopes = slopes.copy()
    slopes[model.moving.index(name)] += slope * axis.direction[2]
    return slopes, offset + joint.parent.orientation[2] + rest * axis.direction[2] - joint.child.orientation[2]


def _base(model: Model) -> tuple[Floats, Floats]:
    """Return the position of the first joint as a linear function of the coordinates."""
    joint = model.joints[model.tree[0]]
    tilt = _rotation(joint.parent.orientation[2])
    base_map, offset = np.zeros((2, len(model.moving))), np.array(joint.parent.at[:2])
    for axis in joint.axes[:-1]:
        name, slope, rest = _linear(axis)
        direction = tilt @ axis.direction[:2]
        base_map[:, model.moving.index(name)] = slope * direction
        offset = offset + rest * direction
    return base_map, offset


@dataclass(frozen=True)
class _Hop:
    """One segment of the traversal: across a body from one of its points to another, in the axes of the body."""

    body: str
    joint: str
    start: Floats
    stop: Floats

    @property
    def direction(self) -> float:
        """The angle of the segment relative to its body; zero for a segment without length."""
        x, y = self.stop - self.start
        return float(np.arctan2(y, x))


@dataclass
class _Walk:
    """The traversal of a tree that passes every joint, as hops across bodies."""

    model: Model
    end: str | None
    hops: list[_Hop] = field(default_factory=list)

    def __post_init__(self) -> None:
        # A stack, not recursion: a chain may be longer than the recursion limit.
        tasks: list[tuple[str, Floats | None, bool]] = [(self.model.tree[0], None, False)]
        place: dict[str, Floats] = {}
        while tasks:
            name, target, returns = tasks.pop()
            joint = self.model.joints[name]
            body = joint.child.body
            if target is not None:
                self.hops.append(_Hop(body, name, place[body], target))
                place[body] = target
            else:
                place[body] = np.array(joint.child.at[:2])
                tasks.extend(reversed(self._visit(name, returns)))

    def _visit(self, name: str, returns: bool) -> list[tuple[str, Floats | None, bool]]:
        """Return the tasks at a body: hops across it, and visits to its children."""
        joint = self.model.joints[name]
        children = [other for other in self.model.tree if self.model.joints[other].parent.body == joint.child.body]
        entry = np.array(joint.child.at[:2])
        if not children:
            # A branch that ends here and must return stays at its joint.
            return [(name, entry if returns else self._last_point(joint), False)]
        tasks: list[tuple[str, Floats | None, bool]] = []
        for child in children:
            tasks.append((name, np.array(self.model.joints[child].parent.at[:2]), False))
            tasks.append((child, None, returns or child != children[-1]))
        return [*tasks, (name, entry, False)] if returns else tasks

    def _last_point(self, joint: Joint) -> Floats:
        body = joint.child.body
        if self.end is None:
            return np.array(self.model.bodies[body].centre_of_mass[:2])
        markers = [name for name, marker in self.model.markers.items() if marker.body == body]
        if self.end not in markers:
            raise ModelError(f"the chain ends with body '{body}'; {unknown_name('marker on it', self.end, markers)}")
        return np.array(self.model.markers[self.end].at[:2])


def _segment(model: Model, hop: _Hop, title: str, share: int) -> Segment:
    body = model.bodies[hop.body]
    along, across = _rotation(-hop.direction) @ (np.array(body.centre_of_mass[:2]) - hop.start)
    length = float(np.hypot(*(hop.stop - hop.start)))
    return Segment(title, length, float(along), body.mass / share, body.inertia.zz / share, float(across))


def _rotation(angle: float) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])


def _cross(a: Sequence[float], b: Sequence[float]) -> float:
    return a[0] * b[1] - a[1] * b[0]
