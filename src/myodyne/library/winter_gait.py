"""Winter's normal walking, which comes with the package: joint angles and ground forces over a gait cycle."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from myodyne.data.plain import DataError
from myodyne.data.trajectory import Trajectory
from myodyne.types import Floats

_DURATION, _SPEED = 1.1396, 1.325
_UNITS = {
    "hip": "rad",
    "knee": "rad",
    "ankle": "rad",
    "ground_force_x": "body weights",
    "ground_force_y": "body weights",
}


@dataclass(frozen=True, eq=False)
class GaitNorm:
    """How people walk: means and standard deviations of angles and ground forces over a gait cycle.

    The columns of ``mean`` and ``deviation`` are ``right_hip``, ``right_knee``, ``right_ankle`` (rad, as in the model
    ``gait2d``), ``right_ground_force_x``, ``right_ground_force_y`` (body weights, on the foot); the left has the same.
    The right heel strikes at the first row, the left one half a cycle later. ``duration`` (s) is that of the cycle,
    ``speed`` (m/s) that of the body.

    Examples
    --------
    >>> norm = winter_gait(count=100)
    >>> len(norm.mean), norm.duration, norm.speed
    (100, 1.1396, 1.325)
    >>> round(float(norm.mean.values("right_knee").min()), 2)      # rad, in swing
    -1.13
    """

    mean: Trajectory
    deviation: Trajectory
    duration: float
    speed: float


def winter_gait(count: int = 50) -> GaitNorm:
    """Return Winter's normal walking at ``count`` equal steps of a gait cycle, the end of which is left out.

    Between the fifty samples of the source values are interpolated linearly; the cycle closes on itself. An even
    ``count`` puts the left side exactly half a cycle behind the right one.

    Examples
    --------
    >>> norm = winter_gait()
    >>> norm.deviation.units["right_ground_force_y"]
    'body weights'
    """
    if count < 2:
        raise DataError(f"a gait cycle needs at least two rows, not {count}")
    samples = _samples()
    phases = np.arange(count) / count
    columns: dict[str, dict[str, Floats]] = {"": {}, "_deviation": {}}
    for kind, found in columns.items():
        for side, behind in (("right", 0.0), ("left", 0.5)):
            for name in _UNITS:
                column = samples[f"{name}{kind}"]
                found[f"{side}_{name}"] = np.interp(
                    (phases + behind) % 1.0, np.arange(len(column) + 1) / len(column), [*column, column[0]]
                )
    units = {f"{side}_{name}": unit for side in ("right", "left") for name, unit in _UNITS.items()}
    time = _DURATION * phases
    return GaitNorm(
        Trajectory(time, columns[""], units), Trajectory(time, columns["_deviation"], units), _DURATION, _SPEED
    )


@cache
def _samples() -> dict[str, Floats]:
    text = (files("myodyne.library") / "winter_gait.csv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    table = np.array([[float(cell) for cell in line.split(",")] for line in lines[1:]])
    return dict(zip(lines[0].split(","), table.T, strict=True))
