"""Several starts: the same problem from different guesses, at the same time."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from myodyne.data import Trajectory
from myodyne.errors import ModelError, MyodyneError, SolveError
from myodyne.numerics.collocation import Transcription
from myodyne.optimise.problem import Problem
from myodyne.optimise.settings import Settings
from myodyne.optimise.solution import Solution
from myodyne.optimise.solving import solve
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

    def __str__(self) -> str:
        total = len(self.solutions) + len(self.failures)
        lines = [f"{len(self.solutions)} of {total} starts were solved"]
        if self.solutions:
            smallest = self.objectives[0]
            near = sum(value - smallest <= _SAME_MINIMUM * abs(smallest) for value in self.objectives)
            lines.append(
                f"  objectives    {smallest:.6g} to {self.objectives[-1]:.6g}; {near} within one per cent of "
                "the smallest"
            )
        lines += [f"  start {number:<7} {why[:160]}" for number, why in self.failures.items()]
        return "\n".join(lines)


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
    custom = any(part.kind == "custom" for part in (*problem.goals, *problem.conditions))
    count = min(len(guesses), processes or os.cpu_count() or 1)
    found: list[tuple[float, int, Solution]] = []
    failures: dict[int, str] = {}

    def take(number: int, answer: Solution | str) -> None:
        if isinstance(answer, str):
            failures[number] = answer
        else:
            assert answer.report.optimum is not None
            found.append((answer.report.optimum.objective, number, answer))

    with task(f"Solving '{problem.name}'", total=len(guesses), unit="guesses") as solving:
        if custom or count == 1:
            for number, guess in enumerate(guesses):
                take(number, _solved(problem, guess, arguments))
                solving.advance()
        else:
            # A forked child would share the locks of threads that it does not have.
            with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
                waiting = {
                    pool.submit(_solved, problem, guess, arguments): number for number, guess in enumerate(guesses)
                }
                for done in as_completed(waiting):
                    take(waiting[done], done.result())
                    solving.advance()
    found.sort(key=lambda item: item[:2])
    failures = dict(sorted(failures.items()))
    return Starts(tuple(item[2] for item in found), failures, tuple(item[1] for item in found))


def _solved(problem: Problem, guess: Trajectory | None, arguments: dict[str, Any]) -> Solution | str:
    """Return a solution, or the reason of the failure."""
    try:
        solution = solve(problem, guess=guess, **arguments)
    except MyodyneError as error:
        return str(error)
    return solution if solution.report.succeeded else solution.report.message
