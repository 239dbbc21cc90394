"""Follows a solve: keeps its last iterate, writes checkpoints, shows progress, lets others watch, stops it in time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import log10
from typing import TypeAlias

from myodyne.data import Trajectory
from myodyne.optimise.ipopt.run import Moment
from myodyne.optimise.solution import trajectory_of
from myodyne.optimise.transcription.iterate import Iterate
from myodyne.optimise.transcription.program import Program
from myodyne.progress import Task

# Seconds between two checkpoints, two updates of the progress shown, and two copies of the iterate.
_CHECKPOINT = 20.0
_SHOW = 0.5
_COPY = 0.2
# Scaled violations below this count as none where the best of several iterates is kept.
_FEASIBLE = 1e-3


@dataclass(frozen=True)
class Iteration:
    """What the watcher of a solve sees: an iteration, its objective, how far the constraints are from holding.

    Parameters
    ----------
    number
        Counted from the beginning of the solve on this mesh.
    nodes
        Of the mesh.
    objective, infeasibility
        The sum of all goals, and the largest violation of a constraint, as the optimiser scales it.
    restoring
        Whether the optimiser left the objective alone to make the constraints hold first.
    """

    number: int
    nodes: int
    objective: float
    infeasibility: float
    restoring: bool
    _program: Program
    _iterate: Iterate

    def parts(self) -> dict[str, float]:
        """Return what each goal adds to the objective."""
        return self._program.parts_of(self._iterate.unknowns)

    def movement(self) -> Trajectory:
        """Return the movement as it is now, at the nodes."""
        return trajectory_of(self._program, self._iterate.unknowns)


# False stops the solve.
Watch: TypeAlias = Callable[[Iteration], bool | None]


class Watcher:
    """Called in each iteration; returns whether to go on.

    Parameters
    ----------
    program : the problem.
    tolerance : at which it is solved.
    keep : writes an iterate to a file.
    task : shows the progress.
    until : the time of the monotonic clock at which the solve must stop.
    watch : is shown iterations; the solve stops when it returns False, and the best of those shown is kept.
    """

    def __init__(
        self,
        program: Program,
        tolerance: float,
        keep: Callable[[Iterate], None],
        task: Task,
        until: float | None = None,
        watch: Watch | None = None,
    ) -> None:
        self._program, self._tolerance, self._keep = program, tolerance, keep
        self._task, self._until, self._watch = task, until, watch
        self._started = self._kept = self._shown = self._copied = time.monotonic()
        self._first: float | None = None
        self.last: Iterate | None = None
        self.iterations = 0
        self.out_of_time = self.stopped = False
        self.best: Iterate | None = None
        self._merit = (float("inf"), float("inf"))
        # When the first iteration was reached, by the clock of the process.
        self.first_seen: float | None = None

    @property
    def ended(self) -> bool:
        """Whether no further search should begin: the time is up, or who watches wants no more."""
        return self.out_of_time or self.stopped

    def __call__(self, moment: Moment, current: Callable[[], Iterate | None]) -> bool:
        now = time.monotonic()
        self.first_seen = self.first_seen or time.perf_counter()
        self.iterations += moment.iteration > 0
        # To copy an iterate out of the optimiser takes a tenth as long as to make the next.
        if self.last is None or now - self._copied > _COPY:
            self.last, self._copied = current() or self.last, now
            self._rank(moment)
        if self.last is not None and now - self._kept > _CHECKPOINT:
            self._keep(self.last)
            self._kept = now
        if self._task.watched and now - self._shown > _SHOW:
            self._shown = now
            self._show(moment, now)
        if self._until is not None and now > self._until:
            self.out_of_time = True
            return False
        return self._goes_on(moment)

    def _rank(self, moment: Moment) -> None:
        """Keep the iterate if it is the best so far: first the constraints must hold, then the objective counts."""
        merit = (max(moment.infeasibility, _FEASIBLE), moment.objective)
        if self.last is not None and merit <= self._merit:
            self.best, self._merit = self.last, merit

    def _goes_on(self, moment: Moment) -> bool:
        if self._watch is None or self.last is None:
            return True
        nodes = len(self._program.phases[0].grid.mesh)
        seen = (moment.objective, moment.infeasibility, moment.restoring)
        self.stopped = self._watch(Iteration(self.iterations, nodes, *seen, self._program, self.last)) is False
        return not self.stopped

    def _show(self, moment: Moment, now: float) -> None:
        parts = {} if self.last is None else self._program.parts_of(self.last.unknowns)
        goals = [f"{name} {value:.4g}" for name, value in parts.items()]
        line = [f"iteration {moment.iteration}", f"objective {moment.objective:.5g}"]
        line += [f"({', '.join(goals)})"] if len(goals) > 1 else []
        line += [f"violation {moment.infeasibility:.1e}"] + ["restoring feasibility"] * moment.restoring
        self._task.update(note="  ".join(line), left=self._left(moment, now))

    def _left(self, moment: Moment, now: float) -> float | None:
        """Return the time left (s) if the errors go on falling as they did so far: a rough guess."""
        error = max(moment.infeasibility, min(moment.dual_infeasibility, 1e3), moment.barrier)
        distance = log10(max(error, self._tolerance) / self._tolerance)
        self._first = max(distance, self._first or 0.0)
        done = self._first - distance
        return (now - self._started) * distance / done if done > 0 else None
