"""The walk of the planar model that follows data."""

import numpy as np
import pytest

import myodyne as my
from myodyne.optimise.replay import audited
from myodyne.optimise.transcription.program import Program
from support.replays import straying

SETTINGS = my.Settings(tolerance=1e-4)


@pytest.fixture(scope="module")
def walk() -> my.Solution:
    problem = my.load_problem("gait2d_tracking")
    assert isinstance(problem, my.Problem)
    return my.solve(problem, nodes=[41], settings=SETTINGS, audit=False)


@pytest.mark.long
def test_002_15_to_002_16_a_walk_follows_the_data(walk: my.Solution) -> None:
    """Angles and ground forces are within a standard deviation on average, with little effort."""
    optimum = walk.report.optimum
    assert optimum is not None
    assert walk.report.status == "completed"
    assert optimum.parts["track"] < 1.0
    assert optimum.objective < 2.5
    assert optimum.largest_violation < 1e-4
    travelled = walk.values("com.position_x")[-1] - walk.values("com.position_x")[0]
    assert travelled / 1.1396 == pytest.approx(1.325, abs=1e-4)
    for name in walk.names:
        if name.endswith((".speed", "_knee", "_hip", "_ankle", ".activation")):
            assert walk.values(name)[-1] == pytest.approx(walk.values(name)[0], abs=1e-3), name


@pytest.mark.long
def test_the_ground_carries_the_body(walk: my.Solution) -> None:
    """Over a cycle the mean vertical force, where the equations hold, is the weight, whatever the muscles do."""
    eq = my.equations_of(my.load_model("gait2d"))
    states = np.column_stack([walk.values(name) for name in eq.motion])
    excitations = np.column_stack([walk.values(f"{name}.excitation") for name in eq.controls])
    middle, slopes = (states[1:] + states[:-1]) / 2, np.diff(states, axis=0) / np.diff(walk.time)[:, None]
    outputs = eq.output_values(middle, slopes, (excitations[1:] + excitations[:-1]) / 2)
    contacts = [f"{side}_{place}.force_y" for side in ("right", "left") for place in ("heel", "toe")]
    force = outputs[:, [eq.outputs.index(name) for name in contacts]].sum(axis=1)
    assert force.mean() == pytest.approx(75.0 * 9.81, rel=0.01)


@pytest.mark.long
def test_another_weight_starts_warm(walk: my.Solution) -> None:
    problem = walk.problem
    assert isinstance(problem, my.Problem)
    again = my.solve(problem.with_weights(effort=102.0), nodes=[41], guess=walk, settings=SETTINGS, audit=False)
    before, after = walk.report.optimum, again.report.optimum
    assert before is not None
    assert after is not None
    assert after.iterations < before.iterations / 2
    assert after.objective == pytest.approx(before.objective, rel=0.05)


@pytest.fixture(scope="module")
def finer(walk: my.Solution) -> my.Solution:
    return my.solve(walk.problem, my.Radau(degree=3), nodes=[41], guess=walk, settings=my.Settings(tolerance=1e-3))


@pytest.mark.long
def test_a_higher_order_follows_the_foot_to_the_ground(walk: my.Solution, finer: my.Solution) -> None:
    """The mesh errs most in the ankle's speed where a forefoot slaps down, and much less with Radau's points."""
    optimum = finer.report.optimum
    coarse = audited(walk, Program(walk.problem, walk.scheme, list(walk.meshes))).report.optimum
    assert optimum is not None
    assert coarse is not None
    worst = coarse.mesh_worst[0]
    side = worst.name.partition("_")[0]
    assert worst.name == f"{side}_ankle.speed"
    toe = walk.values(f"{side}_toe_tip.position_y")
    at = int(np.argmin(abs(walk.time - worst.time)))
    assert toe[at - 1 : at + 2].min() < 0.01
    assert optimum.mesh_error is not None
    assert optimum.mesh_error < 0.5 * worst.size
    # The walk itself is the same to a tenth.
    assert optimum.objective == pytest.approx(coarse.objective, rel=0.1)


@pytest.mark.long
def test_a_walk_is_replayed_to_what_mesh_errors_become(finer: my.Solution) -> None:
    """From flat foot on, over a fifth of the cycle: a simulation strays as the errors of intervals say, to a tenth."""
    first = int(np.searchsorted(finer.time, 0.13))
    strayed, predicted = straying(finer, first, 8)
    coordinates = len(my.load_model("gait2d").coordinates)
    assert abs(strayed[:coordinates]).max() < 0.01
    assert abs(strayed - predicted)[:coordinates].max() < 0.1 * abs(predicted[:coordinates]).max()
