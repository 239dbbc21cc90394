"""Roots of a few equations by the method of Levenberg and Marquardt, with bounded steps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from myodyne.types import Floats

Evaluate = Callable[[Floats], tuple[Floats, Floats]]

_MOST_STEPS = 400
# Factors on the damping after an accepted and after a rejected step.
_LESS, _MORE = 0.2, 4.0
_LEAST, _MOST = 1e-14, 1e12


def levenberg(evaluate: Evaluate, start: Floats, longest: Floats, enough: float = 0.0) -> tuple[Floats, int]:
    """Return the best point found and the number of evaluations.

    No step moves an unknown by more than ``longest``: fitted functions diverge outside their range.

    Parameters
    ----------
    evaluate
        Returns residuals and their Jacobian; a step to residuals that are not finite is rejected.
    start
        Initial guess.
    longest
        The largest change of each unknown in one step.
    enough
        Stop when no residual is larger than this.

    Examples
    --------
    >>> root, _ = levenberg(lambda x: (x**2 - 2.0, np.diag(2 * x)), np.array([1.0]), np.array([0.5]), 1e-14)
    >>> root.round(6)
    array([1.414214])
    """
    x = np.array(start, dtype=float)
    residual, jacobian = evaluate(x)
    size, damping, evaluations = _size(residual), 1e-3, 1
    while evaluations < _MOST_STEPS and np.max(np.abs(residual), initial=0.0) > enough and np.isfinite(size):
        scale = np.linalg.norm(jacobian, axis=0)
        scale = np.maximum(scale, 1e-8 * max(float(np.max(scale, initial=0.0)), 1e-300))
        # Solved as least squares, not by normal equations: the matrix keeps the condition of the Jacobian.
        matrix = np.vstack([jacobian, np.sqrt(damping) * np.diag(scale)])
        step = -np.linalg.lstsq(matrix, np.concatenate([residual, np.zeros(len(x))]), rcond=None)[0]
        step /= max(float(np.max(np.abs(step) / longest)), 1.0)
        trial = x + step
        trial_residual, trial_jacobian = evaluate(trial)
        evaluations += 1
        trial_size = _size(trial_residual)
        if trial_size < size:
            x, residual, jacobian, size = trial, trial_residual, trial_jacobian, trial_size
            damping = max(damping * _LESS, _LEAST)
            continue
        if damping > _MOST or np.max(np.abs(step) / longest) < 1e-14:
            break
        damping *= _MORE
    return x, evaluations


def _size(residual: Floats) -> float:
    return float(np.sum(residual**2)) if np.all(np.isfinite(residual)) else np.inf
