"""What the forces of a model do: wrenches on links, torques on coordinates, power and stored energy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import casadi as ca

from myodyne.model import (
    GROUND,
    BodyTorque,
    CoordinateActuator,
    EllipsoidContact,
    JointLimit,
    Ligament,
    Marker,
    PointForce,
    PointSpring,
    TorsionSpring,
)
from myodyne.physics.kinematics import Kinematics, column
from myodyne.physics.paths import Paths, paths_of
from myodyne.physics.recursive import Wrench
from myodyne.physics.spatial import SX, cross, dot, vector, zero


@dataclass
class Effect:
    """What one force does: its size (N or N m), its power (W), the energy it stores (J)."""

    size: SX
    power: SX
    stored: SX = field(default_factory=lambda: SX(0))
    conservative_power: SX = field(default_factory=lambda: SX(0))


@dataclass
class Applied:
    """All forces together: wrenches by link, torques by coordinate, and the effect of each by name.

    ``external`` are the wrenches that come from outside the body; net joint moments are reckoned beside them.
    ``pulled`` are those of ligaments along their points: the torques hold them already, but what a joint carries is
    told from wrenches alone.
    """

    wrenches: list[Wrench]
    external: list[Wrench]
    torques: SX
    effects: dict[str, Effect]
    pulled: list[Wrench] = field(default_factory=list)


def applied_forces(kinematics: Kinematics, controls: Mapping[str, SX]) -> Applied:
    """Return the effect of every force of the model in the present state."""
    tree = kinematics.tree
    none = [Wrench.none() for _ in tree.links]
    applied = Applied(list(none), list(none), SX(ca.DM.zeros(tree.size)), {})
    bands = {name: force for name, force in tree.model.forces.items() if isinstance(force, Ligament)}
    paths = paths_of(kinematics, {name: band.path for name, band in bands.items()})
    for name, force in tree.model.forces.items():
        match force:
            case PointForce():
                effect = _point_force(applied, kinematics, force, controls.get(name, SX(1)))
            case BodyTorque():
                effect = _body_torque(applied, kinematics, force, controls.get(name, SX(1)))
            case PointSpring():
                effect = _point_spring(applied, kinematics, force)
            case CoordinateActuator():
                effect = _on_coordinate(applied, kinematics, force.coordinate, force.gain * controls[name])
            case TorsionSpring():
                effect = _torsion_spring(applied, kinematics, force)
            case JointLimit():
                effect = _joint_limit(applied, kinematics, force)
            case Ligament():
                effect = _ligament(applied, paths, [*bands].index(name), force)
            case EllipsoidContact():
                effect = _ellipsoid_contact(applied, kinematics, force)
        applied.effects[name] = effect
    applied.pulled = paths.pulls(column([applied.effects[name].size for name in bands]))
    return applied


def _push(applied: Applied, kinematics: Kinematics, marker: Marker, force: SX, external: bool = False) -> None:
    """Add a force in the axes of the ground at a point of a body."""
    if marker.body == GROUND:
        return
    number = kinematics.tree.link_of_body[marker.body]
    local = kinematics.poses[number].rotation.T @ force
    moment = cross(kinematics.in_link(marker.body, marker.at), local)
    _add(applied, number, Wrench(moment, local), external)


def _add(applied: Applied, number: int, wrench: Wrench, external: bool) -> None:
    applied.wrenches[number] = applied.wrenches[number] + wrench
    if external:
        applied.external[number] = applied.external[number] + wrench


def _point_force(applied: Applied, kinematics: Kinematics, force: PointForce, control: SX) -> Effect:
    push = vector(force.force) * control
    if force.axes == "body":
        push = kinematics.body_pose(force.body).rotation @ push
    _push(applied, kinematics, Marker(body=force.body).model_copy(update={"at": force.at}), push, external=True)
    return Effect(ca.norm_2(push), dot(push, kinematics.point_velocity(force.body, force.at)))


def _body_torque(applied: Applied, kinematics: Kinematics, force: BodyTorque, control: SX) -> Effect:
    torque = vector(force.torque) * control
    if force.axes == "body":
        torque = kinematics.body_pose(force.body).rotation @ torque
    number = kinematics.tree.link_of_body[force.body]
    local = kinematics.poses[number].rotation.T @ torque
    _add(applied, number, Wrench(local, zero()), external=True)
    return Effect(ca.norm_2(torque), dot(torque, kinematics.angular_velocity(force.body)))


def _point_spring(applied: Applied, kinematics: Kinematics, spring: PointSpring) -> Effect:
    start, end = spring.start, spring.end
    span = kinematics.point(end.body, end.at) - kinematics.point(start.body, start.at)
    # A spring of zero length has no direction; the tiny radius keeps the force finite and zero there.
    length = ca.sqrt(dot(span, span) + 1e-24)
    direction = span / length
    speed = dot(
        direction,
        kinematics.point_velocity(end.body, end.at) - kinematics.point_velocity(start.body, start.at),
    )
    stretch = length - spring.rest_length
    elastic = spring.stiffness * stretch
    tension = elastic + spring.damping * speed
    _push(applied, kinematics, start, direction * tension)
    _push(applied, kinematics, end, -direction * tension)
    return Effect(tension, -tension * speed, spring.stiffness * stretch**2 / 2, -elastic * speed)


def _on_coordinate(applied: Applied, kinematics: Kinematics, name: str, torque: SX) -> Effect:
    """Add a torque on a coordinate; on a coupled one it acts on those that move it, on a locked one on nothing."""
    coordinate = kinematics.tree.coordinates[name]
    applied.torques = applied.torques + ca.densify(coordinate.gradient.T * torque)
    return Effect(torque, torque * coordinate.rate)


def _torsion_spring(applied: Applied, kinematics: Kinematics, spring: TorsionSpring) -> Effect:
    coordinate = kinematics.tree.coordinates[spring.coordinate]
    value, speed = coordinate.value, coordinate.rate
    elastic = -spring.stiffness * (value - spring.rest)
    effect = _on_coordinate(applied, kinematics, spring.coordinate, elastic - spring.damping * speed)
    effect.stored = spring.stiffness * (value - spring.rest) ** 2 / 2
    effect.conservative_power = elastic * speed
    return effect


def _joint_limit(applied: Applied, kinematics: Kinematics, limit: JointLimit) -> Effect:
    coordinate = kinematics.tree.coordinates[limit.coordinate]
    value, speed = coordinate.value, coordinate.rate
    elastic, damping, stored = SX(0), SX(0), SX(0)
    for sign, excess in ((-1, value - limit.upper), (1, limit.lower - value)):
        ramp, slope, area = smooth_ramp(excess, SX(limit.transition))
        beyond = ca.fmax(excess, 0)
        elastic = elastic + sign * (limit.stiffness * ramp + limit.curvature * beyond**2)
        damping = damping - limit.damping * slope * speed
        stored = stored + limit.stiffness * area + limit.curvature * beyond**3 / 3
    effect = _on_coordinate(applied, kinematics, limit.coordinate, elastic + damping)
    effect.stored = stored
    effect.conservative_power = elastic * speed
    return effect


def smooth_ramp(x: SX, width: SX) -> tuple[SX, SX, SX]:
    """Return max(x, 0) with its corner rounded over ``width`` to either side, its slope, and its integral.

    A quartic joins the two straight pieces with continuous curvature: y³(4w - y)/16w³ with y = x + w. Below -w all
    three are exactly zero: a limit must not push on a joint that is nowhere near it.
    """
    y = ca.fmin(ca.fmax(x + width, 0), 2 * width)
    beyond = ca.fmax(x - width, 0)
    cube = 16 * width**3
    ramp = y**3 * (4 * width - y) / cube + beyond
    slope = y**2 * (12 * width - 4 * y) / cube
    area = y**4 * (width - y / 5) / cube + beyond * (width + beyond / 2)
    return ramp, slope, area


def _ligament(applied: Applied, paths: Paths, number: int, band: Ligament) -> Effect:
    length, speed = paths.lengths[number], paths.speeds[number]
    ramp, slope, area = hyperbolic_ramp(length - band.slack_length, SX(band.toe))
    elastic = band.stiffness * ramp
    # A band that shortens faster than it springs back hangs loose.
    tension = ca.fmax(elastic + band.damping * slope * speed, 0)
    applied.torques = applied.torques - ca.densify(paths.gradient[number, :].T * tension)
    return Effect(tension, -tension * speed, band.stiffness * area, -elastic * speed)


def _ellipsoid_contact(applied: Applied, kinematics: Kinematics, contact: EllipsoidContact) -> Effect:
    pose = kinematics.body_pose(contact.body)
    point = kinematics.point(contact.point.body, contact.point.at)
    at = pose.rotation.T @ (point - pose.position)
    from_centre = at - vector(contact.centre)
    radii = vector(contact.radii)
    # Of the ellipsoid's equation, positive outside: the ramp is that of the way inside.
    outside = dot(from_centre / radii, from_centre / radii) - 1
    ramp, _, area = hyperbolic_ramp(-outside, SX(contact.transition))
    scale = contact.stiffness * dot(radii, radii)
    force = pose.rotation @ (scale * ramp * from_centre / (radii * radii))
    _push(applied, kinematics, contact.point, force)
    beneath = Marker(body=contact.body).model_copy(update={"at": at})
    _push(applied, kinematics, beneath, -force)
    speeds = [kinematics.point_velocity(end.body, end.at) for end in (contact.point, beneath)]
    power = dot(force, speeds[0] - speeds[1])
    return Effect(ca.norm_2(force), power, scale * area / 2, power)


def hyperbolic_ramp(x: SX, width: SX) -> tuple[SX, SX, SX]:
    """Return max(x, 0) with its corner rounded to a hyperbola, its slope, and its integral from zero."""
    root = ca.sqrt(x**2 + width**2)
    return (x + root) / 2, (1 + x / root) / 2, (x**2 + x * root + width**2 * ca.asinh(x / width)) / 4
