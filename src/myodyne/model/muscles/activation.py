"""How excitation becomes active state: the kinds of activation dynamics, as data."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from myodyne.model.part import Part, Positive


class HeActivation(Part):
    """``da/dt = (u - a)(c1 u + c2)``, ``c1 + c2 = 1/activation_time``, ``c2 = 1/deactivation_time`` (He et al. 1991).

    Examples
    --------
    >>> import myodyne as my
    >>> my.HeActivation().deactivation_time      # s
    0.05
    """

    kind: Literal["he_1991"] = "he_1991"
    activation_time: Positive = 0.02
    deactivation_time: Positive = 0.05


class DeGrooteActivation(Part):
    """Rise and decay with two time constants (s), joined smoothly by a hyperbolic tangent (De Groote et al. 2016).

    Examples
    --------
    >>> import myodyne as my
    >>> my.DeGrooteActivation().smoothness
    10.0
    """

    kind: Literal["degroote_2016"] = "degroote_2016"
    activation_time: Positive = 0.015
    deactivation_time: Positive = 0.06
    smoothness: Positive = 10.0


class ThelenActivation(Part):
    """Rise slows and decay quickens with activation (Thelen 2003).

    The time constants (s) are ``activation_time (0.5 + 1.5 a)`` and ``deactivation_time / (0.5 + 1.5 a)``. Excitation
    below ``minimum`` counts as ``minimum``, so that activation does not fall below it.

    Examples
    --------
    >>> import myodyne as my
    >>> my.ThelenActivation().activation_time      # s
    0.015
    """

    kind: Literal["thelen_2003"] = "thelen_2003"
    activation_time: Positive = 0.015
    deactivation_time: Positive = 0.05
    minimum: Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, lt=1)] = 0.01


class HatzeActivation(Part):
    """Free calcium γ follows the excitation, ``dγ/dt = rate (calcium u - γ)``; the active state q follows γ and length.

    ``q = (rest + (rho γ)^n) / (1 + (rho γ)^n)`` with the ``exponent`` n and, for a fibre of l optimal lengths,
    ``rho = sensitivity (length_constant - 1) l / (length_constant - l)`` (Hatze 1977, as van Soest and Bobbert 1993
    use it). The state is γ / calcium, a number between 0 and 1.

    Examples
    --------
    >>> import myodyne as my
    >>> my.HatzeActivation().rate      # 1/s
    11.25
    """

    kind: Literal["hatze_1977"] = "hatze_1977"
    rate: Positive = 11.25
    calcium: Positive = 1.373e-4
    sensitivity: Positive = 52700.0
    exponent: Positive = 3.0
    rest: Positive = 0.005
    length_constant: Positive = 2.9


class NoActivation(Part):
    """The active state is the excitation itself: no state, no delay.

    Examples
    --------
    >>> import myodyne as my
    >>> my.NoActivation().kind
    'none'
    """

    kind: Literal["none"] = "none"


Activation = Annotated[
    HeActivation | DeGrooteActivation | ThelenActivation | HatzeActivation | NoActivation,
    Field(discriminator="kind"),
]
