"""Rows one after the other, in this process."""

from __future__ import annotations

import time as clock
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from myodyne.native.libraries import MOST_LANES
from myodyne.study.engines.engine import Batches, Crew, Job

if TYPE_CHECKING:
    from myodyne.study.rows import Row, Runner
    from myodyne.study.study import Study


@dataclass(frozen=True)
class Serial:
    """The rows of a study one after the other, in this process.

    Examples
    --------
    >>> import myodyne as my
    >>> study = my.Study(
    ...     my.load_model("pendulum"), vary=my.grid({"start:angle": [0.1, 0.3]}), measure="angle.first", duration=0.5
    ... )
    >>> study.run(my.Serial())["angle.first"].values
    array([0.1, 0.3])
    """

    @contextmanager
    def started(self, study: Study) -> Iterator[Crew]:
        """Give the crew of a study."""
        from myodyne.study.rows import Runner

        yield _Alone(Runner(study))


@dataclass(frozen=True)
class _Alone:
    runner: Runner

    def rows(self, jobs: Iterable[Job]) -> Iterator[list[Row]]:
        if not self.runner.side_by_side:
            # Each row is safe before the next one begins.
            for job in jobs:
                yield self.runner.rows([job])
            return
        batches = Batches(jobs, size=MOST_LANES)
        while batch := batches.next():
            began = clock.perf_counter()
            rows = self.runner.rows(batch)
            batches.took(len(rows), clock.perf_counter() - began)
            yield rows
