"""The jumps of Wong et al. 2016, as they were recorded, and how their angles are ours.

Recorded are the directions of foot, shank, thigh and trunk, each from straight forwards to the line from its lower to its
upper end. Row n stands at n + 1 milliseconds: the recording was computed by Heun's method with steps of 1 ms, and begins
after the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from myodyne.library.jumper import FLAT_FOOT

Floats = NDArray[np.float64]

FOLDER = Path(__file__).parents[3] / "shared" / "data" / "jump"
MUSCLES = ("soleus", "gastrocnemius", "vasti", "rectus_femoris", "glutei", "hamstrings")
JUMPS = ("baseline", "opt", "justHip", "justBiarticulars")
# The height of the centre of mass at the apex (m), from the last recorded states.
APEX = {"baseline": 1.43453, "opt": 1.48150, "justHip": 1.41709, "justBiarticulars": 1.43327}
STEP = 1e-3
# The calcium (mol/l) by which ours is divided.
CALCIUM = 1.373e-4
_UPRIGHT = np.array([FLAT_FOOT, np.pi / 2, np.pi / 2, np.pi / 2])
_HEADER = {"start": 24, "rest": 6, "onset": 6, "mass": 4, "inertia": 4, "length": 4, "centre": 4, "max_force": 6}
_COLUMNS = {
    "directions": 4,
    "turning": 4,
    "toes": 2,
    "toes_speed": 2,
    "fibre": 6,
    "calcium": 6,
    "one": 1,
    "x": 5,
    "y": 5,
    "centre_x": 1,
    "centre_y": 1,
    "two": 1,
    "torque": 4,
    "tension": 6,
    "parallel": 6,
    "whole": 6,
    "stretch": 6,
    "active": 6,
    "excitation": 6,
    "ground_torque": 1,
}


@dataclass(frozen=True)
class Jump:
    """A recording: its header and its columns by name, and the time of each row (s)."""

    header: dict[str, Floats]
    columns: dict[str, Floats]

    @property
    def time(self) -> Floats:
        return STEP * np.arange(1, len(self.columns["fibre"]) + 1)

    @property
    def max_forces(self) -> dict[str, float]:
        """The maximal forces of this jumper, as values of a model."""
        return {
            f"{name}.max_force": float(force) for name, force in zip(MUSCLES, self.header["max_force"], strict=True)
        }

    @property
    def angles(self) -> Floats:
        """Toe, ankle, knee and hip (rad), a row for each time."""
        return angles(self.columns["directions"])

    @property
    def speeds(self) -> Floats:
        """Their rates (rad/s)."""
        return _joints(self.columns["turning"])

    @property
    def start(self) -> dict[str, float]:
        """The states at the beginning, by name."""
        toe, ankle, knee, hip = angles(self.header["start"][:4])
        fibre, calcium = self.header["start"][12:18], self.header["start"][18:24] / CALCIUM
        return {
            "toe": toe,
            "ankle": ankle,
            "knee": knee,
            "hip": hip,
            **{f"{name}.projected_length": float(x) for name, x in zip(MUSCLES, fibre, strict=True)},
            **{f"{name}.calcium": float(x) for name, x in zip(MUSCLES, calcium, strict=True)},
        }


@cache
def recorded(name: str) -> Jump:
    """Return a recording, or skip the test where there is none."""
    path = FOLDER / f"superjumper_{name}POS3.txt"
    if not path.exists():
        pytest.skip("needs the recorded jumps of Wong et al. 2016, which are not part of the repository")
    first, *rows = (np.array(line.split(), dtype=float) for line in path.read_text().splitlines() if line.strip())
    return Jump(_parts(first, _HEADER), _parts(np.array(rows), _COLUMNS))


def _parts(table: Floats, widths: dict[str, int]) -> dict[str, Floats]:
    ends = np.cumsum(list(widths.values()))
    return {name: table[..., end - width : end] for (name, width), end in zip(widths.items(), ends, strict=True)}


def angles(directions: Floats) -> Floats:
    """Return toe, ankle, knee and hip angle (rad) from the directions of the segments."""
    return _joints(directions - _UPRIGHT)


def directions(toe: Floats, ankle: Floats, knee: Floats, hip: Floats) -> Floats:
    """Return the directions (rad) of foot, shank, thigh and trunk from the angles of the joints, one column each."""
    return np.stack([toe, toe - ankle, toe - ankle - knee, toe - ankle - knee - hip], axis=-1) + _UPRIGHT


def _joints(turns: Floats) -> Floats:
    foot, shank, thigh, hat = np.moveaxis(turns, -1, 0)
    return np.stack([foot, foot - shank, shank - thigh, thigh - hat], axis=-1)
