"""The highest squat jump by onset times, sought by six methods. Run it with

    python examples/jump_onsets.py [evaluations]

Wong, Bobbert, van Soest, Gribble and Kistemaker (2016) let six muscles of a jumper switch from the excitations that
hold the crouch to full excitation, and sought the instants at which the jump is highest: 1.4345 m. This script seeks
them again, on the same body (``jumper``), by methods that know nothing about jumping. Collocation, which may choose any
excitations, reaches 1.4366 m (problem ``jump_height``).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

import myodyne as my

PUBLISHED = 1.43453  # m
GRAVITY = 9.81  # m/s²
LATEST = 0.25  # s


def flight_height(run: my.Result) -> float:
    """Return the height (m) of the centre of mass at the apex of the flight."""
    if run.report.status != "stopped by event":
        raise ValueError("the toes never left the ground")
    return float(run.final["com.position_y"] + run.final["com.velocity_y"] ** 2 / (2 * GRAVITY))


def jump_study() -> my.Study:
    """Return the study: six onsets (s), and the height that follows from them."""
    jumper = my.load_model("jumper")
    timing = my.Onsets({name: muscle.default_activation for name, muscle in jumper.muscles.items()})
    return my.Study(
        jumper,
        vary=dict.fromkeys(timing.names, (0.0, LATEST)),
        measure=flight_height,
        duration=0.8,
        controls=timing,
        # Half the cost of error-controlled steps, but steps do not stop at onsets: heights are off by some 0.01 mm near
        # the optimum, by up to a millimetre elsewhere, and by 54 mm at one poor timing of ten that were tried. So the
        # best timing is simulated again below.
        scheme=my.RK4(step=1e-3),
        until=my.falls_through_zero("stance.force_y"),
    )


def jump(onsets: Mapping[str, float]) -> my.Result:
    """Return the jump with some onsets (s), by error-controlled steps that stop at each onset."""
    study = jump_study()
    assert isinstance(study.controls, my.Onsets)
    controls = study.controls.controls(onsets)
    return my.simulate(study.model, 0.8, controls=controls, until=my.falls_through_zero("stance.force_y"))


METHODS = (
    my.CMA(seed=1),
    my.DifferentialEvolution(seed=1),
    my.Genetic(seed=1),
    my.Annealing(seed=1),
    my.DualAnnealing(seed=1),
    my.MultiStart(seed=1),
)


def main(evaluations: int = 1000) -> None:
    """Print the best height of each method, and after how many evaluations it was within 0.5 % of the published one."""
    study = jump_study()
    for method in METHODS:
        found = my.search(study, method, maximise="flight_height", evaluations=evaluations)
        checked = flight_height(jump(found.best))
        within = (found.history >= 0.995 * PUBLISHED).nonzero()[0]
        reached = f"within 0.5 % after {within[0] + 1}" if len(within) else "not within 0.5 %"
        heights = f"{found.value:8.5f} m, with error control {checked:.5f} m"
        print(f"{type(method).__name__:<22}{heights}, {reached} of {found.evaluations}", flush=True)
        print("   " + ", ".join(f"{name} {value:.3f}" for name, value in found.best.items()), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
