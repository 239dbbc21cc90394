"""Joints whose speeds are an angular velocity in OpenSim, so that forces on their coordinates are torques."""

from __future__ import annotations

from dataclasses import dataclass

from myodyne.files.osim.document import Element
from myodyne.files.osim.skeleton.coordinates import coordinate_elements
from myodyne.files.osim.skeleton.frames import Frames
from myodyne.files.osim.upgrade import joint_ends
from myodyne.model.bodies import Placement
from myodyne.model.part import Vector

_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
# The axes of the frame on the parent about which the first three speeds turn.
_AXES: dict[str, tuple[Vector, ...]] = {
    "BallJoint": (_X, _Y, _Z),
    "FreeJoint": (_X, _Y, _Z),
    "EllipsoidJoint": (_X, _Y, _Z),
    "ScapulothoracicJoint": (_Y, (-1.0, 0.0, 0.0), _Z),
}


@dataclass(frozen=True)
class TorqueAxis:
    """What a generalised force on a coordinate of one of these joints is in OpenSim.

    A torque on ``child``, and its reaction on the body of ``parent``, about an ``axis`` in the frame ``parent``.
    """

    joint: str
    parent: Placement
    child: str
    axis: Vector


def torque_axes_of(model: Element, frames: Frames) -> dict[str, TorqueAxis]:
    """Return the coordinates on which a force is a torque, and about which axis; others belong to their rates."""
    found: dict[str, TorqueAxis] = {}
    for joint in model.walk():
        if joint.tag in _AXES:
            names = [element.name for element in coordinate_elements(None, joint)]
            names += [f"{joint.name}_coord_{number}" for number in range(len(names), 3)]
            parent, child = joint_ends(joint, frames)
            body = f"{joint.name}_between" if joint.tag == "ScapulothoracicJoint" else child.body
            for name, axis in zip(names, _AXES[joint.tag], strict=False):
                found.setdefault(name, TorqueAxis(joint.name, parent, body, axis))
    return found
