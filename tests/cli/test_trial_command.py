"""``myodyne trial`` on recordings made of a pendulum."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import myodyne as my
from myodyne.cli.main import app


def run(*words: Any) -> Any:
    return CliRunner().invoke(app, ["trial", *map(str, words)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a model and two recordings, one of them with a marker 5 cm away from the model's."""
    rod = my.load_model("pendulum").with_parts(
        markers={
            "tip": my.Marker(body="rod", at=(0.0, -1.0, 0.0)),
            "middle": my.Marker(body="rod", at=(0.0, -0.5, 0.0)),
        }
    )
    my.save_model(rod, tmp_path / "rod.yaml")
    times = np.arange(40) / 100.0
    angle = 0.4 * np.sin(5.0 * times)
    line = np.column_stack([np.sin(angle), -np.cos(angle), 0.0 * angle])
    (tmp_path / "trials").mkdir()
    for name, shift in (("good", 0.0), ("loose", 0.08)):
        places = np.stack([line, 0.5 * line + [0.0, 0.0, shift]], axis=1)
        my.save_markers(my.Markers(times, ["tip", "middle"], places), tmp_path / "trials" / f"{name}.trc")
    return tmp_path


def test_a_folder_of_trials_becomes_motions_moments_and_a_table(folder: Path) -> None:
    done = run(folder / "rod.yaml", folder / "trials", "--out", folder / "out", "--json")
    assert done.exit_code == 0, done.output
    good, loose = json.loads(done.stdout)["trials"]
    assert good["verdict"] == "within limits"
    assert loose["verdict"] == "beyond limits: marker rms, marker largest"
    assert loose["marker_largest"] == pytest.approx(0.08, rel=1e-6)
    with (folder / "out" / "summary.csv").open() as file:
        assert [row["trial"] for row in csv.DictReader(file)] == ["good", "loose"]
    motion = my.load(folder / "out" / "good_ik.mot")
    np.testing.assert_allclose(motion.values("angle"), 0.4 * np.sin(5.0 * motion.time), atol=1e-6)
    assert "angle.moment" in my.load(folder / "out" / "good_id.sto")


def test_angles_in_degrees_and_options_in_errors(folder: Path) -> None:
    trial, out = folder / "trials" / "good.trc", folder / "out"
    assert run(folder / "rod.yaml", trial, "--out", out, "--degrees").exit_code == 0
    assert "inDegrees=yes" in (out / "good_ik.mot").read_text()
    motion = my.load(out / "good_ik.mot", angles=["angle"])
    np.testing.assert_allclose(motion.values("angle"), 0.4 * np.sin(5.0 * motion.time), atol=1e-6)
    for words, message in (
        (("--up", "x"), "--up takes y or z"),
        (("--cutoff", "-1"), "--cutoff takes a frequency"),
        (("--noise", "none"), "--noise"),
        (("--plate", "plate1"), "--plate takes NAME=VALUE"),
    ):
        failed = run(folder / "rod.yaml", trial, "--out", out, *words)
        assert failed.exit_code == 2
        assert message in failed.stderr
    failed = run(folder / "rod.yaml", trial, "--out", out, "--plate", "plate1=rod")
    assert failed.exit_code == 1
    assert "give the forces of a .trc by --forces" in failed.stderr
