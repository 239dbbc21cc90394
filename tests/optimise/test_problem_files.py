"""Problems as YAML files: what they may say, and how they are refused."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import myodyne as my

BASE = "model: pendulum\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a record of a swing."""
    (tmp_path / "swing.csv").write_text("time,angle\n0,0.1\n0.2,0.1\n0.4,0\n0.6,-0.1\n0.8,0\n1.0,0.05\n")
    return tmp_path


def read(folder: Path, text: str | bytes) -> my.Problem:
    path = folder / "p.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    found = my.load_problem(path)
    assert isinstance(found, my.Problem)
    return found


def test_all_that_a_file_can_say(folder: Path) -> None:
    found = read(
        folder,
        BASE
        + """\
name: swing
source: "[Winter 2009]"
duration: [0.6, 1.2]
start: 0.5
nodes: 21
scheme: {kind: HermiteSimpson}
parameters: {rod.mass: [0.5, 2.0]}
guess: swing.csv
continuation:
  - {rod.mass: 0.8, track: 0.1}
goals:
  - {kind: track, data: swing.csv, deviations: {angle: 0.1}, stretched: true, of: {angle: {kind: gyroscope, body: rod, direction: z}}}
  - {kind: smoothness, of: speeds, weight: 1}
  - {kind: final_value, of: com.position_y, maximised: true}
conditions:
  - {kind: periodic, progressing: []}
  - {kind: waypoint, at: 0.5, values: {angle: [null, 1.0]}}
  - {kind: average_speed, speed: [-1.0, 1.0]}
  - {kind: equal, first: angle, second: angle}
""",
    )
    assert (found.name, found.duration, found.start, found.nodes) == ("swing", (0.6, 1.2), 0.5, 21)
    assert found.scheme == my.HermiteSimpson()
    assert found.guess is not None
    assert found.guess.values("angle")[1] == 0.1
    assert found.parameters == {"rod.mass": (0.5, 2.0)}
    assert [goal.kind for goal in found.goals] == ["track", "smoothness", "final_value"]
    assert [condition.kind for condition in found.conditions] == ["periodic", "waypoint", "average_speed", "equal"]
    # As JSON and back, as checkpoints keep it.
    again = my.Problem.model_validate_json(found.model_dump_json())
    assert again.model_dump_json() == found.model_dump_json()
    assert np.array_equal(again.goals[0].data.values("angle"), found.goals[0].data.values("angle"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: is empty"),
        ("- 1\n", "line 1: holds a list"),
        ("name: x\n", "'model' is missing"),
        ("model: 3\n", "'model' is missing"),
        ("model: pendulumm\n", "did you mean 'pendulum'"),
        ("model: none.yaml\n", "none.yaml: no such file"),
        ("model: /etc/passwd\n", "a model file ends in"),
        (BASE + "durration: 1.0\n", "line 2, field durration: unknown field 'durration': did you mean 'duration'"),
        (BASE + "name: a\nname: b\n", "'name' is given twice"),
        (BASE + "duration: .nan\n", "field duration: must be a finite number"),
        (BASE + "duration: long\n", "field duration: must be a number, not 'long'"),
        (BASE + "duration: [0.2, 0.1]\n", "is inverted"),
        (BASE + "start: 1e400\n", "field start: must be a finite number"),
        (BASE + "goals: [{kind: efort}]\n", "line 2, field goals.0: unknown kind 'efort': did you mean 'effort'"),
        (BASE + "goals: [{weight: 1.0}]\n", "needs a 'kind': choose from 'effort'"),
        (BASE + "goals: {kind: effort}\n", "field goals: must be a list"),
        (BASE + "goals: null\n", "is empty; give it a value"),
        (
            BASE + "goals:\n  - {kind: effort, exponnent: 2}\n",
            "line 3, field goals.0.exponnent: .*did you mean 'exponent'",
        ),
        (BASE + "goals: [{kind: custom}]\n", "goals.0: give the function"),
        (BASE + "goals: [{kind: custom, mean: 'lambda s: 1'}]\n", "must be callable"),
        (BASE + "goals: [{kind: final_time, weight: -1}]\n", "field goals.0.weight: must be greater"),
        (BASE + "goals: [{kind: track, data: nofile.csv}]\n", "nofile.csv: cannot be read"),
        (BASE + "goals: [{kind: track, data: 3}]\n", "a Trajectory is expected"),
        (BASE + "goals: [{kind: track, data: {time: [0, x], columns: {angle: [0, 1]}}}]\n", "field goals.0.data"),
        (BASE + "goals: [{kind: track, data: p.yaml}]\n", "time series are kept in"),
        (BASE + "conditions: [{kind: start}]\n", "field conditions.0.values: is missing"),
        (BASE + "conditions: [{kind: start, values: {angle: x}}]\n", "values.angle: must be a number"),
        (BASE + "scheme: Radau\n", "a scheme is one of"),
        (BASE + "scheme: {kind: [a]}\n", "a scheme is one of"),
        (BASE + "scheme: {kind: Radau, degree: 17}\n", "a whole number from 2 to 5"),
        (BASE + "nodes: 5.5\n", "must be a whole number"),
        (BASE + "guess: none.sto\n", "none.sto: cannot be read"),
        (BASE + "motion: none.sto\n", "none.sto: cannot be read"),
        (BASE + "external_forces: none.xml\n", "none.xml: cannot be read"),
        (BASE + "parameters: {rod.mass: 3}\n", "parameters.rod.mass: must be a list"),
        (BASE + "3: 4\n", "put it in quotes"),
        ("a: &a [1]\nb: [*a]\n", "anchor '&a' is not allowed"),
        ("model: !!python/object/apply:os.system ['false']\n", "tag .* is not allowed"),
        ("model: " + "[" * 500 + "]" * 500 + "\n", "nested more than 40 deep"),
        (b"\xff\xfem\x00", "UTF-16"),
    ],
)
def test_what_is_wrong_is_reported_with_its_place(folder: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(my.MyodyneError, match=message):
        read(folder, text)


def test_files_that_are_none(tmp_path: Path) -> None:
    for name in ("none.yaml", "folder.yml"):
        (tmp_path / "folder.yml").mkdir(exist_ok=True)
        with pytest.raises(my.FileError, match="cannot be read"):
            my.load_problem(tmp_path / name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_pipes_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    with pytest.raises(my.FileError, match="no regular file"):
        my.load_problem(tmp_path / "pipe.yaml")
    with pytest.raises(my.FileError, match="no regular file"):
        my.resume(tmp_path / "pipe.yaml")
    with pytest.raises(my.FileError, match="no regular file"):
        my.resume(tmp_path)
