"""Single steps with controls that are not known beforehand, for loops with a person or a controller."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple, Protocol

import numpy as np

from myodyne.march.marching import FAILURES, NativeMarch
from myodyne.native.structures import CourseStructure, pointer
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.stepping.march import Failure, March
from myodyne.types import Floats, Integers


class Line:
    """Controls that are linear in time over one step, which starts at time zero; each step sets them anew."""

    def __init__(self, count: int, length: float) -> None:
        self.length = length
        self.signals = PiecewisePolynomial([0.0, length], np.zeros((1, 2, count)))
        # The march reads this array in every step; no other code does.
        self._coefficients = self.signals.coefficients
        self._coefficients.setflags(write=True)

    def put(self, before: Floats, after: Floats) -> None:
        """Let the controls change evenly from ``before`` to ``after``."""
        self._coefficients[0, 0] = before
        with np.errstate(over="ignore"):  # the step will say that it is not finite
            self._coefficients[0, 1] = (after - before) / self.length


class Steps(Protocol):
    """Steps of equal length, one at a call. Each scheme may divide a step into smaller ones of its own."""

    @property
    def state(self) -> Floats:
        """Return the present state, in the order of the equations' ``marched``; a copy."""
        ...

    @property
    def rates(self) -> Floats:
        """Return the rates of the motion and the multipliers that the last step ended with, NaN where unknown."""
        ...

    def begin(self, state: Floats) -> None:
        """Go to another state and start the scheme anew."""
        ...

    def take(self, before: Floats, after: Floats) -> Failure | None:
        """Take a step with controls linear from ``before`` to ``after``; after a failure the state is unchanged."""
        ...

    def saved(self) -> object:
        """Return everything that the next step takes over from this one."""
        ...

    def restore(self, saved: Any) -> None:  # noqa: ANN401 - what `saved` of the same kind of steps returned
        """Go back to a point that was saved."""
        ...


class _Saved(NamedTuple):
    """Everything that a step takes over from the last one."""

    march: Any
    state: Floats
    rates: Floats


class MarchSteps:
    """Steps of any march; see `Steps`."""

    def __init__(self, march: March, line: Line, rates: int) -> None:
        self._march, self._line = march, line
        self._end = np.array([line.length])
        self.state: Floats = np.empty(0)
        self.rates: Floats = np.full(rates, np.nan)

    def begin(self, state: Floats) -> None:
        """Go to another state and start the scheme anew."""
        self._march.reset()
        self.state, self.rates = state.copy(), np.full_like(self.rates, np.nan)

    def take(self, before: Floats, after: Floats) -> Failure | None:
        """Take a step; after a failure everything is as it was."""
        self._line.put(before, after)
        here = self._march.saved()
        self._march.rewind()
        advance = self._march.advance(0.0, self.state, self._end)
        if advance.failure is not None:
            self._march.restore(here)
            return advance.failure
        self.state = advance.last_state
        self.rates = np.full_like(self.rates, np.nan) if advance.rates is None else advance.rates[-1]
        return None

    def saved(self) -> _Saved:
        """Return everything that the next step takes over from this one."""
        return _Saved(self._march.saved(), self.state.copy(), self.rates.copy())

    def restore(self, saved: _Saved) -> None:
        """Go back to a point that was saved."""
        self._march.restore(saved.march)
        self.state, self.rates = saved.state.copy(), saved.rates.copy()


class NativeSteps:
    """Steps of a march in C, with all arguments of the call prepared, so that a step costs microseconds; see `Steps`.

    Parameters
    ----------
    march, line : the march, and the controls that it reads.
    kept, moving : where the state, the rates and the multipliers stand in the vector that the march carries.
    single : whether a step is one of the scheme's own, by an implicit formula.
    """

    def __init__(self, march: NativeMarch, line: Line, kept: Integers, moving: Integers, single: bool) -> None:
        self._march, self._line, self._single = march, line, single
        self._kept, self._moving = kept, moving
        self._state, self._rates = np.zeros(march.size), np.full(march.size, np.nan)
        self._times, self._states = np.array([line.length]), np.zeros((1, march.size))
        self._course = CourseStructure(
            count=1, times=pointer(self._times), states=pointer(self._states), last_state=pointer(self._state)
        )
        if march.has_rates:
            self._course.rates = pointer(self._rates)
        structures = (march.problem, march.tableau, march.control, march.memory, self._course)
        self._arguments = tuple(ctypes.c_void_p(ctypes.addressof(structure)) for structure in structures)
        # A declaration of its own: the shared one checks each structure again in every call.
        self._call = ctypes.CFUNCTYPE(None, *([ctypes.c_void_p] * 5))(march.entry_address)

    @property
    def state(self) -> Floats:
        """Return the present state; a copy."""
        return self._state[self._kept]

    @property
    def rates(self) -> Floats:
        """Return the rates of the motion and the multipliers, NaN where unknown."""
        return self._rates[self._moving]

    def begin(self, state: Floats) -> None:
        """Go to another state and start the scheme anew."""
        self._march.reset()
        self._state[:], self._rates[:] = 0.0, np.nan
        self._state[self._kept] = state

    def take(self, before: Floats, after: Floats) -> Failure | None:
        """Take a step; after a failure everything is as it was."""
        self._line.put(before, after)
        memory = self._march.memory
        # A single implicit step that fails leaves the state and the rates of the step before it untouched.
        carried = memory.continuing, memory.carried, memory.swapped
        here = None if self._single else self.saved()
        memory.time = 0.0
        self._course.last_time = 0.0
        self._call(*self._arguments)
        failure: int = self._course.failure
        if failure and here is not None:
            self.restore(here)
        elif failure:
            memory.continuing, memory.carried, memory.swapped = carried
        return FAILURES[failure]

    def saved(self) -> _Saved:
        """Return everything that the next step takes over from this one."""
        return _Saved(self._march.saved(), self._state.copy(), self._rates.copy())

    def restore(self, saved: _Saved) -> None:
        """Go back to a point that was saved."""
        self._march.restore(saved.march)
        self._state[:], self._rates[:] = saved.state, saved.rates
