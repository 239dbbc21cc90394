"""Single steps with controls that are not known beforehand, for loops with a person or a controller."""

from __future__ import annotations

import ctypes
from typing import NamedTuple

import numpy as np

from myodyne.march.marching import FAILURES, Marchable, NativeMarch, march_for
from myodyne.native.structures import CourseStructure, pointer
from myodyne.numerics import schemes
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.stepping.march import Failure, SteppedMarch
from myodyne.types import Floats

FixedScheme = schemes.Rosenbrock | schemes.Midpoint | schemes.TRBDF2


class _Saved(NamedTuple):
    """Everything that a step takes over from the last one."""

    march: object
    state: Floats
    rates: Floats


class Steps:
    """Equal steps of an implicit scheme, one at a call; ``state`` is that of the march and may be read at any time.

    ``rates`` are those that the last step solved for, NaN for schemes that do not compute them.
    Time starts at zero in every step, and controls are linear in it.
    """

    def __init__(self, scheme: FixedScheme, system: Marchable, parameters: Floats) -> None:
        assert scheme.step is not None
        self._step = float(scheme.step)
        count = system.balance.input_sizes[2]
        self._signals = PiecewisePolynomial([0.0, self._step], np.zeros((1, 2, count)))
        # The march reads this array in every step; no other code does.
        self._line = self._signals.coefficients
        self._line.setflags(write=True)
        self._march: SteppedMarch = march_for(scheme, system, self._signals, parameters)
        self._native = _Native(self._march, self._step) if isinstance(self._march, NativeMarch) else None
        native = self._native
        self.state: Floats = np.zeros(self._march.size) if native is None else native.state
        self.rates: Floats = np.full(self._march.size, np.nan) if native is None else native.rates

    def take(self, before: Floats, after: Floats) -> Failure | None:
        """Take a step with controls linear from ``before`` to ``after``; after a failure the state is unchanged."""
        line = self._line
        line[0, 0] = before
        with np.errstate(over="ignore"):  # the step will say that it is not finite
            line[0, 1] = (after - before) / self._step
        if self._native is not None:
            return self._native.take()
        before_it = self._march.saved()
        self._march.rewind()
        advance = self._march.advance(0.0, self.state, np.array([self._step]))
        if advance.failure is None:
            self.state[:] = advance.last_state
            if advance.rates is not None:
                self.rates[:] = advance.rates[-1]
        else:
            self._march.restore(before_it)
        return advance.failure

    def saved(self) -> _Saved:
        """Return everything that the next step takes over from this one."""
        return _Saved(self._march.saved(), self.state.copy(), self.rates.copy())

    def restore(self, saved: _Saved) -> None:
        """Go back to a point that was saved."""
        self._march.restore(saved.march)
        self.state[:], self.rates[:] = saved.state, saved.rates

    def forget(self) -> None:
        """Forget step size and rates after the state was changed from outside."""
        self._march.reset()
        self.rates[:] = np.nan


class _Native:
    """The call into C with all its arguments prepared, so that a step costs microseconds."""

    def __init__(self, march: NativeMarch, step: float) -> None:
        self._march = march
        self.state, self.rates = np.zeros(march.size), np.full(march.size, np.nan)
        self._times, self._states = np.array([step]), np.zeros((1, march.size))
        self._course = CourseStructure(
            count=1, times=pointer(self._times), states=pointer(self._states), last_state=pointer(self.state)
        )
        if march.has_rates:
            self._course.rates = pointer(self.rates)
        structures = (march.problem, march.tableau, march.control, march.memory, self._course)
        self._arguments = tuple(ctypes.c_void_p(ctypes.addressof(structure)) for structure in structures)
        # A declaration of its own: the shared one checks each structure again in every call.
        self._call = ctypes.CFUNCTYPE(None, *([ctypes.c_void_p] * 5))(march.entry_address)

    def take(self) -> Failure | None:
        memory = self._march.memory
        carried = memory.continuing, memory.carried, memory.swapped
        memory.time = 0.0
        self._course.last_time = 0.0
        self._call(*self._arguments)
        failure: int = self._course.failure
        if failure:
            # A step that fails does not overwrite the rates of the last step that succeeded.
            memory.continuing, memory.carried, memory.swapped = carried
        return FAILURES[failure]
