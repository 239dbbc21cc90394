"""Natural smoothing splines: how much to smooth by cut-off frequency, by known error, or by cross-validation.

Woltring (1986, Advances in Engineering Software 8:104-113) gives the criteria; the equations are Reinsch's, banded, so
that a record of n rows costs O(n). The first axis of a signal is time; every column is smoothed alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from myodyne.numerics.filters import DEGREES
from myodyne.types import Floats

if TYPE_CHECKING:
    from scipy.sparse import dia_array, sparray

# Cut-off frequencies that are tried, in shares of half the sampling rate: beyond the last the spline meets every row.
_FASTEST = 10.0
# How many cut-off frequencies are compared before the best of them is refined.
_TRIED = 80
# Step of the logarithm of the smoothing parameter in differences of the log determinant.
_STEP = 0.02


@dataclass(frozen=True)
class Choice:
    """How far a column is smoothed: parameter p, its cut-off frequency (Hz), and the noise that this implies."""

    smoothing: float
    cutoff: float
    noise: float
    at_limit: bool = False


class SmoothingSpline:
    """The natural spline s of degree 2m - 1 that minimises Σ (y - s)² + p ∫ (s⁽ᵐ⁾)² dt, for any p.

    `NaturalSpline` through its values at the samples is the spline itself, with all its derivatives.

    Examples
    --------
    >>> time = np.arange(8.0)
    >>> spline = SmoothingSpline(time, np.where(time % 2, 1.0, -1.0), degree=3)
    >>> np.round(spline(1e9) @ time, 3).item()
    4.0
    """

    def __init__(self, time: Floats, rows: Floats, degree: int = 5) -> None:
        from scipy.sparse import csr_array

        self.half, self.count = (degree + 1) // 2, len(time)
        if degree not in DEGREES or self.count <= degree:
            raise ValueError(f"{self.count} samples cannot be smoothed by a spline of degree {degree}")
        self.degree = degree
        # The m-th derivative of a natural spline is a sum of B-splines of degree m - 1, with weights u. Reinsch's
        # equations for u: (R + p D Dᵀ) u = D y with divided differences D s = R u, and s = y - p Dᵀ u. Time in units
        # of the mean step keeps the two terms of one size.
        self.step = float(time[-1] - time[0]) / (self.count - 1)
        places = (time - time[0]) / self.step
        self._rows = rows.reshape(self.count, -1)
        self._shape = rows.shape
        self._differences = csr_array(_differences(places, self.half))
        self._gram = _gram(places, self.half)
        self._square = _band(self._differences @ self._differences.T, self.half)
        self._right = self._differences @ self._rows
        self._freedoms: dict[float, float] = {}

    def __call__(self, smoothing: float) -> Floats:
        """Return the values at the samples."""
        return (self._rows - self._away(smoothing)).reshape(self._shape)

    def _weight(self, smoothing: float) -> float:
        return smoothing / self.step ** (2 * self.half - 1)

    def _away(self, smoothing: float, column: int | None = None) -> Floats:
        """Return what the spline leaves of the rows, of all columns or of one."""
        from scipy.linalg import solveh_banded

        weight = self._weight(smoothing)
        right = self._right if column is None else self._right[:, column]
        found: Floats = weight * (
            self._differences.T @ solveh_banded(self._gram + weight * self._square, right, lower=True)
        )
        return found

    def squares(self, smoothing: float, column: int) -> float:
        """Return the sum of squared distances of a column from its spline."""
        away = self._away(smoothing, column)
        return float(away @ away)

    def freedom(self, smoothing: float) -> float:
        """Return how many degrees of freedom of the samples are left to the residuals: the trace of I - A.

        A takes the samples to the spline. With Reinsch's matrix B = R + p D Dᵀ the trace is p tr(B⁻¹ D Dᵀ), which is
        d log det B / d log p: a difference of fourth order of Cholesky's determinants, all of it banded.
        """
        found = self._freedoms.get(smoothing)
        if found is not None:
            return found
        around = [self._log_determinant(smoothing * math.exp(steps * _STEP)) for steps in (-2, -1, 1, 2)]
        found = (around[0] - 8.0 * around[1] + 8.0 * around[2] - around[3]) / (12.0 * _STEP)
        # Columns are compared at the same cut-off frequencies.
        self._freedoms[smoothing] = found
        return found

    def _log_determinant(self, smoothing: float) -> float:
        from scipy.linalg import cholesky_banded

        factor = cholesky_banded(self._gram + self._weight(smoothing) * self._square, lower=True)
        return 2.0 * float(np.log(factor[0]).sum())

    def cutoffs(self) -> tuple[float, float]:
        """Return the slowest and the fastest cut-off frequency (Hz) that choices are made from."""
        return 0.25 / (self.step * (self.count - 1)), _FASTEST * 0.5 / self.step

    def choice_of(self, cutoff: float, column: int, *, at_limit: bool = False) -> Choice:
        """Return the choice with a cut-off frequency (Hz); the noise is estimated from what the spline leaves."""
        smoothing = smoothing_of(cutoff, self.step, self.degree)
        left = self.freedom(smoothing)
        noise = math.sqrt(self.squares(smoothing, column) / left) if left > 0.0 else math.nan
        return Choice(smoothing, cutoff, noise, at_limit)

    def by_error(self, error: float, column: int) -> Choice:
        """Return the choice whose squared distances from the samples add up to n times the squared known error.

        Where a spline as smooth as possible is still nearer to the samples than that, it is the choice.
        """
        from scipy.optimize import brentq

        wanted = self.count * error**2
        slowest, fastest = (math.log(cutoff) for cutoff in self.cutoffs())

        def excess(log_cutoff: float) -> float:
            return self.squares(smoothing_of(math.exp(log_cutoff), self.step, self.degree), column) - wanted

        if excess(slowest) <= 0.0:
            return self.choice_of(math.exp(slowest), column, at_limit=True)
        if excess(fastest) >= 0.0:
            return self.choice_of(math.exp(fastest), column, at_limit=True)
        return self.choice_of(math.exp(brentq(excess, slowest, fastest, xtol=1e-10)), column)

    def by_cross_validation(self, column: int) -> Choice:
        """Return the choice with the least generalised cross-validation (Craven and Wahba 1979; Woltring 1986)."""
        from scipy.optimize import minimize_scalar

        slowest, fastest = self.cutoffs()
        grid = np.linspace(math.log(slowest), math.log(fastest), _TRIED)
        cost = self._validation(column)
        costs = np.array([cost(place) for place in grid])
        best = int(np.argmin(costs))
        if best in (0, _TRIED - 1):
            return self.choice_of(math.exp(grid[best]), column, at_limit=True)
        found = minimize_scalar(
            cost, bounds=(grid[best - 1], grid[best + 1]), method="bounded", options={"xatol": 1e-6}
        )
        return self.choice_of(math.exp(found.x), column)

    def _validation(self, column: int) -> Callable[[float], float]:
        def cost(log_cutoff: float) -> float:
            smoothing = smoothing_of(math.exp(log_cutoff), self.step, self.degree)
            left = self.freedom(smoothing) / self.count
            return self.squares(smoothing, column) / self.count / left**2

        return cost


def smoothing_of(cutoff: float, step: float, degree: int) -> float:
    """Return the smoothing parameter p of a spline that attenuates the cut-off frequency (Hz) to 1/√2.

    A smoothing spline of degree 2m - 1 through even samples attenuates by 1 / (1 + p Δt ω^2m), as do
    two passes of a Butterworth filter of order m with a higher cut-off.
    """
    half = (degree + 1) // 2
    return (math.sqrt(2.0) - 1.0) / (step * (2.0 * math.pi * cutoff) ** (2 * half))


def smoothed(time: Floats, rows: Floats, smoothing: float, degree: int = 5) -> Floats:
    """Return the values at the samples of the natural smoothing spline with the parameter p; see `SmoothingSpline`."""
    return SmoothingSpline(time, rows, degree)(smoothing)


def _differences(places: Floats, half: int) -> dia_array:
    """Return the sparse matrix of m-th divided differences, each times (m-1)! and its width."""
    from scipy.sparse import dia_array

    count = len(places) - half
    stencil = np.empty((half + 1, len(places)))
    for offset in range(half + 1):
        others = [other for other in range(half + 1) if other != offset]
        at = places[offset : offset + count]
        product = np.prod([at - places[other : other + count] for other in others], axis=0)
        width = places[half : half + count] - places[:count]
        stencil[offset, offset : offset + count] = math.factorial(half - 1) * width / product
    return dia_array((stencil, np.arange(half + 1)), shape=(count, len(places)))


def _gram(places: Floats, half: int) -> Floats:
    """Return the integrals of the products of B-splines of degree m - 1, as the lower bands of a matrix."""
    from scipy.interpolate import BSpline
    from scipy.sparse import csr_array

    # Gauss' rule with m points is exact for the products, piece by piece.
    nodes, weights = np.polynomial.legendre.leggauss(half)
    steps = np.diff(places)
    at = places[:-1, None] + 0.5 * steps[:, None] * (nodes + 1.0)
    knots = np.concatenate([np.full(half, places[0]), places, np.full(half, places[-1])])
    # The first m splines and the last ones involve repeated knots; the others match the divided differences.
    design = csr_array(BSpline.design_matrix(at.ravel(), knots, half - 1))[:, half : len(places)]
    weighted = design * np.sqrt(0.5 * steps[:, None] * weights).reshape(-1, 1)
    return _band(csr_array(weighted.T @ weighted), half)


def _band(matrix: sparray, half: int) -> Floats:
    """Return the lower bands of a symmetric matrix as `solveh_banded` takes them."""
    count = matrix.shape[0]
    bands = np.zeros((half + 1, count))
    for offset in range(min(half, count - 1) + 1):
        bands[offset, : count - offset] = matrix.diagonal(-offset)
    return bands
