"""How far one record is from another: a simulated run from the motion that it should reproduce."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from myodyne.data import DataError, Trajectory
from myodyne.errors import listed, unknown_name
from myodyne.types import Floats

# Natural cubic splines need four rows.
_FEWEST_FOR_SPLINES = 4


@dataclass(frozen=True)
class Deviation:
    """How far one column is from another over time, in the unit of the column.

    Examples
    --------
    >>> Deviation("knee", "rad", rms=0.01, largest=0.02, when=0.4, beyond=None).largest
    0.02
    """

    name: str
    unit: str
    rms: float
    largest: float
    when: float
    beyond: float | None = None


@dataclass(frozen=True)
class Comparison:
    """The deviations of all columns compared; it prints as a table with angles in degrees.

    Parameters
    ----------
    columns
        One deviation for each column.
    start, end, rows
        The common times (s), and how many.

    Examples
    --------
    >>> import myodyne as my
    >>> motion = my.Trajectory([0.0, 1.0], {"knee": [0.0, 0.2]}, {"knee": "rad"})
    >>> found = my.compare(motion, motion)
    >>> type(found).__name__, found["knee"].rms
    ('Comparison', 0.0)
    """

    columns: tuple[Deviation, ...]
    start: float
    end: float
    rows: int

    def __getitem__(self, name: str) -> Deviation:
        found = next((column for column in self.columns if column.name == name), None)
        if found is None:
            raise DataError(unknown_name("compared column", name, [column.name for column in self.columns]))
        return found

    @property
    def rms(self) -> dict[str, float]:
        """Root mean square over all columns of a unit, by unit."""
        return {unit: float(np.sqrt(np.mean([c.rms**2 for c in part]))) for unit, part in self._by_unit.items()}

    @property
    def largest(self) -> dict[str, float]:
        """The largest deviation among all columns of a unit, by unit."""
        return {unit: max(column.largest for column in part) for unit, part in self._by_unit.items()}

    @property
    def first_beyond(self) -> Deviation | None:
        """The column that passed its bound first, None where none did or no bound was given."""
        passed = [column for column in self.columns if column.beyond is not None]
        return min(passed, key=lambda column: column.beyond or 0.0) if passed else None

    @property
    def _by_unit(self) -> dict[str, list[Deviation]]:
        units = dict.fromkeys(column.unit for column in self.columns)
        return {unit: [column for column in self.columns if column.unit == unit] for unit in units}

    def __str__(self) -> str:
        wide = max(len("in all"), *(len(column.name) for column in self.columns))
        lines = [f"{'column':<{wide}} {'RMS':>10} {'largest':>10} {'at (s)':>8} {'beyond (s)':>10}  unit"]
        for column in self.columns:
            beyond = "" if column.beyond is None else f"{column.beyond:.3f}"
            (rms, largest), unit = _shown((column.rms, column.largest), column.unit)
            lines.append(
                f"{column.name:<{wide}} {rms:>10.3g} {largest:>10.3g} {column.when:>8.3f} {beyond:>10}  {unit}"
            )
        for name in self._by_unit:
            (rms, largest), unit = _shown((self.rms[name], self.largest[name]), name)
            lines.append(f"{'in all':<{wide}} {rms:>10.3g} {largest:>10.3g} {'':>8} {'':>10}  {unit}")
        return "\n".join(line.rstrip() for line in lines)


def compare(
    run: Trajectory,
    motion: Trajectory,
    names: str | Iterable[str] | None = None,
    bound: float | Mapping[str, float] | None = None,
) -> Comparison:
    """Return how far a run is from a motion, by column and overall.

    Columns are matched by name and must have the same unit. They are compared at the times of the motion that the run
    covers; there the run is taken from natural cubic splines where its own times are others.

    Parameters
    ----------
    run, motion
        What is judged, and what it is judged by.
    names
        Columns to compare; ``*`` and ``?`` stand for any text and any letter. Without names: all that both have.
    bound
        A deviation that should not be passed, in the unit of the columns: one number, or numbers by column or by
        unit, like ``{"rad": 0.09, "m": 0.02}``; the first time beyond it is reported.

    Examples
    --------
    >>> import myodyne as my
    >>> motion = my.Trajectory([0.0, 0.5, 1.0], {"knee": [0.0, 0.2, 0.1]}, {"knee": "rad"})
    >>> run = my.Trajectory([0.0, 0.5, 1.0], {"knee": [0.0, 0.21, 0.13]}, {"knee": "rad"})
    >>> found = my.compare(run, motion, bound=0.02)
    >>> round(found["knee"].largest, 3), found["knee"].beyond
    (0.03, 1.0)
    """
    for what, record in (("run", run), ("motion", motion)):
        if not isinstance(record, Trajectory):
            raise DataError(f"the {what} to compare must be a Trajectory or a Result, not {record!r:.60}")
    chosen = _chosen(run, motion, names)
    first, last = max(run.time[0], motion.time[0]), min(run.time[-1], motion.time[-1])
    slack = 1e-9 * max(run.duration, motion.duration)
    inside = (motion.time >= first - slack) & (motion.time <= last + slack)
    if not inside.any():
        raise DataError(
            f"no time of the motion ({motion.time[0]:g} to {motion.time[-1]:g} s) lies within the run "
            f"({run.time[0]:g} to {run.time[-1]:g} s)"
        )
    times = np.clip(motion.time[inside], first, last)
    errors = _at(run.select(chosen), times) - motion.select(chosen).rows()[inside]
    # A record without units is read in those of the other.
    units = {name: motion.units[name] or run.units[name] for name in chosen}
    columns = tuple(
        _deviation(name, units[name], times, errors[:, number], _bound_of(bound, name, units[name]))
        for number, name in enumerate(chosen)
    )
    return Comparison(columns, float(times[0]), float(times[-1]), len(times))


def _chosen(run: Trajectory, motion: Trajectory, names: str | Iterable[str] | None) -> list[str]:
    both = [name for name in motion.names if name in run]
    if names is not None:
        chosen = list(motion.select(names).names)
        missing = [name for name in chosen if name not in run]
        if missing:
            raise DataError("the run lacks a column: " + unknown_name("column", missing[0], run.names))
    else:
        chosen = both
    if not chosen:
        raise DataError(f"run and motion share no column: the motion has {listed(motion.names, 5)}")
    for name in chosen:
        ours, theirs = run.units[name], motion.units[name]
        if ours != theirs and ours and theirs:
            raise DataError(f"'{name}' is in {ours} in the run and in {theirs} in the motion")
        for what, record in (("run", run), ("motion", motion)):
            if not np.isfinite(record.values(name)).all():
                when = record.time[int(np.argmin(np.isfinite(record.values(name))))]
                raise DataError(f"'{name}' of the {what} is NaN at {when:g} s; cut it with slice, or fill the gap")
    return chosen


def _at(run: Trajectory, times: Floats) -> Floats:
    if len(times) == len(run) and np.array_equal(times, run.time):
        return run.rows()
    return run.resampled(times, order=3 if len(run) >= _FEWEST_FOR_SPLINES else 1).rows()


def _bound_of(bound: float | Mapping[str, float] | None, name: str, unit: str) -> float | None:
    value = bound.get(name, bound.get(unit)) if isinstance(bound, Mapping) else bound
    if value is not None and not value > 0:
        raise DataError(f"the bound of '{name}' must be a positive number, not {value!r:.40}")
    return value


def _deviation(name: str, unit: str, times: Floats, errors: Floats, bound: float | None) -> Deviation:
    size = np.abs(errors)
    most = int(np.argmax(size))
    passed = np.flatnonzero(size > bound) if bound is not None else np.empty(0, dtype=int)
    return Deviation(
        name,
        unit,
        rms=float(np.sqrt(np.mean(errors**2))),
        largest=float(size[most]),
        when=float(times[most]),
        beyond=float(times[passed[0]]) if len(passed) else None,
    )


def _shown(values: tuple[float, float], unit: str) -> tuple[tuple[float, float], str]:
    if unit != "rad":
        return values, unit
    return (float(np.degrees(values[0])), float(np.degrees(values[1]))), "°"
