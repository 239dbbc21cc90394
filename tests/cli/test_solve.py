"""``myodyne solve`` and ``myodyne problems``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import myodyne as my
from myodyne.optimise.ipopt import watching

# These models are so small that compiling would take most of the time.
pytestmark = pytest.mark.usefixtures("interpreted")

REACH = """\
name: reach
model: block.yaml
duration: 0.8
nodes: 9
scheme: {kind: Radau, degree: 2}
goals:
  - {kind: track, data: way.csv, deviations: 0.05}
  - {kind: effort, of: controls, weight: 0.1}
conditions:
  - {kind: start, values: {way: 0.0, way.speed: 0.0}}
  - {kind: bounds, values: {way: [null, 0.35], push.power: [-40.0, 40.0]}}
"""


@pytest.fixture
def reach(tmp_path: Path) -> Path:
    """A problem as YAML, with its model and data beside it."""
    mass = my.load_problem("sliding_mass")
    assert isinstance(mass, my.Problem)
    my.save_model(mass.model, tmp_path / "block.yaml")
    (tmp_path / "way.csv").write_text("time,way\n0,0\n0.2,0.1\n0.4,0.2\n0.6,0.3\n0.8,0.4\n")
    path = tmp_path / "reach.yaml"
    path.write_text(REACH)
    return path


def test_json_has_what_was_promised(cli: Callable[..., Any]) -> None:
    done = cli("solve", "sliding_mass", "--json")
    assert done.code == 0
    found = done.json
    kinds = {
        "status": str,
        "objective": float,
        "parts": dict,
        "iterations": int,
        "cpu_seconds": float,
        "wall_seconds": float,
        "largest_violation": float,
    }
    assert {name: type(found[name]) for name in kinds} == kinds
    assert found["status"] == "completed"
    assert found["objective"] == pytest.approx(0.4, abs=1e-4)
    assert found["parts"] == {"final_time": found["objective"]}
    assert found["iterations"] > 0
    assert found["largest_violation"] < 1e-5
    assert found["optimum"]["mesh_error"] < 1e-6
    assert any("trust it" in note for note in found["notes"])


def test_words_and_files(cli: Callable[..., Any], tmp_path: Path) -> None:
    done = cli("solve", "sliding_mass", "--nodes", "11", "--out", "mass.nc", "--plot", "mass.png")
    assert done.code == 0
    said = done.out + done.err
    for word in ("completed: solved", "0.4", "final_time", "push.control", "mesh error", "replay"):
        assert word in said
    assert (tmp_path / "mass.png").stat().st_size > 1000
    kept = my.load(tmp_path / "mass.nc")
    assert isinstance(kept, my.Result)
    assert kept.report.optimum is not None
    assert kept.report.optimum.objective == pytest.approx(0.4, abs=1e-4)
    assert kept.report.optimum.nodes == 11
    # What was found is a guess for the next.
    again = cli("solve", "sliding_mass", "--nodes", "6", "--nodes", "12", "--guess", "mass.nc", "--no-audit", "--json")
    assert again.code == 0
    assert again.json["optimum"]["nodes"] == 12
    assert again.json["optimum"]["replay"] is None


def test_a_solve_that_was_stopped_goes_on(
    cli: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = cli("solve", "sliding_mass", "--seconds", "1e-6", "--checkpoint", "mass.checkpoint", "--json")
    assert short.code == 130
    assert short.json["status"] == "interrupted"
    assert "mass.checkpoint" in short.err

    def interrupted(*_: Any) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(watching.Watcher, "__call__", interrupted)
        stopped = cli("solve", "--resume", "mass.checkpoint")
    assert stopped.code == 130
    assert (tmp_path / "mass.checkpoint").exists()
    done = cli("solve", "--resume", "mass.checkpoint", "--json")
    assert done.code == 0
    assert done.json["objective"] == pytest.approx(0.4, abs=1e-4)
    assert not (tmp_path / "mass.checkpoint").exists()


def test_failures_can_be_looked_at(cli: Callable[..., Any], reach: Path, tmp_path: Path) -> None:
    reach.write_text(REACH + "  - {kind: end, values: {way: 0.3, com.position_x: 0.1}}\n")
    done = cli("solve", "reach.yaml", "--out", "stuck.sto", "--json")
    assert done.code == 1
    assert done.json["status"] == "failed"
    assert done.json["optimum"]["violations"]
    assert "was not solved" in done.err
    assert "Worst:" in done.err
    assert (tmp_path / "stuck.sto").exists()


def test_a_problem_from_a_file(cli: Callable[..., Any], reach: Path) -> None:
    problem = my.load_problem(reach)
    assert isinstance(problem, my.Problem)
    assert problem.scheme == my.Radau(degree=2)
    assert [goal.name for goal in problem.goals] == ["track", "effort"]
    found = cli("solve", str(reach), "--tolerance", "1e-8", "--json").json
    assert found["problem"] == "reach"
    assert set(found["parts"]) == {"track", "effort"}
    direct = my.solve(problem, settings=my.Settings(tolerance=1e-8), audit=False)
    assert direct.report.optimum is not None
    assert found["objective"] == pytest.approx(direct.report.optimum.objective, abs=1e-9)
    assert direct.values("way").max() <= 0.35 + 1e-8


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "or --resume CHECKPOINT"),
        (("sliding_mass", "--resume", "x"), "give a problem or --resume CHECKPOINT, not both"),
        (("sliding_mas",), "did you mean 'sliding_mass'"),
        (("none.yaml",), "none.yaml: cannot be read"),
        (("sliding_mass", "--tolerance", "0"), "--tolerance must be positive"),
        (("sliding_mass", "--seconds", "nan"), "--seconds must be positive"),
        (("sliding_mass", "--nodes", "1"), "at least 2"),
        (("sliding_mass", "--guess", "none.nc"), "none.nc"),
        (("sliding_mass", "--out", "mass.txt"), "mass.txt"),
        (("--resume", "none.checkpoint"), "no such checkpoint"),
        (("sliding_mass", "--speed", "1.0"), "no condition sets a speed"),
        (("sliding_mass", "--set", "blok.mass=3"), "blok"),
        (("sliding_mass", "--animate", "mass.txt"), "mass.txt"),
        (("sliding_mass", "--refine", "-1"), "--refine must be positive"),
        (("pendulum", "--walking"), "no coordinate moves the whole body forward"),
        (("gait2d", "--walking", "--running"), "give one of them"),
        (("--resume", "x", "--speed", "1.0"), "--resume continues the problem unchanged"),
        (("moco_walk2d_tracking",), "needs data"),
        (("moco_walk2d_tracking", "--data", "nowhere"), "there is no such folder"),
    ],
)
def test_wrong_usage(cli: Callable[..., Any], words: tuple[str, ...], message: str) -> None:
    done = cli("solve", *words)
    assert done.code == 2
    assert message in " ".join(done.err.split())
    assert not done.out


def test_numbers_and_weights_are_set_and_the_mesh_is_refined(cli: Callable[..., Any]) -> None:
    words = ("--set", "block.mass=8", "--set", "final_time=2", "--refine", "0.05")
    done = cli("solve", "sliding_mass", "--nodes", "6", *words, "--json")
    assert done.code == 0, done.err
    # Four times the mass takes twice the time, which counts twice; a mesh of this error is that much slower.
    assert done.json["duration"] == pytest.approx(0.8, rel=5e-3)
    assert done.json["objective"] == pytest.approx(1.6, rel=5e-3)
    assert done.json["optimum"]["mesh_error"] <= 0.05


def test_problems_lists_all(cli: Callable[..., Any]) -> None:
    done = cli("problems")
    assert done.code == 0
    found = cli("problems", "--json").json["problems"]
    assert tuple(found) == my.builtin_problems()
    for name, what in found.items():
        assert name in done.out
        assert what.endswith(".")
        assert len(what) > 20
