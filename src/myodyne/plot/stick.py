"""The stick figure of a model, moved by a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from myodyne.data import DataError, Result, Trajectory
from myodyne.errors import listed
from myodyne.model import GROUND, Model, PointSpring
from myodyne.plot.frames import Animation, Polyline, lies_in_plane
from myodyne.types import Floats

if TYPE_CHECKING:
    from collections.abc import Iterable


# Below this length (m) a line is a point.
_NO_LENGTH = 1e-9
# More markers than this on a body are measured ones, and do not outline its shape.
_FEW_MARKERS = 3


class _Poses:
    """Where the bodies are at each time: turns points of a body into points in the ground's axes."""

    def __init__(self, bodies: Iterable[str], rotations: Floats, positions: Floats) -> None:
        self._place = {body: number for number, body in enumerate(bodies)}
        self._rotations = rotations
        self._positions = positions

    def __call__(self, body: str, points: ArrayLike) -> Floats:
        """Return points (k, 3) of a body over time, of the shape (times, k, 3)."""
        local = np.atleast_2d(np.asarray(points, dtype=np.float64))
        if body == GROUND:
            return np.broadcast_to(local, (len(self._rotations), *local.shape))
        number = self._place[body]
        turned: Floats = np.einsum("nij,kj->nki", self._rotations[:, number], local)
        return turned + self._positions[:, number, None]


def animation_of(
    run: Result, times: ArrayLike | None = None, *, series: str | Iterable[str] | None = None
) -> Animation:
    """Return the animation of a run: the stick figure of its model, its markers, muscles, springs and centre of mass.

    Parameters
    ----------
    run
        A result that carries its model and the values of all coordinates.
    times
        Times of the frames (s); the times of the run unless given.
    series
        Names of columns to show below the figure; a few coordinates that move unless given.
    """
    from myodyne.equations import equations_of
    from myodyne.paths.points import path_points

    model = _model_of(run)
    equations = equations_of(model)
    missing = [name for name in equations.coordinates if name not in run]
    if missing:
        raise DataError(f"the run lacks the coordinates {listed(missing)}; without them there is no pose to draw")
    frames = run if times is None else run.resampled(times)
    q = np.column_stack([np.zeros((len(frames), 0)), *(frames.values(name) for name in equations.coordinates)])
    rotations, positions = equations.body_poses(q)
    poses = _Poses(equations.bodies, np.asarray(rotations), np.asarray(positions))
    segments = [line for body in model.bodies for line in _bones(model, body, poses)]
    segments += [line for name in model.forces for line in _springs(model, name, poses)]
    segments += [Polyline(name, "", at, muscle=name in model.muscles) for name, at in path_points(model, q).items()]
    markers = {name: poses(marker.body, marker.at)[:, 0] for name, marker in model.markers.items()}
    everything = np.concatenate([line.points for line in segments] + [at[:, None] for at in markers.values()], axis=1)
    return Animation(
        times=frames.time,
        segments=tuple(segments),
        points=markers,
        com=_centre_of_mass(model, poses),
        title=model.name,
        planar=lies_in_plane(everything),
        ground=_stays_above_ground(everything),
        series=_series(run, equations.coordinates, series),
    )


def _model_of(run: Result) -> Model:
    if not isinstance(run, Result) or run.model_data is None:
        raise DataError("only a result that carries its model can be animated; this one holds columns alone")
    return Model(**run.model_data)


def _bones(model: Model, body: str, poses: _Poses) -> list[Polyline]:
    """Return the lines from a body's joint to the joints it carries and to its markers, if these are few."""
    joint = next(joint for joint in model.joints.values() if joint.child.body == body)
    start = np.array(joint.child.at)
    ends = {name: other.parent.at for name, other in model.joints.items() if other.parent.body == body}
    ends = {name: at for name, at in ends.items() if _length(start, np.array(at)) > _NO_LENGTH}
    worn = {name: marker.at for name, marker in model.markers.items() if marker.body == body}
    if len(worn) <= _FEW_MARKERS:
        ends.update(worn)
    elif not ends:
        farthest = max(worn, key=lambda name: _length(start, np.array(worn[name])))
        ends[farthest] = worn[farthest]
    lines = {name: np.array([start, at]) for name, at in ends.items() if _length(start, np.array(at)) > _NO_LENGTH}
    if not lines:
        # The end of the body is unknown: for a rod, that is at twice the way to its centre of mass.
        middle = np.array(model.bodies[body].centre_of_mass)
        far = start + 2.0 * (middle - start)
        lines = {body: np.array([start, far]) if _length(start, far) > _NO_LENGTH else start[None]}
    return [Polyline(name, body, poses(body, points)) for name, points in lines.items()]


def _springs(model: Model, name: str, poses: _Poses) -> list[Polyline]:
    force = model.forces[name]
    if not isinstance(force, PointSpring):
        return []
    ends = [poses(end.body, end.at) for end in (force.start, force.end)]
    return [Polyline(name, "", np.concatenate(ends, axis=1))]


def _centre_of_mass(model: Model, poses: _Poses) -> Floats | None:
    if model.mass <= 0.0:
        return None
    moments = [body.mass * poses(name, body.centre_of_mass)[:, 0] for name, body in model.bodies.items()]
    return np.asarray(np.sum(moments, axis=0) / model.mass)


def _length(start: Floats, end: Floats) -> float:
    return float(np.linalg.norm(end - start))


def _stays_above_ground(points: Floats) -> bool:
    # What hangs from a pivot at the origin is not meant to stand on anything.
    heights = points[..., 1]
    return bool(heights.min() >= -0.05 * max(float(np.ptp(points)), 1e-9)) and bool(heights.max() > 0.0)


def _series(run: Trajectory, coordinates: Iterable[str], wanted: str | Iterable[str] | None) -> Trajectory | None:
    everything = list(coordinates)
    moving = [name for name in everything if np.ptp(run.values(name)) > 0.0]
    chosen = run.select((moving or everything)[:4] if wanted is None else wanted)
    return Trajectory(chosen.time, {name: chosen.values(name) for name in chosen.names}, chosen.units)
