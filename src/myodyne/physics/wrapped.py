"""Positions of the points and surfaces of paths that wrap over surfaces, and their derivatives by the coordinates.

The path over a surface is found by an iteration that cannot be written as an expression. Here are its inputs: all
points and surface frames of a path, in the frame of the last common ancestor of their links. And here its outputs are
used: derivatives of the length by those places become derivatives by the coordinates. Coordinates closer to the root
do not occur.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import casadi as ca

from myodyne.model import GROUND, PointPath
from myodyne.physics.kinematics import column
from myodyne.physics.paths import Paths
from myodyne.physics.pieces import Pieces, Stop, entries, sparse
from myodyne.physics.recursive import Wrench
from myodyne.physics.spatial import SX, Transform, cross, dot, zero
from myodyne.physics.tree import Tree


@dataclass(frozen=True)
class _Place:
    """A point (three weights: a force), or a frame (six: a force and a moment about its origin), on a link."""

    base: int
    stop: Stop
    frame: Transform | None = None

    @property
    def weights(self) -> int:
        return 3 if self.frame is None else 6


class WrappedPaths:
    """The places of some paths: per path its points, then the frames of its surfaces.

    They are in the frame of the last common ancestor of all links of a path, or in the ground, for drawing.
    """

    def __init__(self, tree: Tree, paths: Mapping[str, PointPath], *, in_ground: bool = False) -> None:
        self._pieces = Pieces(tree)
        self._tree = tree
        self._in_ground = in_ground
        self._places = [self._places_of(path) for path in paths.values()]

    def _places_of(self, path: PointPath) -> list[_Place]:
        tree = self._tree
        stops = [self._pieces.stop(point) for point in path.points]
        frames: list[tuple[Stop, Transform]] = []
        for wrap in path.wraps:
            at = tree.model.surfaces[wrap.surface].frame
            link = -1 if at.body == GROUND else tree.link_of_body[at.body]
            body = Transform.identity() if link < 0 else tree.links[link].body_frame
            frame = body @ Transform.placed(at.at, at.orientation)
            frames.append((Stop(link, frame.position), frame))
        base = -1 if self._in_ground else stops[0].link
        for stop in [*stops, *(stop for stop, _ in frames)]:
            base = self._pieces.common(base, stop.link)
        return [*(_Place(base, stop) for stop in stops), *(_Place(base, stop, frame) for stop, frame in frames)]

    @property
    def points(self) -> SX:
        """All points (m), three numbers each, path by path."""
        return column([self._at(place) for path in self._places for place in path if place.frame is None])

    @property
    def active(self) -> SX:
        """Which of the points are active: one, else zero."""
        points = [place.stop for path in self._places for place in path if place.frame is None]
        return column([SX(1) if stop.active is None else stop.active for stop in points])

    @property
    def frames(self) -> SX:
        """All surface frames, path by path: nine numbers of the rotation, row by row, then the origin (m)."""
        found = []
        for place in (place for path in self._places for place in path if place.frame is not None):
            assert place.frame is not None
            seen = self._pieces.seen(place.base, place.stop.link) @ place.frame
            found.append(ca.vertcat(ca.reshape(seen.rotation.T, 9, 1), seen.position))
        return column(found)

    def weights(self) -> SX:
        """Return symbols for the derivatives of all lengths by their places, path by path, points before surfaces."""
        return SX.sym("weights", sum(place.weights for path in self._places for place in path))

    def gradient(self, weights: SX) -> SX:
        """Return the derivatives of the lengths by the coordinates, a row for each path."""
        found: dict[tuple[int, int], SX] = {}
        first = 0
        for row, places in enumerate(self._places):
            for place in places:
                force = weights[first : first + 3]
                moment = weights[first + 3 : first + 6] if place.frame is not None else None
                first += place.weights
                self._add(found, row, place, force, moment)
        return sparse(found, (len(self._places), self._tree.size))

    def pulls(self, weights: SX, tensions: SX) -> list[Wrench]:
        """Return what tensions (N) exert on each link, in its own frame."""
        found = [Wrench.none() for _ in self._tree.links]
        first = 0
        for row, places in enumerate(self._places):
            for place in places:
                force = -tensions[row] * weights[first : first + 3]
                moment = -tensions[row] * weights[first + 3 : first + 6] if place.frame is not None else zero()
                first += place.weights
                if place.stop.link >= 0:
                    back = self._pieces.seen(place.base, place.stop.link).rotation.T
                    pulled = back @ force
                    turned = back @ moment + cross(place.stop.at, pulled)
                    found[place.stop.link] = found[place.stop.link] + Wrench(turned, pulled)
        return found

    def _add(self, found: dict[tuple[int, int], SX], row: int, place: _Place, force: SX, moment: SX | None) -> None:
        """Add the derivatives by the motions between a place and its base, for a force and a moment there."""

        def add(gradient: SX, work: SX) -> None:
            for number, part in entries(gradient).items():
                found[row, number] = found.get((row, number), SX(0)) + work * part

        at = self._at(place)
        turn = self._pieces.seen(place.base, place.stop.link).rotation
        for direction, gradient in place.stop.slides:
            add(gradient, dot(turn @ direction, force))
        number = place.stop.link
        while number != place.base:
            link = self._tree.links[number]
            if link.gradient.nnz():
                axis, origin = self._pieces.axis(place.base, number)
                if link.motion == "rotation":
                    work = dot(axis, cross(at - origin, force))
                    add(link.gradient, work if moment is None else work + dot(axis, moment))
                else:
                    add(link.gradient, dot(axis, force))
            number = link.parent

    def _at(self, place: _Place) -> SX:
        return self._pieces.seen(place.base, place.stop.link).point(place.stop.at)


@dataclass(frozen=True)
class GivenPaths(Paths):
    """Paths of which some run over surfaces, whose lengths and derivatives by all places are given as symbols."""

    _straight: Paths = field(kw_only=True, repr=False)
    _over: WrappedPaths = field(kw_only=True, repr=False)
    _weights: SX = field(kw_only=True, repr=False)
    _numbers: tuple[list[int], list[int]] = field(kw_only=True, repr=False)

    def pulls(self, tensions: SX) -> list[Wrench]:
        """Return what tensions (N) exert on each link, in its own frame."""
        straight, over = self._numbers
        pairs = zip(
            self._straight.pulls(tensions[straight]), self._over.pulls(self._weights, tensions[over]), strict=True
        )
        return [one + other for one, other in pairs]


def given_paths(
    straight: Paths, over: WrappedPaths, given: tuple[SX, SX], numbers: tuple[list[int], list[int]]
) -> GivenPaths:
    """Return the paths of all muscles from those over no surface and those over some, with their numbers.

    ``given`` are symbols for the lengths of the latter and for their derivatives by the places of ``over``.
    """
    wrapped_lengths, weights = given
    lengths = SX(sum(map(len, numbers)), 1)
    found: dict[tuple[int, int], SX] = {}
    gradients = (straight.gradient, over.gradient(weights))
    for places, own, gradient in zip(numbers, (straight.lengths, wrapped_lengths), gradients, strict=True):
        for row, place in enumerate(places):
            lengths[place] = own[row]
            found |= {(place, number): slope for number, slope in entries(gradient[row, :]).items()}
    gradient = sparse(found, (lengths.numel(), straight.gradient.columns()))
    return GivenPaths(
        lengths,
        gradient,
        straight._tree,
        straight._pieces,
        {},
        straight._table,
        {},
        _straight=straight,
        _over=over,
        _weights=weights,
        _numbers=numbers,
    )
