"""Walking of the planar model gait2d."""

from __future__ import annotations

import numpy as np

from myodyne.data import Trajectory
from myodyne.files import load_model
from myodyne.library.winter_gait import winter_gait
from myodyne.model import Model
from myodyne.numerics.schemes import Midpoint
from myodyne.optimise.conditions import AverageSpeed, Bounds, Periodic
from myodyne.optimise.gait.feet import softer_contacts
from myodyne.optimise.goals import Effort
from myodyne.optimise.guesses import grounded
from myodyne.optimise.problem import Problem
from myodyne.optimise.recorded.tracking import Track

POSTURE = {"pelvis_x": (-1.0, 5.0), "pelvis_y": (0.5, 1.3), "pelvis_tilt": (-0.8, 0.8)}
# Ranges of trunk and joints in human walking; wider bounds admit other gaits.
WALKING = {"pelvis_x": (-1.0, 5.0), "pelvis_y": (0.7, 1.1), "pelvis_tilt": (-0.3, 0.3)} | {
    f"{side}_{joint}": limits
    for side in ("right", "left")
    for joint, limits in (("hip", (-0.6, 1.0)), ("knee", (-1.4, 0.0)), ("ankle", (-0.6, 0.6)))
}
# Of able-bodied people.
_MUSCLES = 16


def gait2d_tracking() -> Problem:
    """A walk of gait2d that follows Winter's averages with little effort, over a whole cycle."""
    return tracking(load_model("gait2d"), "gait2d_tracking")


def tracking(model: Model, name: str) -> Problem:
    """Return the problem of following Winter's averages with a model that has the joints and muscles of gait2d.

    Tracking is the mean of squared errors in standard deviations, effort a hundred times the mean square of
    excitations: full excitation costs as much as errors of ten standard deviations. Muscles that a model lacks count
    as silent in that mean.
    """
    norm = winter_gait()
    data, deviations = (closed(part, norm.duration, model) for part in (norm.mean, norm.deviation))
    feet = {
        f"{side}_ground_force_{axis}": (f"{side}_heel.force_{axis}", f"{side}_toe.force_{axis}")
        for side in ("right", "left")
        for axis in "xy"
    }
    effort = Effort(exponent=2, weight=100.0 * len(model.muscles) / _MUSCLES)
    return Problem(
        model,
        name=name,
        source="Winter's averages of normal walking; goals by van den Bogert et al. 2011, Eq 20",
        duration=norm.duration,
        goals=[Track(data, of=feet, deviations=deviations), effort],
        conditions=[Periodic(), AverageSpeed(norm.speed), Bounds(POSTURE)],
        scheme=Midpoint(),
        nodes=100,
        guess=walking_guess(model, data, norm.speed),
        continuation=[softer_contacts(model)],
    )


def walking_guess(model: Model, data: Trajectory, speed: float) -> Trajectory:
    """Return the joint angles of data on a pelvis at constant speed, as high as the feet on the ground need it."""
    joints = {name: data.values(name) for name in data.names if name in model.coordinates}
    return grounded(model, Trajectory(data.time, {"pelvis_x": speed * data.time, **joints}))


def closed(part: Trajectory, duration: float, model: Model) -> Trajectory:
    """Return a cycle with its end, forces in newtons."""
    weight = model.mass * float(np.linalg.norm(model.gravity))
    columns = {}
    for name in part.names:
        values = part.values(name) * (weight if "ground_force" in name else 1.0)
        columns[name] = np.append(values, values[0])
    return Trajectory(np.append(part.time, duration), columns)
