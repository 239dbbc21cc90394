"""Curves from curves: the nearest one with few control values, and one that is cut off."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np

from myodyne.data.curves.handles import Handles, spline_knots
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.types import Floats


def bernstein_fit(target: PiecewisePolynomial, curve: Handles) -> Floats:
    """Return the control values of the Bézier curve nearest to a function of time, in least squares.

    Examples
    --------
    >>> line = PiecewisePolynomial([0.0, 1.0], [[[1.0], [2.0]]])
    >>> bernstein_fit(line, Handles("bezier", (0.0, 1.0), (0.0, 0.0))).round(9)
    array([1., 3.])
    """
    start, end = curve.times
    degree = len(curve.values) - 1
    times, weights = _quadrature(target, np.array([start, end]), degree)
    u = ((times - start) / (end - start))[:, None]
    powers = np.arange(degree + 1)
    choices = np.array([comb(degree, k) for k in powers], dtype=float)
    return _least_squares(choices * u**powers * (1.0 - u) ** (degree - powers), target(times)[:, 0], weights)


def spline_fit(target: PiecewisePolynomial, curve: Handles) -> Floats:
    """Return the control values of the B-spline nearest to a function of time, in least squares.

    Examples
    --------
    >>> line = PiecewisePolynomial([0.0, 1.0], [[[1.0], [2.0]]])
    >>> spline_fit(line, Handles("bspline", (0.0, 1.0), (0.0, 0.0, 0.0), degree=1)).round(9)
    array([1., 2., 3.])
    """
    from scipy.interpolate import BSpline

    start, end = curve.times
    knots = spline_knots(len(curve.values), start, end, curve.degree)
    times, weights = _quadrature(target, np.unique(knots), curve.degree)
    basis = BSpline.design_matrix(np.clip(times, start, end), knots, curve.degree).toarray()
    return _least_squares(basis, target(times)[:, 0], weights)


def _quadrature(target: PiecewisePolynomial, knots: Floats, degree: int) -> tuple[Floats, Floats]:
    """Return times and weights that integrate the square of target less curve exactly (Gauss and Legendre)."""
    inside = target.breaks[(target.breaks > knots[0]) & (target.breaks < knots[-1])]
    ends = np.unique(np.concatenate([knots, inside]))
    points, weights = np.polynomial.legendre.leggauss(max(target.degree, degree) + 1)
    half = np.diff(ends)[:, None] / 2
    return ((ends[:-1, None] + half) + half * points).ravel(), (half * weights).ravel()


def _least_squares(basis: Floats, values: Floats, weights: Floats) -> Floats:
    root = np.sqrt(weights)
    return np.asarray(np.linalg.lstsq(basis * root[:, None], values * root, rcond=None)[0], dtype=float)


def clipped(curve: PiecewisePolynomial, low: float, high: float) -> PiecewisePolynomial:
    """Return a function of time cut off at two values: the same object where it stays between them.

    Examples
    --------
    >>> line = PiecewisePolynomial([0.0, 1.0], [[[0.0], [2.0]]])
    >>> clipped(line, 0.0, 1.0).breaks
    array([0. , 0.5, 1. ])
    """
    crossings = [time for level in (low, high) for time in _crossings(curve, level)]
    breaks = np.unique(np.concatenate([curve.breaks, crossings]))
    # Crossings that rounding separates from a break belong to it.
    kept = np.append(True, np.diff(breaks) > 1e-12 * max(abs(breaks[0]), abs(breaks[-1])))
    breaks = breaks[kept]
    middles = curve((breaks[:-1] + breaks[1:]) / 2)[:, 0]
    outside = (middles < low) | (middles > high)
    if not outside.any():
        return curve
    coefficients = curve.on_breaks(breaks)
    coefficients[outside] = 0.0
    coefficients[outside, 0, 0] = np.clip(middles[outside], low, high)
    return PiecewisePolynomial(breaks, coefficients)


def clipped_lines(times: Sequence[float], values: Sequence[float], low: float, high: float) -> tuple[Floats, Floats]:
    """Return the points of straight lines that are cut off at two values, with new ones where they cross.

    Examples
    --------
    >>> clipped_lines([0.0, 1.0], [0.0, 2.0], 0.0, 1.0)
    (array([0. , 0.5, 1. ]), array([0., 1., 1.]))
    """
    lines = Handles("piecewise_linear", tuple(times), tuple(values)).pieces()
    crossings = [time for level in (low, high) for time in _crossings(lines, level)]
    every = np.unique(np.concatenate([times, crossings]))
    return every, np.clip(np.interp(every, times, values), low, high)


def _crossings(curve: PiecewisePolynomial, level: float) -> list[float]:
    """Return the times inside the pieces at which a function takes a value."""
    found: list[float] = []
    for begin, width, powers in zip(curve.breaks, np.diff(curve.breaks), curve.coefficients[:, :, 0], strict=False):
        # In fractions of the piece: powers of short times would lose the coefficients of high order.
        scaled = powers * width ** np.arange(len(powers))
        scaled[0] -= level
        roots = np.roots(scaled[::-1])
        real = roots[abs(roots.imag) <= 1e-9].real
        found += (begin + width * real[(real > 0) & (real < 1)]).tolist()
    return found
