"""How far two answers lie apart, measured against the size of the answer."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from support.frames import Array


def assert_close(ours: Any, theirs: Any, tolerance: float, what: str, floor: float = 0.0) -> None:
    """Fail if two arrays differ by more than ``tolerance`` of their largest entry (or of ``floor``)."""
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    assert ours.shape == theirs.shape, f"{what}: shape {ours.shape} instead of {theirs.shape}"
    assert np.isfinite(ours).all(), f"{what}: not finite"
    size = max(float(np.abs(theirs).max(initial=0.0)), floor)
    apart = float(np.abs(ours - theirs).max(initial=0.0))
    assert apart <= tolerance * size, (
        f"{what}: differs by {apart / (size or 1.0):.2e} of its size, allowed {tolerance:.0e}"
    )


def central_differences(function: Callable[[Array], Array], at: Array, step: float = 2e-5) -> Array:
    """Return the Jacobian of a function of stacked rows by differences of fourth order, one column per input.

    The step is small because the derivatives of splines bend at their knots, which no difference may straddle.
    """
    shifts = step * np.eye(len(at))
    near = function(at + shifts) - function(at - shifts)
    far = function(at + 2 * shifts) - function(at - 2 * shifts)
    return ((8 * near - far) / (12 * step)).T


def extrapolated_differences(function: Callable[[Array], Array], at: Array, first: float = 2e-2) -> Array:
    """Return the Jacobian of a function of stacked rows by extrapolated central differences (Ridders 1982).

    Steps are halved from the ``first`` on. Of all extrapolations each entry takes the one that changed least, so a large
    step serves what is smooth, a small one what bends or has knots nearby.
    """
    size, before = len(at), []
    best = error = np.empty(0)
    for halvings in range(9):
        step = first / 2**halvings
        ends = function(np.vstack([at + step * np.eye(size), at - step * np.eye(size)]))
        row = [(ends[:size] - ends[size:]).T / (2 * step)]
        for power, coarser in enumerate(before, start=1):
            row.append((4**power * row[-1] - coarser) / (4**power - 1))
            change = np.maximum(np.abs(row[-1] - row[-2]), np.abs(row[-1] - coarser))
            if not best.size:
                best, error = row[-1], change
            better = change < error
            best, error = np.where(better, row[-1], best), np.where(better, change, error)
        before = row
    return best


def loads(name: str) -> bool:
    """Return whether another program can be imported: installed, and with the system libraries that it needs."""
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True
