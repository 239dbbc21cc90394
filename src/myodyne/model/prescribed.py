"""Controls as functions of time that come with a model."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from myodyne.model.functions import (
    Arc,
    Constant,
    Fourier,
    Linear,
    PiecewiseLinear,
    Polynomial,
    Product,
    Spline,
    check_knots,
    from_shorthand,
)
from myodyne.model.part import Number, Part


class Steps(Part):
    """A control in steps: each of the values ``y`` holds from its time ``x`` (s) to the next, the first also before it.

    Examples
    --------
    >>> import myodyne as my
    >>> my.Steps(x=(0.0, 0.1, 0.3), y=(0.0, 1.0, 0.2)).coordinates
    ('time',)
    """

    kind: Literal["steps"] = "steps"
    x: tuple[Number, ...] = Field(min_length=1)
    y: tuple[Number, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _times_increase(self) -> Steps:
        check_knots("control in steps", self.x, self.y)
        return self

    @property
    def coordinates(self) -> tuple[str, ...]:
        return ("time",)


ControlFunction = Annotated[
    Annotated[
        Constant | Linear | Polynomial | Spline | PiecewiseLinear | Fourier | Arc | Product | Steps,
        Field(discriminator="kind"),
    ],
    BeforeValidator(from_shorthand),
]
