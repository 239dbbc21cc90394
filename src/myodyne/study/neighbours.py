"""Which row starts from the solution of which: neighbours, in an order that the rows alone fix.

Problems of optimal control are solved fastest from the solution of one that is nearly the same. The rows form a tree in
which each hangs on its nearest neighbour among those before it; every so often a row starts anew, so that no solution
depends on a long history and branches can be computed side by side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from myodyne.types import Floats

# Solutions in a row that start from each other, at most.
_LONGEST = 6


@dataclass(frozen=True)
class Neighbours:
    """The order in which rows are solved, and where each one starts.

    Parameters
    ----------
    order : the numbers of the rows; a row comes after the one that it starts from, and families follow each other.
    parents : the row that each one starts from, -1 for the problem's own guess.
    families : rows with the same number belong together; none starts from one of another family.

    Examples
    --------
    >>> import numpy as np
    >>> found = neighbours_of(np.array([[1.0], [3.0], [2.0], [4.0]]), np.array([2.1]))
    >>> found.order, found.parents
    ((2, 0, 1, 3), (2, 2, -1, 1))
    """

    order: tuple[int, ...]
    parents: tuple[int, ...]
    families: tuple[int, ...]


def neighbours_of(values: Floats, own: Floats, longest: int = _LONGEST) -> Neighbours:
    """Return the neighbours of rows of numbers, from the one next to ``own`` on; each column counts by its range."""
    width = np.ptp(values, axis=0)
    scaled = (values - own) / np.where(width > 0, width, 1.0)
    count = len(scaled)
    distance, nearest = np.linalg.norm(scaled, axis=1), np.full(count, -1)
    depth, parents, families = np.zeros(count, dtype=int), np.full(count, -1), np.zeros(count, dtype=int)
    left = np.ones(count, dtype=bool)
    visited: list[int] = []
    for _ in range(count):
        # Of several at the same distance the first: sums in another order must not decide.
        row = int(np.argmin(np.where(left, np.round(distance, 12), np.inf)))
        parent = int(nearest[row])
        if parent >= 0 and depth[parent] + 1 < longest:
            parents[row], depth[row], families[row] = parent, depth[parent] + 1, families[parent]
        else:
            families[row] = row
        left[row] = False
        visited.append(row)
        new = np.linalg.norm(scaled - scaled[row], axis=1)
        closer = np.round(new, 12) < np.round(distance, 12) if parent >= 0 or len(visited) > 1 else np.ones(count, bool)
        distance, nearest = np.where(closer, new, distance), np.where(closer, row, nearest)
    first = {int(family): place for place, family in reversed(list(enumerate(families[visited])))}
    order = sorted(range(count), key=lambda place: (first[int(families[visited[place]])], place))
    return Neighbours(tuple(visited[place] for place in order), tuple(map(int, parents)), tuple(map(int, families)))
