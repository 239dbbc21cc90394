"""Where the two sides of a model differ."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from myodyne.analyse.sides.names import other_side
from myodyne.equations import equations_of
from myodyne.model import GROUND, ContactPoint, HuntCrossleyContact, Model, SmoothSphereContact
from myodyne.types import Floats

# Places are alike within this (m), numbers within this part.
_NEAR = 0.02
_PART = 0.05
# A centre of mass elsewhere counts if it shifts that of the whole body by more than this (m).
_SHIFT = 3e-4
_MUSCLE = ("max_force", "optimal_fibre_length", "tendon_slack_length")


def sided_without_partner(model: Model) -> list[str]:
    """Return the names of bodies, coordinates, muscles and motors that have a side and no partner on the other."""
    found: list[str] = []
    tables: tuple[Iterable[str], ...] = (model.bodies, model.moving, model.controls)
    for names in map(tuple, tables):
        found += [name for name in names if other_side(name) not in names]
    return list(dict.fromkeys(found))


def differences(model: Model, planar: bool) -> list[str]:
    """Return in words where the sides differ in mass, place, muscles and contacts, the largest kinds first."""
    if abs(model.gravity[2]) > 1e-6:
        return ["gravity points to a side"]
    return [*_masses(model), *_places(model, planar), *_contacts(model, planar), *_muscles(model)]


def _pairs(names: Iterable[str]) -> list[tuple[str, str]]:
    """Return each pair once, those of the midline with themselves."""
    return [(name, other_side(name)) for name in names if name <= other_side(name)]


def _masses(model: Model) -> list[str]:
    found = []
    for one, other in _pairs(model.bodies):
        masses = [model.bodies[name].mass for name in (one, other)]
        # Differences count against the whole body too: a massless ghost beside a heavier one matters little.
        if abs(masses[0] - masses[1]) > max(_PART * max(masses), 1e-3 * model.mass):
            found.append(f"'{one}' has a mass of {masses[0]:.4g} kg, '{other}' of {masses[1]:.4g} kg")
    return found


def _places(model: Model, planar: bool) -> list[str]:
    """Return bodies whose centre of mass or joint is not where the reflected one of the other side is."""
    equations = equations_of(model, compiled=False)
    turns, origins = equations.body_poses(np.zeros((1, len(equations.coordinates))))
    poses = {name: (turns[0, place], origins[0, place]) for place, name in enumerate(equations.bodies)}
    poses[GROUND] = (np.eye(3), np.zeros(3))
    joints = {joint.child.body: joint.parent for joint in model.joints.values()}
    found = []
    for one, other in _pairs(model.bodies):
        for what in ("centre of mass", "joint"):
            points = []
            for name in (one, other):
                turn, origin = poses[name if what != "joint" else joints[name].body]
                at = model.bodies[name].centre_of_mass if what != "joint" else joints[name].at
                points.append(origin + turn @ np.array(at))
            far = _apart(points[0], points[1], planar)
            # Published models have toes whose centre of mass lies on the wrong side, which moves nothing.
            light = model.bodies[one].mass * far < _SHIFT * model.mass
            if far > _NEAR and (what == "joint" or not light):
                across = "off the midline" if one == other else f"off the reflected one of '{other}'"
                found.append(f"the {what} of '{one}' is {100 * far:.1f} cm {across}")
                break
    return found


def _apart(one: Floats, other: Floats, planar: bool) -> float:
    difference = one * (1.0, 1.0, -1.0) - other
    return float(np.linalg.norm(difference[:2] if planar else difference))


def _contacts(model: Model, planar: bool) -> list[str]:
    """Return contacts with the ground that the other side has not."""
    kinds = ContactPoint | HuntCrossleyContact | SmoothSphereContact
    spots = {name: (part.body, np.array(part.at)) for name, part in model.forces.items() if isinstance(part, kinds)}
    found = []
    for name, (body, at) in spots.items():
        others = [_apart(at, place, planar) for owner, place in spots.values() if owner == other_side(body)]
        if min(others, default=np.inf) > _NEAR:
            found.append(f"the contact '{name}' of '{body}' has no counterpart on '{other_side(body)}'")
    return found


def _muscles(model: Model) -> list[str]:
    found = []
    for one, other in _pairs(model.muscles):
        for field in _MUSCLE:
            values = [float(getattr(model.muscles[name], field)) for name in (one, other)]
            if abs(values[0] - values[1]) > _PART * max(values):
                found.append(f"{one}.{field} is {values[0]:.4g}, {other}.{field} is {values[1]:.4g}")
                break
    return found
