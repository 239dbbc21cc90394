"""The search for events: first the interval between two stops in which one happens, then its time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from myodyne.equations import Equations
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.schemes import Scheme
from myodyne.simulate.marches import march_of
from myodyne.simulate.reporting.record import Tally, rows_of
from myodyne.simulate.switching.events import Crossing, Event, Switch, crossing_of
from myodyne.types import Floats

# An output this close to its level, at the start of a phase, is at it.
_AT_LEVEL = 1e-9


class Point(NamedTuple):
    """A time (s) and the row of a phase at that time."""

    time: float
    row: Floats


class _NotLocatedError(Exception):
    """An event happened, but not at an instant that can be found."""


class Unlocated(NamedTuple):
    """What stands for an event whose instant cannot be found, and why that is so."""

    reason: str


class Candidate(NamedTuple):
    """An event, and the last known point before it; None stands for the beginning of its interval."""

    event: Event
    before: Point | None


@dataclass(frozen=True, eq=False)
class EventSearch:
    """Finds the events of one phase of a simulation.

    Parameters
    ----------
    equations, scheme, signals : of the phase.
    events : those to look for.
    model_hash : of the model in force, before its anchors were moved.
    tally : counts what the search costs.
    """

    equations: Equations
    scheme: Scheme
    signals: PiecewisePolynomial
    events: tuple[Event, ...]
    model_hash: str
    tally: Tally

    def first(self, here: Point, times: Floats, rows: Floats, fresh: bool) -> tuple[list[Candidate], int] | None:
        """Return the events of the first interval in which any happens, and that interval.

        The intervals are those between the present point and the times after it; ``fresh`` says that the phase begins
        here.
        """
        if not self.events or not len(times):
            return None
        all_times = np.concatenate([[here.time], times])
        all_rows = np.vstack([here.row, rows])
        found: list[tuple[int, Candidate]] = []
        for event in self.events:
            if self._changes_nothing(event):
                continue
            crossing = crossing_of(event)
            values = self._read(crossing, all_times, all_rows)
            interval = crossing.first(values)
            hidden = self._hidden(crossing, values, here, all_times[1]) if fresh and interval != 0 else None
            if hidden is not None:
                interval = 0
            if interval is not None:
                found.append((interval, Candidate(event, hidden)))
        if not found:
            return None
        first = min(interval for interval, _ in found)
        return [candidate for interval, candidate in found if interval == first], first

    def earliest(self, candidates: list[Candidate], here: Point, after: Point) -> tuple[Event | Unlocated, Point]:
        """Return which of some events happens first between here and a later point, and where."""
        try:
            located = [self._located(crossing_of(event), here, before or here, after) for event, before in candidates]
        except _NotLocatedError as error:
            return Unlocated(str(error)), here
        number = min(range(len(located)), key=lambda number: located[number].time)
        return candidates[number].event, located[number]

    def begins_beyond(self, event: Switch, here: Point, previous: Equations) -> bool:
        """Return whether a phase begins on the far side of an event that the phase before could not see.

        A contact that would pull in its first instant has no force to fall through zero: it lets go at once.
        """
        crossing = event.when
        if self._changes_nothing(event) or crossing.output in previous.outputs:
            return False
        if crossing.output not in self.equations.outputs:
            return False
        value = float(self._read(crossing, np.array([here.time]), here.row[None, :])[0]) - crossing.level
        return {"falling": value < -_AT_LEVEL, "rising": value > _AT_LEVEL, "either": False}[crossing.direction]

    def _changes_nothing(self, event: Event) -> bool:
        """Return whether an event leads to the model that is in force already."""
        # Rounding makes what a constraint keeps at zero cross it again and again.
        return isinstance(event, Switch) and event.carry is None and event.to.hash == self.model_hash

    def _state(self, point: Point) -> Floats:
        return point.row[: len(self.equations.marched)]

    def _read(self, crossing: Crossing, times: Floats, rows: Floats) -> Floats:
        if crossing.output in self.equations.motion:
            return rows[:, self.equations.motion.index(crossing.output)]
        if crossing.output not in self.equations.outputs:
            # An output of another phase: this model does not have it, so it cannot cross.
            return np.zeros(len(times))
        size = len(self.equations.motion)
        values = self.equations.outputs_at(times, rows[:, :size], self.signals, rates=rows[:, size + 1 :])
        return values[:, self.equations.outputs.index(crossing.output)]

    def _hidden(self, crossing: Crossing, values: Floats, here: Point, end: float) -> Point | None:
        """Return a point at which an output that leaves its level, and is soon beyond it, was still on the near side.

        A ball that has just bounced begins at the ground, and may be back before the next stop.
        """
        before, after = values[:2] - crossing.level
        beyond = {"falling": after < 0, "rising": after > 0, "either": after != 0}[crossing.direction]
        if not beyond or abs(before) > _AT_LEVEL * max(1.0, abs(crossing.level)):
            return None
        times = np.unique(here.time + (end - here.time) * 0.5 ** np.arange(40, 0, -1))
        times = times[(times > here.time) & (times < end)]
        march = march_of(self.scheme, self.equations, self.signals)
        advance = march.advance(here.time, self._state(here), times)
        self.tally.count(advance)
        rows = rows_of(self.equations, advance.states, advance.rates)
        near = self._read(crossing, times[: len(rows)], rows) - crossing.level
        last = np.flatnonzero(near * after < 0)[-1:]
        return Point(float(times[last[0]]), rows[last[0]]) if len(last) else None

    def _located(self, crossing: Crossing, here: Point, before: Point, after: Point) -> Point:
        """Return where an event lies between two points, by marches from the present one."""
        from scipy.optimize import brentq

        march = march_of(self.scheme, self.equations, self.signals)
        begin, end = before.time, after.time
        reached: dict[float, Floats] = dict([before, after])

        def value(moment: float) -> float:
            if moment not in reached:
                advance = march.advance(here.time, self._state(here), np.array([moment]))
                self.tally.count(advance)
                known = bool(len(advance.states))
                states, rates = (advance.states, advance.rates) if known else (advance.last_state[None, :], None)
                reached[moment] = rows_of(self.equations, states, rates)[0]
            at = self._read(crossing, np.array([moment]), reached[moment][None, :])
            if not np.isfinite(at[0]):
                # A longer step than those between stops may lead where no state is finite.
                raise _NotLocatedError(
                    f"'{crossing.output}' passes {crossing.level:g} before {end:.6g} s, but is NaN or infinite at "
                    f"{moment:.9g} s. Take a smaller step or an adaptive scheme."
                )
            return float(at[0]) - crossing.level

        if value(end) == 0.0:
            return after
        moment = float(brentq(value, begin, end, xtol=1e-13 * max(1.0, end), rtol=4 * np.finfo(float).eps))
        # The event lies behind the crossing, or the next piece would find it once more.
        step = float(np.spacing(end))
        while moment <= begin or value(moment) * value(begin) > 0:
            moment = min(moment + step, end)
            step *= 2
        return Point(moment, reached[moment])
