"""The highest vertical jump."""

from __future__ import annotations

import numpy as np

from myodyne.data import Trajectory
from myodyne.equations import equations_of
from myodyne.files import load_model
from myodyne.model import Model
from myodyne.numerics.schemes import Radau
from myodyne.optimise.conditions import Bounds, Start
from myodyne.optimise.goals import Effort, FlightHeight
from myodyne.optimise.problem import Problem

# Angles (rad) typical of human take-off, and the duration of the push-off (s).
_TAKE_OFF = {"toe": -0.8, "ankle": -0.5, "knee": -0.4, "hip": 0.5}
_PUSH = 0.35
_ROWS = 21
_EFFORT = 0.002  # m


def jump_height() -> Problem:
    """The excitations with which the jumper flies highest from its crouch; it ends where the toes leave the ground.

    The start is the crouch of the published jumps, in balance; excitations do not fall below those that hold it, which
    rules out a countermovement. The toes are held down until the end, and never pull.
    """
    model = load_model("jumper")
    equations = equations_of(model, compiled=False)
    crouch = {
        name: float(value)
        for name, value in zip(equations.states, equations.state(), strict=False)
        if name not in equations.multipliers
    }
    at_least = {f"{name}.excitation": (crouch[f"{name}.calcium"], 1.0) for name in model.muscles}
    return Problem(
        model,
        name="jump_height",
        source="van Soest and Bobbert 1993; start and muscles of Wong et al. 2016, whose best jump by the onsets of "
        "full excitations flies 1.4345 m high",
        duration=(0.2, 0.4),  # The effort decides where nothing else does: a thousandth of the height.
        goals=[FlightHeight(), Effort(weight=_EFFORT)],
        conditions=[Start(crouch), Bounds({"stance.force_y": (0.0, None), **at_least})],
        scheme=Radau(degree=2),
        nodes=30,
        guess=_guess(model, crouch),
    )


def _guess(model: Model, crouch: dict[str, float]) -> Trajectory:
    """Return an accelerating extension, with excitations that rise to 0.8 within 0.1 s."""
    time = np.linspace(0.0, _PUSH, _ROWS)
    columns = {
        name: crouch[name] + (_TAKE_OFF.get(name, crouch[name]) - crouch[name]) * (time / _PUSH) ** 2
        for name in model.moving
    }
    for muscle in model.muscles:
        state, rest = f"{muscle}.calcium", crouch[f"{muscle}.calcium"]
        columns[f"{muscle}.excitation"] = np.full(_ROWS, 0.8)
        columns[state] = rest + (0.8 - rest) * np.minimum(time / 0.1, 1.0)
    columns["stance.force_y"] = np.full(_ROWS, 1.5 * model.mass * 9.81)
    return Trajectory(time, columns)
