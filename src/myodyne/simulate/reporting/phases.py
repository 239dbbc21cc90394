"""Stretches of a simulation, each under one model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from myodyne.data import Trajectory
from myodyne.equations import Equations
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.simulate.reporting.facts import Facts, facts_of
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

    @cached_property
    def facts(self) -> Facts:
        """What the record needs to know about the model."""
        return facts_of(self.equations)

    def controls(self, times: Floats, motion: Floats) -> Floats:
        """Return the controls of the model, those of a control law included: a row for each time and state."""
        return self.equations.applied_controls(motion, self.signals(times))


class Piece(NamedTuple):
    """The record of a phase: all columns, the phase, and its outputs and controls, a row for each time."""

    columns: Trajectory
    phase: Phase
    outputs: Floats
    controls: Floats
