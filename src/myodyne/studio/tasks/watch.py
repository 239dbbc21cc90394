"""A solve in a process of its own, watched: its iterates come as they are made; it pauses, goes on and stops."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from subprocess import Popen
from typing import Any

from myodyne.data import Trajectory
from myodyne.errors import SolveError
from myodyne.optimise import Problem, Settings, Solution
from myodyne.optimise.workers import launched, receive, send


@dataclass(frozen=True, eq=False)
class Order:
    """What to solve: a problem, on so many nodes, from a guess; None is the problem's own."""

    problem: Problem
    nodes: int
    guess: Trajectory | None = None
    settings: Settings | None = None


@dataclass(frozen=True, eq=False)
class Seen:
    """An iterate: number, objective and its parts, violation, seconds since the start, now and then a movement."""

    order: int
    iteration: int
    objective: float
    infeasibility: float
    parts: Mapping[str, float]
    seconds: float
    movement: Trajectory | None = None


@dataclass(frozen=True, eq=False)
class Solved:
    """The end of a solve: its solution, also of one that was stopped, or why there is none."""

    order: int
    solution: Solution | None
    seconds: float
    failure: str = ""


class Watch:
    """One process that solves one problem at a time; an order that comes meanwhile ends the one before it.

    Parameters
    ----------
    answer
        Receives each `Seen` and, at the end, the `Solved` of the latest order, in a thread of the watch.

    Examples
    --------
    >>> import myodyne as my
    >>> heard = []
    >>> watch = Watch(heard.append)
    >>> number = watch.solve(Order(my.load_problem("sliding_mass"), nodes=11))
    >>> watch.wait()
    >>> heard[-1].order == number, heard[-1].solution.report.status
    (True, 'completed')
    >>> watch.close()
    """

    def __init__(self, answer: Callable[[Seen | Solved], None]) -> None:
        self._answer = answer
        self._change = threading.Condition()
        self._process: Popen[bytes] | None = None
        self._latest, self._busy, self._closed = 0, False, False

    @property
    def busy(self) -> bool:
        """Whether an order is being solved."""
        return self._busy

    def solve(self, order: Order) -> int:
        """Solve something as soon as possible; return the number of the order."""
        with self._change:
            if self._closed:
                raise SolveError("the watch is closed: make another")
            self._latest += 1
            self._busy = True
            if self._process is None:
                self._begin()
            self._send(("solve", self._latest, order))
            return self._latest

    def pause(self) -> None:
        """Let the solve rest after its next iteration."""
        self._say("pause")

    def resume(self) -> None:
        """Let a solve that rests go on."""
        self._say("resume")

    def stop(self) -> None:
        """End the solve; the best so far is its answer."""
        self._say("stop")

    def wait(self, seconds: float = 120.0) -> None:
        """Wait until nothing is solved."""
        with self._change:
            self._change.wait_for(lambda: not self._busy, seconds)

    def close(self) -> None:
        """End the process, whatever it does."""
        with self._change:
            self._closed = True
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()

    def _begin(self) -> None:
        self._process = launched("myodyne.studio.tasks.watched")
        reader = threading.Thread(target=self._listen, args=(self._process,), name="studio watch", daemon=True)
        reader.start()

    def _say(self, word: str) -> None:
        with self._change:
            if self._process is not None and self._busy:
                self._send((word, self._latest, None))

    def _send(self, message: tuple[str, int, Order | None]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            send(self._process.stdin, message)
        except BrokenPipeError:
            # The reader finds the end of the other pipe and reports it.
            return

    def _listen(self, process: Popen[bytes]) -> None:
        assert process.stdout is not None
        while True:
            try:
                answer: Any = receive(process.stdout)
            except (EOFError, OSError, ValueError):
                self._ended(process)
                return
            self._hand_out(answer)

    def _hand_out(self, answer: Seen | Solved) -> None:
        with self._change:
            # What belongs to an order that was replaced is out of date.
            if self._closed or answer.order != self._latest:
                return
        self._answer(answer)
        if isinstance(answer, Solved):
            with self._change:
                if answer.order == self._latest:
                    self._busy = False
                self._change.notify_all()

    def _ended(self, process: Popen[bytes]) -> None:
        """Report a process that ended by itself, as where memory ran out; the next order starts another."""
        code = process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        with self._change:
            if self._closed or self._process is not process:
                return
            self._process = None
            latest, was_busy = self._latest, self._busy
        if was_busy:
            why = f"the process that solves ended (exit code {code}); change something to start another"
            self._hand_out(Solved(latest, None, 0.0, why))
