"""The audit of a solution: what is violated, where controls rest on their bounds, how good the mesh is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from myodyne.data import Violation
from myodyne.optimise.transcription.program import Program

Floats = NDArray[np.float64]

# How many of the worst violations a report names.
_NAMED = 3
# Closer than this part of its range to a bound, an unknown lies on it.
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
    """Return the part of the time that states and controls spend on a bound, by name."""
    shares: dict[str, float] = {}
    for phase in program.phases:
        grid = phase.grid
        for kind, names in (("states", phase.instant.states), ("controls", phase.controls)):
            places = grid.node_places(0, kind)
            for number, name in enumerate(names):
                low, high = phase.ranges[name]
                if not low < high or not np.isfinite([low, high]).all():
                    continue
                values = unknowns[places[:, number]]
                # Excitations rest at zero most of the time, which says nothing; their upper bound does.
                near = values > high - _CLOSE * (high - low)
                if not name.endswith((".excitation", ".activation")):
                    near |= values < low + _CLOSE * (high - low)
                if near.any():
                    shares[name] = max(shares.get(name, 0.0), float(near.mean()))
    return shares


def _row_errors(program: Program, unknowns: Floats) -> Floats:
    values = program.constraints(unknowns)
    low, high = program.row_bounds
    errors: Floats = np.maximum(np.maximum(low - values, values - high), 0.0)
    return errors
