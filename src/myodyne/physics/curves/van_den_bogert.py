"""The curves of van den Bogert, Blana and Heinrich (2011): Gaussian, hyperbolas, parabolas."""

from __future__ import annotations

from typing import cast

import casadi as ca

from myodyne.model import Muscle, VanDenBogert2011
from myodyne.physics.spatial import SX


def _of(muscle: Muscle) -> VanDenBogert2011:
    return cast(VanDenBogert2011, muscle.curves)


def contractile(muscle: Muscle, length: SX, velocity: SX, active: SX) -> SX:
    """Return the force of the contractile element."""
    return active * force_length(muscle, length) * force_velocity(muscle, velocity)


def force_length(muscle: Muscle, length: SX) -> SX:
    """Return the isometric force of a fully active fibre."""
    return ca.exp(-(((length - 1) / _of(muscle).width) ** 2))


def force_velocity(muscle: Muscle, velocity: SX) -> SX:
    """Return the force at a velocity against the isometric one: two hyperbolas with one slope at rest.

    Beyond the maximal velocity of shortening the force continues below zero, so that it can always be inverted.
    """
    curves, fastest = _of(muscle), muscle.max_velocity
    shortening = ca.fmin(velocity, 0)
    lengthening = ca.fmax(velocity, 0)
    corner = fastest * curves.hill_a * (curves.eccentric_force - 1) / (curves.hill_a + 1)
    concentric = (fastest + shortening) / (fastest - shortening / curves.hill_a)
    eccentric = (curves.eccentric_force * lengthening + corner) / (lengthening + corner)
    return concentric + eccentric - 1


def parallel(muscle: Muscle, length: SX) -> SX:
    """Return the force of the parallel element: a parabola beyond slack, and a faint linear spring."""
    curves = _of(muscle)
    stretch = length - curves.parallel_slack
    faint = curves.linear_stiffness * muscle.optimal_fibre_length / muscle.max_force
    return faint * stretch + (ca.fmax(stretch, 0) / curves.parallel_strain) ** 2


def tendon(muscle: Muscle, length: SX) -> SX:
    """Return the force of the series element: a parabola beyond slack, and a faint linear spring."""
    curves = _of(muscle)
    stretch = length - muscle.tendon_slack_length
    faint = curves.linear_stiffness / muscle.max_force
    return faint * stretch + (ca.fmax(stretch, 0) / (curves.tendon_strain * muscle.tendon_slack_length)) ** 2
