"""A sparse symmetric indefinite solver of our own, made for optimal control, and the options with which IPOPT uses it.

IPOPT can load a solver from a shared library at run time if it answers to the names of HSL_MA97. Ours does; nothing in
it is from HSL. Why there is one, and what it does, stands at the head of ``ldl.h`` and in each C file.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from myodyne.equations import cache as store
from myodyne.equations.compile import FLAGS, HOW_TO_GET_ONE, Compiler, find_compiler, machine_identity
from myodyne.errors import MyodyneError

Array = NDArray[np.float64]

_SINGULAR, _NO_MEMORY, _NOT_FINITE = 1, 2, 3
_COUNTS = ("negative", "rank", "delayed", "pairs", "fronts", "largest_front", "analyses")


def ipopt_linear_solver() -> dict[str, Any]:
    """Return the options with which IPOPT solves its linear systems fastest here.

    Where there is a C compiler that is our own solver, else MUMPS, ordered by METIS: MUMPS' own choice takes four times
    as long on problems of optimal control.

    Examples
    --------
    >>> from myodyne.optimise.linear_solver import ipopt_linear_solver
    >>> ipopt_linear_solver()["linear_solver"] in ("ma97", "mumps")
    True
    """
    compiler = find_compiler()
    if compiler is None:
        return {"linear_solver": "mumps", "mumps_pivot_order": 5}
    _library(compiler)  # what cannot be loaded is told here, with the reason; IPOPT would not name it
    return {
        "linear_solver": "ma97",
        "hsllib": str(_library_file(compiler)),
        # IPOPT's choice for others is 1e-8; residuals get twenty times smaller for one per cent more work.
        "ma97_u": 1e-6,
        "ma97_umax": 1e-2,
        # The solver scales by itself; IPOPT's own scaling would come on top.
        "ma97_scaling": "none",
        "linear_system_scaling": "none",
    }


@cache
def _library_file(compiler: Compiler) -> Path:
    """Return the shared object, compiled once for this machine."""
    sources = sorted(Path(__file__).parent.glob("*.[ch]"))
    content = "\0".join(file.name + file.read_text() for file in sources)
    key = store.key_of("linear solver", content, " ".join(FLAGS), compiler.identity, machine_identity())

    def make(target: Path) -> dict[str, Any]:
        compiler.shared_object([file for file in sources if file.suffix == ".c"], target)
        return {}

    entry = store.find(key) or store.build(key, make)
    return entry.library


@cache
def _library(compiler: Compiler) -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(str(_library_file(compiler)))
    except OSError as error:
        raise MyodyneError(
            f"the compiled linear solver could not be loaded ({error}); set MYODYNE_CACHE to a folder from which code "
            "may run, or MYODYNE_COMPILER=none"
        ) from error
    library.ldl_matrix.restype = ctypes.c_void_p
    library.ldl_matrix.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int]
    library.ldl_factorise.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_double]
    library.ldl_solve.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    library.ldl_facts.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    library.ldl_matrix_free.argtypes = [ctypes.c_void_p]
    return library


@dataclass(frozen=True)
class Facts:
    """What a factorisation tells: signs of eigenvalues, rank, and what the work was."""

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


class Factors:
    """The factors of a sparse symmetric matrix; further matrices of its pattern are factorised with the same order."""

    def __init__(self, matrix: Any, threshold: float = 1e-6) -> None:
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
            raise MemoryError("no memory for the pattern of the matrix")
        self.singular = False
        self.factorise(value[order], threshold)

    def factorise(self, value: ArrayLike, threshold: float = 1e-6) -> None:
        """Factorise the matrix whose lower triangle has these values, column by column as in the first."""
        given = np.ascontiguousarray(value, np.float64)
        if given.shape != self._row.shape:
            raise MyodyneError(f"the pattern has {self._row.size} entries, {given.size} values were given")
        outcome = self._library.ldl_factorise(self._handle, _address(given), threshold)
        if outcome == _NO_MEMORY:
            raise MemoryError("no memory for the factors of the matrix")
        if outcome == _NOT_FINITE:
            raise MyodyneError("the matrix, or its factors, hold numbers that are not finite")
        self.singular = outcome == _SINGULAR

    @property
    def facts(self) -> Facts:
        """Inertia, rank and size of the last factorisation."""
        counts, sizes = np.zeros(len(_COUNTS), np.int32), np.zeros(3)
        self._library.ldl_facts(self._handle, _address(counts), _address(sizes))
        return Facts(*(int(count) for count in counts), *(float(size) for size in sizes))

    def solve(self, vector: ArrayLike) -> Array:
        """Return the solution for a right-hand side, without refinement."""
        solution = np.array(vector, np.float64)
        if solution.shape != (self.size,):
            raise MyodyneError(f"the matrix has {self.size} rows, the right-hand side shape {solution.shape}")
        work = np.empty(2 * self.size + 1)
        self._library.ldl_solve(self._handle, _address(solution), _address(work))
        return solution

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._library.ldl_matrix_free(self._handle)


def factorised(matrix: Any, threshold: float = 1e-6) -> Factors:
    """Return the factors of a sparse symmetric matrix, of which the lower triangle is read; repetitions are added up.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import coo_matrix
    >>> from myodyne.optimise.linear_solver import factorised
    >>> factors = factorised(coo_matrix([[0.0, 2.0], [2.0, 1.0]]))
    >>> factors.solve([2.0, 3.0]), factors.facts.negative
    (array([1., 1.]), 1)
    """
    return Factors(matrix, threshold)


def _address(array: NDArray[Any]) -> int:
    return int(array.ctypes.data)
