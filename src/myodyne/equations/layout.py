"""Names of the entries of the vectors of equations, in their order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

from myodyne.equations.closure import NOTHING, Closure
from myodyne.equations.motions import control_names
from myodyne.equations.muscles.kinds import activation_states, fibre_states
from myodyne.model import Model


@dataclass(frozen=True)
class Layout:
    """The names of the entries of each vector, in order.

    Examples
    --------
    >>> import myodyne as my
    >>> Layout.of(my.load_model("pendulum")).motion
    ('angle', 'angle.speed')
    """

    coordinates: tuple[str, ...]
    controls: tuple[str, ...]
    parameters: tuple[str, ...]
    bodies: tuple[str, ...]
    muscles: tuple[str, ...] = ()
    fibres: tuple[str, ...] = ()
    activations: tuple[str, ...] = ()

    @cached_property
    def speeds(self) -> tuple[str, ...]:
        return tuple(f"{name}.speed" for name in self.coordinates)

    @cached_property
    def motion(self) -> tuple[str, ...]:
        return (*self.coordinates, *self.speeds, *self.fibres, *self.activations)

    @staticmethod
    def of(model: Model, closure: Closure = NOTHING) -> Layout:
        return Layout(
            model.moving,
            control_names(model, closure),
            (*model.free_values, *closure.gains),
            tuple(model.bodies),
            tuple(model.muscles),
            tuple(fibre_states(model).values()),
            tuple(activation_states(model).values()),
        )


class NamedEquations(ABC):
    """Base of all equations of a model: the names of the entries of their vectors."""

    model: Model
    layout: Layout

    @property
    @abstractmethod
    def compiled(self) -> bool:
        """Whether the equations run as compiled code."""

    @property
    @abstractmethod
    def multipliers(self) -> tuple[str, ...]:
        """Names of the multipliers of constraints: the forces that they exert."""

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the unknown coordinates; empty where the motion is prescribed."""
        return self.layout.coordinates

    @cached_property
    def speeds(self) -> tuple[str, ...]:
        """Names of their rates."""
        return self.layout.speeds

    @cached_property
    def motion(self) -> tuple[str, ...]:
        """Names of the states that have rates: coordinates, speeds, fibres, activations."""
        return self.layout.motion

    @cached_property
    def states(self) -> tuple[str, ...]:
        """Names of the entries of ``x``: coordinates, speeds, fibres, activations, multipliers."""
        return (*self.motion, *self.multipliers)

    @cached_property
    def controls(self) -> tuple[str, ...]:
        """Names of the entries of ``u``."""
        return self.layout.controls

    @cached_property
    def control_columns(self) -> tuple[str, ...]:
        """What results call the controls: ``soleus.excitation``, ``motor.control``."""
        excited = frozenset(self.muscles)
        return tuple(f"{name}.{'excitation' if name in excited else 'control'}" for name in self.controls)

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Names of the entries of ``p``: the model's free numbers."""
        return self.layout.parameters

    @cached_property
    def muscles(self) -> tuple[str, ...]:
        """Names of the muscles."""
        return self.layout.muscles

    @cached_property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies."""
        return self.layout.bodies
