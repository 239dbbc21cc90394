"""Rows without results: where only a few numbers of a run are wanted, its march alone gives them.

`simulate` makes a result of every run: all outputs by name, the audit of its energy, its provenance. For a row that
takes a millisecond this costs several more. Here the march goes through the same times from the same state, so that
the numbers are those of `simulate` to the last bit. Whatever is out of the ordinary is left to `simulate`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from myodyne.data import Trajectory
from myodyne.equations import Equations, equations_of
from myodyne.march.marching import library_of
from myodyne.model import Model
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.schemes import DOP853, Projected, Rosenbrock, Scheme
from myodyne.numerics.stepping.march import Advance, March
from myodyne.simulate.constrained import consistent_state
from myodyne.simulate.marches import march_of, prepare
from myodyne.simulate.motions import motion_signals
from myodyne.simulate.reporting.ranges import range_ends
from myodyne.simulate.reporting.record import rows_of
from myodyne.simulate.sampling import Stops, schedule_of
from myodyne.simulate.signals import merged
from myodyne.study.measures import Reduced
from myodyne.types import Booleans, Floats

if TYPE_CHECKING:
    from myodyne.study.study import Study


@dataclass(frozen=True, eq=False)
class LeanRuns:
    """Marches of one study, whose measures are all reduced outputs.

    Parameters
    ----------
    study : the study.
    model : its model, varied numbers free.
    reductions : what is wanted of each run, by the names of the columns.
    """

    study: Study
    model: Model
    reductions: Mapping[str, Reduced]

    @property
    def possible(self) -> bool:
        """Whether rows are plain marches without events."""
        # Implicit marches carry the forces of constraints along, which only `simulate` begins.
        held = bool(self.equations.multipliers) and library_of(self.scheme) != "explicit"
        return self.plain and self.study.until is None and not held

    @cached_property
    def plain(self) -> bool:
        """Whether rows are plain marches up to an event: no motions or ranges of loops, and a scheme in C."""
        study = self.study
        wanted = all(isinstance(one, str) for one in study.measures.values())
        if not wanted or study.duration is None or isinstance(study.start, Trajectory):
            return False
        if isinstance(self.scheme, Projected) or library_of(self.scheme) is None or not self.equations.compiled:
            return False
        free = set(study.inputs.numbers) <= set(self.model.free_values)
        return free and not (range_ends(self.model) or motion_signals(self.model, 1.0) or self.model.prescribed)

    @cached_property
    def scheme(self) -> Scheme:
        """The scheme, that of `simulate` where none was chosen."""
        return self.study.scheme or (Rosenbrock() if self.equations.muscles else DOP853())

    @cached_property
    def equations(self) -> Equations:
        """The equations of the model, varied numbers free."""
        return equations_of(self.model)

    @cached_property
    def stops(self) -> Stops:
        """The times (s) that every march goes through."""
        assert self.study.duration is not None
        schedule = schedule_of(0.0, float(self.study.duration), self.scheme, self.study.every, False)
        return schedule.stops(0, schedule.count)

    @cached_property
    def signals(self) -> PiecewisePolynomial:
        """The controls, where no row changes them."""
        return merged(self.study.inputs.controls(self.study.controls, {}) or {}, self.equations.controls)

    @cached_property
    def _fresh(self) -> tuple[March, object]:
        """A march for rows that differ in their start alone, and what it was like before its first step."""
        march = march_of(self.scheme, self.equations, self.signals)
        return march, march.saved()

    def measured(self, values: Mapping[str, float]) -> dict[str, float] | None:
        """Return the measures of a row; None where the march fails or a number is not finite."""
        study, inputs = self.study, self.study.inputs
        equations, signals = self.equations, None
        if inputs.numbers:
            equations = self.equations_of_row(values)
        if inputs.handles or inputs.family:
            signals = merged(inputs.controls(study.controls, values) or {}, equations.controls)
        start = inputs.start(study.start, values)
        assert not isinstance(start, Trajectory)
        first = np.append(self.first(equations, start), 0.0)
        march = self._march(equations, signals)
        stops = self.stops
        advance = march.advance(0.0, first, stops.times)
        if advance.failure is not None or len(advance.states) < len(stops.times):
            return None
        return self._reduced(equations, self.signals if signals is None else signals, first, advance)

    def first(self, equations: Equations, start: Mapping[str, float] | None) -> Floats:
        """Return the state at the beginning, on the constraints."""
        state = equations.state(start)
        if equations.multipliers:
            state, _ = consistent_state(equations, state, frozenset(start or ()))
        return state

    def equations_of_row(self, values: Mapping[str, float]) -> Equations:
        """Return the equations with the numbers of a row."""
        return equations_of(self.study.inputs.model(self.model, values))

    def _march(self, equations: Equations, signals: PiecewisePolynomial | None) -> March:
        if equations is self.equations and signals is None:
            march, fresh = self._fresh
            march.restore(fresh)
            return march
        if equations is not self.equations:
            prepare(self.scheme, equations)
        return march_of(self.scheme, equations, self.signals if signals is None else signals)

    def _reduced(
        self, equations: Equations, signals: PiecewisePolynomial, first: Floats, advance: Advance
    ) -> dict[str, float] | None:
        times, samples = self.samples
        states = advance.states if samples is None else advance.states[samples]
        outputs: Floats | None = None
        found = {}
        for name, one in self.reductions.items():
            if one.output in equations.marched:
                place = equations.marched.index(one.output)
                column = np.append(first[place], states[:, place])
            elif one.output in equations.control_columns:
                column = signals(times)[:, equations.control_columns.index(one.output)]
            else:
                # Without outputs among the measures, they are not computed.
                if outputs is None:
                    outputs = self._outputs(equations, signals, first, advance)
                column = outputs[:, equations.outputs.index(one.output)]
            if not np.all(np.isfinite(column)):
                return None
            found[name] = one(times, column)
        return found

    @cached_property
    def samples(self) -> tuple[Floats, Booleans | None]:
        """The times (s) of the record, and which of the stops they are; None for all."""
        stops = self.stops
        times = np.append(0.0, stops.times[stops.samples])
        return times, None if stops.samples.all() else stops.samples

    def _outputs(self, equations: Equations, signals: PiecewisePolynomial, first: Floats, advance: Advance) -> Floats:
        """Return all outputs at the times of the record."""
        kept, marched = self.stops.samples, len(equations.marched)
        rates = None if advance.rates is None else advance.rates[kept]
        rows = np.vstack([rows_of(equations, first[None, :]), rows_of(equations, advance.states[kept], rates)])
        return equations.outputs_at(self.samples[0], rows[:, : marched - 1], signals, rates=rows[:, marched:])
