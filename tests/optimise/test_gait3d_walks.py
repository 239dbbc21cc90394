"""The predicted walk of gait3d: what the problem holds, and what its solution is like."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my


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


@pytest.mark.long
def test_the_walk_from_the_default_guess(problem: my.Problem) -> None:
    """Joint angles and ground forces like those of people, from a guess that knows nothing of them."""
    settings = my.Settings(tolerance=1e-3, approach=0, options={"hessian_approximation": "limited-memory"})
    walk = my.solve(problem, settings=settings, audit=False, show=False)
    assert walk.report.status == "completed"
    model = problem.model
    cycle = my.whole_cycle(walk, model)
    weight = model.mass * 9.81
    contacts = [name for name, part in model.forces.items() if isinstance(part, my.SmoothSphereContact)]
    time = np.linspace(cycle.time[0], cycle.time[-1], 200, endpoint=False)

    def column(name: str) -> np.ndarray:
        return np.interp(time, cycle.time, cycle.values(name))

    vertical = sum(column(f"{name}.force_y") for name in contacts if name.endswith("_r")) / weight
    loaded = vertical > 0.05
    strike = int(np.argmax(loaded & ~np.roll(loaded, 1)))
    norm = my.winter_gait(200).mean
    pairs = (("hip_flexion_r", "right_hip", 1), ("knee_angle_r", "right_knee", -1), ("ankle_angle_r", "right_ankle", 1))
    for ours, theirs, sign in pairs:
        assert np.corrcoef(sign * np.roll(column(ours), -strike), norm.values(theirs))[0, 1] > 0.85, ours
    assert np.corrcoef(np.roll(vertical, -strike), norm.values("right_ground_force_y"))[0, 1] > 0.9
    assert vertical.max() < 1.4
    assert 0.5 < loaded.mean() < 0.68
    assert 0.9 < cycle.duration < 1.4
