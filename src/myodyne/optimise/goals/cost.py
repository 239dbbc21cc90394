"""What a movement costs: effort, metabolic power, joint loads, rates, and deviations from a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field, model_validator

from myodyne.errors import ModelError, unknown_name
from myodyne.model import Model, PassiveMoment
from myodyne.model.part import Name, NonNegative, Number, Positive
from myodyne.optimise.expressions import Expression, Scope
from myodyne.optimise.goals.base import Custom, Goal

if TYPE_CHECKING:
    from casadi import SX

# Powers between 1 and 2 are shifted by so much: at half a power, the curvature at zero stays below 1000.
_SHIFT = 1e-6


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
    weights
        Factors of the powers before they are summed or averaged: ``"volume"`` for those of the muscles' volumes,
        maximal force over specific tension times optimal fibre length, divided by their mean, so that the factors
        average one; or factors by muscle, 1 for those not named.

    Examples
    --------
    >>> import myodyne as my
    >>> my.Effort(exponent=3, weight=20.0).of
    'excitations'
    >>> factors = my.Effort(weights="volume").factors(my.load_model("gait2d"))
    >>> round(factors["right_soleus.excitation"], 2)
    0.73
    """

    kind: Literal["effort"] = "effort"
    of: Literal["excitations", "activations", "torques", "controls"] | tuple[Name, ...] = "excitations"
    exponent: Positive = 2.0
    summed: bool = Field(default=False, strict=True)
    weights: Literal["volume"] | dict[Name, NonNegative] | None = None

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
                    f"{self.name}: '{name}' can be negative, and a power of {self.exponent:g} is not smooth at zero; "
                    f"use an exponent of 2 or more, or bound it below by zero"
                )

    def split(self, model: Model) -> dict[str, Goal]:
        factors = self.factors(model)
        weight = self.weight if self.summed else self.weight / len(factors)
        return {
            name: self.model_copy(update={"of": (name,), "weight": weight * factor, "weights": None})
            for name, factor in factors.items()
        }

    def instant(self, scope: Scope) -> Expression | None:
        import casadi as ca

        factors = self.factors(scope.assembly.model)
        terms = [factor * _power(scope[name], self.exponent) for name, factor in factors.items()]
        total = ca.sum1(ca.vertcat(*terms))
        return total * scope.duration if self.summed else total / len(terms)

    def factors(self, model: Model) -> dict[str, float]:
        """Return the factor of the power of each quantity, by its name."""
        names = self._names(model)
        if self.weights is None:
            return dict.fromkeys(names, 1.0)
        if isinstance(self.weights, dict):
            for name in self.weights:
                if name not in model.controls:
                    unknown = unknown_name("muscle or motor", name, list(model.controls))
                    raise ModelError(f"{self.name}: weights: {unknown}")
            return {name: self.weights.get(name.rpartition(".")[0], 1.0) for name in names}
        volumes = {}
        for name in names:
            muscle = model.muscles.get(name.rpartition(".")[0])
            if muscle is None:
                raise ModelError(
                    f"{self.name}: '{name}' does not belong to a muscle and has no volume; give it an Effort of its "
                    f"own, or give weights by name"
                )
            volumes[name] = muscle.max_force / muscle.specific_tension * muscle.optimal_fibre_length
        mean = sum(volumes.values()) / len(volumes)
        return {name: float(volume / mean) for name, volume in volumes.items()}

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


class PassiveLoad(Goal):
    """The mean over time of ``Σ joints (moment / scale)²`` of passive moments.

    A passive moment costs no effort. Without this goal, an optimal movement may swing a joint into the end of its range
    and back as if there were a spring.

    Parameters
    ----------
    scale
        The moment (N m) that counts as one.
    of
        Names of `PassiveMoment` forces of the model; by default all of them.

    Examples
    --------
    >>> import myodyne as my
    >>> my.PassiveLoad(weight=2.0).scale
    100.0
    """

    kind: Literal["passive_load"] = "passive_load"
    scale: Positive = 100.0
    of: tuple[Name, ...] = ()

    def split(self, model: Model) -> dict[str, Goal]:
        return {name: self.model_copy(update={"of": (name,)}) for name in self._names(model)}

    def instant(self, scope: Scope) -> Expression | None:
        import casadi as ca

        moments = ca.vertcat(*(scope[f"{name}.torque"] for name in self._names(scope.assembly.model)))
        return ca.sumsqr(moments / self.scale)

    def _names(self, model: Model) -> Sequence[str]:
        known = [name for name, part in model.forces.items() if isinstance(part, PassiveMoment)]
        if not known:
            raise ModelError(
                f"{self.name}: '{model.name}' has no passive moments; add some to its forces, for example those of "
                "my.passive_leg(...)"
            )
        for name in self.of:
            if name not in known:
                raise ModelError(f"{self.name}: {unknown_name('passive moment', name, known)}")
        return self.of or known


class Smoothness(Goal):
    """The mean of squared rates of some states, ``(rate / scale)²``, which prevents jumps.

    Parameters
    ----------
    of
        ``"speeds"`` for accelerations, ``"activations"`` or ``"fibres"`` for their rates, ``"all"`` for these three.
    scale
        The rate (1/s, or rad/s², m/s² for speeds) that counts as one.
    scales
        Accelerations of coordinates that count as one instead, by name: light bodies have others than heavy ones.

    Examples
    --------
    >>> import myodyne as my
    >>> my.Smoothness(of="activations", weight=0.001).scale
    1.0
    """

    kind: Literal["smoothness"] = "smoothness"
    of: Literal["speeds", "activations", "fibres", "all"] = "all"
    scale: Positive = 1.0
    scales: dict[Name, Positive] = Field(default_factory=dict)

    def instant(self, scope: Scope) -> Expression | None:
        import casadi as ca

        a = scope.assembly
        names = a.model.moving
        if self.scales and self.of not in ("speeds", "all"):
            raise ModelError(f"Smoothness: scales are accelerations of coordinates, not rates of {self.of}; use scale")
        for name in self.scales:
            if name not in names:
                raise ModelError(f"Smoothness: {unknown_name('coordinate', name, names)}")
        sizes = ca.DM([self.scales.get(name, self.scale) / self.scale for name in names])
        parts = {"speeds": a.vdot / sizes if self.scales else a.vdot, "fibres": a.sdot, "activations": a.adot}
        rates = ca.vertcat(*parts.values()) if self.of == "all" else parts[self.of]
        if not rates.numel():
            raise ModelError(f"Smoothness: '{a.model.name}' has no {self.of}")
        return ca.sumsqr(rates / self.scale) / rates.numel()


class Squared(Goal):
    """The mean squared deviation of a state or output from a value: ``((value - about) / scale)²``.

    Examples
    --------
    An upright trunk: a tilt of 0.1 rad (6°) costs 0.01.

    >>> import myodyne as my
    >>> my.Squared(of="pelvis_tilt", label="upright").about
    0.0
    """

    kind: Literal["squared"] = "squared"
    of: Name
    about: Number = 0.0
    scale: Positive = 1.0

    def instant(self, scope: Scope) -> Expression | None:
        deviation: SX = (scope[self.of] - self.about) / self.scale
        return deviation**2


class MeanValue(Goal):
    """The mean of a state or output over time, in units of ``scale``: minimised, or maximised with ``maximised``.

    Examples
    --------
    The power (W) that a cyclist gives to the drive of the crank is what the drive takes away:

    >>> import myodyne as my
    >>> my.MeanValue(of="drive.power", scale=100.0).name
    'mean_value'
    """

    kind: Literal["mean_value"] = "mean_value"
    of: Name
    maximised: bool = Field(default=False, strict=True)
    scale: Positive = 1.0

    def instant(self, scope: Scope) -> Expression | None:
        value: SX = scope[self.of] / self.scale
        return -value if self.maximised else value


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
