"""Columns over time, each with a name and a unit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike

from myodyne.data.checked import (
    ByName,
    check_columns,
    check_dataset,
    check_inside,
    check_units,
    checked_column,
    checked_name,
    checked_time,
    checked_unit,
    matching,
    rows_between,
    span_of,
)
from myodyne.data.plain import DataError
from myodyne.data.recordings.cycles import Cycles, continued, cut_cycles, half_a_cycle_on
from myodyne.data.recordings.even_times import even_times
from myodyne.data.recordings.gaps import filled_gaps
from myodyne.data.recordings.smoothing import Error, rate_unit, smooth, spline_through, without_fast
from myodyne.data.shown import column_table
from myodyne.errors import unknown_name
from myodyne.notebook import Table, counted, html_of
from myodyne.types import Floats

if TYPE_CHECKING:
    import xarray


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
    notes
        What had to be decided while it was read or made, in sentences; they do not take part in comparisons.

    Examples
    --------
    >>> swing = Trajectory([0.0, 0.5, 1.0], {"knee": [0.0, 0.2, 0.1]}, {"knee": "rad"})
    >>> swing.at(0.25)
    {'knee': 0.1}
    >>> swing["knee"].attrs["units"]
    'rad'
    """

    __slots__ = ("_dataset", "_index", "_matrix", "_notes", "_time", "_units")

    _time: Floats
    _matrix: Floats
    _index: dict[str, int]
    _units: tuple[str, ...]
    _dataset: xarray.Dataset | None
    _notes: tuple[str, ...]

    def __init__(
        self,
        time: ArrayLike,
        columns: Mapping[str, ArrayLike],
        units: Mapping[str, str] | None = None,
        notes: Iterable[str] = (),
    ) -> None:
        units = units or {}
        check_units(units, columns)
        times = checked_time(time)
        # One row for each column, so that a column lies in one piece.
        matrix = np.empty((len(columns), len(times)))
        for row, (name, values) in enumerate(columns.items()):
            matrix[row] = checked_column(name, values, len(times))
        matrix.flags.writeable = False
        for slot, value in (
            ("_time", times),
            ("_matrix", matrix),
            ("_index", {checked_name(name): row for row, name in enumerate(columns)}),
            ("_units", tuple(checked_unit(name, units.get(name, "")) for name in columns)),
            ("_dataset", None),
            ("_notes", tuple(dict.fromkeys(map(str, notes)))),
        ):
            object.__setattr__(self, slot, value)

    @classmethod
    def from_rows(
        cls, time: ArrayLike, names: Sequence[str], rows: ArrayLike, units: Mapping[str, str] | None = None
    ) -> Trajectory:
        """Return the trajectory whose values are in a table: a row for each time, a column for each name."""
        table = np.asarray(rows, dtype=np.float64)
        check_columns(names, table)
        return Trajectory(time, dict(zip(names, table.T, strict=True)), units)

    @classmethod
    def from_dataset(cls, dataset: xarray.Dataset) -> Trajectory:
        """Return the trajectory that an ``xarray.Dataset`` holds, as `dataset` gives it: the way back, lossless.

        Examples
        --------
        >>> swing = Trajectory([0.0, 1.0], {"knee": [0.1, 0.2]}, {"knee": "rad"})
        >>> Trajectory.from_dataset(swing.dataset) == swing
        True
        """
        check_dataset(dataset)
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

    @property
    def notes(self) -> tuple[str, ...]:
        """What had to be decided while it was read or made; files do not keep it."""
        return self._notes

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
        return ByName(zip(self._index, self._matrix[:, -1].tolist(), strict=True))

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

    def at(self, time: float) -> dict[str, float]:
        """Return the row at a time (s), interpolated linearly between its neighbours."""
        row = self._interpolated(np.atleast_1d(np.float64(time)))[:, 0]
        return ByName(zip(self._index, row.tolist(), strict=True))

    def select(self, names: str | Iterable[str]) -> Self:
        """Return the trajectory of some columns; ``*`` and ``?`` in a name stand for any text and any letter.

        Examples
        --------
        >>> run = Trajectory([0.0], {"knee": [0.1], "knee.moment": [3.0], "hip.moment": [5.0]})
        >>> run.select("*.moment").names
        ('knee.moment', 'hip.moment')
        """
        wanted = [names] if isinstance(names, str) else list(names)
        chosen = list(dict.fromkeys(name for pattern in wanted for name in matching(pattern, self._index)))
        return self._with(self._time, chosen, self._matrix[[self._index[name] for name in chosen]])

    def slice(self, start: float | None = None, end: float | None = None) -> Self:
        """Return the rows from ``start`` to ``end`` (s), both included; None stands for the first or last."""
        inside = rows_between(self._time, start, end)
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
        wanted = checked_time(times)
        if order == 1:
            return self._with(wanted, self.names, self._interpolated(wanted))
        check_inside(wanted, self._time)
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

    def smoothed(
        self, cutoff: float | None = None, *, error: float | Mapping[str, float] | None = None, order: int = 5
    ) -> Self:
        """Return the trajectory on natural smoothing splines, whose derivatives `derivative` gives.

        The spline trades distance from the rows against its own wiggles (Woltring, 1986). Its ends are its weakest
        part: continue a cyclic record first, see `cyclic`. What is chosen for each column stands in the notes.

        Parameters
        ----------
        cutoff
            Frequency (Hz) at which 1/√2 of the amplitude is left.
        error
            Known standard deviation of the noise, in the unit of the columns, one for all or one by name: the root mean
            square distance from the rows. Without ``cutoff`` and ``error``, generalised cross-validation chooses.
        order
            Degree of the splines: 5, or 3 or 7.

        Examples
        --------
        >>> time = np.arange(200) / 100.0
        >>> noise = 0.05 * np.random.default_rng(1).normal(size=200)
        >>> noisy = Trajectory(time, {"knee": np.sin(3.0 * time) + noise}, {"knee": "rad"})
        >>> for smooth in (noisy.smoothed(3.0), noisy.smoothed(error=0.05), noisy.smoothed()):
        ...     bool(np.abs(smooth.values("knee") - np.sin(3.0 * time))[20:-20].max() < 0.03)
        True
        True
        True
        """
        matrix, notes = smooth(self._time, self._matrix, self.names, cutoff, Error(error, self.units), order)
        return self._with(self._time, self.names, matrix, notes)

    def filled(self, longest: float = 0.1, *, order: int = 3) -> Self:
        """Return the trajectory with gaps (NaN) filled by natural splines through the known rows of each column.

        Gaps longer than ``longest`` (s, from the last known row to the next) stay, and so do those at the ends: nothing
        is extrapolated. The notes name what was filled and what stays.

        Examples
        --------
        >>> seen = Trajectory(np.arange(6) / 100.0, {"heel": [0.0, 1.0, 2.0, np.nan, 4.0, 5.0]}).filled(0.05)
        >>> round(float(seen.values("heel")[3]), 9), seen.notes
        (3.0, ("'heel': 1 row filled in 1 gap of up to 0.02 s",))
        """
        matrix, notes = filled_gaps(self._time, self._matrix, self.names, longest, order)
        return self._with(self._time, self.names, matrix, notes)

    def even(self) -> Self:
        """Return the rows at exactly even times, where theirs differ from even ones by rounding in the last digit.

        Values stay, a note is added. Rows that are truly uneven raise an error: `resampled` brings them to other times.

        Examples
        --------
        >>> film = Trajectory([0.0, 0.014, 0.029, 0.043, 0.057, 0.072], {"x": np.zeros(6)}).even()
        >>> film.time.round(6).tolist()
        [0.0, 0.014345, 0.028691, 0.043036, 0.057382, 0.071727]
        """
        times, notes = even_times(self._time)
        return self._with(times, self.names, self._matrix, notes)

    def cyclic(self, cycle: float, *, before: float = 0.0, after: float = 0.0) -> Self:
        """Return the record continued at both ends as if its movement repeated itself after ``cycle`` (s).

        What a column gains in a cycle (the way of a walker) it gains in each: rows go on without a step. Smooth the
        continued record, then cut it by `slice`.

        Examples
        --------
        >>> time = np.arange(11) / 10.0
        >>> walk = Trajectory(time, {"way": 1.3 * time}).cyclic(1.0, before=0.2, after=0.3)
        >>> walk.time[[0, -1]].round(9).tolist(), round(walk.final["way"], 9)
        ([-0.2, 1.3], 1.69)
        """
        times, matrix, notes = continued(self._time, self._matrix, self.names, cycle, (before, after))
        return self._with(times, self.names, matrix, notes)

    def contralateral(self, sides: Mapping[str, str], *, cycle: float) -> Self:
        """Return the trajectory with the other side of a symmetric, cyclic movement: half a cycle (s) later.

        ``sides`` has the new name of each recorded column, like ``{"knee_r": "knee_l"}``. The columns must repeat
        themselves; what they miss of it after one cycle is spread over the cycle, and stated in the notes.

        Examples
        --------
        >>> time = np.arange(21) / 20.0
        >>> run = Trajectory(time, {"hip_r": np.sin(2.0 * np.pi * time)}, {"hip_r": "rad"})
        >>> round(run.contralateral({"hip_r": "hip_l"}, cycle=1.0).at(0.25)["hip_l"], 4)
        -1.0
        """
        rows = {name: self._matrix[self._row(name)] for name in sides}
        found, notes = half_a_cycle_on(self._time, rows, sides, self.names, cycle)
        columns = {**dict(zip(self._index, self._matrix, strict=True)), **found}
        units = {**self.units, **{sides[name]: self.units[name] for name in sides}}
        return self._like(Trajectory(self._time, columns, units, (*self._notes, *notes)))

    def percent(self, events: ArrayLike, points: int = 101) -> Cycles:
        """Return the cycles between times (s) such as heel strikes, each from 0 to 100 % in ``points`` even steps.

        Examples
        --------
        >>> time = np.arange(201) / 100.0
        >>> cycles = Trajectory(time, {"knee": np.sin(2.0 * np.pi * time)}).percent([0.25, 1.25], 5)
        >>> cycles.percent.tolist(), cycles.mean("knee").round(6).tolist()
        ([0.0, 25.0, 50.0, 75.0, 100.0], [1.0, 0.0, -1.0, -0.0, 1.0])
        """
        return cut_cycles(self._time, self._matrix, self.units, events, points)

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
        return self._like(Trajectory(self._time, dict(zip(self.names, rows.T, strict=True)), units, self._notes))

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

    def __setattr__(self, name: str, value: object = None) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} cannot be changed; build a new one")

    __delattr__ = __setattr__

    def __reduce__(self) -> tuple[Any, ...]:
        return Trajectory, (self._time, dict(zip(self._index, self._matrix, strict=True)), self.units, self._notes)

    def __repr__(self) -> str:
        size = f"{counted(len(self), 'row')}, {counted(len(self._index), 'column')}"
        return f"<{type(self).__name__}: {size}, {span_of(self._time)}>"

    def _repr_html_(self) -> str:
        columns = column_table(self.names, self.units, self._matrix)
        return html_of(repr(self).strip("<>"), self._notes, [*self._further_tables(), columns])

    def _further_tables(self) -> list[Table]:
        """Return what a notebook shows above the columns."""
        return []

    def _with(self, time: Floats, names: Sequence[str], matrix: Floats, notes: Iterable[str] = ()) -> Self:
        """Return another trajectory of the same kind."""
        columns, units = dict(zip(names, matrix, strict=True)), {name: self.units[name] for name in names}
        return self._like(Trajectory(time, columns, units, (*self._notes, *notes)))

    def _like(self, part: Trajectory) -> Self:
        return part  # type: ignore[return-value]

    def _row(self, name: str) -> int:
        row = self._index.get(name) if isinstance(name, str) else None
        if row is None:
            raise DataError(unknown_name("column", name, self._index))
        return row

    def _interpolated(self, times: Floats) -> Floats:
        check_inside(times, self._time)
        return np.array([np.interp(times, self._time, column) for column in self._matrix]).reshape(-1, len(times))
