"""Stretches of a simulation, each under one model."""

from __future__ import annotations

from dataclasses import dataclass

from myodyne.equations import Equations
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.types import Floats


@dataclass
class Phase:
    """A stretch of a simulation under one model.

    Rows are the motion, the work, the rates of the motion and the multipliers. Rates are those that steps ended with,
    NaN where there are none.
    """

    equations: Equations
    signals: PiecewisePolynomial
    times: list[float]
    rows: list[Floats]

    def controls(self, times: Floats, motion: Floats) -> Floats:
        """Return the controls of the model, those of a control law included: a row for each time and state."""
        return self.equations.applied_controls(motion, self.signals(times))
