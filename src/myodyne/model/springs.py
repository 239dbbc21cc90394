"""Elastic parts as OpenSim has them: limits of coordinates, bushings, springs and ligaments along paths."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from myodyne.model.bodies import Placement
from myodyne.model.functions import Constant, Function, PiecewiseLinear, Product, Spline
from myodyne.model.part import Name, NonNegative, Number, Part, Positive
from myodyne.model.paths import Path

NonNegatives = tuple[NonNegative, NonNegative, NonNegative]
_NONE = (0.0, 0.0, 0.0)


class CoordinateLimit(Part):
    """A spring and damper that hold a coordinate inside its limits, as OpenSim's CoordinateLimitForce does.

    Beyond a limit, by a way d, the torque (N m, or N) is ``stiffness * S * d`` back and ``damping * S * speed``
    against the motion. S = 10 x³ - 15 x⁴ + 6 x⁵ with x = d / ``transition`` rises from 0 at the limit to 1 where the
    transition ends. `JointLimit` sets in before the limit, this one behind it.

    Examples
    --------
    >>> import myodyne as my
    >>> limit = my.CoordinateLimit(coordinate="knee", lower=my.degrees(-140), upper=0.0, lower_stiffness=115.0,
    ...                            upper_stiffness=230.0, damping=2.0, transition=my.degrees(10))
    >>> limit.upper_stiffness      # N m/rad
    230.0
    """

    controlled: ClassVar[bool] = False
    kind: Literal["coordinate_limit"] = "coordinate_limit"
    coordinate: Name
    lower: Number
    upper: Number
    lower_stiffness: NonNegative
    upper_stiffness: NonNegative
    damping: NonNegative = 0.0
    transition: Positive

    @model_validator(mode="after")
    def _limits_in_order(self) -> CoordinateLimit:
        if not self.lower <= self.upper:
            raise ValueError(f"lower {self.lower:g} must not lie above upper {self.upper:g}")
        return self


class Bushing(Part):
    """A spring and damper in all six directions between two frames, as OpenSim's BushingForce is.

    The deviation of the ``second`` frame from the ``first`` is three angles (rad; turns about its own x, its new y and
    its new z) and three shifts (m, along the axes of the first). Each deviation has its stiffness
    (N m/rad, N/m) and its damping (N m s/rad, N s/m). At a second angle of ±90° the angles are not defined.

    Examples
    --------
    A disc between two vertebrae:

    >>> import myodyne as my
    >>> disc = my.Bushing(first=my.Placement(body="sacrum", at=(0.0, 0.03, 0.0)), second=my.Placement(body="lumbar5"),
    ...                   rotational_stiffness=(90.0, 60.0, 80.0), translational_stiffness=(1e5, 8e5, 1e5))
    >>> disc.rotational_damping
    (0.0, 0.0, 0.0)
    """

    controlled: ClassVar[bool] = False
    kind: Literal["bushing"] = "bushing"
    first: Placement
    second: Placement
    rotational_stiffness: NonNegatives = _NONE
    translational_stiffness: NonNegatives = _NONE
    rotational_damping: NonNegatives = _NONE
    translational_damping: NonNegatives = _NONE


class PathSpring(Part):
    """A spring along a path that pulls when it is stretched, as OpenSim's PathSpring does.

    Tension (N) = ``stiffness * stretch * (1 + dissipation * lengthening speed)``, with the stretch (m) beyond
    ``rest_length``; nothing when it is shorter. ``dissipation`` is in s/m.

    Examples
    --------
    >>> import myodyne as my
    >>> path = my.PointPath(points=(("thigh", (0.03, -0.2, 0.0)), ("shank", (0.05, -0.04, 0.0))))
    >>> my.PathSpring(path=path, rest_length=0.25, stiffness=4000.0).dissipation
    0.0
    """

    controlled: ClassVar[bool] = False
    kind: Literal["path_spring"] = "path_spring"
    path: Path
    rest_length: NonNegative
    stiffness: NonNegative
    dissipation: NonNegative = 0.0


class CurveLigament(Part):
    """A ligament whose tension is a tabulated curve of its length, as OpenSim's Ligament has it.

    Tension (N) = ``scale`` times the ``curve`` of the length divided by ``slack_length`` (m), nothing when it is
    shorter than that. The curve is a function of ``length``, the name of that ratio here. The `Ligament` needs no
    table and is smooth.

    Examples
    --------
    >>> import myodyne as my
    >>> path = my.PointPath(points=(("thigh", (0.03, -0.2, 0.0)), ("shank", (0.05, -0.04, 0.0))))
    >>> curve = my.Spline(coordinate="length", x=(1.0, 1.1, 1.2, 1.3), y=(0.0, 0.035, 0.12, 0.26), ends="cubic")
    >>> my.CurveLigament(path=path, slack_length=0.2, scale=1500.0, curve=curve).scale
    1500.0
    """

    controlled: ClassVar[bool] = False
    kind: Literal["curve_ligament"] = "curve_ligament"
    path: Path
    slack_length: Positive
    scale: NonNegative
    curve: Annotated[Spline | PiecewiseLinear, Field(discriminator="kind")]

    @model_validator(mode="after")
    def _of_its_length(self) -> CurveLigament:
        if self.curve.coordinate != "length":
            raise ValueError(
                f"the curve of a ligament is a function of 'length', the length divided by the slack length, "
                f"not of '{self.curve.coordinate}'"
            )
        return self


class BlankevoortLigament(Part):
    """A ligament by its strain, with a quadratic toe and then a straight line (Blankevoort and Huiskes 1991).

    The strain e is the length over ``slack_length`` (m), less one. The elastic tension (N) is
    ``stiffness * e² / (2 transition_strain)`` up to the ``transition_strain``, and ``stiffness * (e -
    transition_strain / 2)`` beyond it, with the ``stiffness`` in N per strain. While it lengthens, ``damping`` (N s)
    times the rate of strain is added, which sets in over the first hundredth of strain. As OpenSim's
    Blankevoort1991Ligament.

    Examples
    --------
    >>> import myodyne as my
    >>> path = my.PointPath(points=(("thigh", (0.03, -0.2, 0.0)), ("shank", (0.05, -0.04, 0.0))))
    >>> my.BlankevoortLigament(path=path, slack_length=0.06, stiffness=2700.0).transition_strain
    0.06
    """

    controlled: ClassVar[bool] = False
    kind: Literal["blankevoort_ligament"] = "blankevoort_ligament"
    path: Path
    slack_length: Positive
    stiffness: NonNegative
    transition_strain: Positive = 0.06
    damping: NonNegative = 0.003


_Resistances = tuple[Function, Function, Function]
_FREE = (Constant(), Constant(), Constant())


class CurveBushing(Part):
    """A `Bushing` whose resistance is a curve in each direction, as OpenSim's FunctionBasedBushingForce has it.

    Three ``torques`` (N m) and three ``forces`` (N) are functions of their own ``deviation`` (rad, m) of the second
    frame from the first, and act against it. Damping (N m s/rad, N s/m) is added.

    Examples
    --------
    >>> import myodyne as my
    >>> stiffer = my.Polynomial(of=("deviation",), terms=(my.Term(coefficient=90.0, powers=(3,)),))
    >>> disc = my.CurveBushing(first=my.Placement(body="sacrum"), second=my.Placement(body="lumbar5"),
    ...                        torques=(stiffer, my.Constant(), my.Linear(coordinate="deviation", slope=80.0)))
    >>> disc.forces[0].value
    0.0
    """

    controlled: ClassVar[bool] = False
    kind: Literal["curve_bushing"] = "curve_bushing"
    first: Placement
    second: Placement
    torques: _Resistances = _FREE
    forces: _Resistances = _FREE
    rotational_damping: NonNegatives = _NONE
    translational_damping: NonNegatives = _NONE

    @model_validator(mode="after")
    def _of_their_deviation(self) -> CurveBushing:
        for function in (*self.torques, *self.forces):
            others = [name for name in function.coordinates if name != "deviation"]
            if others:
                raise ValueError(f"a curve of a bushing is a function of 'deviation', not of '{others[0]}'")
            if isinstance(function, Product):
                raise ValueError("a curve of a bushing cannot be a product, whose energy has no closed form")
        return self


class ExponentialTerm(Part):
    """A term of a `PassiveMoment` (N m): ``size * exp(rate * (q - at) + Σ others[c] * c)``.

    ``rate`` and those of ``others``, coordinates by name, are in 1/rad, ``at`` in rad.

    Examples
    --------
    >>> import myodyne as my
    >>> my.ExponentialTerm(size=-2.0, rate=38.1, at=0.52).others
    {}
    """

    size: Number
    rate: Number
    at: Number = 0.0
    others: dict[Name, Number] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _depends_on_its_coordinate(self) -> ExponentialTerm:
        if self.rate == 0 and not self.others:
            raise ValueError("a term that depends on no coordinate is a constant: add it to the constant instead")
        return self


class PassiveMoment(Part):
    """The passive moment of a joint, of ligaments and muscles at rest: a sum of exponentials (N m, or N).

    The moment on the coordinate is ``constant + Σ terms - damping * speed``. Terms of the coordinate alone store
    energy; those that depend on other joints too, as muscles across two joints do, have power but no energy.

    Examples
    --------
    A knee that resists both its stops:

    >>> import myodyne as my
    >>> straight = my.ExponentialTerm(size=-6.09, rate=33.94, at=0.13)
    >>> bent = my.ExponentialTerm(size=11.03, rate=-11.33, at=-2.4)
    >>> my.PassiveMoment(coordinate="knee", terms=(straight, bent), damping=0.1).constant
    0.0
    """

    controlled: ClassVar[bool] = False
    kind: Literal["passive_moment"] = "passive_moment"
    coordinate: Name
    terms: tuple[ExponentialTerm, ...] = ()
    constant: Number = 0.0
    damping: NonNegative = 0.0

    @property
    def others(self) -> tuple[str, ...]:
        """Other coordinates on which the moment depends."""
        return tuple(dict.fromkeys(name for term in self.terms for name in term.others))
