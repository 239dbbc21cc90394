"""Displacements, velocities, energies and the work of forces from the lists (Winter 2009, sections 8.2 to 8.5).

The code works for scalars of any algebra: with symbols of SymPy the results are formulas, with jets they are numbers
that carry their derivatives. The plane is space with zeros.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Generic

from myodyne.errors import ModelError, SolveError
from myodyne.formulations.lagrange.algebra import vectors
from myodyne.formulations.lagrange.algebra.rates import Dual, Scalar, is_zero
from myodyne.formulations.lagrange.lists.description import Description
from myodyne.formulations.lagrange.lists.expressions import Algebra, Expression, evaluate
from myodyne.formulations.lagrange.lists.records import (
    GROUND,
    Coincidence,
    CoordinateForce,
    CoordinateSpring,
    Direction,
    Force,
    LinearSpring,
    Nonholonomic,
    Segment,
    Torque,
    TorsionalSpring,
)
from myodyne.formulations.lagrange.turns import Turn, merged

_XYZ = "xyz"


@dataclass(frozen=True)
class Working(Generic[Scalar]):
    """A force and its conjugate speed: it adds ``force * ∂speed/∂q̇`` to the equation of each coordinate."""

    name: str
    force: Scalar
    speed: Scalar


class Mechanics(Generic[Scalar]):
    """The mechanics of a description in one algebra.

    ``scope`` holds value and rate of coordinates, speeds, parameters, inputs and the time ``t`` by name.
    """

    description: Description
    algebra: Algebra[Scalar]
    scope: Mapping[str, Dual[Scalar]]
    _zero: Scalar

    def __init__(self, description: Description, algebra: Algebra[Scalar], scope: Mapping[str, Dual[Scalar]]) -> None:
        self.description = description
        self.algebra = algebra
        self.scope = scope
        self._zero = algebra.number(0)
        self._turns: dict[str, tuple[Turn[Scalar], ...]] = {GROUND: ()}
        self._rotations: dict[tuple[Turn[Scalar], ...], list[list[Scalar]]] = {
            (): [[algebra.number(int(i == j)) for j in range(3)] for i in range(3)]
        }
        self._spins: dict[tuple[Turn[Scalar], ...], list[Scalar]] = {(): [self._zero] * 3}
        self._places: dict[str, tuple[list[Scalar], list[Scalar]]] = {}
        for name in description.frame_order:
            frame = description.frames[name]
            turns = [Turn(axis, self._dual(angle)) for axis, angle in zip(frame.axes, frame.angles, strict=True)]
            self._turns[name] = merged(self._turns[frame.relative_to] + tuple(turns))
            # Origins are computed in this order, so that long chains need no deep recursion.
            self._place(frame.origin)

    # Kinematics

    def turns(self, frame: str) -> tuple[Turn[Scalar], ...]:
        """Return the rotations from the ground to a frame, successive ones about the same axis added up."""
        return self._turns[frame]

    def rotation(self, frame: str) -> list[list[Scalar]]:
        """Return the matrix [φ] from the axes of a frame to those of the ground (8.16, 8.19 corrected)."""
        return self._rotation(self._turns[frame])

    def angular_velocity(self, frame: str) -> list[Scalar]:
        """Return the angular velocity of a frame in its own axes (8.20 corrected)."""
        turns = self._turns[frame]
        known = self._longest(turns, self._spins)
        spin = self._spins[turns[:known]]
        for count in range(known, len(turns)):
            turn = turns[count]
            back = vectors.transposed(self._matrix(turn))
            spin = vectors.plus(vectors.times(back, spin), vectors.scaled(self._axis(turn), turn.angle.rate))
            self._spins[turns[: count + 1]] = spin
        return spin

    def spin_in_ground(self, frame: str) -> list[Scalar]:
        """Return the angular velocity of a frame in the axes of the ground."""
        return vectors.times(self.rotation(frame), self.angular_velocity(frame))

    def displacement(self, point: str) -> list[Scalar]:
        """Return ``R = R_origin + [φ] r`` of a point (8.16)."""
        return self._place(point)[0]

    def velocity(self, point: str) -> list[Scalar]:
        """Return ``V = V_origin + [φ] (v + ω × r)`` of a point in the axes of the ground (8.17)."""
        return self._place(point)[1]

    def relative_turns(self, start: str, end: str) -> tuple[Turn[Scalar], ...]:
        """Return the rotations from one frame to another."""
        first, last = self._turns[start], self._turns[end]
        shared = 0
        while shared < min(len(first), len(last)) and first[shared] is last[shared]:
            shared += 1
        back = [Turn(turn.axis, -turn.angle) for turn in reversed(first[shared:])]
        return merged(tuple(back) + last[shared:])

    def relative_turn(self, start: str, end: str) -> tuple[Direction, Dual[Scalar]] | None:
        """Return axis and angle of one frame relative to another, None if they have no common axis.

        In the plane the axis is z.
        """
        turns = self.relative_turns(start, end)
        if len(turns) > 1:
            return None
        if not turns:
            return (0.0, 0.0, 1.0), Dual(self._zero, self._zero)
        axis, angle = turns[0].axis, turns[0].angle
        return ((0.0, 0.0, 1.0), -angle) if self.description.dimension == 2 and axis[2] < 0 else (axis, angle)

    # Energy

    @cached_property
    def kinetic_energy(self) -> Scalar:
        """The kinetic energy of all segments (8.23)."""
        return self._sum(self._kinetic(segment) for segment in self.description.segments.values())

    @cached_property
    def potential_energy(self) -> Scalar:
        """The potential energy of all segments (8.25) and springs (8.27)."""
        gravity = self._vector(self.description.gravity or ())
        heights = (
            -self._value(segment.mass) * vectors.dot(gravity, self.displacement(segment.centre))
            for segment in self.description.segments.values()
        )
        return self._sum(heights) + self._sum(stored for stored, *_ in self._springs)

    @cached_property
    def dissipation(self) -> Scalar:
        """Rayleigh's dissipation function of all dampers of the first power (8.30); others are among `working`."""
        return self._sum(lost for _, lost, _ in self._springs)

    # Forces

    @cached_property
    def working(self) -> tuple[Working[Scalar], ...]:
        """All applied forces and torques, each with its conjugate speed (8.6, 8.22, 8.34)."""
        found: list[Working[Scalar]] = []
        for name, force in self.description.forces.items():
            match force:
                case CoordinateForce():
                    found.append(Working(name, self._value(force.force), self.scope[force.coordinate].rate))
                case Force(along_line=True, reaction_at=str() as other):
                    length = self._length(other, force.at)
                    found.append(Working(name, self._value(force.components[0]), length.rate))
                case Force():
                    found.extend(self._pairs(name, self._force(force), self._speed(force)))
        for name, torque in self.description.torques.items():
            spin = vectors.minus(self.spin_in_ground(torque.on), self.spin_in_ground(torque.reaction_on))
            found.extend(self._pairs(name, self._torque(torque), spin))
        return (*found, *(damper for *_, damper in self._springs if damper is not None))

    @cached_property
    def work(self) -> Scalar:
        """The work ``W`` of constant forces and torques (8.34); its derivative by q_i is Q_i."""
        parts = []
        for name, force in self.description.forces.items():
            match force:
                case CoordinateForce():
                    parts.append(self._value(force.force) * self.scope[force.coordinate].value)
                case Force(along_line=True, reaction_at=str() as other):
                    parts.append(self._value(force.components[0]) * self._length(other, force.at).value)
                case Force(axes="ground"):
                    path = self.displacement(force.at)
                    if force.reaction_at is not None:
                        path = vectors.minus(path, self.displacement(force.reaction_at))
                    parts.append(vectors.dot(self._force(force), path))
                case _:
                    raise ModelError(f"force '{name}' rotates with frame '{force.axes}': its work depends on the path")
        for name, torque in self.description.torques.items():
            if self.description.dimension == 3:
                raise ModelError(f"torque '{name}' acts in space: its work depends on the path; use Q instead of W")
            turned = self.relative_turn(torque.reaction_on, torque.on)
            if turned is not None:
                parts.append(self._value(torque.components[0]) * turned[1].value)
        return self._sum(parts)

    # Constraints

    @cached_property
    def constraints(self) -> dict[str, Dual[Scalar]]:
        """Every equation of constraint, value and rate, by the name of its multiplier."""
        rows: dict[str, Dual[Scalar]] = {}
        for name, constraint in self.description.constraints.items():
            if isinstance(constraint, Nonholonomic):
                # No equation of the pose: only its rate is constrained.
                rows[name] = Dual(self._zero, self._value(constraint.expression))
            elif isinstance(constraint, Coincidence):
                for axis in _XYZ[: self.description.dimension]:
                    rows[f"{name}_{axis}"] = self._component(constraint.point, axis) - self._component(
                        constraint.against, axis
                    )
            else:
                rows[name] = evaluate(constraint.expression, self.scope, self.algebra, self._component)
        return rows

    # Private

    def _dual(self, expression: Expression) -> Dual[Scalar]:
        return evaluate(expression, self.scope, self.algebra)

    def _value(self, expression: Expression) -> Scalar:
        return self._dual(expression).value

    def _vector(self, parts: Iterable[Expression]) -> list[Scalar]:
        values = [self._value(part) for part in parts]
        return values + [self._zero] * (3 - len(values))

    def _sum(self, parts: Iterable[Scalar]) -> Scalar:
        return sum(parts, self._zero)

    def _exact(self, number: float) -> Scalar:
        return self.algebra.number(number)

    def _axis(self, turn: Turn[Scalar]) -> list[Scalar]:
        return [self._exact(part) for part in turn.axis]

    def _matrix(self, turn: Turn[Scalar]) -> list[list[Scalar]]:
        functions = self.algebra.functions
        angle = turn.angle.value
        return vectors.turned(self._axis(turn), functions["cos"](angle), functions["sin"](angle))

    def _rotation(self, turns: tuple[Turn[Scalar], ...]) -> list[list[Scalar]]:
        known = self._longest(turns, self._rotations)
        matrix = self._rotations[turns[:known]]
        for count in range(known, len(turns)):
            matrix = vectors.product(matrix, self._matrix(turns[count]))
            self._rotations[turns[: count + 1]] = matrix
        return matrix

    @staticmethod
    def _longest(turns: tuple[Turn[Scalar], ...], known: Collection[tuple[Turn[Scalar], ...]]) -> int:
        """Return how many of the leading rotations are cached."""
        count = len(turns)
        while turns[:count] not in known:
            count -= 1
        return count

    def _place(self, name: str) -> tuple[list[Scalar], list[Scalar]]:
        if name in self._places:
            return self._places[name]
        point = self.description.points[name]
        parts = [self._dual(part) for part in point.at]
        parts += [Dual(self._zero, self._zero)] * (3 - len(parts))
        local, moving = [part.value for part in parts], [part.rate for part in parts]
        if point.frame == GROUND:
            found = local, moving
        else:
            start, speed = self._place(self.description.frames[point.frame].origin)
            rotation = self.rotation(point.frame)
            drift = vectors.plus(moving, vectors.cross(self.angular_velocity(point.frame), local))
            found = (
                vectors.plus(start, vectors.times(rotation, local)),
                vectors.plus(speed, vectors.times(rotation, drift)),
            )
        self._places[name] = found
        return found

    def _component(self, point: str, axis: str) -> Dual[Scalar]:
        number = _XYZ.index(axis)
        if number >= self.description.dimension:
            raise ModelError(f"'{point}.{axis}': a planar point has no such component")
        return Dual(self.displacement(point)[number], self.velocity(point)[number])

    def _kinetic(self, segment: Segment) -> Scalar:
        mass: Scalar = self._value(segment.mass)
        half: Scalar = self.algebra.number(1) / 2
        if segment.inertia is None:
            return self._translational(mass, self.velocity(segment.centre))
        centre = self.description.points[segment.centre]
        spin = self.angular_velocity(centre.frame)
        turning: Scalar = half * vectors.dot(spin, vectors.times(self._inertia(segment), spin))
        if segment.about == "centre":
            return self._translational(mass, self.velocity(segment.centre)) + turning
        # Equation 8.23 about the origin of the frame; both factors of its second term in local axes (erratum).
        velocity = self.velocity(self.description.frames[centre.frame].origin)
        local = vectors.times(vectors.transposed(self.rotation(centre.frame)), velocity)
        arm = self._vector(centre.at)
        coupling: Scalar = mass * vectors.dot(local, vectors.cross(spin, arm))
        return self._translational(mass, velocity) + coupling + turning

    def _translational(self, mass: Scalar, velocity: list[Scalar]) -> Scalar:
        square: Scalar = vectors.dot(velocity, velocity)
        return self.algebra.number(1) / 2 * mass * square

    def _inertia(self, segment: Segment) -> list[list[Scalar]]:
        """Return the matrix of 8.24; in the plane only the last entry matters."""
        entries = [self._value(part) for part in segment.inertia_entries]
        if len(entries) == 1:
            entries = [self._zero, self._zero, entries[0]]
        xx, yy, zz, xy, xz, yz = entries + [self._zero] * (6 - len(entries))
        return [[xx, -xy, -xz], [-xy, yy, -yz], [-xz, -yz, zz]]

    @cached_property
    def _springs(self) -> list[tuple[Scalar, Scalar, Working[Scalar] | None]]:
        """Energy and dissipation of every spring, and the force of a damper of another power than the first."""
        half = self.algebra.number(1) / 2
        found: list[tuple[Scalar, Scalar, Working[Scalar] | None]] = []
        for name, spring in self.description.springs.items():
            stiffness, damping = self._value(spring.stiffness), self._value(spring.damping)
            match spring:
                case LinearSpring():
                    square, rate = self._stretch(spring, damped=not is_zero(damping))
                case TorsionalSpring():
                    twist = self._twist(name, spring) - self._dual(spring.free_angle)
                    square, rate = twist.value**2, twist.rate
                case CoordinateSpring():
                    away = self.scope[spring.coordinate] - self._dual(spring.rest)
                    square, rate = away.value**2, away.rate
            if spring.power == 1 or is_zero(damping):
                found.append((half * stiffness * square, half * damping * rate**2, None))
                continue
            drag = -damping * self.algebra.signed_power(rate, spring.power)
            found.append((half * stiffness * square, self._zero, Working(name, drag, rate)))
        return found

    def _stretch(self, spring: LinearSpring, damped: bool) -> tuple[Scalar, Scalar]:
        """Return the square of the elongation and its rate."""
        free = self._value(spring.free_length)
        if is_zero(free):
            # No square root: the length may be zero, where the gradient of the root is infinite.
            span = vectors.minus(self.displacement(spring.end), self.displacement(spring.start))
            return vectors.dot(span, span), self._length(spring.start, spring.end).rate if damped else self._zero
        length = self._length(spring.start, spring.end)
        return (length.value - free) ** 2, length.rate

    def _twist(self, name: str, spring: TorsionalSpring) -> Dual[Scalar]:
        turned = self.relative_turn(spring.start, spring.end)
        if turned is None:
            raise ModelError(
                f"spring '{name}': the frames '{spring.start}' and '{spring.end}' rotate relative to each other about "
                "more than one axis, so there is no single angle; use a CoordinateSpring on each angle"
            )
        return turned[1]

    def _length(self, start: str, end: str) -> Dual[Scalar]:
        """Return the distance between two points and its rate."""
        span = vectors.minus(self.displacement(end), self.displacement(start))
        speed = vectors.minus(self.velocity(end), self.velocity(start))
        try:
            length = self.algebra.functions["sqrt"](vectors.dot(span, span))
            rate = vectors.dot(span, speed)
            return Dual(length, rate if is_zero(rate) else rate / length)
        except ZeroDivisionError:
            raise SolveError(f"points '{start}' and '{end}' coincide: the line between them has no direction") from None

    def _force(self, force: Force) -> list[Scalar]:
        parts = self._vector(force.components)
        return parts if force.axes == GROUND else vectors.times(self.rotation(force.axes), parts)

    def _speed(self, force: Force) -> list[Scalar]:
        speed = self.velocity(force.at)
        return speed if force.reaction_at is None else vectors.minus(speed, self.velocity(force.reaction_at))

    def _torque(self, torque: Torque) -> list[Scalar]:
        if len(torque.components) == 1:
            return [self._zero, self._zero, self._value(torque.components[0])]
        parts = self._vector(torque.components)
        return vectors.times(self.rotation(torque.axes or torque.on), parts)

    @staticmethod
    def _pairs(name: str, forces: list[Scalar], speeds: list[Scalar]) -> list[Working[Scalar]]:
        pairs = zip(forces, speeds, strict=True)
        return [Working(name, force, speed) for force, speed in pairs if not (is_zero(force) or is_zero(speed))]
