"""Replay: runs and optima come back from what their results keep, in memory and in files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray

import myodyne as my

ENDINGS = (".nc", ".sto", ".csv")


def saved(result: my.Result, folder: Path, ending: str = ".nc") -> my.Result:
    """Return a result from the file that it was saved in."""
    my.save(result, folder / f"result{ending}")
    found = my.load(folder / f"result{ending}")
    assert isinstance(found, my.Result)
    return found


def swinging() -> my.Result:
    """Return a driven double pendulum."""
    model = my.load_model("planar_arm")
    muscles = list(model.muscles)
    controls = {
        muscles[0]: my.bezier([0.1, 0.9, 0.2, 0.1], 0.0, 0.3),
        muscles[1]: my.piecewise_constant([0.0, 0.11, 0.2], [0.1, 0.6, 0.0]),
        muscles[2]: 0.2,
    }
    return my.simulate(model, 0.3, start={model.moving[0]: 0.4}, controls=controls)


@pytest.mark.parametrize("ending", [None, *ENDINGS])
def test_a_run_with_muscles_comes_back_bit_for_bit(ending: str | None, tmp_path: Path) -> None:
    run = swinging()
    kept = run if ending is None else saved(run, tmp_path, ending)
    assert kept.recipe == run.recipe
    again = my.replay(kept)
    assert again.trajectory == run.trajectory
    assert (again.report.steps, again.report.evaluations) == (run.report.steps, run.report.evaluations)
    assert again.recipe == run.recipe


@pytest.mark.parametrize(
    "scheme",
    [
        my.Euler(step=0.001),
        my.RK4(step=0.003),
        my.Midpoint(step=0.002),
        my.TRBDF2(),
        my.Rosenbrock(step=0.003),
        my.RKF45(relative=1e-6, largest_step=0.05),
        my.BDF(),
        my.BackwardEuler(step=0.01),
        my.Radau(degree=3, step=0.01),
        my.Projected(my.DOP853()),
    ],
    ids=repr,
)
def test_every_scheme_comes_back_with_its_settings(scheme: Any, tmp_path: Path) -> None:
    run = my.simulate(my.load_model("double_pendulum"), 0.4, scheme=scheme, every=0.013)
    kept = saved(run, tmp_path)
    assert kept.recipe is not None
    assert kept.recipe.scheme == scheme
    assert my.replay(kept).trajectory == run.trajectory


def test_a_closed_loop_comes_back_from_a_start_by_hand_and_from_another_run(tmp_path: Path) -> None:
    """Constraints move a start onto them: which states were given by hand is kept, and so is how they moved."""
    model = my.load_model("four_bar")
    first = my.simulate(model, 0.2, start={model.moving[0]: model.coordinates[model.moving[0]].default + 0.05})
    assert my.replay(saved(first, tmp_path)).trajectory == first.trajectory
    second = my.simulate(model, 0.2, start=first.trajectory)
    assert my.replay(saved(second, tmp_path)).trajectory == second.trajectory


def test_a_run_that_an_event_ends_comes_back_with_its_event(tmp_path: Path) -> None:
    event = my.crosses("angle", 0.1)
    run = my.simulate(my.load_model("pendulum"), 5.0, start={"angle": 0.5}, until=event)
    again = my.replay(saved(run, tmp_path))
    assert again.trajectory == run.trajectory
    assert again.report.events == run.report.events
    assert again.report.status == "stopped by event"


def test_what_a_result_cannot_keep_is_named(tmp_path: Path) -> None:
    ball = my.Model(
        name="ball",
        bodies={"ball": my.Body(mass=1.0)},
        joints={"fall": my.slider("ground", "ball", "height", axis="y", default=1.0)},
    )
    bounce = my.Switch(my.falls_through_zero("height"), to=ball, carry=lambda before: {"height.speed": 1.0})
    run = saved(my.simulate(ball, 0.6, until=bounce), tmp_path)
    with pytest.raises(my.ModelError, match="the switch to 'ball' took part, which a result cannot keep"):
        my.replay(run)


def test_a_run_with_a_control_law_comes_back_and_one_with_a_controller_in_python_is_refused(tmp_path: Path) -> None:
    rod = my.load_model("pendulum").with_parts(forces={"motor": my.CoordinateActuator(coordinate="angle")})
    hold = my.Feedback(
        lambda at: {"motor": at["k"] * (1.0 - at["angle"]) - at.time * at["angle.speed"]}, gains={"k": 9}
    )
    run = my.simulate(rod, 0.5, from_time=0.3, feedback=hold)
    assert my.replay(saved(run, tmp_path)).trajectory == run.trajectory
    damped = my.simulate(rod, 0.1, feedback=my.Sampled(lambda at: {"motor": -at["angle.speed"]}, period=0.01))
    with pytest.raises(my.ModelError, match="a controller in Python took part, which a result cannot keep"):
        my.replay(saved(damped, tmp_path))


def test_a_run_that_begins_later_comes_back_at_its_time(tmp_path: Path) -> None:
    model = my.load_model("pendulum")
    whole = my.simulate(model, 0.4, start={"angle": 0.3}, from_time=1.5)
    assert whole.time[0] == 1.5
    assert my.replay(saved(whole, tmp_path)).trajectory == whole.trajectory
    later = my.simulate(model, 0.4, start=whole, scheme=my.RK4(step=0.01))
    assert my.replay(saved(later, tmp_path)).trajectory.time[0] == later.time[0] == 1.9


def test_results_without_a_start_say_so(tmp_path: Path) -> None:
    model = my.load_model("pendulum")
    time = np.linspace(0.0, 1.0, 20)
    torque = my.inverse_dynamics(model, my.Trajectory(time, {"angle": 0.1 * np.sin(time)}, {"angle": "rad"}))
    with pytest.raises(my.ModelError, match="keeps no start and controls"):
        my.replay(torque)
    with pytest.raises(my.ModelError, match="replay takes a result"):
        my.replay(torque.trajectory)  # type: ignore[arg-type]


def test_files_of_earlier_versions_still_load(tmp_path: Path) -> None:
    run = my.simulate(my.load_model("pendulum"), 0.1)
    for ending in (".nc", ".sto"):
        my.save(run, tmp_path / f"run{ending}")
    with xarray.load_dataset(tmp_path / "run.nc", engine="scipy", decode_cf=False) as held:
        old = held.copy()
    del old.attrs["myodyne_recipe"]
    old.to_netcdf(tmp_path / "old.nc", engine="scipy", format="NETCDF3_64BIT")
    lines = (tmp_path / "run.sto").read_text().splitlines(keepends=True)
    (tmp_path / "old.sto").write_text("".join(line for line in lines if not line.startswith("myodyne_recipe")))
    for ending in (".nc", ".sto"):
        found = my.load(tmp_path / f"old{ending}")
        assert isinstance(found, my.Result)
        assert found.recipe is None
        assert found.trajectory == run.trajectory


@pytest.mark.parametrize(
    "change, message",
    [
        ({"scheme": {"kind": "RK5"}}, "unknown scheme 'RK5'"),
        ({"scheme": {"kind": "RK4", "step": -1.0}}, "step must be a positive number"),
        ({"scheme": {"kind": "RK4", "stepp": 1.0}}, "unknown field 'stepp'"),
        ({"scheme": None}, "a kind and its numbers are expected"),
        ({"start": {"angle": "x"}}, "recipe.start.angle: a number is expected"),
        ({"controls": {"motor": {"kind": "bezir"}}}, "recipe.controls.motor: .*did you mean 'bezier'"),
        ({"controls": []}, "signals by name are expected"),
        ({"until": [["angle"]]}, "an event is an output, a direction and a level"),
        ({"lacks": [1]}, "a list of texts is expected"),
        ({"durations": 1.0}, "did you mean 'duration'"),
    ],
)
def test_damaged_recipes_are_refused_by_name(change: dict[str, Any], message: str) -> None:
    recipe = my.simulate(my.load_model("pendulum"), 0.1).recipe
    assert recipe is not None
    data = json.loads(json.dumps(recipe.to_dict())) | change
    with pytest.raises(my.MyodyneError, match=message):
        my.Recipe.from_dict(data)


# ---- optima -------------------------------------------------------------------------------------------------


def swing_up(**further: Any) -> my.Problem:
    """Return a pendulum that a motor lifts with the least effort."""
    bob = my.load_model("pendulum")
    motor = my.CoordinateActuator(coordinate="angle", gain=20.0, control_range=(-1.0, 1.0))
    arm = my.Model(name="arm", bodies=bob.bodies, joints=bob.joints, forces={"motor": motor})
    ends = [my.Start({"angle": 0.0, "angle.speed": 0.0}), my.End({"angle": 1.0, "angle.speed": 0.0})]
    goals = further.pop("goals", [my.Effort(of="torques")])
    return my.Problem(arm, name="swing_up", duration=0.8, goals=goals, conditions=ends, **further)


@pytest.mark.parametrize("scheme", [my.Midpoint(), my.HermiteSimpson(), my.Radau(degree=3)], ids=repr)
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_saved_optimum_replays_as_the_fresh_one(scheme: Any, ending: str, tmp_path: Path) -> None:
    """The polynomials of the controls are kept; from node values alone the replay would leave the movement."""
    found = my.solve(swing_up(), scheme, nodes=9)
    kept = saved(found, tmp_path, ending)
    assert my.replay(kept).trajectory == my.replay(found).trajectory
    assert isinstance(kept, my.Solution) == (ending == ".nc")
    if isinstance(scheme, my.Radau):
        assert my.replay(kept).final["angle"] == pytest.approx(1.0, abs=1e-4)
        nodes = my.recorded(kept, "motor.control")
        again = my.simulate(found.model, 0.8, start={"angle": 0.0}, controls={"motor": nodes})
        assert abs(again.final["angle"] - 1.0) > 1e-4


def test_a_loaded_optimum_is_as_good_as_a_fresh_one(tmp_path: Path) -> None:
    found = my.solve(swing_up(), my.Midpoint(), nodes=9)
    kept = saved(found, tmp_path)
    assert isinstance(kept, my.Solution)
    assert kept == found
    assert (kept.problem, kept.model, kept.scheme) == (found.problem, found.model, found.scheme)
    assert my.goal_terms(kept) == my.goal_terms(found)
    fine, expected = (my.refine(one, error=1e-3) for one in (kept, found))
    assert len(fine.meshes[0]) == len(expected.meshes[0]) > 9
    np.testing.assert_array_equal(fine.iterate.unknowns, expected.iterate.unknowns)
    warm, expected = (my.solve(swing_up(), my.Midpoint(), nodes=9, guess=one) for one in (kept, found))
    np.testing.assert_array_equal(warm.iterate.rows, expected.iterate.rows)
    assert warm.report.optimum is not None
    assert expected.report.optimum is not None
    assert warm.report.optimum.iterations == expected.report.optimum.iterations


def test_an_optimised_number_is_in_the_model_that_is_replayed(tmp_path: Path) -> None:
    problem = swing_up(parameters={"motor.gain": (10.0, 30.0)})
    found = my.solve(problem, my.Radau(degree=3), nodes=7)
    kept = saved(found, tmp_path)
    assert isinstance(kept, my.Solution)
    assert kept.model == found.model
    assert my.replay(kept).final["angle"] == pytest.approx(1.0, abs=1e-3)


def test_an_optimum_with_functions_replays_but_cannot_be_refined(tmp_path: Path) -> None:
    goal = my.Custom(mean=lambda at: at["motor.control"] ** 2)
    found = my.solve(swing_up(goals=[goal]), my.Radau(degree=3), nodes=7)
    kept = saved(found, tmp_path)
    assert my.replay(kept).trajectory == my.replay(found).trajectory
    for refused in (my.refine, my.goal_terms):
        with pytest.raises(my.ModelError, match=r"not <Result.*unless its problem has Python functions"):
            refused(kept)  # type: ignore[operator]


@pytest.mark.parametrize(
    "change, message",
    [
        ({"kind": "Tree"}, "Problem or Phases is expected"),
        ({"unknowns": "!!"}, "solution.unknowns: is not a list of packed numbers"),
        ({"meshes": []}, "1 lists of increasing numbers are expected"),
        ({"problem": {"name": "x"}}, "its problem cannot be read"),
        ({"lower": ""}, "differ in number"),
        ({"mesh": ""}, "unknown field 'mesh': did you mean 'meshes'"),
    ],
)
def test_damaged_optima_are_refused_by_name(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    found = my.solve(swing_up(), my.Midpoint(), nodes=5, audit=False)
    my.save(found, tmp_path / "found.nc")
    held = xarray.load_dataset(tmp_path / "found.nc", engine="scipy", decode_cf=False)
    held.attrs["myodyne_solution"] = json.dumps(json.loads(held.attrs["myodyne_solution"]) | change)
    held.to_netcdf(tmp_path / "bad.nc", engine="scipy", format="NETCDF3_64BIT")
    with pytest.raises(my.FileError, match=message):
        my.load(tmp_path / "bad.nc")


def test_an_optimum_of_other_unknowns_is_refused(tmp_path: Path) -> None:
    found = my.solve(swing_up(), my.Midpoint(), nodes=5, audit=False)
    other = my.Solution(found, found.problem, my.Radau(degree=3), found.meshes, found.iterate)
    for use in (my.refine, my.goal_terms):
        with pytest.raises(my.ModelError, match="another version solved it, or its file is damaged"):
            use(saved(other, tmp_path))  # type: ignore[operator]


@pytest.mark.long
def test_a_saved_walk_replays_as_the_fresh_one(tmp_path: Path) -> None:
    """A walk is unstable: the smallest difference of its controls would show."""
    walk = my.solve(my.load_problem("gait2d_tracking"), nodes=25)
    kept = saved(walk, tmp_path)
    assert my.replay(kept).trajectory == my.replay(walk).trajectory
