"""Movements come back under a scheme's own arithmetic; positions alternate, velocities do not; bad input is refused."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my
from myodyne.analyse.reproduction.shooting import Shooting, corrected
from myodyne.data import DataError

G = 9.81


def sway(model: my.Model, rows: int = 81, seed: int = 1) -> my.Trajectory:
    """Return a smooth motion of all coordinates that move."""
    draw = np.random.default_rng(seed)
    time = np.linspace(0.0, 0.8, rows)
    columns = {
        name: model.coordinates[name].default + draw.uniform(0.1, 0.3) * np.sin(draw.uniform(3.0, 6.0) * time)
        for name in model.moving
    }
    return my.Trajectory(time, columns)


def push(body: str) -> my.ExternalForces:
    """Return a force that grows and turns, at a point of the ground."""
    time = np.linspace(0.0, 0.8, 41)
    columns = {
        "fx": 40.0 * np.sin(5.0 * time), "fy": 200.0 + 300.0 * time, "fz": 0.0 * time,
        "px": 0.1 + 0.1 * time, "py": 0.0 * time, "pz": 0.0 * time,
    }  # fmt: skip
    record = my.Trajectory(time, columns)
    return my.ExternalForces(
        [my.ExternalForce("plate", body, record, force=("fx", "fy", "fz"), point=("px", "py", "pz"))]
    )


@pytest.fixture(scope="module")
def runner() -> my.Model:
    return my.load_model("runner_skeleton")


@pytest.mark.parametrize("scheme", [my.Midpoint(step=0.01), my.Euler(step=0.002)], ids=["midpoint", "euler"])
def test_forces_bring_a_movement_back_in_a_simulation_of_their_own(runner: my.Model, scheme: my.Midpoint) -> None:
    """003-11: the run that is returned is what ``simulate`` gives with these motors, this start and this scheme."""
    motion = sway(runner)
    found = my.reproduce(runner, motion, scheme=scheme)
    again = my.simulate(found.model, 0.8, start=found.start, controls=found.controls, scheme=scheme)
    assert max(my.compare(again, found.run.select(list(runner.moving))).largest.values()) < 1e-6
    bound = 1e-3 if isinstance(scheme, my.Midpoint) else 2e-2
    assert max(my.compare(again, motion.resampled(motion.time), runner.moving).largest.values()) < bound


@pytest.mark.parametrize(("scheme", "order"), [("midpoint", 2), ("backward", 1)])
def test_the_distance_from_the_motion_falls_with_the_order_of_the_scheme(
    runner: my.Model, scheme: str, order: int
) -> None:
    errors = []
    for rows in (41, 81):
        kind = my.Midpoint() if scheme == "midpoint" else my.BackwardEuler()
        errors.append(my.reproduce(runner, sway(runner, rows), scheme=kind).comparison.largest["rad"])
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15)


def test_velocities_at_the_ends_of_steps_are_the_recorded_ones(runner: my.Model) -> None:
    motion = sway(runner)
    rates, found = motion.derivative(), my.reproduce(runner, motion)
    for name in runner.moving:
        assert np.allclose(found.run.values(f"{name}.speed"), rates.values(name), atol=1e-9)


def test_004_3_position_matching_alternates_and_velocity_matching_does_not() -> None:
    """004-3: a start speed that is off by 1 % swings from step to step for ever when positions are matched."""
    model = my.load_model("pendulum")
    time = np.linspace(0.0, 1.0, 101)
    angle, speed = 0.5 * np.sin(3.0 * time), 1.5 * np.cos(3.0 * time)
    speed[0] *= 1.01
    motion = my.Trajectory(
        time,
        {"angle": angle, "angle.speed": speed, "angle.acceleration": -4.5 * np.sin(3.0 * time)},
        {"angle": "rad", "angle.speed": "rad/s", "angle.acceleration": "rad/s^2"},
    )
    changes = {}
    for what in ("velocity", "position"):
        moment = my.reproduce(model, motion, by=my.Matched(what)).moments.values("angle.moment")
        changes[what] = np.diff(moment)
    assert np.all(np.sign(changes["position"][1:]) == -np.sign(changes["position"][:-1]))
    # Twice the error of the speed times inertia over the step, from one step to the next: 4 J e / h.
    assert np.abs(changes["position"]).mean() == pytest.approx(4 / 3 * 0.015 / 0.01, rel=0.05)
    assert np.abs(changes["velocity"][5:]).mean() < 0.05 * np.abs(changes["position"][5:]).mean()


def test_position_matching_is_exact_at_the_ends_of_steps(runner: my.Model) -> None:
    for scheme in (my.Midpoint(), my.BackwardEuler()):
        found = my.reproduce(runner, sway(runner), by=my.Matched("position"), scheme=scheme)
        assert max(found.comparison.largest.values()) < 1e-12


def test_moments_approach_those_of_inverse_dynamics_with_shorter_steps(runner: my.Model) -> None:
    motion, forces = sway(runner), push(next(iter(runner.bodies)))
    errors = []
    for step in (0.01, 0.005):
        found = my.reproduce(runner, motion, forces, scheme=my.Midpoint(step=step)).moments
        exact = my.inverse_dynamics(runner, motion.resampled(found.time, order=5), forces)
        inside = (found.time > 0.2) & (found.time < 0.6)  # away from the ends of the splines
        errors.append(np.abs(found.rows()[inside] - exact.select(list(found.names)).rows()[inside]).max())
    assert errors[0] < 0.5
    assert errors[1] == pytest.approx(errors[0] / 4, rel=0.2)


@pytest.mark.parametrize("increment", [0.001, 10.0])
def test_004_2_shooting_finds_the_forces_of_the_closed_form(runner: my.Model, increment: float) -> None:
    """004-2: either increment converges on a smooth scheme, and to the same forces."""
    motion, forces = sway(runner, 21), push(next(iter(runner.bodies)))
    closed = my.reproduce(runner, motion, forces)
    shot = my.reproduce(runner, motion, forces, by=my.Shooting(increment=increment, tolerance=1e-10))
    assert np.allclose(shot.moments.rows(), closed.moments.rows(), rtol=1e-6, atol=1e-4)
    assert shot.report.iterations > 0 == closed.report.iterations


def test_004_2_a_large_increment_converges_where_the_integrator_rounds() -> None:
    """004-2: LSODI's ends jump by its tolerance; an increment of 0.001 differentiates the jumps, one of 10 does not."""
    inertia, step, jump = np.array([[0.4, 0.1], [0.1, 0.2]]), 0.01, 1e-4

    def ends(forces: np.ndarray) -> np.ndarray:
        exact = np.linalg.solve(inertia, step * forces.T).T
        return np.round((exact + 0.02 * np.sin(exact)) / jump) * jump

    target, first = np.array([0.7, -0.4]), np.array([60.0, 45.0])
    assert corrected(ends, first, target, Shooting(10.0, tolerance=2 * jump)) is not None
    assert corrected(ends, first, target, Shooting(0.001, tolerance=2 * jump)) is None


def test_shooting_works_with_several_stages_and_shorter_steps(runner: my.Model) -> None:
    motion = sway(runner, 21)
    found = my.reproduce(runner, motion, by=my.Shooting(), scheme=my.RK4(step=0.01))
    again = my.simulate(found.model, 0.8, start=found.start, controls=found.controls, scheme=my.RK4(step=0.01))
    at_rows = again.resampled(found.run.time, order=3) if len(again) != len(found.run) else again
    assert max(my.compare(at_rows, found.run.select(list(runner.moving))).largest.values()) < 1e-6


def test_without_residuals_the_root_obeys_newton(runner: my.Model) -> None:
    """No force but gravity and the plate: the centre of mass must accelerate as they say, whatever joints do."""
    motion = sway(runner)
    found = my.reproduce(runner, motion, residuals=False)
    assert not any(name.endswith("_residual") for name in found.controls)
    assert "no residual forces" in found.report.notes[0]
    equations = my.equations_of(found.model)
    names = list(equations.coordinates)
    momentum, _ = equations.momentum(
        found.run.select(names).rows(), found.run.select([f"{name}.speed" for name in names]).rows()
    )
    fall = momentum - momentum[0] + runner.mass * G * found.run.time[:, None] * np.array([0.0, 1.0, 0.0])
    assert np.abs(fall).max() < 1e-3 * runner.mass * G * 0.8
    for name in ("knee_r", "hip_l", "elbow_r"):
        assert found.comparison[name].largest < 1e-3


def test_residuals_are_reported_by_name_and_size(runner: my.Model) -> None:
    notes = my.reproduce(runner, sway(runner)).report.notes
    assert any("residuals act on" in note and " N m, on " in note for note in notes)
    assert "no body floats" in my.reproduce(my.load_model("pendulum"), sway(my.load_model("pendulum"))).report.notes[0]


def test_what_cannot_be_reproduced_is_refused(runner: my.Model) -> None:
    motion = sway(runner)
    with pytest.raises(my.ModelError, match="several stages"):
        my.reproduce(runner, motion, scheme=my.RK4(step=0.01))
    with pytest.raises(my.ModelError, match="not DOP853"):
        my.reproduce(runner, motion, by=my.Shooting(), scheme=my.DOP853())
    with pytest.raises(my.ModelError, match="does not reach the position"):
        my.reproduce(runner, motion, by=my.Matched("position"), scheme=my.Euler(step=0.01))
    with pytest.raises(my.ModelError, match="'velocity' or 'position'"):
        my.Matched("speed")
    with pytest.raises(my.ModelError, match="increment must be a positive"):
        my.Shooting(increment=-1.0)
    with pytest.raises(my.ModelError, match="has constraints"):
        four_bar = my.load_model("four_bar")
        my.reproduce(four_bar, sway(four_bar))
    first = next(iter(runner.moving))
    columns = {name: motion.values(name).copy() for name in motion.names}
    columns[first][3] = np.nan
    with pytest.raises(DataError, match=f"'{first}' is NaN"):
        my.reproduce(runner, my.Trajectory(motion.time, columns))
    with pytest.raises(DataError, match=f"lacks '{first}' of '{runner.name}'; lock it, or add its column"):
        my.reproduce(runner, motion.select(list(motion.names)[1:]))
    late = my.Trajectory(motion.time + 5.0, {name: motion.values(name) for name in motion.names})
    with pytest.raises(DataError, match=r"is known from 0 to 0\.8 s"):
        my.reproduce(runner, late, push(next(iter(runner.bodies))))
