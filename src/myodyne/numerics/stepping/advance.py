"""The step loop of a march: which steps are taken, accepted and rejected between the requested times.

Fixed schemes divide each interval into equal steps; adaptive ones choose steps by the error, and land exactly on every
requested time and every discontinuity of the controls. The counterpart in NumPy of ``steps.c``, for any kind of step.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from myodyne.numerics.piecewise import time_slack
from myodyne.numerics.stepping.march import Advance, Failure, checked
from myodyne.numerics.stepping.steps import (
    LEAST_FACTOR,
    LEAST_PAST,
    MOST_FACTOR,
    Control,
    equal_steps,
    growth,
    shrinkage,
)
from myodyne.types import Floats


class Instant(NamedTuple):
    """A time (s), and the side from which it is approached: a control may jump there."""

    time: float
    left: bool
    slack: float


class Attempt(NamedTuple):
    """The outcome of a trial step: the state, its error in units of the tolerances, or why it failed."""

    state: Floats
    error: float = 0.0
    failure: Failure | None = None
    offender: int | None = None


class Rate(NamedTuple):
    """A rate of change, or why it could not be found."""

    value: Floats
    failure: Failure | None = None
    offender: int | None = None


class StepMethod(Protocol):
    """One kind of step, explicit or implicit."""

    control: Control
    error_order: int
    stops: Floats
    evaluations: int
    iterations: int

    def rate(self, at: Instant, state: Floats) -> Rate:
        """Return the rate of change of a state."""
        ...

    def attempt(self, start: Instant, step: float, state: Floats) -> Attempt:
        """Try a step from a state."""
        ...

    def accept(self) -> None:
        """Keep the last attempt."""
        ...

    def restart(self) -> None:
        """Discard what was carried over: the state or a control jumps here."""
        ...

    def carried(self) -> object:
        """Return what is carried over from step to step."""
        ...

    def carry(self, carried: Any) -> None:  # noqa: ANN401 - what `carried` of the same step returned
        """Continue from what another `carried` returned."""
        ...


@runtime_checkable
class CarriesRates(Protocol):
    """A kind of step that keeps the rates at its start."""

    def longest(self, start: Instant, state: Floats) -> float:
        """Return the longest sensible step (s) from a state; used with adaptive steps."""
        ...

    def provides_rates(self) -> bool:
        """Return whether steps end with rates that are as good as the state."""
        ...

    def present(self, time: float) -> Floats | None:
        """Return the rates that the last step ended with, at this time (s), or None."""
        ...


@dataclass
class _HaltError(Exception):
    """Ends an advance early."""

    failure: Failure
    offender: int | None = None


class _Saved(NamedTuple):
    """What a march carries over to its next advance: where it ended, the next step (s), the last error, its rates."""

    memory: tuple[float, Floats] | None
    wanted: float
    previous_error: float
    carried: object


class PythonMarch:
    """A march in Python, with any kind of step."""

    def __init__(self, method: StepMethod, n: int) -> None:
        self._method = method
        self._n = n
        self._carrier = method if isinstance(method, CarriesRates) else None
        self._control = method.control
        self._stops: list[float] = method.stops.tolist()
        self._memory: tuple[float, Floats] | None = None
        self._wanted = 0.0
        self._previous_error = 1.0

    def reset(self) -> None:
        """Discard the step size of the last advance."""
        self._memory = None

    def rewind(self) -> None:
        """Let the next advance start at time zero and yet continue the last one."""
        self._memory = self._memory and (0.0, self._memory[1])

    def saved(self) -> _Saved:
        """Return all that is carried over to the next advance."""
        return _Saved(self._memory, self._wanted, self._previous_error, self._method.carried())

    def restore(self, saved: _Saved) -> None:
        """Go back to what was saved."""
        self._memory, self._wanted, self._previous_error, carried = saved
        self._method.carry(carried)

    def advance(self, time: float, state: ArrayLike, times: ArrayLike) -> Advance:
        """Return the states at the requested times; see :class:`~myodyne.numerics.stepping.march.March`."""
        self._time, self._state, requested = checked(time, state, times, self._n)
        self._begin()
        reached: list[Floats] = []
        self._rates: list[Floats] = []
        failure: Failure | None = None
        offender: int | None = None
        # A diverging state overflows; that is found and reported, not warned about.
        with np.errstate(all="ignore"):
            try:
                for target in requested.tolist():
                    self._reach(target)
                    reached.append(self._state)
            except _HaltError as stop:
                failure, offender = stop.failure, stop.offender
        self._memory = None if failure else (self._time, self._state)
        provides = self._carrier is not None and self._carrier.provides_rates()
        rates = np.array(self._rates[: len(reached)]).reshape(-1, self._n) if provides else None
        return Advance(
            states=np.array(reached).reshape(-1, self._n),
            steps=self._steps,
            rejected=self._rejected,
            evaluations=self._method.evaluations,
            iterations=self._method.iterations,
            failure=failure,
            last_time=self._time,
            last_state=self._state.copy(),
            offender=offender,
            rates=rates,
        )

    def _begin(self) -> None:
        self._steps = self._rejected = 0
        self._method.evaluations = self._method.iterations = 0
        if self._memory and self._memory[0] == self._time and np.array_equal(self._memory[1], self._state):
            return
        self._wanted = min(self._control.first_step, self._control.largest_step)
        self._previous_error = 1.0
        self._method.restart()

    def _reach(self, requested: float) -> None:
        self._left = self._control.most_steps
        while self._time < requested:
            target, jump = self._next_target(requested)
            if self._control.step > 0:
                self._cross_equally(target)
            else:
                self._cross_adaptively(target)
            if self._carrier is not None and not self._time < requested:
                rates = self._carrier.present(self._time)
                self._rates.append(np.full(self._n, np.nan) if rates is None else rates)
            if jump:
                self._method.restart()

    def _next_target(self, requested: float) -> tuple[float, bool]:
        """Return the next time to land on, and whether a control jumps there."""
        slack = time_slack(self._time, requested)
        following = bisect_right(self._stops, self._time + slack)
        if following == len(self._stops) or self._stops[following] > requested + slack:
            return requested, False
        stop = self._stops[following]
        return (stop if stop < requested - slack else requested), True

    def _keep(self, time: float, state: Floats) -> None:
        self._time, self._state = time, state
        self._steps += 1
        self._method.accept()

    def _cross_equally(self, target: float) -> None:
        start = self._time
        count = equal_steps(target - start, self._control.step)
        if not count <= self._left:
            raise _HaltError("too many steps")
        step = (target - start) / count
        self._left -= int(count)
        slack = time_slack(start, target) + 1e-9 * step
        for index in range(1, int(count) + 1):
            attempt = self._method.attempt(Instant(self._time, False, slack), step, self._state)
            if attempt.failure:
                raise _HaltError(attempt.failure, attempt.offender)
            self._keep(target if index == count else start + index * step, attempt.state)

    def _cross_adaptively(self, target: float) -> None:
        order = self._method.error_order
        repeated = False
        if not self._wanted > 0:
            self._wanted = self._estimate_step(target)
        while self._time < target:
            remaining = target - self._time
            smallest = 16 * float(np.finfo(float).eps) * max(abs(self._time), abs(target))
            step = wanted = max(self._wanted, smallest)
            start = Instant(self._time, False, time_slack(self._time, target))
            longest = np.inf if self._carrier is None else self._carrier.longest(start, self._state)
            last = min(wanted, longest) >= 0.99 * remaining
            if longest < wanted and not last:
                step = max(longest, smallest)
            elif last:
                step = remaining
            elif 2 * wanted > remaining:
                step = 0.5 * remaining  # two equal steps instead of a long and a tiny one
            limited = step < wanted
            end = target if last else self._time + step
            self._left -= 1
            if self._left < 0:
                raise _HaltError("too many steps")
            attempt = self._method.attempt(start, step, self._state)
            if attempt.failure or not attempt.error <= 1:
                self._rejected += 1
                repeated = True
                self._wanted = step * (LEAST_FACTOR if attempt.failure else shrinkage(attempt.error, order))
                if self._wanted < smallest:
                    raise _HaltError(attempt.failure or "step too small", attempt.offender)
                continue
            step *= min(growth(attempt.error, self._previous_error, order), 1.0 if repeated else MOST_FACTOR)
            # A step that was cut short says little about the next one.
            if limited:
                step = max(step, wanted)
            else:
                self._previous_error = max(attempt.error, LEAST_PAST)
            self._wanted = min(step, self._control.largest_step)
            self._keep(end, attempt.state)
            repeated = False

    def _estimate_step(self, target: float) -> float:
        """Return a first step from the sizes of the state, its rate and the change of that rate.

        Hairer, Nørsett and Wanner 1993, section II.4.
        """
        state, control = self._state, self._control
        slack = time_slack(self._time, target)
        rate, failure, offender = self._method.rate(Instant(self._time, False, slack), state)
        broken = np.flatnonzero(~np.isfinite(rate))
        if failure or len(broken):
            raise _HaltError(failure or "not finite", int(broken[0]) if len(broken) else offender)
        size, speed = control.norm(state, state, state), control.norm(rate, state, state)
        trial = 1e-6 if size < 1e-5 or speed < 1e-5 else 0.01 * size / speed
        trial = min(trial, target - self._time, control.largest_step)
        probe = self._method.rate(Instant(self._time + trial, True, slack), state + trial * rate)
        bend = control.norm(probe.value - rate, state, state) / trial
        if probe.failure or not np.isfinite(bend):
            guess = 1e-3 * trial
        elif max(speed, bend) <= 1e-15:
            guess = max(1e-6, 1e-3 * trial)
        else:
            guess = (0.01 / max(speed, bend)) ** (1.0 / self._method.error_order)
        return min(100 * trial, guess, control.largest_step)
