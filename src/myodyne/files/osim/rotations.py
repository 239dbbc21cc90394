"""Which coordinates of an OpenSim model are angles."""

from __future__ import annotations

from myodyne.files.osim.coordinates import coordinate_elements
from myodyne.files.osim.document import Element

# Joints whose coordinates are not all angles: the number of those that are, which come first.
_ANGLES = {"SliderJoint": 0, "PlanarJoint": 1, "FreeJoint": 3, "WeldJoint": 0}


def rotational_coordinates(model: Element) -> set[str]:
    """Return the names of the coordinates that turn something."""
    found: set[str] = set()
    for joint in model.walk():
        if joint.tag.endswith("Joint") and joint.tag != "Joint":
            names = [element.name for element in coordinate_elements(None, joint)]
            if joint.tag == "CustomJoint":
                found.update(set(names) & _turning(joint))
            else:
                found.update(names[: _ANGLES.get(joint.tag, len(names))])
    return found


def _turning(joint: Element) -> set[str]:
    """Return the coordinates in the rotations of a custom joint."""
    transform = joint.child("SpatialTransform")
    axes = [] if transform is None else [axis for axis in transform.objects() if axis.tag == "TransformAxis"]
    turning = (axis for axis in axes if axis.name.startswith("rotation") or axis.flag("is_rotation", False))
    return {name for axis in turning for name in axis.names("coordinates")}
