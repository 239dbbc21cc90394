"""Forward dynamics: articulated bodies where each coordinate moves one axis, else the mass matrix.

Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 7.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from myodyne.physics.recursive import (
    SpatialMotion,
    Wrench,
    along,
    inverse_dynamics,
    solve_mass,
    velocities,
    with_inertia,
)
from myodyne.physics.spatial import SX, Transform, cross, dot, skew, symmetric, unit, vector, zero
from myodyne.physics.tree import Link, Tree


def forward_dynamics(tree: Tree, tau: SX, applied: list[Wrench] | None, gravity: SX) -> SX:
    """Return the accelerations under generalised forces, applied wrenches and gravity."""
    if is_simple(tree):
        return _by_articulated_bodies(tree, tau, applied, gravity)
    bias = inverse_dynamics(tree, SX(ca.DM.zeros(tree.size)), applied, gravity)
    return solve_mass(tree, tau - bias)


def is_simple(tree: Tree) -> bool:
    """Return whether each coordinate moves one axis and each axis depends on at most one coordinate."""
    moved: set[int] = set()
    for link in tree.links:
        coordinates = link.gradient.sparsity().get_col()
        if len(coordinates) > 1 or moved.intersection(coordinates):
            return False
        moved.update(coordinates)
    return True


@dataclass(frozen=True)
class _ArticulatedBody:
    """Articulated inertia [[rotational, coupling], [couplingᵀ, translational]] and bias wrench of a link."""

    rotational: SX
    coupling: SX
    translational: SX
    bias: Wrench

    def __add__(self, other: _ArticulatedBody) -> _ArticulatedBody:
        return _ArticulatedBody(
            self.rotational + other.rotational,
            self.coupling + other.coupling,
            self.translational + other.translational,
            self.bias + other.bias,
        )

    def times(self, motion: SpatialMotion) -> Wrench:
        """Return the inertia times an acceleration."""
        return Wrench(
            self.rotational @ motion.angular + self.coupling @ motion.linear,
            self.coupling.T @ motion.angular + self.translational @ motion.linear,
        )

    def freed(self, hinge: _Hinge) -> _ArticulatedBody:
        """Return the articulated inertia seen through a hinge."""
        moment, force, over = hinge.felt.moment, hinge.felt.force, hinge.over
        push = over * hinge.rest
        return _ArticulatedBody(
            symmetric(self.rotational - (moment * over) @ moment.T),
            self.coupling - (moment * over) @ force.T,
            symmetric(self.translational - (force * over) @ force.T),
            self.bias + Wrench(moment * push, force * push),
        )

    def moved(self, frame: Transform) -> _ArticulatedBody:
        turn, back, shift = frame.rotation, frame.rotation.T, skew(frame.position)
        mass = symmetric(turn @ self.translational @ back)
        coupling = turn @ self.coupling @ back
        moved_coupling = coupling + shift @ mass
        rotational = turn @ self.rotational @ back - moved_coupling @ shift + shift @ coupling.T
        return _ArticulatedBody(symmetric(rotational), moved_coupling, mass, self.bias.moved(frame))


@dataclass(frozen=True)
class _Hinge:
    """The one coordinate that moves a link: its column, the wrench of a unit acceleration, the remaining force."""

    column: int
    slope: SX
    felt: Wrench
    over: SX
    rest: SX

    @staticmethod
    def of(tree: Tree, link: Link, body: _ArticulatedBody, tau: SX) -> _Hinge | None:
        columns = link.gradient.sparsity().get_col()
        if not columns:
            return None
        slope = link.gradient[0, columns[0]]
        felt = body.times(_along_axis(link, slope))
        rest = tau[columns[0]] - slope * along(link, body.bias)
        inertia = with_inertia(tree, columns[0], slope * along(link, felt))
        return _Hinge(columns[0], slope, felt, 1 / inertia, rest)


def _along_axis(link: Link, amount: SX) -> SpatialMotion:
    """Return the motion of a link about or along its axis."""
    motion = vector(link.axis) * amount
    return SpatialMotion(motion, zero()) if link.motion == "rotation" else SpatialMotion(zero(), motion)


def _by_articulated_bodies(tree: Tree, tau: SX, applied: list[Wrench] | None, gravity: SX) -> SX:
    """Return the accelerations in three passes: outwards for speeds, inwards for inertias, outwards again."""
    speeds = velocities(tree)
    turned = [_velocity_product(tree, link, speed) for link, speed in zip(tree.links, speeds, strict=True)]
    bodies = [_single_body(link, speed) for link, speed in zip(tree.links, speeds, strict=True)]
    if applied is not None:
        bodies = [
            _ArticulatedBody(
                body.rotational,
                body.coupling,
                body.translational,
                Wrench(body.bias.moment - wrench.moment, body.bias.force - wrench.force),
            )
            for body, wrench in zip(bodies, applied, strict=True)
        ]
    hinges: dict[int, _Hinge] = {}
    for number in reversed(range(len(tree.links))):
        link, body = tree.links[number], bodies[number]
        hinge = _Hinge.of(tree, link, body, tau)
        if hinge is not None:
            hinges[number] = hinge
            body = body.freed(hinge)
        if link.parent >= 0:
            bias = body.bias + body.times(turned[number])
            carried = _ArticulatedBody(body.rotational, body.coupling, body.translational, bias).moved(
                tree.steps[number]
            )
            bodies[link.parent] = bodies[link.parent] + carried
    return _outwards(tree, turned, hinges, gravity)


def _velocity_product(tree: Tree, link: Link, speed: SpatialMotion) -> SpatialMotion:
    """Return the velocity-product acceleration of a link relative to its parent (equation 7.37)."""
    axis, rate = vector(link.axis), link.gradient @ tree.v
    curve = axis * link.velocity_term
    if link.motion == "rotation":
        return SpatialMotion(cross(speed.angular, axis * rate) + curve, cross(speed.linear, axis * rate))
    if link.motion == "translation":
        return SpatialMotion(zero(), cross(speed.angular, axis * rate) + curve)
    return SpatialMotion(zero(), zero())


def _single_body(link: Link, speed: SpatialMotion) -> _ArticulatedBody:
    """Return the inertia of a link alone, and its bias wrench due to velocity."""
    inertia = link.inertia
    moment, momentum = inertia.momentum(speed.angular, speed.linear)
    bias = Wrench(cross(speed.angular, moment) + cross(speed.linear, momentum), cross(speed.angular, momentum))
    return _ArticulatedBody(inertia.inertia, skew(inertia.first_moment), inertia.mass * unit(), bias)


def _outwards(tree: Tree, turned: list[SpatialMotion], hinges: dict[int, _Hinge], gravity: SX) -> SX:
    """Return the accelerations of the coordinates, from the ground to the leaves."""
    vdot = [SX(0)] * tree.size
    found: list[SpatialMotion] = []
    for number, (link, step) in enumerate(zip(tree.links, tree.steps, strict=True)):
        before = found[link.parent] if link.parent >= 0 else SpatialMotion(zero(), -gravity)
        back = step.rotation.T
        angular = back @ before.angular + turned[number].angular
        linear = back @ (before.linear + cross(before.angular, step.position)) + turned[number].linear
        if number in hinges:
            hinge = hinges[number]
            carried = dot(hinge.felt.moment, angular) + dot(hinge.felt.force, linear)
            vdot[hinge.column] = hinge.over * (hinge.rest - carried)
            own = _along_axis(link, hinge.slope * vdot[hinge.column])
            angular, linear = angular + own.angular, linear + own.linear
        found.append(SpatialMotion(angular, linear))
    return ca.vertcat(*vdot)
