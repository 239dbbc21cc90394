"""``myodyne study`` and ``myodyne search``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import myodyne as my
from myodyne.cli.main import app

STUDY = """
model: pendulum
vary:
  sample:
    ranges: {rod.mass: [0.5, 2.0], "start:angle": {norm: [0.5, 0.1]}}
    count: 6
    seed: 3
    correlations: [[rod.mass, "start:angle", 0.5]]
measure: [angle.min, energy.kinetic.max]
duration: 0.2
scheme: {RK4: {step: 0.005}}
out: table
"""
SEARCH = """
model: pendulum
vary: {rod.mass: {integers: [1, 3]}, "start:angle": [0.0, 2.0]}
measure: energy.kinetic.max
duration: 0.2
until: {output: angle, falls: -1.0}
search: {method: {differential_evolution: {seed: 2}}, maximise: energy.kinetic.max, evaluations: 12}
"""


def test_a_study_is_run_shown_and_kept(tmp_path: Path) -> None:
    file = tmp_path / "study.yaml"
    file.write_text(STUDY)
    done = CliRunner().invoke(app, ["study", str(file), "--json", "--plot", str(tmp_path / "rows.png")])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["rows"] == 6
    assert (tmp_path / "rows.png").stat().st_size > 5000
    assert my.load_study(tmp_path / "table").sizes["row"] == 6
    shown = CliRunner().invoke(app, ["study", "show", str(tmp_path / "table")])
    assert "angle.min" in shown.stdout


def test_a_search_gives_the_best(tmp_path: Path) -> None:
    file = tmp_path / "best.yaml"
    file.write_text(SEARCH)
    done = CliRunner().invoke(app, ["search", str(file), "--json"])
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert said["evaluations"] == 12
    assert said["best"]["rod.mass"] in (1.0, 2.0, 3.0)
    more = CliRunner().invoke(app, ["search", str(file), "--json", "--evaluations", "20"])
    assert json.loads(more.stdout)["evaluations"] == 20
    assert "Best" in CliRunner().invoke(app, ["search", str(file), "--evaluations", "20"]).stdout


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("measures: angle.min", "did you mean 'measure'"),
        ("scheme: RK5", "unknown scheme"),
        ("engine: process", "did you mean 'processes'"),
        ("until: {output: angle}", "'falls', 'rises' or 'crosses'|'falls', 'rises' and 'crosses'"),
        ("vary: {rod.mas: [1.0, 2.0]}", "did you mean 'rod.mass'"),
        ("vary: {rod.mass: [2.0, 1.0]}", "is empty"),
        ("search: {methods: cma}", "did you mean 'method'"),
    ],
)
def test_faults_of_a_file_are_named(line: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "study.yaml"
    name = line.partition(":")[0]
    kept = {"model": "pendulum", "vary": "{rod.mass: [1.0, 2.0]}", "measure": "angle.min", "duration": "0.1"}
    lines = [f"{key}: {value}" for key, value in kept.items() if key != name]
    file.write_text("\n".join([*lines, line]) + "\n")
    from myodyne.study.files import read_study

    with pytest.raises(my.FileError, match=message):
        read_study(file)
