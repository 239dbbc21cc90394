"""Goals about the ends of a movement: its duration, mean speed, final values."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from myodyne.errors import ModelError
from myodyne.model.part import Name
from myodyne.optimise.expressions import Ends, Expression
from myodyne.optimise.goals.base import Goal


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
    """The value of a state or output at the end, minimised, or maximised with ``maximised``.

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
    """The height (m) that the centre of mass reaches after the movement ends, maximised: ``height + speed² / 2g``.

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
            raise ModelError(f"FlightHeight: gravity does not pull '{ends.model.name}' down along y")
        rise = ends.end["com.velocity_y"]
        return -(ends.end["com.position_y"] + rise**2 / (2 * downward))
