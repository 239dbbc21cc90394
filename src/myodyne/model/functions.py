"""Functions of coordinates: how an axis of a joint moves."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from myodyne.model.part import Name, Number, Part, Positive


class Constant(Part):
    """``f = value``: an axis that does not move.

    Examples
    --------
    >>> import myodyne as my
    >>> my.Constant(value=0.02).coordinates      # 0.02 rad or m, moved by nothing
    ()
    """

    kind: Literal["constant"] = "constant"
    value: Number = 0.0

    @property
    def coordinates(self) -> tuple[str, ...]:
        return ()


class Linear(Part):
    """``f = offset + slope * q``.

    Examples
    --------
    Half of the flexion (rad), and 0.1 rad more:

    >>> import myodyne as my
    >>> my.Linear(coordinate="flexion", slope=0.5, offset=0.1).coordinates
    ('flexion',)
    """

    kind: Literal["linear"] = "linear"
    coordinate: Name
    slope: Number = 1.0
    offset: Number = 0.0

    @property
    def coordinates(self) -> tuple[str, ...]:
        return (self.coordinate,)


class Term(Part):
    """One term ``coefficient * q1**n1 * q2**n2 ...`` of a polynomial.

    Examples
    --------
    ``0.3 * q1 * q2**2``, in rad or m as the axis that it moves:

    >>> import myodyne as my
    >>> my.Term(coefficient=0.3, powers=(1, 2)).powers
    (1, 2)
    """

    coefficient: Number
    powers: tuple[Annotated[int, Field(strict=True, ge=0, le=20)], ...]


class Polynomial(Part):
    """A polynomial in one or several coordinates; ``powers`` of each term follow the order of ``of``.

    Examples
    --------
    ``0.1 + 0.3 * elevation * plane`` (rad):

    >>> import myodyne as my
    >>> glide = my.Polynomial(of=("elevation", "plane"), terms=(
    ...     my.Term(coefficient=0.1, powers=(0, 0)), my.Term(coefficient=0.3, powers=(1, 1))))
    >>> glide.coordinates
    ('elevation', 'plane')
    """

    kind: Literal["polynomial"] = "polynomial"
    of: tuple[Name, ...] = Field(min_length=1)
    terms: tuple[Term, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _powers_match(self) -> Polynomial:
        if len(set(self.of)) != len(self.of):
            raise ValueError("a coordinate is listed twice in 'of'")
        for number, term in enumerate(self.terms):
            if len(term.powers) != len(self.of):
                raise ValueError(f"term {number} has {len(term.powers)} powers for {len(self.of)} coordinates")
        return self

    @property
    def coordinates(self) -> tuple[str, ...]:
        return self.of


class Spline(Part):
    """A cubic spline through ``(x, y)``, straight beyond its ends.

    ``ends`` says how it bends there: not at all (natural), or with the third derivative of the cubic through the four
    nearest points (Forsythe, Malcolm and Moler 1977), which is what OpenSim's SimmSpline does.

    Examples
    --------
    A shank that slides 4 mm forwards while the knee bends by 2 rad:

    >>> import myodyne as my
    >>> roll = my.Spline(coordinate="knee", x=(-2.0, -1.0, 0.0), y=(0.004, 0.003, 0.0))
    >>> roll.coordinates
    ('knee',)
    """

    kind: Literal["spline"] = "spline"
    coordinate: Name
    x: tuple[Number, ...] = Field(min_length=2)
    y: tuple[Number, ...] = Field(min_length=2)
    ends: Literal["natural", "cubic"] = "natural"

    @model_validator(mode="after")
    def _knots_increase(self) -> Spline:
        check_knots("spline", self.x, self.y)
        return self

    @property
    def coordinates(self) -> tuple[str, ...]:
        return (self.coordinate,)


class PiecewiseLinear(Part):
    """Straight pieces from point ``(x, y)`` to point, the first and the last extended without end.

    Its slope jumps at the points; a `Spline` is kinder to every solver.

    Examples
    --------
    >>> import myodyne as my
    >>> my.PiecewiseLinear(coordinate="elevation", x=(0.0, 1.0, 2.0), y=(0.0, 0.1, 0.5)).coordinates
    ('elevation',)
    """

    kind: Literal["piecewise_linear"] = "piecewise_linear"
    coordinate: Name
    x: tuple[Number, ...] = Field(min_length=2)
    y: tuple[Number, ...] = Field(min_length=2)

    @model_validator(mode="after")
    def _knots_increase(self) -> PiecewiseLinear:
        check_knots("piecewise linear function", self.x, self.y)
        return self

    @property
    def coordinates(self) -> tuple[str, ...]:
        return (self.coordinate,)


def check_knots(what: str, x: tuple[float, ...], y: tuple[float, ...]) -> None:
    """Raise a ValueError unless there are as many ordinates as increasing abscissae."""
    if len(x) != len(y):
        raise ValueError(f"a {what} needs as many x as y, not {len(x)} and {len(y)}")
    for left, right in pairwise(x):
        if not right > left:
            raise ValueError(f"the x of a {what} must increase, but {right} follows {left}")


class Fourier(Part):
    """``f = mean + slope q + sum_k cosines[k] cos((k+1) w q) + sines[k] sin((k+1) w q)`` with ``w = 2 pi / period``.

    The slope lets an angle wind up while it repeats itself: a rocker that follows a turning crank.

    Examples
    --------
    A rocker that swings by 0.3 rad, once for each turn of the crank (rad):

    >>> import myodyne as my
    >>> rocker = my.Fourier(coordinate="crank", period=my.degrees(360), mean=1.2, cosines=(0.3,))
    >>> rocker.slope
    0.0
    """

    kind: Literal["fourier"] = "fourier"
    coordinate: Name
    period: Positive
    mean: Number = 0.0
    slope: Number = 0.0
    cosines: tuple[Number, ...] = ()
    sines: tuple[Number, ...] = ()

    @property
    def coordinates(self) -> tuple[str, ...]:
        return (self.coordinate,)


class Arc(Part):
    """Where the end of an arc of constant curvature lies along one axis: a stretch of spine that bends.

    An arc of ``length`` (m) leaves its foot along y. Its end is turned by two angles about x and then about the new z,
    which are the coordinates of ``of`` plus their ``neutral`` angles (rad). With θ the angle between its two ends,
    ``cos θ = cos a cos b``, the end is at ``length sin θ / θ`` along y, ``-length sin b tan(θ/2) / θ`` along x and
    ``length sin a cos b tan(θ/2) / θ`` along z. Defined while θ is less than half a turn.

    Examples
    --------
    Upwards, the end of a straight spine of 0.4 m that bends forwards and sideways:

    >>> import myodyne as my
    >>> my.Arc(of=("forwards", "sideways"), length=0.4, along="y").coordinates
    ('forwards', 'sideways')
    """

    kind: Literal["arc"] = "arc"
    of: tuple[Name, Name]
    neutral: tuple[Number, Number] = (0.0, 0.0)
    length: Number
    along: Literal["x", "y", "z"]

    @property
    def coordinates(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.of))


class Product(Part):
    """The product of other functions.

    Examples
    --------
    ``elevation * 0.2 * rotation`` (rad); a name stands for the coordinate, a number for a constant:

    >>> import myodyne as my
    >>> my.Product(factors=("elevation", 0.2, "rotation")).coordinates
    ('elevation', 'rotation')
    """

    kind: Literal["product"] = "product"
    factors: tuple[Function, ...] = Field(min_length=1)

    @property
    def coordinates(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for factor in self.factors for name in factor.coordinates))


def from_shorthand(value: object) -> object:
    """A bare name means that coordinate itself, a bare number a constant."""
    if isinstance(value, str):
        return {"kind": "linear", "coordinate": value}
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return {"kind": "constant", "value": value}
    return value


Function = Annotated[
    Annotated[
        Constant | Linear | Polynomial | Spline | PiecewiseLinear | Fourier | Arc | Product, Field(discriminator="kind")
    ],
    BeforeValidator(from_shorthand),
]
Product.model_rebuild()
