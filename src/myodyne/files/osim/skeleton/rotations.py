"""Which coordinates an OpenSim model has, and which of them are angles."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from myodyne.errors import unknown_name
from myodyne.files.osim.document import Element
from myodyne.files.osim.naming import last_part
from myodyne.files.osim.skeleton.coordinates import coordinate_elements, finite_range
from myodyne.model.joints import LARGEST_ANGLE

# Joints whose coordinates are not all angles: the number of those that are, which come first.
_ANGLES = {"SliderJoint": 0, "PlanarJoint": 1, "FreeJoint": 3, "WeldJoint": 0}


# OpenSim calls coordinates so that have no name in the file.
_UNNAMED = "_coord_"


@dataclass(frozen=True)
class Coordinates:
    """The names of all coordinates, of those that turn something, and the ranges that the file gives them."""

    names: Collection[str]
    rotational: Collection[str]
    ranges: Mapping[str, tuple[float, float]]

    def called(self, path: str, element: Element) -> str:
        """Return the coordinate that a path or a name in an element means."""
        name = last_part(path)
        if name not in self.names and _UNNAMED not in name:
            raise element.fault(unknown_name("coordinate", name, self.names))
        return name


def coordinates_of(model: Element) -> Coordinates:
    """Return the coordinates of a model."""
    known: dict[str, None] = {}
    found: set[str] = set()
    ranges: dict[str, tuple[float, float]] = {}
    for joint in model.walk():
        if joint.tag.endswith("Joint") and joint.tag != "Joint":
            elements = coordinate_elements(None, joint)
            names = [element.name for element in elements]
            ranges |= {element.name: limits for element in elements if (limits := finite_range(element)) is not None}
            known.update(dict.fromkeys(names))
            if joint.tag == "CustomJoint":
                turning = _turning(joint)
                known.update(dict.fromkeys(turning))
                found.update(turning)
            else:
                found.update(names[: _ANGLES.get(joint.tag, len(names))])
    # Infinitely many turns are not a range.
    kept = {
        name: limits for name, limits in ranges.items() if name not in found or max(map(abs, limits)) <= LARGEST_ANGLE
    }
    return Coordinates(known, found, kept)


def _turning(joint: Element) -> set[str]:
    """Return the coordinates in the rotations of a custom joint."""
    transform = joint.child("SpatialTransform")
    axes = [] if transform is None else [axis for axis in transform.objects() if axis.tag == "TransformAxis"]
    turning = (axis for axis in axes if axis.name.startswith("rotation") or axis.flag("is_rotation", False))
    return {name for axis in turning for name in axis.names("coordinates")}
