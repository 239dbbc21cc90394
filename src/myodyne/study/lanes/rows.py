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
from myodyne.errors import MyodyneError
from myodyne.march.together import EqualSteps
from myodyne.model.values import BodyNumbers
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.simulate.signals import merged
from myodyne.study.controls import Onsets
from myodyne.study.inputs import START
from myodyne.study.lanes.march import LaneMarch
from myodyne.study.lanes.record import LaneRecord
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
        """Whether rows march in lanes: by equal steps, explicit or of Rosenbrock, up to events that end them."""
        lean, scheme = self.lean, self.lean.scheme
        if not lean.plain or not isinstance(scheme, EqualSteps) or scheme.step is None:
            return False
        return self._march.possible and not lean.equations.exact_paths

    def measured(self, rows: Sequence[Values]) -> Iterator[dict[str, float] | None]:
        """Yield the measures of rows in their order; None for those that are left to `simulate`."""
        if not rows:
            return
        width = self._march.march.lanes
        filled = [*rows, *[rows[0]] * (-len(rows) % width)]
        good, starts, numbers, signals = self._given(filled)
        for first in range(0, len(rows), width):
            lanes = slice(first, first + width)
            found = self._part((good[lanes], starts[lanes], numbers[lanes], signals[lanes]))
            yield from found[: len(rows) - first]

    @cached_property
    def _march(self) -> LaneMarch:
        scheme = self.lean.scheme
        assert isinstance(scheme, EqualSteps)
        return LaneMarch(self.lean, scheme)

    def _part(self, given: _Given) -> list[dict[str, float] | None]:
        good, starts, numbers, signals = given
        good = good & self._march.run(starts, numbers, signals)
        endings = self._march.endings(good, signals, starts)
        record = LaneRecord(self._march, starts, numbers, signals, endings)
        columns = dict[str, list[float]]()
        with np.errstate(all="ignore"):
            for name, one in self.lean.reductions.items():
                column = record.reduced(one)
                good = good & np.isfinite(column)
                columns[name] = column.tolist()
        names = tuple(columns)
        rows = zip(*columns.values(), strict=True)
        return [dict(zip(names, row, strict=True)) if fine else None for row, fine in zip(rows, good, strict=True)]

    def _given(self, rows: Sequence[Values]) -> _Given:
        """Return which rows can be computed, and start, numbers and controls of all of them."""
        good, starts, numbers, signals = self._usual(len(rows))
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
        if inputs.numbers:
            numbers[:, [free.index(name) for name in inputs.numbers]] = [
                [row[name] for name in inputs.numbers] for row in rows
            ]
        for lane, values in enumerate(rows if inputs.numbers else ()):
            try:
                self._numbers.check(values)
            except ValueError:
                good[lane] = False
        return good, starts, numbers, signals

    def _usual(self, count: int) -> _Given:
        equations = self.lean.equations
        starts, numbers = np.zeros((count, len(equations.marched))), np.tile(equations.numbers, (count, 1))
        return np.ones(count, dtype=bool), starts, numbers, [self.lean.signals] * count

    def _one_by_one(self, rows: Sequence[Values]) -> _Given:
        good, starts, numbers, signals = self._usual(len(rows))
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
            quick = study.controls.pieces(values, equations.controls) if isinstance(study.controls, Onsets) else None
            signals = quick or merged(inputs.controls(study.controls, values) or {}, equations.controls)
        if not (inputs.numbers or inputs.states):
            return self._base[1], equations.numbers, signals
        start = inputs.start(study.start, values)
        assert not isinstance(start, Trajectory)
        return self.lean.first(equations, start), equations.numbers, signals
