"""Which unknowns of an instant each muscle depends on, and where its derivatives belong.

A muscle depends on few unknowns: the coordinates that its path crosses and their speeds, its own states with their
rates, its excitation, and the duration, by which rates are divided. All muscles are given the same number of places for
coordinates, so that one array holds what belongs to all of them; unused places stay zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from myodyne.equations.muscles.kinds import DRIVE, DRIVE_PLACE, RESPONSE, activation_states, fibre_states
from myodyne.optimise.transcription.instant import Instant
from myodyne.types import Floats, Integers

# What follows the coordinates and speeds among the unknowns of a muscle, in the order of the unknowns of an instant.
_OWN = ("projected", "state", "projected_rate", "state_rate", "excitation", "duration")
# After the drive: the rate of the path along the multipliers of the balance of forces.
DIRECTED = len(DRIVE)
# The rows of a muscle after those of its coordinates.
_ROWS = RESPONSE[1:]

Booleans = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class MuscleUnknowns:
    """The places of unknowns and rows of all muscles of an instant.

    ``columns`` (muscles, unknowns) and ``rows`` (muscles, rows) are places among the unknowns and the rows of the
    instant, -1 where a muscle has none. ``entries`` pairs each entry of the gradients of paths with a muscle and a
    place among its coordinates.
    """

    columns: Integers
    rows: Integers
    entries: tuple[Integers, Integers]
    most: int

    @staticmethod
    def of(instant: Instant, crossed: tuple[Integers, Integers]) -> MuscleUnknowns:
        """Return the places for paths whose gradients have entries at these muscles and coordinates, column by column.

        Coordinates of a muscle are in rising order.
        """
        model = instant.model
        muscle, coordinate = crossed
        counts = np.zeros(len(model.muscles), dtype=np.intp)
        place = np.zeros(len(muscle), dtype=np.intp)
        for number, owner in enumerate(muscle):
            place[number] = counts[owner]
            counts[owner] += 1
        most = int(counts.max(initial=0))
        size, states, motion = len(instant.coordinates), len(instant.states), len(instant.motion)
        columns = np.full((len(model.muscles), 2 * most + len(_OWN)), -1, dtype=np.intp)
        rows = np.full((len(model.muscles), most + len(_ROWS)), -1, dtype=np.intp)
        columns[muscle, place], columns[muscle, most + place] = coordinate, size + coordinate
        rows[muscle, place] = size + coordinate
        own = {name: 2 * most + number for number, name in enumerate(_OWN)}
        fibres, active = list(fibre_states(model)), list(activation_states(model))
        for number, name in enumerate(model.muscles):
            for state, rate, row, names, first in (
                ("projected", "projected_rate", 0, fibres, 2 * size),
                ("state", "state_rate", 1, active, 2 * size + len(fibres)),
            ):
                if name in names:
                    at = first + names.index(name)
                    columns[number, own[state]], columns[number, own[rate]] = at, states + at
                    rows[number, most + row] = at
            columns[number, own["excitation"]] = states + motion + instant.controls.index(name)
        columns[:, own["duration"]] = states + motion + len(instant.controls)
        return MuscleUnknowns(columns, rows, (muscle, place), most)

    def own(self, name: str) -> int:
        """Return the place of an unknown that is not a coordinate or a speed."""
        return 2 * self.most + _OWN.index(name)

    @cached_property
    def has(self) -> Floats:
        """One for each unknown that a muscle has, zero for others."""
        return (self.columns >= 0).astype(float)

    def spread(self, entries: Floats) -> Floats:
        """Return entries of gradients (instants, entries) as (instants, muscles, places)."""
        table = np.zeros((len(entries), len(self.columns), self.most))
        table[:, self.entries[0], self.entries[1]] = entries
        return table

    def chain(self, gradients: Floats, rates: Floats, directed: Floats, drives: Floats, duration: float) -> Floats:
        """Return the derivatives of the drive, and of the rate along multipliers, by the unknowns of each muscle.

        ``gradients``, ``rates`` and ``directed`` (instants, muscles, places) are the derivatives of the length, of its
        speed, and of its rate along the multipliers, by the coordinates.
        """
        most = self.most
        chain = np.zeros((*gradients.shape[:2], len(DRIVE) + 1, self.columns.shape[1]))
        chain[:, :, DRIVE_PLACE["length"], :most] = gradients
        chain[:, :, DRIVE_PLACE["speed"], :most] = rates
        chain[:, :, DRIVE_PLACE["speed"], most : 2 * most] = gradients
        chain[:, :, DIRECTED, :most] = directed
        for name in ("projected", "state", "excitation"):
            chain[:, :, DRIVE_PLACE[name], self.own(name)] = self.has[:, self.own(name)]
        for name in ("projected_rate", "state_rate"):
            place = DRIVE_PLACE[name]
            chain[:, :, place, self.own(name)] = self.has[:, self.own(name)] / duration
            chain[:, :, place, -1] = -drives[:, :, place] / duration
        return chain

    def chain_pattern(self) -> Booleans:
        """Return which entries of the chain can differ from zero (muscles, drive, unknowns)."""
        ones = self.spread(np.ones((1, len(self.entries[0]))))
        drives = np.zeros((1, len(self.columns), len(DRIVE)))
        for name in ("projected_rate", "state_rate"):
            drives[0, :, DRIVE_PLACE[name]] = self.has[:, self.own(name)]
        found: Booleans = self.chain(ones, ones, ones, drives, 1.0)[0] != 0
        return found


class Scatter:
    """Sums entries that belong to the same place of a sparse matrix; the lists of entries are joined in their order."""

    def __init__(self, lists: list[tuple[Integers, Integers]], width: int) -> None:
        from scipy.sparse import csr_array

        row = np.concatenate([rows for rows, _ in lists])
        column = np.concatenate([columns for _, columns in lists])
        # Column by column, as CasADi has them.
        keys, targets = np.unique(column * width + row, return_inverse=True)
        self.places: tuple[Integers, Integers] = keys % width, keys // width
        entries = np.arange(len(row))
        self._matrix: Any = csr_array((np.ones(len(row)), (targets, entries)), shape=(len(keys), len(row)))

    def __call__(self, *lists: Floats) -> Floats:
        """Return the sums, a row for each instant."""
        return np.ascontiguousarray((self._matrix @ np.hstack(lists).T).T)
