"""A control law around a system in implicit form, where there is no compiler; ``native/march/loop.c`` does the same."""

from __future__ import annotations

import numpy as np

from myodyne.native.kernel import Kernel
from myodyne.numerics.stepping.advance import Rate
from myodyne.numerics.stepping.implicit_form import ImplicitSystem, Input, Jacobian
from myodyne.types import Floats


def closed_form(system: ImplicitSystem, loop: Kernel | None, coordinates: int) -> ImplicitSystem:
    """Return a system whose controls a law gives from its states, or the system itself without a law."""
    return system if loop is None else ClosedForm(system, loop, coordinates)


class ClosedForm:
    """A system in implicit form under a control law (an `ImplicitSystem`)."""

    def __init__(self, system: ImplicitSystem, loop: Kernel, coordinates: int) -> None:
        self._system, self._loop = system, loop
        self.positions, self.states = system.positions, system.states
        self._fed = np.array(loop.signature.notes["places"], dtype=int)
        self._clock = int(loop.signature.notes["clock"])
        m = self.positions
        moving = np.arange(coordinates)
        self._own = np.concatenate([moving, m + moving, np.arange(2 * m, self.states)])
        self._fibres = loop.input_sizes[2]

    def evaluate(self, x: Floats, xdot: Floats, at: Input, *, with_jacobian: bool) -> tuple[Floats, Jacobian | None]:
        """Return the residual and, if asked, its derivatives."""
        closed, by_state, _ = self._closed(x, at)
        residual, jacobian = self._system.evaluate(x, xdot, closed, with_jacobian=with_jacobian)
        if jacobian is None:
            return residual, None
        unit = np.eye(len(at.controls))
        driven = np.column_stack([self._system.steer(x, xdot, closed, unit[place]) for place in self._fed])
        added, m = driven @ by_state, self.positions
        return residual, Jacobian(
            jacobian.by_position + added[:, :m], jacobian.by_rest + added[:, m:], jacobian.by_rate
        )

    def steer(self, x: Floats, xdot: Floats, at: Input, change: Floats) -> Floats:
        """Return the derivative of the residual by the controls times a change of them."""
        closed, _, by_time = self._closed(x, at)
        followed = change.copy()
        followed[self._fed] = by_time * change[self._clock] if self._clock >= 0 else 0.0
        if self._clock >= 0:
            followed[self._clock] = 0.0
        return self._system.steer(x, xdot, closed, followed)

    def rates(self, x: Floats, at: Input) -> Rate:
        """Return the rates of all states."""
        return self._system.rates(x, self._closed(x, at)[0])

    def _closed(self, x: Floats, at: Input) -> tuple[Input, Floats, Floats]:
        """Return the inputs with what the law gives, and its derivatives by all states and by time."""
        m, size = self.positions, self._loop.input_sizes[0]
        muscles = x[2 * m :]
        values, by_own, by_time = self._loop(
            x[:size], x[m : m + size], muscles[: self._fibres], muscles[self._fibres :], at.controls, at.parameters
        )
        controls = np.array(at.controls, dtype=float)
        controls[self._fed] = values
        by_state = np.zeros((len(self._fed), self.states))
        by_state[:, self._own] = by_own.reshape(len(self._fed), -1, order="F")
        return at._replace(controls=controls), by_state, by_time
