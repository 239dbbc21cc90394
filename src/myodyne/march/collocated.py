"""Marches of the schemes of optimal control: equal intervals of collocation, one after the other.

Each interval is solved by Newton's method on the implicit residual with its exact Jacobian, in NumPy: slower than the
marches in C, for comparison with a solution on the same mesh.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from myodyne.equations import Equations
from myodyne.numerics.collocation import collocation_of
from myodyne.numerics.piecewise import PiecewisePolynomial, time_slack
from myodyne.numerics.schemes import BackwardEuler, Radau
from myodyne.numerics.stepping.march import Advance, Failure, checked
from myodyne.numerics.stepping.steps import equal_steps
from myodyne.types import Floats

# Newton's method has converged when no unknown changes by more than this part of 1 + its size, or where rounding stalls
# it below the second number.
_CONVERGED, _STALLED, _MOST_ITERATIONS = 1e-12, 1e-8, 25
# Damped steps are halved down to this share at most.
_LEAST_SHARE = 1e-4


@dataclass(frozen=True)
class _Interval:
    """The motion at the beginning of an interval, the controls at its stages, and its length (s)."""

    first: Floats
    controls: Floats
    length: float


class CollocatedMarch:
    """Carries a state through time by intervals in which the state is a polynomial."""

    def __init__(
        self, scheme: BackwardEuler | Radau, equations: Equations, signals: PiecewisePolynomial, parameters: Floats
    ) -> None:
        assert scheme.step is not None
        self._step, self._equations, self._signals, self._parameters = scheme.step, equations, signals, parameters
        self._jumps = signals.discontinuities
        rule = collocation_of(scheme)
        self._at = rule.points[1:]
        self._slopes = np.array([stage.slope for stage in rule.stages])
        self._weights = np.array([stage.weight for stage in rule.stages])
        self._motion, self._size = len(equations.motion), len(equations.states)
        self._power = equations.outputs.index("energy.input_power")
        self._iterations = self._evaluations = 0

    def reset(self) -> None:
        """Do nothing: every interval starts anew."""

    def saved(self) -> None:
        """Return nothing: every interval starts anew."""

    def restore(self, saved: None) -> None:
        """Do nothing: every interval starts anew."""

    def rewind(self) -> None:
        """Do nothing: every interval starts anew."""

    def advance(self, time: float, state: ArrayLike, times: ArrayLike) -> Advance:
        """Return the states at ``times`` (s), with the rates and multipliers that the equations have there."""
        start, own, requested = checked(time, state, times, self._motion + 1)
        self._iterations = self._evaluations = 0
        found, rates, steps = [], [], 0
        failure: Failure | None = None
        rate = np.full(self._size, np.nan)
        for target in requested:
            for begin, length in self._intervals(start, float(target)):
                failure, following, rate = self._interval(begin, length, own)
                if failure is not None:
                    break
                own, start, steps = following, begin + length, steps + 1
            if failure is not None:
                break
            start = float(target)
            found.append(own)
            rates.append(rate)
        return Advance(
            states=np.array(found).reshape(len(found), self._motion + 1),
            steps=steps,
            rejected=0,
            evaluations=self._evaluations,
            iterations=self._iterations,
            failure=failure,
            last_time=start,
            last_state=own,
            offender=None,
            rates=np.array(rates).reshape(len(rates), self._size),
        )

    def _intervals(self, start: float, target: float) -> list[tuple[float, float]]:
        """Return beginnings and lengths of equal intervals that end at the target and at all jumps before it."""
        slack, jumps = time_slack(start, target), self._jumps
        ends = [*jumps[(jumps > start + slack) & (jumps < target - slack)].tolist(), target]
        found = []
        for end in ends:
            count = int(equal_steps(end - start, self._step))
            length = (end - start) / count
            found += [(start + number * length, length) for number in range(count)]
            start = end
        return found

    def _interval(self, begin: float, length: float, state: Floats) -> tuple[Failure | None, Floats, Floats]:
        """Return the state at the end of an interval, with rates and multipliers there, or why there is none."""
        motion, p = self._motion, self._parameters
        slack = time_slack(begin, begin + length) + 1e-9 * length
        with np.errstate(over="ignore", invalid="ignore"):  # controls beyond the range of floats, from a stepper
            u = np.array([self._signals.limit(begin + at * length, left=True, slack=slack) for at in self._at])
        over = _Interval(state[:motion], u, length)
        rates, multipliers = self._equations.kernel("derivative")(over.first, u[0], p)
        if not (np.all(np.isfinite(u)) and np.all(np.isfinite(rates))):
            return "not finite", state, np.full(self._size, np.nan)
        guess = np.hstack([over.first + length * self._at[:, None] * rates, np.tile(multipliers, (len(self._at), 1))])
        failure, x = self._solved(guess, over)
        if failure is not None:
            # Muscles and contacts are so curved that full steps overshoot in long intervals, such as those of a solve.
            failure, x = self._solved(guess, over, damped=True)
        if failure is not None:
            return failure, state, x[-1]
        xdot = self._rates(x, over)
        power = self._equations.output_values(x, xdot, u, p)[:, self._power]
        work = state[-1] + length * float(self._weights @ power)
        return None, np.append(x[-1, :motion], work), np.concatenate([xdot[-1, :motion], x[-1, motion:]])

    def _solved(self, x: Floats, over: _Interval, *, damped: bool = False) -> tuple[Failure | None, Floats]:
        """Return the states and multipliers of the stages by Newton's method from a guess, or why there are none."""
        last = np.inf
        for _ in range(_MOST_ITERATIONS * (2 if damped else 1)):
            matrix = self._jacobian(x, over)
            change = self._change(matrix, x, over)
            self._iterations += 1
            if change is None:
                return "not finite", x
            if not np.all(np.isfinite(change)):
                return "Newton did not converge", x
            if damped:
                change = self._share(matrix, change, x, over) * change
            x = x + change
            size = _size(change, x)
            if size < _CONVERGED or (size < _STALLED and size > 0.5 * last):
                return None, x
            last = size
        return "Newton did not converge", x

    def _share(self, matrix: Floats, change: Floats, x: Floats, over: _Interval) -> float:
        """Return the share of a change after which the next one, by the same matrix, is smaller.

        It is the natural monotonicity test of Deuflhard, which does not depend on the units of the residual.
        """
        share, size = 1.0, _size(change, x)
        while share > _LEAST_SHARE:
            following = self._change(matrix, x + share * change, over)
            if following is not None and _size(following, x) <= (1 - share / 4) * size:
                break
            share /= 2
        return share

    def _change(self, matrix: Floats, x: Floats, over: _Interval) -> Floats | None:
        """Return Newton's change by a matrix, NaN where it is singular, None where an equation is not finite."""
        self._evaluations += len(x)
        residual = self._equations.residual(x, self._rates(x, over), over.controls, self._parameters).ravel()
        if not (np.all(np.isfinite(residual)) and np.all(np.isfinite(matrix))):
            return None
        try:
            change: Floats = np.asarray(np.linalg.solve(matrix, -residual), dtype=float).reshape(x.shape)
        except np.linalg.LinAlgError:
            return np.full(x.shape, np.nan)
        return change

    def _rates(self, x: Floats, over: _Interval) -> Floats:
        """Return the rates of the states at the stages; those of multipliers are zero."""
        rates, motion = np.zeros_like(x), self._motion
        rates[:, :motion] = (self._slopes[:, :1] * over.first + self._slopes[:, 1:] @ x[:, :motion]) / over.length
        return rates

    def _jacobian(self, x: Floats, over: _Interval) -> Floats:
        """Return the derivatives of the residuals of all stages by the states and multipliers of all stages."""
        by_x, by_xdot, _ = self._equations.jacobians(x, self._rates(x, over), over.controls, self._parameters)
        size, motion, stages = self._size, self._motion, len(self._at)
        matrix = np.zeros((stages, size, stages, size))
        for row in range(stages):
            matrix[row, :, row] = by_x[row].toarray()
            chord = by_xdot[row].toarray()[:, :motion] / over.length
            for column in range(stages):
                matrix[row, :, column, :motion] += self._slopes[row, column + 1] * chord
        return matrix.reshape(stages * size, stages * size)


def _size(change: Floats, x: Floats) -> float:
    return float(np.max(np.abs(change) / (1 + np.abs(x)), initial=0.0))
