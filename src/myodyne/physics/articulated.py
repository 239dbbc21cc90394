"""Forward dynamics: articulated bodies where each coordinate moves one axis, else the mass matrix.

Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 7.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from myodyne.model.part import Vector
from myodyne.physics.recursive import (
    SpatialMotion,
    Wrench,
    along,
    constrained_response,
    inverse_dynamics,
    solve_mass,
    velocities,
    with_inertia,
)
from myodyne.physics.spatial import SX, Transform, cross, dot, skew, symmetric, unit, vector, zero
from myodyne.physics.tree import Link, Tree


@dataclass(frozen=True)
class Loads:
    """What drives a tree: generalised forces, wrenches on its links, gravity."""

    torques: SX
    wrenches: list[Wrench] | None
    gravity: SX


def forward_dynamics(tree: Tree, tau: SX, applied: list[Wrench] | None, gravity: SX) -> SX:
    """Return the accelerations under generalised forces, applied wrenches and gravity."""
    if is_simple(tree):
        return _Articulated.of(tree).accelerations(Loads(tau, applied, gravity))
    bias = inverse_dynamics(tree, SX(ca.DM.zeros(tree.size)), applied, gravity)
    return solve_mass(tree, tau - bias)


def constrained_dynamics(tree: Tree, loads: Loads, jacobian: SX, demanded: SX, rounds: int = 0) -> tuple[SX, SX]:
    """Return accelerations and multipliers: ``M a - Gᵀ λ = forces`` and ``G a = demanded``.

    In a pose where rows repeat others, the multipliers of the others carry all. ``rounds`` of refinement bring back the
    digits that rows which nearly repeat others cost.
    """
    if can_lock(tree):
        # Near a gimbal lock the pivots of the mass matrix lose twice the digits that these recursions lose.
        bodies = _Articulated.of(tree)
        free = bodies.accelerations(loads)
        response = ca.horzcat(*(bodies.response(jacobian[row, :].T) for row in range(jacobian.size1())))
    else:
        bias = inverse_dynamics(tree, SX(ca.DM.zeros(tree.size)), loads.wrenches, loads.gravity)
        solved = solve_mass(tree, ca.horzcat(loads.torques - bias, jacobian.T))
        free, response = solved[:, 0], solved[:, 1:]
    return constrained_response(jacobian, free, response, demanded, rounds)


def can_lock(tree: Tree) -> bool:
    """Return whether a joint turns about three axes that are not all parallel, so that two of them can meet."""
    turns: dict[str, list[Vector]] = {}
    for link in tree.links:
        if link.motion == "rotation" and link.gradient.nnz():
            turns.setdefault(link.joint, []).append(link.axis)
    return is_simple(tree) and any(len(axes) > 2 and len(set(axes)) > 1 for axes in turns.values())


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
class _ArticulatedInertia:
    """Articulated inertia [[rotational, coupling], [couplingᵀ, translational]] of a link."""

    rotational: SX
    coupling: SX
    translational: SX

    def __add__(self, other: _ArticulatedInertia) -> _ArticulatedInertia:
        return _ArticulatedInertia(
            self.rotational + other.rotational,
            self.coupling + other.coupling,
            self.translational + other.translational,
        )

    def times(self, motion: SpatialMotion) -> Wrench:
        """Return the inertia times an acceleration."""
        return Wrench(
            self.rotational @ motion.angular + self.coupling @ motion.linear,
            self.coupling.T @ motion.angular + self.translational @ motion.linear,
        )

    def freed(self, hinge: _Hinge) -> _ArticulatedInertia:
        """Return the articulated inertia seen through a hinge."""
        moment, force, over = hinge.felt.moment, hinge.felt.force, hinge.over
        return _ArticulatedInertia(
            symmetric(self.rotational - (moment * over) @ moment.T),
            self.coupling - (moment * over) @ force.T,
            symmetric(self.translational - (force * over) @ force.T),
        )

    def moved(self, frame: Transform) -> _ArticulatedInertia:
        turn, back, shift = frame.rotation, frame.rotation.T, skew(frame.position)
        mass = symmetric(turn @ self.translational @ back)
        coupling = turn @ self.coupling @ back
        moved_coupling = coupling + shift @ mass
        rotational = turn @ self.rotational @ back - moved_coupling @ shift + shift @ coupling.T
        return _ArticulatedInertia(symmetric(rotational), moved_coupling, mass)


@dataclass(frozen=True)
class _Hinge:
    """The one coordinate that moves a link: its column, and the wrench of a unit acceleration."""

    column: int
    slope: SX
    felt: Wrench
    over: SX

    @staticmethod
    def of(tree: Tree, link: Link, body: _ArticulatedInertia) -> _Hinge | None:
        columns = link.gradient.sparsity().get_col()
        if not columns:
            return None
        slope = link.gradient[0, columns[0]]
        felt = body.times(_along_axis(link, slope))
        inertia = with_inertia(tree, columns[0], slope * along(link, felt))
        return _Hinge(columns[0], slope, felt, 1 / inertia)


def _along_axis(link: Link, amount: SX) -> SpatialMotion:
    """Return the motion of a link about or along its axis."""
    motion = vector(link.axis) * amount
    return SpatialMotion(motion, zero()) if link.motion == "rotation" else SpatialMotion(zero(), motion)


@dataclass(frozen=True)
class _Articulated:
    """The hinges of a tree, and the inertias seen through them: what all forces in a pose have in common."""

    tree: Tree
    hinges: Mapping[int, _Hinge]
    freed: Mapping[int, _ArticulatedInertia]

    @staticmethod
    def of(tree: Tree) -> _Articulated:
        bodies = [_single_body(link) for link in tree.links]
        hinges: dict[int, _Hinge] = {}
        freed: dict[int, _ArticulatedInertia] = {}
        for number in reversed(range(len(tree.links))):
            link, body = tree.links[number], bodies[number]
            hinge = _Hinge.of(tree, link, body)
            if hinge is not None:
                hinges[number] = hinge
                body = body.freed(hinge)
            freed[number] = body
            if link.parent >= 0:
                bodies[link.parent] = bodies[link.parent] + body.moved(tree.steps[number])
        return _Articulated(tree, hinges, freed)

    def accelerations(self, loads: Loads) -> SX:
        """Return the accelerations in three passes: outwards for speeds, inwards for forces, outwards again."""
        tree = self.tree
        speeds = velocities(tree)
        turned = [_velocity_product(tree, link, speed) for link, speed in zip(tree.links, speeds, strict=True)]
        biases = [_bias(link, speed) for link, speed in zip(tree.links, speeds, strict=True)]
        if loads.wrenches is not None:
            biases = [
                Wrench(bias.moment - wrench.moment, bias.force - wrench.force)
                for bias, wrench in zip(biases, loads.wrenches, strict=True)
            ]
        return self._outwards(turned, self._inwards(loads.torques, biases, turned), loads.gravity)

    def response(self, torques: SX) -> SX:
        """Return the accelerations that generalised forces alone cause, at rest and without gravity."""
        still = [SpatialMotion(zero(), zero()) for _ in self.tree.links]
        biases = [Wrench.none() for _ in self.tree.links]
        return self._outwards(still, self._inwards(torques, biases, None), zero())

    def _inwards(self, tau: SX, biases: list[Wrench], turned: list[SpatialMotion] | None) -> dict[int, SX]:
        """Return the force left at each hinge, from the leaves to the ground."""
        rest: dict[int, SX] = {}
        for number in reversed(range(len(self.tree.links))):
            link, bias = self.tree.links[number], biases[number]
            if number in self.hinges:
                hinge = self.hinges[number]
                rest[number] = tau[hinge.column] - hinge.slope * along(link, bias)
                push = hinge.over * rest[number]
                bias = bias + Wrench(hinge.felt.moment * push, hinge.felt.force * push)
            if link.parent >= 0:
                if turned is not None:
                    bias = bias + self.freed[number].times(turned[number])
                biases[link.parent] = biases[link.parent] + bias.moved(self.tree.steps[number])
        return rest

    def _outwards(self, turned: list[SpatialMotion], rest: dict[int, SX], gravity: SX) -> SX:
        """Return the accelerations of the coordinates, from the ground to the leaves."""
        vdot = [SX(0)] * self.tree.size
        found: list[SpatialMotion] = []
        for number, (link, step) in enumerate(zip(self.tree.links, self.tree.steps, strict=True)):
            before = found[link.parent] if link.parent >= 0 else SpatialMotion(zero(), -gravity)
            back = step.rotation.T
            angular = back @ before.angular + turned[number].angular
            linear = back @ (before.linear + cross(before.angular, step.position)) + turned[number].linear
            if number in self.hinges:
                hinge = self.hinges[number]
                carried = dot(hinge.felt.moment, angular) + dot(hinge.felt.force, linear)
                vdot[hinge.column] = hinge.over * (rest[number] - carried)
                own = _along_axis(link, hinge.slope * vdot[hinge.column])
                angular, linear = angular + own.angular, linear + own.linear
            found.append(SpatialMotion(angular, linear))
        return ca.vertcat(*vdot)


def _velocity_product(tree: Tree, link: Link, speed: SpatialMotion) -> SpatialMotion:
    """Return the velocity-product acceleration of a link relative to its parent (equation 7.37)."""
    axis, rate = vector(link.axis), link.gradient @ tree.v
    curve = axis * link.velocity_term
    if link.motion == "rotation":
        return SpatialMotion(cross(speed.angular, axis * rate) + curve, cross(speed.linear, axis * rate))
    if link.motion == "translation":
        return SpatialMotion(zero(), cross(speed.angular, axis * rate) + curve)
    return SpatialMotion(zero(), zero())


def _single_body(link: Link) -> _ArticulatedInertia:
    """Return the inertia of a link alone."""
    inertia = link.inertia
    return _ArticulatedInertia(inertia.inertia, skew(inertia.first_moment), inertia.mass * unit())


def _bias(link: Link, speed: SpatialMotion) -> Wrench:
    """Return the bias wrench of a link alone due to velocity."""
    moment, momentum = link.inertia.momentum(speed.angular, speed.linear)
    return Wrench(cross(speed.angular, moment) + cross(speed.linear, momentum), cross(speed.angular, momentum))
