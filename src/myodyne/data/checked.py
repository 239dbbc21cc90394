"""What time, columns, names and units of a trajectory may be."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from myodyne.data.plain import DataError
from myodyne.errors import unknown_name
from myodyne.types import Booleans, Floats

if TYPE_CHECKING:
    import xarray

# A time may miss the ends of the record by rounding: fractions of the whole duration below this are no miss.
_SLACK = 1e-9


def checked_time(time: ArrayLike) -> Floats:
    """Return times (s) as a read-only array that increases."""
    times = _numbers("time", time)
    if times.ndim != 1 or not len(times):
        raise DataError(f"time must be a list of at least one number, not an array of shape {times.shape}")
    if not np.isfinite(times).all():
        raise DataError(f"time is {times[~np.isfinite(times)][0]} in row {int(np.argmin(np.isfinite(times)))}")
    backward = np.flatnonzero(np.diff(times) <= 0)
    if backward.size:
        row = int(backward[0])
        raise DataError(
            f"time must increase, but row {row + 1} has {_shown(times[row + 1])} s after {_shown(times[row])} s"
        )
    times.flags.writeable = False
    return times


class ByName(dict[str, float]):
    """Numbers by the names of columns; an unknown name is answered with the nearest ones."""

    def __missing__(self, name: str) -> float:
        raise DataError(unknown_name("column", name, self))


def _numbers(what: str, values: ArrayLike) -> Floats:
    """Return a copy of numbers."""
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{what} must hold numbers, not {values!r:.60}") from None


def checked_column(name: str, values: ArrayLike, rows: int) -> Floats:
    """Return the numbers of a column, as many as there are times."""
    column = _numbers(f"column '{name}'", values)
    if column.shape != (rows,):
        raise DataError(f"column '{name}' has the shape {column.shape}, but there are {rows} times")
    return column


def _shown(time: float) -> str:
    """Return a time as short as it can be read back."""
    return repr(float(time)).removesuffix(".0")


def checked_name(name: str) -> str:
    """Return the name of a column, if it can be one."""
    if not isinstance(name, str) or not name or name != name.strip() or not name.isprintable():
        raise DataError(f"a column's name must be printable text without blanks at its ends, not {name!r:.60}")
    if name == "time":
        raise DataError("a column cannot be called 'time': that is the name of the times themselves")
    return name


def checked_unit(name: str, unit: str) -> str:
    """Return the unit of a column, if it can be one."""
    if not isinstance(unit, str) or unit != unit.strip() or not unit.isprintable() or set(unit) & set("[]"):
        raise DataError(f"the unit of '{name}' must be printable text without brackets, not {unit!r:.60}")
    return unit


def matching(pattern: str, names: Iterable[str]) -> list[str]:
    """Return the names that fit a pattern, in which ``*`` and ``?`` stand for any text and any letter."""
    known = list(names)
    if pattern in known:
        return [pattern]
    if not isinstance(pattern, str) or not ("*" in pattern or "?" in pattern):
        raise DataError(unknown_name("column", pattern, known))
    parts = (".*" if letter == "*" else "." if letter == "?" else re.escape(letter) for letter in pattern)
    fits = re.compile("".join(parts)).fullmatch
    found = [name for name in known if fits(name)]
    if not found:
        raise DataError(f"no column matches '{pattern}': " + unknown_name("column", pattern, known))
    return found


def check_dataset(dataset: xarray.Dataset) -> None:
    """Refuse a dataset that is not made of numbers over time in seconds."""
    if "time" not in dataset.variables:
        raise DataError("the dataset has no 'time'")
    for name, variable in dataset.variables.items():
        if variable.dims != ("time",):
            raise DataError(f"'{name}' extends over {variable.dims}, not over time alone")
        if variable.dtype.kind not in "fiu":
            raise DataError(f"'{name}' does not hold numbers")
    if dataset["time"].attrs.get("units", "s") not in ("s", "second", "seconds"):
        raise DataError(f"time must be in seconds, not in {dataset['time'].attrs['units']!r:.40}")


def check_inside(times: Floats, record: Floats) -> None:
    """Refuse times (s) that lie outside those of a record."""
    first, last = record[0], record[-1]
    slack = _SLACK * max(last - first, abs(first), abs(last))
    outside = ~((times >= first - slack) & (times <= last + slack))
    if outside.any():
        raise DataError(f"{times[outside][0]:g} s lies outside the record, {first:g} to {last:g} s")


def check_units(units: Mapping[str, str], columns: object) -> None:
    """Refuse columns without names, and units of columns that do not exist."""
    if not isinstance(columns, Mapping):
        raise DataError(f"columns are given by name, like {{'knee': values}}, not as {columns!r:.60}")
    for name in units:
        if name not in columns:
            raise DataError("units: " + unknown_name("column", name, columns))


def check_columns(names: Sequence[str], table: Floats) -> None:
    """Refuse a table whose columns are not as many as the names, or that has a name twice."""
    if table.ndim != 2 or table.shape[1] != len(names):
        raise DataError(f"{len(names)} names need a table with as many columns, not one of shape {table.shape}")
    twice = [name for name, number in Counter(names).items() if number > 1]
    if twice:
        raise DataError(f"column '{twice[0]}' appears twice in the table")


def rows_between(time: Floats, start: float | None, end: float | None) -> Booleans:
    """Return which rows lie from ``start`` to ``end`` (s); None stands for the first or last."""
    first = float(time[0]) if start is None else start
    last = float(time[-1]) if end is None else end
    inside: Booleans = (time >= first) & (time <= last)
    if not inside.any():
        between = f"between {first:g} s and {last:g} s" if first <= last else f"after {first:g} s and before {last:g} s"
        raise DataError(f"no row lies {between}; there are rows from {span_of(time)}")
    return inside


def span_of(time: Floats) -> str:
    """Return from when to when times go, in words."""
    return f"{time[0]:g} to {time[-1]:g} s"
