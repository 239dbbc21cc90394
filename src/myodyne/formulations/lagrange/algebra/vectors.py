"""Three-vectors and 3×3 matrices of any scalars: symbols of SymPy, numbers, jets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from myodyne.formulations.lagrange.algebra.rates import Scalar

Vector: TypeAlias = Sequence[Scalar]
Matrix: TypeAlias = Sequence[Sequence[Scalar]]


def plus(a: Vector[Scalar], b: Vector[Scalar]) -> list[Scalar]:
    """Return a + b."""
    return [x + y for x, y in zip(a, b, strict=True)]


def minus(a: Vector[Scalar], b: Vector[Scalar]) -> list[Scalar]:
    """Return a - b."""
    return [x - y for x, y in zip(a, b, strict=True)]


def scaled(a: Vector[Scalar], factor: Scalar) -> list[Scalar]:
    """Return a times a scalar."""
    return [x * factor for x in a]


def dot(a: Vector[Scalar], b: Vector[Scalar]) -> Scalar:
    """Return a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector[Scalar], b: Vector[Scalar]) -> list[Scalar]:
    """Return a × b."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def times(matrix: Matrix[Scalar], a: Vector[Scalar]) -> list[Scalar]:
    """Return the product of a matrix and a vector."""
    return [dot(row, a) for row in matrix]


def transposed(matrix: Matrix[Scalar]) -> list[list[Scalar]]:
    """Return the transposed matrix."""
    return [[matrix[j][i] for j in range(3)] for i in range(3)]


def product(a: Matrix[Scalar], b: Matrix[Scalar]) -> list[list[Scalar]]:
    """Return the product of two matrices."""
    columns = transposed(b)
    return [[dot(row, column) for column in columns] for row in a]


def turned(axis: Vector[Scalar], cosine: Scalar, sine: Scalar) -> list[list[Scalar]]:
    """Return the matrix of a rotation about a unit axis, from rotated to fixed axes (Rodrigues).

    About a coordinate axis it is the matrix of Winter (2009), equation 8.16, with its zeros.
    """
    rest = 1 - cosine
    wedge: list[list[Scalar | int]] = [[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]]
    rows = []
    for i in range(3):
        row = []
        for j in range(3):
            along = axis[i] * axis[j]
            if i == j:
                # Not 1·(1 - c) + c: symbols would keep the c that cancels.
                row.append(along if along == 1 else cosine + along * rest)
            else:
                row.append(along * rest + wedge[i][j] * sine)
        rows.append(row)
    return rows
