"""The order of muscles in which sums over them are fast: by kind, and in groups.

The muscles of a group are of one kind and cross the same coordinates. Their gradients lie side by side, a row for each
coordinate, so that the C runtime takes four muscles at a time (``native/march/crossings.c``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate, groupby
from typing import Any

# As many muscles as native/march/lanes.h takes at a time.
_LANES = 4


@dataclass(frozen=True)
class Groups:
    """Muscles in order: the number of each, where each group begins, and which coordinates the groups cross.

    ``first`` and ``crossing`` have one entry more than there are groups: where the last one ends.
    """

    order: tuple[int, ...]
    first: tuple[int, ...]
    crossing: tuple[int, ...]
    coordinate: tuple[int, ...]

    @staticmethod
    def of(kinds: Sequence[int], crossed: Sequence[tuple[int, ...]]) -> Groups:
        """Return the groups of muscles with given kinds, each crossing some coordinates in rising order."""
        keys = list(zip(kinds, crossed, strict=True))
        order = sorted(range(len(keys)), key=lambda number: (keys[number], number))
        groups = [(key, len(list(members))) for key, members in groupby(order, key=keys.__getitem__)]
        return Groups(
            order=tuple(order),
            first=tuple(accumulate((count for _, count in groups), initial=0)),
            crossing=tuple(accumulate((len(key[1]) for key, _ in groups), initial=0)),
            coordinate=tuple(number for key, _ in groups for number in key[1]),
        )

    def notes(self) -> dict[str, Any]:
        """Return the groups as metadata of compiled code."""
        return asdict(self)

    @staticmethod
    def noted(notes: Mapping[str, Any]) -> Groups:
        """Return the groups from the metadata of compiled code."""
        return Groups(**{name: tuple(notes[name]) for name in Groups.__dataclass_fields__})

    @property
    def entries(self) -> list[tuple[int, int]]:
        """Place of the muscle in this order and coordinate of each entry of the gradients, as they lie in memory."""
        spans = zip(self.first, self.first[1:], self.crossing, self.crossing[1:], strict=False)
        return [
            (place, coordinate)
            for begin, end, first, last in spans
            for coordinate in self.coordinate[first:last]
            for place in range(begin, end)
        ]

    @property
    def first_entry(self) -> list[int]:
        """Where the entries of each group begin, and where those of the last end."""
        spans = zip(self.first, self.first[1:], self.crossing, self.crossing[1:], strict=False)
        return [*accumulate(((end - begin) * (last - first) for begin, end, first, last in spans), initial=0)]


def stride_of(muscles: int) -> int:
    """Return how far a value of the first muscle lies from its next: the last four may begin at the last muscle."""
    return -(-(muscles + _LANES - 1) // _LANES) * _LANES
