"""Segments and joints of gait3d; the left side mirrors the right."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from myodyne.library.mobility import tidy
from myodyne.model.bodies import Body, Inertia, Placement
from myodyne.model.functions import Linear, Polynomial, Term
from myodyne.model.joints import Axis, Coordinate, Joint, free
from myodyne.model.part import Vector
from myodyne.types import Floats

SIDES = {"r": 1.0, "l": -1.0}


class _Segment(NamedTuple):
    """Mass (kg), centre of mass (m), principal moments about it (kg m²), on the right side."""

    mass: float
    centre: Vector
    moments: Vector

    def moved(self, by: Vector) -> _Segment:
        """Return the segment in a frame whose origin lies at ``-by``."""
        x, y, z = np.add(self.centre, by)
        return self._replace(centre=(float(x), float(y), float(z)))

    def body(self, side: float) -> Body:
        return joined([self], side)


PELVIS = _Segment(13.3383808106, (-0.0707, 0.0, 0.0), (0.1164291031, 0.0986476156, 0.0655763139))
TORSO = _Segment(30.3832390808, (-0.03, 0.32, 0.0), (1.669987476, 0.8556633016, 1.6211733287))
_FEMUR = _Segment(10.5345686739, (0.0, -0.17, 0.0), (0.1516523045, 0.0397535167, 0.15992013))
# At the end of the extended knee's femur; its own moments are nearly nothing.
_PATELLA = _Segment(0.0700071325, (0.04827, -0.38135, 0.0), (2.331e-06, 1.0647e-05, 1.0647e-05))
_TIBIA = _Segment(4.1990359901, (0.0, -0.1867, 0.0), (0.0570819727, 0.005776152, 0.0578747779))
_TALUS = _Segment(0.1132578824, (0.0, 0.0, 0.0), (0.0011325788, 0.0011325788, 0.0011325788))
_CALCANEUS = _Segment(1.41572353, (0.1, 0.03, 0.0), (0.0015856104, 0.0044170574, 0.0046435732))
_TOES = _Segment(0.2453165733, (0.0346, 0.006, -0.0175), (0.0007140909, 0.0008273488, 0.0011325788))
_HUMERUS = _Segment(2.3019664598, (0.0, -0.164502, 0.0), (0.0135297866, 0.0046673573, 0.0151867495))
_ULNA = _Segment(0.6880416356, (0.0, -0.120525, 0.0), (0.0033546985, 0.0006999337, 0.0036389758))
_HAND = _Segment(0.518154812, (0.0, -0.068095, 0.0), (0.0010102603, 0.0006195206, 0.0015176556))

# Joint centres (m) and orientations (rad, turns about x, y, z) of the right side.
_HIP: Vector = (-0.064735684, -0.0887277, 0.083559052)
_BACK: Vector = (-0.115837718, 0.092130304, 0.0)
_KNEE_ON_FEMUR: Vector = (-0.00473105, -0.398852969, -0.001838678)
_KNEE_ON_TIBIA: Vector = (-0.009412249, -0.004110745, -0.001685507)
_KNEE_TURN: Vector = (-1.64157, 1.44618, 1.5708)
_ANKLE: Vector = (-0.011635086, -0.465174257, 0.0)
_ANKLE_TURN: Vector = (0.175895, -0.105208, 0.0186622)
# The ankle as seen from the calcaneus.
_TALUS_ON_CALCANEUS: Vector = (0.059897451, 0.056290634, -0.010192968)
TOE_JOINT: Vector = (0.1788, -0.002, 0.00108)
_SHOULDER: Vector = (0.004086704, 0.38515234, 0.198768022)
_ELBOW: Vector = (0.014367823, -0.32000915, -0.009935782)
_ELBOW_TURN: Vector = (-0.0228627, 0.228018, 0.0051689)
_RADIUS_ON_ULNA: Vector = (-0.007193475, -0.013021094, 0.02847468)
_HAND_ON_RADIUS: Vector = (-0.009407016, -0.236096546, 0.014857969)

# The tibia slides (m) and turns (rad) with the knee's angle: coefficients of its powers, from the first. The knee's own
# axis is x of its frame; the other turns follow.
_KNEE_SLIDES = {
    (1.0, 0.0, 0.0): (2.770048875e-05, 0.001906010874, -0.001064580488, 0.0001667891519),
    (0.0, 1.0, 0.0): (0.003833363067, -0.01114142688, 0.004946161496, -0.0005644412843),
    (0.0, 0.0, 1.0): (0.006592963779, 0.0006436242360, -0.004686430014, 0.001271241348),
}
_KNEE_TURNS = {
    (0.0, 0.0, 1.0): (0.079100012, -0.0328478104, -0.0252183255, 0.0108320945),
    (0.0, 1.0, 0.0): (0.3694993487, -0.1694800514, 0.0251657627),
}

# Height of the pelvis (m) where level soles carry the weight.
_HEIGHT = 1.0043

# Where each coordinate ends (rad); those of the midline first.
RANGES = {
    "lumbar_extension": (-0.6, 0.3),
    "lumbar_bending": (-0.35, 0.35),
    "lumbar_rotation": (-0.35, 0.35),
    "hip_flexion": (-0.52, 1.81),
    "hip_adduction": (-0.5, 0.5),
    "hip_rotation": (-0.7, 0.7),
    "knee_angle": (0.0, 2.4),
    "ankle_angle": (-0.74, 0.52),
    "mtp_angle": (-0.52, 1.0),
    "arm_flex": (-1.0, 2.0),
    "arm_add": (-2.0, 0.3),
    "arm_rot": (-1.5, 1.5),
    "elbow_flex": (0.0, 2.4),
}


def joined(parts: list[_Segment], side: float) -> Body:
    """Return segments of the right side as one body, mirrored where ``side`` is -1."""
    mass = sum(part.mass for part in parts)
    centre = sum((part.mass * np.array(part.centre) for part in parts), np.zeros(3)) / mass
    inertia: Floats = np.zeros((3, 3))
    for part in parts:
        away = np.array(part.centre) - centre
        inertia += np.diag(part.moments) + part.mass * (away @ away * np.eye(3) - np.outer(away, away))
    mirror = np.array([1.0, 1.0, side])
    inertia = inertia * np.outer(mirror, mirror)
    xx, yy, zz, xy, xz, yz = (tidy(float(inertia[at])) for at in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    return Body(
        mass=tidy(mass),
        centre_of_mass=_vector(mirror * centre),
        inertia=Inertia(xx=xx, yy=yy, zz=zz, xy=xy, xz=xz, yz=yz),
    )


def _vector(values: Floats) -> Vector:
    x, y, z = (tidy(float(value)) + 0.0 for value in values)
    return (x, y, z)


def place(point: Vector, side: str) -> Vector:
    """Return a point of the right side on a side."""
    return _vector(np.array(point) * (1.0, 1.0, SIDES[side]))


def _turned(turn: Vector, side: str) -> Vector:
    """Return an orientation of the right side on a side: in the mirror turns about x and y change their sense."""
    outwards = SIDES[side]
    return _vector(np.array(turn) * (outwards, outwards, 1.0))


def limb_bodies(side: str) -> dict[str, Body]:
    """Return the bodies of a leg and an arm."""
    away = np.array(_RADIUS_ON_ULNA)
    forearm = [_ULNA, _ULNA.moved(_RADIUS_ON_ULNA), _HAND.moved(_vector(away + _HAND_ON_RADIUS))]
    parts = {
        "femur": [_FEMUR, _PATELLA],
        "tibia": [_TIBIA],
        "calcn": [_CALCANEUS, _TALUS.moved(_TALUS_ON_CALCANEUS)],
        "toes": [_TOES],
        "humerus": [_HUMERUS],
        "forearm": forearm,
    }
    return {f"{name}_{side}": joined(segments, SIDES[side]) for name, segments in parts.items()}


def _coordinate(name: str) -> Coordinate:
    return Coordinate(range=RANGES[name.removesuffix("_r").removesuffix("_l")])


def _ball(parent: Placement, child: str, names: tuple[str, str, str], side: str) -> Joint:
    """Return a joint that turns about z, x and y; on the left the last two are mirrored."""
    outwards = SIDES[side]
    axes = zip(names, ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), (1.0, outwards, outwards), strict=True)
    return Joint(
        parent=parent,
        child=Placement(body=child),
        coordinates={name: _coordinate(name) for name in names},
        axes=[
            Axis(motion="rotation", direction=direction, function=Linear(coordinate=name, slope=sign))
            for name, direction, sign in axes
        ],
    )


def _hinge(parent: Placement, child: Placement, name: str) -> Joint:
    axis = Axis(motion="rotation", direction=(0.0, 0.0, 1.0), function=Linear(coordinate=name))
    return Joint(parent=parent, child=child, coordinates={name: _coordinate(name)}, axes=[axis])


def middle_joints() -> dict[str, Joint]:
    """Return the joints of pelvis and back."""
    places = ("pelvis_tx", "pelvis_ty", "pelvis_tz", "pelvis_tilt", "pelvis_list", "pelvis_rotation")
    turns = ("lumbar_extension", "lumbar_bending", "lumbar_rotation")
    return {
        "ground_pelvis": free("ground", "pelvis", places, "zxy", pelvis_ty={"default": _HEIGHT}),
        "back": _ball(Placement(body="pelvis", at=_BACK), "torso", turns, "r"),
    }


def leg_joints(side: str) -> dict[str, Joint]:
    """Return hip, knee, ankle and toe joint of a side."""
    turn = _turned(_ANKLE_TURN, side)
    hip = ("hip_flexion", "hip_adduction", "hip_rotation")
    first, second, third = (f"{name}_{side}" for name in hip)
    return {
        f"hip_{side}": _ball(
            Placement(body="pelvis", at=place(_HIP, side)), f"femur_{side}", (first, second, third), side
        ),
        f"knee_{side}": _knee(side),
        f"ankle_{side}": _hinge(
            Placement(body=f"tibia_{side}", at=place(_ANKLE, side), orientation=turn),
            Placement(body=f"calcn_{side}", at=place(_TALUS_ON_CALCANEUS, side), orientation=turn),
            f"ankle_angle_{side}",
        ),
        f"mtp_{side}": _hinge(
            Placement(body=f"calcn_{side}", at=place(TOE_JOINT, side)),
            Placement(body=f"toes_{side}"),
            f"mtp_angle_{side}",
        ),
    }


def _knee(side: str) -> Joint:
    """Return the knee of Walker et al. 1988 as polynomials: the tibia slides and turns a little as it bends."""
    name, outwards = f"knee_angle_{side}", SIDES[side]
    turn = _vector(np.array(_KNEE_TURN) * (outwards, outwards, 1.0))

    def powers(coefficients: tuple[float, ...], sign: float) -> Polynomial:
        terms = [Term(coefficient=sign * value, powers=(n,)) for n, value in enumerate(coefficients, start=1)]
        return Polynomial(of=(name,), terms=tuple(terms))

    # In the knee's own frame, z of which points to the right on both sides.
    slides = [
        Axis(motion="translation", direction=direction, function=powers(values, outwards if direction[2] else 1.0))
        for direction, values in _KNEE_SLIDES.items()
    ]
    bend = Axis(motion="rotation", direction=(outwards, 0.0, 0.0), function=Linear(coordinate=name))
    turns = [
        Axis(motion="rotation", direction=direction, function=powers(values, outwards if direction[1] else 1.0))
        for direction, values in _KNEE_TURNS.items()
    ]
    return Joint(
        parent=Placement(body=f"femur_{side}", at=place(_KNEE_ON_FEMUR, side), orientation=turn),
        child=Placement(body=f"tibia_{side}", at=place(_KNEE_ON_TIBIA, side), orientation=turn),
        coordinates={name: _coordinate(name)},
        axes=[*slides, bend, *turns],
    )


def arm_joints(side: str) -> dict[str, Joint]:
    """Return shoulder and elbow of a side."""
    first, second, third = (f"{name}_{side}" for name in ("arm_flex", "arm_add", "arm_rot"))
    turn = _turned(_ELBOW_TURN, side)
    return {
        f"shoulder_{side}": _ball(
            Placement(body="torso", at=place(_SHOULDER, side)), f"humerus_{side}", (first, second, third), side
        ),
        f"elbow_{side}": _hinge(
            Placement(body=f"humerus_{side}", at=place(_ELBOW, side), orientation=turn),
            Placement(body=f"forearm_{side}", orientation=turn),
            f"elbow_flex_{side}",
        ),
    }
