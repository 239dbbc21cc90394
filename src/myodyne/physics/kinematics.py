"""Positions and velocities of bodies and points; mass, momentum and energy of the whole."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from myodyne.model import GROUND
from myodyne.physics.recursive import SpatialMotion, velocities
from myodyne.physics.spatial import SX, Transform, Triple, cross, dot, vector, zero
from myodyne.physics.tree import Tree


@dataclass(frozen=True)
class Kinematics:
    """Poses of all links in the ground and their velocities in their own axes."""

    tree: Tree
    poses: tuple[Transform, ...]
    velocities: tuple[SpatialMotion, ...]

    def body_pose(self, body: str) -> Transform:
        """Return the pose of the frame of a body in the ground."""
        if body == GROUND:
            return Transform.identity()
        number = self.tree.link_of_body[body]
        return self.poses[number] @ self.tree.links[number].body_frame

    def in_link(self, body: str, at: Triple) -> SX:
        """Return a point of a body in the frame of the link that carries it."""
        point = vector(at)
        return point if body == GROUND else self.tree.links[self.tree.link_of_body[body]].body_frame.point(point)

    def point(self, body: str, at: Triple) -> SX:
        """Return the position of a point of a body in the ground."""
        local = self.in_link(body, at)
        return local if body == GROUND else self.poses[self.tree.link_of_body[body]].point(local)

    def point_velocity(self, body: str, at: Triple) -> SX:
        """Return the velocity of a point of a body in the axes of the ground."""
        if body == GROUND:
            return zero()
        number = self.tree.link_of_body[body]
        motion = self.velocities[number]
        return self.poses[number].rotation @ (motion.linear + cross(motion.angular, self.in_link(body, at)))

    def angular_velocity(self, body: str) -> SX:
        """Return the angular velocity of a body in the axes of the ground."""
        if body == GROUND:
            return zero()
        number = self.tree.link_of_body[body]
        return self.poses[number].rotation @ self.velocities[number].angular


def kinematics_of(tree: Tree) -> Kinematics:
    """Return poses and velocities of all links."""
    poses: list[Transform] = []
    for link, step in zip(tree.links, tree.steps, strict=True):
        poses.append(poses[link.parent] @ step if link.parent >= 0 else step)
    return Kinematics(tree, tuple(poses), tuple(velocities(tree)))


def total_mass(tree: Tree) -> SX:
    """Return the mass of all bodies."""
    total = SX(0)
    for link in tree.links:
        total = total + link.inertia.mass
    return total


def centre_of_mass(kinematics: Kinematics) -> SX:
    """Return the centre of mass of all bodies in the ground."""
    moment = zero()
    for link, pose in zip(kinematics.tree.links, kinematics.poses, strict=True):
        if link.body is not None:
            moment = moment + pose.rotation @ link.inertia.first_moment + link.inertia.mass * pose.position
    return moment / total_mass(kinematics.tree)


def momentum(kinematics: Kinematics) -> tuple[SX, SX]:
    """Return linear momentum, and angular momentum about the centre of mass, in the axes of the ground."""
    linear, about_ground = zero(), zero()
    for link, pose, motion in zip(kinematics.tree.links, kinematics.poses, kinematics.velocities, strict=True):
        if link.body is not None:
            spin, push = link.inertia.momentum(motion.angular, motion.linear)
            push = pose.rotation @ push
            linear = linear + push
            about_ground = about_ground + pose.rotation @ spin + cross(pose.position, push)
    return linear, about_ground - cross(centre_of_mass(kinematics), linear)


def kinetic_energy(kinematics: Kinematics) -> SX:
    """Return the kinetic energy of all bodies."""
    energy = SX(0)
    for link, motion in zip(kinematics.tree.links, kinematics.velocities, strict=True):
        if link.body is not None:
            spin, push = link.inertia.momentum(motion.angular, motion.linear)
            energy = energy + (dot(spin, motion.angular) + dot(push, motion.linear)) / 2
    return energy


def gravitational_energy(kinematics: Kinematics) -> SX:
    """Return the potential energy in the model's gravity, zero with the centre of mass at the ground's origin."""
    gravity = vector(kinematics.tree.model.gravity)
    energy = SX(0)
    for link, pose in zip(kinematics.tree.links, kinematics.poses, strict=True):
        if link.body is not None:
            moment = pose.rotation @ link.inertia.first_moment + link.inertia.mass * pose.position
            energy = energy - dot(gravity, moment)
    return energy


def column(values: list[SX]) -> SX:
    """Return a dense column of scalar expressions, empty if there are none."""
    return ca.densify(ca.vertcat(*values)) if values else SX(0, 1)
