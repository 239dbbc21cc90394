"""The predicted walk of gait3d: what the problem holds, and what its solution is like."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import myodyne as my
from support.shared import needs
from support.walks3d import likeness

SHARED = Path(__file__).parents[3] / "shared"
PATHS = SHARED / "data" / "moco_inverse3d" / "subject_walk_scaled_FunctionBasedPathSet.xml"


@pytest.fixture(scope="module")
def problem() -> my.Problem:
    found = my.load_problem("gait3d_predictive")
    assert isinstance(found, my.Problem)
    return found


def test_half_a_cycle_in_space_without_data(problem: my.Problem) -> None:
    periodic = next(part for part in problem.conditions if isinstance(part, my.Periodic))
    speed = next(part for part in problem.conditions if isinstance(part, my.AverageSpeed))
    assert periodic.mirrored
    assert speed.speed == 1.3
    assert not any(isinstance(goal, my.Track) for goal in problem.goals)
    assert {"pelvis_list", "lumbar_bending", "lumbar_bending_motor"} <= set(my.sides_of(problem.model).negated)
    assert isinstance(problem.scheme, my.Radau), "Midpoint is exploited by contacts"


def test_the_guess_steps_on_the_ground_and_knows_no_gait(problem: my.Problem) -> None:
    guess = problem.guess
    assert guess is not None
    assert np.ptp(guess.values("pelvis_list")) == 0.0
    assert np.ptp(guess.values("arm_flex_r")) == 0.0
    assert guess.values("pelvis_tx")[-1] == pytest.approx(1.3 * guess.time[-1])
    assert 0.9 < guess.values("pelvis_ty").min() < guess.values("pelvis_ty").max() < 1.03


def test_ordinary_solves_estimate_second_derivatives_and_refine_the_mesh(problem: my.Problem) -> None:
    assert problem.accuracy == 0.05
    assert problem.settings is not None
    assert problem.settings.options == {"hessian_approximation": "limited-memory"}
    assert problem.with_speed(1.4).settings == problem.settings


@pytest.mark.long
def test_the_walk_from_the_default_guess(problem: my.Problem) -> None:
    """Joint angles and ground forces like those of people, from a guess that knows nothing of them."""
    check_like_people(my.solve(problem, show=False))


@pytest.mark.long
@needs(PATHS, "the subject's paths are not beside the project")
def test_a_walk_of_anyone_from_the_default_guess() -> None:
    """A person whose model knows nothing of this library: feet, stops, ranges, guess and settings are the default."""
    subject = my.with_function_paths(my.load_model(SHARED / "models_osim" / "subject_walk_scaled.osim"), PATHS)
    walk = my.solve(my.walking(subject), show=False)
    check_solved(walk)
    report = my.gait_report(walk)
    for name, least in (("hip_angle", 0.85), ("knee_angle", 0.85), ("ankle_angle", 0.85), ("force_y", 0.9)):
        found = report.curve(name).correlation
        assert found is not None
        assert found >= least, name
    measures = {name: measure.value for name, measure in report.measures.items()}
    assert measures["peak_force"] <= 1.4
    assert measures["humps"] == 2
    assert 0.05 < measures["step_width"] < 0.25


def check_solved(walk: my.Solution) -> None:
    assert walk.report.status == "completed"
    assert walk.report.optimum is not None
    assert walk.report.optimum.mesh_error is not None
    assert walk.report.optimum.mesh_error <= 0.05


def check_like_people(walk: my.Solution) -> None:
    check_solved(walk)
    found = likeness(walk)
    for name in ("hip", "knee", "ankle"):
        assert found.correlations[name] >= 0.85, name
    assert found.correlations["vertical"] >= 0.9
    assert found.peak <= 1.4
    assert 0.5 < found.stance < 0.68
    assert 0.9 < found.cycle < 1.4
    # Healthy adults: steps about 0.1 m wide; pelvis and trunk move by 5 to 20 degrees.
    assert 0.03 < found.width < 0.25
    assert all(turn < np.radians(25.0) for turn in found.sway.values())
