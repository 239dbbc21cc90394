"""Which coordinates carry the whole body forward."""

from __future__ import annotations

import numpy as np

from myodyne.model import Model


def progressing_coordinates(model: Model) -> tuple[str, ...]:
    """Return the coordinates that shift all bodies alike along x, whatever the pose.

    Examples
    --------
    >>> import myodyne as my
    >>> progressing_coordinates(my.load_model("pendulum"))
    ()
    """
    from myodyne.equations import equations_of

    # A few poses are evaluated once: compiling for that would take longer.
    equations = equations_of(model, compiled=False)
    random = np.random.default_rng(1)
    size = len(equations.coordinates)
    poses = equations.coordinate_defaults() + random.uniform(-0.3, 0.3, (3, size))
    found = []
    for number, name in enumerate(equations.coordinates):
        moved = poses.copy()
        moved[:, number] += 1.0
        turns = equations.body_poses(moved)[0] - equations.body_poses(poses)[0]
        shifts = equations.body_poses(moved)[1] - equations.body_poses(poses)[1] - np.array([1.0, 0.0, 0.0])
        if len(model.bodies) and abs(shifts).max() < 1e-9 and abs(turns).max() < 1e-9:
            found.append(name)
    return tuple(found)
