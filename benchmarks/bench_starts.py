"""Walking without data from 100 random guesses: how many end in the walk, and how many sets of eight contain it."""

from __future__ import annotations

from typing import Any

import numpy as np
from timing import figure

import myodyne as my
from myodyne.optimise import random_steps

COUNT, GROUP = 100, 8
# Objectives within so much of the smallest are the same walk: tolerance and mesh of a search move them.
SAME = 0.05


def run() -> list[dict[str, Any]]:
    problem = my.load_problem("gait2d_predictive")
    assert isinstance(problem, my.Problem)
    guesses = [random_steps(problem.model, 1.3, seed) for seed in range(1000, 1000 + COUNT)]
    found = my.solve_from(problem, guesses, settings=my.Settings(tolerance=1e-3))
    objectives = dict(zip(found.order, found.objectives, strict=True))
    best = min(objectives.values())
    walks = {number for number, value in objectives.items() if value <= (1 + SAME) * best}
    # Any eight of those that were solved: chosen at random, many times.
    random = np.random.default_rng(0)
    solved = np.array(sorted(objectives))
    choices = [random.choice(solved, GROUP, replace=False) for _ in range(5000)]
    share = 100 * float(np.mean([any(int(n) in walks for n in choice) for choice in choices]))
    return [
        figure("random starts that were solved", 100 * len(objectives) / COUNT, "%"),
        figure("of these, within 5 % of the smallest objective", 100 * len(walks) / len(objectives), "%"),
        {
            "what": "random sets of eight that contain the walk",
            "ours": share,
            "peer": None,
            "peer_name": None,
            "unit": "%",
            "ratio": None,
            "target": "≥ 90",
            "met": share >= 90,
        },
        figure("smallest objective", best, ""),
        figure("median objective", float(np.median(list(objectives.values()))), ""),
        figure("processor time of a start, mean", found.cpu_seconds / COUNT, "s"),
    ]
