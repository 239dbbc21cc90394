"""Walking and running of gait2d without data: what enters the problems, and how human what comes out is."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import myodyne as my
from myodyne.optimise.builtin.predicted import gait2d_predictive, gait2d_running
from support.shared import needs

Floats = NDArray[np.float64]
RUNNERS = Path(__file__).parents[3] / "shared" / "data" / "running"
PERCENT = np.arange(100.0)


def from_start(half: my.Solution) -> dict[str, Floats]:
    """Return a right leg's angles (°) and ground forces (body weights) from the start on, in per cent of the cycle."""
    time = (half.time - half.time[0]) / np.ptp(half.time)
    both = 50 * np.append(time, 1 + time[1:])

    def whole(name: str) -> Floats:
        return np.interp(PERCENT, both, np.append(half.values(f"right_{name}"), half.values(f"left_{name}")[1:]))

    weight = 75.0 * 9.81
    found = {name: np.degrees(whole(name)) for name in ("hip", "knee", "ankle")}
    return found | {axis: (whole(f"heel.force_{axis}") + whole(f"toe.force_{axis}")) / weight for axis in "xy"}


def cycle(half: my.Solution) -> dict[str, Floats]:
    """Return the same from heel strike on."""
    found = from_start(half)
    loaded = found["y"] > 0.03
    strike = int(np.flatnonzero(loaded & ~np.roll(loaded, 1))[0])
    return {name: np.roll(values, -strike) for name, values in found.items()}


def agreement(found: dict[str, Floats], norm: dict[str, Floats]) -> dict[str, float]:
    return {name: float(np.corrcoef(found[name], norm[name])[0, 1]) for name in norm}


def winter() -> dict[str, Floats]:
    mean = my.winter_gait().mean
    columns = {name: f"right_{name}" for name in ("hip", "knee", "ankle")}
    columns |= {axis: f"right_ground_force_{axis}" for axis in "xy"}
    percent = np.linspace(0.0, 100.0, len(mean.time), endpoint=False)
    return {name: np.interp(PERCENT, percent, mean.values(column), period=100.0) for name, column in columns.items()}


def runners() -> dict[str, Floats]:
    """Return the means of three runners at 3.5 m/s (Fukuchi et al. 2017): half a cycle of each leg."""
    rows: dict[str, list[Floats]] = {}
    for file in sorted(RUNNERS.glob("RBDS00*runT35.csv")):
        with file.open(encoding="utf-8") as text:
            for name, _, _, kind, *values in csv.reader(text):
                if kind == "mean":
                    rows.setdefault(name, []).append(np.array(values, dtype=float))
    means = {name: np.mean(values, axis=0) for name, values in rows.items()}
    columns = {"hip": "hip_flexion", "knee": "knee_angle", "y": "GRF_y"}
    return {name: np.append(means[f"{column}_r"], means[f"{column}_l"]) for name, column in columns.items()}


def test_nothing_recorded_enters() -> None:
    for problem in (gait2d_predictive(), gait2d_running()):
        assert not any(isinstance(goal, my.Track) for goal in problem.goals)
        assert problem.motion is None
        assert len(problem.starts) == 7
        assert problem.accuracy == 0.02


def test_the_heel_strike_is_an_option() -> None:
    kinds = [[condition.kind for condition in gait2d_predictive(heel_strike=on).conditions] for on in (True, False)]
    assert kinds == [["periodic", "average_speed", "bounds", "start"], ["periodic", "average_speed", "bounds"]]


def test_the_run_has_the_goals_of_the_walk_and_a_cost_of_passive_moments() -> None:
    *common, last = gait2d_running().goals
    assert tuple(common) == gait2d_predictive().goals
    assert isinstance(last, my.PassiveLoad)
    assert (last.name, last.weight, last.scale) == ("passive moments", 0.3, 100.0)


def test_names_are_those_of_gait2d() -> None:
    model, own = gait2d_predictive().model, my.load_model("gait2d")
    assert tuple(model.coordinates) == tuple(own.coordinates)
    assert tuple(model.muscles) == tuple(own.muscles)
    assert {name for name in model.forces if name not in own.forces} == {
        f"{side}_{joint}_passive" for side in ("right", "left") for joint in ("hip", "knee", "ankle")
    }


def test_easier_problems_change_what_exists() -> None:
    """Names of a continuation that are no goals are free numbers of the model."""
    for problem in (gait2d_predictive(), gait2d_running()):
        goals = {goal.name for goal in problem.goals}
        changed = {name for step in problem.continuation for name in step}
        assert changed - goals <= set(problem.free_model.free_values)
        assert changed & goals == {"accelerations", "impact"}


def test_starts_are_compared_on_a_coarse_mesh() -> None:
    for problem in (gait2d_predictive(), gait2d_running()):
        assert problem.screening == my.Screening()


def test_starts_differ() -> None:
    durations = {round(float(np.ptp(start.time)), 6) for start in gait2d_predictive().starts}
    assert len(durations) == 7


@pytest.fixture(scope="module")
def walk() -> my.Solution:
    """The walk from the sketch of a step and one random start, its mesh refined."""
    return my.solve(gait2d_predictive(starts=2))


@pytest.mark.long
def test_the_walk_is_human(walk: my.Solution) -> None:
    found = cycle(walk)
    close = agreement(found, winter())
    assert close["hip"] > 0.95
    assert close["knee"] > 0.95
    assert close["ankle"] > 0.85
    assert close["y"] > 0.95
    assert close["x"] > 0.9
    assert found["y"].max() < 1.3
    assert 0.58 <= np.mean(found["y"] > 0.03) <= 0.64
    stance = found["y"][:60]
    valley = stance[20:40].min()
    assert stance[:20].max() > 1.1 * valley
    assert stance[40:].max() > 1.1 * valley
    # Heel first: the force at the start of stance is the heel's.
    assert walk.values("right_heel.force_y")[1] > 10 * walk.values("right_toe.force_y")[1]


@pytest.mark.long
def test_the_walk_is_audited(walk: my.Solution) -> None:
    optimum = walk.report.optimum
    assert optimum is not None
    assert optimum.mesh_error is not None
    assert optimum.mesh_error <= 0.02
    assert walk.report.notes[-1].startswith("trust it")


@pytest.mark.long
def test_the_walk_is_the_same_on_a_mesh_twice_as_fine(walk: my.Solution) -> None:
    nodes = 2 * len(walk.meshes[0]) - 1
    fine = my.solve(walk.problem, nodes=[nodes], guess=walk, audit=False)
    # Both start where the heel comes down; the first loaded per cent would differ by one, and the knee by 2° with it.
    one, other = from_start(walk), from_start(fine)
    for joint in ("hip", "knee", "ankle"):
        assert np.sqrt(np.mean((one[joint] - other[joint]) ** 2)) < 2.0
    assert other["y"].max() == pytest.approx(one["y"].max(), rel=0.05)


@pytest.mark.long
@needs(RUNNERS, "the recorded runners are not beside the project")
def test_the_run_is_human() -> None:
    """The best of its starts, on the mesh of the search: flight, one hump of 2 to 3 body weights, curves of runners."""
    run = my.solve(gait2d_running(), nodes=[21], audit=False)
    found = cycle(run)
    close = agreement(found, runners())
    assert close["hip"] > 0.9
    assert close["knee"] > 0.9
    assert close["y"] > 0.95
    assert 2.0 < found["y"].max() < 3.0
    assert np.mean(found["y"] > 0.03) < 0.4
    assert np.min(found["y"] + np.roll(found["y"], 50)) < 0.02
