"""Many small bounded least-squares problems at once, by the method of Levenberg and Marquardt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from myodyne.types import Booleans, Floats, Integers

# Given indices of problems and their unknowns: half the sum of squares, its gradient, and JᵀJ.
Evaluate = Callable[[Integers, Floats], tuple[Floats, Floats, Floats]]
# Likewise: errors of equations that must hold (k, m), and their Jacobians (k, m, n).
Kept = Callable[[Integers, Floats], tuple[Floats, Floats]]

# Factors on the damping after a step that reduced the cost as predicted, and after one that hardly did.
_LESS, _MORE, _NO_MORE_THAN, _NONE_BELOW, _FIRST = 0.1, 4.0, 1e12, 1e-7, 1e-2
_AS_PROMISED, _POOR = 0.75, 0.25
_ITERATIONS = 100
# Regularises unknowns that the residuals do not determine, as a fraction of the largest entry of JᵀJ.
_HOLD = 1e-9
# An increase of the cost is rounding where no unknown changes by more than this.
_ROUNDING = 1e-7
# Equations are met to this; corrections that bring a step back onto them, and one to begin with.
_MET, _BACK, _ONTO = 1e-12, 4, 30
# Errors of equations that could not be met count so much more than residuals that they fall first.
_VIOLATION = 1e8
# Regularises equations that repeat each other, as a fraction of their compliance.
_REPEATED = 1e-10


@dataclass(frozen=True, eq=False)
class RowMinima:
    """The minima, one row per problem, half the sums of squares there, and which problems converged."""

    x: Floats
    cost: Floats
    matrix: Floats
    converged: Booleans
    evaluations: int


def minimise_rows(
    evaluate: Evaluate,
    start: Floats,
    low: Floats,
    high: Floats,
    *,
    kept: Kept | None = None,
    tolerance: float = 1e-8,
) -> RowMinima:
    """Return the minima of one problem per row of ``start``, within bounds and where equations hold.

    Parameters
    ----------
    evaluate
        Returns half the sum of squares, its gradient and JᵀJ for some of the problems.
    start
        Initial guess, one row per problem.
    low, high
        Bounds of the unknowns, the same for all problems; infinite where there are none.
    kept
        Returns the errors of equations that must hold, and their Jacobians; None without any. Each step goes along
        them, and is brought back onto them before it is judged.
    tolerance
        A problem has converged when no unknown changes by more than this.

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
    equations = _Equations(kept, low, high)
    count, size = start.shape
    everyone = np.arange(count)
    x = equations.onto(everyone, np.clip(start, low, high), _ONTO)
    cost, gradient, matrix = equations.judged(evaluate, everyone, x)
    damping = np.full(count, 1e-4)
    converged = np.zeros(count, dtype=bool)
    active, evaluations = everyone, count
    for _ in range(_ITERATIONS):
        step = equations.steps(active, x[active], gradient[active], matrix[active], damping[active])
        trial = equations.onto(active, np.clip(x[active] + step, low, high), _BACK)
        change = np.abs(trial - x[active]).max(axis=1, initial=0.0)
        promised = _promised(trial - x[active], gradient[active], matrix[active])
        found = equations.judged(evaluate, active, trial)
        evaluations += len(active)
        good = found[0] <= cost[active]
        # Actual over predicted reduction of the cost.
        part = (cost[active] - found[0]) / np.maximum(promised, 1e-300)
        taken = active[good]
        x[taken] = trial[good]
        for held, new in zip((cost, gradient, matrix), found, strict=True):
            held[taken] = new[good]
        damping[active[part > _AS_PROMISED]] *= _LESS
        damping[damping < _NONE_BELOW] = 0.0
        poor = active[~good | (part < _POOR)]
        damping[poor] = np.maximum(damping[poor], _FIRST) * _MORE
        ended = np.where(good, change <= tolerance, change <= _ROUNDING)
        converged[active[ended]] = True
        active = active[~ended & (damping[active] < _NO_MORE_THAN)]
        if not len(active) or not size:
            break
    return RowMinima(x, cost, equations.held(everyone, x, matrix), converged, evaluations)


def _promised(step: Floats, gradient: Floats, matrix: Floats) -> Floats:
    """Return the reduction of the cost predicted by the linearised residuals."""
    curved = np.matmul(np.matmul(step[:, None], matrix), step[:, :, None])[:, 0, 0]
    fall: Floats = -(gradient * step).sum(axis=1) - curved / 2.0
    return fall


@dataclass(frozen=True, eq=False)
class _Equations:
    """Equations and bounds that the unknowns of each problem obey."""

    kept: Kept | None
    low: Floats
    high: Floats

    def judged(self, evaluate: Evaluate, rows: Integers, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Return cost, gradient and JᵀJ; what equations lack is part of the cost."""
        cost, gradient, matrix = evaluate(rows, x)
        if self.kept is not None:
            error, _ = self.kept(rows, x)
            cost = cost + _VIOLATION * (error * error).sum(axis=1) / 2.0
        return cost, gradient, matrix

    def onto(self, rows: Integers, x: Floats, most: int) -> Floats:
        """Return the nearest unknowns that meet the equations, as far as Newton's method comes in some steps."""
        if self.kept is None:
            return x
        x = x.copy()
        off = np.arange(len(rows))
        for _ in range(most):
            error, jacobian = self.kept(rows[off], x[off])
            far = np.abs(error).max(axis=1, initial=0.0) > _MET
            off = off[far]
            if not len(off):
                break
            across = jacobian[far]
            # A step from a bound may go inwards only.
            step = _least_norm(across, error[far])
            outwards = ((x[off] <= self.low) & (step < 0.0)) | ((x[off] >= self.high) & (step > 0.0))
            if outwards.any():
                step = _least_norm(np.where(outwards[:, None, :], 0.0, across), error[far])
            x[off] = np.clip(x[off] + step, self.low, self.high)
        return x

    def steps(self, rows: Integers, x: Floats, gradient: Floats, matrix: Floats, damping: Floats) -> Floats:
        """Return the damped steps, along the equations; an unknown that would cross its bound stays at it."""
        places = np.arange(x.shape[1])
        diagonal = matrix[:, places, places]
        held = _HOLD * diagonal.max(axis=1, initial=1e-300, keepdims=True)
        raised = matrix.copy()
        raised[:, places, places] += damping[:, None] * np.maximum(diagonal, held) + held
        stuck = ((x <= self.low) & (gradient > 0.0)) | ((x >= self.high) & (gradient < 0.0))
        wanted: Floats = np.where(stuck, 0.0, -gradient)
        if stuck.any():
            raised[stuck[:, :, None] | stuck[:, None, :]] = 0.0
            raised[:, places, places] += stuck
        if self.kept is None:
            return np.asarray(np.linalg.solve(raised, wanted[:, :, None])[:, :, 0], dtype=np.float64)
        error, jacobian = self.kept(rows, x)
        across = np.where(stuck[:, None, :], 0.0, jacobian)
        response = np.linalg.solve(raised, np.concatenate([wanted[:, :, None], across.transpose(0, 2, 1)], axis=2))
        free, push = response[:, :, 0], response[:, :, 1:]
        lacking = -error - np.matmul(across, free[:, :, None])[:, :, 0]
        return np.asarray(free + np.matmul(push, _solved(np.matmul(across, push), lacking)[:, :, None])[:, :, 0])

    def held(self, rows: Integers, x: Floats, matrix: Floats) -> Floats:
        """Return JᵀJ with what the equations determine, as strongly as the residuals determine the rest."""
        if self.kept is None or not x.size:
            return matrix
        _, jacobian = self.kept(rows, x)
        sizes = np.maximum(np.linalg.norm(jacobian, axis=2, keepdims=True), 1e-300)
        scale = np.diagonal(matrix, axis1=1, axis2=2).max(axis=1)[:, None, None]
        return np.asarray(matrix + scale * np.matmul((jacobian / sizes).transpose(0, 2, 1), jacobian / sizes))


def _least_norm(jacobian: Floats, error: Floats) -> Floats:
    """Return the smallest steps after which linearised equations hold."""
    across = jacobian.transpose(0, 2, 1)
    return np.asarray(-np.matmul(across, _solved(np.matmul(jacobian, across), error)[:, :, None])[:, :, 0])


def _solved(compliance: Floats, right: Floats) -> Floats:
    """Return the solutions of symmetric systems; rows that repeat others, or that nothing moves, share or get zero."""
    count = compliance.shape[1]
    size = np.diagonal(compliance, axis1=1, axis2=2).max(axis=1, initial=1e-300)
    raised = compliance + (_REPEATED * size)[:, None, None] * np.eye(count)
    return np.asarray(np.linalg.solve(raised, right[:, :, None])[:, :, 0])
