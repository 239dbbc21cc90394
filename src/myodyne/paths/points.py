"""Points along the paths of muscles, ligaments and cables in space, for drawing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from myodyne.model import Model, Path, PathForce, PointPath
from myodyne.paths.wrapping.lengths import WrappedLengths
from myodyne.types import Floats

if TYPE_CHECKING:
    from myodyne.physics.tree import Tree


def path_points(model: Model, q: Floats) -> dict[str, Floats]:
    """Return the points (poses, points, 3) of all paths that run along points, in the ground (m), by name.

    An inactive point takes the position of the one before it. Paths over surfaces have further points along these; in
    poses with fewer points the last one is repeated. A path that is a function of coordinates has no points and is
    left out.
    """
    paths: dict[str, Path] = {name: muscle.path for name, muscle in model.muscles.items()}
    paths |= {name: force.path for name, force in model.forces.items() if isinstance(force, PathForce)}
    along = {name: path for name, path in paths.items() if isinstance(path, PointPath)}
    if not along:
        return {}
    import casadi as ca

    from myodyne.physics.loops import closed_tree

    pose, speed = ca.SX.sym("q", len(model.moving)), ca.SX.sym("v", len(model.moving))
    tree = closed_tree(model, pose, speed)
    found = _straight(tree, {name: path for name, path in along.items() if not path.wraps}, q)
    found |= _over_surfaces(tree, {name: path for name, path in along.items() if path.wraps}, q)
    return {name: found[name] for name in along}


def _straight(tree: Tree, paths: Mapping[str, PointPath], q: Floats) -> dict[str, Floats]:
    import casadi as ca

    from myodyne.physics.kinematics import kinematics_of
    from myodyne.physics.paths import points_of

    if not paths:
        return {}
    kinematics = kinematics_of(tree)
    points = ca.Function("points", [tree.q], ca.cse([ca.vec(points_of(kinematics, path)) for path in paths.values()]))
    places = points.call([ca.DM(q.T)])
    return {name: np.asarray(place).T.reshape(len(q), -1, 3) for name, place in zip(paths, places, strict=True)}


def _over_surfaces(tree: Tree, paths: Mapping[str, PointPath], q: Floats) -> dict[str, Floats]:
    import casadi as ca

    from myodyne.physics.wrapped import WrappedPaths

    if not paths:
        return {}
    places = WrappedPaths(tree, paths, in_ground=True)
    kernel = ca.Function("places", [tree.q], ca.cse([places.points, places.active, places.frames]))
    rows = [np.asarray(part).T for part in kernel.call([ca.DM(q.T)])]
    wrapping = WrappedLengths(tree.model, paths)
    lines = [wrapping.points_along(*row) for row in zip(*rows, strict=True)]
    return {name: _padded([line[name] for line in lines]) for name in paths}


def _padded(lines: list[Floats]) -> Floats:
    """Return lines of several lengths in one array, each padded with its last point."""
    most = max(map(len, lines))
    return np.array([np.vstack([line, np.repeat(line[-1:], most - len(line), axis=0)]) for line in lines])
