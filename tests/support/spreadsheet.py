"""The numbers of a sheet of an old spreadsheet (.xls), read without a library: enough for tables of parameters."""

from __future__ import annotations

import struct
from pathlib import Path

Cells = dict[tuple[int, int], float]

_FREE_END = 0xFFFFFFFA
_BEGIN, _FORMULA, _MANY, _NUMBER, _SHORT = 0x809, 0x6, 0xBD, 0x203, 0x27E


def numbers(path: Path) -> Cells:
    """Return the numbers of the first sheet that has any, by row and column, both counted from zero."""
    stream = _workbook(path.read_bytes())
    sheet: Cells = {}
    place = 0
    while place + 4 <= len(stream):
        kind, size = struct.unpack_from("<HH", stream, place)
        body = stream[place + 4 : place + 4 + size]
        place += 4 + size
        if kind == _BEGIN and sheet:
            break
        if kind in (_NUMBER, _FORMULA):
            row, column = struct.unpack_from("<HH", body)
            # A formula that gives text or an error marks it in the place of a number.
            if kind == _NUMBER or body[12:14] != b"\xff\xff":
                sheet[row, column] = struct.unpack_from("<d", body, 6)[0]
        elif kind == _SHORT:
            row, column = struct.unpack_from("<HH", body)
            sheet[row, column] = _short(struct.unpack_from("<I", body, 6)[0])
        elif kind == _MANY:
            row, column = struct.unpack_from("<HH", body)
            for step in range((size - 6) // 6):
                sheet[row, column + step] = _short(struct.unpack_from("<I", body, 6 + 6 * step)[0])
    return sheet


def _short(code: int) -> float:
    """Return a number of 30 bits: an integer or the upper half of a double, perhaps in hundredths."""
    if code & 2:
        value = float((code >> 2) - (1 << 30 if code & 0x80000000 else 0))
    else:
        value = struct.unpack("<d", struct.pack("<II", 0, code & 0xFFFFFFFC))[0]
    return value / 100 if code & 1 else value


def _workbook(file: bytes) -> bytes:
    """Return the stream called Workbook of a compound file, which is kept in chained sectors."""
    size = 1 << struct.unpack_from("<H", file, 30)[0]

    def sector(number: int) -> bytes:
        return file[(number + 1) * size : (number + 2) * size]

    tables = [number for number in struct.unpack_from("<109I", file, 76) if number < _FREE_END]
    following = [entry for table in tables for entry in struct.unpack(f"<{size // 4}I", sector(table))]

    def chain(number: int) -> bytes:
        parts = []
        while number < _FREE_END:
            parts.append(sector(number))
            number = following[number]
        return b"".join(parts)

    directory = chain(struct.unpack_from("<I", file, 48)[0])
    for entry in range(0, len(directory), 128):
        if directory[entry : entry + 18] == "Workbook\0".encode("utf-16-le"):
            return chain(struct.unpack_from("<I", directory, entry + 116)[0])[
                : struct.unpack_from("<I", directory, entry + 120)[0]
            ]
    raise ValueError("the file has no workbook")
