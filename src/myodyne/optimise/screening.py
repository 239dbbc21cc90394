"""How the starts of a problem are compared before the best of them are solved."""

from __future__ import annotations

from typing import Any

from pydantic import Field, field_serializer, field_validator

from myodyne.model import Part
from myodyne.numerics.collocation import Transcription
from myodyne.numerics.schemes import BackwardEuler
from myodyne.optimise.schemes import plain_scheme, scheme_from_plain


class Screening(Part):
    """A cheap comparison of many starts: all on a coarse mesh, then the best few on the problem's own.

    On the coarse mesh every start solves the first problem of the continuation, roughly. Those with the smallest
    objectives go on from there, through the rest of the continuation; starts that ended in the same minimum count
    once.

    Parameters
    ----------
    scheme, nodes
        Of the coarse mesh. Backward Euler damps what Midpoint lets alternate, and costs a third of Radau's method.
    keep
        How many different minima go on.

    Examples
    --------
    >>> import myodyne as my
    >>> my.Screening(nodes=21).keep
    2
    """

    scheme: Any = BackwardEuler()
    nodes: int = Field(default=31, ge=2, le=100_000, strict=True)
    keep: int = Field(default=2, ge=1, le=1000, strict=True)

    @field_validator("scheme", mode="before")
    @classmethod
    def _known_scheme(cls, value: object) -> Transcription:
        return scheme_from_plain(value)

    @field_serializer("scheme")
    def _plain_scheme(self, scheme: Transcription) -> dict[str, Any]:
        return plain_scheme(scheme)
