"""The curves of De Groote, Kinney, Rao and Fregly (2016): exponentials, bells and a logarithm, smooth everywhere."""

from __future__ import annotations

from typing import cast

import casadi as ca

from myodyne.model import DeGrooteFregly2016, Muscle
from myodyne.physics.curves.shapes import exponential
from myodyne.physics.spatial import SX


def _of(muscle: Muscle) -> DeGrooteFregly2016:
    return cast(DeGrooteFregly2016, muscle.curves)


def contractile(muscle: Muscle, length: SX, velocity: SX, active: SX) -> SX:
    """Return the force of the contractile element."""
    return active * force_length(muscle, length) * force_velocity(muscle, velocity)


def force_length(muscle: Muscle, length: SX) -> SX:
    """Return the isometric force of a fully active fibre: three bells whose width changes with length."""
    b = _of(muscle)
    scaled = (length - 1) / b.width_scale + 1
    total = SX(0)
    for height, centre, width, widening in (
        (b.b11, b.b21, b.b31, b.b41),
        (b.b12, b.b22, b.b32, b.b42),
        (b.b13, b.b23, b.b33, b.b43),
    ):
        # One bell has no width at 0.15 optimal lengths: it is zero there long before the limit matters.
        square = ca.fmax((width + widening * scaled) ** 2, 1e-6)
        total += height * ca.exp(-((scaled - centre) ** 2) / (2 * square))
    return total


def force_velocity(muscle: Muscle, velocity: SX) -> SX:
    """Return the force at a velocity against the isometric one.

    The published ``log(x + sqrt(x^2 + 1))`` is the inverse hyperbolic sine, which loses no digits for negative x.
    """
    d = _of(muscle)
    return d.d1 * ca.asinh(d.d2 * velocity / muscle.max_velocity + d.d3) + d.d4


def parallel(muscle: Muscle, length: SX) -> SX:
    """Return the force of the parallel element; below ``parallel_slack`` it is negative."""
    curves = _of(muscle)
    rate = curves.parallel_shape / curves.parallel_strain
    slack = ca.exp(rate * (curves.parallel_slack - 1))
    return (exponential(rate * (length - 1)) - slack) / (ca.exp(curves.parallel_shape) - slack)


def tendon(muscle: Muscle, length: SX) -> SX:
    """Return the force of the series element; a slack tendon pushes with less than c3 maximal forces."""
    c = _of(muscle)
    rate = ca.log((1 + c.c3) / c.c1) / (1 + c.tendon_strain - c.c2)
    return c.c1 * exponential(rate * (length / muscle.tendon_slack_length - c.c2)) - c.c3
