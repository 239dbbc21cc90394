"""Walking of gait3d, predicted."""

from __future__ import annotations

from myodyne.files import load_model
from myodyne.numerics.schemes import Radau
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
# Weights that differ from those of the planar model: arms and trunk are more costly to move, and steps gentler.
_MOTORS, _IMPACT = 5.0, 1.0


def gait3d_predictive(speed: float = 1.3) -> Problem:
    """A walk of gait3d in space at 1.3 m/s with no data to follow: half a cycle, mirrored, by 80 muscles.

    It is `walking` with this model: its goals and guess, and rigid tendons. Ranges out of the sagittal plane are
    narrower, no heel strike is assumed, motors of trunk and arms cost five times as much, and sudden ground forces
    three times.
    """
    sided = {f"{name}_{side}": limits for side in "rl" for name, limits in _LIMBS.items()}
    ranges = _MIDLINE | sided
    problem = walking(load_model("gait3d"), speed, bounds=ranges, heel_strike=False)
    problem = problem.with_weights(motors=_MOTORS, impact=_IMPACT)
    # Midpoint lets contact forces alternate from node to node, unseen by the equations between them.
    return problem.model_copy(update={"name": "gait3d_predictive", "scheme": Radau(degree=2), "nodes": 26})
