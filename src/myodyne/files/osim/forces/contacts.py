"""Contact forces of an OpenSim model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any

from myodyne.errors import unknown_name
from myodyne.files.osim.document import Element, Reading
from myodyne.files.osim.forces.surroundings import Surroundings, vector
from myodyne.files.osim.naming import last_part, members
from myodyne.files.osim.skeleton.frames import Frames, moved, socket
from myodyne.model.bodies import Marker, Placement
from myodyne.model.contacts import HuntCrossleyContact, SmoothSphereContact, SpherePairContact
from myodyne.model.forces import Force

# More geometries or pairs of them than this no contact of a body with the ground has.
_MOST = 500
_FRICTION = ("static_friction", "dynamic_friction", "viscous_friction")


@dataclass(frozen=True)
class _Material:
    """A geometry with the material that a force gives it."""

    geometry: Element
    numbers: dict[str, float]


def smooth_contact(around: Surroundings, element: Element) -> Force:
    """Return a smooth sphere on a half space."""
    sphere = _geometry(around, element, socket(element, "sphere"), "ContactSphere")
    plane = _geometry(around, element, socket(element, "half_space"), "ContactHalfSpace")
    around.reading.read(sphere, plane)
    numbers = {tag: element.number(tag, 0.0) for tag in ("dissipation", *_FRICTION)}
    return SmoothSphereContact(
        **_touching(around.frames, sphere, plane),
        **numbers,
        stiffness=element.number("stiffness", 1.0),
        transition_velocity=element.number("transition_velocity", 0.01),
        constant_contact_force=element.number("constant_contact_force", 1e-5),
        hertz_smoothing=element.number("hertz_smoothing", 300.0),
        hunt_crossley_smoothing=element.number("hunt_crossley_smoothing", 50.0),
    )


def hunt_crossley_contacts(around: Surroundings, element: Element) -> Iterator[tuple[str, Force]]:
    """Yield a contact for every sphere and half space or other sphere of a force, each with its name."""
    materials = list(islice(_materials(around, element), _MOST + 1))
    spheres = [material for material in materials if material.geometry.tag == "ContactSphere"]
    planes = [material for material in materials if material.geometry.tag == "ContactHalfSpace"]
    others = [
        material.geometry.name
        for material in materials
        if material.geometry.tag not in ("ContactSphere", "ContactHalfSpace")
    ]
    if others:
        around.reading.approximate(
            element, f"contact with '{others[0]}' is left out: it is neither a sphere nor a half space"
        )
    if len(materials) > _MOST or len(spheres) * len(planes) > _MOST:
        raise element.fault(
            f"lets {len(spheres)} spheres touch {len(planes)} half spaces, and at most {_MOST} pairs are read"
        )
    yield from _pairs_of_spheres(around, element, spheres, alone=len(spheres) == 2 and not planes)
    pairs = [
        (sphere, plane)
        for sphere in spheres
        for plane in planes
        if _place(around.frames, sphere.geometry).body != _place(around.frames, plane.geometry).body
    ]
    for sphere, plane in pairs:
        around.reading.read(sphere.geometry, plane.geometry)
        name = element.name
        if len(spheres) > 1:
            name = f"{name}_{sphere.geometry.name}"
        if len(planes) > 1:
            name = f"{name}_{plane.geometry.name}"
        yield (
            name,
            HuntCrossleyContact(
                **_touching(around.frames, sphere.geometry, plane.geometry),
                **_combined(sphere.numbers, plane.numbers),
                transition_velocity=element.number("transition_velocity", 0.01),
            ),
        )


def _pairs_of_spheres(
    around: Surroundings, element: Element, spheres: list[_Material], *, alone: bool
) -> Iterator[tuple[str, SpherePairContact]]:
    """Yield the contacts of spheres on different bodies with each other."""
    places = [_place(around.frames, sphere.geometry) for sphere in spheres]
    pairs = [(i, j) for i, j in combinations(range(len(spheres)), 2) if places[i].body != places[j].body]
    if len(pairs) > _MOST:
        raise element.fault(f"lets {len(pairs)} pairs of spheres touch, and at most {_MOST} are read")
    for i, j in pairs:
        first, second = spheres[i], spheres[j]
        around.reading.read(first.geometry, second.geometry)
        yield (
            element.name if alone else f"{element.name}_{first.geometry.name}_{second.geometry.name}",
            SpherePairContact(
                body=places[i].body,
                at=places[i].at,
                radius=first.geometry.number("radius", 0.0),
                other=Marker(body=places[j].body, at=places[j].at),
                other_radius=second.geometry.number("radius", 0.0),
                **_combined(first.numbers, second.numbers),
                transition_velocity=element.number("transition_velocity", 0.01),
            ),
        )


def _combined(sphere: dict[str, float], plane: dict[str, float]) -> dict[str, float]:
    """Return the numbers of a contact of two materials, as Simbody combines them."""
    first, second = sphere["stiffness"] ** (2 / 3), plane["stiffness"] ** (2 / 3)
    share = second / (first + second) if first + second > 0 else 0.5
    combined = {
        "stiffness": (2 * first * share) ** 1.5,
        "dissipation": sphere["dissipation"] * share + plane["dissipation"] * (1 - share),
        "sphere_share": share,
    }
    for tag in _FRICTION:
        total = sphere[tag] + plane[tag]
        combined[tag] = 2 * sphere[tag] * plane[tag] / total if total > 0 else 0.0
    return combined


def _materials(around: Surroundings, element: Element) -> Iterator[_Material]:
    for holder in element.children:
        if holder.tag.endswith("ContactParametersSet"):
            around.reading.read(holder)
            for parameters in holder.objects():
                around.reading.read(parameters)
                numbers = {tag: parameters.number(tag, 0.0) for tag in ("stiffness", "dissipation", *_FRICTION)}
                if numbers["stiffness"] < 0:
                    raise parameters.fault(f"its stiffness {numbers['stiffness']:g} is negative")
                names = parameters.names("geometry")
                if len(names) > _MOST:
                    raise parameters.fault(f"names {len(names)} geometries, and at most {_MOST} are read")
                for name in names:
                    yield _Material(_geometry(around, parameters, name), numbers)


def _geometry(around: Surroundings, element: Element, path: str | None, kind: str | None = None) -> Element:
    if path is None:
        raise element.fault(f"names no {kind or 'contact geometry'}")
    found = around.geometries.get(last_part(path))
    if found is None:
        raise element.fault(unknown_name("contact geometry", last_part(path), around.geometries))
    if kind is not None and found.tag != kind:
        raise element.fault(f"'{found.name}' is a {found.tag}, not a {kind}")
    return found


def _place(frames: Frames, geometry: Element) -> Placement:
    frame = socket(geometry, "frame", "body_name", "body")
    if frame is None:
        raise geometry.fault("is in no frame (<socket_frame> or <body_name>)")
    return moved(frames.resolve(frame, geometry), vector(geometry, "location"), vector(geometry, "orientation"))


def _touching(frames: Frames, sphere: Element, plane: Element) -> dict[str, Any]:
    """Return where a sphere and a half space stand."""
    centre = _place(frames, sphere)
    return {
        "body": centre.body,
        "at": centre.at,
        "radius": sphere.number("radius", 0.0),
        "plane": _place(frames, plane),
    }


def note_idle_geometry(reading: Reading, model: Element) -> None:
    """Tell of contact geometry that no force touches."""
    for geometry in members(model, "ContactGeometrySet"):
        if geometry.fate is None:
            reading.skip(geometry, "no force that is read touches it")
