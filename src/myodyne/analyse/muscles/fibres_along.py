"""What fibres do while their muscles are lengthened in a known way at known activations."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from myodyne.equations import Equations
from myodyne.equations.muscles.fibre_lengths import MusclesAtRest
from myodyne.equations.muscles.kinds import (
    DERIVATIVES,
    DETAILS,
    DRIVE,
    RESPONSE,
    activation_states,
    fibre_states,
    kinds_of,
)
from myodyne.equations.requests import MuscleKernel
from myodyne.errors import SolveError
from myodyne.types import Floats, Integers

_PLACE = {name: place for place, name in enumerate(DRIVE)}
_COLUMN: dict[Any, int] = {key: column for column, key in enumerate((*RESPONSE, *DERIVATIVES))}
# Alexander's diagonally implicit scheme of second order, L-stable: stiff fibres do not ring.
_GAMMA = 1.0 - math.sqrt(0.5)
# The longest step (s): forces of a walk then are within 2e-4 of the maximal ones, at a third of the time of 1 ms.
_STEP = 0.004
_BALANCED = 1e-10
_MOST_ITERATIONS = 60
# Of fibre velocity (optimal lengths per second), in one iteration.
_LONGEST_MOVE = 20.0


class Muscles(NamedTuple):
    """Lengths (m), speeds (m/s) and activations of muscles, a row for each time (s)."""

    time: Floats
    lengths: Floats
    speeds: Floats
    activations: Floats

    def between(self, row: int, part: float) -> tuple[Floats, Floats, Floats]:
        """Return all three at a part of the way from a row to the next: cubic lengths, linear activations."""
        h = self.time[row + 1] - self.time[row]
        first, last = self.lengths[row], self.lengths[row + 1]
        rise = last - first
        start, end = h * self.speeds[row], h * self.speeds[row + 1]
        bend, twist = 3 * rise - 2 * start - end, start + end - 2 * rise
        length = first + part * (start + part * (bend + part * twist))
        speed = (start + part * (2 * bend + 3 * part * twist)) / h
        return length, speed, (1 - part) * self.activations[row] + part * self.activations[row + 1]


class _Kind(NamedTuple):
    """The muscles of one kind: their places among all, their numbers, and what is compiled for them."""

    members: Integers
    numbers: Floats
    function: Any
    details: Any
    elastic: bool
    stated: bool

    def drive(self, lengths: Floats, speeds: Floats, activations: Floats) -> Floats:
        found = np.zeros((len(self.members), len(DRIVE)))
        found[:, _PLACE["length"]], found[:, _PLACE["speed"]] = lengths[self.members], speeds[self.members]
        found[:, _PLACE["state" if self.stated else "excitation"]] = activations[self.members]
        return found


def fibres_along(equations: Equations, muscles: Muscles) -> Floats:
    """Return what is read of the muscles (times, muscles, ``DETAILS``).

    Fibres on rigid tendons follow the path. Those on elastic ones start where they are in balance at rest, and obey
    the equations of their muscle from there.
    """
    found = np.empty((*muscles.lengths.shape, len(DETAILS)))
    for kind in _kinds(equations):
        fibres, rates = _marched(equations, kind, muscles) if kind.elastic else (None, None)
        for row in range(len(muscles.time)):
            drive = kind.drive(muscles.lengths[row], muscles.speeds[row], muscles.activations[row])
            if fibres is not None and rates is not None:
                drive[:, _PLACE["projected"]], drive[:, _PLACE["projected_rate"]] = fibres[row], rates[row]
            found[row, kind.members] = kind.details.first(drive, kind.numbers)
    return found


def _kinds(equations: Equations) -> list[_Kind]:
    model = equations.model
    kind_of, kinds = kinds_of(model)
    stated, elastic = activation_states(model), fibre_states(model)
    found = []
    for number, kind in enumerate(kinds):
        names = [name for name in model.muscles if kind_of[name] == number]
        found.append(
            _Kind(
                np.array([list(model.muscles).index(name) for name in names], dtype=np.intp),
                np.array([kind.numbers(model.muscles[name]) for name in names], dtype=float),
                equations.kernel(MuscleKernel(number, "response")),
                equations.kernel(MuscleKernel(number, "details")),
                names[0] in elastic,
                names[0] in stated,
            )
        )
    return found


def _marched(equations: Equations, kind: _Kind, muscles: Muscles) -> tuple[Floats, Floats]:
    """Return fibre states and their rates, a row for each time."""
    names = list(equations.muscles)
    rest = MusclesAtRest(equations)
    order = list(fibre_states(equations.model))
    places = [order.index(names[member]) for member in kind.members]
    active = muscles.activations[0]
    states = np.array([active[names.index(name)] for name in activation_states(equations.model)])
    fibres = np.empty((len(muscles.time), len(kind.members)))
    rates = np.zeros_like(fibres)
    fibres[0] = rest.fibres(muscles.lengths[0], states, active)[places]
    rate = rates[0].copy()
    for row in range(len(muscles.time) - 1):
        whole = float(muscles.time[row + 1] - muscles.time[row])
        count = max(1, math.ceil(whole / _STEP - 1e-9))
        state, h = fibres[row], whole / count
        for step in range(count):
            first = kind.drive(*muscles.between(row, (step + _GAMMA) / count))
            middle = _rate(kind, first, state, _GAMMA * h, rate)
            if middle is not None:
                base = state + (1.0 - _GAMMA) * h * middle
                last = kind.drive(*muscles.between(row, (step + 1) / count))
                ended = _rate(kind, last, base, _GAMMA * h, middle)
            if middle is None or ended is None:
                raise SolveError(
                    f"'{equations.model.name}': the fibres of '{names[kind.members[0]]}' or a muscle of its kind "
                    f"cannot follow the motion at {muscles.time[row]:g} s; tendon='rigid' needs no fibre dynamics"
                )
            state, rate = base + _GAMMA * h * ended, ended
        fibres[row + 1], rates[row + 1] = state, rate
    return fibres, rates


def _rate(kind: _Kind, drive: Floats, base: Floats, weight: float, guess: Floats) -> Floats | None:
    """Return the rates k at which muscles are in balance with fibres at ``base + weight k``, None if none is found."""
    rate = guess.copy()
    # A bracket grows around each root: below it fibres pull too little, above too much.
    low, high = np.full(len(rate), -np.inf), np.full(len(rate), np.inf)
    for _ in range(_MOST_ITERATIONS):
        drive[:, _PLACE["projected"]], drive[:, _PLACE["projected_rate"]] = base + weight * rate, rate
        values = kind.function.first(drive, kind.numbers)
        residual = values[:, _COLUMN["contraction"]]
        if not np.isfinite(residual).all():
            return None
        if np.abs(residual).max() <= _BALANCED:
            return rate
        by_rate, by_length = (values[:, _COLUMN["contraction", by]] for by in ("projected_rate", "projected"))
        slope = by_rate + weight * by_length
        low = np.where(residual < 0, np.maximum(low, rate), low)
        high = np.where(residual > 0, np.minimum(high, rate), high)
        with np.errstate(divide="ignore", invalid="ignore"):
            move = np.where(slope > 0, -residual / slope, -np.sign(residual) * _LONGEST_MOVE)
        ahead = rate + np.clip(np.nan_to_num(move), -_LONGEST_MOVE, _LONGEST_MOVE)
        bounded = np.isfinite(low) & np.isfinite(high)
        with np.errstate(invalid="ignore"):
            middle = 0.5 * (low + high)
        ahead = np.where(bounded & ~((ahead > low) & (ahead < high)), middle, ahead)
        if np.all(np.abs(ahead - rate) <= 1e-15 * np.maximum(1.0, np.abs(rate))):
            return rate if np.abs(residual).max() <= 1e-7 else None
        rate = ahead
    return None
