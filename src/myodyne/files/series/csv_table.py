"""Comma-separated tables (.csv): a row of ``name [unit]``, then the numbers.

Report, provenance and model of a result stand as JSON in a file beside it, ``run.csv.json``, so that spreadsheets and
``pandas.read_csv(path)`` read the table at once; or, on request, in a comment on its first line.
"""

from __future__ import annotations

import csv
import io
import os
import re
from pathlib import Path

import numpy as np

from myodyne.data import Result, Trajectory
from myodyne.errors import FileError
from myodyne.files.atomic import atomically
from myodyne.files.series.description import description_of, from_json, rebuilt, to_json
from myodyne.files.series.table import (
    LARGEST_BINARY,
    check_labels,
    check_numbers,
    check_whole,
    parse_rows,
    read_bytes,
    read_lines,
    written_rows,
)

_COMMENT = "#"
_OURS = '# {"myodyne":'
_LABEL = re.compile(r"(?P<name>.*) \[(?P<unit>[^\[\]]*)\]")


def write_csv(trajectory: Trajectory, path: Path, *, comments: bool = False) -> None:
    """Write a table in UTF-8 with commas between and points inside the numbers, and what it is beside it or above."""
    names = io.StringIO()
    labels = ["time [s]", *(_label(name, unit) for name, unit in trajectory.units.items())]
    csv.writer(names, lineterminator="\n").writerow(labels)
    table = np.column_stack([trajectory.time, trajectory.rows()])
    described = to_json({"myodyne": description_of(trajectory), "rows": len(trajectory)})
    beside = _beside(path)
    with atomically(path) as unfinished:
        comment = f"# {described}\n" if comments else ""
        unfinished.write_bytes(f"{comment}{names.getvalue()}{written_rows(table, ',')}".encode())
        if isinstance(trajectory, Result) and not comments:
            with atomically(beside) as description:
                description.write_text(f"{described}\n", encoding="utf-8")
        else:
            # That of an older file of this name says nothing about the new one.
            beside.unlink(missing_ok=True)


def read_csv(path: Path, *, gaps: bool) -> Trajectory:
    """Read a table whose first column is ``time`` in seconds."""
    lines, ended = read_lines(path)
    ours: dict[str, object] = {}
    start = 0
    while start < len(lines) and lines[start].startswith(_COMMENT):
        if lines[start].startswith(_OURS):
            held = from_json(f"{path}, line {start + 1}", lines[start][1:])
            assert isinstance(held, dict)  # the comment begins with a brace
            ours = held
        start += 1
    beside = _beside(path)
    if not ours and beside.is_file():
        held = from_json(str(beside), read_bytes(beside, LARGEST_BINARY).decode("utf-8", "replace"))
        ours = held if isinstance(held, dict) else {}
    if start == len(lines):
        raise FileError(f"{path}: holds comments only; the names of the columns are missing")
    place = f"{path}, line {start + 1}"
    try:
        (cells,) = csv.reader([lines[start]], strict=True)
    except (csv.Error, ValueError) as error:
        raise FileError(f"{place}: the names of the columns cannot be read: {error}") from None
    parts = [_parts(cell) for cell in cells]
    labels = [name for name, _ in parts]
    check_labels(place, labels)
    if parts[0][1] not in ("s", ""):
        raise FileError(f"{place}: time must be in seconds, not in '{parts[0][1]}'; convert it first")
    table = parse_rows(path, lines[start + 1 :], start + 2, labels, ",")
    check_numbers(lambda row: f"{path}, line {start + 2 + row}", table, labels, gaps=gaps)
    if ours:
        check_whole(path, ended, ours.get("rows"), len(table))
    return rebuilt(path, labels, table, dict(parts[1:]), ours.get("myodyne", {}))


def _beside(path: Path) -> Path:
    """Return the file that says what a table is; of a link, that beside what it points to."""
    whole = Path(os.path.realpath(path))
    return whole.with_name(f"{whole.name}.json")


def _label(name: str, unit: str) -> str:
    # A name that itself ends like a unit gets an empty one, so that it is not taken for its unit.
    return f"{name} [{unit}]" if unit or _LABEL.fullmatch(name) else name


def _parts(cell: str) -> tuple[str, str]:
    found = _LABEL.fullmatch(cell.strip())
    return (found["name"].strip(), found["unit"].strip()) if found else (cell.strip(), "")
