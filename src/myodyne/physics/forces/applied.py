"""The sum of forces: wrenches on links, torques on coordinates, and size, power and energy of each force."""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca

from myodyne.model import GROUND
from myodyne.physics.kinematics import Kinematics
from myodyne.physics.paths import Paths
from myodyne.physics.recursive import Wrench
from myodyne.physics.spatial import SX, Triple, cross, zero


@dataclass
class Effect:
    """Outputs of one force: its size (N or N m), its power (W), the energy it stores (J).

    ``vectors`` are the force (N) or the torque (N m) by name, in the axes of the ground, where the size alone is not
    enough.
    """

    size: SX
    power: SX
    stored: SX = field(default_factory=lambda: SX(0))
    conservative_power: SX = field(default_factory=lambda: SX(0))
    vectors: dict[str, SX] = field(default_factory=dict)


@dataclass
class Applied:
    """All forces together: wrenches by link, torques by coordinate, and the effect of each by name.

    ``external`` are the wrenches from outside the body; net joint moments balance the rest.
    ``pulled`` are those of forces along point paths: the torques contain them already, but joint loads follow from
    wrenches alone.
    """

    kinematics: Kinematics
    wrenches: list[Wrench]
    external: list[Wrench]
    torques: SX
    effects: dict[str, Effect]
    pulled: list[Wrench] = field(default_factory=list)

    @staticmethod
    def nothing(kinematics: Kinematics) -> Applied:
        none = [Wrench.none() for _ in kinematics.tree.links]
        return Applied(kinematics, list(none), list(none), SX(ca.DM.zeros(kinematics.tree.size)), {})

    def push(self, body: str, at: Triple, force: SX, external: bool = False) -> None:
        """Add a force in the axes of the ground at a point of a body."""
        if body == GROUND:
            return
        number = self.kinematics.tree.link_of_body[body]
        local = self.kinematics.poses[number].rotation.T @ force
        moment = cross(self.kinematics.in_link(body, at), local)
        self._add(number, Wrench(moment, local), external)

    def twist(self, body: str, torque: SX, external: bool = False) -> None:
        """Add a torque in the axes of the ground on a body."""
        if body == GROUND:
            return
        number = self.kinematics.tree.link_of_body[body]
        self._add(number, Wrench(self.kinematics.poses[number].rotation.T @ torque, zero()), external)

    def on_coordinate(self, name: str, torque: SX) -> Effect:
        """Add a torque on a coordinate; on a coupled one it acts on those that move it, on a locked one on nothing."""
        coordinate = self.kinematics.tree.coordinates[name]
        self.torques = self.torques + ca.densify(coordinate.gradient.T * torque)
        return Effect(torque, torque * coordinate.rate)

    def along(self, paths: Paths, row: int, tension: SX) -> Effect:
        """Add the pull of a tension along a path."""
        self.torques = self.torques - ca.densify(paths.gradient[row, :].T * tension)
        return Effect(tension, -tension * paths.speeds[row])

    def _add(self, number: int, wrench: Wrench, external: bool) -> None:
        self.wrenches[number] = self.wrenches[number] + wrench
        if external:
            self.external[number] = self.external[number] + wrench


def seen_from(kinematics: Kinematics, body: str, place: SX) -> SX:
    """Return a place in the ground as a point of a body, in its axes."""
    pose = kinematics.body_pose(body)
    return pose.rotation.T @ (place - pose.position)
