"""A closure as expressions: what a control law gives, and what recorded forces do to the bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca

from myodyne.equations.closure import Load
from myodyne.equations.layout import Layout
from myodyne.equations.outputs import outputs_of
from myodyne.errors import ModelError, unknown_name
from myodyne.model import GROUND
from myodyne.physics.forces.applied import Applied
from myodyne.physics.kinematics import Kinematics
from myodyne.physics.spatial import SX, cross

if TYPE_CHECKING:
    from myodyne.equations.assemble import Assembly

_ORIGIN = (0.0, 0.0, 0.0)


def controls_by_law(a: Assembly) -> SX:
    """Return the controls of the model with those that the law of the closure gives in their places.

    ``a`` are the expressions without the law.
    """
    law, names = a.closure.law, list(a.model.controls)
    assert law is not None
    reads = ca.vertcat(SX(0, 1), *(_read(a, name) for name in law.reads))
    gains = a.p[len(a.model.free_values) :]
    given = ca.vertsplit(a.u[: len(names)]) if names else []
    for control, value in zip(law.controls, law.expressions(a.clock, reads, gains), strict=True):
        if control not in names:
            raise ModelError("feedback: " + unknown_name("control", control, names))
        given[names.index(control)] = value
    return ca.vertcat(SX(0, 1), *given)


def _read(a: Assembly, name: str) -> SX:
    """Return what has a name, if it follows from the state alone."""
    layout = Layout.of(a.model)
    if name in layout.motion:
        return a.motion[layout.motion.index(name)]
    if name in layout.parameters:
        return a.p[layout.parameters.index(name)]
    found = outputs_of(a)
    if name not in found.names:
        known = (*layout.motion, *layout.parameters, *found.names)
        raise ModelError("feedback reads " + unknown_name("state or output", name, known))
    expression = found.expressions[found.names.index(name)]
    for what, symbols in (("accelerations", ca.vertcat(a.xdot, a.multipliers)), ("controls", a.u)):
        if ca.depends_on(expression, symbols):
            raise ModelError(
                f"feedback reads '{name}', which depends on {what}, which depend on the feedback: an algebraic loop. "
                "Read states, or outputs of states alone, or use my.Sampled, which reads past values"
            )
    return expression


def add_loads(kinematics: Kinematics, loads: tuple[Load, ...], u: SX, applied: Applied) -> SX:
    """Add recorded forces to those of the model; ``u`` are their controls. Return their power (W)."""
    power, first = SX(0), 0
    for load in loads:
        numbers = u[first : first + len(load.entries)]
        first += len(load.entries)
        if load.body == GROUND:
            continue
        force, moment = _about_origin(kinematics, load, numbers)
        applied.push(load.body, _ORIGIN, force, external=True)
        applied.twist(load.body, moment, external=True)
        turning = kinematics.angular_velocity(load.body)
        power = power + ca.dot(force, kinematics.point_velocity(load.body, _ORIGIN)) + ca.dot(moment, turning)
    return power


def _about_origin(kinematics: Kinematics, load: Load, numbers: SX) -> tuple[SX, SX]:
    """Return force, and moment about the origin of the body, in the axes of the ground."""
    turn, place = _frame(kinematics, load.force_frame)
    force, moment = turn @ numbers[:3], turn @ numbers[3:6]
    if load.point_frame is None:
        return force, moment
    body = kinematics.point(load.body, _ORIGIN)
    if not load.crossed:
        return force, moment + cross(place - body, force)
    across, origin = _frame(kinematics, load.point_frame)
    # The sum over the products of point and force of the vector product of the axes that they lie along.
    for one in range(3):
        for other in range(3):
            moment = moment + numbers[6 + 3 * one + other] * cross(across[:, one], turn[:, other])
    return force, moment + cross(origin - body, force)


def _frame(kinematics: Kinematics, name: str) -> tuple[SX, SX]:
    """Return rotation and position of a body in the ground."""
    if name == GROUND:
        return SX.eye(3), SX(ca.DM.zeros(3))
    pose = kinematics.body_pose(name)
    return pose.rotation, pose.position
