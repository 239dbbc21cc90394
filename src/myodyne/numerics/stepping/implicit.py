"""Diagonally implicit Runge–Kutta marches: the counterpart in NumPy of ``implicit.c`` and ``stage.c``.

A stage solves ``x = base + weight * xdot``. The positions follow from the other rates, v = base_v + weight v̇ and
q = base_q + weight v, so Newton's method solves for the rates of all but them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from myodyne.numerics import schemes
from myodyne.numerics.newton import Newton
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.stepping.advance import Attempt, Instant, PythonMarch, Rate
from myodyne.numerics.stepping.explicit import combined
from myodyne.numerics.stepping.implicit_form import ImplicitSystem, Input, LinearSystem, rates_of
from myodyne.numerics.stepping.march import Failure
from myodyne.numerics.stepping.steps import control_of
from myodyne.numerics.tableaux import Tableau, tableau_of
from myodyne.types import Floats

ImplicitScheme = schemes.Midpoint | schemes.TRBDF2


def implicit_march(
    scheme: ImplicitScheme, system: ImplicitSystem, signals: PiecewisePolynomial, parameters: ArrayLike = ()
) -> PythonMarch:
    """Return a march of a system in implicit form.

    Parameters
    ----------
    scheme : Midpoint or TRBDF2
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
    >>> swing = implicit_march(schemes.Midpoint(step=0.01), spring, PiecewisePolynomial.constant([]))
    >>> q, v = swing.advance(0.0, [1.0, 0.0], [5.0]).last_state
    >>> bool(abs(q**2 + v**2 - 1.0) < 1e-10)
    True
    """
    return PythonMarch(_ImplicitStep(scheme, system, signals, np.array(parameters, dtype=float)), system.states)


class _Stage:
    """The unknown rates of one stage (a block of ``newton.py``)."""

    def __init__(self, system: ImplicitSystem) -> None:
        self.system = system
        self.m = self.offset = system.positions
        self.evaluations = 0
        self.weight = 0.0
        self.base = self.scale = np.zeros(system.states)
        self.at = Input(np.zeros(0), np.zeros(0))
        self._linear: LinearSystem | None = None

    def place(self, unknown: Floats) -> tuple[Floats, Floats]:
        """Return the state and the rate of the stage."""
        rest = self.base[self.m :] + self.weight * unknown
        position = self.base[: self.m] + self.weight * rest[: self.m]
        return np.concatenate([position, rest]), np.concatenate([rest[: self.m], unknown])

    def evaluate(self, unknown: Floats, *, fresh: bool) -> tuple[Floats, int | None]:
        self.evaluations += 1
        residual, jacobian = self.system.evaluate(*self.place(unknown), self.at, with_jacobian=fresh)
        if jacobian is not None and np.all(np.isfinite(residual)):
            linear = jacobian.factorised(1 / self.weight)
            if isinstance(linear, int):
                return residual, linear
            self._linear = linear
        return residual, None

    def solve(self, residual: Floats) -> Floats:
        # The derivative of the residual by the unknowns is weight (dF/dx + dF/dxdot / weight).
        assert self._linear is not None
        return self._linear.solve(None, residual)[self.m :] / self.weight

    def size(self, unknown: Floats, increment: Floats) -> Floats:
        change: Floats = np.abs(increment) * self.weight
        sizes: Floats = change / self.scale[self.m :]
        sizes[: self.m] = np.maximum(sizes[: self.m], change[: self.m] * self.weight / self.scale[: self.m])
        return sizes

    def filtered(self, error: Floats) -> Floats:
        """Return (I - weight df/dx)⁻¹ error, f being the explicit rate (Hosea and Shampine 1996, section 4).

        The fast components of a stiff system have decayed in the solution, and must decay in its error estimate too.
        """
        assert self._linear is not None
        sigma = 1 / self.weight
        rest = self._linear.jacobian.by_rate @ error[self.m :]
        return self._linear.solve(sigma * error[: self.m], sigma * rest)


class _ImplicitStep:
    def __init__(
        self, scheme: ImplicitScheme, system: ImplicitSystem, signals: PiecewisePolynomial, parameters: Floats
    ) -> None:
        self.control = control_of(scheme)
        self.stops = signals.discontinuities
        self._tableau: Tableau = tableau_of(scheme)
        self.error_order = self._tableau.error_order
        self._signals, self._parameters = signals, parameters
        self._m = system.positions
        self._stage = _Stage(system)
        self._newton = Newton(self.control.newton)
        self._carried: list[Floats] = []  # rates of the last steps, latest first, at most two
        self._rates: list[Floats] = []

    @property
    def evaluations(self) -> int:
        return self._stage.evaluations

    @evaluations.setter
    def evaluations(self, value: int) -> None:
        self._stage.evaluations = value

    @property
    def iterations(self) -> int:
        return self._newton.iterations

    @iterations.setter
    def iterations(self, value: int) -> None:
        self._newton.iterations = value

    def rate(self, at: Instant, state: Floats) -> Rate:
        """Return the rates that belong to a state."""
        self._stage.at = self._input(at)
        self._stage.evaluations += 1
        self._newton.current = False  # the rates use factors of their own
        return rates_of(self._stage.system, state, self._stage.at)

    def _input(self, at: Instant) -> Input:
        return Input(self._signals.limit(at.time, left=at.left, slack=at.slack), self._parameters)

    def attempt(self, start: Instant, step: float, state: Floats) -> Attempt:
        tableau, control = self._tableau, self.control
        self._stage.scale = control.absolute + control.relative * np.abs(state)
        self._newton.current = False
        self._rates = []
        place = state
        for index in range(tableau.stages):
            at = Instant(start.time + tableau.c[index] * step, True, start.slack)
            weight = float(tableau.a[index, index])
            if weight == 0:
                rate, failure = self._first_stage(start, state)
            else:
                if index == 0:
                    self._begin_rates(start, state)  # only a guess: a stage may have rates where its start has none
                base = combined(tableau.a[index], self._rates, step, state)
                unknown, failure = self._solve(at, step * weight, base, self._predicted(index))
                place, rate = self._stage.place(unknown)
            if failure:
                return Attempt(state, failure=failure, offender=self._newton.offender)
            self._rates.append(rate)
        following = place if tableau.ends_in_last_stage else combined(tableau.b, self._rates, step, state)
        broken = np.flatnonzero(~np.isfinite(following))
        if len(broken):
            return Attempt(following, failure="not finite", offender=int(broken[0]))
        if control.step > 0 or tableau.error is None or not len(state):
            return Attempt(following)
        error = self._stage.filtered(combined(tableau.error, self._rates, step, np.zeros(len(state))))
        norm = control.norm(error, state, following)
        largest = int(np.argmax(np.abs(control.ratios(error, state, following))))
        return Attempt(following, norm, None if np.isfinite(norm) else "not finite", largest)

    def accept(self) -> None:
        self._carried = [self._rates[-1][self._m :], *self._carried][:2]

    def restart(self) -> None:
        self._carried = []

    def carried(self) -> list[Floats]:
        return [*self._carried]

    def carry(self, carried: list[Floats]) -> None:
        self._carried = [*carried]

    def _solve(self, at: Instant, weight: float, base: Floats, guess: Floats) -> tuple[Floats, Failure | None]:
        self._stage.at, self._stage.base, self._stage.weight = self._input(at), base, weight
        unknown, failure = self._newton.solve(self._stage, guess)
        if failure is None or not self.control.step > 0:
            return unknown, failure
        # The step cannot be shortened. Predictions may diverge, as where fast modes ring (midpoint): start from zero.
        self._newton.current = False
        return self._newton.solve_carefully(self._stage, np.zeros_like(guess))

    def _begin_rates(self, start: Instant, state: Floats) -> Failure | None:
        """Find the rates at the start of the step: carried over if possible, else solved for."""
        if self._carried:
            return None
        rate, failure, self._newton.offender = self.rate(start, state)
        if failure is None:
            self._carried = [rate[self._m :]]
        return failure

    def _first_stage(self, start: Instant, state: Floats) -> tuple[Floats, Failure | None]:
        """Return the rate of the explicit first stage."""
        failure = self._begin_rates(start, state)
        if failure is not None:
            return state, failure
        return np.concatenate([state[self._m : 2 * self._m], self._carried[0]]), None

    def _predicted(self, index: int) -> Floats:
        """Return the initial guess of a stage's rates: linear extrapolation of the last two known."""
        c = self._tableau.c
        known = [rate[self._m :] for rate in reversed(self._rates)]
        reach = 1.0
        if index >= 2:
            reach = float((c[index] - c[index - 1]) / (c[index - 1] - c[index - 2]))
        elif index == 0:
            known = self._carried
        if not known:
            return np.zeros(len(self._stage.base) - self._m)
        return known[0] if len(known) == 1 else known[0] + reach * (known[0] - known[1])
