"""Walking and running of gait2d predicted: no recorded movement enters these problems.

What is assumed, and where it comes from, is in ``docs/decisions/0019-predicted-gait.md``.
"""

from __future__ import annotations

import numpy as np

from myodyne.data import Trajectory
from myodyne.files import load_model
from myodyne.library.gait2d import SIDES
from myodyne.library.passive_moments import passive_leg
from myodyne.model import Model, PassiveMoment
from myodyne.numerics.schemes import Radau
from myodyne.optimise.builtin.gait2d import WALKING
from myodyne.optimise.conditions import AverageSpeed, Bounds, Periodic, Start
from myodyne.optimise.gait.cost import easier_gaits, gait_goals
from myodyne.optimise.gait.steps import random_steps, stepping_guess
from myodyne.optimise.goals import Goal, PassiveLoad
from myodyne.optimise.guesses import grounded
from myodyne.optimise.problem import Problem
from myodyne.optimise.screening import Screening

# Ranges of trunk and joints in running, wider than those of walking.
RUNNING = {"pelvis_x": (-1.0, 5.0), "pelvis_y": (0.6, 1.2), "pelvis_tilt": (-0.4, 0.4)} | {
    f"{side}_{joint}": limits
    for side in SIDES
    for joint, limits in (("hip", (-0.8, 1.4)), ("knee", (-2.3, 0.0)), ("ankle", (-0.9, 0.7)))
}
# The start of the cycle: the right heel just touches the ground (m), sinking, with the toe up.
_TOUCH, _TOE_UP = 0.002, 0.05
_STARTS = 8
# Of squared passive moments in running, 100 N m counting as one: a term of Falisse et al. 2019.
_PASSIVE = 0.3


def gait2d_predictive(speed: float = 1.3, *, heel_strike: bool = True, starts: int = _STARTS) -> Problem:
    """A walk of gait2d at 1.3 m/s that nothing recorded guides: effort, impacts, scuffing; half a cycle, mirrored.

    ``heel_strike`` is an assumption: the cycle begins with the heel on the ground and the toe 5 cm up. ``starts``
    counts the guesses: a sketch of a step, the others random.
    """
    model = with_passive_legs(load_model("gait2d"))
    conditions = [Periodic(mirrored=True), AverageSpeed(speed), Bounds(WALKING)]
    touching: dict[str, tuple[float | None, float | None]] = {
        "right_heel_tip.position_y": (None, _TOUCH),
        "right_heel_tip.velocity_y": (None, 0.0),
        "right_toe_tip.position_y": (_TOE_UP, None),
    }
    return Problem(
        model,
        name="gait2d_predictive",
        source="Passive moments by Riener and Edrich 1999; goals: docs/decisions/0019-predicted-gait.md",
        duration=(0.4, 0.8),
        goals=predicted_goals(),
        conditions=[*conditions, Start(touching)] if heel_strike else conditions,
        scheme=Radau(degree=3),
        nodes=21,
        guess=stepping_guess(model, speed),
        starts=[random_steps(model, speed, seed) for seed in range(starts - 1)],
        screening=Screening(),
        accuracy=0.02,
        continuation=easier_gaits(model, predicted_goals()),
    )


def gait2d_running(speed: float = 3.5, *, starts: int = _STARTS) -> Problem:
    """A run of gait2d at 3.5 m/s with the goals of `gait2d_predictive` and one more: half a cycle, mirrored.

    Passive moments cost something. Otherwise that of the hip is a free spring that throws the leg forward.
    """
    model = with_passive_legs(load_model("gait2d"))
    goals = [*predicted_goals(), PassiveLoad(weight=_PASSIVE, label="passive moments")]
    return Problem(
        model,
        name="gait2d_running",
        source="Passive moments by Riener and Edrich 1999; goals: docs/decisions/0019-predicted-gait.md",
        duration=(0.25, 0.5),
        goals=goals,
        conditions=[Periodic(mirrored=True), AverageSpeed(speed), Bounds(RUNNING)],
        scheme=Radau(degree=3),
        nodes=21,
        guess=running_guess(model, speed),
        starts=[running_guess(model, speed, seed) for seed in range(starts - 1)],
        screening=Screening(),
        accuracy=0.02,
        continuation=easier_gaits(model, goals),
    )


def predicted_goals() -> list[Goal]:
    """Return the goals that predicted walking and running share: those that `walking` gives to any model."""
    return gait_goals(load_model("gait2d"), tilt="pelvis_tilt")


def with_passive_legs(model: Model) -> Model:
    """Return gait2d with the passive moments of relaxed legs after Riener and Edrich 1999."""
    forces: dict[str, PassiveMoment] = {}
    for side in SIDES:
        moments = passive_leg(*(f"{side}_{joint}" for joint in ("hip", "knee", "ankle")))
        forces |= {f"{name}_passive": moment for name, moment in moments.items()}
    return model.with_parts(forces=forces)


def running_guess(model: Model, speed: float, seed: int | None = None) -> Trajectory:
    """Return half a cycle of a sketched run: the right leg goes back, the left one forward with a bent knee.

    With a seed, duration, size of the swings and knees are random.
    """
    random = np.random.default_rng(seed)
    sizes = np.ones(5) if seed is None else random.uniform(0.6, 1.4, 5)
    duration = 0.36 * sizes[0]
    time = np.linspace(0.0, duration, 21)
    swing, bend = np.cos(np.pi * time / duration), np.sin(np.pi * time / duration) ** 2
    columns = {
        "pelvis_x": speed * time,
        "right_hip": 0.2 + 0.45 * sizes[1] * swing,
        "left_hip": 0.2 - 0.45 * sizes[1] * swing,
        "right_knee": np.full(len(time), -0.4 * sizes[2]),
        "left_knee": -0.4 * sizes[2] - 1.1 * sizes[3] * bend,
        "right_ankle": np.full(len(time), 0.1 * sizes[4]),
        "left_ankle": np.full(len(time), -0.1 * sizes[4]),
    }
    return grounded(model, Trajectory(time, columns))
