"""`solve`: from a problem to its best movement, of several starts where the problem has them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from myodyne.data import Trajectory
from myodyne.numerics.collocation import Transcription
from myodyne.optimise.ipopt.watching import Watch
from myodyne.optimise.problem import Phases, Problem, settings_for
from myodyne.optimise.refine import refine
from myodyne.optimise.replay import audited
from myodyne.optimise.screened import screened_from
from myodyne.optimise.settings import Settings
from myodyne.optimise.solution import Solution, program_of, with_report, with_wall_time
from myodyne.optimise.solving import solve_once
from myodyne.optimise.starts import Starts, solve_from

# Tolerance of several starts whose best is solved again on finer meshes.
_SEARCHING = 1e-3


def solve(  # noqa: PLR0913 - the four that every solve names, and five about how it goes
    problem: Problem | Phases,
    scheme: Transcription | None = None,
    nodes: int | Sequence[int] | None = None,
    guess: Trajectory | None = None,
    *,
    settings: Settings | None = None,
    checkpoint: str | Path | None = None,
    audit: bool = True,
    show: bool | None = None,
    watch: Watch | None = None,
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
    watch
        Called in each iteration with its ``number``, ``objective``, ``infeasibility``, and ``parts()`` and
        ``movement()`` a few times a second at most anew; when it returns False, the solve ends with the status
        ``"interrupted"`` and the best so far. Of several starts, and of a mesh that is refined, the first solve is
        watched alone.

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
            problem,
            scheme,
            nodes,
            guess,
            settings=settings,
            checkpoint=checkpoint,
            audit=audit,
            show=show,
            watch=watch,
        )
    assert isinstance(problem, Problem)
    if several:
        # What is refined later need not be solved exactly now.
        whole = settings_for(problem, settings)
        rough = whole if accuracy is None else replace(whole, tolerance=max(whole.tolerance, _SEARCHING))
        solution = _best_of_starts(problem, scheme, nodes, rough)
    else:
        solution = solve_once(
            problem,
            scheme,
            nodes,
            guess,
            settings=settings,
            checkpoint=checkpoint,
            audit=False,
            show=show,
            watch=watch,
        )
    if solution.report.status != "completed":
        return solution
    if accuracy is not None:
        solution = _refined(solution, accuracy, settings, show)
    elif audit:
        solution = audited(solution, program_of(solution))
    return with_wall_time(solution, time.perf_counter() - began)


def _best_of_starts(
    problem: Problem, scheme: Transcription | None, nodes: int | Sequence[int] | None, settings: Settings
) -> Solution:
    """Return the best of all starts; its report has the objectives and the cost of all of them."""
    guesses: list[Trajectory | None] = [None, *problem.starts]
    if problem.screening is None:
        found = solve_from(problem, guesses, scheme=scheme, nodes=nodes, settings=settings)
        return _spread_reported(found.best, found, found.cpu_seconds, f"the best of several starts: {found.summary}")
    screened = screened_from(problem, guesses, scheme=scheme, nodes=nodes, settings=settings)
    spent = screened.coarse.cpu_seconds + screened.fine.cpu_seconds
    return _spread_reported(screened.fine.best, screened.coarse, spent, screened.summary)


def _spread_reported(best: Solution, found: Starts, spent: float, note: str) -> Solution:
    optimum = best.report.optimum
    assert optimum is not None
    failed = (float("nan"),) * len(found.failures)
    whole = replace(optimum, starts=(*found.objectives, *failed), cpu_seconds=spent)
    return with_report(best, replace(best.report, optimum=whole, notes=(*best.report.notes, note)))


def _refined(solution: Solution, accuracy: float, settings: Settings | None, show: bool | None) -> Solution:
    """Return a solution on a mesh of a given accuracy; what it cost before counts too."""
    settings = settings_for(solution.problem, settings)
    searched = _halved(solution, settings, show)
    fine = refine(searched, accuracy, settings=settings, show=show)
    stages = [solution, *(one for one, before in ((searched, solution), (fine, searched)) if _finer(one, before))]
    parts = [one.report.optimum for one in stages if one.report.optimum is not None]
    last = fine.report.optimum
    assert last is not None
    whole = replace(
        last,
        starts=parts[0].starts,
        iterations=sum(part.iterations for part in parts),
        cpu_seconds=sum(part.cpu_seconds for part in parts),
        linear_seconds=sum(part.linear_seconds for part in parts),
    )
    before = solution.report.notes
    notes = (*before, *(note for note in fine.report.notes if note not in before))
    return with_report(fine, replace(fine.report, optimum=whole, notes=notes))


def _halved(solution: Solution, settings: Settings, show: bool | None) -> Solution:
    """Return the best of several starts with all intervals halved once; what started from one solution stays.

    Intervals where the equations hold well are halved too: goals may miss what happens between coarse points.
    """
    problem, nodes = solution.problem, len(solution.meshes[0])
    if not isinstance(problem, Problem) or not problem.starts or nodes != problem.nodes:
        return solution
    return solve_once(problem, solution.scheme, [2 * nodes - 1], solution, settings=settings, audit=False, show=show)


def _finer(one: Solution, other: Solution) -> bool:
    return len(one.meshes[0]) > len(other.meshes[0])
