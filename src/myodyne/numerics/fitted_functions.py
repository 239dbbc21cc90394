"""Splines and Fourier series fitted to a sweep, with gradients and Hessians: pre-modelling of joint variables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from myodyne.errors import SolveError
from myodyne.types import Floats

if TYPE_CHECKING:
    from scipy.interpolate import NdBSpline


class SplineFit:
    """Splines through values on a grid of one or several variables.

    A cubic has second derivatives to second order only. At steps of 0.01 they are good to four or five figures,
    which is why the default degree is higher.

    Parameters
    ----------
    axes : n increasing lists of values of the variables, the lines of the grid.
    values : (k1, ..., kn, m) of m functions on the grid, as `ImplicitFunctions.grid` returns them.
    degree : of the polynomials between the lines.

    Examples
    --------
    >>> x = np.linspace(0.0, 1.0, 101)
    >>> fit = SplineFit([x], np.sin(x)[:, None])
    >>> bool(abs(fit.hessians([0.5])[0, 0, 0] + np.sin(0.5)) < 1e-10)
    True
    """

    def __init__(self, axes: Sequence[ArrayLike], values: ArrayLike, *, degree: int = 7) -> None:
        self.axes = [np.asarray(axis, dtype=float) for axis in axes]
        self.degree = degree
        self._values = np.asarray(values, dtype=float)
        shape = tuple(len(axis) for axis in self.axes)
        if self._values.ndim != len(shape) + 1 or self._values.shape[:-1] != shape:
            raise ValueError(f"a grid of {shape} needs values of the shape {(*shape, 'm')}, not {self._values.shape}")
        for number, axis in enumerate(self.axes):
            if len(axis) <= degree or not (np.diff(axis) > 0).all():
                raise ValueError(f"axis {number} needs more than {degree} increasing values for splines of that degree")

    @cached_property
    def _spline(self) -> NdBSpline:
        from scipy.interpolate import NdBSpline, make_interp_spline

        coefficients, knots = self._values, []
        for number, axis in enumerate(self.axes):
            curve = make_interp_spline(axis, coefficients, k=self.degree, axis=number)
            coefficients = np.moveaxis(curve.c, 0, number)  # they come with the fitted axis first
            knots.append(curve.t)
        return NdBSpline(tuple(knots), coefficients, self.degree)

    def __call__(self, q: ArrayLike) -> Floats:
        """Return the values (m,) at a point."""
        return self._at(q, (0,) * len(self.axes))

    def gradients(self, q: ArrayLike) -> Floats:
        """Return the gradients (m, n) at a point."""
        unit = np.eye(len(self.axes), dtype=int)
        return np.stack([self._at(q, tuple(row.tolist())) for row in unit], axis=-1)

    def hessians(self, q: ArrayLike) -> Floats:
        """Return the Hessians (m, n, n) at a point."""
        unit = np.eye(len(self.axes), dtype=int)
        rows = [[self._at(q, tuple((a + b).tolist())) for b in unit] for a in unit]
        return np.moveaxis(np.array(rows), -1, 0)

    def _at(self, q: ArrayLike, orders: tuple[int, ...]) -> Floats:
        at = np.atleast_1d(np.asarray(q, dtype=float))
        for number, (value, axis) in enumerate(zip(at, self.axes, strict=True)):
            if not axis[0] <= value <= axis[-1]:
                raise SolveError(
                    f"variable {number} is {value:g}, outside the fitted range from {axis[0]:g} to "
                    f"{axis[-1]:g}; widen the sweep"
                )
        result: Floats = self._spline(at[None, :], nu=orders)[0]
        return result


class FourierFit:
    """Periodic functions of one variable plus a linear trend, fitted by least squares.

    ``f = slope q + mean + Σ_k cosines[k] cos((k+1) w q) + sines[k] sin((k+1) w q)`` with ``w = 2π / period``.

    Parameters
    ----------
    q : (k,) values of the variable, over one period at least.
    values : (k, m) of m functions there.
    period : of the functions in q.
    harmonics : number of harmonics.
    slopes : (m,) linear trend of each function per unit of q; 2π / period for an angle that turns once per period.

    Examples
    --------
    >>> q = np.arange(0.0, 2 * np.pi, 0.01)
    >>> fit = FourierFit(q, (q + 0.3 * np.cos(2 * q))[:, None], period=2 * np.pi, harmonics=3, slopes=[1.0])
    >>> fit.cosines[1].round(12), bool(fit.largest_error < 1e-12)
    (array([0.3]), True)
    """

    def __init__(
        self, q: ArrayLike, values: ArrayLike, *, period: float, harmonics: int, slopes: ArrayLike = 0.0
    ) -> None:
        at, wanted = np.asarray(q, dtype=float), np.asarray(values, dtype=float)
        if at.ndim != 1 or wanted.ndim != 2 or len(wanted) != len(at):
            raise ValueError(f"k values of q need values of the shape (k, m), not {at.shape} and {wanted.shape}")
        if len(at) < 2 * harmonics + 1:
            raise ValueError(f"{harmonics} harmonics need {2 * harmonics + 1} samples or more, not {len(at)}")
        self.period = period
        self.slopes = np.broadcast_to(np.asarray(slopes, dtype=float), wanted.shape[1:]).copy()
        self._frequencies = 2.0 * np.pi / period * np.arange(1, harmonics + 1)
        phases = np.outer(at, self._frequencies)
        basis = np.hstack([np.ones((len(at), 1)), np.cos(phases), np.sin(phases)])
        periodic = wanted - np.outer(at, self.slopes)
        found, _, rank, _ = np.linalg.lstsq(basis, periodic, rcond=None)
        if rank < basis.shape[1]:
            raise SolveError(
                f"{len(at)} samples from {at.min():g} to {at.max():g} do not determine {harmonics} "
                f"harmonics of the period {period:g}; sweep a whole period"
            )
        self.mean, self.cosines, self.sines = found[0], found[1 : harmonics + 1], found[harmonics + 1 :]
        self.largest_error = float(np.abs(basis @ found - periodic).max())

    def __call__(self, q: ArrayLike) -> Floats:
        """Return the values (m,) at a point."""
        at, cosine, sine = self._waves(q)
        result: Floats = self.slopes * at + self.mean + cosine @ self.cosines + sine @ self.sines
        return result

    def gradients(self, q: ArrayLike) -> Floats:
        """Return the derivatives (m, 1) at a point."""
        _, cosine, sine = self._waves(q)
        rates: Floats = (self._frequencies * cosine) @ self.sines - (self._frequencies * sine) @ self.cosines
        return (self.slopes + rates)[:, None]

    def hessians(self, q: ArrayLike) -> Floats:
        """Return the second derivatives (m, 1, 1) at a point."""
        _, cosine, sine = self._waves(q)
        squares = self._frequencies**2
        bends: Floats = -(squares * cosine) @ self.cosines - (squares * sine) @ self.sines
        return bends[:, None, None]

    def _waves(self, q: ArrayLike) -> tuple[float, Floats, Floats]:
        (at,) = np.atleast_1d(np.asarray(q, dtype=float)).tolist()
        return at, np.cos(self._frequencies * at), np.sin(self._frequencies * at)
