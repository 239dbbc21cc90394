"""Where the paths of muscles, ligaments and cables run in space, in numbers: for pictures."""

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

    A point that is off in a pose lies where the one before it is. Paths over surfaces have points along these where
    they touch them, and in poses with fewer the last point several times. A path that is a function of coordinates
    has no place and is left out.
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
    from myodyne.physics.paths import way

    if not paths:
        return {}
    kinematics = kinematics_of(tree)
    points = ca.Function("points", [tree.q], ca.cse([ca.vec(way(kinematics, path)) for path in paths.values()]))
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
    ways = [wrapping.points_along(*row) for row in zip(*rows, strict=True)]
    return {name: _filled([way[name] for way in ways]) for name in paths}


def _filled(ways: list[Floats]) -> Floats:
    """Return ways of several lengths in one table, each filled up with its last point."""
    most = max(map(len, ways))
    return np.array([np.vstack([way, np.repeat(way[-1:], most - len(way), axis=0)]) for way in ways])
