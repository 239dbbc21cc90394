"""The march of rows in lanes: which states and rates are kept, and which events end a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from myodyne.equations.requests import LaneKernel
from myodyne.march.together import Bodies, EqualSteps, Kept, Level, MarchTogether, Watch
from myodyne.native.kernel import Kernel
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.schemes import Rosenbrock
from myodyne.simulate.constrained import places_of_motion, places_of_rates
from myodyne.simulate.switching.events import Crossing, Switch, as_events, crossing_of
from myodyne.study.lanes.events import Ending, EventFinder
from myodyne.study.lean import LeanRuns
from myodyne.types import Booleans, Floats, Integers

_DIRECTIONS = {"falling": -1, "either": 0, "rising": 1}


@dataclass(frozen=True, eq=False)
class LaneMarch:
    """Marches of several rows at once.

    Parameters
    ----------
    lean : the same rows as marches one by one.
    scheme : of equal steps.
    """

    lean: LeanRuns
    scheme: EqualSteps

    def run(self, starts: Floats, numbers: Floats, signals: Sequence[PiecewisePolynomial]) -> Booleans:
        """Carry rows from their starts to the end or to an event; return which arrived.

        ``starts`` are states of the march, and ``numbers`` the free ones, a row for each lane.
        """
        whole = np.zeros((self.march.lanes, self.march.size))
        whole[:, self.places] = starts
        self.march.begin(whole, numbers, signals)
        self.march.advance([len(self.lean.stops.times)] * self.march.lanes)
        return self.march.good

    def endings(self, good: Booleans, signals: Sequence[PiecewisePolynomial], starts: Floats) -> dict[int, Ending]:
        """Return where events ended rows, by lane."""
        return {} if self._finder is None else self._finder.endings(good, signals, starts)

    @cached_property
    def events(self) -> tuple[Crossing, ...]:
        """The events that end rows."""
        return tuple(crossing_of(event) for event in as_events(self.lean.study.until))

    @property
    def possible(self) -> bool:
        """Whether events only end rows, and are of what the model has."""
        equations, events = self.lean.equations, as_events(self.lean.study.until)
        known = {*equations.motion, *equations.outputs}
        return not any(isinstance(event, Switch) or crossing_of(event).output not in known for event in events)

    @property
    def implicit(self) -> bool:
        """Whether the march carries idle states along."""
        return isinstance(self.scheme, Rosenbrock)

    @property
    def has_rates(self) -> bool:
        """Whether steps end with rates."""
        return isinstance(self.scheme, Rosenbrock) and self.scheme.order == 1

    @cached_property
    def places(self) -> Integers:
        """Where the marched states stand in those of the march."""
        equations = self.lean.equations
        if not self.implicit:
            return np.arange(len(equations.marched))
        size, rows = len(equations.coordinates), len(equations.multipliers)
        work = 2 * (size + rows + 1) - 1
        return np.append(places_of_motion(size, rows, len(equations.motion) - 2 * size), work)

    @cached_property
    def rate_places(self) -> Integers:
        """Where the rates of the motion, and the multipliers, stand in the rates of the march."""
        equations = self.lean.equations
        size, rows = len(equations.coordinates), len(equations.multipliers)
        if not self.implicit:
            return np.zeros(len(equations.states), dtype=np.intp)
        return places_of_rates(size, rows, len(equations.motion) - 2 * size)

    @cached_property
    def kept(self) -> tuple[int, ...]:
        """The numbers of the marched states that measures or events need on the way: all of them for outputs."""
        marched = self.lean.equations.marched
        named = {*marched, *self.lean.equations.control_columns}
        if self.events or any(one.output not in named for one in self.lean.reductions.values()):
            return tuple(range(len(marched)))
        wanted = [one for one in self.lean.reductions.values() if one.output in marched]
        return tuple(sorted({marched.index(one.output) for one in wanted}))

    @cached_property
    def at(self) -> Booleans:
        """At which stops something is kept: samples where a measure needs them, looks for events, and the last."""
        stops = self.lean.stops
        all_of_them = any(one.needed == slice(None) for one in self.lean.reductions.values())
        at = stops.samples if all_of_them else np.zeros(len(stops.times), dtype=bool)
        at = at | stops.looks if self.events else at.copy()
        at[-1] = True
        return at

    @cached_property
    def march(self) -> MarchTogether:
        """The march of all lanes."""
        stops = self.lean.stops
        kept = [int(self.places[number]) for number in self.kept]
        every_state = len(kept) == len(self.places)
        rates = self.rate_places.tolist() if self.has_rates and every_state else ()
        return self._made(Kept(stops.times, self.at, kept, rates), stops.looks)

    @cached_property
    def _finder(self) -> EventFinder | None:
        """What finds the time of an event, by marches from the last stop before it."""
        if not self.events:
            return None
        once = np.ones(1, dtype=bool)
        rates = self.rate_places.tolist() if self.has_rates else ()
        aside = self._made(Kept(np.zeros(1), once, self.places.tolist(), rates), once)
        return EventFinder(self.march, aside, self.places, self.at, self.lean.stops)

    def _made(self, kept: Kept, looks: Booleans) -> MarchTogether:
        equations = self.lean.equations
        assert equations.runtime is not None
        return MarchTogether(
            self.scheme, self._system, equations.runtime, kept, len(equations.numbers), self._watch(looks)
        )

    @property
    def _system(self) -> Kernel | Bodies:
        system = self.lean.equations.system
        return Bodies(*system.bodies) if self.implicit else system.derivative_in_lanes

    def _watch(self, looks: Booleans) -> Watch | None:
        if not self.events:
            return None
        equations = self.lean.equations
        direct = [equations.motion.index(one.output) if one.output in equations.motion else -1 for one in self.events]
        levels = [
            Level(-1 if place < 0 else int(self.places[place]), _DIRECTIONS[one.direction], one.level)
            for one, place in zip(self.events, direct, strict=True)
        ]
        outputs = None
        if -1 in direct:
            entries = tuple(
                0 if place >= 0 else equations.outputs.index(one.output)
                for one, place in zip(self.events, direct, strict=True)
            )
            outputs = equations.kernel(LaneKernel("outputs", entries))
        derivative = None if self.implicit else equations.system.rates_in_lanes
        motion = self.places[:-1].tolist()
        return Watch(levels, outputs, derivative, looks, motion, self.rate_places.tolist())
