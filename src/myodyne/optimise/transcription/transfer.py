"""From one mesh to another: unknowns and multipliers between the nodes at which they were found."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from myodyne.optimise.transcription.blocks import Grid
from myodyne.optimise.transcription.iterate import Iterate
from myodyne.optimise.transcription.program import Program
from myodyne.types import Floats

# Fewer points than these are too few for curves.
_FEWEST_TO_SMOOTH = 5


def transferred(iterate: Iterate, old: Program, new: Program) -> Iterate:
    """Return an iterate on another mesh of the same problem and scheme.

    Multipliers belong to a point of an interval, and are as large as its weight in integrals.
    """
    same = list(old.parameters) == list(new.parameters)
    if (
        same
        and old.count == new.count
        and all(
            np.array_equal(one.grid.mesh, other.grid.mesh) for one, other in zip(old.phases, new.phases, strict=True)
        )
    ):
        return Iterate(np.clip(iterate.unknowns, *new.bounds), iterate.lower, iterate.upper, iterate.rows)
    result = Iterate.at(np.zeros(new.count), new.rows)
    _move_shared(iterate, result, old, new)
    for before, after in zip(old.phases, new.phases, strict=True):
        for kind in ("states", "rates", "controls"):
            if kind == "rates" and not before.collocation.rated:
                continue
            for name in ("unknowns", "lower", "upper"):
                _move(getattr(iterate, name), getattr(result, name), before.grid, after.grid, kind, name != "unknowns")
    for one, other in zip(old.groups, new.groups, strict=True):
        values = iterate.rows[one.first : one.first + one.count].reshape(len(one.times), len(one.what))
        if len(one.times) < 2:
            found = np.tile(values.mean(axis=0), (len(other.times), 1)) if len(values) else values
        else:
            per_length = values / _lengths(old.phases[one.phase].grid, one.times)
            found = _interpolated(other.times, one.times, per_length) * _lengths(
                new.phases[other.phase].grid, other.times
            )
        result.rows[other.first : other.first + other.count] = found.ravel()
    lower, upper = new.bounds
    result.unknowns = np.clip(result.unknowns, lower, upper)
    return result


def _move_shared(iterate: Iterate, result: Iterate, old: Program, new: Program) -> None:
    """Copy durations and free parameters; parameters that were not free before start at the model's values."""
    phases = len(new.phases)
    places, before = list(new.parameters), list(old.parameters)
    pairs = [(number, number) for number in range(phases)]
    pairs += [(phases + place, phases + before.index(name)) for place, name in enumerate(places) if name in before]
    for part in new.parts:
        for name in part.free_names:
            result.unknowns[new.shared_start + phases + places.index(name)] = part.free_number(name)
    for target, source in pairs:
        for kind in ("unknowns", "lower", "upper"):
            getattr(result, kind)[new.shared_start + target] = getattr(iterate, kind)[old.shared_start + source]


def _move(source: Floats, target: Floats, old: Grid, new: Grid, kind: str, per_length: bool) -> None:
    """Interpolate from the points of one mesh to those of another; multipliers scale with the lengths of intervals."""
    points = [p for p in range(len(old.point_sizes) - 1) if kind != "controls" or old.collocation.controlled[p]]
    times, values = _points(old, source, kind, points, weighted=per_length)
    if per_length:
        values = values / _lengths(old, times)
    elif kind == "states" and old.collocation.misses_alternation:
        values = _without_alternation(values)
    for point in range(len(new.point_sizes)):
        if kind == "controls" and not new.collocation.controlled[point]:
            continue
        at = new.mesh[:-1] + new.collocation.points[point] * new.lengths
        if per_length:
            found = _interpolated(at, times, values) * _lengths(new, at)
            target[new.node_places(point, kind)] = _share(new, point) * found
        else:
            target[new.node_places(point, kind)] = _curved(at, times, values)


def _lengths(grid: Grid, times: Floats) -> Floats:
    """Return (times, 1) the lengths of the intervals in which times are; an end belongs to the interval before it."""
    inside = np.searchsorted(grid.mesh, times - 1e-12) - 1
    lengths: Floats = grid.lengths[np.clip(inside, 0, grid.intervals - 1)][:, None]
    return lengths


def _share(grid: Grid, point: int) -> float:
    """Return the weight of a point in integrals over an interval of length 1; a node is the end of an interval."""
    stages = grid.collocation.stages
    last = len(grid.point_sizes) - 1
    place = point if point > 0 else last
    return sum(float(stage.weight * stage.state[place]) for stage in stages) or 1.0


def _points(grid: Grid, source: Floats, kind: str, points: Sequence[int], *, weighted: bool) -> tuple[Floats, Floats]:
    """Return times and values of all points; ``weighted`` values are divided by their weights in integrals."""
    last = len(grid.point_sizes) - 1
    shares = {point: _share(grid, point) if weighted else 1.0 for point in (*points, last)}
    times = np.concatenate([grid.mesh[:-1] + grid.collocation.points[p] * grid.lengths for p in points])
    values = np.concatenate([source[grid.node_places(p, kind)] / shares[p] for p in points])
    times = np.append(times, 1.0)
    values = np.vstack([values, source[grid.node_places(last, kind)[-1]] / shares[last]])
    order = np.argsort(times)
    return times[order], values[order]


def _without_alternation(values: Floats) -> Floats:
    """Return (times, columns) without the component that alternates from node to node, a vibration on a finer mesh."""
    if len(values) < _FEWEST_TO_SMOOTH:
        return values
    bends = values[:-2] - 2 * values[1:-1] + values[2:]
    smooth = values.copy()
    smooth[1:-1] += bends / 4
    # What alternates has the opposite sign at the neighbour of an end.
    smooth[[0, -1]] -= bends[[0, -1]] / 4
    return smooth


def _curved(at: Floats, times: Floats, values: Floats) -> Floats:
    """Return the values of a cubic spline through the points of a mesh; few points are joined by lines."""
    if len(times) < _FEWEST_TO_SMOOTH or not values.shape[1]:
        return _interpolated(at, times, values)
    from scipy.interpolate import CubicSpline

    curve: Floats = CubicSpline(times, values)(at)
    return curve


def _interpolated(at: Floats, times: Floats, values: Floats) -> Floats:
    if not values.shape[1]:
        return np.zeros((len(at), 0))
    return np.column_stack([np.interp(at, times, column) for column in values.T])
