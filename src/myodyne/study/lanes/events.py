"""When events end rows that march in lanes: the same search as that of `simulate`, for all lanes at once."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from myodyne.march.together import MarchTogether
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.roots import bracketed_root
from myodyne.simulate.sampling import Stops
from myodyne.types import Booleans, Floats, Integers


class Ending(NamedTuple):
    """Where an event ends a row: after how many stops, at which time (s), state and rates (empty if unknown)."""

    stops: int
    time: float
    state: Floats
    rates: Floats


class _Interval(NamedTuple):
    """An event, the stops before and after it, their times (s), and what passes its level there."""

    event: int
    stops: int
    reached: int
    begin: float
    end: float
    before: float
    after: float


@dataclass(frozen=True, eq=False)
class EventFinder:
    """Finds when events happen, by marches from the last stop before them.

    Parameters
    ----------
    march : the march that events stopped.
    aside : another one, of one time.
    places : where the marched states stand in theirs.
    at : at which stops the march keeps states.
    stops : all stops.
    """

    march: MarchTogether
    aside: MarchTogether
    places: Integers
    at: Booleans
    stops: Stops

    def endings(self, good: Booleans, signals: Sequence[PiecewisePolynomial], starts: Floats) -> dict[int, Ending]:
        """Return where each row ends that an event stopped; ``good`` is False then where that cannot be found."""
        intervals: dict[int, _Interval] = {}
        from_states = np.zeros((self.march.lanes, self.march.size))
        for lane, (crossed, reached) in enumerate(zip(self.march.crossed, self.march.reached, strict=True)):
            if not crossed or not good[lane]:
                continue
            # Which of several events comes first is left to `simulate`.
            good[lane] = crossed.bit_count() == 1
            if good[lane]:
                intervals[lane] = self._interval(lane, crossed.bit_length() - 1, reached)
                row = self._kept_row(intervals[lane].stops)
                from_states[lane, self.places] = starts[lane] if row is None else self.march.states[row, :, lane]
        found = self._sought(intervals, from_states, signals)
        for lane in intervals:
            good[lane] = lane in found
        return found

    def _interval(self, lane: int, event: int, reached: int) -> _Interval:
        earlier = np.flatnonzero(self.stops.looks[: reached - 1])
        stops = int(earlier[-1]) + 1 if len(earlier) else 0
        begin = float(self.stops.times[stops - 1]) if stops else 0.0
        before, after = self.march.watched_before[event, lane], self.march.watched[event, lane]
        end = float(self.stops.times[reached - 1])
        return _Interval(event, stops, reached, begin, end, float(before), float(after))

    def _kept_row(self, stops: int) -> int | None:
        """Return the row of what is kept after so many stops; None for the start."""
        return int(np.count_nonzero(self.at[:stops])) - 1 if stops else None

    def _sought(
        self, intervals: dict[int, _Interval], states: Floats, signals: Sequence[PiecewisePolynomial]
    ) -> dict[int, Ending]:
        """Return the endings, by a search in each lane whose marches are taken together."""
        if not intervals:
            return {}
        begins = [intervals[lane].begin if lane in intervals else 0.0 for lane in range(self.march.lanes)]
        self.aside.begin(states, self.march.numbers, signals)
        searches = {lane: _moments(interval) for lane, interval in intervals.items()}
        found: dict[int, Ending] = {}
        moments: dict[int, float] = {}
        for lane, search in searches.items():
            self._go_on(lane, intervals[lane], search, (moments, found))
        while moments:
            self.aside.times[0] = [moments.get(lane, 0.0) for lane in range(self.march.lanes)]
            self.aside.put(states.T, begins, looked=True)
            self.aside.advance([int(lane in moments) for lane in range(self.march.lanes)])
            arrived = self.aside.good
            for lane in list(moments):
                if arrived[lane]:
                    self._go_on(lane, intervals[lane], searches[lane], (moments, found))
                else:
                    del moments[lane]
        return found

    def _go_on(
        self,
        lane: int,
        interval: _Interval,
        search: Generator[float, float, bool],
        of_lanes: tuple[dict[int, float], dict[int, Ending]],
    ) -> None:
        """Note the next moment of a search, or where it ends."""
        moments, found = of_lanes
        last = moments.pop(lane, None)
        try:
            if last is None:
                moments[lane] = next(search)
            else:
                moments[lane] = search.send(float(self.aside.watched[interval.event, lane]))
        except StopIteration as stop:
            at_end = bool(stop.value)
            march, row = (self.march, self._kept_row(interval.reached)) if at_end else (self.aside, 0)
            state, rates = march.states[row, :, lane].copy(), march.rates[row, :, lane].copy()
            moment = interval.end if last is None or at_end else last
            found[lane] = Ending(interval.stops, moment, state, rates)


def _moments(interval: _Interval) -> Generator[float, float, bool]:
    """Yield moments (s) at which to look, and receive what passes the level there; the last one is that of the event.

    Return whether the event is at the end of the interval, which has been looked at.
    """
    begin, end, before, after = interval.begin, interval.end, interval.before, interval.after
    if after == 0.0:
        return True
    search = bracketed_root((begin, before), (end, after), 1e-13 * max(1.0, end))
    last = next(search)
    while True:
        value = before if last <= begin else after if last >= end else (yield last)
        try:
            last = search.send(value)
        except StopIteration as found:
            moment, value = found.value
            break
    if moment != last and begin < moment < end:
        value = yield moment
    # The event lies behind the crossing, as in `simulate`.
    step = float(np.spacing(end))
    while moment < end and (moment <= begin or value * before > 0):
        moment = min(moment + step, end)
        step *= 2
        if moment < end:
            value = yield moment
    return bool(moment >= end)
