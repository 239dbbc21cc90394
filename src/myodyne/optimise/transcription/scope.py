"""The names of a model as expressions, for goals and conditions."""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca

from myodyne.equations.assemble import Assembly
from myodyne.errors import ModelError, unknown_name
from myodyne.optimise.expressions import Expressions
from myodyne.optimise.transcription.instant import Instant, control_names
from myodyne.physics.spatial import SX


class InstantScope:
    """One instant of a movement: all that goals and conditions may refer to.

    Parameters
    ----------
    instant : of the movement.
    duration : of the movement (s).
    data : the recorded numbers of this instant, by channel.
    """

    def __init__(self, instant: Instant, duration: SX, data: Mapping[str, SX] | None = None) -> None:
        self._instant, self.duration, self._data = instant, duration, data or {}
        a = instant.expressions
        self._known = {name: a.x[number] for number, name in enumerate(instant.states)}
        controls = instant.unknown_controls
        self._known |= {name: controls[number] for number, name in enumerate(control_names(instant))}
        self._known |= instant.known_controls
        self._known |= {name: a.p[number] for number, name in enumerate(instant.parameters)}

    def __getitem__(self, name: str) -> SX:
        if name in self._known:
            return self._known[name]
        outputs = self._instant.outputs
        if name not in outputs:
            raise ModelError(unknown_name("state, control or output", name, (*self._known, *outputs)))
        return outputs[name]

    @property
    def assembly(self) -> Expressions:
        """The equations behind the names."""
        return self._instant.expressions

    def recorded(self, channel: str) -> SX:
        """Return the recorded number of a channel."""
        return self._data[channel]


class GoalScope:
    """The scope of one of several goals, whose recorded channels bear the goal's number."""

    def __init__(self, scope: InstantScope, number: int) -> None:
        self._scope, self._number = scope, number
        self.duration, self.assembly = scope.duration, scope.assembly

    def __getitem__(self, name: str) -> SX:
        return self._scope[name]

    def recorded(self, channel: str) -> SX:
        """Return the recorded number of a channel of the goal."""
        return self._scope.recorded(f"{self._number} {channel}")


class MovementEnds:
    """The two ends of a movement: ``ends.start["knee"]``, ``ends.end["knee"]``."""

    def __init__(self, instant: Instant, duration: SX, begin: float = 0.0) -> None:
        a = instant.expressions
        self.begin = begin
        self.model, self.duration, self.motion = instant.model, duration, instant.motion
        self.controls = control_names(instant)
        count = instant.unknown_controls.numel()
        self.first = SX.sym("x_start", a.x.numel()), SX.sym("u_start", count)
        self.last = SX.sym("x_end", a.x.numel()), SX.sym("u_end", count)
        scope = InstantScope(instant, duration)
        self.start, self.end = (_ScopeAtEnd(scope, instant, *symbols) for symbols in (self.first, self.last))


class _ScopeAtEnd:
    def __init__(self, scope: InstantScope, instant: Instant, x: SX, u: SX) -> None:
        self._scope, self._instant, self._x, self._u = scope, instant, x, u

    @property
    def constraint_errors(self) -> dict[str, SX]:
        """What each row of the kept constraints lacks here, in position where it has one, and in speed."""
        rows: dict[str, SX] = {}
        if not isinstance(self._instant.expressions, Assembly):
            return rows  # a given motion obeys them, or not
        demands = self._instant.expressions.demands
        for number, name in enumerate(demands.names):
            for what, column in (("position", demands.position), ("speed", demands.speed)):
                if not column[number].is_constant():
                    rows[f"{name} {what}"] = self._here(column[number])
        return rows

    def _here(self, expression: SX) -> SX:
        return replaced(expression, [self._instant.expressions.x, self._instant.unknown_controls], [self._x, self._u])

    def __getitem__(self, name: str) -> SX:
        a = self._instant.expressions
        expression = self._scope[name]
        if ca.depends_on(expression, a.xdot):
            raise ModelError(f"'{name}' depends on accelerations, which are not known at the very ends of a movement")
        if ca.depends_on(expression, self._instant.given):
            raise ModelError(
                f"'{name}' depends on what is given at each instant, a motion, forces or the time: goals and "
                "conditions at the ends may refer to states and controls only"
            )
        return self._here(expression)


def replaced(expression: SX, old: list[SX], new: list[SX]) -> SX:
    """Return an expression with other vectors in place of symbols."""
    return ca.substitute([expression], old, new)[0]
