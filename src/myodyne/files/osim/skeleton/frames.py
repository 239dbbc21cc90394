"""Frames of an OpenSim model: bodies, the ground, and frames at an offset from others."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from myodyne.errors import unknown_name
from myodyne.files.osim.document import Document, Element
from myodyne.model.bodies import GROUND, Marker, Placement
from myodyne.numerics.rotations import rotation
from myodyne.types import Floats

_OFFSET = "PhysicalOffsetFrame"
_LONGEST_CHAIN = 100
_LONGEST_PATH = 2000
_BY_STATIONS = "StationDefinedFrame"
_STATIONS = ("Station", "Marker")
_KINDS = ("Body", "Ground", _OFFSET, _BY_STATIONS)
# Objects that hold others without being part of a component's path.
_NO_COMPONENTS = ("OpenSimDocument", "Model", "Joint")
# Sockets were called connectors before OpenSim 4.0, and properties of their own before that.
_SOCKETS = ("socket_{}", "socket_{}_connectee_name", "connector_{}_connectee_name", "{}")


def socket(element: Element, *names: str) -> str | None:
    """Return what a socket of one of these names is connected to, in any version of the format; None if nowhere."""
    for name in names:
        for form in _SOCKETS:
            if element.has(form.format(name)):
                return _short(element, element.text(form.format(name)))
        connectors = element.child("connectors")
        for connector in connectors.children if connectors is not None else ():
            if connector.name == name and connector.has("connectee_name"):
                connector.fate = "read"
                return _short(connector, connector.text("connectee_name"))
    return None


def _short(element: Element, path: str) -> str:
    if len(path) > _LONGEST_PATH:
        raise element.fault(f"refers to another part by more than {_LONGEST_PATH} letters")
    return path


def angles_of(matrix: Floats) -> tuple[float, float, float]:
    """Return the turns about x, the new y and the new z (rad) that make up a rotation."""
    if abs(matrix[0, 2]) > 1 - 1e-14:
        # The first and the last turn are about the same line: the first does it all.
        return float(math.atan2(matrix[2, 1], matrix[1, 1])), math.copysign(math.pi / 2, matrix[0, 2]), 0.0
    second = math.atan2(matrix[0, 2], math.hypot(matrix[0, 0], matrix[0, 1]))
    return (
        float(math.atan2(-matrix[1, 2], matrix[2, 2])),
        float(second),
        float(math.atan2(-matrix[0, 1], matrix[0, 0])),
    )


def moved(place: Placement, at: Sequence[float], orientation: Sequence[float]) -> Placement:
    """Return the frame that stands at an offset from another, on the same body."""
    # Numbers that need no composing stay as they are in the file, to the last bit.
    if not any(at) and not any(orientation):
        return place
    if not any(place.at) and not any(place.orientation):
        return placement(place.body, at, orientation)
    turn = rotation(place.orientation)
    there = np.asarray(place.at) + turn @ np.asarray(at)
    angles = place.orientation if not any(orientation) else angles_of(turn @ rotation(orientation))
    return placement(place.body, there.tolist(), angles)


def placement(body: str, at: Sequence[float], orientation: Sequence[float]) -> Placement:
    """Return a placement; angles beyond a full turn are reduced."""
    x, y, z = (float(number) for number in at)
    a, b, c = (angle if abs(angle) < 6.28 else math.remainder(angle, 2 * math.pi) for angle in map(float, orientation))
    return Placement(body=body, at=(x, y, z), orientation=(a, b, c))


class Frames:
    """All frames of a model, found by the paths and names with which others refer to them."""

    def __init__(self, document: Document) -> None:
        self._paths: dict[str, Element] = {}
        self._named: dict[str, list[Element]] = {}
        self._places: dict[int, Placement] = {}
        self._resolving: set[int] = set()
        self._called: dict[int, str] = {}
        self._stations: dict[str, Element] = {}
        for element in document.model.walk():
            if element.tag in _STATIONS and element.name and not _in_defaults(element):
                self._stations.setdefault(component_path(element), element)
            if element.tag in _KINDS and element.name and not _in_defaults(element):
                self._paths.setdefault(component_path(element), element)
                self._named.setdefault(element.name, []).append(element)

    def called(self, body: Element) -> str:
        """Return the name of a body in the model, which is that of the file wherever that is possible."""
        return self._called.get(id(body)) or body.own_name()

    def call(self, body: Element, name: str) -> None:
        """Let a body be called otherwise than in the file; before any frame is resolved."""
        self._called[id(body)] = name

    def resolve(self, text: str, element: Element) -> Placement:
        """Return where the frame stands that ``text``, a path or a name, means for ``element``."""
        frame = self._find(text, element)
        return Placement(body=GROUND) if frame is None else self.place(frame)

    def point(self, text: str, at: Sequence[float], element: Element) -> Marker:
        """Return a point that is given in a frame, in the axes of the frame's body."""
        place = moved(self.resolve(text, element), at, (0.0, 0.0, 0.0))
        return Marker(body=place.body, at=place.at)

    def place(self, frame: Element) -> Placement:
        """Return the placement of a frame on its body."""
        if id(frame) in self._places:
            return self._places[id(frame)]
        if frame.tag == _BY_STATIONS:
            found = self._by_stations(frame)
            frame.fate = "read"
        elif frame.tag != _OFFSET:
            found = Placement(body=GROUND if frame.tag == "Ground" else self.called(frame))
        else:
            parent = socket(frame, "parent")
            if parent is None:
                raise frame.fault("is offset from no frame (<socket_parent>)")
            if id(frame) in self._resolving:
                raise frame.fault("is offset from itself: the frames form a cycle")
            if len(self._resolving) > _LONGEST_CHAIN:
                raise frame.fault(f"is the end of a chain of more than {_LONGEST_CHAIN} offset frames")
            self._resolving.add(id(frame))
            zero = (0.0, 0.0, 0.0)
            at, orientation = frame.numbers("translation", 3, zero), frame.numbers("orientation", 3, zero)
            found = moved(self.resolve(parent, frame), at, orientation)
            self._resolving.discard(id(frame))
            frame.fate = "read"
        self._places[id(frame)] = found
        return found

    def _by_stations(self, frame: Element) -> Placement:
        """Return a frame whose axes are along ab and along ab × ac of three points, at a fourth."""
        a, b, c, origin = (self._station(frame, name) for name in ("point_a", "point_b", "point_c", "origin_point"))
        if len({point.body for point in (a, b, c, origin)}) > 1:
            raise frame.fault("its points are on different bodies")
        first = np.subtract(b.at, a.at)
        second = np.cross(first, np.subtract(c.at, a.at))
        if not np.linalg.norm(second) > 1e-12:
            raise frame.fault("its points are on one line, which gives no axes")
        axes = np.zeros((3, 3))
        places = []
        for tag, usual, along in (("ab_axis", "+x", first), ("ab_x_ac_axis", "+y", second)):
            text = frame.text(tag, usual).lower()
            if text.lstrip("+-") not in ("x", "y", "z"):
                raise frame.fault(f"<{tag}> is one of +x, -y and the like, not '{text:.20}'")
            places.append("xyz".index(text[-1]))
            axes[:, places[-1]] = (-1.0 if text.startswith("-") else 1.0) * along / np.linalg.norm(along)
        if places[0] == places[1]:
            raise frame.fault("<ab_axis> and <ab_x_ac_axis> are the same axis")
        last = 3 - sum(places)
        axes[:, last] = np.cross(axes[:, (last + 1) % 3], axes[:, (last + 2) % 3])
        return placement(origin.body, origin.at, angles_of(axes))

    def _station(self, frame: Element, name: str) -> Marker:
        text = socket(frame, name)
        if text is None:
            raise frame.fault(f"names no <socket_{name}>")
        found = self._stations.get(_joined(component_path(frame), text))
        if found is None:
            ending = text.strip("/").rpartition("/")[2]
            named = [one for path, one in self._stations.items() if path.rpartition("/")[2] == ending]
            if len(named) != 1:
                raise frame.fault(f"its <socket_{name}> '{text:.60}' is not a station of the model")
            found = named[0]
        on = socket(found, "parent_frame", "reference_frame", "body")
        if on is None:
            raise found.fault("is attached to no body")
        if found.tag == "Station":
            found.fate = "read"
        return self.point(on, found.numbers("location", 3, (0.0, 0.0, 0.0)), found)

    def _find(self, text: str, element: Element) -> Element | None:
        """Return the frame that is meant; None for the ground, where the file has no element for it."""
        path = _joined(component_path(element), text)
        if path in self._paths:
            return self._paths[path]
        # Older files name a frame wherever it stands: nearest is what belongs to the element itself.
        name = text.rstrip("/").rsplit("/", 1)[-1]
        candidates = self._named.get(name, [])
        own = [
            frame
            for frame in candidates
            if frame.parent is not None and (frame.parent is element or frame.parent.parent is element)
        ]
        bodies = [frame for frame in candidates if frame.tag not in (_OFFSET, _BY_STATIONS)]
        for group in (own, bodies, candidates):
            if len(group) == 1:
                return group[0]
        if not candidates and name == GROUND:
            return None
        if candidates:
            raise element.fault(f"'{text}' could be one of {len(candidates)} frames of that name")
        raise element.fault(unknown_name("body or frame", name, self._named))


def component_path(element: Element) -> str:
    """Return where a component stands, as OpenSim's paths have it."""
    names: list[str] = []
    at: Element | None = element
    while at is not None:
        if at.is_object and at.tag not in _NO_COMPONENTS:
            names.append(at.tag.lower() if at.tag.endswith("Set") else at.name or at.tag.lower())
        at = at.parent
    return "/" + "/".join(reversed(names))


def _joined(base: str, text: str) -> str:
    parts: list[str] = [] if text.startswith("/") else [part for part in base.split("/") if part]
    for part in text.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)


def _in_defaults(element: Element) -> bool:
    at: Element | None = element
    while at is not None:
        if at.tag == "defaults":
            return True
        at = at.parent
    return False
