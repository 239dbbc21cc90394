"""Tables of paths for the wrapping routines: the number of points of each, and the surfaces it may wrap over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from myodyne.types import Floats

# The points of paths, which of them are active (1 or 0), and the frames of surfaces: path by path in a row.
Places = tuple[Floats, Floats, Floats]


@dataclass(frozen=True)
class SurfaceUse:
    """A surface of a path, as ``wrap_surface`` in native/wrapping/wrapping.h: points count from 0, -1 is the end.

    Surfaces of one body that overlap are of one ``group``.
    """

    kind: int
    half: int
    method: int
    first: int
    last: int
    size: tuple[float, float, float]
    group: int = 0


@dataclass(frozen=True)
class PathTable:
    """The number of points of a path, and its surfaces."""

    points: int
    surfaces: tuple[SurfaceUse, ...]

    @property
    def weights(self) -> int:
        """The number of derivatives of its length: by points, then by the motions of surfaces."""
        return 3 * self.points + 6 * len(self.surfaces)


def by_path(tables: Sequence[PathTable], places: Places) -> Iterator[Places]:
    """Yield the part of the places that belongs to each path."""
    points, active, frames = places
    first = [0, 0, 0]
    for table in tables:
        end = [first[0] + 3 * table.points, first[1] + table.points, first[2] + 12 * len(table.surfaces)]
        yield points[first[0] : end[0]], active[first[1] : end[1]], frames[first[2] : end[2]]
        first = end
