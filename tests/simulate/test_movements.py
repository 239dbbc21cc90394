"""The library of movements: small files that load in one line and run again."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import myodyne as my

EVERY = my.builtin_movements()


@cache
def run_of(name: str) -> my.Result:
    """Return the run of a built-in movement, once for all tests."""
    return my.load_movement(name).run()


def test_there_are_movements_of_several_kinds() -> None:
    assert {"cycle", "hop", "jump", "reach", "run", "stand_up", "walk"} <= set(EVERY)


@pytest.mark.parametrize("name", EVERY)
def test_a_movement_runs_and_follows_what_it_comes_from(name: str) -> None:
    movement = my.load_movement(name)
    assert movement.name == name
    assert movement.source
    assert movement.summary
    run = run_of(name)
    assert run.report.status == "completed"
    assert run.time[-1] - run.time[0] == pytest.approx(movement.duration)
    assert my.replay(run).trajectory == run.trajectory
    if movement.follows is None:
        return
    target, until = movement.follows, movement.follows_until
    assert until == pytest.approx(movement.duration, rel=1e-6)
    times = run.time - run.time[0]
    for column in target.names:
        wanted = np.interp(target.time - target.time[0], times, run.values(column))
        range_of_motion = max(float(np.ptp(target.values(column))), 0.05)
        # Between its samples a run is read along straight lines here, hence twice the hundredth that it promises.
        assert np.abs(wanted - target.values(column)).max() < 0.02 * range_of_motion


@pytest.mark.parametrize("name", EVERY)
def test_a_movement_is_a_small_file_that_comes_back_equal(name: str, tmp_path: Path) -> None:
    movement = my.load_movement(name)
    file = tmp_path / "again.json"
    my.save_movement(movement, file)
    assert file.stat().st_size < 120_000
    assert my.load_movement(file) == movement


def test_the_jump_flies_as_high_as_its_optimum() -> None:
    """From take-off on it is a ballistic flight: the height of the centre of mass and v²/2g."""
    run = run_of("jump")
    height = run.final["com.position_y"] + run.final["com.velocity_y"] ** 2 / (2 * 9.81)
    assert height == pytest.approx(1.4366, abs=0.005)


def test_the_walk_advances_and_comes_back_to_its_start() -> None:
    walk = my.load_movement("walk")
    run = run_of("walk")
    first, last = {name: float(run.values(name)[0]) for name in walk.model.moving}, run.final
    for name in walk.model.moving:
        if name != "pelvis_x":
            assert last[name] == pytest.approx(first[name], abs=1e-3)
    assert 1.0 < (last["pelvis_x"] - first["pelvis_x"]) / walk.duration < 1.6


def feet(run: my.Result, weight: float) -> list[np.ndarray]:
    """Return the vertical force on each foot in body weights."""
    return [
        sum(run.values(f"{side}_{part}.force_y") for part in ("heel", "toe")) / weight for side in ("right", "left")
    ]


def test_walking_has_two_humps_and_no_flight_and_running_has_one_and_flight() -> None:
    gaits = {name: my.load_movement(name) for name in ("walk", "run")}
    forces = {name: feet(run_of(name), 9.81 * gait.model.mass) for name, gait in gaits.items()}
    assert (sum(forces["walk"]) > 0.3).all()
    right, left = forces["run"]
    assert 0.2 < np.mean((right < 0.03) & (left < 0.03)) < 0.4
    assert np.mean(right > 0.03) < 0.4
    assert 2.0 < right.max() < 3.0
    assert right.max() == pytest.approx(left.max(), rel=1e-4)
    walking = forces["walk"][0]
    middle = int(0.3 * len(walking))
    valley = walking[middle - 8 : middle + 8].min()
    assert min(walking[:middle].max(), walking[middle : 2 * middle].max()) > valley + 0.2
    assert walking.max() < 1.3


def test_the_run_advances_and_comes_back_to_its_start() -> None:
    movement, run = my.load_movement("run"), run_of("run")
    for name in movement.model.moving:
        if name != "pelvis_x":
            assert run.final[name] == pytest.approx(float(run.values(name)[0]), abs=1e-3)
    assert np.ptp(run.values("pelvis_x")) / movement.duration == pytest.approx(3.5, rel=1e-4)


def test_the_hops_go_on_under_their_law() -> None:
    """On average over whole hops the ground carries the weight; a law of other gains hops elsewhere."""
    hop = my.load_movement("hop")
    assert hop.feedback is not None
    run = run_of("hop")
    flying = run.values("foot_y") > 0.005
    landings = np.flatnonzero(flying[:-1] & ~flying[1:])
    assert len(landings) >= 9
    last = slice(landings[2], landings[-1] + 1)
    force = np.trapezoid(run.values("floor.force_y")[last], run.time[last]) / np.ptp(run.time[last])
    assert force == pytest.approx(hop.model.mass * 9.81, rel=0.05)
    forward = np.ptp(run.values("body.position_x")[last]) / np.ptp(run.time[last])
    # The gains are those of the hopper whose foot does not sink in.
    assert forward == pytest.approx(1.0, rel=0.1)
    assert np.abs(run.values("lean") + run.values("hip")).max() < my.degrees(10)
    lower = replace(hop, feedback=hop.feedback.with_gains(thrust=35.0)).run()
    assert lower.report.status == "completed"
    apex, lower_apex = (one.values("body.position_y")[-100:].max() for one in (run, lower))
    assert 0.75 < lower_apex < apex - 0.01


def test_standing_up_goes_from_rest_on_the_chair_to_rest_above_the_feet() -> None:
    """The trunk leans forwards first, the seat is left for good, the heels stay down, the end is in balance."""
    run = run_of("stand_up")
    weight = 9.81 * my.load_movement("stand_up").model.mass
    names = ("toe", "ankle", "knee", "hip")
    assert max(abs(run.values(f"{name}.speed")[row]) for name in names for row in (0, -1)) < 1e-2
    seat = run.values("seat.force_y")
    assert 0.5 < seat[0] / weight < 0.9
    left = int(np.argmax(seat < 0.01 * weight))
    assert 0.2 < run.time[left] < 0.6
    assert (seat[left:] < 0.01 * weight).all()
    assert run.values("hip")[:left].max() > run.values("hip")[0] + my.degrees(15)
    assert run.values("toe").min() > -1e-6
    assert run.final["com.position_y"] > 1.0
    heel, ball = -0.1995, 0.0
    assert heel < run.final["com.position_x"] < ball


def test_the_reach_goes_from_rest_to_rest_like_people_s() -> None:
    """Morasso 1981: nearly straight paths, one bell of speed. Flash and Hogan 1985: its peak is 1.875 times the mean."""
    reach = my.load_movement("reach")
    run = run_of("reach")
    hand = np.column_stack([run.values("hand.position_x"), run.values("hand.position_y")])
    speed = np.hypot(run.values("hand.velocity_x"), run.values("hand.velocity_y"))
    assert hand[[0, -1]] == pytest.approx(np.array([[-0.2, 0.35], [0.1, 0.5]]), abs=1e-4)
    assert max(speed[0], speed[-1]) < 1e-3
    peak = int(np.argmax(speed))
    assert (np.diff(speed[: peak + 1]) > -1e-6).all()
    assert (np.diff(speed[peak:]) < 1e-6).all()
    assert 0.4 < run.time[peak] / reach.duration < 0.6
    length = np.linalg.norm(hand[-1] - hand[0])
    assert speed[peak] / (length / reach.duration) == pytest.approx(1.875, rel=0.1)
    along = (hand[-1] - hand[0]) / length
    sideways = (hand - hand[0]) @ [-along[1], along[0]]
    assert np.abs(sideways).max() < 0.1 * length


def test_the_reach_ends_where_the_arm_can_stay() -> None:
    """The muscles have no moment at the end, so the joints neither speed up nor slow down."""
    run = run_of("reach")
    for name in ("shoulder", "elbow"):
        slope = np.gradient(run.values(f"{name}.speed"), run.time)
        assert abs(slope[-1]) < 0.05 * np.abs(slope).max()


def test_a_changed_curve_changes_the_movement() -> None:
    cycle = my.load_movement("cycle")
    weaker = {name: signal.scaled(0.9) for name, signal in cycle.controls.items()}
    run = my.simulate(cycle.model, 0.2, start=cycle.start, controls=weaker, scheme=cycle.scheme)
    assert abs(run.final["ankle"] - cycle.run().at(0.2)["ankle"]) > 1e-3


@pytest.mark.parametrize(
    "change, message",
    [
        ({"format": 2}, "update myodyne"),
        ({"model": []}, "movement.model: a table of fields is expected"),
        ({"recipe": {"start": {}}}, "recipe"),
        ({"model": {"name": "x", "bodes": {}}}, "bodes"),
        ({"follows": {"time": [0.0], "columns": 3, "units": {}}}, "columns by name are expected"),
        ({"feedback": 3}, "movement.feedback"),
        ({"nam": "x"}, "unknown field 'nam': did you mean 'name'"),
    ],
)
def test_damaged_movements_are_refused_by_name(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(my.load_movement("cycle").to_dict() | change))
    with pytest.raises(my.FileError, match=message):
        my.load_movement(file)


def test_what_is_no_movement_is_refused(tmp_path: Path) -> None:
    with pytest.raises(my.FileError, match="unknown movement 'jumpp': did you mean 'jump'"):
        my.load_movement("jumpp")
    with pytest.raises(my.FileError, match="cannot be read: No such file"):
        my.load_movement(tmp_path / "missing.json")
    (tmp_path / "cut.json").write_text('{"format": 1, "na')
    with pytest.raises(my.FileError, match=r"cut\.json"):
        my.load_movement(tmp_path / "cut.json")
    with pytest.raises(my.FileError, match=r"kept in \.json files"):
        my.save_movement(my.load_movement("cycle"), tmp_path / "cycle.yaml")
    with pytest.raises(my.ModelError, match="a movement comes from a result"):
        my.Movement.from_result(3, name="x", summary="", source="")  # type: ignore[arg-type]
