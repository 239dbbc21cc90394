"""A whole cycle from half of one."""

from __future__ import annotations

import numpy as np

from myodyne.analyse.sides.advancing import progressing_coordinates
from myodyne.analyse.sides.mirror import sides_of
from myodyne.analyse.sides.names import other_side
from myodyne.data import Trajectory
from myodyne.errors import ModelError
from myodyne.model import Model


def whole_cycle(half: Trajectory, model: Model) -> Trajectory:
    """Return a whole cycle: half of one, and after it the same with the sides exchanged.

    Columns are those of coordinates, speeds, muscles, motors and outputs that have a partner or none is needed; those
    whose partner is missing raise an error, except for those of markers on one side alone, which are left out. What
    moves on, along x, goes on from where it was.

    Parameters
    ----------
    half
        Half a cycle, as a `solve` under ``Periodic(mirrored=True)`` gives it.
    model
        The model that moves.

    Examples
    --------
    >>> import myodyne as my
    >>> half = my.Trajectory([0.0, 0.5], {"right_knee": [-0.1, -0.3], "left_knee": [-0.3, -0.1], "pelvis_x": [0, 0.6]})
    >>> whole = my.whole_cycle(half, my.load_model("gait2d"))
    >>> [float(value) for value in whole.values("right_knee")], round(float(whole.values("pelvis_x")[-1]), 3)
    ([-0.1, -0.3, -0.1], 1.2)
    """
    if not isinstance(half, Trajectory):
        raise ModelError(f"whole_cycle takes a movement, a my.Trajectory, not {half!r:.60}")
    sides = sides_of(model)
    single = {marker for marker in model.markers if other_side(marker) not in model.markers}
    names = tuple(name for name in half.names if name.rpartition(".")[0] not in single)
    forward = tuple(name for name in ("com.position_x", *progressing_coordinates(model)) if name in names)
    columns = {}
    for name in names:
        own, other = half.values(name), half.values(sides.partner(name, names))
        mirrored = sides.sign(name) * other
        columns[name] = np.concatenate([own, mirrored[1:] + _advance(name, forward, half)])
    times = np.concatenate([half.time, half.time[-1] + half.time[1:] - half.time[0]])
    return Trajectory(times, columns, {name: half.units[name] for name in names})


def _advance(name: str, forward: tuple[str, ...], half: Trajectory) -> float:
    """Return how far what moves along x has gone in half a cycle."""
    if name not in forward and not name.endswith(".position_x"):
        return 0.0
    if not forward:
        raise ModelError(f"whole_cycle: '{name}' advances, but no 'com.position_x' or coordinate gives the distance")
    gone = half.values(forward[0])
    return float(gone[-1] - gone[0])
