"""Gradients and Hessians of functions that equations ``g(f(q), q) = 0`` define.

Two methods: analytical projection, which solves the differentiated equations, and numerical differentiation, which
solves the equations themselves at the points of a stencil. The third, pre-modelling, fits a sweep: see
`fitted_functions`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from myodyne.errors import SolveError
from myodyne.numerics.implicit_functions import ImplicitFunctions
from myodyne.types import Floats

# A column that keeps less than this fraction of its length after projection depends on the others.
DEPENDENT = 1e-10


@dataclass(frozen=True, eq=False)
class Derivatives:
    """Values (m,), gradients (m, n) and Hessians (m, n, n) of functions at one point."""

    values: Floats
    gradients: Floats
    hessians: Floats


def project(columns: ArrayLike, right: ArrayLike) -> Floats:
    """Return the rows ``x_j`` (m, k) with ``Σ_j c_j ⊗ x_j = right``, by successive projections.

    ``columns`` (m, m) holds the vectors ``c_j``, ``right`` (m, k). Beginning with the last, each unknown is
    eliminated by projecting the equations onto what is perpendicular to its column; then the unknowns follow from
    the first to the last (Ehsani, Empirically-based multibody dynamics, equations 105 to 119).

    Examples
    --------
    >>> project([[2.0, 1.0], [0.0, 1.0]], [[4.0], [2.0]]).ravel()
    array([1., 2.])
    """
    c, b = np.asarray(columns, dtype=float), np.asarray(right, dtype=float)
    m = len(c)
    projectors = [np.eye(m)]  # the last belongs to the first unknown
    for i in range(m - 1, 0, -1):
        perpendicular = projectors[-1] @ c[:, i]
        projectors.append(projectors[-1] - np.outer(perpendicular, perpendicular) / _squared(perpendicular, c, i))
    known = np.zeros(b.shape)
    rows = np.empty(b.shape)
    for i, projector in enumerate(reversed(projectors)):
        perpendicular = projector @ c[:, i]
        rows[i] = perpendicular @ (b - known) / _squared(perpendicular, c, i)
        known = known + np.outer(c[:, i], rows[i])
    return rows


def _squared(perpendicular: Floats, columns: Floats, number: int) -> float:
    left = float(perpendicular @ perpendicular)
    if left <= DEPENDENT**2 * float(columns[:, number] @ columns[:, number]):
        raise SolveError(
            f"column {number} of the projected equations depends on the others: the equations are "
            "singular and determine no solution"
        )
    return left


def by_projection(functions: ImplicitFunctions, q: ArrayLike, f: ArrayLike) -> Derivatives:
    """Return gradients and Hessians at a solution ``f`` of the equations, by analytical projection.

    Differentiating ``g(f(q), q) = 0`` once gives ``∂g/∂f ∇f = -∂g/∂q``, twice
    ``∂g/∂f H = -Zᵀ g'' Z`` with ``Z = (∇f, I)``; both are solved by `project`.

    Examples
    --------
    >>> circle = ImplicitFunctions(lambda f, q: f**2 + q**2 - 25.0, names=["height"])
    >>> found = by_projection(circle, [3.0], [4.0])
    >>> found.gradients.round(12).tolist(), found.hessians.round(12).tolist()
    ([[-0.75]], [[[-0.390625]]])
    """
    at, values = (np.atleast_1d(np.asarray(x, dtype=float)) for x in (q, f))
    functions.refuse_singular(at, values)
    by_f, by_q = functions.jacobians(values, at)
    m, n = by_q.shape
    gradients = project(by_f, -by_q)
    along = np.vstack([gradients, np.eye(n)])
    curvature = np.einsum("iab,aj,bk->ijk", functions.second_derivatives(values, at), along, along)
    hessians = project(by_f, -curvature.reshape(m, n * n)).reshape(m, n, n)
    return Derivatives(values, gradients, 0.5 * (hessians + hessians.swapaxes(1, 2)))


def by_differences(functions: ImplicitFunctions, q: ArrayLike, f: ArrayLike, *, step: float = 2e-3) -> Derivatives:
    """Return gradients and Hessians by solving the equations around ``q`` and taking differences of fourth order.

    The stencil reaches two steps along every axis and diagonal; it must not cross the end of the branch.
    """
    at, values = (np.atleast_1d(np.asarray(x, dtype=float)) for x in (q, f))
    n = len(at)
    unit = np.eye(n)

    def around(direction: Floats) -> list[Floats]:
        """Return f at -2, -1, 1 and 2 steps along a direction."""
        outward = [
            functions.sweep(np.array([at, at + s * step * direction, at + 2 * s * step * direction]), values)[1:]
            for s in (-1, 1)
        ]
        return [outward[0][1], outward[0][0], outward[1][0], outward[1][1]]

    gradients = np.empty((len(values), n))
    hessians = np.empty((len(values), n, n))
    for i in range(n):
        far_left, left, right, far_right = around(unit[i])
        gradients[:, i] = (8.0 * (right - left) - (far_right - far_left)) / (12.0 * step)
        hessians[:, i, i] = _second((far_left, left, right, far_right), values, step)
    for i, j in combinations(range(n), 2):
        # Along the diagonal the second derivative is H_ii + 2 H_ij + H_jj, along the other one with a minus.
        rising = _second(tuple(around(unit[i] + unit[j])), values, step)
        falling = _second(tuple(around(unit[i] - unit[j])), values, step)
        hessians[:, i, j] = hessians[:, j, i] = 0.25 * (rising - falling)
    return Derivatives(values, gradients, hessians)


def _second(stencil: tuple[Floats, ...], centre: Floats, step: float) -> Floats:
    far_left, left, right, far_right = stencil
    return (16.0 * (left + right) - (far_left + far_right) - 30.0 * centre) / (12.0 * step**2)
