"""The library of movements: small files that load in one line and run again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import myodyne as my

EVERY = my.builtin_movements()


def test_there_are_movements_of_several_kinds() -> None:
    assert {"cycle", "jump", "reach", "walk"} <= set(EVERY)


@pytest.mark.parametrize("name", EVERY)
def test_a_movement_runs_and_follows_what_it_comes_from(name: str) -> None:
    movement = my.load_movement(name)
    assert movement.name == name
    assert movement.source
    assert movement.summary
    run = movement.run()
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
    assert file.stat().st_size < 100_000
    assert my.load_movement(file) == movement


def test_the_jump_flies_as_high_as_its_optimum() -> None:
    """From take-off on it is a ballistic flight: the height of the centre of mass and v²/2g."""
    run = my.load_movement("jump").run()
    height = run.final["com.position_y"] + run.final["com.velocity_y"] ** 2 / (2 * 9.81)
    assert height == pytest.approx(1.4366, abs=0.005)


def test_the_walk_advances_and_comes_back_to_its_start() -> None:
    walk = my.load_movement("walk")
    run = walk.run()
    first, last = {name: float(run.values(name)[0]) for name in walk.model.moving}, run.final
    for name in walk.model.moving:
        if name != "pelvis_x":
            assert last[name] == pytest.approx(first[name], abs=1e-3)
    assert 1.0 < (last["pelvis_x"] - first["pelvis_x"]) / walk.duration < 1.6


def test_the_reach_goes_from_rest_to_rest_like_people_s() -> None:
    """Morasso 1981: nearly straight paths, one bell of speed. Flash and Hogan 1985: its peak is 1.875 times the mean."""
    reach = my.load_movement("reach")
    run = reach.run()
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
    run = my.load_movement("reach").run()
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
