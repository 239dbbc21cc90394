"""The curves of van Soest and Bobbert (1993): parabola, hyperbolas that depend on activation, parabolas.

They give the velocity as a function of the force; here the hyperbolas are solved for the force. The forms are those of
J. D. Wong's program jumper_2017, after the paper; recorded jumps confirm the hyperbolas, but never reach the straight
eccentric part.
"""

from __future__ import annotations

from typing import cast

import casadi as ca

from myodyne.model import Muscle, VanSoestBobbert1993
from myodyne.physics.spatial import SX

# Below this active state a fibre is slower than a fully active one: ``vfact = min(1, q / 0.3)``.
_SLOWED_BELOW = 0.3
# The least force of a fully active fibre far from its optimal length (the program has 1e-5, with which the balance of a
# muscle nearly loses its velocity), and the least slowing. No fibre of Hatze's
# activation is as slow; without a least one, the velocity of a fibre that is not active at all would be 0/0.
_LEAST_FORCE, _LEAST_SPEED = 1e-3, 1e-3


def _of(muscle: Muscle) -> VanSoestBobbert1993:
    return cast(VanSoestBobbert1993, muscle.curves)


def contractile(muscle: Muscle, length: SX, velocity: SX, active: SX) -> SX:
    """Return the force of the contractile element, ``q`` times a force that rises with the velocity at any ``q``."""
    curves = _of(muscle)
    isometric = force_length(muscle, length)
    # Beyond the optimal length Hill's a falls with the isometric force, so that the maximal velocity stays.
    hill_a = curves.hill_a * ca.if_else(length > 1, isometric, 1)
    slowed = ca.fmax(ca.fmin(active / _SLOWED_BELOW, 1), _LEAST_SPEED)
    hill_b = curves.hill_a * muscle.max_velocity * slowed
    shortening = _shortening(isometric, hill_a, hill_b, ca.fmin(velocity, 0))

    added = (curves.eccentric_force - 1) * isometric
    corner = hill_b * added / (curves.eccentric_slope * (isometric + hill_a))
    lengthening = _lengthening(added, corner, slowed * curves.linear_slope, ca.fmax(velocity, 0))
    return active * (shortening + lengthening)


def force_length(muscle: Muscle, length: SX) -> SX:
    """Return the isometric force of a fully active fibre: a parabola with a small lower bound."""
    return ca.fmax(1 - ((length - 1) / _of(muscle).width) ** 2, _LEAST_FORCE)


def _shortening(isometric: SX, hill_a: SX, hill_b: SX, velocity: SX) -> SX:
    """Return Hill's hyperbola ``(F + a)(b - v) = (F0 + a) b``, and its tangent where it would push."""
    fastest = -hill_b * isometric / hill_a
    pulling = ca.fmax(velocity, fastest)
    # The hyperbola never falls below -a: along its tangent a slack tendon and a tight parallel element can balance.
    tangent = hill_a**2 / (hill_b * (isometric + hill_a))
    return (isometric + hill_a) * hill_b / (hill_b - pulling) - hill_a + tangent * (velocity - pulling)


def _lengthening(added: SX, corner: SX, slope: SX, velocity: SX) -> SX:
    """Return the force that lengthening adds: a hyperbola, and a straight line from where ``dv/dF`` reaches a slope."""
    # Where the isometric force is close to zero, the hyperbola is that steep from the start.
    straight = ca.fmax(ca.sqrt(added * corner * slope) - corner, 0)
    bent = ca.fmin(velocity, straight)
    return added * bent / (bent + corner) + (velocity - bent) / slope


def parallel(muscle: Muscle, length: SX) -> SX:
    """Return the force of the parallel element: a parabola beyond slack."""
    curves = _of(muscle)
    stretch = ca.fmax(length - curves.parallel_slack, 0)
    return curves.parallel_stress * (stretch / (1 + curves.width - curves.parallel_slack)) ** 2


def tendon(muscle: Muscle, length: SX) -> SX:
    """Return the force of the series element: a parabola beyond slack."""
    stretch = ca.fmax(length - muscle.tendon_slack_length, 0)
    return (stretch / (_of(muscle).tendon_strain * muscle.tendon_slack_length)) ** 2
