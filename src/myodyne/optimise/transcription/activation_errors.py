"""Mesh errors of activations under a prescribed motion."""

from __future__ import annotations

import numpy as np

from myodyne.errors import ModelError
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.optimise.transcription.phase import PhaseProgram
from myodyne.types import Floats

# Steps of Runge and Kutta's fourth order in each interval.
_STEPS = 24


def activation_error(phase: PhaseProgram, unknowns: Floats, nodes: Floats, controls: PiecewisePolynomial) -> float:
    """Return the largest error of the activations at the ends of single intervals.

    Each activation is measured by its range over the movement, or by a tenth where it hardly changes.
    """
    instant = phase.instant
    if instant.layout.fibres:
        raise ModelError("fibre lengths are not simulated under a given motion; compare with a finer mesh")
    if not nodes.shape[1]:
        return 0.0
    first, last = (np.ascontiguousarray(rows) for rows in (nodes[:-1], nodes[1:]))
    shared = unknowns[phase.grid.shared]
    step = phase.grid.lengths * shared[0] / _STEPS
    function = phase.dynamics[0].function
    rows = len(instant.balanced)
    # Rates of activations do not depend on the motion, so that of any instant will do; prescribed controls follow.
    idle, still = phase.dynamics[0].data[: len(first)].copy(), np.zeros_like(first)
    begins = phase.problem.start + phase.grid.mesh[:-1] * shared[0]
    known = idle.shape[1] - len(instant.prescribed)
    held = np.zeros((len(first), len(instant.multipliers)))

    def rates(elapsed: Floats, states: Floats) -> Floats:
        u = np.ascontiguousarray(_inside(controls, elapsed))
        idle[:, known:] = instant.prescribed_values(begins + elapsed)
        values = function.values(np.hstack([states, held]), still, u, shared, idle)
        return -values[:, rows:]

    reached = first
    for number in range(_STEPS):
        elapsed, h = number * step, step[:, None]
        one = rates(elapsed, reached)
        two = rates(elapsed + step / 2, reached + h / 2 * one)
        three = rates(elapsed + step / 2, reached + h / 2 * two)
        four = rates(elapsed + step, reached + h * three)
        reached = reached + h / 6 * (one + 2 * two + 2 * three + four)
    sizes = np.maximum(np.ptp(nodes, axis=0), 0.1)
    return float((abs(reached - last) / sizes).max())


def _inside(controls: PiecewisePolynomial, elapsed: Floats) -> Floats:
    """Return the controls of each interval at a time since its start; at its end they are still its own."""
    powers = elapsed[:, None] ** np.arange(controls.coefficients.shape[1])[None, :]
    found: Floats = np.einsum("ip,ipc->ic", powers, controls.coefficients)
    return found
