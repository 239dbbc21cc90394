"""Constraint equations on positions and, for constraints with multipliers, on speeds and accelerations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca

from myodyne.errors import ModelError
from myodyne.model import (
    GROUND,
    Constraint,
    CouplerConstraint,
    DistanceConstraint,
    LineConstraint,
    MotionConstraint,
    PointConstraint,
    RollingConstraint,
    SpeedConstraint,
    WeldConstraint,
)
from myodyne.physics import joint_functions
from myodyne.physics.kinematics import Kinematics
from myodyne.physics.recursive import Wrench
from myodyne.physics.spatial import SX, Transform, Triple, cross, dot, rotation, vector, zero

# A row that no coordinate can change must be met to this (m, or rad), else the model is inconsistent.
_MET = 1e-9


@dataclass(frozen=True)
class Demands:
    """All rows of all constraints of a model.

    ``position`` is zero where a row is met (rows on speeds have none: a plain zero); ``speed`` is its rate;
    the acceleration-level row is ``jacobian @ vdot + velocity_term``. ``owners`` and ``parts`` name each row:
    the constraint, and ``force_x``, ``moment_z``, ``force``, ``torque``.
    """

    position: SX
    speed: SX
    jacobian: SX
    velocity_term: SX
    owners: tuple[str, ...]
    parts: tuple[str, ...]

    @property
    def count(self) -> int:
        return len(self.owners)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the multipliers, one for each row."""
        return tuple(f"{owner}.{part}" for owner, part in zip(self.owners, self.parts, strict=True))


def demands_of(kinematics: Kinematics, motions: Mapping[str, Sequence[SX]]) -> Demands:
    """Return the constraint equations of a model; rows that no coordinate can change are left out.

    ``motions`` gives value, speed and acceleration of each function of time that a constraint follows, by name.
    """
    tree = kinematics.tree
    q, v = tree.q, tree.v
    positions, speeds, jacobians, terms = [], [], [], []
    owners, parts = [], []
    for name, constraint in tree.model.constraints.items():
        for part, (position, rate) in rows_of(kinematics, constraint).items() if is_kept(constraint) else ():
            speed = ca.jacobian(position, q) @ v if rate is None else rate
            jacobian = ca.jacobian(speed, v)
            if jacobian.nnz() == 0:
                check_idle(name, part, position, speed)
                continue
            positions.append(position)
            speeds.append(speed)
            jacobians.append(jacobian)
            terms.append(ca.jacobian(speed, q) @ v)
            owners.append(name)
            parts.append(part)
            if name in motions:
                for column, wanted in zip((positions, speeds, terms), motions[name], strict=True):
                    column[-1] = column[-1] - wanted
    empty = SX(0, 1)
    return Demands(
        position=ca.densify(ca.vertcat(empty, *positions)),
        speed=ca.densify(ca.vertcat(empty, *speeds)),
        jacobian=ca.vertcat(SX(0, tree.size), *jacobians),
        velocity_term=ca.densify(ca.vertcat(empty, *terms)),
        owners=tuple(owners),
        parts=tuple(parts),
    )


def is_kept(constraint: Constraint) -> bool:
    """Return whether a constraint has multipliers; else dependent coordinates satisfy it."""
    return constraint.by == "multipliers"


def embedded_gaps(kinematics: Kinematics) -> dict[str, SX]:
    """Return the error of each embedded constraint (m, or rad)."""
    return {
        name: ca.norm_2(ca.vertcat(*(position for position, _ in rows_of(kinematics, constraint).values())))
        for name, constraint in kinematics.tree.model.constraints.items()
        if not is_kept(constraint)
    }


def check_idle(name: str, part: str, position: SX, speed: SX) -> None:
    """Raise an error for a row that nothing can change and is not met; planar models always meet the third axis."""
    for error, what in ((position, part), (speed, "its speed")):
        if error.is_constant() and abs(float(error)) > _MET:
            raise ModelError(
                f"constraint '{name}' can never be met: {what} is off by {float(error):.6g} and no coordinate moves it"
            )


def rows_of(kinematics: Kinematics, constraint: Constraint) -> dict[str, tuple[SX, SX | None]]:
    """Return the rows of a constraint: position, and the rate where it is not that of the position."""
    match constraint:
        case PointConstraint():
            gap = kinematics.point(constraint.first.body, constraint.first.at) - kinematics.point(
                constraint.second.body, constraint.second.at
            )
            return {f"force_{axis}": (gap["xyz".index(axis)], None) for axis in constraint.axes}
        case WeldConstraint():
            return _weld_rows(kinematics, constraint)
        case DistanceConstraint():
            gap = kinematics.point(constraint.first.body, constraint.first.at) - kinematics.point(
                constraint.second.body, constraint.second.at
            )
            return {"force": (ca.sqrt(dot(gap, gap)) - constraint.distance, None)}
        case LineConstraint():
            return _line_rows(kinematics, constraint)
        case CouplerConstraint():
            coordinates = kinematics.tree.coordinates
            wanted = joint_functions.jet(constraint.function, coordinates, kinematics.tree.size)
            return {"torque": (coordinates[constraint.coordinate].value - wanted.value, None)}
        case SpeedConstraint():
            return {"torque": (SX(0), kinematics.tree.coordinates[constraint.coordinate].rate - constraint.speed)}
        case MotionConstraint():
            # The prescribed value is a function of time, which `demands_of` subtracts.
            return {"torque": (kinematics.tree.coordinates[constraint.coordinate].value, None)}
        case RollingConstraint():
            return _rolling_rows(kinematics, constraint)


@dataclass(frozen=True)
class Rolling:
    """An arc on its plane: centre, contact, the forward direction and the normal of the plane, in the ground."""

    centre: SX
    contact: SX
    forward: SX
    normal: SX
    turn: SX

    def force(self, normal_force: SX, tangential_force: SX) -> SX:
        """Return the force of the ground on the arc, at the contact."""
        return self.normal * normal_force + self.forward * tangential_force


def rolling_of(kinematics: Kinematics, constraint: RollingConstraint) -> Rolling:
    """Return where an arc touches its plane, and how far its body has turned."""
    normal, axis = vector(constraint.normal), vector(constraint.axis)
    centre = kinematics.point(constraint.body, constraint.at)
    # The foot of the perpendicular on the plane, not the arc's lowest point: drift then shows as a gap, not here.
    contact = centre - normal * (dot(normal, centre) - constraint.level)
    return Rolling(centre, contact, cross(normal, axis), normal, _turn_about(kinematics, constraint))


def _rolling_rows(kinematics: Kinematics, constraint: RollingConstraint) -> dict[str, tuple[SX, SX | None]]:
    arc = rolling_of(kinematics, constraint)
    height = dot(arc.normal, arc.centre) - constraint.level - constraint.radius
    travel = dot(arc.forward, arc.centre) + constraint.radius * arc.turn - constraint.anchor
    return {"normal_force": (height, None), "tangential_force": (travel, None)}


def _turn_about(kinematics: Kinematics, constraint: RollingConstraint) -> SX:
    """Return the turn (rad) of a body about the axis of its arc, summed over its joints.

    Unlike an angle read from the rotation matrix it counts full turns. It exists if all turns are about that axis:
    then the direction of every axis in the ground, as far as it lies along the arc's, is that of the zero pose.
    """
    tree, axis = kinematics.tree, vector(constraint.axis)
    chain = []
    number = tree.link_of_body[constraint.body]
    while number >= 0:
        chain.append(tree.links[number])
        number = tree.links[number].parent
    total, rest = SX(0), SX.eye(3)
    for link in reversed(chain):
        rest = rest @ link.offset.rotation
        moves = link.motion != "none" and not link.amount.is_constant()
        along = dot(axis, rest @ vector(link.axis)) if moves else SX(0)
        if moves and not _is(along, (-1.0, 1.0) if link.motion == "rotation" else (0.0,)):
            raise _not_in_plane(constraint, link.joint, link.motion)
        if moves and link.motion == "rotation":
            total = total + ca.sign(along) * link.amount
        elif link.motion == "rotation":
            rest = rest @ rotation(link.axis, link.amount)
    return total


def _is(value: SX, allowed: tuple[float, ...]) -> bool:
    return bool(value.is_constant()) and any(abs(float(value) - one) < _MET for one in allowed)


def _not_in_plane(constraint: RollingConstraint, joint: str, motion: str) -> ModelError:
    x, y, z = constraint.axis
    does, so = (
        ("turn about another axis than", "how far it has rolled does not follow from its pose")
        if motion == "rotation"
        else ("slide along", "it could slip sideways")
    )
    return ModelError(
        f"body '{constraint.body}' cannot roll on an arc: its joint '{joint}' lets it {does} ({x:g}, {y:g}, {z:g}), so "
        f"that {so}. Lock that coordinate, or use sphere contacts (SmoothSphereContact)"
    )


def _weld_rows(kinematics: Kinematics, weld: WeldConstraint) -> dict[str, tuple[SX, SX | None]]:
    first, second = (
        kinematics.body_pose(place.body) @ Transform.placed(place.at, place.orientation)
        for place in (weld.first, weld.second)
    )
    gap = first.position - second.position
    rows: dict[str, tuple[SX, SX | None]] = {f"force_{axis}": (gap[i], None) for i, axis in enumerate("xyz")}
    # Sine and cosine of the rotation from second to first, about its axis, from the products of corresponding axes.
    # The rows are twice the tangent of half the angle: the angle itself for small errors, and zero only for zero. The
    # sine alone would vanish at half a turn too.
    sine, trace = SX(3, 1), SX(0)
    for column in range(3):
        a, b = second.rotation[:, column], first.rotation[:, column]
        sine, trace = sine + cross(a, b) / 2, trace + dot(a, b)
    turn = 4 * sine / (1 + trace)
    rows |= {f"moment_{axis}": (turn[i], None) for i, axis in enumerate("xyz")}
    return rows


def _line_rows(kinematics: Kinematics, line: LineConstraint) -> dict[str, tuple[SX, SX | None]]:
    turn = kinematics.body_pose(line.body).rotation
    offset = kinematics.point(line.point.body, line.point.at) - kinematics.point(line.body, line.at)
    return {f"force_{k}": (dot(turn @ across, offset), None) for k, across in enumerate(_across(line), start=1)}


def _across(line: LineConstraint) -> tuple[SX, SX]:
    """Return two directions across the line, in the axes of its body, along which the point must not leave it."""
    along = vector(line.direction)
    smallest = min(range(3), key=lambda i: abs(line.direction[i]))
    across = cross(along, vector([1.0 if i == smallest else 0.0 for i in range(3)]))
    across = across / ca.sqrt(dot(across, across))
    return across, cross(along, across)


def constraint_wrenches(kinematics: Kinematics, demands: Demands, multipliers: SX) -> list[Wrench]:
    """Return the wrenches on all links of constraints that act between points; the rest act on coordinates."""
    tree = kinematics.tree
    wrenches = [Wrench.none() for _ in tree.links]
    sizes = {name: multipliers[number] for number, name in enumerate(demands.names)}

    def push(body: str, at: Triple, force: SX, moment: SX) -> None:
        if body != GROUND:
            number = tree.link_of_body[body]
            back = kinematics.poses[number].rotation.T
            local = back @ force
            arm = cross(kinematics.in_link(body, at), local)
            wrenches[number] = wrenches[number] + Wrench(arm + back @ moment, local)

    def part(name: str, kind: str) -> SX:
        return ca.vertcat(*(sizes.get(f"{name}.{kind}_{axis}", SX(0)) for axis in "xyz"))

    for name, constraint in tree.model.constraints.items():
        match constraint:
            case _ if not is_kept(constraint):
                continue
            case PointConstraint() | WeldConstraint():
                force, moment = part(name, "force"), part(name, "moment")
                push(constraint.first.body, constraint.first.at, force, moment)
                push(constraint.second.body, constraint.second.at, -force, -moment)
            case DistanceConstraint():
                ends = constraint.first, constraint.second
                gap = kinematics.point(ends[0].body, ends[0].at) - kinematics.point(ends[1].body, ends[1].at)
                force = gap / ca.sqrt(dot(gap, gap)) * sizes.get(f"{name}.force", SX(0))
                push(ends[0].body, ends[0].at, force, zero())
                push(ends[1].body, ends[1].at, -force, zero())
            case LineConstraint():
                first, second = _across(constraint)
                pose = kinematics.body_pose(constraint.body)
                local = first * sizes.get(f"{name}.force_1", SX(0)) + second * sizes.get(f"{name}.force_2", SX(0))
                force = pose.rotation @ local
                push(constraint.point.body, constraint.point.at, force, zero())
                touched = pose.inverse().point(kinematics.point(constraint.point.body, constraint.point.at))
                push(constraint.body, touched, -force, zero())
            case RollingConstraint():
                arc = rolling_of(kinematics, constraint)
                pose = kinematics.body_pose(constraint.body)
                parts = (sizes.get(f"{name}.{part}", SX(0)) for part in ("normal_force", "tangential_force"))
                push(constraint.body, pose.inverse().point(arc.contact), arc.force(*parts), zero())
    return wrenches
