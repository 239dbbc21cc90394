"""What is drawn of a movement: lines and points in space over time, free of model and style."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from myodyne.data import DataError
from myodyne.types import Floats

# The view of spatial animations: from the right, turned and raised a little (rad).
YAW, PITCH = math.radians(-30.0), math.radians(14.0)


class Polyline(NamedTuple):
    """A line through points that move: ``points`` has the shape (times, points of the line, 3), in m.

    ``body`` is the body that carries it; a line that runs between bodies, like a spring, has none (``""``). A
    ``muscle`` is red, or, with its ``activation`` (times,), from blue at rest to red.
    """

    label: str
    body: str
    points: Floats
    muscle: bool = False
    activation: Floats | None = None


class Solid(NamedTuple):
    """A body part with a thickness: a rod between two centres, or an ellipsoid about one.

    ``centres`` has the shape (times, 1 or 2, 3), in m. A rod has the ``radii`` of its two ends (m), an ellipsoid
    ``semi_axes`` as the columns of a matrix (times, 3, 3), in m.
    """

    body: str
    centres: Floats
    radii: tuple[float, float] = (0.0, 0.0)
    semi_axes: Floats | None = None


@dataclass(frozen=True, eq=False)
class Animation:
    """A movement as lines and points in the ground's axes (m), y up, at given times (s).

    Parameters
    ----------
    times
        Times of the frames (s), increasing.
    segments
        Lines that move.
    points
        Markers by name, each of the shape (times, 3).
    com
        Centre of mass, of the shape (times, 3), if there is one.
    title
        Name of what is shown.
    planar
        Whether all happens in the x-y plane, which is then what is shown.
    ground
        Whether the ground (y = 0) is drawn.
    solids
        Body parts, drawn behind the lines.

    Examples
    --------
    >>> rod = Polyline("rod", "rod", np.array([[[0, 0, 0], [0, -1, 0]], [[0, 0, 0], [1, 0, 0]]], dtype=float))
    >>> Animation(np.array([0.0, 0.5]), (rod,), planar=True).lower
    array([ 0., -1.,  0.])
    """

    times: Floats
    segments: tuple[Polyline, ...]
    points: Mapping[str, Floats] = field(default_factory=dict)
    com: Floats | None = None
    title: str = ""
    planar: bool = False
    ground: bool = False
    solids: tuple[Solid, ...] = ()

    def __post_init__(self) -> None:
        times = np.array(self.times, dtype=np.float64)
        if times.ndim != 1 or not len(times) or not (np.diff(times) > 0).all():
            raise DataError("the times of an animation must increase")
        object.__setattr__(self, "times", times)
        segments = tuple(line._replace(points=self._checked(line.label, line.points, 3)) for line in self.segments)
        object.__setattr__(self, "segments", segments)
        object.__setattr__(self, "points", {name: self._checked(name, at, 2) for name, at in self.points.items()})
        object.__setattr__(self, "com", None if self.com is None else self._checked("centre of mass", self.com, 2))
        if not self.segments and not self.points:
            raise DataError("an animation needs a line or a point to show")

    def _checked(self, name: str, values: Floats, dimensions: int) -> Floats:
        points = np.array(values, dtype=np.float64)
        if points.ndim != dimensions or points.shape[0] != len(self.times) or points.shape[-1] != 3 or not points.size:
            raise DataError(f"'{name}' has the shape {points.shape}; {len(self.times)} times and x, y, z are needed")
        if not np.isfinite(points).all():
            frame = int(np.argwhere(~np.isfinite(points))[0, 0])
            raise DataError(f"'{name}' has no finite position at {self.times[frame]:g} s")
        return points

    def all_points(self) -> Floats:
        """Return every point that is drawn, of the shape (times, points, 3)."""
        found = [line.points for line in self.segments] + [at[:, None] for at in self.points.values()]
        if self.com is not None:
            found.append(self.com[:, None])
        found += [_rim(solid) for solid in self.solids]
        return np.concatenate(found, axis=1)

    @property
    def lower(self) -> Floats:
        """Lowest x, y and z that is reached (m)."""
        lowest: Floats = self.all_points().min(axis=(0, 1))
        return lowest

    @property
    def upper(self) -> Floats:
        """Highest x, y and z that is reached (m)."""
        highest: Floats = self.all_points().max(axis=(0, 1))
        return highest

    @property
    def size(self) -> float:
        """Longest side of the space that is passed through (m)."""
        return float(max((self.upper - self.lower).max(), 1e-9))


def _rim(solid: Solid) -> Floats:
    """Return points on the outside of a solid in the x-y plane, for the window that shows all of it."""
    if solid.semi_axes is None:
        reach = np.array(solid.radii)[None, :, None] * np.array([1.0, 1.0, 0.0])
        return np.concatenate([solid.centres + reach, solid.centres - reach], axis=1)
    axes = np.swapaxes(solid.semi_axes, 1, 2) * np.array([1.0, 1.0, 0.0])
    return np.concatenate([solid.centres + axes, solid.centres - axes], axis=1)


def projected(points: Floats, *, planar: bool) -> Floats:
    """Return what the viewer sees: right and up (m), without perspective.

    Examples
    --------
    >>> projected(np.array([1.0, 2.0, 3.0]), planar=True)
    array([1., 2.])
    """
    if planar:
        flat: Floats = points[..., :2]
        return flat
    x, y, z = points[..., 0], points[..., 1], points[..., 2]
    right = x * math.cos(YAW) - z * math.sin(YAW)
    nearer = x * math.sin(YAW) + z * math.cos(YAW)
    return np.stack([right, y * math.cos(PITCH) - nearer * math.sin(PITCH)], axis=-1)


def outline(solid: Solid, frame: int, *, planar: bool) -> Floats:
    """Return what the viewer sees of a solid in one frame: the corners of a polygon (m), right and up."""
    angles = np.linspace(0.0, 2.0 * np.pi, 40, endpoint=False)
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    centres = projected(solid.centres[frame], planar=planar)
    if solid.semi_axes is None:
        # In every direction the point that lies farthest out.
        reach = directions @ centres.T + np.array(solid.radii)
        farther = np.argmax(reach, axis=1)
        rim: Floats = centres[farther] + np.array(solid.radii)[farther, None] * directions
        return rim
    # An ellipsoid is seen as the ellipse whose axes are the singular vectors of what is seen of its own.
    turned, sizes, _ = np.linalg.svd(projected(solid.semi_axes[frame].T, planar=planar).T)
    edge: Floats = centres[0] + (directions * sizes) @ turned.T
    return edge


def ground_lines(animation: Animation) -> list[Floats]:
    """Return the lines that show the ground: one in the plane, a grid in space; each of the shape (2, 3)."""
    if not animation.ground:
        return []
    margin = 0.1 * animation.size
    low, high = animation.lower - margin, animation.upper + margin
    if animation.planar:
        return [np.array([[low[0], 0.0, 0.0], [high[0], 0.0, 0.0]])]
    step = grid_step(animation.size)
    first = np.floor(low / step) * step
    last = np.ceil(high / step) * step
    along = [np.array([[first[0], 0, z], [last[0], 0, z]]) for z in np.arange(first[2], last[2] + step / 2, step)]
    across = [np.array([[x, 0, first[2]], [x, 0, last[2]]]) for x in np.arange(first[0], last[0] + step / 2, step)]
    return along + across


def grid_step(size: float) -> float:
    """Return a round distance (m) that divides a size into about five parts.

    Examples
    --------
    >>> grid_step(2.3)
    0.5
    """
    rough = size / 5.0
    decade = 10.0 ** math.floor(math.log10(rough))
    return min((1.0, 2.0, 5.0, 10.0), key=lambda factor: abs(factor * decade - rough)) * decade


def on_the_left(body: str) -> bool:
    """Whether a body's name says that it is of the left side; it is then drawn paler.

    Examples
    --------
    >>> on_the_left("thigh_l"), on_the_left("pelvis")
    (True, False)
    """
    return body.lower().endswith(("_l", ".l", "_left", " left")) or body.lower().startswith(("l_", "left_", "left "))
