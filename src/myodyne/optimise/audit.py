"""The audit of a solution: what is violated, and which bounds are active."""

from __future__ import annotations

import numpy as np

from myodyne.data import Violation
from myodyne.optimise.conditions import range_of
from myodyne.optimise.transcription.program import Program
from myodyne.types import Floats

# How many of the worst violations a report names.
_NAMED = 3
# An unknown closer than this fraction of its range to a bound lies on it.
_CLOSE = 1e-3


def largest_violation(program: Program, unknowns: Floats, heights: Floats) -> float:
    """Return the largest violation of a row or bound, in the sizes of the rows."""
    errors = _row_errors(program, unknowns) / heights
    lower, upper = program.bounds
    beyond = np.maximum(np.maximum(lower - unknowns, unknowns - upper), 0.0)
    return float(max(errors.max(initial=0.0), beyond.max(initial=0.0)))


def worst_violations(program: Program, unknowns: Floats, heights: Floats, tolerance: float) -> tuple[Violation, ...]:
    """Return the rows that are violated most beyond a tolerance: what, when (s), and by how much in their own unit."""
    errors = _row_errors(program, unknowns)
    found = []
    for group in program.groups:
        own = errors[group.first : group.first + group.count].reshape(len(group.times), len(group.what))
        sizes = heights[group.first : group.first + group.count].reshape(own.shape)
        if not own.size:
            continue
        phase = program.phases[group.phase]
        duration = float(unknowns[phase.grid.shared[0]])
        for number, what in enumerate(group.what):
            row = int(np.argmax(own[:, number] / sizes[:, number]))
            found.append(
                (
                    float(own[row, number] / sizes[row, number]),
                    Violation(what, phase.problem.start + float(group.times[row]) * duration, float(own[row, number])),
                )
            )
    found = [pair for pair in found if pair[0] > tolerance]
    found.sort(key=lambda pair: -pair[0])
    return tuple(violation for _, violation in found[:_NAMED])


def at_bounds(program: Program, unknowns: Floats) -> dict[str, float]:
    """Return the fraction of time that states and controls spend on a bound, by name."""
    fractions: dict[str, float] = {}
    for phase in program.phases:
        grid = phase.grid
        low, high = range_of(phase.problem.duration)
        if low < high:
            lasting = float(unknowns[grid.shared[0]])
            if min(lasting - low, high - lasting) < _CLOSE * (high - low):
                fractions["duration"] = 1.0
        for kind, names in (("states", phase.instant.states), ("controls", phase.controls)):
            places = grid.node_places(0, kind)
            for number, name in enumerate(names):
                low, high = phase.ranges[name]
                if not low < high or not np.isfinite([low, high]).all():
                    continue
                values = unknowns[places[:, number]]
                # Excitations are zero most of the time, which is normal; only their upper bound matters.
                near = values > high - _CLOSE * (high - low)
                if not name.endswith((".excitation", ".activation")):
                    near |= values < low + _CLOSE * (high - low)
                if near.any():
                    fractions[name] = max(fractions.get(name, 0.0), float(near.mean()))
    return fractions


def undefined_terms(program: Program, unknowns: Floats) -> list[str]:
    """Return the names of the goals and rows that are NaN or infinite, or whose derivatives are."""
    names = [name for name, value in program.parts_of(unknowns).items() if not np.isfinite(value)]
    if not names and not np.isfinite(program.gradient(unknowns)).all():
        names.append("the gradient of a goal")
    wrong = ~np.isfinite(program.constraints(unknowns))
    wrong[program.jacobian_places[0][~np.isfinite(program.jacobian(unknowns))]] = True
    for group in program.groups:
        found = np.flatnonzero(wrong[group.first : group.first + group.count])
        names += [group.what[number] for number in sorted(set((found % max(len(group.what), 1)).tolist()))]
    return names


def _row_errors(program: Program, unknowns: Floats) -> Floats:
    values = program.constraints(unknowns)
    low, high = program.row_bounds
    errors: Floats = np.maximum(np.maximum(low - values, values - high), 0.0)
    return errors
