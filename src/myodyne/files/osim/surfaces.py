"""Wrap objects of an OpenSim model as surfaces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from myodyne.errors import ModelError
from myodyne.files.osim.document import Element, Reading
from myodyne.files.osim.naming import claimed, free_name
from myodyne.files.osim.skeleton.frames import Frames, moved
from myodyne.model.bodies import Placement
from myodyne.model.surfaces import Half, Surface, WrapCylinder, WrapEllipsoid, WrapSphere, WrapTorus

_ZERO = (0.0, 0.0, 0.0)
# Radii of spheres, ellipsoids and tori where a file gives none (m).
_RADIUS = 0.05
_OWNERS = ("Body", "Ground", "PhysicalOffsetFrame")
# More wrap objects than this no body has.
_MOST = 500
_HALVES: dict[str, Half] = {
    "all": "all",
    "x": "x",
    "+x": "x",
    "-x": "-x",
    "y": "y",
    "+y": "y",
    "-y": "-y",
    "z": "z",
    "+z": "z",
    "-z": "-z",
}
_KINDS = (
    "WrapCylinder",
    "WrapSphere",
    "WrapEllipsoid",
    "WrapTorus",
    "WrapSphereObst",
    "WrapCylinderObst",
    "WrapDoubleCylinderObst",
)


class Surfaces(dict[str, Surface]):
    """The surfaces of a model by name, and which of them a path means by the name of a wrap object.

    Of several wrap objects of one name OpenSim takes the first. None stands for one that is not active.
    """

    def __init__(self) -> None:
        super().__init__()
        self.called: dict[str, str | None] = {}


def read_surfaces(reading: Reading, model: Element, frames: Frames) -> Surfaces:
    """Return the surfaces that paths may wrap over."""
    found = Surfaces()
    taken = claimed(model)
    for owner, holder in _holders(model):
        if len(holder.objects()) > _MOST:
            raise holder.fault(f"holds {len(holder.objects())} wrap objects, and at most {_MOST} are read")
        if owner.tag not in _OWNERS:
            reading.skip(holder, f"a {owner.tag} carries no wrap objects")
            continue
        if holder.objects():
            place = frames.place(owner)
        for element in holder.objects():
            if element.name in found.called and element.name:
                reading.suspect(element, "another wrap object has the same name; paths take the first of them")
            if element.tag not in _KINDS[:4]:
                reading.skip(element, "wrap objects of this kind are not supported")
                found.called.setdefault(element.name, None)
                continue
            if not element.flag("active", True):
                reading.skip(element, "not active")
                found.called.setdefault(element.name, None)
                continue
            surface = _surface(reading, element, place)
            if surface is None:
                found.called.setdefault(element.name, None)
                continue
            name = free_name(reading, element, taken, otherwise=f"{place.body}_surface")
            taken.add(name)
            found[name] = surface
            found.called.setdefault(element.name, name)
            reading.read(element)
        reading.read(holder)
    return found


def _holders(model: Element) -> Iterator[tuple[Element, Element]]:
    """Yield every frame that carries wrap objects, and the set of them."""
    waiting = [model]
    while waiting:
        element = waiting.pop()
        if element.tag == "defaults":
            continue
        if element.tag == "WrapObjectSet" and element.parent is not None:
            yield element.parent, element
            continue
        waiting.extend(reversed(element.children))


def _surface(reading: Reading, element: Element, place: Placement) -> Surface | None:
    frame = moved(place, element.numbers("translation", 3, _ZERO), element.numbers("xyz_body_rotation", 3, _ZERO))
    quadrant = element.text("quadrant", "all").strip().lower()
    if quadrant in ("unassigned", ""):
        quadrant = "all"
    if quadrant not in _HALVES:
        raise element.fault(f"<quadrant> is one of {', '.join(_HALVES)}, not {quadrant!r:.40}")
    common: dict[str, Any] = {"frame": frame, "half": _HALVES[quadrant]}
    try:
        match element.tag:
            case "WrapCylinder":
                radius, length = element.number("radius", 1.0), element.number("length", 1.0)
                return WrapCylinder(**common, radius=radius, length=length)
            case "WrapSphere":
                return WrapSphere(**common, radius=element.number("radius", _RADIUS))
            case "WrapEllipsoid":
                x, y, z = element.numbers("dimensions", 3, (_RADIUS,) * 3)
                return WrapEllipsoid(**common, radii=(x, y, z))
            case _:
                inner, outer = element.number("inner_radius", 0.01), element.number("outer_radius", _RADIUS)
                return WrapTorus(**common, inner_radius=inner, outer_radius=outer)
    except ModelError as error:
        reading.skip(element, f"has no size to wrap over ({error})")
        return None
