"""Metabolic power of a muscle as expressions, by Umberger (2010) and by Bhargava et al. (2004).

Both are sums of heat and work per muscle, in watts. The published formulae have corners where a fibre begins to
lengthen, where excitation overtakes activation, and at several limits; here these are rounded, over the widths below,
so that optimisation can use them. The mass of a muscle follows from its volume: ``F_max / specific_tension``
times the optimal fibre length. Resting power of the whole body is not included.

Umberger, B. R. (2010). Stance and swing phase costs in human walking. J. R. Soc. Interface 7, 1329–1340, after
Umberger, Gerritsen and Martin (2003), Comput. Methods Biomech. Biomed. Eng. 6, 99–111.
Bhargava, L. J., Pandy, M. G. and Anderson, F. C. (2004). J. Biomech. 37, 81–88.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import casadi as ca

from myodyne.model import Muscle
from myodyne.physics.curves import family
from myodyne.physics.muscle import Drive, Response
from myodyne.physics.spatial import SX

DENSITY = 1059.7  # kg/m^3, Mendez and Keys (1960)
AEROBIC = 1.5  # Umberger's S: 1.5 for aerobic activities, 1.0 for anaerobic ones

# Widths of the rounded corners: excitation and activation, lengths (optimal), velocities (optimal per s), forces
# (maximal) and powers (W/kg). Each changes its argument by at most half of its width, and only near the corner.
_OF_ACTIVATION, _OF_LENGTH, _OF_VELOCITY, _OF_FORCE, _OF_POWER = 1e-4, 0.01, 0.01, 1e-4, 0.1
_LEAST_HEAT = 1.0  # W/kg, Umberger et al. (2003)
_MOST_SLOW_HEAT = 100.0  # W/kg, of slow fibres that shorten


@dataclass(frozen=True)
class MetabolicPower:
    """Metabolic power (W) of one muscle: heat of activation and maintenance, of shortening, work, and the total.

    The total may exceed the sum: heat does not fall below 1 W/kg.
    """

    activation: SX
    shortening: SX
    work: SX
    total: SX


def muscle_mass(muscle: Muscle) -> SX:
    """Return the mass (kg) of the fibres."""
    return SX(DENSITY * muscle.max_force / muscle.specific_tension * muscle.optimal_fibre_length)


def umberger(muscle: Muscle, drive: Drive, response: Response) -> MetabolicPower:
    """Return the metabolic power by Umberger (2010): lengthening heat 0.3 α, no credit for negative work.

    Fast fibres reach the muscle's ``max_velocity``, slow ones 1 / 2.5 of it.
    """
    slow, fast = muscle.slow_fibres, 1 - muscle.slow_fibres
    length, velocity = _normalised(muscle, response)
    excitation, active = drive.excitation, response.active_state
    drive_level = _above((excitation + active + _above(excitation - active, _OF_ACTIVATION)) / 2, _OF_ACTIVATION)
    isometric = family(muscle).force_length(muscle, length)
    beyond = 1 + (isometric - 1) * _past(length - 1, _OF_LENGTH)
    held = AEROBIC * drive_level**0.6 * (128 * fast + 25) * (0.4 + 0.6 * beyond)

    shortening, lengthening = _above(-velocity, _OF_VELOCITY), _above(velocity, _OF_VELOCITY)
    slow_rate, fast_rate = 100 * 2.5 / muscle.max_velocity, 153 / muscle.max_velocity
    slow_heat = slow_rate * shortening
    slow_heat -= _above(slow_heat - _MOST_SLOW_HEAT, 10 * _OF_POWER)
    concentric = drive_level**2 * (slow * slow_heat + fast * fast_rate * shortening)
    eccentric = drive_level * 0.3 * slow_rate * lengthening
    moved = AEROBIC * (concentric + eccentric) * beyond

    mass = muscle_mass(muscle)
    pull = muscle.max_force * _above(response.contractile, _OF_FORCE)
    work = pull * shortening * muscle.optimal_fibre_length
    return MetabolicPower(mass * held, mass * moved, work, mass * _at_least(held + moved, _LEAST_HEAT) + work)


def bhargava(muscle: Muscle, drive: Drive, response: Response) -> MetabolicPower:
    """Return the metabolic power by Bhargava et al. (2004): heat that depends on force, work of both signs.

    The decay of the activation heat with the duration of a stimulation is left out, as durations are not states.
    The total is never negative.
    """
    slow, fast = muscle.slow_fibres, 1 - muscle.slow_fibres
    length, velocity = _normalised(muscle, response)
    recruited_slow = slow * ca.sin(pi / 2 * drive.excitation)
    recruited_fast = fast * (1 - ca.cos(pi / 2 * drive.excitation))
    # From 0.5 at half the optimal length up to 1 at the optimal length, and down to 0 at one and a half.
    overlap = 0.5 + sum(
        slope * _above(length - corner, _OF_LENGTH) for corner, slope in ((0.5, 1.0), (1.0, -3.0), (1.5, 2.0))
    )
    mass = muscle_mass(muscle)
    activation = 40 * recruited_slow + 133 * recruited_fast
    maintenance = overlap * (74 * recruited_slow + 111 * recruited_fast)

    newtons_speed = muscle.max_force * muscle.optimal_fibre_length / mass
    pull = newtons_speed * _above(response.contractile, _OF_FORCE)
    isometric = newtons_speed * family(muscle).contractile(muscle, length, SX(0), response.active_state)
    shortening, lengthening = _above(-velocity, _OF_VELOCITY), _above(velocity, _OF_VELOCITY)
    moved = (0.16 * isometric + 0.18 * pull) * shortening - 0.157 * pull * lengthening
    work = -pull * velocity
    held = activation + maintenance
    moved += _above(-(held + moved + work), _OF_POWER)
    return MetabolicPower(mass * held, mass * moved, mass * work, mass * (_at_least(held + moved, _LEAST_HEAT) + work))


def _normalised(muscle: Muscle, response: Response) -> tuple[SX, SX]:
    """Return fibre length (optimal lengths) and velocity (optimal lengths per second)."""
    return (
        response.fibre_length / muscle.optimal_fibre_length,
        response.fibre_velocity / muscle.optimal_fibre_length,
    )


def _above(value: SX, width: float) -> SX:
    """Return the value where it is positive and zero where it is not, rounded over a width."""
    return (value + ca.sqrt(value**2 + width**2)) / 2


def _at_least(value: SX, least: float) -> SX:
    return least + _above(value - least, _OF_POWER)


def _past(value: SX, width: float) -> SX:
    """Return 0 below zero and 1 above, with a smooth step between."""
    return (1 + ca.tanh(value / width)) / 2
