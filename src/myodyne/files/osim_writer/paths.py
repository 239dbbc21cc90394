"""Paths and the surfaces that they wrap over, as elements of an .osim file."""

from __future__ import annotations

import math
from typing import Any
from xml.etree.ElementTree import Element

from myodyne.files.osim.paths import MARGIN
from myodyne.files.osim_writer.functions import function_element
from myodyne.files.osim_writer.markup import NoCounterpartError, gathered, made, preimage
from myodyne.files.osim_writer.surroundings import Surroundings
from myodyne.model.paths import ConditionalPoint, FunctionPath, MovingPoint, Path, PointOfPath
from myodyne.model.surfaces import Surface, Wrap, WrapCylinder, WrapEllipsoid, WrapSphere


def surface_element(name: str, surface: Surface) -> Element:
    """Return the wrap object of a surface."""
    common: dict[str, Any] = {
        "active": True,
        "xyz_body_rotation": surface.frame.orientation,
        "translation": surface.frame.at,
        "quadrant": surface.half,
    }
    match surface:
        case WrapCylinder():
            return made("WrapCylinder", name, {**common, "radius": surface.radius, "length": surface.length})
        case WrapSphere():
            return made("WrapSphere", name, {**common, "radius": surface.radius})
        case WrapEllipsoid():
            return made("WrapEllipsoid", name, {**common, "dimensions": surface.radii})
        case _:
            return made(
                "WrapTorus",
                name,
                {**common, "inner_radius": surface.inner_radius, "outer_radius": surface.outer_radius},
            )


def path_element(around: Surroundings, owner: str, path: Path) -> Element:
    """Return the path of a muscle or another force, by its name."""
    if isinstance(path, FunctionPath):
        coordinates = path.length.coordinates
        if not coordinates:
            raise NoCounterpartError("the length of its path is a constant")
        return made(
            "FunctionBasedPath",
            "path",
            {
                "coordinate_paths": [around.coordinate(name) for name in coordinates],
                "length_function": function_element(path.length),
            },
        )
    points = [_point(around, f"{owner}-P{number}", point) for number, point in enumerate(path.points, start=1)]
    sets = [gathered("PathPointSet", points)]
    if path.wraps:
        sets.append(
            gathered(
                "PathWrapSet", [_wrap(f"pathwrap_{number}", wrap) for number, wrap in enumerate(path.wraps, start=1)]
            )
        )
    return made("GeometryPath", "path", inside=sets)


def _point(around: Surroundings, name: str, point: PointOfPath) -> Element:
    body: dict[str, Any] = {"socket_parent_frame": around.body(point.body)}
    match point:
        case MovingPoint():
            return _moving(around, name, point, body)
        case ConditionalPoint():
            low, high = (
                _limit(around, point.coordinate, limit, sign) for limit, sign in zip(point.range, (-1, 1), strict=True)
            )
            return made(
                "ConditionalPathPoint",
                name,
                {
                    **body,
                    "location": point.at,
                    "socket_coordinate": around.coordinate(point.coordinate),
                    "range": (low, high),
                },
            )
        case _:
            return made("PathPoint", name, {**body, "location": point.at})


def _limit(around: Surroundings, coordinate: str, limit: float, sign: int) -> float:
    """Return the limit of a conditional point in OpenSim, which adds a margin to it."""
    if coordinate in around.turning and abs(limit) >= 2 * math.pi:
        return limit
    return preimage(limit, limit - sign * MARGIN, lambda number: number + sign * MARGIN)


def _moving(around: Surroundings, name: str, point: MovingPoint, body: dict[str, Any]) -> Element:
    if len(point.coordinates) != 1:
        raise NoCounterpartError(
            f"a moving point of its path ({name}) that depends on {len(point.coordinates)} "
            "coordinates, where OpenSim's has one"
        )
    limits = around.limits(point.coordinates[0])
    if point.range != limits:
        raise NoCounterpartError(
            f"a moving point of its path ({name}) that is held to {_range_text(point.range)}, where "
            f"OpenSim holds it to the range of '{point.coordinates[0]}', {_range_text(limits)}"
        )
    coordinate = around.coordinate(point.coordinates[0])
    places: dict[str, Any] = {}
    for axis, function in zip("xyz", point.at, strict=True):
        places[f"socket_{axis}_coordinate"] = coordinate
        places[f"{axis}_location"] = function_element(function)
    return made("MovingPathPoint", name, {**body, **places})


def _range_text(limits: tuple[float, float] | None) -> str:
    return "no range" if limits is None else f"[{limits[0]:g}, {limits[1]:g}]"


def _wrap(name: str, wrap: Wrap) -> Element:
    ends = (-1 if wrap.first is None else wrap.first, -1 if wrap.last is None else wrap.last)
    return made("PathWrap", name, {"wrap_object": wrap.surface, "method": wrap.method, "range": ends})
