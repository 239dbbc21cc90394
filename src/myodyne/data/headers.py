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
            raise DataError(f"column '{twice[0]}' stands twice in the table")
        self._index = {checked_name(name): row for row, name in enumerate(names)}
        self._units = tuple(checked_unit(name, unit) for name, unit in zip(names, units, strict=True))

    def trajectory(self, time: ArrayLike, rows: ArrayLike) -> Trajectory:
        """Return the trajectory of a table: a row for each time (s), a column for each name."""
        table, times = np.asarray(rows, dtype=np.float64), checked_time(time)
        if table.shape != (len(times), len(self._units)):
            raise DataError(
                f"{len(times)} times of {len(self._units)} columns need a table of that shape, not of {table.shape}"
            )
        # One row for each column, and nobody else's memory.
        matrix = np.array(table.T, order="C", copy=True)
        matrix.flags.writeable = False
        found = object.__new__(Trajectory)
        slots = {"_time": times, "_matrix": matrix, "_index": self._index, "_units": self._units}
        for slot in Trajectory.__slots__:
            object.__setattr__(found, slot, slots.get(slot, () if slot == "_notes" else None))
        return found
