"""What the readers of forces share."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from myodyne.files.osim.document import Element, Reading
from myodyne.files.osim.naming import last_part, members
from myodyne.files.osim.paths import PathReader
from myodyne.files.osim.skeleton.frames import Frames, socket
from myodyne.files.osim.skeleton.torque_axes import TorqueAxis, torque_axes_of
from myodyne.model.part import Vector
from myodyne.model.prescribed import ControlFunction

ZERO: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Surroundings:
    """The model that a force is part of."""

    reading: Reading
    model: Element
    frames: Frames
    paths: PathReader
    rotational: frozenset[str]
    # Controls over time of the forces that are read, and what those that had to be called otherwise are called.
    prescribed: dict[str, ControlFunction] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)

    @cached_property
    def geometries(self) -> dict[str, Element]:
        """Contact geometry by name."""
        sets = members(self.model, "ContactGeometrySet", "ComponentSet", "components")
        return {geometry.name: geometry for geometry in sets if geometry.tag.startswith("Contact")}

    @cached_property
    def torque_axes(self) -> dict[str, TorqueAxis]:
        """Coordinates on which forces are torques in OpenSim, and about what."""
        return torque_axes_of(self.model, self.frames)


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
