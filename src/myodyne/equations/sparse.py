"""Sparse matrices from the outputs of kernels: the pattern is made once, each call brings the values only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from myodyne.native.kernel import Kernel
from myodyne.types import Floats

if TYPE_CHECKING:
    from scipy.sparse import csc_array


class SparseOutput:
    """Makes matrices from the values of one output of a kernel."""

    def __init__(self, kernel: Kernel, name: str) -> None:
        from scipy.sparse import csc_array

        rows, columns = shape = dict(kernel.signature.outputs)[name]
        # Outputs without a pattern are dense, column by column.
        full = rows * np.arange(columns + 1), np.tile(np.arange(rows), columns)
        first, row = kernel.signature.patterns.get(name, full)
        zeros = csc_array((np.zeros(len(row)), np.array(row, dtype=int), np.array(first, dtype=int)), shape=shape)
        # Asked for here so that the matrices need not look: rows are sorted within each column, without duplicates.
        assert zeros.has_canonical_format
        self._type, self._attributes = csc_array, vars(zeros)
        self._indices, self._indptr = zeros.indices, zeros.indptr

    def matrix(self, values: Floats) -> csc_array:
        """Return a matrix that shares no memory with others."""
        # The constructor would check the pattern again, which takes longer than computing the values.
        matrix = object.__new__(self._type)
        indices, indptr = self._indices.copy(), self._indptr.copy()
        matrix.__dict__.update(self._attributes, data=values, indices=indices, indptr=indptr)
        return matrix

    def matrices(self, values: Floats) -> csc_array | list[csc_array]:
        """Return one matrix for a vector of values, a list of matrices for rows of them."""
        return self.matrix(values) if values.ndim == 1 else [self.matrix(row.copy()) for row in values]
