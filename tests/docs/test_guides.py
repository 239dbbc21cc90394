"""The code of the guides runs, page by page, and gives what the pages say."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import numpy as np
import pytest

import myodyne as my
from myodyne.optimise.problem import Problem
from support.pages import agrees, follow

ROOT = Path(__file__).parents[2]
GUIDES = ROOT / "docs" / "guide"
PAGES = (
    "models",
    "simulating",
    "movements",
    "constraints",
    "equations",
    "paths",
    "muscle_models",
    "hopping_and_walking",
    "equilibrium",
    "real_time",
    "inverse_dynamics",
    "reproducing",
    "time_series",
    "opensim",
    "markers",
    "opensim_setups",
    "static_optimisation",
    "optimal_control",
    "prescribed_motion",
    "gait2d",
    "predicting",
    "prosthesis",
    "estimation",
    "running",
    "derivations",
    "feedback",
    "shoulder",
    "recordings",
    "viewing",
    "your_model",
    "gait_report",
    "studies",
    "walking_in_space",
)
# Pages whose solves take minutes.
LONG = (
    "hopping_and_walking",
    "running",
    "paths",
    "prescribed_motion",
    "shoulder",
    "gait2d",
    "predicting",
    "prosthesis",
    "estimation",
)
# Pages that show more than they state: the fewest statements that are checked; others have ten or more.
FEWEST = {"shoulder": 9, "opensim_setups": 4, "studies": 5, "viewing": 5, "gait_report": 4, "walking_in_space": 4}


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=[pytest.mark.long] if page in LONG else []) for page in PAGES]
)
def test_the_page_does_what_it_says(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _, checked = follow(GUIDES / f"{page}.md")
    assert checked >= FEWEST.get(page, 10)


def test_saying_something_wrong_is_noticed() -> None:
    assert agrees(np.float64(0.12345), "0.123")
    assert agrees(np.array([[1.0, 2.004], [0.0, 3.0]]), "[[1.0, 2.0], [0.0, 3.0]]")
    assert agrees(("hip", "knee"), "('hip', 'knee')")
    assert agrees({"loop": 2.4e-3}, "{'loop': 2e-3}")
    assert agrees(my.Report, "<class 'myodyne.data.report.Report'>")
    assert not agrees(0.12345, "0.124")
    assert not agrees([1.0, 2.0], "[1.0]")
    assert not agrees({"loop": 1.0}, "{'axle': 1.0}")
    assert not agrees("completed", "'failed'")


@pytest.mark.parametrize("folder", ["guide", "theory", "tutorials", "works"])
def test_the_index_leads_to_every_page(folder: str) -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    missing = [page.name for page in (ROOT / "docs" / folder).glob("*.md") if f"({folder}/{page.name})" not in index]
    assert not missing
    assert "(decisions/README.md)" in index


def test_every_page_is_executed_or_has_a_test_of_its_own() -> None:
    # The page on the studio has no Python; tests/studio works its page. Those on DAS3 and Moco need numbers that lie
    # beside the project; tests/golden/test_das3.py and tests/optimise/test_moco_walk2d.py check their values.
    # The page for people who come from other software has words alone.
    elsewhere = {"builtin_models", "coming_from", "command_line", "cycling", "das3", "moco", "model_files", "studio"}
    assert {page.stem for page in GUIDES.glob("*.md")} == {*PAGES, *elsewhere}


def test_the_guide_to_optimal_control_names_every_goal_and_condition() -> None:
    text = (GUIDES / "optimal_control.md").read_text(encoding="utf-8")
    for field in ("goals", "conditions"):
        kinds = get_args(get_args(Problem.model_fields[field].annotation)[0])[0]
        missing = [kind.__name__ for kind in get_args(kinds) if f"`{kind.__name__}(" not in text]
        assert not missing


@pytest.mark.parametrize("name", my.__all__)
def test_every_public_name_has_an_example(name: str) -> None:
    text = getattr(my, name).__doc__ or ""
    assert ">>> " in text.partition("Examples\n")[2]
