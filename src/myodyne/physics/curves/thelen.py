"""The curves of Thelen (2003): a Gaussian, hyperbolas whose speed depends on activation, exponential springs."""

from __future__ import annotations

from typing import cast

import casadi as ca

from myodyne.model import Muscle, Thelen2003
from myodyne.physics.curves.shapes import clamp, exponential
from myodyne.physics.spatial import SX


def _of(muscle: Muscle) -> Thelen2003:
    return cast(Thelen2003, muscle.curves)


def contractile(muscle: Muscle, length: SX, velocity: SX, active: SX) -> SX:
    """Return the force of the contractile element."""
    return active * force_length(muscle, length) * force_velocity(muscle, velocity, active)


def force_length(muscle: Muscle, length: SX) -> SX:
    """Return the isometric force of a fully active fibre (Eq 4)."""
    return ca.exp(-((length - 1) ** 2) / _of(muscle).width)


def force_velocity(muscle: Muscle, velocity: SX, active: SX) -> SX:
    """Return the force at a velocity against the isometric one (Eqs 6 and 7, solved for the force).

    The curve continues linearly beyond the maximal velocity of shortening, where the force falls below zero, and beyond
    the velocity at which ``eccentric_limit`` of the eccentric force is reached. The slope doubles where shortening
    becomes lengthening, as published.
    """
    curves = _of(muscle)
    # The floor is out of reach of activations between 0 and 1.
    speed = velocity / (muscle.max_velocity * ca.fmax(0.25 + 0.75 * active, 0.05))
    shortening, lengthening = clamp(speed, -1, 0), ca.fmax(speed, 0)
    concentric = (1 + shortening) / (1 - shortening / curves.hill_a)
    beyond = ca.fmin(speed + 1, 0) / (1 + 1 / curves.hill_a)
    steep = (2 + 2 / curves.hill_a) / (curves.eccentric_force - 1)
    reached = curves.eccentric_limit * curves.eccentric_force
    limit = (reached - 1) / (steep * (curves.eccentric_force - reached))
    curved = steep * ca.fmin(lengthening, limit)
    eccentric = (1 + curves.eccentric_force * curved) / (1 + curved)
    slope = steep * (curves.eccentric_force - 1) / (1 + steep * limit) ** 2
    return concentric + beyond + eccentric - 1 + slope * ca.fmax(lengthening - limit, 0)


def parallel(muscle: Muscle, length: SX) -> SX:
    """Return the force of the parallel element (Eq 3), zero below the optimal length."""
    curves = _of(muscle)
    stretch = ca.fmax(length - 1, 0) / curves.parallel_strain
    return (exponential(curves.parallel_shape * stretch) - 1) / (ca.exp(curves.parallel_shape) - 1)


def tendon(muscle: Muscle, length: SX) -> SX:
    """Return the force of the series element (Eq 5): zero when slack, an exponential toe, a straight line.

    The toe ends where the slopes of both agree.
    """
    curves = _of(muscle)
    strain = length / muscle.tendon_slack_length - 1
    growth = ca.exp(curves.tendon_shape)
    steep = curves.tendon_toe_force * curves.tendon_shape * growth
    toe = curves.tendon_strain * steep / (steep + (1 - curves.tendon_toe_force) * (growth - 1))
    curved = ca.exp(curves.tendon_shape * clamp(strain, 0, toe) / toe) - 1
    stiffness = (1 - curves.tendon_toe_force) / (curves.tendon_strain - toe)
    return curves.tendon_toe_force * curved / (growth - 1) + stiffness * ca.fmax(strain - toe, 0)
