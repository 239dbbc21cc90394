"""simulate: carries a model through time and audits the result."""

from __future__ import annotations

import time as clock
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real

import numpy as np

from myodyne.data import ExternalForces, Result
from myodyne.equations import Equations, equations_of
from myodyne.errors import ModelError, SimulationError, unknown_name
from myodyne.model import Model
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.schemes import DOP853, Rosenbrock, Scheme, checked_scheme
from myodyne.numerics.stepping.march import Advance, March
from myodyne.progress import Task, task
from myodyne.simulate import signals
from myodyne.simulate.control.additions import Additions, AnyFeedback
from myodyne.simulate.control.sampled import NOT_SAVED, Reading, Sampled, Sampling
from myodyne.simulate.failures import REASONS, inactive_undamped_muscles
from myodyne.simulate.marches import march_of, prepare
from myodyne.simulate.motions import motion_signals, prescribed_controls, state_on_constraints
from myodyne.simulate.recipes import recipe_of
from myodyne.simulate.reporting.facts import identity
from myodyne.simulate.reporting.phases import Phase
from myodyne.simulate.reporting.ranges import RangeEnd, range_ends, refuse_outside
from myodyne.simulate.reporting.record import Tally, rows_of, simulation_result
from myodyne.simulate.sampling import Schedule, Stops, schedule_of
from myodyne.simulate.signals import Control
from myodyne.simulate.starts import Beginning, Continuation, Start, beginning_of
from myodyne.simulate.sundials import SundialsMarch
from myodyne.simulate.switching.event_search import Candidate, EventSearch, Point, Unlocated
from myodyne.simulate.switching.events import Event, Switch, as_events, crossing_of
from myodyne.simulate.switching.landing import freed, landed, too_far
from myodyne.simulate.watching import Watch, Watched
from myodyne.types import Floats

# One call into compiled code should take about this long (s), so that Ctrl-C and the progress bar stay alive; and this
# long where somebody watches.
_SHORT, _LONG = 0.05, 0.2
_SHORT_WATCHED, _LONG_WATCHED = 0.01, 0.04
# Samples in the first call, when it is not known yet how long one takes.
_FIRST = 128
# Samples in one call of a solver that starts anew with each call.
_ANEW = 64
# So many events within so short a time (s) will never end.
_CROWD, _INSTANT = 10, 1e-9


def simulate(  # noqa: PLR0913 - the seven that every simulation names, and three about its record
    model: Model | Equations,
    duration: float,
    *,
    start: Start | None = None,
    from_time: float | None = None,
    controls: Mapping[str, Control] | None = None,
    scheme: Scheme | None = None,
    until: Event | Sequence[Event] | None = None,
    every: float | None = None,
    feedback: AnyFeedback | None = None,
    external_forces: ExternalForces | None = None,
    watch: Watch | None = None,
    progress: bool | None = None,
) -> Result:
    """Return the motion of a model over ``duration`` (s).

    Parameters
    ----------
    model
        The model, or its equations (to choose how they run).
    duration
        Time (s) to simulate.
    start
        Values of states by name, or a result or trajectory whose last row is the start; else the model's defaults.
    from_time
        Time (s) of the start; if None the last time of a result or trajectory, else zero. Signals, motions, events and
        the record all have this time.
    controls
        Numbers or signals by name; controls not mentioned are those that the model prescribes, or zero.
    scheme
        How to march through time; if None ``DOP853()``, or ``Rosenbrock()`` where there are muscles.
    until
        An event that ends the simulation, or several; a `Switch` among them goes on with another model.
    every
        Time (s) between recorded samples. Events are looked for at least every 0.01 s (in runs longer than
        10,000 s, a millionth of the duration): a crossing back and forth in less may be missed.
    feedback
        A control law (`Feedback`), laws by the names of the models that a `Switch` changes between, or a controller in
        Python (`Sampled`).
    external_forces
        Recorded forces on bodies, as `inverse_dynamics` takes them.
    watch
        Receives the new rows, states by name over time, several times a second; False ends the simulation there, with
        the status "interrupted".
    progress
        Whether to show progress; None shows it in a terminal or notebook if it takes longer than a second.

    A run in parts, each from the result of the one before, is the run in one piece: to the last bit if it was split at
    a step of equal ones, else within the tolerances. A result that was saved, cut or made by another scheme starts the
    scheme anew.

    A simulation that blows up raises a `SimulationError`, whose ``result`` holds all that was good. Ctrl-C
    returns what was computed, with the status "interrupted".

    Examples
    --------
    >>> import myodyne as my
    >>> run = my.simulate(my.load_model("pendulum"), duration=1.0, start={"angle": 0.5})
    >>> run.report.status
    'completed'
    """
    started = clock.perf_counter()
    equations = model if isinstance(model, Equations) else equations_of(model)
    implicit = equations.muscles and not equations.exact_paths
    scheme = checked_scheme(scheme or (Rosenbrock() if implicit else DOP853()))
    duration = _seconds("duration", duration)
    interval = None if every is None else _seconds("'every'", every)
    if controls is not None and not isinstance(controls, Mapping):
        raise ModelError(f"controls are given by name, like {{'knee_motor': 0.5}}, not as {controls!r:.60}")
    if watch is not None and not callable(watch):
        raise ModelError(f"watch is a function of the new rows, not {watch!r:.60}")
    added = Additions(feedback, external_forces, frozenset(controls or ()))
    equations = added.to(equations)
    with task(f"Simulating '{equations.model.name}'", total=duration, unit="s", show=progress) as simulating:
        prepare(scheme, equations)
        beginning, events = beginning_of(equations, start, from_time), as_events(until)
        watched = bool(events or range_ends(equations.model))
        schedule = schedule_of(beginning.time, beginning.time + duration, scheme, interval, watched)
        run = _Run(equations, schedule, scheme, dict(controls or {}), events, beginning.time, added)
        run.tally.notes.extend(added.notes(equations.model))
        run.watched = None if watch is None else Watched(watch)
        run.begin(beginning)
        try:
            run.through(simulating)
        except KeyboardInterrupt:
            run.interrupt()
        simulating.update(run.time - beginning.time, note="computing outputs")
        if run.sampling is not None and run.sampling.divergence():
            run.tally.notes.append(run.sampling.divergence().strip())
        lacks, began = added.unkept(equations), beginning.time
        recipe = recipe_of(
            equations,
            duration,
            start,
            run.controls,
            scheme,
            events,
            from_time=began,
            every=every,
            forces=external_forces,
            lacks=lacks,
        )
        result = simulation_result(run.phases, run.tally, repr(scheme), started, run.continuation).with_recipe(recipe)
    if run.tally.status == "failed":
        raise SimulationError(run.tally.message, result)
    return result


def _seconds(what: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < value < np.inf:
        raise ModelError(f"{what} must be a positive number of seconds, not {value!r}")
    return float(value)


class _TooFarError(Exception):
    """A switch would have to move the state."""


@dataclass
class _Run:
    """A simulation on its way: the model in force, its march, and all that was recorded; rows are those of a phase."""

    equations: Equations
    schedule: Schedule
    scheme: Scheme
    controls: dict[str, Control]
    events: tuple[Event, ...]
    time: float
    added: Additions = field(default_factory=Additions)
    # Of the model in force, before its anchors were moved.
    model_hash: str = ""
    watched: Watched | None = None
    row: Floats = field(default_factory=lambda: np.empty(0))
    phases: list[Phase] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    # Those of the present phase: the ends of ranges of embedded loops, the controls, the march and the search.
    ends: tuple[RangeEnd, ...] = field(init=False)
    signals: PiecewisePolynomial = field(init=False)
    march: March = field(init=False)
    search: EventSearch = field(init=False)
    # A controller in Python at work.
    sampling: Sampling | None = None

    def begin(self, beginning: Beginning) -> None:
        """Start a phase with the present equations, at the nearest state that their constraints allow."""
        self._check_names()
        self.model_hash = beginning.model_hash or self.equations.model.hash
        state, continued = beginning.state, beginning.continued
        self.ends = range_ends(self.equations.model)
        refuse_outside(self.ends, dict(zip(self.equations.motion, map(float, state), strict=False)))
        own = {name: value for name, value in self.controls.items() if name in self.equations.controls}
        # A little further than the end, so that there is nothing special about it: the simulation may go on.
        begin, end = self.schedule.begin, self.schedule.end
        further = end + 0.01 * (end - begin)
        prescribed, notes = prescribed_controls(self.equations, own, further, begin)
        self.tally.notes.extend([*beginning.notes, *notes])
        driven = motion_signals(self.equations.model, further, begin) | self.added.signals(self.equations, begin, end)
        self.signals = signals.merged({**prescribed, **own, **driven}, self.equations.controls)
        self._open_loop()
        if self.equations.multipliers and continued is None:
            u, moment = self.signals(self.time), self.time if self.phases else None
            reason = "" if beginning.may_move else too_far(self.equations, state, u)
            if reason:
                raise _TooFarError(reason)
            state, notes = state_on_constraints(self.equations, state, beginning.given, u, moment)
            self.tally.notes.extend(notes)
        self.march = march_of(self.scheme, self.equations, self.signals)
        watched = (*self.events, *self.ends)
        self.search = EventSearch(self.equations, self.scheme, self.signals, watched, self.model_hash, self.tally)
        # The work is reckoned anew in each phase, unless it goes on.
        work = 0.0 if continued is None else continued.row[len(state)]
        self.row = rows_of(self.equations, np.append(state, work)[None, :])[0]
        if continued is not None and continued.scheme == self._origin:
            self.row = continued.row
            self.march.restore(continued.memory)
        # A second phase begins where the first ended; times must increase, so it begins the next instant.
        self.time = self.time if not self.phases else float(np.nextafter(self.time, np.inf))
        self.phases.append(Phase(self.equations, self.signals, [self.time], [self.row]))
        self._sample()

    def _open_loop(self) -> None:
        """Make room in the signals for what a controller in Python will give."""
        if not isinstance(self.added.feedback, Sampled):
            return
        if self.sampling is None:
            self.sampling = Sampling(self.added.feedback, self.time, self.schedule.end, tuple(self.controls))
            self.tally.notes.append(NOT_SAVED)
        self.signals = self.sampling.opened(self.signals)
        self.sampling.fill(self.signals, self.equations.model.controls)

    def _sample(self) -> bool:
        """Ask a controller in Python where it is due; return whether its answer ends the simulation."""
        if self.sampling is None:
            return False
        reading = Reading(self.equations, self.time, self.state[:-1], self.signals)
        wrong = self.sampling.call(reading, self.signals, self.equations.model.controls)
        # Controls may jump here.
        self.march.reset()
        if wrong is not None:
            self.stop_here()
            self._give_up(wrong)
        return wrong is not None

    @property
    def _origin(self) -> tuple[str, bool]:
        return repr(self.scheme), self.equations.compiled

    @property
    def continuation(self) -> Continuation:
        """What another simulation needs to go on from here."""
        return Continuation(identity(self.equations), self._origin, self.time, self.row, self.march.saved())

    @property
    def here(self) -> Point:
        """The present time and row."""
        return Point(self.time, self.row)

    @property
    def state(self) -> Floats:
        """What is marched, at the present time."""
        return self.row[: len(self.equations.marched)]

    def _check_names(self) -> None:
        """Refuse controls and outputs that no model of this simulation has."""
        if self.phases:
            return
        others = (freed(event.to, event.anchor) for event in self.events if isinstance(event, Switch))
        models = [self.equations.model, *others]
        self.added.check_names([model.name for model in models])
        known = list(dict.fromkeys(name for model in models for name in model.controls))
        known += self.equations.closure.entries
        for name in self.controls:
            if name not in known:
                raise ModelError(unknown_name("control", name, known))
        readable: dict[str, None] = {}
        for model in models if self.events else ():
            equations = self._equations_of(model)
            readable |= dict.fromkeys([*equations.motion, *equations.outputs])
        for event in self.events:
            if crossing_of(event).output not in readable:
                raise ModelError("until: " + unknown_name("output", crossing_of(event).output, readable))

    def _equations_of(self, model: Model) -> Equations:
        """Return the equations of a model of this simulation, run in the same way as those at its start."""
        if model.hash == self.equations.model.hash:
            return self.equations
        return self.added.to(equations_of(model, compiled=None if self.equations.compiled else False))

    def through(self, simulating: Task) -> None:
        """March through all times, in pieces that take a fraction of a second, and keep the samples among them."""
        size, position = _FIRST, 0
        short, long = (_SHORT, _LONG) if self.watched is None else (_SHORT_WATCHED, _LONG_WATCHED)
        while position < self.schedule.count and self.tally.status == "completed":
            if isinstance(self.march, SundialsMarch):
                # It starts anew with each piece: pieces that depend on the clock would change the result.
                size = _ANEW
            begun = clock.perf_counter()
            stops = self._before_ends(self.schedule.stops(position, size))
            stops = stops if self.sampling is None else stops.with_end(self.sampling.following(self.time))
            advance = self.march.advance(self.time, self.state, stops.times)
            self.tally.count(advance)
            reached, rows = self._reached(stops, advance)
            looked = np.flatnonzero(reached.looks)
            fresh = self.time == self.phases[-1].times[0]
            found = self.search.first(self.here, reached.times[looked], rows[looked], fresh)
            if found is not None:
                candidates, interval = found
                kept = int(looked[interval - 1]) + 1 if interval else 0
                self._keep(reached, rows[:kept])
                end = int(looked[interval])
                if self._happen(candidates, Point(float(reached.times[end]), rows[end])):
                    break
                position += stops.passed(self.time)
                continue
            self._keep(stops, rows[: len(advance.states)])
            if advance.failure is not None:
                self._fail(advance)
                break
            position += stops.passed(self.time)
            if self._sample():
                break
            simulating.update(self.time - self.schedule.begin)
            if self._unwanted() and position < self.schedule.count:
                self.interrupt()
            spent = clock.perf_counter() - begun
            size = min(2 * size, 8192) if spent < short else max(size // 2, 1) if spent > long else size
        self._unwanted()

    def _unwanted(self) -> bool:
        """Hand the new rows to who watches; return whether that is the end."""
        return self.watched is not None and not self.watched.show(self.phases)

    def interrupt(self) -> None:
        """End here."""
        self.stop_here()
        self.tally.status = "interrupted"
        self.tally.message = f"interrupted at {self.time:.6g} s, before the end at {self.schedule.end:.6g} s"

    def _before_ends(self, stops: Stops) -> Stops:
        """Return the stops before a range is left at the present speeds, and one more: beyond may be dead points."""
        if not self.ends:
            return stops
        state = dict(zip(self.equations.motion, self.state, strict=False))
        ways = [(end.level - state[end.output], state[f"{end.output}.speed"]) for end in self.ends]
        soonest = min((way / speed for way, speed in ways if way * speed > 0), default=np.inf)
        return stops.until(int(np.searchsorted(stops.times, self.time + soonest)) + 1)

    def _reached(self, stops: Stops, advance: Advance) -> tuple[Stops, Floats]:
        """Return stops and rows of an advance, with the last good state of one that failed beyond a range."""
        reached, rows = stops.until(len(advance.states)), rows_of(self.equations, advance.states, advance.rates)
        beyond = self.ends and advance.failure is not None and bool(np.all(np.isfinite(advance.last_state)))
        if beyond and advance.last_time > (reached.times[-1] if len(rows) else self.time):
            last = rows_of(self.equations, advance.last_state[None, :])
            return reached.and_look_at(advance.last_time), np.vstack([rows, last])
        return reached, rows

    def _keep(self, stops: Stops, rows: Floats) -> None:
        """Go on to the last of some rows, at the first of some stops; record those that are samples."""
        if len(rows):
            times, wanted, *_ = stops.until(len(rows))
            self._record(times[wanted], rows[wanted])
            self.time, self.row = float(times[-1]), rows[-1]

    def _record(self, times: Floats, rows: Floats) -> None:
        self.phases[-1].times.extend(times.tolist())
        self.phases[-1].rows.extend(rows)

    def stop_here(self) -> None:
        """Record the present state even if it is not a sample."""
        if self.time > self.phases[-1].times[-1]:
            self._record(np.array([self.time]), self.row[None, :])

    def _happen(self, candidates: list[Candidate], end: Point) -> bool:
        """Go on to the earliest of some events before ``end`` and act on it; return whether all ends there."""
        event, (self.time, self.row) = self.search.earliest(candidates, self.here, end)
        self.stop_here()
        if isinstance(event, RangeEnd | Unlocated):
            self._give_up(event.reason)
            return True
        moment, crossing = self.time, crossing_of(event)
        self.tally.events.append((moment, crossing.name))
        if isinstance(event, Switch):
            crowd = self.tally.events[-_CROWD:]
            if len(crowd) == _CROWD and moment - crowd[0][0] < _INSTANT * max(1.0, moment):
                self._give_up(
                    f"'{crossing.name}' recurs without end. Let such events lead to another model, "
                    "one that stays at rest, or stop there."
                )
                return True
            return self._switch(event)
        self.tally.status = "stopped by event"
        self.tally.message = f"{crossing.name} at {moment:.9g} s"
        return True

    def _switch(self, event: Switch) -> bool:
        """Go on with another model; return whether that is impossible."""
        before = dict(zip(self.equations.motion, map(float, self.state[:-1]), strict=True))
        previous, self.equations = self.equations, self._equations_of(freed(event.to, event.anchor))
        state = self.equations.state(event.values_after(before, self.equations.motion))
        if event.anchor:
            model, notes = landed(self.equations, event.anchor, state[: len(self.equations.coordinates)])
            self.tally.notes.extend(f"at {self.time:.6g} s {note}" for note in notes)
            self.equations = self._equations_of(model)
        try:
            self.begin(Beginning(self.time, state, may_move=event.carry is not None, model_hash=event.to.hash))
        except _TooFarError as reason:
            self.equations = previous
            self._give_up(str(reason))
            return True
        for other in self.events:
            if isinstance(other, Switch) and self.search.begins_beyond(other, self.here, previous):
                self.tally.events.append((self.time, other.when.name))
                return self._switch(other)
        return False

    def _fail(self, advance: Advance) -> None:
        name = None if advance.offender is None else self.equations.marched[advance.offender]
        if advance.last_time > self.time and np.all(np.isfinite(advance.last_state)):
            self.time, self.row = advance.last_time, rows_of(self.equations, advance.last_state[None, :])[0]
        self.stop_here()
        hint = inactive_undamped_muscles(self.equations, self.state, self.signals(np.array([self.time]))[0])
        hint += "" if self.sampling is None else self.sampling.divergence()
        self._give_up(REASONS[advance.failure] + hint, f" in '{name}'" if name else "")

    def _give_up(self, reason: str, where: str = "") -> None:
        self.tally.status = "failed"
        self.tally.message = (
            f"the simulation of '{self.equations.model.name}' stopped at {self.time:.6g} s{where}: "
            f"{reason} The result up to the last good state is in error.result."
        )
