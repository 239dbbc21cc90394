"""simulate: carries a model through time and audits the result."""

from __future__ import annotations

import time as clock
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import TypeAlias

import numpy as np

from myodyne.data import ExternalForces, Result, Trajectory
from myodyne.equations import Equations, equations_of
from myodyne.errors import ModelError, SimulationError, unknown_name
from myodyne.model import Model
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.schemes import DOP853, TRBDF2, Midpoint, Rosenbrock, Scheme, checked_scheme
from myodyne.numerics.stepping.march import Advance, March
from myodyne.progress import Task, task
from myodyne.simulate import signals
from myodyne.simulate.additions import Additions, AnyFeedback
from myodyne.simulate.event_search import Candidate, EventSearch, Point
from myodyne.simulate.events import Event, Switch, as_events, crossing_of
from myodyne.simulate.failures import REASONS, inactive_undamped_muscles
from myodyne.simulate.marches import march_of
from myodyne.simulate.motions import motion_signals, state_on_constraints
from myodyne.simulate.ranges import RangeEnd, range_ends, refuse_outside
from myodyne.simulate.record import Phase, Tally, result_of, rows_of
from myodyne.simulate.sampled import NOT_SAVED, Reading, Sampled, Sampling
from myodyne.simulate.sampling import sample_times, stops
from myodyne.simulate.signals import Control
from myodyne.simulate.sundials import SundialsMarch
from myodyne.types import Floats

# What a simulation can start from: states by name, or the last row of a trajectory.
Start: TypeAlias = Mapping[str, float] | Trajectory

# One call into compiled code should take about this long (s), so that Ctrl-C and the progress bar stay alive.
_SHORT, _LONG = 0.05, 0.2
# Samples in one call of a solver that starts anew with each call.
_ANEW = 64
# So many events within so short a time (s) will never end.
_CROWD, _INSTANT = 10, 1e-9


def simulate(  # noqa: PLR0913 - the six that every simulation names, and two about its record
    model: Model | Equations,
    duration: float,
    *,
    start: Start | None = None,
    controls: Mapping[str, Control] | None = None,
    scheme: Scheme | None = None,
    until: Event | Sequence[Event] | None = None,
    every: float | None = None,
    feedback: AnyFeedback | None = None,
    external_forces: ExternalForces | None = None,
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
    controls
        Numbers or signals by name; controls not mentioned are zero.
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
    progress
        Whether to show progress; None shows it in a terminal or notebook if it takes longer than a second.

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
    scheme = checked_scheme(scheme or (Rosenbrock() if equations.muscles else DOP853()))
    duration = _seconds("duration", duration)
    times = sample_times(duration, scheme, None if every is None else _seconds("'every'", every))
    if controls is not None and not isinstance(controls, Mapping):
        raise ModelError(f"controls are given by name, like {{'knee_motor': 0.5}}, not as {controls!r:.60}")
    added = Additions(feedback, external_forces, frozenset(controls or ()))
    equations = added.to(equations)
    run = _Run(equations, duration, scheme, dict(controls or {}), as_events(until), times, added)
    run.tally.notes.extend(added.notes(equations.model))
    with task(f"Simulating '{equations.model.name}'", total=duration, unit="s", show=progress) as simulating:
        equations.system.prepare(implicit=isinstance(scheme, Midpoint | TRBDF2 | Rosenbrock))
        run.begin(_start_state(equations, start), frozenset(start) if isinstance(start, Mapping) else frozenset())
        try:
            run.through(stops(times, scheme, bool(run.events or run.ends)), simulating)
        except KeyboardInterrupt:
            run.stop_here()
            run.tally.status = "interrupted"
            run.tally.message = f"interrupted at {run.time:.6g} s of {duration:g} s"
        simulating.update(run.time, note="computing outputs")
        if run.sampling is not None and run.sampling.divergence():
            run.tally.notes.append(run.sampling.divergence().strip())
        result = result_of(run.phases, run.tally, repr(scheme), started)
    if run.tally.status == "failed":
        raise SimulationError(run.tally.message, result)
    return result


def _seconds(what: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < value < np.inf:
        raise ModelError(f"{what} must be a positive number of seconds, not {value!r}")
    return float(value)


def _start_state(equations: Equations, start: Start | None) -> Floats:
    if isinstance(start, Trajectory):
        final = start.final
        missing = [name for name in equations.motion if name not in final]
        if missing:
            raise ModelError(f"the result to start from has no '{missing[0]}'")
        return equations.state({name: final[name] for name in equations.motion})
    return equations.state(start)


@dataclass
class _Run:
    """A simulation on its way: the model in force, its march, and all that was recorded; rows are those of a phase."""

    equations: Equations
    duration: float
    scheme: Scheme
    controls: dict[str, Control]
    events: tuple[Event, ...]
    samples: Floats
    added: Additions = field(default_factory=Additions)
    time: float = 0.0
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

    def begin(self, state: Floats, given: frozenset[str] = frozenset()) -> None:
        """Start a phase with the present equations, at the nearest state that their constraints allow.

        States that were ``given`` stay as they are if the others can meet the constraints alone.
        """
        self._check_names()
        self.ends = range_ends(self.equations.model)
        refuse_outside(self.ends, dict(zip(self.equations.motion, map(float, state), strict=False)))
        own = {name: value for name, value in self.controls.items() if name in self.equations.controls}
        driven = motion_signals(self.equations.model, self.duration)
        driven |= self.added.signals(self.equations, 0.0, self.duration)
        self.signals = signals.merged({**own, **driven}, self.equations.controls)
        self._open_loop()
        if self.equations.multipliers:
            u, moment = self.signals(self.time), self.time if self.phases else None
            state, notes = state_on_constraints(self.equations, state, given, u, moment)
            self.tally.notes.extend(notes)
        self.march = march_of(self.scheme, self.equations, self.signals)
        watched = (*self.events, *self.ends)
        self.search = EventSearch(self.equations, self.scheme, self.signals, watched, self.tally)
        # The work is reckoned anew in each phase.
        self.row = rows_of(self.equations, np.append(state, 0.0)[None, :])[0]
        # A second phase begins where the first ended; times must increase, so it begins the next instant.
        self.time = self.time if not self.phases else float(np.nextafter(self.time, np.inf))
        self.phases.append(Phase(self.equations, self.signals, [self.time], [self.row]))
        self._sample()

    def _open_loop(self) -> None:
        """Make room in the signals for what a controller in Python will give."""
        if not isinstance(self.added.feedback, Sampled):
            return
        if self.sampling is None:
            self.sampling = Sampling(self.added.feedback, self.time, self.duration, tuple(self.controls))
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
        models = [self.equations.model, *(event.to for event in self.events if isinstance(event, Switch))]
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

    def through(self, times: Floats, simulating: Task) -> None:
        """March through all times, in pieces that take a fraction of a second, and keep the samples among them."""
        size, position = 16, 0
        if self.sampling is not None:
            times = np.union1d(times, self.sampling.instants)
        while position < len(times) and self.tally.status != "failed":
            if isinstance(self.march, SundialsMarch):
                # It starts anew with each piece: pieces that depend on the clock would change the result.
                size = _ANEW
            begun = clock.perf_counter()
            chunk = self._before_ends(times[position : position + size])
            chunk = chunk if self.sampling is None else self.sampling.cut(self.time, chunk)
            advance = self.march.advance(self.time, self.state, chunk)
            self.tally.count(advance)
            reached, rows = self._reached(chunk, advance)
            found = self.search.first(self.here, reached, rows, fresh=self.time == self.phases[-1].times[0])
            if found is not None:
                if self._happen(*found, reached, rows):
                    return
                position = int(np.searchsorted(times, self.time, side="right"))
                continue
            self._keep(chunk[: len(advance.states)], rows[: len(advance.states)])
            if advance.failure is not None:
                self._fail(advance)
                return
            position += len(chunk)
            if self._sample():
                return
            simulating.update(self.time)
            spent = clock.perf_counter() - begun
            size = min(2 * size, 8192) if spent < _SHORT else max(size // 2, 1) if spent > _LONG else size

    def _before_ends(self, times: Floats) -> Floats:
        """Return the times before a range is left at the present speeds, and one more: beyond may be dead points."""
        state = dict(zip(self.equations.motion, self.state, strict=False))
        ways = [(end.level - state[end.output], state[f"{end.output}.speed"]) for end in self.ends]
        soonest = min((way / speed for way, speed in ways if way * speed > 0), default=np.inf)
        return times[: int(np.searchsorted(times, self.time + soonest)) + 1] if self.ends else times

    def _reached(self, times: Floats, advance: Advance) -> tuple[Floats, Floats]:
        """Return times and rows of an advance, with the last good state of one that failed beyond a range."""
        reached, rows = times[: len(advance.states)], rows_of(self.equations, advance.states, advance.rates)
        beyond = self.ends and advance.failure is not None and bool(np.all(np.isfinite(advance.last_state)))
        if beyond and advance.last_time > (reached[-1] if len(reached) else self.time):
            last = rows_of(self.equations, advance.last_state[None, :])
            return np.append(reached, advance.last_time), np.vstack([rows, last])
        return reached, rows

    def _keep(self, times: Floats, rows: Floats) -> None:
        """Go on to the last of some times; record those that are samples."""
        if len(times):
            nearest = np.minimum(np.searchsorted(self.samples, times), len(self.samples) - 1)
            wanted = self.samples[nearest] == times
            self._record(times[wanted], rows[wanted])
            self.time, self.row = float(times[-1]), rows[-1]

    def _record(self, times: Floats, rows: Floats) -> None:
        self.phases[-1].times.extend(times.tolist())
        self.phases[-1].rows.extend(rows)

    def stop_here(self) -> None:
        """Record the present state even if it is no sample."""
        if self.time > self.phases[-1].times[-1]:
            self._record(np.array([self.time]), self.row[None, :])

    def _happen(self, candidates: list[Candidate], interval: int, times: Floats, rows: Floats) -> bool:
        """Record up to the earliest of some events and act on it; return whether the simulation ends there."""
        self._keep(times[:interval], rows[:interval])
        end = Point(float(times[interval]), rows[interval])
        event, (self.time, self.row) = self.search.earliest(candidates, self.here, end)
        moment, crossing = self.time, crossing_of(event)
        self.stop_here()
        if isinstance(event, RangeEnd):
            self._give_up(event.reason)
            return True
        self.tally.events.append((moment, crossing.name))
        if isinstance(event, Switch):
            crowd = self.tally.events[-_CROWD:]
            if len(crowd) == _CROWD and moment - crowd[0][0] < _INSTANT * max(1.0, moment):
                self._give_up(
                    f"'{crossing.name}' happens again and again without end. Let such events lead to another model, "
                    "one that stays at rest, or stop there."
                )
                return True
            self._switch(event)
            return False
        self.tally.status = "stopped by event"
        self.tally.message = f"{crossing.name} at {moment:.9g} s"
        return True

    def _switch(self, event: Switch) -> None:
        before = dict(zip(self.equations.motion, map(float, self.state[:-1]), strict=True))
        carried = event.carry(before) if event.carry else {}
        if not isinstance(carried, Mapping):
            raise ModelError(f"carry must return the states that are new or different by name, not {carried!r:.60}")
        values = before | dict(carried)
        previous, self.equations = self.equations, self._equations_of(event.to)
        for name in values:
            if name not in self.equations.motion and name not in before:
                raise ModelError("carry: " + unknown_name("state", name, self.equations.motion))
        self.begin(self.equations.state({n: v for n, v in values.items() if n in self.equations.motion}))
        for other in self.events:
            if isinstance(other, Switch) and self.search.begins_beyond(other, self.here, previous):
                self.tally.events.append((self.time, other.when.name))
                self._switch(other)
                return

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
