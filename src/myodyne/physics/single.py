"""Dynamics of a mechanism that one coordinate moves: inertia and its slope, summed over the bodies.

At unit speed the velocities of all bodies are their derivatives by the coordinate, and their accelerations the second
derivatives. So M(q) v̇ + ½ M′(q) v² + gravity comes from one sweep in the axes of the ground, without recursions back
to the root. Bodies that rotate about a point of the ground cost next to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca

from myodyne.physics.ground_motion import ground_motion
from myodyne.physics.spatial import SX, cross, dot
from myodyne.physics.tree import Tree


@dataclass(frozen=True)
class Single:
    """Dynamics of one coordinate: inertia M, half its slope, and the force against gravity."""

    inertia: SX
    half_slope: SX
    weight: SX

    def force(self, speed: SX, acceleration: SX) -> SX:
        """Return the generalised force that a motion requires."""
        return self.inertia * acceleration + self.half_slope * speed**2 + self.weight

    def jacobians(self, q: SX, speed: SX, acceleration: SX) -> tuple[SX, SX, SX]:
        """Return the derivatives of that force by coordinate, speed and acceleration."""
        further = ca.jacobian(self.half_slope * speed**2 + self.weight, q)
        return 2 * self.half_slope * acceleration + further, 2 * self.half_slope * speed, self.inertia


def is_single(tree: Tree) -> bool:
    """Return whether one coordinate moves several axes, for which this is cheaper than recursions."""
    return tree.size == 1 and sum(link.gradient.nnz() > 0 for link in tree.links) > 1


def single_of(tree: Tree, gravity: SX) -> Single:
    """Return the dynamics of the one coordinate of a tree."""
    inertia, half_slope, weight = SX(0), SX(0), SX(0)
    for link, motion in zip(tree.links, ground_motion(at_unit_speed(tree)), strict=True):
        if link.body is None:
            continue
        body, back = link.inertia, motion.pose.rotation.T
        moment = motion.pose.rotation @ body.first_moment
        swung = cross(motion.spin, moment)
        spin, spin_rate = back @ motion.spin, back @ motion.spin_rate
        push = body.mass * motion.velocity
        turn = body.inertia @ spin
        inertia = inertia + dot(motion.velocity, push + 2 * swung) + dot(spin, turn)
        curved = cross(motion.spin_rate, moment) + cross(motion.spin, swung)
        half_slope = half_slope + dot(motion.acceleration, push + swung) + dot(motion.velocity, curved)
        half_slope = half_slope + dot(spin_rate, turn)
        weight = weight - dot(gravity, push + swung)
    return Single(inertia, half_slope, weight)


def at_unit_speed(tree: Tree) -> Tree:
    """Return a tree of one coordinate at unit speed: terms quadratic in the speed follow by scaling."""
    one = SX(1)
    links = tuple(replace(link, velocity_term=ca.substitute(link.velocity_term, tree.v, one)) for link in tree.links)
    return replace(tree, v=one, links=links)
