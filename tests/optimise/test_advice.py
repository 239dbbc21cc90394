"""A failed solve says why, likeliest first, from what was measured, and what to try."""

import pytest

import myodyne as my
from support.small_problems import bead, block

pytestmark = pytest.mark.usefixtures("interpreted")


def failure(problem, **arguments):
    with pytest.raises(my.SolveError) as caught:
        my.solve(problem, audit=False, **arguments)
    return str(caught.value)


def hurried(**changes):
    """A block that must go 1 m in less time than 50 N allow: 0.4 s."""
    fields = {
        "duration": (0.1, 0.2),
        "goals": [my.FinalTime()],
        "conditions": [my.Start({"way": 0.0, "way.speed": 0.0}), my.End({"way": 1.0, "way.speed": 0.0})],
        "nodes": 9,
    }
    return my.Problem(block(), **{**fields, **changes})


def test_a_motor_and_a_duration_at_their_bounds_are_named_with_what_to_try():
    said = failure(hurried())
    assert "Likely causes, the likeliest first:" in said
    assert "the motor 'push' is at its limit" in said
    assert "problem.with_values({'push.gain': 100})" in said
    assert "problem.with_duration((0.07, 0.28))" in said
    assert "9 nodes may be too few: my.solve(problem, nodes=18)" in said
    # What it says helps.
    helped = my.solve(hurried().with_duration((0.07, 0.5)), audit=False)
    assert helped.report.optimum.duration == pytest.approx(0.4, rel=0.02)


def test_a_guess_outside_the_bounds_comes_first():
    guess = my.Trajectory([0.0, 0.1], {"way": [0.0, 7.0]})
    problem = hurried(conditions=[*hurried().conditions, my.Bounds({"way": (-1.0, 2.0)})])
    said = failure(problem, guess=guess)
    assert "1. the guess leaves the bounds: 'way' goes from 0 to 7, allowed is -1 to 2" in said
    assert "my.Bounds({'way': (-1, 7)})" in said


def test_feet_in_the_ground_are_named():
    floor = my.ContactPoint(body="bead", stiffness=1e5)
    problem = my.Problem(
        bead().with_parts(forces={"sole": floor}),
        duration=0.1,
        goals=[my.Effort(of="torques")],
        conditions=[my.Start({"x": 0.0, "y": 0.5}), my.End({"x": 9.0, "y": -0.5})],
        guess=my.Trajectory([0.0, 0.1], {"x": [0.0, 9.0], "y": [0.5, -0.4]}),
        nodes=9,
    )
    said = failure(problem, settings=my.Settings(most_iterations=3, approach=0))
    assert "the lowest contact is 40.0 cm in the ground at 0.1 s" in said
    assert "my.grounded(problem.model, guess)" in said
    assert "1 stiff contacts and no easier problem before them" in said


def test_a_ground_force_that_comes_within_one_interval_is_named():
    floor = my.ContactPoint(body="bead", stiffness=1e5)
    problem = my.Problem(
        bead().with_parts(forces={"sole": floor}),
        duration=0.4,
        goals=[my.Effort(of="torques")],
        conditions=[my.Start({"x": 0.0, "y": 0.02}), my.End({"x": 9.0, "y": 0.02})],
        guess=my.Trajectory([0.0, 0.2, 0.4], {"x": [0.0, 4.5, 9.0], "y": [0.02, -0.004, 0.02]}),
        nodes=9,
    )
    said = failure(problem, settings=my.Settings(most_iterations=1, approach=0))
    assert "the force at 'sole' changes by" in said
    assert "body weights from one node to the next" in said
    assert "my.solve(problem, nodes=18)" in said
    assert "problem.with_values({'sole.transition': 0.004, ...})" in said


def pulled(points):
    """A pendulum that one muscle must lift faster than it can."""
    muscle = my.Muscle(
        max_force=1.0,
        optimal_fibre_length=0.3,
        tendon_slack_length=0.2,
        tendon="rigid",
        path=my.PointPath(points=points),
    )
    return my.Problem(
        my.load_model("pendulum").with_parts(muscles={"lifter": muscle}),
        duration=0.1,
        goals=[my.Effort()],
        conditions=[my.Start({"angle": 0.0, "angle.speed": 0.0}), my.End({"angle": 1.0, "angle.speed": 0.0})],
        guess=my.Trajectory([0.0, 0.1], {"angle": [0.0, 1.0]}),
        nodes=9,
    )


def test_a_path_that_gains_a_point_on_the_way_is_named_and_smoothed():
    ends = ("ground", (0.3, 0.2, 0.0)), ("rod", (0.0, -0.3, 0.0))
    between = my.ConditionalPoint(body="ground", at=(0.25, 0.1, 0.0), coordinate="angle", range=(0.5, 2.0))
    problem = pulled((ends[0], between, ends[1]))
    said = failure(problem, settings=my.Settings(most_iterations=3, approach=0))
    assert "1 of 1 muscles gain or lose a point of their path on the way, as 'lifter' at angle = 0.5" in said
    assert "problem.with_model(my.smooth_paths(problem.model).model)" in said
    smooth = problem.with_model(my.smooth_paths(problem.model).model)
    again = failure(smooth, settings=my.Settings(most_iterations=3, approach=0))
    assert "gain or lose a point" not in again


def test_a_muscle_that_is_too_weak_is_named():
    said = failure(pulled((("ground", (0.3, 0.2, 0.0)), ("rod", (0.0, -0.3, 0.0)))))
    assert "muscles are fully active, most of all 'lifter'" in said
    assert "problem.with_values({'lifter.max_force': 1.5})" in said


def test_reports_have_sizes_and_times_and_survive_a_file(tmp_path):
    found = my.solve(hurried(duration=(0.1, 1.0)), audit=False)
    optimum = found.report.optimum
    assert (optimum.unknowns, optimum.rows) != (0, 0)
    assert optimum.prepare_seconds > 0.0
    assert "factorisation" in str(optimum)
    assert my.Optimum.from_dict(optimum.to_dict()) == optimum


def test_a_duration_on_its_bound_is_reported():
    slow = my.solve(hurried(duration=(0.6, 1.0)), audit=False)
    assert slow.report.optimum.at_bounds["duration"] == 1.0
