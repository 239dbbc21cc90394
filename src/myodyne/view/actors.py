"""Models, poses, motions and runs as actors of a scene."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import pi, sqrt

import numpy as np

from myodyne.data import DataError, Result, Trajectory
from myodyne.errors import ModelError, listed, unknown_name
from myodyne.model import (
    GROUND,
    ContactPoint,
    FunctionPath,
    HuntCrossleyContact,
    Model,
    PointSpring,
    SmoothSphereContact,
)
from myodyne.types import Floats
from myodyne.view.meshes import meshes_of
from myodyne.view.scene import Actor, Arrow, Line, Scene, lies_in_plane, stands_on_ground
from myodyne.view.shapes import shapes_of

Shown = Model | Trajectory
Pose = Mapping[str, float]
# Frames in a second that a page keeps; a screen shows no more.
FRAMES = 60.0
# Contacts whose forces a run names by axis.
_CONTACTS = (ContactPoint, HuntCrossleyContact, SmoothSphereContact)
# What colours a muscle, the first that there is.
_SHADES = ("activation", "excitation")
# A tube is this part as thick as the muscle (radius from maximal force over specific tension), so that all are seen.
_SLENDER, _TENSION = 0.2, 0.3e6


def scene_of(
    shown: Shown | Sequence[Shown],
    motion: Trajectory | Pose | None = None,
    *,
    labels: Sequence[str] | None = None,
    geometry: str | None = None,
    speed: float = 1.0,
    beside: bool = False,
) -> Scene:
    """Return the scene of models, runs, or a model and its motion; see `show`.

    Examples
    --------
    >>> import myodyne as my
    >>> scene_of(my.load_model("pendulum"), {"angle": 0.5}).actors[0].label
    'pendulum'
    """
    parts = _parts(shown)
    if not parts:
        raise DataError("there is nothing to show: give a model, a run, or a list of them")
    names = _labels(parts, labels)
    if motion is not None and (len(parts) != 1 or not isinstance(parts[0], Model)):
        raise DataError("a pose or motion belongs to one model: my.show(model, motion)")
    actors = tuple(_actor(part, motion, name, geometry) for part, name in zip(parts, names, strict=True))
    flat = all(lies_in_plane(actor.axes()) for actor in actors)
    ground = all(stands_on_ground(actor.axes()) for actor in actors)
    return Scene(actors, " · ".join(dict.fromkeys(names)), flat, ground, speed, beside)


def _parts(shown: Shown | Sequence[Shown]) -> list[Shown]:
    """Return what is shown as a list; anything that cannot be shown raises an error that names it."""
    parts = [shown] if isinstance(shown, Model | Trajectory) or not isinstance(shown, Iterable) else list(shown)
    for part in parts:
        if not isinstance(part, Model | Trajectory):
            raise DataError(
                f"only a model, a run, or a list of them can be shown, not {part!r:.60}; "
                "my.newton_euler.to_model and my.lagrange.to_model make models of chains and lists"
            )
    return parts


def _labels(parts: Sequence[Shown], labels: Sequence[str] | None) -> list[str]:
    if labels is not None and len(labels) != len(parts):
        raise DataError(f"{len(parts)} are shown, but there are {len(labels)} labels")
    found = list(labels) if labels is not None else [_name(part) for part in parts]
    # Two runs of one model need names of their own.
    return [
        f"{name} {found[:place].count(name) + 1}" if labels is None and found.count(name) > 1 else str(name)
        for place, name in enumerate(found)
    ]


def _name(part: Shown) -> str:
    if isinstance(part, Model):
        return part.name
    if isinstance(part, Result):
        return part.provenance.model_name
    return "motion"


def _actor(part: Shown, motion: Trajectory | Pose | None, label: str, geometry: str | None) -> Actor:
    if isinstance(part, Model):
        record = motion if isinstance(motion, Trajectory) else _posed(part, motion or {})
        return actor_of(part, record, label, geometry=geometry)
    if not isinstance(part, Result) or part.model_data is None:
        raise DataError(
            "only a result that carries its model can be shown; give a motion together with its model: "
            "my.show(model, motion)"
        )
    return actor_of(Model(**part.model_data), part, label, geometry=geometry)


def _posed(model: Model, pose: Pose) -> Trajectory:
    for name in pose:
        if name not in model.coordinates:
            raise ModelError("pose: " + unknown_name("coordinate", name, tuple(model.coordinates)))
    values = {name: [float(pose.get(name, part.default))] for name, part in model.coordinates.items()}
    return Trajectory([0.0], values)


def actor_of(model: Model, motion: Trajectory, label: str = "", *, geometry: str | None = None) -> Actor:
    """Return a model moved by a motion: its coordinates by name; those that the motion lacks stay at their defaults.

    Examples
    --------
    >>> import myodyne as my
    >>> run = my.simulate(my.load_model("pendulum"), 0.5, start={"angle": 0.4})
    >>> actor_of(my.load_model("pendulum"), run, "swing").bodies
    ('rod',)
    """
    from myodyne.equations import equations_of

    equations = equations_of(model)
    missing = _missing(model, equations.coordinates, motion)
    frames = _frames(motion, _drawn(model, motion, equations.coordinates))
    q = np.tile(equations.coordinate_defaults(), (len(frames), 1))
    for place, name in enumerate(equations.coordinates):
        if name in frames:
            q[:, place] = frames.values(name)
    rotations, positions = (np.asarray(part) for part in equations.body_poses(q))
    poses = _Poses(equations.bodies, rotations, positions)
    return Actor(
        label=label or model.name,
        times=frames.time,
        bodies=tuple(equations.bodies),
        rotations=rotations,
        positions=positions,
        shapes=(*(meshes_of(model, geometry) if geometry else ()), *shapes_of(model)),
        lines=tuple(_lines(model, q, frames, poses)),
        arrows=tuple(_arrows(model, frames, poses)),
        points={name: poses(marker.body, marker.at)[:, 0] for name, marker in model.markers.items()},
        centre=_centre_of_mass(model, poses),
        series=motion if len(motion) > 1 else None,
        weight=model.mass * float(np.linalg.norm(model.gravity)),
        note=f"not in the motion, shown at their defaults: {listed(missing, 6)}" if missing else "",
    )


def _missing(model: Model, coordinates: Sequence[str], motion: Trajectory) -> list[str]:
    """Return the coordinates that a recorded motion lacks; a run that lacks any was cut, which is an error."""
    missing = [name for name in coordinates if name not in motion]
    if coordinates and len(missing) == len(coordinates):
        raise DataError(f"the motion contains no coordinate of '{model.name}': it has {listed(motion.names, 5)}")
    if missing and isinstance(motion, Result):
        raise DataError(f"the run lacks the coordinates {listed(missing)}; without them there is no pose to draw")
    return missing


class _Poses:
    """Where the bodies are at each time: turns points of a body into points in the ground's axes."""

    def __init__(self, bodies: Iterable[str], rotations: Floats, positions: Floats) -> None:
        self._place = {body: number for number, body in enumerate(bodies)}
        self._rotations, self._positions = rotations, positions

    def __call__(self, body: str, points: object) -> Floats:
        """Return points (k, 3) of a body over time, (times, k, 3)."""
        local = np.atleast_2d(np.asarray(points, dtype=np.float64))
        if body == GROUND:
            return np.broadcast_to(local, (len(self._rotations), *local.shape))
        number = self._place[body]
        turned: Floats = np.einsum("nij,kj->nki", self._rotations[:, number], local)
        return turned + self._positions[:, number, None]


def _drawn(model: Model, motion: Trajectory, coordinates: Sequence[str]) -> list[str]:
    """Return the columns that the picture is made of; a run has hundreds of others, which are plotted alone."""
    shades = [f"{muscle}.{state}" for muscle in model.muscles for state in _SHADES]
    contacts = [name for name, force in model.forces.items() if isinstance(force, _CONTACTS)]
    forces = [f"{name}.force_{axis}" for name in contacts for axis in "xyz"]
    return [name for name in (*coordinates, *shades, *forces) if name in motion]


def _frames(motion: Trajectory, names: Sequence[str]) -> Trajectory:
    """Return columns of a motion at no more times than a screen shows."""
    count = round(motion.duration * FRAMES) + 1
    columns = {name: motion.values(name) for name in names}
    if len(motion) <= count:
        return Trajectory(motion.time, columns)
    times = np.linspace(motion.time[0], motion.time[-1], max(count, 2))
    return Trajectory(times, {name: np.interp(times, motion.time, column) for name, column in columns.items()})


def _lines(model: Model, q: Floats, frames: Trajectory, poses: _Poses) -> Iterable[Line]:
    from myodyne.paths.points import path_points

    along = path_points(model, q)
    for name, muscle in model.muscles.items():
        if isinstance(muscle.path, FunctionPath) and muscle.path.shown:
            along[name] = np.concatenate([poses(point.body, point.at) for point in muscle.path.shown], axis=1)
    for name, points in along.items():
        if name not in model.muscles:
            yield Line(name, "passive", points, 0.003)
        else:
            radius = _SLENDER * sqrt(model.muscles[name].max_force / _TENSION / pi)
            yield Line(name, "muscle", points, min(max(radius, 0.003), 0.02), _activation(frames, name))
    for name, force in model.forces.items():
        if isinstance(force, PointSpring):
            ends = [poses(end.body, end.at) for end in (force.start, force.end)]
            yield Line(name, "passive", np.concatenate(ends, axis=1), 0.004)


def _activation(frames: Trajectory, muscle: str) -> Floats | None:
    columns = (f"{muscle}.{state}" for state in _SHADES)
    return next((frames.values(column) for column in columns if column in frames), None)


def _arrows(model: Model, frames: Trajectory, poses: _Poses) -> Iterable[Arrow]:
    for name, force in model.forces.items():
        columns = [f"{name}.force_{axis}" for axis in "xyz"]
        if isinstance(force, _CONTACTS) and any(column in frames for column in columns):
            parts = [frames.values(column) if column in frames else np.zeros(len(frames)) for column in columns]
            yield Arrow(name, poses(force.body, force.at)[:, 0], np.column_stack(parts))


def _centre_of_mass(model: Model, poses: _Poses) -> Floats | None:
    if model.mass <= 0.0:
        return None
    moments = [body.mass * poses(name, body.centre_of_mass)[:, 0] for name, body in model.bodies.items()]
    return np.asarray(np.sum(moments, axis=0) / model.mass)
