"""Every example runs as a script, in an empty folder, and says or draws what it promises."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

SCRIPTS = sorted(script.stem for script in EXAMPLES.glob("*.py"))
# Scripts that each run tries; the long run tries all.
SHORT = ("first_simulation", "freewheel", "hopper")
# What scripts print somewhere, and the files that they leave.
PROMISED = {
    "changed_walkers": (["5 % uphill", "10 kg on the trunk", "calves half as strong"], []),
    "closed_loop": (["kept: 3 coordinates", "difference rad"], ["closed_loop.png"]),
    "coupled_arms": (["coupled: 9 coordinates and 8 constraints"], ["coupled_arms.png"]),
    "first_simulation": (["completed", "energy error", "The ankle swings"], ["leg.nc", "leg.png", "leg.html"]),
    "force_reflex": (["from 1.05 m   completed", "stopped by event"], ["force_reflex.png"]),
    "freewheel": (["the clutch lets go", "the clutch grips"], []),
    "hopper": (["completed: 103 hops", "without thrust it falls"], ["hopper.png"]),
    "mcgeer_walker": (["eigenvalues", "McGeer's figure 8"], ["mcgeer_walker.png"]),
    "muscle_curves": (
        ["passive at 1.4", "Millard et al. 2013"],
        [
            "curves_van_den_bogert_2011.png",
            "curves_van_soest_bobbert_1993.png",
            "curves_degroote_fregly_2016.png",
            "curves_thelen_2003.png",
            "curves_millard_2012.png",
            "curves_compared.png",
        ],
    ),
    "gait_speeds": (["Ralston 1958", "running"], ["gait_speeds.png"]),
    "passive_springs": (["gait2d_running: costs", "passive hip at most", "gait2d_predictive: costs"], []),
    "passive_walker": (["published", "it walks on", "it falls"], ["passive_walker.png"]),
    "posture": (["slowest eigenvalue", "falls unpushed", "Hof et al. 2005"], ["posture.png"]),
    "predicted_gait": (["by the walk ratio", "1.8"], ["predicted_walk.png", "predicted_walk.gif"]),
    "shared_reactions": (["minimum norm", "right plate measured"], ["shared_reactions.png"]),
    "shoulder": (["largest error of the elevation"], ["shoulder.png"]),
    "jump_strengths": (["soleus + 10 %", "other strengths", "3156 N m", "sought strengths"], []),
    "ski_landing": (["completed after", "posterior, skis 0.5 times"], ["ski_landing.png"]),
    "sprint_power": (["cadence 120", "saddle 0", "insertion 0", "strength soleus"], []),
    "sprint_timing": (["W after 600 evaluations"], []),
    "sprint_cycling": (["Hip at the start", "DOP853", "differ by at most"], []),
    "tendon_transfer": (["after: moment arm", "as in the walk: within 0.0"], ["tendon_transfer.png"]),
    "tracked_stride": (["The running trial is not at hand"], []),
    "two_legged_hopper": (["completed: 102 steps", "in stance the idle foot stays"], ["two_legged_hopper.png"]),
    "jump_onsets": (["CMA", "Annealing", "within 0.5 %"], []),
    "walk_tornado": (["completed", "solved again", "mass of the trunk"], ["walk_tornado.png"]),
    "walking_speeds": (["speed m/s", "1.1", "1.5"], ["walk.html", "walk.png"]),
    "what_if_insertion": (["both legs W", "insertion 1 cm back", "saddle 2 cm up"], ["what_if_insertion.png"]),
    "what_if_stronger": (["The jumper flies", "higher by", "that suit the stronger soleus"], ["what_if_stronger.png"]),
}


def test_what_is_promised_exists() -> None:
    assert set(PROMISED) <= set(SCRIPTS)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[str, Path]]:
    """Return a function that runs an example, once, and returns what it printed and its folder."""

    @cache
    def run_once(name: str) -> tuple[str, Path]:
        folder = tmp_path_factory.mktemp(name)
        done = subprocess.run(
            [sys.executable, "-W", "error", "-W", "ignore:no C compiler found", str(EXAMPLES / f"{name}.py")],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
            env=os.environ | {"MPLBACKEND": "agg"},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout, folder

    return run_once


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in SHORT else [pytest.mark.long]) for name in SCRIPTS]
)
def test_it_runs_and_keeps_its_promises(name: str, run: Callable[[str], tuple[str, Path]]) -> None:
    words, files = PROMISED.get(name, ([], []))
    printed, folder = run(name)
    assert len(printed.splitlines()) > 2
    assert [missing for missing in words if missing not in printed] == []
    assert {file.name for file in folder.iterdir()} == set(files)
    assert all(file.stat().st_size > 1000 for file in folder.iterdir())


@pytest.mark.parametrize("name", SCRIPTS)
def test_its_explanation_says_how_to_run_it_and_what_it_writes(name: str) -> None:
    text = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    assert f"python examples/{name}.py" in text
    for file in PROMISED.get(name, ([], []))[1]:
        assert f"``{file}``" in text


@pytest.mark.long
def test_finer_fits_come_closer_to_the_loop_that_is_kept(run: Callable[[str], tuple[str, Path]]) -> None:
    rows = [line.split() for line in run("closed_loop")[0].splitlines()]
    differences = [float(row[2]) for row in rows if row and (row[0].startswith("1e-") or row[0] == "refined")]
    assert len(differences) == 5
    assert differences[:-1] == sorted(differences[:-1], reverse=True)
    assert differences[-1] < 1e-8


@pytest.mark.long
def test_strength_pays_only_with_another_excitation(run: Callable[[str], tuple[str, Path]]) -> None:
    """Bobbert and van Soest 1994: with the excitation of the weaker muscle a stronger one makes the jump lower."""
    lines = [line.split() for line in run("what_if_stronger")[0].splitlines()]
    same = next(float(line[1]) for line in lines if line and line[0] == "soleus")
    adapted = next(float(line[-2]) for line in lines if line and line[0] == "With")
    assert same < -5
    assert adapted > 2
