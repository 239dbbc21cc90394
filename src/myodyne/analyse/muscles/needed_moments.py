"""What a motion needs of muscles and actuators, and what each actuator gives."""

from __future__ import annotations

import numpy as np

from myodyne.analyse.coordinate_motion import CoordinateMotion, numbers_of
from myodyne.analyse.external_wrenches import wrenches_of
from myodyne.data import ExternalForces
from myodyne.equations import Equations
from myodyne.types import Floats


def needed_moments(
    skeleton: Equations, moving: CoordinateMotion, external: ExternalForces | None
) -> tuple[Floats, Floats]:
    """Return the moments that the motion needs beside what acts anyway, and those of each control at one."""
    size, rows, count = len(skeleton.coordinates), len(moving.time), len(skeleton.controls)
    idle = np.zeros((rows, len(skeleton.multipliers)))
    x, xdot = np.hstack([moving.q, moving.v, idle]), np.hstack([moving.v, moving.vdot, idle])
    still = np.zeros((rows, count))
    base = skeleton.residual(x, xdot, still)[:, size : 2 * size]
    driven = np.zeros((rows, size, count))
    for control in range(count):
        still[:, control] = 1.0
        driven[:, :, control] = base - skeleton.residual(x, xdot, still)[:, size : 2 * size]
        still[:, control] = 0.0
    if external:
        wrenches = wrenches_of(skeleton, moving, external)
        base = base - skeleton.kernel("external_forces").first(moving.q, wrenches, numbers_of(skeleton))
    return base, driven
