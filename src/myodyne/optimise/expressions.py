"""What goals and conditions may refer to: one instant of a movement, and its two ends, as CasADi expressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, TypeAlias

from myodyne.errors import ModelError

if TYPE_CHECKING:
    from casadi import DM, SX

    from myodyne.model import Model
    from myodyne.physics.kinematics import Kinematics

# What a goal or condition is made of: a symbolic expression, or a constant.
Expression: TypeAlias = "SX | DM | float"
# Name, expression, and the two ends of its range.
Row: TypeAlias = "tuple[str, Expression, float, float]"


class Expressions(Protocol):
    """Symbols and expressions of one instant: states ``x``, their rates, controls ``u``, free parameters ``p``."""

    @property
    def model(self) -> Model:
        """The model that moves."""

    @property
    def symbolic(self) -> Model:
        """The model with symbols in place of its free parameters."""

    @property
    def q(self) -> SX:
        """Coordinates."""

    @property
    def v(self) -> SX:
        """Speeds."""

    @property
    def vdot(self) -> SX:
        """Accelerations."""

    @property
    def sdot(self) -> SX:
        """Rates of the fibre lengths."""

    @property
    def adot(self) -> SX:
        """Rates of the activations."""

    @property
    def x(self) -> SX:
        """States: those with rates, then the multipliers of constraints."""

    @property
    def xdot(self) -> SX:
        """Rates of all states."""

    @property
    def motion(self) -> SX:
        """States with rates."""

    @property
    def u(self) -> SX:
        """Controls."""

    @property
    def p(self) -> SX:
        """Free parameters of the model."""

    @property
    def residual(self) -> SX:
        """Residual of the differential equations."""

    @property
    def kinematics(self) -> Kinematics:
        """Positions and velocities of the bodies."""

    @property
    def gravity(self) -> SX:
        """Acceleration of gravity (m/s²)."""


class Scope(Protocol):
    """One instant of a movement, as goals and conditions see it.

    ``scope["knee.moment"]`` is the expression of a state, control, free parameter or output, by its name.
    """

    def __getitem__(self, name: str) -> SX:
        """Return the expression of a state, control, free parameter or output."""

    @property
    def duration(self) -> SX:
        """Duration of the movement (s)."""

    @property
    def assembly(self) -> Expressions:
        """The equations behind the names."""

    def recorded(self, channel: str) -> SX:
        """Return the recorded value of one of the goal's own channels."""


class End(Protocol):
    """The start or the end of a movement: ``end["knee"]``."""

    @property
    def constraint_errors(self) -> Mapping[str, SX]:
        """What each row of the kept constraints lacks here, in position and in speed, by name."""

    def __getitem__(self, name: str) -> SX:
        """Return the expression of a state, control, free parameter or output."""


class Ends(Protocol):
    """The two ends of a movement: ``ends.start["knee"]``, ``ends.end["knee"]``."""

    @property
    def model(self) -> Model:
        """The model that moves."""

    @property
    def start(self) -> End:
        """The start of the movement."""

    @property
    def end(self) -> End:
        """The end of the movement."""

    @property
    def duration(self) -> SX:
        """Duration of the movement (s)."""

    @property
    def begin(self) -> float:
        """When the movement begins (s)."""

    @property
    def motion(self) -> tuple[str, ...]:
        """Names of the states with rates."""

    @property
    def controls(self) -> tuple[str, ...]:
        """Names of the controls."""


def one_expression(name: str, value: object) -> Expression:
    """Return what a user's function gave for a goal or condition, if it is one number or one CasADi expression.

    Examples
    --------
    >>> one_expression("level", 0.5)
    0.5
    """
    import casadi as ca

    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if not isinstance(value, ca.SX | ca.DM):
        raise ModelError(
            f"{name}: the function must return a number or an expression of named quantities, not {value!r:.60}"
        )
    if value.numel() != 1:
        raise ModelError(
            f"{name}: the function returns {value.numel()} expressions; one is expected: sum them, for "
            "example with casadi.sumsqr, or make a goal or condition of each"
        )
    return value
