"""Muscles from OpenSim files, balanced as OpenSim balances them: at a length, a speed and a velocity of the fibres."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import casadi as ca

import myodyne as my
from myodyne.physics.muscle import Drive, respond

_MOST_STEPS = 100
_LONGEST_STEP = 0.05


def fibre_state(muscle: my.Muscle, length: float, velocity: float) -> tuple[float, float]:
    """Return length and rate of the fibres along the tendon (optimal lengths) from those of the fibres (m, m/s)."""
    fibre = length / muscle.optimal_fibre_length
    projected = math.sqrt(max(fibre**2 - math.sin(muscle.pennation) ** 2, 0.0))
    rate = velocity / muscle.optimal_fibre_length * fibre / projected if projected > 0 else 0.0
    return projected, rate


def solved_tension(
    muscle: my.Muscle, length: float, speed: float, start: float, rate: float, activation: float
) -> float:
    """Return the tension (N) where the fibres are in balance, searched from a length along the tendon."""
    balance = _balance(muscle)
    place = start
    for _ in range(_MOST_STEPS if muscle.elastic else 0):
        _, left, slope = (float(value) for value in balance(length, speed, place, rate, activation))
        step = -left / slope if slope else 0.0
        place += min(max(step, -_LONGEST_STEP), _LONGEST_STEP)
        if abs(step) < 1e-14:
            break
    return float(balance(length, speed, place, rate, activation)[0])


@cache
def _balance(muscle: my.Muscle) -> Any:
    """Return tension, imbalance and its slope as a function of length, speed, fibre state, its rate and activation."""
    length, speed, at, rate, active = (ca.SX.sym(name) for name in ("length", "speed", "at", "rate", "active"))
    response = respond(muscle, Drive(length, speed, at, rate, active, ca.SX(0), active))
    slope = ca.jacobian(response.contraction, at)
    return ca.Function("balance", [length, speed, at, rate, active], [response.tension, response.contraction, slope])
