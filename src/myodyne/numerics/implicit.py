"""Diagonally implicit Runge–Kutta marches in Python: the twin of ``implicit.c`` and ``stage.c``.

States are x = (q, v) with q̇ = v, and the balance r(q, v, v̇) = 0 gives the accelerations. A stage asks for
``x = base + weight * xdot``; since v and q follow from v̇, Newton's method solves for v̇ alone.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from myodyne.numerics import schemes
from myodyne.numerics.explicit import combined
from myodyne.numerics.march import Failure, March
from myodyne.numerics.newton import Newton, factorise
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.steps import control_of
from myodyne.numerics.tableaux import Tableau, tableau_of
from myodyne.numerics.travel import Attempt, Instant, Rate, Traveller

Floats = NDArray[np.float64]
Balance = Callable[[Floats, Floats, Floats, Floats], tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike]]
ImplicitScheme = schemes.Midpoint | schemes.TRBDF2


def implicit_march(scheme: ImplicitScheme, balance: Balance, n: int, signals: PiecewisePolynomial,
                   parameters: ArrayLike = ()) -> March:
    """Return a march of ``n`` states (q, v) whose accelerations solve ``balance(x, xdot, u, p)[0] = 0``.

    Parameters
    ----------
    scheme : Midpoint or TRBDF2
        The formula and its steps.
    balance : callable
        Returns the residual r (n/2,) and its Jacobians by q, v and v̇, each (n/2, n/2) or column-major flat,
        at states x, rates xdot, controls u and parameters p.
    n : int
        Number of states.
    signals : PiecewisePolynomial
        The controls as functions of time (s).
    parameters : (n_p,) array
        Numbers handed to ``balance``.

    Examples
    --------
    >>> spring = lambda x, xdot, u, p: (xdot[1:] + x[:1], [[1.0]], [[0.0]], [[1.0]])
    >>> swing = implicit_march(schemes.Midpoint(step=0.01), spring, 2, PiecewisePolynomial.constant([]))
    >>> q, v = swing.advance(0.0, [1.0, 0.0], [5.0]).last_state
    >>> bool(abs(q**2 + v**2 - 1.0) < 1e-10)
    True
    """
    if n % 2:
        raise ValueError(f"an implicit march needs as many coordinates as speeds; {n} states are not two halves")
    return Traveller(_ImplicitStep(scheme, balance, n, signals, np.array(parameters, dtype=float)), n)


class _Stage:
    """The unknown accelerations of one stage (a block of ``newton.py``)."""

    def __init__(self, balance: Balance, m: int, parameters: Floats) -> None:
        self.m = self.offset = m
        self.evaluations = 0
        self.weight = 0.0
        self.base = self.scale = np.zeros(2 * m)
        self.controls = np.zeros(0)
        self._balance, self._parameters = balance, parameters
        self.by_position = self.by_speed = self.by_acceleration = np.zeros((m, m))

    def place(self, acceleration: Floats) -> tuple[Floats, Floats]:
        """Return the state and the rate of the stage."""
        speed = self.base[self.m :] + self.weight * acceleration
        position = self.base[: self.m] + self.weight * speed
        return np.concatenate([position, speed]), np.concatenate([speed, acceleration])

    def evaluate(self, unknown: Floats, *, with_jacobian: bool) -> tuple[Floats, Floats | None]:
        self.evaluations += 1
        results = self._balance(*self.place(unknown), self.controls, self._parameters)
        residual = np.array(results[0], dtype=float).reshape(-1)
        if not with_jacobian:
            return residual, None
        # These stay until the next factorisation: the error filter needs those of the factors.
        self.by_position, self.by_speed, self.by_acceleration = (
            np.reshape(np.array(block, dtype=float), (self.m, self.m), order="F") for block in results[1:])
        return residual, self.by_acceleration + self.weight * (self.by_speed + self.weight * self.by_position)

    def size(self, unknown: Floats, increment: Floats) -> Floats:
        change: Floats = np.abs(increment)
        return change * (self.weight * np.maximum(1 / self.scale[self.m :], self.weight / self.scale[: self.m]))

    def filtered(self, error: Floats, newton: Newton) -> Floats:
        """Return (I - weight df/dx)⁻¹ error, f being the explicit rate (Hosea and Shampine 1996, section 4).

        The fast components of a stiff system have died out in the solution, and so they must in its error.
        """
        assert newton.factors is not None
        position, speed = error[: self.m], error[self.m :]
        speed = newton.factors.solve(self.by_acceleration @ speed - self.by_position @ (self.weight * position))
        return np.concatenate([position + self.weight * speed, speed])


class _ImplicitStep:
    def __init__(self, scheme: ImplicitScheme, balance: Balance, n: int, signals: PiecewisePolynomial,
                 parameters: Floats) -> None:
        self.control = control_of(scheme)
        self.stops = signals.discontinuities
        self._tableau: Tableau = tableau_of(scheme)
        self.error_order = self._tableau.error_order
        self._signals = signals
        self._m = n // 2
        self._stage = _Stage(balance, self._m, parameters)
        self._newton = Newton(self.control.newton)
        self._carried: list[Floats] = []  # accelerations of the last steps, latest first, at most two
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
        """Return the accelerations that belong to a state: the balance is linear in them."""
        stage = self._stage
        stage.controls = self._signals.limit(at.time, left=at.left, slack=at.slack)
        stage.base, stage.weight = state, 0.0
        residual, matrix = stage.evaluate(np.zeros(self._m), with_jacobian=True)
        assert matrix is not None
        self._newton.current = False  # the rates need factors of their own
        broken = np.flatnonzero(~np.isfinite(residual))
        if len(broken):
            return Rate(stage.place(residual)[1], "not finite", self._m + int(broken[0]))
        factors = factorise(matrix)
        if isinstance(factors, int):
            return Rate(stage.place(residual)[1], "Newton did not converge", self._m + factors)
        return Rate(stage.place(-factors.solve(residual))[1], None, None)

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
                base = combined(tableau.a[index], self._rates, step, state)
                acceleration, failure = self._solve(at, step * weight, base, self._predicted(index))
                place, rate = self._stage.place(acceleration)
            if failure:
                return Attempt(state, failure=failure, offender=self._newton.offender)
            self._rates.append(rate)
        following = place if tableau.ends_in_last_stage else combined(tableau.b, self._rates, step, state)
        broken = np.flatnonzero(~np.isfinite(following))
        if len(broken):
            return Attempt(following, failure="not finite", offender=int(broken[0]))
        if control.step > 0 or tableau.error is None or not len(state):
            return Attempt(following)
        error = self._stage.filtered(combined(tableau.error, self._rates, step, np.zeros(len(state))), self._newton)
        norm = control.norm(error, state, following)
        largest = int(np.argmax(np.abs(control.ratios(error, state, following))))
        return Attempt(following, norm, None if np.isfinite(norm) else "not finite", largest)

    def accept(self) -> None:
        self._carried = [self._rates[-1][self._m :], *self._carried][:2]

    def restart(self) -> None:
        self._carried = []

    def _solve(self, at: Instant, weight: float, base: Floats, guess: Floats) -> tuple[Floats, Failure | None]:
        self._stage.controls = self._signals.limit(at.time, left=at.left, slack=at.slack)
        self._stage.base, self._stage.weight = base, weight
        return self._newton.solve(self._stage, guess)

    def _first_stage(self, start: Instant, state: Floats) -> tuple[Floats, Failure | None]:
        """Return the rate of the explicit first stage: carried over, or solved for where nothing could be."""
        if not self._carried:
            rate, failure, self._newton.offender = self.rate(start, state)
            if failure:
                return rate, failure
            self._carried = [rate[self._m :]]
        return np.concatenate([state[self._m :], self._carried[0]]), None

    def _predicted(self, index: int) -> Floats:
        """Return a first guess of a stage's accelerations: the straight line through the last two known."""
        c = self._tableau.c
        known = [rate[self._m :] for rate in reversed(self._rates)]
        reach = 1.0
        if index >= 2:
            reach = float((c[index] - c[index - 1]) / (c[index - 1] - c[index - 2]))
        elif index == 0:
            known = self._carried
        if not known:
            return np.zeros(self._m)
        return known[0] if len(known) == 1 else known[0] + reach * (known[0] - known[1])
