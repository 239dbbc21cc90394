"""The base of all goals, and goals that are functions of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from myodyne.model import Model, Part
from myodyne.model.part import NonNegative
from myodyne.optimise.expressions import Ends, Expression, Scope, one_expression
from myodyne.types import Floats


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


class Custom(Goal):
    """Any CasADi expression of named quantities, given as a function that returns it.

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
