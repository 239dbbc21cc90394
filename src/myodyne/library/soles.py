"""A sphere that bears part of a sole, as under the feet of gait3d."""

from __future__ import annotations

import math

from myodyne.model.bodies import Placement
from myodyne.model.contacts import SmoothSphereContact
from myodyne.model.part import Vector

RADIUS = 0.032  # m
# Of all spheres of a foot together, Pa per kilogram of the body: six of 2 MPa carry a person of 85 kg.
STIFFNESS = 6 * 2e6 / 85.0


def sole_sphere(body: str, at: Vector, stiffness: float) -> SmoothSphereContact:
    """Return a sphere about a point of a foot (m) on the floor below y = 0; its stiffness is in Pa.

    Radius, damping and friction are near those of Falisse et al. 2019 (J. R. Soc. Interface 16, 20190402).

    Examples
    --------
    >>> sole_sphere("calcn_r", (0.005, 0.027, -0.004), 2e6).radius
    0.032
    """
    return SmoothSphereContact(
        body=body,
        at=at,
        radius=RADIUS,
        plane=Placement(body="ground", orientation=(0.0, 0.0, round(-math.pi / 2, 12))),
        stiffness=stiffness,
        dissipation=2.0,
        static_friction=0.8,
        dynamic_friction=0.8,
        viscous_friction=0.5,
        transition_velocity=0.2,
    )
