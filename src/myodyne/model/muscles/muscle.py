"""Muscles: a contractile, a parallel and a series element along a path, as data."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from myodyne.model.muscles.activation import Activation, HeActivation, NoActivation, ThelenActivation
from myodyne.model.muscles.curves import Curves, Millard2012, Tabulated, Thelen2003, VanDenBogert2011
from myodyne.model.part import NonNegative, Part, Positive
from myodyne.model.paths import Path

Fraction = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=1)]
# At 90° fibres of any length would pull across the tendon.
Pennation = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, lt=1.55)]
# Fibres that are held become no steeper than this, a cotangent: OpenSim's default, an angle with the cosine 0.1. Those
# without pennation become no shorter than nothing.
STEEPEST = 0.1 / 0.99**0.5


class Muscle(Part):
    """A muscle with its tendon: a three-element Hill model along a path.

    ``max_force`` (N), ``optimal_fibre_length`` and ``tendon_slack_length`` (m), ``pennation`` (rad, at the optimal
    length), ``max_velocity`` (optimal lengths per second), ``damping`` (maximal forces per optimal length per
    second, of the fibres). A ``rigid`` tendon keeps its slack length. Metabolic power is reckoned from
    ``specific_tension`` (Pa) and the fraction of ``slow_fibres``. A control of the muscle's name excites it.
    The activation state starts from ``default_activation``, not below the minimum of a `ThelenActivation`.

    Examples
    --------
    >>> import myodyne as my
    >>> soleus = my.Muscle(max_force=8000.0, optimal_fibre_length=0.055, tendon_slack_length=0.2356,
    ...                    path=my.FunctionPath(length=my.Linear(coordinate="ankle", slope=-0.05, offset=0.3)))
    >>> soleus.max_velocity
    10.0
    """

    max_force: Positive
    optimal_fibre_length: Positive
    tendon_slack_length: NonNegative
    pennation: Pennation = 0.0
    max_velocity: Positive = 10.0
    damping: NonNegative = 0.0
    tendon: Literal["elastic", "rigid"] = "elastic"
    curves: Curves = VanDenBogert2011()
    activation: Activation = HeActivation()
    slow_fibres: Fraction = 0.5
    specific_tension: Positive = 2.5e5
    default_activation: Fraction = 0.0
    path: Path

    @property
    def elastic(self) -> bool:
        """Whether the length of the fibres is a state of its own."""
        return self.tendon == "elastic"

    @property
    def holds_fibres(self) -> bool:
        """Whether fibres have a least length. OpenSim's have, in muscles of Thelen, Millard and Schutte (by tables).

        Those of others go on smoothly to where no fibre is, which helps searches that begin there.
        """
        return self.elastic and isinstance(self.curves, Thelen2003 | Millard2012 | Tabulated)

    @property
    def activated(self) -> bool:
        """Whether the activation is a state of its own."""
        return not isinstance(self.activation, NoActivation)

    @property
    def starting_activation(self) -> float:
        """The activation state from which a motion starts if nothing else is said."""
        # Below the minimum the fibres of most curves would have no velocity of their own.
        least = self.activation.minimum if isinstance(self.activation, ThelenActivation) else 0.0
        return max(self.default_activation, least)

    @model_validator(mode="after")
    def _tendon_has_length(self) -> Muscle:
        if self.tendon == "elastic" and self.tendon_slack_length == 0:
            raise ValueError("an elastic tendon needs a tendon_slack_length above zero; otherwise use tendon: rigid")
        return self
