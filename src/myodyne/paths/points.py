"""Points along the paths of muscles, ligaments and cables in space, for drawing."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

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
    return _places(model)(q)


@lru_cache(maxsize=4)
def _places(model: Model) -> _Places:
    """Return what finds the points; it takes longer to make than to ask, and a page asks with every edit."""
    return _Places(model)


class _Places:
    """Finds the points of all paths of a model, for any poses."""

    def __init__(self, model: Model) -> None:
        paths: dict[str, Path] = {name: muscle.path for name, muscle in model.muscles.items()}
        paths |= {name: force.path for name, force in model.forces.items() if isinstance(force, PathForce)}
        self._along = {name: path for name, path in paths.items() if isinstance(path, PointPath)}
        self._straight = {name: path for name, path in self._along.items() if not path.wraps}
        self._wrapped = {name: path for name, path in self._along.items() if path.wraps}
        if not self._along:
            return
        import casadi as ca

        from myodyne.physics.loops import closed_tree

        pose, speed = ca.SX.sym("q", len(model.moving)), ca.SX.sym("v", len(model.moving))
        tree = closed_tree(model, pose, speed)
        self._points = _points(tree, self._straight) if self._straight else None
        self._surfaces = _surfaces(tree, self._wrapped) if self._wrapped else None
        self._wrapping = WrappedLengths(model, self._wrapped) if self._wrapped else None

    def __call__(self, q: Floats) -> dict[str, Floats]:
        """Return the points (poses, points, 3) by name."""
        import casadi as ca

        found: dict[str, Floats] = {}
        if self._straight:
            assert self._points is not None
            places = self._points.call([ca.DM(q.T)])
            for name, place in zip(self._straight, places, strict=True):
                found[name] = np.asarray(place).T.reshape(len(q), -1, 3)
        if self._wrapped:
            assert self._wrapping is not None
            assert self._surfaces is not None
            rows = [np.asarray(part).T for part in self._surfaces.call([ca.DM(q.T)])]
            lines = [self._wrapping.points_along(*row) for row in zip(*rows, strict=True)]
            found |= {name: _padded([line[name] for line in lines]) for name in self._wrapped}
        return {name: found[name] for name in self._along}


def _points(tree: Tree, paths: Mapping[str, PointPath]) -> Any:  # noqa: ANN401 - a function of CasADi
    import casadi as ca

    from myodyne.physics.kinematics import kinematics_of
    from myodyne.physics.paths import points_of

    kinematics = kinematics_of(tree)
    return ca.Function("points", [tree.q], ca.cse([ca.vec(points_of(kinematics, path)) for path in paths.values()]))


def _surfaces(tree: Tree, paths: Mapping[str, PointPath]) -> Any:  # noqa: ANN401 - a function of CasADi
    import casadi as ca

    from myodyne.physics.wrapped import WrappedPaths

    places = WrappedPaths(tree, paths, in_ground=True)
    return ca.Function("places", [tree.q], ca.cse([places.points, places.active, places.frames]))


def _padded(lines: list[Floats]) -> Floats:
    """Return lines of several lengths in one array, each padded with its last point."""
    most = max(map(len, lines))
    return np.array([np.vstack([line, np.repeat(line[-1:], most - len(line), axis=0)]) for line in lines])
