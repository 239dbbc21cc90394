"""Energy of each segment along a motion, and the power that each joint carries into the two segments beside it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from myodyne.analyse.coordinate_motion import CoordinateMotion, numbers_of
from myodyne.equations import Equations
from myodyne.model import GROUND
from myodyne.types import Floats


@dataclass(frozen=True, eq=False)
class BodyMotion:
    """Rotations (rows, bodies, 3, 3), origins (rows, bodies, 3), and velocities of origins and spins in the ground."""

    turns: Floats
    places: Floats
    velocities: Floats
    spins: Floats

    def velocity_at(self, body: int, point: Floats) -> Floats:
        """Return the velocity (m/s) of the point of a body that is at a place of the ground, row by row."""
        found: Floats = self.velocities[:, body] + np.cross(self.spins[:, body], point - self.places[:, body])
        return found


def body_motion(tree: Equations, movement: CoordinateMotion) -> BodyMotion:
    """Return how all bodies move.

    The power of a unit force or moment on a body is its velocity or spin along it, and generalised forces times speeds
    are power: so the kernel that turns wrenches into generalised forces gives velocities as well.
    """
    rows, bodies = len(movement.time), len(tree.bodies)
    turns, places = tree.body_poses(movement.q)
    kernel, own = tree.kernel("external_forces"), numbers_of(tree)
    found = np.empty((rows, bodies * 6))
    for part in range(bodies * 6):
        wrenches = np.zeros((rows, bodies * 6))
        wrenches[:, part] = 1.0
        found[:, part] = np.einsum("tq,tq->t", kernel.first(movement.q, wrenches, own), movement.v)
    twists = found.reshape(rows, bodies, 6)
    return BodyMotion(turns, places, twists[:, :, :3], twists[:, :, 3:])


def segment_energies(tree: Equations, moved: BodyMotion) -> tuple[Floats, Floats]:
    """Return kinetic and potential energy (J) of each body, a row for each time; potential at the ground's origin 0."""
    shape = moved.velocities.shape[:2]
    kinetic, potential = np.zeros(shape), np.zeros(shape)
    gravity = np.array(tree.model.gravity)
    for number, name in enumerate(tree.bodies):
        body = tree.model.bodies[name]
        turn = moved.turns[:, number]
        arm = turn @ np.array(body.centre_of_mass)
        velocity = moved.velocities[:, number] + np.cross(moved.spins[:, number], arm)
        spin = np.einsum("tji,tj->ti", turn, moved.spins[:, number])
        turning = np.einsum("ti,ij,tj->t", spin, np.array(body.inertia.matrix), spin)
        kinetic[:, number] = 0.5 * (body.mass * np.sum(velocity**2, axis=1) + turning)
        potential[:, number] = -body.mass * (moved.places[:, number] + arm) @ gravity
    return kinetic, potential


def joint_exchange(
    tree: Equations, movement: CoordinateMotion, moved: BodyMotion, wrenches: Floats
) -> dict[str, Floats]:
    """Return the power (W) that each joint brings into its child and into its parent: two columns by joint.

    Force and moment of the joint act on the child, their opposites on the parent. What comes out on one side and does
    not go in on the other is the power of the joint's own moments.
    """
    kernel = tree.kernel("joint_loads")
    idle = np.zeros(len(tree.controls))
    loads = kernel.first(movement.q, movement.v, movement.vdot, wrenches, idle, numbers_of(tree))
    vectors = loads.reshape(len(loads), -1, 2, 3)
    found: dict[str, Floats] = {}
    for number, name in enumerate(kernel.signature.notes["joints"]):
        joint = tree.model.joints[name]
        child = tree.bodies.index(joint.child.body)
        centre = moved.places[:, child] + moved.turns[:, child] @ np.array(joint.child.at)
        flows = np.zeros((2, len(loads)))
        for side, body in enumerate((joint.child.body, joint.parent.body)):
            if body == GROUND:
                continue
            place = tree.bodies.index(body)
            flows[side] = np.sum(vectors[:, number, 0] * moved.velocity_at(place, centre), axis=1)
            flows[side] += np.sum(vectors[:, number, 1] * moved.spins[:, place], axis=1)
        found[f"{name}.power_to_child"], found[f"{name}.power_to_parent"] = flows[0], -flows[1]
    return found


def external_powers(tree: Equations, moved: BodyMotion, wrenches: Floats) -> Floats:
    """Return the power (W) of the external forces on each body."""
    parts = wrenches.reshape(len(wrenches), len(tree.bodies), 6)
    found: Floats = np.sum(parts[:, :, :3] * moved.velocities + parts[:, :, 3:] * moved.spins, axis=2)
    return found
