"""Watching a solve: what it has reached, how long it will take, and what is kept of it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from math import log10
from typing import Any

from myodyne.optimise.ipopt.run import Moment
from myodyne.optimise.transcription.iterate import Iterate
from myodyne.optimise.transcription.program import Program

# Seconds between two checkpoints, two looks at the goals, and two copies of the iterate.
_CHECKPOINT = 20.0
_LOOK = 0.5
_COPY = 0.2


class Watcher:
    """Keeps the last iterate of a solve, writes checkpoints, and tells whoever watches.

    Parameters
    ----------
    program : the problem.
    tolerance : at which it is solved.
    keep : writes an iterate to a file.
    show : whether to show a line; None where somebody watches a terminal.
    until : the time of the monotonic clock at which the solve must stop.
    """

    def __init__(
        self,
        program: Program,
        tolerance: float,
        keep: Callable[[Iterate], None],
        show: bool | None,
        until: float | None = None,
    ) -> None:
        self._program, self._tolerance, self._keep = program, tolerance, keep
        self._show = sys.stderr.isatty() if show is None else show
        self._until = until
        self._started = self._kept = self._looked = self._copied = time.monotonic()
        self._first: float | None = None
        self._status: Any = None
        self.last: Iterate | None = None
        self.iterations = 0
        self.out_of_time = False

    def __call__(self, moment: Moment, current: Callable[[], Iterate | None]) -> bool:
        now = time.monotonic()
        self.iterations += moment.iteration > 0
        # To copy an iterate out of the optimiser takes a tenth as long as to make the next.
        if self.last is None or now - self._copied > _COPY:
            self.last, self._copied = current() or self.last, now
        if self.last is not None and now - self._kept > _CHECKPOINT:
            self._keep(self.last)
            self._kept = now
        if self._show and now - self._started > 1.0 and now - self._looked > _LOOK:
            self._looked = now
            self._tell(moment, now)
        if self._until is not None and now > self._until:
            self.out_of_time = True
            return False
        return True

    def _tell(self, moment: Moment, now: float) -> None:
        parts = {} if self.last is None else self._program.parts_of(self.last.unknowns)
        goals = "  ".join(f"{name} {value:.4g}" for name, value in parts.items())
        left = self._left(moment, now)
        line = (
            f"iteration {moment.iteration}  objective {moment.objective:.5g}  {goals}  "
            f"violation {moment.infeasibility:.1e}  {'restoring  ' if moment.restoring else ''}{left}"
        )
        if self._status is None:
            from rich.console import Console
            from rich.status import Status

            self._status = Status(line, console=Console(stderr=True))
            self._status.start()
        self._status.update(line)

    def _left(self, moment: Moment, now: float) -> str:
        """Return the time left if the errors go on to fall as they did so far: a guess, and called one."""
        error = max(moment.infeasibility, min(moment.dual_infeasibility, 1e3), moment.barrier)
        distance = log10(max(error, self._tolerance) / self._tolerance)
        self._first = max(distance, self._first or 0.0)
        done = self._first - distance
        if done <= 0:
            return "time left unknown"
        return f"about {(now - self._started) * distance / done:.0f} s left"

    def close(self) -> None:
        """Take the line away."""
        if self._status is not None:
            self._status.stop()
