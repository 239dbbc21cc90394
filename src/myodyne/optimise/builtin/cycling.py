"""Cycling with the greatest power at a given cadence."""

from __future__ import annotations

import math

import numpy as np

from myodyne.data import Trajectory
from myodyne.equations import equations_of
from myodyne.files import load_model
from myodyne.model import Model
from myodyne.numerics.schemes import Radau
from myodyne.optimise.conditions import Bounds, End, OnConstraints, Periodic, Start
from myodyne.optimise.goals import Effort, MeanValue
from myodyne.optimise.problem import Problem
from myodyne.simulate.constrained import consistent_state

# Coordinates that the crank and the ankle determine through the saddle and the held trunk.
_FOLLOWING = ("crank", "pedal", "knee", "hip")
_TOP = math.pi / 2
_ROWS = 17
# The drive takes the power of one leg, negative; W that count as much as one unit of effort, and its weight.
_SCALE, _EFFORT = 100.0, 0.1
# Angle of the ankle (rad) and excitations of the guess.
_HELD, _EXCITED = -0.2, 0.3


def sprint_cycling() -> Problem:
    """The excitations with which a cyclist gives most power to a crank at 120 revolutions a minute, over one of them.

    One leg, whose power counts twice: ``-2 drive.power``. ``drive.speed`` (rad/s, negative) is the cadence, and the
    duration follows from it. The movement is periodic in the ankle and the muscles; crank, pedal, knee and hip follow
    from the saddle, and return by themselves.
    """
    model = load_model("cyclist_one_leg_muscles")
    following = (*_FOLLOWING, *(f"{name}.speed" for name in _FOLLOWING))
    return Problem(
        model,
        name="sprint_cycling",
        source="van Soest and Casius 2000 (Med. Sci. Sports Exerc. 32, 1927-1934) sought the stimulation of greatest "
        "power at each cadence; the body is that of Casius et al. 2004 as far as it is known, its muscles are those of "
        "van Soest and Bobbert 1993",
        duration=(0.2, 1.5),
        goals=[MeanValue(of="drive.power", scale=_SCALE, label="power"), Effort(weight=_EFFORT)],
        conditions=[
            OnConstraints(),
            Start({"crank": _TOP}),
            End({"crank": _TOP - 2 * math.pi}),
            Periodic(progressing=following),
            Bounds({"ankle": (-0.87, 0.69)}),
        ],
        scheme=Radau(degree=2),
        nodes=60,
        guess=_guess(model),
    )


def _guess(model: Model) -> Trajectory:
    """Return one revolution in which the ankle is held where the saddle lets it."""
    equations = equations_of(model, compiled=False)
    size, speed = len(equations.coordinates), float(model.value("drive.speed"))
    time = np.linspace(0.0, 2 * math.pi / abs(speed), _ROWS)
    state, rows = equations.state(), []
    for moment in time:
        held = {"crank": _TOP + speed * moment, "crank.speed": speed, "ankle": _HELD, "ankle.speed": 0.0}
        for name, value in held.items():
            state[equations.motion.index(name)] = value
        state, _ = consistent_state(equations, state, frozenset(held))
        rows.append(state[: 2 * size].copy())
    columns = dict(zip([*equations.coordinates, *equations.speeds], np.array(rows).T, strict=True))
    for muscle in model.muscles:
        columns[f"{muscle}.excitation"] = columns[f"{muscle}.calcium"] = np.full(_ROWS, _EXCITED)
    return Trajectory(time, columns)
