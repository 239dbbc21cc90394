"""Rows of constraints that repeat others, exactly and nearly."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my


def chain(**constraints: my.CouplerConstraint | my.SpeedConstraint | my.MotionConstraint) -> my.Equations:
    """Return the equations of three links with constraints between their angles."""
    links = {name: my.Body(mass=1.0, centre_of_mass=(0.0, -0.25, 0.0), inertia=0.05) for name in "abc"}
    joints = {
        "first": my.pin("ground", "a", "qa", default=0.2),
        "second": my.pin({"body": "a", "at": (0.0, -0.5, 0.0)}, "b", "qb"),
        "third": my.pin({"body": "b", "at": (0.0, -0.5, 0.0)}, "c", "qc", default=0.2),
    }
    model = my.Model(name="chain", bodies=links, joints=joints, constraints=constraints)
    return my.equations_of(model, compiled=False)


def follows(coordinate: str, slope: float = 1.0, share: float = 0.0) -> my.CouplerConstraint:
    """Return a coupler: the coordinate is a multiple of qa, and a share of qb on top."""
    terms = (my.Term(coefficient=slope, powers=(1, 0)), my.Term(coefficient=share, powers=(0, 1)))
    return my.CouplerConstraint(coordinate=coordinate, function=my.Polynomial(of=("qa", "qb"), terms=terms))


STATE = np.array([0.2, 0.3, 0.2, 1.0, 2.0, 1.0])


def test_a_repeated_row_is_left_out_and_named() -> None:
    once, twice = chain(link=follows("qc")), chain(link=follows("qc"), again=follows("qc"))
    assert twice.repeated_rows == ("again.torque",)
    assert twice.multipliers == once.multipliers == ("link.torque",)
    np.testing.assert_allclose(twice.derivative(STATE), once.derivative(STATE), rtol=1e-13)
    run = my.simulate(twice, 0.1)
    assert any("'again.torque'" in note for note in run.report.notes)
    assert run.report.energy_error is not None
    assert run.report.energy_error < 1e-9


@pytest.mark.parametrize("share", [1e-4, 1e-6, 1e-7])
def test_rows_that_nearly_repeat_others_keep_their_digits(share: float) -> None:
    near = chain(link=follows("qc"), near=follows("qc", share=share))
    exact = chain(
        link=follows("qc"), still=my.CouplerConstraint(coordinate="qb", function=my.Linear(coordinate="qa", slope=0.0))
    )
    state = np.array([0.2, 0.0, 0.2, 1.0, 0.0, 1.0])
    assert near.repeated_rows == ()
    np.testing.assert_allclose(near.derivative(state), exact.derivative(state), atol=1e-8)


def test_drives_that_contradict_each_other_are_not_left_out() -> None:
    slow, fast = (my.SpeedConstraint(coordinate="qa", speed=speed) for speed in (1.0, 2.0))
    assert chain(one=slow, other=slow).repeated_rows == ("other.torque",)
    assert chain(one=slow, other=fast).repeated_rows == ()
    assert np.isfinite(chain(one=slow, other=fast).derivative(STATE)).all()


def plate(**constraints: my.DistanceConstraint | my.PointConstraint | my.LineConstraint) -> my.Equations:
    """Return the equations of a body in a plane, held by constraints to the ground."""
    joint = my.planar("ground", "plate", ("x", "y", "turn"), turn={"default": 0.0})
    body = my.Body(mass=3.0, centre_of_mass=(0.1, -0.05, 0.0), inertia=0.2)
    model = my.Model(name="plate", bodies={"plate": body}, joints={"flight": joint}, constraints=constraints)
    return my.equations_of(model, compiled=False)


def bar(at: float) -> my.DistanceConstraint:
    """Return a bar of 1 m on which the plate hangs."""
    ends = my.Marker(body="plate", at=(at, 0.0, 0.0)), my.Marker(body="ground", at=(at, 1.0, 0.0))
    return my.DistanceConstraint(first=ends[0], second=ends[1], distance=1.0)


def forces_of(equations: my.Equations, names: tuple[str, ...], motion: list[float]) -> np.ndarray:
    """Return the forces of constraints among the outputs at a motion."""
    rates, multipliers = equations.kernel("derivative")(np.array(motion), np.zeros(0), np.zeros(0))
    x, xdot = np.append(motion, multipliers), np.append(rates, np.zeros_like(multipliers))
    outputs = equations.output_values(x, xdot)
    return np.array([outputs[equations.outputs.index(name)] for name in names])


def test_three_parallel_bars_share_the_plate_with_the_least_norm() -> None:
    """Against the pseudo-inverse of G M⁻¹ Gᵀ, which is what Simbody's solution is."""
    levers = (-0.3, 0.0, 0.4)
    equations = plate(left=bar(levers[0]), middle=bar(levers[1]), right=bar(levers[2]))
    assert len(equations.repeated_rows) == 1
    swing = 0.3
    motion = [np.sin(swing), 1 - np.cos(swing), 0.0, 0.5 * np.cos(swing), 0.5 * np.sin(swing), 0.0]
    names = ("left.force", "middle.force", "right.force")
    found = forces_of(equations, names, motion)
    # Rows along the bars, which point from the ground to the plate.
    along = np.array([np.sin(swing), -np.cos(swing)])
    jacobian = np.array([[*along, lever * along[1]] for lever in levers])
    mass = equations.mass_matrix(motion[:3])
    free = np.linalg.solve(mass, -equations.inverse_dynamics(motion[:3], motion[3:], np.zeros(3)))
    demanded = -np.full(3, 0.5**2)
    expected = np.linalg.pinv(jacobian @ np.linalg.solve(mass, jacobian.T)) @ (demanded - jacobian @ free)
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_shares_that_change_with_the_pose_have_the_least_norm() -> None:
    """A line of the plate through a point that is held already: what it repeats turns with the plate."""
    hinge = my.PointConstraint(first=my.Marker(body="plate"), second=my.Marker(body="ground"), axes="xy")
    line = my.LineConstraint(
        point=my.Marker(body="ground"), body="plate", at=(0.0, 0.0, 0.0), direction=(1.0, 0.0, 0.0)
    )
    once, twice = plate(hinge=hinge), plate(hinge=hinge, line=line)
    (repeated,) = twice.repeated_rows
    motion = [0.0, 0.0, 0.7, 0.0, 0.0, 1.5]
    alone = forces_of(once, ("hinge.force_x", "hinge.force_y"), motion)
    shared = forces_of(twice, ("hinge.force_x", "hinge.force_y", repeated), motion)
    # The line pushes the ground's point, across the line: the plate feels the opposite.
    across = np.array([-np.sin(0.7), np.cos(0.7)])
    rows = np.vstack([np.eye(2), np.sign(shared[2] * (across @ alone)) * across])
    np.testing.assert_allclose(shared, np.linalg.pinv(rows.T) @ alone, rtol=1e-9)


def test_forces_of_repeated_rows_stand_in_the_result() -> None:
    once, twice = chain(link=follows("qc")), chain(link=follows("qc"), again=follows("qc"))
    alone, both = my.simulate(once, 0.2), my.simulate(twice, 0.2)
    for name in ("link.torque", "again.torque"):
        np.testing.assert_allclose(both.values(name), 0.5 * alone.values("link.torque"), rtol=1e-12)
    assert both.report.drift["again.drift"] < 1e-9
