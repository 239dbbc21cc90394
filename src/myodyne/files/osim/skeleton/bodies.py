"""Bodies: mass, centre of mass, inertia, and the names of their meshes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from myodyne.errors import ModelError
from myodyne.files.osim.document import Element, Reading
from myodyne.files.osim.naming import free_name
from myodyne.files.osim.skeleton.frames import Frames
from myodyne.files.osim.upgrade import JOINT_SET_SINCE, six_digits
from myodyne.model.bodies import Body, Inertia

_MOMENTS = ("xx", "yy", "zz", "xy", "xz", "yz")
# Before version 30500 a moment that is not given was one, and a product zero.
_OLD_INERTIA = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)


def read_bodies(reading: Reading, elements: list[Element], frames: Frames) -> dict[str, Body]:
    """Return the bodies by name."""
    bodies: dict[str, Body] = {}
    for element in elements:
        element.own_name()
        name = frames.called(element)
        if name in bodies:
            raise element.fault("there is another body of this name")
        bodies[name] = _body(reading, element)
    if elements and not any(body.mass for body in bodies.values()):
        reading.suspect(elements[0], "no body of the model has a mass")
    return bodies


def make_names_unique(reading: Reading, elements: list[Element], frames: Frames, coordinates: Collection[str]) -> None:
    """Rename bodies that share their name with a coordinate: data refer to coordinates by name, and not to bodies."""
    taken = {*coordinates, *(element.name for element in elements)}
    for element in elements:
        if element.name in coordinates:
            name = free_name(reading, element, taken, otherwise="_body")
            taken.add(name)
            frames.call(element, name)


def read_ground(reading: Reading, ground: Element | None) -> None:
    """Count the ground as read; only what is attached to it matters."""
    if ground is not None:
        reading.read(ground)


def _body(reading: Reading, element: Element) -> Body:
    reading.read(element)
    mass = element.number("mass")
    if mass < 0:
        raise element.fault(f"has the negative mass {mass:g} kg")
    x, y, z = element.numbers("mass_center", 3, (0.0, 0.0, 0.0))
    return Body(
        mass=mass,
        centre_of_mass=(x, y, z),
        inertia=_inertia(reading, element, mass),
        geometry=_meshes(reading, element),
    )


def _inertia(reading: Reading, element: Element, mass: float) -> Inertia:
    if element.document.version < JOINT_SET_SINCE:
        moments = tuple(
            element.number(f"inertia_{entry}", default) for entry, default in zip(_MOMENTS, _OLD_INERTIA, strict=True)
        )
        rounded = tuple(map(six_digits, moments))
        if rounded != moments:
            reading.approximate(element, "its inertia is rounded to six digits, as OpenSim 4 does with this format")
        moments = rounded
    else:
        moments = element.numbers("inertia", 6, (0.0,) * 6)
    if mass == 0.0 and any(moments):
        reading.suspect(element, "has no mass but an inertia, which is left out, as in OpenSim")
        return Inertia()
    entries: dict[str, Any] = dict(zip(_MOMENTS, moments, strict=True))
    try:
        return Inertia(**entries)
    except ModelError as error:
        message = error.problems[0][1] if error.problems else str(error)
        reading.suspect(element, f"its inertia is kept as published: {message.partition('. For a planar')[0]}")
        return Inertia(**{**entries, "as_published": True})


def _meshes(reading: Reading, element: Element) -> tuple[str, ...]:
    """Return the names of the files that show a body."""
    found: dict[str, None] = {}
    for part in element.walk():
        name = ""
        if part.tag == "Mesh":
            name = part.text("mesh_file", "")
        elif part.tag == "DisplayGeometry":
            name = part.text("geometry_file", "")
        elif part.tag == "geometry_files":
            found.update(dict.fromkeys(part.content.split()))
        if name:
            reading.read(part)
            found[name] = None
    return tuple(found)
