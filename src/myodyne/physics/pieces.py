"""Straight pieces of paths: their lengths, and how the coordinates between their ends change them.

A piece is seen from the last link that carries both of its ends. Coordinates farther up move the piece as a whole
and do not occur in its expressions, so derivatives are sparse by construction.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import casadi as ca

from myodyne.model import GROUND, ConditionalPoint, MovingPoint, PathPoint, PointPath
from myodyne.physics import joint_functions
from myodyne.physics.joint_functions import Jet
from myodyne.physics.spatial import SX, Transform, cross, dot, vector
from myodyne.physics.tree import Tree

# The square of a length (m²) that no path is measured by: it gives a piece without length a finite direction.
_NOTHING = 1e-24


@dataclass(frozen=True)
class Stop:
    """A point of a path: its link, where it is in the link's frame, what moves it there, and whether it counts."""

    link: int
    at: SX
    gradient: SX | None
    active: SX | None


@dataclass
class Pieces:
    """The pieces of all point paths of a tree; frames that several of them are seen from are worked out once."""

    tree: Tree
    _frames: dict[tuple[int, int], Transform] = field(default_factory=dict)

    def length_and_gradient(self, path: PointPath) -> tuple[SX, dict[int, SX]]:
        """Return the length of a path (m) and its derivatives by the coordinates that change it."""
        stops = [self._stop(point) for point in path.points]
        length = SX(0)
        gradient: defaultdict[int, SX] = defaultdict(lambda: SX(0))
        for start, stop in enumerate(stops):
            taken = SX(1)  # whether the path runs straight from `start` to `end`: all points between them are off
            for end in range(start + 1, len(stops)):
                weight = taken
                for active in (stop.active, stops[end].active):
                    weight = weight if active is None else weight * active
                piece, slopes = self._piece(stop, stops[end])
                length = length + weight * piece
                for number, slope in slopes.items():
                    gradient[number] = gradient[number] + weight * slope
                between = stops[end].active
                if between is None:
                    break
                taken = taken * (1 - between)
        return length, {number: slope for number, slope in gradient.items() if not slope.is_zero()}

    def _stop(self, point: PathPoint | MovingPoint | ConditionalPoint) -> Stop:
        tree = self.tree
        link = -1 if point.body == GROUND else tree.link_of_body[point.body]
        frame = Transform.identity() if link < 0 else tree.links[link].body_frame
        if isinstance(point, MovingPoint):
            jets = [joint_functions.jet(function, tree.coordinates, tree.size) for function in point.at]
            moved = frame.rotation @ ca.vertcat(*(ca.densify(jet.gradient) for jet in jets))
            return Stop(link, frame.point(ca.vertcat(*(jet.value for jet in jets))), ca.sparsify(moved), None)
        active = None
        if isinstance(point, ConditionalPoint):
            value = tree.coordinates[point.coordinate].value
            active = ca.logic_and(value >= point.range[0], value <= point.range[1])
        return Stop(link, frame.point(vector(point.at)), None, active)

    def _piece(self, start: Stop, end: Stop) -> tuple[SX, dict[int, SX]]:
        """Return the length of one piece and its derivatives.

        The derivative by a rotation is the moment of the unit pull about its axis (generalised lines of action,
        Ehsani's equations 149 to 195, without their change of axes from body to body).
        """
        base = self._common(start.link, end.link)
        here, there = self._seen(base, start.link).point(start.at), self._seen(base, end.link).point(end.at)
        span = there - here
        length = ca.sqrt(dot(span, span) + _NOTHING)
        pull = span / length
        gradient: defaultdict[int, SX] = defaultdict(lambda: SX(0))
        for sign, stop, place in ((-1, start, here), (1, end, there)):
            if stop.gradient is not None:
                row = pull.T @ (self._seen(base, stop.link).rotation @ stop.gradient)
                self._add(gradient, row, sign)
            number = stop.link
            while number != base:
                link = self.tree.links[number]
                if link.gradient.nnz():
                    # The axis as it stands before its own motion, which leaves it where it is.
                    before = self._seen(base, link.parent) @ link.offset
                    axis = before.rotation @ vector(link.axis)
                    slope = (dot(axis, cross(place - before.position, pull)) if link.motion == "rotation"
                             else dot(axis, pull))
                    self._add(gradient, slope * link.gradient, sign)
                number = link.parent
        return length, gradient

    def _add(self, gradient: defaultdict[int, SX], row: SX, sign: int) -> None:
        columns = row.sparsity().get_triplet()[1]
        for place, number in enumerate(columns):
            gradient[number] = gradient[number] + sign * row.nz[place]

    def _common(self, first: int, second: int) -> int:
        """Return the last link that carries both links, -1 for the ground."""
        while first != second:
            # Parents come before their children.
            if first > second:
                first = self.tree.links[first].parent
            else:
                second = self.tree.links[second].parent
        return first

    def _seen(self, base: int, link: int) -> Transform:
        """Return where the frame of a link stands in that of a link farther up."""
        if link == base:
            return Transform.identity()
        if (base, link) not in self._frames:
            parent = self.tree.links[link].parent
            step = self.tree.steps[link]
            self._frames[base, link] = step if parent == base else self._seen(base, parent) @ step
        return self._frames[base, link]


def coordinate_row(coordinate: Jet) -> dict[int, SX]:
    """Return the derivatives of a function of the coordinates, those that are not zero, by number."""
    row = ca.sparsify(coordinate.gradient)
    return {number: row.nz[place] for place, number in enumerate(row.sparsity().get_triplet()[1])}
