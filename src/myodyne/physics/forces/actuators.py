"""External forces, and forces driven by controls."""

from __future__ import annotations

import casadi as ca

from myodyne.model import GROUND, BodyTorque, LineActuator, PointActuator, PointForce, TorqueActuator
from myodyne.physics.forces.applied import Applied, Effect, seen_from
from myodyne.physics.spatial import SX, dot, vector


def point_force(applied: Applied, force: PointForce, control: SX) -> Effect:
    """Add an external force on a point of a body."""
    push = _in_ground(applied, force.body, force.axes, vector(force.force) * control)
    applied.push(force.body, force.at, push, external=True)
    return Effect(ca.norm_2(push), dot(push, applied.kinematics.point_velocity(force.body, force.at)))


def body_torque(applied: Applied, force: BodyTorque, control: SX) -> Effect:
    """Add an external torque on a body."""
    torque = _in_ground(applied, force.body, force.axes, vector(force.torque) * control)
    applied.twist(force.body, torque, external=True)
    return Effect(ca.norm_2(torque), dot(torque, applied.kinematics.angular_velocity(force.body)))


def torque_actuator(applied: Applied, motor: TorqueActuator, control: SX) -> Effect:
    """Add a torque on a body and its reaction on another."""
    size = motor.gain * control
    torque = _in_ground(applied, motor.body, motor.axes, vector(motor.axis)) * size
    reaction = motor.reaction or GROUND
    outside = GROUND in (reaction, motor.body)
    applied.twist(motor.body, torque, outside)
    applied.twist(reaction, -torque, outside)
    speed = applied.kinematics.angular_velocity(motor.body) - applied.kinematics.angular_velocity(reaction)
    return Effect(size, dot(torque, speed))


def point_actuator(applied: Applied, motor: PointActuator, control: SX) -> Effect:
    """Add an external force along a direction on a point of a body."""
    size = motor.gain * control
    push = _in_ground(applied, motor.body, motor.axes, vector(motor.direction)) * size
    at = vector(motor.at)
    if motor.at_frame == "ground":
        at = seen_from(applied.kinematics, motor.body, at)
    applied.push(motor.body, at, push, external=True)
    return Effect(size, dot(push, applied.kinematics.point_velocity(motor.body, at)))


def line_actuator(applied: Applied, motor: LineActuator, control: SX) -> Effect:
    """Add a force that pushes two points apart."""
    kinematics, start, end = applied.kinematics, motor.start, motor.end
    span = kinematics.point(end.body, end.at) - kinematics.point(start.body, start.at)
    # Coincident points have no direction; the tiny radius keeps the force finite and zero there.
    direction = span / ca.sqrt(dot(span, span) + 1e-24)
    size = motor.gain * control
    applied.push(start.body, start.at, -direction * size)
    applied.push(end.body, end.at, direction * size)
    parting = kinematics.point_velocity(end.body, end.at) - kinematics.point_velocity(start.body, start.at)
    return Effect(size, size * dot(direction, parting))


def _in_ground(applied: Applied, body: str, axes: str, arrow: SX) -> SX:
    """Return a vector in the axes of the ground that is given in those of the ground or of a body."""
    return applied.kinematics.body_pose(body).rotation @ arrow if axes == "body" else arrow
