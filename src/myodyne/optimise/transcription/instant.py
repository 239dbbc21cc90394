"""One instant of a movement: the names, symbols and equations that hold there."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from myodyne.data import Trajectory
from myodyne.equations import Equations
from myodyne.equations.definitions import Definition
from myodyne.equations.layout import Layout, NamedEquations
from myodyne.errors import listed
from myodyne.model import Model
from myodyne.native.kernel import Kernel
from myodyne.numerics.collocation import Collocation
from myodyne.optimise.expressions import Expressions
from myodyne.physics.spatial import SX
from myodyne.simulate.motions import prescribed_signals
from myodyne.simulate.signals import Signal
from myodyne.types import Floats

if TYPE_CHECKING:
    from myodyne.optimise.problem import Problem


class Instant(NamedEquations):
    """One instant of a movement, with the names that `Equations` has for what is unknown.

    Parameters
    ----------
    equations : of the whole model.
    layout : the names of the unknowns, if all controls were.
    problem : the movement that the instant belongs to.
    known : controls that are not unknown, in addition to those that the model prescribes.
    """

    def __init__(self, equations: Equations, layout: Layout, problem: Problem, known: Collection[str] = ()) -> None:
        self.equations = equations
        self.model = equations.model
        given = self.model.prescribed
        self.prescribed = tuple(name for name in equations.controls if name in given and name not in known)
        own = tuple(name for name in equations.controls if name not in (*known, *self.prescribed))
        self.layout = replace(layout, controls=own)
        duration = problem.duration
        self.span = problem.start, problem.start + (duration[1] if isinstance(duration, tuple) else duration)

    @property
    def compiled(self) -> bool:
        """Whether the equations run as compiled code."""
        return self.equations.compiled

    @property
    def multipliers(self) -> tuple[str, ...]:
        """Names of the forces that kept constraints exert."""
        return self.equations.multipliers

    @property
    def balanced(self) -> tuple[str, ...]:
        """Names of the coordinates whose forces are balanced, prescribed ones included."""
        return self.equations.coordinates

    @property
    @abstractmethod
    def row_names(self) -> list[str]:
        """Names of the rows of the residual."""

    @property
    @abstractmethod
    def simulated(self) -> Equations | None:
        """The equations that a forward simulation integrates, None where the motion is prescribed."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the solution should know of the equations."""
        if not self.prescribed:
            return ()
        return (f"the model prescribes {listed(list(self.prescribed), 6)} over time: not optimised",)

    @abstractmethod
    def check(self, problem: Problem, collocation: Collocation) -> None:
        """Refuse a problem or a scheme for which the equations have no unique solution."""

    # -- expressions

    @property
    @abstractmethod
    def expressions(self) -> Expressions:
        """Symbols and expressions."""

    @property
    def unknown_controls(self) -> SX:
        """Symbols of the controls that are unknown."""
        return self.control_symbols(self.controls)

    def control_symbols(self, names: Sequence[str]) -> SX:
        """Return the symbols of some controls, as a column."""
        u, controls = self.expressions.u, self.equations.controls
        column: SX = ca.vertcat(SX(0, 1), *(u[controls.index(name)] for name in names))
        return column

    @property
    def fed(self) -> Mapping[str, SX]:
        """Expressions of the controls that a control law gives, by what results call them."""
        return {}

    @property
    def known_controls(self) -> Mapping[str, SX]:
        """Expressions of the controls that are not unknown, by what results call them."""
        own = {control_title(self.model, name): self.control_symbols([name]) for name in self.prescribed}
        return {**own, **self.fed}

    @property
    @abstractmethod
    def given(self) -> SX:
        """Symbols of the quantities that are known at every instant."""

    @property
    @abstractmethod
    def outputs(self) -> Mapping[str, SX]:
        """Expressions of all outputs, by name."""

    @abstractmethod
    def kernel(self, name: str, fingerprint: str, define: Callable[[], Definition]) -> Kernel:
        """Return a compiled function of the expressions; equal fingerprints mean equal definitions."""

    @property
    def given_signals(self) -> Mapping[str, Signal]:
        """What is given as functions of time (s) to a forward simulation, by name."""
        return self._prescribed_signals

    @cached_property
    def _prescribed_signals(self) -> Mapping[str, Signal]:
        begin, end = self.span
        signals = prescribed_signals(self.model, end, begin) if self.prescribed else {}
        return {name: signals[name] for name in self.prescribed}

    # -- numbers

    def prescribed_values(self, times: Floats) -> Floats:
        """Return the controls that the model prescribes at some times (s), a row each."""
        parts = [self._prescribed_signals[name](times)[:, None] for name in self.prescribed]
        return np.hstack([np.zeros((len(times), 0)), *parts])

    @abstractmethod
    def given_values(self, times: Floats) -> Floats:
        """Return the values of ``given`` at some times (s), a row each."""

    @abstractmethod
    def coordinate_defaults(self) -> Floats:
        """Return the default values of the unknown coordinates."""

    @abstractmethod
    def poses(self, times: Floats, states: Floats) -> Floats:
        """Return all coordinates of the model at some times (s), in states of these times: a row each."""

    @abstractmethod
    def trajectory(self, begin: float, times: Floats, states: Floats, controls: Floats, p: Floats) -> Trajectory:
        """Return states, controls and outputs at nodes of a phase that begins at a time (s).

        The times of the nodes count from there; states and controls have a row for each; ``p`` are the free parameters.
        """


def control_names(instant: Instant) -> tuple[str, ...]:
    """Return what results call the controls: excitations of muscles, controls of motors."""
    return tuple(control_title(instant.model, name) for name in instant.controls if name in instant.model.controls)


def control_title(model: Model, name: str) -> str:
    """Return what results call a control."""
    return f"{name}.{'excitation' if name in model.muscles else 'control'}"
