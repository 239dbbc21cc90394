"""Closed loops: joint variables defined implicitly by loop equations, by analytical projection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np

from myodyne.errors import ModelError, SolveError
from myodyne.formulations.matrix_calculus.calculus import Array
from myodyne.formulations.matrix_calculus.joint_variables import JointVariable
from myodyne.model import GROUND, Constraint, Marker, Model, Named, PointConstraint

if TYPE_CHECKING:
    from myodyne.formulations.matrix_calculus.formulation import MatrixCalculus
    from myodyne.formulations.matrix_calculus.kinematics import Kinematics

_CONVERGED = 1e-9
_MOST_ITERATIONS = 30
# Tolerance of a closed loop (m).
_CLOSED = 1e-12


def solved_constraints(model: Model) -> dict[str, Constraint]:
    """Return the constraints that are solved for coordinates; fitted ones are functions already."""
    found = {name: part for name, part in model.constraints.items() if part.by in ("projection", "differences")}
    for name, part in found.items():
        if not isinstance(part, PointConstraint):
            raise ModelError(
                f"constraint '{name}' is a {part.kind}: the matrix calculus supports point constraints only"
            )
    return found


def opened(model: Model) -> Model:
    """Return the model with its solved coordinates free and without constraints."""
    solved = {name for part in solved_constraints(model).values() for name in part.solves}
    joints = {}
    for name, joint in model.joints.items():
        parts = {c: p.model_copy(update={"coupled": None}) if c in solved else p for c, p in joint.coordinates.items()}
        joints[name] = joint.model_copy(update={"coordinates": Named(parts)})
    fields = {field: getattr(model, field) for field in type(model).model_fields}
    return Model(**{**fields, "joints": joints, "constraints": {}})


class ClosedLoops:
    """The loop equations ``g(f, q) = 0`` of a model, and their solution f(q) near a guess.

    Gradients and Hessians follow from the differentiated equations (100 corrected, 101 to 104): ``∂g/∂f ∇f = -∂g/∂q``
    and ``∂g/∂f H = -Zᵀ g″ Z``, with the derivatives of points by ``D`` and ``D'``.
    """

    def __init__(self, model: Model, calculus: MatrixCalculus) -> None:
        self._calculus = calculus
        self._constraints = solved_constraints(model)
        self.unknowns = tuple(name for part in self._constraints.values() for name in part.solves)
        self._free = [calculus.coordinates.index(name) for name in model.moving]
        self._bound = [calculus.coordinates.index(name) for name in self.unknowns]

    def variables(self, q: Array, guesses: Mapping[str, JointVariable]) -> dict[str, JointVariable]:
        """Return the solved coordinates at ``q``, which may be complex."""
        z = np.zeros(len(self._calculus.coordinates), dtype=np.result_type(q, float))
        z[self._free], z[self._bound] = q, [guesses[name].value for name in self.unknowns]
        for _ in range(_MOST_ITERATIONS):
            pose = self._calculus.kinematics(z)
            step = np.linalg.solve(self._jacobian(pose)[:, self._bound], self._gaps(pose))
            z[self._bound] -= step
            if np.abs(step).max() <= _CONVERGED:
                break
        pose = self._calculus.kinematics(z)
        if not np.abs(self._gaps(pose)).max() <= _CLOSED:
            raise SolveError(
                f"the loops of '{self._calculus.model.name}' do not close near the initial guess at q = {q}"
            )
        jacobian = self._jacobian(pose)
        gradients = -np.linalg.solve(jacobian[:, self._bound], jacobian[:, self._free])
        size = len(self._free)
        along = np.zeros((len(z), size), dtype=z.dtype)
        along[self._free], along[self._bound] = np.eye(size), gradients
        hessians = np.zeros((len(self._bound), size, size), dtype=z.dtype)
        for i, j in combinations_with_replacement(range(size), 2):
            # The acceleration of a gap at constant rates is quadratic in the rates.
            bent = 0.25 * (self._bend(pose, along[:, i] + along[:, j]) - self._bend(pose, along[:, i] - along[:, j]))
            hessians[:, i, j] = hessians[:, j, i] = -np.linalg.solve(jacobian[:, self._bound], bent)
        return {
            name: JointVariable(z[self._bound[k]], gradients[k], hessians[k]) for k, name in enumerate(self.unknowns)
        }

    def _rows(self, value: Callable[[Marker], Array]) -> Array:
        """Return the difference between the two markers of every loop, along its constrained axes."""
        rows: list[float | complex] = []
        for part in self._constraints.values():
            assert isinstance(part, PointConstraint)
            gap = value(part.first) - value(part.second)
            rows.extend(gap["xyz".index(axis)] for axis in part.axes)
        return np.array(rows)

    def _gaps(self, pose: Kinematics) -> Array:
        def place(marker: Marker) -> Array:
            if marker.body == GROUND:
                return np.array(marker.at)
            transform: Array = pose.transform(self._calculus.frame(marker.body))
            moved: Array = (transform @ np.array([*marker.at, 1.0]))[:3]
            return moved

        return self._rows(place)

    def _jacobian(self, pose: Kinematics) -> Array:
        def column(unit: Array) -> Array:
            def velocity(marker: Marker) -> Array:
                if marker.body == GROUND:
                    return np.zeros(3)
                return pose.point_velocity(self._calculus.frame(marker.body), marker.at, unit)

            return self._rows(velocity)

        return np.stack([column(unit) for unit in np.eye(len(self._calculus.coordinates))], axis=1)

    def _bend(self, pose: Kinematics, rates: Array) -> Array:
        still = np.zeros_like(rates)

        def acceleration(marker: Marker) -> Array:
            if marker.body == GROUND:
                return np.zeros(3)
            return pose.point_acceleration(self._calculus.frame(marker.body), marker.at, rates, still)

        return self._rows(acceleration)
