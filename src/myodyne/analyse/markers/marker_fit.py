"""Recorded markers and those of a model, and the least squares between them, for many rows at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from myodyne.analyse.changed import skeleton
from myodyne.analyse.coordinate_motion import numbers_of
from myodyne.data import DataError, Markers
from myodyne.equations import Equations, equations_of
from myodyne.errors import ModelError, listed, unknown_name
from myodyne.model import Model
from myodyne.types import Booleans, Floats, Integers

# Markers spread out so many times wider than the model's are in other units.
_WIDEST = 50.0


@dataclass(frozen=True, eq=False)
class MarkerFit:
    """The problem of each row: markers that count, where they were seen, and what coordinates are drawn to."""

    equations: Equations
    names: tuple[str, ...]
    places: Integers
    seen: Booleans
    targets: Floats
    weights: Floats
    drawn: Floats
    goals: Floats
    notes: tuple[str, ...]

    @staticmethod
    def of(
        model: Model,
        markers: Markers,
        weights: Mapping[str, float] | None,
        drawn: Mapping[str, float] | None,
        goals: Floats | None = None,
    ) -> MarkerFit:
        """Return the problem of a model and a record; weights None stands for 1 for every marker of both."""
        if not isinstance(model, Model):
            raise ModelError(f"a Model is needed (from my.load_model), not {model!r:.60}")
        if not isinstance(markers, Markers):
            raise DataError(f"markers must be Markers (from my.load_markers or my.Markers), not {markers!r:.60}")
        used, notes = _weights(model, markers, weights)
        equations = equations_of(skeleton(model, drives=False))
        pulls = np.zeros(len(equations.coordinates))
        for name, weight in (drawn or {}).items():
            if name not in equations.coordinates:
                reason = "is locked or coupled" if name in model.coordinates else None
                raise ModelError(
                    f"coordinate_weights: '{name}' {reason} and has no value of its own"
                    if reason
                    else f"coordinate_weights: {unknown_name('coordinate', name, equations.coordinates)}"
                )
            pulls[equations.coordinates.index(name)] = _weight("coordinate_weights", name, weight)
        seen = markers.select(used).seen
        blind = np.flatnonzero(~seen.any(axis=1))
        if len(blind) and not pulls.all():
            raise DataError(
                f"no weighted marker is visible at {markers.time[blind[0]]:g} s ({len(blind)} such rows); cut the "
                f"recording with slice"
            )
        places = [list(model.markers).index(name) for name in used]
        values = np.array(list(used.values()))
        shares = np.where(seen, values, 0.0)
        # The share of each marker: how strongly coordinates are drawn does not depend on how many markers there are.
        shares = shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-300)
        defaults = np.tile(equations.coordinate_defaults(), (len(markers), 1))
        positions = np.nan_to_num(markers.select(used).positions)
        fit = MarkerFit(
            equations,
            tuple(used),
            np.array(places, dtype=np.intp),
            seen,
            positions,
            shares,
            pulls,
            defaults if goals is None else goals,
            notes,
        )
        fit._check_units(markers)
        return fit

    def _check_units(self, markers: Markers) -> None:
        if len(self.names) < 2:
            return
        row = int(np.argmax(self.seen.sum(axis=1)))
        there = self.seen[row]
        model = self.positions(self.equations.coordinate_defaults()[None])[0][0][there]
        size, recorded = (float(np.ptp(part, axis=0).max(initial=0.0)) for part in (model, self.targets[row][there]))
        if size > 0.0 and recorded > 0.0 and not 1.0 / _WIDEST < recorded / size < _WIDEST:
            raise DataError(
                f"the markers extend over {recorded:.3g} m at {markers.time[row]:g} s, those of the model over "
                f"{size:.3g} m: are they in millimetres? Positions must be in metres"
            )

    def positions(self, q: Floats) -> tuple[Floats, Floats]:
        """Return where the markers that count are (rows, markers, 3), and by which coordinates (…, coordinates)."""
        places, slopes = self.equations.kernel("markers")(q, numbers_of(self.equations))
        rows, size = q.shape
        return places.reshape(rows, -1, 3)[:, self.places], slopes.reshape(rows, -1, 3, size)[:, self.places]

    def evaluate(self, rows: Integers, q: Floats) -> tuple[Floats, Floats, Floats]:
        """Return half the weighted sum of squares of some rows, its gradient, and JᵀJ."""
        places, slopes = self.positions(q)
        root = np.sqrt(self.weights[rows])
        off = ((places - self.targets[rows]) * root[:, :, None]).reshape(len(rows), -1)
        jacobian = (slopes * root[:, :, None, None]).reshape(len(rows), -1, q.shape[1])
        away = q - self.goals[rows]
        cost = ((off * off).sum(axis=1) + (self.drawn * away * away).sum(axis=1)) / 2.0
        gradient = np.matmul(off[:, None], jacobian)[:, 0] + self.drawn * away
        matrix = np.matmul(jacobian.transpose(0, 2, 1), jacobian)
        diagonal = np.arange(q.shape[1])
        matrix[:, diagonal, diagonal] += self.drawn
        return cost, gradient, matrix

    def constraints(self, rows: Integers, q: Floats) -> tuple[Floats, Floats]:
        """Return the errors of the kept constraints in some rows, and their Jacobians."""
        error, _, demanded = self.equations.constraint_errors(q, np.zeros_like(q))
        return error, demanded

    def errors(self, rows: Integers, q: Floats) -> Floats:
        """Return the distance (m) of each marker from where it was seen, NaN where it was not."""
        distance: Floats = np.linalg.norm(self.positions(q)[0] - self.targets[rows], axis=2)
        return np.where(self.seen[rows], distance, np.nan)


def _weights(
    model: Model, markers: Markers, weights: Mapping[str, float] | None
) -> tuple[dict[str, float], tuple[str, ...]]:
    """Return the markers that count, with their weights, and what was left out."""
    if not model.markers:
        raise ModelError(f"'{model.name}' has no markers to match those of the recording")
    notes: list[str] = []
    asked = dict.fromkeys((name for name in markers.names if name in model.markers), 1.0) if weights is None else {}
    for name, weight in (weights or {}).items():
        if name not in model.markers and name not in markers:
            raise ModelError(f"weights: {unknown_name('marker', name, [*model.markers, *markers.names])}")
        asked[name] = _weight("weights", name, weight)
    used = {name: weight for name, weight in asked.items() if weight > 0.0}
    for source, where in (("the record", markers), ("the model", model.markers)):
        lacking = [name for name in used if name not in where]
        if lacking:
            notes.append(f"weighted, but not in {source}: {listed(lacking)}")
    used = {name: weight for name, weight in used.items() if name in markers and name in model.markers}
    if not used:
        raise DataError(
            f"the recording and the model have no weighted marker in common. The recording has "
            f"{listed(markers.names)}; the model {listed(model.markers)}"
        )
    if weights is None:
        for source, others, own in (("record", markers.names, model.markers), ("model", model.markers, markers)):
            alone = [name for name in others if name not in own]
            if alone:
                notes.append(f"only in the {source}: {listed(alone)}")
    return used, tuple(notes)


def _weight(option: str, name: str, weight: float) -> float:
    if isinstance(weight, bool) or not isinstance(weight, int | float | np.floating | np.integer):
        raise ModelError(f"{option}: the weight of '{name}' must be a number, not {weight!r:.60}")
    if not np.isfinite(weight) or weight < 0.0:
        raise ModelError(f"{option}: the weight of '{name}' must be a finite number, at least 0, not {weight:g}")
    return float(weight)
