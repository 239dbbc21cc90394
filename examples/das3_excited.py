"""The Dynamic Arm Simulator, all muscles excited: how far off are steps of a few milliseconds? Run it with

    python examples/das3_excited.py das3.json [PICTURE.png]

Section 3.2 of van den Bogert, Blana and Heinrich (2011): from the passive equilibrium, the excitation of all muscles
rises to one within 0.2 s, stays until 2.0 s, and is zero until 4.0 s. The script compares fixed steps of the Rosenbrock
scheme with an error-controlled run, and draws the paper's figures 5a (angles) and 5b (error against step). The numbers
of the arm must be supplied; see docs/guide/das3.md.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import myodyne as my

Floats = NDArray[np.float64]
DURATION, EVERY = 4.0, 0.012
STEPS = (0.0005, 0.001, 0.0015, 0.002, 0.003, 0.004, 0.006)
ACCURATE = my.Rosenbrock(relative=1e-6, absolute=1e-6)
ANGLES = ("SC_y", "SC_z", "SC_x", "AC_y", "AC_z", "AC_x", "GH_y", "GH_z", "GH_yy", "EL_x", "PS_y")


def excitation() -> my.Signal:
    """Return the course of all excitations."""
    return my.piecewise_linear([0.0, 0.2, 2.0, 2.001, DURATION], [0.0, 1.0, 1.0, 0.0, 0.0])


def excited(model: my.Model, start: dict[str, float], scheme: my.Rosenbrock) -> my.Result:
    """Return the four seconds by a scheme, sampled every 12 ms."""
    controls: dict[str, float | my.Signal] = dict.fromkeys(model.muscles, excitation())
    return my.simulate(model, DURATION, start=start, controls=controls, scheme=scheme, every=EVERY)


def angles(run: my.Result) -> Floats:
    """Return the eleven angles (degrees), a row for each sample."""
    return np.degrees(np.stack([run.values(name) for name in ANGLES], axis=1))


def error(run: my.Result, accurate: my.Result) -> float:
    """Return the root mean square (degrees) of the difference over all angles and samples."""
    return float(np.sqrt(np.mean((angles(run) - angles(accurate)) ** 2)))


def main() -> None:
    """Print the table, and draw the figures."""
    if len(sys.argv) < 2:
        print(__doc__)
        return
    model = my.load_model(sys.argv[1])
    start = dict(my.equilibrium(model).items())
    accurate = excited(model, start, ACCURATE)
    print(f"error-controlled: {accurate.report.steps} steps")
    print(f"{'step (ms)':>10}{'RMS error (deg)':>17}{'of real time':>14}")
    found = {}
    for step in STEPS:
        began = time.process_time()
        run = excited(model, start, my.Rosenbrock(step=step))
        spent = (time.process_time() - began) / DURATION
        ended = run.report.status == "completed"
        found[step] = error(run, accurate) if ended else np.nan
        print(f"{1000 * step:10.1f}{found[step]:17.3f}{spent:14.3f}" + ("" if ended else f"  {run.report.status}"))
    if len(sys.argv) > 2:
        draw(accurate, found, Path(sys.argv[2]))


def draw(accurate: my.Result, found: dict[float, float], file: Path) -> None:
    """Draw angles over time, and errors over steps."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(accurate.time, angles(accurate), label=ANGLES)
    left.set(xlabel="time (s)", ylabel="angle (°)")
    left.legend(fontsize=6, ncols=6, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    right.loglog([1000 * step for step in found], list(found.values()), "o-")
    right.minorticks_off()
    right.set_xticks([0.5, 1, 2, 3, 6], ["0.5", "1", "2", "3", "6"])
    right.set_yticks([0.02, 0.05, 0.1, 0.2, 0.5], ["0.02", "0.05", "0.1", "0.2", "0.5"])
    right.minorticks_off()
    right.set(xlabel="step (ms)", ylabel="RMS error of the angles (°)")
    right.grid(alpha=0.3, which="both")
    figure.savefig(file, dpi=120)


if __name__ == "__main__":
    main()
