"""Newton's method for the unknowns of one stage: the counterpart in NumPy of ``newton.c`` and ``dense.c``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from myodyne.numerics.stepping.march import Failure
from myodyne.types import Floats, Integers

_MOST_ITERATIONS, _MOST_GROWING = 40, 12
_SLOW = 0.1  # refactorise if the contraction is worse than this
_STALLED, _STALLED_NEAR = 0.5, 100.0  # stalling this close to the tolerance is rounding, and accepted
_LEAST_FRACTION = 2.0**-20  # of a full Newton step, when damped


class Block(Protocol):
    """Unknowns and residual of one stage, as Newton's method needs them."""

    offset: int

    def evaluate(self, unknown: Floats, *, fresh: bool) -> tuple[Floats, int | None]:
        """Return the residual, and the unknown without a pivot or None; ``fresh`` asks for new factors."""
        ...

    def solve(self, residual: Floats) -> Floats:
        """Return the Newton step by the present factors."""
        ...

    def size(self, unknown: Floats, increment: Floats) -> Floats:
        """Return for each unknown how far a step moves the states, in units of the tolerance."""
        ...


@dataclass(frozen=True, eq=False)
class LUFactors:
    """LU factors of a square matrix, rows exchanged for the largest pivot."""

    matrix: Floats
    order: Integers

    def solve(self, vector: Floats) -> Floats:
        """Return the solution of ``matrix @ x = vector``."""
        x = vector[self.order]
        for k in range(len(x)):
            x[k + 1 :] -= self.matrix[k + 1 :, k] * x[k]
        for k in range(len(x) - 1, -1, -1):
            x[k] /= self.matrix[k, k]
            x[:k] -= self.matrix[:k, k] * x[k]
        return x


def factorise(matrix: Floats) -> LUFactors | int:
    """Return the LU factors of a matrix, or the column without a usable pivot.

    Examples
    --------
    >>> factorise(np.array([[0.0, 2.0], [1.0, 0.0]])).solve(np.array([4.0, 3.0]))
    array([3., 2.])
    """
    lu = np.array(matrix, dtype=float)
    order = np.arange(len(lu))
    for k in range(len(lu)):
        pivot = k + int(np.argmax(np.abs(lu[k:, k])))
        largest = abs(lu[pivot, k])
        if not (largest > 0 and np.isfinite(largest)):
            return k
        if pivot != k:
            lu[[k, pivot]] = lu[[pivot, k]]
            order[[k, pivot]] = order[[pivot, k]]
        lu[k + 1 :, k] /= lu[k, k]
        lu[k + 1 :, k + 1 :] -= np.outer(lu[k + 1 :, k], lu[k, k + 1 :])
    return LUFactors(lu, order)


class Newton:
    """Solves blocks, keeping the factors of a Jacobian for as long as the iteration contracts."""

    def __init__(self, tolerance: float) -> None:
        self.tolerance = tolerance
        self.current = False
        self.iterations = 0
        self.offender: int | None = None

    def solve(self, block: Block, unknown: Floats) -> tuple[Floats, Failure | None]:
        """Return the unknowns and None, or where the method failed and why; starts at ``unknown``."""
        previous, growing = 0.0, 0
        for iteration in range(_MOST_ITERATIONS):
            fresh = not self.current
            increment, size, failure = self._change(block, unknown, fresh=fresh)
            if failure is not None:
                return unknown, failure
            self.current = True
            unknown = unknown - increment
            if iteration == 0:
                if size <= self.tolerance:
                    return unknown, None
            else:
                contraction = size / previous
                # The remaining steps sum to at most a geometric series.
                if contraction < 1 and size * contraction / (1 - contraction) <= self.tolerance:
                    return unknown, None
                if contraction > _STALLED and size <= _STALLED_NEAR * self.tolerance:
                    return unknown, None
                self.current = contraction <= _SLOW
                if contraction >= 1 and fresh:
                    growing += 1
                    if growing == _MOST_GROWING:
                        break
                    # Across a kink full steps alternate between its sides: half a step approaches it.
                    unknown = unknown + 0.5 * increment
            previous = size
        return unknown, "Newton did not converge"

    def solve_carefully(self, block: Block, unknown: Floats) -> tuple[Floats, Failure | None]:
        """Return the same as `solve` for guesses from which full Newton steps diverge.

        Each step is damped until the next one, by the same factors, is smaller (the natural monotonicity test of
        Deuflhard 1974). That takes new factors at every step, and more evaluations.
        """
        fraction = 1.0
        for _ in range(_MOST_ITERATIONS):
            increment, size, failure = self._change(block, unknown, fresh=True)
            if failure is not None:
                return unknown, failure
            if size <= self.tolerance:
                return unknown - increment, None
            fraction = min(2 * fraction, 1.0)
            while True:
                trial = unknown - fraction * increment
                following, smaller, failure = self._change(block, trial, fresh=False)
                if failure is None and smaller <= (1 - fraction / 4) * size:
                    break
                if failure is None and fraction == 1 and smaller <= _STALLED_NEAR * self.tolerance:
                    return trial, None
                fraction /= 2
                if fraction < _LEAST_FRACTION:
                    return unknown, failure or "Newton did not converge"
            unknown = trial
            if fraction == 1 and smaller <= self.tolerance:
                return unknown - following, None
        return unknown, "Newton did not converge"

    def _change(self, block: Block, unknown: Floats, *, fresh: bool) -> tuple[Floats, float, Failure | None]:
        """Return the Newton step, its size, and None or why it failed."""
        residual, singular = block.evaluate(unknown, fresh=fresh)
        self.iterations += 1
        broken = np.flatnonzero(~np.isfinite(residual))
        if len(broken):
            self.offender = block.offset + int(broken[0])
            return residual, np.inf, "not finite"
        if singular is not None:
            self.offender = block.offset + singular
            return residual, np.inf, "Newton did not converge"
        increment = block.solve(residual)
        sizes = block.size(unknown, increment)
        largest = int(np.argmax(sizes)) if len(sizes) else 0  # argmax lets NaN win
        size = float(sizes[largest]) if len(sizes) else 0.0
        self.offender = block.offset + largest
        return increment, size, None if np.isfinite(size) else "Newton did not converge"
