"""Walking of the planar model gait2d."""

from __future__ import annotations

import numpy as np

from myodyne.data import Trajectory
from myodyne.files import load_model
from myodyne.library.winter_gait import winter_gait
from myodyne.model import ContactPoint, Model
from myodyne.numerics.schemes import Midpoint
from myodyne.optimise.conditions import AverageSpeed, Bounds, Periodic
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


def softer_contacts(model: Model, depth: float = 0.004, share: float = 0.7) -> dict[str, float]:
    """Return the parameters of contacts that act from higher above the ground, and are less stiff."""
    softer = {}
    for name, part in model.forces.items():
        if isinstance(part, ContactPoint):
            softer[f"{name}.transition"] = depth
            softer[f"{name}.stiffness"] = share * part.stiffness
    return softer


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


def stepping_guess(model: Model, speed: float, duration: float = 0.55) -> Trajectory:
    """Return half a cycle of a simple walk: the right leg goes back, the left one forward with a bent knee."""
    time = np.linspace(0.0, duration, 21)
    phase = time / duration
    swing = np.cos(np.pi * phase)
    columns = {
        "pelvis_x": speed * time,
        "right_hip": 0.1 + 0.35 * swing,
        "left_hip": 0.1 - 0.35 * swing,
        "right_knee": np.full(len(time), -0.15),
        "left_knee": -0.15 - 0.9 * np.sin(np.pi * phase) ** 2,
        "right_ankle": np.full(len(time), 0.05),
        "left_ankle": np.full(len(time), 0.05),
    }
    return grounded(model, Trajectory(time, columns))


def random_steps(model: Model, speed: float, seed: int) -> Trajectory:
    """Return half a cycle of random, smooth movements of the legs, and random excitations: an uninformed guess.

    Each joint has a mean and three random harmonics of the whole cycle; the left leg is half a cycle behind the right.
    """
    random = np.random.default_rng(seed)
    duration = random.uniform(0.4, 0.7)
    time = np.linspace(0.0, duration, 21)
    phase = time / duration / 2
    columns = {"pelvis_x": speed * time}
    for joint, mean, size in (("hip", 0.1, 0.35), ("knee", -0.4, 0.35), ("ankle", 0.0, 0.2)):
        weights = random.normal(size=(3, 2)) * size / np.arange(1, 4)[:, None]
        for side, behind in (("right", 0.0), ("left", 0.5)):
            angles = 2 * np.pi * np.arange(1, 4)[:, None] * (phase + behind)
            values = mean + weights[:, 0] @ np.cos(angles) + weights[:, 1] @ np.sin(angles)
            columns[f"{side}_{joint}"] = np.clip(values, *WALKING[f"{side}_{joint}"])
    for muscle, level in zip(model.muscles, random.uniform(0.02, 0.4, len(model.muscles)), strict=True):
        columns[f"{muscle}.excitation"] = np.full(len(time), level)
    return grounded(model, Trajectory(time, columns))
