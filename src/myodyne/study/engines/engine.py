"""What an engine is: it starts a crew, which computes batches of rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import groupby
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from myodyne.native.libraries import MOST_LANES

if TYPE_CHECKING:
    from myodyne.study.rows import Row
    from myodyne.study.study import Study

# The number and the values of a row that is to be computed.
Job: TypeAlias = tuple[int, dict[str, float]]
Batch: TypeAlias = list[Job]

# A batch should take about this long (s): short enough that little is lost, long enough that sending it costs little.
BATCH_SECONDS = 0.25
MOST_IN_BATCH = 1000


class Crew(Protocol):
    """Those who compute the rows of one study."""

    def rows(self, jobs: Iterable[Job]) -> Iterator[list[Row]]:
        """Yield the rows, in any order, as they come; no more jobs are drawn than are being computed."""
        ...


@runtime_checkable
class Engine(Protocol):
    """Where rows are computed."""

    def started(self, study: Study) -> AbstractContextManager[Crew]:
        """Return a crew for a study, for use in a ``with`` statement."""
        ...


class Batches:
    """Cuts jobs into batches that take about a quarter of a second.

    Sizes follow the clock, from that of the first. Rows do not depend on those that they are computed with.

    Examples
    --------
    >>> batches = Batches((number, {}) for number in range(3))
    >>> batches.next()
    [(0, {})]
    >>> batches.took(1, 0.01)
    >>> len(batches.next()), batches.next()
    (2, [])
    """

    def __init__(self, jobs: Iterable[Job], families: Sequence[int] | None = None, size: int = 1) -> None:
        self._jobs = iter(jobs)
        self._size = size
        self._families = None if families is None else groupby(self._jobs, key=lambda job: families[job[0]])

    def next(self) -> Batch:
        """Return the next batch, empty at the end; rows of one family stay together."""
        if self._families is not None:
            return list(next(self._families, (0, ()))[1])
        return [job for _, job in zip(range(self._size), self._jobs, strict=False)]

    def took(self, count: int, seconds: float) -> None:
        """Learn how long (s) a batch of so many rows took."""
        fitting = int(BATCH_SECONDS * count / max(seconds, 1e-9))
        # Slow rows may follow quick ones: the size grows step by step and falls at once.
        size = max(1, min(fitting, 4 * self._size, MOST_IN_BATCH))
        # Rows that march side by side leave no lane empty.
        self._size = size - size % MOST_LANES if size > MOST_LANES else size
