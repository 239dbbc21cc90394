"""Published passive moments of the joints of the leg and the trunk."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from myodyne.errors import ModelError, unknown_name
from myodyne.model.springs import ExponentialTerm, PassiveMoment

# Riener and Edrich 1999 (J Biomech 32, 539-544), the mean of ten people, muscles at rest included. Each term is
# sign · exp(exponent + Σ rate · angle), angles in degrees: hip and knee flexion, plantar flexion; moments (N m) in the
# same directions. The last rate of the knee is quoted as 0.150 and as 1.50; at 1.50 the term would be gone at 3°.
_RIENER: dict[str, tuple[float, list[tuple[float, float, dict[str, float]]]]] = {
    "hip": (
        8.072,
        [(1.0, 1.4655, {"knee": -0.0034, "hip": -0.0750}), (-1.0, 1.3403, {"knee": -0.0226, "hip": 0.0305})],
    ),
    "knee": (
        -4.820,
        [
            (1.0, 1.800, {"ankle": -0.0460, "knee": -0.0352, "hip": 0.0217}),
            (-1.0, -3.971, {"ankle": -0.0004, "knee": 0.0495, "hip": -0.0128}),
            (1.0, 2.220, {"knee": -0.150}),
        ],
    ),
    "ankle": (
        -1.792,
        [(1.0, 2.1016, {"ankle": -0.0843, "knee": -0.0176}), (-1.0, -7.9763, {"ankle": 0.1949, "knee": 0.0008})],
    ),
}


class _Stops(NamedTuple):
    """The double exponential k1 exp(k2 (q - upper)) + k3 exp(k4 (q - lower)): N m, 1/rad, rad."""

    k1: float
    k2: float
    k3: float
    k4: float
    lower: float
    upper: float


# Anderson and Pandy's form (F. C. Anderson's dissertation, 1999) with the numbers that Falisse et al. 2019 published
# (J R Soc Interface 16, 20190402; file PassiveMomentsData.m of their repository). Angles as in OpenSim's gait2392: hip
# flexion, knee extension, dorsiflexion, lumbar extension are positive.
_STOPS = {
    "hip_flexion": _Stops(-2.44, 5.05, 1.51, -21.88, -0.6981, 1.81),
    "hip_adduction": _Stops(-0.03, 14.94, 0.03, -14.94, -0.5, 0.5),
    "hip_rotation": _Stops(-0.03, 14.94, 0.03, -14.94, -0.92, 0.92),
    "knee": _Stops(-6.09, 33.94, 11.03, -11.33, -2.4, 0.13),
    "ankle": _Stops(-2.03, 38.11, 0.18, -12.12, -0.74, 0.52),
    "subtalar": _Stops(-60.21, 16.32, 60.21, -16.32, -0.65, 0.65),
    "toes": _Stops(-0.9, 14.87, 0.18, -70.08, 0.0, math.radians(65)),
    "lumbar_extension": _Stops(-0.35, 30.72, 0.25, -20.36, math.radians(-30), 0.17),
    "lumbar_bending": _Stops(-0.25, 20.36, 0.25, -20.36, math.radians(-20), math.radians(20)),
    "lumbar_rotation": _Stops(-0.25, 20.36, 0.25, -20.36, math.radians(-20), math.radians(20)),
}


def passive_leg(hip: str, knee: str, ankle: str, *, knee_flexion: Literal[-1, 1] = -1) -> dict[str, PassiveMoment]:
    """Return the passive moments of a leg after Riener and Edrich 1999, by coordinate, for ``model.with_parts``.

    They hold for relaxed legs of adults: muscles at rest are included. Where a model's muscles have passive forces of
    their own in the range of the movement, both count. They depend on neighbouring joints and are the derivative of no
    energy: along closed paths of the angles a little work is done.

    Parameters
    ----------
    hip, knee, ankle
        The coordinates; flexion of the hip and dorsiflexion are positive, all zero in upright stance.
    knee_flexion
        The sign of the knee's flexion: -1 in gait2d and gait2392, 1 where a bent knee is positive.

    Examples
    --------
    An ankle at right angles is pushed into plantar flexion by about 6 N m:

    >>> import myodyne as my
    >>> ankle = my.passive_leg("right_hip", "right_knee", "right_ankle")["right_ankle"]
    >>> round(ankle.constant + sum(term.size for term in ankle.terms), 1)
    -6.4
    """
    names = {"hip": hip, "knee": knee, "ankle": ankle}
    signs = {"hip": 1, "knee": knee_flexion, "ankle": -1}
    found = {}
    for joint, (constant, parts) in _RIENER.items():
        terms = []
        for sign, exponent, rates in parts:
            own = {name: math.degrees(rate) * signs[name] for name, rate in rates.items()}
            others = {names[name]: rate for name, rate in own.items() if name != joint}
            terms.append(ExponentialTerm(size=signs[joint] * sign * math.exp(exponent), rate=own[joint], others=others))
        found[names[joint]] = PassiveMoment(
            coordinate=names[joint], constant=signs[joint] * constant, terms=tuple(terms)
        )
    return found


def passive_stop(coordinate: str, of: str, *, flipped: bool = False, damping: float = 0.1) -> PassiveMoment:
    """Return the passive moment of ligaments at the ends of a joint's range, after Anderson and Falisse et al. 2019.

    Inside the range it is nearly zero.

    Parameters
    ----------
    coordinate
        The coordinate that it acts on.
    of
        The motion: ``"hip_flexion"``, ``"hip_adduction"``, ``"hip_rotation"``, ``"knee"`` (extension positive),
        ``"ankle"``, ``"subtalar"``, ``"toes"``, ``"lumbar_extension"``, ``"lumbar_bending"``, ``"lumbar_rotation"``.
    flipped
        Whether the coordinate counts the other way, such as a knee whose flexion is positive.
    damping
        N m s/rad.

    Examples
    --------
    >>> import myodyne as my
    >>> my.passive_stop("knee_angle_r", of="knee").terms[0].at
    0.13
    """
    if of not in _STOPS:
        raise ModelError(unknown_name("motion", of, _STOPS))
    stops, sign = _STOPS[of], -1 if flipped else 1
    ends = ((stops.k1, stops.k2, stops.upper), (stops.k3, stops.k4, stops.lower))
    terms = tuple(ExponentialTerm(size=sign * size, rate=sign * rate, at=sign * at) for size, rate, at in ends)
    return PassiveMoment(coordinate=coordinate, terms=terms, damping=damping)
