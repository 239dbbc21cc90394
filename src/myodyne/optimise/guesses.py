"""Guesses: movements from which a solve starts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from myodyne.analyse import static_optimisation
from myodyne.analyse.sides.advancing import moving_along
from myodyne.data import ExternalForces, Trajectory
from myodyne.equations import equations_of
from myodyne.errors import ModelError, unknown_name
from myodyne.model import GROUND, ContactPoint, HuntCrossleyContact, Model, SmoothSphereContact
from myodyne.optimise.conditions import range_of
from myodyne.optimise.problem import Problem
from myodyne.types import Floats


def standing(model: Model, pose: dict[str, float] | None = None) -> Trajectory:
    """Return a guess in which nothing moves: the model's default pose, with some coordinates changed.

    Examples
    --------
    >>> import myodyne as my
    >>> my.standing(my.load_model("pendulum"), {"angle": 0.2}).final
    {'angle': 0.2}
    """
    for name in pose or {}:
        if name not in model.moving:
            raise ModelError(unknown_name("coordinate", name, model.moving))
    values = {name: model.coordinates[name].default for name in model.moving} | (pose or {})
    return Trajectory([0.0], {name: [value] for name, value in values.items()})


def interpolated(model: Model, start: Mapping[str, float], end: Mapping[str, float]) -> Trajectory:
    """Return a guess in which all coordinates go straight from a start to an end; those not named keep their default.

    Examples
    --------
    >>> import myodyne as my
    >>> my.interpolated(my.load_model("pendulum"), {"angle": 0.2}, {"angle": 0.6}).at(0.5)
    {'angle': 0.4}
    """
    for name in (*start, *end):
        if name not in model.moving:
            raise ModelError(unknown_name("coordinate", name, model.moving))
    columns = {}
    for name in model.moving:
        default = model.coordinates[name].default
        columns[name] = [start.get(name, default), end.get(name, start.get(name, default))]
    return Trajectory([0.0, 1.0], columns)


def varied(guess: Trajectory, count: int, size: float = 0.02, seed: int = 0) -> list[Trajectory]:
    """Return slightly different copies of a guess, as starts for `solve_from` in a problem with many minima.

    Parameters
    ----------
    guess
        A movement.
    count
        How many copies.
    size
        How large the wave is that is added to each column, of one period and any phase: a part of the column's range.
    seed
        Another seed gives other copies, the same one the same.

    Examples
    --------
    >>> import myodyne as my
    >>> swing = my.interpolated(my.load_model("pendulum"), {"angle": 0.0}, {"angle": 1.0})
    >>> others = my.varied(swing, 3)
    >>> [round(float(other.values("angle")[0]), 3) for other in others]
    [0.002, 0.001, -0.007]
    """
    if not isinstance(guess, Trajectory):
        raise ModelError(f"varied takes a guess (a my.Trajectory), not {guess!r:.60}")
    random = np.random.default_rng(seed)
    duration = float(np.ptp(guess.time)) or 1.0
    copies = []
    for _ in range(count):
        columns = {}
        for name in guess.names:
            values = guess.values(name)
            wave = np.sin(2.0 * np.pi * (guess.time / duration + random.uniform()))
            columns[name] = values + size * random.standard_normal() * float(np.ptp(values)) * wave
        copies.append(Trajectory(guess.time, columns, guess.units))
    return copies


def natural_guess(problem: Problem) -> Trajectory:
    """Return the guess for a problem without one: from its start to its end, as far as conditions fix them."""
    ends: list[dict[str, float]] = [{}, {}]
    for condition in problem.conditions:
        for place, ranges in zip(ends, (condition.start_bounds(), condition.end_bounds()), strict=True):
            for name, value in ranges.items():
                low, high = range_of(value)
                if name in problem.model.moving and np.isfinite([low, high]).all():
                    place[name] = (low + high) / 2
    return interpolated(problem.model, *ends) if any(ends) else standing(problem.model)


def muscle_guess(
    model: Model, motion: Trajectory, external_forces: ExternalForces | None = None, reserves: float = 100.0
) -> Trajectory:
    """Return a motion with excitations from static optimisation.

    Parameters
    ----------
    model
        The model.
    motion
        The coordinates over time.
    external_forces
        Recorded external forces.
    reserves
        Strength (N m, N) of reserve motors where the muscles are too weak; the guess leaves them out.

    Examples
    --------
    >>> import myodyne as my
    >>> arm = my.load_model("planar_arm")
    >>> still = my.Trajectory([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6], {name: [0.5] * 7 for name in arm.moving})
    >>> len([name for name in my.muscle_guess(arm, still).names if name.endswith(".excitation")]) == len(arm.muscles)
    True
    """
    found = static_optimisation(model, motion, external_forces, reserves=reserves)
    columns = {name: motion.resampled(found.time).values(name) for name in motion.names if name in model.moving}
    for name in model.muscles:
        columns[f"{name}.excitation"] = np.clip(found.values(f"{name}.activation"), 0.01, 1.0)
    return Trajectory(found.time, columns)


def grounded(model: Model, motion: Trajectory, depth: float = 0.003) -> Trajectory:
    """Return a movement, raised or lowered so that its lowest contact is ``depth`` (m) in the ground all the time.

    Examples
    --------
    >>> import myodyne as my
    >>> walker = my.load_model("gait2d")
    >>> standing_walker = my.grounded(walker, my.standing(walker))
    >>> 0.9 < standing_walker.final["pelvis_y"] < 1.0
    True
    """
    upward = moving_along(model, (0.0, 1.0, 0.0))
    lowest = lowest_contacts(model, motion)
    if not upward:
        raise ModelError(f"'{model.name}' cannot be put on the ground: it has no coordinate that moves it upward")
    place = upward[0]
    now = motion.values(place) if place in motion else np.full(len(motion.time), model.coordinates[place].default)
    raised = _smoothed(now - lowest - depth)
    columns = {name: motion.values(name) for name in motion.names if name not in upward}
    return Trajectory(motion.time, {**columns, place: raised})


def lowest_contacts(model: Model, motion: Trajectory) -> Floats:
    """Return the height (m) of the lowest contact with the ground over time; what is left out has its default."""
    points = [
        (part.body, part.at, float(getattr(part, "radius", 0.0)))
        for part in model.forces.values()
        if isinstance(part, ContactPoint | HuntCrossleyContact | SmoothSphereContact) and part.plane.body == GROUND
    ]
    if not points:
        raise ModelError(f"'{model.name}' cannot be put on the ground: it has no contact with it")
    equations = equations_of(model, compiled=False)
    table = np.column_stack(
        [
            motion.values(name) if name in motion else np.full(len(motion.time), default)
            for name, default in zip(equations.coordinates, equations.coordinate_defaults(), strict=True)
        ]
    )
    turns, origins = equations.body_poses(table)
    heights: Floats = np.min(
        [
            origins[:, number, 1] + turns[:, number, 1, :] @ np.array(at) - radius
            for body, at, radius in points
            for number in [equations.bodies.index(body)]
        ],
        axis=0,
    )
    return heights


def _smoothed(values: Floats) -> Floats:
    """Return values without the corners where one contact takes over from another."""
    if len(values) < 20:
        return values
    window = np.hanning(2 * (len(values) // 12) + 3)
    padded = np.pad(values, len(window) // 2, mode="reflect")
    smooth: Floats = np.convolve(padded, window / window.sum(), mode="valid")
    return smooth
