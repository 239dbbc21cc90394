"""Marker files (.trc): three lines of header, two of names, then frame, time and three numbers for each marker.

Numbers in millimetres become metres and back without loss: the decimal point of the text is moved, not the number
multiplied. Empty cells are gaps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import numpy as np

from myodyne.data import DataError, Markers
from myodyne.errors import FileError
from myodyne.files.atomic import atomically
from myodyne.files.series.table import check_numbers, read_lines
from myodyne.types import Floats

# Powers of ten from the unit of a file to metres.
_POWERS = {"mm": -3, "cm": -2, "dm": -1, "m": 0, "millimeters": -3, "centimeters": -2, "meters": 0}
_COUNTS = ("NumFrames", "NumMarkers")
_KEYS = (
    "DataRate",
    "CameraRate",
    "NumFrames",
    "NumMarkers",
    "Units",
    "OrigDataRate",
    "OrigDataStartFrame",
    "OrigNumFrames",
)
_FILE = "File"
_FIRST = "FirstFrame"
_HEADER_LINES = 5
_MOST_CELLS = 20_000_000
_MOST_CELLS_PER_LETTER = 8


def read_trc(path: Path) -> Markers:
    """Read a marker file; positions come in metres, whatever its unit."""
    lines, ended = read_lines(path)
    if not lines[0].startswith("PathFileType"):
        raise FileError(f"{path}, line 1: a marker file begins with 'PathFileType', not with {lines[0]!r:.40}")
    if len(lines) < _HEADER_LINES:
        raise FileError(f"{path}: ends within its header of {_HEADER_LINES} lines; is the file cut off?")
    header = _header(path, lines)
    names = _names(path, lines[3], _count(path, header, "NumMarkers"))
    _check_axes(path, lines[4], names)
    start = _HEADER_LINES
    while start < len(lines) and not lines[start].strip():
        start += 1
    rows = lines[start:]
    promised = _count(path, header, "NumFrames")
    if len(rows) != promised:
        cut = "; is the file cut off?" if len(rows) < promised else ""
        raise FileError(f"{path}, line 3: promises NumFrames={promised}, but there are {len(rows)} rows{cut}")
    unit = header["Units"]
    if unit.lower() not in _POWERS:
        raise FileError(f"{path}, line 3: Units must be mm, cm or m, not {unit!r:.40}")
    if not rows:
        raise FileError(f"{path}: there are no rows below the header")
    if not ended and len(rows[-1].split("\t")) < 2 + 3 * len(names):
        raise FileError(f"{path}, line {start + len(rows)}: is cut off")
    table = _numbers(path, rows, start + 1, names, _POWERS[unit.lower()])
    header[_FIRST] = str(int(table[0, 0]))
    labels = ["time", *(f"{name}.{axis}" for name in names for axis in "xyz")]
    check_numbers(lambda row: f"{path}, line {start + 1 + row}", table[:, 1:], labels, gaps=True)
    kept = {key: value for key, value in header.items() if key not in _COUNTS}
    try:
        return Markers(table[:, 1], names, table[:, 2:].reshape(len(rows), len(names), 3), kept)
    except DataError as error:
        raise FileError(f"{path}: {error}") from None


def write_trc(markers: Markers, path: Path) -> None:
    """Write a marker file, in the unit and with the header that the markers came with; else in millimetres."""
    header = _written_header(markers)
    power = _POWERS.get(header["Units"].lower())
    if power is None:
        raise FileError(f"{path}: the header of the markers has Units {header['Units']!r:.40}, not mm, cm or m")
    for name in (*markers.names, *header.values()):
        if "\t" in name or "\n" in name or "\r" in name:
            raise FileError(f"{path}: {name!r:.60} holds a tab or a new line, which marker files cannot")
    count = len(markers.names)
    numbers = range(1, count + 1)
    text = [
        "\t".join(["PathFileType", "4", "(X/Y/Z)", header.pop(_FILE)]),
        "\t".join(key for key in _KEYS),
        "\t".join(header[key] for key in _KEYS),
        "\t".join(["Frame#", "Time", *(cell for name in markers.names for cell in (name, "", ""))]),
        "\t".join(["", "", *(f"{axis}{number}" for number in numbers for axis in "XYZ")]),
        "",
    ]
    first = int(header[_FIRST])
    places = markers.positions.reshape(len(markers), -1).tolist()
    for row, (time, cells) in enumerate(zip(markers.time.tolist(), places, strict=True)):
        text.append("\t".join([str(first + row), repr(time), *(_shifted(cell, -power) for cell in cells)]))
    with atomically(path) as unfinished:
        unfinished.write_bytes(("\n".join(text) + "\n").encode())


def _header(path: Path, lines: Sequence[str]) -> dict[str, str]:
    """Return the entries of the header by name, as text."""
    keys, values = lines[1].split(), lines[2].split()
    missing = next((key for key in ("NumFrames", "NumMarkers", "Units") if key not in keys), None)
    if missing is not None:
        raise FileError(f"{path}, line 2: '{missing}' is missing")
    if len(set(keys)) != len(keys):
        raise FileError(f"{path}, line 2: a key appears twice")
    if len(values) != len(keys):
        raise FileError(f"{path}, line 3: has {len(values)} values for the {len(keys)} keys of line 2")
    header = dict(zip(keys, values, strict=True))
    for key in keys:
        if key not in _KEYS:
            del header[key]
    # PathFileType 4 (X/Y/Z) and then the name that the file once had, separated by tabs or blanks.
    header[_FILE] = " ".join(lines[0].split()[3:])
    return header


def _written_header(markers: Markers) -> dict[str, str]:
    """Return all entries of the header: those that the markers came with, and what follows from their rows."""
    rate = "0" if len(markers) == 1 else f"{markers.rate:.2f}".rstrip("0").rstrip(".")
    usual = {
        "DataRate": rate,
        "CameraRate": rate,
        "Units": "mm",
        "OrigDataRate": rate,
        "OrigDataStartFrame": "1",
        "OrigNumFrames": str(len(markers)),
        _FILE: "markers.trc",
        _FIRST: "1",
    }
    counts = {"NumFrames": str(len(markers)), "NumMarkers": str(len(markers.names))}
    header = {**usual, **{key: value for key, value in markers.header.items() if key in usual and value}, **counts}
    if not header[_FIRST].lstrip("-").isdigit():
        header[_FIRST] = "1"
    return header


def _count(path: Path, header: dict[str, str], key: str) -> int:
    text = header[key]
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise FileError(f"{path}, line 3: {key} is {text!r:.40}, not a whole number")
    return int(text)


def _names(path: Path, line: str, count: int) -> list[str]:
    cells = [cell.strip() for cell in line.rstrip().split("\t")]
    if [cell.lower() for cell in cells[:2]] != ["frame#", "time"]:
        raise FileError(f"{path}, line 4: begins with 'Frame#' and 'Time', not with {line[:30]!r}")
    between = next((cell for place, cell in enumerate(cells[2:]) if place % 3 and cell), None)
    # Cortex names more markers than it counts: virtual ones, whose columns stay empty (and are checked to be so).
    names = cells[2::3][:count]
    if between is not None:
        # Some programs write fewer blanks between the names; their number still says which column is whose.
        names = [cell for cell in cells[2:] if cell]
        if len(names) != count:
            raise FileError(
                f"{path}, line 4: '{between:.40}' is where an empty cell is expected; two follow each name, and there "
                f"are {len(names)} names where line 3 promises NumMarkers={count}"
            )
    if len(names) < count:
        raise FileError(f"{path}, line 4: names {len(names)} markers, but line 3 promises NumMarkers={count}")
    seen: set[str] = set()
    for place, name in enumerate(names):
        if not name:
            raise FileError(f"{path}, line 4: marker {place + 1} has no name")
        if name in seen:
            raise FileError(f"{path}, line 4: two markers are called '{name:.60}'; rename one")
        seen.add(name)
    return names


def _check_axes(path: Path, line: str, names: Sequence[str]) -> None:
    # Blanks before and between the axes are as the program that wrote the file likes them.
    axes = [cell.strip()[:1].upper() for cell in line.split("\t") if cell.strip()][: 3 * len(names)]
    if axes != ["X", "Y", "Z"] * len(names):
        raise FileError(f"{path}, line 5: must name the axes X1, Y1, Z1, X2 ... of {len(names)} markers")


def _numbers(path: Path, rows: Sequence[str], first_line: int, names: Sequence[str], power: int) -> Floats:
    """Return frame, time, and the places in metres of each row."""
    width = 2 + 3 * len(names)
    # Rows may leave out cells, so that a small file could promise a table of any size.
    if len(rows) * width > max(_MOST_CELLS, _MOST_CELLS_PER_LETTER * sum(map(len, rows))):
        raise FileError(f"{path}: {len(rows)} rows of {len(names)} markers are promised, and most of them are empty")
    table = np.full((len(rows), width), np.nan)
    for row, line in enumerate(rows):
        cells = line.split("\t")
        place = f"{path}, line {first_line + row}"
        if len(cells) > width and any(cell.strip() for cell in cells[width:]):
            raise FileError(f"{place}: has more numbers than line 3 promises: {width} for {len(names)} markers")
        # Some programs leave out the empty cells at the end of a row.
        if len(cells) < 2 or (len(cells) < width and (len(cells) - 2) % 3 and line.rstrip() == line):
            raise FileError(f"{place}: has {len(cells)} values instead of {width} (is the file cut off?)")
        for column, cell in enumerate(cells[:width]):
            if column < 2 or cell.strip():
                table[row, column] = _number(place, cell, names, column, power if column >= 2 else 0)
    return table


def _number(place: str, cell: str, names: Sequence[str], column: int, power: int) -> float:
    text = cell.strip()
    try:
        # Python reads 1_000 as a thousand; tables do not mean that.
        value = math.inf if "_" in text else _moved(text, power)
    except ValueError:
        value = math.inf
    if math.isinf(value) or (column < 2 and math.isnan(value)) or (column == 0 and value != int(value)):
        what = ("the frame", "the time")[column] if column < 2 else f"'{names[(column - 2) // 3]}'"
        raise FileError(f"{place}: {what} is {text!r:.40}, not a number")
    return value


def _moved(text: str, power: int) -> float:
    """Return a number of the text with its decimal point moved, to the nearest bit."""
    if power == 0 or "e" in text.lower() or "n" in text.lower():
        value = float(text)
        if power == 0 or not math.isfinite(value):
            return value
        return float(Decimal(text).scaleb(power))
    return float(f"{text}e{power}")


def _shifted(value: float, power: int) -> str:
    """Return the text of a number with its decimal point moved, which `_moved` reads back to the same bits."""
    if math.isnan(value):
        return ""
    if power == 0:
        return repr(value)
    short = repr(value * 10.0**power)
    return short if _moved(short, -power) == value else format(Decimal(repr(value)).scaleb(power), "f")
