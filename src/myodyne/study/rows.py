"""One row of a study: its numbers put in, its measures taken out, failures as rows of their own."""

from __future__ import annotations

import time as clock
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from myodyne.data import Result
from myodyne.errors import MyodyneError
from myodyne.model import Model
from myodyne.optimise import Problem, Solution
from myodyne.simulate import simulate
from myodyne.study.engines.engine import Job
from myodyne.study.freeing import freed
from myodyne.study.lanes.rows import RunsTogether
from myodyne.study.lean import LeanRuns
from myodyne.study.measures import MeasureError, Reduced, numbers_from, reduced
from myodyne.study.problems import OBJECTIVE, ProblemRuns

if TYPE_CHECKING:
    from myodyne.study.study import Study


class Row(NamedTuple):
    """What became of one row: measures by name, or the reason why there are none, and the time that it took (s)."""

    number: int
    measures: dict[str, float]
    reason: str
    seconds: float

    @property
    def failed(self) -> bool:
        """Whether there are no measures."""
        return bool(self.reason)


class Runner:
    """Evaluates rows of one study; what they share is prepared once."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.inputs = study.inputs

    @cached_property
    def model(self) -> Model:
        """The model with its varied numbers free where they can be: rows then share compiled equations."""
        return freed(self.study.model, self.inputs.numbers)

    @cached_property
    def _reductions(self) -> dict[str, Reduced]:
        study = self.study
        names = [one for one in study.measures.values() if isinstance(one, str) and one != OBJECTIVE]
        return {name: reduced(name, study.outputs) for name in names}

    @cached_property
    def _problems(self) -> ProblemRuns | None:
        return None if self.study.problem is None else ProblemRuns(self.study)

    @cached_property
    def _plain(self) -> LeanRuns | None:
        if self.study.duration is None:
            return None
        names = {name: one for name, one in self.study.measures.items() if isinstance(one, str)}
        reductions = {name: self._reductions[one] for name, one in names.items()}
        runs = LeanRuns(self.study, self.model, reductions)
        return runs if runs.plain else None

    @property
    def _lean(self) -> LeanRuns | None:
        return self._plain if self._plain is not None and self._plain.possible else None

    @cached_property
    def _together(self) -> RunsTogether | None:
        runs = None if self._plain is None else RunsTogether(self._plain)
        return runs if runs is not None and runs.possible else None

    def problem(self, values: Mapping[str, float]) -> Problem:
        """Return the problem of a row."""
        assert self._problems is not None
        return self._problems.varied(values)

    @property
    def side_by_side(self) -> bool:
        """Whether rows are computed faster together."""
        return self._together is not None

    def rows(self, batch: Sequence[Job]) -> list[Row]:
        """Return what becomes of some rows, side by side where they can be."""
        together = self._together
        if together is None:
            return [self.row(number, values) for number, values in batch]
        began = clock.perf_counter()
        found = list(together.measured([values for _, values in batch]))
        each = (clock.perf_counter() - began) / max(len(batch), 1)
        return [
            Row(number, measures, "", each) if measures is not None else self._alone(number, values)
            for (number, values), measures in zip(batch, found, strict=True)
        ]

    def row(self, number: int, values: Mapping[str, float]) -> Row:
        """Return what becomes of some values."""
        return self._alone(number, values) if self._together is None else self.rows([(number, dict(values))])[0]

    def _alone(self, number: int, values: Mapping[str, float]) -> Row:
        began = clock.perf_counter()
        try:
            measures, reason = self._measured(number, values), ""
        except MyodyneError as error:
            measures, reason = {}, str(error)
        except Exception as error:
            # A measure is the user's code: whatever it raises, other rows go on.
            measures, reason = {}, f"{type(error).__name__}: {error}"
        return Row(number, measures, reason, clock.perf_counter() - began)

    def _measured(self, number: int, values: Mapping[str, float]) -> dict[str, float]:
        # What a march in lanes left is out of the ordinary.
        lean = None if self._lean is None or self._together is not None else self._lean.measured(values)
        return lean if lean is not None else self.taken(self.subject(number, values))

    def subject(self, number: int, values: Mapping[str, float]) -> Model | Result:
        """Return what is measured: the solution of a problem, a run, or the varied model."""
        if self._problems is not None:
            return self._problems.solved(number, values)
        model = self.inputs.model(self.model, values)
        return model if self.study.duration is None else self.run(model, values)

    def taken(self, subject: Model | Result) -> dict[str, float]:
        """Return the measures of a solution, a run, or a varied model."""
        found = dict[str, float]()
        for name, measure in self.study.measures.items():
            if measure == OBJECTIVE:
                assert isinstance(subject, Solution)
                assert subject.report.optimum is not None
                found |= numbers_from(name, subject.report.optimum.objective)
            elif isinstance(measure, str):
                assert isinstance(subject, Result)
                one = self._reductions[measure]
                found |= numbers_from(name, one(subject.time, subject.values(one.output)))
            else:
                new = numbers_from(name, measure(subject))
                twice = sorted(set(new) & set(found))
                if twice:
                    raise MeasureError(f"measure '{name}': another measure gives '{twice[0]}' too")
                found |= new
        return found

    def run(self, model: Model, values: Mapping[str, float]) -> Result:
        """Return the simulation of a row."""
        study = self.study
        assert study.duration is not None
        return simulate(
            model,
            study.duration,
            start=self.inputs.start(study.start, values),
            controls=self.inputs.controls(study.controls, values),
            scheme=study.scheme,
            until=study.until,
            every=study.every,
            progress=False,
        )
