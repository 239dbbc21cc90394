"""Lengths and gradients of one path over the poses of a model: the data of polynomial fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

import numpy as np

from myodyne.errors import ModelError, SolveError, listed, unknown_name
from myodyne.model import Model, Path, PointPath
from myodyne.model.units import angles
from myodyne.physics.algebra import load_algebra
from myodyne.types import Floats

if TYPE_CHECKING:
    from casadi import SX

    from myodyne.physics.tree import Tree

Ranges = Mapping[str, tuple[float, float]]

# Polynomials have their largest errors at the corners of the range; beyond eight coordinates there are too many.
_MOST_CORNERS = 256


class _Evaluation(Protocol):
    """Lengths (k,) and gradients (k, n) of a path at poses (k, n) of the ``crossed`` coordinates, by number."""

    crossed: list[int]

    def __call__(self, poses: Floats) -> tuple[Floats, Floats]: ...
    def cause(self, before: Floats, after: Floats) -> str: ...


@lru_cache(maxsize=2)
def _tree(model: Model) -> Tree:
    """Return the tree of a model: the same for all its paths."""
    load_algebra()
    import casadi as ca

    from myodyne.physics.loops import closed_tree

    return closed_tree(model, ca.SX.sym("q", len(model.moving)), ca.SX.sym("v", len(model.moving)))


class _Expression:
    """A path whose length is an expression."""

    def __init__(self, model: Model, path: Path) -> None:
        load_algebra()
        import casadi as ca

        from myodyne.physics.kinematics import kinematics_of
        from myodyne.physics.paths import paths_of

        tree = _tree(model)
        q = tree.q
        paths = paths_of(kinematics_of(tree), {"path": path})
        # Not the pattern of the gradient alone: a conditional point may depend on a coordinate that it does not cross.
        self.crossed = [
            k
            for k in range(q.numel())
            if ca.depends_on(ca.vertcat(paths.lengths, paths.gradient.T), q[k])
            or paths.gradient.sparsity().has_nz(0, k)
        ]
        gradient = ca.densify(paths.gradient[:, self.crossed]) if self.crossed else ca.SX(1, 0)
        symbols, pose = _pose(model, self.crossed)
        outputs = ca.substitute([paths.lengths, gradient.T], [q], [pose])
        self._function = ca.Function("path", [symbols], ca.cse(outputs))

    def __call__(self, poses: Floats) -> tuple[Floats, Floats]:
        if not self.crossed:
            lengths = np.full(len(poses), float(self._function(np.zeros(0))[0]))
            return lengths, np.zeros_like(poses)
        lengths, gradients = (np.asarray(part).T for part in self._function(poses.T))
        return lengths[:, 0], gradients

    def cause(self, before: Floats, after: Floats) -> str:
        """Return what makes the length jump between two poses: without surfaces, only conditional points can."""
        return "conditional point"


class _Wrapped:
    """A path over surfaces, whose length is found iteratively."""

    def __init__(self, model: Model, path: PointPath) -> None:
        load_algebra()
        import casadi as ca

        from myodyne.paths.wrapping.lengths import WrappedLengths
        from myodyne.physics.wrapped import WrappedPaths

        tree = _tree(model)
        q = tree.q
        paths = WrappedPaths(tree, {"path": path})
        weights = paths.weights()
        gradient, active = paths.gradient(weights), paths.active
        self.crossed = [k for k in range(q.numel()) if gradient.sparsity().has_nz(0, k) or ca.depends_on(active, q[k])]
        slopes = ca.densify(gradient[:, self.crossed]) if self.crossed else ca.SX(1, 0)
        symbols, pose = _pose(model, self.crossed)
        outputs = ca.substitute([paths.points, active, paths.frames, slopes.T], [q], [pose])
        self._places = ca.Function("places", [symbols], ca.cse(outputs[:3]))
        self._gradient = ca.Function("gradient", [symbols, weights], ca.cse(outputs[3:]))
        self._wrapping = WrappedLengths(model, {"path": path})
        self._surfaces = [wrap.surface for wrap in path.wraps]
        self._shortest = model.wrapping == "shortest"

    def __call__(self, poses: Floats) -> tuple[Floats, Floats]:
        columns, places = self._placed(poses)
        lengths, weights = self._wrapping(*places)
        if not self.crossed:
            return lengths[:, 0], np.zeros_like(poses)
        return lengths[:, 0], np.asarray(self._gradient(columns, weights.T)).T

    def cause(self, before: Floats, after: Floats) -> str:
        """Return what makes the length jump between two poses, as far as the definition of the path shows."""
        _, (points, active, frames) = self._placed(np.stack([before, after]))
        if (active[0] != active[1]).any():
            return "conditional point"
        if not self._shortest:
            return "rules of OpenSim"
        marks = [self._wrapping.marks(points[row], active[row], frames[row]) for row in (0, 1)]
        for column, cause in ((1, "end of"), (2, "side of"), (3, "overlap at")):
            for name, changed in zip(self._surfaces, marks[0][:, column] != marks[1][:, column], strict=True):
                if changed:
                    return f"{cause} '{name}'"
        return "another way"

    def _placed(self, poses: Floats) -> tuple[Floats, list[Floats]]:
        """Return poses as columns, and the places of points and surfaces there."""
        columns = poses.T if self.crossed else np.zeros((0, len(poses)))
        places = [np.ascontiguousarray(np.asarray(part).T) for part in self._places.call([columns])]
        # Without inputs the function returns one column however many poses there are.
        return columns, [np.repeat(part, len(poses), axis=0) if len(part) != len(poses) else part for part in places]


def _pose(model: Model, crossed: Sequence[int]) -> tuple[SX, SX]:
    """Return symbols for some of the coordinates, and the whole pose with the others at their defaults."""
    import casadi as ca

    symbols = ca.SX.sym("crossed", len(crossed))
    pose = ca.SX([model.coordinates[name].default for name in model.moving])
    for place_of, k in enumerate(crossed):
        pose[k] = symbols[place_of]
    return symbols, pose


class PathOfModel:
    """One path over the poses of a model, within the ranges of the coordinates that it crosses."""

    def __init__(self, model: Model, muscle: str, path: Path, ranges: Ranges | None) -> None:
        self.muscle = muscle
        wraps = isinstance(path, PointPath) and path.wraps
        self._evaluation: _Evaluation = _Wrapped(model, path) if wraps else _Expression(model, path)  # type: ignore[arg-type]
        self.coordinates = tuple(model.moving[k] for k in self._evaluation.crossed)
        self.ranges = _ranges(model, muscle, self.coordinates, ranges)
        self.units = {name: "rad" if name in angles(model) else "m" for name in self.coordinates}

    def at(self, poses: Floats) -> tuple[Floats, Floats]:
        """Return lengths (k,) and gradients (k, n) at poses (k, n)."""
        lengths, gradients = self._evaluation(poses)
        fine = np.isfinite(lengths) & np.isfinite(gradients).all(axis=1)
        if not fine.all():
            bad = poses[int(np.argmin(fine))]
            raise SolveError(
                f"the path of '{self.muscle}' has no length at {place(self.coordinates, bad)}; narrow the ranges"
            )
        return lengths, gradients

    def cause(self, before: Floats, after: Floats) -> str:
        """Return what makes the length jump between two poses (n,)."""
        return self._evaluation.cause(before, after)

    def poses(self, count: int, seed: int, corners: bool) -> Floats:
        """Return poses that fill the ranges evenly, denser towards their ends; the same for the same seed."""
        from scipy.stats import qmc

        low, high = (np.array([self.ranges[name][end] for name in self.coordinates]) for end in (0, 1))
        unit = qmc.Halton(max(len(low), 1), scramble=True, seed=seed).random(count)[:, : len(low)]
        # Chebyshev's density: polynomials oscillate towards the ends of a range.
        spread = (1.0 - np.cos(np.pi * unit)) / 2.0
        if corners and len(low) > 0 and 2 ** len(low) <= _MOST_CORNERS:
            grid = np.stack(np.meshgrid(*[[0.0, 1.0]] * len(low), indexing="ij"), axis=-1).reshape(-1, len(low))
            spread = np.vstack([grid, spread])
        result: Floats = low + spread * (high - low)
        return result


def place(coordinates: Sequence[str], pose: Floats) -> str:
    """Return a pose as text."""
    return ", ".join(f"{name} = {value:.3g}" for name, value in zip(coordinates, pose, strict=True))


def _ranges(
    model: Model, muscle: str, coordinates: Sequence[str], given: Ranges | None
) -> dict[str, tuple[float, float]]:
    for name, limits in (given or {}).items():
        if name not in model.coordinates:
            raise ModelError(f"ranges: {unknown_name('coordinate', name, model.coordinates)}")
        if name not in model.moving:
            raise ModelError(f"ranges: coordinate '{name}' is locked or coupled and has no range of its own")
        try:
            pair = np.asarray(limits, dtype=float)
        except (TypeError, ValueError):
            pair = np.empty(0)
        if pair.shape != (2,) or not np.isfinite(pair).all() or not pair[0] < pair[1]:
            raise ModelError(f"ranges: '{name}' needs two numbers, the lower first, not {limits!r}")
    found: dict[str, tuple[float, float]] = {}
    for name in coordinates:
        own = given[name] if given is not None and name in given else model.coordinates[name].range
        if own is not None:
            found[name] = (float(own[0]), float(own[1]))
    lacking = [name for name in coordinates if name not in found]
    if lacking:
        raise ModelError(
            f"the path of '{muscle}' crosses {listed(lacking)}, for which the model gives no range: "
            f"pass ranges={{'{lacking[0]}': (low, high)}}"
        )
    return found
