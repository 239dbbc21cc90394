"""Walking without data from 100 random guesses: how many sets of eight, solved as by default, contain the walk.

Each guess is solved on the coarse mesh of the screening and from there on the problem's own. Of eight guesses `solve`
goes on with the best of the two best different minima: a set contains the walk if one of these ends in it. The variable
MYODYNE_STARTS may name a file in which outcomes are kept; a run that was interrupted goes on from there.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
from timing import above, figure

import myodyne as my
from myodyne.optimise import random_steps
from myodyne.optimise.screened import minima_of, screened_from

COUNT, GROUP, SETS, FIRST_SEED = 100, 8, 5000, 1000
# Objectives within so much of the smallest are the same walk: tolerance and mesh move them.
SAME = 0.05


class Outcome(TypedDict):
    """Where one guess led, None where it was not solved, and the processor time of both meshes (s)."""

    coarse: float | None
    fine: float | None
    seconds: float


def run() -> list[dict[str, Any]]:
    problem = my.load_problem("gait2d_predictive")
    assert isinstance(problem, my.Problem)
    assert problem.screening is not None
    outcomes = _outcomes(problem)
    solved = sorted((one for one in outcomes if one["coarse"] is not None), key=lambda one: one["coarse"] or 0.0)
    coarse = np.array([one["coarse"] for one in solved], dtype=float)
    fine = np.array([one["fine"] for one in solved], dtype=float)
    best = float(np.nanmin(fine))
    walks = fine <= (1 + SAME) * best
    random = np.random.default_rng(0)
    sets = [np.sort(random.choice(len(solved), GROUP, replace=False)) for _ in range(SETS)]
    contained = np.mean([_contains(chosen, coarse, fine, walks, problem.screening.keep) for chosen in sets])
    seconds = [one["seconds"] for one in outcomes]
    return [
        figure("random starts", float(len(outcomes)), ""),
        figure("of these, solved on the coarse mesh", float(len(solved)), ""),
        figure("different minima there", float(minima_of(list(coarse))[-1] + 1), ""),
        figure("of those, solved on the problem's own mesh", float((~np.isnan(fine)).sum()), ""),
        figure("of those, within 5 % of the smallest objective: the walk", float(walks.sum()), ""),
        above("random sets of eight that contain the walk", 100 * float(contained), "%", 90),
        figure("smallest objective", best, ""),
        figure("processor time of a start, both meshes, mean", float(np.mean(seconds)), "s"),
    ]


def _outcomes(problem: my.Problem) -> list[Outcome]:
    """Return where guesses lead, until so many were solved on the coarse mesh or twice as many were tried."""
    named = os.environ.get("MYODYNE_STARTS")
    file = Path(named) if named else None
    found: dict[str, Outcome] = json.loads(file.read_text()) if file and file.exists() else {}
    for seed in range(FIRST_SEED, FIRST_SEED + 2 * COUNT):
        if sum(one["coarse"] is not None for one in found.values()) >= COUNT:
            break
        if str(seed) not in found:
            found[str(seed)] = _outcome(problem, seed)
            if file:
                file.write_text(json.dumps(found, indent=1))
    return list(found.values())


def _outcome(problem: my.Problem, seed: int) -> Outcome:
    guess = random_steps(problem.model, 1.3, seed)
    try:
        found = screened_from(problem, [guess], settings=my.Settings(tolerance=1e-3), processes=1)
    except my.SolveError:
        return {"coarse": None, "fine": None, "seconds": 0.0}
    (coarse,) = found.coarse.objectives
    fine = found.fine.objectives[0] if found.fine.solutions else None
    return {"coarse": coarse, "fine": fine, "seconds": found.coarse.cpu_seconds + found.fine.cpu_seconds}


def _contains(chosen: np.ndarray, coarse: np.ndarray, fine: np.ndarray, walks: np.ndarray, keep: int) -> bool:
    """Return whether the walk is among what goes on of a set of starts, sorted by their coarse objectives."""
    minima = minima_of(list(coarse[chosen]))
    different = [place for rank, place in enumerate(chosen) if minima[rank] not in minima[:rank]]
    for first in range(0, len(different), keep):
        on = different[first : first + keep]
        # Where none of the best can be solved on the fine mesh, the next ones go on.
        if not np.isnan(fine[on]).all():
            return bool(walks[on].any())
    return False
