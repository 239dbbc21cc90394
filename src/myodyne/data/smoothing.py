"""Filters, splines and derivatives of columns over time, with faults named by column and time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from myodyne.data.plain import DataError
from myodyne.numerics.filters import DEGREES, NaturalSpline, lowpass, smoothed, smoothing_of
from myodyne.types import Floats

Found = TypeVar("Found")

_POWERS = {1: "s", 2: "s²", 3: "s³", 4: "s⁴"}


def spline_through(time: Floats, matrix: Floats, names: Sequence[str], degree: int) -> NaturalSpline:
    """Return the natural spline through all columns; ``matrix`` has one row for each column."""
    if degree not in DEGREES:
        raise DataError(f"splines have the degree {', '.join(map(str, DEGREES))}, not {degree!r}")
    _check_whole(time, matrix, names)
    return _as_data_error(lambda: NaturalSpline(time, matrix.T, degree))


def without_fast(time: Floats, matrix: Floats, names: Sequence[str], cutoff: float) -> tuple[Floats, Floats]:
    """Return padded even times, and the columns there after the zero-lag Butterworth filter."""
    _check_whole(time, matrix, names)
    _check_cutoff(cutoff)
    grid, rows = _as_data_error(lambda: lowpass(time, matrix.T, cutoff))
    return grid, rows.T


def smooth(time: Floats, matrix: Floats, names: Sequence[str], cutoff: float, degree: int) -> Floats:
    """Return the columns of the smoothing spline with a cut-off frequency, at the same times."""
    if degree not in DEGREES[1:]:
        raise DataError(f"smoothing splines have the degree {', '.join(map(str, DEGREES[1:]))}, not {degree!r}")
    _check_whole(time, matrix, names)
    _check_cutoff(cutoff)
    # The mean step: what the penalty of unevenly sampled signals amounts to.
    step = float(time[-1] - time[0]) / max(len(time) - 1, 1)
    if len(time) > 1 and cutoff >= 0.5 / step:
        raise DataError(f"the cut-off frequency lies between 0 and {0.5 / step:g} Hz, half of the sampling rate")
    return _as_data_error(lambda: smoothed(time, matrix.T, smoothing_of(cutoff, step, degree), degree)).T


def rate_unit(unit: str, order: int) -> str:
    """Return the unit of a derivative with respect to time.

    Examples
    --------
    >>> rate_unit("rad", 2), rate_unit("m/s", 1), rate_unit("", 1), rate_unit("N m", 1)
    ('rad/s²', 'm/s²', '', 'N m/s')
    """
    # The unit of a column may be unknown, and its derivative then is as well.
    if not unit or order == 0:
        return unit
    for power in sorted(_POWERS, reverse=True):
        if unit.endswith(f"/{_POWERS[power]}"):
            return f"{unit.removesuffix('/' + _POWERS[power])}/{_per(power + order)}"
    return f"{unit}/{_per(order)}"


def _per(power: int) -> str:
    return _POWERS.get(power, f"s^{power}")


def _check_whole(time: Floats, matrix: Floats, names: Sequence[str]) -> None:
    missing = ~np.isfinite(matrix)
    if missing.any():
        column, row = map(int, np.argwhere(missing)[0])
        raise DataError(
            f"'{names[column]}' is {matrix[column, row]} at {time[row]:g} s; filters and splines need whole columns: "
            "cut the record by slice, or leave the column out by select"
        )


def _check_cutoff(cutoff: float) -> None:
    if isinstance(cutoff, bool) or not isinstance(cutoff, int | float | np.number) or not 0.0 < cutoff < np.inf:
        raise DataError(f"the cut-off frequency is a positive number (Hz), not {cutoff!r:.40}")


def _as_data_error(compute: Callable[[], Found]) -> Found:
    try:
        return compute()
    except ValueError as error:
        raise DataError(str(error)) from None
