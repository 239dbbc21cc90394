"""Walking of the planar model gait2d with a prosthesis below the right knee."""

from __future__ import annotations

import numpy as np

from myodyne.data import Trajectory
from myodyne.files import load_model
from myodyne.model import Model, TorsionSpring
from myodyne.optimise.builtin.gait2d import WALKING, tracking
from myodyne.optimise.conditions import Bounds
from myodyne.optimise.guesses import grounded
from myodyne.optimise.problem import Problem

ANKLE_MUSCLES = ("right_gastrocnemius", "right_soleus", "right_tibialis_anterior")
STIFFNESS = "right_ankle_spring.stiffness"

# The very stiff foot of van den Bogert et al. 2011, section 4.3 (N m/rad).
_STIFF = 5000.0
# Of the authors' later prostheses (N m s/rad). A foot on the stiff spring would oscillate at 100 Hz; this damps it.
_DAMPING = 15.0
# Range of the stiffness, and its initial value (N m/rad).
_SOUGHT, _FIRST = (50.0, 5000.0), 2000.0


def gait2d_prosthesis() -> Problem:
    """A walk of gait2d with a stiff prosthetic foot on the right that follows Winter's averages with little effort."""
    return _walk(below_knee_amputee(load_model("gait2d"), _STIFF), "gait2d_prosthesis")


def gait2d_prosthesis_design() -> Problem:
    """The stiffness of a prosthetic foot together with the walk that makes the most of it."""
    walk = _walk(below_knee_amputee(load_model("gait2d"), _FIRST), "gait2d_prosthesis_design")
    return walk.model_copy(update={"parameters": {STIFFNESS: _SOUGHT}})


def below_knee_amputee(model: Model, stiffness: float) -> Model:
    """Return the model with a spring (N m/rad) and a damper in the place of the right ankle's muscles and ligaments."""
    spring = TorsionSpring(coordinate="right_ankle", stiffness=stiffness, damping=_DAMPING)
    return model.without(*ANKLE_MUSCLES, "right_ankle_limit").with_parts(forces={"right_ankle_spring": spring})


def _walk(model: Model, name: str) -> Problem:
    problem = tracking(model, name)
    assert problem.guess is not None
    # Wider bounds admit hopping and stooping, in which the search gets stuck.
    conditions = (*(one for one in problem.conditions if one.kind != "bounds"), Bounds(WALKING))
    return problem.model_copy(update={"guess": _with_still_ankle(model, problem.guess), "conditions": conditions})


def _with_still_ankle(model: Model, walk: Trajectory) -> Trajectory:
    """Return a walk whose right ankle does not move: otherwise the spring would exert moments beyond any human ones."""
    columns = {name: walk.values(name) for name in walk.names}
    columns["right_ankle"] = np.zeros(len(walk.time))
    return grounded(model, Trajectory(walk.time, columns))
