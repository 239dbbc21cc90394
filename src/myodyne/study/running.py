"""Running a study: which rows are missing, who computes them, where they go."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import metadata
from typing import TYPE_CHECKING, Any

from myodyne.errors import ModelError
from myodyne.progress import Task, task
from myodyne.study.engines.engine import Engine, Job
from myodyne.study.identity import fingerprint, parts_of
from myodyne.study.sampling import Rows
from myodyne.study.table import FORMAT, Entry, Table, dataset, entry, opened

if TYPE_CHECKING:
    import xarray

    from myodyne.study.study import Study


def run_study(
    study: Study, engine: Engine, out: str | os.PathLike[str] | None, resume: bool, progress: bool | None
) -> xarray.Dataset:
    """Return the table of a study; see `Study.run`."""
    rows = study.vary
    if not isinstance(rows, Rows):
        raise ModelError("a study of ranges has no rows; draw some: vary=my.sample({...}, count=100, seed=1)")
    if not isinstance(engine, Engine):
        raise ModelError(f"engine must be my.Serial(), my.Processes(2) or my.Dask(), not {engine!r:.60}")
    if resume and out is None:
        raise ModelError("resume=True goes on with a folder; give it as out=...")
    facts = facts_of(study)
    with task(f"Study of '{study.model.name}'", total=len(rows), unit="rows", show=progress) as running:
        if out is None:
            found: list[Entry] = []
            for entries in _computed(study, rows, engine, set(), running):
                found += entries
            return dataset(found, rows.names, facts)
        with opened(out, facts, resume) as table:
            return _into(table, study, rows, engine, running)


def _into(table: Table, study: Study, rows: Rows, engine: Engine, running: Task) -> xarray.Dataset:
    done = set(table.entries)
    running.update(len(done))
    for entries in _computed(study, rows, engine, done, running):
        table.add(entries)
    table.finish()
    return dataset(list(table.entries.values()), rows.names, table.facts)


def _computed(study: Study, rows: Rows, engine: Engine, done: set[int], running: Task) -> Iterator[list[Entry]]:
    """Yield the rows that are missing as they come."""

    def jobs() -> Iterator[Job]:
        for number in range(len(rows)) if study.path is None else study.path.order:
            if number not in done:
                yield number, rows[number]

    failed = 0
    if len(done) == len(rows):
        return
    with engine.started(study) as crew:
        for batch in crew.rows(jobs()):
            yield [entry(row, rows.values[row.number].tolist()) for row in batch]
            failed += sum(row.failed for row in batch)
            running.advance(len(batch))
            if failed:
                running.update(note=f"{failed} failed")


def facts_of(study: Study, **further: str) -> dict[str, Any]:
    """Return what a table says about its study."""
    return {
        "format": FORMAT,
        "myodyne": _version(),
        "model": study.model.name,
        "names": list(study.names),
        "measures": [name for name, one in study.measures.items() if isinstance(one, str)],
        "source": study.vary.source if isinstance(study.vary, Rows) else "search",
        "fingerprint": fingerprint(study),
        "parts": parts_of(study),
        **further,
    }


def _version() -> str:
    try:
        return metadata.version("myodyne")
    except metadata.PackageNotFoundError:
        return "unknown"
