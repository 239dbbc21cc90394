"""Closed-form derivatives of inverse dynamics.

Automatic differentiation of the recursion works, but the code grows with the square of the bodies below and
above each joint. The closed forms of Singh, Russell and Wensing (IEEE RA-L 2022, equations 24-31) need one
composite inertia and one composite Coriolis matrix per link and a few scalar products per pair of links.
They hold for single axes; the chain rule carries them to axes that are functions of the coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from myodyne.physics.kinematics import kinematics_of
from myodyne.physics.recursive import Wrench, along, transmitted
from myodyne.physics.single import is_single, single_of
from myodyne.physics.spatial import SX, RigidInertia, blank, cross, dot, skew, unit, vector, zero
from myodyne.physics.tree import Tree


@dataclass(frozen=True)
class _Twist:
    """A spatial motion about the ground's origin, in the ground's axes."""

    angular: SX
    linear: SX

    def __add__(self, other: _Twist) -> _Twist:
        return _Twist(self.angular + other.angular, self.linear + other.linear)

    def crossed(self, other: _Twist) -> _Twist:
        """Return self × other for motions."""
        return _Twist(
            cross(self.angular, other.angular),
            cross(self.angular, other.linear) + cross(self.linear, other.angular),
        )

    def on(self, wrench: Wrench) -> Wrench:
        """Return self ×* wrench."""
        return Wrench(
            cross(self.angular, wrench.moment) + cross(self.linear, wrench.force), cross(self.angular, wrench.force)
        )

    def times(self, factor: SX) -> _Twist:
        return _Twist(self.angular * factor, self.linear * factor)

    def twice(self) -> _Twist:
        return _Twist(2 * self.angular, 2 * self.linear)

    def dot(self, wrench: Wrench) -> SX:
        return dot(self.angular, wrench.moment) + dot(self.linear, wrench.force)


@dataclass(frozen=True)
class _Composite:
    """Inertia and Coriolis matrix of a link and all its descendants, about the ground's origin.

    The inertia is [[J, [h]], [-[h], m]]. Twice the Coriolis matrix, (v ×*) I − I (v ×) + (I v) ×̄*, works out as
    [[A, 0], [-2 [l], 0]] with A = [ω](2 J − tr J) − 2 u hᵀ + 2 (u·h) 1, u the velocity at the origin and l the
    linear momentum: only the angular part of a motion counts.
    """

    mass: SX
    moment: SX
    inertia: SX
    coriolis: SX
    momentum: SX

    @staticmethod
    def none() -> _Composite:
        nothing = blank()
        return _Composite(SX(0), zero(), nothing, nothing, zero())

    @staticmethod
    def of(body: RigidInertia, velocity: _Twist) -> _Composite:
        w, u, h, J = velocity.angular, velocity.linear, body.first_moment, body.inertia
        eye = unit()
        coriolis = skew(w) @ (2 * J - ca.trace(J) * eye) + 2 * (dot(u, h) * eye - u @ h.T)
        return _Composite(body.mass, h, J, coriolis, body.mass * u + cross(w, h))

    def __add__(self, other: _Composite) -> _Composite:
        return _Composite(
            self.mass + other.mass,
            self.moment + other.moment,
            self.inertia + other.inertia,
            self.coriolis + other.coriolis,
            self.momentum + other.momentum,
        )

    def times(self, motion: _Twist) -> Wrench:
        """Return the inertia times a motion."""
        return Wrench(
            self.inertia @ motion.angular + cross(self.moment, motion.linear),
            self.mass * motion.linear - cross(self.moment, motion.angular),
        )

    def twice_coriolis(self, motion: _Twist) -> Wrench:
        return Wrench(self.coriolis @ motion.angular, -2 * cross(self.momentum, motion.angular))

    def twice_coriolis_transposed(self, motion: _Twist) -> Wrench:
        return Wrench(self.coriolis.T @ motion.angular + 2 * cross(self.momentum, motion.linear), zero())


def inverse_dynamics_jacobians(tree: Tree, vdot: SX, gravity: SX) -> tuple[SX, SX, SX]:
    """Return the derivatives of the generalised forces of inertia, Coriolis and gravity by q, v and vdot."""
    if is_single(tree):
        return single_of(tree, gravity).jacobians(tree.q, tree.v, vdot)
    by_value, by_rate, mass = _single_axes(tree, vdot, gravity)
    G = ca.vertcat(*(link.gradient for link in tree.links))
    rate_by_q = ca.vertcat(*(ca.jacobian(link.gradient @ tree.v, tree.q) for link in tree.links))
    second = [link.gradient @ vdot + link.velocity_term for link in tree.links]
    second_by_q = ca.vertcat(*(ca.jacobian(value, tree.q) for value in second))
    second_by_v = ca.vertcat(*(ca.jacobian(link.velocity_term, tree.v) for link in tree.links))
    by_q = G.T @ (by_value @ G + by_rate @ rate_by_q + mass @ second_by_q)
    by_v = G.T @ (by_rate @ G + mass @ second_by_v)
    if any(not link.gradient.is_constant() for link in tree.links):
        wrenches = transmitted(tree, vdot, None, gravity)
        for link, wrench in zip(tree.links, wrenches, strict=True):
            by_q = by_q + ca.jacobian(link.gradient.T, tree.q) * along(link, wrench)
    return by_q, by_v, G.T @ mass @ G


def _single_axes(tree: Tree, vdot: SX, gravity: SX) -> tuple[SX, SX, SX]:
    """Return the derivatives of the force of each axis by value, rate and acceleration of each axis."""
    moving = _moving_axes(tree, vdot, gravity)
    composites, forces = [axis.body for axis in moving], [axis.force for axis in moving]
    size = len(tree.links)
    by_value, by_rate, mass = SX(size, size), SX(size, size), SX(size, size)
    for i in reversed(range(size)):
        body, force, link, own = composites[i], forces[i], tree.links[i], moving[i]
        if link.gradient.nnz():
            weighed = body.times(own.screw)
            swept = body.twice_coriolis_transposed(own.screw)
            on_value = body.twice_coriolis(own.first) + body.times(own.second) + own.screw.on(force)
            on_rate = body.twice_coriolis(own.screw) + body.times(own.first.twice())
            j = i
            while j >= 0:
                if tree.links[j].gradient.nnz():
                    other = moving[j]
                    by_value[i, j] = dot(other.first.angular, swept.moment) + other.second.dot(weighed)
                    by_rate[i, j] = dot(other.screw.angular, swept.moment) + 2 * other.first.dot(weighed)
                    mass[i, j] = other.screw.dot(weighed)
                    if j != i:
                        by_value[j, i] = other.screw.dot(on_value)
                        by_rate[j, i] = other.screw.dot(on_rate)
                        mass[j, i] = mass[i, j]
                j = tree.links[j].parent
        if link.parent >= 0:
            composites[link.parent] = composites[link.parent] + body
            forces[link.parent] = forces[link.parent] + force
    return by_value, by_rate, mass


@dataclass(frozen=True)
class _MovingAxis:
    """The axis of a link as a screw about the ground's origin, its motion, and the inertia and force of its link.

    ``first`` and ``second`` are the Ψ̇ and Ψ̈ of the literature: how the screw moves with its parent. For a
    single axis the rate of the screw itself is Ψ̇ too, because a screw is invariant under motion along itself.
    """

    screw: _Twist
    first: _Twist
    second: _Twist
    velocity: _Twist
    acceleration: _Twist
    body: _Composite
    force: Wrench


def _moving_axes(tree: Tree, vdot: SX, gravity: SX) -> list[_MovingAxis]:
    """Return all axes, with velocities and accelerations built up from the ground."""
    found: list[_MovingAxis] = []
    for link, pose in zip(tree.links, kinematics_of(tree).poses, strict=True):
        if link.parent >= 0:
            before, pull = found[link.parent].velocity, found[link.parent].acceleration
        else:
            before, pull = _Twist(zero(), zero()), _Twist(zero(), -gravity)
        axis = pose.rotation @ vector(link.axis)
        screw = _Twist(zero(), axis)
        if link.motion == "rotation":
            screw = _Twist(axis, cross(pose.position, axis))
        first = before.crossed(screw)
        second = pull.crossed(screw) + before.crossed(first)
        rate = link.gradient @ tree.v
        velocity = before + screw.times(rate)
        gain = link.gradient @ vdot + link.velocity_term
        acceleration = pull + screw.times(gain) + first.times(rate)
        body, force = _Composite.none(), Wrench.none()
        if link.body is not None:
            body = _Composite.of(link.inertia.moved(pose), velocity)
            force = body.times(acceleration) + velocity.on(body.times(velocity))
        found.append(_MovingAxis(screw, first, second, velocity, acceleration, body, force))
    return found
