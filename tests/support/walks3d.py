"""How much a predicted walk in space is like people's: angles and ground forces beside Winter's means."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import myodyne as my
from myodyne.types import Floats

_ROWS = 200
_ANGLES = {
    "hip": ("hip_flexion_r", "right_hip", 1),
    "knee": ("knee_angle_r", "right_knee", -1),
    "ankle": ("ankle_angle_r", "right_ankle", 1),
}


@dataclass(frozen=True)
class Likeness:
    """Correlations with Winter's means by name, and sizes of a whole cycle.

    ``peak`` is in body weights, ``stance`` a part of the cycle; ``cycle`` (s), ``width`` (m) of the steps, and
    ``sway`` (rad): the range of each of some angles.
    """

    correlations: dict[str, float]
    peak: float
    stance: float
    cycle: float
    width: float
    sway: dict[str, float]


def likeness(walk: my.Solution) -> Likeness:
    """Return how much a mirrored half cycle, with the names of gait3d, is like people's."""
    model = walk.model
    cycle = my.whole_cycle(walk, model)
    time = np.linspace(cycle.time[0], cycle.time[-1], _ROWS, endpoint=False)

    def column(name: str) -> Floats:
        return np.interp(time, cycle.time, cycle.values(name))

    contacts = [name for name in model.forces if f"{name}.force_y" in cycle.names and name.endswith("_r")]
    vertical = np.sum([column(f"{name}.force_y") for name in contacts], axis=0) / (model.mass * 9.81)
    loaded = vertical > 0.05
    strike = int(np.argmax(loaded & ~np.roll(loaded, 1)))
    norm = my.winter_gait(_ROWS).mean
    curves = {name: (sign * column(ours), norm.values(theirs)) for name, (ours, theirs, sign) in _ANGLES.items()} | {
        "vertical": (vertical, norm.values("right_ground_force_y"))
    }
    correlations = {
        name: float(np.corrcoef(np.roll(ours, -strike), theirs)[0, 1]) for name, (ours, theirs) in curves.items()
    }
    # Where each foot stands in the middle of its stance.
    right, left = (
        float(column(f"calcn_{side}.position_z")[_middle(loaded, half)]) for side, half in (("r", 0), ("l", 1))
    )
    sway = {
        name: float(np.ptp(cycle.values(name)))
        for name in ("pelvis_list", "pelvis_rotation", "lumbar_bending", "lumbar_rotation")
    }
    return Likeness(
        correlations, float(vertical.max()), float(loaded.mean()), float(cycle.duration), abs(right - left), sway
    )


def _middle(loaded: np.ndarray, halves: int) -> int:
    """Return the row in the middle of the right foot's stance, or half a cycle later."""
    angles = 2 * np.pi * np.arange(_ROWS)[loaded] / _ROWS
    middle = np.angle(np.exp(1j * angles).mean()) / (2 * np.pi) * _ROWS
    return round(middle + halves * _ROWS / 2) % _ROWS
