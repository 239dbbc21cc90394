"""State estimation: a walk of gait2d from readings of inertial sensors."""

from __future__ import annotations

import numpy as np

from myodyne.data import Trajectory
from myodyne.files import load_model
from myodyne.library.imu_gait import SensorGait, imu_gait
from myodyne.library.winter_gait import winter_gait
from myodyne.model import Model
from myodyne.numerics.schemes import Midpoint
from myodyne.optimise.builtin.gait2d import POSTURE, closed, walking_guess
from myodyne.optimise.conditions import AverageSpeed, Bounds, Periodic
from myodyne.optimise.gait.feet import softer_contacts
from myodyne.optimise.goals import Effort
from myodyne.optimise.problem import Problem
from myodyne.optimise.recorded.tracking import Accelerometer, Gyroscope, Sensor, Track

# Of the mean square of excitations, relative to the mean squares of two accelerations and one angular velocity.
_EFFORT, _TRACKING = 100.0, 3.0


def gait2d_imu_estimation() -> Problem:
    """A walk of gait2d that seven inertial sensors recorded: angles, moments and ground forces from their readings."""
    walk = imu_gait()
    model = load_model("gait2d")
    return Problem(
        model,
        name="gait2d_imu_estimation",
        source="Readings, and the weights of the goals: Dorschky et al. 2019, J. Biomech. 95, 109278, participant 1, "
        "in the BioMAC-Sim-Toolbox",
        duration=walk.duration,
        goals=[
            Track(walk.readings, of=sensors(walk), deviations=typical(walk.deviations), weight=_TRACKING),
            Effort(exponent=2, weight=_EFFORT),
        ],
        conditions=[Periodic(), AverageSpeed(walk.speed), Bounds(POSTURE)],
        scheme=Midpoint(),
        nodes=100,
        guess=_guess(model, walk),
        # Without softer contacts first, other meshes end in other minima, with objectives at least a quarter larger.
        continuation=[softer_contacts(model)],
    )


def sensors(walk: SensorGait) -> dict[str, Sensor]:
    """Return what each column of readings is in the model."""
    found: dict[str, Sensor] = {}
    for name in walk.readings.names:
        body, _, field = name.partition(".")
        if field == "turning":
            found[name] = Gyroscope(body=body, direction="z")
        else:
            found[name] = Accelerometer(body=body, at=walk.places[body], direction="x" if field[-1] == "x" else "y")
    return found


def typical(deviations: Trajectory) -> dict[str, float]:
    """Return the root mean square over time of each deviation.

    At single instants the cycles agree by chance; their deviation there would pin the walk to them.
    """
    return {name: float(np.sqrt(np.mean(deviations.values(name) ** 2))) for name in deviations.names}


def _guess(model: Model, walk: SensorGait) -> Trajectory:
    """Return Winter's average walk at the speed and in the time of the subject, without any data of the cameras."""
    norm = winter_gait()
    mean = closed(norm.mean, norm.duration, model)
    stretched = Trajectory(mean.time * walk.duration / norm.duration, {name: mean.values(name) for name in mean.names})
    return walking_guess(model, stretched, walk.speed)
