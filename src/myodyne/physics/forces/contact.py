"""Contacts: a point on an ellipsoid, points and spheres on half spaces, spheres on spheres."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from myodyne.model import (
    GROUND,
    ContactPoint,
    EllipsoidContact,
    HuntCrossleyContact,
    SmoothSphereContact,
    SpherePairContact,
)
from myodyne.physics.forces.applied import Applied, Effect, seen_from
from myodyne.physics.forces.springs import hyperbolic_ramp
from myodyne.physics.kinematics import Kinematics
from myodyne.physics.spatial import SX, Transform, dot, vector

# A depth (m) that is added under the root of Hertz's law: it keeps the slope defined where the sphere just touches, and
# changes the force by less than a part in a billion at a depth of a micrometre.
_TOUCH = 1e-16

Sphere = HuntCrossleyContact | SmoothSphereContact | SpherePairContact


def ellipsoid_contact(applied: Applied, contact: EllipsoidContact) -> Effect:
    """Add the force that keeps a point outside an ellipsoid."""
    kinematics = applied.kinematics
    pose = kinematics.body_pose(contact.body)
    at = seen_from(kinematics, contact.body, kinematics.point(contact.point.body, contact.point.at))
    from_centre = at - vector(contact.centre)
    radii = vector(contact.radii)
    # The ellipsoid's equation, positive outside; the ramp is a function of its negative, the penetration.
    outside = dot(from_centre / radii, from_centre / radii) - 1
    ramp, _, area = hyperbolic_ramp(-outside, SX(contact.transition))
    scale = contact.stiffness * dot(radii, radii)
    force = pose.rotation @ (scale * ramp * from_centre / (radii * radii))
    applied.push(contact.point.body, contact.point.at, force)
    applied.push(contact.body, at, -force)
    speed = kinematics.point_velocity(contact.point.body, contact.point.at)
    power = dot(force, speed - kinematics.point_velocity(contact.body, at))
    return Effect(ca.norm_2(force), power, scale * area / 2, power, {"force": force})


@dataclass(frozen=True)
class Meeting:
    """How a sphere or a point meets another surface: depth (m), its rate, slip (m/s), the direction inwards."""

    depth: SX
    rate: SX
    slip: SX
    inwards: SX
    ends: tuple[SX, SX]


def hunt_crossley_contact(applied: Applied, contact: HuntCrossleyContact | SpherePairContact) -> Effect:
    """Add the force of a sphere on a half space or on another sphere, zero off it."""
    if isinstance(contact, SpherePairContact):
        meeting = _meeting_of_spheres(applied.kinematics, contact)
    else:
        meeting = meeting_of(applied.kinematics, contact, contact.sphere_share)
    depth = ca.fmax(meeting.depth, 0)
    elastic = _hertz(contact) * depth * ca.sqrt(depth + _TOUCH)
    normal = ca.fmax(elastic * (1 + 1.5 * contact.dissipation * meeting.rate), 0)
    # The square is bounded before the root, which has no derivative at zero slip.
    slip = ca.sqrt(ca.fmax(dot(meeting.slip, meeting.slip), contact.transition_velocity**2))
    squared = dot(meeting.slip, meeting.slip) / contact.transition_velocity**2
    viscous = contact.viscous_friction
    force = _contact_force(meeting, normal, _friction(contact, squared) / slip + viscous)
    return _settled(applied, contact, meeting, force, (0.4 * elastic * depth, -elastic * meeting.rate))


def smooth_sphere_contact(applied: Applied, contact: SmoothSphereContact) -> Effect:
    """Add the force of a sphere on a half space that fades out off it."""
    meeting = meeting_of(applied.kinematics, contact, 0.5)
    depth = SX.sym("depth")
    pressed = ca.sqrt(ca.sqrt(depth**2 + contact.constant_contact_force)) ** 3
    hertz = _hertz(contact) * pressed * _faded_in(contact.hertz_smoothing * depth)
    # The energy has no closed form; this one is exact for Hertz's law. The remaining power counts as supplied, so that
    # the balance of energy stays exact.
    stored = 0.4 * hertz * depth
    elastic, stored, slope = ca.substitute([hertz, stored, ca.jacobian(stored, depth)], [depth], [meeting.depth])
    normal = elastic * (1 + 1.5 * contact.dissipation * meeting.rate)
    if not (isinstance(contact.dissipation, float | int) and contact.dissipation == 0):
        pulling = meeting.rate + 2 / (3 * contact.dissipation)
        normal = normal * _faded_in(contact.hunt_crossley_smoothing * pulling)
    slip = ca.sqrt(dot(meeting.slip, meeting.slip) + contact.constant_contact_force)
    squared = (slip / contact.transition_velocity) ** 2
    rubbing = _friction(contact, squared) / ca.fmax(slip, contact.transition_velocity) + contact.viscous_friction
    force = _contact_force(meeting, normal, rubbing)
    return _settled(applied, contact, meeting, force, (stored, -slope * meeting.rate))


def contact_point(applied: Applied, contact: ContactPoint) -> Effect:
    """Add the force of a point on a half space that fades out off it."""
    meeting = meeting_of(applied.kinematics, contact)
    ramp, _, area = hyperbolic_ramp(meeting.depth, SX(contact.transition))
    spring, faint = contact.stiffness * ramp, contact.linear_stiffness * meeting.depth
    normal = spring * (1 + contact.dissipation * meeting.rate) + faint
    slip = ca.sqrt(dot(meeting.slip, meeting.slip) + contact.transition_velocity**2)
    stored = contact.stiffness * area + faint * meeting.depth / 2
    force = _contact_force(meeting, normal, contact.friction / slip)
    return _settled(applied, contact, meeting, force, (stored, -(spring + faint) * meeting.rate))


def _meeting_of_spheres(kinematics: Kinematics, contact: SpherePairContact) -> Meeting:
    """Return how two spheres meet; inwards is from the first centre to the second."""
    centre = kinematics.point(contact.body, contact.at)
    span = kinematics.point(contact.other.body, contact.other.at) - centre
    # Spheres about one centre have no direction; the tiny radius keeps the force finite there.
    distance = ca.sqrt(dot(span, span) + 1e-24)
    inwards, depth = span / distance, contact.radius + contact.other_radius - distance
    place = centre + (contact.radius - contact.sphere_share * depth) * inwards
    return _met(kinematics, (contact.body, contact.other.body), place, depth, inwards)


def meeting_of(
    kinematics: Kinematics, contact: HuntCrossleyContact | SmoothSphereContact | ContactPoint, share: float = 0.0
) -> Meeting:
    """Return how a sphere, of zero radius if it is a point, meets its half space.

    ``share`` is the fraction of the depth by which the sphere deforms; the forces act where the two surfaces touch.
    """
    plane, radius = contact.plane, getattr(contact, "radius", 0.0)
    pose = kinematics.body_pose(plane.body) @ Transform.placed(plane.at, plane.orientation)
    inwards = pose.rotation[:, 0]
    centre = kinematics.point(contact.body, contact.at)
    depth = dot(inwards, centre - pose.position) + radius
    place = centre + (radius - share * depth) * inwards
    return _met(kinematics, (contact.body, plane.body), place, depth, inwards)


def _met(kinematics: Kinematics, bodies: tuple[str, str], place: SX, depth: SX, inwards: SX) -> Meeting:
    ends = seen_from(kinematics, bodies[0], place), seen_from(kinematics, bodies[1], place)
    velocity = kinematics.point_velocity(bodies[0], ends[0]) - kinematics.point_velocity(bodies[1], ends[1])
    rate = dot(velocity, inwards)
    return Meeting(depth, rate, velocity - rate * inwards, inwards, ends)


def _hertz(contact: Sphere) -> SX:
    """Return the factor of depth^(3/2) in Hertz's law."""
    combined = SX(contact.stiffness) ** (2 / 3) / 2
    radius = contact.radius
    if isinstance(contact, SpherePairContact):
        radius = radius * contact.other_radius / (radius + contact.other_radius)
    return 4 / 3 * combined * ca.sqrt(radius * combined)


def _friction(contact: Sphere, squared: SX) -> SX:
    """Return the coefficient of dry friction; ``squared`` is (slip / transition velocity)²."""
    static, dynamic = contact.static_friction, contact.dynamic_friction
    return dynamic + 2 * (static - dynamic) / (1 + squared)


def _contact_force(meeting: Meeting, normal: SX, rubbing: SX) -> SX:
    """Return the force on the sphere: ``rubbing`` is friction per normal force and slip (s/m)."""
    return -normal * (meeting.inwards + rubbing * meeting.slip)


def _faded_in(x: SX) -> SX:
    return (1 + ca.tanh(x)) / 2


def _settled(
    applied: Applied,
    contact: Sphere | ContactPoint,
    meeting: Meeting,
    force: SX,
    energy: tuple[SX, SX],
) -> Effect:
    """Add a force on the sphere, and its reaction on the other body."""
    other = contact.other if isinstance(contact, SpherePairContact) else contact.plane
    bodies = contact.body, other.body
    outside = GROUND in bodies
    for body, at, sign in zip(bodies, meeting.ends, (1, -1), strict=True):
        applied.push(body, at, sign * force, outside)
    power = dot(force, meeting.rate * meeting.inwards + meeting.slip)
    return Effect(ca.norm_2(force), power, *energy, {"force": force})
