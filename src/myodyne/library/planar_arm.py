"""A planar arm with six muscles over shoulder and elbow."""

from __future__ import annotations

import math
from typing import NamedTuple

from myodyne.library.mobility import radians, tidy
from myodyne.library.muscle_pictures import with_arm_pictures
from myodyne.model.bodies import Body, Marker
from myodyne.model.forces import JointLimit
from myodyne.model.functions import Polynomial, Term
from myodyne.model.joints import CoordinateOptions, pin
from myodyne.model.model import Model
from myodyne.model.muscles.activation import HatzeActivation
from myodyne.model.muscles.curves import VanSoestBobbert1993
from myodyne.model.muscles.muscle import Muscle
from myodyne.model.paths import FunctionPath

_SOURCE = (
    "Segments, forces, fibre and tendon lengths and moment arms: the lumped arm of Nijhof and Kouwenhoven 2000 (in "
    "Winters and Crago, Biomechanics and Neural Control of Posture and Movement, 363-372) as Codol et al. 2024 quote "
    "it in the program MotorNet. The quoted moments of inertia, 0.051 and 0.057 kg m2, are taken about the upper ends "
    "of the segments: about their centres of mass no bodies of these lengths could have them. Curves and activation: "
    "van Soest and Bobbert 1993. Chosen: start, limits of the joints."
)


class _Muscle(NamedTuple):
    """Maximal force (N), optimal fibre, slack and whole length (m); slopes of the length at both joints, curvature."""

    max_force: float
    fibre: float
    tendon: float
    length: float
    shoulder: float = 0.0
    elbow: float = 0.0
    elbow_squared: float = 0.0


_MUSCLES = {
    "shoulder_flexor": _Muscle(838.0, 0.134, 0.039, 0.151, shoulder=-0.03),
    "shoulder_extensor": _Muscle(1207.0, 0.14, 0.066, 0.2322, shoulder=0.03),
    "elbow_flexor": _Muscle(1422.0, 0.092, 0.172, 0.2859, elbow=-0.014, elbow_squared=-0.004),
    "elbow_extensor": _Muscle(1549.0, 0.093, 0.187, 0.2355, elbow=0.025, elbow_squared=-0.0022),
    "biarticular_flexor": _Muscle(414.0, 0.137, 0.204, 0.3329, shoulder=-0.03, elbow=-0.016, elbow_squared=-0.0057),
    "biarticular_extensor": _Muscle(603.0, 0.127, 0.217, 0.2989, shoulder=0.03, elbow=0.03, elbow_squared=-0.0032),
}
_UPPER_ARM, _FOREARM = 0.309, 0.333
# Ranges (degrees) and start.
_RANGES = {"shoulder": (0, 135, 45), "elbow": (0, 155, 90)}


def planar_arm() -> Model:
    """Return a right arm of two segments with six muscles that moves in the horizontal plane, seen from above.

    x points to the right and y forwards, and there is no gravity in this plane. ``shoulder`` is the angle of the upper
    arm from x, ``elbow`` its flexion. The hand lies at the end of the forearm. Muscles: flexor and extensor of each
    joint (``shoulder_flexor`` …), and two that span both (``biarticular_flexor``, ``biarticular_extensor``).

    Examples
    --------
    >>> list(planar_arm().coordinates), len(planar_arm().muscles)
    (['shoulder', 'elbow'], 6)
    """
    starts: dict[str, CoordinateOptions] = {
        name: {"default": radians(at), "range": (radians(low), radians(high))}
        for name, (low, high, at) in _RANGES.items()
    }
    arm = Model(
        name="planar_arm",
        source=_SOURCE,
        gravity=(0.0, 0.0, 0.0),
        bodies={"upper_arm": _body(1.82, 0.135, 0.051), "forearm": _body(1.43, 0.165, 0.057)},
        joints={
            "shoulder": pin("ground", "upper_arm", "shoulder", **starts["shoulder"]),
            "elbow": pin({"body": "upper_arm", "at": (_UPPER_ARM, 0.0, 0.0)}, "forearm", "elbow", **starts["elbow"]),
        },
        markers={"hand": Marker(body="forearm", at=(_FOREARM, 0.0, 0.0))},
        muscles={name: _muscle(numbers) for name, numbers in _MUSCLES.items()},
        forces={
            f"{name}_limit": JointLimit(
                coordinate=name, lower=radians(low), upper=radians(high), stiffness=200.0, damping=2.0, transition=0.05
            )
            for name, (low, high, _) in _RANGES.items()
        },
    )
    return with_arm_pictures(arm)


def _body(mass: float, centre: float, about_end: float) -> Body:
    return Body(mass=mass, centre_of_mass=(centre, 0.0, 0.0), inertia=tidy(about_end - mass * centre**2))


def _muscle(numbers: _Muscle) -> Muscle:
    curves = VanSoestBobbert1993()
    # The published length counts the shoulder angle from straight ahead.
    constant = numbers.length - numbers.shoulder * math.pi / 2
    powers = {(0, 0): constant, (1, 0): numbers.shoulder, (0, 1): numbers.elbow, (0, 2): numbers.elbow_squared}
    spanned = [number for number, slope in enumerate((numbers.shoulder, numbers.elbow)) if slope]
    terms = [
        Term(coefficient=tidy(value), powers=tuple(power[number] for number in spanned))
        for power, value in powers.items()
        if value
    ]
    length = Polynomial(of=tuple(("shoulder", "elbow")[number] for number in spanned), terms=tuple(terms))
    return Muscle(
        max_force=numbers.max_force,
        optimal_fibre_length=numbers.fibre,
        tendon_slack_length=numbers.tendon,
        max_velocity=tidy(5.2 / curves.hill_a),
        curves=curves,
        activation=HatzeActivation(),
        path=FunctionPath(length=length),
    )
