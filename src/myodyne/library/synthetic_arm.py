"""An arm with as many muscles as wanted, of random but bodily sizes: for tests and benchmarks of size."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from itertools import cycle, islice, pairwise
from typing import Any, NamedTuple

from myodyne.errors import ModelError
from myodyne.library.anthropometry import SpatialSegment, de_leva_segments
from myodyne.library.mobility import Turn, tidy
from myodyne.model.bodies import Body, Inertia, Placement
from myodyne.model.forces import JointLimit, TorsionSpring
from myodyne.model.functions import Polynomial, Term
from myodyne.model.joints import Joint, weld
from myodyne.model.model import STANDARD_GRAVITY, Model
from myodyne.model.muscles.activation import HeActivation
from myodyne.model.muscles.muscle import Muscle
from myodyne.model.part import Vector
from myodyne.model.paths import FunctionPath

FEWEST, MOST = 10, 1000
_SOURCE = (
    "Segments of the arm: de Leva 1996, a man of 75 kg and 1.75 m. Clavicle, scapula, joints and passive moments: "
    "round numbers of our own. Muscles: random, {muscles} with the seed {seed}; no measurement of any person."
)


class _Site(NamedTuple):
    """A joint of the arm: its position on its parent (m), how it turns, what passively holds it (N m/rad)."""

    name: str
    parent: str
    child: str
    at: Vector
    turns: tuple[Turn, ...]
    stiffness: float


class _Kind(NamedTuple):
    """Muscles between two bodies: the joints that they cross, and the range of their moment arms (m)."""

    name: str
    crosses: tuple[str, ...]
    arms: tuple[float, float]
    share: int


# Which bodies the elements join, in what shares, follows the usual count of elements of a shoulder model.
_KINDS = (
    _Kind("thorax_scapula", ("sternoclavicular", "acromioclavicular"), (0.01, 0.05), 4),
    _Kind("scapula_humerus", ("glenohumeral",), (0.005, 0.03), 4),
    _Kind("thorax_clavicle", ("sternoclavicular",), (0.01, 0.05), 1),
    _Kind("clavicle_humerus", ("acromioclavicular", "glenohumeral"), (0.005, 0.03), 1),
    _Kind("humerus_ulna", ("elbow",), (0.01, 0.04), 2),
    _Kind("scapula_ulna", ("glenohumeral", "elbow"), (0.01, 0.03), 1),
    _Kind("humerus_radius", ("elbow", "forearm"), (0.005, 0.03), 1),
    _Kind("ulna_radius", ("forearm",), (0.004, 0.012), 1),
)
# All muscles together pull about as hard as in a healthy arm, in however many parts.
_TOTAL_FORCE = 30_000.0


def synthetic_arm(muscles: int = 138, seed: int = 0) -> Model:
    """Return an arm of 11 degrees of freedom with random muscles: the same for the same seed.

    Clavicle, scapula, upper arm, ulna, radius and hand hang from the sternum; x points forward, y up, z to the right,
    and all angles are zero with the arm hanging, which the passive moments of the joints hold against gravity. Each
    muscle's path is a polynomial of one to six coordinates; muscles come in pairs that pull against each other. The
    fibres are a little shorter than optimal in the hanging arm.

    Parameters
    ----------
    muscles : int
        How many, 10 to 1000. Their forces together stay the same.
    seed : int
        Which arm.

    Examples
    --------
    >>> import myodyne as my
    >>> arm = my.synthetic_arm(muscles=24, seed=1)
    >>> len(arm.moving), len(arm.muscles)
    (11, 24)
    >>> arm == my.synthetic_arm(muscles=24, seed=1)
    True
    """
    for what, value, low, high in (("muscles", muscles, FEWEST, MOST), ("seed", seed, 0, 2**32)):
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise ModelError(f"synthetic_arm: {what} must be a whole number from {low} to {high}, not {value!r:.40}")
    sized = de_leva_segments(mass=75.0, height=1.75)
    sites, bodies = _sites(sized), _bodies(sized)
    return Model(
        name="synthetic_arm",
        source=_SOURCE.format(muscles=muscles, seed=seed),
        bodies=bodies,
        joints={site.name: _joint(site) for site in sites} | {"wrist": _wrist(sized)},
        muscles=dict(_muscles(sites, muscles, random.Random(seed))),
        forces=_passive(sites, bodies),
    )


# --- the skeleton -------------------------------------------------------------------------------------------


def _sites(sized: Mapping[str, SpatialSegment]) -> tuple[_Site, ...]:
    upper_arm = sized["upper_arm"].length
    return (
        _Site(
            "sternoclavicular",
            "ground",
            "clavicle",
            (0.0, 0.0, 0.02),
            (
                Turn("clavicle_protraction", "y", -25, 25, 0),
                Turn("clavicle_elevation", "-x", -10, 30, 0),
                Turn("clavicle_rotation", "z", -15, 45, 0),
            ),
            40.0,
        ),
        _Site(
            "acromioclavicular",
            "clavicle",
            "scapula",
            (-0.02, 0.01, 0.15),
            (
                Turn("scapula_protraction", "y", -25, 25, 0),
                Turn("scapula_elevation", "-x", -25, 25, 0),
                Turn("scapula_tilt", "z", -20, 20, 0),
            ),
            40.0,
        ),
        _Site(
            "glenohumeral",
            "scapula",
            "upper_arm",
            (0.0, -0.03, 0.01),
            (
                Turn("shoulder_flexion", "z", -50, 120, 0),
                Turn("shoulder_adduction", "x", -80, 20, 0),
                Turn("shoulder_rotation", "y", -80, 60, 0),
            ),
            4.0,
        ),
        _Site("elbow", "upper_arm", "ulna", (0.0, tidy(-upper_arm), 0.0), (Turn("elbow", "z", -5, 145, 0),), 1.0),
        _Site("forearm", "ulna", "radius", (0.0, 0.0, 0.0), (Turn("pronation", "y", -80, 80, 0),), 0.5),
    )


def _bodies(sized: Mapping[str, SpatialSegment]) -> dict[str, Body]:
    half = sized["forearm"]
    half = half._replace(**{field: getattr(half, field) / 2 for field in half._fields if field not in _LENGTHS})
    return {
        "clavicle": Body(mass=0.25, centre_of_mass=(-0.01, 0.0, 0.075), inertia=Inertia(xx=5e-4, yy=5e-4, zz=1e-4)),
        "scapula": Body(mass=0.75, centre_of_mass=(-0.05, -0.06, -0.04), inertia=Inertia(xx=2e-3, yy=1e-3, zz=2e-3)),
        "upper_arm": _hanging(sized["upper_arm"]),
        "ulna": _hanging(half),
        "radius": _hanging(half),
        "hand": _hanging(sized["hand_2"]),
    }


_LENGTHS = ("length", "centre")


def _hanging(segment: SpatialSegment) -> Body:
    """Return a segment that hangs from its origin along -y."""
    return Body(
        mass=tidy(segment.mass),
        centre_of_mass=(0.0, tidy(-segment.centre), 0.0),
        inertia=Inertia(xx=tidy(segment.sagittal), yy=tidy(segment.longitudinal), zz=tidy(segment.transverse)),
    )


def _joint(site: _Site) -> Joint:
    return Joint(
        parent=Placement(body=site.parent, at=site.at),
        child=Placement(body=site.child),
        coordinates={turn.coordinate: turn.part for turn in site.turns},
        axes=[{"motion": "rotation", "direction": turn.axis, "function": turn.coordinate} for turn in site.turns],
    )


def _wrist(sized: Mapping[str, SpatialSegment]) -> Joint:
    return weld({"body": "radius", "at": (0.0, tidy(-sized["forearm"].length), 0.0)}, "hand")


def _passive(sites: tuple[_Site, ...], bodies: Mapping[str, Body]) -> dict[str, Any]:
    """Return a spring, a damper and a limit for every turn; the springs bear the hanging arm's weight."""
    forces: dict[str, Any] = {}
    for number, site in enumerate(sites):
        carried = _weight_below(sites[number:], bodies)
        for turn in site.turns:
            low, high = turn.options["range"]
            rest = tidy(-_about(turn.axis, carried) / site.stiffness)
            forces[f"{turn.coordinate}_spring"] = TorsionSpring(
                coordinate=turn.coordinate, stiffness=site.stiffness, rest=rest, damping=1.0
            )
            forces[f"{turn.coordinate}_limit"] = JointLimit(
                coordinate=turn.coordinate, lower=low, upper=high, stiffness=0.0, curvature=500.0
            )
    return forces


def _weight_below(sites: tuple[_Site, ...], bodies: Mapping[str, Body]) -> Vector:
    """Return the moment of weight (N m) about the first joint, of all that hangs on it, all angles being zero."""
    gravity = STANDARD_GRAVITY[1]
    x = z = 0.0
    moment_x = moment_z = 0.0
    for site in sites:
        if site is not sites[0]:
            x, z = x + site.at[0], z + site.at[2]
        held = [bodies[site.child], *([bodies["hand"]] if site.child == "radius" else [])]
        for body in held:
            weight = body.mass * gravity
            moment_x -= (z + body.centre_of_mass[2]) * weight
            moment_z += (x + body.centre_of_mass[0]) * weight
    return (moment_x, 0.0, moment_z)


def _about(axis: str, moment: Vector) -> float:
    sign = -1.0 if axis.startswith("-") else 1.0
    return sign * moment["xyz".index(axis[-1])]


# --- the muscles --------------------------------------------------------------------------------------------


def _muscles(sites: tuple[_Site, ...], count: int, draw: random.Random) -> Iterator[tuple[str, Muscle]]:
    """Yield muscles by name, in pairs: the second of a pair pulls against the first."""
    turns = {site.name: site.turns for site in sites}
    made: dict[str, int] = {}
    # Round after round, so that a few muscles already cross all joints.
    rounds = [kind for turn in range(max(kind.share for kind in _KINDS)) for kind in _KINDS if kind.share > turn]
    pairs = islice(cycle(rounds), (count + 1) // 2)
    kinds = [kind for kind in pairs for _ in range(2)][:count]
    arms: list[float] = []
    for number, kind in enumerate(kinds):
        crossed = [turn for joint in kind.crosses for turn in turns[joint]]
        if number % 2 == 0:
            arms = [_between(draw, *kind.arms) * (-1.0 if draw.random() < 0.5 else 1.0) for _ in crossed]
        else:
            arms = [-arm * _between(draw, 0.9, 1.1) for arm in arms]
        made[kind.name] = made.get(kind.name, 0) + 1
        yield f"{kind.name}_{made[kind.name]}", _muscle(crossed, arms, _TOTAL_FORCE / count, draw)


def _muscle(crossed: list[Turn], arms: list[float], force: float, draw: random.Random) -> Muscle:
    # How far the path goes when all joints go half of their ranges one way.
    travel = math.fsum(
        abs(arm) * (turn.options["range"][1] - turn.options["range"][0]) / 4
        for turn, arm in zip(crossed, arms, strict=True)
    )
    fibre = _rounded(max(0.04, travel) * _between(draw, 1.2, 1.8))
    tendon = _rounded(fibre * _between(draw, 0.3, 1.5))
    pennation = _rounded(_between(draw, 0.09, 0.35)) if draw.random() < 0.25 else 0.0
    rise = _between(draw, 0.007, 0.026)
    path = tendon + fibre * math.cos(pennation) * _between(draw, 0.85, 1.0)
    return Muscle(
        max_force=_rounded(force * _between(draw, 0.5, 1.5), 2),
        optimal_fibre_length=fibre,
        tendon_slack_length=tendon,
        pennation=pennation,
        damping=0.001,
        activation=HeActivation(activation_time=_rounded(rise), deactivation_time=_rounded(2.5 * rise + 0.017)),
        path=FunctionPath(length=_polynomial([turn.coordinate for turn in crossed], path, arms, draw)),
    )


def _polynomial(names: list[str], length: float, arms: list[float], draw: random.Random) -> Polynomial:
    """Return a path length: in the hanging arm of the given moment arms, elsewhere of somewhat others.

    The fewer coordinates, the higher the powers: 5 to 18 terms.
    """
    size = len(names)
    highest = 2 if size > 4 else 3 if size > 2 else 4
    terms = [Term(coefficient=_rounded(length), powers=(0,) * size)]
    for number, arm in enumerate(arms):
        for power in range(1, highest + 1):
            share = 1.0 if power == 1 else _between(draw, -0.3, 0.3) / math.factorial(power)
            powers = tuple(power if place == number else 0 for place in range(size))
            terms.append(Term(coefficient=_rounded(-arm * share), powers=powers))
    for first, second in pairwise(range(size)):
        powers = tuple(1 if place in (first, second) else 0 for place in range(size))
        share = _between(draw, -0.2, 0.2)
        terms.append(Term(coefficient=_rounded(share * min(abs(arms[first]), abs(arms[second]))), powers=powers))
    return Polynomial(of=tuple(names), terms=tuple(terms))


def _between(draw: random.Random, low: float, high: float) -> float:
    # Only random() is promised to give the same numbers in every version of Python.
    return low + (high - low) * draw.random()


def _rounded(value: float, digits: int = 6) -> float:
    return round(value, digits) + 0.0
