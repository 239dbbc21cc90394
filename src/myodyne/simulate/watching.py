"""Watching a simulation: new rows are handed out as they come, and what receives them can stop it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from myodyne.data import Trajectory
from myodyne.simulate.reporting.facts import facts_of
from myodyne.simulate.reporting.phases import Phase

# Receives the new rows: their times (s) and states by name. False stops the simulation.
Watch: TypeAlias = Callable[[Trajectory], bool | None]


class Watched:
    """Hands each recorded row to a function once, in order."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._phase, self._shown = 0, 0

    def show(self, phases: Sequence[Phase]) -> bool:
        """Hand out the rows that are new; return whether the simulation shall go on."""
        wanted = True
        for number in range(self._phase, len(phases)):
            phase = phases[number]
            first = self._shown if number == self._phase else 0
            if len(phase.times) > first:
                answer = self._watch(_rows(phase, first))
                # Anything but None is an answer; comparisons of NumPy's numbers give another False than Python's.
                wanted = wanted and (answer is None or bool(answer))
            self._phase, self._shown = number, len(phase.times)
        return wanted


def _rows(phase: Phase, first: int) -> Trajectory:
    equations = phase.equations
    names, turning = equations.motion, facts_of(equations).turning
    units = {name: "rad" if name in turning else "m" for name in equations.coordinates}
    units |= {f"{name}.speed": f"{unit}/s" for name, unit in units.items()}
    return Trajectory.from_rows(phase.times[first:], names, np.array(phase.rows[first:])[:, : len(names)], units)
