"""``myodyne gait`` judges a recorded walk, as tables, JSON and a figure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import myodyne as my
from support.walks import SIDES, people

FORCE = """<ExternalForce name="{side}"><applied_to_body>{side}_foot</applied_to_body>
<force_expressed_in_body>ground</force_expressed_in_body><point_expressed_in_body>ground</point_expressed_in_body>
<force_identifier>{side}_f</force_identifier><point_identifier>{side}_p</point_identifier></ExternalForce>"""


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    _, motion, forces = people()
    my.save(motion, tmp_path / "walk.sto")
    table = {}
    for side in SIDES:
        for axis in "xyz":
            table[f"{side}_f{axis}"] = forces[side].data.values(f"{side}_{axis}")
            table[f"{side}_p{axis}"] = forces[side].data.values(f"{side}_p{axis}")
    my.save(my.Trajectory(motion.time, table), tmp_path / "forces.sto")
    parts = "".join(FORCE.format(side=side) for side in SIDES)
    text = f"<ExternalLoads><objects>{parts}</objects><datafile>forces.sto</datafile></ExternalLoads>"
    (tmp_path / "loads.xml").write_text(f'<OpenSimDocument Version="40000">{text}</OpenSimDocument>')
    return tmp_path


def test_it_judges_a_recording(cli: Callable[..., Any], recorded: Path) -> None:
    words = ("gait", "walk.sto", "--model", "gait2d", "--forces", "loads.xml")
    told = cli(*words, "--json", "--plot", "gait.png")
    assert told.code == 0, told.err
    assert told.json["kind"] == "walking"
    assert told.json["measures"]["humps"]["value"] == 2
    assert (recorded / "gait.png").stat().st_size > 10_000
    shown = cli(*words)
    assert shown.code == 0, shown.err
    assert "walks like people" in shown.out
    assert "Winter 1991" in shown.out


def test_it_says_what_is_missing(cli: Callable[..., Any], recorded: Path) -> None:
    assert recorded.is_dir()
    alone = cli("gait", "walk.sto")
    assert alone.code == 2
    assert "does not contain its model" in alone.err
    assert cli("gait", "walk.sto", "--record", "forces.sto").code == 2
