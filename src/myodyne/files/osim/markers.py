"""Markers: points on bodies, by name."""

from __future__ import annotations

from myodyne.files.osim.document import Element, Reading
from myodyne.files.osim.skeleton.frames import Frames, socket
from myodyne.model.bodies import Marker


def read_markers(reading: Reading, elements: list[Element], frames: Frames) -> dict[str, tuple[Element, Marker]]:
    """Return the markers by name."""
    found: dict[str, tuple[Element, Marker]] = {}
    for element in elements:
        frame = socket(element, "parent_frame", "reference_frame", "body")
        if frame is None:
            reading.skip(element, "it is attached to no body")
            continue
        if not element.name or element.name in found:
            reading.skip(element, "it has no name" if not element.name else "there is another marker of this name")
            continue
        reading.read(element)
        point = frames.point(frame, element.numbers("location", 3, (0.0, 0.0, 0.0)), element)
        # Copied, not made anew: a point of another frame is placed on its body once.
        found[element.name] = element, point.model_copy(update={"fixed": element.flag("fixed", default=False)})
    return found
