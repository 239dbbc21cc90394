"""Rows in several processes of this machine."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import TYPE_CHECKING

from myodyne.errors import ModelError
from myodyne.optimise.workers import Worker, WorkerDiedError
from myodyne.study.engines.engine import Batch, Batches, Crew, Job
from myodyne.study.engines.remote import packed, rows_of
from myodyne.study.rows import Row

if TYPE_CHECKING:
    from myodyne.study.study import Study

# A row during which its process died so often, alone, is a failed row: one that was killed is not the fault of its row.
_DEATHS = 3


@dataclass(frozen=True)
class Processes:
    """Rows in several processes: they start from a plain script, an interpreter or a notebook alike.

    The processes import myodyne alone, never the script that starts them, so the script needs no
    ``if __name__ == "__main__"``. A process that dies is replaced, and its rows are computed again.

    Parameters
    ----------
    count
        How many; by default one for each processor.

    Examples
    --------
    >>> import myodyne as my
    >>> my.Processes(2)
    Processes(count=2)
    """

    count: int | None = None

    def __post_init__(self) -> None:
        if self.count is not None and (
            isinstance(self.count, bool) or not isinstance(self.count, int) or self.count < 1
        ):
            raise ModelError(f"Processes need a positive whole number, not {self.count!r:.40}")

    @contextmanager
    def started(self, study: Study) -> Iterator[Crew]:
        """Give the crew of a study; its processes end with the block."""
        crew = _Processes(packed(study), self.count or os.cpu_count() or 1, study.families)
        try:
            yield crew
        finally:
            crew.stop()


@dataclass
class _Processes:
    study: bytes
    count: int
    families: tuple[int, ...] | None = None
    idle: SimpleQueue[Worker | None] = field(default_factory=SimpleQueue)
    workers: list[Worker] = field(default_factory=list)
    threads: ThreadPoolExecutor = field(init=False)

    def __post_init__(self) -> None:
        self.threads = ThreadPoolExecutor(self.count)
        for _ in range(self.count):
            self.idle.put(None)

    def rows(self, jobs: Iterable[Job]) -> Iterator[list[Row]]:
        batches = Batches(jobs, self.families)
        waiting: set[Future[tuple[list[Row], float]]] = set()
        while True:
            # One batch more than there are processes, so that none of them waits for this one.
            while len(waiting) <= self.count and (batch := batches.next()):
                waiting.add(self.threads.submit(self._computed, batch))
            if not waiting:
                return
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                rows, seconds = future.result()
                batches.took(len(rows), seconds)
                yield rows

    def _computed(self, batch: Batch) -> tuple[list[Row], float]:
        """Return the rows of a batch; if its process dies, they are computed again, one by one."""
        try:
            return self._called(batch)
        except WorkerDiedError as error:
            if len(batch) > 1:
                parts = [self._computed([job]) for job in batch]
                return [row for rows, _ in parts for row in rows], sum(seconds for _, seconds in parts)
            message = str(error)
        for _ in range(_DEATHS - 1):
            try:
                return self._called(batch)
            except WorkerDiedError as error:
                message = str(error)
        return [Row(batch[0][0], {}, f"{message} {_DEATHS} times while it computed this row", 0.0)], 0.0

    def _called(self, batch: Batch) -> tuple[list[Row], float]:
        worker = self.idle.get()
        try:
            if worker is None:
                worker = Worker()
                self.workers.append(worker)
            return worker.call(rows_of, self.study, batch)
        except WorkerDiedError:
            if worker is not None:
                worker.stop()
                self.workers.remove(worker)
            worker = None
            raise
        finally:
            self.idle.put(worker)

    def stop(self) -> None:
        """End the processes, whatever they do."""
        self.threads.shutdown(wait=False, cancel_futures=True)
        for worker in list(self.workers):
            worker.stop()
        self.threads.shutdown(wait=True, cancel_futures=True)
