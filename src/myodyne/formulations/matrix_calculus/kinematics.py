"""Transformations of all frames in one pose, and their first and second derivatives by the coordinates.

``B_i`` is the transposed transformation (4 x 4) of frame i to the ground, ``D_i = ∂B_i/∂q`` (4 n x 4) and
``D'_i = ∂²B_i/∂q²`` (4 n² x 4). Each is computed in two ways: by recursion from the parent
(equations 77 and 89) and in closed form over all ancestors (equations 75 and 99). Equations 88, 89, 90 and 96 to 99
are corrected; comments say where.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from myodyne.formulations.matrix_calculus.calculus import Array, vec
from myodyne.formulations.matrix_calculus.frames import Frame, inverted
from myodyne.formulations.matrix_calculus.joint_variables import JointVariables


class Kinematics:
    """One pose of a tree of frames.

    Parameters
    ----------
    frames : the frames, parents first.
    variables : joint variables with their gradients and Hessians, one for each frame, from any source: functions of a
        model, fits, or solved constraints (`myodyne.numerics`).

    Examples
    --------
    >>> rod = [Frame(-1, np.eye(4), "rotation", (0.0, 0.0, 1.0))]
    >>> pose = Kinematics(rod, JointVariables(np.array([0.0]), np.eye(1), np.zeros((1, 1, 1))))
    >>> pose.point_velocity(0, [2.0, 0.0, 0.0], [3.0])
    array([0., 6., 0.])
    """

    def __init__(self, frames: Sequence[Frame], variables: JointVariables) -> None:
        if len(frames) != len(variables.values):
            raise ValueError(f"{len(frames)} frames need as many joint variables, not {len(variables.values)}")
        for number, frame in enumerate(frames):
            if not -1 <= frame.parent < number:
                raise ValueError(f"frame {number} comes before its parent {frame.parent}; list parents first")
        self.frames = tuple(frames)
        self.variables = variables
        self.size = int(variables.gradients.shape[1])
        self.steps = [frame.transform(f) for frame, f in zip(frames, variables.values, strict=True)]
        self.transforms: list[Array] = []
        self._lineages: list[tuple[int, ...]] = []
        for number, frame in enumerate(self.frames):
            first = frame.parent < 0
            self.transforms.append(self.steps[number] if first else self.transforms[frame.parent] @ self.steps[number])
            self._lineages.append((() if first else self._lineages[frame.parent]) + (number,))

    def lineage(self, frame: int) -> tuple[int, ...]:
        """Return the frame and its ancestors, the oldest first; empty for the ground."""
        return self._lineages[frame] if frame >= 0 else ()

    def moving_lineage(self, frame: int) -> tuple[int, ...]:
        """Return the frames of the lineage that a joint variable moves."""
        return tuple(number for number in self.lineage(frame) if self.frames[number].motion != "none")

    def transform(self, frame: int) -> Array:
        """Return the transformation (4, 4) from a frame to the ground."""
        return self.transforms[frame] if frame >= 0 else np.eye(4)

    def relative(self, outer: int, inner: int) -> Array:
        """Return the transformation from one frame to another, ``ᵒᵘᵗᵉʳA_inner``."""
        return inverted(self.transform(outer)) @ self.transform(inner)

    def by_variable(self, moved: int, frame: int) -> Array:
        """Return ``W_ji`` (4, 4): the derivative of a frame's transformation by the variable of an ancestor (76)."""
        result: Array = self.transforms[moved] @ self.frames[moved].joint_matrix @ self.relative(moved, frame)
        return result

    def by_two_variables(self, second: int, first: int, frame: int) -> Array:
        """Return ``W̄_sji`` (4, 4): the derivative of ``W_ji`` by the variable of s (equation 98, corrected).

        Not a sum of two terms: the joint nearer to the ground comes first.
        """
        upper, lower = sorted((second, first))
        result: Array = self.by_variable(upper, lower) @ self.frames[lower].joint_matrix @ self.relative(lower, frame)
        return result

    @cached_property
    def _first(self) -> list[Array]:
        """``D_i`` of all frames by recursion (equation 77): ``W_iiᵀ ⊗ ∇f_i + (Aᵀ ⊗ I) D_parent``."""
        found: list[Array] = []
        for number, frame in enumerate(self.frames):
            inherited = self._empty(1) if frame.parent < 0 else premultiplied(self.steps[number].T, found[frame.parent])
            if frame.motion != "none":
                own = self.transforms[number] @ frame.joint_matrix
                inherited = inherited + np.kron(own.T, self._gradient(number))
            found.append(inherited)
        return found

    @cached_property
    def _second(self) -> list[Array]:
        """``D'_i`` of all frames by recursion (equation 89)."""
        found: list[Array] = []
        for number, frame in enumerate(self.frames):
            inherited = self._empty(2) if frame.parent < 0 else premultiplied(self.steps[number].T, found[frame.parent])
            if frame.motion != "none":
                inherited = inherited + self._own_second(number)
            found.append(inherited)
        return found

    def _own_second(self, number: int) -> Array:
        """Return the terms of equation 89 from the frame's own variable."""
        frame, step, n = self.frames[number], self.steps[number], self.size
        joint_matrix, gradient = frame.joint_matrix, self._gradient(number)
        own = (self.transforms[number] @ joint_matrix).T
        # (Âᵀ ⊗ U)(D ⊗ ∇f): the permutation exchanges the two coordinates of differentiation.
        both = premultiplied(joint_matrix.T, np.kron(self._first[number], gradient))
        swapped = both.reshape(4, n, n, 4).swapaxes(1, 2).reshape(4 * n * n, 4)
        result: Array = swapped + np.kron(own, vec(self.variables.hessians[number]))
        if frame.parent >= 0:
            # Equations 88 and 89 print W_iiᵀ here; it must be Âᵀ times the transposed step alone.
            inherited = premultiplied(joint_matrix.T @ step.T, self._first[frame.parent])
            result = result + np.kron(inherited, gradient)
        return result

    def first_derivative(self, frame: int, *, closed_form: bool = False) -> Array:
        """Return ``D_i`` (4 n, 4), by recursion or in closed form (equation 75)."""
        if not closed_form:
            return self._first[frame] if frame >= 0 else self._empty(1)
        result = self._empty(1)
        for j in self.moving_lineage(frame):
            result = result + np.kron(self.by_variable(j, frame).T, self._gradient(j))
        return result

    def second_derivative(self, frame: int, *, closed_form: bool = False) -> Array:
        """Return ``D'_i`` (4 n², 4), by recursion or in closed form (equation 99, sums over all ancestors)."""
        if not closed_form:
            return self._second[frame] if frame >= 0 else self._empty(2)
        result = self._empty(2)
        lineage = self.moving_lineage(frame)
        for j in lineage:
            # Equation 90 prints the Hessian of joint i; it is that of j.
            result = result + np.kron(self.by_variable(j, frame).T, vec(self.variables.hessians[j]))
            for s in lineage:
                twice = self.by_two_variables(s, j, frame)
                result = result + np.kron(twice.T, np.kron(self._gradient(j), self._gradient(s)))
        return result

    def point_position(self, frame: int, at: ArrayLike) -> Array:
        """Return the position (3,) in the ground of a point that is fixed in a frame (equation 41)."""
        result: Array = (self.transform(frame) @ _homogeneous_point(at))[:3]
        return result

    def point_velocity(self, frame: int, at: ArrayLike, v: ArrayLike) -> Array:
        """Return the velocity (3,) of a point fixed in a frame (equation 44): ``Dᵀ (r ⊗ q̇)``."""
        along = np.kron(_homogeneous_point(at), np.asarray(v))
        result: Array = (self.first_derivative(frame).T @ along)[:3]
        return result

    def point_acceleration(self, frame: int, at: ArrayLike, v: ArrayLike, vdot: ArrayLike) -> Array:
        """Return the acceleration (3,) of a point fixed in a frame (equation 57): ``D'ᵀ (r ⊗ q̇ ⊗ q̇) + Dᵀ (r ⊗ q̈)``."""
        point, v = _homogeneous_point(at), np.asarray(v)
        curved = self.second_derivative(frame).T @ np.kron(point, np.kron(v, v))
        along = self.first_derivative(frame).T @ np.kron(point, np.asarray(vdot))
        result: Array = (curved + along)[:3]
        return result

    def _gradient(self, number: int) -> Array:
        column: Array = self.variables.gradients[number][:, None]
        return column

    def _empty(self, order: int) -> Array:
        return np.zeros((4 * self.size**order, 4))


def premultiplied(left: Array, blocks: Array) -> Array:
    """Return ``(left ⊗ I) blocks`` without forming the Kronecker product."""
    rows, columns = blocks.shape
    mixed: Array = left @ blocks.reshape(left.shape[1], -1)
    return mixed.reshape(rows // left.shape[1] * left.shape[0], columns)


def _homogeneous_point(at: ArrayLike) -> Array:
    return np.append(np.asarray(at), 1.0)
