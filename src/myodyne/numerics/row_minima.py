"""Many small bounded least-squares problems at once, by the method of Levenberg and Marquardt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from myodyne.types import Booleans, Floats, Integers

# Given indices of problems and their unknowns: half the sum of squares, its gradient, and JᵀJ.
Evaluate = Callable[[Integers, Floats], tuple[Floats, Floats, Floats]]

# Factors on the damping after a step that reduced the cost as predicted, and after one that hardly did.
_LESS, _MORE, _NO_MORE_THAN, _NONE_BELOW, _FIRST = 0.1, 4.0, 1e12, 1e-7, 1e-2
_AS_PROMISED, _POOR = 0.75, 0.25
# Regularises unknowns that the residuals do not determine, as a fraction of the largest entry of JᵀJ.
_HOLD = 1e-9
# An increase of the cost is rounding where no unknown changes by more than this.
_ROUNDING = 1e-7


@dataclass(frozen=True, eq=False)
class RowMinima:
    """The minima, one row per problem, half the sums of squares there, and which problems converged."""

    x: Floats
    cost: Floats
    matrix: Floats
    converged: Booleans
    evaluations: int


def minimise_rows(
    evaluate: Evaluate, start: Floats, low: Floats, high: Floats, *, tolerance: float = 1e-8, most: int = 100
) -> RowMinima:
    """Return the minima of one problem per row of ``start``, within bounds.

    Parameters
    ----------
    evaluate
        Returns half the sum of squares, its gradient and JᵀJ for some of the problems.
    start
        Initial guess, one row per problem.
    low, high
        Bounds of the unknowns, the same for all problems; infinite where there are none.
    tolerance
        A problem has converged when no unknown changes by more than this.
    most
        Largest number of iterations.

    Examples
    --------
    The points of a circle nearest to (2, 0) and (0, 3), given by their angles, which may not exceed 1:

    >>> goals = np.array([[2.0, 0.0], [0.0, 3.0]])
    >>> def evaluate(rows, x):
    ...     r = np.hstack([np.cos(x), np.sin(x)]) - goals[rows]
    ...     J = np.hstack([-np.sin(x), np.cos(x)])
    ...     return (r * r).sum(axis=1) / 2, (J * r).sum(axis=1)[:, None], (J * J).sum(axis=1)[:, None, None]
    >>> found = minimise_rows(evaluate, np.full((2, 1), 0.5), np.array([-4.0]), np.array([1.0]))
    >>> found.x.round(6).tolist(), found.converged.tolist()
    ([[0.0], [1.0]], [True, True])
    """
    x = np.clip(start, low, high)
    count, size = x.shape
    everyone = np.arange(count)
    cost, gradient, matrix = evaluate(everyone, x)
    damping = np.full(count, 1e-4)
    converged = np.zeros(count, dtype=bool)
    active, evaluations = everyone, count
    for _ in range(most):
        step = _steps(x[active], gradient[active], matrix[active], damping[active], low, high)
        trial = np.clip(x[active] + step, low, high)
        change = np.abs(trial - x[active]).max(axis=1, initial=0.0)
        promised = _promised(trial - x[active], gradient[active], matrix[active])
        found = evaluate(active, trial)
        evaluations += len(active)
        good = found[0] <= cost[active]
        # Actual over predicted reduction of the cost.
        part = (cost[active] - found[0]) / np.maximum(promised, 1e-300)
        taken = active[good]
        x[taken] = trial[good]
        for kept, new in zip((cost, gradient, matrix), found, strict=True):
            kept[taken] = new[good]
        damping[active[part > _AS_PROMISED]] *= _LESS
        damping[damping < _NONE_BELOW] = 0.0
        poor = active[~good | (part < _POOR)]
        damping[poor] = np.maximum(damping[poor], _FIRST) * _MORE
        ended = np.where(good, change <= tolerance, change <= _ROUNDING)
        converged[active[ended]] = True
        active = active[~ended & (damping[active] < _NO_MORE_THAN)]
        if not len(active) or not size:
            break
    return RowMinima(x, cost, matrix, converged, evaluations)


def _promised(step: Floats, gradient: Floats, matrix: Floats) -> Floats:
    """Return the reduction of the cost predicted by the linearised residuals."""
    curved = np.matmul(np.matmul(step[:, None], matrix), step[:, :, None])[:, 0, 0]
    fall: Floats = -(gradient * step).sum(axis=1) - curved / 2.0
    return fall


def _steps(x: Floats, gradient: Floats, matrix: Floats, damping: Floats, low: Floats, high: Floats) -> Floats:
    """Return the damped steps; an unknown that would cross its bound stays at it."""
    places = np.arange(x.shape[1])
    diagonal = matrix[:, places, places]
    held = _HOLD * diagonal.max(axis=1, initial=1e-300, keepdims=True)
    raised = matrix.copy()
    raised[:, places, places] += damping[:, None] * np.maximum(diagonal, held) + held
    stuck = ((x <= low) & (gradient > 0.0)) | ((x >= high) & (gradient < 0.0))
    wanted: Floats = np.where(stuck, 0.0, -gradient)
    if stuck.any():
        raised[stuck[:, :, None] | stuck[:, None, :]] = 0.0
        raised[:, places, places] += stuck
    return np.asarray(np.linalg.solve(raised, wanted[:, :, None])[:, :, 0], dtype=np.float64)
