"""Single steps with controls that are not known beforehand: what a loop with a person or a controller in it needs."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from myodyne.march.marching import FAILURES, Marchable, NativeMarch, march_for
from myodyne.native.structures import CourseStructure, pointer
from myodyne.numerics import schemes
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.stepping.march import Failure, SteppedMarch

Floats = NDArray[np.float64]
FixedScheme = schemes.Rosenbrock | schemes.Midpoint | schemes.TRBDF2


class Steps:
    """Equal steps of an implicit scheme, one at a call; ``state`` is that of the march and may be read at any time.

    ``rates`` are those that the last step solved for, NaN where the scheme has none to tell.
    Every step has a clock of its own that begins at zero, and controls that are straight lines on it.
    """

    def __init__(self, scheme: FixedScheme, system: Marchable, parameters: Floats) -> None:
        assert scheme.step is not None
        self._step = float(scheme.step)
        count = system.balance.input_sizes[2]
        self._signals = PiecewisePolynomial([0.0, self._step], np.zeros((1, 2, count)))
        # The march reads this array in every step; nobody else sees it.
        self._line = self._signals.coefficients
        self._line.setflags(write=True)
        self._march: SteppedMarch = march_for(scheme, system, self._signals, parameters)
        self._native = _Native(self._march, self._step) if isinstance(self._march, NativeMarch) else None
        native = self._native
        self.state: Floats = np.zeros(self._march.size) if native is None else native.state
        self.rates: Floats = np.full(self._march.size, np.nan) if native is None else native.rates

    def take(self, before: Floats, after: Floats) -> Failure | None:
        """Take a step while the controls go evenly from ``before`` to ``after``; after a failure nothing has moved."""
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

    def saved(self) -> Any:
        """Return all that the march carries from step to step."""
        return self._march.saved(), self.state.copy(), self.rates.copy()

    def restore(self, saved: Any) -> None:
        """Go back to what was saved."""
        self._march.restore(saved[0])
        self.state[:], self.rates[:] = saved[1:]

    def forget(self) -> None:
        """Begin afresh at the present state: it was changed from outside."""
        self._march.reset()
        self.rates[:] = np.nan


class _Native:
    """The call into C with all its arguments prepared: what is left to do in a step is microseconds."""

    def __init__(self, march: NativeMarch, step: float) -> None:
        self._march = march
        self.state, self.rates = np.zeros(march.size), np.full(march.size, np.nan)
        self._times, self._states = np.array([step]), np.zeros((1, march.size))
        self._course = CourseStructure(
            count=1, times=pointer(self._times), states=pointer(self._states), last_state=pointer(self.state)
        )
        if march.tells_rates:
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
            # Rates are carried over by steps that succeed; those of the last one still lie where they did.
            memory.continuing, memory.carried, memory.swapped = carried
        return FAILURES[failure]
