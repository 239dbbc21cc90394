"""Linearly implicit (Rosenbrock) marches: the counterpart in NumPy of ``rosenbrock.c``, which gives the formula."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from myodyne.numerics import schemes
from myodyne.numerics.piecewise import PiecewisePolynomial, time_slack
from myodyne.numerics.stepping.advance import Attempt, Instant, PythonMarch, Rate
from myodyne.numerics.stepping.explicit import combined
from myodyne.numerics.stepping.implicit_form import (
    TINY_STEP,
    ImplicitSystem,
    Input,
    LinearSystem,
    rates_of,
    sourced_rates,
)
from myodyne.numerics.stepping.march import Failure
from myodyne.numerics.stepping.steps import control_of
from myodyne.numerics.tableaux import LinearTableau, linear_tableau_of
from myodyne.types import Floats

_JUMP = 1e-9  # controls that differ by a smaller relative amount are equal up to rounding
# Where the rates of the present state come from.
Source = Literal["nowhere", "the last step", "the equations", "a tiny step"]


def linear_march(
    scheme: schemes.Rosenbrock, system: ImplicitSystem, signals: PiecewisePolynomial, parameters: ArrayLike = ()
) -> PythonMarch:
    """Return a march of a system in implicit form by a Rosenbrock method.

    Parameters
    ----------
    scheme : Rosenbrock
        The formula and its steps.
    system : ImplicitSystem
        The equations of motion, for example `SecondOrder`.
    signals : PiecewisePolynomial
        The controls as functions of time (s).
    parameters : (n_p,) array
        Parameters of the system.

    Examples
    --------
    >>> from myodyne.numerics.stepping.implicit_form import SecondOrder
    >>> spring = SecondOrder(lambda x, xdot, u, p: (xdot[1:] + x[:1], [[1.0]], [[0.0]], [[1.0]]), 2)
    >>> swing = linear_march(schemes.Rosenbrock(step=0.01, order=4), spring, PiecewisePolynomial.constant([]))
    >>> swing.advance(0.0, [1.0, 0.0], [np.pi]).last_state.round(6)
    array([-1., -0.])
    """
    return PythonMarch(_LinearStep(scheme, system, signals, np.array(parameters, dtype=float)), system.states)


class _LinearStep:
    def __init__(
        self, scheme: schemes.Rosenbrock, system: ImplicitSystem, signals: PiecewisePolynomial, parameters: Floats
    ) -> None:
        self.control = control_of(scheme)
        self.stops = signals.discontinuities
        self.evaluations = self.iterations = 0
        self._tableau: LinearTableau = linear_tableau_of(scheme)
        self.error_order = self._tableau.error_order
        self._system, self._signals, self._parameters = system, signals, parameters
        self._rate = self._next_rate = np.zeros(system.states)  # of the present state, and of that after the next step
        self._source: Source = "nowhere"

    def rate(self, at: Instant, state: Floats) -> Rate:
        """Return the rates that belong to a state."""
        self.evaluations += 1
        return rates_of(self._system, state, self._input(at))

    def longest(self, start: Instant, state: Floats) -> float:
        """Return the longest sensible step (s) from a state: a tiny one where no equation gives the rates.

        dF/dxdot is then singular, as for a muscle without activation and damping. As the muscle is activated, its
        coefficient grows from zero within a step, however short, which the Jacobian at the start does not see: no
        linearly implicit step can be taken. The fully implicit step that gave the rates can.
        """
        if self._find_rate(start, state) is not None:
            return np.inf  # the attempt will report why
        return TINY_STEP if self._creeps else np.inf

    def attempt(self, start: Instant, step: float, state: Floats) -> Attempt:
        failed = self._find_rate(start, state)
        if failed is not None:
            return failed
        adaptive = not self.control.step > 0
        if adaptive and self._creeps:
            return self._crept(step, state)
        attempt = self._taken(start, step, state)
        if not adaptive or self._source != "the last step" or (attempt.failure is None and attempt.error <= 1):
            return attempt
        # The error of the states does not control the carried rates, which may be why the step is rejected: the force
        # of a hardly active muscle, or of one at its maximal velocity, hardly depends on its velocity. No shorter step
        # would help, so the same one is retried with the rates that belong to the state.
        self.restart()
        if self._find_rate(start, state) is not None or self._creeps:
            return attempt
        return self._taken(start, step, state)

    @property
    def _creeps(self) -> bool:
        return self._source == "a tiny step"

    def _find_rate(self, start: Instant, state: Floats) -> Attempt | None:
        """Find the rates of the present state unless they are known; return a failed attempt if that fails."""
        if self._source != "nowhere":
            return None
        self.evaluations += 1
        (rate, failure, offender), approached = sourced_rates(self._system, state, self._input(start))
        if failure is not None:
            return Attempt(state, failure=failure, offender=offender)
        self._rate, self._source = rate, "a tiny step" if approached else "the equations"
        return None

    def _crept(self, step: float, state: Floats) -> Attempt:
        """Take the tiny implicit step itself, whose rates are known: the equations hold at its end."""
        following, self._next_rate = state + step * self._rate, self._rate
        broken = np.flatnonzero(~np.isfinite(following))
        if len(broken):
            return Attempt(following, failure="not finite", offender=int(broken[0]))
        return Attempt(following)

    def _taken(self, start: Instant, step: float, state: Floats) -> Attempt:
        """Take the stages of a step from the rates at its start."""
        at = self._input(start)
        self.evaluations += 1
        residual, jacobian = self._system.evaluate(state, self._rate, at, with_jacobian=True)
        assert jacobian is not None
        m = self._system.positions
        if not np.all(np.isfinite(residual)):
            return self._broken(residual)
        steering = self._system.steer(state, self._rate, at, self._control_rates(start, step, at.controls))
        linear = jacobian.factorised(1 / (self._tableau.gamma * step))
        if isinstance(linear, int):
            return Attempt(state, failure="Newton did not converge", offender=m + linear)
        return self._stages(start, step, state, residual, (linear, steering))

    def accept(self) -> None:
        self._rate, self._source = self._next_rate, "the last step"

    def restart(self) -> None:
        self._source = "nowhere"

    def provides_rates(self) -> bool:
        return self._tableau.stages == 1

    def present(self, time: float) -> Floats | None:
        """Return the rates that the last step ended with; ``rosenbrock.c`` explains why only for one stage."""
        if not self.provides_rates() or self._source != "the last step":
            return None
        slack = time_slack(time, time)
        before, after = (self._signals.limit(time, left=left, slack=slack) for left in (True, False))
        jumps = np.abs(before - after) > _JUMP * (np.abs(before) + np.abs(after))
        return None if jumps.any() else self._rate

    def carried(self) -> tuple[Floats, Source]:
        return self._rate, self._source

    def carry(self, carried: tuple[Floats, Source]) -> None:
        self._rate, self._source = carried

    def _input(self, at: Instant) -> Input:
        return Input(self._signals.limit(at.time, left=at.left, slack=at.slack), self._parameters)

    def _control_rates(self, start: Instant, step: float, controls: Floats) -> Floats:
        """Return the rates of the controls: for a method of one stage their mean over the step, which hits its end."""
        if self._tableau.stages == 1:
            end = self._signals.limit(start.time + step, left=True, slack=start.slack)
            return (end - controls) / step
        return self._signals.rate(start.time, start.slack)

    def _stages(
        self, start: Instant, step: float, state: Floats, residual: Floats, prepared: tuple[LinearSystem, Floats]
    ) -> Attempt:
        """Return the result of the changes U of the states and V of the rates; ``residual`` is that at the start."""
        linear, steering = prepared
        tableau, m = self._tableau, self._system.positions
        changes: list[Floats] = []
        rate_changes: list[Floats] = []
        for index in range(tableau.stages):
            row = tableau.a[index]
            place, rate = combined(row, changes, 1.0, state), combined(row, rate_changes, 1.0, self._rate)
            if row[:index].any():
                at = self._input(Instant(start.time + tableau.alpha[index] * step, True, start.slack))
                self.evaluations += 1
                residual, _ = self._system.evaluate(place, rate, at, with_jacobian=False)
                if not np.all(np.isfinite(residual)):
                    return self._broken(residual)
            wanted = rate + combined(tableau.c[index], changes, 1.0, np.zeros(len(state))) / step
            positions = wanted[:m] - (rate[:m] - place[m : 2 * m])
            rest = linear.jacobian.by_rate @ wanted[m:] - (residual + tableau.gammas[index] * step * steering)
            change = linear.solve(positions, rest)
            changes.append(change)
            rate_changes.append(linear.sigma * change - wanted)
        return self._ended(state, changes, rate_changes)

    def _broken(self, residual: Floats) -> Attempt:
        """Return a failed attempt, traced to the state whose equation is not finite."""
        first = int(np.flatnonzero(~np.isfinite(residual))[0])
        return Attempt(residual, failure="not finite", offender=self._system.positions + first)

    def _ended(self, state: Floats, changes: list[Floats], rate_changes: list[Floats]) -> Attempt:
        tableau, control = self._tableau, self.control
        following = combined(tableau.m, changes, 1.0, state)
        self._next_rate = combined(tableau.m, rate_changes, 1.0, self._rate)
        broken = np.flatnonzero(~np.isfinite(following))
        if len(broken):
            return Attempt(following, failure="not finite", offender=int(broken[0]))
        if control.step > 0 or tableau.error is None or not len(state):
            return Attempt(following)
        error = combined(tableau.error, changes, 1.0, np.zeros(len(state)))
        norm = control.norm(error, state, following)
        largest = int(np.argmax(np.abs(control.ratios(error, state, following))))
        failure: Failure | None = None if np.isfinite(norm) else "not finite"
        return Attempt(following, norm, failure, largest)
