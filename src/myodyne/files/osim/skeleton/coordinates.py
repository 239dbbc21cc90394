"""Coordinates: defaults, ranges, and whether they are locked or led."""

from __future__ import annotations

import math

from myodyne.files.osim.document import Element, Reading
from myodyne.files.osim.functions import function_of, is_known, read_function
from myodyne.model.constraints import TIME, MotionConstraint, has_corners
from myodyne.model.functions import Constant
from myodyne.model.joints import LARGEST_ANGLE, Coordinate


def coordinate_elements(reading: Reading | None, joint: Element) -> list[Element]:
    """Return the coordinates of a joint, in the lists of old and new files."""
    holder = joint.child("coordinates", "CoordinateSet")
    if holder is None:
        return []
    if reading is not None and holder.is_object:
        reading.read(holder)
    return holder.objects("Coordinate")


def read_coordinate(reading: Reading, element: Element, *, turns: bool) -> Coordinate:
    """Return a coordinate; ``turns`` if it is the angle of a rotation."""
    reading.read(element)
    default, speed = element.number("default_value", 0.0), element.number("default_speed_value", 0.0)
    locked = element.flag("locked", False)
    if is_prescribed(element):
        default, locked = _prescribed(reading, element, default)
    else:
        idle = function_of(element, "prescribed_function")
        if idle is not None:
            reading.skip(idle, f"coordinate '{element.name}' is not prescribed, so the function has no effect")
    return Coordinate(
        default=default, default_speed=speed, locked=locked, range=_range(reading, element, default, turns)
    )


def is_prescribed(element: Element) -> bool:
    """Return whether a coordinate follows its function of time; a lock is stronger."""
    return element.flag("prescribed", False) and not element.flag("locked", False)


def _prescribed(reading: Reading, element: Element, default: float) -> tuple[float, bool]:
    """Return the value and whether it is kept; `read_motion` turns other functions into constraints."""
    function = function_of(element, "prescribed_function")
    if function is not None and function.tag == "Constant":
        kept = read_function(reading, function, ())
        assert isinstance(kept, Constant)
        return kept.value, True
    return default, False


def read_motion(reading: Reading, element: Element) -> MotionConstraint | None:
    """Return how a coordinate follows time: None if it does not, or if no force could make it do so."""
    function = function_of(element, "prescribed_function") if is_prescribed(element) else None
    if function is None or function.tag == "Constant":
        return None
    free = f"coordinate '{element.name}' follows this function of time in OpenSim and is free here: "
    if not is_known(function):
        reading.skip(function, free + "functions of this kind are not supported")
        return None
    motion = read_function(reading, function, (TIME,))
    if has_corners(motion):
        reading.skip(function, free + "its speed jumps, which takes an infinite force")
        return None
    return MotionConstraint(coordinate=element.name, function=motion)


def finite_range(element: Element) -> tuple[float, float] | None:
    """Return the range that the file gives a coordinate; None where that is not a range, or has no ends."""
    if not element.has("range"):
        return None
    low, high = element.numbers("range", 2, infinite=True)
    return (low, high) if low < high and max(abs(low), abs(high)) < math.inf else None


def _range(reading: Reading, element: Element, default: float, turns: bool) -> tuple[float, float] | None:
    limits = finite_range(element)
    if limits is None:
        if element.has("range"):
            low, high = element.numbers("range", 2, infinite=True)
            if not low < high:
                reading.suspect(element, f"its range [{low:g}, {high:g}] is empty or inverted and is left out")
        return None
    low, high = limits
    if turns and max(abs(low), abs(high)) > LARGEST_ANGLE:
        reading.suspect(element, f"its range [{low:g}, {high:g}] is more than two turns and is left out")
        return None
    if not low <= default <= high:
        reading.suspect(
            element, f"its default {default:g} lies outside its range [{low:g}, {high:g}], which is widened to hold it"
        )
        low, high = min(low, default), max(high, default)
    return low, high
