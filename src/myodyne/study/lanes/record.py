"""What rows in lanes leave behind, and the measures that follow from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from myodyne.equations.requests import LaneKernel
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.study.lanes.events import Ending
from myodyne.study.lanes.march import LaneMarch
from myodyne.study.measures import Reduced
from myodyne.types import Floats


class _Block(NamedTuple):
    """Some times (s) of the runs, (times, lanes), with kept states and rates, (times, ..., lanes)."""

    times: Floats
    states: Floats
    rates: Floats


@dataclass(frozen=True, eq=False)
class LaneRecord:
    """What several runs leave behind.

    Parameters
    ----------
    march : that has carried them.
    starts, numbers, signals : states at the start, free numbers and controls, a row for each lane.
    endings : where events ended runs, by lane.
    """

    march: LaneMarch
    starts: Floats
    numbers: Floats
    signals: Sequence[PiecewisePolynomial]
    endings: Mapping[int, Ending]

    def reduced(self, one: Reduced) -> Floats:
        """Return a measure, one number for each lane."""
        if one.needed == slice(0, 1):
            return np.array(self._values(one.output, self._start)[0])
        end = self._values(one.output, self._end)
        if one.needed == slice(-1, None):
            return np.array(end[0])
        times = self._samples.times
        values = np.concatenate([self._values(one.output, self._start), self._values(one.output, self._samples)])
        if not self.march.events:
            return one.over(np.append(0.0, times[:, 0]), values)
        # Each run by itself, also those without an ending: NumPy adds up a column in another order than a table.
        found = np.empty(self._lanes)
        for lane in range(self._lanes):
            column, at = values[:, lane], np.append(0.0, times[:, lane])
            if lane in self.endings:
                ending = self.endings[lane]
                count = 1 + int(np.count_nonzero(self.march.lean.stops.samples[: ending.stops]))
                column, at = np.append(column[:count], end[0, lane]), np.append(at[:count], ending.time)
            found[lane] = one(at, column)
        return found

    @property
    def _lanes(self) -> int:
        return self.march.march.lanes

    @property
    def _shape(self) -> tuple[int, int]:
        """How many states and rates are kept."""
        return len(self.march.kept), self.march.march.rates.shape[1]

    @cached_property
    def _start(self) -> _Block:
        kept = self.starts.T[list(self.march.kept)]
        return _Block(np.zeros((1, self._lanes)), kept[None], np.full((1, self._shape[1], self._lanes), np.nan))

    @cached_property
    def _samples(self) -> _Block:
        """The samples; those after the end of a run are of another one."""
        lean, march = self.march.lean, self.march.march
        rows = lean.stops.samples[self.march.at]
        times = np.repeat(lean.stops.times[lean.stops.samples][:, None], self._lanes, axis=1)
        whole = bool(rows.all())
        return _Block(times, march.states if whole else march.states[rows], march.rates if whole else march.rates[rows])

    @cached_property
    def _end(self) -> _Block:
        times = np.full((1, self._lanes), self.march.lean.stops.times[-1])
        states, rates = self.march.march.states[-1:].copy(), self.march.march.rates[-1:].copy()
        for lane, ending in self.endings.items():
            times[0, lane] = ending.time
            states[0, :, lane] = ending.state[list(self.march.kept)]
            rates[0, :, lane] = ending.rates
        return _Block(times, states, rates)

    def _values(self, output: str, block: _Block) -> Floats:
        """Return an output at all times of a block, (times, lanes)."""
        equations = self.march.lean.equations
        if output in equations.marched:
            return block.states[:, self.march.kept.index(equations.marched.index(output))]
        if output in equations.control_columns:
            found: Floats = self._controls(block)[:, equations.control_columns.index(output)]
            return found
        kernel = equations.kernel(LaneKernel("outputs", (equations.outputs.index(output),)))
        motion, count = block.states[:, : len(equations.motion)], len(block.times)
        notes = kernel.signature.notes
        wanted = notes["by_rates"] or notes["by_controls"]
        controls = self._controls(block) if wanted else self._zeros(count, equations.controls)
        rates = self._rates(block, controls) if notes["by_rates"] else self._zeros(count, equations.states)
        still = self._zeros(count, equations.multipliers)
        x = np.concatenate([motion, rates[:, len(equations.motion) :]], axis=1)
        xdot = np.concatenate([rates[:, : len(equations.motion)], still], axis=1)
        p = np.ascontiguousarray(self.numbers.T).reshape(-1)
        return kernel.first(*(array.reshape(count, -1) for array in (x, xdot, controls)), p)

    def _zeros(self, count: int, names: Sequence[str]) -> Floats:
        return np.zeros((count, len(names), self._lanes))

    def _controls(self, block: _Block) -> Floats:
        return np.stack([one(block.times[:, lane]) for lane, one in enumerate(self.signals)], axis=2)

    def _rates(self, block: _Block, controls: Floats) -> Floats:
        """Return the rates of the motion and the multipliers: those of steps, else those that the equations give."""
        equations = self.march.lean.equations
        motion = block.states[:, : len(equations.motion)]
        count, known = len(motion), np.full((len(motion), len(equations.states), self._lanes), np.nan)
        if block.rates.shape[1]:
            known[:] = block.rates
        unknown = ~np.isfinite(known).all(axis=1)
        if not self.march.has_rates:
            p = np.ascontiguousarray(self.numbers.T).reshape(-1)
            given = equations.system.rates_in_lanes(motion.reshape(count, -1), controls.reshape(count, -1), p)
            return np.concatenate([part.reshape(count, -1, self._lanes) for part in given], axis=1)
        for lane in np.flatnonzero(unknown.any(axis=0)):
            rows = unknown[:, lane]
            alone = equations.kernel("derivative")(motion[rows, :, lane], controls[rows, :, lane], self.numbers[lane])
            known[rows, :, lane] = np.hstack(alone)
        return known
