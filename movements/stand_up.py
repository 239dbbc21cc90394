"""The movement `stand_up`: from a chair to standing, from rest to rest, with the least torques.

A person without muscles, moved by motors: the redundancy of muscles is what made this problem hard to solve. Assumed:
the chair carries the body at the hips, as a point on soft ground 48 cm high that has friction, and the arms do not
help; both legs move as one; the ball of the foot stays where it is, and the heel on the ground. A small weight on
accelerations keeps the torques from jumping.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from scipy.optimize import brentq

import myodyne as my

DURATION = 1.6  # s
SEAT = 0.48  # m
# Angles (rad): shanks lean forwards and the trunk is nearly upright; the knees sink until the chair carries the body.
SITTING = {"ankle": 0.26, "hip": 1.67}
STANDING = {"ankle": 0.06, "knee": -0.05, "hip": 0.03}
INTERVALS = 60


def person() -> my.Model:
    """Return `jumper_skeleton` on a chair."""
    plane = my.Placement(body="ground", at=(0.0, SEAT, 0.0), orientation=(0.0, 0.0, -math.pi / 2))
    chair = my.ContactPoint(body="hat", plane=plane, stiffness=20e3, dissipation=1.0, friction=0.5, transition=0.004)
    return my.load_model("jumper_skeleton").with_parts(forces={"seat": chair})


def resting(model: my.Model, pose: dict[str, float]) -> dict[str, float]:
    """Return the states of a person at rest, the foot as deep in the ground as the pose needs it."""
    rest = my.equilibrium(model, pose=pose, guess={"toe": 0.0}, stable=False)
    return {state: float(rest[state]) for name in model.moving for state in (name, f"{name}.speed")}


def sitting(model: my.Model) -> dict[str, float]:
    """Return the states of sitting without a torque at the knees."""

    def torque(knee: float) -> float:
        return my.equilibrium(model, pose=SITTING | {"knee": knee}, guess={"toe": 0.0}, stable=False).holding["knee"]

    return resting(model, SITTING | {"knee": float(brentq(torque, -2.0, -1.85, xtol=1e-12))})


def standing_up() -> my.Problem:
    """Return the problem."""
    model = person()
    start, end = sitting(model), resting(model, STANDING)
    time = np.linspace(0.0, DURATION, 21)
    done = (1 - np.cos(np.pi * time / DURATION)) / 2
    return my.Problem(
        model,
        name="stand_up",
        duration=DURATION,
        goals=[my.Effort(of="torques"), my.Smoothness(of="speeds", scale=10.0, weight=0.01)],
        conditions=[my.Start(start), my.End(end), my.Bounds({"toe": (0.0, None)})],
        guess=my.Trajectory(time, {name: start[name] + (end[name] - start[name]) * done for name in model.moving}),
    )


def stand_up() -> my.Movement:
    """Return standing up, marched by its own scheme on its own mesh."""
    best = my.solve(standing_up(), my.Radau(degree=3), nodes=INTERVALS + 1)
    movement = my.Movement.from_result(
        best,
        name="stand_up",
        summary="A person rises from a chair in 1.6 s: the trunk leans forwards, hips leave the seat, legs extend.",
        source="optimum of movements/stand_up.py for jumper_skeleton on a chair: least squared torques",
    )
    # Standing is unstable. By its own scheme the movement comes back from its controls; an accurate one falls.
    step = DURATION / INTERVALS
    return replace(movement, recipe=replace(movement.recipe, scheme=my.Radau(degree=3, step=step), every=step))
