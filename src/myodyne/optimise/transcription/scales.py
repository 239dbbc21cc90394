"""Typical sizes of unknowns and rows, by which the optimiser scales them."""

from __future__ import annotations

import numpy as np

from myodyne.model.units import angles
from myodyne.optimise.transcription.phase import PhaseProgram
from myodyne.optimise.transcription.program import Program
from myodyne.types import Floats

# The lever arm (m) at which body weight gives the unit of moments, and the rate (1/s) of activations.
_ARM = 0.15
_RATE = 10.0
# Sizes of speeds (rad/s, m/s), and of everything else.
_SPEED = 3.0


def scales_of(program: Program) -> tuple[Floats, Floats]:
    """Return the sizes of all unknowns and of all rows."""
    sizes, heights = np.ones(program.count), np.ones(program.rows)
    for number, phase in enumerate(program.phases):
        rows = _row_sizes(phase)
        for group in program.groups:
            if group.phase == number:
                own = [rows.get(what, 1.0) for what in group.what]
                heights[group.first : group.first + group.count] = np.tile(own, len(group.times))
        grid = phase.grid
        states = np.ones(phase.sizes.states)
        coordinates = len(phase.instant.coordinates)
        states[coordinates : 2 * coordinates] = _SPEED
        for point in range(len(grid.point_sizes)):
            sizes[grid.node_places(point, "states")] = states
            if grid.collocation.rated:
                # Rates are by the fraction of the duration.
                sizes[grid.node_places(point, "rates")] = _RATE * states[: phase.sizes.motion]
    for place, name in enumerate(program.parameters):
        low, high = program.parameters[name]
        sizes[program.shared_start + len(program.phases) + place] = max(abs(low), abs(high), 1e-12) or 1.0
    return sizes, heights


def _row_sizes(phase: PhaseProgram) -> dict[str, float]:
    model = phase.instant.model
    weight = max(model.mass * float(np.linalg.norm(model.gravity)), 1.0)
    turning = angles(model)
    rows = {}
    for name in phase.instant.balanced:
        rows[f"equation of {name}.speed"] = weight * _ARM if name in turning else weight
        rows[f"equation of {name}"] = rows[f"step of {name}.speed"] = _SPEED
    for name in phase.instant.layout.activations:
        rows[f"equation of {name}"] = _RATE
    return rows
