"""``myodyne demo``: a jump that obeys mechanics, and pictures of it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import myodyne as my
from myodyne.cli import jump
from myodyne.cli.demo import measures

G = 9.80665


@pytest.fixture(scope="module")
def run() -> my.Result:
    return jump.jump()


def test_it_takes_off_and_lands(run: my.Result) -> None:
    assert run.report.status == "stopped by event"
    (take_off, left), (landed, touched) = run.report.events
    assert left == "ground_contact.force_y falls through 0"
    assert touched.startswith("ball_of_foot.position_y falls")
    assert 0.2 < take_off < 0.6
    assert landed == pytest.approx(run.time[-1])


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
    force, time = push.values("ground_contact.force_y"), push.time
    impulse = np.sum((force[1:] + force[:-1]) / 2 * np.diff(time)) - 75.0 * G * take_off
    assert impulse == pytest.approx(75.0 * push.values("com.velocity_y")[-1], abs=0.5)
    assert force[:-1].min() > 0, "the ground pulls before the take-off"


def test_books_balance(run: my.Result) -> None:
    assert run.report.energy_error < 1e-5
    assert all(drift < 1e-9 for drift in run.report.drift.values())


def test_the_motion_is_that_of_a_person(run: my.Result) -> None:
    found = measures(run)
    assert 0.25 < found["jump_height"] < 0.5
    assert 1.8 < found["peak_ground_force_in_weights"] < 3.0
    row = int(np.searchsorted(run.time, found["take_off_time"], side="right")) - 1
    pose = {name: np.degrees(run.values(name)[row]) for name in ("toe", "ankle", "knee", "hip")}
    assert -60 < pose["toe"] < -20, "the heel has risen"
    assert pose["ankle"] < -20
    assert -30 < pose["knee"] < 0
    assert -5 < pose["hip"] < 25
    for name, limits in jump.jumper()[0].coordinates.items():
        if limits.range is not None:
            low, high = limits.range
            # Ligaments give: the ankle is bent three degrees beyond its limit.
            assert low - 0.05 < run.values(name).min() < run.values(name).max() < high + 0.05
    assert (run.values("heel.position_y") > -0.01).all()
    for motor in ("ankle_motor", "knee_motor", "hip_motor"):
        assert np.abs(run.values(f"{motor}.control")).max() <= 1.0


def test_without_motors_it_does_not_jump() -> None:
    on_ground, _ = jump.jumper()
    limp = my.simulate(on_ground, duration=0.15, start=jump.START)
    assert limp.final["com.velocity_y"] < -0.5


def test_files_and_numbers(cli, tmp_path: Path, run: my.Result) -> None:
    done = cli("demo", "--out", "shown", "--json")
    assert done.code == 0
    found = done.json
    expected = measures(run)
    for name in ("duration", "take_off_time", "peak_height", "jump_height", "peak_ground_force"):
        assert found[name] == pytest.approx(expected[name], rel=1e-6)
    assert found["wall_seconds"] > found["simulation_seconds"] > 0
    assert set(found["files"]) == {"curves", "poses", "film", "page", "data"}
    for picture in ("curves", "poses"):
        with Image.open(tmp_path / found["files"][picture]) as image:
            assert image.format == "PNG"
            assert min(image.size) > 400
    with Image.open(tmp_path / found["files"]["film"]) as film:
        assert film.format == "GIF"
        assert film.n_frames > 50
    page = (tmp_path / found["files"]["page"]).read_text()
    assert re.search(r"<title>jump</title>", page)
    kept = my.load(tmp_path / found["files"]["data"], gaps=True)
    assert kept.report.events == run.report.events


def test_words_say_where_the_files_are(cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: my.Result) -> None:
    monkeypatch.setattr(jump, "jump", lambda: run)
    done = cli("demo")
    assert done.code == 0
    for name in ("curves.png", "poses.png", "jump.gif", "jump.html", "jump.nc"):
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
