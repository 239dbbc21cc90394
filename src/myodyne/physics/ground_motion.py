"""Motion of all links in the axes of the ground, without the accelerations of the coordinates."""

from __future__ import annotations

from dataclasses import dataclass

from myodyne.physics.spatial import SX, Transform, cross, vector, zero
from myodyne.physics.tree import Tree


@dataclass(frozen=True)
class GroundMotion:
    """Pose, velocity and velocity-product acceleration of a link: that without accelerations of the coordinates.

    All in the axes of the ground; ``velocity`` and ``acceleration`` are those of the link's origin.
    """

    pose: Transform
    spin: SX
    velocity: SX
    spin_rate: SX
    acceleration: SX

    @staticmethod
    def ground() -> GroundMotion:
        return GroundMotion(Transform.identity(), zero(), zero(), zero(), zero())

    def arm(self, local: SX) -> SX:
        """Return the vector from the origin to a point of the link."""
        return self.pose.rotation @ local

    def velocity_at(self, arm: SX) -> SX:
        return self.velocity + cross(self.spin, arm)

    def acceleration_at(self, arm: SX) -> SX:
        return self.acceleration + cross(self.spin_rate, arm) + cross(self.spin, cross(self.spin, arm))


def ground_motion(tree: Tree) -> list[GroundMotion]:
    """Return the motion of every link, from the ground outwards."""
    found: list[GroundMotion] = []
    for link, step in zip(tree.links, tree.steps, strict=True):
        before = found[link.parent] if link.parent >= 0 else GroundMotion.ground()
        arm = before.arm(step.position)
        pose = Transform(before.pose.rotation @ step.rotation, before.pose.position + arm)
        spin, spin_rate = before.spin, before.spin_rate
        velocity, acceleration = before.velocity_at(arm), before.acceleration_at(arm)
        rate = link.gradient @ tree.v
        axis = pose.rotation @ vector(link.axis)
        if link.motion == "rotation":
            spin_rate = spin_rate + axis * link.velocity_term + cross(spin, axis * rate)
            spin = spin + axis * rate
        elif link.motion == "translation":
            velocity = velocity + axis * rate
            acceleration = acceleration + axis * link.velocity_term + 2 * cross(spin, axis * rate)
        found.append(GroundMotion(pose, spin, velocity, spin_rate, acceleration))
    return found
