"""OpenSim's storage and motion files (.sto, .mot): a header, then a table separated by tabs or blanks.

The header is one of ``key=value`` lines, or the older one of SIMM's motion files, ``datacolumns 3``; it ends with
``endheader``. What OpenSim cannot express (units, report, provenance, model) is kept in header lines that begin with
``myodyne_``; OpenSim keeps such lines as text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from myodyne.data import Trajectory
from myodyne.errors import FileError
from myodyne.files.atomic import atomically
from myodyne.files.series.angles import Degrees
from myodyne.files.series.description import description_of, from_json, rebuilt, to_json
from myodyne.files.series.table import check_labels, check_numbers, check_whole, parse_rows, read_lines, written_rows
from myodyne.types import Floats

_END = "endheader"
_OURS = "myodyne_"
# OpenSim matches each header line with a recursive regular expression, which overflows the stack on very long ones.
_LONGEST_VALUE = 1000
# The first line is a title, which OpenSim keeps as the name of the table. Ours says nothing, so that equal data give
# equal files whatever these are called.
_TITLE = "data"
# The keys of SIMM's header stand for these of OpenSim's.
_OLD_KEYS = {"datarows": "nRows", "datacolumns": "nColumns", "nr": "nRows", "nc": "nColumns", "range": "range"}
_SENTENCES = ("Angles are in degrees.", "Angles are in radians.")
_OLD_LINE = re.compile(r"(datarows|datacolumns|nr|nc|range)[ \t]+(\S.*)")
# Kinds of columns that hold several numbers, and what OpenSim adds to the name of a column for each of them.
_ENDINGS = {
    "Vec3": ("_x", "_y", "_z"),
    "UnitVec3": ("_x", "_y", "_z"),
    "SpatialVec": ("_rx", "_ry", "_rz", "_tx", "_ty", "_tz"),
    **{
        kind: tuple(f"_{place}" for place in range(1, size + 1))
        for kind, size in {"Quaternion": 4, "Vec2": 2, "Vec4": 4, "Vec5": 5, "Vec6": 6}.items()
    },
}
_Header = dict[str, tuple[int, str]]


def write_sto(trajectory: Trajectory, path: Path) -> None:
    """Write a storage file of version 1, angles in radians."""
    header = [
        _TITLE,
        "version=1",
        f"nRows={len(trajectory)}",
        f"nColumns={len(trajectory.names) + 1}",
        "inDegrees=no",
    ]
    described = {"units": trajectory.units, **description_of(trajectory)}
    for key, data in described.items():
        header += _header_lines(key, to_json(data))
    labels = "\t".join(["time", *trajectory.names])
    table = np.column_stack([trajectory.time, trajectory.rows()])
    with atomically(path) as unfinished:
        text = "\n".join([*header, _END, labels, ""]) + written_rows(table, "\t")
        unfinished.write_bytes(text.encode())


def read_sto(path: Path, *, gaps: bool) -> tuple[Trajectory, Degrees | None]:
    """Read a storage or motion file, its numbers as they stand, and whether its angles are in degrees."""
    lines, ended = read_lines(path)
    end = next((number for number, line in enumerate(lines) if line.strip() == _END), None)
    if end is None:
        raise FileError(f"{path}: has no line '{_END}'; it is not an OpenSim storage file, or it is cut off")
    header, ours = _parsed_header(path, lines[:end])
    start = end + 1
    while start < len(lines) and not lines[start].strip():
        start += 1
    if start == len(lines):
        raise FileError(f"{path}: ends after its header; the names of the columns are missing")
    labels, rows = _cells(lines[start], lines[start + 1 :])
    place = f"{path}, line {start + 1}"
    degrees = _degrees(path, header, lines[:end])
    _check_count(place, header, "nColumns", len(labels))
    _check_count(str(path), header, "nRows", len(rows))
    labels, rows = _parted(path, header, labels, rows, start + 2)
    table = parse_rows(path, rows, start + 2, labels, "\t")
    labels, table = _with_time_first(path, header, labels, table)
    check_labels(place, labels)
    check_numbers(lambda row: f"{path}, line {start + 2 + row}", table, labels, gaps=gaps)
    if ours:
        check_whole(path, ended, len(rows), len(rows))
    described = {key: from_json(f"{path}, header {_OURS}{key}", text) for key, text in ours.items()}
    units = described.pop("units", {})
    if not isinstance(units, dict):
        raise FileError(f"{path}, header {_OURS}units: a table of units by name is expected")
    return rebuilt(path, labels, table, units, described), degrees


def _cells(names: str, rows: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the labels, and the rows separated by tabs, from a table that is separated by tabs or by blanks."""
    if "\t" not in names.strip():
        # A single column has no separator, and its rows then have none either.
        return names.split(), ["\t".join(line.split()) for line in rows]
    labels = [label.strip() for label in names.rstrip().split("\t")]
    lines = [line.rstrip() for line in rows]
    tabs = len(labels) - 1
    if any(len(label.split()) > 1 for label in labels):
        return labels, lines
    if "" in labels and not any(_stands_without_name(line.split("\t"), labels) for line in lines):
        labels, tabs = [label for label in labels if label], -1
    # OpenSim's tools take blanks and tabs alike, also several of them: rows may mix them, or differ from the names.
    return labels, [line if line.count("\t") == tabs else "\t".join(line.split()) for line in lines]


def _stands_without_name(cells: list[str], labels: list[str]) -> bool:
    return any(cell.strip() and not label for cell, label in zip(cells, labels, strict=False))


def _parted(
    path: Path, header: _Header, labels: list[str], rows: list[str], first_line: int
) -> tuple[list[str], list[str]]:
    """Return a column for each number where the columns hold several, like ``1,2,3``: named as OpenSim does."""
    line, kind = header.get("DataType", (0, "double"))
    endings = _ENDINGS.get(kind)
    if endings is None and (kind == "double" or not any("," in row for row in rows)):
        return labels, rows
    if endings is None:
        raise FileError(f"{path}, line {line}: DataType is {kind!r:.40}; known are double, {', '.join(_ENDINGS)}")
    for number, row in enumerate(rows, start=first_line):
        for label, cell in zip(labels[1:], row.split("\t")[1:], strict=False):
            if cell.count(",") != len(endings) - 1:
                raise FileError(
                    f"{path}, line {number}: '{label}' is {cell.strip()!r:.60}, not {len(endings)} numbers ({kind})"
                )
    return (
        [*labels[:1], *(f"{label}{ending}" for label in labels[1:] for ending in endings)],
        [row.replace(",", "\t") for row in rows],
    )


def _is_old(header: _Header) -> bool:
    return "version" not in header and "range" in header


def _with_time_first(path: Path, header: _Header, labels: list[str], table: Floats) -> tuple[list[str], Floats]:
    """Return the table with time in its first column, where an old motion file has it elsewhere or as a range."""
    if labels[0] == "time" or not _is_old(header):
        return labels, table
    if "time" in labels:
        place = labels.index("time")
        order = [place, *(other for other in range(len(labels)) if other != place)]
        return [labels[column] for column in order], table[:, order]
    line, text = header["range"]
    try:
        first, last = map(float, text.split())
    except ValueError:
        raise FileError(f"{path}, line {line}: range is two times, not {text!r:.40}") from None
    return ["time", *labels], np.column_stack([np.linspace(first, last, len(table)), table])


def _header_lines(key: str, text: str) -> list[str]:
    # OpenSim splits a line at its last equals sign, so that the value may hold none.
    text = text.replace("=", "\\u003d")
    pieces = [text[start : start + _LONGEST_VALUE] for start in range(0, len(text), _LONGEST_VALUE)]
    return [f"{_OURS}{key}{f'.{number}' if number > 1 else ''}={piece}" for number, piece in enumerate(pieces, start=1)]


def _parsed_header(path: Path, lines: list[str]) -> tuple[_Header, dict[str, str]]:
    """Return OpenSim's header entries with their line, and ours with their pieces joined."""
    header: _Header = {}
    ours: dict[str, str] = {}
    pieces: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        old = _OLD_LINE.fullmatch(line.strip())
        if old is not None:
            header[_OLD_KEYS[old[1]]] = (number, old[2].strip())
            continue
        key, equals, value = line.partition("=")
        key = key.strip()
        if not equals:
            continue
        if not key.startswith(_OURS):
            header[_OLD_KEYS.get(key, key)] = (number, value.strip())
            continue
        part, _, piece = key.removeprefix(_OURS).partition(".")
        pieces[part] = pieces.get(part, 0) + 1
        if (piece or "1") != str(pieces[part]):
            raise FileError(f"{path}, line {number}: '{key}' should be piece {pieces[part]} of {_OURS}{part}")
        # Spreadsheets add tabs to the end of every line; a blank may belong to the text.
        ours[part] = ours.get(part, "") + value.rstrip("\t")
    return header, ours


def _check_count(place: str, header: _Header, key: str, found: int) -> None:
    # OpenSim 4 carries the counts of the file that a table came from along as idle text: 40 columns promised
    # over 32 are no fault there. It marks the files it writes by their data type.
    if key not in header or "DataType" in header:
        return
    line, text = header[key]
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise FileError(f"{place}: {key} in line {line} is {text!r:.40}, not a whole number")
    if int(text) != found:
        cut = "; is the file cut off?" if int(text) > found else ""
        raise FileError(f"{place}: line {line} promises {key}={text}, but there are {found}{cut}")


def _degrees(path: Path, header: _Header, lines: Sequence[str]) -> Degrees | None:
    """Return where the header says that angles are in degrees; None if they are in radians."""
    if "inDegrees" in header:
        line, flag = header["inDegrees"]
        if flag.lower() not in ("yes", "y", "no", "n"):
            raise FileError(f"{path}, line {line}: inDegrees is yes or no, not {flag!r:.40}")
        return Degrees(line, "inDegrees=yes") if flag.lower() in ("yes", "y") else None
    for key, (line, _) in header.items():
        if key.lower() == "indegrees":
            raise FileError(f"{path}, line {line}: '{key:.40}' is ignored by OpenSim; spell it inDegrees")
    said = next(((number, line) for number, line in enumerate(lines, start=1) if line.strip() in _SENTENCES), None)
    if "version" in header:
        if said is not None and "degrees" in said[1]:
            raise FileError(
                f"{path}, line {said[0]}: angles are in degrees, but without inDegrees=yes OpenSim takes them to be "
                "in radians; add that line to the header, or inDegrees=no"
            )
        return None
    # Before the format had versions, a sentence said it. OpenSim takes old motion files without it to be in degrees.
    if said is not None:
        return Degrees(said[0], "angles are in degrees") if "degrees" in said[1] else None
    if path.suffix.lower() == ".mot":
        return Degrees(len(lines) + 1, "the header of an old motion file ends here, whose angles are in degrees")
    return None
