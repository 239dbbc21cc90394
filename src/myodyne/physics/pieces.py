"""Straight pieces of paths: their lengths, and derivatives by the coordinates between their ends.

A piece is expressed in the frame of the last common ancestor of the links of its ends. Coordinates closer to the root
move the piece as a whole and do not occur in its expressions, so derivatives are sparse by construction.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import casadi as ca

from myodyne.model import GROUND, ConditionalPoint, MovingPoint, PathPoint, PointPath
from myodyne.physics import joint_functions
from myodyne.physics.recursive import Wrench
from myodyne.physics.spatial import SX, Transform, cross, dot, vector
from myodyne.physics.tree import Tree

# Added to the square of a length (m²), far below any path: it gives a piece of zero length a finite direction.
_NOTHING = 1e-18


@dataclass(frozen=True)
class Stop:
    """A point of a path: its link, its position in the link's frame, how it slides there, and whether it is active.

    Each of the ``slides`` is a direction in the link's frame and the gradient of the displacement along it.
    """

    link: int
    at: SX
    slides: tuple[tuple[SX, SX], ...] = ()
    active: SX | None = None


@dataclass(frozen=True)
class Step:
    """One motion between the ends of a piece: an axis that one end turns about or moves along.

    ``sign`` is that of the end: 1 for the last, -1 for the first. ``arm`` leads from the axis to that end, None for a
    translation. ``slope`` is the derivative of the length, ``gradient`` that of the motion by the coordinates.
    """

    sign: int
    axis: SX
    arm: SX | None
    slope: SX
    gradient: SX

    @property
    def move(self) -> SX:
        """The velocity of the end for a unit rate."""
        return self.axis if self.arm is None else cross(self.axis, self.arm)


@dataclass(frozen=True)
class Piece:
    """A straight piece in the frame of the link ``base``: its direction ``pull``, and the axes that move its ends.

    The ``steps`` of each end are in order, those nearest to the end first. A ``weight`` of zero removes the piece.
    """

    start: Stop
    end: Stop
    length: SX
    pull: SX
    steps: tuple[Step, ...]
    weight: SX

    def curvatures(self) -> Iterator[tuple[Step, Step, SX]]:
        """Yield the second derivatives of the length by all pairs of motions, each pair once.

        They are (J_i·J_k - s_i s_k) / L for the rotation of the piece, and for two motions of the same end the effect
        of the one closer to the root, i, on the other: pull · (axis_i × J_k).
        """
        moves = [step.move for step in self.steps]
        for i, step in enumerate(self.steps):
            across = None if step.arm is None else cross(self.pull, step.axis)
            for k, other in enumerate(self.steps[: i + 1]):
                value = (step.sign * other.sign * dot(moves[i], moves[k]) - step.slope * other.slope) / self.length
                if across is not None and step.sign == other.sign:
                    value = value + step.sign * dot(moves[k], across)
                yield step, other, value


@dataclass
class Pieces:
    """The pieces of all point paths of a tree; frames that several of them share are computed once."""

    tree: Tree
    _frames: dict[tuple[int, int], Transform] = field(default_factory=dict)
    _axes: dict[tuple[int, int], tuple[SX, SX]] = field(default_factory=dict)

    def of(self, path: PointPath) -> list[Piece]:
        """Return the pieces of a path; points that may be inactive add pieces that skip them, of weight zero or one."""
        stops = [self.stop(point) for point in path.points]
        found = []
        for first, start in enumerate(stops):
            weight = SX(1) if start.active is None else start.active
            for end in stops[first + 1 :]:
                piece = self._piece(start, end)
                if end.active is None:
                    found.append(replace(piece, weight=weight))
                    break
                found.append(replace(piece, weight=weight * end.active))
                weight = weight * (1 - end.active)
        return found

    def stop(self, point: PathPoint | MovingPoint | ConditionalPoint) -> Stop:
        """Return a point of a path in the frame of the link that carries it."""
        tree = self.tree
        link = -1 if point.body == GROUND else tree.link_of_body[point.body]
        frame = Transform.identity() if link < 0 else tree.links[link].body_frame
        if isinstance(point, MovingPoint):
            coordinates = tree.coordinates
            if point.range is not None:
                coordinates = {name: coordinates[name].held(*point.range) for name in point.coordinates}
            jets = [joint_functions.jet(function, coordinates, tree.size) for function in point.at]
            rows = [ca.sparsify(jet.gradient) for jet in jets]
            slides = tuple((frame.rotation[:, axis], row) for axis, row in enumerate(rows) if row.nnz())
            return Stop(link, frame.point(ca.vertcat(*(jet.value for jet in jets))), slides)
        active = None
        if isinstance(point, ConditionalPoint):
            value = tree.coordinates[point.coordinate].value
            active = ca.logic_and(value >= point.range[0], value <= point.range[1])
        return Stop(link, frame.point(vector(point.at)), active=active)

    def _piece(self, start: Stop, end: Stop) -> Piece:
        """Return one piece.

        The derivative of its length by a rotation is the moment of the unit pull about the axis (generalised lines
        of action, Ehsani's equations 149 to 195, without their change of axes from body to body).
        """
        base = self.common(start.link, end.link)
        here, there = self.seen(base, start.link).point(start.at), self.seen(base, end.link).point(end.at)
        span = there - here
        length = ca.sqrt(dot(span, span) + _NOTHING)
        pull = span / length
        steps = (*self._steps(base, start, here, -1, pull), *self._steps(base, end, there, 1, pull))
        return Piece(start, end, length, pull, steps, SX(1))

    def _steps(self, base: int, stop: Stop, place: SX, sign: int, pull: SX) -> Iterator[Step]:
        """Yield the motions of one end of a piece, from the end towards the root."""
        turn = self.seen(base, stop.link).rotation
        for direction, gradient in stop.slides:
            axis = turn @ direction
            yield Step(sign, axis, None, sign * dot(axis, pull), gradient)
        number = stop.link
        while number != base:
            link = self.tree.links[number]
            if link.gradient.nnz():
                axis, origin = self.axis(base, number)
                arm = place - origin if link.motion == "rotation" else None
                slope = dot(axis, pull if arm is None else cross(arm, pull))
                yield Step(sign, axis, arm, sign * slope, link.gradient)
            number = link.parent

    def common(self, first: int, second: int) -> int:
        """Return the last common ancestor of two links, -1 for the ground."""
        while first != second:
            # Parents come before their children.
            if first > second:
                first = self.tree.links[first].parent
            else:
                second = self.tree.links[second].parent
        return first

    def seen(self, base: int, link: int) -> Transform:
        """Return the pose of a link's frame in that of one of its ancestors."""
        if link == base:
            return Transform.identity()
        if (base, link) not in self._frames:
            parent = self.tree.links[link].parent
            step = self.tree.steps[link]
            self._frames[base, link] = step if parent == base else self.seen(base, parent) @ step
        return self._frames[base, link]

    def axis(self, base: int, number: int) -> tuple[SX, SX]:
        """Return the axis of a link and a point on it, before its own motion, which leaves both in place."""
        if (base, number) not in self._axes:
            link = self.tree.links[number]
            before = self.seen(base, link.parent) @ link.offset
            self._axes[base, number] = before.rotation @ vector(link.axis), before.position
        return self._axes[base, number]

    def pulls(self, piece: Piece, tension: SX) -> Iterator[tuple[int, Wrench]]:
        """Yield the links that a piece under tension (N) acts on, with the wrench on each in its own frame."""
        base = self.common(piece.start.link, piece.end.link)
        for sign, stop in ((1, piece.start), (-1, piece.end)):
            if stop.link >= 0:
                force = self.seen(base, stop.link).rotation.T @ (sign * piece.weight * tension * piece.pull)
                yield stop.link, Wrench(cross(stop.at, force), force)


def length_of(pieces: list[Piece]) -> SX:
    """Return the length of a path of pieces (m)."""
    length = SX(0)
    for piece in pieces:
        length = length + piece.weight * piece.length
    return length


def gradient_of(pieces: list[Piece]) -> dict[int, SX]:
    """Return the derivatives of the length of a path by the coordinates that change it, by number."""
    found: defaultdict[int, SX] = defaultdict(lambda: SX(0))
    for piece in pieces:
        for step in piece.steps:
            for number, part in entries(step.gradient).items():
                found[number] = found[number] + piece.weight * step.slope * part
    return {number: slope for number, slope in found.items() if not slope.is_zero()}


def hessian_of(paths: Mapping[int, list[Piece]], tensions: SX, q: SX) -> SX:
    """Return the second derivatives of Σ tension × length by the coordinates."""
    found: defaultdict[tuple[int, int], SX] = defaultdict(lambda: SX(0))
    for row, pieces in paths.items():
        for piece in pieces:
            load = tensions[row] * piece.weight
            for step, other, value in piece.curvatures():
                for i, left in entries(step.gradient).items():
                    for k, right in entries(other.gradient).items():
                        part = load * value * left * right
                        found[i, k] = found[i, k] + part
                        if step is not other:
                            found[k, i] = found[k, i] + part
            for step in piece.steps:
                if not step.gradient.is_constant():
                    bend = ca.jacobian(step.gradient, q)
                    for place, (i, k) in enumerate(zip(*bend.sparsity().get_triplet(), strict=True)):
                        found[i, k] = found[i, k] + load * step.slope * bend.nz[place]
    return sparse(found, (q.numel(), q.numel()))


def entries(row: SX) -> dict[int, SX]:
    """Return the nonzeros of a sparse row, by column."""
    return {column: row.nz[place] for place, column in enumerate(row.sparsity().get_triplet()[1])}


def sparse(found: Mapping[tuple[int, int], SX], shape: tuple[int, int]) -> SX:
    """Return a sparse matrix from its entries."""
    if not found:
        return SX(*shape)
    places = sorted(found, key=lambda place: (place[1], place[0]))  # CasADi keeps columns
    pattern = ca.Sparsity.triplet(*shape, [row for row, _ in places], [number for _, number in places])
    return SX(pattern, ca.vertcat(*(found[place] for place in places)))
