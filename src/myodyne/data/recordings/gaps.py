"""Gaps in columns, filled by splines where they are short."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from myodyne.data.plain import DataError
from myodyne.numerics.filters import DEGREES, NaturalSpline
from myodyne.types import Booleans, Floats, Integers

# A gap may be longer than the bound by rounding of its times.
_SLACK = 1e-9


def filled_gaps(
    time: Floats, matrix: Floats, names: Sequence[str], longest: float, degree: int
) -> tuple[Floats, list[str]]:
    """Return the columns (a row of the matrix each) with short gaps filled, and what was filled and what stays."""
    if isinstance(longest, bool) or not isinstance(longest, int | float | np.number) or not 0.0 < longest < np.inf:
        raise DataError(f"the longest gap to fill must be a positive time (s), not {longest!r:.40}")
    if degree not in DEGREES:
        raise DataError(f"the degree of a spline must be one of {', '.join(map(str, DEGREES))}, not {degree!r}")
    found, notes = np.array(matrix), []
    for row, name in enumerate(names):
        if np.isinf(matrix[row]).any():
            raise DataError(f"'{name}' is infinite at {time[np.isinf(matrix[row])][0]:g} s, which is not a gap")
        missing = np.isnan(matrix[row])
        if missing.any():
            found[row], said = _filled(time, matrix[row], missing, float(longest), degree)
            notes += [f"'{name}': {sentence}" for sentence in said]
    return found, notes


def _filled(time: Floats, column: Floats, missing: Booleans, longest: float, degree: int) -> tuple[Floats, list[str]]:
    known = int((~missing).sum())
    if known <= degree:
        return column, [f"{known} known rows are too few for a spline of degree {degree}; all gaps stay"]
    first, last = _runs(missing)
    inner = (first > 0) & (last < len(time) - 1)
    # From the last known row to the next one.
    length = time[np.minimum(last + 1, len(time) - 1)] - time[np.maximum(first - 1, 0)]
    short = inner & (length <= longest * (1.0 + _SLACK))
    wanted = np.zeros_like(missing)
    for begin, end in zip(first[short], last[short], strict=True):
        wanted[begin : end + 1] = True
    whole = np.array(column)
    if wanted.any():
        whole[wanted] = NaturalSpline(time[~missing], column[~missing], degree)(time[wanted])
    notes = []
    if wanted.any():
        notes.append(
            f"{_number(int(wanted.sum()), 'row')} filled in {_number(int(short.sum()), 'gap')} of up to "
            f"{length[short].max():.3g} s"
        )
    notes += [
        f"the gap from {time[begin]:g} to {time[end]:g} s stays: it is longer than {longest:g} s"
        for begin, end in zip(first[inner & ~short], last[inner & ~short], strict=True)
    ]
    notes += [
        f"the gap from {time[begin]:g} to {time[end]:g} s stays: it is at an end of the record"
        for begin, end in zip(first[~inner], last[~inner], strict=True)
    ]
    return whole, notes


def _runs(missing: Booleans) -> tuple[Integers, Integers]:
    """Return the first and the last row of each gap."""
    edges = np.diff(np.concatenate([[False], missing, [False]]).astype(np.int8))
    return np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1


def _number(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"
