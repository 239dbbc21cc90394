"""Forces that act on bodies and coordinates."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from myodyne.model.bodies import Marker
from myodyne.model.part import Name, NonNegative, Number, Part, Positive, Vector
from myodyne.model.paths import Path


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


class CoordinateActuator(Part):
    """A motor on one coordinate: torque (N m) or force (N) = ``gain`` times its control.

    Examples
    --------
    A knee motor that gives at most 250 N m either way:

    >>> import myodyne as my
    >>> motor = my.CoordinateActuator(coordinate="knee", gain=250.0, control_range=(-1.0, 1.0))
    >>> motor.gain
    250.0
    """

    kind: Literal["coordinate_actuator"] = "coordinate_actuator"
    coordinate: Name
    gain: Number = 1.0
    control_range: tuple[Number, Number] | None = None

    @model_validator(mode="after")
    def _range_is_a_range(self) -> CoordinateActuator:
        if self.control_range is not None and not self.control_range[0] < self.control_range[1]:
            raise ValueError(f"control_range {list(self.control_range)} is empty or inverted")
        return self


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
    beyond the limit, as soft tissue does.

    Examples
    --------
    A knee that bends from 0 to 140°:

    >>> import myodyne as my
    >>> limit = my.JointLimit(coordinate="knee", lower=my.degrees(-140), upper=0.0, stiffness=500.0, damping=2.0)
    >>> round(limit.lower, 3)
    -2.443
    """

    kind: Literal["joint_limit"] = "joint_limit"
    coordinate: Name
    lower: Number
    upper: Number
    stiffness: NonNegative
    damping: NonNegative = 0.0
    transition: Positive = 0.01
    curvature: NonNegative = 0.0

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

    kind: Literal["ligament"] = "ligament"
    path: Path
    slack_length: NonNegative
    stiffness: NonNegative
    toe: Positive = 0.001
    damping: NonNegative = 0.0


class EllipsoidContact(Part):
    """A point of one body that an ellipsoid, fixed to another, keeps outside: a shoulder blade on the chest.

    The ellipsoid has its ``centre`` (m) and its half axes ``radii`` (m) along the axes of its body. With p the place
    of the point from the centre and ``F = Σ (p_i / r_i)² - 1``, negative inside, the force on the point is
    ``-stiffness * (Σ r_j²) * p_i / r_i² * (F - sqrt(F² + transition²)) / 2`` along each of the axes: outwards, along
    the gradient of F, and next to nothing where F exceeds the ``transition`` (no unit). It is the form of the Dynamic
    Arm Simulator (van den Bogert et al. 2011). Just below the surface of a sphere the force grows by six times
    ``stiffness`` (N/m) with depth.

    Examples
    --------
    >>> import myodyne as my
    >>> contact = my.EllipsoidContact(body="chest", centre=(0.0, -0.15, 0.06), radii=(0.15, 0.2, 0.1), stiffness=2e4,
    ...                               point=my.Marker(body="scapula", at=(-0.13, -0.12, -0.03)))
    >>> contact.transition
    0.01
    """

    kind: Literal["ellipsoid_contact"] = "ellipsoid_contact"
    body: Name
    centre: Vector = (0.0, 0.0, 0.0)
    radii: tuple[Positive, Positive, Positive]
    point: Marker
    stiffness: NonNegative
    transition: Positive = 0.01


Force = Annotated[
    PointForce
    | BodyTorque
    | CoordinateActuator
    | PointSpring
    | TorsionSpring
    | JointLimit
    | Ligament
    | EllipsoidContact,
    Field(discriminator="kind"),
]
