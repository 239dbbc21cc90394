"""What is added to a model for one use: a control law that closes the loop, and recorded forces on its bodies.

Both are plain data that can be compared. The control law is a list of operations on named quantities.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from myodyne.errors import ModelError

if TYPE_CHECKING:
    from casadi import SX

TIME = "time"
# Entries of a recorded force: force and moment, and the products of point and force where their frames differ.
_AXES = ("x", "y", "z")


@dataclass(frozen=True)
class Law:
    """A control law: what ``controls`` are as functions of time, of quantities that are read by name, and of gains.

    ``operations`` have the form (name, arguments, result) with places of a work array, constants in place of arguments;
    see `law_of`.
    """

    controls: tuple[str, ...]
    reads: tuple[str, ...]
    gains: tuple[tuple[str, float], ...]
    operations: tuple[tuple[str, tuple[float, ...], int], ...]
    timed: bool

    @property
    def fingerprint(self) -> str:
        """A text that differs between laws; values of gains are parameters and make no difference."""
        return repr((self.controls, self.reads, [name for name, _ in self.gains], self.operations))

    def to_text(self) -> str:
        """Return the law as JSON."""
        fields = ("controls", "reads", "gains", "operations", "timed")
        return json.dumps({name: getattr(self, name) for name in fields})

    @staticmethod
    def from_text(text: str) -> Law:
        """Return the law that `to_text` wrote."""
        try:
            plain = json.loads(text)
            return Law(
                tuple(map(str, plain["controls"])),
                tuple(map(str, plain["reads"])),
                tuple((str(name), float(value)) for name, value in plain["gains"]),
                tuple((str(name), tuple(map(float, given)), int(to)) for name, given, to in plain["operations"]),
                bool(plain["timed"]),
            )
        except (ValueError, KeyError, TypeError) as error:
            raise ModelError(f"this text is not a control law: {error!r:.80}") from None

    def expressions(self, time: SX, reads: SX, gains: SX) -> list[SX]:
        """Return the controls as expressions of what the law reads."""
        import casadi as ca

        inputs, work = ca.vertcat(time, reads, gains), {}
        results: dict[int, SX] = {}
        for name, given, to in self.operations:
            if name == "OP_CONST":
                work[to] = ca.SX(given[0])
            elif name == "OP_INPUT":
                work[to] = inputs[int(given[0])]
            elif name == "OP_OUTPUT":
                results[to] = work[int(given[0])]
            else:
                code = getattr(ca, name, None) if name.startswith("OP_") else None
                if not isinstance(code, int):
                    raise ModelError(f"a control law has the operation '{name}', which CasADi does not know")
                parts = [work[int(place)] for place in given]
                work[to] = ca.SX.unary(code, *parts) if len(parts) == 1 else ca.SX.binary(code, *parts)
        return [results.get(number, ca.SX(0)) for number in range(len(self.controls))]


def law_of(inputs: SX, controls: dict[str, SX], reads: tuple[str, ...], gains: dict[str, float]) -> Law:
    """Return the law that gives controls from ``inputs``: time, the quantities that are read, the gains."""
    import casadi as ca

    names = {getattr(ca, name): name for name in dir(ca) if name.startswith("OP_")}
    function = ca.Function("law", [inputs], [ca.densify(ca.vertcat(*controls.values()))])
    operations: list[tuple[str, tuple[float, ...], int]] = []
    for number in range(function.n_instructions()):
        code = function.instruction_id(number)
        given, to = function.instruction_input(number), function.instruction_output(number)
        match names[code]:
            case "OP_CONST":
                operations.append(("OP_CONST", (function.instruction_constant(number),), to[0]))
            case "OP_INPUT":
                operations.append(("OP_INPUT", (float(given[1]),), to[0]))
            case "OP_OUTPUT":
                operations.append(("OP_OUTPUT", (float(given[0]),), to[1]))
            case name:
                operations.append((name, tuple(map(float, given)), to[0]))
    timed = bool(ca.depends_on(ca.vertcat(*controls.values()), inputs[0]))
    return Law(tuple(controls), reads, tuple(gains.items()), tuple(operations), timed)


@dataclass(frozen=True)
class Load:
    """A recorded force on a body; its numbers over time are further controls.

    In the axes of ``force_frame`` they are force (N) and torque (N m). Where the point of application is given in the
    same frame, the torque is the moment about that frame's origin; else the nine products point times force follow.
    ``point_frame`` None is a force at the origin of the body.
    """

    name: str
    body: str
    force_frame: str
    point_frame: str | None

    @property
    def crossed(self) -> bool:
        """Whether point and force are given in different frames."""
        return self.point_frame is not None and self.point_frame != self.force_frame

    @property
    def entries(self) -> tuple[str, ...]:
        """Names of its controls."""
        parts = [f"force_{axis}" for axis in _AXES] + [f"moment_{axis}" for axis in _AXES]
        if self.crossed:
            parts += [f"point_{one}_force_{other}" for one in _AXES for other in _AXES]
        return tuple(f"{self.name}.{part}" for part in parts)


@dataclass(frozen=True)
class Closure:
    """The additions to a model: a control law and recorded forces.

    ``clocked`` says that time is a control, ``gains`` are numbers that follow those of the model; both stay where the
    law is taken away.
    """

    law: Law | None = None
    loads: tuple[Load, ...] = ()
    clocked: bool = field(default=False)
    gains: tuple[str, ...] = ()

    @staticmethod
    def of(law: Law | None, loads: tuple[Load, ...] = ()) -> Closure:
        if law is None:
            return Closure(loads=loads)
        return Closure(law, loads, law.timed, tuple(name for name, _ in law.gains))

    @property
    def opened(self) -> Closure:
        """The same without the law."""
        return replace(self, law=None)

    @property
    def entries(self) -> tuple[str, ...]:
        """Names of the controls that follow those of the model and its motions."""
        return (*((TIME,) if self.clocked else ()), *(name for load in self.loads for name in load.entries))

    @property
    def values(self) -> tuple[float, ...]:
        """Values of the gains."""
        return () if self.law is None else tuple(value for _, value in self.law.gains)

    def with_values(self, values: Sequence[float]) -> Closure:
        """Return the same with other values of the gains."""
        if self.law is None:
            return self
        return replace(self, law=replace(self.law, gains=tuple(zip(self.gains, map(float, values), strict=True))))

    @cached_property
    def fingerprint(self) -> str:
        """A text that differs where the equations do; empty where nothing is added."""
        if self == Closure():
            return ""
        law = "" if self.law is None else self.law.fingerprint
        return repr((law, self.loads, self.clocked, self.gains))


NOTHING = Closure()
