"""A tree as a sequence of frames, each moved relative to its parent by one joint variable.

A joint with several axes becomes several massless frames, as Ehsani proposes (section 1-3). The transformation from
a frame to its parent is a constant placement, then the motion ``exp(Â f)`` by the joint variable ``f``: a rotation
about, or a translation along, a direction through the frame's own origin. So the derivative of the transformation
by its variable is the transformation times the constant joint matrix ``Â``, for rotations and translations alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from myodyne.formulations.matrix_calculus.calculus import Array
from myodyne.model import GROUND, Constant, Function, Model, Placement

AxisMotion: TypeAlias = Literal["rotation", "translation", "none"]


def skew(v: ArrayLike) -> Array:
    """Return the matrix ``ṽ`` of ``v ×``."""
    x, y, z = np.asarray(v)
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def rodrigues(direction: ArrayLike, angle: complex) -> Array:
    """Return the rotation by an angle (rad) about a unit vector (equation 39): ``I + ṽ sin θ + 2 ṽ² sin²(θ/2)``.

    Examples
    --------
    >>> rodrigues([0, 0, 1], np.pi / 2).round(12)
    array([[ 0., -1.,  0.],
           [ 1.,  0.,  0.],
           [ 0.,  0.,  1.]])
    """
    cross = skew(direction)
    result: Array = np.eye(3) + cross * np.sin(angle) + 2.0 * (cross @ cross) * np.sin(angle / 2.0) ** 2
    return result


def homogeneous(turn: ArrayLike, shift: ArrayLike) -> Array:
    """Return the 4 x 4 transformation (equation 38) of a rotation matrix and an origin."""
    turn, shift = np.asarray(turn), np.asarray(shift)
    result = np.zeros((4, 4), dtype=np.result_type(turn, shift, float))
    result[:3, :3], result[:3, 3], result[3, 3] = turn, shift, 1.0
    return result


def inverted(transform: Array) -> Array:
    """Return the inverse transformation by the transpose, which keeps complex steps exact."""
    back = transform[:3, :3].T
    return homogeneous(back, -back @ transform[:3, 3])


def revolute_joint_matrix(direction: ArrayLike) -> Array:
    """Return ``Â`` of a rotation about a direction (equation 70, printed with a superfluous transposition)."""
    result = np.zeros((4, 4))
    result[:3, :3] = skew(direction)
    return result


def prismatic_joint_matrix(turn: ArrayLike, direction: ArrayLike) -> Array:
    """Return ``Â`` of a translation along a direction of the parent, before a constant rotation of the child.

    The direction is needed in the axes of the child, ``Aᵀ V``; equation 71 prints ``A V``, which is the same only
    without rotation.
    """
    result = np.zeros((4, 4))
    result[:3, 3] = np.asarray(turn).T @ np.asarray(direction)
    return result


@dataclass(frozen=True, eq=False)
class Frame:
    """A frame, moved relative to its parent by one joint variable.

    Parameters
    ----------
    parent : number of the parent's frame, -1 for the ground.
    placement : (4, 4) pose in the parent while the joint variable is zero.
    motion : a rotation about, or a translation along, ``direction``, a unit vector in the frame's own axes.
    """

    parent: int
    placement: Array
    motion: AxisMotion = "none"
    direction: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def joint_matrix(self) -> Array:
        """``Â``: the transformation times it is the transformation's derivative by the joint variable."""
        if self.motion == "rotation":
            return revolute_joint_matrix(self.direction)
        if self.motion == "translation":
            return prismatic_joint_matrix(np.eye(3), self.direction)
        return np.zeros((4, 4))

    def transform(self, variable: complex) -> Array:
        """Return the transformation (4, 4) to the parent for a value of the joint variable."""
        if self.motion == "rotation":
            moved: Array = self.placement @ homogeneous(rodrigues(self.direction, variable), np.zeros(3))
        elif self.motion == "translation":
            moved = self.placement @ homogeneous(np.eye(3), variable * np.array(self.direction))
        else:
            moved = self.placement
        return moved


@dataclass(frozen=True, eq=False)
class Skeleton:
    """The frames of a model, parents first; the function that moves each; and the frames of the bodies."""

    frames: tuple[Frame, ...]
    functions: tuple[Function, ...]
    frame_of_body: dict[str, int]


def skeleton_of(model: Model) -> Skeleton:
    """Return a model as frames: one for each axis of a joint, and one, fixed to the last axis, for its body."""
    frames: list[Frame] = []
    functions: list[Function] = []
    frame_of_body = {GROUND: -1}
    still = Constant()
    for name in model.tree:
        joint = model.joints[name]
        parent, placement = frame_of_body[joint.parent.body], placed(joint.parent)
        for axis in joint.axes:
            frames.append(Frame(parent, placement, axis.motion, axis.direction))
            functions.append(axis.function)
            parent, placement = len(frames) - 1, np.eye(4)
        frames.append(Frame(parent, placement @ inverted(placed(joint.child))))
        functions.append(still)
        frame_of_body[joint.child.body] = len(frames) - 1
    return Skeleton(tuple(frames), tuple(functions), frame_of_body)


def placed(placement: Placement) -> Array:
    """Return a placement as a transformation: rotations about body-fixed x, y and z."""
    turn: Array = np.eye(3)
    for axis, angle in zip(np.eye(3), placement.orientation, strict=True):
        turn = turn @ rodrigues(axis, angle)
    return homogeneous(turn, placement.at)
