"""At which cadence, saddle height and strength does a sprint cyclist give most power? Run it with

    python examples/sprint_power.py [cadence|saddle|insertion|strength ...]

Van Soest and Casius (2000) sought the stimulation of greatest power at each cadence and found the optimum near 120 to
130 revolutions a minute. Here the same question is put to the problem ``sprint_cycling``: each row of a study is a
movement of its own, solved by collocation from the solution of its neighbour. Then the saddle is raised and lowered,
the insertion of the soleus is moved back and forth on the heel, and each muscle becomes 10 % stronger. The script
prints the power of both legs.
"""

from __future__ import annotations

import math
import sys

import numpy as np
from what_if_insertion import INSERTION, cyclist

import myodyne as my

CADENCES = (60, 80, 100, 110, 120, 130, 140, 160, 180)  # revolutions a minute
RAISED = (-0.04, -0.02, 0.0, 0.02, 0.04)  # m
BACK = (-0.02, -0.01, 0.0, 0.01, 0.02)  # m
STRONGER = 1.1


def power(solution: my.Solution) -> float:
    """Return the mean power (W) of both legs."""
    return float(-2 * np.trapezoid(solution.values("drive.power"), solution.time) / solution.time[-1])


def problem() -> my.Problem:
    """Return the problem."""
    found = my.load_problem("sprint_cycling")
    assert isinstance(found, my.Problem)
    return found


def cadences() -> my.Study:
    """Return the study of cadences, which are speeds of the drive (rad/s)."""
    speeds = [-2 * math.pi * cadence / 60 for cadence in CADENCES]
    return my.Study(problem=problem(), vary=my.grid({"drive.speed": speeds}), measure=power)


def saddles() -> my.Study:
    """Return the study of saddle heights (m)."""
    sprint = problem()
    usual = sprint.model.value("saddle.second.at.y")
    return my.Study(
        problem=sprint, vary=my.grid({"saddle.second.at.y": [usual + raised for raised in RAISED]}), measure=power
    )


def insertions() -> my.Study:
    """Return the study of insertions of a soleus that runs straight from the shank to the heel (m)."""
    sprint = problem()
    # The problem's model with the soleus of the other example, whose points can move.
    model = sprint.model.with_parts(muscles={"soleus": cyclist().muscles["soleus"]})
    usual = cyclist().value(INSERTION)
    return my.Study(
        problem=sprint.with_model(model), vary=my.grid({INSERTION: [usual - back for back in BACK]}), measure=power
    )


def strengths() -> my.Study:
    """Return the study in which no muscle, and then each in turn, is stronger."""
    sprint = problem()
    names = [f"{muscle}.max_force" for muscle in sprint.model.muscles]
    usual = np.array([sprint.model.value(name) for name in names])
    rows = [usual, *(np.where(np.arange(len(names)) == k, STRONGER, 1.0) * usual for k in range(len(names)))]
    return my.Study(problem=sprint, vary=my.Rows(tuple(names), np.array(rows)), measure=power)


def main(*wanted: str) -> None:
    """Print the power of each row."""
    for name, study, column in (
        ("cadence", cadences, lambda table: table["drive.speed"].values * -30 / math.pi),
        ("saddle", saddles, lambda table: 100 * np.array(RAISED)),
        ("insertion", insertions, lambda table: 100 * np.array(BACK)),
        ("strength", strengths, lambda table: ["none", *problem().model.muscles]),
    ):
        if wanted and name not in wanted:
            continue
        table = study().run()
        for label, watts, reason in zip(column(table), table["power"].values, table["reason"].values, strict=True):
            shown = label if isinstance(label, str) else f"{label:g}"
            print(f"{name} {shown:<16}{watts:8.1f} W  {reason[:60]}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
