"""Fibre lengths at which muscles are in balance while nothing moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from myodyne.equations.muscles.kinds import (
    DRIVE,
    DRIVE_PLACE,
    RESPONSE_COLUMN,
    Kind,
    ResponseTable,
    activation_states,
    fibre_states,
    kinds_of,
)
from myodyne.equations.requests import MuscleKernel
from myodyne.errors import SolveError
from myodyne.model import Model, ThelenActivation
from myodyne.model.muscles.muscle import STEEPEST
from myodyne.native.kernel import Kernel
from myodyne.types import Floats, Integers

if TYPE_CHECKING:
    from myodyne.equations.equations import Equations, Parameters

# Residual (maximal forces) and its slope for some of the rows at given fibre states.
Evaluate = Callable[[Integers, Floats], tuple[Floats, Floats]]

# A muscle counts as being in balance when its forces differ by less than this part of its maximal force.
_BALANCED = 1e-12
_ACCEPTED = 1e-9
# Rounding error of a force that is zero.
_NOTHING = 1e-14
# Tendons are searched from slack up to this strain, and beyond it if need be.
_STRAINS = np.concatenate([np.geomspace(1e-4, 0.2, 40), [0.5, 1.0, 3.0, 10.0, 100.0, 1e4, 1e6]])
# Above slack the search begins this far up (optimal lengths); below, it looks at so many parts of the length.
_ABOVE = np.concatenate([[100.0, 30.0, 10.0, 3.0, 2.0, 1.5], np.arange(20, -1, -1) / 20])
_PARTS = np.arange(39, -1, -1) / 40
# Lengths that are tried in one call.
_AT_ONCE = 12
_MOST_HALVINGS = 200


def balanced_fibres(
    equations: Equations,
    q: ArrayLike,
    activations: ArrayLike,
    excitations: ArrayLike | None = None,
    p: Parameters = None,
) -> Floats:
    """Return the fibre states at which each muscle with an elastic tendon is in balance without moving.

    ``activations`` are the activation states; muscles without one take their excitation, zero if not given. See
    `MusclesAtRest.fibres` for which length is taken where there are several.
    """
    lengths = equations.fitted_paths(np.asarray(q, dtype=float), p)[0]
    given = np.zeros(len(lengths)) if excitations is None else np.asarray(excitations, dtype=float)
    return MusclesAtRest(equations, p).fibres(lengths, np.asarray(activations, dtype=float), given)


def resting_activations(model: Model, u: Floats) -> Floats:
    """Return the activation states that constant excitations lead to; controls beyond the muscles are not read."""
    found = []
    for number, muscle in enumerate(model.muscles.values()):
        if muscle.activated:
            least = muscle.activation.minimum if isinstance(muscle.activation, ThelenActivation) else -np.inf
            found.append(max(float(u[number]), least))
    return np.array(found)


@dataclass(frozen=True, eq=False)
class _Group:
    """The muscles of one kind: their places among all, among those with states, and their numbers, a row each."""

    kernel: Kernel
    members: Integers
    numbers: Floats
    fibres: Integers | None
    actives: Integers | None
    slack: Floats
    optimal: Floats
    least: Floats


class MusclesAtRest:
    """All muscles of a model while nothing moves, kind by kind: each call of compiled code serves a whole kind.

    Vectors are in the order of the muscles (lengths in m, excitations), or of those that have the state.
    """

    def __init__(self, equations: Equations, p: Parameters = None) -> None:
        model = self._model = equations.model if p is None else equations.with_numbers(p)
        self.names = tuple(model.muscles)
        kind_of, kinds = kinds_of(model)
        fibres = {name: number for number, name in enumerate(fibre_states(model))}
        actives = {name: number for number, name in enumerate(activation_states(model))}
        self._groups = []
        for number, kind in enumerate(kinds):
            members = [place for place, name in enumerate(self.names) if kind_of[name] == number]
            self._groups.append(
                _group(model, kind, equations.kernel(MuscleKernel(number, "response")), members, fibres, actives)
            )
        self._fibres = len(fibres)

    def fibres(self, lengths: Floats, activations: Floats, excitations: Floats) -> Floats:
        """Return the fibre states at which the muscles with elastic tendons are in balance.

        Where there are several it is the greatest: the one at which a muscle stops that shortens from a slack
        tendon. Where nothing pulls and any length will do, the tendon is just slack, or the fibre has its least
        length if the path is too short for that. Only a path that is too short for any fibre gives a state below
        that; the tendon sees none of it where fibres are held.
        """
        found, left = np.empty(self._fibres), np.empty(self._fibres)
        owner = np.empty(self._fibres, dtype=np.intp)
        for group in self._groups:
            if group.fibres is not None:
                drive = _drives(group, lengths, activations, excitations)
                found[group.fibres], left[group.fibres] = _greatest_root(group, drive)
                owner[group.fibres] = group.members
        bad = np.flatnonzero(~(np.abs(left) <= _ACCEPTED))
        if len(bad):
            off = [f"'{self.names[owner[number]]}' ({left[number]:.2g})" for number in bad[:5]]
            raise SolveError(
                f"'{self._model.name}': no fibre length balances {', '.join(off)} (force imbalance as a fraction of "
                f"the maximal force); check the length of the path against tendon_slack_length and optimal_fibre_length"
            )
        return found

    def responses(self, lengths: Floats, activations: Floats, excitations: Floats, fibres: Floats) -> ResponseTable:
        """Return the responses of all muscles with their derivatives."""
        values = np.empty((len(self.names), len(RESPONSE_COLUMN)))
        for group in self._groups:
            drive = _drives(group, lengths, activations, excitations)
            if group.fibres is not None:
                drive[:, DRIVE_PLACE["projected"]] = fibres[group.fibres]
            values[group.members] = group.kernel.first(drive, group.numbers)
        return ResponseTable(values)


def _group(
    model: Model, kind: Kind, kernel: Kernel, members: list[int], fibres: dict[str, int], actives: dict[str, int]
) -> _Group:
    names = [list(model.muscles)[place] for place in members]
    muscles = [model.muscles[name] for name in names]

    def places(among: dict[str, int]) -> Integers | None:
        # Whether a muscle has a state is a matter of its kind.
        return np.array([among[name] for name in names], dtype=np.intp) if names[0] in among else None

    return _Group(
        kernel,
        np.array(members, dtype=np.intp),
        np.array([kind.numbers(muscle) for muscle in muscles], dtype=float),
        places(fibres),
        places(actives),
        np.array([muscle.tendon_slack_length for muscle in muscles], dtype=float),
        np.array([muscle.optimal_fibre_length for muscle in muscles], dtype=float),
        np.array(
            [STEEPEST * np.sin(muscle.pennation) if muscle.holds_fibres else 0.0 for muscle in muscles], dtype=float
        ),
    )


def _drives(group: _Group, lengths: Floats, activations: Floats, excitations: Floats) -> Floats:
    """Return what acts on the muscles of a kind, a row each; the fibres are left at zero."""
    drive = np.zeros((len(group.members), len(DRIVE)))
    drive[:, DRIVE_PLACE["length"]], drive[:, DRIVE_PLACE["excitation"]] = (
        lengths[group.members],
        excitations[group.members],
    )
    if group.actives is not None:
        drive[:, DRIVE_PLACE["state"]] = activations[group.actives]
    return drive


def _greatest_root(group: _Group, drive: Floats) -> tuple[Floats, Floats]:
    """Return the greatest fibre state in balance for each row, and its residual."""

    def evaluated(rows: Integers, fibres: Floats) -> tuple[Floats, Floats]:
        driven = drive[rows]
        driven[:, DRIVE_PLACE["projected"]] = fibres
        values = group.kernel.first(driven, group.numbers[rows])
        return values[:, RESPONSE_COLUMN["contraction"]], values[:, RESPONSE_COLUMN["contraction", "projected"]]

    return _polished(evaluated, *_bracketed(evaluated, drive[:, DRIVE_PLACE["length"]], group))


def _bracketed(evaluated: Evaluate, lengths: Floats, group: _Group) -> tuple[Floats, Floats]:
    """Return for each row two fibre states between which the residual falls through zero, the greatest such pair.

    Long fibres pull and their tendon is slack: the residual is positive. From there downwards the tendon pulls ever
    more, so that it ends below zero. Where it is zero over a whole range, both are the state to be taken.
    """
    # NaN stays NaN and is reported by the caller; infinite lengths become NaN.
    slackest = np.where(np.isfinite(lengths), (lengths - group.slack) / group.optimal, np.nan)
    least = np.maximum(slackest, group.least)
    trials = _descent(slackest, least, group.slack / group.optimal)
    low, high = slackest.copy(), trials[:, 0].copy()
    rows = np.arange(len(lengths))
    for first in range(0, trials.shape[1], _AT_ONCE):
        tried = trials[rows, first : first + _AT_ONCE]
        residual, _ = evaluated(np.repeat(rows, tried.shape[1]), tried.ravel())
        residual = residual.reshape(tried.shape)
        # Above slack nothing may pull over a whole range: zero is an answer only where the tendon begins to.
        zero = (np.abs(residual) <= _NOTHING) & (tried <= least[rows, None])
        ends = (residual < 0) | zero
        ended = ends.any(axis=1)
        until = np.where(ended, ends.argmax(axis=1), tried.shape[1])
        positive = (residual > 0) & (np.arange(tried.shape[1]) < until[:, None])
        last = tried.shape[1] - 1 - positive[:, ::-1].argmax(axis=1)
        seen = positive.any(axis=1)
        high[rows[seen]] = tried[seen, last[seen]]
        low[rows[ended]] = tried[ended, until[ended]]
        exact = np.flatnonzero(ended)[zero[ended, until[ended]]]
        high[rows[exact]] = low[rows[exact]]
        rows = rows[~ended]
        if not len(rows):
            break
    return low, high


def _descent(slackest: Floats, least: Floats, tendon: Floats) -> Floats:
    """Return fibre states at which to look, for each row from above downwards.

    They are close together while fibre lengths are positive, so that no two roots lie between neighbours.
    """
    taut = np.minimum(slackest[:, None] - _STRAINS * tendon[:, None], least[:, None])
    trials = np.hstack([least[:, None] + _ABOVE, least[:, None] * _PARTS, taut])
    return np.asarray(-np.sort(-trials, axis=1))


def _polished(evaluated: Evaluate, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return roots between bounds by Newton's method, halving where it would leave them or be slow."""
    best, left = 0.5 * (low + high), np.full(len(low), np.inf)
    rows, root = np.arange(len(low)), best.copy()
    for number in range(_MOST_HALVINGS):
        residual, slope = evaluated(rows, root)
        better = ~(np.abs(residual) >= np.abs(left[rows]))
        best[rows[better]], left[rows[better]] = root[better], residual[better]
        high[rows] = np.where(residual > 0, root, high[rows])
        low[rows] = np.where(residual <= 0, root, low[rows])
        width = high[rows] - low[rows]
        going = (np.abs(residual) > _BALANCED) & (width > 4e-16 * np.maximum(np.abs(root), 1e-12))
        rows, root, residual, slope = rows[going], root[going], residual[going], slope[going]
        if not len(rows):
            break
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            step = root - residual / slope
        # Every fourth step halves: where a curve bends sharply, Newton's method creeps along one side.
        inside = (step > low[rows]) & (step < high[rows]) & (number % 4 != 3)
        root = np.where(inside, step, 0.5 * (low[rows] + high[rows]))
    return best, left
