"""Positions of markers over time, with gaps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from myodyne.data.checked import rows_between, span_of
from myodyne.data.plain import DataError
from myodyne.data.trajectory import Trajectory
from myodyne.errors import unknown_name
from myodyne.types import Booleans, Floats

_AXES = ("x", "y", "z")
# How many of a unit make a metre.
_METRES = {"m": 1.0, "cm": 100.0, "mm": 1000.0}


class Markers:
    """Times (s), names, and positions (m) of markers, which cannot be changed; NaN where a marker was not visible.

    Parameters
    ----------
    time
        Times of the rows (s), strictly increasing.
    names
        Names of the markers.
    positions
        One place (x, y, z) for each row and marker, in metres.
    header
        What the file they came from said besides, as text by name; `save_markers` writes it back.

    Examples
    --------
    >>> walk = Markers([0.0, 0.01], ["heel", "toe"], np.zeros((2, 2, 3)))
    >>> walk.names, walk["toe"].shape, walk.gaps
    (('heel', 'toe'), (2, 3), {})
    """

    __slots__ = ("_header", "_index", "_positions", "_time")

    _time: Floats
    _positions: Floats
    _index: dict[str, int]
    _header: Mapping[str, str]

    def __init__(
        self, time: ArrayLike, names: Sequence[str], positions: ArrayLike, header: Mapping[str, str] | None = None
    ) -> None:
        if isinstance(names, str):
            raise DataError(f"names must be a list of names, not the text {names!r:.60}")
        places = np.array(positions, dtype=np.float64)
        # A trajectory checks times and names as a column's name is checked.
        checked = Trajectory(time, {}).time
        if places.shape != (len(checked), len(names), 3):
            raise DataError(
                f"{len(checked)} times and {len(names)} names need positions of shape "
                f"({len(checked)}, {len(names)}, 3), not {places.shape}"
            )
        if np.isinf(places).any():
            row, marker, _ = map(int, np.argwhere(np.isinf(places))[0])
            raise DataError(f"marker '{names[marker]}' is infinitely far away at {checked[row]:g} s")
        index: dict[str, int] = {}
        for place, name in enumerate(names):
            if not isinstance(name, str) or not name or name != name.strip() or not name.isprintable():
                raise DataError(f"a marker's name must be printable text without blanks at its ends, not {name!r:.60}")
            if name in index:
                raise DataError(f"two markers are called '{name}'; rename one")
            index[name] = place
        # A marker that is known in two directions only has no place.
        places[np.isnan(places).any(axis=2)] = np.nan
        places.flags.writeable = False
        for slot, value in (
            ("_time", checked),
            ("_positions", places),
            ("_index", index),
            ("_header", MappingProxyType(dict(header or {}))),
        ):
            object.__setattr__(self, slot, value)

    # -- what it holds

    @property
    def time(self) -> Floats:
        """Times of the rows (s), read-only."""
        return self._time

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the markers, in order."""
        return tuple(self._index)

    @property
    def positions(self) -> Floats:
        """Places (m) as an array (rows, markers, 3), read-only; NaN where a marker was not seen."""
        return self._positions

    @property
    def seen(self) -> Booleans:
        """Whether each marker was seen in each row: an array (rows, markers)."""
        return ~np.isnan(self._positions[:, :, 0])

    @property
    def gaps(self) -> dict[str, int]:
        """In how many rows each marker was not seen; those that always were are left out."""
        missing = (~self.seen).sum(axis=0).tolist()
        return {name: rows for name, rows in zip(self._index, missing, strict=True) if rows}

    @property
    def header(self) -> Mapping[str, str]:
        """What the file they came from said besides, as text by name."""
        return self._header

    @property
    def rate(self) -> float:
        """Rows per second (Hz), on average; NaN for a single row."""
        if len(self._time) == 1:
            return float("nan")
        return float((len(self._time) - 1) / (self._time[-1] - self._time[0]))

    @property
    def trajectory(self) -> Trajectory:
        """The same as columns ``heel.x``, ``heel.y``, ``heel.z`` in metres."""
        names = [f"{name}.{axis}" for name in self._index for axis in _AXES]
        rows = self._positions.reshape(len(self._time), -1)
        return Trajectory.from_rows(self._time, names, rows, dict.fromkeys(names, "m"))

    @classmethod
    def from_trajectory(cls, trajectory: Trajectory) -> Markers:
        """Return the markers whose columns ``heel.x``, ``heel.y``, ``heel.z`` make up a trajectory.

        Examples
        --------
        >>> walk = Markers([0.0], ["heel"], [[[0.1, 0.2, 0.3]]])
        >>> Markers.from_trajectory(walk.trajectory) == walk
        True
        """
        names = list(dict.fromkeys(name.rpartition(".")[0] for name in trajectory.names))
        wanted = [f"{name}.{axis}" for name in names for axis in _AXES]
        strange = next((name for name in trajectory.names if name not in set(wanted)), None)
        lacking = next((name for name in wanted if name not in trajectory), None)
        if strange is not None or lacking is not None or not names:
            odd = f"'{strange}' is not one of them" if strange is not None else f"'{lacking}' is missing"
            raise DataError(f"markers are columns like 'heel.x', 'heel.y' and 'heel.z', but {odd}")
        for name, unit in trajectory.units.items():
            if unit not in ("m", ""):
                raise DataError(f"marker positions must be in metres, but '{name}' is in '{unit}'")
        rows = np.column_stack([trajectory.values(name) for name in wanted])
        return cls(trajectory.time, names, rows.reshape(len(trajectory), len(names), 3))

    @classmethod
    def from_columns(cls, trajectory: Trajectory, columns: Mapping[str, Sequence[str]], *, unit: str = "m") -> Markers:
        """Return markers whose x, y (and z, else 0) are columns of any names, in ``unit``: m, cm or mm.

        Examples
        --------
        >>> film = Trajectory([0.0], {"KneeX": [150.0], "KneeY": [470.0]})
        >>> Markers.from_columns(film, {"knee": ("KneeX", "KneeY")}, unit="mm")["knee"].tolist()
        [[0.15, 0.47, 0.0]]
        """
        if unit not in _METRES:
            raise DataError(f"the unit of markers must be one of {', '.join(_METRES)}, not {unit!r:.40}")
        places = np.zeros((len(trajectory), len(columns), 3))
        for place, (name, parts) in enumerate(columns.items()):
            if isinstance(parts, str) or len(parts) not in (2, 3):
                raise DataError(f"marker '{name}' needs two or three columns, x, y and z, not {parts!r:.60}")
            for axis, column in enumerate(parts):
                values, said = trajectory.values(column), trajectory.units[column]
                if said and said != unit:
                    raise DataError(f"column '{column}' is in '{said}', not in '{unit}'")
                places[:, place, axis] = values / _METRES[unit]
        return cls(trajectory.time, list(columns), places)

    def __getitem__(self, name: str) -> Floats:
        """Return the places of one marker (m), an array (rows, 3)."""
        if name not in self._index:
            raise DataError(unknown_name("marker", name, self._index))
        places: Floats = self._positions[:, self._index[name]]
        return places

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __len__(self) -> int:
        return len(self._time)

    # -- others made from it

    def select(self, names: Iterable[str]) -> Markers:
        """Return some of the markers, in the order asked for."""
        wanted = [names] if isinstance(names, str) else list(names)
        for name in wanted:
            self[name]
        places = self._positions[:, [self._index[name] for name in wanted]]
        return Markers(self._time, wanted, places, self._header)

    def slice(self, start: float | None = None, end: float | None = None) -> Markers:
        """Return the rows from ``start`` to ``end`` (s), both included; None stands for the first or last."""
        inside = rows_between(self._time, start, end)
        return Markers(self._time[inside], self.names, self._positions[inside], self._header)

    def filled(self, longest: float = 0.1) -> Markers:
        """Return the markers with gaps of up to ``longest`` (s) filled by cubic splines; `gaps` shows what stays.

        See `Trajectory.filled`, whose notes name every gap: ``markers.trajectory.filled().notes``.

        Examples
        --------
        >>> toe = np.column_stack([np.arange(6.0), np.zeros(6), np.zeros(6)])
        >>> toe[3] = np.nan
        >>> Markers(np.arange(6) / 100.0, ["toe"], toe[:, None]).filled()["toe"][3].round(9).tolist()
        [3.0, 0.0, 0.0]
        """
        rows = self.trajectory.filled(longest).rows()
        return Markers(self._time, self.names, rows.reshape(self._positions.shape), self._header)

    def rotated(self, rotation: ArrayLike) -> Markers:
        """Return the markers in other axes: each place is multiplied by a rotation matrix (3, 3).

        Laboratories have z upward, models of OpenSim y: ``[[1, 0, 0], [0, 0, 1], [0, -1, 0]]`` leads from one to
        the other.

        Examples
        --------
        >>> Markers([0.0], ["toe"], [[[1.0, 2.0, 3.0]]]).rotated([[1, 0, 0], [0, 0, 1], [0, -1, 0]])["toe"].tolist()
        [[1.0, 3.0, -2.0]]
        """
        return Markers(self._time, self.names, self._positions @ rotation_matrix(rotation).T, self._header)

    # -- object protocol

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Markers):
            return NotImplemented
        return (
            self.names == other.names
            and np.array_equal(self._time, other._time)
            and np.array_equal(self._positions, other._positions, equal_nan=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("Markers cannot be changed; build new ones")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("Markers cannot be changed; build new ones")

    def __reduce__(self) -> tuple[Any, ...]:
        return Markers, (self._time, self.names, self._positions, dict(self._header))

    def __repr__(self) -> str:
        gaps = len(self.gaps)
        incomplete = f", {gaps} with gaps" if gaps else ""
        return f"<Markers: {len(self._index)}{incomplete}, {len(self)} rows, {span_of(self._time)}>"


def rotation_matrix(rotation: ArrayLike) -> Floats:
    """Return a matrix (3, 3) that is a rotation, checked."""
    matrix = np.asarray(rotation, dtype=np.float64)
    if matrix.shape != (3, 3) or not np.allclose(matrix @ matrix.T, np.eye(3), atol=1e-9) or np.linalg.det(matrix) < 0:
        raise DataError("a rotation is a right-handed orthogonal matrix (3, 3)")
    return matrix
