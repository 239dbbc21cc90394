"""Bushings: springs and dampers in all directions between two frames."""

from __future__ import annotations

import casadi as ca

from myodyne.model import Bushing, BushingFormula, CurveBushing, Function
from myodyne.model.formulas import DEVIATIONS, parsed
from myodyne.physics import joint_functions
from myodyne.physics.forces.applied import Applied, Effect, seen_from
from myodyne.physics.forces.areas import area
from myodyne.physics.forces.formulas import expression
from myodyne.physics.joint_functions import CoordinateJet
from myodyne.physics.spatial import SX, Transform, dot, vector


def bushing(applied: Applied, part: Bushing | BushingFormula | CurveBushing) -> Effect:
    """Add a spring and damper in all directions between two frames.

    The forces follow from the deviations by virtual work; that of the translation acts on both bodies at one point, the
    origin of the second frame, so that momentum is conserved.
    """
    kinematics = applied.kinematics
    first, second = (
        kinematics.body_pose(end.body) @ Transform.placed(end.at, end.orientation) for end in (part.first, part.second)
    )
    bodies, place = (part.first.body, part.second.body), second.position
    ends = [seen_from(kinematics, body, place) for body in bodies]
    speeds = [kinematics.point_velocity(body, at) for body, at in zip(bodies, ends, strict=True)]
    spin = first.rotation.T @ (kinematics.angular_velocity(bodies[1]) - kinematics.angular_velocity(bodies[0]))
    turn = first.rotation.T @ second.rotation
    angles, rates_of_spin = body_fixed_angles(turn)
    shift = first.rotation.T @ (place - first.position)
    rates, shift_rate = rates_of_spin @ spin, first.rotation.T @ (speeds[1] - speeds[0])

    if isinstance(part, BushingFormula):
        held = dict(zip(DEVIATIONS, ca.vertsplit(ca.vertcat(angles, shift)), strict=True))
        turned, shifted = (
            ca.vertcat(*(expression(parsed(text, DEVIATIONS), held) for text in texts))
            for texts in (part.torques, part.forces)
        )
    elif isinstance(part, CurveBushing):
        turned, shifted = (
            ca.vertcat(*map(_resistance, curves, ca.vertsplit(deviations)))
            for curves, deviations in ((part.torques, angles), (part.forces, shift))
        )
    else:
        turned, shifted = vector(part.rotational_stiffness) * angles, vector(part.translational_stiffness) * shift
    damped_turn, damped_shift = vector(part.rotational_damping) * rates, vector(part.translational_damping) * shift_rate
    force = -(first.rotation @ (shifted + damped_shift))
    torque = -(first.rotation @ (rates_of_spin.T @ (turned + damped_turn)))
    for body, at, sign in zip(bodies, ends, (-1, 1), strict=True):
        applied.push(body, at, sign * force)
        applied.twist(body, sign * torque)
    elastic_power = -dot(turned, rates) - dot(shifted, shift_rate)
    power = elastic_power - dot(damped_turn, rates) - dot(damped_shift, shift_rate)
    vectors = {"force": force, "torque": torque}
    if isinstance(part, BushingFormula):
        # Formulas need not have a potential: all of their work counts as put in.
        return Effect(ca.norm_2(force), power, vectors=vectors)
    if isinstance(part, CurveBushing):
        pairs = zip(ca.vertsplit(ca.vertcat(angles, shift)), (*part.torques, *part.forces), strict=True)
        stored = sum((area(at, curve) - area(SX(0), curve) for at, curve in pairs), SX(0))
    else:
        stored = (dot(turned, angles) + dot(shifted, shift)) / 2
    return Effect(ca.norm_2(force), power, stored, elastic_power, vectors)


def _resistance(curve: Function, deviation: SX) -> SX:
    held = {"deviation": CoordinateJet(deviation, SX(1, 0), SX(0), SX(0))}
    return joint_functions.jet(curve, held, 0).value


def body_fixed_angles(turn: SX) -> tuple[SX, SX]:
    """Return the body-fixed x-y-z angles of a rotation, and the matrix from angular velocity to their rates.

    The angular velocity is in the axes of the reference frame.
    """
    cosine = ca.sqrt(turn[0, 0] ** 2 + turn[0, 1] ** 2)
    angles = ca.vertcat(
        ca.atan2(-turn[1, 2], turn[2, 2]), ca.atan2(turn[0, 2], cosine), ca.atan2(-turn[0, 1], turn[0, 0])
    )
    first_sine, first_cosine, tangent = -turn[1, 2] / cosine, turn[2, 2] / cosine, turn[0, 2] / cosine
    rates = ca.vertcat(
        ca.horzcat(1, first_sine * tangent, -first_cosine * tangent),
        ca.horzcat(0, first_cosine, first_sine),
        ca.horzcat(0, -first_sine / cosine, first_cosine / cosine),
    )
    return angles, ca.densify(rates)
