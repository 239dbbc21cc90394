"""The derivative of a matrix by a vector, and its rules.

For a matrix ``A`` (m x n) of functions of ``q`` (r) the derivative is the (m r x n) matrix in which every entry
``A_ik`` is replaced by the column of its r partial derivatives (Ehsani, Empirically-based multibody dynamics,
definition 1, equation 3). Every rule below keeps that form, so the same rules give second derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Real, or complex where a complex step passes through.
Array: TypeAlias = NDArray[np.inexact[Any]]

# Its square vanishes in rounding, so the derivative is exact to rounding.
COMPLEX_STEP = 1e-30


def matrix(value: ArrayLike) -> Array:
    """Return a scalar as a 1 x 1 matrix, a vector as a column, and a matrix as it is."""
    array = np.asarray(value)
    if array.ndim > 2:
        raise ValueError(f"expected a scalar, a vector or a matrix, not an array of shape {array.shape}")
    return array.reshape(-1, 1) if array.ndim < 2 else array


def elementary(rows: int, columns: int, row: int, column: int) -> Array:
    """Return the matrix of zeros with a one at (row, column).

    Examples
    --------
    >>> elementary(2, 2, 0, 1)
    array([[0., 1.],
           [0., 0.]])
    """
    result = np.zeros((rows, columns))
    result[row, column] = 1.0
    return result


def permutation(m: int, n: int) -> Array:
    """Return ``U_mn`` (m n x m n) of equation 2: it turns ``x ⊗ y`` (n, m) into ``y ⊗ x`` (m, n).

    The printed size is m x m; the sum of Kronecker products that defines it is m n x m n.

    Examples
    --------
    >>> x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0, 5.0])
    >>> bool(np.all(permutation(3, 2) @ np.kron(x, y) == np.kron(y, x)))
    True
    """
    order = np.arange(m * n).reshape(n, m).T.ravel()
    result: Array = np.eye(m * n)[order]
    return result


def vec(a: ArrayLike) -> Array:
    """Return the columns of a matrix, one below the other, as one column."""
    return matrix(a).reshape(-1, 1, order="F")


def derivative(function: Callable[[Array], ArrayLike], q: ArrayLike) -> Array:
    """Return the derivative of a matrix-valued function by a vector, by complex steps: exact to rounding.

    Parameters
    ----------
    function : callable
        Takes a complex vector and returns a scalar, a vector (a column) or a matrix. It must be
        analytic: no absolute values, comparisons or conjugates.
    q : (r,) array
        The point at which to differentiate.

    Returns
    -------
    (m r, n) matrix of definition 1.

    Examples
    --------
    >>> derivative(lambda q: np.array([[q[0] * q[1], np.sin(q[0])]]), [0.0, 3.0])
    array([[3., 1.],
           [0., 0.]])
    """
    at = np.asarray(q, dtype=float)
    steps = 1j * COMPLEX_STEP * np.eye(len(at))
    return from_partials([matrix(function(at + step)).imag / COMPLEX_STEP for step in steps])


def from_partials(partials: Iterable[ArrayLike]) -> Array:
    """Return the derivative (m r, n) from the partial derivatives (m, n) by each entry of the vector."""
    stacked = np.stack([matrix(partial) for partial in partials], axis=1)
    m, r, n = stacked.shape
    return stacked.reshape(m * r, n)


def partials(d: ArrayLike, r: int) -> Array:
    """Return the partial derivatives (r, m, n) in a derivative (m r, n) by a vector of r entries."""
    d = matrix(d)
    return np.moveaxis(d.reshape(-1, r, d.shape[1]), 1, 0)


def transposed_derivative(d: ArrayLike, r: int) -> Array:
    """Return the derivative of ``Aᵀ`` from that of ``A``."""
    return from_partials([partial.T for partial in partials(d, r)])


def product_derivative(a: Array, da: Array, b: Array, db: Array) -> Array:
    """Return the derivative of ``A B`` (theorem 1): ``dA B + (A ⊗ I_r) dB``."""
    result: Array = da @ b + np.kron(a, np.eye(_width(a, da))) @ db
    return result


def scaled_derivative(s: complex, ds: Array, a: Array, da: Array) -> Array:
    """Return the derivative of ``s A`` for a scalar function ``s`` (theorem 2): ``A ⊗ ds + s dA``."""
    return np.kron(a, matrix(ds)) + s * da


def kronecker_derivative(a: Array, da: Array, c: Array, dc: Array) -> Array:
    """Return the derivative of ``A ⊗ C`` (theorem 3): ``(I_m ⊗ U_sr)(dA ⊗ C) + A ⊗ dC``."""
    shuffle = np.kron(np.eye(a.shape[0]), permutation(c.shape[0], _width(a, da)))
    result: Array = shuffle @ np.kron(da, c) + np.kron(a, dc)
    return result


def differential(da: ArrayLike, dq: ArrayLike) -> Array:
    """Return the change of ``A`` along ``dq`` (theorem 4a): ``(I_m ⊗ dqᵀ) dA``."""
    da, dq = matrix(da), matrix(dq)
    return np.kron(np.eye(da.shape[0] // dq.shape[0]), dq.T) @ da


def differential_of_transposed(da_transposed: ArrayLike, dq: ArrayLike) -> Array:
    """Return the change of ``A`` along ``dq`` from the derivative of ``Aᵀ`` (theorem 4b): ``(dAᵀ)ᵀ (I_n ⊗ dq)``."""
    da_transposed, dq = matrix(da_transposed), matrix(dq)
    result: Array = da_transposed.T @ np.kron(np.eye(da_transposed.shape[0] // dq.shape[0]), dq)
    return result


def chained_derivative(da_by_y: Array, dy_by_q: Array, r: int) -> Array:
    """Return the derivative by ``q`` (r) of ``A(y(q))`` from those of ``A`` by ``y`` and of the column ``y`` by ``q``.

    In every block of ``dA`` the column of partial derivatives by ``y`` is multiplied by the transposed Jacobian.
    """
    jacobian = matrix(dy_by_q).reshape(-1, r)
    return np.kron(np.eye(da_by_y.shape[0] // jacobian.shape[0]), jacobian.T) @ da_by_y


def _width(a: Array, da: Array) -> int:
    """Return the number of entries of the vector by which ``a`` was differentiated."""
    if a.shape[0] == 0 or da.shape[0] % a.shape[0] or da.shape[1] != a.shape[1]:
        raise ValueError(f"a matrix of shape {a.shape} cannot have a derivative of shape {da.shape}")
    return int(da.shape[0] // a.shape[0])


@dataclass(frozen=True, eq=False)
class Differentiated:
    """A matrix with its derivative by a vector; arithmetic follows the rules of differentiation.

    Parameters
    ----------
    value : (m, n) matrix.
    derivative : (m r, n) its derivative by a vector of r entries.

    Examples
    --------
    >>> q = Differentiated.variable([2.0, 3.0])
    >>> square = q.T @ q
    >>> float(square.value[0, 0]), square.derivative.ravel().tolist()
    (13.0, [4.0, 6.0])
    """

    value: Array
    derivative: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", matrix(self.value))
        object.__setattr__(self, "derivative", matrix(self.derivative))
        _width(self.value, self.derivative)

    @classmethod
    def variable(cls, q: ArrayLike) -> Differentiated:
        """Return the vector itself, as a column: its derivative is ``vec(I)``."""
        column = matrix(q)
        return cls(column, vec(np.eye(len(column))))

    @classmethod
    def constant(cls, value: ArrayLike, r: int) -> Differentiated:
        """Return a matrix that does not depend on the vector of r entries."""
        value = matrix(value)
        return cls(value, np.zeros((value.shape[0] * r, value.shape[1])))

    @classmethod
    def of(cls, function: Callable[[Array], ArrayLike], q: ArrayLike) -> Differentiated:
        """Return a function's value and derivative, the latter by complex steps."""
        return cls(matrix(function(np.asarray(q, dtype=float))), derivative(function, q))

    @property
    def r(self) -> int:
        """Number of entries of the vector by which the matrix is differentiated."""
        return _width(self.value, self.derivative)

    @property
    def T(self) -> Differentiated:  # noqa: N802 - as numpy calls it
        """The transposed matrix."""
        return Differentiated(self.value.T, transposed_derivative(self.derivative, self.r))

    def __add__(self, other: Differentiated) -> Differentiated:
        return Differentiated(self.value + other.value, self.derivative + other.derivative)

    def __sub__(self, other: Differentiated) -> Differentiated:
        return Differentiated(self.value - other.value, self.derivative - other.derivative)

    def __neg__(self) -> Differentiated:
        return Differentiated(-self.value, -self.derivative)

    def __matmul__(self, other: Differentiated) -> Differentiated:
        return Differentiated(
            self.value @ other.value, product_derivative(self.value, self.derivative, other.value, other.derivative)
        )

    def __mul__(self, other: Differentiated | float) -> Differentiated:
        """Multiply by a number, or by a 1 x 1 function (theorem 2)."""
        if not isinstance(other, Differentiated):
            return Differentiated(self.value * other, self.derivative * other)
        if other.value.shape != (1, 1):
            raise ValueError(f"'*' takes a scalar function, not one of shape {other.value.shape}; use '@' or kron")
        scalar = other.value[0, 0]
        return Differentiated(
            self.value * scalar, scaled_derivative(scalar, other.derivative, self.value, self.derivative)
        )

    __rmul__ = __mul__

    def kron(self, other: Differentiated) -> Differentiated:
        """Return the Kronecker product (theorem 3)."""
        return Differentiated(
            np.kron(self.value, other.value),
            kronecker_derivative(self.value, self.derivative, other.value, other.derivative),
        )

    def chained(self, inner: Differentiated) -> Differentiated:
        """Return this matrix, a function of the column ``inner``, as a function of the variables of ``inner``."""
        if inner.value.shape != (self.r, 1):
            raise ValueError(f"the inner function must be a column of {self.r}, not of shape {inner.value.shape}")
        return Differentiated(self.value, chained_derivative(self.derivative, inner.derivative, inner.r))

    def differential(self, dq: ArrayLike) -> Array:
        """Return the change of the matrix along ``dq`` (theorem 4)."""
        return differential(self.derivative, dq)
