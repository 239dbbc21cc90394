"""A planar person with sixteen muscles that walks: the gait2d of van den Bogert and colleagues."""

from __future__ import annotations

import math
from typing import NamedTuple

from myodyne.library.mobility import tidy
from myodyne.library.muscle_pictures import with_leg_pictures
from myodyne.model.bodies import Body, Marker
from myodyne.model.contacts import ContactPoint
from myodyne.model.forces import Force, JointLimit, TorsionSpring
from myodyne.model.functions import Polynomial, Term
from myodyne.model.joints import Joint, pin, planar
from myodyne.model.model import Model
from myodyne.model.muscles.activation import HeActivation
from myodyne.model.muscles.curves import VanDenBogert2011
from myodyne.model.muscles.muscle import Muscle
from myodyne.model.part import Vector
from myodyne.model.paths import FunctionPath

_SOURCE = (
    "The planar gait model of van den Bogert, Blana and Heinrich 2011 (Procedia IUTAM 2, 297-316): nine degrees of "
    "freedom, sixteen muscles. Segments (75 kg, 1.8 m, after Winter 2005), muscles, joint ranges, contact points, "
    "their stiffness and their friction: gait2dc_par.xls of the BioMAC-Sim-Toolbox (A. J. van den Bogert, E. Dorschky "
    "and others; Apache License 2.0). The contact law is that of the paper, without states; its damping and smoothing "
    "are chosen near those of the older gait2d of the same authors (1 s/m, 1 mm, 0.1 m/s). Left out: air drag "
    "(0.2128 N s2/m2). Chosen: the start, and that muscles start from rest."
)

SIDES = ("right", "left")


class _Segment(NamedTuple):
    """Mass (kg), inertia about the centre of mass (kg m²), place of that (m), and length (m)."""

    mass: float
    inertia: float
    centre: tuple[float, float]
    length: float

    def body(self) -> Body:
        return Body(mass=self.mass, centre_of_mass=(*self.centre, 0.0), inertia=self.inertia)


# Frames: x forwards, y up; the trunk's and the thigh's origin is the hip, then knee and ankle.
_TRUNK = _Segment(50.85, 3.177718213017602, (0.0, 0.315504), 0.504)
_THIGH = _Segment(7.5, 0.1521750618675001, (0.0, -0.190953), 0.441)
_SHANK = _Segment(3.4875, 0.062365344632568, (0.0, -0.1917324), 0.4428)
_FOOT = _Segment(1.0875, 0.01836744174, (0.0768, -0.0351), 0.2736)
_HEEL: Vector = (-0.06, -0.0702, 0.0)
_TOE: Vector = (0.1636, -0.0702, 0.0)


class Group(NamedTuple):
    """A muscle group with constant moment arms.

    Maximal force (N), optimal fibre (m), width, parallel slack (fibres), tendon slack (m), length at zero (m).

    ``arms`` are the moment arms (m) by joint, positive where the muscle swings the distal segment forwards.
    """

    max_force: float
    fibre: float
    width: float
    parallel_slack: float
    tendon: float
    length: float
    arms: dict[str, float]
    fast_fibres: float


_GROUPS = {
    "iliopsoas": Group(1500.0, 0.102, 1.298, 1.2, 0.142, 0.248, {"hip": 0.05}, 0.5),
    "glutei": Group(3000.0, 0.2, 0.625, 1.2, 0.157, 0.271, {"hip": -0.062}, 0.45),
    "hamstrings": Group(3000.0, 0.104, 1.197, 1.2, 0.334, 0.383, {"hip": -0.072, "knee": -0.034}, 0.35),
    "rectus_femoris": Group(1200.0, 0.081, 1.443, 1.4, 0.398, 0.474, {"hip": 0.034, "knee": 0.05}, 0.65),
    "vasti": Group(7000.0, 0.093, 0.627, 1.4, 0.223, 0.271, {"knee": 0.042}, 0.5),
    "gastrocnemius": Group(3000.0, 0.055, 0.888, 1.2, 0.42, 0.487, {"knee": -0.02, "ankle": -0.053}, 0.5),
    "soleus": Group(4000.0, 0.055, 1.039, 1.2, 0.245, 0.284, {"ankle": -0.053}, 0.2),
    "tibialis_anterior": Group(2500.0, 0.082, 0.442, 1.2, 0.317, 0.381, {"ankle": 0.037}, 0.25),
}
_ACTIVATION = HeActivation(activation_time=0.01, deactivation_time=0.03)

# Ranges (degrees), and a stance with bent knees (rad) in which no range is left.
_RANGES = {"hip": (-90, 160), "knee": (-160, 0), "ankle": (-60, 60)}
_STANCE = {"hip": 0.05, "knee": -0.1, "ankle": 0.05}


def gait2d() -> Model:
    """Return a planar person of 75 kg and 1.8 m with sixteen muscles, standing on the floor.

    ``pelvis_x`` and ``pelvis_y`` are where the hips are (m), ``pelvis_tilt`` turns the trunk, positive backwards. On
    each side (``right_``, ``left_``) are ``hip``, ``knee`` and ``ankle`` (rad), all zero upright: hip flexion and
    ankle dorsiflexion are positive, knee flexion is negative. Eight muscles on each side: ``iliopsoas``, ``glutei``,
    ``hamstrings``, ``rectus_femoris``, ``vasti``, ``gastrocnemius``, ``soleus``, ``tibialis_anterior``. The contacts
    ``right_heel``, ``right_toe``, ``left_heel`` and ``left_toe`` stand on the floor below y = 0.

    Examples
    --------
    >>> model = gait2d()
    >>> len(model.coordinates), len(model.muscles)
    (9, 16)
    """
    bodies = {"trunk": _TRUNK.body()}
    joints: dict[str, Joint] = {
        "pelvis": planar(
            "ground", "trunk", ("pelvis_x", "pelvis_y", "pelvis_tilt"), pelvis_y={"default": _standing_height()}
        ),
    }
    markers = {"shoulder_centre": Marker(body="trunk", at=(0.0, _TRUNK.length, 0.0))}
    forces: dict[str, Force] = {}
    muscles: dict[str, Muscle] = {}
    for side in SIDES:
        bodies.update(
            {
                f"{side}_{name}": segment.body()
                for name, segment in (("thigh", _THIGH), ("shank", _SHANK), ("foot", _FOOT))
            }
        )
        joints.update(_joints(side))
        markers.update(_markers(side))
        muscles.update(gait_muscles(f"{side}_{{}}"))
        forces.update(_contacts(side))
        forces.update(_passive(side))
    walker = Model(
        name="gait2d",
        source=_SOURCE,
        gravity=(0.0, -9.81, 0.0),
        bodies=bodies,
        joints=joints,
        markers=markers,
        muscles=muscles,
        forces=forces,
    )
    for side in SIDES:
        walker = with_leg_pictures(walker, f"{side}_{{}}")
    return walker


def _joints(side: str) -> dict[str, Joint]:
    places = (
        ("hip", "trunk", (0.0, 0.0, 0.0), "thigh"),
        ("knee", f"{side}_thigh", (0.0, -_THIGH.length, 0.0), "shank"),
        ("ankle", f"{side}_shank", (0.0, -_SHANK.length, 0.0), "foot"),
    )
    return {
        f"{side}_{name}": pin(
            {"body": parent, "at": at},
            f"{side}_{child}",
            f"{side}_{name}",
            "z",
            default=_STANCE[name],
            range=_range(name),
        )
        for name, parent, at, child in places
    }


def _markers(side: str) -> dict[str, Marker]:
    return {
        f"{side}_knee_centre": Marker(body=f"{side}_shank"),
        f"{side}_ankle_centre": Marker(body=f"{side}_foot"),
        f"{side}_heel_tip": Marker(body=f"{side}_foot", at=_HEEL),
        f"{side}_toe_tip": Marker(body=f"{side}_foot", at=_TOE),
    }


def gait_muscles(naming: str, size: float = 1.0, strength: float = 1.0) -> dict[str, Muscle]:
    """Return the eight muscle groups of a leg; ``naming`` turns names into those of the side, as ``"{}_r"``.

    All lengths are multiplied by ``size``, all forces by ``strength``.

    Examples
    --------
    >>> list(gait_muscles("{}_r"))[:3]
    ['iliopsoas_r', 'glutei_r', 'hamstrings_r']
    """
    return {naming.format(name): muscle_of(group, naming, size, strength) for name, group in _GROUPS.items()}


def muscle_of(group: Group, naming: str, size: float = 1.0, strength: float = 1.0) -> Muscle:
    """Return a muscle whose moment arms are constant: its length falls by arm times angle."""
    count = len(group.arms)
    terms = [Term(coefficient=tidy(size * group.length), powers=(0,) * count)]
    for number, arm in enumerate(group.arms.values()):
        terms.append(Term(coefficient=tidy(-size * arm), powers=tuple(int(other == number) for other in range(count))))
    joints = tuple(naming.format(joint) for joint in group.arms)
    max_force = tidy(strength * group.max_force)
    return Muscle(
        max_force=max_force,
        optimal_fibre_length=tidy(size * group.fibre),
        tendon_slack_length=tidy(size * group.tendon),
        max_velocity=12.0,
        # Of the fibres: it keeps the balance of forces solvable without activation.
        damping=0.001,
        curves=VanDenBogert2011(
            width=group.width,
            hill_a=0.25,
            eccentric_force=1.5,
            tendon_strain=0.05,
            parallel_slack=group.parallel_slack,
            parallel_strain=1.0,
            # The faint springs of both elastic elements: a hundredth of the maximal force per metre.
            linear_stiffness=tidy(0.01 * max_force),
        ),
        activation=_ACTIVATION,
        slow_fibres=tidy(1.0 - group.fast_fibres),
        path=FunctionPath(length=Polynomial(of=joints, terms=tuple(terms))),
    )


def _contacts(side: str) -> dict[str, Force]:
    return {
        f"{side}_{name}": ContactPoint(
            body=f"{side}_foot",
            at=at,
            stiffness=1e5,
            dissipation=1.0,
            friction=1.0,
            transition=0.001,
            transition_velocity=0.1,
        )
        for name, at in (("heel", _HEEL), ("toe", _TOE))
    }


def _passive(side: str) -> dict[str, Force]:
    """Return what holds the joints within their ranges (5 kN m/rad over 2°) and damps them (0.01 N m s/rad)."""
    forces: dict[str, Force] = {}
    for name in _RANGES:
        lower, upper = _range(name)
        forces[f"{side}_{name}_limit"] = JointLimit(
            coordinate=f"{side}_{name}",
            lower=lower,
            upper=upper,
            stiffness=5000.0,
            transition=tidy(math.radians(2)),
            onset="hyperbolic",
        )
        forces[f"{side}_{name}_damper"] = TorsionSpring(coordinate=f"{side}_{name}", damping=0.01)
    return forces


def _range(name: str) -> tuple[float, float]:
    lower, upper = _RANGES[name]
    return tidy(math.radians(lower)), tidy(math.radians(upper))


def _standing_height() -> float:
    """Return the height of the hips at which each of the four contacts bears about a quarter of the weight."""
    thigh, shank = _STANCE["hip"], _STANCE["hip"] + _STANCE["knee"]
    sink = 0.0017
    return round(_THIGH.length * math.cos(thigh) + _SHANK.length * math.cos(shank) - _HEEL[1] - sink, 4)
