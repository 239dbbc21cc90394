"""Forces that act on bodies and coordinates."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from myodyne.model.actuators import CoordinateActuator, LineActuator, PathActuator, PointActuator, TorqueActuator
from myodyne.model.bodies import Marker
from myodyne.model.contacts import (
    ContactPoint,
    EllipsoidContact,
    HuntCrossleyContact,
    SmoothSphereContact,
    SpherePairContact,
)
from myodyne.model.formulas import BushingFormula, CoordinateFormula, LineFormula, PathFormula
from myodyne.model.part import Name, NonNegative, Number, Part, Positive, Vector
from myodyne.model.paths import Path
from myodyne.model.springs import (
    BlankevoortLigament,
    Bushing,
    CoordinateLimit,
    CurveBushing,
    CurveLigament,
    PassiveMoment,
    PathSpring,
)


class PointForce(Part):
    """A force (N) on a point of a body, in the axes of the ground or of the body.

    With ``controlled`` the force is multiplied by a control that bears the name of this element.

    Examples
    --------
    A push of up to 80 N forwards, 0.4 m above the origin of the trunk, as strong as its control says:

    >>> import myodyne as my
    >>> push = my.PointForce(body="trunk", at=(0.0, 0.4, 0.0), force=(80.0, 0.0, 0.0), controlled=True)
    >>> push.axes
    'ground'
    """

    kind: Literal["point_force"] = "point_force"
    body: Name
    at: Vector = (0.0, 0.0, 0.0)
    force: Vector
    axes: Literal["ground", "body"] = "ground"
    controlled: bool = Field(default=False, strict=True)


class BodyTorque(Part):
    """A torque (N m) on a body, in the axes of the ground or of the body; ``controlled`` as in `PointForce`.

    Examples
    --------
    >>> import myodyne as my
    >>> my.BodyTorque(body="crank", torque=(0.0, 0.0, -12.0)).torque      # N m, about the axes of the ground
    (0.0, 0.0, -12.0)
    """

    kind: Literal["body_torque"] = "body_torque"
    body: Name
    torque: Vector
    axes: Literal["ground", "body"] = "ground"
    controlled: bool = Field(default=False, strict=True)


class Drag(Part):
    """Drag by speed squared on a point of a body: force (N) = ``-coefficient * speed * velocity``.

    The coefficient (kg/m) is half of the density of the air or water times drag coefficient and area.

    Examples
    --------
    A person of 0.4 m² drag area in air of 1.2 kg/m³, on the trunk:

    >>> import myodyne as my
    >>> my.Drag(body="trunk", at=(0.0, 0.3, 0.0), coefficient=0.5 * 1.2 * 0.4).coefficient
    0.24
    """

    controlled: ClassVar[bool] = False
    kind: Literal["drag"] = "drag"
    body: Name
    at: Vector = (0.0, 0.0, 0.0)
    coefficient: NonNegative


class PointSpring(Part):
    """A linear spring and damper between two points, along the line that joins them.

    Tension (N) = ``stiffness * (length - rest_length) + damping * lengthening speed``.

    Examples
    --------
    A ligament of 0.1 m and 20 kN/m between thigh and shank:

    >>> import myodyne as my
    >>> ligament = my.PointSpring(start=my.Marker(body="thigh", at=(0.0, -0.38, 0.0)), end=my.Marker(body="shank"),
    ...                           stiffness=2e4, rest_length=0.1)
    >>> ligament.damping      # N s/m
    0.0
    """

    controlled: ClassVar[bool] = False
    kind: Literal["point_spring"] = "point_spring"
    start: Marker
    end: Marker
    stiffness: NonNegative = 0.0
    rest_length: NonNegative = 0.0
    damping: NonNegative = 0.0


class TorsionSpring(Part):
    """A torsional spring and damper on a coordinate: torque = ``-stiffness * (q - rest) - damping * speed``.

    On a coordinate that translates it is a linear spring.

    Examples
    --------
    A stiff ankle: 100 N m/rad about 0.1 rad, 3 N m s/rad:

    >>> import myodyne as my
    >>> my.TorsionSpring(coordinate="ankle", stiffness=100.0, rest=0.1, damping=3.0).rest
    0.1
    """

    controlled: ClassVar[bool] = False
    kind: Literal["torsion_spring"] = "torsion_spring"
    coordinate: Name
    stiffness: NonNegative = 0.0
    rest: Number = 0.0
    damping: NonNegative = 0.0


class JointLimit(Part):
    """A passive torque that holds a coordinate inside its limits, smooth everywhere.

    Beyond a limit the torque grows with ``stiffness`` (N m/rad) and resists motion with ``damping``
    (N m s/rad). Both set in smoothly from ``transition`` (rad) before the limit to as far beyond it, and are
    exactly zero farther inside. ``curvature`` (N m/rad²) adds a torque that grows with the square of the way
    beyond the limit, as soft tissue does. With ``onset: hyperbolic`` stiffness and damping set in along a hyperbola
    instead, ``(d + sqrt(d² + transition²)) / 2`` with d the way beyond the limit and the slope of that: it is felt far
    inside the limits, as in the gait models of van den Bogert.

    Examples
    --------
    A knee that bends from 0 to 140°:

    >>> import myodyne as my
    >>> limit = my.JointLimit(coordinate="knee", lower=my.degrees(-140), upper=0.0, stiffness=500.0, damping=2.0)
    >>> round(limit.lower, 3)
    -2.443
    """

    controlled: ClassVar[bool] = False
    kind: Literal["joint_limit"] = "joint_limit"
    coordinate: Name
    lower: Number
    upper: Number
    stiffness: NonNegative
    damping: NonNegative = 0.0
    transition: Positive = 0.01
    curvature: NonNegative = 0.0
    onset: Literal["bounded", "hyperbolic"] = "bounded"

    @model_validator(mode="after")
    def _limits_in_order(self) -> JointLimit:
        if not self.lower < self.upper:
            raise ValueError(f"lower {self.lower:g} must lie below upper {self.upper:g}")
        return self


class Ligament(Part):
    """A band along a path that pulls when it is stretched and never pushes.

    With d the length beyond ``slack_length`` (m), the elastic tension (N) is ``stiffness * (d + sqrt(d² + toe²)) / 2``:
    a straight line of ``stiffness`` (N/m) whose corner is rounded over ``toe`` (m), so that at slack length the
    tension is already ``stiffness * toe / 2``. ``damping`` (N s/m) sets in with the slope of that curve.

    Examples
    --------
    The conoid ligament of the shoulder, 17.4 mm long and 80 kN/m stiff:

    >>> import myodyne as my
    >>> path = my.PointPath(points=(("clavicle", (0.1365, 0.0206, 0.0136)), ("scapula", (-0.0536, -0.0009, -0.0266))))
    >>> my.Ligament(path=path, slack_length=0.0174, stiffness=8e4).toe
    0.001
    """

    controlled: ClassVar[bool] = False
    kind: Literal["ligament"] = "ligament"
    path: Path
    slack_length: NonNegative
    stiffness: NonNegative
    toe: Positive = 0.001
    damping: NonNegative = 0.0


# Forces whose tension runs along a path.
PathForce = Ligament | PathSpring | CurveLigament | BlankevoortLigament | PathFormula | PathActuator

Force = Annotated[
    PointForce
    | BodyTorque
    | Drag
    | CoordinateActuator
    | TorqueActuator
    | PointActuator
    | LineActuator
    | PathActuator
    | PointSpring
    | TorsionSpring
    | JointLimit
    | CoordinateLimit
    | PassiveMoment
    | Bushing
    | CurveBushing
    | CoordinateFormula
    | LineFormula
    | PathFormula
    | BushingFormula
    | Ligament
    | PathSpring
    | CurveLigament
    | BlankevoortLigament
    | EllipsoidContact
    | HuntCrossleyContact
    | SpherePairContact
    | SmoothSphereContact
    | ContactPoint,
    Field(discriminator="kind"),
]
