"""Recorded forces as wrenches on bodies."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from myodyne.analyse.coordinate_motion import CoordinateMotion
from myodyne.data import ExternalForces
from myodyne.data.external_forces import AppliedForce, check_external
from myodyne.equations import Equations
from myodyne.errors import ModelError, unknown_name
from myodyne.model import GROUND
from myodyne.types import Floats


def wrenches_of(equations: Equations, movement: CoordinateMotion, external: ExternalForces | None) -> Floats:
    """Return force (N) and moment about the body's origin (N m) of all external forces on each body.

    A row for each time, six numbers for each body, in the axes of the ground.
    """
    check_external(external)
    if not external:
        return np.zeros((len(movement.time), 6 * len(equations.bodies)))
    return wrenches_in(equations, movement.q, external, external.at(movement.time))


def wrenches_in(
    equations: Equations, poses: Floats, external: ExternalForces, values: Mapping[str, AppliedForce]
) -> Floats:
    """Return the wrenches of `wrenches_of` in some poses, of forces with known values: a row for each pose, or one."""
    bodies = equations.bodies
    found = np.zeros((len(poses), len(bodies), 6))
    turns, places = equations.body_poses(poses)
    for name, applied in values.items():
        source = external[name]
        for body in (source.body, source.force_frame, source.point_frame):
            if body != GROUND and body not in bodies:
                raise ModelError(f"external force '{name}': {unknown_name('body', body, bodies)}")
        if source.body == GROUND:
            continue
        number = bodies.index(source.body)
        force, torque, point = applied.force, applied.torque, applied.point
        if source.force_frame != GROUND:
            turn = turns[:, bodies.index(source.force_frame)]
            force, torque = (np.einsum("tij,tj->ti", turn, part) for part in (force, torque))
        if point is not None:
            if source.point_frame != GROUND:
                frame = bodies.index(source.point_frame)
                point = places[:, frame] + np.einsum("tij,tj->ti", turns[:, frame], point)
            torque = torque + _cross(point - places[:, number], force)
        found[:, number, :3] += force
        found[:, number, 3:] += torque
    return found.reshape(len(found), -1)


def _cross(arms: Floats, forces: Floats) -> Floats:
    """Return the cross product of rows; NumPy's own takes five times as long for a few of them."""
    (ax, ay, az), (fx, fy, fz) = arms.T, forces.T
    return np.stack([ay * fz - az * fy, az * fx - ax * fz, ax * fy - ay * fx], axis=1)
