"""Rows side by side: several marches at once in the lanes of the processor, where rows are plain marches.

Every lane has its own start, numbers and controls, and no lane changes another, so that a row has the same numbers
whatever rows are beside it. Rows that are missing at the end of a batch are filled with copies of its first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from myodyne.data import Trajectory
from myodyne.equations.lanes import LANES
from myodyne.equations.requests import LaneKernel
from myodyne.errors import MyodyneError
from myodyne.march.together import MarchTogether
from myodyne.model.values import BodyNumbers
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.schemes import RK4, Euler, Heun
from myodyne.simulate.signals import merged
from myodyne.study.inputs import START
from myodyne.study.lean import LeanRuns
from myodyne.types import Booleans, Floats

Values: TypeAlias = Mapping[str, float]
# Which rows can be computed, and the start, numbers and controls of all of them.
_Given: TypeAlias = tuple[Booleans, Floats, Floats, list[PiecewisePolynomial]]


@dataclass(frozen=True, eq=False)
class RunsTogether:
    """Rows of one study in lanes.

    Parameters
    ----------
    lean
        The same rows as marches one by one.
    """

    lean: LeanRuns

    @property
    def possible(self) -> bool:
        """Whether rows march in lanes: explicit schemes of equal steps, and no muscles."""
        lean = self.lean
        return lean.possible and isinstance(lean.scheme, Euler | Heun | RK4) and not lean.equations.muscles

    def measured(self, rows: Sequence[Values]) -> Iterator[dict[str, float] | None]:
        """Yield the measures of rows in their order; None for those that are left to `simulate`."""
        for first in range(0, len(rows), LANES):
            part = rows[first : first + LANES]
            yield from self._part([*part, *[part[0]] * (LANES - len(part))])[: len(part)]

    @cached_property
    def _march(self) -> MarchTogether:
        equations, scheme = self.lean.equations, self.lean.scheme
        assert isinstance(scheme, Euler | Heun | RK4)
        assert equations.runtime is not None
        kernel = equations.kernel(LaneKernel("marched"))
        return MarchTogether(scheme, kernel, equations.runtime, self.lean.stops.times, self._kept)

    @cached_property
    def _kept(self) -> tuple[int, ...]:
        """The places of the states that the measures need on the way: all of them for other outputs."""
        marched = self.lean.equations.marched
        named = {*marched, *self.lean.equations.control_columns}
        wanted = [one for one in self.lean.reductions.values() if one.needed == slice(None)]
        if any(one.output not in named for one in wanted):
            return tuple(range(len(marched)))
        return tuple(sorted({marched.index(one.output) for one in wanted if one.output in marched}))

    def _part(self, rows: Sequence[Values]) -> list[dict[str, float] | None]:
        good, starts, numbers, signals = self._given(rows)
        marched = self._march.advance(starts, numbers, signals)
        if marched is None:
            return [None] * LANES
        states, last = marched
        # A state that is not finite stays so until the end.
        good = good & np.isfinite(last).all(axis=0)
        record = _Record(self.lean, (starts.T[None], states, last[None]), self._kept, numbers, signals)
        columns = dict[str, list[float]]()
        with np.errstate(all="ignore"):
            for name, one in self.lean.reductions.items():
                column = one.over(record.times[one.needed], record.values(one.output, one.needed))
                good = good & np.isfinite(column)
                columns[name] = column.tolist()
        return [
            {name: column[lane] for name, column in columns.items()} if good[lane] else None for lane in range(LANES)
        ]

    def _given(self, rows: Sequence[Values]) -> _Given:
        """Return which rows can be computed, and start, numbers and controls of all of them."""
        good, starts, numbers, signals = self._usual()
        inputs = self.lean.study.inputs
        # Numbers and states may move the start that the constraints allow.
        moved = bool(self.lean.equations.multipliers) and bool(inputs.numbers or inputs.states)
        if inputs.handles or inputs.family or moved or not self._numbers.alone:
            return self._one_by_one(rows)
        places, base = self._base
        starts[:, :-1] = base
        starts[:, places] = [[values[START + name] for name in inputs.states] for values in rows]
        good &= np.isfinite(starts).all(axis=1)
        free = self.lean.equations.parameters
        numbers[:, [free.index(name) for name in inputs.numbers]] = [
            [row[name] for name in inputs.numbers] for row in rows
        ]
        for lane, values in enumerate(rows if inputs.numbers else ()):
            try:
                self._numbers.check(values)
            except ValueError:
                good[lane] = False
        return good, starts, numbers, signals

    def _usual(self) -> _Given:
        equations = self.lean.equations
        starts, numbers = np.zeros((LANES, len(equations.marched))), np.tile(equations.numbers, (LANES, 1))
        return np.ones(LANES, dtype=bool), starts, numbers, [self.lean.signals] * LANES

    def _one_by_one(self, rows: Sequence[Values]) -> _Given:
        good, starts, numbers, signals = self._usual()
        for lane, values in enumerate(rows):
            try:
                starts[lane, :-1], numbers[lane], signals[lane] = self._row(values)
            except MyodyneError:
                good[lane] = False
        return good, starts, numbers, signals

    @cached_property
    def _numbers(self) -> BodyNumbers:
        return BodyNumbers(self.lean.model, self.lean.study.inputs.numbers)

    @cached_property
    def _base(self) -> tuple[list[int], Floats]:
        """The places of the varied states, and the start that they are put into."""
        study, equations = self.lean.study, self.lean.equations
        assert not isinstance(study.start, Trajectory)
        return [equations.motion.index(name) for name in study.inputs.states], self.lean.first(equations, study.start)

    def _row(self, values: Values) -> tuple[Floats, Floats, PiecewisePolynomial]:
        study, inputs, equations = self.lean.study, self.lean.study.inputs, self.lean.equations
        signals = self.lean.signals
        if inputs.numbers:
            equations = self.lean.equations_of_row(values)
        if inputs.handles or inputs.family:
            signals = merged(inputs.controls(study.controls, values) or {}, equations.controls)
        if not (inputs.numbers or inputs.states):
            return self._base[1], equations.numbers, signals
        start = inputs.start(study.start, values)
        assert not isinstance(start, Trajectory)
        return self.lean.first(equations, start), equations.numbers, signals


@dataclass(frozen=True, eq=False)
class _Record:
    """What several runs leave behind.

    Parameters
    ----------
    lean : the runs.
    states : at the start (1, states, lanes), those kept at the stops (stops, kept, lanes), at the end as at the start.
    kept : the places of the kept states.
    numbers, signals : free numbers and controls of each lane.
    """

    lean: LeanRuns
    states: tuple[Floats, Floats, Floats]
    kept: tuple[int, ...]
    numbers: Floats
    signals: Sequence[PiecewisePolynomial]

    @property
    def times(self) -> Floats:
        """The times (s) of the record."""
        return self.lean.samples[0]

    def values(self, output: str, needed: slice) -> Floats:
        """Return an output at some times of the record (times, lanes)."""
        equations, times = self.lean.equations, self.times[needed]
        if output in equations.marched:
            return self._marched((equations.marched.index(output),), needed)[:, 0]
        controls = np.stack([one(times) for one in self.signals], axis=2)
        if output in equations.control_columns:
            found: Floats = controls[:, equations.control_columns.index(output)]
            return found
        motion = self._marched(tuple(range(len(equations.motion))), needed).reshape(len(times), -1)
        u, p = controls.reshape(len(times), -1), np.ascontiguousarray(self.numbers.T).reshape(-1)
        rates, multipliers = equations.kernel(LaneKernel("derivative"))(motion, u, p)
        wanted = LaneKernel("outputs", (equations.outputs.index(output),))
        x, xdot = np.hstack([motion, multipliers]), np.hstack([rates, np.zeros_like(multipliers)])
        return equations.kernel(wanted).first(x, xdot, u, p)

    def _marched(self, places: tuple[int, ...], needed: slice) -> Floats:
        start, states, end = self.states
        if needed != slice(None):
            return (start if needed.start == 0 else end)[:, places]
        samples, columns = self.lean.samples[1], [self.kept.index(place) for place in places]
        kept = states if samples is None else states[samples]
        return np.concatenate([start[:, places], kept[:, columns]])
