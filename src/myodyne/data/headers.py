"""Trajectories that share their names and units: these are checked once, not for each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from myodyne.data.checked import checked_name, checked_time, checked_unit
from myodyne.data.plain import DataError
from myodyne.data.trajectory import Trajectory


class Header:
    """Names and units of the columns of trajectories.

    Examples
    --------
    >>> swing = Header(["knee"], ["rad"]).trajectory([0.0, 1.0], [[0.1], [0.2]])
    >>> swing.values("knee"), swing.units
    (array([0.1, 0.2]), {'knee': 'rad'})
    """

    __slots__ = ("_index", "_units")

    def __init__(self, names: Sequence[str], units: Sequence[str]) -> None:
        twice = [name for name, number in Counter(names).items() if number > 1]
        if twice:
            raise DataError(f"column '{twice[0]}' appears twice in the table")
        self._index = {checked_name(name): row for row, name in enumerate(names)}
        self._units = tuple(checked_unit(name, unit) for name, unit in zip(names, units, strict=True))

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def column(self, name: str) -> int:
        """Return the place of a column."""
        return self._index[name]

    def trajectory(self, time: ArrayLike, rows: ArrayLike) -> Trajectory:
        """Return the trajectory of a table: a row for each time (s), a column for each name."""
        return self.joined(time, [rows])

    def joined(self, time: ArrayLike, parts: Sequence[ArrayLike]) -> Trajectory:
        """Return the trajectory of several tables side by side."""
        tables, times = [np.asarray(rows, dtype=np.float64) for rows in parts], checked_time(time)
        shapes = [table.shape for table in tables]
        width = sum(shape[1] for shape in shapes if len(shape) == 2)
        if width != len(self._units) or any(shape[:1] != times.shape or len(shape) != 2 for shape in shapes):
            raise DataError(
                f"{len(times)} times of {len(self._units)} columns need a table of that shape, not of "
                f"{shapes[0] if len(shapes) == 1 else shapes}"
            )
        # One row for each column, and nobody else's memory.
        matrix = np.empty((width, len(times)))
        begin = 0
        for table in tables:
            matrix[begin : begin + table.shape[1]] = table.T
            begin += table.shape[1]
        matrix.flags.writeable = False
        found = object.__new__(Trajectory)
        slots = {"_time": times, "_matrix": matrix, "_index": self._index, "_units": self._units}
        for slot in Trajectory.__slots__:
            object.__setattr__(found, slot, slots.get(slot, () if slot == "_notes" else None))
        return found
