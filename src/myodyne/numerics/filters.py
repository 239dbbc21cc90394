"""Filters and splines of sampled signals: zero-lag Butterworth, natural splines; smoothing ones stand beside.

They reproduce OpenSim's tools to rounding, so that its stored results can be repeated: the record is padded by
its reflection, resampled at its smallest step, and passed forward and backward through a third-order Butterworth
filter. Splines are natural ones of odd degree.

The first axis of a signal is time; every column is treated alike.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from myodyne.types import Floats

if TYPE_CHECKING:
    from scipy.interpolate import BSpline

# The order of the Butterworth filter; two passes double the order and leave no lag.
_ORDER = 3
# OpenSim treats steps that differ by more than this as uneven.
_EVEN = float(np.finfo(np.float64).eps)
# The resampled grid never has more samples than this, however small the smallest step.
_MOST_SAMPLES = 100_000
DEGREES = (1, 3, 5, 7)


class NaturalSpline:
    """The natural spline of odd degree 2m - 1 through samples: of degree m - 1 beyond their ends.

    Examples
    --------
    >>> line = NaturalSpline([0.0, 1.0, 2.0, 3.0], [0.0, 2.0, 4.0, 6.0], 3)
    >>> line([1.5, 4.0]).round(9).tolist(), line([1.5], order=1).round(9).tolist()
    ([3.0, 8.0], [2.0])
    """

    def __init__(self, time: ArrayLike, rows: ArrayLike, degree: int) -> None:
        from scipy.interpolate import make_interp_spline

        self.time = np.asarray(time, dtype=np.float64)
        if degree not in DEGREES:
            raise ValueError(f"the degree of a natural spline is one of {DEGREES}, not {degree!r}")
        if len(self.time) <= degree:
            raise ValueError(f"a spline of degree {degree} needs {degree + 1} samples or more, not {len(self.time)}")
        values = np.asarray(rows, dtype=np.float64)
        half = (degree + 1) // 2
        free = [(order, np.zeros(values.shape[1:])) for order in range(half, 2 * half - 1)]
        self.degree = degree
        self._spline: BSpline = make_interp_spline(self.time, values, degree, bc_type=(free, free) if free else None)

    def __call__(self, times: ArrayLike, order: int = 0) -> Floats:
        """Return the values, or the derivatives of some order, at any times."""
        wanted = np.asarray(times, dtype=np.float64)
        found: Floats = self._spline(np.clip(wanted, self.time[0], self.time[-1]), order)
        for end, outside in ((self.time[0], wanted < self.time[0]), (self.time[-1], wanted > self.time[-1])):
            if outside.any():
                found[outside] = self._continued(float(end), wanted[outside] - end, order)
        return found

    def pieces(self, beyond: float) -> tuple[Floats, Floats]:
        """Return breaks and coefficients (pieces, degree + 1, ...) of the time since a break, lowest power first.

        The first and the last piece continue the spline by a time ``beyond`` its ends.
        """
        orders = range(self.degree + 1)
        scale = [math.factorial(order) for order in orders]
        inner = np.stack([self(self.time[:-1], order) / scale[order] for order in orders], axis=1)
        outer = []
        for end, at in ((self.time[0], self.time[0] - beyond), (self.time[-1], self.time[-1])):
            series = [self._continued(float(end), np.array([at - end]), order)[0] for order in orders]
            outer.append(np.array([part / scale[order] for order, part in enumerate(series)]))
        breaks = np.concatenate([[self.time[0] - beyond], self.time, [self.time[-1] + beyond]])
        return breaks, np.concatenate([outer[:1], inner, outer[1:]])

    def _continued(self, end: float, beyond: Floats, order: int) -> Floats:
        """Return the polynomial that continues the spline beyond an end, by its Taylor series."""
        half = (self.degree + 1) // 2
        terms = [
            np.multiply.outer(beyond ** (term - order) / math.factorial(term - order), self._spline(end, term))
            for term in range(order, half)
        ]
        empty = np.zeros((*beyond.shape, *np.shape(self._spline(end))))
        return np.asarray(sum(terms, empty), dtype=np.float64)


def reflected(signal: Floats, count: int) -> Floats:
    """Return a signal padded by ``count`` rows at each end, by point reflection about its first and last sample.

    Value and slope stay continuous; time itself can be padded in the same way.

    Examples
    --------
    >>> reflected(np.array([1.0, 2.0, 4.0]), 1).tolist()
    [0.0, 1.0, 2.0, 4.0, 6.0]
    """
    if not 0 <= count < len(signal):
        raise ValueError(f"{len(signal)} rows can be reflected by at most {len(signal) - 1}, not by {count}")
    before = 2.0 * signal[0] - signal[count:0:-1]
    after = 2.0 * signal[-1] - signal[-2 : -2 - count : -1]
    return np.concatenate([before, signal, after])


def evenly(time: Floats, rows: Floats) -> tuple[Floats, Floats, float]:
    """Return even times at the smallest step, the values of the natural quintic spline there, and the step (s).

    Samples that are already even are returned unchanged.
    """
    if len(time) <= _ORDER:
        raise ValueError(f"{_ORDER + 1} samples or more are needed, not {len(time)}")
    steps = np.diff(time)
    step = float(steps.min())
    mean = float((time[-1] - time[0]) / len(steps))
    if mean - step <= _EVEN:
        return time, rows, step
    step = max(step, float(time[-1] - time[0]) / _MOST_SAMPLES)
    # Accumulated, not multiplied, as in OpenSim: rows are matched by the last bits of their times.
    count = int((time[-1] - time[0]) / step) + 3
    grid = np.cumsum(np.concatenate([time[:1], np.full(count, step)]))
    grid = grid[grid <= time[-1]]
    return grid, NaturalSpline(time, rows, 5)(grid), step


def butterworth(rows: Floats, step: float, cutoff: float) -> Floats:
    """Pass even samples forward and backward through a low-pass Butterworth filter of third order.

    At the cut-off frequency (Hz) half of the amplitude remains: each of the two passes takes 3 dB. The first three
    samples of each pass are left unchanged, so pad with `reflected` first.
    """
    from scipy.signal import butter

    if not 0.0 < cutoff < 0.5 / step:
        raise ValueError(f"the cut-off frequency lies between 0 and {0.5 / step:g} Hz, half of the sampling rate")
    if len(rows) <= _ORDER:
        raise ValueError(f"{_ORDER + 1} samples or more are needed, not {len(rows)}")
    forward, feedback = butter(_ORDER, cutoff, fs=1.0 / step)
    once = _passed(rows, forward, feedback)
    return _passed(once[::-1], forward, feedback)[::-1]


def _passed(rows: Floats, forward: Floats, feedback: Floats) -> Floats:
    from scipy.signal import lfilter

    # The state of the filter after its first samples, as if it had passed them unchanged.
    first = rows[:_ORDER][::-1]
    memory = np.array(
        [
            np.tensordot(forward[place + 1 :] - feedback[place + 1 :], first[: _ORDER - place], axes=1)
            for place in range(_ORDER)
        ]
    )
    rest, _ = lfilter(forward, feedback, rows[_ORDER:], axis=0, zi=memory)
    return np.concatenate([rows[:_ORDER], rest])


def lowpass(time: Floats, rows: Floats, cutoff: float) -> tuple[Floats, Floats]:
    """Return padded, even times and the signal there, low-pass filtered at the cut-off frequency (Hz).

    Half a record is padded before its beginning and after its end; see `reflected`, `evenly`, `butterworth`.

    Examples
    --------
    >>> time = np.arange(100) / 100.0
    >>> grid, slow = lowpass(time, np.sin(6.0 * time) + np.sin(300.0 * time), 5.0)
    >>> len(grid), bool(abs(slow[100] - np.sin(6.0 * time[50])) < 0.01)
    (200, True)
    """
    count = len(time) // 2
    grid, even, step = evenly(reflected(time, count), reflected(rows, count))
    return grid, butterworth(even, step, cutoff)
