"""Explicit Runge–Kutta marches: the counterpart in NumPy of ``explicit.c``, for any function."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from myodyne.numerics import schemes
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.stepping.advance import Attempt, Instant, PythonMarch, Rate
from myodyne.numerics.stepping.march import March
from myodyne.numerics.stepping.steps import control_of
from myodyne.numerics.tableaux import Tableau, tableau_of
from myodyne.types import Floats

Derivative = Callable[[Floats, Floats, Floats], ArrayLike]
ExplicitScheme = schemes.Euler | schemes.Heun | schemes.RK4 | schemes.RKF45 | schemes.DOP853


def explicit_march(
    scheme: ExplicitScheme, derivative: Derivative, n: int, signals: PiecewisePolynomial, parameters: ArrayLike = ()
) -> March:
    """Return a march of ``n`` states whose rates are ``derivative(x, u, p)``.

    Parameters
    ----------
    scheme : Euler, Heun, RK4, RKF45 or DOP853
        The formula and its steps.
    derivative : callable
        Returns the rates (n,) of states x, controls u and parameters p.
    n : int
        Number of states.
    signals : PiecewisePolynomial
        The controls as functions of time (s).
    parameters : (n_p,) array
        Numbers handed to ``derivative``.

    Examples
    --------
    >>> decay = explicit_march(schemes.RK4(step=0.1), lambda x, u, p: -x, 1, PiecewisePolynomial.constant([]))
    >>> decay.advance(0.0, [1.0], [1.0]).states.round(6)
    array([[0.36788]])
    """
    return PythonMarch(_ExplicitStep(scheme, derivative, signals, np.array(parameters, dtype=float)), n)


class _ExplicitStep:
    def __init__(
        self, scheme: ExplicitScheme, derivative: Derivative, signals: PiecewisePolynomial, parameters: Floats
    ) -> None:
        self.control = control_of(scheme)
        self.evaluations = self.iterations = 0
        # A fixed explicit scheme keeps exactly the requested grid, discontinuities or not.
        self.stops = np.zeros(0) if self.control.step > 0 else signals.discontinuities
        self._tableau: Tableau = tableau_of(scheme)
        self.error_order = self._tableau.error_order
        self._derivative, self._signals, self._parameters = derivative, signals, parameters
        self._first: Floats | None = None

    def rate(self, at: Instant, state: Floats) -> Rate:
        controls = self._signals.limit(at.time, left=at.left, slack=at.slack)
        self.evaluations += 1
        return Rate(np.array(self._derivative(state, controls, self._parameters), dtype=float).reshape(-1))

    def attempt(self, start: Instant, step: float, state: Floats) -> Attempt:
        tableau = self._tableau
        if self._first is None:
            self._first = self.rate(start, state).value
        rates = [self._first]
        for index in range(1, tableau.stages):
            at = Instant(start.time + tableau.c[index] * step, True, start.slack)
            rates.append(self.rate(at, combined(tableau.a[index], rates, step, state)).value)
        following = combined(tableau.b, rates, step, state)
        error, largest = self._error(rates, step, state, following)
        if not np.all(np.isfinite(following)) or not np.isfinite(error):
            return Attempt(following, failure="not finite", offender=_offender(rates, following))
        return Attempt(following, error, offender=largest)

    def accept(self) -> None:
        self._first = None

    def restart(self) -> None:
        self._first = None

    def carried(self) -> None:
        """Explicit steps carry nothing over."""

    def carry(self, carried: None) -> None:
        self._first = carried

    def _error(self, rates: list[Floats], step: float, state: Floats, following: Floats) -> tuple[float, int | None]:
        """Return the error in units of the tolerances, and the state with the largest.

        Of the two estimates of DOP853 the finer counts, scaled by its ratio to the coarser: the
        result falls with the eighth power of the step.
        """
        tableau, control = self._tableau, self.control
        if control.step > 0 or tableau.error is None or not len(state):
            return 0.0, None
        zero = np.zeros(len(state))
        fine_error = combined(tableau.error, rates, step, zero)
        largest = int(np.argmax(np.abs(control.ratios(fine_error, state, following))))
        fine = control.norm(fine_error, state, following)
        if tableau.coarse_error is None:
            return fine, largest
        coarse = control.norm(combined(tableau.coarse_error, rates, step, zero), state, following)
        together = float(np.sqrt(fine * fine + 0.01 * coarse * coarse))
        return (fine * fine / together if together > 0 else fine), largest


def combined(weights: Floats, rates: list[Floats], step: float, state: Floats) -> Floats:
    """Return ``state + step * sum(weights * rates)`` over the rates known so far."""
    result = state.copy()
    for weight, rate in zip(weights[: len(rates)].tolist(), rates, strict=True):
        if weight != 0:
            result += (step * weight) * rate
    return result


def _offender(rates: list[Floats], following: Floats) -> int | None:
    """Return the state whose rate failed first: by the end of the step its neighbours have failed too."""
    for values in (*rates, following):
        broken = np.flatnonzero(~np.isfinite(values))
        if len(broken):
            return int(broken[0])
    return None
