"""The movement `reach`: the hand goes from rest to rest with the least excitation.

Three things make this problem solvable. The start has all states of an arm at rest: were fibres free there, stretched
tendons would throw the arm off as a catapult. Muscles keep a tone of 2 %: fibres without activation hang slack in
tendons without stiffness, and nothing determines them. And the goal has a small weight on rates of states, since a
muscle at the corner of its force-velocity curve has no second derivative.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from scipy.optimize import minimize

import myodyne as my

TONE = 0.02
DURATION = 0.6  # s
# Places of the hand (m) from the shoulder: right and forwards.
FROM, TO = (-0.2, 0.35), (0.1, 0.5)
UPPER_ARM, FOREARM = 0.309, 0.333  # m


def pose(x: float, y: float) -> dict[str, float]:
    """Return the angles (rad) that put the hand at a place, by the law of cosines."""
    elbow = math.acos((x**2 + y**2 - UPPER_ARM**2 - FOREARM**2) / (2 * UPPER_ARM * FOREARM))
    turned = math.atan2(FOREARM * math.sin(elbow), UPPER_ARM + FOREARM * math.cos(elbow))
    return {"shoulder": math.atan2(y, x) - turned, "elbow": elbow}


def resting(arm: my.Model, at: Mapping[str, float]) -> my.Equilibrium:
    """Return the arm at rest in a pose, with the least excitations above the tone that hold it there."""
    names = list(arm.muscles)

    def held(excitations: np.ndarray) -> my.Equilibrium:
        controls = dict(zip(names, excitations.tolist(), strict=True))
        return my.equilibrium(arm, pose=at, controls=controls, stable=False)

    least = minimize(
        lambda excitations: float(excitations @ excitations),
        np.full(len(names), 2 * TONE),
        bounds=[(TONE, 0.5)] * len(names),
        constraints={"type": "eq", "fun": lambda excitations: list(held(excitations).holding.values())},
        options={"ftol": 1e-12},
    )
    return held(least.x)


def still(arm: my.Model, at: Mapping[str, float]) -> list[my.CustomCondition]:
    """Return the conditions that the muscles have no moment at the end, where the arm is in a pose."""
    arms = my.equations_of(arm).moment_arms(np.array(list(at.values())))
    return [without_moment(name, dict(zip(arm.muscles, arms[:, j], strict=True))) for j, name in enumerate(at)]


def without_moment(joint: str, arms: Mapping[str, float]) -> my.CustomCondition:
    """Return the condition that muscles with known moment arms (m) balance each other at the end."""
    return my.CustomCondition(
        range=0.0,
        label=f"no moment at the {joint}",
        ends_of=lambda ends: sum(float(arm) * ends.end[f"{muscle}.force"] for muscle, arm in arms.items()),
    )


def reaching() -> my.Problem:
    """Return the problem."""
    arm, target = my.load_model("planar_arm"), pose(*TO)
    return my.Problem(
        arm,
        name="reach",
        duration=DURATION,
        goals=[my.Effort(exponent=2), my.Smoothness(weight=1e-4)],
        conditions=[
            my.Start(dict(resting(arm, pose(*FROM)))),
            my.End(target | {f"{name}.speed": 0.0 for name in target}),
            *still(arm, target),
            my.Bounds({f"{name}.excitation": (TONE, 1.0) for name in arm.muscles}),
        ],
    )


def reach() -> my.Movement:
    """Return the reach of `planar_arm`."""
    best = my.solve(reaching(), my.Radau(degree=3), nodes=31)
    return my.Movement.from_result(
        best,
        name="reach",
        summary="The hand reaches 34 cm to the right and forwards in 0.6 s, from rest to rest.",
        source="optimum of movements/reach.py for planar_arm: least excitations squared",
    )
