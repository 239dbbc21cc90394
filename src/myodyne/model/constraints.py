"""Constraints that are kept in the equations, with multipliers."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from myodyne.model.bodies import Marker, Placement
from myodyne.model.functions import Function
from myodyne.model.part import Direction, Name, Number, Part, Positive, Vector


class PointConstraint(Part):
    """Two points coincide, along the listed axes of the ground.

    Its multipliers are the force (N) that the constraint exerts on ``first``; ``second`` feels the opposite.
    """

    kind: Literal["point"] = "point"
    first: Marker
    second: Marker
    axes: Annotated[str, Field(strict=True, pattern="^x?y?z?$", min_length=1)] = "xyz"


class WeldConstraint(Part):
    """Two frames coincide. Its multipliers are force (N) and moment (N m) on ``first``, in the ground's axes."""

    kind: Literal["weld"] = "weld"
    first: Placement
    second: Placement


class DistanceConstraint(Part):
    """Two points stay ``distance`` (m) apart. Its multiplier is the force (N) that pushes them from each other."""

    kind: Literal["distance"] = "distance"
    first: Marker
    second: Marker
    distance: Positive


class LineConstraint(Part):
    """A point stays on a line of a body: through ``at``, along ``direction``, both in the axes of the body."""

    kind: Literal["line"] = "line"
    point: Marker
    body: Name
    at: Vector = (0.0, 0.0, 0.0)
    direction: Direction


class CouplerConstraint(Part):
    """A coordinate is a function of others. Its multiplier is the generalised force on that coordinate."""

    kind: Literal["coupler"] = "coupler"
    coordinate: Name
    function: Function

    @model_validator(mode="after")
    def _not_of_itself(self) -> CouplerConstraint:
        if self.coordinate in self.function.coordinates:
            raise ValueError(f"coordinate '{self.coordinate}' cannot be coupled to itself")
        return self


class SpeedConstraint(Part):
    """A coordinate moves at a constant ``speed`` (rad/s or m/s), whatever that takes: a driven crank.

    Its multiplier is the generalised force of the drive.
    """

    kind: Literal["speed"] = "speed"
    coordinate: Name
    speed: Number


Constraint = Annotated[
    PointConstraint | WeldConstraint | DistanceConstraint | LineConstraint | CouplerConstraint | SpeedConstraint,
    Field(discriminator="kind"),
]
