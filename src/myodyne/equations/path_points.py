"""Where the paths of muscles and ligaments run in space, in numbers: for pictures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from myodyne.model import Ligament, Model, Path, PointPath

Floats = NDArray[np.float64]


def path_points(model: Model, q: Floats) -> dict[str, Floats]:
    """Return the points (poses, points, 3) of all paths that run along points, in the ground (m), by name.

    A point that is off in a pose lies where the one before it is. A path that is a function of coordinates has no
    place and is left out.
    """
    paths: dict[str, Path] = {name: muscle.path for name, muscle in model.muscles.items()}
    paths |= {name: force.path for name, force in model.forces.items() if isinstance(force, Ligament)}
    along = {name: path for name, path in paths.items() if isinstance(path, PointPath)}
    if not along:
        return {}
    import casadi as ca

    from myodyne.physics.kinematics import kinematics_of
    from myodyne.physics.loops import closed_tree
    from myodyne.physics.paths import way

    pose, speed = ca.SX.sym("q", len(model.moving)), ca.SX.sym("v", len(model.moving))
    kinematics = kinematics_of(closed_tree(model, pose, speed))
    points = ca.Function("points", [pose], ca.cse([ca.vec(way(kinematics, path)) for path in along.values()]))
    places = points.call([ca.DM(q.T)])
    return {name: np.asarray(place).T.reshape(len(q), -1, 3) for name, place in zip(along, places, strict=True)}
