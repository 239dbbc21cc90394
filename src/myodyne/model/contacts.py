"""Contacts: points, spheres, and what they rest on."""

from __future__ import annotations

import math
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from myodyne.model.bodies import Marker, Placement
from myodyne.model.part import Name, NonNegative, Part, Positive, Vector

Fraction = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=1)]


class EllipsoidContact(Part):
    """A point of one body that an ellipsoid, fixed to another, keeps outside: a shoulder blade on the chest.

    The ellipsoid has its ``centre`` (m) and its half axes ``radii`` (m) along the axes of its body. With p the place
    of the point from the centre and ``F = Σ (p_i / r_i)² - 1``, negative inside, the force on the point is
    ``-stiffness * (Σ r_j²) * p_i / r_i² * (F - sqrt(F² + transition²)) / 2`` along each of the axes: outwards, along
    the gradient of F, and next to nothing where F exceeds the ``transition`` (no unit). It is the form of the Dynamic
    Arm Simulator (van den Bogert et al. 2011). Just below the surface of a sphere the force grows by six times
    ``stiffness`` (N/m) with depth.

    Examples
    --------
    >>> import myodyne as my
    >>> contact = my.EllipsoidContact(body="chest", centre=(0.0, -0.15, 0.06), radii=(0.15, 0.2, 0.1), stiffness=2e4,
    ...                               point=my.Marker(body="scapula", at=(-0.13, -0.12, -0.03)))
    >>> contact.transition
    0.01
    """

    controlled: ClassVar[bool] = False
    kind: Literal["ellipsoid_contact"] = "ellipsoid_contact"
    body: Name
    centre: Vector = (0.0, 0.0, 0.0)
    radii: tuple[Positive, Positive, Positive]
    point: Marker
    stiffness: NonNegative
    transition: Positive = 0.01


class _SphereContact(Part):
    """The fields that both contacts of a sphere with a half space have."""

    controlled: ClassVar[bool] = False
    # Here so that it stays the first field; each contact says what it is.
    kind: str
    body: Name
    at: Vector = (0.0, 0.0, 0.0)
    radius: Positive
    plane: Placement
    stiffness: NonNegative
    dissipation: NonNegative = 0.0
    static_friction: NonNegative = 0.0
    dynamic_friction: NonNegative = 0.0
    viscous_friction: NonNegative = 0.0
    transition_velocity: Positive = 0.01


class HuntCrossleyContact(_SphereContact):
    """A sphere on a half space: Hertz's elastic force with the damping of Hunt and Crossley (1975), and friction.

    The half space fills the side to which the x axis of ``plane`` points, as OpenSim's ContactHalfSpace does. At the
    depth d the elastic force is ``4/3 k d sqrt(radius k d)`` with ``k = stiffness^(2/3) / 2``, which is what two
    materials of equal ``stiffness`` (Pa) give; two of other moduli E have ``k = k₁k₂ / (k₁ + k₂)`` with
    ``k_i = E_i^(2/3)``, and ``stiffness = (2k)^(3/2)``. It is multiplied by ``1 + 3/2 dissipation * speed`` of the
    indentation (``dissipation`` in s/m) and never pulls. Friction is that force times ``min(w, 1) *
    (dynamic + 2 (static - dynamic) / (1 + w²)) + viscous * v`` with the slip v (m/s) and ``w = v /
    transition_velocity`` (Sherman, Seth and Delp 2011). Forces act where the sphere has taken ``sphere_share`` of the
    depth: ``k₂ / (k₁ + k₂)``, the sphere being the first material.

    Examples
    --------
    A heel over a floor whose surface is the plane y = 0 (the x axis points down):

    >>> import myodyne as my
    >>> heel = my.HuntCrossleyContact(body="foot", at=(0.0, -0.02, 0.0), radius=0.03, stiffness=5e7, dissipation=1.0,
    ...                               plane=my.Placement(body="ground", orientation=(0.0, 0.0, my.degrees(-90))),
    ...                               static_friction=0.9, dynamic_friction=0.8, transition_velocity=0.1)
    >>> heel.sphere_share
    0.5
    """

    kind: Literal["hunt_crossley_contact"] = "hunt_crossley_contact"
    sphere_share: Fraction = 0.5


class SpherePairContact(Part):
    """Two spheres on two bodies: `HuntCrossleyContact` without a plane.

    The elastic force is that of a sphere on a plane with the radius ``r₁ r₂ / (r₁ + r₂)``; damping and friction are
    the same. ``sphere_share`` is the part of the depth that the first sphere takes.

    Examples
    --------
    >>> import myodyne as my
    >>> knees = my.SpherePairContact(body="shank_r", radius=0.05, other=my.Marker(body="shank_l"), other_radius=0.05,
    ...                              stiffness=1e6, dissipation=1.0)
    >>> knees.static_friction
    0.0
    """

    controlled: ClassVar[bool] = False
    kind: Literal["sphere_pair_contact"] = "sphere_pair_contact"
    body: Name
    at: Vector = (0.0, 0.0, 0.0)
    radius: Positive
    other: Marker
    other_radius: Positive
    stiffness: NonNegative
    dissipation: NonNegative = 0.0
    static_friction: NonNegative = 0.0
    dynamic_friction: NonNegative = 0.0
    viscous_friction: NonNegative = 0.0
    transition_velocity: Positive = 0.01
    sphere_share: Fraction = 0.5


class SmoothSphereContact(_SphereContact):
    """A sphere on a half space as `HuntCrossleyContact`, smoothed for optimisation (Serrancolí et al. 2019).

    It is OpenSim's SmoothSphereHalfSpaceForce. The depth d in the elastic force becomes
    ``sqrt(d² + constant_contact_force)``, and the force is faded out by ``(1 + tanh(hertz_smoothing * d)) / 2`` (1/m)
    off the plane and by ``(1 + tanh(hunt_crossley_smoothing * (speed + 2 / (3 dissipation)))) / 2`` (s/m) where the
    damping would pull. To the square of the slip, too, ``constant_contact_force`` is added.

    Examples
    --------
    >>> import myodyne as my
    >>> heel = my.SmoothSphereContact(body="foot", at=(0.0, -0.02, 0.0), radius=0.03, stiffness=3e6, dissipation=2.0,
    ...                               plane=my.Placement(body="ground", orientation=(0.0, 0.0, my.degrees(-90))),
    ...                               static_friction=0.8, dynamic_friction=0.8, viscous_friction=0.5)
    >>> heel.hertz_smoothing
    300.0
    """

    kind: Literal["smooth_sphere_contact"] = "smooth_sphere_contact"
    constant_contact_force: Positive = 1e-5
    hertz_smoothing: Positive = 300.0
    hunt_crossley_smoothing: Positive = 50.0


class ContactPoint(Part):
    """A point of a body on a half space: viscoelastic, with friction, smooth everywhere and without states.

    The half space fills the side to which the x axis of ``plane`` points; left out, it is the floor below y = 0. With
    the depth p of the point (m) and its slip v (m/s), the normal force is
    ``stiffness * (p + sqrt(p² + transition²)) / 2 * (1 + dissipation * dp/dt) + linear_stiffness * p``: a spring (N/m)
    whose corner is rounded over ``transition`` (m), damped in proportion to its force (``dissipation`` in s/m), and a
    faint spring (N/m) that never lets go. Friction is ``friction`` times the normal force times
    ``v / sqrt(v² + transition_velocity²)``. It is the contact of the planar gait of van den Bogert, Blana and Heinrich
    (2011). At the height y off the plane ``stiffness * transition² / 4y`` of the force is left.

    Examples
    --------
    >>> import myodyne as my
    >>> heel = my.ContactPoint(body="foot", at=(-0.06, -0.07, 0.0), stiffness=1e5, dissipation=1.0, friction=1.0)
    >>> heel.transition, heel.transition_velocity      # m, m/s
    (0.001, 0.1)
    """

    controlled: ClassVar[bool] = False
    kind: Literal["contact_point"] = "contact_point"
    body: Name
    at: Vector = (0.0, 0.0, 0.0)
    plane: Placement = Placement(body="ground", orientation=(0.0, 0.0, -math.pi / 2))
    stiffness: NonNegative
    dissipation: NonNegative = 0.0
    friction: NonNegative = 0.0
    transition: Positive = 0.001
    transition_velocity: Positive = 0.1
    linear_stiffness: NonNegative = 0.0
