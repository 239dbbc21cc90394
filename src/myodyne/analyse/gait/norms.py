"""How people walk and run: curves over the cycle, measures, and muscle timing, each with its source."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from myodyne.library.winter_gait import winter_gait
from myodyne.types import Floats

POINTS = 101
WINTER = "Winter 1991, normal cadence, 1.325 m/s"
_PERRY = "Perry 1992, Gait Analysis, on and off times of electromyograms"


@dataclass(frozen=True, eq=False)
class NormCurve:
    """Mean and standard deviation of people over the cycle (0 to 100 %), and where they are from.

    Examples
    --------
    >>> knee = curve_norm("knee_angle", "walking")
    >>> round(float(knee.mean.max()))      # degrees of flexion, in swing
    65
    """

    mean: Floats
    deviation: Floats
    source: str


@dataclass(frozen=True)
class Range:
    """What people do: a lower and an upper end, and where they are from.

    Examples
    --------
    >>> 62.0 in Range(57.0, 67.0, "Perry")
    True
    """

    low: float
    high: float
    source: str

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int | float) and self.low <= value <= self.high


def curve_norm(name: str, kind: str) -> NormCurve | None:
    """Return the norm of a curve, None where none is at hand."""
    return _winter_curves().get(name) if kind == "walking" else None


@cache
def _winter_curves() -> dict[str, NormCurve]:
    norm = winter_gait(count=POINTS - 1)
    # As in the report: flexion is positive, in degrees.
    scales = {"hip": 1.0, "knee": -1.0, "ankle": 1.0}
    found = {}
    for joint, sign in scales.items():
        mean, deviation = (np.degrees(part.values(f"right_{joint}")) for part in (norm.mean, norm.deviation))
        found[f"{joint}_angle"] = NormCurve(_closed(sign * mean), _closed(deviation), WINTER)
    for axis in "xy":
        mean, deviation = (part.values(f"right_ground_force_{axis}") for part in (norm.mean, norm.deviation))
        found[f"force_{axis}"] = NormCurve(_closed(mean), _closed(deviation), WINTER)
    return found


def _closed(column: Floats) -> Floats:
    return np.append(column, column[0])


# Speeds (m/s) for which stance and double support of people are at hand.
_USUAL = (1.0, 1.65)


def measure_norm(name: str, kind: str, speed: float) -> Range | None:
    """Return what people do at a speed (m/s), None where no source is at hand."""
    return (_walking(speed) if kind == "walking" else _running(speed)).get(name)


def _walking(speed: float) -> dict[str, Range]:
    # Walk ratio: step length over cadence is the same at all but slow speeds, so speed alone gives both.
    ratio = "walk ratio 0.0065 m per step/min within a fifth, after Sekiya and Nagasaki 1998"
    low, high = (60.0 * speed / (0.0065 * share) for share in (1.2, 0.8))
    found = {
        "peak_force": Range(1.0, 1.5, "Nilsson and Thorstensson 1989: 1.0 to 1.5 body weights in walking"),
        "flights": Range(0, 0, "by definition: in walking a foot is always on the ground"),
        "step_width_of_leg": Range(0.05, 0.2, "Donelan et al. 2001: 0.13 leg lengths preferred; the range is ours"),
    }
    if speed >= _USUAL[0]:
        found["cadence"] = Range(low**0.5, high**0.5, ratio)
        found["stride_length"] = Range(120.0 * speed / high**0.5, 120.0 * speed / low**0.5, ratio)
    if _USUAL[0] <= speed <= _USUAL[1]:
        stance = "Perry and Burnfield 2010: 62 % at 1.33 m/s; within five is ours"
        found["stance"] = Range(57.0, 67.0, stance)
        found["double_support"] = Range(14.0, 34.0, "twice what stance exceeds half of the cycle, from the same")
        found["humps"] = Range(2, 2, WINTER)
    return found


def _running(speed: float) -> dict[str, Range]:
    found = {
        "peak_force": Range(2.0, 2.9, "Nilsson and Thorstensson 1989: 2.0 to 2.9 body weights in running"),
        "flights": Range(2, 2, "by definition: in running both feet leave the ground twice in a stride"),
        "double_support": Range(0.0, 0.0, "by definition of running"),
        "humps": Range(1, 2, "Cavanagh and Lafortune 1980: one, or two with the impact of the heel"),
    }
    if 2.5 <= speed <= 5.0:
        found["stance"] = Range(20.0, 40.0, "below 40 % at 2.5 m/s and faster; the range is ours")
    return found


def cost_norm(speed: float) -> Range:
    """Return the gross cost of transport of people who walk (J/kg/m), within a fifth.

    Ralston (1958), Int. Z. angew. Physiol. 17, 277-283: 29 + 0.0053 v^2 small calories per kilogram and minute at a
    speed v in metres per minute.

    Examples
    --------
    >>> people = cost_norm(1.3)
    >>> round(0.5 * (people.low + people.high), 2)
    3.29
    """
    per_minute = 60.0 * speed
    cost = (29.0 + 0.0053 * per_minute**2) * 4.184 / per_minute
    return Range(0.8 * cost, 1.2 * cost, "Ralston 1958: 29 + 0.0053 v² cal/kg/min, v in m/min; within a fifth is ours")


# Perry (1992), in percent of the cycle; a burst over the end of the cycle ends in the next one.
_BURSTS: dict[str, tuple[tuple[float, float], ...]] = {
    "gluteus maximus": ((94, 110),),
    "gluteus medius": ((95, 129),),
    "biceps femoris, long head": ((79, 105),),
    "semimembranosus": ((81, 105),),
    "semitendinosus": ((87, 104),),
    "biceps femoris, short head": ((62, 81),),
    "iliacus": ((60, 72),),
    "rectus femoris": ((55, 66),),
    "vastus": ((88, 117),),
    "gastrocnemius": ((6, 48),),
    "soleus": ((3, 52),),
    "tibialis anterior": ((54, 109),),
    "tibialis posterior": ((0, 15), (27, 51)),
    "adductor longus": ((44, 77),),
    "adductor magnus": ((90, 106),),
    "gracilis": ((64, 78),),
    "sartorius": ((57, 70),),
    "tensor fasciae latae": ((26, 39),),
    "peroneus longus": ((11, 49),),
    "peroneus brevis": ((16, 54),),
    "flexor digitorum": ((10, 54),),
    "flexor hallucis": ((47, 54),),
    "extensor digitorum": ((55, 111),),
    "extensor hallucis": ((57, 110),),
}
# How models abbreviate them; the first that a name begins with counts, longer ones first.
_NAMES = {
    "glutei": "gluteus maximus",
    "glut_max": "gluteus maximus",
    "glmax": "gluteus maximus",
    "glut_med": "gluteus medius",
    "glmed": "gluteus medius",
    "hamstrings": "biceps femoris, long head",
    "bifemlh": "biceps femoris, long head",
    "bflh": "biceps femoris, long head",
    "bifemsh": "biceps femoris, short head",
    "bfsh": "biceps femoris, short head",
    "semimem": "semimembranosus",
    "semiten": "semitendinosus",
    "iliopsoas": "iliacus",
    "iliacus": "iliacus",
    "rect_fem": "rectus femoris",
    "recfem": "rectus femoris",
    "rectus_femoris": "rectus femoris",
    "vas": "vastus",
    "gas": "gastrocnemius",
    "med_gas": "gastrocnemius",
    "lat_gas": "gastrocnemius",
    "sol": "soleus",
    "tib_ant": "tibialis anterior",
    "tibant": "tibialis anterior",
    "tibialis_anterior": "tibialis anterior",
    "tib_post": "tibialis posterior",
    "tibpost": "tibialis posterior",
    "add_long": "adductor longus",
    "addlong": "adductor longus",
    "add_mag": "adductor magnus",
    "addmag": "adductor magnus",
    "grac": "gracilis",
    "sar": "sartorius",
    "tfl": "tensor fasciae latae",
    "per_long": "peroneus longus",
    "perlong": "peroneus longus",
    "per_brev": "peroneus brevis",
    "perbrev": "peroneus brevis",
    "flex_dig": "flexor digitorum",
    "fdl": "flexor digitorum",
    "flex_hal": "flexor hallucis",
    "fhl": "flexor hallucis",
    "ext_dig": "extensor digitorum",
    "edl": "extensor digitorum",
    "ext_hal": "extensor hallucis",
    "ehl": "extensor hallucis",
}


@dataclass(frozen=True)
class BurstNorm:
    """When a muscle of people is active in walking (% of the cycle), and where that is from.

    Examples
    --------
    >>> burst_norm("soleus").bursts
    ((3, 52),)
    """

    muscle: str
    bursts: tuple[tuple[float, float], ...]
    source: str = _PERRY


def burst_norm(muscle: str) -> BurstNorm | None:
    """Return when people activate a muscle, by the name that models give it; None where no source is at hand."""
    found = [name for name in _NAMES if muscle.lower().startswith(name)]
    if not found:
        return None
    anatomical = _NAMES[max(found, key=len)]
    return BurstNorm(anatomical, _BURSTS[anatomical])
