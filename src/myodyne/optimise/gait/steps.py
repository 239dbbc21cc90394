"""Guesses of steps, for any body with two legs."""

from __future__ import annotations

import numpy as np

from myodyne.data import Trajectory
from myodyne.errors import ModelError
from myodyne.model import Model
from myodyne.optimise.gait.anatomy import Anatomy, Flexion, anatomy_of
from myodyne.optimise.gait.ranges import RUNNING, WALKING
from myodyne.optimise.guesses import grounded
from myodyne.types import Floats

_ROWS = 21
# Of random steps: mean and size (rad) of each joint's angles.
_RANDOM = {"hip": (0.1, 0.35), "knee": (0.4, 0.35), "ankle": (0.0, 0.2)}


def stepping_guess(model: Model, speed: float, duration: float = 0.55, *, running: bool = False) -> Trajectory:
    """Return half a cycle of a simple gait: the right leg goes back, the left one forward with a bent knee.

    Which coordinates bend hip, knee and ankle, and in which sense, is found by geometry. All others stay where they
    are in the upright pose. The feet are put on the ground.

    Parameters
    ----------
    model
        A body with two legs and contacts under its feet (`walking` adds them).
    speed
        Forward (m/s).
    duration
        Of the half cycle (s).
    running
        Whether the legs are bent as in running.

    Examples
    --------
    >>> import myodyne as my
    >>> guess = my.stepping_guess(my.load_model("gait2d"), 1.3)
    >>> round(float(guess.values("pelvis_x")[-1]), 3), round(float(guess.values("left_knee").min()), 2)
    (0.715, -1.05)
    """
    _check("stepping_guess", speed, duration)
    anatomy = anatomy_of(model)
    time = np.linspace(0.0, duration, _ROWS)
    phase = time / duration
    swing = np.cos(np.pi * phase)
    bent = 0.45 if running else 0.15
    still = np.ones(_ROWS)
    hip, ankle = 0.2 if running else 0.1, 0.2 if running else 0.05
    columns = {anatomy.forward: speed * time}
    leg = anatomy.leg
    columns |= _angles(anatomy, leg.hip, hip + 0.35 * swing, hip - 0.35 * swing)
    columns |= _angles(anatomy, leg.knee, bent * still, bent + 0.9 * np.sin(np.pi * phase) ** 2)
    columns |= _angles(anatomy, leg.ankle, ankle * still, ankle * still)
    return grounded(model, Trajectory(time, _others(anatomy, columns)))


def random_steps(model: Model, speed: float, seed: int = 0, *, running: bool = False) -> Trajectory:
    """Return half a cycle of random, smooth movements of the legs, and random excitations: an uninformed guess.

    Each joint has a mean and three random harmonics of the whole cycle; the left leg is half a cycle behind the right.

    Parameters
    ----------
    model
        A body with two legs and contacts under its feet (`walking` adds them).
    speed
        Forward (m/s).
    seed
        Another seed gives other steps, the same one the same.
    running
        Whether the ranges are those of running.

    Examples
    --------
    >>> import myodyne as my
    >>> guess = my.random_steps(my.load_model("gait2d"), 1.3, seed=4)
    >>> float(guess.values("right_knee").max()) <= 0.0
    True
    """
    _check("random_steps", speed, 1.0)
    anatomy = anatomy_of(model)
    random = np.random.default_rng(seed)
    duration = random.uniform(0.25, 0.45) if running else random.uniform(0.4, 0.7)
    time = np.linspace(0.0, duration, _ROWS)
    phase = time / duration / 2
    columns = {anatomy.forward: speed * time}
    leg, ranges = anatomy.leg, RUNNING if running else WALKING
    for role, flexion in (("hip", leg.hip), ("knee", leg.knee), ("ankle", leg.ankle)):
        mean, size = _RANDOM[role]
        weights = random.normal(size=(3, 2)) * size / np.arange(1, 4)[:, None]
        both = []
        for behind in (0.0, 0.5):
            angles = 2 * np.pi * np.arange(1, 4)[:, None] * (phase + behind)
            # Drawn as gait2d's angles are counted, in which a bent knee is negative.
            waves = weights[:, 0] @ np.cos(angles) + weights[:, 1] @ np.sin(angles)
            both.append(np.clip(mean + (-waves if role == "knee" else waves), *ranges[role]))
        columns |= _angles(anatomy, flexion, *both)
    for muscle, level in zip(model.muscles, random.uniform(0.02, 0.4, len(model.muscles)), strict=True):
        columns[f"{muscle}.excitation"] = np.full(_ROWS, level)
    return grounded(model, Trajectory(time, _others(anatomy, columns)))


def _angles(anatomy: Anatomy, flexion: Flexion, right: Floats, left: Floats) -> dict[str, Floats]:
    other = anatomy.left(flexion)
    return {flexion.coordinate: flexion.sign * right, other.coordinate: other.sign * left}


def _others(anatomy: Anatomy, columns: dict[str, Floats]) -> dict[str, Floats]:
    """Return the columns with those coordinates added that stay upright."""
    still = {name: np.full(_ROWS, value) for name, value in anatomy.upright.items() if name not in columns}
    return {**columns, **still}


def _check(name: str, speed: float, duration: float) -> None:
    for what, value in (("speed", speed), ("duration", duration)):
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 20:
            raise ModelError(f"{name}: the {what} must be a positive number (m/s, s), not {value!r:.60}")
