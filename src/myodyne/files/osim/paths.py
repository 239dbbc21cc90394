"""Paths of an OpenSim model: points on bodies, the surfaces they wrap over, or lengths that are functions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np

from myodyne.errors import unknown_name
from myodyne.files.osim.document import Document, Element, Reading, read_document
from myodyne.files.osim.functions import function_of, read_function
from myodyne.files.osim.naming import last_part
from myodyne.files.osim.skeleton.frames import Frames, socket
from myodyne.files.osim.skeleton.rotations import Coordinates
from myodyne.files.osim.surfaces import Surfaces
from myodyne.model.bodies import Placement
from myodyne.model.functions import Constant, Fourier, Function, Linear, PiecewiseLinear, Polynomial, Spline, Term
from myodyne.model.part import Vector
from myodyne.model.paths import ConditionalPoint, FunctionPath, MovingPoint, PathPoint, PointOfPath, PointPath
from myodyne.model.surfaces import Wrap
from myodyne.numerics.rotations import rotation

_ZERO = (0.0, 0.0, 0.0)
# A conditional point counts from this far (rad or m) before its range to as far behind it.
MARGIN = 1e-5
# More points or wraps than this no path has.
_MOST = 500
_METHODS = ("hybrid", "midpoint", "axial")
# What the parts of a path were called before OpenSim 2.
_POINTS = ("PathPointSet", "MusclePointSet")
_WRAPS = ("PathWrapSet", "MuscleWrapSet")
_CONDITIONAL = ("ConditionalPathPoint", "MuscleViaPoint")
_MOVING = ("MovingPathPoint", "MovingMusclePoint")
_PLAIN = ("PathPoint", "MusclePoint")


class UnreadablePathError(Exception):
    """A path that cannot be expressed here, and why."""


@dataclass(frozen=True)
class PathReader:
    """Reads the paths of a model, over its frames and surfaces."""

    reading: Reading
    frames: Frames
    surfaces: Surfaces
    coordinates: Coordinates

    def path(self, owner: Element) -> PointPath | FunctionPath:
        """Return the path of a muscle, ligament or actuator."""
        # OpenSim also reads an object inside an element that bears the property's name.
        named = owner.child("path") or owner
        function = named.child("FunctionBasedPath")
        if function is not None:
            for coordinate in function.names("coordinate_paths"):
                self.coordinates.called(coordinate, function)
            return read_function_path(self.reading, function)
        # Before OpenSim 2 the points stood in the muscle itself.
        element = named.child("GeometryPath") or owner
        holder = element.child(*_POINTS)
        if holder is None or len(holder.objects()) < 2:
            raise UnreadablePathError("its path has fewer than two points")
        elements = holder.objects()
        for part in (holder, element.child(*_WRAPS)):
            if part is not None and len(part.objects()) > _MOST:
                raise part.fault(f"holds {len(part.objects())} parts, and at most {_MOST} are read")
        points = [self._point(point, ends=point in (elements[0], elements[-1])) for point in elements]
        wraps = self._wraps(element, points)
        kept = tuple(point for point in points if point is not None)
        if len(kept) < 2:
            raise UnreadablePathError("fewer than two points of its path can ever be touched")
        self.reading.read(*(part for part in (element, holder) if part is not owner))
        return PointPath(points=kept, wraps=wraps)

    def _point(self, element: Element, *, ends: bool) -> PointOfPath | None:
        if element.tag not in (*_PLAIN, *_CONDITIONAL, *_MOVING):
            raise UnreadablePathError(f"its path has a point of the kind {element.tag}, which is not supported")
        frame = socket(element, "parent_frame", "body")
        if frame is None:
            raise element.fault("is attached to no body (<socket_parent_frame> or <body>)")
        place = self.frames.resolve(frame, element)
        self.reading.read(element)
        if element.tag in _MOVING:
            return self._moving(element, place)
        location = element.numbers("location" if element.has("location") else "attachment", 3, _ZERO)
        marker = self.frames.point(frame, location, element)
        if element.tag in _CONDITIONAL:
            return self._conditional(element, marker.body, marker.at, ends=ends)
        return PathPoint(body=marker.body, at=marker.at)

    def _conditional(self, element: Element, body: str, at: Vector, *, ends: bool) -> PointOfPath | None:
        path = socket(element, "coordinate")
        low, high = element.numbers("range", 2, (0.0, 0.0))
        if path is None or high < low - 2 * MARGIN:
            why = "no coordinate is named for it" if path is None else f"its range from {low:g} to {high:g} is inverted"
            self.reading.suspect(element, f"never touched by the path: {why}")
            return None
        if ends:
            self.reading.approximate(element, "the end of a path, so it is always touched here")
            return PathPoint(body=body, at=at)
        coordinate = self.coordinates.called(path, element)
        limits = low - MARGIN, high + MARGIN
        if coordinate in self.coordinates.rotational:
            limits = max(limits[0], -2 * math.pi), min(limits[1], 2 * math.pi)
            if not limits[0] < limits[1]:
                self.reading.suspect(element, f"its range from {low:g} to {high:g} rad lies beyond a full turn")
                return None
        return ConditionalPoint(body=body, at=at, coordinate=coordinate, range=limits)

    def _moving(self, element: Element, place: Placement) -> MovingPoint | PathPoint:
        at: list[Function] = []
        for axis in "xyz":
            path = socket(element, f"{axis}_coordinate")
            found = function_of(element, f"{axis}_location", f"{axis.upper()}Attachment")
            coordinates = () if path is None else (self.coordinates.called(path, element),)
            at.append(Constant(value=0.0) if found is None else read_function(self.reading, found, coordinates))
        if not np.allclose(rotation(place.orientation), np.eye(3), atol=1e-15):
            raise UnreadablePathError(f"its moving point '{element.name}' is in a frame that is rotated on its body")
        x, y, z = (_shifted(function, shift) for function, shift in zip(at, place.at, strict=True))
        if isinstance(x, Constant) and isinstance(y, Constant) and isinstance(z, Constant):
            return PathPoint(body=place.body, at=(x.value, y.value, z.value))
        moved_by = {name for function in at for name in function.coordinates}
        limits = self.coordinates.ranges.get(moved_by.pop()) if len(moved_by) == 1 else None
        return MovingPoint(body=place.body, at=(x, y, z), range=limits)

    def _wraps(self, element: Element, points: list[PointOfPath | None]) -> tuple[Wrap, ...]:
        """Return the wraps, with the points counted without those that are never touched."""
        holder = element.child(*_WRAPS)
        if holder is None:
            return ()
        self.reading.read(holder)
        found = (self._wrap(wrap, points) for wrap in holder.objects())
        return tuple(wrap for wrap in found if wrap is not None)

    def _wrap(self, element: Element, points: list[PointOfPath | None]) -> Wrap | None:
        # An object's own path is not written out: wrap objects are found by name alone.
        name = last_part(element.text("wrap_object"))
        if name not in self.surfaces.called:
            raise element.fault(unknown_name("wrap object", name, self.surfaces.called))
        surface = self.surfaces.called[name]
        if surface is None:
            self.reading.skip(element, f"the wrap object '{name}' is left out")
            return None
        method = element.text("method", "hybrid").lower()
        if method not in _METHODS:
            raise element.fault(f"<method> is one of {', '.join(_METHODS)}, not {method!r:.40}")
        start, end = (int(number) for number in element.numbers("range", 2, (-1, -1)))
        # OpenSim counts from 1; anything below means the first and the last point.
        first, last = max(start, 1), end if end >= 1 else len(points)
        if last > len(points):
            self.reading.suspect(element, f"ends at point {last} of {len(points)}; taken to the last of them")
            last = len(points)
        # Points that are never touched do not count here: the wrap begins and ends at the nearest inside.
        touched = [number for number in range(first, last + 1) if points[number - 1] is not None]
        if len(touched) < 2:
            self.reading.skip(element, f"holds for less than one piece of the path (range {start} {end})")
            return None
        dropped = [number for number, point in enumerate(points, start=1) if point is None]
        self.reading.read(element)
        return Wrap(
            surface=surface,
            first=None if start < 1 else touched[0] - sum(number < touched[0] for number in dropped),
            last=None if end < 1 else touched[-1] - sum(number < touched[-1] for number in dropped),
            method=cast(Literal["hybrid", "midpoint", "axial"], method),
        )


def _shifted(function: Function, shift: float) -> Function:
    """Return a function with a constant added."""
    if shift == 0.0:
        return function
    match function:
        case Constant():
            return Constant(value=function.value + shift)
        case Linear():
            return function.model_copy(update={"offset": function.offset + shift})
        case Spline() | PiecewiseLinear():
            return function.model_copy(update={"y": tuple(y + shift for y in function.y)})
        case Fourier():
            return function.model_copy(update={"mean": function.mean + shift})
        case Polynomial():
            constant = Term(coefficient=shift, powers=(0,) * len(function.of))
            return function.model_copy(update={"terms": (*function.terms, constant)})
        case _:
            raise UnreadablePathError("a moving point in an offset frame is given by a product of functions")


def read_function_path(reading: Reading, element: Element) -> FunctionPath:
    """Return a path whose length is a function of coordinates."""
    coordinates = tuple(last_part(path) for path in element.names("coordinate_paths"))
    length = function_of(element, "length_function")
    if length is None:
        raise element.fault("has no <length_function>")
    found = read_function(reading, length, coordinates)
    given = [tag for tag in ("moment_arm_functions", "lengthening_speed_function") if element.members(tag)]
    if given:
        reading.approximate(element, f"<{'> and <'.join(given)}> not read: both follow from the length")
    reading.read(element)
    return FunctionPath(length=found)


def read_function_paths(content: bytes, file: str) -> dict[str, FunctionPath]:
    """Return the function-based paths in the bytes of an OpenSim file, by the names of their muscles."""
    document: Document = read_document(content, file)
    reading = Reading(document)
    found: dict[str, FunctionPath] = {}
    for element in document.root.walk():
        if element.tag == "FunctionBasedPath":
            owner: Any = element.parent if not element.name.startswith("/") else None
            inside = owner is not None and owner.tag not in ("objects", "OpenSimDocument")
            name = owner.name if inside else last_part(element.name)
            if not name:
                raise element.fault("names no muscle that it belongs to")
            if name in found:
                raise element.fault(f"there is a second path for '{name}'")
            found[name] = read_function_path(reading, element)
    if not found:
        raise document.root.fault("holds no <FunctionBasedPath>")
    return found
