"""One instant of a movement: the names, symbols and equations that hold there."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from myodyne.data import Trajectory
from myodyne.equations import Equations
from myodyne.equations.definitions import Definition
from myodyne.equations.layout import Layout, NamedEquations
from myodyne.model import Model
from myodyne.native.kernel import Kernel
from myodyne.numerics.collocation import Collocation
from myodyne.optimise.expressions import Expressions
from myodyne.physics.spatial import SX
from myodyne.simulate.signals import Signal
from myodyne.types import Floats

if TYPE_CHECKING:
    from myodyne.optimise.problem import Problem


class Instant(NamedEquations):
    """One instant of a movement, with the names that `Equations` has for what is unknown.

    Parameters
    ----------
    equations : of the whole model.
    layout : the names of the unknowns.
    """

    def __init__(self, equations: Equations, layout: Layout) -> None:
        self.equations = equations
        self.model = equations.model
        self.layout = layout

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
        return ()

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
        return self.expressions.u

    @property
    def fed(self) -> Mapping[str, SX]:
        """Expressions of the controls that a control law gives, by what results call them."""
        return {}

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
        return {}

    # -- numbers

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
