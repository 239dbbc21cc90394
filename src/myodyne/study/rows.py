"""One row of a study: its numbers put in, its measures taken out, failures as rows of their own."""

from __future__ import annotations

import time as clock
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from myodyne.data import Result
from myodyne.equations import equations_of
from myodyne.errors import ModelError, MyodyneError
from myodyne.model import Model
from myodyne.simulate import simulate
from myodyne.study.lean import LeanRuns
from myodyne.study.measures import MeasureError, Reduced, numbers_from, reduced

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
    def _model(self) -> Model:
        """The model with its varied numbers free where they can be: rows then share compiled equations."""
        return freed(self.study.model, self.inputs.numbers)

    @cached_property
    def _reductions(self) -> dict[str, Reduced]:
        study = self.study
        names = [one for one in study.measures.values() if isinstance(one, str)]
        return {name: reduced(name, study.outputs) for name in names}

    @cached_property
    def _lean(self) -> LeanRuns | None:
        names = {name: one for name, one in self.study.measures.items() if isinstance(one, str)}
        reductions = {name: self._reductions[one] for name, one in names.items()}
        runs = LeanRuns(self.study, self._model, reductions)
        return runs if runs.possible else None

    def row(self, number: int, values: Mapping[str, float]) -> Row:
        """Return what becomes of some values."""
        began = clock.perf_counter()
        try:
            measures, reason = self._measured(values), ""
        except MyodyneError as error:
            measures, reason = {}, str(error)
        except Exception as error:
            # A measure is the user's code: whatever it raises, other rows go on.
            measures, reason = {}, f"{type(error).__name__}: {error}"
        return Row(number, measures, reason, clock.perf_counter() - began)

    def _measured(self, values: Mapping[str, float]) -> dict[str, float]:
        study, found = self.study, dict[str, float]()
        lean = None if self._lean is None else self._lean.measured(values)
        if lean is not None:
            return lean
        model = self.inputs.model(self._model, values)
        subject: Model | Result = model if study.duration is None else self.run(model, values)
        for name, measure in study.measures.items():
            if isinstance(measure, str):
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


def freed(model: Model, names: tuple[str, ...]) -> Model:
    """Return the model with numbers free, except those that shape the equations.

    Rows with other values of those need code of their own, which takes longer.
    """
    made = model
    for name in names:
        try:
            trial = made.free(name)
            equations_of(trial, compiled=False)
        except ModelError:
            continue
        made = trial
    return made
