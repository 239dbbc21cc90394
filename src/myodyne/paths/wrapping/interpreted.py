"""Paths over surfaces without a compiler: the counterpart in NumPy of ``native/wrapping/wrapping.c``, which gives the
reasons.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from myodyne.paths.wrapping.dual_numbers import (
    ALONE,
    AMONG_OTHERS,
    INSIDE,
    MET,
    MUST,
    STRAIGHT,
    SurfaceSegment,
    WrapResult,
    seeded,
    values,
)
from myodyne.paths.wrapping.ellipsoid import ellipsoid
from myodyne.paths.wrapping.surfaces import cylinder, sphere, torus
from myodyne.paths.wrapping.tables import PathTable, Places, SurfaceUse, by_path
from myodyne.types import Floats

_SWEEPS = 8
_STILL = 0.0005


class InterpretedSolver:
    """The same as the C routines, a hundred times slower."""

    def __init__(self, tables: Sequence[PathTable]) -> None:
        self._tables = tables

    def rows(self, points: Floats, active: Floats, frames: Floats) -> tuple[Floats, Floats]:
        """Return lengths and weights, a row for each row of places."""
        lengths, weights = [], []
        for row in zip(points, active, frames, strict=True):
            found = []
            for table, (own, active_ones, surfaces) in zip(self._tables, by_path(self._tables, row), strict=True):
                course = _Course(table, active_ones, surfaces)
                found.append((course.lay(own), course.weights()))
            lengths.append([length for length, _ in found])
            weights.append(np.concatenate([weight for _, weight in found]))
        return np.array(lengths), np.array(weights)

    def points(self, number: int, places: Places, pieces: int) -> Floats:
        """Return the points along one path, for drawing."""
        course = _Course(self._tables[number], places[1], places[2])
        course.lay(places[0])
        return course.points(pieces)


@dataclass(frozen=True)
class _WrapStep:
    use: int
    left: int
    right: int
    segment: SurfaceSegment


def _over(use: SurfaceUse, how: int, p: Floats, q: Floats) -> WrapResult:
    half = max(abs(use.half) - 1, 0), (use.half > 0) - (use.half < 0)
    a, b = seeded(p, q)
    match use.kind:
        case 0:
            return cylinder(use.size, half, how, a, b)
        case 1:
            return sphere(use.size[0], half, a, b)
        case 2:
            return ellipsoid(use.size, half, use.method, a, b)
        case _:
            return torus(use.size, half, how, a, b)


class _Course:
    """A path under construction: its nodes, the segments found over surfaces, and the present order of nodes."""

    def __init__(self, table: PathTable, active: Floats, frames: Floats) -> None:
        self._table, self._active = table, active
        self._rotations = [frame[:9].reshape(3, 3) for frame in frames.reshape(-1, 12)]
        self._origins = [frame[9:] for frame in frames.reshape(-1, 12)]
        count = len(table.surfaces)
        self._nodes: list[Floats] = []
        self._steps: list[_WrapStep] = []
        self._order = [i for i in range(table.points) if active[i] != 0.0]
        self._present, self._seen = [-1] * count, [-1] * count

    def lay(self, points: Floats) -> float:
        """Find the path and return its length."""
        self._nodes = list(points.reshape(-1, 3))
        count, swapped = len(self._table.surfaces), False
        sweeps = 1 if count < 2 else _SWEEPS
        before, outcomes = math.inf, [STRAIGHT] * 2
        for sweep in range(sweeps):
            for i in range(count):
                outcome = self._lay_over(1 - i if swapped and i < 2 else i)
                if outcome < 0:
                    return self._length()
                if i < 2:
                    outcomes[i] = outcome
            length = self._length()
            if abs(length - before) < _STILL:
                break
            before = length
            if sweep == 0 and count > 1 and outcomes == [STRAIGHT, INSIDE]:
                swapped = True
                self._drop(0)
        return self._length()

    def weights(self) -> Floats:
        """Return the derivatives of the length by points and by the motions of surfaces."""
        gradients = np.zeros((len(self._nodes), 3))
        for a, b in zip(self._order[:-1], self._order[1:], strict=True):
            if self._on_surface(a):
                continue
            here, there = self._shown(a), self._shown(b)
            size = self._distance(self._nodes[here], self._nodes[there])
            if size > 0.0:
                pull = (self._nodes[there] - self._nodes[here]) / size
                gradients[here] -= pull
                gradients[there] += pull
        motions = np.zeros((len(self._table.surfaces), 6))
        for number in reversed(range(len(self._steps))):
            self._pass_on(number, gradients, motions)
        return np.concatenate([gradients[: self._table.points].ravel(), motions.ravel()])

    def points(self, pieces: int) -> Floats:
        """Return the points along the path."""
        found = []
        for node in self._order:
            found.append(self._nodes[node])
            if not self._on_surface(node):
                continue
            step = self._steps[self._step_of(node)]
            c = step.segment.curve
            for piece in range(1, pieces):
                share = piece / pieces
                angle = c.start + share * c.turn
                local = c.centre + c.a * math.cos(angle) + c.b * math.sin(angle) + share * c.rise
                found.append(self._origins[step.use] + self._rotations[step.use] @ local)
        return np.array(found)

    def _on_surface(self, node: int) -> bool:
        return node >= self._table.points and (node - self._table.points) % 2 == 0

    def _step_of(self, node: int) -> int:
        return (node - self._table.points) // 2

    def _how(self, left: int, right: int) -> int:
        return ALONE if len(self._table.surfaces) == 1 else AMONG_OTHERS

    def _shown(self, node: int) -> int:
        if node < self._table.points:
            return node
        step = self._step_of(node)
        use = self._steps[step].use
        if self._seen[use] < 0:
            self._seen[use] = step
        return node + 2 * (self._seen[use] - step)

    @staticmethod
    def _distance(a: Floats, b: Floats) -> float:
        return math.sqrt((a - b) @ (a - b))

    def _drop(self, use: int) -> None:
        if self._present[use] >= 0:
            place = self._order.index(self._table.points + 2 * self._present[use])
            del self._order[place : place + 2]
            self._present[use] = -1

    def _lay_over(self, use: int) -> int:
        surface = self._table.surfaces[use]
        rotation, origin = self._rotations[use], self._origins[use]
        self._drop(use)
        low = max(surface.first, 0)
        high = self._table.points - 1 if surface.last < 0 else surface.last
        active_points = [i for i in range(low, high + 1) if self._active[i] != 0.0]
        if not active_points:
            return -1
        outcome, least, best = STRAIGHT, math.inf, None
        for i in range(self._order.index(active_points[0]), self._order.index(active_points[-1])):
            left, right = self._order[i], self._order[i + 1]
            if self._on_surface(left):
                continue
            p, q = ((self._nodes[node] - origin) @ rotation for node in (left, right))
            outcome, segment = _over(surface, self._how(left, right), p, q)
            if segment is None:
                continue
            places = [origin + rotation @ values(point) for point in (segment.touch, segment.leave)]
            change = -math.inf
            if outcome == MET:
                a, b = self._nodes[self._shown(left)], self._nodes[self._shown(right)]
                change = self._distance(a, places[0]) + segment.length.v + self._distance(places[1], b)
                change -= self._distance(a, b)
            if change < least:
                least, best = change, (i + 1, _WrapStep(use, left, right, segment), places)
            if outcome == MUST:
                break
        if best is not None:
            place, step, places = best
            node = len(self._nodes)
            self._nodes += places
            self._order[place:place] = [node, node + 1]
            self._present[use] = len(self._steps)
            self._steps.append(step)
        return outcome

    def _length(self) -> float:
        length = 0.0
        for a, b in zip(self._order[:-1], self._order[1:], strict=True):
            if self._on_surface(a):
                length += self._steps[self._step_of(a)].segment.length.v
            else:
                length += self._distance(self._nodes[self._shown(a)], self._nodes[self._shown(b)])
        return length

    def _pass_on(self, number: int, gradients: Floats, motions: Floats) -> None:
        step = self._steps[number]
        rotation, origin = self._rotations[step.use], self._origins[step.use]
        node = self._table.points + 2 * number
        by = step.segment.length.d.copy() if self._present[step.use] == number else np.zeros(6)
        touches = (*step.segment.touch, *step.segment.leave)
        out = np.concatenate([gradients[node] @ rotation, gradients[node + 1] @ rotation])
        by += sum(part * touch.d for part, touch in zip(out, touches, strict=True))
        for e, end in enumerate((step.left, step.right)):
            pull = rotation @ by[3 * e : 3 * e + 3]
            gradients[end] += pull
            own = gradients[node + e]
            arm, far_arm = self._nodes[node + e] - origin, self._nodes[end] - origin
            motions[step.use] += np.concatenate([own - pull, np.cross(arm, own) - np.cross(far_arm, pull)])
