"""Several starts: the same problem from different guesses, at the same time."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from myodyne.data import Trajectory
from myodyne.errors import ModelError, MyodyneError, SolveError
from myodyne.numerics.collocation import Transcription
from myodyne.optimise.problem import Problem
from myodyne.optimise.settings import Settings
from myodyne.optimise.solution import Solution
from myodyne.optimise.solving import solve_once
from myodyne.optimise.workers import Workers
from myodyne.progress import task

# Objectives that differ by less than this fraction count as the same minimum.
_SAME_MINIMUM = 0.01


@dataclass(frozen=True, eq=False)
class Starts:
    """The outcomes of several starts.

    Parameters
    ----------
    solutions
        Those that were solved, the best first.
    failures
        Why the others were not, by the number of the guess.
    order
        The number of the guess of each solution.
    cpu_seconds
        Processor time of all of them, those that failed included.

    Examples
    --------
    >>> import myodyne as my
    >>> found = my.solve_from(my.load_problem("sliding_mass"), [None, None], nodes=11, processes=1)
    >>> found.best.report.status, found.failures
    ('completed', {})
    """

    solutions: tuple[Solution, ...]
    failures: dict[int, str]
    order: tuple[int, ...]
    cpu_seconds: float = 0.0

    @property
    def best(self) -> Solution:
        """The solution with the smallest objective."""
        if not self.solutions:
            why = next(iter(self.failures.values()), "there were no guesses")
            raise SolveError(f"none of {len(self.failures)} starts was solved; the first: {why}")
        return self.solutions[0]

    @property
    def objectives(self) -> tuple[float, ...]:
        """The objectives, the smallest first."""
        return tuple(s.report.optimum.objective for s in self.solutions if s.report.optimum is not None)

    @property
    def agreeing(self) -> int:
        """How many ended within one per cent of the smallest objective: in the same minimum, most likely."""
        smallest = self.objectives[0] if self.objectives else 0.0
        return sum(value - smallest <= _SAME_MINIMUM * abs(smallest) for value in self.objectives)

    @property
    def summary(self) -> str:
        """How many were solved, how many agree, and how far the others are."""
        total = len(self.solutions) + len(self.failures)
        said = f"{len(self.solutions)} of {total} were solved"
        if not self.solutions:
            return said
        said += f", {self.agreeing} of them within one per cent of the smallest objective, {self.objectives[0]:.6g}"
        others = self.objectives[self.agreeing :]
        return f"{said}, the others from {others[0]:.6g} to {others[-1]:.6g}" if others else said

    def __str__(self) -> str:
        return "\n".join([self.summary, *(f"  start {number:<7} {why[:160]}" for number, why in self.failures.items())])


def solve_from(
    problem: Problem,
    guesses: Sequence[Trajectory | None],
    *,
    scheme: Transcription | None = None,
    nodes: int | Sequence[int] | None = None,
    settings: Settings | None = None,
    processes: int | None = None,
) -> Starts:
    """Return the solutions of a problem from several guesses: different guesses lead to different minima.

    Parameters
    ----------
    problem
        The problem; with functions among its goals or conditions it is solved in this process only.
    guesses
        Initial guesses; None means the problem's own.
    scheme, nodes, settings
        As in `solve`.
    processes
        How many starts run in parallel; by default one for each processor.

    Examples
    --------
    >>> import myodyne as my
    >>> found = my.solve_from(my.load_problem("sliding_mass"), [None, None], nodes=11, processes=1)
    >>> found.order, round(found.objectives[0], 2)
    ((0, 1), 0.4)
    """
    if not len(guesses):
        raise ModelError("solve_from needs at least one guess; None means the problem's own")
    arguments: dict[str, Any] = {"scheme": scheme, "nodes": nodes, "settings": settings, "audit": False, "show": False}
    with solvers(problem, len(guesses), processes) as workers:
        tasks = [(problem, guess, arguments) for guess in guesses]
        return starts_of(problem, _from_guess, tasks, workers)


@contextmanager
def solvers(problem: Problem, most: int, processes: int | None = None) -> Iterator[Workers | None]:
    """Return processes that solve a problem side by side, at most so many; None where it is solved in this one."""
    custom = any(part.kind == "custom" for part in (*problem.goals, *problem.conditions))
    count = min(most, processes or os.cpu_count() or 1)
    # Without an interpreter of its own, as inside another program, there is no second process.
    if custom or count == 1 or not sys.executable:
        yield None
        return
    with Workers(count) as workers:
        yield workers


def starts_of(
    problem: Problem,
    solver: Callable[..., Solution],
    tasks: Sequence[tuple[object, ...]],
    workers: Workers | None,
    unit: str = "guesses",
) -> Starts:
    """Return the outcomes of a solver for several tasks, each a tuple of its arguments."""
    found: list[tuple[float, int, Solution]] = []
    failures: dict[int, str] = {}
    seconds = 0.0
    with task(f"Solving '{problem.name}'", total=len(tasks), unit=unit) as solving:
        answers: Iterator[tuple[int, tuple[Solution | str, float]]]
        if workers is None:
            answers = ((number, _solved(solver, one)) for number, one in enumerate(tasks))
        else:
            answers = workers.evaluated(_solved, [(solver, one) for one in tasks])
        for number, (answer, spent) in answers:
            seconds += spent
            solving.advance()
            if isinstance(answer, str):
                failures[number] = answer
            else:
                assert answer.report.optimum is not None
                found.append((answer.report.optimum.objective, number, answer))
    found.sort(key=lambda item: item[:2])
    failures = dict(sorted(failures.items()))
    return Starts(tuple(item[2] for item in found), failures, tuple(item[1] for item in found), seconds)


def _from_guess(problem: Problem, guess: Trajectory | None, arguments: dict[str, Any]) -> Solution:
    return solve_once(problem, guess=guess, **arguments)


def _solved(solver: Callable[..., Solution], arguments: tuple[object, ...]) -> tuple[Solution | str, float]:
    """Return a solution, or the reason of the failure, and the processor time spent (s)."""
    began = time.process_time()
    try:
        solution = solver(*arguments)
    except MyodyneError as error:
        return str(error), time.process_time() - began
    answer = solution if solution.report.succeeded else solution.report.message
    return answer, time.process_time() - began
