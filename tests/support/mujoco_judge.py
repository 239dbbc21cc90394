"""The same tree in MuJoCo, where one body carries all axes of its joint."""

from __future__ import annotations

from xml.etree import ElementTree

import mujoco
import numpy as np

from myodyne.model import GROUND, Model
from support.frames import IDENTITY, Array, Frame, moved
from support.motions import Motion, motions_of, slopes_of


class Mujoco:
    """MuJoCo's smooth dynamics: no contacts, limits, friction, damping or armature.

    A MuJoCo body stands where the last axis of its joint has moved it; what is fixed after that (the child's
    placement) is folded into its inertia and into the places of its children. Its coordinates count from our
    defaults: MuJoCo inverts the mass matrix where all of its own are zero, which may be singular in ours.
    """

    def __init__(self, model: Model) -> None:
        slopes = slopes_of(model)
        self.coordinates = tuple(slopes)
        self.bodies = tuple(model.bodies)
        self._slopes = np.array(list(slopes.values()))
        self._home = np.array([model.coordinates[name].default for name in slopes])
        self._offsets: dict[str, Frame] = {GROUND: IDENTITY}
        self.model = mujoco.MjModel.from_xml_string(self._document(model))
        self.data = mujoco.MjData(self.model)
        self._selection = np.array([self.model.joint(name).dofadr[0] for name in self.coordinates], dtype=int)

    def _document(self, model: Model) -> str:
        root = ElementTree.Element("mujoco")
        ElementTree.SubElement(
            root, "compiler", angle="radian", inertiafromgeom="false", boundmass="0", boundinertia="0"
        )
        option = ElementTree.SubElement(root, "option", gravity=_text(model.gravity))
        ElementTree.SubElement(option, "flag", contact="disable", constraint="disable", limit="disable")
        elements = {GROUND: ElementTree.SubElement(root, "worldbody")}
        for name in model.tree:
            joint = model.joints[name]
            elements[joint.child.body] = self._add_body(model, name, elements[joint.parent.body])
        return ElementTree.tostring(root, encoding="unicode")

    def _add_body(self, model: Model, name: str, parent: ElementTree.Element) -> ElementTree.Element:
        joint, body = model.joints[name], model.bodies[model.joints[name].child.body]
        start, after = self._offsets[joint.parent.body], IDENTITY
        motions: list[tuple[Motion, Frame]] = []
        for step in motions_of(model, joint):
            if isinstance(step, Motion):
                home = step.slope * model.coordinates[step.coordinate].default
                fixed = moved(step.motion, step.direction, home)
            else:
                fixed = step
            if motions:
                after = after @ fixed
            else:
                start = start @ fixed
            if isinstance(step, Motion):
                motions.append((step, after))
        element = ElementTree.SubElement(
            parent, "body", name=joint.child.body, pos=_text(start.origin), quat=_text(_quaternion(start.turn))
        )
        for motion, shift in motions:
            # A fixed frame K between two motions is pulled behind the second, whose axis it carries along.
            ElementTree.SubElement(
                element,
                "joint",
                name=motion.coordinate,
                pos=_text(shift.origin),
                type="hinge" if motion.motion == "rotation" else "slide",
                axis=_text(shift.turn @ np.array(motion.direction)),
            )
        self._offsets[joint.child.body] = after
        if body.mass > 0:
            centre = after.origin + after.turn @ np.array(body.centre_of_mass)
            inertia = after.turn @ np.array(body.inertia.matrix) @ after.turn.T
            entries = [inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
            ElementTree.SubElement(
                element, "inertial", pos=_text(centre), mass=repr(body.mass), fullinertia=_text(entries)
            )
        return element

    def _put(self, q: Array, v: Array | None = None) -> None:
        self.data.qpos[self._selection] = self._slopes * (np.asarray(q) - self._home)
        self.data.qvel[self._selection] = 0.0 if v is None else self._slopes * np.asarray(v)

    def mass_matrix(self, q: Array) -> Array:
        self._put(q)
        mujoco.mj_forward(self.model, self.data)
        columns = np.empty((self.model.nv, self.model.nv))
        for unit, column in zip(np.eye(self.model.nv), columns, strict=True):
            # mj_mulM, since the arguments of mj_fullM changed between versions.
            mujoco.mj_mulM(self.model, self.data, column, unit)
        return np.outer(self._slopes, self._slopes) * columns[np.ix_(self._selection, self._selection)]

    def inverse_dynamics(self, q: Array, v: Array, vdot: Array) -> Array:
        self._put(q, v)
        self.data.qacc[self._selection] = self._slopes * np.asarray(vdot)
        mujoco.mj_inverse(self.model, self.data)
        return self._slopes * self.data.qfrc_inverse[self._selection]

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        self._put(q, v)
        self.data.qfrc_applied[self._selection] = np.asarray(tau) / self._slopes
        mujoco.mj_forward(self.model, self.data)
        return self.data.qacc[self._selection] / self._slopes

    def body_poses(self, q: Array) -> tuple[Array, Array]:
        self._put(q)
        mujoco.mj_kinematics(self.model, self.data)
        frames = []
        for name in self.bodies:
            body = self.data.body(name)
            frames.append(Frame(body.xmat.reshape(3, 3), body.xpos) @ self._offsets[name])
        return np.array([frame.turn for frame in frames]), np.array([frame.origin for frame in frames])


def _text(numbers: Array | tuple[float, ...] | list[float]) -> str:
    return " ".join(repr(float(number)) for number in numbers)


def _quaternion(turn: Array) -> Array:
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(turn).ravel())
    return quaternion
