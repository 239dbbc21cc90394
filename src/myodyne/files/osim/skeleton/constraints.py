"""Constraints; couplers become coupled coordinates wherever that says the same."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable

from myodyne.errors import ModelError, unknown_name
from myodyne.files.osim.document import Element, Reading
from myodyne.files.osim.functions import function_of, read_function, scaled
from myodyne.files.osim.skeleton.coordinates import coordinate_elements, read_motion
from myodyne.files.osim.skeleton.frames import Frames, moved, socket
from myodyne.files.osim.skeleton.joints import JointDraft
from myodyne.model.bodies import Marker, Placement
from myodyne.model.constraints import (
    Constraint,
    CouplerConstraint,
    DistanceConstraint,
    LineConstraint,
    MotionConstraint,
    PointConstraint,
    WeldConstraint,
)
from myodyne.model.functions import Function, Linear
from myodyne.numerics.rotations import rotation

_ZERO = (0.0, 0.0, 0.0)


def read_constraints(
    reading: Reading, elements: list[Element], frames: Frames, joints: list[JointDraft]
) -> dict[str, tuple[Element, Constraint]]:
    """Return the constraints by name; couplers that need no multiplier go into the coordinates of the joints."""
    found: dict[str, tuple[Element, Constraint]] = {}
    owners = {name: joint for joint in joints for name in joint.coordinates}
    couplings = _Couplings()
    idle = {part.name for joint in joints for part in coordinate_elements(None, joint.element)}.difference(owners)
    for number, element in enumerate(elements):
        name = element.name or f"{element.tag.lower()}_{number + 1}"
        if not _is_enforced(element):
            reading.skip(element, "it is not enforced")
        elif coupled := idle.intersection(_coupled_names(element)):
            reading.skip(element, f"no joint moves by '{min(coupled)}', so it has no effect")
        elif element.tag == "CoordinateCouplerConstraint":
            coupler = _coupler(reading, element, owners, couplings)
            if coupler is not None:
                found[_unused(name, found)] = (element, coupler)
        elif element.tag in _READERS:
            reading.read(element)
            try:
                constraint = _READERS[element.tag](element, frames)
            except ModelError as error:
                raise element.fault(str(error)) from None
            if constraint is None:
                reading.skip(element, "both of its ends are on the same body")
            else:
                found[_unused(name, found)] = (element, constraint)
        else:
            supported = ", ".join(["CoordinateCouplerConstraint", *_READERS])
            reading.skip(element, f"constraints of this kind are not supported (supported: {supported})")
    return found


def read_motions(reading: Reading, joints: list[JointDraft], taken: Collection[str]) -> dict[str, MotionConstraint]:
    """Return what moves coordinates as functions of time, by names that are not taken."""
    found: dict[str, MotionConstraint] = {}
    for joint in joints:
        for element in coordinate_elements(None, joint.element):
            motion = read_motion(reading, element) if element.name in joint.coordinates else None
            if motion is not None:
                name = f"{element.name}_motion"
                while name in taken or name in found:
                    name += "_"
                found[name] = motion
    return found


def _unused(name: str, taken: dict[str, tuple[Element, Constraint]]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free


def _is_enforced(element: Element) -> bool:
    return not element.flag("isDisabled", False) and element.flag("isEnforced", True)


def _coupled_names(element: Element) -> tuple[str, ...]:
    """Return the coordinates of a coupler, the dependent one first; none of another constraint."""
    if element.tag != "CoordinateCouplerConstraint":
        return ()
    leading = element.names("independent_coordinate_names")
    return tuple(_last(name) for name in (element.text("dependent_coordinate_name"), *leading))


def _coupler(
    reading: Reading, element: Element, owners: dict[str, JointDraft], couplings: _Couplings
) -> CouplerConstraint | None:
    """Couple a coordinate to others; return a constraint only where that cannot be part of the coordinate."""
    dependent, *others = _coupled_names(element)
    leading = tuple(others)
    for name in (dependent, *leading):
        if name not in owners:
            raise element.fault(unknown_name("coordinate", name, owners))
    inner = function_of(element, "coupled_coordinates_function")
    if inner is None:
        raise element.fault("has no coupling function (<coupled_coordinates_function>)")
    function = scaled(read_function(reading, inner, leading), element.number("scale_factor", 1.0))
    reading.read(element)
    if dependent in function.coordinates:
        raise element.fault(f"couples '{dependent}' to itself")
    joint = owners[dependent]
    coordinate = joint.coordinates[dependent]
    if _repeats(dependent, function, owners):
        reading.approximate(element, f"left out: '{dependent}' follows an equal coupling, or a lock, already")
        return None
    if coordinate.locked or coordinate.coupled is not None or couplings.lead_back(dependent, function.coordinates):
        reading.approximate(element, f"kept as a constraint: '{dependent}' is already locked or coupled")
        return CouplerConstraint(coordinate=dependent, function=function)
    joint.coordinates[dependent] = coordinate.model_copy(update={"coupled": function})
    couplings.add(dependent, function.coordinates)
    return None


def _repeats(dependent: str, function: Function, owners: dict[str, JointDraft]) -> bool:
    """Return whether a coupling demands what an earlier one does, or holds between locked coordinates alone.

    A second multiplier for the same demand would not be determined. Between locked coordinates nothing can give way.
    """
    own = owners[dependent].coordinates[dependent]
    if own.coupled == function:
        return True
    leaders = [owners[name].coordinates[name] for name in function.coordinates]
    if own.locked and all(leader.locked for leader in leaders):
        return True
    if not isinstance(function, Linear) or len(leaders) != 1:
        return False
    back = leaders[0].coupled
    if not isinstance(back, Linear) or back.coordinate != dependent:
        return False
    # y = a x + b and x = c y + d are the same where a c = 1 and a d + b = 0.
    return math.isclose(function.slope * back.slope, 1.0, rel_tol=1e-9) and math.isclose(
        function.slope * back.offset, -function.offset, rel_tol=1e-9, abs_tol=1e-12
    )


def _last(path: str) -> str:
    return path.rsplit("/", 1)[-1]


class _Couplings:
    """Which coordinates lead which others, so far."""

    def __init__(self) -> None:
        self._leaders: dict[str, tuple[str, ...]] = {}
        self._followers: dict[str, list[str]] = {}

    def add(self, dependent: str, leading: Iterable[str]) -> None:
        """Couple a coordinate to others."""
        self._leaders[dependent] = tuple(leading)
        for name in self._leaders[dependent]:
            self._followers.setdefault(name, []).append(dependent)

    def lead_back(self, dependent: str, leading: Iterable[str]) -> bool:
        """Whether the couplings would form a cycle."""
        # Up from those that lead and down to those that follow in turn, a step each: long chains that are joined cost
        # no more than the shorter of both.
        up, down = list(leading), [dependent]
        above, below = set(up), {dependent}
        if dependent in above:
            return True
        while up and down:
            ways = (up, above, below, self._leaders), (down, below, above, self._followers)
            for waiting, seen, met, beyond in ways:
                for name in beyond.get(waiting.pop(), ()) if waiting else ():
                    if name in met:
                        return True
                    if name not in seen:
                        seen.add(name)
                        waiting.append(name)
        return False


def _frame(element: Element, *names: str) -> str:
    found = socket(element, *names)
    if found is None:
        raise element.fault(f"names no body for its end <socket_{names[0]}>")
    return found


def _point_on(element: Element, frames: Frames, body: str, location: str) -> Marker:
    return frames.point(_frame(element, body), element.numbers(location, 3, _ZERO), element)


def _point(element: Element, frames: Frames) -> Constraint | None:
    first = _point_on(element, frames, "body_1", "location_body_1")
    second = _point_on(element, frames, "body_2", "location_body_2")
    return PointConstraint(first=first, second=second) if first.body != second.body else None


def _distance(element: Element, frames: Frames) -> Constraint | None:
    first = _point_on(element, frames, "body_1", "location_body_1")
    second = _point_on(element, frames, "body_2", "location_body_2")
    if first.body == second.body:
        return None
    return DistanceConstraint(first=first, second=second, distance=element.number("constant_distance", 0.0))


def _line(element: Element, frames: Frames) -> Constraint | None:
    place = frames.resolve(_frame(element, "line_body"), element)
    x, y, z = element.numbers("line_direction_vec", 3, _ZERO)
    direction = rotation(place.orientation) @ (x, y, z) if any(place.orientation) else (x, y, z)
    at = moved(place, element.numbers("point_on_line", 3, _ZERO), _ZERO).at
    point = _point_on(element, frames, "follower_body", "point_on_follower")
    if point.body == place.body:
        return None
    return LineConstraint(
        point=point, body=place.body, at=at, direction=(float(direction[0]), float(direction[1]), float(direction[2]))
    )


def _weld(element: Element, frames: Frames) -> Constraint | None:
    ends: list[Placement] = []
    for number in (1, 2):
        place = frames.resolve(_frame(element, f"frame{number}", f"frame_{number}", f"body_{number}"), element)
        # Before version 30505 the offsets stood in the constraint itself.
        ends.append(
            moved(
                place,
                element.numbers(f"location_body_{number}", 3, _ZERO),
                element.numbers(f"orientation_body_{number}", 3, _ZERO),
            )
        )
    return WeldConstraint(first=ends[0], second=ends[1]) if ends[0].body != ends[1].body else None


_READERS: dict[str, Callable[[Element, Frames], Constraint | None]] = {
    "PointConstraint": _point,
    "ConstantDistanceConstraint": _distance,
    "PointOnLineConstraint": _line,
    "WeldConstraint": _weld,
}
