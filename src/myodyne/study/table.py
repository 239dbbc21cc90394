"""The table of a study: in memory, or in a folder that survives whatever ends the computation.

A folder holds ``study.json`` (what the study is), ``rows-*.parquet`` (finished parts, each written whole or not at all)
and ``journal.jsonl``, to which every row is appended as it comes; a long journal becomes a part. A row may stand in
both if the computation was killed in between; its number identifies it.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np

from myodyne.errors import FileError, MyodyneError
from myodyne.files.atomic import atomically

if TYPE_CHECKING:
    import xarray

    from myodyne.study.rows import Row

FORMAT = 1
_LINES = json.JSONEncoder(separators=(",", ":"))
_MANIFEST, _JOURNAL, _LOCK = "study.json", "journal.jsonl", "lock"
# Rows of a journal that become a part.
_LONG_JOURNAL = 20_000
# Columns of every part besides inputs and measures, which have their kind before their name there.
_INPUT, _MEASURE = "input:", "measure:"


def _encoder() -> Callable[[object], str]:
    """Return what writes one row: the encoder of the library makes itself anew for each."""
    # Not every Python has it.
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return _LINES.encode
    made = make(None, _LINES.default, json.encoder.encode_basestring_ascii, None, ":", ",", False, False, True)
    return lambda entry: "".join(made(entry, 0))


_line = _encoder()


class Entry(NamedTuple):
    """A row with the values that it was computed for, in the order of the names of its table."""

    number: int
    inputs: tuple[float, ...]
    measures: Mapping[str, float]
    reason: str
    seconds: float


def entry(row: Row, inputs: Iterable[float]) -> Entry:
    """Return a row with its values."""
    return Entry(row.number, tuple(inputs), row.measures, row.reason, row.seconds)


def dataset(entries: Sequence[Entry], names: Sequence[str], facts: Mapping[str, Any]) -> xarray.Dataset:
    """Return entries as a labelled table, in the order of their numbers."""
    import xarray

    unique = {one.number: one for one in entries}
    rows = [unique[number] for number in sorted(unique)]
    inputs = np.array([one.inputs for one in rows], dtype=float).reshape(len(rows), len(names))
    measured = list(dict.fromkeys([*facts.get("measures", ()), *(name for one in rows for name in one.measures)]))
    columns: dict[str, Any] = {
        name: ("row", np.array([one.measures.get(name, np.nan) for one in rows], dtype=float)) for name in measured
    }
    columns["status"] = ("row", np.array(["failed" if one.reason else "completed" for one in rows], dtype=object))
    columns["reason"] = ("row", np.array([one.reason for one in rows], dtype=object))
    columns["seconds"] = ("row", np.array([one.seconds for one in rows], dtype=float))
    coordinates: dict[str, Any] = {"row": np.array([one.number for one in rows], dtype=int)}
    coordinates |= {name: ("row", inputs[:, k]) for k, name in enumerate(names)}
    attributes = {key: facts[key] for key in ("model", "fingerprint", "source", "myodyne") if key in facts}
    return xarray.Dataset(columns, coordinates, attributes)


def load_study(out: str | os.PathLike[str]) -> xarray.Dataset:
    """Return the table of a study from its folder, also while the study still runs.

    Inputs are coordinates of the dimension ``row``; measures, ``status``, ``reason`` and ``seconds`` are variables.

    Parameters
    ----------
    out
        The folder that `Study.run` or `search` was given.

    Examples
    --------
    >>> import myodyne as my
    >>> import tempfile
    >>> study = my.Study(
    ...     my.load_model("pendulum"), vary=my.grid({"start:angle": [0.1, 0.3]}), measure="angle.max", duration=0.5
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = study.run(out=folder)
    ...     my.load_study(folder)["start:angle"].values
    array([0.1, 0.3])
    """
    folder = Path(out)
    facts = _facts(folder)
    # The journal first: a row that moves to a part meanwhile is then found in both, else in neither.
    entries = [*_journal_entries(folder), *_part_entries(folder, facts["names"])]
    return dataset(entries, facts["names"], facts)


class Table:
    """A folder that a study writes its rows to."""

    def __init__(self, folder: Path, facts: Mapping[str, Any], entries: list[Entry]) -> None:
        self.folder = folder
        self.facts = dict(facts)
        self.entries = {one.number: one for one in entries}
        self._waiting: list[Entry] = _journal_entries(folder)
        self._journal: IO[bytes] = self._opened()

    def _opened(self) -> IO[bytes]:
        """Return the journal, cut after its last whole line."""
        path = self.folder / _JOURNAL
        journal = path.open("ab+")
        journal.seek(0)
        content = journal.read()
        journal.truncate(content.rfind(b"\n") + 1)
        journal.seek(0, os.SEEK_END)
        return journal

    def add(self, entries: Sequence[Entry]) -> None:
        """Append rows to the journal; once it is long it becomes a part."""
        lines = "".join(f"{_line(one)}\n" for one in entries)
        with self._full_disk():
            self._journal.write(lines.encode())
            self._journal.flush()
            self._waiting += entries
            self.entries |= {one.number: one for one in entries}
            if len(self._waiting) >= _LONG_JOURNAL:
                self.finish()

    def finish(self) -> None:
        """Move the rows of the journal to a part."""
        if not self._waiting:
            return
        numbers = [int(path.stem.rpartition("-")[2]) for path in self.folder.glob("rows-*.parquet")]
        with self._full_disk():
            _write_part(
                self.folder / f"rows-{max(numbers, default=0) + 1:06d}.parquet", self._waiting, self.facts["names"]
            )
            self._journal.truncate(0)
        self._waiting = []

    def close(self) -> None:
        """Close the journal; what it holds stays there."""
        with suppress(OSError):
            self._journal.close()

    @contextmanager
    def _full_disk(self) -> Iterator[None]:
        try:
            yield
        except (OSError, FileError) as error:
            cause = error if isinstance(error, OSError) else error.__cause__
            full = isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT)
            what = "the disk is full" if full else f"the table cannot be written ({cause or error})"
            raise FileError(
                f"{self.folder}: {what}; the rows written before are safe. Make room and use run(..., resume=True)"
            ) from error


@contextmanager
def opened(out: str | os.PathLike[str], facts: Mapping[str, Any], resume: bool) -> Iterator[Table]:
    """Give the table in a folder, new or to be continued, which nobody else writes to meanwhile."""
    _pyarrow()
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise FileError(f"{folder}: is a file; a study needs a folder of its own")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{folder}: cannot be made: {error.strerror or error}") from error
    with _locked(folder):
        if (folder / _MANIFEST).exists():
            _check_same(folder, facts, resume)
        elif any(path.name != _LOCK for path in folder.iterdir()):
            raise FileError(f"{folder}: holds other files; give a new or an empty folder")
        else:
            with atomically(folder / _MANIFEST) as unfinished:
                unfinished.write_text(json.dumps(dict(facts), indent=1))
        entries = [*_journal_entries(folder), *_part_entries(folder, facts["names"])]
        table = Table(folder, facts, entries)
        try:
            yield table
        finally:
            table.close()


def _check_same(folder: Path, facts: Mapping[str, Any], resume: bool) -> None:
    """Refuse a table of another study, and one that is not to be continued."""
    old = _facts(folder)
    if old["fingerprint"] != facts["fingerprint"]:
        parts = [name for name, value in facts["parts"].items() if old.get("parts", {}).get(name) != value]
        raise FileError(
            f"{folder}: holds the table of another study (of '{old.get('model')}'; "
            f"other {', '.join(parts) or 'method'}); give another folder"
        )
    if not resume:
        raise FileError(f"{folder}: holds this study already; resume=True keeps its rows and computes the others")


def _facts(folder: Path) -> dict[str, Any]:
    path = folder / _MANIFEST
    try:
        facts = json.loads(path.read_text())
    except FileNotFoundError:
        raise FileError(f"{folder}: holds no study; Study.run(out=...) writes one") from None
    except (OSError, ValueError) as error:
        raise FileError(f"{path}: cannot be read: {error}") from None
    if not isinstance(facts, dict) or facts.get("format") != FORMAT or not isinstance(facts.get("names"), list):
        raise FileError(f"{path}: is not a table of format {FORMAT}; a newer version of myodyne may have written it")
    return facts


def _journal_entries(folder: Path) -> list[Entry]:
    """Return the whole lines of the journal: of the last one a killed computation may have written a part."""
    try:
        lines = (folder / _JOURNAL).read_bytes().split(b"\n")[:-1]
    except FileNotFoundError:
        return []
    found = []
    for number, line in enumerate(lines):
        try:
            row, inputs, measures, reason, seconds = json.loads(line)
            found.append(Entry(int(row), tuple(inputs), measures, reason, seconds))
        except (ValueError, TypeError):
            raise FileError(f"{folder / _JOURNAL}, line {number + 1}: is damaged; delete the line and resume") from None
    return found


def _pyarrow() -> Any:  # noqa: ANN401 - a module without types
    try:
        import pyarrow.parquet
    except ImportError:
        raise MyodyneError("tables on disk need pyarrow: pip install 'myodyne[study]'") from None
    return pyarrow


def _write_part(path: Path, entries: Sequence[Entry], names: Sequence[str]) -> None:
    arrow = _pyarrow()
    columns: dict[str, Any] = {"row": arrow.array([one.number for one in entries], arrow.int64())}
    for k, name in enumerate(names):
        columns[_INPUT + name] = arrow.array([one.inputs[k] for one in entries], arrow.float64())
    for name in dict.fromkeys(name for one in entries for name in one.measures):
        columns[_MEASURE + name] = arrow.array([one.measures.get(name) for one in entries], arrow.float64())
    columns["reason"] = arrow.array([one.reason for one in entries], arrow.string())
    columns["seconds"] = arrow.array([one.seconds for one in entries], arrow.float64())
    with atomically(path) as unfinished:
        arrow.parquet.write_table(arrow.table(columns), unfinished)


def _part_entries(folder: Path, names: Sequence[str]) -> list[Entry]:
    paths = sorted(folder.glob("rows-*.parquet"))
    arrow: Any = _pyarrow() if paths else None
    found: list[Entry] = []
    for path in paths:
        try:
            part = arrow.parquet.read_table(path).to_pydict()
            inputs = [part[_INPUT + name] for name in names]
        except (OSError, ValueError, KeyError) as error:
            raise FileError(f"{path}: cannot be read as a part of this study: {error}") from None
        measures = {key.removeprefix(_MEASURE): column for key, column in part.items() if key.startswith(_MEASURE)}
        for k, number in enumerate(part["row"]):
            own = {name: column[k] for name, column in measures.items() if column[k] is not None}
            values = tuple(column[k] for column in inputs)
            found.append(Entry(number, values, own, part["reason"][k], part["seconds"][k]))
    return found


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep others from writing to a folder; the system lifts the lock when a process ends, however it does."""
    with (folder / _LOCK).open("a+b") as file:
        try:
            _lock(file)
        except OSError:
            raise FileError(
                f"{folder}: another process writes to this study; wait for it or give another folder"
            ) from None
        yield


def _lock(file: IO[bytes]) -> None:
    if os.name == "nt":
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
