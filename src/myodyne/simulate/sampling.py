"""When a simulation is recorded, and when it stops in between to look for events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from myodyne.errors import ModelError
from myodyne.numerics.schemes import Projected, Scheme
from myodyne.numerics.stepping.steps import equal_steps
from myodyne.types import Booleans, Floats, Integers

# Samples that a simulation records by default, and the most that can be asked for.
_USUAL_INTERVAL, _FEWEST, _MOST, _LIMIT = 0.01, 100, 10_000, 10_000_000
# Shorter steps than this part of the duration do not move the clock.
_SMALLEST_STEP = 1e-15
# Between samples events are looked for as often as this (s), after this many equal steps at the latest, and not more
# often than this in a whole simulation.
_LOOK_OUT, _MOST_STEPS, _MOST_STOPS = 0.01, 100, 1_000_000
# Two times closer than this part of a step are one.
_SAME = 1e-9
# A time that differs from a decimal number of so many places by a few roundings is that number.
_PLACES, _ROUNDINGS = 12, 4


class Stops(NamedTuple):
    """Some times (s) that a march goes through.

    Which of them are samples, at which events are looked for, and which belong to the schedule.
    """

    times: Floats
    samples: Booleans
    looks: Booleans
    scheduled: Booleans

    def until(self, end: int) -> Stops:
        """Return the first of them."""
        return Stops(self.times[:end], self.samples[:end], self.looks[:end], self.scheduled[:end])

    def and_look_at(self, time: float) -> Stops:
        """Return them with one more, which is not a sample."""
        samples, looks = np.append(self.samples, False), np.append(self.looks, True)
        return Stops(np.append(self.times, time), samples, looks, np.append(self.scheduled, False))

    def with_end(self, time: float) -> Stops:
        """Return them up to a time (s), which is one of them then; all if it lies beyond."""
        end = int(np.searchsorted(self.times, time))
        if end == len(self.times):
            return self
        return self.until(end + 1) if self.times[end] == time else self.until(end).and_look_at(time)

    def passed(self, time: float) -> int:
        """Return how many of the schedule lie at a time (s) or before."""
        return int(np.count_nonzero(self.scheduled & (self.times <= time)))


@dataclass(frozen=True)
class Schedule:
    """The times of a simulation: multiples of a ``unit`` (s), so that a simulation in parts goes through the same ones.

    Parameters
    ----------
    begin, end : of the simulation (s).
    unit : between two stops: a step of equal ones, or a sample or part of one where the error chooses the steps.
    origin : where the stops are counted from (s): zero if the beginning is a multiple of the unit, else the beginning.
    first, count : number of the first stop after the beginning, and how many there are.
    sample, look : stops from one sample to the next, and from one search for events to the next.

    Examples
    --------
    >>> from myodyne.numerics.schemes import RK4
    >>> schedule_of(0.2, 0.5, RK4(step=0.1)).stops(0, 10).times
    array([0.3, 0.4, 0.5])
    """

    begin: float
    end: float
    unit: float
    origin: float
    first: int
    count: int
    sample: int
    look: int

    def stops(self, position: int, size: int) -> Stops:
        """Return at most ``size`` stops from a position on."""
        after = np.arange(position + 1, min(position + size, self.count) + 1)
        times = _multiples(self.unit, self.first - 1 + after, self.origin)
        samples = after % self.sample == 0
        looks = samples | (after % self.sample % self.look == 0)
        if len(after) and after[-1] == self.count:
            times[-1], samples[-1], looks[-1] = self.end, True, True
        return Stops(times, samples, looks, np.ones(len(times), dtype=bool))


def schedule_of(
    begin: float, end: float, scheme: Scheme, every: float | None = None, watched: bool = False
) -> Schedule:
    """Return when a simulation from ``begin`` to ``end`` (s) is recorded ``every`` so often, and looks for events."""
    step, duration = _step_of(scheme), end - begin
    if step is not None and step < _SMALLEST_STEP * max(abs(begin), abs(end)):
        raise ModelError(f"a step of {step:g} s is lost in the rounding of {end:g} s; take a longer one")
    if every is not None and duration / every > _LIMIT:
        raise ModelError(f"'every' {every:g} s asks for {duration / every:.2g} samples; the limit is {_LIMIT:.0e}")
    if step is None:
        unit, sample = _parts(every, duration, watched)
        look = 1
    else:
        unit, sample = _steps(every, duration, step)
        look = int(min(max(_LOOK_OUT // unit, 1.0), _MOST_STEPS))
        look = max(look, int(np.ceil(duration / unit / _MOST_STOPS)))
    start, origin = round(begin / unit), 0.0
    if abs(float(_multiples(unit, np.array([start]))[0]) - begin) > _slack(begin, unit):
        start, origin = 0, begin
    count = max(1, int(np.ceil((end - origin) / unit - _SAME)) - start)
    last = float(_multiples(unit, np.array([start + count]), origin)[0])
    # The end of equal steps is the same number in a longer simulation, which goes on from it.
    met = step is not None and abs(last - end) <= _slack(end, unit)
    return Schedule(begin, last if met else end, unit, origin, start + 1, count, sample, look)


def _steps(every: float | None, duration: float, step: float) -> tuple[float, int]:
    """Return the length (s) of equal steps, and how many there are between two samples."""
    if every is None:
        return step, max(1, int(np.ceil(duration / step / _MOST)))
    parts = int(equal_steps(min(every, duration), step))
    whole = abs(parts * step - every) <= _SAME * step or every > duration
    return (step, max(parts, 1)) if whole else (every / parts, parts)


def _parts(every: float | None, duration: float, watched: bool) -> tuple[float, int]:
    """Return the time (s) between two stops of a scheme whose error chooses the steps, and how many a sample takes."""
    if every is None:
        every = min(max(_USUAL_INTERVAL, duration / _MOST), duration / _FEWEST)
    if not watched:
        return every, 1
    width = min(every, duration)
    parts = max(1, int(np.ceil(width / max(_LOOK_OUT, duration / _MOST_STOPS) - _SAME)))
    return width / parts, parts


def _multiples(unit: float, numbers: Integers, origin: float = 0.0) -> Floats:
    """Return multiples of a unit from an origin on; three times 0.1 is 0.3."""
    times: Floats = origin + unit * numbers.astype(float)
    decimal: Floats = np.round(times, _PLACES)
    found: Floats = np.where(np.abs(decimal - times) <= _ROUNDINGS * np.spacing(np.abs(times)), decimal, times)
    return found


def _slack(time: float, unit: float) -> float:
    return max(_SAME * unit, _ROUNDINGS * float(np.spacing(abs(time))))


def _step_of(scheme: Scheme) -> float | None:
    """Return the length (s) of equal steps, None where the error chooses them."""
    step: float | None = getattr(scheme.scheme if isinstance(scheme, Projected) else scheme, "step", None)
    return step
