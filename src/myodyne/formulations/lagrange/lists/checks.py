"""Consistency of the records of a description: names, references, no cycles."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from myodyne.errors import ModelError, listed, unknown_name
from myodyne.formulations.lagrange.lists.expressions import Expression, names_in
from myodyne.formulations.lagrange.lists.records import (
    GROUND,
    Closure,
    Coincidence,
    Constraint,
    CoordinateForce,
    CoordinateSpring,
    Force,
    Frame,
    LinearSpring,
    Load,
    Nonholonomic,
    Point,
    Segment,
    Spring,
    TorsionalSpring,
)

if TYPE_CHECKING:
    from myodyne.formulations.lagrange.lists.description import Description

Fault: TypeAlias = tuple[tuple[str, ...], str]
TIME = "t"
_INERTIA_SIZES = {2: (1,), 3: (3, 6)}


def speed_name(coordinate: str) -> str:
    """Return the name of the speed of a coordinate in expressions."""
    return f"{coordinate}_dot"


def faults_of(description: Description) -> list[Fault]:
    """Return all faults of a description as ``(place, message)``."""
    faults = [*_names(description)]
    if faults:
        return faults
    checks = _Checks(description)
    faults = [*checks.all()]
    if not faults:
        _, cycle = frame_order(description)
        if cycle:
            faults = [(("frames",), f"the frames {listed(cycle)} form a cycle")]
    return faults or [*_idle(description)]


def frame_order(description: Description) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the frames, bases first, and those that form a cycle."""
    needs = {
        name: {description.points[frame.origin].frame, frame.relative_to} - {GROUND}
        for name, frame in description.frames.items()
    }
    order: dict[str, None] = {}
    while len(order) < len(needs):
        ready = [name for name, bases in needs.items() if name not in order and all(base in order for base in bases)]
        if not ready:
            break
        order.update(dict.fromkeys(ready))
    return tuple(order), tuple(name for name in needs if name not in order)


def _names(description: Description) -> Iterator[Fault]:
    owners = {TIME: "the time", "pi": "the number pi"}
    coordinates = description.coordinate_table
    for kind, names in (
        ("coordinate", list(coordinates)),
        ("speed", [speed_name(name) for name in coordinates]),
        ("parameter", list(description.values)),
        ("input", list(description.inputs)),
    ):
        for name in names:
            if not isinstance(name, str) or not name.strip() or not name.isprintable():
                yield ((f"{kind}s",), f"a name must be printable text, not {name!r}")
            elif name in owners:
                yield ((f"{kind}s", name), f"the {kind} has the same name as {owners[name]}")
            owners[name] = f"a {kind}"
    for name, value in description.values.items():
        if value is not None and not _is_finite(value):
            yield (("parameters", name), f"a value is a finite number, not {value!r:.60}")
    if not coordinates:
        yield (("coordinates",), "a mechanism needs at least one coordinate")
    if GROUND in description.frames:
        yield (("frames", GROUND), "the ground always exists and needs no record")


def _is_finite(value: float) -> bool:
    """Return whether a value, which a file may have given as anything, is a finite number."""
    try:
        return math.isfinite(float(value))
    except (TypeError, ValueError, OverflowError):
        return False


class _Checks:
    def __init__(self, description: Description) -> None:
        self.description = description
        self.coordinates = set(description.coordinate_table)
        self.constants = set(description.values)
        self.positions = self.coordinates | self.constants | {TIME}
        speeds = {speed_name(name) for name in self.coordinates}
        self.motions = self.positions | speeds
        self.loads = self.motions | set(description.inputs)

    def all(self) -> Iterator[Fault]:
        description = self.description
        for name, coordinate in description.coordinate_table.items():
            if coordinate.motion is not None:
                yield from self._terms(("coordinates", name, "motion"), [coordinate.motion], self.constants | {TIME})
        yield from self._vector(("gravity",), description.gravity or (), self.constants | {TIME})
        for name, point in description.points.items():
            yield from self._point(("points", name), point)
        for name, frame in description.frames.items():
            yield from self._frame(("frames", name), frame)
        for name, segment in description.segments.items():
            yield from self._segment(("segments", name), segment)
        for name, spring in description.springs.items():
            yield from self._spring(("springs", name), spring)
        for name, force in description.forces.items():
            yield from self._force(("forces", name), force)
        for name, torque in description.torques.items():
            place = ("torques", name)
            yield from self._frames(place, {"on": torque.on, "reaction_on": torque.reaction_on})
            if torque.axes is not None:
                yield from self._frames(place, {"axes": torque.axes})
            if torque.on == torque.reaction_on:
                yield (place, f"torque and reaction both act on '{torque.on}': they cancel")
            size = 1 if description.dimension == 2 else 3
            yield from self._terms(place, torque.components, self.loads, size)
        for name, constraint in description.constraints.items():
            yield from self._constraint(("constraints", name), constraint)

    def _point(self, place: tuple[str, ...], point: Point) -> Iterator[Fault]:
        yield from self._frames(place, {"frame": point.frame})
        yield from self._vector((*place, "at"), point.at, self.positions)

    def _frame(self, place: tuple[str, ...], frame: Frame) -> Iterator[Fault]:
        yield from self._points(place, {"origin": frame.origin})
        yield from self._frames(place, {"relative_to": frame.relative_to})
        yield from self._terms((*place, "angles"), frame.angles, self.positions)
        try:
            axes = frame.axes
        except ModelError as error:
            yield ((*place, "sequence"), str(error))
            return
        if self.description.dimension == 2 and any(abs(x) + abs(y) > 0 for x, y, _ in axes):
            yield ((*place, "sequence"), "in the plane a frame rotates about z; use dimension=3 for other axes")

    def _segment(self, place: tuple[str, ...], segment: Segment) -> Iterator[Fault]:
        yield from self._points(place, {"centre": segment.centre})
        yield from self._terms((*place, "mass"), [segment.mass], self.constants)
        if segment.inertia is None:
            return
        yield from self._terms((*place, "inertia"), segment.inertia_entries, self.constants)
        sizes = _INERTIA_SIZES[self.description.dimension]
        if len(segment.inertia_entries) not in sizes:
            yield (
                (*place, "inertia"),
                f"has {len(segment.inertia_entries)} entries; in {self.description.dimension} dimensions it has "
                f"{' or '.join(map(str, sizes))} (none for a particle)",
            )
        if segment.centre not in self.description.points:
            return
        point = self.description.points[segment.centre]
        if point.frame == GROUND:
            yield (
                (*place, "inertia"),
                f"the centre '{segment.centre}' is a point of the ground, which does not rotate: give the segment a "
                "point in its own frame, or no inertia",
            )
        if segment.about != "origin":
            return
        moving = sorted((self.coordinates | {TIME}) & _used(point.at))
        if moving:
            yield (
                (*place, "about"),
                f"the centre moves in its frame with {listed(moving)}: the inertia about the origin would not be "
                "constant; give it about the centre",
            )

    def _spring(self, place: tuple[str, ...], spring: Spring) -> Iterator[Fault]:
        match spring:
            case LinearSpring():
                yield from self._points(place, {"start": spring.start, "end": spring.end})
                rest = spring.free_length
            case TorsionalSpring():
                yield from self._frames(place, {"start": spring.start, "end": spring.end})
                rest = spring.free_angle
            case CoordinateSpring():
                yield from self._coordinate(place, spring.coordinate)
                rest = spring.rest
            case _:
                yield (place, f"is a {type(spring).__name__}, not a spring")
                return
        if not isinstance(spring, CoordinateSpring) and spring.start == spring.end:
            yield (place, f"both ends are at '{spring.start}'")
        yield from self._terms(place, [spring.stiffness, spring.damping, rest], self.constants)

    def _force(self, place: tuple[str, ...], force: Load) -> Iterator[Fault]:
        match force:
            case CoordinateForce():
                yield from self._coordinate(place, force.coordinate)
                yield from self._terms((*place, "force"), [force.force], self.loads)
            case Force():
                yield from self._points(place, {"at": force.at})
                yield from self._frames(place, {"axes": force.axes})
                if force.reaction_at is not None:
                    yield from self._points(place, {"reaction_at": force.reaction_at})
                if force.along_line:
                    yield from self._terms((*place, "force"), force.components, self.loads)
                else:
                    yield from self._vector((*place, "force"), force.components, self.loads)
            case _:
                yield (place, f"is a {type(force).__name__}, not a force")

    def _constraint(self, place: tuple[str, ...], constraint: Closure) -> Iterator[Fault]:
        match constraint:
            case Coincidence():
                yield from self._points(place, {"point": constraint.point, "against": constraint.against})
            case Constraint():
                yield from self._terms(place, [constraint.expression], self.positions, components=True)
            case Nonholonomic():
                yield from self._terms(place, [constraint.expression], self.motions)
                if not any(speed_name(name) in _used([constraint.expression]) for name in self.coordinates):
                    yield (place, "contains no speed; a Constraint relates coordinates")
            case _:
                yield (place, f"is a {type(constraint).__name__}, not a constraint")

    def _vector(self, place: tuple[str, ...], parts: Collection[Expression], valid: Iterable[str]) -> Iterator[Fault]:
        yield from self._terms(place, parts, valid, self.description.dimension)

    def _terms(
        self,
        place: tuple[str, ...],
        parts: Collection[Expression],
        valid: Iterable[str],
        size: int | None = None,
        components: bool = False,
    ) -> Iterator[Fault]:
        """Check the number of expressions, and that each can be parsed and uses known names only."""
        if size is not None and len(parts) != size:
            dimension = self.description.dimension
            yield (place, f"has {len(parts)} components; in {dimension} dimensions it has {size}")
        valid = sorted(valid)
        for part in parts:
            try:
                names, points = names_in(part)
            except ModelError as error:
                yield (place, str(error))
                continue
            for name in sorted(names - set(valid)):
                yield (place, self._unknown(name, valid))
            for point, axis in sorted(points):
                if not components:
                    yield (place, f"'{point}.{axis}' is not allowed here: only constraints may refer to points")
                else:
                    yield from self._points(place, {f"{point}.{axis}": point})

    def _unknown(self, name: str, valid: list[str]) -> str:
        if name in self.loads:
            return f"'{name}' is not allowed here: the value may depend on {listed(valid) or 'numbers only'}"
        return unknown_name("name", name, valid) + " (declare a new constant in parameters)"

    def _points(self, place: tuple[str, ...], names: Mapping[str, str]) -> Iterator[Fault]:
        for field, name in names.items():
            if name not in self.description.points:
                yield ((*place, field), unknown_name("point", name, self.description.points))

    def _frames(self, place: tuple[str, ...], names: Mapping[str, str]) -> Iterator[Fault]:
        known = [GROUND, *self.description.frames]
        for field, name in names.items():
            if name not in known:
                yield ((*place, field), unknown_name("frame", name, known))

    def _coordinate(self, place: tuple[str, ...], name: str) -> Iterator[Fault]:
        if name not in self.coordinates:
            yield ((*place, "coordinate"), unknown_name("coordinate", name, self.description.coordinate_table))


def _used(parts: Iterable[Expression]) -> set[str]:
    return {name for part in parts for name in names_in(part)[0]}


def _idle(description: Description) -> Iterator[Fault]:
    """Yield the coordinates that no point and no frame depends on: most likely one was forgotten."""
    used = {name for point in description.points.values() for name in _used(point.at)}
    used |= {name for frame in description.frames.values() for name in _used(frame.angles)}
    for name in description.coordinate_table:
        if name not in used:
            yield (("coordinates", name), "moves nothing: no point and no frame depends on it")
