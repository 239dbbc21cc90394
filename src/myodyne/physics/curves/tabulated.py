"""Curves through points, and the force–velocity relation of Schutte, Rodgers, Zajac and Glaser (1993).

OpenSim's muscle of that name gives the fibre velocity as a root of a quadratic equation of the force; solved for the
force it is Hill's hyperbola, and another one for lengthening, plus a damper.
"""

from __future__ import annotations

from typing import cast

import casadi as ca
import numpy as np

from myodyne.model import CurveTable, Muscle, Tabulated
from myodyne.physics.curves.shapes import clamp, exponential
from myodyne.physics.joint_functions import curvatures_at_knots
from myodyne.physics.spatial import SX
from myodyne.types import Floats


def _of(muscle: Muscle) -> Tabulated:
    return cast(Tabulated, muscle.curves)


def contractile(muscle: Muscle, length: SX, velocity: SX, active: SX) -> SX:
    """Return the force of the contractile element."""
    return active * force_length(muscle, length) * force_velocity(muscle, velocity)


def force_length(muscle: Muscle, length: SX) -> SX:
    """Return the isometric force of a fully active fibre, not below zero where the spline undershoots."""
    return ca.fmax(through(_of(muscle).active, length), 0)


def force_velocity(muscle: Muscle, velocity: SX) -> SX:
    """Return the force at a velocity against the isometric one.

    Beyond the maximal velocity of shortening the hyperbola continues; it does not fall below ``-hill_a``.
    """
    curves = _of(muscle)
    speed = velocity / muscle.max_velocity
    if curves.velocity is not None:
        return through(curves.velocity, speed)
    shortening, lengthening = ca.fmin(speed, 0), ca.fmax(speed, 0)
    corner = curves.eccentric_shape * curves.hill_a / (1 + curves.hill_a)
    concentric = (1 + shortening) / (1 - shortening / curves.hill_a)
    return concentric + (curves.eccentric_force - 1) * lengthening / (corner + lengthening)


def parallel(muscle: Muscle, length: SX) -> SX:
    """Return the force of the parallel element."""
    curves = _of(muscle)
    if curves.parallel is not None:
        return ca.fmax(through(curves.parallel, length), curves.parallel_floor)
    return exponential(curves.parallel_rate * (length - curves.parallel_unit))


def tendon(muscle: Muscle, length: SX) -> SX:
    """Return the force of the series element; a slack tendon has that of zero strain."""
    return through(_of(muscle).tendon, ca.fmax(length / muscle.tendon_slack_length - 1, 0))


def through(table: CurveTable, at: SX) -> SX:
    """Return the value of the cubic spline through the points of a table, straight beyond its ends.

    The points are constants even where other numbers of a muscle are free: muscles with other tables are another kind.
    """
    knots, values = np.array(table.x), np.array(table.y)
    widths = np.diff(knots)
    bends = curvatures_at_knots(knots, "cubic") @ values
    slopes = np.diff(values) / widths - widths * (2 * bends[:-1] + bends[1:]) / 6
    last_slope = slopes[-1] + widths[-1] * (bends[-2] + bends[-1]) / 2
    inside = clamp(at, knots[0], knots[-1])
    passed = [inside >= knot for knot in knots[1:-1]]

    def chosen(numbers: Floats) -> SX:
        """Return the number of the interval; sums of steps, because an expression has no table look-up."""
        steps = zip(passed, np.diff(numbers), strict=True)
        return sum((step * float(change) for step, change in steps if change != 0.0), SX(float(numbers[0])))

    along = inside - chosen(knots[:-1])
    cubic = chosen(bends[:-1]) / 2 + along * chosen(np.diff(bends) / widths / 6)
    before, after = slopes[0] * ca.fmin(at - knots[0], 0), last_slope * ca.fmax(at - knots[-1], 0)
    return SX(chosen(values[:-1]) + along * (chosen(slopes) + along * cubic) + before + after)
