"""Walking without data from 50 random guesses: how many converge to a walk, and how good the best of ten is."""

from __future__ import annotations

from typing import Any

import numpy as np
from timing import figure

import myodyne as my
from myodyne.optimise.builtin.gait2d import random_steps

COUNT, GROUP = 50, 10


def run() -> list[dict[str, Any]]:
    problem = my.load_problem("gait2d_predictive")
    assert isinstance(problem, my.Problem)
    guesses = [random_steps(problem.model, 1.3, seed) for seed in range(COUNT)]
    found = my.solve_from(problem, guesses, nodes=[50], settings=my.Settings(tolerance=1e-4))
    walks = {
        number: solution
        for number, solution in zip(found.order, found.solutions, strict=True)
        if walks_properly(solution)
    }
    objectives = {number: walk.report.optimum.objective for number, walk in walks.items() if walk.report.optimum}
    best = min(objectives.values())
    # Any ten: chosen at random, many times.
    random = np.random.default_rng(0)
    choices = [random.choice(COUNT, GROUP, replace=False) for _ in range(2000)]
    near = [min((objectives.get(int(n), np.inf) for n in choice), default=np.inf) <= 1.05 * best for choice in choices]
    share = 100 * len(walks) / COUNT
    return [
        {
            "what": "random guesses that converge to a walk",
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
        figure(
            "starts within 5 % of the smallest",
            100 * float(np.mean([value <= 1.05 * best for value in objectives.values()])),
            "%",
        ),
        figure("choices of ten starts whose best is within 5 % of the smallest", 100 * float(np.mean(near)), "%"),
        figure(
            "processor time of a start, median",
            float(np.median([s.report.optimum.cpu_seconds for s in found.solutions if s.report.optimum])),
            "s",
        ),
    ]


def walks_properly(solution: my.Solution) -> bool:
    """Return whether a solution is a walk: the swinging foot is lifted by 1 cm, no knee beyond its range.

    Half a cycle is mirrored: what the left foot does here the right one does in the other half.
    """
    lifted = np.minimum(solution.values("left_heel_tip.position_y"), solution.values("left_toe_tip.position_y")).max()
    knees = [solution.values(f"{side}_knee") for side in ("right", "left")]
    speed = (solution.values("com.position_x")[-1] - solution.values("com.position_x")[0]) / np.ptp(solution.time)
    return bool(lifted >= 0.01 and abs(speed - 1.3) < 1e-3 and all(k.min() >= -2.8 and k.max() <= 1e-6 for k in knees))
