"""A function of an instant, applied all over a mesh: its values and derivatives by the unknowns of the whole problem.

At a stage of an interval the arguments of the function are sums of what the points of the interval have, with weights
that are the same in all intervals. So the places of the derivatives, and how they follow from those of the function,
are worked out once for one interval.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from myodyne.numerics.collocation import Collocation, Stage
from myodyne.optimise.transcription.functions import InstantFunction, Sizes
from myodyne.optimise.transcription.muscled import MuscledDynamics
from myodyne.types import Floats, Integers


@dataclass(frozen=True)
class Grid:
    """Where the unknowns of a phase lie in the vector of all unknowns.

    The points follow one another in time; each has its states, its rates if the scheme has any, and its controls if
    it has any.

    Parameters
    ----------
    collocation : what the scheme demands of an interval.
    sizes : of an instant.
    mesh : (nodes,) the nodes, as fractions of the duration, from 0 to 1.
    offset : place of the first unknown.
    shared : places of the duration and the free parameters.
    """

    collocation: Collocation
    sizes: Sizes
    mesh: Floats
    offset: int
    shared: Integers

    @property
    def intervals(self) -> int:
        return len(self.mesh) - 1

    @cached_property
    def lengths(self) -> Floats:
        """Lengths of the intervals, as fractions of the duration."""
        return np.diff(self.mesh)

    @cached_property
    def point_sizes(self) -> list[int]:
        """How many unknowns each point of an interval has."""
        rates = self.sizes.motion if self.collocation.rated else 0
        return [self.sizes.states + rates + (self.sizes.controls if own else 0) for own in self.collocation.controlled]

    @cached_property
    def starts(self) -> list[int]:
        """Where the unknowns of each point begin in those of the interval."""
        return [0, *np.cumsum(self.point_sizes).tolist()][:-1]

    @cached_property
    def stride(self) -> int:
        """How far the unknowns of one interval are from those of the next."""
        return self.starts[-1]

    @cached_property
    def count(self) -> int:
        """Number of unknowns of the phase, without the shared ones."""
        return self.intervals * self.stride + self.point_sizes[-1]

    @cached_property
    def width(self) -> int:
        """Number of unknowns of an interval, both nodes included."""
        return sum(self.point_sizes)

    def states(self, point: int) -> Integers:
        """Return the places of the states of a point in the unknowns of an interval."""
        return self.starts[point] + np.arange(self.sizes.states)

    def rates(self, point: int) -> Integers:
        """Return the places of the rates of a point in the unknowns of an interval."""
        return self.starts[point] + self.sizes.states + np.arange(self.sizes.motion)

    def controls(self, point: int) -> Integers:
        """Return the places of the controls of a point in the unknowns of an interval."""
        rates = self.sizes.motion if self.collocation.rated else 0
        return self.starts[point] + self.sizes.states + rates + np.arange(self.sizes.controls)

    def windows(self, unknowns: Floats) -> Floats:
        """Return the unknowns interval by interval (intervals, width); neighbours overlap by a node."""
        part = unknowns[self.offset : self.offset + self.count]
        windows = np.lib.stride_tricks.sliding_window_view(part, self.width)
        return windows[:: self.stride][: self.intervals]

    def global_places(self, local: Integers, intervals: Integers) -> Integers:
        """Return places in the vector of all unknowns (intervals, local); those past the width are the shared ones."""
        own = self.offset + local[None, :] + self.stride * intervals[:, None]
        common = self.shared[np.clip(local - self.width, 0, len(self.shared) - 1)]
        return np.where(local[None, :] < self.width, own, common[None, :])

    def node_places(self, point: int, kind: str) -> Integers:
        """Return the places (intervals, numbers) of one kind of unknowns of a point in the vector of all unknowns."""
        local: Integers = getattr(self, kind)(point)
        return self.offset + local[None, :] + self.stride * np.arange(self.intervals)[:, None]


class Block:
    """A function at one stage of some intervals."""

    def __init__(
        self, function: InstantFunction | MuscledDynamics, grid: Grid, stage: Stage, intervals: Integers
    ) -> None:
        self.function, self.grid, self.stage, self.intervals = function, grid, stage, intervals
        self.times = grid.mesh[intervals] + stage.at * grid.lengths[intervals]
        self.data = np.zeros((len(intervals), len(function.channels)))
        self._inverse = 1 / grid.lengths[intervals]
        self._chain = _chain(grid, stage)
        self._first = _Expansion.of_jacobian(self, self._chain)
        self._second: _Expansion | None = None
        self._seen: tuple[Floats, tuple[Floats, ...]] | None = None

    @property
    def rows(self) -> int:
        """Number of values."""
        return len(self.intervals) * self.function.count

    def instants(self, unknowns: Floats) -> tuple[Floats, ...]:
        """Return the arguments of the function, a row for each interval."""
        # Values and derivatives are asked for at the same unknowns, one after the other.
        if self._seen is None or not np.array_equal(self._seen[0], unknowns):
            self._seen = unknowns.copy(), self._instants(unknowns)
        return (*self._seen[1], self.data)

    def _instants(self, unknowns: Floats) -> tuple[Floats, ...]:
        windows, grid, stage = self.grid.windows(unknowns)[self.intervals], self.grid, self.stage
        states = [windows[:, grid.states(point)] for point in range(len(stage.state))]
        x = _sum(stage.state, states)
        if grid.collocation.rated:
            r = _sum(stage.slope, [windows[:, grid.rates(point)] for point in range(len(states))])
        else:
            r = _sum(stage.slope, states)[:, : grid.sizes.motion] * self._inverse[:, None]
        u = _sum(
            stage.control,
            [
                windows[:, grid.controls(point)] if own else None
                for point, own in enumerate(grid.collocation.controlled)
            ],
        )
        return x, r, u, unknowns[grid.shared]

    def values(self, unknowns: Floats) -> Floats:
        """Return the values (intervals, expressions)."""
        return self.function.values(*self.instants(unknowns))

    def jacobian_places(self) -> tuple[Integers, Integers]:
        """Return rows, counted from 0, and columns, in the vector of all unknowns, of the derivatives."""
        row, column = self._first.places
        rows = row[None, :] + self.function.count * np.arange(len(self.intervals))[:, None]
        return rows.ravel(), self.grid.global_places(column, self.intervals).ravel()

    def jacobian(self, unknowns: Floats) -> Floats:
        """Return the derivatives (intervals, nonzeros)."""
        return self._first(self.function.jacobian(*self.instants(unknowns)))

    def gradient_places(self) -> Integers:
        """Return the columns that belong to what `gradient` gives."""
        return self.grid.global_places(self._first.places[1], self.intervals).ravel()

    def gradient(self, unknowns: Floats, multipliers: Floats) -> Floats:
        """Return the derivatives times a multiplier (intervals, expressions) each."""
        return self.jacobian(unknowns) * multipliers[:, self._first.places[0]]

    def hessian_places(self) -> tuple[Integers, Integers]:
        """Return rows and columns, in the vector of all unknowns, of the second derivatives: the lower half."""
        if self._second is None:
            self._second = _Expansion.of_hessian(self, self._chain)
        row, column = self._second.places
        rows, columns = (self.grid.global_places(place, self.intervals) for place in (row, column))
        return np.maximum(rows, columns).ravel(), np.minimum(rows, columns).ravel()

    def hessian(self, unknowns: Floats, multipliers: Floats) -> Floats:
        """Return the second derivatives (intervals, nonzeros), weighted by multipliers (intervals, expressions)."""
        if self._second is None:
            self._second = _Expansion.of_hessian(self, self._chain)
        return self._second(self.function.hessian(multipliers, *self.instants(unknowns)))

    @property
    def inverse_lengths(self) -> Floats:
        """One over the lengths of the intervals."""
        return self._inverse


class _Expansion:
    """From the nonzeros of a derivative by the arguments of a function to those by the unknowns of an interval."""

    def __init__(
        self,
        block: Block,
        powers: Integers,
        sources: Integers,
        weights: Floats,
        places: tuple[Integers, Integers],
        width: int,
    ) -> None:
        from scipy.sparse import csr_array

        keys, targets = np.unique(places[0] * width + places[1], return_inverse=True)
        self.places = keys // width, keys % width
        self._matrix: Any = csr_array((weights, (targets, sources)), shape=(len(keys), len(powers)))
        # Slopes are by the fraction of the interval; the function takes them by the fraction of the duration.
        scales = block.inverse_lengths[:, None] ** powers[None, :]
        self._scales = None if block.grid.collocation.rated or not powers.any() else scales

    def __call__(self, nonzeros: Floats) -> Floats:
        scaled = nonzeros if self._scales is None else nonzeros * self._scales
        expanded: Floats = (self._matrix @ scaled.T).T
        return expanded

    @staticmethod
    def of_jacobian(block: Block, chain: _Chain) -> _Expansion:
        row, argument = block.function.jacobian_places()
        sources, images = chain.spread(argument)
        places = row[sources], chain.columns[images]
        width = block.grid.width + len(block.grid.shared)
        powers = chain.powers[argument]
        return _Expansion(block, powers, sources, chain.weights[images], places, width)

    @staticmethod
    def of_hessian(block: Block, chain: _Chain) -> _Expansion:
        row, column = block.function.hessian_places()
        number = np.arange(len(row))
        # Both halves, so that each pair of unknowns covers all pairs of arguments that depend on it.
        below = row != column
        first, second = np.concatenate([row, column[below]]), np.concatenate([column, row[below]])
        source = np.concatenate([number, number[below]])
        by_first, image_first = chain.spread(first)
        by_second, image_second = chain.spread(second[by_first])
        sources = source[by_first][by_second]
        one, other = chain.columns[image_first[by_second]], chain.columns[image_second]
        weights = chain.weights[image_first[by_second]] * chain.weights[image_second]
        kept = one >= other
        width = block.grid.width + len(block.grid.shared)
        powers = chain.powers[row] + chain.powers[column]
        return _Expansion(block, powers, sources[kept], weights[kept], (one[kept], other[kept]), width)


@dataclass(frozen=True)
class _Chain:
    """Which unknowns of an interval each argument of a function is made of, argument after argument.

    ``powers`` is one for arguments that are divided by the length of the interval, zero for others.
    """

    first: Integers
    columns: Integers
    weights: Floats
    powers: Integers

    def spread(self, arguments: Integers) -> tuple[Integers, Integers]:
        """Return, for each unknown behind each of some arguments, the number of the argument and of its image."""
        counts = np.diff(self.first)[arguments]
        sources = np.repeat(np.arange(len(arguments)), counts)
        within = np.arange(len(sources)) - np.repeat(np.cumsum(counts) - counts, counts)
        return sources, self.first[arguments][sources] + within


def _chain(grid: Grid, stage: Stage) -> _Chain:
    sizes, points = grid.sizes, range(len(stage.state))
    rated = grid.collocation.rated

    def images(count: int, places: Callable[[int], Integers], weights: Floats) -> list[list[tuple[int, float]]]:
        return [[(int(places(p)[number]), weights[p]) for p in points if weights[p]] for number in range(count)]

    parts = [
        *images(sizes.states, grid.states, stage.state),
        *images(sizes.motion, grid.rates if rated else grid.states, stage.slope),
        *images(sizes.controls, grid.controls, stage.control),
        *([(grid.width + number, 1.0)] for number in range(sizes.shared)),
    ]
    powers = np.zeros(len(parts), dtype=np.intp)
    if not rated:
        powers[sizes.states : sizes.states + sizes.motion] = 1
    flat = [image for part in parts for image in part]
    first = np.cumsum([0, *map(len, parts)])
    return _Chain(first, np.array([c for c, _ in flat], dtype=np.intp), np.array([w for _, w in flat]), powers)


def _sum(weights: Floats, parts: Sequence[Floats | None]) -> Floats:
    """Return the weighted sum of parts; those of weight zero need not exist."""
    used = [(weight, part) for weight, part in zip(weights, parts, strict=True) if weight and part is not None]
    chosen = [part if weight == 1.0 else weight * part for weight, part in used]
    return np.ascontiguousarray(sum(chosen[1:], chosen[0]))
