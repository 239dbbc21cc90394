"""How a replay strays from a movement, and how it should."""

from __future__ import annotations

from importlib import import_module

import numpy as np
from numpy.typing import NDArray

import myodyne as my
from myodyne.optimise.transcription.program import Program

# The package shows the function of the same name.
replaying = import_module("myodyne.optimise.replay")

Floats = NDArray[np.float64]


def straying(solution: my.Solution, first: int = 0, count: int | None = None) -> tuple[Floats, Floats]:
    """Return (states) how far a replay from a node on strays in a number of intervals, and how far errors say it does.

    Each interval adds its own error, and hands on what came before as its linear motion does.
    """
    program = Program(solution.problem, solution.scheme, list(solution.meshes))
    intervals = replaying.Intervals.of(program.phases[0], solution.iterate.unknowns)
    motion = intervals.motion
    last = len(motion) - 1 if count is None else first + count
    predicted, replayed = np.zeros(motion.shape[1]), motion[first]
    for number in range(first, last):
        end = intervals.end(number, motion[number])
        slopes = []
        for place in range(motion.shape[1]):
            changed = motion[number].copy()
            step = 1e-6 * max(1.0, abs(changed[place]))
            changed[place] += step
            slopes.append((intervals.end(number, changed) - end) / step)
        predicted = np.column_stack(slopes) @ predicted + end - motion[number + 1]
        replayed = intervals.end(number, replayed)
    return replayed - motion[last], predicted
