"""``myodyne simulate``: what goes in, what comes out, and how it ends."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

import myodyne as my
from myodyne.cli import arguments
from myodyne.cli.guard import ArgumentError


def test_json_is_the_simulation(cli) -> None:
    done = cli(
        "simulate", "pendulum", "--duration", "1", "--start", "angle=30deg", "--start", "angle.speed=0.5", "--json"
    )
    assert done.code == 0
    run = my.simulate(my.load_model("pendulum"), duration=1.0, start={"angle": math.radians(30), "angle.speed": 0.5})
    assert done.json["final"] == run.final
    assert done.json["units"] == run.units
    assert done.json["rows"] == len(run)
    assert (done.json["start"], done.json["end"]) == (0.0, 1.0)
    assert done.json["status"] == "completed"
    assert done.json["report"]["energy_error"] < 1e-7
    assert done.json["provenance"]["model_hash"] == my.load_model("pendulum").hash
    assert done.json["files"] == {}


def test_tables_show_the_same(cli) -> None:
    done = cli("simulate", "double_pendulum", "--duration", "0.5", "--start", "angle1=1")
    assert done.code == 0
    run = my.simulate(my.load_model("double_pendulum"), duration=0.5, start={"angle1": 1.0})
    assert f"{run.final['angle2']:.4g} rad ({math.degrees(run.final['angle2']):.4g}°)" in done.out
    assert "completed" in done.out
    assert "energy error" in done.out


@pytest.mark.parametrize("ending", arguments.SERIES_ENDINGS)
def test_out_holds_the_whole_run(cli, tmp_path: Path, ending: str) -> None:
    done = cli("simulate", "pendulum", "--duration", "0.2", "--every", "0.05", "--out", f"run{ending}", "--json")
    run = my.load(tmp_path / f"run{ending}")
    assert isinstance(run, my.Result)
    np.testing.assert_allclose(run.time, [0.0, 0.05, 0.1, 0.15, 0.2], rtol=0, atol=1e-15)
    assert done.json["final"] == run.final
    assert done.json["files"] == {"data": f"run{ending}"}
    assert run.report.status == "completed"


def test_pictures_are_made(cli, tmp_path: Path) -> None:
    done = cli(
        "simulate",
        "pendulum",
        "--duration",
        "0.5",
        "--start",
        "angle=1",
        "--plot",
        "curves.png",
        "--columns",
        "angle,energy.*",
        "--animate",
        "film.html",
        "--json",
    )
    assert done.code == 0
    assert done.json["files"] == {"figure": "curves.png", "film": "film.html"}
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert "<script" in (tmp_path / "film.html").read_text()


def test_controls_drive_motors(cli) -> None:
    words = ("simulate", "jumper_skeleton", "--duration", "0.1", "--json")
    still = cli(*words).json["final"]
    held = cli(*words, "--control", "knee_motor=0.5", "--control", "hip_motor=0:0,0.05:-0.5,0.1:-0.2").json["final"]
    run = my.simulate(
        my.load_model("jumper_skeleton"),
        duration=0.1,
        controls={"knee_motor": 0.5, "hip_motor": my.piecewise_linear([0.0, 0.05, 0.1], [0.0, -0.5, -0.2])},
    )
    assert held == run.final
    assert held["knee_motor.torque"] == pytest.approx(220.0)
    assert held["knee"] > still["knee"]


def test_numbers_of_the_model_can_be_set(cli) -> None:
    done = cli("simulate", "pendulum", "--duration", "0.3", "--start", "angle=0.1", "--set", "gravity.y=0", "--json")
    # Without gravity the rod keeps the speed it starts with, 1 rad/s.
    assert done.json["final"]["angle"] == pytest.approx(0.4, abs=1e-12)


def test_until_stops_at_the_event(cli) -> None:
    start = ("--start", "angle=0.01", "--start", "angle.speed=0")
    done = cli("simulate", "pendulum", "--duration", "10", *start, "--until", "falls angle", "--json")
    assert done.json["status"] == "stopped by event"
    # A quarter of the period of small swings of a uniform rod: omega² = 3 g / (2 L).
    assert done.json["end"] == pytest.approx(math.pi / 2 / math.sqrt(1.5 * 9.81), rel=1e-4)
    assert done.json["report"]["events"][0][1] == "angle falls through 0"


def test_a_saved_run_can_be_gone_on_from(cli) -> None:
    whole = cli("simulate", "pendulum", "--duration", "0.6", "--start", "angle=1", "--json").json
    cli("simulate", "pendulum", "--duration", "0.4", "--start", "angle=1", "--out", "half.nc")
    rest = cli("simulate", "pendulum", "--duration", "0.2", "--start", "half.nc", "--json").json
    assert rest["final"]["angle"] == pytest.approx(whole["final"]["angle"], abs=1e-8)


@pytest.mark.parametrize(
    ("text", "scheme"),
    [
        ("rk4:0.001", my.RK4(step=0.001)),
        ("RK4:step=0.001", my.RK4(step=0.001)),
        ("dop853", my.DOP853()),
        ("dop853:1e-6", my.DOP853(relative=1e-6, absolute=1e-6)),
        ("bdf:relative=1e-8,most_steps=500", my.BDF(relative=1e-8, most_steps=500)),
        ("midpoint:0.002", my.Midpoint(step=0.002)),
        ("trbdf2:relative=1e-7", my.TRBDF2(relative=1e-7)),
        ("projected:rk4:0.01", my.Projected(my.RK4(step=0.01))),
    ],
)
def test_schemes_are_understood(text: str, scheme: object) -> None:
    assert arguments.scheme_of(text) == scheme


def test_the_scheme_is_used(cli) -> None:
    done = cli("simulate", "pendulum", "--duration", "0.1", "--scheme", "euler:0.01", "--json")
    assert done.json["provenance"]["scheme"] == "Euler(step=0.01)"
    assert done.json["report"]["steps"] == 10


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("falls com.velocity_y", my.falls_through_zero("com.velocity_y")),
        ("rises angle", my.rises_through_zero("angle")),
        ("crosses angle 0.5", my.crosses("angle", 0.5)),
        ("falls knee -90deg", my.Crossing("knee", "falling", -math.pi / 2)),
        ("rises a name with blanks", my.rises_through_zero("a name with blanks")),
    ],
)
def test_events_are_understood(text: str, event: object) -> None:
    assert arguments.event_of(text) == event


@pytest.mark.parametrize("text", ["", "falls", "drops angle", "angle falls"])
def test_other_words_for_events_are_refused(text: str) -> None:
    with pytest.raises(ArgumentError, match="--until takes 'falls NAME'"):
        arguments.event_of(text)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--start", "angel=1"], "unknown state 'angel': did you mean 'angle'?"),
        (["--start", "angle"], "--start takes NAME=VALUE"),
        (["--start", "angle=fast"], "--start angle: 'fast' is not a number"),
        (["--start", "angle=nan"], "is not a number"),
        (["--start", "angle=1_0"], "is not a number"),
        (["--start", "angle=1", "--start", "angle=2"], "given twice"),
        (["--start", "missing.nc"], "missing.nc"),
        (["--start", "a.nc", "--start", "angle=1"], "not both"),
        (["--control", "motor=1"], "unknown control 'motor'"),
        (["--control", "motor=0:1:2"], "TIME:VALUE"),
        (["--set", "rod.weight=1"], "weight"),
        (["--scheme", "rk5"], "unknown scheme 'rk5'"),
        (["--scheme", "rk4"], "the step is missing"),
        (["--scheme", "rk4:0"], "step must be a positive number"),
        (["--scheme", "dop853:relativ=1e-6"], "did you mean 'relative'"),
        (["--scheme", "projected:projected"], "is given once"),
        (["--until", "drops angle"], "--until takes"),
        (["--until", "falls angel"], "unknown output 'angel'"),
        (["--every", "0"], "must be a positive number"),
        (["--out", "run.mat"], "must end in .nc, .sto, .csv"),
        (["--out", "missing/run.nc"], "there is no folder 'missing'"),
        (["--out", "."], "must end in"),
        (["--plot", "curves.xls"], "must end in .png"),
        (["--columns", "angle"], "give --plot"),
        (["--plot", "curves.png", "--columns", "angel"], "did you mean 'angle'"),
        (["--animate", "film.avi"], "must end in .html"),
    ],
)
def test_wrong_words_are_reported(cli, words: list[str], told: str) -> None:
    done = cli("simulate", "pendulum", "--duration", "0.1", *words)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("duration", ["0", "-1", "nan", "inf"])
def test_impossible_durations_are_reported(cli, duration: str) -> None:
    done = cli("simulate", "pendulum", "--duration", duration)
    assert done.code == 2
    assert "duration must be a positive number of seconds" in done.err


def test_what_typer_refuses_is_wrong_usage_too(cli) -> None:
    assert cli("simulate", "pendulum").code == 2
    assert cli("simulate", "pendulum", "--duration", "long").code == 2
    assert cli("symulate").code == 2


def test_files_with_faults_name_line_and_field(cli, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("name: bad\nbodies:\n  rod: {mass: -1}\n")
    done = cli("simulate", "bad.yaml", "--duration", "1")
    assert done.code == 2
    assert re.search(r"bad\.yaml, line 3.*mass", done.err)


class TestFailure:
    WORDS = ("simulate", "jumper_skeleton", "--duration", "5", "--scheme", "euler:0.05")

    def test_code_and_message(self, cli) -> None:
        done = cli(*self.WORDS)
        assert done.code == 1
        assert "stopped at" in done.err
        assert "--out FILE.nc saves it" in done.err
        assert "error.result" not in done.err
        assert "failed" in done.out

    def test_what_was_good_is_kept(self, cli, tmp_path: Path) -> None:
        done = cli(*self.WORDS, "--out", "part.nc", "--animate", "film.html", "--json")
        assert done.code == 1
        assert done.json["status"] == "failed"
        # The last rows grow beyond what a double holds, in powers and energies first.
        run = my.load(tmp_path / "part.nc", gaps=True)
        assert run.report.status == "failed"
        assert np.isfinite(run.values("knee")).all()
        assert 0 < run.time[-1] < 5
        assert "The partial result is in part.nc." in done.err
        assert not (tmp_path / "film.html").exists()
