"""Activation dynamics as expressions: from excitation to the active state of the fibres."""

from __future__ import annotations

from myodyne.model import Muscle, NoActivation
from myodyne.model.activation import HeActivation
from myodyne.physics.spatial import SX


def has_state(muscle: Muscle) -> bool:
    """Return whether the activation of a muscle has a state of its own."""
    return not isinstance(muscle.activation, NoActivation)


def rate(muscle: Muscle, state: SX, excitation: SX) -> SX:
    """Return the rate (1/s) of the activation state."""
    match muscle.activation:
        case HeActivation(activation_time=rise, deactivation_time=fall):
            return (excitation - state) * ((1 / rise - 1 / fall) * excitation + 1 / fall)
        case other:
            raise NotImplementedError(f"no activation dynamics of kind '{other.kind}'")


def active_state(muscle: Muscle, state: SX, excitation: SX, length: SX) -> SX:
    """Return how active the fibres are (0 to 1), for an activation state and a fibre length in optimal lengths."""
    return excitation if isinstance(muscle.activation, NoActivation) else state
