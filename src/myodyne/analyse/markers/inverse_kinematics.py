"""Inverse kinematics: the motion of a model that follows recorded markers."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from myodyne.analyse.coordinate_motion import analysis_result, numbers_of
from myodyne.analyse.markers.marker_fit import MarkerFit
from myodyne.data import DataError, Markers, Report, Result, Trajectory
from myodyne.data.report import Status
from myodyne.errors import ModelError, listed, unknown_name
from myodyne.model import GROUND, Model
from myodyne.model.units import angles
from myodyne.numerics.row_minima import RowMinima, minimise_rows
from myodyne.progress import task
from myodyne.types import Floats, Integers

# Rows solved at once; Ctrl-C keeps the blocks that are done.
_BLOCK = 128
# Rows solved one after the other, from which all others start; these need not be exact (rad, m).
_MILESTONES = 24
_ROUGH, _EXACT = 1e-3, 1e-8
# A coordinate that changes by more than this (rad, m) from row to row may have gone astray.
_JUMP = 0.5
# Sums of squares (m²) that differ by less are the same.
_SAME = 1e-12
# Markers farther off than this (m) do not belong to this model in these axes.
_FAR = 0.1
# Combinations of coordinates that move the markers so much less than others are not determined by them.
_UNDETERMINED = 1e-8


def inverse_kinematics(
    model: Model,
    markers: Markers,
    *,
    weights: Mapping[str, float] | None = None,
    coordinate_weights: Mapping[str, float] | None = None,
    start: Mapping[str, float] | Trajectory | None = None,
    within_ranges: bool | Iterable[str] = False,
) -> Result:
    """Return the motion in which the markers of a model come nearest to recorded ones, row by row.

    Weighted squares of distances are smallest in each row. Markers that were not seen do not count in their row.
    Coupled coordinates follow their functions, locked ones stay; constraints of the model are met. Columns are all
    coordinates (rad, m), ``<marker>.error`` (m) for each marker that counts, and ``markers.rms`` and
    ``markers.largest`` (m) over those seen in a row. Ctrl-C ends it with the rows done so far, as "interrupted".

    Parameters
    ----------
    model, markers
        The model, which has markers of the same names, and the record (m).
    weights
        How much each marker counts; markers without a weight do not. None counts all that both have, equally.
    coordinate_weights
        How strongly coordinates are drawn to ``start``: the square of the distance (rad, m) times the weight is added
        to the weighted mean of the squares (m²) of the markers, as in OpenSim.
    start
        Where to begin, by name or over time, and where coordinates with a weight are drawn to; the model's defaults
        where nothing is given.
    within_ranges
        Coordinates that must stay within their range: all (True), none, or some by name.

    Examples
    --------
    >>> import myodyne as my
    >>> rod = my.load_model("pendulum").with_parts(markers={"tip": my.Marker(body="rod", at=(0.0, -1.0, 0.0))})
    >>> record = my.Markers([0.0], ["tip"], [[[math.sin(0.3), -math.cos(0.3), 0.0]]])
    >>> found = my.inverse_kinematics(rod, record)
    >>> round(found.final["angle"], 6), round(found.final["tip.error"], 9)      # rad, m
    (0.3, 0.0)
    """
    started = time.perf_counter()
    fit = MarkerFit.of(model, markers, weights, coordinate_weights)
    begin, given = _start(fit, markers, start)
    fit.goals[...] = begin
    search = _Search(fit, model, *_bounds(fit, model, within_ranges))
    q, rows, status = search.run(begin, markers, given)
    message = "" if status == "completed" else f"interrupted after {rows} of {len(markers)} rows"
    table, drift = _table(fit, model, markers.time[:rows], q)
    notes = (*fit.notes, *_notes(search, table, q))
    report = Report(
        status,
        message,
        steps=rows,
        evaluations=search.evaluations,
        drift=drift,
        notes=notes,
        wall_seconds=time.perf_counter() - started,
    )
    return analysis_result(fit.equations, model, table, "inverse kinematics of markers", report, gaps=True)


def _start(fit: MarkerFit, markers: Markers, start: Mapping[str, float] | Trajectory | None) -> tuple[Floats, bool]:
    """Return where each row begins, and whether that was given for each row."""
    names = fit.equations.coordinates
    begin = np.tile(fit.equations.coordinate_defaults(), (len(markers), 1))
    if start is None:
        return begin, False
    if isinstance(start, Trajectory):
        held = [name for name in names if name in start]
        if not held:
            raise DataError(f"start: no column is a moving coordinate; those are {listed(names)}")
        table = start.select(held).resampled(markers.time)
        for name in held:
            begin[:, names.index(name)] = table.values(name)
        if not np.isfinite(begin).all():
            raise DataError("start: a coordinate is NaN in some row")
        return begin, True
    if not isinstance(start, Mapping):
        raise DataError(f"start must be a pose by name, like {{'{names[0]}': 0.5}}, or a Trajectory, not {start!r:.60}")
    for name, value in start.items():
        if name not in names:
            raise ModelError(f"start: {unknown_name('coordinate that moves', name, names)}")
        if not math.isfinite(value):
            raise DataError(f"start: '{name}' is {value}")
        begin[:, names.index(name)] = value
    return begin, False


def _bounds(fit: MarkerFit, model: Model, within: bool | Iterable[str]) -> tuple[Floats, Floats]:
    names = fit.equations.coordinates
    low, high = np.full(len(names), -np.inf), np.full(len(names), np.inf)
    if within is False:
        return low, high
    wanted = [within] if isinstance(within, str) else names if within is True else list(within)
    for name in wanted:
        if name not in names:
            raise ModelError(f"within_ranges: {unknown_name('coordinate that moves', name, names)}")
        limits = model.coordinates[name].range
        if limits is None and within is not True:
            raise ModelError(f"within_ranges: the model gives no range for '{name}'")
        if limits is not None:
            low[names.index(name)], high[names.index(name)] = limits
    return low, high


@dataclass(eq=False)
class _Search:
    """Finds the rows: one by one where nothing is known, then in blocks from between those."""

    fit: MarkerFit
    model: Model
    low: Floats
    high: Floats
    evaluations: int = 0
    unsolved: int = 0
    undetermined: tuple[str, ...] = ()

    def run(self, begin: Floats, markers: Markers, given: bool) -> tuple[Floats, int, Status]:
        """Return the coordinates of all rows, or of those done before Ctrl-C, how many, and the status."""
        rows = len(begin)
        q = np.empty_like(begin)
        done = 0
        with task(f"Inverse kinematics of '{self.model.name}'", total=rows, unit="rows") as following:
            try:
                first = begin if given else self._milestones(begin, markers)
                while done < rows:
                    block = np.arange(done, min(done + _BLOCK, rows))
                    found = self._solve(block, first[block])
                    q[block] = found.x
                    self._smooth(q, found.cost, done, block)
                    self.unsolved += int((~found.converged).sum())
                    self.undetermined = tuple(dict.fromkeys([*self.undetermined, *self._not_determined(found)]))
                    done += len(block)
                    following.update(done)
            except KeyboardInterrupt:
                if not done:
                    raise
        return q[:done], done, "completed" if done == rows else "interrupted"

    def _solve(self, rows: Integers, begin: Floats, tolerance: float = _EXACT) -> RowMinima:
        def evaluate(chosen: Integers, q: Floats) -> tuple[Floats, Floats, Floats]:
            return self.fit.evaluate(rows[chosen], q)

        kept = self.fit.constraints if self.fit.equations.multipliers else None
        found = minimise_rows(evaluate, begin, self.low, self.high, kept=kept, tolerance=tolerance)
        self.evaluations += found.evaluations
        return found

    def _milestones(self, begin: Floats, markers: Markers) -> Floats:
        """Return starts for all rows, on straight lines between rows that were solved one after the other."""
        seed = int(np.argmax(self.fit.seen.sum(axis=1)))
        tried = self._tries(begin[seed])
        found = self._solve(np.full(len(tried), seed), tried)
        # Different angles may mean the same pose: of those as good as the best, the nearest to the start is taken.
        poses = [self._unwound(seed, pose, cost, begin[seed]) for pose, cost in zip(found.x, found.cost, strict=True)]
        least = float(found.cost.min())
        away = np.linalg.norm(np.array(poses) - begin[seed], axis=1)
        pose = poses[int(np.argmin(np.where(found.cost <= (1.0 + 1e-6) * least + _SAME, away, np.inf)))]
        stride = max(1, -(-len(begin) // _MILESTONES))
        known = {seed: pose}
        for way in (range(seed + stride, len(begin) + stride, stride), range(seed - stride, -stride, -stride)):
            last = pose
            for place in way:
                row = min(max(place, 0), len(begin) - 1)
                if row not in known:
                    last = known[row] = self._solve(np.array([row]), last[None], _ROUGH).x[0]
        places = sorted(known)
        table = np.array([known[place] for place in places])
        rows = markers.time
        return np.column_stack([np.interp(rows, rows[places], column) for column in table.T])

    def _tries(self, begin: Floats) -> Floats:
        """Return the pose to begin with, and the same turned about each axis on which the whole body turns."""
        turning = angles(self.model)
        roots = [joint for joint in self.model.joints.values() if joint.parent.body == GROUND]
        names = self.fit.equations.coordinates
        tries = [begin]
        for name in (name for joint in roots for name in joint.coordinates if name in turning and name in names):
            for turn in (math.pi / 2, math.pi, -math.pi / 2):
                tries.append(begin.copy())
                tries[-1][names.index(name)] += turn
        return np.array(tries)

    def _unwound(self, seed: int, pose: Floats, cost: float, begin: Floats) -> Floats:
        """Return the pose without full turns away from where it began, where that makes no difference."""
        turning = angles(self.model)
        for place, name in enumerate(self.fit.equations.coordinates):
            turns = round(float(pose[place] - begin[place]) / (2.0 * math.pi)) if name in turning else 0
            if turns:
                other = pose.copy()
                other[place] -= 2.0 * math.pi * turns
                if self.fit.evaluate(np.array([seed]), other[None])[0][0] <= cost * (1.0 + 1e-9) + 1e-18:
                    pose = other
        return pose

    def _smooth(self, q: Floats, cost: Floats, first: int, block: Integers) -> None:
        """Take up rows that leapt from where the row before them was, if they are as near from there."""
        for row in block:
            if row == 0 or np.abs(q[row] - q[row - 1]).max(initial=0.0) < _JUMP:
                continue
            found = self._solve(np.array([row]), q[row - 1][None])
            if found.cost[0] <= cost[row - first] * (1.0 + 1e-6):
                q[row] = found.x[0]

    def _not_determined(self, found: RowMinima) -> list[str]:
        """Return the coordinates that the markers do not determine in the row with the fewest of them."""
        names = self.fit.equations.coordinates
        if not names:
            return []
        row = int(np.argmin(np.diagonal(found.matrix, axis1=1, axis2=2).min(axis=1)))
        sizes, ways = np.linalg.eigh(found.matrix[row])
        idle = ways[:, sizes <= _UNDETERMINED * max(float(sizes.max()), 1e-300)]
        return [name for name, part in zip(names, np.abs(idle).max(axis=1, initial=0.0), strict=True) if part > 0.1]


def _table(fit: MarkerFit, model: Model, times: Floats, q: Floats) -> tuple[Trajectory, dict[str, float]]:
    """Return coordinates and errors as columns, and how far constraints are violated."""
    still = np.zeros_like(q)
    values = fit.equations.kernel("all_coordinates").output("values", q, still, still, numbers_of(fit.equations))
    errors = fit.errors(np.arange(len(q)), q)
    with np.errstate(invalid="ignore"):
        rms = np.sqrt(np.nanmean(errors**2, axis=1))
        largest = np.nanmax(errors, axis=1)
    turning = angles(model)
    names = [*model.coordinates, *(f"{name}.error" for name in fit.names), "markers.rms", "markers.largest"]
    units = {name: "rad" if name in turning else "m" for name in names}
    drift: dict[str, float] = {}
    if fit.equations.multipliers:
        error = np.abs(fit.equations.constraint_errors(q, still)[0]).max(axis=0)
        owners = fit.equations.kernel("constraints").signature.notes["owners"]
        for owner, size in zip(owners, error, strict=True):
            drift[f"{owner}.drift"] = max(drift.get(f"{owner}.drift", 0.0), float(size))
    rows = np.column_stack([values, errors, rms, largest])
    return Trajectory.from_rows(times, names, rows, units), drift


def _notes(search: _Search, table: Trajectory, q: Floats) -> list[str]:
    fit = search.fit
    rms = float(np.sqrt(np.mean(table.values("markers.rms") ** 2)))
    means = {
        name: float(np.sqrt(np.nanmean(table.values(f"{name}.error") ** 2)))
        for name in fit.names
        if not np.isnan(table.values(f"{name}.error")).all()
    }
    worst = max(means, key=lambda name: means[name])
    notes = [f"markers are off by {1e3 * rms:.3g} mm (rms), most of all '{worst}' ({1e3 * means[worst]:.3g} mm)"]
    if rms > _FAR:
        notes.append(
            "errors this large suggest different axes (is z upward in the recording? see Markers.rotated), swapped "
            "marker names, or a model of the wrong size (see scale_model)"
        )
    gaps = (~fit.seen[: len(q)]).sum(axis=0)
    hidden = [f"{name} ({count} rows)" for name, count in zip(fit.names, gaps, strict=True) if count]
    if hidden:
        notes.append(f"not visible in some rows: {listed(hidden)}")
    if search.undetermined:
        names = listed(search.undetermined)
        notes.append(f"not determined by the markers in all rows, and kept near the initial pose there: {names}")
    ends = np.any((q <= search.low) | (q >= search.high), axis=0).tolist()
    stuck = [name for name, at in zip(fit.equations.coordinates, ends, strict=True) if at]
    if stuck:
        notes.append(f"at an end of their range: {listed(stuck)}")
    if search.unsolved:
        notes.append(f"{search.unsolved} rows did not converge within the iterations allowed; check their errors")
    return notes
