"""Control laws: expressions of named quantities that become part of the equations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from myodyne.equations.closure import TIME, Law, law_of
from myodyne.errors import ModelError, unknown_name

if TYPE_CHECKING:
    from casadi import DM, SX

    from myodyne.equations import Equations


class At:
    """One instant, as control laws see it: ``at["knee"]`` is a state, an output or a gain, ``at.time`` the time (s)."""

    def __init__(self, gains: Mapping[str, float]) -> None:
        import casadi as ca

        self.time: SX = ca.SX.sym(TIME)
        self._gains = {name: ca.SX.sym(name) for name in gains}
        self._reads: dict[str, SX] = {}

    def __getitem__(self, name: str) -> SX:
        import casadi as ca

        if not isinstance(name, str):
            raise ModelError(f"a control law reads quantities by name, like at['knee'], not {name!r:.60}")
        if name in self._gains:
            return self._gains[name]
        return self._reads.setdefault(name, ca.SX.sym(name))

    @property
    def reads(self) -> tuple[str, ...]:
        """Names that were read, but for those of gains."""
        return tuple(self._reads)

    @property
    def inputs(self) -> SX:
        """The time, what was read, and the gains."""
        import casadi as ca

        return ca.vertcat(self.time, *self._reads.values(), *self._gains.values())


@dataclass(frozen=True)
class Feedback:
    """A control law: some controls as expressions of named quantities, with exact derivatives in the equations.

    Parameters
    ----------
    function
        ``function(at)`` returns controls by name. ``at["knee"]`` reads a state, an output that depends on states alone,
        a free number of the model, or a gain; ``at.time`` is the time (s). It is called once, with symbols: branches
        are written with ``casadi.if_else``, sines with ``casadi.sin``.
    gains
        Numbers of the law by name. Other values need no new equations, and a `Problem` can optimise them.

    Examples
    --------
    A motor that holds a rod at 1 rad:

    >>> import myodyne as my
    >>> rod = my.load_model("pendulum").with_parts(forces={"motor": my.CoordinateActuator(coordinate="angle")})
    >>> hold = my.Feedback(
    ...     lambda at: {"motor": at["k"] * (1.0 - at["angle"]) - 4.0 * at["angle.speed"]}, gains={"k": 50.0})
    >>> hold.controls, hold.reads
    (('motor',), ('angle', 'angle.speed'))
    >>> run = my.simulate(rod, 2.0, feedback=hold)
    >>> round(float(run.values("motor.control")[-1]), 1)      # N m
    3.9
    """

    function: Callable[[At], Mapping[str, SX | DM | float]] = field(repr=False, compare=False)
    gains: Mapping[str, float] = field(default_factory=dict)
    law: Law = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ModelError(f"my.Feedback takes a function of named quantities, not {self.function!r:.60}")
        gains = {str(name): _number(f"the gain '{name}'", value) for name, value in dict(self.gains).items()}
        object.__setattr__(self, "gains", gains)
        object.__setattr__(self, "law", _traced(self.function, gains))

    @property
    def controls(self) -> tuple[str, ...]:
        """The controls that it gives."""
        return self.law.controls

    @property
    def reads(self) -> tuple[str, ...]:
        """The quantities that it reads."""
        return self.law.reads

    def with_gains(self, **gains: float) -> Feedback:
        """Return the law with other values of some gains.

        Examples
        --------
        >>> law = Feedback(lambda at: {"motor": -at["k"] * at["angle"]}, gains={"k": 1.0})
        >>> law.with_gains(k=2.0).gains
        {'k': 2.0}
        """
        for name in gains:
            if name not in self.gains:
                raise ModelError(unknown_name("gain", name, tuple(self.gains)))
        return Feedback(self.function, {**self.gains, **gains})

    def to_text(self) -> str:
        """Return the law as text (JSON) that `from_text` reads; the function itself is not part of it."""
        return self.law.to_text()

    @staticmethod
    def from_text(text: str) -> Feedback:
        """Return the law that `to_text` wrote.

        Examples
        --------
        >>> law = Feedback(lambda at: {"motor": -2.0 * at["angle"]})
        >>> Feedback.from_text(law.to_text()) == law
        True
        """
        law = Law.from_text(text)

        def function(at: At) -> dict[str, SX]:
            import casadi as ca

            reads = ca.vertcat(ca.SX(0, 1), *(at[name] for name in law.reads))
            gains = ca.vertcat(ca.SX(0, 1), *(at[name] for name, _ in law.gains))
            return dict(zip(law.controls, law.expressions(at.time, reads, gains), strict=True))

        return Feedback(function, dict(law.gains))

    def __hash__(self) -> int:
        return hash(self.law)


def _number(what: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not np.isfinite(float(value)):
        raise ModelError(f"{what} must be a finite number, not {value!r:.60}")
    return float(value)


def _traced(function: Callable[[At], Mapping[str, SX | DM | float]], gains: dict[str, float]) -> Law:
    """Return the law that a function gives when it is called with symbols."""
    import casadi as ca

    at = At(gains)
    try:
        given = function(at)
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(
            f"feedback: the function cannot be called with symbols ({type(error).__name__}: {error!s:.120}). Use "
            f"casadi.if_else for branches and casadi's own functions, or use my.Sampled, which is called with numbers"
        ) from error
    if not isinstance(given, Mapping) or not given:
        raise ModelError(f"feedback: the function returns controls by name, like {{'motor': ...}}, not {given!r:.60}")
    controls: dict[str, SX] = {}
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, Real | ca.SX | ca.DM):
            raise ModelError(
                f"feedback: '{name}' must be a number or an expression of named quantities, not {value!r:.60}"
            )
        expression = ca.SX(value)
        if expression.numel() != 1:
            raise ModelError(f"feedback: '{name}' must be one expression, not {expression.numel()}")
        foreign = ca.symvar(expression)
        known = {str(symbol) for symbol in ca.symvar(at.inputs)}
        if any(str(symbol) not in known for symbol in foreign) or (
            expression.is_constant() and not np.isfinite(float(expression))
        ):
            raise ModelError(f"feedback: '{name}' must be finite, and an expression of quantities read by at['...']")
        controls[str(name)] = expression
    return law_of(at.inputs, controls, at.reads, gains)


def check_law(equations: Equations, feedback: Feedback, given: Mapping[str, object]) -> None:
    """Refuse a law for controls that a model does not have, or that are given as signals, too."""
    if not isinstance(feedback, Feedback):
        raise ModelError(f"feedback must be a my.Feedback or a my.Sampled, not {feedback!r:.60}")
    for name in feedback.controls:
        if name not in equations.model.controls:
            raise ModelError("feedback: " + unknown_name("control", name, equations.model.controls))
        if name in given:
            raise ModelError(
                f"control '{name}' has both a feedback and a signal; add the signal in the law, as a function of "
                "at.time, or leave one of them out"
            )
    for name in feedback.gains:
        if name in equations.motion or name in equations.model.free_values:
            raise ModelError(f"the gain '{name}' has the name of a state or free number of the model; rename it")
