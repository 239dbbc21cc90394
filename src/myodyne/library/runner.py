"""A planar person with muscles that runs, on one of four kinds of feet."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from myodyne.errors import ModelError, listed, unknown_name
from myodyne.library import mobility
from myodyne.library.gait2d import Group, gait_muscles, muscle_of
from myodyne.library.mobility import Turn, tidy
from myodyne.library.muscle_pictures import with_leg_pictures
from myodyne.library.skeletons import flat_foot, runner_skeleton
from myodyne.model.actuators import CoordinateActuator
from myodyne.model.bodies import Body, Marker, Placement
from myodyne.model.constraints import RollingConstraint
from myodyne.model.contacts import ContactPoint, SmoothSphereContact
from myodyne.model.forces import Force, TorsionSpring
from myodyne.model.joints import Joint, pin
from myodyne.model.model import Model
from myodyne.model.muscles.muscle import Muscle
from myodyne.model.part import Vector

Foot = Literal["points", "spheres", "rolling", "viscoelastic"]
Side = Literal["r", "l"]
_SIDES: tuple[Side, Side] = ("r", "l")

_MUSCLE_SOURCE = (
    "Muscles: the eight groups of each leg of van den Bogert, Blana and Heinrich 2011 (gait2d: 75 kg, 1.8 m); lengths "
    "grow with height, forces with mass over height (our choice). "
)
_FEET = {
    "points": "Feet: three contact points each, law and stiffness as in gait2d.",
    "spheres": "Feet: two smooth spheres each (Serrancoli et al. 2019), numbers as in OpenSim Moco's planar walking.",
    "rolling": "Feet: arcs that roll, as in Selbie 1989 (3.5.1), who prints no numbers: radius 0.16 of the height, "
    "lowest point midway between heel and metatarsal heads, are chosen here.",
    "viscoelastic": "Feet: two parts with parallel springs and dampers below them, as in Gilchrist and Winter 1996; "
    "all numbers of springs, dampers and their places are chosen here. Toes: share of the foot's mass, and muscles "
    "(flexors and extensors of digits and hallux together), of Rajagopal et al. 2016.",
}

# Contacts of gait2d.
_POINT_STIFFNESS, _POINT_DISSIPATION, _POINT_FRICTION = 1e5, 1.0, 1.0
# Spheres of OpenSim Moco's planar walking (2D_gait.osim); smoothing as by default there.
_HEEL_RADIUS, _BALL_RADIUS = 0.035, 0.015
_FLOOR = Placement(body="ground", orientation=(0.0, 0.0, -math.pi / 2))
# The rolling foot: radius per height.
_ARC = 0.16
# The foot of two parts: share of the toes in the mass (Rajagopal et al. 2016: 0.2166 of 1.5666 kg); springs below hind
# foot and toes; spring and damper of the metatarsal joint (N m/rad, N m s/rad).
_TOES = 0.2166 / 1.5666
_BELOW_HIND, _BELOW_TOES = 5, 3
_ARRAY_STIFFNESS, _ARRAY_DISSIPATION = 4e4, 1.0
_TOE_STIFFNESS, _TOE_DAMPING = 20.0, 0.5
_TOE_TURN = Turn("toe", "z", -40, 70, 25)
# Sums of forces, and lengths and moment arms weighted by them, in the neutral pose of Rajagopal et al. 2016 (1.70 m,
# 75 kg): flexor digitorum and hallucis longus, extensor digitorum and hallucis longus. Widths, slack and fibre types
# are those of gait2d's soleus and tibialis anterior.
_TOE_GROUPS = {
    "toe_flexors": Group(1331.0, 0.0501, 1.039, 1.2, 0.3621, 0.4108, {"ankle": -0.0118, "toe": -0.0060}, 0.5),
    "toe_extensors": Group(889.4, 0.0711, 0.442, 1.2, 0.3553, 0.4268, {"ankle": 0.0369, "toe": 0.0059}, 0.5),
}


@dataclass(frozen=True)
class _Parts:
    """What a kind of foot adds to the skeleton, or exchanges in it."""

    bodies: Mapping[str, Body] = field(default_factory=dict)
    joints: Mapping[str, Joint] = field(default_factory=dict)
    markers: Mapping[str, Marker] = field(default_factory=dict)
    forces: Mapping[str, Force] = field(default_factory=dict)
    muscles: Mapping[str, Muscle] = field(default_factory=dict)


def runner(mass: float = 75.0, height: float = 1.75, *, foot: Foot = "points", stance: Side | None = None) -> Model:
    """Return a planar person of twelve segments with muscles at hips, knees and ankles, standing on the ground.

    Coordinates are those of `runner_skeleton`: ``pelvis_x``, ``pelvis_y``, ``pelvis_tilt``, ``neck`` and, on each side
    (``_r``, ``_l``), ``hip``, ``knee``, ``ankle``, ``shoulder``, ``elbow``; all joints have limits. Eight muscles on
    each side: ``iliopsoas``, ``glutei``, ``hamstrings``, ``rectus_femoris``, ``vasti``, ``gastrocnemius``, ``soleus``,
    ``tibialis_anterior``. Neck and arms have motors.

    Parameters
    ----------
    mass : float
        Body mass (kg).
    height : float
        Body height (m).
    foot : {"points", "spheres", "rolling", "viscoelastic"}
        Three contact points; two spheres; an arc that rolls without slip; or a foot of two parts, with ``toe_r`` and
        ``toe_l`` (positive when the toes are bent up) and their ``toe_flexors`` and ``toe_extensors``, on an array of
        springs and dampers.
    stance : {"r", "l"}, optional
        With rolling feet: the foot that rolls, by the constraint ``roll_r`` or ``roll_l``; None is flight, in which
        the markers ``arc_centre_r`` and ``arc_centre_l`` show when a foot touches down.

    Examples
    --------
    >>> person = runner(mass=62.0, height=1.7, foot="viscoelastic")
    >>> len(person.bodies), len(person.coordinates), len(person.muscles)
    (14, 16, 20)
    """
    if foot not in get_args(Foot):
        raise ModelError(unknown_name("foot", foot, get_args(Foot)))
    if stance is not None and (foot != "rolling" or stance not in _SIDES):
        raise ModelError(
            f"stance={stance!r}: only rolling feet stand by a constraint, on one of {listed(_SIDES)}; other feet make "
            f"contact whenever they reach the ground"
        )
    skeleton = runner_skeleton(mass, height)
    size, strength = height / 1.8, (mass / 75.0) / (height / 1.8)
    muscles: dict[str, Muscle] = {}
    added = []
    for side in _SIDES:
        muscles |= gait_muscles(f"{{}}_{side}", size, strength)
        added.append(_FOOT_PARTS[foot](skeleton, mass, height, side))
    moved = {f"{joint}_{side}" for joint in ("hip", "knee", "ankle") for side in _SIDES}
    kept = {
        name: force
        for name, force in skeleton.forces.items()
        if not (isinstance(force, CoordinateActuator) and force.coordinate in moved)
    }
    person = Model(
        name="runner",
        source=f"{skeleton.source} {_MUSCLE_SOURCE}{_FEET[foot]}",
        bodies={**skeleton.bodies, **_merged(added, "bodies")},
        joints={**skeleton.joints, **_merged(added, "joints")},
        markers={**skeleton.markers, **_merged(added, "markers")},
        muscles={**muscles, **_merged(added, "muscles")},
        forces={**kept, **_merged(added, "forces")},
        constraints={} if stance is None else {f"roll_{stance}": _rolling(height, stance)},
    )
    for side in _SIDES:
        person = with_leg_pictures(person, f"{{}}_{side}")
    return person


def _merged(parts: list[_Parts], table: str) -> dict[str, object]:
    return {name: part for one in parts for name, part in getattr(one, table).items()}


def _point(body: str, at: Vector, stiffness: float, dissipation: float) -> ContactPoint:
    return ContactPoint(body=body, at=at, stiffness=stiffness, dissipation=dissipation, friction=_POINT_FRICTION)


def _points(_skeleton: Model, _mass: float, height: float, side: Side) -> _Parts:
    heel, ball, tip, _ = flat_foot(height)
    places = {"heel": heel, "ball": ball, "toe": tip}
    return _Parts(
        forces={
            f"{name}_contact_{side}": _point(f"foot_{side}", at, _POINT_STIFFNESS, _POINT_DISSIPATION)
            for name, at in places.items()
        }
    )


def _spheres(_skeleton: Model, _mass: float, height: float, side: Side) -> _Parts:
    heel, ball, _, _ = flat_foot(height)
    places = {"heel": (heel, _HEEL_RADIUS), "ball": (ball, _BALL_RADIUS)}
    return _Parts(
        forces={
            f"{name}_contact_{side}": SmoothSphereContact(
                body=f"foot_{side}",
                at=(at[0], tidy(at[1] + radius), 0.0),
                radius=radius,
                plane=_FLOOR,
                stiffness=3067776.0,
                dissipation=2.0,
                static_friction=0.8,
                dynamic_friction=0.8,
                viscous_friction=0.5,
                transition_velocity=0.2,
            )
            for name, (at, radius) in places.items()
        }
    )


def _arc_centre(height: float) -> tuple[Vector, float]:
    """Return the centre of a foot's arc, which stands on the ground below it in a flat foot, and its radius."""
    heel, ball, _, _ = flat_foot(height)
    radius = tidy(_ARC * height)
    return (tidy((heel[0] + ball[0]) / 2), tidy(heel[1] + radius), 0.0), radius


def _rolling(height: float, side: Side) -> RollingConstraint:
    centre, radius = _arc_centre(height)
    return RollingConstraint(body=f"foot_{side}", at=centre, radius=radius, anchor=centre[0])


def _rolling_markers(_skeleton: Model, _mass: float, height: float, side: Side) -> _Parts:
    return _Parts(markers={f"arc_centre_{side}": Marker(body=f"foot_{side}", at=_arc_centre(height)[0])})


def _viscoelastic(skeleton: Model, mass: float, height: float, side: Side) -> _Parts:
    heel, ball, tip, _ = flat_foot(height)
    hind, toes = _split_foot(skeleton.bodies[f"foot_{side}"], ball, tip)
    turn = _TOE_TURN.on(side)
    contacts: dict[str, Force] = {}
    for number in range(_BELOW_HIND):
        along = heel[0] + (ball[0] - heel[0]) * number / (_BELOW_HIND - 1)
        place = (tidy(along), heel[1], 0.0)
        contacts[f"sole_{number + 1}_{side}"] = _point(f"foot_{side}", place, _ARRAY_STIFFNESS, _ARRAY_DISSIPATION)
    for number in range(1, _BELOW_TOES + 1):
        place = (tidy((tip[0] - ball[0]) * number / _BELOW_TOES), 0.0, 0.0)
        contacts[f"sole_{_BELOW_HIND + number}_{side}"] = _point(
            f"toes_{side}", place, _ARRAY_STIFFNESS, _ARRAY_DISSIPATION
        )
    spring = TorsionSpring(coordinate=turn.coordinate, stiffness=_TOE_STIFFNESS, damping=_TOE_DAMPING)
    size, strength = height / 1.7, (mass / 75.0) / (height / 1.7)
    naming = f"{{}}_{side}"
    return _Parts(
        bodies={f"foot_{side}": hind, f"toes_{side}": toes},
        joints={
            turn.coordinate: pin(
                {"body": f"foot_{side}", "at": ball}, f"toes_{side}", turn.coordinate, "z", **turn.options
            )
        },
        markers={f"toe_tip_{side}": Marker(body=f"toes_{side}", at=(tidy(tip[0] - ball[0]), 0.0, 0.0))},
        forces={**contacts, f"toe_spring_{side}": spring, **mobility.limits([turn], mass, height)},
        muscles={naming.format(name): muscle_of(group, naming, size, strength) for name, group in _TOE_GROUPS.items()},
    )


def _split_foot(foot: Body, ball: Vector, tip: Vector) -> tuple[Body, Body]:
    """Return hind foot and toes whose mass, centre of mass and moment of inertia together are those of a flat foot.

    The toes are a thin rod from the metatarsal heads, where their frame is, to their tip.
    """
    length = tip[0] - ball[0]
    light, heavy = _TOES * foot.mass, (1 - _TOES) * foot.mass
    middle = (ball[0] + length / 2, ball[1])
    centre = tuple((foot.mass * foot.centre_of_mass[i] - light * middle[i]) / heavy for i in range(2))
    rod = light * length**2 / 12
    apart = sum((middle[i] - centre[i]) ** 2 for i in range(2))
    rest = foot.inertia.zz - rod - light * heavy / foot.mass * apart
    hind = Body(mass=tidy(heavy), centre_of_mass=(tidy(centre[0]), tidy(centre[1]), 0.0), inertia=tidy(rest))
    return hind, Body(mass=tidy(light), centre_of_mass=(tidy(length / 2), 0.0, 0.0), inertia=tidy(rod))


_FOOT_PARTS = {
    "points": _points,
    "spheres": _spheres,
    "rolling": _rolling_markers,
    "viscoelastic": _viscoelastic,
}
