"""Planar walking that follows records, against OpenSim Moco 4.6: CPU time of the same problem on the same mesh.

Both have Hermite and Simpson's 24 intervals, one thread, and the guess from the records. Moco solves to its example's
tolerance of 1e-2, we to 1e-4; the records are near enough for exact second derivatives from the start, and what the
default settings take is printed too. Models and records are read from ``../shared`` beside the repository, or from the
folder that the variable MYODYNE_SHARED names. Moco takes some minutes; see ``moco_peer.py``.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from timing import against, figure

import myodyne as my

PEER = "OpenSim Moco 4.6"
INTERVALS = 24
TOLERANCE, PEER_TOLERANCE = 1e-4, 1e-2
MOST_ITERATIONS = 1000
REPEATS = 3


def _theirs(shared: Path) -> dict[str, Any]:
    """Return what Moco reports about its solve."""
    if importlib.util.find_spec("opensim") is None:
        raise ModuleNotFoundError("OpenSim is not installed", name="opensim")
    script = Path(__file__).with_name("moco_peer.py")
    command = [
        sys.executable,
        str(script),
        str(shared / "models_osim" / "2D_gait.osim"),
        str(shared / "data" / "moco_walk2d"),
        str(INTERVALS),
        str(PEER_TOLERANCE),
        str(MOST_ITERATIONS),
    ]
    with tempfile.TemporaryDirectory() as place:
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=place)
    if done.returncode:
        raise RuntimeError(f"Moco failed: {done.stderr.strip()[-500:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    if not found["success"]:
        raise RuntimeError(f"Moco did not solve its problem: {found['status']}")
    return found


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
    theirs = _theirs(shared)
    optimum = solution.report.optimum
    assert optimum is not None
    if not optimum.objective < 1.01 * theirs["objective"]:
        raise AssertionError(f"our objective is {optimum.objective:g}, Moco's {theirs['objective']:g}")
    default = against("- with default settings", by_default, theirs["cpu_seconds"], PEER, 0.0)
    what = f"tracking a planar walk, {INTERVALS} intervals, CPU time"
    return [
        against(what, cpu, theirs["cpu_seconds"], f"{PEER}, one thread", 50),
        {**default, "target": None, "met": None},
        {**figure("- objective", optimum.objective, ""), "peer": theirs["objective"], "peer_name": PEER},
        {**figure("- iterations", optimum.iterations, ""), "peer": theirs["iterations"], "peer_name": PEER},
        figure("- our linear algebra", optimum.linear_seconds, "s"),
        figure("- our evaluation, and the rest", optimum.cpu_seconds - optimum.linear_seconds, "s"),
    ]
