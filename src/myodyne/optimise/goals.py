"""Goals: terms of the objective, as typed objects.

The objective of a problem is the sum of its goals, each with its weight. A goal is a mean or an integral over time of
something at every instant, or a function of the two ends, or both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from myodyne.errors import ModelError
from myodyne.model import Model, Part
from myodyne.model.part import Name, NonNegative, Positive
from myodyne.optimise.expressions import Ends, Expression, Scope, one_expression
from myodyne.types import Floats

if TYPE_CHECKING:
    from casadi import SX

# Powers between 1 and 2 are shifted by so much: at half a power, the curvature at zero stays below 1000.
_SHIFT = 1e-6


class Goal(Part):
    """The base of all goals.

    ``averaged`` goals are means over time, others integrals. What changes the expressions takes part in the
    fingerprint; weights and recorded numbers do not, so that changing them compiles nothing.
    """

    averaged: ClassVar[bool] = True
    # Fields that are numbers of the expressions, not part of them.
    numeric: ClassVar[frozenset[str]] = frozenset({"weight", "label"})

    weight: NonNegative = 1.0
    label: str = ""

    @property
    def name(self) -> str:
        """What reports call the goal."""
        return self.label or str(getattr(self, "kind", type(self).__name__))

    @property
    def fingerprint(self) -> str:
        """A text that is equal for goals with equal expressions."""
        return f"{self.name}{self.model_dump_json(exclude=set(self.numeric))}"

    def instant(self, scope: Scope) -> Expression | None:
        """Return the expression of one instant, or None."""
        return None

    def at_ends(self, ends: Ends) -> Expression | None:
        """Return the expression of the two ends, or None."""
        return None

    def check(self, model: Model, ranges: Mapping[str, tuple[float, float]]) -> None:
        """Raise an error if the goal is not smooth, given the ranges of states and controls by name."""

    def split(self, model: Model) -> dict[str, Goal]:
        """Return goals whose sum this is, by what they are about: a muscle's excitation, a column of data."""
        return {self.name: self}

    def channels(self) -> tuple[str, ...]:
        """Return the names of the recorded numbers that ``instant`` reads."""
        return ()

    def recorded(self, times: Floats, fractions: Floats) -> Floats:
        """Return those numbers (instants, channels) at times (s) and fractions of the duration."""
        return np.zeros((len(times), 0))


class Effort(Goal):
    """The mean power of excitations, activations or torques: ``mean |u|^exponent`` over muscles and time.

    With ``summed`` it is the integral over time of the sum over all of them, as other programs have it.

    Parameters
    ----------
    of
        ``"excitations"`` and ``"activations"`` of the muscles, ``"torques"``: the controls of all motors,
        ``"controls"``: excitations and torques, or names of states, controls and outputs.
    exponent
        Of each of them, at least 1. Below 2 only for quantities that are never negative: otherwise the power is not
        smooth at zero. Close to 1, excitations of muscles with activation dynamics become pulses as short as the
        mesh allows, and solves take long.
    summed
        Whether it is the integral of the sum instead of the mean.

    Examples
    --------
    >>> import myodyne as my
    >>> my.Effort(exponent=3, weight=20.0).of
    'excitations'
    """

    kind: Literal["effort"] = "effort"
    of: Literal["excitations", "activations", "torques", "controls"] | tuple[Name, ...] = "excitations"
    exponent: Positive = 2.0
    summed: bool = Field(default=False, strict=True)

    @model_validator(mode="after")
    def _is_convex(self) -> Effort:
        if self.exponent < 1:
            raise ValueError(
                f"exponent: must be at least 1, not {self.exponent:g}: the gradient of a smaller power is infinite "
                "at zero"
            )
        return self

    def check(self, model: Model, ranges: Mapping[str, tuple[float, float]]) -> None:
        if self.exponent >= 2:
            return
        # Activation that is not a state is a positive function of one.
        known = {f"{name}.activation": (0.0, 1.0) for name in model.muscles} | dict(ranges)
        for name in self._names(model):
            if not known.get(name, (-np.inf, np.inf))[0] >= 0:
                raise ModelError(
                    f"{self.name}: '{name}' can be negative, and a power of {self.exponent:g} is not "
                    "smooth at zero; take an exponent of 2 or more, or bound it below by zero"
                )

    def split(self, model: Model) -> dict[str, Goal]:
        names = self._names(model)
        weight = self.weight if self.summed else self.weight / len(names)
        return {name: self.model_copy(update={"of": (name,), "weight": weight}) for name in names}

    def instant(self, scope: Scope) -> Expression | None:
        import casadi as ca

        names = self._names(scope.assembly.model)
        terms = [_power(scope[name], self.exponent) for name in names]
        total = ca.sum1(ca.vertcat(*terms))
        return total * scope.duration if self.summed else total / len(terms)

    def _names(self, model: Model) -> Sequence[str]:
        motors = [f"{name}.control" for name in model.controls if name not in model.muscles]
        excitations = [f"{name}.excitation" for name in model.muscles]
        named = {
            "excitations": excitations,
            "activations": [f"{name}.activation" for name in model.muscles],
            "torques": motors,
            "controls": [*excitations, *motors],
        }
        names = named[self.of] if isinstance(self.of, str) else list(self.of)
        if not names:
            raise ModelError(f"Effort: '{model.name}' has no {self.of}")
        return names


class MetabolicCost(Goal):
    """The mean metabolic power of all muscles (W), divided by the body's mass.

    Parameters
    ----------
    by
        The energetics: Umberger 2010, or Bhargava et al. 2004.

    Examples
    --------
    >>> import myodyne as my
    >>> my.MetabolicCost(weight=0.1).by
    'umberger'
    """

    kind: Literal["metabolic_cost"] = "metabolic_cost"
    by: Literal["umberger", "bhargava"] = "umberger"

    def instant(self, scope: Scope) -> Expression | None:
        import casadi as ca

        model = scope.assembly.model
        return ca.sum1(ca.vertcat(*(scope[name] for name in self._names(model)))) / model.mass

    def split(self, model: Model) -> dict[str, Goal]:
        return {name: Custom(mean=_per_mass(name, model.mass), weight=self.weight) for name in self._names(model)}

    def _names(self, model: Model) -> Sequence[str]:
        if not model.muscles:
            raise ModelError(f"MetabolicCost: '{model.name}' has no muscles")
        ending = "metabolic_power" if self.by == "umberger" else "metabolic_power_bhargava"
        return [f"{name}.{ending}" for name in model.muscles]


class JointLoad(Goal):
    """The mean of the squared force (N) that a joint carries, in units of ``scale`` (N).

    Examples
    --------
    >>> import myodyne as my
    >>> my.JointLoad(joint="knee", scale=750.0).kind
    'joint_load'
    """

    kind: Literal["joint_load"] = "joint_load"
    joint: Name
    scale: Positive = 1000.0

    def instant(self, scope: Scope) -> Expression | None:
        return sum((scope[f"{self.joint}.reaction_force_{axis}"] / self.scale) ** 2 for axis in "xyz")


class Smoothness(Goal):
    """The mean of squared rates of some states, ``(rate / scale)²``, which prevents jumps.

    Parameters
    ----------
    of
        ``"speeds"`` for accelerations, ``"activations"`` or ``"fibres"`` for their rates, ``"all"`` for these three.
    scale
        The rate (1/s, or rad/s², m/s² for speeds) that counts as one.

    Examples
    --------
    >>> import myodyne as my
    >>> my.Smoothness(of="activations", weight=0.001).scale
    1.0
    """

    kind: Literal["smoothness"] = "smoothness"
    of: Literal["speeds", "activations", "fibres", "all"] = "all"
    scale: Positive = 1.0

    def instant(self, scope: Scope) -> Expression | None:
        import casadi as ca

        a = scope.assembly
        parts = {"speeds": a.vdot, "fibres": a.sdot, "activations": a.adot}
        rates = ca.vertcat(*parts.values()) if self.of == "all" else parts[self.of]
        if not rates.numel():
            raise ModelError(f"Smoothness: '{a.model.name}' has no {self.of}")
        return ca.sumsqr(rates / self.scale) / rates.numel()


class FinalTime(Goal):
    """The duration of the movement (s).

    Examples
    --------
    >>> import myodyne as my
    >>> my.FinalTime().name
    'final_time'
    """

    kind: Literal["final_time"] = "final_time"

    def at_ends(self, ends: Ends) -> Expression | None:
        return ends.duration


class MeanSpeed(Goal):
    """How slow the movement is: the negative mean speed (m/s) of a position from start to end.

    Examples
    --------
    >>> import myodyne as my
    >>> my.MeanSpeed(weight=0.1).of
    'com.position_x'
    """

    kind: Literal["mean_speed"] = "mean_speed"
    of: Name = "com.position_x"

    def at_ends(self, ends: Ends) -> Expression | None:
        return -(ends.end[self.of] - ends.start[self.of]) / ends.duration


class FinalValue(Goal):
    """The value of a state or output at the end, to be made small, or large with ``maximised``.

    Examples
    --------
    >>> import myodyne as my
    >>> my.FinalValue(of="com.position_y", maximised=True).kind
    'final_value'
    """

    kind: Literal["final_value"] = "final_value"
    of: Name
    maximised: bool = Field(default=False, strict=True)

    def at_ends(self, ends: Ends) -> Expression | None:
        return -ends.end[self.of] if self.maximised else ends.end[self.of]


class FlightHeight(Goal):
    """How high (m) the centre of mass flies from where the movement ends, to be made large: ``height + speed² / 2g``.

    Gravity acts along -y.

    Examples
    --------
    >>> import myodyne as my
    >>> my.FlightHeight().name
    'flight_height'
    """

    kind: Literal["flight_height"] = "flight_height"

    def at_ends(self, ends: Ends) -> Expression | None:
        downward = -float(ends.model.gravity[1])
        if downward <= 0:
            raise ModelError(f"FlightHeight: nothing pulls '{ends.model.name}' down along y")
        rise = ends.end["com.velocity_y"]
        return -(ends.end["com.position_y"] + rise**2 / (2 * downward))


class Custom(Goal):
    """Any expression: functions that return one, made with CasADi, of what has a name.

    Such a goal cannot be written to a file; a solve that has one resumes only with its problem at hand.

    Parameters
    ----------
    mean
        Given the scope of an instant, ``scope["knee.moment"]``, an expression whose mean over time is taken.
    final
        Given the ends, ``ends.start["knee"]``, ``ends.end["knee"]``, ``ends.duration``, an expression.

    Examples
    --------
    >>> import myodyne as my
    >>> upright = my.Custom(mean=lambda scope: scope["trunk_tilt"] ** 2, weight=10.0, label="upright")
    >>> upright.name
    'upright'
    """

    kind: Literal["custom"] = "custom"
    mean: Callable[[Scope], object] | None = Field(default=None, exclude=True)
    final: Callable[[Ends], object] | None = Field(default=None, exclude=True)

    @model_validator(mode="after")
    def _check_functions(self) -> Custom:
        if self.mean is None and self.final is None:
            raise ValueError("give the function whose value should be small: mean=..., or final=...")
        return self

    def instant(self, scope: Scope) -> Expression | None:
        return None if self.mean is None else one_expression(self.name, self.mean(scope))

    def at_ends(self, ends: Ends) -> Expression | None:
        return None if self.final is None else one_expression(self.name, self.final(ends))


def _per_mass(name: str, mass: float) -> Callable[[Scope], SX]:
    """Return the function whose value is a named quantity per kilogram of body mass."""
    return lambda scope: scope[name] / mass


def _power(value: SX, exponent: float) -> SX:
    """Return ``|value|^exponent``, smooth at zero for all even exponents and for others from 2 on.

    Below 2 the value is never negative (see `Effort.check`). The first power then is the value itself; others are
    shifted slightly, which removes their infinite curvature at zero.
    """
    import casadi as ca

    if exponent == int(exponent) and int(exponent) % 2 == 0:
        return value ** int(exponent)
    if exponent == 1:
        return value
    if exponent < 2:
        shifted: SX = (ca.fmax(value, 0.0) + _SHIFT) ** exponent - _SHIFT**exponent
        return shifted
    power: SX = ca.fabs(value) ** exponent if exponent != 3 else value**2 * ca.fabs(value)
    return power
