"""``myodyne inverse`` writes the moments of a motion and says what is wrong with one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import myodyne as my

LOADS = """<OpenSimDocument Version="40000"><ExternalLoads><objects>
<ExternalForce name="push"><applied_to_body>rod</applied_to_body><torque_identifier>t_</torque_identifier>
<force_identifier>f_</force_identifier></ExternalForce></objects><datafile>forces.sto</datafile>
</ExternalLoads></OpenSimDocument>"""


def write_motion(folder: Path) -> None:
    time = np.arange(100) / 100.0
    my.save(my.Trajectory(time, {"angle": 0.3 * np.sin(2.0 * time)}, {"angle": "rad"}), folder / "swing.sto")
    columns = {f"{part}_{axis}": np.zeros(100) for part in "ft" for axis in "xyz"}
    my.save(my.Trajectory(time, {**columns, "t_z": np.full(100, 2.0)}), folder / "forces.sto")
    (folder / "loads.xml").write_text(LOADS)


def test_it_writes_moments(cli: Callable[..., Any], tmp_path: Path) -> None:
    write_motion(tmp_path)
    done = cli("inverse", "pendulum", "swing.sto", "--cutoff", "6", "--out", "moments.sto", "--json")
    assert done.code == 0, done.err
    told = done.json
    found = my.load(tmp_path / "moments.sto")
    assert told["rows"] == len(found) == 100
    assert np.isclose(told["moments"]["angle.moment"]["highest"], found.values("angle.moment").max())
    assert told["moments"]["angle.moment"]["unit"] == "N m"


def test_it_knows_external_loads(cli: Callable[..., Any], tmp_path: Path) -> None:
    write_motion(tmp_path)
    free = cli("inverse", "pendulum", "swing.sto", "--json").json["moments"]["angle.moment"]
    for words in (("--forces", "loads.xml"), ("--forces", "loads.xml", "--record", "forces.sto", "--passive")):
        pushed = cli("inverse", "pendulum", "swing.sto", *words, "--json").json["moments"]["angle.moment"]
        assert np.isclose(free["highest"] - pushed["highest"], 2.0)
    shown = cli("inverse", "pendulum", "swing.sto", "--forces", "loads.xml")
    assert shown.code == 0
    assert "angle" in shown.out


def test_it_refuses_what_cannot_be(cli: Callable[..., Any], tmp_path: Path) -> None:
    write_motion(tmp_path)
    assert cli("inverse", "pendulum", "missing.sto").code == 2
    assert "lacks" in cli("inverse", "double_pendulum", "swing.sto").err
    assert "give that too" in cli("inverse", "pendulum", "swing.sto", "--record", "forces.sto").err
    assert cli("inverse", "pendulum", "swing.sto", "--out", "moments.txt").code == 2
    assert cli("inverse", "pendulum", "swing.sto", "--cutoff", "80").code == 2
