"""Activation dynamics as expressions: from excitation to the active state of the fibres."""

from __future__ import annotations

import casadi as ca

from myodyne.model import Muscle, NoActivation
from myodyne.model.muscles.activation import DeGrooteActivation, HatzeActivation, HeActivation, ThelenActivation
from myodyne.physics.spatial import SX

# Lower bounds on the length (optimal lengths) and on calcium times its sensitivity in Hatze's active state.
_SHORTEST, _LEAST_CALCIUM = 0.01, 1e-6


def has_state(muscle: Muscle) -> bool:
    """Return whether the activation of a muscle has a state of its own."""
    return not isinstance(muscle.activation, NoActivation)


def rate(muscle: Muscle, state: SX, excitation: SX) -> SX:
    """Return the rate (1/s) of the activation state."""
    match muscle.activation:
        case HeActivation(activation_time=rise, deactivation_time=fall):
            return (excitation - state) * ((1 / rise - 1 / fall) * excitation + 1 / fall)
        case HatzeActivation(rate=fast):
            return fast * (excitation - state)
        case DeGrooteActivation(activation_time=rise, deactivation_time=fall, smoothness=smoothness):
            slowing, rising = _slowing(state), 0.5 + 0.5 * ca.tanh(smoothness * (excitation - state))
            return (excitation - state) * (rising / (rise * slowing) + (1 - rising) * slowing / fall)
        case ThelenActivation(activation_time=rise, deactivation_time=fall, minimum=least):
            slowing, goal = _slowing(state), ca.fmax(excitation, least)
            return (goal - state) * ca.if_else(goal > state, 1 / (rise * slowing), slowing / fall)
        case none:
            raise TypeError(f"activation of kind '{none.kind}' has no state")


def active_state(muscle: Muscle, state: SX, excitation: SX, length: SX) -> SX:
    """Return how active the fibres are (0 to 1), for an activation state and a fibre length in optimal lengths."""
    match muscle.activation:
        case NoActivation():
            return excitation
        case HatzeActivation() as hatze:
            return _bound_calcium(hatze, state, length)
        case _:
            return state


def _slowing(state: SX) -> SX:
    """Return the factor by which rise is slower, and decay faster, at an activation (Winters 1995)."""
    # The floor is out of reach of activations between 0 and 1; without it the rate would be infinite at -1/3.
    return ca.fmax(0.5 + 1.5 * state, 0.05)


def _bound_calcium(hatze: HatzeActivation, state: SX, length: SX) -> SX:
    """Return the active state for a concentration of free calcium: longer fibres are more sensitive to it."""
    # Kept away from both ends, where the sensitivity is zero or infinite and a power has no slope.
    within = ca.fmin(ca.fmax(length, _SHORTEST), (1 + hatze.length_constant) / 2)
    sensitivity = hatze.sensitivity * (hatze.length_constant - 1) * within / (hatze.length_constant - within)
    bound = ca.fmax(sensitivity * hatze.calcium * state, _LEAST_CALCIUM) ** hatze.exponent
    return (hatze.rest + bound) / (1 + bound)
