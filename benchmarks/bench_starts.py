"""Walking without data from 100 random guesses: how many sets of eight, solved as by default, contain the walk.

All guesses are solved on the coarse mesh of the screening; each different minimum found there goes on to the problem's
own mesh. Of eight guesses `solve` would go on with the two best different minima: a set contains the walk if one of
these ends in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from timing import figure

import myodyne as my
from myodyne.optimise import random_steps
from myodyne.optimise.screened import Screened, minima_of, screened_from

COUNT, GROUP, SETS = 100, 8, 5000
# Objectives within so much of the smallest are the same walk: tolerance and mesh move them.
SAME = 0.05


def run() -> list[dict[str, Any]]:
    problem = my.load_problem("gait2d_predictive")
    assert isinstance(problem, my.Problem)
    assert problem.screening is not None
    guesses = [random_steps(problem.model, 1.3, seed) for seed in range(1000, 1000 + COUNT)]
    everyone = problem.model_copy(update={"screening": my.Screening(keep=COUNT)})
    found = screened_from(everyone, guesses, settings=my.Settings(tolerance=1e-3))
    fine = _fine_objectives(found)
    best = float(np.nanmin(fine))
    minima = np.array(minima_of(found.coarse.objectives))
    walks = fine[minima] <= (1 + SAME) * best
    random = np.random.default_rng(0)
    contained = 0
    for _ in range(SETS):
        # Solutions are sorted: the first different minima of a set are its best.
        chosen = np.sort(random.choice(len(minima), GROUP, replace=False))
        on = list(dict.fromkeys(minima[chosen]))[: problem.screening.keep]
        contained += bool((fine[on] <= (1 + SAME) * best).any())
    share = 100 * contained / SETS
    return [
        figure("random starts that were solved on the coarse mesh", 100 * len(minima) / COUNT, "%"),
        figure("different minima there", float(len(fine)), ""),
        figure("of these, solved on the problem's own mesh", float((~np.isnan(fine)).sum()), ""),
        figure("starts whose minimum leads to within 5 % of the smallest objective", 100 * float(walks.mean()), "%"),
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
        figure("processor time of all of them", found.coarse.cpu_seconds + found.fine.cpu_seconds, "s"),
    ]


def _fine_objectives(found: Screened) -> np.ndarray:
    """Return the objective that each minimum of the coarse mesh led to, NaN where it could not be solved."""
    fine = np.full(len(found.fine.solutions) + len(found.fine.failures), np.nan)
    fine[list(found.fine.order)] = found.fine.objectives
    return fine
