"""Every version of the format as one: where the parts of a model stand, and what joints connect."""

from __future__ import annotations

from dataclasses import dataclass, field

from myodyne.files.osim.document import Document, Element, Reading
from myodyne.files.osim.skeleton.frames import Frames, moved, socket
from myodyne.model.bodies import Placement

# Before this version bodies held the joint that carries them, and joints the places of their ends.
JOINT_SET_SINCE, OFFSET_FRAMES_SINCE = 30500, 30505
_ZERO = (0.0, 0.0, 0.0)
# Ten times a skeleton of all bones; keeps the checks between all parts short.
_MOST_PARTS = 2000
_SETS = (
    "BodySet",
    "JointSet",
    "ConstraintSet",
    "MarkerSet",
    "ForceSet",
    "ContactGeometrySet",
    "ComponentSet",
    "ControllerSet",
    "ProbeSet",
)


@dataclass
class Parts:
    """The elements of a model by what they are, wherever they are in the file."""

    ground: Element | None = None
    bodies: list[Element] = field(default_factory=list)
    joints: list[Element] = field(default_factory=list)
    constraints: list[Element] = field(default_factory=list)
    markers: list[Element] = field(default_factory=list)


def gather(reading: Reading, document: Document) -> Parts:
    """Return the bodies, joints, constraints and markers of a model, from sets and from lists of components."""
    model = document.model
    parts = Parts(ground=model.child("Ground"))
    reading.read(document.root, model, parts.ground)
    for element in _standing_in_sets(reading, model):
        _sort_in(reading, parts, element)
    for element in [*parts.bodies, *([parts.ground] if parts.ground is not None else [])]:
        # Old files: the joint is inside the body that it carries.
        for holder in element.children:
            if holder.tag == "Joint":
                reading.read(holder)
                parts.joints.extend(holder.objects())
    for element in _components(model):
        _sort_in(reading, parts, element)
    return parts


def _standing_in_sets(reading: Reading, model: Element) -> list[Element]:
    # The oldest files keep their sets in an engine inside of the model.
    engines = [child for child in model.objects() if child.tag.endswith("Engine")]
    for holder in list(engines):
        reading.read(holder)
        engines.extend(inner for inner in holder.objects() if inner.tag.endswith("Engine"))
    found = []
    for holder in (model, *engines):
        for child in holder.children:
            if child.tag in _SETS:
                reading.read(child)
                _refuse_other_files(child)
                if len(child.objects()) > _MOST_PARTS:
                    raise child.fault(f"holds {len(child.objects())} parts, and at most {_MOST_PARTS} are read")
                if child.tag != "ComponentSet":
                    found.extend(child.objects())
    return found


def _refuse_other_files(element: Element) -> None:
    if "file" in element.attributes and not element.children:
        raise element.fault(f"is in another file, {element.attributes['file']!r:.80}; write it into this one")


def _components(model: Element) -> list[Element]:
    """Return what lists of components hold, of the model or of anything in it."""
    found = []
    for element in model.walk():
        holder = element.parent
        if not element.is_object or holder is None:
            continue
        inside_set = holder.tag == "objects" and holder.parent is not None and holder.parent.tag == "ComponentSet"
        if (holder.tag == "components" or inside_set) and not _under_defaults(element):
            found.append(element)
    if len(found) > _MOST_PARTS:
        raise model.fault(f"has {len(found)} components, and at most {_MOST_PARTS} are read")
    return found


def _under_defaults(element: Element) -> bool:
    at = element.parent
    while at is not None and at.tag != "defaults":
        at = at.parent
    return at is not None


def _sort_in(reading: Reading, parts: Parts, element: Element) -> None:
    tag = element.tag
    if tag == "Body":
        if element.name == "ground":
            reading.read(element)
            parts.ground = parts.ground or element
        else:
            parts.bodies.append(element)
    elif tag.endswith("Joint"):
        parts.joints.append(element)
    elif tag.endswith("Constraint"):
        parts.constraints.append(element)
    elif tag == "Marker":
        parts.markers.append(element)


def joint_ends(joint: Element, frames: Frames) -> tuple[Placement, Placement]:
    """Return the placements of a joint on its parent and on its child."""
    parent_name = socket(joint, "parent_frame", "parent_body")
    child_name = socket(joint, "child_frame", "child_body")
    if child_name is None and joint.parent is not None and joint.parent.tag == "Joint":
        owner = joint.parent.parent
        child_name = owner.name if owner is not None else None
    if parent_name is None or child_name is None:
        raise joint.fault(
            f"names no {'parent' if parent_name is None else 'child'} (<socket_parent_frame>, <socket_child_frame>)"
        )
    ends = (
        _end(joint, frames.resolve(parent_name, joint), "location_in_parent", "orientation_in_parent"),
        _end(joint, frames.resolve(child_name, joint), "location", "orientation"),
    )
    return ends[::-1] if joint.flag("reverse", False) else ends


def _end(joint: Element, frame: Placement, location: str, orientation: str) -> Placement:
    """Return a frame, moved by the offset that joints of old files hold themselves."""
    if joint.document.version >= OFFSET_FRAMES_SINCE:
        return frame
    # In between, the offset from the child was called after it.
    location = f"{location}_in_child" if joint.has(f"{location}_in_child") else location
    orientation = f"{orientation}_in_child" if joint.has(f"{orientation}_in_child") else orientation
    at, turned = joint.numbers(location, 3, _ZERO), joint.numbers(orientation, 3, _ZERO)
    return moved(frame, [six_digits(number) for number in at], [six_digits(number) for number in turned])


def six_digits(number: float) -> float:
    """Return a number as OpenSim 4 keeps it where it rewrites the text of an old file: with six digits."""
    return float(f"{number:.6g}")
