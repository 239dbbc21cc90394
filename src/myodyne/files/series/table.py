"""Tables of numbers as text, read with the place of every fault."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from myodyne.errors import FileError
from myodyne.types import Floats

# Reading takes several times the size of the file in memory; beyond this a binary file is the right choice.
LARGEST_TEXT = 512 * 2**20
LARGEST_BINARY = 4 * 2**30
# What programs on Windows write for NaN.
_WINDOWS = re.compile(r"[-+]?(?:nan\((?:ind|snan)\)|1\.#(?:ind|qnan|snan)0*)", re.IGNORECASE)


def read_bytes(path: Path, largest: int) -> bytes:
    """Return the content of a regular file that is not larger than ``largest`` bytes."""
    if "\0" in str(path):
        raise FileError(f"{str(path)!r}: is not a valid file name")
    try:
        # A pipe or a device could keep the reader waiting for ever.
        if path.exists() and not path.is_file():
            raise FileError(f"{path}: is not a regular file")
        size = path.stat().st_size
        if size > largest:
            raise FileError(
                f"{path}: is {size / 2**20:.0f} MiB, and at most {largest / 2**20:.0f} MiB are read; split it, or "
                f"save it as .nc, which is smaller"
            )
        content = path.read_bytes()
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror or error}") from error
    if not content.strip():
        raise FileError(f"{path}: is empty")
    return content


def read_lines(path: Path) -> tuple[list[str], bool]:
    """Return the lines of a UTF-8 text file, and whether the last of them was ended.

    Blank lines at the end are left out.
    """
    content = read_bytes(path, LARGEST_TEXT)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FileError(f"{path}, line {line}: is not text in UTF-8 (byte {content[error.start]:#04x})") from None
    if "\0" in text:
        raise FileError(f"{path}, line {text.count(chr(10), 0, text.index(chr(0))) + 1}: is not text")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    return lines, text.endswith(("\n", "\r"))


def check_whole(path: Path, ended: bool, promised: object, rows: int) -> None:
    """Refuse a file of ours that was cut off: in its last number, or between two rows."""
    if not ended:
        raise FileError(f"{path}: is cut off in its last line")
    if promised != rows:
        raise FileError(f"{path}: has {rows} rows instead of {promised!r:.20}; is the file cut off?")


def check_labels(place: str, labels: Sequence[str]) -> None:
    """Refuse columns without a name, twice the same name, or another first column than time."""
    if not labels or labels[0] != "time":
        raise FileError(f"{place}: the first column must be 'time', not {labels[0] if labels else ''!r:.60}")
    seen: set[str] = set()
    for number, label in enumerate(labels, start=1):
        if not label:
            raise FileError(f"{place}: column {number} has no name")
        if label in seen:
            raise FileError(f"{place}: two columns are called '{label}'; rename one")
        seen.add(label)


def parse_rows(path: Path, lines: Sequence[str], first_line: int, labels: Sequence[str], delimiter: str) -> Floats:
    """Return the numbers of the lines; ``first_line`` is the number of the first of them in the file."""
    if not lines:
        raise FileError(f"{path}: there are no rows below the names of the columns; is the file cut off?")
    if not all(line.strip() for line in lines):
        blank = next(number for number, line in enumerate(lines) if not line.strip())
        raise FileError(f"{path}, line {first_line + blank}: is blank, but rows follow it")
    try:
        try:
            table: Floats = np.loadtxt(lines, delimiter=delimiter, comments=None, ndmin=2)
        except ValueError:
            if not any("(" in line or "#" in line for line in lines):
                raise
            lines = [_WINDOWS.sub("nan", line) for line in lines]
            table = np.loadtxt(lines, delimiter=delimiter, comments=None, ndmin=2)
    except ValueError as error:
        _raise_first_fault(path, lines, first_line, labels, delimiter)
        raise FileError(f"{path}: cannot be read as numbers: {error}") from None
    if table.shape != (len(lines), len(labels)):
        _raise_first_fault(path, lines, first_line, labels, delimiter)
        raise FileError(f"{path}: {len(labels)} names are above rows of {table.shape[1]} numbers")
    return table


def check_numbers(where: Callable[[int], str], table: Floats, labels: Sequence[str], *, gaps: bool) -> None:
    """Refuse times that do not increase and, unless ``gaps`` are allowed, values that are not finite.

    ``where`` gives the place of a row in the file.
    """
    allowed = np.isfinite(table)
    if gaps:
        allowed[:, 1:] = True
    if not allowed.all():
        row, column = map(int, np.argwhere(~allowed)[0])
        remedy = "" if column == 0 else "; load(..., gaps=True) keeps such values"
        raise FileError(f"{where(row)}: '{labels[column]}' is {table[row, column]}, not a number{remedy}")
    backward = np.flatnonzero(np.diff(table[:, 0]) <= 0)
    if backward.size:
        row = int(backward[0])
        raise FileError(
            f"{where(row + 1)}: time must increase, but {table[row + 1, 0]:.17g} s follows {table[row, 0]:.17g} s"
        )


def written_rows(table: Floats, delimiter: str) -> str:
    """Return the numbers as text, each with as many digits as it takes to read it back to the last bit."""
    return "".join(delimiter.join(map(repr, row)) + "\n" for row in table.tolist())


def _raise_first_fault(
    path: Path, lines: Sequence[str], first_line: int, labels: Sequence[str], delimiter: str
) -> None:
    for number, line in enumerate(lines, start=first_line):
        cells = line.split(delimiter)
        if len(cells) != len(labels):
            cut = " (is the file cut off?)" if number == first_line + len(lines) - 1 else ""
            raise FileError(f"{path}, line {number}: has {len(cells)} values, but there are {len(labels)} columns{cut}")
        for label, cell in zip(labels, cells, strict=True):
            if not _is_number(cell):
                raise FileError(f"{path}, line {number}: '{label}' is {cell.strip()!r:.60}, not a number")


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    # Python reads 1_000 as a thousand; tables do not mean that.
    return "_" not in cell
