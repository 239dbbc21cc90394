"""How far and how strongly the joints of a person turn.

Ranges are those of the American Academy of Orthopaedic Surgeons (Joint Motion, 1965), rounded to 0.001 rad, with a
few degrees of slack where the upright stance would lie on a limit. Torques are round numbers near the isometric
strength of a healthy adult of 75 kg and 1.75 m; they are gains of motors, not measurements.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from myodyne.model.actuators import CoordinateActuator
from myodyne.model.joints import Coordinate
from myodyne.model.springs import CoordinateLimit

_MASS, _HEIGHT = 75.0, 1.75


class Turn(NamedTuple):
    """One rotation of a joint: its axis on the right side, limits and default (degrees), strength (N m)."""

    coordinate: str
    axis: str
    lowest: float
    highest: float
    torque: float
    default: float = 0.0

    def on(self, side: str) -> Turn:
        """Return the same anatomical motion on a side, ``"r"`` or ``"l"``.

        A turn about x or y changes its sense in the mirror, one about z keeps it.
        """
        mirrored = side == "l" and self.axis in ("x", "y")
        return self._replace(coordinate=f"{self.coordinate}_{side}", axis=f"-{self.axis}" if mirrored else self.axis)

    @property
    def options(self) -> dict[str, Any]:
        """The fields of the coordinate, in radians."""
        return {"default": radians(self.default), "range": (radians(self.lowest), radians(self.highest))}

    @property
    def part(self) -> Coordinate:
        """The coordinate itself."""
        return Coordinate(**self.options)


def radians(angle: float) -> float:
    """Return degrees as radians, to three decimals: a limit is not known any better."""
    return round(math.radians(angle), 3)


# Seen from the right, a turn about +z of the distal segment against the proximal one is counter-clockwise: it
# flexes hip, shoulder, elbow and wrist, dorsiflexes the ankle, and extends knee, neck and back.
HIP = (
    Turn("hip_flexion", "z", -30, 120, 220),
    Turn("hip_adduction", "x", -45, 30, 120),
    Turn("hip_rotation", "y", -45, 45, 60),
)
KNEE = (Turn("knee", "z", -135, 5, 220),)
ANKLE = (Turn("ankle", "z", -50, 20, 160), Turn("subtalar", "x", -15, 35, 30))
BACK = (
    Turn("lumbar_extension", "z", -80, 25, 250),
    Turn("lumbar_bending", "x", -35, 35, 150),
    Turn("lumbar_rotation", "y", -45, 45, 80),
)
NECK = (
    Turn("neck_extension", "z", -45, 45, 40),
    Turn("neck_bending", "x", -45, 45, 30),
    Turn("neck_rotation", "y", -60, 60, 15),
)
# Abduction ends short of 90 degrees, where the first and the last axis of the shoulder become one; the arm is
# raised further by flexion.
SHOULDER = (
    Turn("shoulder_flexion", "z", -60, 180, 80),
    Turn("shoulder_adduction", "x", -85, 30, 70),
    Turn("shoulder_rotation", "y", -90, 70, 40),
)
# Pronation counts from the anatomical position (palms forward); a standing person turns the palms to the thighs.
ELBOW = (Turn("elbow", "z", -5, 150, 60), Turn("pronation", "y", -5, 170, 10, default=90))
WRIST = (Turn("wrist_flexion", "z", -70, 80, 12), Turn("wrist_deviation", "x", -20, 30, 12))


def motors(turns: Iterable[Turn], mass: float, height: float) -> dict[str, CoordinateActuator]:
    """Return a motor for each turn, with a control from -1 to 1; torques grow with weight times height."""
    size = mass * height / (_MASS * _HEIGHT)
    return {
        f"{turn.coordinate}_motor": CoordinateActuator(
            coordinate=turn.coordinate, gain=tidy(turn.torque * size), control_range=(-1.0, 1.0)
        )
        for turn in turns
    }


# What holds a joint at the ends of its range: stiffness (N m/rad) per N m of its motor, and at least; damping (s) per
# stiffness; how far behind the end it has set in (rad). Chosen, not measured.
_STIFFNESS, _LEAST_STIFFNESS, _DAMPING, _ONSET = 6.0, 400.0, 0.03, 0.05


def limits(turns: Iterable[Turn], mass: float, height: float) -> dict[str, CoordinateLimit]:
    """Return what stops each turn behind the ends of its range; torques grow with weight times height."""
    size = mass * height / (_MASS * _HEIGHT)
    found = {}
    for turn in turns:
        stiffness = tidy(size * max(_STIFFNESS * turn.torque, _LEAST_STIFFNESS))
        found[f"{turn.coordinate}_limit"] = CoordinateLimit(
            coordinate=turn.coordinate,
            lower=radians(turn.lowest),
            upper=radians(turn.highest),
            lower_stiffness=stiffness,
            upper_stiffness=stiffness,
            damping=tidy(_DAMPING * stiffness),
            transition=_ONSET,
        )
    return found


def tidy(value: float) -> float:
    """Return a number to twelve digits, so that files show 0.42875 and not 0.42874999999999996."""
    # Zero is added to turn -0.0 into 0.0.
    return float(f"{value:.12g}") + 0.0
