"""Times that were even before their last digit was rounded."""

from __future__ import annotations

import numpy as np

from myodyne.data.plain import DataError
from myodyne.types import Floats

# Times are written with at most so many decimals.
_DECIMALS = 12
# Rounding moves a time by half a unit of the last decimal; the line through all of them is off by a little as well.
_ROUNDED = 0.6
# A unit of the last decimal that is a larger part of the step could hide a lost row.
_COARSEST = 0.25
# Even to the last bits: nothing to do.
_EXACT = 1e-12


def even_times(time: Floats) -> tuple[Floats, list[str]]:
    """Return even times in place of rounded ones, and a sentence on what was done; uneven times raise an error."""
    count = len(time)
    if count < 3:
        return time, []
    rows = np.arange(count)
    steady = time[0] + (time[-1] - time[0]) / (count - 1) * rows
    if np.abs(time - steady).max() <= _EXACT * max(abs(time[0]), abs(time[-1])):
        return time, []
    # The line that is nearest to all: the ends are rounded, too.
    slope, start = np.polyfit(rows, time, 1)
    line = start + slope * rows
    away = float(np.abs(time - line).max())
    unit = _last_decimal(time)
    if unit is None or unit > _COARSEST * slope or away > _ROUNDED * unit:
        steps = np.diff(time)
        widest = int(np.argmax(steps))
        raise DataError(
            f"the times are uneven by more than the rounding of their last digit: steps of {steps.min():.6g} to "
            f"{steps.max():.6g} s, the longest at {time[widest]:g} s. Were rows lost? resampled(times) makes them even"
        )
    # The record keeps its first time where the line allows.
    if abs(start - time[0]) <= 0.5 * unit:
        start = float(time[0])
        slope = float(rows @ (time - start) / (rows @ rows))
    note = f"times rounded to {unit:g} s were put on an even grid of {slope:.9g} s ({1.0 / slope:.6g} Hz)"
    return start + slope * rows, [note]


def _last_decimal(time: Floats) -> float | None:
    """Return the unit of the last decimal that the times are written with; None where they have all digits."""
    for decimals in range(_DECIMALS + 1):
        if np.abs(np.round(time, decimals) - time).max() <= 4.0 * np.finfo(np.float64).eps * np.abs(time).max():
            return float(10.0**-decimals)
    return None
