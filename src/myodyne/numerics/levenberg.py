"""Roots of a few equations by the method of Levenberg and Marquardt, with steps that stay short."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from myodyne.types import Floats

Evaluate = Callable[[Floats], tuple[Floats, Floats]]

_MOST_STEPS = 400
# Changes of the damping after a step that was good, and after one that was not.
_LESS, _MORE = 0.2, 4.0
_LEAST, _MOST = 1e-14, 1e12


def levenberg(evaluate: Evaluate, start: Floats, longest: Floats, enough: float = 0.0) -> tuple[Floats, int]:
    """Return the best point found and the number of evaluations.

    Functions that fit only near some range run away far from it: no step moves an unknown by more than ``longest``.

    Parameters
    ----------
    evaluate
        Returns residuals and their Jacobian; not finite ones are taken as infinitely bad.
    start
        Where to begin.
    longest
        The largest change of each unknown in one step.
    enough
        Largest residual with which to be content.

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
        # The damped problem as one of least squares: its matrix keeps the condition of the Jacobian.
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
