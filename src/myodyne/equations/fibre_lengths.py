"""Fibre lengths at which muscles are in balance while nothing moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from myodyne.equations.muscles import DERIVATIVES, DRIVE, RESPONSE, activation_states, fibre_states, kinds_of
from myodyne.errors import SolveError, listed
from myodyne.model import Model, ThelenActivation

if TYPE_CHECKING:
    from myodyne.equations.equations import Equations

Floats = NDArray[np.float64]

# A muscle counts as being in balance when its forces differ by less than this part of its maximal force.
_BALANCED = 1e-12
_ACCEPTED = 1e-9
# Tendons are searched from slack up to this strain, and beyond it if need be.
_STRAINS = np.concatenate([[0.0], np.geomspace(1e-4, 0.2, 40), [0.5, 1.0, 3.0, 10.0, 100.0]])

_SLOPE = len(RESPONSE) + DERIVATIVES.index(("contraction", "projected"))


def balanced_fibres(
    equations: Equations, q: ArrayLike, activations: ArrayLike, excitations: ArrayLike | None = None, p: Any = None
) -> Floats:
    """Return the fibre states at which each muscle with an elastic tendon is in balance without moving.

    Where there are several lengths it is the greatest: the one at which a muscle stops that shortens from a slack
    tendon. ``activations`` are the activation states; muscles without one take their excitation, zero if not given.
    """
    model = equations.model
    q = np.asarray(q, dtype=float)
    lengths = equations.muscle_lengths(q, p)
    return balanced(
        equations, lengths, np.asarray(activations, dtype=float),
        np.zeros(len(model.muscles)) if excitations is None else np.asarray(excitations, dtype=float), p,
    )


def balanced(equations: Equations, lengths: Floats, activations: Floats, excitations: Floats, p: Any = None) -> Floats:
    """Return what `balanced_fibres` does, for muscles of given lengths (m)."""
    model = equations.model if p is None else equations.with_numbers(p)
    kind_of, kinds = kinds_of(model)
    active = list(activation_states(model))
    elastic = list(fibre_states(model))
    found = np.empty(len(elastic))
    names = list(model.muscles)
    for number, kind in enumerate(kinds):
        members = [name for name in elastic if kind_of[name] == number]
        if not members:
            continue
        drive = np.zeros((len(members), len(DRIVE)))
        for row, name in zip(drive, members, strict=True):
            index = names.index(name)
            row[DRIVE.index("length")], row[DRIVE.index("excitation")] = lengths[index], excitations[index]
            if name in active:
                row[DRIVE.index("state")] = activations[active.index(name)]
        muscles = [model.muscles[name] for name in members]
        numbers = np.array([kind.numbers(muscle) for muscle in muscles], dtype=float)
        kernel = equations.kernel(f"muscle_{number}")
        slack = np.array([muscle.tendon_slack_length for muscle in muscles])
        optimal = np.array([muscle.optimal_fibre_length for muscle in muscles])
        root, residual = _greatest_root(kernel, drive, numbers, slack, optimal)
        bad = ~(np.abs(residual) <= _ACCEPTED)
        if bad.any():
            off = [f"{name} ({size:.2g})" for name, size, b in zip(members, residual, bad, strict=True) if b]
            raise SolveError(
                f"'{model.name}': no fibre length balances {listed(off)} (forces differ by that part of the maximal "
                "one); check the length of the path against tendon_slack_length and optimal_fibre_length"
            )
        found[[elastic.index(name) for name in members]] = root
    return found


def resting_activations(model: Model, u: Floats) -> Floats:
    """Return the activation states that constant excitations lead to; controls beyond the muscles are not read."""
    found = []
    for number, muscle in enumerate(model.muscles.values()):
        if muscle.activated:
            least = muscle.activation.minimum if isinstance(muscle.activation, ThelenActivation) else -np.inf
            found.append(max(float(u[number]), least))
    return np.array(found)


def _greatest_root(
    kernel: Any, drive: Floats, numbers: Floats, slack: Floats, optimal: Floats
) -> tuple[Floats, Floats]:
    """Return the greatest fibre state in balance for each row, and what is left of its residual there."""
    place = DRIVE.index("projected")

    def evaluated(fibres: Floats) -> tuple[Floats, Floats]:
        rows = drive.copy()
        rows[:, place] = fibres
        values = kernel.first(rows, numbers)
        return values[:, RESPONSE.index("contraction")], values[:, _SLOPE]

    # From a slack tendon downwards the tendon pulls ever more, so that the residual ends below zero.
    slackest = (drive[:, DRIVE.index("length")] - slack) / optimal
    above = np.maximum(slackest, 0.0) + 1.0
    low, high = np.full(len(drive), np.nan), above.copy()
    before, _ = evaluated(high)
    for strain in _STRAINS:
        trial = slackest - strain * slack / optimal
        residual, _ = evaluated(trial)
        crossed = np.isnan(low) & (residual <= 0) & (before > 0)
        low[crossed] = trial[crossed]
        still = np.isnan(low)
        high[still], before = np.where(residual > 0, trial, high)[still], np.where(still, residual, before)
    low = np.where(np.isnan(low), slackest, low)
    return _polished(evaluated, low, high)


def _polished(evaluated: Any, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return roots between bounds by Newton's method, halving where it would leave them."""
    root = 0.5 * (low + high)
    best, least = root.copy(), np.full(len(root), np.inf)
    for _ in range(200):
        residual, slope = evaluated(root)
        better = np.abs(residual) < least
        best, least = np.where(better, root, best), np.where(better, np.abs(residual), least)
        high = np.where(residual > 0, root, high)
        low = np.where(residual <= 0, root, low)
        if np.all((least <= _BALANCED) | (high - low <= 4e-16 * np.maximum(1.0, np.abs(root)))):
            break
        with np.errstate(divide="ignore", invalid="ignore"):
            step = root - residual / slope
        inside = (step > low) & (step < high)
        root = np.where(inside, step, 0.5 * (low + high))
    return best, evaluated(best)[0]
