"""Many starts on a coarse mesh, the best of them on the problem's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from myodyne.data import Trajectory
from myodyne.numerics.collocation import Transcription
from myodyne.optimise.problem import Problem, settings_for
from myodyne.optimise.screening import Screening
from myodyne.optimise.settings import Settings
from myodyne.optimise.solution import Solution
from myodyne.optimise.solving import solve_through
from myodyne.optimise.stages import Stage, mesh_sequence, stages_of
from myodyne.optimise.starts import Starts, solvers, starts_of

# Coarse solutions need not be more exact than this to be compared.
_ROUGH = 1e-1
# On the coarse mesh a start that leads to a gait takes about a hundred iterations. One that takes more than these would
# keep all others waiting.
_MOST = 400
# Coarse objectives closer than this fraction are those of one minimum.
_SAME = 0.005


@dataclass(frozen=True, eq=False)
class Screened:
    """The outcomes of a screening: of all starts on the coarse mesh, and of those that went on."""

    screening: Screening
    coarse: Starts
    fine: Starts

    @property
    def summary(self) -> str:
        """What was found, in words."""
        total = len(self.coarse.solutions) + len(self.coarse.failures)
        mesh = f"{self.screening.nodes} nodes of {self.screening.scheme!r}"
        return (
            f"the best of {total} starts: on a coarse mesh ({mesh}, the first problem of the continuation) "
            f"{self.coarse.summary}; of the best that differ, {self.fine.summary}"
        )


def screened_from(
    problem: Problem,
    guesses: Sequence[Trajectory | None],
    *,
    scheme: Transcription | None = None,
    nodes: int | Sequence[int] | None = None,
    settings: Settings | None = None,
    processes: int | None = None,
) -> Screened:
    """Return what a problem's `Screening` finds from several guesses; the arguments are those of `solve_from`."""
    screening = problem.screening or Screening()
    settings = settings_for(problem, settings)
    scheme = scheme or problem.scheme
    # The coarse mesh leaves out much, so that its solution is near that of the same problem alone: who went on to the
    # next problem at once left the gait in one of five cases.
    ahead = stages_of(mesh_sequence(nodes, problem.nodes, direct=False), problem.continuation)
    most = min(settings.most_iterations, _MOST)
    rough = replace(settings, tolerance=max(settings.tolerance, _ROUGH), most_iterations=most)
    begin = [Stage(screening.nodes, problem.continuation[0] if problem.continuation else {})]
    with solvers(problem, len(guesses), processes) as workers:
        tasks = [(problem, screening.scheme, begin, guess, rough) for guess in guesses]
        coarse = starts_of(problem, solve_through, tasks, workers, "guesses on a coarse mesh")
        waiting = different(coarse) or [coarse.best]
        fine = Starts((), {}, ())
        # Where none of the best can be solved on the fine mesh, the next ones may be.
        while waiting and not fine.solutions:
            chosen, waiting = waiting[: screening.keep], waiting[screening.keep :]
            tasks = [(problem, scheme, ahead, one, settings) for one in chosen]
            more = starts_of(problem, solve_through, tasks, workers, "guesses")
            failures = {**fine.failures, **{len(fine.failures) + n: why for n, why in more.failures.items()}}
            fine = Starts(more.solutions, failures, more.order, fine.cpu_seconds + more.cpu_seconds)
    return Screened(screening, coarse, fine)


def different(found: Starts) -> list[Solution]:
    """Return one solution of each minimum, the best first."""
    minima = minima_of(found.objectives)
    return [solution for place, solution in enumerate(found.solutions) if minima[place] not in minima[:place]]


def minima_of(objectives: Sequence[float]) -> list[int]:
    """Return the number of the minimum to which each objective belongs, the smallest objective first.

    Examples
    --------
    >>> minima_of([0.2107, 0.2108, 0.2222])
    [0, 0, 1]
    """
    numbers: list[int] = []
    first = None
    for objective in objectives:
        if first is None or objective - first > _SAME * abs(first):
            first = objective
            numbers.append(numbers[-1] + 1 if numbers else 0)
        else:
            numbers.append(numbers[-1])
    return numbers
