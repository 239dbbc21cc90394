"""A sparse symmetric indefinite solver for optimal control.

IPOPT can load a linear solver from a shared library at run time if it exports the interface of HSL_MA97. This one
does; nothing in it is from HSL. Its purpose and its algorithm are described in ``ldl.h`` and in each C file.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from myodyne.errors import MyodyneError
from myodyne.native.compiler import HOW_TO_GET_ONE, Compiler, find_compiler
from myodyne.native.libraries import library_file, load
from myodyne.types import Floats

if TYPE_CHECKING:
    from scipy.sparse import sparray, spmatrix

_SINGULAR, _NO_MEMORY, _NOT_FINITE = 1, 2, 3
# Right-hand sides that are solved for at once: LDL_TOGETHER of ldl.h.
_TOGETHER = 8
_COUNTS = ("negative", "rank", "delayed", "pairs", "fronts", "largest_front", "analyses")


@cache
def _library(compiler: Compiler) -> ctypes.CDLL:
    library = load(library_file("ldl", compiler))
    library.ldl_matrix.restype = ctypes.c_void_p
    library.ldl_matrix.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int]
    library.ldl_factorise.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_double]
    library.ldl_solve.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    library.ldl_solve_several.argtypes = [
        ctypes.c_void_p,
        ctypes.c_int,
        ctypes.c_void_p,
        ctypes.c_size_t,
        ctypes.c_void_p,
    ]
    library.ldl_facts.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    library.ldl_matrix_free.argtypes = [ctypes.c_void_p]
    return library


@dataclass(frozen=True)
class Facts:
    """Facts about a factorisation: inertia, rank, and its cost."""

    negative: int
    rank: int
    delayed: int
    pairs: int
    fronts: int
    largest_front: int
    analyses: int
    operations: float
    expected_operations: float
    factor_entries: float


class LDLFactors:
    """The factors of a sparse symmetric matrix; further matrices of its pattern are factorised with the same order."""

    def __init__(self, matrix: ArrayLike | sparray | spmatrix, threshold: float = 1e-6) -> None:
        from scipy.sparse import coo_matrix

        compiler = find_compiler()
        if compiler is None:
            raise MyodyneError(f"the linear solver needs a C compiler; {HOW_TO_GET_ONE}")
        self._library = _library(compiler)
        triplets = coo_matrix(matrix)
        if triplets.shape[0] != triplets.shape[1]:
            raise MyodyneError(f"a symmetric matrix is square, this one has shape {triplets.shape}")
        lower = triplets.row >= triplets.col
        row, column, value = triplets.row[lower], triplets.col[lower], triplets.data[lower]
        order = np.lexsort((row, column))
        self.size = int(triplets.shape[0])
        self._row = np.ascontiguousarray(row[order], np.int32)
        self._start = np.searchsorted(column[order], np.arange(self.size + 1)).astype(np.int32)
        self._handle = self._library.ldl_matrix(self.size, _address(self._start), _address(self._row), 0)
        if not self._handle:
            raise MemoryError("out of memory for the pattern of the matrix")
        self.singular = False
        self.factorise(value[order], threshold)

    def factorise(self, value: ArrayLike, threshold: float = 1e-6) -> None:
        """Factorise the matrix whose lower triangle has these values, column by column as in the first."""
        given = np.ascontiguousarray(value, np.float64)
        if given.shape != self._row.shape:
            raise MyodyneError(f"the pattern has {self._row.size} entries, {given.size} values were given")
        outcome = self._library.ldl_factorise(self._handle, _address(given), threshold)
        if outcome == _NO_MEMORY:
            raise MemoryError("out of memory for the factors of the matrix")
        if outcome == _NOT_FINITE:
            raise MyodyneError("the matrix or its factors are not finite")
        self.singular = outcome == _SINGULAR

    @property
    def facts(self) -> Facts:
        """Inertia, rank and size of the last factorisation."""
        counts, sizes = np.zeros(len(_COUNTS), np.int32), np.zeros(3)
        self._library.ldl_facts(self._handle, _address(counts), _address(sizes))
        return Facts(*(int(count) for count in counts), *(float(size) for size in sizes))

    def solve(self, vector: ArrayLike) -> Floats:
        """Return the solution for a right-hand side, or for several that are rows, without refinement."""
        solution = np.array(vector, np.float64, order="C")
        if solution.ndim not in (1, 2) or solution.shape[-1] != self.size:
            raise MyodyneError(f"the matrix has {self.size} rows, the right-hand side shape {solution.shape}")
        if solution.ndim == 1:
            work = np.empty(2 * self.size + 1)
            self._library.ldl_solve(self._handle, _address(solution), _address(work))
            return solution
        work = np.empty(2 * _TOGETHER * self.size + 1)
        for first in range(0, len(solution), _TOGETHER):
            some = solution[first : first + _TOGETHER]
            self._library.ldl_solve_several(self._handle, len(some), _address(some), self.size, _address(work))
        return solution

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._library.ldl_matrix_free(self._handle)


def loaded_file() -> Path | None:
    """Return the shared object of the solver, compiled and known to load; None without a compiler."""
    compiler = find_compiler()
    if compiler is None:
        return None
    _library(compiler)
    return library_file("ldl", compiler)


def factorised(matrix: ArrayLike | sparray | spmatrix, threshold: float = 1e-6) -> LDLFactors:
    """Return the factors of a sparse symmetric matrix, given by its lower triangle; duplicate entries are summed.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import coo_matrix
    >>> from myodyne.native.ldl import factorised
    >>> factors = factorised(coo_matrix([[0.0, 2.0], [2.0, 1.0]]))
    >>> factors.solve([2.0, 3.0]), factors.facts.negative
    (array([1., 1.]), 1)
    """
    return LDLFactors(matrix, threshold)


def _address(array: NDArray[Any]) -> int:
    return int(array.ctypes.data)
