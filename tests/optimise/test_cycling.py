"""The sprint cyclist: periodic movements on kept constraints."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my


def sprint() -> my.Problem:
    problem = my.load_problem("sprint_cycling")
    assert isinstance(problem, my.Problem)
    return problem


@pytest.mark.long
def test_a_sprint_is_periodic_and_gives_more_power_than_bursts() -> None:
    solution = my.solve(sprint(), audit=False, show=False)
    assert solution.report.status == "completed"
    power = -2 * np.trapezoid(solution.values("drive.power"), solution.time) / solution.time[-1]
    assert power > 700.0
    assert solution.time[-1] == pytest.approx(0.5, abs=1e-6)
    # What no condition says returns by itself, but for the errors of the mesh.
    for name in ("knee", "hip"):
        assert solution.values(name)[-1] == pytest.approx(solution.values(name)[0], abs=2e-3)
    assert np.ptp(solution.values("trunk.position_x")) < 2e-3


def test_the_guess_of_a_sprint_obeys_the_constraints() -> None:
    problem = sprint()
    guess, equations = problem.guess, my.equations_of(problem.model, compiled=False)
    assert guess is not None
    names = equations.coordinates, equations.speeds
    for row in (0, 5, 11):
        q, v = (np.array([guess.values(name)[row] for name in group]) for group in names)
        position, speed, _ = equations.constraint_errors(q, v)
        assert np.abs(position).max() < 1e-10
        assert np.abs(speed).max() < 1e-9
    assert guess.values("crank")[-1] - guess.values("crank")[0] == pytest.approx(-2 * np.pi)


def test_a_model_without_kept_constraints_has_none_to_start_on() -> None:
    problem = my.Problem(
        my.load_model("pendulum"), duration=1.0, goals=[my.MeanValue(of="angle")], conditions=[my.OnConstraints()]
    )
    with pytest.raises(my.ModelError, match="no constraint that is kept"):
        my.solve(problem, nodes=3, show=False)
