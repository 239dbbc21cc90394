"""Walking of gait3d, predicted."""

from __future__ import annotations

from myodyne.files import load_model
from myodyne.optimise.gait.walking import walking
from myodyne.optimise.problem import Problem

# Ranges (rad, m) out of the sagittal plane, about twice those of healthy adults: the goals, found with a planar model,
# have no term that limits them.
_MIDLINE = {
    "pelvis_list": (-0.12, 0.12),
    "pelvis_rotation": (-0.15, 0.15),
    "pelvis_tz": (-0.06, 0.06),
    "lumbar_bending": (-0.15, 0.15),
    "lumbar_rotation": (-0.2, 0.2),
}
_LIMBS = {
    "hip_rotation": (-0.2, 0.2),
    "hip_adduction": (-0.2, 0.2),
    "arm_add": (-0.35, 0.1),
    "arm_rot": (-0.3, 0.3),
    "elbow_flex": (0.1, 0.8),
}


def gait3d_predictive(speed: float = 1.3) -> Problem:
    """A walk of gait3d in space at 1.3 m/s with no data to follow: half a cycle, mirrored, by 80 muscles.

    It is `walking` with this model: its goals, guess, mesh and settings, and rigid tendons. Ranges out of the sagittal
    plane are its own, and no heel strike is assumed.
    """
    sided = {f"{name}_{side}": limits for side in "rl" for name, limits in _LIMBS.items()}
    ranges = _MIDLINE | sided
    problem = walking(load_model("gait3d"), speed, bounds=ranges, heel_strike=False)
    return problem.model_copy(update={"name": "gait3d_predictive"})
