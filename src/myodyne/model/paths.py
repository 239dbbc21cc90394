"""Paths: the way a muscle or ligament runs over the bodies. A path supplies its length, nothing else."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from myodyne.model.functions import Function
from myodyne.model.part import Name, Number, Part, Vector
from myodyne.model.surfaces import Wrap


class PathPoint(Part):
    """A point of a path, fixed to a body.

    Examples
    --------
    >>> import myodyne as my
    >>> my.PathPoint(body="shank", at=(0.05, -0.04, 0.0)).at      # m, in the axes of the shank
    (0.05, -0.04, 0.0)
    """

    kind: Literal["fixed"] = "fixed"
    body: Name
    at: Vector


class MovingPoint(Part):
    """A point of a path whose position on its body (m) is a function of the coordinates.

    With a ``range`` (rad or m) it moves with its one coordinate only within that, and stays beyond where it is at the
    nearer end, as OpenSim's points do at the ends of the range of their coordinate.

    Examples
    --------
    The kneecap's tendon, which slides forwards as the knee bends:

    >>> import myodyne as my
    >>> forwards = my.Linear(coordinate="knee", slope=-0.004, offset=0.05)
    >>> my.MovingPoint(body="shank", at=(forwards, -0.04, 0.0)).coordinates
    ('knee',)
    """

    kind: Literal["moving"] = "moving"
    body: Name
    at: tuple[Function, Function, Function]
    range: tuple[Number, Number] | None = None

    @model_validator(mode="after")
    def _range_rises(self) -> MovingPoint:
        if self.range is not None and not self.range[0] < self.range[1]:
            raise ValueError(f"the range {list(self.range)} is empty or inverted")
        if self.range is not None and len(self.coordinates) != 1:
            raise ValueError(f"a moving point with a range is moved by one coordinate, not by {len(self.coordinates)}")
        return self

    @property
    def coordinates(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for function in self.at for name in function.coordinates))


class ConditionalPoint(Part):
    """A point that the path touches only while a coordinate lies in a range (rad or m).

    Where the point comes into play the length jumps unless the point lies on the straight line there.

    Examples
    --------
    >>> import myodyne as my
    >>> my.ConditionalPoint(body="thigh", at=(0.0, -0.4, 0.0), coordinate="knee", range=(-2.4, -1.2)).coordinates
    ('knee',)
    """

    kind: Literal["conditional"] = "conditional"
    body: Name
    at: Vector
    coordinate: Name
    range: tuple[Number, Number]

    @model_validator(mode="after")
    def _range_rises(self) -> ConditionalPoint:
        if not self.range[0] < self.range[1]:
            raise ValueError(f"the range {list(self.range)} is empty or inverted")
        return self

    @property
    def coordinates(self) -> tuple[str, ...]:
        return (self.coordinate,)


def _from_pair(value: object) -> object:
    """``[thigh, [0.03, -0.2, 0]]`` is a fixed point."""
    if isinstance(value, list | tuple) and len(value) == 2 and isinstance(value[0], str):
        return {"kind": "fixed", "body": value[0], "at": value[1]}
    if isinstance(value, dict) and "kind" not in value:
        return {"kind": "fixed", **value}
    if isinstance(value, str | list | tuple):
        raise ValueError("a point of a path is [body, [x, y, z]], or a table of fields with 'body' and 'at'")
    return value


PointOfPath = Annotated[
    Annotated[PathPoint | MovingPoint | ConditionalPoint, Field(discriminator="kind")], BeforeValidator(_from_pair)
]


PointShown = Annotated[PathPoint, BeforeValidator(_from_pair)]


class PointPath(Part):
    """A path of straight pieces from point to point, from origin to insertion, that may wrap over surfaces.

    Examples
    --------
    >>> import myodyne as my
    >>> path = my.PointPath(points=(("thigh", (0.03, -0.2, 0.0)), ("shank", (0.05, -0.04, 0.0))))
    >>> path.points[1].body
    'shank'
    """

    kind: Literal["points"] = "points"
    points: tuple[PointOfPath, ...] = Field(min_length=2)
    wraps: tuple[Wrap, ...] = ()

    @model_validator(mode="after")
    def _ends_stay(self) -> PointPath:
        for place, point in (("first", self.points[0]), ("last", self.points[-1])):
            if isinstance(point, ConditionalPoint):
                raise ValueError(f"the {place} point of a path cannot be conditional: the path would lose its end")
        return self

    @model_validator(mode="after")
    def _wraps_between_points(self) -> PointPath:
        for wrap in self.wraps:
            farthest = max(wrap.first or 1, wrap.last or 1)
            if farthest > len(self.points):
                raise ValueError(f"the wrap over '{wrap.surface}' names point {farthest} of {len(self.points)}")
        return self


class FunctionPath(Part):
    """A path whose length (m) is a function of the coordinates: a fitted polynomial, or constant moment arms.

    ``shown`` are points that a picture draws it along; they enter no equation, and models that differ in them alone
    have the same ``hash``.

    Examples
    --------
    A calf muscle of 0.3 m with a moment arm of 5 cm at the ankle (moment arm = -dL/dq):

    >>> import myodyne as my
    >>> my.FunctionPath(length=my.Linear(coordinate="ankle", slope=-0.05, offset=0.3)).length.slope
    -0.05
    """

    kind: Literal["function"] = "function"
    length: Function
    shown: tuple[PointShown, ...] = ()

    @model_validator(mode="after")
    def _line_or_nothing(self) -> FunctionPath:
        if len(self.shown) == 1:
            raise ValueError("shown: a line needs two points or more")
        return self


def _path_from_shorthand(value: object) -> object:
    """A path with ``points`` is one of points, a path with ``length`` a function: files need no ``kind``."""
    if isinstance(value, dict) and "kind" not in value:
        if ("points" in value) == ("length" in value):
            raise ValueError("a path has 'points', or a 'length' that is a function of coordinates: one of them")
        return {"kind": "points" if "points" in value else "function", **value}
    if isinstance(value, str | list | tuple):
        raise ValueError("a path is written {points: [[body, [x, y, z]], ...]} or {length: <function>}")
    return value


Path = Annotated[
    Annotated[PointPath | FunctionPath, Field(discriminator="kind")], BeforeValidator(_path_from_shorthand)
]
