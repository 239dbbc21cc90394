"""What the viewer shows: bodies, paths, arrows and points over time, free of model and style."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from myodyne.data import DataError, Trajectory
from myodyne.types import Booleans, Floats, Integers


@dataclass(frozen=True)
class Capsule:
    """A rod with round ends: from one point of a body to another (m), with a radius (m) at each.

    Examples
    --------
    >>> Capsule("thigh", (0.0, 0.0, 0.0), (0.0, -0.4, 0.0), 0.08, 0.05).body
    'thigh'
    """

    body: str
    start: tuple[float, float, float]
    end: tuple[float, float, float]
    radius: float
    end_radius: float


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid fixed to a body: centre and radii (m) in the axes of the body.

    Examples
    --------
    >>> Ellipsoid("head", (0.0, 0.1, 0.0), (0.09, 0.12, 0.08)).radii
    (0.09, 0.12, 0.08)
    """

    body: str
    centre: tuple[float, float, float]
    radii: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles fixed to a body: vertices (n, 3) in m, in the axes of the body, and faces (m, 3) as their numbers."""

    body: str
    vertices: Floats
    faces: Integers


Shape = Capsule | Ellipsoid | Mesh


@dataclass(frozen=True, eq=False)
class Line:
    """A line through points that move, such as the path of a muscle: points (times, n, 3) in m, and a radius (m).

    ``activation`` (times,) colours a muscle, from 0 to 1.
    """

    name: str
    kind: Literal["muscle", "passive"]
    points: Floats
    radius: float
    activation: Floats | None = None


@dataclass(frozen=True, eq=False)
class Arrow:
    """A force (N): where it acts (times, 3) in m, and the vector (times, 3)."""

    name: str
    at: Floats
    force: Floats


@dataclass(frozen=True, eq=False)
class Actor:
    """One moving body, or skeleton: shapes carried by frames that move, lines, arrows and points.

    Parameters
    ----------
    label
        What the legend calls it.
    times
        Times (s), increasing; one time is a pose.
    bodies
        Names of the frames.
    rotations, positions
        Of the frames in the ground: (times, bodies, 3, 3) and (times, bodies, 3) in m.
    shapes, lines, arrows
        What is drawn.
    points
        Markers by name, each (times, 3) in m.
    centre
        The centre of mass (times, 3) in m, if there is one.
    series
        Columns that can be plotted beside it.
    weight
        The body's weight (N), the length of arrows.
    note
        What a viewer should know, shown beside the label.
    """

    label: str
    times: Floats
    bodies: tuple[str, ...]
    rotations: Floats
    positions: Floats
    shapes: tuple[Shape, ...] = ()
    lines: tuple[Line, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    points: Mapping[str, Floats] = field(default_factory=dict)
    centre: Floats | None = None
    series: Trajectory | None = None
    weight: float = 0.0
    note: str = ""

    def __post_init__(self) -> None:
        if not len(self.times) or not (np.diff(self.times) > 0).all():
            raise DataError(f"'{self.label}': the times of a movement must increase")
        broken = ~(np.isfinite(self.positions).all(axis=(1, 2)) & np.isfinite(self.rotations).all(axis=(1, 2, 3)))
        if broken.any():
            raise DataError(f"'{self.label}' is NaN at {self.times[int(np.argmax(broken))]:g} s; cut it with slice")

    def axes(self) -> Floats:
        """Return points on the axes of what is drawn, (times, n, 3) in m: frames, middles of shapes, and lines."""
        found = [self.positions]
        place = {body: number for number, body in enumerate(self.bodies)}
        for shape in self.shapes:
            number = place[shape.body]
            local = _axis(shape)
            found.append(np.einsum("nij,kj->nki", self.rotations[:, number], local) + self.positions[:, number, None])
        found += [line.points for line in self.lines] + [at[:, None] for at in self.points.values()]
        return np.concatenate(found, axis=1)


@dataclass(frozen=True, eq=False)
class Scene:
    """Actors that are shown together, and what surrounds them.

    Examples
    --------
    >>> import myodyne as my
    >>> from myodyne.view.actors import scene_of
    >>> scene = scene_of([my.load_model("pendulum")])
    >>> scene.planar, scene.ground
    (True, False)
    """

    actors: tuple[Actor, ...]
    title: str = ""
    planar: bool = False
    ground: bool = False
    speed: float = 1.0
    beside: bool = False


def lies_in_plane(points: Floats) -> bool:
    """Whether points (times, n, 3) all have one z."""
    return bool(np.ptp(points[..., 2]) <= 1e-9 * max(float(np.ptp(points)), 1e-9))


def stands_on_ground(points: Floats) -> bool:
    """Whether points (times, n, 3) stay above the ground: what hangs from a pivot is not meant to stand."""
    heights = points[..., 1]
    above: Booleans = heights >= -0.05 * max(float(np.ptp(points)), 1e-9)
    return bool(above.all()) and bool(heights.max() > 0.0)


def _axis(shape: Shape) -> Floats:
    if isinstance(shape, Capsule):
        return np.array([shape.start, shape.end])
    if isinstance(shape, Ellipsoid):
        return np.array([shape.centre])
    return np.array([shape.vertices.min(axis=0), shape.vertices.max(axis=0)])
