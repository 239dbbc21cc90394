"""What the readers of forces share."""

from __future__ import annotations

from dataclasses import dataclass

from myodyne.files.osim.document import Element, Reading
from myodyne.files.osim.frames import Frames, socket
from myodyne.files.osim.naming import last_part
from myodyne.files.osim.paths import PathReader
from myodyne.model.part import Vector

ZERO: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Surroundings:
    """The model in which a force stands."""

    reading: Reading
    model: Element
    frames: Frames
    paths: PathReader
    rotational: frozenset[str]


def coordinate_of(element: Element) -> str:
    """Return the coordinate that a force acts on."""
    found = socket(element, "coordinate")
    if found is None or found.lower() == "unassigned":
        raise element.fault("names no coordinate (<coordinate>)")
    return last_part(found)


def vector(element: Element, tag: str, default: Vector = ZERO) -> Vector:
    """Return a property that is three numbers."""
    x, y, z = element.numbers(tag, 3, default)
    return x, y, z
