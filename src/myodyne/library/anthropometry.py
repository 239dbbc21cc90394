"""Sizes of the segments of the human body, from body mass and height.

Two published tables, as fractions that a body mass (kg) and a height (m) turn into segments:

- Winter (2009), table 4.1 (Dempster's cadavers), with the lengths of Drillis and Contini (1966) as in Winter's
  figure 4.1. One radius of gyration, about the transverse axis: enough for planar models.
- de Leva (1996), table 4 (Zatsiorsky's young men and women, referred to joint centres). Three radii of
  gyration, and the mean lengths of samples with a stature of 1.741 m (men) and 1.735 m (women).

The fractions of mass are divided by their sum over the whole body, so that the segments weigh together what the
body weighs. The sum is 1 in Winter's table and for de Leva's men, 0.9999 for de Leva's women.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from myodyne.errors import ModelError, unknown_name

Sex = Literal["male", "female"]


class PlanarProportions(NamedTuple):
    """A segment as fractions: mass of the body's, length of the height, the others of the length.

    ``centre`` is measured from the first of the two ends; ``gyration`` is about the transverse axis through the
    centre of mass, None where the table prints none.
    """

    ends: str
    mass: float
    length: float
    centre: float
    gyration: float | None


class SpatialProportions(NamedTuple):
    """A segment as fractions, its length as the mean of the sample (mm); `centre` as in `PlanarProportions`.

    The radii of gyration are about the axes through the centre of mass that point forwards (sagittal), sideways
    (transverse) and along the segment (longitudinal), in the anatomical position.
    """

    ends: str
    mass: float
    length: float
    centre: float
    sagittal: float
    transverse: float
    longitudinal: float


class PlanarSegment(NamedTuple):
    """A segment in kg and m: ``centre`` from its first end, ``inertia`` (kg m²) about the centre of mass."""

    mass: float
    length: float
    centre: float
    inertia: float


class SpatialSegment(NamedTuple):
    """A segment in kg and m: ``centre`` from its first end, moments of inertia (kg m²) about the centre of mass."""

    mass: float
    length: float
    centre: float
    sagittal: float
    transverse: float
    longitudinal: float


# Heights and lengths as fractions of body height: Drillis and Contini 1966, as drawn in Winter 2009, figure 4.1.
ANKLE_HEIGHT = 0.039
KNEE_HEIGHT = 0.285
HIP_HEIGHT = 0.530
SHOULDER_HEIGHT = 0.818
EYE_HEIGHT = 0.936
FOOT_LENGTH = 0.152
UPPER_ARM_LENGTH = 0.186
FOREARM_LENGTH = 0.146
HAND_LENGTH = 0.108

# Where the ankle and the metatarsal heads stand along the foot, from the heel. The tables do not say; a quarter
# and three quarters give 0.133 m between them at 1.75 m, and Rajagopal et al. 2016 have 0.130 m at 1.70 m.
ANKLE_ALONG_FOOT = 0.25
BALL_ALONG_FOOT = 0.75

# Half the distance of the hip and shoulder centres, as fractions of body height, from the skeleton of
# Rajagopal et al. 2016: 0.077 m and 0.170 m at a stature of 1.70 m.
HALF_HIP_WIDTH = 0.0454
HALF_SHOULDER_WIDTH = 0.100

_FOOT_LINE = math.hypot((BALL_ALONG_FOOT - ANKLE_ALONG_FOOT) * FOOT_LENGTH, ANKLE_HEIGHT)
_TRUNK = SHOULDER_HEIGHT - HIP_HEIGHT

# Winter 2009, table 4.1. Dempster's head and neck runs from C7-T1 to the ear canal: here from shoulder height to
# eye height, because figure 4.1 gives neither C7 nor the ear. Rows whose length it does not give are left out.
WINTER: Mapping[str, PlanarProportions] = MappingProxyType(
    {
        "hand": PlanarProportions("wrist axis - knuckle II", 0.006, HAND_LENGTH, 0.506, 0.297),
        "forearm": PlanarProportions("elbow axis - ulnar styloid", 0.016, FOREARM_LENGTH, 0.430, 0.303),
        "upper_arm": PlanarProportions("glenohumeral axis - elbow axis", 0.028, UPPER_ARM_LENGTH, 0.436, 0.322),
        "forearm_hand": PlanarProportions("elbow axis - ulnar styloid", 0.022, FOREARM_LENGTH, 0.682, 0.468),
        "total_arm": PlanarProportions(
            "glenohumeral joint - ulnar styloid", 0.050, UPPER_ARM_LENGTH + FOREARM_LENGTH, 0.530, 0.368
        ),
        "foot": PlanarProportions("lateral malleolus - head of metatarsal II", 0.0145, _FOOT_LINE, 0.50, 0.475),
        "shank": PlanarProportions(
            "femoral condyles - medial malleolus", 0.0465, KNEE_HEIGHT - ANKLE_HEIGHT, 0.433, 0.302
        ),
        "thigh": PlanarProportions(
            "greater trochanter - femoral condyles", 0.100, HIP_HEIGHT - KNEE_HEIGHT, 0.433, 0.323
        ),
        "foot_shank": PlanarProportions(
            "femoral condyles - medial malleolus", 0.061, KNEE_HEIGHT - ANKLE_HEIGHT, 0.606, 0.416
        ),
        "total_leg": PlanarProportions(
            "greater trochanter - medial malleolus", 0.161, HIP_HEIGHT - ANKLE_HEIGHT, 0.447, 0.326
        ),
        "head_neck": PlanarProportions("C7-T1 - ear canal", 0.081, EYE_HEIGHT - SHOULDER_HEIGHT, 1.000, 0.495),
        "trunk": PlanarProportions("greater trochanter - glenohumeral joint", 0.497, _TRUNK, 0.50, None),
        "trunk_head_neck": PlanarProportions("greater trochanter - glenohumeral joint", 0.578, _TRUNK, 0.66, 0.503),
        "hat": PlanarProportions("greater trochanter - glenohumeral joint", 0.678, _TRUNK, 0.626, 0.496),
    }
)
WINTER_WHOLE_BODY: Mapping[str, int] = MappingProxyType(
    {"head_neck": 1, "trunk": 1, "upper_arm": 2, "forearm": 2, "hand": 2, "thigh": 2, "shank": 2, "foot": 2}
)

# de Leva 1996, table 4; the numbered rows are the same segments between other ends.
_MALE = MappingProxyType(
    {
        "head": SpatialProportions("VERT-MIDG", 0.0694, 203.3, 0.5976, 0.362, 0.376, 0.312),
        "trunk": SpatialProportions("SUPR-MIDH", 0.4346, 531.9, 0.4486, 0.372, 0.347, 0.191),
        "upper_trunk": SpatialProportions("SUPR-XYPH", 0.1596, 170.7, 0.2999, 0.716, 0.454, 0.659),
        "middle_trunk": SpatialProportions("XYPH-OMPH", 0.1633, 215.5, 0.4502, 0.482, 0.383, 0.468),
        "lower_trunk": SpatialProportions("OMPH-MIDH", 0.1117, 145.7, 0.6115, 0.615, 0.551, 0.587),
        "upper_arm": SpatialProportions("SJC-EJC", 0.0271, 281.7, 0.5772, 0.285, 0.269, 0.158),
        "forearm": SpatialProportions("EJC-WJC", 0.0162, 268.9, 0.4574, 0.276, 0.265, 0.121),
        "hand": SpatialProportions("WJC-MET3", 0.0061, 86.2, 0.7900, 0.628, 0.513, 0.401),
        "thigh": SpatialProportions("HJC-KJC", 0.1416, 422.2, 0.4095, 0.329, 0.329, 0.149),
        "shank": SpatialProportions("KJC-AJC", 0.0433, 440.3, 0.4395, 0.251, 0.246, 0.102),
        "foot": SpatialProportions("HEEL-TTIP", 0.0137, 258.1, 0.4415, 0.257, 0.245, 0.124),
        "head_2": SpatialProportions("VERT-CERV", 0.0694, 242.9, 0.5002, 0.303, 0.315, 0.261),
        "trunk_2": SpatialProportions("CERV-MIDH", 0.4346, 603.3, 0.5138, 0.328, 0.306, 0.169),
        "trunk_3": SpatialProportions("MIDS-MIDH", 0.4346, 515.5, 0.4310, 0.384, 0.358, 0.197),
        "upper_trunk_2": SpatialProportions("CERV-XYPH", 0.1596, 242.1, 0.5066, 0.505, 0.320, 0.465),
        "forearm_2": SpatialProportions("EJC-STYL", 0.0162, 266.9, 0.4608, 0.278, 0.267, 0.122),
        "hand_2": SpatialProportions("WJC-DAC3", 0.0061, 187.9, 0.3624, 0.288, 0.235, 0.184),
        "hand_3": SpatialProportions("STYL-DAC3", 0.0061, 189.9, 0.3691, 0.285, 0.233, 0.182),
        "hand_4": SpatialProportions("STYL-MET3", 0.0061, 88.2, 0.7948, 0.614, 0.502, 0.392),
        "shank_2": SpatialProportions("KJC-LMAL", 0.0433, 434.0, 0.4459, 0.255, 0.249, 0.103),
        "shank_3": SpatialProportions("KJC-SPHY", 0.0433, 427.7, 0.4524, 0.258, 0.253, 0.105),
    }
)
_FEMALE = MappingProxyType(
    {
        "head": SpatialProportions("VERT-MIDG", 0.0668, 200.2, 0.5894, 0.330, 0.359, 0.318),
        "trunk": SpatialProportions("SUPR-MIDH", 0.4257, 529.3, 0.4151, 0.357, 0.339, 0.171),
        "upper_trunk": SpatialProportions("SUPR-XYPH", 0.1545, 142.5, 0.2077, 0.746, 0.502, 0.718),
        "middle_trunk": SpatialProportions("XYPH-OMPH", 0.1465, 205.3, 0.4512, 0.433, 0.354, 0.415),
        "lower_trunk": SpatialProportions("OMPH-MIDH", 0.1247, 181.5, 0.4920, 0.433, 0.402, 0.444),
        "upper_arm": SpatialProportions("SJC-EJC", 0.0255, 275.1, 0.5754, 0.278, 0.260, 0.148),
        "forearm": SpatialProportions("EJC-WJC", 0.0138, 264.3, 0.4559, 0.261, 0.257, 0.094),
        "hand": SpatialProportions("WJC-MET3", 0.0056, 78.0, 0.7474, 0.531, 0.454, 0.335),
        "thigh": SpatialProportions("HJC-KJC", 0.1478, 368.5, 0.3612, 0.369, 0.364, 0.162),
        "shank": SpatialProportions("KJC-AJC", 0.0481, 438.6, 0.4352, 0.267, 0.263, 0.092),
        "foot": SpatialProportions("HEEL-TTIP", 0.0129, 228.3, 0.4014, 0.299, 0.279, 0.139),
        "head_2": SpatialProportions("VERT-CERV", 0.0668, 243.7, 0.4841, 0.271, 0.295, 0.261),
        "trunk_2": SpatialProportions("CERV-MIDH", 0.4257, 614.8, 0.4964, 0.307, 0.292, 0.147),
        "trunk_3": SpatialProportions("MIDS-MIDH", 0.4257, 497.9, 0.3782, 0.379, 0.361, 0.182),
        "upper_trunk_2": SpatialProportions("CERV-XYPH", 0.1545, 228.0, 0.5050, 0.466, 0.314, 0.449),
        "forearm_2": SpatialProportions("EJC-STYL", 0.0138, 262.4, 0.4592, 0.263, 0.259, 0.095),
        "hand_2": SpatialProportions("WJC-DAC3", 0.0056, 170.1, 0.3427, 0.244, 0.208, 0.154),
        "hand_3": SpatialProportions("STYL-DAC3", 0.0056, 172.0, 0.3502, 0.241, 0.206, 0.152),
        "hand_4": SpatialProportions("STYL-MET3", 0.0056, 79.9, 0.7534, 0.519, 0.443, 0.327),
        "shank_2": SpatialProportions("KJC-LMAL", 0.0481, 432.3, 0.4416, 0.271, 0.267, 0.093),
        "shank_3": SpatialProportions("KJC-SPHY", 0.0481, 426.0, 0.4481, 0.275, 0.271, 0.094),
    }
)
DE_LEVA: Mapping[str, Mapping[str, SpatialProportions]] = MappingProxyType({"male": _MALE, "female": _FEMALE})
DE_LEVA_STATURE: Mapping[str, float] = MappingProxyType({"male": 1.741, "female": 1.735})
DE_LEVA_WHOLE_BODY: Mapping[str, int] = MappingProxyType(
    {
        "head": 1,
        "upper_trunk": 1,
        "middle_trunk": 1,
        "lower_trunk": 1,
        "upper_arm": 2,
        "forearm": 2,
        "hand": 2,
        "thigh": 2,
        "shank": 2,
        "foot": 2,
    }
)

# The smallest and the largest people known, with some room: outside are centimetres, grams and typing errors.
_HEIGHTS = (0.4, 2.8)
_MASSES = (1.5, 700.0)


def check_body(mass: float, height: float) -> None:
    """Raise a ModelError unless mass (kg) and height (m) can be those of a person.

    Examples
    --------
    >>> check_body(75.0, 175.0)
    Traceback (most recent call last):
    ...
    myodyne.errors.ModelError: height 175 is implausible for a person in metres (0.4 to 2.8): are these centimetres?
    """
    _check("height", height, _HEIGHTS, "metres", "are these centimetres?")
    _check("mass", mass, _MASSES, "kilograms", "are these grams, pounds or newtons?")


def _check(what: str, value: float, limits: tuple[float, float], unit: str, doubt: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ModelError(f"{what} must be a number in {unit}, not {value!r:.60}")
    low, high = limits
    if not low <= value <= high:
        raise ModelError(f"{what} {value:g} is implausible for a person in {unit} ({low:g} to {high:g}): {doubt}")


def winter_segments(mass: float, height: float) -> dict[str, PlanarSegment]:
    """Return the segments of a body by Winter's table, each of a pair on its own.

    The table prints no radius of gyration for the trunk without the head. Its moment of inertia is what remains
    of trunk, head and neck together when the head and neck are taken out.

    Parameters
    ----------
    mass : float
        Body mass (kg).
    height : float
        Body height (m).

    Examples
    --------
    >>> thigh = winter_segments(mass=75.0, height=1.75)["thigh"]
    >>> print(f"{thigh.mass:.2f} kg, {thigh.length:.4f} m")
    7.50 kg, 0.4288 m
    """
    check_body(mass, height)
    whole = math.fsum(WINTER[name].mass * count for name, count in WINTER_WHOLE_BODY.items())
    sized = {}
    for name, row in WINTER.items():
        weight, length = mass * row.mass / whole, height * row.length
        inertia = 0.0 if row.gyration is None else weight * (row.gyration * length) ** 2
        sized[name] = PlanarSegment(weight, length, row.centre * length, inertia)
    sized["trunk"] = sized["trunk"]._replace(inertia=_inertia_of_trunk(sized))
    return sized


def _inertia_of_trunk(sized: Mapping[str, PlanarSegment]) -> float:
    trunk, head, both = sized["trunk"], sized["head_neck"], sized["trunk_head_neck"]
    head_height = trunk.length + head.centre
    # The common centre of the two parts, not the tabulated one, which differs by 1 % of the height: the
    # parallel-axis theorem holds for parts that fit together.
    common = (trunk.mass * trunk.centre + head.mass * head_height) / (trunk.mass + head.mass)
    shifted = trunk.mass * (trunk.centre - common) ** 2 + head.mass * (head_height - common) ** 2
    return both.inertia - head.inertia - shifted


def de_leva_segments(mass: float, height: float, sex: Sex = "male") -> dict[str, SpatialSegment]:
    """Return the segments of a body by de Leva's table, each of a pair on its own.

    Lengths are the sample's means times height over the sample's stature.

    Parameters
    ----------
    mass : float
        Body mass (kg).
    height : float
        Body height (m).
    sex : {"male", "female"}
        The sample.

    Examples
    --------
    >>> thigh = de_leva_segments(mass=75.0, height=1.741)["thigh"]
    >>> print(f"{thigh.mass:.2f} kg, {thigh.length:.4f} m, {thigh.transverse:.3f} kg m2")
    10.62 kg, 0.4222 m, 0.205 kg m2
    """
    check_body(mass, height)
    if sex not in DE_LEVA:
        raise ModelError(unknown_name("sex", sex, DE_LEVA))
    table = DE_LEVA[sex]
    whole = math.fsum(table[name].mass * count for name, count in DE_LEVA_WHOLE_BODY.items())
    sized = {}
    for name, row in table.items():
        weight, length = mass * row.mass / whole, 1e-3 * row.length * height / DE_LEVA_STATURE[sex]
        radii = (row.sagittal, row.transverse, row.longitudinal)
        sagittal, transverse, longitudinal = (weight * (radius * length) ** 2 for radius in radii)
        sized[name] = SpatialSegment(weight, length, row.centre * length, sagittal, transverse, longitudinal)
    return sized
