"""The names of a model as expressions, for goals and conditions."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import casadi as ca

from myodyne.equations.assemble import Assembly
from myodyne.equations.outputs import outputs_of
from myodyne.errors import ModelError, unknown_name
from myodyne.model import Model
from myodyne.optimise.transcription.prescribed import PrescribedAssembly, prescribed_outputs
from myodyne.physics.spatial import SX

# The outputs of equations, by name: every stage of a solve asks for them again, and to write them down takes a second.
_OUTPUTS: WeakKeyDictionary[Assembly, dict[str, SX]] = WeakKeyDictionary()


class Names:
    """All that can be read of a model at an instant, by name, as expressions of the symbols of its equations."""

    def __init__(self, assembly: Assembly, states: tuple[str, ...]) -> None:
        self.assembly = assembly
        self._known = {name: assembly.x[number] for number, name in enumerate(states)}
        for number, name in enumerate(control_names(assembly.model)):
            self._known[name] = assembly.u[number]
        for number, name in enumerate(assembly.model.free_values):
            self._known[name] = assembly.p[number]

    @property
    def _outputs(self) -> dict[str, SX]:
        a = self.assembly
        if a not in _OUTPUTS:
            found = prescribed_outputs(a) if isinstance(a, PrescribedAssembly) else outputs_of(a)
            _OUTPUTS[a] = dict(zip(found.names, found.expressions, strict=True))
        return _OUTPUTS[a]

    def __getitem__(self, name: str) -> SX:
        if name in self._known:
            return self._known[name]
        if name not in self._outputs:
            raise ModelError(unknown_name("state, control or output", name, (*self._known, *self._outputs)))
        return self._outputs[name]


def control_names(model: Model) -> tuple[str, ...]:
    """Return what results call the controls: excitations of muscles, controls of motors."""
    return tuple(f"{name}.{'excitation' if name in model.muscles else 'control'}" for name in model.controls)


class Scope:
    """One instant of a movement: what goals and conditions may speak of.

    ``scope["knee.moment"]`` is the expression of any state, control, free number or output by its name.

    Parameters
    ----------
    names : the expressions of the model.
    duration : of the movement (s).
    data : the recorded numbers of this instant, by channel.
    """

    def __init__(self, names: Names, duration: SX, data: dict[str, SX] | None = None) -> None:
        self._names, self.duration, self._data = names, duration, data or {}

    def __getitem__(self, name: str) -> SX:
        return self._names[name]

    @property
    def assembly(self) -> Assembly:
        """The equations behind the names."""
        return self._names.assembly

    def recorded(self, channel: str) -> SX:
        """Return the recorded number of a channel that the goal has announced."""
        return self._data[channel]


class Ends:
    """The two ends of a movement: ``ends.start["knee"]``, ``ends.end["knee"]``."""

    def __init__(self, names: Names, duration: SX, motion: tuple[str, ...]) -> None:
        a = names.assembly
        self.model, self.duration, self.motion = a.model, duration, motion
        self.controls = control_names(a.model)
        self.first = SX.sym("x_start", a.x.numel()), SX.sym("u_start", a.u.numel())
        self.last = SX.sym("x_end", a.x.numel()), SX.sym("u_end", a.u.numel())
        self.start, self.end = _End(names, *self.first), _End(names, *self.last)


class _End:
    def __init__(self, names: Names, x: SX, u: SX) -> None:
        self._names, self._x, self._u = names, x, u

    def __getitem__(self, name: str) -> SX:
        a = self._names.assembly
        expression = self._names[name]
        if ca.depends_on(expression, a.xdot):
            raise ModelError(f"'{name}' depends on accelerations, which are not known at the very ends of a movement")
        if isinstance(a, PrescribedAssembly) and ca.depends_on(expression, a.numbers):
            raise ModelError(
                f"'{name}' depends on the given motion: at its ends only states and controls can be spoken of"
            )
        return replaced(expression, [a.x, a.u], [self._x, self._u])


def replaced(expression: SX, old: list[SX], new: list[Any]) -> SX:
    """Return an expression with other vectors in place of symbols."""
    return ca.substitute([expression], old, new)[0]
