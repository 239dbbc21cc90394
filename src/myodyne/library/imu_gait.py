"""Walking as seven inertial sensors recorded it, which comes with the package, and what cameras saw of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from myodyne.data.trajectory import Trajectory
from myodyne.types import Floats

Place = tuple[float, float, float]

_DURATION, _SPEED = 1.2135, 1.2919
# Where the sensors are on the segments of gait2d (m), whose origins are hip, hip, knee and ankle.
_PLACES: dict[str, Place] = {
    "trunk": (-0.1, 0.05, 0.0),
    "right_thigh": (0.0, -0.21, 0.07),
    "right_shank": (0.0, -0.2, 0.055),
    "right_foot": (0.12, 0.0, 0.0),
    "left_thigh": (0.0, -0.2, -0.07),
    "left_shank": (0.0, -0.18, -0.055),
    "left_foot": (0.12, 0.0, 0.0),
}
_UNITS = {"acceleration_x": "m/s²", "acceleration_y": "m/s²", "turning": "rad/s", "moment": "N m", "": "rad"}
_DEVIATION = " deviation"


@dataclass(frozen=True, eq=False)
class SensorGait:
    """A gait cycle of one person: means and standard deviations over many cycles.

    Columns of ``readings`` and ``deviations`` are ``<body>.acceleration_x``, ``.acceleration_y`` (m/s², along the
    body's axes, less gravity) and ``<body>.turning`` (rad/s, about its z axis), by the bodies of the model ``gait2d``;
    ``places`` are the positions of the sensors (m). ``reference`` and ``reference_deviations`` are what cameras
    and force plates gave for the right leg: angles (rad), moments (N m), ground forces (body weights). The right heel
    strikes at the first row; the last row is the end of the cycle and equals the first. ``duration`` (s) is that of
    the cycle, ``speed`` (m/s) that of the body. The person's mass and size are not known.

    Examples
    --------
    >>> walk = imu_gait()
    >>> len(walk.readings.names), walk.duration
    (21, 1.2135)
    >>> round(float(walk.readings.values("right_shank.turning").max()), 1)      # rad/s, in swing
    6.2
    """

    readings: Trajectory
    deviations: Trajectory
    places: dict[str, Place]
    reference: Trajectory
    reference_deviations: Trajectory
    duration: float
    speed: float


def imu_gait() -> SensorGait:
    """Return a person's walk as recorded by seven inertial sensors, with the camera data.

    Examples
    --------
    >>> imu_gait().places["trunk"]
    (-0.1, 0.05, 0.0)
    """
    samples = _samples()
    names = [name for name in samples if not name.endswith(_DEVIATION)]
    read = [name for name in names if name.partition(".")[0] in _PLACES]
    seen = [name for name in names if name not in read]
    return SensorGait(
        _table(read), _table(read, _DEVIATION), dict(_PLACES), _table(seen), _table(seen, _DEVIATION), _DURATION, _SPEED
    )


def _table(names: list[str], ending: str = "") -> Trajectory:
    """Return some columns with the end of the cycle, which is its start."""
    columns = {name: np.append(column := _samples()[name + ending], column[0]) for name in names}
    units = {name: "body weights" if "ground_force" in name else _UNITS[name.partition(".")[2]] for name in names}
    return Trajectory(_DURATION * np.arange(len(columns[names[0]])) / (len(columns[names[0]]) - 1), columns, units)


@cache
def _samples() -> dict[str, Floats]:
    text = (files("myodyne.library") / "imu_gait.csv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    table = np.array([[float(cell) for cell in line.split(",")] for line in lines[1:]])
    return dict(zip(lines[0].split(","), table.T, strict=True))
