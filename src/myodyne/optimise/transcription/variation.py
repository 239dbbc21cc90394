"""How an optimum changes with the numbers of its problem, from the conditions of optimality, without another solve.

At an optimum the derivatives of the Lagrangian vanish, and rows and bounds hold. A number ``p`` that the problem fixes
changes the objective by the derivative of the Lagrangian alone (envelope theorem). The unknowns change by the solution
of the linearised conditions (Fiacco 1976; the KKT matrix of the last barrier problem), in which bounds that hold stay
held and others stay free.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from myodyne.errors import ModelError, SolveError, unknown_name
from myodyne.optimise.transcription.iterate import Iterate
from myodyne.optimise.transcription.program import Program
from myodyne.types import Floats, Integers

# A bound or a row this far from holding, by its multiplier, is left out: its entry would drown all others.
_FREE = 1e10
# Residual of the linear solve, relative to the right side, above which slopes are not believed.
_TRUSTED = 1e-6


@dataclass(frozen=True, eq=False)
class OptimumVariation:
    """Derivatives of an optimum by numbers that its program holds fixed.

    Parameters
    ----------
    program : the program.
    iterate : its optimum, with multipliers.
    names : numbers of the model, or ``duration``.
    """

    program: Program
    iterate: Iterate
    names: Sequence[str]

    @cached_property
    def places(self) -> Integers:
        """The places of the numbers among the unknowns."""
        program = self.program
        known = [*program.parameters, *(["duration"] if len(program.parts) == 1 else [])]
        found = []
        for name in self.names:
            if name not in known:
                raise ModelError(unknown_name("fixed number of the problem", name, known))
            first = program.shared_start + len(program.parts)
            place = program.shared_start if name == "duration" else first + list(program.parameters).index(name)
            if program.bounds[0][place] != program.bounds[1][place]:
                raise ModelError(f"'{name}' is optimised by the problem, so it cannot be varied; fix its value")
            found.append(place)
        return np.array(found, dtype=np.intp)

    @cached_property
    def objective(self) -> Floats:
        """The derivatives of the objective."""
        rows, columns = self.program.jacobian_places
        jacobian = self.program.jacobian(self.iterate.unknowns)
        gradient = self.program.gradient(self.iterate.unknowns)
        total = gradient + np.bincount(columns, jacobian * self.iterate.rows[rows], minlength=self.program.count)
        found: Floats = total[self.places]
        return found

    @cached_property
    def unknowns(self) -> Floats:
        """The derivatives of all unknowns: unknowns, numbers."""
        from scipy.sparse.linalg import splu

        program, iterate = self.program, self.iterate
        low, high = program.bounds
        free = np.flatnonzero(low < high)
        hessian, jacobian = self._second(), self._first()
        rows = len(iterate.rows)
        matrix = sparse.bmat(
            [
                [hessian[free][:, free] + sparse.diags(self._bound_terms()[free]), jacobian[:, free].T],
                [jacobian[:, free], sparse.diags(-self._row_terms())],
            ],
            format="csc",
        )
        right = -np.vstack([hessian[free][:, self.places].toarray(), jacobian[:, self.places].toarray()])
        try:
            factors = splu(matrix)
        except RuntimeError:
            raise SolveError(
                "the optimum is not unique to first order, so it has no slopes; use my.OneAtATime()"
            ) from None
        solved = factors.solve(right)
        # One refinement: the matrix is indefinite and its entries differ by many powers of ten.
        solved += factors.solve(right - matrix @ solved)
        error = np.max(np.abs(matrix @ solved - right)) / max(float(np.max(np.abs(right))), 1e-300)
        if not error < _TRUSTED:
            raise SolveError(f"the slopes of the optimum are known to {error:.1g} only; use my.OneAtATime()")
        found = np.zeros((program.count, len(self.names)))
        found[free] = solved[: len(solved) - rows]
        found[self.places, np.arange(len(self.names))] = 1.0
        return found

    def _second(self) -> sparse.csr_matrix:
        rows, columns = self.program.hessian_places
        values = self.program.hessian(self.iterate.unknowns, 1.0, self.iterate.rows)
        size = (self.program.count, self.program.count)
        lower = sparse.coo_matrix((values, (rows, columns)), shape=size).tocsr()
        return lower + sparse.tril(lower, -1).T.tocsr()

    def _first(self) -> sparse.csr_matrix:
        rows, columns = self.program.jacobian_places
        values = self.program.jacobian(self.iterate.unknowns)
        return sparse.coo_matrix((values, (rows, columns)), shape=(self.program.rows, self.program.count)).tocsr()

    def _bound_terms(self) -> Floats:
        """Return how stiffly bounds hold each unknown: multiplier over distance."""
        iterate, (low, high) = self.iterate, self.program.bounds
        return _stiffness(iterate.lower, iterate.unknowns - low) + _stiffness(iterate.upper, high - iterate.unknowns)

    def _row_terms(self) -> Floats:
        """Return how far each row gives way: zero for equations, distance over multiplier for ranges."""
        low, high = self.program.row_bounds
        values = self.program.constraints(self.iterate.unknowns)
        multipliers = self.iterate.rows
        distance = np.where(multipliers > 0, high - values, values - low)
        with np.errstate(divide="ignore", invalid="ignore"):
            give = np.where(multipliers != 0, np.abs(distance / multipliers), _FREE)
        terms: Floats = np.where(low == high, 0.0, np.minimum(np.nan_to_num(give, nan=_FREE, posinf=_FREE), _FREE))
        return terms


def _stiffness(multipliers: Floats, distances: Floats) -> Floats:
    bound = np.isfinite(distances)
    found = np.zeros_like(multipliers)
    found[bound] = np.abs(multipliers[bound]) / np.maximum(distances[bound], 1.0 / _FREE)
    return found
