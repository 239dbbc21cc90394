"""Planar walking that follows records, against OpenSim Moco 4.6: CPU time of the same problem on the same mesh.

Both have Hermite and Simpson's 24 intervals, one thread, and the guess from the records. Moco solves to its example's
tolerance of 1e-2, we to 1e-4; the records are near enough for exact second derivatives from the start, and what the
default settings take is printed too. Models and records are read from ``../shared`` beside the repository, or from the
folder that the variable MYODYNE_SHARED names; MYODYNE_OPENSIM names the Python that has OpenSim, if it is another one.
Moco takes some minutes; see ``moco_peer.py``.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from opensim_process import moco_answer
from timing import against, figure

import myodyne as my

PEER = "OpenSim Moco 4.6"
INTERVALS = 24
TOLERANCE, PEER_TOLERANCE = 1e-4, 1e-2
MOST_ITERATIONS = 1000
REPEATS = 3


def _ours(problem: my.Problem, settings: my.Settings) -> tuple[float, my.Solution]:
    """Return the CPU seconds of a solve, with all that comes before the first iteration, and the solution."""
    my.solve(problem, settings=settings, audit=False, show=False)  # compiles what the cache does not hold yet
    best = float("inf")
    for _ in range(REPEATS):
        started = time.process_time()
        solution = my.solve(problem, settings=settings, audit=False, show=False)
        best = min(best, time.process_time() - started)
    return best, solution


def run() -> list[dict[str, Any]]:
    shared = Path(os.environ.get("MYODYNE_SHARED") or Path(__file__).resolve().parents[2] / "shared")
    if not (shared / "data" / "moco_walk2d").is_dir():
        return [{**figure(f"skipped: '{shared}' has no data/moco_walk2d, see MYODYNE_SHARED", 0.0, ""), "ours": None}]
    problem = my.load_problem("moco_walk2d_tracking", data=shared)
    assert isinstance(problem, my.Problem)
    cpu, solution = _ours(problem, my.Settings(tolerance=TOLERANCE, approach=0))
    by_default, _ = _ours(problem, my.Settings(tolerance=TOLERANCE))
    files = (shared / "models_osim" / "2D_gait.osim", shared / "data" / "moco_walk2d")
    theirs = moco_answer("moco_peer.py", *files, INTERVALS, PEER_TOLERANCE, MOST_ITERATIONS)
    optimum = solution.report.optimum
    assert optimum is not None
    if not optimum.objective < 1.01 * theirs["objective"]:
        raise AssertionError(f"our objective is {optimum.objective:g}, Moco's {theirs['objective']:g}")
    default = against("- with default settings", by_default, theirs["cpu_seconds"], PEER, 0.0)
    what = f"tracking a planar walk, {INTERVALS} intervals, CPU time"
    return [
        against(what, cpu, theirs["cpu_seconds"], f"{PEER}, one thread", 100),
        {**default, "target": None, "met": None},
        {**figure("- objective", optimum.objective, ""), "peer": theirs["objective"], "peer_name": PEER},
        {**figure("- iterations", optimum.iterations, ""), "peer": theirs["iterations"], "peer_name": PEER},
        figure("- our linear algebra", optimum.linear_seconds, "s"),
        figure("- our evaluation, and the rest", optimum.cpu_seconds - optimum.linear_seconds, "s"),
    ]
