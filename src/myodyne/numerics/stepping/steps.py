"""Step size control.

A PI controller (Gustafsson 1991; Hairer and Wanner 1996, section IV.2): the error of this step sets the next
one, the error of the step before damps the change. ``steps.c`` has the same constants.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from myodyne.numerics import schemes
from myodyne.types import Floats

SAFETY = 0.9
LEAST_FACTOR, MOST_FACTOR = 0.2, 5.0
PRESENT, PAST = 0.85, 0.2  # exponents, to be divided by the order of the error
LEAST_ERROR = 1e-10  # keeps the powers finite where a step has no error at all
LEAST_PAST = 1e-4

# Tolerance of Newton's method relative to that of the step, but not below rounding.
_NEWTON_PART, _NEWTON_LEAST = 1e-3, 1e-14
# Fixed steps need no bound on their number; this one only has to be finite.
_UNBOUNDED = 10**15


@dataclass(frozen=True)
class Control:
    """Settings of the step size control; the fields of ``march_control`` in ``march.h``.

    Parameters
    ----------
    step : length (s) of equal steps, or 0 for steps chosen by the error.
    relative, absolute : tolerances of one step.
    first_step, largest_step : (s); a first step of 0 is estimated.
    newton : largest error that Newton's method may leave, in units of the tolerances.
    most_steps : between two requested times.
    """

    step: float
    relative: float
    absolute: float
    first_step: float
    largest_step: float
    newton: float
    most_steps: int

    def norm(self, error: Floats, state: Floats, following: Floats) -> float:
        """Return the root mean square of an error in units of the tolerances."""
        if not len(error):
            return 0.0
        return float(np.sqrt(np.mean(self.ratios(error, state, following) ** 2)))

    def ratios(self, error: Floats, state: Floats, following: Floats) -> Floats:
        """Return each entry of an error in units of its tolerance."""
        ratios: Floats = error / (self.absolute + self.relative * np.maximum(np.abs(state), np.abs(following)))
        return ratios


def control_of(scheme: schemes.OneScheme) -> Control:
    """Return the step size control of a scheme.

    Examples
    --------
    >>> control_of(schemes.Euler(step=0.01)).step
    0.01
    """
    if isinstance(scheme, schemes.Midpoint):
        if scheme.step is None:
            raise ValueError("Midpoint needs a step to march with, for example Midpoint(step=0.001)")
        return Control(float(scheme.step), scheme.tolerance, scheme.tolerance, 0.0, inf, 1.0, _UNBOUNDED)
    if isinstance(scheme, schemes.Euler | schemes.Heun | schemes.RK4):
        return Control(float(scheme.step), 1.0, 1.0, 0.0, inf, 1.0, _UNBOUNDED)
    if isinstance(scheme, schemes.BackwardEuler | schemes.Radau):
        raise TypeError(f"{type(scheme).__name__} has a march of its own")
    step = scheme.step if isinstance(scheme, schemes.TRBDF2 | schemes.Rosenbrock) else None
    newton = max(_NEWTON_PART, _NEWTON_LEAST / min(scheme.relative, scheme.absolute))
    return Control(
        float(step or 0.0),
        scheme.relative,
        scheme.absolute,
        float(scheme.first_step or 0.0),
        float(scheme.largest_step),
        newton,
        _UNBOUNDED if step else scheme.most_steps,
    )


def growth(error: float, previous: float, order: int) -> float:
    """Return the factor on the step size after an accepted step, of an error of at most 1."""
    factor: float = SAFETY * max(error, LEAST_ERROR) ** (-PRESENT / order) * previous ** (PAST / order)
    return min(max(factor, LEAST_FACTOR), MOST_FACTOR)


def shrinkage(error: float, order: int) -> float:
    """Return the factor on the step size after a rejected step, of an error above 1."""
    factor: float = SAFETY * error ** (-1.0 / order)
    return max(factor, LEAST_FACTOR)


def equal_steps(interval: float, step: float) -> float:
    """Return how many steps of at most ``step`` divide an interval; a remainder of 1e-9 steps is rounding."""
    return max(float(np.ceil(interval / step - 1e-9)), 1.0)
