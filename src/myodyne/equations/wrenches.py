"""Wrenches as kernels take and give them: for each body a force (N) and a moment (N m), in the axes of the ground."""

from __future__ import annotations

import casadi as ca

from myodyne.equations.assemble import Assembly
from myodyne.physics.forces.applied import Applied
from myodyne.physics.recursive import Wrench
from myodyne.physics.spatial import SX, cross

_ORIGIN = (0.0, 0.0, 0.0)


def given_wrenches(a: Assembly) -> tuple[SX, list[Wrench]]:
    """Return symbols, six for each body: force, and moment about the body's origin; and the wrenches on the links."""
    given = SX.sym("wrenches", 6 * len(a.model.bodies))
    loads = Applied.nothing(a.kinematics)
    for number, body in enumerate(a.model.bodies):
        loads.push(body, _ORIGIN, given[6 * number : 6 * number + 3])
        loads.twist(body, given[6 * number + 3 : 6 * number + 6])
    return given, loads.wrenches


def body_wrenches(a: Assembly, wrenches: list[Wrench]) -> SX:
    """Return wrenches on the links as those on the bodies that they carry, six numbers for each body."""
    found: list[SX] = [SX(0, 1)]
    for body in a.model.bodies:
        number = a.tree.link_of_body[body]
        pose = a.kinematics.poses[number]
        force = pose.rotation @ wrenches[number].force
        arm = pose.position - a.kinematics.point(body, _ORIGIN)
        found += [ca.densify(force), ca.densify(pose.rotation @ wrenches[number].moment + cross(arm, force))]
    return ca.vertcat(*found)
