"""``myodyne demo``: a jump by muscles that obeys mechanics, a walk, and pictures of both."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import myodyne as my
from myodyne.cli import jump
from myodyne.cli.demo import measures

G = 9.81
MASS = my.load_model("jumper").mass


@pytest.fixture(scope="module")
def run() -> my.Result:
    return jump.jump()


def test_it_takes_off_and_reaches_the_apex(run: my.Result) -> None:
    assert run.report.status == "stopped by event"
    (take_off, left), (top, highest) = run.report.events
    assert left == "stance.force_y falls through 0"
    assert highest == "com.velocity_y falls through 0"
    assert take_off == pytest.approx(my.load_movement("jump").duration, abs=2e-3)
    assert top == pytest.approx(run.time[-1])


def test_flight_is_a_parabola(run: my.Result) -> None:
    take_off = run.report.events[0][0]
    flight = run.slice(take_off + 1e-9)
    since = flight.time - flight.time[0]
    height = flight.values("com.position_y")[0] + flight.values("com.velocity_y")[0] * since - G / 2 * since**2
    np.testing.assert_allclose(flight.values("com.position_y"), height, atol=1e-8)
    turn = flight.values("momentum.angular_z")
    np.testing.assert_allclose(turn, turn[0], atol=1e-7)
    found = measures(run)
    assert found["jump_height"] == pytest.approx(found["take_off_speed"] ** 2 / (2 * G), abs=1e-5)


def test_the_ground_gives_the_momentum(run: my.Result) -> None:
    take_off = run.report.events[0][0]
    push = run.slice(end=take_off)
    force, time = push.values("stance.force_y"), push.time
    impulse = np.sum((force[1:] + force[:-1]) / 2 * np.diff(time)) - MASS * G * take_off
    assert impulse == pytest.approx(MASS * push.values("com.velocity_y")[-1], abs=0.5)
    assert force[:-1].min() > 0, "the ground pulls before the take-off"


def test_books_balance(run: my.Result) -> None:
    assert run.report.energy_error < 1e-5
    assert all(drift < 1e-9 for drift in run.report.drift.values())


def test_the_motion_is_that_of_a_person(run: my.Result) -> None:
    found = measures(run)
    assert found["peak_height"] == pytest.approx(1.436, abs=1e-3), "the optimum of the library"
    assert 0.25 < found["jump_height"] < 0.5
    assert 1.8 < found["peak_ground_force_in_weights"] < 3.5
    row = int(np.searchsorted(run.time, found["take_off_time"], side="right")) - 1
    pose = {name: np.degrees(run.values(name)[row]) for name in ("toe", "knee", "hip")}
    assert -70 < pose["toe"] < -20, "the heel has risen"
    assert -40 < pose["knee"] < 10
    for muscle in my.load_model("jumper").muscles:
        assert run.values(f"{muscle}.activation").max() > 0.8


def test_muscles_relax_in_the_air(run: my.Result) -> None:
    movement, flight = jump.jumper()
    assert "stance" not in flight.constraints
    signals = jump.excitations(movement)
    assert signals["soleus"](0.1) == pytest.approx(movement.controls["soleus"](0.1))
    assert signals["soleus"](0.5) == pytest.approx(0.02)


def test_files_and_numbers(cli, tmp_path: Path, run: my.Result) -> None:
    done = cli("demo", "--out", "shown", "--json")
    assert done.code == 0
    found = done.json
    expected = measures(run)
    for name in ("duration", "take_off_time", "peak_height", "jump_height", "peak_ground_force"):
        assert found[name] == pytest.approx(expected[name], rel=1e-6)
    assert found["wall_seconds"] > found["simulation_seconds"] > 0
    animations = {"jump_animation", "walk_animation"}
    assert set(found["files"]) == {"curves", "poses", "data", "jump_page", "walk_page", *animations}
    for picture in ("curves", "poses"):
        with Image.open(tmp_path / found["files"][picture]) as image:
            assert image.format == "PNG"
            assert min(image.size) > 400
    for name in animations:
        with Image.open(tmp_path / found["files"][name]) as moving:
            assert moving.format == "GIF"
            assert moving.n_frames > 15
    for name, title in (("jump", "jumper"), ("walk", "gait2d")):
        page = (tmp_path / found["files"][f"{name}_page"]).read_text()
        assert f"<title>{title}</title>" in page
    kept = my.load(tmp_path / found["files"]["data"], gaps=True)
    assert kept.report.events == run.report.events


def test_words_say_where_the_files_are(cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: my.Result) -> None:
    monkeypatch.setattr(jump, "jump", lambda: run)
    done = cli("demo")
    assert done.code == 0
    for name in ("curves.png", "poses.png", "jump.gif", "jump.html", "jump.nc", "walk.gif", "walk.html"):
        assert f"myodyne-demo/{name}" in done.out
        assert (tmp_path / "myodyne-demo" / name).stat().st_size > 1000
    assert "take-off" in done.out


def test_an_impossible_folder_is_reported(cli, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    done = cli("demo", "--out", "taken")
    assert (done.code, done.out) == (2, "")
    assert "taken: File exists" in done.err


def test_an_interrupted_demo_says_so(cli, monkeypatch: pytest.MonkeyPatch, run: my.Result) -> None:
    broken_off = my.Result(run.trajectory, my.Report("interrupted"), run.provenance, run.model_data)
    monkeypatch.setattr(jump, "jump", lambda: broken_off)
    done = cli("demo")
    assert (done.code, done.out) == (130, "")
    assert "Interrupted." in done.err
