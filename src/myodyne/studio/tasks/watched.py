"""The process that a `Watch` starts: it solves the latest order and reports every iteration."""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from myodyne.errors import MyodyneError, SolveError
from myodyne.optimise import Solution
from myodyne.optimise.ipopt.watching import Iteration
from myodyne.optimise.solving import solve_once
from myodyne.optimise.workers import answering_pipe, receive, send
from myodyne.studio.tasks.watch import Order, Seen, Solved

# Seconds between two reports, and between two that carry a movement, which takes as long as a few iterations.
_REPORT, _MOVEMENT = 0.05, 0.4


class Watched:
    """The state that the thread of orders and the thread of the solve share."""

    def __init__(self, answers: IO[bytes]) -> None:
        self._answers = answers
        self._change = threading.Condition()
        self._order: tuple[int, Order] | None = None
        self._latest = 0
        self._paused = self._stopped = self._ended = False

    def obey(self, orders: IO[bytes]) -> None:
        """Receive orders until the pipe ends."""
        while True:
            try:
                word, number, order = receive(orders)
            except (EOFError, OSError):
                word, number, order = "end", 0, None
            with self._change:
                self._take(word, number, order)
                self._change.notify_all()
            if word == "end":
                return

    def _take(self, word: str, number: int, order: Order | None) -> None:
        if word == "solve" and order is not None:
            self._order, self._latest = (number, order), number
            self._paused = self._stopped = False
        elif word in ("pause", "resume"):
            self._paused = word == "pause"
        elif word == "stop":
            self._stopped, self._paused = True, False
        else:
            self._ended = True

    def serve(self) -> None:
        """Solve orders, the latest first, until there will be none."""
        while True:
            with self._change:
                self._change.wait_for(lambda: self._ended or self._order is not None)
                if self._ended:
                    return
                assert self._order is not None
                number, order = self._order
                self._order = None
            began = time.monotonic()
            solution, failure = self._solved(number, order, began)
            send(self._answers, Solved(number, solution, time.monotonic() - began, failure))

    def goes_on(self, number: int) -> bool:
        """Wait while the solve is paused; return whether it is still wanted."""
        with self._change:
            self._change.wait_for(lambda: not self._paused or self._ended or self._latest != number)
            return not self._stopped and not self._ended and self._latest == number

    def report(self, seen: Seen) -> None:
        """Send an iterate."""
        send(self._answers, seen)

    def _solved(self, number: int, order: Order, began: float) -> tuple[Solution | None, str]:
        # A checkpoint of the studio's own: that of a solve in a script must stay.
        with tempfile.TemporaryDirectory(prefix="myodyne-") as folder:
            try:
                solution = solve_once(
                    order.problem,
                    nodes=[order.nodes] if isinstance(order.guess, Solution) else order.nodes,
                    guess=order.guess,
                    settings=order.settings,
                    checkpoint=Path(folder) / "checkpoint",
                    audit=False,
                    show=False,
                    watch=_Reporter(self, number, began),
                )
            except SolveError as error:
                kept = error.result if isinstance(error.result, Solution) else None
                return kept, str(error)
            except MyodyneError as error:
                return None, str(error)
        return solution, ""


@dataclass
class _Reporter:
    """Called in each iteration."""

    watched: Watched
    number: int
    began: float
    reported: float = 0.0
    moved: float = 0.0

    def __call__(self, iteration: Iteration) -> bool:
        now = time.monotonic()
        if now - self.reported > _REPORT:
            self.reported = now
            movement = iteration.movement() if now - self.moved > _MOVEMENT else None
            self.moved = now if movement is not None else self.moved
            facts = (iteration.number, iteration.objective, iteration.infeasibility, iteration.parts())
            self.watched.report(Seen(self.number, *facts, now - self.began, movement))
        return self.watched.goes_on(self.number)


def main() -> None:
    """Serve the process that started this one."""
    watched = Watched(answering_pipe())
    threading.Thread(target=watched.obey, args=(sys.stdin.buffer,), daemon=True).start()
    watched.serve()
