"""Walking of the planar model gait2d."""

from __future__ import annotations

import numpy as np

from myodyne.data import Trajectory, winter_gait
from myodyne.files import load_model
from myodyne.model import ContactPoint, Model
from myodyne.numerics.schemes import Midpoint
from myodyne.optimise.conditions import AverageSpeed, Bounds, Periodic
from myodyne.optimise.goals import Effort
from myodyne.optimise.guesses import grounded
from myodyne.optimise.problem import Problem
from myodyne.optimise.tracking import Track

_POSTURE = {"pelvis_x": (-1.0, 5.0), "pelvis_y": (0.5, 1.3), "pelvis_tilt": (-0.8, 0.8)}


def gait2d_tracking() -> Problem:
    """A walk of gait2d that follows Winter's averages with little effort, over a whole cycle."""
    return tracking(load_model("gait2d"), "gait2d_tracking")


def tracking(model: Model, name: str) -> Problem:
    """Return the problem of following Winter's averages with a model that has the joints and muscles of gait2d.

    Tracking is the mean of squared errors in standard deviations, effort twenty times the mean cube of excitations,
    as in the stored results of the model's authors.
    """
    norm = winter_gait()
    data, deviations = (_closed(part, norm.duration, model) for part in (norm.mean, norm.deviation))
    feet = {f"{side}_ground_force_{axis}": (f"{side}_heel.force_{axis}", f"{side}_toe.force_{axis}")
            for side in ("right", "left") for axis in "xy"}
    return Problem(
        model, name=name,
        source="Winter's averages of normal walking; goals after van den Bogert et al. 2011, Eq 20",
        duration=norm.duration,
        goals=[Track(data, of=feet, deviations=deviations), Effort(exponent=3, weight=20.0)],
        conditions=[Periodic(), AverageSpeed(norm.speed), Bounds(_POSTURE)],
        scheme=Midpoint(), nodes=100, guess=walking_guess(model, data, norm.speed),
        continuation=[softer_contacts(model)],
    )


def softer_contacts(model: Model, depth: float = 0.004, share: float = 0.7) -> dict[str, float]:
    """Return numbers of contacts that begin to push higher above the ground, and less hard."""
    softer = {}
    for name, part in model.forces.items():
        if isinstance(part, ContactPoint):
            softer[f"{name}.transition"] = depth
            softer[f"{name}.stiffness"] = share * part.stiffness
    return softer


def walking_guess(model: Model, data: Trajectory, speed: float) -> Trajectory:
    """Return the joint angles of data on a pelvis that goes forward evenly, as high as its legs carry it."""
    joints = {name: data.values(name) for name in data.names if name in model.coordinates}
    return grounded(model, Trajectory(data.time, {"pelvis_x": speed * data.time, **joints}))


def _closed(part: Trajectory, duration: float, model: Model) -> Trajectory:
    """Return a cycle with its end, forces in newtons."""
    weight = model.mass * float(np.linalg.norm(model.gravity))
    columns = {}
    for name in part.names:
        values = part.values(name) * (weight if "ground_force" in name else 1.0)
        columns[name] = np.append(values, values[0])
    return Trajectory(np.append(part.time, duration), columns)
