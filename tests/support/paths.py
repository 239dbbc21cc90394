"""Random paths over a tree, and their lengths in plain numpy: an independent judge of paths."""

from __future__ import annotations

import itertools
from typing import Any

import casadi as ca
import numpy as np

from myodyne.model import (
    GROUND,
    ConditionalPoint,
    Linear,
    Model,
    MovingPoint,
    PathPoint,
    PointPath,
    Polynomial,
    Term,
)
from myodyne.physics.kinematics import kinematics_of
from myodyne.physics.loops import closed_tree
from myodyne.physics.paths import Paths, paths_of
from support.frames import Array
from support.lagrange import Lagrange

SX = ca.SX


class PathSymbols:
    """The paths of a model as expressions of q and v, for tests that take them apart."""

    def __init__(self, model: Model, paths: dict[str, Any]) -> None:
        size = len(model.moving)
        self.q, self.v, self.tensions = SX.sym("q", size), SX.sym("v", size), SX.sym("T", len(paths))
        self.kinematics = kinematics_of(closed_tree(model, self.q, self.v))
        self.paths: Paths = paths_of(self.kinematics, paths)

    def numbers(self, expressions: list[SX], *given: Any) -> list[Array]:
        function = ca.Function("f", [self.q, self.v, self.tensions][: len(given)], list(expressions))
        return [np.array(part) for part in function.call([ca.DM(np.asarray(x, dtype=float)) for x in given])]

    def operations(self, *expressions: SX) -> int:
        """Return how many operations the expressions take, constants and copies not counted."""
        function = ca.Function("f", [self.q, self.v, self.tensions], ca.cse(list(expressions)))
        idle = (ca.OP_CONST, ca.OP_INPUT, ca.OP_OUTPUT)
        return sum(function.instruction_id(k) not in idle for k in range(function.n_instructions()))


def random_paths(
    model: Model, seed: int, count: int = 4, kinds: tuple[str, ...] = ("fixed", "moving", "conditional")
) -> dict[str, PointPath]:
    """Return paths of three to five points on random bodies, the inner ones of any of the kinds."""
    rng = np.random.default_rng([seed, 5])
    bodies, coordinates = [GROUND, *model.bodies], list(model.coordinates)
    paths = {}
    for number in range(count):
        points: list[Any] = []
        length = int(rng.integers(3, 6))
        for place in range(length):
            inner = 0 < place < length - 1
            points.append(_point(rng, str(rng.choice(kinds)) if inner else "fixed", bodies, coordinates, model))
        paths[f"path{number}"] = PointPath(points=tuple(points))
    return paths


def _point(rng: np.random.Generator, kind: str, bodies: list[str], coordinates: list[str], model: Model) -> Any:
    body = str(rng.choice(bodies))
    at = tuple(rng.uniform(-0.3, 0.3, size=3).tolist())
    name = str(rng.choice(coordinates))
    if kind == "moving":
        bent = Polynomial(of=(name,), terms=(Term(coefficient=0.05, powers=(2,)), Term(coefficient=at[2], powers=(0,))))
        # Every other one is held at the ends of a range, in which about half of the poses are.
        limits = tuple(np.sort(rng.uniform(-1.0, 1.0, size=2)).tolist()) if rng.random() < 0.5 else None
        return MovingPoint(body=body, at=(Linear(coordinate=name, slope=0.1, offset=at[0]), at[1], bent), range=limits)
    if kind == "conditional":
        low, high = model.coordinates[name].range or (-1.0, 1.0)
        return ConditionalPoint(body=body, at=at, coordinate=name, range=(low, float(rng.uniform(low, high))))
    return PathPoint(body=body, at=at)


class PathJudge(Lagrange):
    """Lengths of point paths from poses in numpy: the rules of points told once more, without any derivative."""

    def lengths(self, paths: dict[str, PointPath], q: Array) -> Array:
        """Return the lengths (paths,) in one pose."""
        turns, places = self.body_poses(q)
        values = {name: float(value) for name, value in self._coordinate_values(q, None).items()}
        near = {name: np.asarray(value) for name, value in values.items()}
        found = []
        for path in paths.values():
            line = []
            for point in path.points:
                if (
                    isinstance(point, ConditionalPoint)
                    and not point.range[0] <= values[point.coordinate] <= point.range[1]
                ):
                    continue
                at = self._place(point, near) if isinstance(point, MovingPoint) else np.array(point.at)
                number = -1 if point.body == GROUND else self.bodies.index(point.body)
                line.append(at if number < 0 else turns[number] @ at + places[number])
            found.append(sum(float(np.linalg.norm(b - a)) for a, b in itertools.pairwise(line)))
        return np.array(found)

    def _place(self, point: MovingPoint, values: dict[str, Array]) -> Array:
        """Return where a moving point is on its body."""
        if point.range is not None:
            values = {name: np.clip(value, *point.range) for name, value in values.items()}
        return np.array([float(self._value(function, values, values)) for function in point.at])

    def switches(self, paths: dict[str, PointPath], q: Array) -> float:
        """Return how near (rad, m) a conditional point is to being switched, or a moving one to the end of its range."""
        values = self._coordinate_values(q, None)
        gaps = [
            abs(float(values[point.coordinates[0]]) - end)
            for path in paths.values()
            for point in path.points
            if isinstance(point, ConditionalPoint | MovingPoint)
            for end in point.range or ()
        ]
        return min(gaps, default=np.inf)
