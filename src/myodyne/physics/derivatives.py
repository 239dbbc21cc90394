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
from myodyne.physics.recursive import Wrench, accelerations, along, transmitted, velocities
from myodyne.physics.spatial import SX, RigidInertia, Transform, cross, dot, skew, vector, zero
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

    def dot(self, wrench: Wrench) -> SX:
        return dot(self.angular, wrench.moment) + dot(self.linear, wrench.force)


@dataclass(frozen=True)
class _Composite:
    """Inertia and Coriolis matrix of all that hangs on a link, about the ground's origin.

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
        blank = SX(ca.DM.zeros(3, 3).full())
        return _Composite(SX(0), zero(), blank, blank, zero())

    @staticmethod
    def of(body: RigidInertia, velocity: _Twist) -> _Composite:
        w, u, h, J = velocity.angular, velocity.linear, body.first_moment, body.inertia
        eye = SX(ca.DM.eye(3).full())
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


def _in_ground(pose: Transform, angular: SX, linear: SX) -> _Twist:
    """Return a motion of a frame, given at its origin in its axes, about the ground's origin in its axes."""
    turned = pose.rotation @ angular
    return _Twist(turned, pose.rotation @ linear - cross(turned, pose.position))


def inverse_dynamics_jacobians(tree: Tree, vdot: SX, gravity: SX) -> tuple[SX, SX, SX]:
    """Return the derivatives of the generalised forces of inertia, Coriolis and gravity by q, v and vdot."""
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
    poses = kinematics_of(tree).poses
    speeds = velocities(tree)
    motions = accelerations(tree, vdot, -gravity)
    axes: list[_Twist] = []
    first: list[_Twist] = []  # Ψ̇: how an axis turns with its parent
    second: list[_Twist] = []  # Ψ̈
    turning: list[_Twist] = []  # Ψ̇ + Ṡ
    composites: list[_Composite] = []
    forces: list[Wrench] = []
    rested = _Twist(zero(), zero())
    spatial_velocity, spatial_acceleration = [], []
    for link, pose, speed, motion in zip(tree.links, poses, speeds, motions, strict=True):
        axis = vector(link.axis) if link.motion != "none" else zero()
        screw = _in_ground(pose, axis, zero()) if link.motion == "rotation" else _in_ground(pose, zero(), axis)
        velocity = _in_ground(pose, speed.angular, speed.linear)
        # The spatial acceleration of a frame is that of the body's point passing the ground's origin.
        felt = motion[2] - cross(speed.angular, speed.linear)
        acceleration = _in_ground(pose, motion[1], felt)
        before = spatial_velocity[link.parent] if link.parent >= 0 else rested
        pull = spatial_acceleration[link.parent] if link.parent >= 0 else _Twist(zero(), -gravity)
        axes.append(screw)
        first.append(before.crossed(screw))
        second.append(pull.crossed(screw) + before.crossed(first[-1]))
        turning.append(first[-1] + velocity.crossed(screw))
        spatial_velocity.append(velocity)
        spatial_acceleration.append(acceleration)
        if link.body is None:
            composites.append(_Composite.none())
            forces.append(Wrench.none())
            continue
        body = _Composite.of(link.inertia.moved(pose), velocity)
        composites.append(body)
        forces.append(body.times(acceleration) + velocity.on(body.times(velocity)))
    size = len(tree.links)
    by_value, by_rate, mass = SX(size, size), SX(size, size), SX(size, size)
    for i in reversed(range(size)):
        body, force, link = composites[i], forces[i], tree.links[i]
        if link.gradient.nnz():
            screw = axes[i]
            weighed = body.times(screw)
            swept = body.twice_coriolis_transposed(screw)
            on_value = body.twice_coriolis(first[i]) + body.times(second[i]) + screw.on(force)
            on_rate = body.twice_coriolis(screw) + body.times(turning[i])
            j = i
            while j >= 0:
                if tree.links[j].gradient.nnz():
                    by_value[i, j] = first[j].dot(swept) + second[j].dot(weighed)
                    by_rate[i, j] = axes[j].dot(swept) + turning[j].dot(weighed)
                    mass[i, j] = axes[j].dot(weighed)
                    if j != i:
                        by_value[j, i] = axes[j].dot(on_value)
                        by_rate[j, i] = axes[j].dot(on_rate)
                        mass[j, i] = mass[i, j]
                j = tree.links[j].parent
        if link.parent >= 0:
            composites[link.parent] = composites[link.parent] + body
            forces[link.parent] = forces[link.parent] + force
    return by_value, by_rate, mass
