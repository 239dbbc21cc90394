"""A recorded running stride, reproduced: the closed form, and shooting against 47 s.

The stride has 121 intervals and the model 29 coordinates; residual forces act on the pelvis. The 47 s are what the
thesis' method (Selbie 1989, Appendix B) took when it was first tried on this stride, force by force: a figure kept, not
measured anew here. The data are read from ``../shared`` beside the repository, or from the folder that the variable
MYODYNE_SHARED names.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from timing import against, below, figure, seconds

import myodyne as my
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.simulate.marches import march_of

FIRST_TRIED = 47.0  # s
CUTOFF = 10.0  # Hz


def _processor(work: Callable[[], object], repeats: int = 3) -> float:
    """Return the processor time of one call, the best of several: seconds that other programs do not lengthen."""
    best = float("inf")
    for _ in range(repeats):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best


def _beyond_marching() -> float:
    """Return what 0.8 s of the runner cost beside the march itself: processor time (s) of a warm call."""
    model, scheme = my.runner_skeleton(), my.Rosenbrock(step=0.003)
    equations = my.equations_of(model)
    times = my.simulate(model, 0.8, scheme=scheme).time
    march = march_of(scheme, equations, PiecewisePolynomial.constant(np.zeros(len(equations.controls))))
    start = np.append(equations.state({}), 0.0)
    marching = _processor(lambda: march.advance(0.0, start, times[1:]), repeats=100)
    return _processor(lambda: my.simulate(model, 0.8, scheme=scheme), repeats=100) - marching


def run() -> list[dict[str, Any]]:
    shared = Path(os.environ.get("MYODYNE_SHARED", Path(__file__).parents[2] / "shared"))
    folder = shared / "data" / "running"
    if not folder.is_dir():
        raise FileNotFoundError(f"the stride is not at hand: {folder}")
    model = my.load_model(folder / "bmc_Rajagopal2015_scaled.osim")
    motion = my.load(folder / "bmc_ik_output_run.mot", model=model).filtered(CUTOFF)
    forces = my.load_external_forces(folder / "bmc_grf_setup.xml", folder / "bmc_grf_run.mot")
    matched = seconds(lambda: my.reproduce(model, motion, forces))
    scheme = my.RK4(step=0.01)
    shot = _processor(lambda: my.reproduce(model, motion, forces, by=my.Shooting(), scheme=scheme))
    judged = _processor(lambda: my.validity(model, motion, forces))
    beyond = _beyond_marching()
    return [
        below("a stride of 0.8 s reproduced by matched velocities", matched, "s", 0.1),
        against(
            "the same by shooting, RK4, processor time",
            shot,
            FIRST_TRIED,
            "shooting as first tried, force by force",
            20,
        ),
        below("0.8 s of the 12-segment runner beyond its marching, processor time", beyond, "s", 0.003),
        figure("its validity: four forward simulations, processor time", judged, "s"),
    ]
