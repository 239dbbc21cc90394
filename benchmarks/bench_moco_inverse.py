"""Excitations of 80 muscles under a recorded walk, against OpenSim 4.6's MocoInverse: CPU time of the same problem.

Both have intervals of 0.02 s, with unknowns at nodes and once between them, and one thread. MocoInverse solves to its
default tolerance of 1e-3, which leaves it 5 % above the minimum, we to 1e-5; at 1e-5 its CPU time is 2.6 times that.
Both read their files within the time. The data are read from ``../shared`` beside the repository, or from the folder
that the variable MYODYNE_SHARED names; MYODYNE_OPENSIM names the Python that has OpenSim, if it is another one.
MocoInverse takes two minutes; see ``moco_inverse_peer.py``.
"""

from __future__ import annotations

import os
import resource
from pathlib import Path
from typing import Any

from opensim_process import moco_answer
from timing import against, figure

import myodyne as my

PEER = "OpenSim 4.6, MocoInverse"
REPEATS = 3


def _used() -> float:
    spent = resource.getrusage(resource.RUSAGE_SELF)
    return spent.ru_utime + spent.ru_stime


def _ours(shared: Path) -> tuple[float, float, my.Solution]:
    """Return the CPU seconds of reading and solving, of solving alone, and the solution."""
    best = (float("inf"), float("inf"))
    for _ in range(1 + REPEATS):  # the first compiles what the cache does not hold yet
        started = _used()
        problem = my.load_problem("moco_inverse3d", data=shared)
        read = _used()
        solution = my.solve(problem, show=False)
        ended = _used()
        best = min(best, (ended - started, ended - read))
    return *best, solution


def run() -> list[dict[str, Any]]:
    shared = Path(os.environ.get("MYODYNE_SHARED") or Path(__file__).resolve().parents[2] / "shared")
    if not (shared / "data" / "moco_inverse3d").is_dir():
        what = f"skipped: '{shared}' has no data/moco_inverse3d, see MYODYNE_SHARED"
        return [{**figure(what, 0.0, ""), "ours": None}]
    whole, alone, solution = _ours(shared)
    files = (shared / "models_osim" / "subject_walk_scaled.osim", shared / "data" / "moco_inverse3d")
    theirs = moco_answer("moco_inverse_peer.py", *files)
    optimum = solution.report.optimum
    assert optimum is not None
    if not optimum.objective < 1.01 * theirs["objective"]:
        raise AssertionError(f"our objective is {optimum.objective:g}, MocoInverse's {theirs['objective']:g}")
    return [
        against("excitations of 80 muscles under a walk, CPU time", whole, theirs["cpu_seconds"], PEER, 50),
        figure("- without reading the files", alone, "s"),
        {**figure("- objective", optimum.objective, ""), "peer": theirs["objective"], "peer_name": PEER},
        {**figure("- iterations", optimum.iterations, ""), "peer": theirs["iterations"], "peer_name": PEER},
        figure("- our linear algebra", optimum.linear_seconds, "s"),
    ]
