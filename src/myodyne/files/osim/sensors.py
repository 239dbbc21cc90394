"""Inertial sensors: frames on bodies, by name."""

from __future__ import annotations

from myodyne.files.osim.document import Element, Reading
from myodyne.files.osim.naming import members
from myodyne.files.osim.skeleton.frames import Frames, socket
from myodyne.model.bodies import Placement


def read_sensors(reading: Reading, model: Element, frames: Frames) -> dict[str, tuple[Element, Placement]]:
    """Return the frames of the inertial sensors by name."""
    found: dict[str, tuple[Element, Placement]] = {}
    for element in members(model, "ComponentSet", "components"):
        if element.tag != "IMU":
            continue
        frame = socket(element, "frame")
        if frame is None or not element.name or element.name in found:
            why = "it is attached to no frame" if frame is None else "it has no name, or that of another sensor"
            reading.skip(element, why)
            continue
        reading.read(element)
        found[element.name] = element, frames.resolve(frame, element)
    return found
