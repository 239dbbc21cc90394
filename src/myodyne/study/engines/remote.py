"""What runs in another process: rows of a study that arrived as bytes."""

from __future__ import annotations

import time as clock
from typing import TYPE_CHECKING

from myodyne.study.engines.engine import Batch
from myodyne.study.rows import Row, Runner

if TYPE_CHECKING:
    from myodyne.study.study import Study

# The study that this process works on, by its bytes: the next batch is of the same one.
_present: dict[bytes, Runner] = {}


def packed(study: Study) -> bytes:
    """Return a study as bytes, functions of scripts and notebooks by value: other processes cannot import those."""
    import cloudpickle

    data: bytes = cloudpickle.dumps(study)
    return data


def rows_of(study: bytes, batch: Batch) -> tuple[list[Row], float]:
    """Return the rows of a batch, and how long they took (s)."""
    began = clock.perf_counter()
    runner = _present.get(study)
    if runner is None:
        import cloudpickle

        _present.clear()
        runner = _present[study] = Runner(cloudpickle.loads(study))
        began = clock.perf_counter()
    rows = runner.rows(batch)
    return rows, clock.perf_counter() - began
