"""Planar cyclists that are strapped to the saddle: one leg, two legs on two cranks, two legs on one crank.

They follow the sprint cyclists of Casius, Bobbert and van Soest 2004: a chain that grows from the axis of the crank
over foot, shank and thigh to the trunk. The hip is held at a fixed point, the trunk at a fixed angle, and the crank
turns at a constant speed, all by constraints that are kept. x points forward, y up; the crank turns clockwise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from myodyne.errors import ModelError
from myodyne.library import anthropometry
from myodyne.library.anthropometry import PlanarSegment, winter_segments
from myodyne.library.linkages import Point, two_bars
from myodyne.library.mobility import radians, tidy
from myodyne.model.actuators import CoordinateActuator
from myodyne.model.bodies import Body, Inertia, Marker
from myodyne.model.constraints import Constraint, CouplerConstraint, PointConstraint, SpeedConstraint
from myodyne.model.functions import Polynomial, Term
from myodyne.model.joints import Joint, pin
from myodyne.model.model import Model
from myodyne.model.part import Vector

# Casius et al. 2004: 120 revolutions in a minute, clockwise, and the trunk 1.1 rad above the horizontal.
CRANK_SPEED = -4 * math.pi
TRUNK_ANGLE = 1.1
CRANK_LENGTH = 0.17
# A crank arm, as a uniform bar (kg).
_ARM_MASS = 0.4
# The direction of the hip from the axis of the crank, by the note of table 1 of Casius et al. 2004. Its distance goes
# with the leg: where the pedal is farthest, it is as far from the hip as the ground from the hip of one who stands.
_HIP_DIRECTION = math.atan2(0.80929327, -0.14270024)
# At the start the right crank points up and the sole slopes down to the toes.
_CRANK_START, _SOLE = math.pi / 2, -0.5

_SOURCE = (
    "After the sprint cyclist of Casius, Bobbert and van Soest 2004 (J. Appl. Biomech. 20, 421-449), whose own numbers "
    "are lost: crank speed -4 pi rad/s, trunk at 1.1 rad and the direction of the hip from the axis are theirs. "
    "Masses, centres of mass and radii of gyration: Winter 2009, table 4.1; lengths: Drillis and Contini 1966 (Winter "
    "2009, figure 4.1); body mass {mass:g} kg, height {height:g} m. Chosen: the distance of the hip (the pedal is one "
    "height of the hip away where it is farthest), cranks of 0.17 m and 0.4 kg, and the start. "
)


class _Turns(NamedTuple):
    """Turns of the segments against the upright stance (rad, counter-clockwise), or their rates (rad/s)."""

    foot: float
    shank: float
    thigh: float


@dataclass(frozen=True)
class _Rider:
    """A person on a bicycle: segments by Winter's table, ankle seen from the ball of the foot, hip in space."""

    mass: float
    height: float
    segments: dict[str, PlanarSegment]
    ankle: Point
    hip: Point

    @staticmethod
    def of(mass: float, height: float) -> _Rider:
        segments = winter_segments(mass, height)
        along = anthropometry.FOOT_LENGTH * (anthropometry.BALL_ALONG_FOOT - anthropometry.ANKLE_ALONG_FOOT)
        distance = anthropometry.HIP_HEIGHT * height - CRANK_LENGTH
        return _Rider(
            mass,
            height,
            segments,
            (tidy(-along * height), tidy(anthropometry.ANKLE_HEIGHT * height)),
            (tidy(distance * math.cos(_HIP_DIRECTION)), tidy(distance * math.sin(_HIP_DIRECTION))),
        )

    def start(self, crank: float) -> tuple[_Turns, _Turns]:
        """Return turns and rates of a leg whose crank stands at an angle (rad), with the foot at rest in the ground.

        The leg closes the chain from the pedal to the hip, so that the start obeys the constraints.
        """
        shank, thigh = self.segments["shank"].length, self.segments["thigh"].length
        cos, sin = math.cos(_SOLE), math.sin(_SOLE)
        pedal = (CRANK_LENGTH * math.cos(crank), CRANK_LENGTH * math.sin(crank))
        ankle = (
            pedal[0] + cos * self.ankle[0] - sin * self.ankle[1],
            pedal[1] + sin * self.ankle[0] + cos * self.ankle[1],
        )
        knee = two_bars(ankle, self.hip, shank, thigh, left=False)
        lower, upper = (knee[0] - ankle[0], knee[1] - ankle[1]), (self.hip[0] - knee[0], self.hip[1] - knee[1])
        turns = _Turns(_SOLE, _upright(lower), _upright(upper))
        # The speeds of shank and thigh stop the hip while the ankle moves with the pedal.
        moving = (-CRANK_SPEED * pedal[1], CRANK_SPEED * pedal[0])
        area = lower[0] * upper[1] - lower[1] * upper[0]
        rates = _Turns(
            0.0,
            -(moving[0] * upper[0] + moving[1] * upper[1]) / area,
            (moving[0] * lower[0] + moving[1] * lower[1]) / area,
        )
        return turns, rates


def _upright(line: Point) -> float:
    return math.atan2(line[1], line[0]) - math.pi / 2


def cyclist_one_leg(mass: float = 75.0, height: float = 1.75) -> Model:
    """Return a cyclist with one leg: five segments, four kept constraints, one degree of freedom besides the crank.

    ``crank`` is the angle of the crank from the horizontal, ``pedal`` the turn of the foot against the crank; ankle,
    knee and hip are those of `jumper_skeleton`. Motors on these three take torques (N m). The constraints are
    ``drive`` (the crank turns at -4 pi rad/s), ``trunk_hold`` and ``saddle`` (x and y of the hip).

    Parameters
    ----------
    mass : float
        Body mass (kg).
    height : float
        Body height (m).

    Examples
    --------
    >>> cyclist = cyclist_one_leg()
    >>> list(cyclist.coordinates), list(cyclist.constraints)
    (['crank', 'pedal', 'ankle', 'knee', 'hip'], ['drive', 'trunk_hold', 'saddle'])
    """
    rider = _Rider.of(mass, height)
    return Model(
        name="cyclist_one_leg",
        source=_SOURCE.format(mass=mass, height=height) + "One leg, whose power counts twice; the other crank is there "
        "and balances this one.",
        bodies={"crank_set": _crank_set(), **_climbing_bodies(rider, ""), "trunk": _trunk(rider)},
        joints={"crank": _crank_joint("crank", "crank_set"), **_climbing_joints(rider, "crank_set", "")},
        markers=_markers(rider, ("",)),
        forces=_motors(("",)),
        constraints=_seat(rider, "crank", ""),
    )


def cyclist_two_cranks(mass: float = 75.0, height: float = 1.75) -> Model:
    """Return a cyclist with two legs and two cranks: the left leg hangs from the hip and carries the left crank.

    Besides the constraints of `cyclist_one_leg`, ``axle`` keeps the end of the left crank on the axis (x and y) and
    ``cranks`` keeps the two opposite. Sides are ``_r`` and ``_l``; ``pedal_l`` turns the left crank against its foot.

    Parameters
    ----------
    mass : float
        Body mass (kg).
    height : float
        Body height (m).

    Examples
    --------
    >>> list(cyclist_two_cranks().constraints)
    ['drive', 'trunk_hold', 'saddle', 'axle', 'cranks']
    """
    rider = _Rider.of(mass, height)
    left = _CRANK_START - math.pi
    turns, rates = rider.start(left)
    pedal = pin(
        {"body": "foot_l", "at": _point(-rider.ankle[0], -rider.ankle[1])},
        "crank_arm_l",
        "pedal_l",
        default=tidy(left - turns.foot),
        default_speed=tidy(CRANK_SPEED - rates.foot),
    )
    # All turns on the way from the right crank to the left one; those of the right leg count from foot to hip.
    between = {
        "pedal_r": -1.0,
        "ankle_r": 1.0,
        "knee_r": 1.0,
        "hip_r": 1.0,
        "hip_l": -1.0,
        "knee_l": -1.0,
        "ankle_l": -1.0,
    }
    return Model(
        name="cyclist_two_cranks",
        source=_SOURCE.format(mass=mass, height=height) + "Two legs, two cranks about the same axis (figure 4, left).",
        bodies={
            "crank_arm_r": _crank_arm(CRANK_LENGTH / 2),
            **_climbing_bodies(rider, "_r"),
            "trunk": _trunk(rider),
            **_hanging_bodies(rider, "_l"),
            "crank_arm_l": _crank_arm(-CRANK_LENGTH / 2),
        },
        joints={
            "crank_r": _crank_joint("crank_r", "crank_arm_r"),
            **_climbing_joints(rider, "crank_arm_r", "_r"),
            **_hanging_joints(rider, left, "_l"),
            "pedal_l": pedal,
        },
        markers=_markers(rider, ("_r", "_l")),
        forces=_motors(("_r", "_l")),
        constraints={
            **_seat(rider, "crank_r", "_r"),
            "axle": PointConstraint(
                first=Marker(body="crank_arm_l", at=(-CRANK_LENGTH, 0.0, 0.0)), second=Marker(body="ground"), axes="xy"
            ),
            "cranks": CouplerConstraint(coordinate="pedal_l", function=_sum(between, -math.pi)),
        },
    )


def cyclist_one_crank(mass: float = 75.0, height: float = 1.75) -> Model:
    """Return a cyclist with two legs on one crank: the left foot is kept on its other end by ``pedal_l``.

    The motion is that of `cyclist_two_cranks`, with a segment and a constraint less. Sides are ``_r`` and ``_l``.
    Without the constraint ``drive`` the crank turns as the legs drive it.

    Parameters
    ----------
    mass : float
        Body mass (kg).
    height : float
        Body height (m).

    Examples
    --------
    >>> list(cyclist_one_crank().without("drive").constraints)
    ['trunk_hold', 'saddle', 'pedal_l']
    """
    rider = _Rider.of(mass, height)
    ball = Marker(body="foot_l", at=_point(-rider.ankle[0], -rider.ankle[1]))
    return Model(
        name="cyclist_one_crank",
        source=_SOURCE.format(mass=mass, height=height) + "Two legs, one crank for both (figure 4, right).",
        bodies={
            "crank_set": _crank_set(),
            **_climbing_bodies(rider, "_r"),
            "trunk": _trunk(rider),
            **_hanging_bodies(rider, "_l"),
        },
        joints={
            "crank": _crank_joint("crank", "crank_set"),
            **_climbing_joints(rider, "crank_set", "_r"),
            **_hanging_joints(rider, _CRANK_START - math.pi, "_l"),
        },
        markers=_markers(rider, ("_r", "_l")),
        forces=_motors(("_r", "_l")),
        constraints={
            **_seat(rider, "crank", "_r"),
            "pedal_l": PointConstraint(
                first=ball, second=Marker(body="crank_set", at=(-CRANK_LENGTH, 0.0, 0.0)), axes="xy"
            ),
        },
    )


def _point(x: float, y: float) -> Vector:
    return (tidy(x), tidy(y), 0.0)


def _crank_arm(centre: float) -> Body:
    across = tidy(_ARM_MASS * CRANK_LENGTH**2 / 12)
    return Body(mass=_ARM_MASS, centre_of_mass=_point(centre, 0.0), inertia=Inertia(yy=across, zz=across))


def _crank_set() -> Body:
    """Return two opposite arms as one body on the axis."""
    across = tidy(2 * _ARM_MASS * CRANK_LENGTH**2 / 3)
    return Body(mass=2 * _ARM_MASS, inertia=Inertia(yy=across, zz=across))


def _trunk(rider: _Rider) -> Body:
    hat = rider.segments["hat"]
    return Body(mass=tidy(hat.mass), centre_of_mass=_point(0.0, hat.centre), inertia=tidy(hat.inertia))


def _leg_bodies(rider: _Rider, side: str, centres: dict[str, Vector]) -> dict[str, Body]:
    # One number for all axes: a planar model never turns about the others.
    return {
        f"{name}{side}": Body(
            mass=tidy(rider.segments[name].mass), centre_of_mass=centre, inertia=tidy(rider.segments[name].inertia)
        )
        for name, centre in centres.items()
    }


def _climbing_bodies(rider: _Rider, side: str) -> dict[str, Body]:
    """Return a leg whose segments begin at their lower ends, the foot at its ball."""
    shank, thigh = rider.segments["shank"], rider.segments["thigh"]
    return _leg_bodies(
        rider,
        side,
        {
            "foot": _point(rider.ankle[0] / 2, rider.ankle[1] / 2),
            "shank": _point(0.0, shank.length - shank.centre),
            "thigh": _point(0.0, thigh.length - thigh.centre),
        },
    )


def _hanging_bodies(rider: _Rider, side: str) -> dict[str, Body]:
    """Return a leg whose segments begin at their upper ends."""
    return _leg_bodies(
        rider,
        side,
        {
            "thigh": _point(0.0, -rider.segments["thigh"].centre),
            "shank": _point(0.0, -rider.segments["shank"].centre),
            "foot": _point(-rider.ankle[0] / 2, -rider.ankle[1] / 2),
        },
    )


def _crank_joint(coordinate: str, body: str) -> Joint:
    return pin("ground", body, coordinate, default=tidy(_CRANK_START), default_speed=tidy(CRANK_SPEED))


_RANGES = {"ankle": (-50, 40), "knee": (-135, 5), "hip": (-30, 120)}


def _flexion(turns: _Turns, trunk: float) -> dict[str, float]:
    """Return ankle, knee and hip angles, or their rates, from the turns of the segments."""
    return {"ankle": turns.foot - turns.shank, "knee": turns.shank - turns.thigh, "hip": turns.thigh - trunk}


def _options(rider: _Rider, crank: float) -> dict[str, dict[str, Any]]:
    """Return the fields of the three coordinates of a leg."""
    turns, rates = rider.start(crank)
    angles, speeds = _flexion(turns, TRUNK_ANGLE - math.pi / 2), _flexion(rates, 0.0)
    options = {}
    for name, (low, high) in _RANGES.items():
        angle = math.degrees(angles[name])
        if not low < angle < high:
            raise ModelError(
                f"a person of {rider.height:g} m cannot turn a crank of {CRANK_LENGTH:g} m: the {name} would have to "
                f"bend to {angle:.0f} degrees, beyond its range of {low} to {high}"
            )
        options[name] = {
            "default": tidy(angles[name]),
            "default_speed": tidy(speeds[name]),
            "range": (radians(low), radians(high)),
        }
    return options


def _climbing_joints(rider: _Rider, crank_body: str, side: str) -> dict[str, Joint]:
    """Return the joints from the crank up to the trunk."""
    turns, rates = rider.start(_CRANK_START)
    shank, thigh = rider.segments["shank"].length, rider.segments["thigh"].length
    joints = {
        f"pedal{side}": pin(
            {"body": crank_body, "at": (CRANK_LENGTH, 0.0, 0.0)},
            f"foot{side}",
            f"pedal{side}",
            default=tidy(turns.foot - _CRANK_START),
            default_speed=tidy(rates.foot - CRANK_SPEED),
        ),
    }
    places = {
        "ankle": (f"foot{side}", _point(*rider.ankle), f"shank{side}"),
        "knee": (f"shank{side}", _point(0.0, shank), f"thigh{side}"),
        "hip": (f"thigh{side}", _point(0.0, thigh), "trunk"),
    }
    # The distal segment is the parent: the axis -z keeps the sense of the angles.
    for (name, (parent, at, child)), fields in zip(places.items(), _options(rider, _CRANK_START).values(), strict=True):
        joints[f"{name}{side}"] = pin({"body": parent, "at": at}, child, f"{name}{side}", "-z", **fields)
    return joints


def _hanging_joints(rider: _Rider, crank: float, side: str) -> dict[str, Joint]:
    """Return the joints from the trunk down to a foot whose crank stands at an angle (rad)."""
    shank, thigh = rider.segments["shank"].length, rider.segments["thigh"].length
    fields = _options(rider, crank)
    places = {
        "hip": ("trunk", _point(0.0, 0.0), f"thigh{side}"),
        "knee": (f"thigh{side}", _point(0.0, -thigh), f"shank{side}"),
        "ankle": (f"shank{side}", _point(0.0, -shank), f"foot{side}"),
    }
    return {
        f"{name}{side}": pin({"body": parent, "at": at}, child, f"{name}{side}", "z", **fields[name])
        for name, (parent, at, child) in places.items()
    }


def _seat(rider: _Rider, crank: str, side: str) -> dict[str, Constraint]:
    """Return what drives the crank, holds the trunk and fixes the hip."""
    turns = {crank: 1.0, f"pedal{side}": 1.0, f"ankle{side}": -1.0, f"knee{side}": -1.0}
    return {
        "drive": SpeedConstraint(coordinate=crank, speed=tidy(CRANK_SPEED)),
        "trunk_hold": CouplerConstraint(coordinate=f"hip{side}", function=_sum(turns, math.pi / 2 - TRUNK_ANGLE)),
        "saddle": PointConstraint(
            first=Marker(body="trunk"), second=Marker(body="ground", at=_point(*rider.hip)), axes="xy"
        ),
    }


def _sum(signs: dict[str, float], constant: float) -> Polynomial:
    """Return the sum of coordinates with their signs, and a constant."""
    count = len(signs)
    terms = [Term(coefficient=tidy(constant), powers=(0,) * count)]
    for number, sign in enumerate(signs.values()):
        terms.append(Term(coefficient=sign, powers=tuple(int(number == other) for other in range(count))))
    return Polynomial(of=tuple(signs), terms=tuple(terms))


def _motors(sides: tuple[str, ...]) -> dict[str, CoordinateActuator]:
    return {f"{name}{side}_motor": CoordinateActuator(coordinate=f"{name}{side}") for side in sides for name in _RANGES}


def _markers(rider: _Rider, sides: tuple[str, ...]) -> dict[str, Marker]:
    markers = {
        "hip_centre": Marker(body="trunk"),
        "shoulder_centre": Marker(body="trunk", at=_point(0.0, rider.segments["hat"].length)),
        "head_top": Marker(body="trunk", at=_point(0.0, rider.height * (1 - anthropometry.HIP_HEIGHT))),
    }
    for side in sides:
        hanging = side == "_l"
        ball = _point(-rider.ankle[0], -rider.ankle[1]) if hanging else _point(0.0, 0.0)
        markers[f"ball_of_foot{side}"] = Marker(body=f"foot{side}", at=ball)
        markers[f"ankle_centre{side}"] = Marker(body=f"foot{side}" if hanging else f"shank{side}")
        markers[f"knee_centre{side}"] = Marker(body=f"shank{side}" if hanging else f"thigh{side}")
    return markers
