"""Movements that repeat themselves: cycles in percent, continuation at the ends, the other side of the body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from myodyne.data.plain import DataError
from myodyne.errors import unknown_name
from myodyne.numerics.filters import NaturalSpline
from myodyne.types import Floats

_SLACK = 1e-9
# A column that misses its own beginning by more than this share of its range does not repeat itself.
_CLOSED = 0.25


@dataclass(frozen=True, eq=False)
class Cycles:
    """Columns over one or more cycles, each from 0 to 100 %.

    Parameters
    ----------
    percent
        Places in the cycle (%).
    table
        For each name an array with a row for each cycle.
    units
        The unit of each column.
    durations
        How long each cycle took (s).

    Examples
    --------
    >>> steps = Cycles(np.array([0.0, 50.0, 100.0]), {"knee": np.array([[0.0, 1.0, 0.0], [0.0, 3.0, 0.0]])})
    >>> steps.mean("knee").tolist(), steps.spread("knee").round(3).tolist(), len(steps)
    ([0.0, 2.0, 0.0], [0.0, 1.414, 0.0], 2)
    """

    percent: Floats
    table: Mapping[str, Floats]
    units: Mapping[str, str] = field(default_factory=dict)
    durations: tuple[float, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(self.table)

    def values(self, name: str) -> Floats:
        """Return a column: a row for each cycle, a number for each place."""
        if name not in self.table:
            raise DataError(unknown_name("column", name, self.table))
        return self.table[name]

    def mean(self, name: str) -> Floats:
        """Return the mean over the cycles."""
        found: Floats = self.values(name).mean(axis=0)
        return found

    def spread(self, name: str) -> Floats:
        """Return the standard deviation between the cycles; two cycles or more are needed."""
        if len(self) < 2:
            raise DataError("one cycle has no spread; give three events or more")
        found: Floats = self.values(name).std(axis=0, ddof=1)
        return found

    def __len__(self) -> int:
        return len(next(iter(self.table.values()), ()))


def cut_cycles(time: Floats, matrix: Floats, units: Mapping[str, str], events: ArrayLike, points: int) -> Cycles:
    """Return the cycles between successive events (s)."""
    marks = np.atleast_1d(np.asarray(events, dtype=np.float64))
    if marks.ndim != 1 or len(marks) < 2:
        raise DataError(f"a cycle lies between two events: give at least two times (s), not {len(marks.ravel())}")
    if not np.isfinite(marks).all() or (np.diff(marks) <= 0.0).any():
        raise DataError("the events of cycles must be increasing times (s)")
    if isinstance(points, bool) or not isinstance(points, int | np.integer) or points < 2:
        raise DataError(f"a cycle needs at least two points, not {points!r:.40}")
    slack = _SLACK * max(abs(float(time[0])), abs(float(time[-1])))
    outside = marks[(marks < time[0] - slack) | (marks > time[-1] + slack)]
    if len(outside):
        raise DataError(f"the event at {outside[0]:g} s lies outside the record, {time[0]:g} to {time[-1]:g} s")
    share = np.linspace(0.0, 1.0, points)
    at = marks[:-1, None] + np.diff(marks)[:, None] * share
    table = {
        name: np.interp(at.ravel(), time, column).reshape(at.shape) for name, column in zip(units, matrix, strict=True)
    }
    return Cycles(100.0 * share, table, dict(units), tuple(np.diff(marks).tolist()))


def continued(
    time: Floats, matrix: Floats, names: Sequence[str], cycle: float, beyond: tuple[float, float]
) -> tuple[Floats, Floats, list[str]]:
    """Return times and columns with rows before and after the record, as its first cycle and its last one go on."""
    _check_cycle(time, cycle)
    for amount in beyond:
        if isinstance(amount, bool) or not isinstance(amount, int | float | np.number) or not 0.0 <= amount < np.inf:
            raise DataError(f"the time added before and after must be at least 0 s, not {amount!r:.40}")
    _check_known(time, matrix, names)
    step = float(time[-1] - time[0]) / (len(time) - 1)
    counts = [int(np.floor(amount / step * (1.0 + _SLACK))) for amount in beyond]
    early = time[0] - step * np.arange(counts[0], 0, -1)
    late = time[-1] + step * np.arange(1, counts[1] + 1)
    spline = NaturalSpline(time, matrix.T, _degree(time))
    # The cycle that begins the record and the one that ends it: each is continued by its own gain.
    first, last = (spline(times[1:]) - spline(times[:1]) for times in (_ends(time[0], cycle), _ends(time[-1], -cycle)))
    turns = np.ceil((time[0] - early) / cycle - _SLACK)
    before = spline(early + turns * cycle) - turns[:, None] * first
    turns = np.ceil((late - time[-1]) / cycle - _SLACK)
    after = spline(late - turns * cycle) + turns[:, None] * last
    notes = []
    if len(matrix):
        gain = np.abs(first[0])
        most = int(np.argmax(gain))
        notes.append(
            f"continued by {counts[0]} rows before and {counts[1]} after, in cycles of {cycle:g} s; the largest gain "
            f"per cycle is {first[0, most]:.4g} in '{names[most]}'"
        )
    table = np.concatenate([before, matrix.T, after]).T
    return np.concatenate([early, time, late]), table, notes


def half_a_cycle_on(
    time: Floats, rows: Mapping[str, Floats], sides: Mapping[str, str], taken: Sequence[str], cycle: float
) -> tuple[dict[str, Floats], list[str]]:
    """Return the columns of the other side under their names, and how well the recorded ones repeat themselves."""
    _check_cycle(time, cycle)
    if not rows:
        raise DataError("sides is empty: give the new name of each recorded column, like {'knee_r': 'knee_l'}")
    for name in sides.values():
        if name in taken or list(sides.values()).count(name) > 1:
            raise DataError(f"the other side cannot be called '{name}': there is such a column already")
    matrix = np.array(list(rows.values()))
    _check_known(time, matrix, list(rows))
    spline = NaturalSpline(time, matrix.T, _degree(time))
    begin = float(time[0])
    missed = (spline(np.array([begin + cycle])) - spline(np.array([begin])))[0]
    extent = np.ptp(matrix, axis=1)
    for name, miss, size in zip(rows, missed, extent, strict=True):
        if abs(miss) > _CLOSED * size:
            raise DataError(
                f"'{name}' does not repeat after {cycle:g} s: it differs from its start by {miss:.3g}, and ranges "
                f"over {size:.3g}. Is the cycle right? A column that grows from cycle to cycle has no other side"
            )
    phase = np.mod(time - begin + 0.5 * cycle, cycle)
    found = spline(begin + phase) - np.multiply.outer(phase / cycle - 0.5, missed)
    worst = int(np.argmax(np.abs(missed) / np.where(extent > 0.0, extent, 1.0)))
    name = list(rows)[worst]
    note = f"the other side is half of {cycle:g} s later; '{name}' repeats worst, within {abs(missed[worst]):.3g}"
    return {sides[name]: column for name, column in zip(rows, found.T, strict=True)}, [note]


def _ends(start: float, cycle: float) -> Floats:
    return np.array([start, start + cycle]) if cycle > 0.0 else np.array([start + cycle, start])


def _degree(time: Floats) -> int:
    return 5 if len(time) > 5 else 3 if len(time) > 3 else 1


def _check_cycle(time: Floats, cycle: float) -> None:
    if isinstance(cycle, bool) or not isinstance(cycle, int | float | np.number) or not 0.0 < cycle < np.inf:
        raise DataError(f"a cycle must be a positive time (s), not {cycle!r:.40}")
    duration = float(time[-1] - time[0])
    if len(time) < 2 or cycle > duration * (1.0 + _SLACK):
        raise DataError(
            f"a cycle of {cycle:g} s is longer than the record, {duration:g} s: a whole cycle must be recorded"
        )
    step = duration / (len(time) - 1)
    if cycle < 4.0 * step:
        raise DataError(f"a cycle of {cycle:g} s holds fewer than four rows, {step:g} s apart")


def _check_known(time: Floats, matrix: Floats, names: Sequence[str]) -> None:
    missing = ~np.isfinite(matrix)
    if missing.any():
        column, row = map(int, np.argwhere(missing)[0])
        raise DataError(f"'{names[column]}' is {matrix[column, row]} at {time[row]:g} s; fill the gap with filled")
