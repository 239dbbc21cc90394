"""Triangles of bones from .vtp, .obj and .stl files, read safely."""

from __future__ import annotations

import struct
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from myodyne.errors import FileError
from myodyne.types import Floats, Integers

# Larger files are not bones (bytes, vertices, faces).
_MOST_BYTES, _MOST = 50_000_000, 1_000_000


def load_mesh(path: str | Path) -> tuple[Floats, Integers]:
    """Return the vertices (n, 3) and triangles (m, 3) of a file; polygons are cut into triangles.

    Examples
    --------
    >>> load_mesh("femur.vtp")
    Traceback (most recent call last):
    myodyne.errors.FileError: femur.vtp: no such file
    """
    file = Path(path)
    if not file.is_file():
        raise FileError(f"{file}: no such file")
    if file.stat().st_size > _MOST_BYTES:
        raise FileError(f"{file}: {file.stat().st_size / 1e6:.0f} MB is too large for a mesh")
    readers = {".vtp": _vtp, ".obj": _obj, ".stl": _stl}
    reader = readers.get(file.suffix.lower())
    if reader is None:
        raise FileError(f"{file}: meshes are read from {', '.join(readers)}, not from '{file.suffix}'")
    try:
        vertices, faces = reader(file.read_bytes())
    except (ValueError, IndexError, KeyError, struct.error, ElementTree.ParseError) as error:
        raise FileError(f"{file}: not a mesh: {error}") from error
    return _checked(file, vertices, faces)


def _checked(file: Path, vertices: Floats, faces: Integers) -> tuple[Floats, Integers]:
    if not len(vertices) or not len(faces):
        raise FileError(f"{file}: the mesh has no triangles")
    if len(vertices) > _MOST or len(faces) > _MOST:
        raise FileError(f"{file}: {len(faces)} triangles are too many (at most {_MOST})")
    if not np.isfinite(vertices).all():
        raise FileError(f"{file}: a vertex is NaN or infinite")
    if faces.min() < 0 or faces.max() >= len(vertices):
        raise FileError(f"{file}: a triangle refers to a vertex that does not exist")
    return vertices, faces


def _vtp(data: bytes) -> tuple[Floats, Integers]:
    # Entities can blow a small file up; these files need none.
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise ValueError("document types and entities are not allowed")
    piece = ElementTree.fromstring(data).find(".//Piece")
    if piece is None:
        raise ValueError("no <Piece>")
    points = _numbers(piece.find("./Points/DataArray"), "Points").reshape(-1, 3)
    arrays = {array.get("Name"): array for array in piece.findall("./Polys/DataArray")}
    corners = _numbers(arrays.get("connectivity"), "connectivity").astype(np.int64)
    ends = _numbers(arrays.get("offsets"), "offsets").astype(np.int64)
    starts = np.concatenate([[0], ends[:-1]])
    polygons = [corners[start:end] for start, end in zip(starts, ends, strict=True)]
    return points, _triangles(polygons)


def _numbers(array: ElementTree.Element | None, name: str) -> Floats:
    if array is None:
        raise ValueError(f"no {name}")
    if array.get("format", "ascii") != "ascii":
        raise ValueError(f"{name} are stored in binary; save the file as ASCII")
    return np.array((array.text or "").split(), dtype=np.float64)


def _obj(data: bytes) -> tuple[Floats, Integers]:
    vertices: list[list[float]] = []
    polygons = []
    for line in data.decode("utf-8", errors="replace").splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append([float(word) for word in words[1:4]])
        elif words[:1] == ["f"]:
            numbers = [int(word.split("/")[0]) for word in words[1:]]
            # Negative numbers count from the last vertex.
            polygons.append(np.array([n - 1 if n > 0 else len(vertices) + n for n in numbers]))
    return np.array(vertices, dtype=np.float64).reshape(-1, 3), _triangles(polygons)


def _stl(data: bytes) -> tuple[Floats, Integers]:
    if data[:5].lower() == b"solid" and b"facet" in data[:1000]:
        words = data.decode("ascii", errors="replace").split()
        corners = [words[place + 1 : place + 4] for place, word in enumerate(words) if word == "vertex"]
        points = np.array(corners, dtype=np.float64).reshape(-1, 3)
    else:
        (count,) = struct.unpack_from("<I", data, 80)
        if len(data) < 84 + 50 * count:
            raise ValueError(f"{count} triangles are announced, but the file is shorter")
        record = np.dtype([("numbers", "<f4", (12,)), ("attribute", "<u2")])
        facets = np.frombuffer(data, record, count, 84)
        points = facets["numbers"][:, 3:].reshape(-1, 3).astype(np.float64)
    vertices, faces = np.unique(points, axis=0, return_inverse=True)
    return vertices, np.asarray(faces).reshape(-1, 3)


def _triangles(polygons: list[Integers]) -> Integers:
    """Return polygons cut into fans of triangles."""
    fans = [
        np.column_stack([np.full(len(corners) - 2, corners[0]), corners[1:-1], corners[2:]])
        for corners in polygons
        if len(corners) > 2
    ]
    return np.concatenate(fans).astype(np.int64) if fans else np.zeros((0, 3), dtype=np.int64)
