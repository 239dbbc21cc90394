"""The six muscle groups that extend and flex a planar leg, with the numbers of Bobbert and van Soest's jumpers.

Maximal forces, optimal fibre lengths, slack lengths and the polynomials of the muscle lengths: van Soest and Bobbert
1993 (Biol. Cybern. 69, 195-204), in the version with which Wong, Bobbert, van Soest, Gribble and Kistemaker 2016 (PLoS
ONE 11, e0150019) computed their jumps.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from myodyne.library.mobility import Turn, radians, tidy
from myodyne.model.forces import JointLimit
from myodyne.model.functions import Polynomial, Term
from myodyne.model.muscles.activation import HatzeActivation
from myodyne.model.muscles.curves import VanSoestBobbert1993
from myodyne.model.muscles.muscle import Muscle
from myodyne.model.paths import FunctionPath

# The curves and the activation as the jumps of 2016 have them. Hill's b is 5.2 optimal lengths per second.
_CURVES = VanSoestBobbert1993(parallel_slack=1.5)
_ACTIVATION = HatzeActivation(sensitivity=66200.0, exponent=2.0)
_MAX_VELOCITY = 5.2 / _CURVES.hill_a

# How far the joints turn (degrees): under load an ankle bends further than the 20 degrees of an examination.
LEG_TURNS = (Turn("ankle", "-z", -50, 40, 0), Turn("knee", "-z", -135, 5, 0), Turn("hip", "-z", -30, 120, 0))


class _Group(NamedTuple):
    """A muscle group of two legs, and its length (m): a constant, and slopes and curvatures by joint.

    The length is a polynomial of the turns φ (rad) of the proximal segment against the distal one, counter-clockwise
    with the person facing right. Segments run upwards, the foot from the toes to the ankle.
    """

    max_force: float
    fibre: float
    tendon: float
    constant: float
    joints: dict[str, tuple[float, float]]


_GROUPS = {
    "soleus": _Group(8000.0, 0.055, 0.235597, 0.22958272, {"ankle": (-0.062719541, -0.0081202)}),
    "gastrocnemius": _Group(
        4000.0,
        0.055,
        0.376083,
        0.35059272 + 0.043828152,
        {"ankle": (-0.062719541, -0.0081202), "knee": (-0.018551168, 0.0014643)},
    ),
    "vasti": _Group(9000.0, 0.093, 0.16, 0.21305311, {"knee": (0.042, 0.0)}),
    "rectus_femoris": _Group(3000.0, 0.081, 0.34, 0.30805311 + 0.10995574, {"knee": (0.042, 0.0), "hip": (0.035, 0.0)}),
    "glutei": _Group(5000.0, 0.2, 0.15, 0.25522126, {"hip": (-0.062, 0.0)}),
    "hamstrings": _Group(4000.0, 0.104, 0.37, 0.081681409 + 0.32809737, {"knee": (-0.026, 0.0), "hip": (-0.077, 0.0)}),
}


def leg_muscles(
    foot_line: float, legs: int = 1, side: str = "", rest: Mapping[str, float] | None = None
) -> dict[str, Muscle]:
    """Return the muscles of one leg, or of two that move as one, over ``ankle``, ``knee`` and ``hip``.

    Parameters
    ----------
    foot_line : float
        Angle (rad) of the line from the toes to the ankle in a flat foot, from straight forwards.
    legs : int
        How many legs the muscles belong to.
    side : str
        The end of the names of muscles and coordinates, like ``"_r"``.
    rest : mapping
        The activation states from which the muscles start, by name without side; zero where not given.

    Examples
    --------
    >>> list(leg_muscles(foot_line=2.7))
    ['soleus', 'gastrocnemius', 'vasti', 'rectus_femoris', 'glutei', 'hamstrings']
    """
    # All angles of a person are zero upright, and flexion turns the proximal segment backwards: φ = upright - angle.
    upright = {"ankle": math.pi / 2 - foot_line, "knee": 0.0, "hip": 0.0}
    return {
        f"{name}{side}": Muscle(
            max_force=group.max_force * legs / 2,
            optimal_fibre_length=group.fibre,
            tendon_slack_length=group.tendon,
            max_velocity=tidy(_MAX_VELOCITY),
            curves=_CURVES,
            activation=_ACTIVATION,
            default_activation=(rest or {}).get(name, 0.0),
            path=FunctionPath(length=_length(group, upright, side)),
        )
        for name, group in _GROUPS.items()
    }


def leg_limits(legs: int = 1) -> dict[str, JointLimit]:
    """Return what holds ankle, knee and hip within their ranges: chosen, not measured.

    Examples
    --------
    >>> list(leg_limits())
    ['ankle_limit', 'knee_limit', 'hip_limit']
    """
    return {
        f"{turn.coordinate}_limit": JointLimit(
            coordinate=turn.coordinate,
            lower=radians(turn.lowest),
            upper=radians(turn.highest),
            stiffness=750.0 * legs,
            damping=15.0 * legs,
            transition=0.03,
        )
        for turn in LEG_TURNS
    }


def _length(group: _Group, upright: dict[str, float], side: str) -> Polynomial:
    """Return the length of a muscle as a polynomial of the joint angles."""
    count = len(group.joints)
    terms = []
    constant = group.constant
    for number, (joint, (slope, curvature)) in enumerate(group.joints.items()):
        turn = upright[joint]
        constant += slope * turn + curvature * turn**2
        for power, coefficient in ((1, -slope - 2 * curvature * turn), (2, curvature)):
            if coefficient:
                powers = tuple(power if other == number else 0 for other in range(count))
                terms.append(Term(coefficient=tidy(coefficient), powers=powers))
    terms.insert(0, Term(coefficient=tidy(constant), powers=(0,) * count))
    return Polynomial(of=tuple(f"{joint}{side}" for joint in group.joints), terms=tuple(terms))
