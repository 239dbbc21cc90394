"""Loop equations of a model: followed along a branch, and compared with functions that stand for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from myodyne.equations import Equations, equations_of
from myodyne.errors import ModelError, SolveError, listed, unknown_name
from myodyne.model import Function, Model, MotionConstraint, Named, SpeedConstraint
from myodyne.numerics.implicit_functions import DIFFERENCE_STEP, EIGHTH_ORDER, ImplicitFunctions
from myodyne.simulate.constrained import consistent_state
from myodyne.types import Floats

Method = Literal["projection", "differences", "fit"]


@dataclass(frozen=True)
class Embedding:
    """A model whose loops are embedded, and how well its joint functions meet the loops.

    ``errors`` holds, by coordinate, the largest error of its function (rad or m) between the poses that were fitted;
    ``speed_errors`` and ``acceleration_errors`` those of its slope and curvature, as part of the largest one;
    ``loop_error`` (m or rad) is what is left of the loops there.

    Examples
    --------
    >>> import myodyne as my
    >>> mechanism = my.embed(my.load_model("four_bar"), "theta1", {"theta1": (0.5, 1.0)})      # rad
    >>> sorted(mechanism.errors), mechanism.loop_error < 1e-12
    (['theta2', 'theta3'], True)
    """

    model: Model
    errors: Mapping[str, float]
    speed_errors: Mapping[str, float]
    acceleration_errors: Mapping[str, float]
    loop_error: float
    poses: int
    method: Method


class Loops:
    """The loop equations of a model, solved for the dependent coordinates."""

    def __init__(self, model: Model, independent: tuple[str, ...], ranges: Mapping[str, tuple[float, float]]) -> None:
        # What is prescribed closes no loop. It stays, also on a coordinate that follows another one.
        prescribed = SpeedConstraint | MotionConstraint
        driven = {name: part for name, part in model.constraints.items() if isinstance(part, prescribed)}
        self.kept = [n for n, part in model.constraints.items() if part.by == "multipliers" and n not in driven]
        if not self.kept:
            raise ModelError(f"'{model.name}' has no constraints to embed")
        for name in independent:
            if name not in model.moving:
                raise ModelError("embed: " + unknown_name("coordinate that can move", name, model.moving))
        self.model = model
        self.ranges = ranges
        self.independent = independent
        self.equations: Equations = equations_of(model.without(*driven) if driven else model, compiled=False)
        self.free = np.array([name in independent for name in self.equations.coordinates])
        self.dependent = tuple(n for n in self.equations.coordinates if n not in independent)
        pose = self.equations.state()[: len(self.free)]
        resting = np.concatenate([pose, np.zeros_like(pose)])
        # Refuses loops that cannot close, and rows that repeat each other, by name.
        self.start = consistent_state(self.equations, resting, frozenset(independent))[0][: len(self.free)]
        repeated = self.equations.repeated_rows
        if repeated:
            raise SolveError(
                f"'{model.name}': {len(repeated)} of the constraints repeat others: {listed(repeated)}. Leave "
                "them out, or name fewer axes"
            )
        rows = len(self.equations.multipliers)
        if rows != len(self.dependent):
            raise ModelError(
                f"'{model.name}': {rows} rows of constraints cannot determine the {len(self.dependent)} coordinates "
                f"{listed(self.dependent)}; choose {len(self.equations.coordinates) - rows} independent coordinates"
            )
        self.functions = ImplicitFunctions(self._residual, self.dependent, jacobians=self._jacobians)

    def _residual(self, f: ArrayLike, q: ArrayLike) -> Floats:
        return self.equations.constraint_errors(self._together(f, q), np.zeros(len(self.free)))[0]

    def _jacobians(self, f: ArrayLike, q: ArrayLike) -> tuple[Floats, Floats]:
        jacobian = self.equations.constraint_errors(self._together(f, q), np.zeros(len(self.free)))[2]
        return jacobian[:, ~self.free], jacobian[:, self.free]

    def _together(self, f: ArrayLike, q: ArrayLike) -> Floats:
        pose = np.empty(len(self.free))
        pose[~self.free], pose[self.free] = np.real(f), np.real(q)
        return pose

    def sweep(self, values: Floats) -> Floats:
        """Return all coordinates along a path of independent ones, (k, m) to (k, n), from the start onwards."""
        begin = self.start[self.free]
        path = values if np.allclose(values[0], begin, rtol=0, atol=1e-12) else np.vstack([begin, values])
        try:
            found = self.functions.sweep(path, self.start[~self.free])
        except SolveError as error:
            raise SolveError(
                f"the loops of '{self.model.name}' cannot be followed over {listed(self.independent)}: {error}"
            ) from None
        poses = np.array([self._together(f, q) for f, q in zip(found, path, strict=True)])
        return poses[len(path) - len(values) :]

    def embedded(self, functions: Mapping[str, Function], checks: Floats, poses: int, method: Method) -> Embedding:
        """Return the model with these joint functions, tested at poses that they were not fitted to."""
        model = self._rewritten(functions, method)
        mine = equations_of(model, compiled=False)
        speeds, bends = self._exact(checks)
        found = self._computed(mine, checks)
        predicted = checks.copy()
        errors: list[dict[str, float]] = [{}, {}, {}]
        for number, name in enumerate(self.dependent):
            column = self.equations.coordinates.index(name)
            predicted[:, column] = found[:, mine.outputs.index(name)]
            errors[0][name] = float(np.max(np.abs(predicted[:, column] - checks[:, column])))
            for level, part, exact in ((1, "speed", speeds), (2, "acceleration", bends)):
                error = np.max(np.abs(found[:, mine.outputs.index(f"{name}.{part}")] - exact[:, number]))
                errors[level][name] = float(error / max(np.max(np.abs(exact[:, number])), 1e-300))
        left = self.equations.constraint_errors(predicted, np.zeros_like(predicted))[0]
        return Embedding(model, errors[0], errors[1], errors[2], float(np.max(np.abs(left))), poses, method)

    def _rewritten(self, functions: Mapping[str, Function], method: Method) -> Model:
        """Return the model with functions for its dependent coordinates; constraints record how they are met."""
        changes: dict[str, dict[str, Any]] = {name: {"coupled": function} for name, function in functions.items()}
        changes |= {name: {"range": (float(low), float(high))} for name, (low, high) in self.ranges.items()}
        joints = {}
        for name, joint in self.model.joints.items():
            coordinates = {c: part.model_copy(update=changes.get(c, {})) for c, part in joint.coordinates.items()}
            joints[name] = joint.model_copy(update={"coordinates": Named(coordinates)})
        solves = self._solves()
        constraints = {
            name: part.model_copy(update={"by": method, "solves": solves[name]}) if name in solves else part
            for name, part in self.model.constraints.items()
        }
        fields = {field: getattr(self.model, field) for field in type(self.model).model_fields}
        return Model(**{**fields, "joints": joints, "constraints": constraints})

    def _solves(self) -> dict[str, tuple[str, ...]]:
        """Return which coordinates each constraint solves: rows and coordinates are matched, one to one."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import maximum_bipartite_matching

        jacobian = self._jacobians(self.start[~self.free], self.start[self.free])[0]
        matched = maximum_bipartite_matching(csr_array(np.abs(jacobian) > 1e-12), perm_type="column")
        owners = self.equations.kernel("constraints").signature.notes["owners"]
        return {
            name: tuple(self.dependent[matched[row]] for row, owner in enumerate(owners) if owner == name)
            for name in self.kept
        }

    def _exact(self, poses: Floats) -> tuple[Floats, Floats]:
        """Return speeds and left accelerations (k, m) of the dependent coordinates at unit speed of the free ones."""
        still = np.zeros_like(poses)
        jacobian = self.equations.constraint_errors(poses, still)[2]
        by_f = jacobian[:, :, ~self.free]
        rates = np.ones_like(poses)
        rates[:, ~self.free] = -np.linalg.solve(by_f, jacobian[:, :, self.free].sum(axis=2)[..., None])[..., 0]
        turned = np.zeros(jacobian.shape[:2])
        for count, weight in EIGHTH_ORDER:
            # The reach is one of the path, however fast the dependent coordinates are.
            reach = DIFFERENCE_STEP / np.max(np.abs(rates))
            for sign in (1, -1):
                beside = self.equations.constraint_errors(poses + sign * count * reach * rates, still)[2]
                turned += sign * weight / reach * np.einsum("krn,kn->kr", beside, rates)
        bends: Floats = -np.linalg.solve(by_f, turned[..., None])[..., 0].astype(float)
        return rates[:, ~self.free], bends

    def _computed(self, equations: Equations, poses: Floats) -> Floats:
        """Return all outputs of an embedded model in some poses, at unit speed and without acceleration."""
        size = len(equations.coordinates)
        states = np.zeros((len(poses), len(equations.states)))
        rates = np.zeros_like(states)
        for column, name in enumerate(equations.coordinates):
            states[:, column] = poses[:, self.equations.coordinates.index(name)]
        states[:, size : 2 * size] = rates[:, :size] = 1.0
        return equations.output_values(states, rates, np.zeros((len(poses), len(equations.controls))))
