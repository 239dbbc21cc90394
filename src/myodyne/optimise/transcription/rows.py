"""Rows of a problem that are not functions of an instant: linear ones, and those between the two ends of a phase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from myodyne.optimise.expressions import Expression
from myodyne.physics.spatial import SX
from myodyne.types import Floats, Integers


@dataclass(frozen=True)
class LinearRows:
    """Sums of unknowns that are zero, as triplets of a matrix."""

    count: int
    rows: Integers
    columns: Integers
    weights: Floats

    def values(self, unknowns: Floats) -> Floats:
        """Return the sums."""
        terms = self.weights * unknowns[self.columns]
        totals: Floats = np.bincount(self.rows, terms, minlength=self.count).astype(float)
        return totals

    def jacobian_places(self) -> tuple[Integers, Integers]:
        """Return rows and columns of the weights."""
        return self.rows, self.columns

    @staticmethod
    def differences(first: Integers, second: Integers) -> LinearRows:
        """Return the rows that make unknowns equal."""
        count, ones = len(first), np.ones(len(first))
        rows = np.arange(count)
        return LinearRows(
            count, np.concatenate([rows, rows]), np.concatenate([first, second]), np.concatenate([ones, -ones])
        )


class EndRows:
    """Expressions of the two ends of a phase and of what all instants share, with derivatives.

    Parameters
    ----------
    unknowns : the symbols, as one column.
    expressions : a column.
    places : where the unknowns lie in the vector of all.
    """

    def __init__(self, unknowns: SX, expressions: Sequence[Expression], places: Integers) -> None:
        column = ca.vertcat(ca.SX(0, 1), *expressions)
        multipliers = ca.SX.sym("multipliers", column.numel())
        jacobian = ca.jacobian(column, unknowns)
        hessian = ca.tril(ca.hessian(ca.dot(multipliers, column), unknowns)[0])
        self.count, self._places = int(column.numel()), places
        self._values = ca.Function("values", [unknowns], [ca.densify(column)])
        self._jacobian = ca.Function("jacobian", [unknowns], [jacobian])
        self._hessian = ca.Function("hessian", [unknowns, multipliers], [hessian])
        self.row, self._column = (np.array(place, dtype=np.intp) for place in jacobian.sparsity().get_triplet())
        self._below, self._left = (np.array(place, dtype=np.intp) for place in hessian.sparsity().get_triplet())

    def values(self, unknowns: Floats) -> Floats:
        """Return the values of the expressions."""
        return np.array(self._values(unknowns[self._places])).ravel()

    @property
    def columns(self) -> Integers:
        """The columns of the derivatives."""
        return self._places[self._column]

    def jacobian_places(self) -> tuple[Integers, Integers]:
        """Return rows and columns of the derivatives."""
        return self.row, self.columns

    def jacobian(self, unknowns: Floats) -> Floats:
        """Return the nonzeros of the derivatives."""
        return np.array(self._jacobian(unknowns[self._places]).nonzeros())

    def hessian_places(self) -> tuple[Integers, Integers]:
        """Return rows and columns of the second derivatives: the lower half."""
        one, other = self._places[self._below], self._places[self._left]
        return np.maximum(one, other), np.minimum(one, other)

    def hessian(self, unknowns: Floats, multipliers: Floats) -> Floats:
        """Return the nonzeros of the second derivatives."""
        return np.array(self._hessian(unknowns[self._places], multipliers).nonzeros())
