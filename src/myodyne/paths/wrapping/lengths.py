"""Lengths of paths over surfaces, and their derivatives, from the places of points and surfaces.

The geometry is in ``native/wrapping/wrapping.c`` and, for shortest paths, in ``native/wrapping/taut/path.c``. Without
a compiler ``paths/wrapping/interpreted.py`` does the same as the former.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from myodyne.errors import ModelError
from myodyne.model import Model, PointPath
from myodyne.model.surfaces import Surface, WrapCylinder, WrapEllipsoid, WrapSphere, WrapTorus
from myodyne.native.compiler import HOW_TO_GET_ONE, find_compiler
from myodyne.native.libraries import runtime
from myodyne.paths.wrapping.overlap import overlapping
from myodyne.paths.wrapping.tables import PathTable, Places, SurfaceUse, by_path
from myodyne.types import Floats

_KINDS = {"cylinder": 0, "sphere": 1, "ellipsoid": 2, "torus": 3}
_METHODS = {"hybrid": 0, "midpoint": 1, "axial": 2}
_HALVES = {"all": 0, "x": 1, "y": 2, "z": 3, "-x": -1, "-y": -2, "-z": -3}

# Pieces into which the segment over a surface is divided for drawing.
_PIECES = 16


class _Solver(Protocol):
    """Finds paths over surfaces: the C runtime, or its counterpart in NumPy."""

    def rows(self, points: Floats, active: Floats, frames: Floats) -> tuple[Floats, Floats]: ...
    def points(self, number: int, places: Places, pieces: int) -> Floats: ...


class WrappedLengths:
    """Lengths of some paths over the surfaces of a model, and their derivatives.

    Called with places, as the kernel ``wrap_places`` gives them, it returns the lengths (m), one for each path, and
    their derivatives by all places, path by path: three numbers for each point, then for each surface three by a
    displacement and three by a rotation about its origin. Places may come in rows.

    The numbers are those of OpenSim 4.6, flaws included, unless the model asks for shortest paths: then a path is a
    taut string over all surfaces at once. These need a compiler.
    """

    def __init__(self, model: Model, paths: Mapping[str, PointPath], *, compiled: bool | None = None) -> None:
        shortest = model.wrapping == "shortest"
        self.names = tuple(paths)
        self.tables = tuple(_table(model, path) for path in paths.values())
        compiler = None if compiled is False else find_compiler()
        self._solver: _Solver
        if compiler is None and shortest:
            raise ModelError(
                "the model asks for shortest paths over surfaces (wrapping: shortest), which need a C compiler, "
                f"and none was found: {HOW_TO_GET_ONE}; or choose wrapping: opensim"
            )
        if compiler is None:
            from myodyne.paths.wrapping.interpreted import InterpretedSolver

            self._solver = InterpretedSolver(self.tables)
        else:
            self._solver = _CompiledSolver(self.tables, shortest, runtime(compiler).wrapping)

    def __call__(self, points: ArrayLike, active: ArrayLike, frames: ArrayLike) -> tuple[Floats, Floats]:
        """Return lengths (..., paths) and weights; points, their activity and frames are path by path in a row."""
        flat = _contiguous(points, active, frames)
        lead = flat[0].shape[:-1]
        lengths, weights = self._solver.rows(*(part.reshape(-1, part.shape[-1]) for part in flat))
        return lengths.reshape(*lead, -1), weights.reshape(*lead, -1)

    @property
    def address(self) -> int:
        """The address of the tables of the paths in C."""
        assert isinstance(self._solver, _CompiledSolver)
        return self._solver.address

    def marks(self, points: ArrayLike, active: ArrayLike, frames: ArrayLike) -> NDArray[np.int32]:
        """Return what may make the length of the only path jump, in one pose (see ``taut_marks`` in C)."""
        assert isinstance(self._solver, _CompiledSolver)
        return self._solver.marks(0, _contiguous(points, active, frames))

    def points_along(self, points: ArrayLike, active: ArrayLike, frames: ArrayLike) -> dict[str, Floats]:
        """Return the points (n, 3) along each path in one pose, for drawing, by name; in the frame of the places."""
        places = by_path(self.tables, _contiguous(points, active, frames))
        return {
            name: self._solver.points(number, own, _PIECES)
            for number, (name, own) in enumerate(zip(self.names, places, strict=True))
        }


def _contiguous(points: ArrayLike, active: ArrayLike, frames: ArrayLike) -> Places:
    def contiguous(part: ArrayLike) -> Floats:
        return np.ascontiguousarray(part, dtype=float)

    return contiguous(points), contiguous(active), contiguous(frames)


def _table(model: Model, path: PointPath) -> PathTable:
    uses = []
    surfaces = [model.surfaces[wrap.surface] for wrap in path.wraps]
    for wrap, surface, group in zip(path.wraps, surfaces, overlapping(surfaces), strict=True):
        uses.append(
            SurfaceUse(
                kind=_KINDS[surface.kind],
                half=_HALVES[surface.half],
                method=_METHODS[wrap.method],
                first=-1 if wrap.first is None else wrap.first - 1,
                last=-1 if wrap.last is None else wrap.last - 1,
                size=_size(surface),
                group=group,
            )
        )
    return PathTable(len(path.points), tuple(uses))


def _size(surface: Surface) -> tuple[float, float, float]:
    match surface:
        case WrapCylinder():
            return surface.radius, surface.length, 0.0
        case WrapSphere():
            return surface.radius, 0.0, 0.0
        case WrapEllipsoid():
            return surface.radii
        case WrapTorus():
            return surface.inner_radius, surface.outer_radius, 0.0


class _SurfaceStructure(ctypes.Structure):
    """Mirrors ``wrap_surface``."""

    _fields_ = (
        *((name, ctypes.c_int) for name in ("kind", "half", "method", "first", "last", "group")),
        ("size", ctypes.c_double * 3),
    )


class _PathStructure(ctypes.Structure):
    """Mirrors ``wrap_path``."""

    _fields_ = (
        ("points", ctypes.c_int),
        ("surfaces", ctypes.c_int),
        ("surface", ctypes.POINTER(_SurfaceStructure)),
        ("shortest", ctypes.c_int),
    )


class _CompiledSolver:
    """The C routines."""

    def __init__(self, tables: Sequence[PathTable], shortest: bool, library: ctypes.CDLL) -> None:
        self._tables = tables
        self._paths = (_PathStructure * len(tables))()
        for path, table in zip(self._paths, tables, strict=True):
            path.points, path.surfaces, path.shortest = table.points, len(table.surfaces), shortest
            path.surface = (_SurfaceStructure * len(table.surfaces))(
                *(
                    _SurfaceStructure(use.kind, use.half, use.method, use.first, use.last, use.group, use.size)
                    for use in table.surfaces
                )
            )
        self._weights = sum(table.weights for table in tables)
        pointer = ctypes.c_void_p
        self._rows = library.wrap_rows
        self._rows.argtypes = (ctypes.c_long, ctypes.c_int, *[pointer] * 6)
        self._rows.restype = None
        self._points = library.wrap_points
        self._points.argtypes = (*[pointer] * 4, ctypes.c_int, pointer)
        self._marks = library.taut_marks
        self._marks.argtypes = (*[pointer] * 5,)
        self._marks.restype = None

    @property
    def address(self) -> int:
        """The address of the first path."""
        return ctypes.addressof(self._paths)

    def rows(self, points: Floats, active: Floats, frames: Floats) -> tuple[Floats, Floats]:
        lengths, weights = np.empty((len(points), len(self._tables))), np.empty((len(points), self._weights))
        self._rows(
            len(points),
            len(self._tables),
            self._paths,
            *(array.ctypes.data for array in (points, active, frames, lengths, weights)),
        )
        return lengths, weights

    def points(self, number: int, places: Places, pieces: int) -> Floats:
        table, path = self._tables[number], self._paths[number]
        given = ctypes.addressof(path), *(array.ctypes.data for array in places), pieces
        room = self._points(*given, None) if path.shortest else table.points + len(table.surfaces) * (pieces + 1)
        found = np.empty((room, 3))
        count = self._points(*given, found.ctypes.data)
        return found[:count]

    def marks(self, number: int, places: Places) -> NDArray[np.int32]:
        found = np.zeros((len(self._tables[number].surfaces), 4), dtype=np.int32)
        self._marks(ctypes.addressof(self._paths[number]), *(array.ctypes.data for array in places), found.ctypes.data)
        return found
