"""OpenSim's storage files (.sto): a header of ``key=value`` lines, then a table separated by tabs.

What OpenSim cannot express (units, report, provenance, model) stands in header lines that begin with
``myodyne_``; OpenSim keeps such lines as text.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from myodyne.data import Trajectory
from myodyne.errors import FileError
from myodyne.files.atomic import atomically
from myodyne.files.description import description_of, from_json, rebuilt, to_json
from myodyne.files.table import check_labels, check_numbers, check_whole, parse_rows, read_lines, written_rows

_END = "endheader"
_OURS = "myodyne_"
# OpenSim matches each header line with a recursive regular expression, which overflows the stack on very long ones.
_LONGEST_VALUE = 1000


def write_sto(trajectory: Trajectory, path: Path) -> None:
    """Write a storage file of version 1, angles in radians."""
    header = [
        path.stem if path.stem.isprintable() and "=" not in path.stem else "data",
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


def read_sto(path: Path, *, gaps: bool) -> Trajectory:
    """Read a storage file whose angles are in radians."""
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
    labels = [label.strip() for label in lines[start].rstrip().split("\t")]
    place = f"{path}, line {start + 1}"
    check_labels(place, labels)
    _check_count(place, header, "nColumns", len(labels))
    _refuse_degrees(path, header)
    rows = [line.rstrip() for line in lines[start + 1 :]]
    _check_count(str(path), header, "nRows", len(rows))
    table = parse_rows(path, rows, start + 2, labels, "\t")
    check_numbers(lambda row: f"{path}, line {start + 2 + row}", table, labels, gaps=gaps)
    if ours:
        check_whole(path, ended, len(rows), len(rows))
    described = {key: from_json(f"{path}, header {_OURS}{key}", text) for key, text in ours.items()}
    units = described.pop("units", {})
    if not isinstance(units, dict):
        raise FileError(f"{path}, header {_OURS}units: a table of units by name is expected")
    return rebuilt(path, labels, table, units, described)


def _header_lines(key: str, text: str) -> list[str]:
    # OpenSim splits a line at its last equals sign, so that none may stand in the value.
    text = text.replace("=", "\\u003d")
    pieces = [text[start : start + _LONGEST_VALUE] for start in range(0, len(text), _LONGEST_VALUE)]
    return [f"{_OURS}{key}{f'.{number}' if number > 1 else ''}={piece}" for number, piece in enumerate(pieces, start=1)]


def _parsed_header(path: Path, lines: list[str]) -> tuple[dict[str, tuple[int, str]], dict[str, str]]:
    """Return OpenSim's header entries with their line, and ours with their pieces joined."""
    header: dict[str, tuple[int, str]] = {}
    ours: dict[str, str] = {}
    pieces: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        key, equals, value = line.partition("=")
        key = key.strip()
        if not equals:
            continue
        if not key.startswith(_OURS):
            header[key] = (number, value.strip())
            continue
        part, _, piece = key.removeprefix(_OURS).partition(".")
        pieces[part] = pieces.get(part, 0) + 1
        if (piece or "1") != str(pieces[part]):
            raise FileError(f"{path}, line {number}: '{key}' should be piece {pieces[part]} of {_OURS}{part}")
        # Spreadsheets add tabs to the end of every line; a blank may belong to the text.
        ours[part] = ours.get(part, "") + value.rstrip("\t")
    return header, ours


def _check_count(place: str, header: dict[str, tuple[int, str]], key: str, found: int) -> None:
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


def _refuse_degrees(path: Path, header: dict[str, tuple[int, str]]) -> None:
    line, flag = header.get("inDegrees", (0, "no"))
    if flag.lower() == "yes":
        # Which columns are angles is known to the model alone: forces and lengths stand beside them.
        raise FileError(
            f"{path}, line {line}: inDegrees=yes, and the file does not say which columns are angles. "
            "Convert it to radians first (in OpenSim: Storage.convertDegreesToRadians or Model.getSimbodyEngine()"
            ".convertDegreesToRadians), or correct the line to inDegrees=no if no column is an angle"
        )
    if flag.lower() != "no":
        raise FileError(f"{path}, line {line}: inDegrees is yes or no, not {flag!r:.40}")
