"""The normal force of a contact by depth and rate: the equations of physics, seen along a vertical slider."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np

from myodyne.equations import equations_of
from myodyne.model import (
    GROUND,
    Axis,
    Body,
    ContactPoint,
    Coordinate,
    HuntCrossleyContact,
    Joint,
    Model,
    Placement,
    SmoothSphereContact,
)
from myodyne.types import Floats

Contact = ContactPoint | HuntCrossleyContact | SmoothSphereContact
NormalForce = Callable[[Floats, Floats], tuple[Floats, Floats]]


def normal_force(contact: Contact) -> NormalForce:
    """Return a function of depths (m) and their rates (m/s) that gives normal forces (N) and their slopes (N/m)."""
    slider = Joint(
        parent=Placement(body=GROUND),
        child=Placement(body="foot"),
        coordinates={"height": Coordinate()},
        axes=(Axis(motion="translation", direction="y", function="height"),),
    )
    floor = contact.plane.model_copy(update={"at": (0.0, 0.0, 0.0)})
    sole = contact.model_copy(update={"body": "foot", "at": (0.0, 0.0, 0.0), "plane": floor})
    model = Model(name="sole", bodies={"foot": Body(mass=1.0)}, joints={"slider": slider}, forces={"sole": sole})
    assembly = equations_of(model, compiled=False).assembly()
    radius = getattr(contact, "radius", 0.0)
    depth, rate = ca.SX.sym("depth"), ca.SX.sym("rate")
    upwards = assembly.applied.effects["sole"].vectors["force"][1]
    force = ca.substitute(upwards, ca.vertcat(assembly.q, assembly.v), ca.vertcat(radius - depth, -rate))
    law = ca.Function("normal_force", [depth, rate], [force, ca.gradient(force, depth)])
    # To call a function with rows makes a map each time, which costs a hundred times the call itself.
    maps: dict[int, ca.Function] = {}

    def evaluated(depths: Floats, rates: Floats) -> tuple[Floats, Floats]:
        size = len(depths)
        if size not in maps:
            maps[size] = law.map(size)
        found, slope = maps[size](depths.reshape(1, -1), rates.reshape(1, -1))
        return np.asarray(found, dtype=float).ravel(), np.asarray(slope, dtype=float).ravel()

    return evaluated
