"""The same tree in pinocchio: one joint for each axis, without mass in between."""

from __future__ import annotations

import numpy as np
import pinocchio

from myodyne.model import GROUND, Model
from support.frames import Array, Frame
from support.motions import Motion, motions_of, slopes_of


class Pinocchio:
    """Pinocchio's own algorithms (RNEA, CRBA, ABA) on a tree of single axes.

    Its coordinates are ``slope * q`` of ours; fixed frames hold the offsets.
    """

    def __init__(self, model: Model) -> None:
        slopes = slopes_of(model)
        self.coordinates = tuple(slopes)
        self.bodies = tuple(model.bodies)
        self.model = pinocchio.Model()
        self.model.gravity.linear = np.array(model.gravity)
        self._holders: dict[str, tuple[int, pinocchio.SE3]] = {GROUND: (0, pinocchio.SE3.Identity())}
        self._add_children(model, GROUND)
        self.data = self.model.createData()
        order = [self.model.joints[self.model.getJointId(name)].idx_v for name in self.coordinates]
        # Row i holds what their coordinate order[i] is in ours.
        self._selection = np.array(order, dtype=int)
        self._slopes = np.array(list(slopes.values()))

    def _add_children(self, model: Model, parent: str) -> None:
        """Add everything that hangs on a body, branch by branch: CRBA needs each branch in one piece."""
        for name, joint in model.joints.items():
            if joint.parent.body == parent:
                self._add_joint(model, name)
                self._add_children(model, joint.child.body)

    def _add_joint(self, model: Model, name: str) -> None:
        joint = model.joints[name]
        holder, place = self._holders[joint.parent.body]
        for step in motions_of(model, joint):
            if isinstance(step, Frame):
                place = place * pinocchio.SE3(step.turn, step.origin)
                continue
            holder = self.model.addJoint(holder, _single_axis(step), place, step.coordinate)
            place = pinocchio.SE3.Identity()
        body = model.bodies[joint.child.body]
        self._holders[joint.child.body] = (holder, place)
        inertia = pinocchio.Inertia(body.mass, np.array(body.centre_of_mass), np.array(body.inertia.matrix))
        self.model.appendBodyToJoint(holder, inertia, place)

    @property
    def holds_all_mass(self) -> bool:
        """Whether every body can move; pinocchio's sums leave out what is welded to the ground."""
        return all(self._holders[body][0] > 0 for body in self.bodies)

    def _theirs(self, ours: Array) -> Array:
        theirs = np.empty(len(self.coordinates))
        theirs[self._selection] = self._slopes * np.asarray(ours)
        return theirs

    def mass_matrix(self, q: Array) -> Array:
        upper = np.triu(pinocchio.crba(self.model, self.data, self._theirs(q)))
        whole = upper + np.triu(upper, 1).T
        return np.outer(self._slopes, self._slopes) * whole[np.ix_(self._selection, self._selection)]

    def inverse_dynamics(self, q: Array, v: Array, vdot: Array) -> Array:
        tau = pinocchio.rnea(self.model, self.data, self._theirs(q), self._theirs(v), self._theirs(vdot))
        return self._slopes * tau[self._selection]

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        forces = self._theirs(np.asarray(tau) / self._slopes**2)
        vdot = pinocchio.aba(self.model, self.data, self._theirs(q), self._theirs(v), forces)
        return vdot[self._selection] / self._slopes

    def body_poses(self, q: Array) -> tuple[Array, Array]:
        pinocchio.forwardKinematics(self.model, self.data, self._theirs(q))
        frames = [self.data.oMi[holder] * place for holder, place in map(self._holders.__getitem__, self.bodies)]
        return np.array([frame.rotation for frame in frames]), np.array([frame.translation for frame in frames])

    def centre_of_mass(self, q: Array) -> Array:
        return np.array(pinocchio.centerOfMass(self.model, self.data, self._theirs(q)))

    def momentum(self, q: Array, v: Array) -> tuple[Array, Array]:
        hg = pinocchio.computeCentroidalMomentum(self.model, self.data, self._theirs(q), self._theirs(v))
        return np.array(hg.linear), np.array(hg.angular)

    def energy(self, q: Array, v: Array) -> tuple[float, float]:
        kinetic = pinocchio.computeKineticEnergy(self.model, self.data, self._theirs(q), self._theirs(v))
        return kinetic, pinocchio.computePotentialEnergy(self.model, self.data, self._theirs(q))


def _single_axis(step: Motion) -> pinocchio.JointModel:
    direction = np.array(step.direction)
    if step.motion == "rotation":
        return pinocchio.JointModelRevoluteUnaligned(direction)
    return pinocchio.JointModelPrismaticUnaligned(direction)
