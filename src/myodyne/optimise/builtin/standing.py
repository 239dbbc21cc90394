"""Standing of the planar model gait2d."""

from __future__ import annotations

from myodyne.files import load_model
from myodyne.numerics.schemes import BackwardEuler
from myodyne.optimise.conditions import Bounds, Equal, Start
from myodyne.optimise.goals import Effort
from myodyne.optimise.guesses import standing
from myodyne.optimise.problem import Problem


def gait2d_standing() -> Problem:
    """The pose in which gait2d stands still on both legs with the least effort, and the excitations that hold it."""
    model = load_model("gait2d")
    still = {f"{name}.speed": 0.0 for name in model.coordinates}
    return Problem(
        model,
        name="gait2d_standing",
        source="standing as a movement without speed",
        # Long enough for the initial state of the muscles to decay.
        duration=100.0,
        goals=[Effort(exponent=2, weight=100.0)],
        # Where straight legs do not reach the ground, no gradient would lead the solver down.
        conditions=[
            Start({"pelvis_x": 0.0}),
            Bounds({"pelvis_y": (0.8, 0.954), "pelvis_tilt": (-0.8, 0.8), **still}),
            *(Equal(first=f"right_{joint}", second=f"left_{joint}") for joint in ("hip", "knee", "ankle")),
        ],
        # Nothing changes, so few nodes are enough.
        scheme=BackwardEuler(),
        nodes=3,
        guess=standing(model),
    )
