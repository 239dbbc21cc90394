"""Filters, splines and derivatives of columns over time, with faults named by column and time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from myodyne.data.plain import DataError
from myodyne.errors import unknown_name
from myodyne.numerics.filters import DEGREES, NaturalSpline, lowpass
from myodyne.numerics.smoothing_spline import SmoothingSpline, smoothing_of
from myodyne.types import Floats

Found = TypeVar("Found")

_POWERS = {1: "s", 2: "s²", 3: "s³", 4: "s⁴"}


def spline_through(time: Floats, matrix: Floats, names: Sequence[str], degree: int) -> NaturalSpline:
    """Return the natural spline through all columns; ``matrix`` has one row for each column."""
    if degree not in DEGREES:
        raise DataError(f"the degree of splines must be one of {', '.join(map(str, DEGREES))}, not {degree!r}")
    _check_whole(time, matrix, names)
    return _as_data_error(lambda: NaturalSpline(time, matrix.T, degree))


def without_fast(time: Floats, matrix: Floats, names: Sequence[str], cutoff: float) -> tuple[Floats, Floats]:
    """Return padded even times, and the columns there after the zero-lag Butterworth filter."""
    _check_whole(time, matrix, names)
    _check_cutoff(cutoff)
    grid, rows = _as_data_error(lambda: lowpass(time, matrix.T, cutoff))
    return grid, rows.T


class Error(NamedTuple):
    """The known noise of columns: one standard deviation for all, or one by name; None where it is not known."""

    size: float | Mapping[str, float] | None
    units: Mapping[str, str]

    def by_name(self) -> dict[str, float]:
        """Return the noise of each column, checked."""
        size = self.size
        found: dict[str, float | None]
        if isinstance(size, Mapping):
            for name in size:
                if name not in self.units:
                    raise DataError("error: " + unknown_name("column", name, self.units))
            lacking = next((name for name in self.units if name not in size), None)
            if lacking is not None:
                raise DataError(f"the error of '{lacking}' is missing; use select to smooth only some columns")
            found = {name: size[name] for name in self.units}
        else:
            found = dict.fromkeys(self.units, size)
        checked: dict[str, float] = {}
        for name, value in found.items():
            if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0.0 < value < np.inf:
                raise DataError(f"the error of '{name}' must be a positive number in its unit, not {value!r:.40}")
            checked[name] = float(value)
        return checked


def smooth(
    time: Floats, matrix: Floats, names: Sequence[str], cutoff: float | None, error: Error, degree: int
) -> tuple[Floats, list[str]]:
    """Return the columns on smoothing splines at the same times, and what was chosen for each of them."""
    if degree not in DEGREES[1:]:
        raise DataError(f"smoothing splines need a degree of {', '.join(map(str, DEGREES[1:]))}, not {degree!r}")
    _check_whole(time, matrix, names)
    if cutoff is not None and error.size is not None:
        raise DataError("give the cut-off frequency or the known error, not both")
    if cutoff is not None:
        _check_cutoff(cutoff)
    spline = _as_data_error(lambda: SmoothingSpline(time, matrix.T, degree))
    if cutoff is not None:
        # The mean step: what the penalty of unevenly sampled signals amounts to.
        if cutoff >= 0.5 / spline.step:
            raise DataError(
                f"the cut-off frequency lies between 0 and {0.5 / spline.step:g} Hz, half of the sampling rate"
            )
        return spline(smoothing_of(cutoff, spline.step, degree)).T, []
    known = None if error.size is None else error.by_name()
    found, notes = np.array(matrix), []
    for column, name in enumerate(names):
        choice = spline.by_cross_validation(column) if known is None else spline.by_error(known[name], column)
        found[column] = spline(choice.smoothing)[:, column]
        unit = f" {error.units[name]}" if error.units[name] else ""
        way = "cross-validation" if known is None else f"error {known[name]:.4g}{unit}"
        limit = "; at the limit of the search: little noise, or no slow signal" if choice.at_limit else ""
        notes.append(
            f"'{name}' smoothed by {way}: cut-off {choice.cutoff:.3g} Hz, noise {choice.noise:.3g}{unit}{limit}"
        )
    return found, notes


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
            "fill short gaps with filled, cut the record with slice, or leave the column out with select"
        )


def _check_cutoff(cutoff: float) -> None:
    if isinstance(cutoff, bool) or not isinstance(cutoff, int | float | np.number) or not 0.0 < cutoff < np.inf:
        raise DataError(f"the cut-off frequency must be a positive number (Hz), not {cutoff!r:.40}")


def _as_data_error(compute: Callable[[], Found]) -> Found:
    try:
        return compute()
    except ValueError as error:
        raise DataError(str(error)) from None
