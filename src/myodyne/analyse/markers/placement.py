"""Placing the markers of a model where those of a person are, in the pose of a record at rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from myodyne.analyse.changed import changed, skeleton
from myodyne.analyse.markers.inverse_kinematics import inverse_kinematics
from myodyne.data import DataError, Markers, Result, Trajectory
from myodyne.equations import equations_of
from myodyne.model import GROUND, Marker, Model
from myodyne.model.part import Named

# One pose over a few rows: a person at rest does not move farther (m) than this about the mean.
_AT_REST = 0.02


@dataclass(frozen=True, eq=False)
class MarkerPlacement:
    """A model with its markers in place, the ``pose`` of the record, and how far (m) each marker was moved.

    Examples
    --------
    >>> import myodyne as my
    >>> rod = my.load_model("pendulum").with_parts(markers={"tip": my.Marker(body="rod", at=(0.0, -1.0, 0.0))})
    >>> record = my.Markers([0.0], ["tip"], [[[0.0, -1.1, 0.0]]])
    >>> round(my.place_markers(rod, record).moved["tip"], 6)
    0.1
    """

    model: Model
    pose: Result
    moved: Mapping[str, float]
    notes: tuple[str, ...] = ()


def place_markers(
    model: Model,
    static: Markers,
    *,
    weights: Mapping[str, float] | None = None,
    coordinate_weights: Mapping[str, float] | None = None,
    start: Mapping[str, float] | Trajectory | None = None,
    within_ranges: bool | Iterable[str] = False,
) -> MarkerPlacement:
    """Return a model whose markers are where a person at rest has them.

    The mean of the record gives one pose by `inverse_kinematics`. In it every marker of the model that the record
    has is moved to the recorded place, unless it is ``fixed``.

    Parameters
    ----------
    model, static
        The model of the right size (see `scale_model`), and a record of the person at rest (m).
    weights, coordinate_weights, start, within_ranges
        As for `inverse_kinematics`; markers without a weight do not shape the pose, and are placed all the same.

    Examples
    --------
    >>> import myodyne as my
    >>> rod = my.load_model("pendulum").with_parts(markers={"tip": my.Marker(body="rod", at=(0.0, -1.0, 0.0))})
    >>> record = my.Markers([0.0], ["tip"], [[[0.0, -1.1, 0.0]]])
    >>> placed = my.place_markers(rod, record)
    >>> [round(number, 6) + 0.0 for number in placed.model.markers["tip"].at]
    [0.0, -1.1, 0.0]
    """
    if not isinstance(static, Markers):
        raise DataError(f"markers must be Markers (from my.load_markers or my.Markers), not {static!r:.60}")
    mean, notes = _mean(static)
    pose = inverse_kinematics(
        model,
        mean,
        weights=weights,
        coordinate_weights=coordinate_weights,
        start=start,
        within_ranges=within_ranges,
    )
    equations = equations_of(skeleton(model, drives=False))
    turns, places = equations.body_poses(np.array([pose.final[name] for name in equations.coordinates]))
    frames = {body: (turns[number], places[number]) for number, body in enumerate(equations.bodies)}
    frames[GROUND] = np.eye(3), np.zeros(3)
    markers: dict[str, Marker] = {}
    moved: dict[str, float] = {}
    for name, marker in model.markers.items():
        there = mean[name][0] if name in mean else np.full(3, np.nan)
        if marker.fixed or not np.isfinite(there).all():
            markers[name] = marker
            continue
        turn, place = frames[marker.body]
        x, y, z = (float(number) for number in turn.T @ (there - place))
        markers[name] = marker.model_copy(update={"at": (x, y, z)})
        moved[name] = float(np.linalg.norm(np.subtract((x, y, z), marker.at)))
    return MarkerPlacement(changed(model, markers=Named(markers)).with_parts(), pose, moved, notes)


def _mean(static: Markers) -> tuple[Markers, tuple[str, ...]]:
    """Return the mean place of each marker over the rows in which it was seen, as a record of one row."""
    places = static.positions
    seen = static.seen
    count = seen.sum(axis=0)
    sums = np.where(seen[:, :, None], places, 0.0).sum(axis=0)
    mean = np.where(count[:, None] > 0, sums / np.maximum(count, 1)[:, None], np.nan)
    off = np.where(seen, np.linalg.norm(np.nan_to_num(places) - np.nan_to_num(mean), axis=2), 0.0).max(axis=0)
    far = [f"{name} ({1e3 * size:.0f} mm)" for name, size in zip(static.names, off, strict=True) if size > _AT_REST]
    notes = (f"not at rest, away from their mean by up to: {', '.join(far)}",) if far else ()
    return Markers([float(static.time[0])], static.names, mean[None]), notes
