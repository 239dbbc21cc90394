"""Scenes as figures for pictures: lines along bones and muscles, and the outlines of bodies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from myodyne.data import Result
from myodyne.plot.frames import Animation, Polyline, Solid
from myodyne.types import Floats
from myodyne.view.actors import scene_of
from myodyne.view.scene import Actor, Capsule, Ellipsoid, Scene, Shape


def animation_of(run: Result, times: ArrayLike | None = None) -> Animation:
    """Return the animation of a run: its bodies, markers, muscles, springs and centre of mass.

    Parameters
    ----------
    run
        A result that carries its model and the values of all coordinates.
    times
        Times of the frames (s); the times of the run unless given.
    """
    return animation_from(scene_of(run), times)


def animation_from(scene: Scene, times: ArrayLike | None = None) -> Animation:
    """Return the animation of a scene; actors that end earlier wait in their last pose."""
    chosen = _times(scene.actors) if times is None else np.asarray(times, dtype=np.float64)
    parts = [_drawn(actor, chosen, first=not number) for number, actor in enumerate(scene.actors)]
    centre = scene.actors[0].centre
    return Animation(
        times=chosen,
        segments=tuple(line for lines, _, _ in parts for line in lines),
        solids=tuple(solid for _, solids, _ in parts for solid in solids),
        points={name: at for _, _, points in reversed(parts) for name, at in points.items()},
        com=None if centre is None else at_times(scene.actors[0].times, centre, chosen),
        title=scene.title,
        planar=scene.planar,
        ground=scene.ground,
    )


def at_times(known: Floats, values: Floats, wanted: Floats) -> Floats:
    """Return values (times, ...) at other times, straight between two frames, held at the ends."""
    if len(known) == 1:
        return np.repeat(values, len(wanted), axis=0)
    place = np.clip(np.interp(wanted, known, np.arange(len(known))), 0.0, len(known) - 1.0)
    before = np.minimum(place.astype(int), len(known) - 2)
    part = (place - before).reshape(-1, *(1,) * (values.ndim - 1))
    return np.asarray(values[before] * (1.0 - part) + values[before + 1] * part)


def _times(actors: Sequence[Actor]) -> Floats:
    longest = max(actors, key=lambda actor: actor.times[-1] - actor.times[0])
    return longest.times


def _drawn(actor: Actor, times: Floats, *, first: bool) -> tuple[list[Polyline], list[Solid], dict[str, Floats]]:
    """Return the lines, solids and points of an actor; those of further actors bear its label."""
    place = {body: number for number, body in enumerate(actor.bodies)}
    rotations, positions = (at_times(actor.times, part, times) for part in (actor.rotations, actor.positions))
    lines, solids = [], []
    for shape in actor.shapes:
        number = place[shape.body]
        made = _solid(shape, rotations[:, number], positions[:, number])
        if made is not None:
            solids.append(made)
        if isinstance(shape, Capsule):
            ends = _moved(np.array([shape.start, shape.end]), rotations[:, number], positions[:, number])
            lines.append(Polyline(shape.body if first else f"{shape.body}, {actor.label}", shape.body, ends))
    for line in actor.lines:
        shade = None if line.activation is None else at_times(actor.times, line.activation, times)
        points = at_times(actor.times, line.points, times)
        lines.append(Polyline(line.name, "", points, line.kind == "muscle", shade))
    marked = {name: at_times(actor.times, at, times) for name, at in actor.points.items()} if first else {}
    return lines, solids, marked


def _solid(shape: Shape, rotations: Floats, positions: Floats) -> Solid | None:
    if isinstance(shape, Capsule):
        ends = _moved(np.array([shape.start, shape.end]), rotations, positions)
        return Solid(shape.body, ends, (shape.radius, shape.end_radius))
    if isinstance(shape, Ellipsoid):
        centre = _moved(np.array([shape.centre]), rotations, positions)
        return Solid(shape.body, centre, semi_axes=rotations * np.array(shape.radii))
    return None


def _moved(points: Floats, rotations: Floats, positions: Floats) -> Floats:
    turned: Floats = np.einsum("nij,kj->nki", rotations, points)
    return turned + positions[:, None]
