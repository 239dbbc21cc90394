"""Coordinates that translate the whole body."""

from __future__ import annotations

import numpy as np

from myodyne.equations import equations_of
from myodyne.model import Model


def progressing_coordinates(model: Model) -> tuple[str, ...]:
    """Return the coordinates that shift all bodies alike along x, whatever the pose.

    Examples
    --------
    >>> import myodyne as my
    >>> progressing_coordinates(my.load_model("gait2d"))
    ('pelvis_x',)
    """
    return moving_along(model, (1.0, 0.0, 0.0))


def moving_along(model: Model, direction: tuple[float, float, float]) -> tuple[str, ...]:
    """Return the coordinates that shift all bodies alike along a direction, whatever the pose."""
    # Only a few poses are evaluated: compiling would take longer.
    equations = equations_of(model, compiled=False)
    random = np.random.default_rng(1)
    size = len(equations.coordinates)
    poses = equations.coordinate_defaults() + random.uniform(-0.3, 0.3, (3, size))
    turns, places = equations.body_poses(poses)
    found = []
    for number, name in enumerate(equations.coordinates):
        moved = poses.copy()
        moved[:, number] += 1.0
        new_turns, new_places = equations.body_poses(moved)
        shift = abs(new_places - places - np.array(direction)).max(initial=0.0)
        if len(model.bodies) and max(shift, abs(new_turns - turns).max(initial=0.0)) < 1e-9:
            found.append(name)
    return tuple(found)
