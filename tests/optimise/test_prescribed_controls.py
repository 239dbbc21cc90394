"""Controls that a model prescribes over time are known functions in a problem, not unknowns."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my

MASS, DISTANCE, DURATION, BEGIN, SLOPE = 2.0, 1.0, 1.5, 0.4, 3.0


def sled(**prescribed: object) -> my.Model:
    """A mass on a rail, pushed by two motors."""
    motors = {name: my.CoordinateActuator(coordinate="way", gain=1.0) for name in ("wind", "push")}
    return my.Model(
        name="sled",
        bodies={"block": my.Body(mass=MASS)},
        joints={"rail": my.slider("ground", "block", "way", axis="x")},
        forces=motors,
        prescribed=prescribed,
    )


def from_rest_to_rest(model: my.Model, **more: object) -> my.Problem:
    ends = [my.Start({"way": 0.0, "way.speed": 0.0}), my.End({"way": DISTANCE, "way.speed": 0.0})]
    return my.Problem(
        model,
        start=BEGIN,
        goals=[my.Effort(of=("push.control",))],
        conditions=ends,
        **{"duration": DURATION, **more},
    )


def test_the_optimal_control_completes_the_prescribed_one() -> None:
    # wind = SLOPE t²; the costates of a double integrator make the other force linear in time.
    model = sled(wind=my.Polynomial(of=("time",), terms=(my.Term(coefficient=SLOPE, powers=(2,)),)))
    solution = my.solve(from_rest_to_rest(model), my.Radau(3), nodes=21)
    time = np.asarray(solution.time)
    wind = SLOPE * time**2
    assert np.allclose(solution["wind.control"], wind, rtol=0, atol=1e-12)
    first, second = _moments_of(lambda t: SLOPE * (BEGIN + t) ** 2)
    # Two integrals of the force fix the two numbers of the line: change of momentum 0, displacement DISTANCE.
    lever = DURATION**2 / 2 * np.array([[2 / DURATION, 1.0], [1.0, DURATION / 3]])
    constant, slope = np.linalg.solve(lever, [-first, MASS * DISTANCE - second])
    line = constant + slope * (time - BEGIN)
    # At the very first instant no equation holds; it has the control of the next.
    assert np.allclose(solution["push.control"][1:], line[1:], rtol=0, atol=1e-4 * np.abs(line).max())
    assert "the model prescribes 'wind' over time: not optimised" in solution.report.notes
    assert solution.report.optimum.replay < 1e-6
    run = my.replay(solution)
    assert run.final["way"] == pytest.approx(DISTANCE, abs=1e-6)
    assert run.final["wind.control"] == pytest.approx(SLOPE * (BEGIN + DURATION) ** 2)


def _moments_of(force: object) -> tuple[float, float]:
    """Return the impulse of a force, and its double integral, by Gauss's rule (exact for polynomials)."""
    points, weights = np.polynomial.legendre.leggauss(8)
    times = DURATION / 2 * (points + 1.0)
    values = DURATION / 2 * weights * force(times)  # type: ignore[operator]
    return float(values.sum()), float((values * (DURATION - times)).sum())


def test_all_controls_are_unknown_once_they_are_unprescribed() -> None:
    model = sled(wind=my.Constant(value=1.0)).unprescribed("wind")
    solution = my.solve(from_rest_to_rest(model), my.Radau(3), nodes=11)
    # The free motor does all the work, since only the other one costs anything.
    assert np.abs(solution["push.control"]).max() < 1e-3
    with pytest.raises(my.ModelError, match="unknown prescribed control 'pull'"):
        model.unprescribed("pull")


def test_a_law_goes_before_what_is_prescribed() -> None:
    model = sled(wind=my.Linear(coordinate="time", slope=3.0))
    law = my.Feedback(lambda at: {"wind": -0.5 * at["way.speed"]})
    solution = my.solve(from_rest_to_rest(model, feedback=law), my.Radau(3), nodes=11)
    assert np.allclose(solution["wind.control"], -0.5 * solution["way.speed"], atol=1e-9)


def test_a_free_duration_is_refused_with_a_remedy_unless_the_control_is_constant() -> None:
    model = sled(wind=my.Linear(coordinate="time", slope=3.0))
    with pytest.raises(my.ModelError, match=r"prescribes 'wind' over time.*model\.unprescribed\(\)"):
        my.solve(from_rest_to_rest(model, duration=(0.5, 2.0)))
    steady = from_rest_to_rest(sled(wind=my.Constant(value=1.0)), duration=(0.5, 2.0))
    assert np.allclose(my.solve(steady, my.Radau(3), nodes=11)["wind.control"], 1.0)


def test_under_a_given_motion_the_others_supply_the_rest() -> None:
    times = np.linspace(0.0, 2.0, 80)
    motion = my.Trajectory(times, {"way": 0.3 * np.sin(3.0 * times)})
    model = sled(wind=my.Linear(coordinate="time", slope=3.0))
    problem = my.Problem(model, start=BEGIN, duration=DURATION, motion=motion, goals=[my.Effort(of="torques")])
    solution = my.solve(problem, my.Radau(3), nodes=11)
    time = np.asarray(solution.time)
    assert np.allclose(solution["wind.control"], 3.0 * time)
    both = np.asarray(solution["wind.control"] + solution["push.control"])
    assert np.allclose(both[1:], solution["way.moment"][1:], atol=1e-8)


def test_a_prescribed_excitation_drives_its_muscle_under_a_given_motion() -> None:
    arm = my.load_model("planar_arm")
    muscles = {name: part.model_copy(update={"tendon": "rigid"}) for name, part in arm.muscles.items()}
    motors = {f"reserve_{name}": my.CoordinateActuator(coordinate=name, gain=10.0) for name in arm.moving}
    ramped = next(iter(muscles))
    ramp = my.Linear(coordinate="time", slope=0.8, offset=0.1)
    model = arm.with_parts(muscles=muscles, forces=motors, prescribed={ramped: ramp})
    times = np.arange(60) / 50.0
    columns = {name: 0.6 + 0.3 * np.sin(3.0 * times + k) for k, name in enumerate(model.moving)}
    motion = my.Trajectory(times, columns, dict.fromkeys(columns, "rad"))
    problem = my.Problem(model, motion=motion, start=0.1, duration=0.5, goals=[my.Effort(of="controls")])
    solution = my.solve(problem, my.Radau(2), nodes=21, show=False)
    assert solution.values(f"{ramped}.excitation") == pytest.approx(0.1 + 0.8 * solution.time)
    assert solution.report.optimum.mesh_error < 1e-3
    # Activation does not depend on the motion: a simulation from the same activation has the same.
    calcium = f"{ramped}.calcium"
    begin = {calcium: float(solution.values(calcium)[0])}
    run = my.simulate(model, 0.5, start=begin, from_time=0.1, progress=False).resampled(solution.time)
    assert solution.values(calcium) == pytest.approx(run.values(calcium), abs=2e-4)
