"""Functions of time as piecewise polynomials: the form in which controls enter time integration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from myodyne.types import Floats, Integers

# A jump smaller than this fraction of the largest value is rounding of the coefficients, not an event.
_JUMP = 1e-9
# Breaks closer than this fraction of the whole span are one break: 0.1 + 0.2 and 0.3.
_SAME_BREAK = 1e-12


def time_slack(time: float, target: float) -> float:
    """Return the rounding error (s) within which two times count as equal."""
    return 1e-12 * max(abs(time), abs(target))


@dataclass(frozen=True, eq=False)
class PiecewisePolynomial:
    """One or several functions of time, polynomials between common breaks and constant beyond the ends.

    Parameters
    ----------
    breaks : (k + 1,) increasing times (s) between the pieces.
    coefficients : (k, degree + 1, n) of the powers of the time since the piece's own break, lowest first,
        for each of n functions.

    Examples
    --------
    >>> ramp = PiecewisePolynomial([0.0, 1.0, 3.0], [[[0.0], [2.0]], [[2.0], [0.0]]])
    >>> ramp(0.25)
    array([0.5])
    >>> ramp([-1.0, 1.0, 9.0])[:, 0]
    array([0., 2., 2.])
    >>> ramp.discontinuities
    array([0., 1.])
    """

    breaks: Floats
    coefficients: Floats

    def __init__(self, breaks: ArrayLike, coefficients: ArrayLike) -> None:
        breaks_, coefficients_ = np.array(breaks, dtype=float), np.array(coefficients, dtype=float, order="C")
        if breaks_.ndim != 1 or len(breaks_) < 2:
            raise ValueError(f"breaks must be a list of at least two times, not an array of shape {breaks_.shape}")
        if coefficients_.ndim != 3 or coefficients_.shape[0] != len(breaks_) - 1 or coefficients_.shape[1] < 1:
            raise ValueError(
                f"coefficients must have the shape (pieces, degree + 1, functions) with "
                f"{len(breaks_) - 1} pieces, not {coefficients_.shape}"
            )
        if not np.all(np.isfinite(breaks_)) or not np.all(np.isfinite(coefficients_)):
            raise ValueError("breaks and coefficients must be finite numbers")
        bad = np.flatnonzero(np.diff(breaks_) <= 0)
        if len(bad):
            raise ValueError(f"breaks must increase, but {breaks_[bad[0] + 1]:g} follows {breaks_[bad[0]]:g}")
        breaks_.setflags(write=False)
        coefficients_.setflags(write=False)
        object.__setattr__(self, "breaks", breaks_)
        object.__setattr__(self, "coefficients", coefficients_)

    @classmethod
    def constant(cls, values: ArrayLike) -> PiecewisePolynomial:
        """Return constant functions.

        Examples
        --------
        >>> PiecewisePolynomial.constant([1.0, 2.0])(5.0)
        array([1., 2.])
        """
        values = np.atleast_1d(np.asarray(values, dtype=float))
        return cls([0.0, 1.0], values[None, None, :])

    @classmethod
    def merged(cls, parts: Sequence[PiecewisePolynomial]) -> PiecewisePolynomial:
        """Return the functions of all parts side by side, on the union of their breaks.

        Examples
        --------
        >>> both = PiecewisePolynomial.merged([PiecewisePolynomial.constant(3.0),
        ...                                    PiecewisePolynomial([0.0, 2.0], [[[1.0], [1.0]]])])
        >>> both(1.5)
        array([3. , 2.5])
        """
        if not parts:
            return cls([0.0, 1.0], np.zeros((1, 1, 0)))
        breaks = _distinct(np.sort(np.concatenate([part.breaks for part in parts])))
        degree = max(part.degree for part in parts)
        return cls(breaks, np.concatenate([part._onto(breaks, degree) for part in parts], axis=2))

    @property
    def degree(self) -> int:
        """Return the highest power."""
        return int(self.coefficients.shape[1]) - 1

    @property
    def count(self) -> int:
        """Return the number of functions."""
        return int(self.coefficients.shape[2])

    def __call__(self, times: ArrayLike) -> Floats:
        """Return the values at a time, (n,), or at several, (..., n); at a jump the value after it."""
        at = np.asarray(times, dtype=float)
        if self.coefficients.shape[:2] == (1, 1):  # constant
            return np.broadcast_to(self.coefficients[0, 0], (*at.shape, self.count)).copy()
        piece = np.clip(np.searchsorted(self.breaks, at, side="right") - 1, 0, len(self.breaks) - 2)
        return self._values(piece, at)

    def limit(self, time: float, *, left: bool, slack: float = 0.0) -> Floats:
        """Return the values just before or just after a time; breaks within ``slack`` of it count as there."""
        if left:
            piece = np.searchsorted(self.breaks, time - slack, side="left") - 1
        else:
            piece = np.searchsorted(self.breaks, time + slack, side="right") - 1
        return self._values(np.clip(piece, 0, len(self.breaks) - 2), np.asarray(time, dtype=float))

    def rate(self, time: float, slack: float = 0.0) -> Floats:
        """Return the rates of change just after a time, zero beyond the ends; ``slack`` as in `limit`.

        Examples
        --------
        >>> ramp = PiecewisePolynomial([0.0, 2.0], [[[1.0], [0.5]]])
        >>> ramp.rate(1.0), ramp.rate(2.0)
        (array([0.5]), array([0.]))
        """
        rates: Floats = np.zeros(self.count)
        if time < self.breaks[0] - slack or time >= self.breaks[-1] - slack:
            return rates
        piece = int(np.clip(np.searchsorted(self.breaks, time + slack, side="right") - 1, 0, len(self.breaks) - 2))
        local = max(time - self.breaks[piece], 0.0) if piece == 0 else time - self.breaks[piece]
        for power in range(self.degree, 0, -1):
            rates = rates * local + power * self.coefficients[piece, power]
        return rates

    @cached_property
    def discontinuities(self) -> Floats:
        """Return the times where a value or a first derivative jumps, the ends of a slope included."""
        jumps = np.zeros(len(self.breaks), dtype=bool)
        for order in (0, 1) if self.degree else (0,):
            left, right = self._ends(order)
            # Beyond the ends the functions are constant: the outer values agree, the outer slopes are zero.
            before = np.concatenate([right[:1] if order == 0 else np.zeros_like(right[:1]), left])
            after = np.concatenate([right, left[-1:] if order == 0 else np.zeros_like(left[-1:])])
            largest = np.maximum(np.abs(before).max(axis=0), np.abs(after).max(axis=0))
            jumps |= np.any(np.abs(after - before) > _JUMP * largest, axis=1)
        return self.breaks[jumps]

    def on_breaks(self, breaks: Floats) -> Floats:
        """Return coefficients of the same functions on finer breaks: (pieces, degree + 1, n)."""
        return self._onto(breaks, self.degree)

    def _values(self, piece: Integers | np.intp, at: Floats) -> Floats:
        local = at - self.breaks[piece]
        local = np.where(piece == 0, np.maximum(local, 0.0), local)
        beyond = (piece == len(self.breaks) - 2) & (at > self.breaks[-1])
        local = np.where(beyond, self.breaks[-1] - self.breaks[-2], local)[..., None]
        coefficients = self.coefficients[piece]
        values: Floats = coefficients[..., -1, :].copy()
        for power in range(self.degree - 1, -1, -1):
            values = values * local + coefficients[..., power, :]
        return values

    def _ends(self, order: int) -> tuple[Floats, Floats]:
        """Return a derivative at the right end and at the left end of every piece: (k, n) each."""
        widths = np.diff(self.breaks)[:, None]
        powers = np.arange(self.degree + 1)
        factors = np.array([np.prod(np.arange(power - order + 1, power + 1)) for power in powers], dtype=float)
        at_right = np.zeros(self.coefficients[:, 0, :].shape)
        for power in range(self.degree, order - 1, -1):
            at_right = at_right * widths + factors[power] * self.coefficients[:, power, :]
        at_left = factors[order] * self.coefficients[:, order, :] if order <= self.degree else np.zeros(at_right.shape)
        return at_right, at_left

    def _onto(self, breaks: Floats, degree: int) -> Floats:
        """Return coefficients of the same functions on finer breaks: (len(breaks) - 1, degree + 1, n)."""
        middles = 0.5 * (breaks[:-1] + breaks[1:])
        own = np.searchsorted(self.breaks, middles, side="right") - 1
        piece = np.clip(own, 0, len(self.breaks) - 2)
        if self.degree == 0:
            new = np.zeros((len(middles), degree + 1, self.count))
            new[:, 0] = self.coefficients[piece, 0]
            return new
        shift = (breaks[:-1] - self.breaks[piece])[:, None]
        new = np.zeros((len(middles), degree + 1, self.count))
        for low in range(self.degree + 1):
            for high in range(self.degree, low - 1, -1):
                new[:, low] = new[:, low] * shift + comb(high, low) * self.coefficients[piece, high]
        outside = (own < 0) | (own > len(self.breaks) - 2)
        new[outside] = 0.0
        new[outside, 0] = self(middles[outside])
        return new


def _distinct(times: Floats) -> Floats:
    """Drop times that are equal up to rounding."""
    smallest = _SAME_BREAK * max(abs(times[0]), abs(times[-1]))
    kept = np.concatenate([[True], np.diff(times) > smallest])
    distinct: Floats = times[kept]
    return distinct
