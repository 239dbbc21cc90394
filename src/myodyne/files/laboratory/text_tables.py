"""Tables as text: names above columns of numbers, one of them time; and Winter's film, x and y of markers."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from myodyne.data import DataError, Markers, Trajectory
from myodyne.errors import FileError, listed, unknown_name
from myodyne.files.series.table import check_labels, check_numbers, parse_rows, read_lines
from myodyne.types import Floats

_COMMENTS = "%#"
_LABEL = re.compile(r"(?P<name>[^\[\]()]*?)\s*[\[(](?P<unit>[^\[\]()]*)[\])]")
_TIMES = ("time", "timestamp", "time_s", "t", "seconds")
_SECONDS = {"s": 1.0, "sec": 1.0, "second": 1.0, "seconds": 1.0, "": 1.0, "ms": 1e-3, "milliseconds": 1e-3}
_CENTIMETRE = 0.01


class _Table(NamedTuple):
    labels: list[str]
    rows: list[str]
    # The number of the first row in the file.
    first: int


def load_table(
    path: str | os.PathLike[str],
    *,
    time: str | None = None,
    gaps: bool = False,
    units: Mapping[str, str] | None = None,
) -> Trajectory:
    r"""Read a table of text: one line of names, then numbers, separated by tabs, semicolons, commas or blanks.

    Names may begin with ``%`` or ``#`` and have units behind them, like ``GRF[N]``. Times that were even before their
    last digit was rounded are put on an even grid; the trajectory's notes say so, and whether times are uneven.

    Parameters
    ----------
    path
        The file.
    time
        Name of the column that is time, in seconds (or in ms, if its unit says so); None looks for ``time``,
        ``TimeStamp`` and the like.
    gaps
        Whether NaN and empty cells are kept as gaps; otherwise they raise an error that names their place.
    units
        Units of columns whose names have none.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "jump.txt")
    ...     _ = file.write_text("Time[s]\tGRF[N]\n0.0\t700\n0.5\t710\n1.0\t690\n")
    ...     jump = load_table(file)
    >>> jump.final, jump.units
    ({'GRF': 690.0}, {'GRF': 'N'})
    """
    place = Path(path)
    table = _split(place)
    parts = [_parts(label) for label in table.labels]
    names = [name for name, _ in parts]
    column = _time_column(place, names, time)
    unit = parts[column][1].lower()
    if unit not in _SECONDS:
        raise FileError(f"{path}: time must be in seconds or ms, not in '{parts[column][1]}'; convert it first")
    numbers = parse_rows(place, table.rows, table.first, names, "\t")
    order = [column, *(number for number in range(len(names)) if number != column)]
    labels = ["time", *(names[number] for number in order[1:])]
    check_labels(str(path), labels)
    numbers = numbers[:, order]
    numbers[:, 0] *= _SECONDS[unit]
    check_numbers(lambda row: f"{path}, line {table.first + row}", numbers, labels, gaps=gaps)
    known = {names[number]: parts[number][1] for number in order[1:]}
    try:
        for name in units or {}:
            if name not in known:
                raise DataError("units: " + unknown_name("column", name, known))
        found = Trajectory.from_rows(numbers[:, 0], labels[1:], numbers[:, 1:], {**known, **(units or {})})
    except DataError as error:
        raise FileError(f"{path}: {error}") from None
    return _evened(found)


def load_winter_table(path: str | os.PathLike[str]) -> Markers:
    r"""Read markers filmed in the plane, as Winter prints them in his Table A.1: frame, time, then x and y in cm.

    Two lines of quoted names stand above: those of the markers, and the axes below. Positions are in metres with z = 0;
    names are in small letters with underscores, ``right_hip``. Times that were rounded are put on an even grid, as the
    entry ``Times`` of the header says.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "film.txt")
    ...     _ = file.write_text("'FRAME' 'TIME' 'RIGHT HIP'\n 'N' 'S' 'X' 'Y'\n1 0 44.94 78.58\n2 0.014 47.31 78.58\n")
    ...     film = load_winter_table(file)
    >>> film.names, film["right_hip"][0].round(6).tolist()
    (('right_hip',), [0.4494, 0.7858, 0.0])
    """
    place = Path(path)
    lines, _ = read_lines(place)
    if len(lines) < 3:
        raise FileError(f"{path}: two lines of names and some rows are expected; is the file cut off?")
    try:
        above, below = (shlex.split(line) for line in lines[:2])
    except ValueError as error:
        raise FileError(f"{path}: the names in its first two lines cannot be read: {error}") from None
    markers = above[2:]
    if [cell.lower() for cell in above[:2]] != ["frame", "time"] or not markers:
        raise FileError(f"{path}, line 1: 'FRAME' 'TIME' and the names of markers are expected, not {lines[0]!r:.60}")
    if [cell.lower() for cell in below[2:]] != ["x", "y"] * len(markers):
        raise FileError(f"{path}, line 2: 'N' 'S' and then 'X' 'Y' for each of {len(markers)} markers are expected")
    names = [re.sub(r"\s+", "_", marker.strip().lower()) for marker in markers]
    labels = ["frame", "time", *(f"{name}.{axis}" for name in names for axis in "xy")]
    rows = ["\t".join(line.split()) for line in lines[2:]]
    table = parse_rows(place, rows, 3, labels, "\t")
    check_numbers(lambda row: f"{path}, line {3 + row}", table[:, 1:], labels[1:], gaps=True)
    lost = np.flatnonzero(np.diff(table[:, 0]) != 1.0)
    if lost.size:
        raise FileError(f"{path}, line {4 + int(lost[0])}: the frame does not follow on the one before")
    try:
        times = _evened(Trajectory(table[:, 1], {}))
        places = np.zeros((len(table), len(names), 3))
        places[:, :, :2] = _CENTIMETRE * table[:, 2:].reshape(len(table), len(names), 2)
        header = {"Times": "; ".join(times.notes)} if times.notes else {}
        return Markers(times.time, names, places, header)
    except DataError as error:
        raise FileError(f"{path}: {error}") from None


def _evened(found: Trajectory) -> Trajectory:
    try:
        return found.even()
    except DataError:
        steps: Floats = np.diff(found.time)
        note = f"the times are uneven: steps of {steps.min():.6g} to {steps.max():.6g} s"
        columns = {name: found.values(name) for name in found}
        return Trajectory(found.time, columns, found.units, (*found.notes, note))


def _split(path: Path) -> _Table:
    """Return the names, and the rows with tabs between their cells."""
    lines, _ = read_lines(path)
    start = 0
    while start < len(lines) and not lines[start].strip(_COMMENTS + " \t"):
        start += 1
    # Of several lines of comment the last one names the columns.
    while start + 1 < len(lines) and lines[start][:1] in _COMMENTS and lines[start + 1][:1] in _COMMENTS:
        start += 1
    if start >= len(lines) - 1:
        raise FileError(f"{path}: a line of names and some rows are expected; is the file cut off?")
    names = lines[start].lstrip(_COMMENTS).strip()
    separator = next((mark for mark in "\t;," if mark in names), None)
    labels = _cells(names, separator)
    if all(_is_number(label) for label in labels):
        raise FileError(f"{path}, line {start + 1}: the names of the columns are missing: it holds numbers only")
    rows = ["\t".join(cell or "nan" for cell in _cells(line, separator)) for line in lines[start + 1 :]]
    return _Table(labels, rows, start + 2)


def _cells(line: str, separator: str | None) -> list[str]:
    if separator is None:
        return line.split()
    return [cell.strip().strip("'\"") for cell in line.rstrip("\r\n").split(separator)]


def _parts(label: str) -> tuple[str, str]:
    found = _LABEL.fullmatch(label.strip())
    return (found["name"].strip(), found["unit"].strip()) if found and found["name"] else (label.strip(), "")


def _time_column(path: Path, names: Sequence[str], wanted: str | None) -> int:
    if wanted is not None:
        if wanted not in names:
            raise FileError(f"{path}: {unknown_name('column', wanted, names)}")
        return list(names).index(wanted)
    found = [number for number, name in enumerate(names) if name.lower() in _TIMES]
    if len(found) != 1:
        what = (
            f"several columns may be time ({listed(names[n] for n in found)})" if found else "no column is called time"
        )
        raise FileError(f"{path}: {what}; say which one, as in time='{names[0]}'. There are {listed(names, 6)}")
    return found[0]


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
