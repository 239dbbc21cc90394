"""Constraints: kept in the equations with multipliers, or met by coordinates that follow the others."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from myodyne.model.bodies import Marker, Placement
from myodyne.model.functions import Function, PiecewiseLinear, Product
from myodyne.model.part import Direction, Name, Number, Part, Positive, Vector

Way = Literal["multipliers", "projection", "differences", "fit"]


class Loop(Part):
    """How a constraint is met: kept ``by`` multipliers, or embedded: by the coordinates that it ``solves``.

    Coordinates that are solved are coupled ones. Their functions are a first guess, which the equations refine;
    slopes and curvatures follow by analytical projection or by differences. With ``"fit"`` the functions are taken
    as they are, and the constraint records what they were fitted to. `embed` writes both fields.

    Examples
    --------
    A linkage whose loop turns two of its angles with the third:

    >>> import myodyne as my
    >>> loop = my.PointConstraint(
    ...     first=my.Marker(body="coupler", at=(4, 0, 0)), second=my.Marker(body="rocker", at=(3, 0, 0)), axes="xy",
    ...     by="projection", solves=("middle", "follower"))
    >>> loop.by
    'projection'
    """

    by: Way = "multipliers"
    solves: tuple[Name, ...] = ()

    @model_validator(mode="after")
    def _solves_if_embedded(self) -> Loop:
        if self.by == "multipliers" and self.solves:
            raise ValueError(
                f"met by multipliers, a constraint solves no coordinates; set 'by' ({_WAYS}) or leave out 'solves'"
            )
        if self.by != "multipliers" and not self.solves:
            raise ValueError(
                f"met by {self.by}, a constraint must name the coordinates that it 'solves', one for each "
                "of its rows (`embed` does); or keep it by multipliers"
            )
        if len(set(self.solves)) != len(self.solves):
            raise ValueError("a coordinate is listed twice in 'solves'")
        return self


_WAYS = "'projection', 'differences' or 'fit'"


class PointConstraint(Loop):
    """Two points coincide, along the listed axes of the ground.

    Its multipliers are the force (N) that the constraint exerts on ``first``; ``second`` feels the opposite.

    Examples
    --------
    The toe stays where it is in the plane (m, in the axes of each body):

    >>> import myodyne as my
    >>> stance = my.PointConstraint(
    ...     first=my.Marker(body="foot", at=(0.15, -0.02, 0.0)), second=my.Marker(body="ground"), axes="xy")
    >>> stance.axes
    'xy'
    """

    kind: Literal["point"] = "point"
    first: Marker
    second: Marker
    axes: Annotated[str, Field(strict=True, pattern="^x?y?z?$", min_length=1)] = "xyz"


class WeldConstraint(Loop):
    """Two frames coincide. Its multipliers are force (N) and moment (N m) on ``first``, in the ground's axes.

    Examples
    --------
    A hand holds a bar, 0.1 m from its middle:

    >>> import myodyne as my
    >>> grip = my.WeldConstraint(
    ...     first=my.Placement(body="hand_r"), second=my.Placement(body="bar", at=(0.0, 0.0, 0.1)))
    >>> grip.second.body
    'bar'
    """

    kind: Literal["weld"] = "weld"
    first: Placement
    second: Placement


class DistanceConstraint(Loop):
    """Two points stay ``distance`` (m) apart. Its multiplier is the force (N) that pushes them from each other.

    Examples
    --------
    A massless rod of 0.3 m between two bodies:

    >>> import myodyne as my
    >>> rod = my.DistanceConstraint(first=my.Marker(body="crank"), second=my.Marker(body="piston"), distance=0.3)
    >>> rod.distance
    0.3
    """

    kind: Literal["distance"] = "distance"
    first: Marker
    second: Marker
    distance: Positive


class LineConstraint(Loop):
    """A point stays on a line of a body: through ``at``, along ``direction``, both in the axes of the body.

    Examples
    --------
    A bead stays on a wire along the x axis of the ground, 1 m above the origin:

    >>> import myodyne as my
    >>> wire = my.LineConstraint(point=my.Marker(body="bead"), body="ground", at=(0.0, 1.0, 0.0), direction="x")
    >>> wire.direction
    (1.0, 0.0, 0.0)
    """

    kind: Literal["line"] = "line"
    point: Marker
    body: Name
    at: Vector = (0.0, 0.0, 0.0)
    direction: Direction


class CouplerConstraint(Loop):
    """A coordinate is a function of others. Its multiplier is the generalised force on that coordinate.

    Examples
    --------
    The shoulder blade turns by half of the arm's angle (rad):

    >>> import myodyne as my
    >>> rhythm = my.CouplerConstraint(
    ...     coordinate="scapula", function=my.Linear(coordinate="elevation", slope=0.5))
    >>> rhythm.function.coordinates
    ('elevation',)
    """

    kind: Literal["coupler"] = "coupler"
    coordinate: Name
    function: Function

    @model_validator(mode="after")
    def _not_of_itself(self) -> CouplerConstraint:
        if self.coordinate in self.function.coordinates:
            raise ValueError(f"coordinate '{self.coordinate}' cannot be coupled to itself")
        return self


class SpeedConstraint(Part):
    """A coordinate moves at a constant ``speed`` (rad/s or m/s), whatever force that takes: a driven crank.

    Its multiplier is the generalised force of the drive.

    Examples
    --------
    A crank at 90 revolutions a minute, clockwise:

    >>> import myodyne as my
    >>> drive = my.SpeedConstraint(coordinate="crank", speed=my.degrees(-90 * 360 / 60))
    >>> round(drive.speed, 4)      # rad/s
    -9.4248
    """

    # A speed closes no loop: it can only be kept.
    by: ClassVar[Way] = "multipliers"
    solves: ClassVar[tuple[str, ...]] = ()
    kind: Literal["speed"] = "speed"
    coordinate: Name
    speed: Number


class MotionConstraint(Part):
    """A coordinate is a function of time, whatever force that takes: a shaking platform, a motor that follows a record.

    The function is one of ``time`` (s). The multiplier is the generalised force of the drive.

    Examples
    --------
    A pivot that swings by 0.1 m, twice a second:

    >>> import myodyne as my
    >>> shaking = my.MotionConstraint(
    ...     coordinate="pivot", function=my.Fourier(coordinate="time", period=0.5, sines=(0.1,)))
    >>> shaking.function.coordinates
    ('time',)
    """

    # Time closes no loop: a motion can only be kept.
    by: ClassVar[Way] = "multipliers"
    solves: ClassVar[tuple[str, ...]] = ()
    kind: Literal["motion"] = "motion"
    coordinate: Name
    function: Function

    @model_validator(mode="after")
    def _of_time_alone(self) -> MotionConstraint:
        others = [name for name in self.function.coordinates if name != TIME]
        if others:
            raise ValueError(f"a motion is a function of '{TIME}', not of '{others[0]}'; a coupler follows coordinates")
        if has_corners(self.function):
            raise ValueError("a piecewise linear motion has jumps in speed, which take infinite force; use a spline")
        return self


class RollingConstraint(Part):
    """A circular arc of a body rolls on a plane of the ground without slip: the curved foot of Selbie (1989).

    The arc has its centre ``at`` a point of the body (m, in its axes) and a ``radius`` (m). It turns about ``axis``;
    its ground is where ``normal`` times position is ``level`` (m): the floor y = 0 unless given. The contact lies
    below the centre. Rolling forwards (clockwise about z) by an angle moves centre and contact forwards by radius times
    angle, so that the place of the centre along the floor plus ``radius`` times the turn of the body, summed over its
    joints (rad, counter-clockwise), is constant: the ``anchor`` (m), the place of the contact where that turn is zero.
    The body must not turn about other axes, nor move along ``axis``.

    The multipliers are the ``normal_force`` (N) and the ``tangential_force`` (N) of the ground on the body, the
    latter along ``normal`` x ``axis`` (forwards). Outputs: both, ``force_x`` to ``force_z``, the place of the contact
    ``contact_x`` to ``contact_z`` (m) and ``friction_ratio``. Nothing lets go by itself: watch
    ``falls_through_zero("roll.normal_force")`` or ``crosses("roll.friction_ratio", 0.8)``.

    Examples
    --------
    A foot that rolls over an arc of 0.3 m about a point above its ankle:

    >>> import myodyne as my
    >>> roll = my.RollingConstraint(body="foot", at=(0.05, 0.21, 0.0), radius=0.3)
    >>> roll.normal, roll.anchor
    ((0.0, 1.0, 0.0), 0.0)
    """

    # An angle that counts turns has no nearest solution: the constraint can only be kept.
    by: ClassVar[Way] = "multipliers"
    solves: ClassVar[tuple[str, ...]] = ()
    kind: Literal["rolling"] = "rolling"
    body: Name
    at: Vector = (0.0, 0.0, 0.0)
    radius: Positive
    anchor: Number = 0.0
    axis: Direction = (0.0, 0.0, 1.0)
    normal: Direction = (0.0, 1.0, 0.0)
    level: Number = 0.0

    @model_validator(mode="after")
    def _rolls_in_the_plane(self) -> RollingConstraint:
        along = sum(a * b for a, b in zip(self.axis, self.normal, strict=True))
        if abs(along) > 1e-9:
            raise ValueError(f"the axis of an arc must lie in the plane it rolls on; here axis · normal is {along:.3g}")
        return self


# What the functions of a motion call their variable (s).
TIME = "time"


def has_corners(function: Function) -> bool:
    """Return whether the slope of a function jumps."""
    if isinstance(function, Product):
        return any(has_corners(factor) for factor in function.factors)
    return isinstance(function, PiecewiseLinear) and len(function.x) > 2


Constraint = Annotated[
    PointConstraint
    | WeldConstraint
    | DistanceConstraint
    | LineConstraint
    | CouplerConstraint
    | SpeedConstraint
    | MotionConstraint
    | RollingConstraint,
    Field(discriminator="kind"),
]
