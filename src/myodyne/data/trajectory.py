"""Columns over time, each with a name and a unit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike

from myodyne.data.plain import DataError
from myodyne.data.smoothing import rate_unit, smooth, spline_through, without_fast
from myodyne.errors import unknown_name
from myodyne.types import Floats

if TYPE_CHECKING:
    import xarray


# A time may miss the ends of the record by rounding: fractions of the whole duration below this are no miss.
_SLACK = 1e-9


class Header:
    """Names and units of the columns of a trajectory, checked once.

    Examples
    --------
    >>> swing = Trajectory.from_header([0.0, 1.0], Header(["knee"], ["rad"]), [[0.1], [0.2]])
    >>> swing.values("knee"), swing.units
    (array([0.1, 0.2]), {'knee': 'rad'})
    """

    __slots__ = ("index", "units")

    def __init__(self, names: Sequence[str], units: Sequence[str]) -> None:
        twice = [name for name, number in Counter(names).items() if number > 1]
        if twice:
            raise DataError(f"column '{twice[0]}' stands twice in the table")
        self.index = {_checked_name(name): row for row, name in enumerate(names)}
        self.units = tuple(_checked_unit(name, unit) for name, unit in zip(names, units, strict=True))


class Trajectory:
    """Time (s) and named columns with units, which cannot be changed.

    Reading by name gives an ``xarray.DataArray``; `values` gives bare numbers. ``len`` is the number of
    rows, iteration goes over the names.

    Parameters
    ----------
    time
        Times of the rows (s), strictly increasing.
    columns
        One array, as long as ``time``, for each name.
    units
        Unit of each column, as text; a column without one has the unit ``""``: no dimension, or unknown.

    Examples
    --------
    >>> swing = Trajectory([0.0, 0.5, 1.0], {"knee": [0.0, 0.2, 0.1]}, {"knee": "rad"})
    >>> swing.at(0.25)
    {'knee': 0.1}
    >>> swing["knee"].attrs["units"]
    'rad'
    """

    __slots__ = ("_dataset", "_index", "_matrix", "_time", "_units")

    _time: Floats
    _matrix: Floats
    _index: dict[str, int]
    _units: tuple[str, ...]
    _dataset: xarray.Dataset | None

    def __init__(
        self, time: ArrayLike, columns: Mapping[str, ArrayLike], units: Mapping[str, str] | None = None
    ) -> None:
        units = units or {}
        for name in units:
            if name not in columns:
                raise DataError("units: " + unknown_name("column", name, columns))
        times = _checked_time(time)
        # One row for each column, so that a column lies in one piece.
        matrix = np.empty((len(columns), len(times)))
        for row, (name, values) in enumerate(columns.items()):
            matrix[row] = _checked_column(name, values, len(times))
        matrix.flags.writeable = False
        for slot, value in (
            ("_time", times),
            ("_matrix", matrix),
            ("_index", {_checked_name(name): row for row, name in enumerate(columns)}),
            ("_units", tuple(_checked_unit(name, units.get(name, "")) for name in columns)),
            ("_dataset", None),
        ):
            object.__setattr__(self, slot, value)

    @classmethod
    def from_rows(
        cls, time: ArrayLike, names: Sequence[str], rows: ArrayLike, units: Mapping[str, str] | None = None
    ) -> Trajectory:
        """Return the trajectory whose values are in a table: a row for each time, a column for each name."""
        table = np.asarray(rows, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] != len(names):
            raise DataError(f"{len(names)} names need a table with as many columns, not one of shape {table.shape}")
        if len(set(names)) != len(names):
            twice = next(name for name, number in Counter(names).items() if number > 1)
            raise DataError(f"column '{twice}' stands twice in the table")
        return Trajectory(time, dict(zip(names, table.T, strict=True)), units)

    @classmethod
    def from_header(cls, time: ArrayLike, header: Header, rows: ArrayLike) -> Trajectory:
        """Return the trajectory of a table whose names and units were checked before: many of them share a header."""
        table = np.asarray(rows, dtype=np.float64)
        times = _checked_time(time)
        if table.shape != (len(times), len(header.units)):
            raise DataError(
                f"{len(times)} times of {len(header.units)} columns need a table of that shape, not of {table.shape}"
            )
        matrix = np.ascontiguousarray(table.T)
        matrix = matrix.copy() if np.may_share_memory(matrix, table) else matrix
        matrix.flags.writeable = False
        found = object.__new__(Trajectory)
        values = times, matrix, header.index, header.units, None
        for slot, value in zip(("_time", "_matrix", "_index", "_units", "_dataset"), values, strict=True):
            object.__setattr__(found, slot, value)
        return found

    @classmethod
    def from_dataset(cls, dataset: xarray.Dataset) -> Trajectory:
        """Return the trajectory that an ``xarray.Dataset`` holds, as `dataset` gives it: the way back, lossless.

        Examples
        --------
        >>> swing = Trajectory([0.0, 1.0], {"knee": [0.1, 0.2]}, {"knee": "rad"})
        >>> Trajectory.from_dataset(swing.dataset) == swing
        True
        """
        if "time" not in dataset.variables:
            raise DataError("the dataset has no 'time'")
        for name, variable in dataset.variables.items():
            if variable.dims != ("time",):
                raise DataError(f"'{name}' extends over {variable.dims}, not over time alone")
            if variable.dtype.kind not in "fiu":
                raise DataError(f"'{name}' does not hold numbers")
        if dataset["time"].attrs.get("units", "s") not in ("s", "second", "seconds"):
            raise DataError(f"time must be in seconds, not in {dataset['time'].attrs['units']!r:.40}")
        columns = {str(name): variable.values for name, variable in dataset.data_vars.items()}
        units = {str(name): str(variable.attrs.get("units", "")) for name, variable in dataset.data_vars.items()}
        return Trajectory(dataset["time"].values, columns, units)

    # -- what it holds

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(self._index)

    @property
    def time(self) -> Floats:
        """Times of the rows (s), read-only."""
        return self._time

    @property
    def units(self) -> dict[str, str]:
        """Unit of each column by name."""
        return dict(zip(self._index, self._units, strict=True))

    @property
    def duration(self) -> float:
        """Time between the first and the last row (s)."""
        return float(self._time[-1] - self._time[0])

    def values(self, name: str) -> Floats:
        """Return the numbers of one column, read-only."""
        column: Floats = self._matrix[self._row(name)]
        return column

    def rows(self) -> Floats:
        """Return all numbers as a table, read-only: a row for each time, a column for each name."""
        return self._matrix.T

    @property
    def final(self) -> dict[str, float]:
        """The last row by name."""
        return dict(zip(self._index, self._matrix[:, -1].tolist(), strict=True))

    def __getitem__(self, name: str) -> xarray.DataArray:
        # xarray takes 0.4 s to import: a script that only simulates never pays for it.
        import xarray

        values, unit = (self._time, "s") if name == "time" else (self.values(name), self._units[self._row(name)])
        time = xarray.Variable("time", self._time, {"units": "s"})
        return xarray.DataArray(values, {"time": time}, ("time",), name=name, attrs={"units": unit})

    @property
    def dataset(self) -> xarray.Dataset:
        """All columns as an ``xarray.Dataset`` with the coordinate ``time`` (s); units are attributes."""
        import xarray

        if self._dataset is None:
            columns = {
                name: xarray.Variable("time", self._matrix[row], {"units": self._units[row]})
                for name, row in self._index.items()
            }
            time = xarray.Variable("time", self._time, {"units": "s"})
            object.__setattr__(self, "_dataset", xarray.Dataset(columns, {"time": time}))
        dataset: Any = self._dataset
        # A shallow copy: what the caller adds to it stays with the caller.
        return dataset.copy()  # type: ignore[no-any-return]

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._time)

    # -- parts of it

    def at(self, time: float) -> dict[str, float]:
        """Return the row at a time (s), interpolated linearly between its neighbours."""
        row = self._interpolated(np.atleast_1d(np.float64(time)))[:, 0]
        return dict(zip(self._index, row.tolist(), strict=True))

    def select(self, names: str | Iterable[str]) -> Self:
        """Return the trajectory of some columns; ``*`` and ``?`` in a name stand for any text and any letter.

        Examples
        --------
        >>> run = Trajectory([0.0], {"knee": [0.1], "knee.moment": [3.0], "hip.moment": [5.0]})
        >>> run.select("*.moment").names
        ('knee.moment', 'hip.moment')
        """
        wanted = [names] if isinstance(names, str) else list(names)
        chosen = list(dict.fromkeys(name for pattern in wanted for name in self._matching(pattern)))
        return self._with(self._time, chosen, self._matrix[[self._index[name] for name in chosen]])

    def slice(self, start: float | None = None, end: float | None = None) -> Self:
        """Return the rows from ``start`` to ``end`` (s), both included; None stands for the first or last."""
        first = self._time[0] if start is None else start
        last = self._time[-1] if end is None else end
        inside = (self._time >= first) & (self._time <= last)
        if not inside.any():
            raise DataError(f"no row lies between {first:g} s and {last:g} s; {self._span()}")
        return self._with(self._time[inside], self.names, self._matrix[:, inside])

    # -- other times, filters and derivatives

    def resampled(self, times: ArrayLike, order: int = 1) -> Self:
        """Return the trajectory at other times (s) within the record.

        Parameters
        ----------
        times
            Strictly increasing times (s).
        order
            Degree of the spline between the rows: 1 is linear; 3, 5 and 7 are natural splines, as OpenSim has them.

        Examples
        --------
        >>> fall = Trajectory([0.0, 1.0, 2.0, 3.0], {"way": [0.0, 1.0, 4.0, 9.0]}, {"way": "m"})
        >>> fall.resampled([1.5]).final["way"], round(fall.resampled([1.5], order=3).final["way"], 3)
        (2.5, 2.2)
        """
        wanted = _checked_time(times)
        if order == 1:
            return self._with(wanted, self.names, self._interpolated(wanted))
        self._check_inside(wanted)
        spline = spline_through(self._time, self._matrix, self.names, order)
        return self._with(wanted, self.names, spline(wanted).T)

    def filtered(self, cutoff: float, *, padded: bool = False) -> Self:
        """Return the trajectory without oscillations faster than a cut-off frequency (Hz), and without lag.

        A Butterworth filter of third order passes over the record forward and backward, as in OpenSim's tools, to
        the last digits: at the cut-off frequency half of the amplitude is left. Half of the record is added at
        each end by reflection before; uneven rows are first brought to even ones by quintic splines.

        Parameters
        ----------
        cutoff
            Cut-off frequency (Hz), below half of the sampling rate.
        padded
            Whether the reflected halves and the even times stay, which the derivatives of OpenSim's inverse
            dynamics are taken from; otherwise the rows keep their times.

        Examples
        --------
        >>> time = np.arange(200) / 100.0
        >>> noisy = Trajectory(time, {"knee": np.sin(3.0 * time) + 0.1 * np.sin(200.0 * time)}, {"knee": "rad"})
        >>> slow = noisy.filtered(6.0)
        >>> bool(np.abs(slow.values("knee") - np.sin(3.0 * time))[20:-20].max() < 0.01)
        True
        """
        grid, matrix = without_fast(self._time, self._matrix, self.names, cutoff)
        if not padded:
            grid, matrix = self._time, spline_through(grid, matrix, self.names, 5)(self._time).T
        return self._with(grid, self.names, matrix)

    def smoothed(self, cutoff: float, *, order: int = 5) -> Self:
        """Return the trajectory on natural smoothing splines with a cut-off frequency (Hz).

        The spline trades distance from the rows against its own wiggles (Woltring, 1986); at the cut-off frequency
        1/√2 of the amplitude is left. ``order`` is its degree: 5, or 3 or 7.

        Examples
        --------
        >>> time = np.arange(200) / 100.0
        >>> noisy = Trajectory(time, {"knee": np.sin(3.0 * time) + 0.1 * np.sin(200.0 * time)})
        >>> bool(np.abs(noisy.smoothed(6.0).values("knee") - np.sin(3.0 * time))[20:-20].max() < 0.01)
        True
        """
        matrix = smooth(self._time, self._matrix, self.names, cutoff, order)
        return self._with(self._time, self.names, matrix)

    def derivative(self, order: int = 1) -> Self:
        """Return the first, second ... derivative of every column with respect to time, on quintic splines.

        Names stay, units become those of the rates.

        Examples
        --------
        >>> time = np.arange(20) / 10.0
        >>> swing = Trajectory(time, {"knee": time**2}, {"knee": "rad"}).derivative()
        >>> swing.units, round(swing.at(1.0)["knee"], 6)
        ({'knee': 'rad/s'}, 2.0)
        """
        if order not in (1, 2, 3, 4):
            raise DataError(f"the order of a derivative is 1, 2, 3 or 4, not {order!r:.40}")
        rows = spline_through(self._time, self._matrix, self.names, 5)(self._time, order)
        units = {name: rate_unit(unit, order) for name, unit in self.units.items()}
        return self._like(Trajectory(self._time, dict(zip(self.names, rows.T, strict=True)), units))

    # -- object protocol

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Trajectory) or type(other) is not type(self):
            return NotImplemented
        return (
            list(self._index) == list(other._index)
            and self._units == other._units
            and np.array_equal(self._time, other._time)
            and np.array_equal(self._matrix, other._matrix, equal_nan=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} cannot be changed; build a new one")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} cannot be changed; build a new one")

    def __reduce__(self) -> tuple[Any, ...]:
        return Trajectory, (self._time, dict(zip(self._index, self._matrix, strict=True)), self.units)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self)} rows, {len(self._index)} columns, {self._span()}>"

    def _with(self, time: Floats, names: Sequence[str], matrix: Floats) -> Self:
        """Return another trajectory of the same kind."""
        return self._like(Trajectory(time, dict(zip(names, matrix, strict=True)), self._units_of(names)))

    def _like(self, part: Trajectory) -> Self:
        return part  # type: ignore[return-value]

    def _units_of(self, names: Iterable[str]) -> dict[str, str]:
        return {name: self._units[self._index[name]] for name in names}

    def _row(self, name: str) -> int:
        row = self._index.get(name) if isinstance(name, str) else None
        if row is None:
            raise DataError(unknown_name("column", name, self._index))
        return row

    def _matching(self, pattern: str) -> list[str]:
        if pattern in self._index:
            return [pattern]
        if not isinstance(pattern, str) or not ("*" in pattern or "?" in pattern):
            self._row(pattern)
        parts = (".*" if letter == "*" else "." if letter == "?" else re.escape(letter) for letter in pattern)
        fits = re.compile("".join(parts)).fullmatch
        found = [name for name in self._index if fits(name)]
        if not found:
            raise DataError(f"no column fits '{pattern}': " + unknown_name("column", pattern, self._index))
        return found

    def _interpolated(self, times: Floats) -> Floats:
        self._check_inside(times)
        return np.array([np.interp(times, self._time, column) for column in self._matrix]).reshape(-1, len(times))

    def _check_inside(self, times: Floats) -> None:
        first, last = self._time[0], self._time[-1]
        slack = _SLACK * max(last - first, abs(first), abs(last))
        outside = ~((times >= first - slack) & (times <= last + slack))
        if outside.any():
            raise DataError(f"{times[outside][0]:g} s lies outside the record; {self._span()}")

    def _span(self) -> str:
        return f"{self._time[0]:g} to {self._time[-1]:g} s"


def _checked_time(time: ArrayLike) -> Floats:
    times = np.array(time, dtype=np.float64)
    if times.ndim != 1 or not len(times):
        raise DataError(f"time is a list of one or more numbers, not an array of shape {times.shape}")
    if not np.isfinite(times).all():
        raise DataError(f"time is {times[~np.isfinite(times)][0]} in row {int(np.argmin(np.isfinite(times)))}")
    backward = np.flatnonzero(np.diff(times) <= 0)
    if backward.size:
        row = int(backward[0])
        raise DataError(f"time must increase, but row {row + 1} has {times[row + 1]:.17g} s after {times[row]:.17g} s")
    times.flags.writeable = False
    return times


def _checked_column(name: str, values: ArrayLike, rows: int) -> Floats:
    column = np.asarray(values, dtype=np.float64)
    if column.shape != (rows,):
        raise DataError(f"column '{name}' has the shape {column.shape}, but there are {rows} times")
    return column


def _checked_name(name: str) -> str:
    if not isinstance(name, str) or not name or name != name.strip() or not name.isprintable():
        raise DataError(f"a column's name is printable text without blanks at its ends, not {name!r:.60}")
    if name == "time":
        raise DataError("a column cannot be called 'time': that is the name of the times themselves")
    return name


def _checked_unit(name: str, unit: str) -> str:
    if not isinstance(unit, str) or unit != unit.strip() or not unit.isprintable() or set(unit) & set("[]"):
        raise DataError(f"the unit of '{name}' is printable text without brackets, not {unit!r:.60}")
    return unit
