"""Systems in implicit form, F(x, ẋ, u) = 0, for implicit marches, and the rates that belong to a state.

States are x = (positions, their speeds, further states). The trivial rows, rate of position = speed, are left out of
the residual, and these rates out of the unknowns. ``body.c`` has the same form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from myodyne.numerics.newton import LUFactors, factorise
from myodyne.numerics.stepping.advance import Rate
from myodyne.types import Floats

Balance = Callable[[Floats, Floats, Floats, Floats], tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike]]

# The step (s) whose rates are used where no equation gives any.
TINY_STEP = 1e-7
_MOST_ITERATIONS = 80


class Input(NamedTuple):
    """The inputs of a system: controls and parameters."""

    controls: Floats
    parameters: Floats


@dataclass(frozen=True, eq=False)
class Jacobian:
    """Derivatives of a residual of k rows.

    Parameters
    ----------
    by_position : (k, m) by the positions.
    by_rest : (k, k) by the speeds and all further states.
    by_rate : (k, k) by the rates of those.
    """

    by_position: Floats
    by_rest: Floats
    by_rate: Floats

    def factorised(self, sigma: float) -> LinearSystem | int:
        """Return the system dF/dx + sigma dF/dẋ, or the column without a usable pivot."""
        matrix = self.by_rest + sigma * self.by_rate
        matrix[:, : self.by_position.shape[1]] += self.by_position / sigma
        factors = factorise(matrix)
        return factors if isinstance(factors, int) else LinearSystem(self, sigma, factors)


@dataclass(frozen=True, eq=False)
class LinearSystem:
    """The matrix dF/dx + sigma dF/dẋ of all rows, those of the positions eliminated, factorised."""

    jacobian: Jacobian
    sigma: float
    factors: LUFactors

    def solve(self, positions: Floats | None, rest: Floats) -> Floats:
        """Return the change of all states; right-hand sides of the rows of positions (None: zeros) and all others."""
        m = self.jacobian.by_position.shape[1]
        if positions is None:
            positions = np.zeros(m)
        else:
            rest = rest - self.jacobian.by_position @ (positions / self.sigma)
        change = self.factors.solve(rest)
        return np.concatenate([(positions + change[:m]) / self.sigma, change])


class ImplicitSystem(Protocol):
    """A system that implicit marches integrate."""

    @property
    def positions(self) -> int:
        """Return the number m of positions; as many speeds follow them."""
        ...

    @property
    def states(self) -> int:
        """Return the number of all states; k = states - positions of them have equations of their own."""
        ...

    def evaluate(self, x: Floats, xdot: Floats, at: Input, *, with_jacobian: bool) -> tuple[Floats, Jacobian | None]:
        """Return the residual (k,) and, if asked, its derivatives."""
        ...

    def steer(self, x: Floats, xdot: Floats, at: Input, change: Floats) -> Floats:
        """Return the derivative of the residual by the controls times a change of them."""
        ...

    def rates(self, x: Floats, at: Input) -> Rate:
        """Return the rates of all states, or why the equations do not determine them, and then an initial guess.

        The guess is for an implicit step of length `TINY_STEP`, with zero accelerations.
        """
        ...


def rates_of(system: ImplicitSystem, x: Floats, at: Input) -> Rate:
    """Return the rates of a state; where the equations do not determine them, those after a step of `TINY_STEP`."""
    return sourced_rates(system, x, at)[0]


def sourced_rates(system: ImplicitSystem, x: Floats, at: Input) -> tuple[Rate, bool]:
    """Return the rates of a state, and whether they are those of a step of `TINY_STEP` as no equation gives them."""
    found = system.rates(x, at)
    if found.failure is None:
        return found, False
    approached = _approached(system, x, at, found.value[system.positions :])
    if approached is None:
        return found, False
    # Where only muscles lack a rate, the accelerations are those of the state itself, not of the end of that step.
    m = system.positions
    settled = accelerated(system, x, np.concatenate([x[m : 2 * m], np.zeros(m), approached[2 * m :]]), at)
    return (Rate(approached) if settled.failure is not None else settled), True


def _approached(system: ImplicitSystem, x: Floats, at: Input, rates: Floats) -> Floats | None:
    """Return rates where mass or activation vanish, so that no equation gives them, or None; starts at ``rates``.

    They are those of a very short implicit step. The equations then hold at its end.
    """
    m = system.positions
    previous = np.inf
    for iteration in range(_MOST_ITERATIONS):
        rest = x[m:] + TINY_STEP * rates
        state = np.concatenate([x[:m] + TINY_STEP * rest[:m], rest])
        residual, jacobian = system.evaluate(state, np.concatenate([rest[:m], rates]), at, with_jacobian=True)
        assert jacobian is not None
        linear = jacobian.factorised(1 / TINY_STEP)
        if isinstance(linear, int):
            return None
        step = linear.solve(None, residual)[m:] / TINY_STEP
        rates = rates - step
        if not np.all(np.isfinite(rates)):
            return None
        size = float(np.max(np.abs(step) / (1 + np.abs(rates)), initial=0.0))
        if size < 1e-10 or (iteration > 3 and size < 1e-6 and size > 0.5 * previous):
            return np.concatenate([rest[:m], rates])
        previous = size
    return None


class SecondOrder:
    """A system of positions and speeds alone, whose balance of forces gives the accelerations.

    Parameters
    ----------
    balance : callable
        ``balance(x, xdot, u, p)`` returns the residual r (n/2,) and its derivatives by positions, speeds and
        accelerations, each (n/2, n/2) or column-major flat; r is linear in the accelerations and the controls.
    n : int
        Number of states.

    Examples
    --------
    >>> spring = SecondOrder(lambda x, xdot, u, p: (xdot[1:] + 4 * x[:1], [[4.0]], [[0.0]], [[1.0]]), 2)
    >>> spring.rates(np.array([0.5, 3.0]), Input(np.zeros(0), np.zeros(0))).value
    array([ 3., -2.])
    """

    def __init__(self, balance: Balance, n: int) -> None:
        if n % 2:
            raise ValueError(
                f"an implicit march needs as many coordinates as speeds, so an even number of states, not {n}"
            )
        self.positions, self.states = n // 2, n
        self._balance = balance

    def evaluate(self, x: Floats, xdot: Floats, at: Input, *, with_jacobian: bool) -> tuple[Floats, Jacobian | None]:
        """Return the residual and, if asked, its derivatives."""
        results = self._balance(x, xdot, at.controls, at.parameters)
        residual = np.array(results[0], dtype=float).reshape(-1)
        if not with_jacobian:
            return residual, None
        shape = self.positions, self.positions
        return residual, Jacobian(*(np.reshape(np.array(part, dtype=float), shape, order="F") for part in results[1:]))

    def steer(self, x: Floats, xdot: Floats, at: Input, change: Floats) -> Floats:
        """Return the change of the residual with the controls, in which it is linear."""
        if not change.any():
            return np.zeros(self.positions)
        before, _ = self.evaluate(x, xdot, at, with_jacobian=False)
        after, _ = self.evaluate(x, xdot, at._replace(controls=at.controls + change), with_jacobian=False)
        return after - before

    def rates(self, x: Floats, at: Input) -> Rate:
        """Return speeds and accelerations."""
        m = self.positions
        return accelerated(self, x, np.concatenate([x[m:], np.zeros(m)]), at)


def accelerated(system: ImplicitSystem, x: Floats, xdot: Floats, at: Input) -> Rate:
    """Return ``xdot`` with its accelerations, zero on input, from the balance of forces."""
    m = system.positions
    residual, jacobian = system.evaluate(x, xdot, at, with_jacobian=True)
    assert jacobian is not None
    broken = np.flatnonzero(~np.isfinite(residual[:m]))
    if len(broken):
        return Rate(np.zeros(len(x)), "not finite", m + int(broken[0]))
    factors = factorise(jacobian.by_rate[:m, :m])
    if isinstance(factors, int):
        return Rate(np.zeros(len(x)), "Newton did not converge", m + factors)
    return Rate(np.concatenate([xdot[:m], -factors.solve(residual[:m]), xdot[2 * m :]]))
