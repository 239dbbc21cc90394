"""Rows that are problems of optimal control: each is solved from the solution of its neighbour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from myodyne.errors import SolveError
from myodyne.optimise import Problem, Solution, solve
from myodyne.study.freeing import freed
from myodyne.study.neighbours import Neighbours, neighbours_of
from myodyne.study.sampling import Rows

if TYPE_CHECKING:
    from myodyne.study.study import Study

# What the objective of a solution is called among measures.
OBJECTIVE = "objective"
# Of a varied problem besides numbers of its model.
DURATION = "duration"
# Solutions that a process remembers: those of a few families.
_REMEMBERED = 64


def path_of(study: Study) -> Neighbours | None:
    """Return where each row of a study of a problem starts; None for other studies, and for searches."""
    if study.problem is None or not isinstance(study.vary, Rows):
        return None
    middle = np.mean(study.vary.values, axis=0)
    problem = study.problem
    own = [
        (problem.duration if isinstance(problem.duration, float) else middle[k])
        if name == DURATION
        else float(problem.model.value(name))
        for k, name in enumerate(study.names)
    ]
    return neighbours_of(study.vary.values, np.array(own, dtype=float))


@dataclass
class ProblemRuns:
    """Solutions of the rows of one study.

    A row whose neighbour could not be solved, or that cannot be solved from it, starts from the problem's own guess.
    So a row depends on the study alone: a process that does not have the solution of the neighbour computes it.
    """

    study: Study
    _solutions: dict[int, Solution | None] = field(default_factory=dict)

    @cached_property
    def _problem(self) -> Problem:
        """The problem with its varied numbers free where they can be: rows then share compiled code."""
        assert self.study.problem is not None
        numbers = tuple(name for name in self.study.names if name != DURATION)
        return self.study.problem.with_model(freed(self.study.problem.model, numbers))

    def varied(self, values: Mapping[str, float]) -> Problem:
        """Return the problem with the numbers of a row."""
        numbers = {name: value for name, value in values.items() if name != DURATION}
        problem = self._problem.with_values(numbers) if numbers else self._problem
        return problem.with_duration(values[DURATION]) if DURATION in values else problem

    def solved(self, number: int, values: Mapping[str, float]) -> Solution:
        """Return the solution of a row; an error where there is none."""
        path, rows = self.study.path, self.study.vary
        if path is None or not isinstance(rows, Rows):
            return self._from(values, None)
        line = [number]
        while (parent := path.parents[line[-1]]) >= 0 and parent not in self._solutions:
            line.append(parent)
        guess = self._solutions.get(path.parents[line[-1]])
        for one in line[:0:-1]:
            guess = self._remembered(one, rows[one], guess)
        try:
            found = self._from(values, guess)
        except SolveError:
            self._remember(number, None)
            raise
        self._remember(number, found)
        return found

    def _remembered(self, number: int, values: Mapping[str, float], guess: Solution | None) -> Solution | None:
        try:
            found: Solution | None = self._from(values, guess)
        except SolveError:
            found = None
        self._remember(number, found)
        return found

    def _remember(self, number: int, solution: Solution | None) -> None:
        while len(self._solutions) >= _REMEMBERED:
            self._solutions.pop(next(iter(self._solutions)))
        self._solutions[number] = solution

    def _from(self, values: Mapping[str, float], guess: Solution | None) -> Solution:
        problem = self.varied(values)
        if guess is not None:
            try:
                return _finished(solve(problem, guess=guess, audit=False, show=False))
            except SolveError:
                pass
        return _finished(solve(problem, audit=False, show=False))


def _finished(solution: Solution) -> Solution:
    """Return a solution that nobody interrupted: half of one is no row."""
    if solution.report.status == "interrupted":
        raise KeyboardInterrupt
    return solution
