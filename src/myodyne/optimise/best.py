"""`solve`: from a problem to its best movement, of several starts where the problem has them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from myodyne.data import Trajectory
from myodyne.numerics.collocation import Transcription
from myodyne.optimise.problem import Phases, Problem
from myodyne.optimise.refine import refine
from myodyne.optimise.replay import audited
from myodyne.optimise.settings import Settings
from myodyne.optimise.solution import Solution, program_of, with_report, with_wall_time
from myodyne.optimise.solving import solve_once
from myodyne.optimise.starts import Starts, solve_from


def solve(  # noqa: PLR0913 - the four that every solve names, and four about how it goes
    problem: Problem | Phases,
    scheme: Transcription | None = None,
    nodes: int | Sequence[int] | None = None,
    guess: Trajectory | None = None,
    *,
    settings: Settings | None = None,
    checkpoint: str | Path | None = None,
    audit: bool = True,
    show: bool | None = None,
) -> Solution:
    """Return the movement that satisfies all conditions of a problem and minimises the sum of its goals.

    A problem with ``starts`` is solved from each of them and from its own guess, side by side, and the best is
    returned; the report says how many ended in the same minimum. One with an ``accuracy`` has its mesh refined at the
    end. A guess given here replaces all starts.

    A solve that does not succeed raises a SolveError, whose ``result`` is where it stopped. Ctrl-C ends it with the
    status ``"interrupted"``; `resume` goes on from the checkpoint that is written then, and every 20 s before.

    Parameters
    ----------
    problem
        One problem, or `Phases`.
    scheme
        How it is discretised; the problem's own unless given.
    nodes
        Number of nodes of each phase, or the numbers of a sequence of ever finer meshes; by default the problem's,
        approached from a coarser mesh where they are many.
    guess
        The initial guess: a movement, a result, or a `Solution`, which on the same mesh starts warm; by default the
        problem's own guess, or straight from its start to its end.
    settings
        Tolerance, limits and options of the optimiser.
    checkpoint
        The file of the checkpoint; by default one in the user's cache folder, which is removed after success.
    audit
        Whether a forward simulation replays the solution; its result is in the report.
    show
        Whether to show progress; None shows it in a terminal or notebook if it takes longer than a second.

    Examples
    --------
    >>> import myodyne as my
    >>> fast = my.load_problem("sliding_mass")
    >>> solution = my.solve(fast, my.Radau(degree=3), nodes=21)
    >>> round(solution.report.optimum.duration, 4)
    0.4
    """
    began = time.perf_counter()
    several = isinstance(problem, Problem) and problem.starts and guess is None
    accuracy = problem.accuracy if isinstance(problem, Problem) and nodes is None else None
    if not several and accuracy is None:
        return solve_once(
            problem, scheme, nodes, guess, settings=settings, checkpoint=checkpoint, audit=audit, show=show
        )
    assert isinstance(problem, Problem)
    if several:
        guesses: list[Trajectory | None] = [None, *problem.starts]
        found = solve_from(problem, guesses, scheme=scheme, nodes=nodes, settings=settings)
        solution = _spread_reported(found)
    else:
        solution = solve_once(
            problem, scheme, nodes, guess, settings=settings, checkpoint=checkpoint, audit=False, show=show
        )
    if solution.report.status != "completed":
        return solution
    if accuracy is not None:
        solution = _refined(solution, accuracy, settings, show)
    elif audit:
        solution = audited(solution, program_of(solution))
    return with_wall_time(solution, time.perf_counter() - began)


def _spread_reported(found: Starts) -> Solution:
    """Return the best of several starts; its report has the objectives and the cost of all of them."""
    best = found.best
    optimum = best.report.optimum
    assert optimum is not None
    failed = (float("nan"),) * len(found.failures)
    whole = replace(optimum, starts=(*found.objectives, *failed), cpu_seconds=found.cpu_seconds)
    note = f"the best of several starts: {found.summary}"
    return with_report(best, replace(best.report, optimum=whole, notes=(*best.report.notes, note)))


def _refined(solution: Solution, accuracy: float, settings: Settings | None, show: bool | None) -> Solution:
    """Return a solution on a mesh of a given accuracy; what it cost before counts too."""
    before = solution.report
    fine = refine(solution, accuracy, settings=settings, show=show)
    one, other = before.optimum, fine.report.optimum
    assert one is not None
    assert other is not None
    if fine is solution or not other.iterations:
        return fine
    whole = replace(
        other,
        starts=one.starts,
        iterations=one.iterations + other.iterations,
        cpu_seconds=one.cpu_seconds + other.cpu_seconds,
        linear_seconds=one.linear_seconds + other.linear_seconds,
    )
    notes = (*before.notes, *(note for note in fine.report.notes if note not in before.notes))
    return with_report(fine, replace(fine.report, optimum=whole, notes=notes))
