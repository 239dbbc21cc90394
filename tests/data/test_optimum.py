"""What an optimisation found survives being written and read."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import myodyne as my
from myodyne.data import Optimum, Violation

FULL = Optimum(
    objective=1.25,
    parts={"effort": 1.0, "track": 0.25},
    largest_violation=2e-5,
    violations=(Violation("average speed", 0.0, 2e-5), Violation("equation of knee", 0.31, 1e-6)),
    at_bounds={"soleus.excitation": 0.1},
    mesh_error=0.01,
    mesh_worst=(Violation("ankle.speed", 0.05, 0.01),),
    replay=0.02,
    replay_until=0.6,
    parameters={"spring.stiffness": 310.5},
    duration=0.62,
    iterations=41,
    cpu_seconds=1.5,
    linear_seconds=1.2,
    nodes=50,
    scheme="Radau(degree=3)",
)


@pytest.mark.parametrize("ending", [".nc", ".sto", ".csv"])
def test_files_keep_the_optimum(tmp_path: Path, ending: str) -> None:
    report = my.Report("completed", "solved", optimum=FULL, notes=("trust it",))
    trajectory = my.Trajectory([0.0, 0.5], {"knee": [0.0, -0.5]}, {"knee": "rad"})
    result = my.Result(trajectory, report, my.Provenance("leg", "0" * 64), None)
    my.save(result, tmp_path / f"walk{ending}")
    again = my.load(tmp_path / f"walk{ending}")
    assert isinstance(again, my.Result)
    assert again.report == report
    assert again.report.optimum == FULL


def test_plain_data_is_json_even_where_numbers_are_none() -> None:
    bad = Optimum(objective=math.nan, parts={"effort": math.inf}, largest_violation=math.inf)
    text = json.dumps(bad.to_dict(), allow_nan=False)
    again = Optimum.from_dict(json.loads(text))
    assert math.isnan(again.objective)
    assert math.isinf(again.parts["effort"])
    assert Optimum.from_dict(json.loads(json.dumps(FULL.to_dict()))) == FULL


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"objektive": 1.0}, "objektive"),
        ({"objective": "small"}, "objective"),
        ({"parts": [1]}, "parts"),
        ({"violations": [["speed", 0.0]]}, "a name, a time and a size"),
        ({"iterations": 1.5}, "iterations"),
        ({"violations": [[1, 0.0, 0.0]]}, "name"),
    ],
)
def test_wrong_data_are_refused_by_name(change: dict[str, object], message: str) -> None:
    with pytest.raises(my.MyodyneError, match=message):
        Optimum.from_dict({**FULL.to_dict(), **change})


def test_it_shows_all_it_knows() -> None:
    text = str(my.Report("completed", "solved", optimum=FULL))
    for part in (
        "objective 1.25",
        "effort        1 (80 %)",
        "average speed at 0 s by 2e-05",
        "soleus.excitation for 10 %",
        "mesh error",
        "ankle.speed at 0.05 s by 0.01",
        "close until 0.6 s",
        "spring.stiffness = 310.5",
        "0.62 s",
        "41 in 1.5 s",
    ):
        assert part in text
