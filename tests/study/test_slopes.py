"""Linear sensitivities from exact Jacobians: closed forms, differences of tight simulations and solves, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import myodyne as my

GRAVITY = 9.81


def ball(**fields: Any) -> my.Study:
    """Return the study of a ball that falls 2 m, or for 0.5 s."""
    model = my.Model(
        name="ball",
        gravity=(0.0, -GRAVITY, 0.0),
        bodies={"ball": my.Body(mass=2.0)},
        joints={"fall": my.slider("ground", "ball", "height", axis="y", default=2.0)},
    )
    ranges = {"start:height": (1.9, 2.1), "gravity.y": (-9.91, -9.71), "ball.mass": (1.9, 2.1)}
    given: dict[str, Any] = {"vary": ranges, "duration": 0.5} | fields
    return my.Study(model, **given)


def test_a_falling_ball_has_the_slopes_of_its_formula() -> None:
    study = ball(measure=["height.final", "height.mean", "energy.kinetic.final"])
    t = 0.5
    expected = {
        "height.final": [1.0, t**2 / 2, 0.0],
        "height.mean": [1.0, t**2 / 6, 0.0],
        "energy.kinetic.final": [0.0, -2.0 * GRAVITY * t**2, (GRAVITY * t) ** 2 / 2],
    }
    for measure, slopes in expected.items():
        found = my.sensitivity(study, my.Slopes(), measure=measure)
        # The mean is that of samples, by the trapezium rule.
        assert found.columns["slope"] == pytest.approx(slopes, rel=1e-4 if "mean" in measure else 1e-7, abs=1e-9)


def test_the_instant_of_an_event_moves_with_the_numbers() -> None:
    def landing(run: my.Result) -> float:
        return float(run.time[-1])

    study = ball(
        measure=[landing, "height.speed.final", "height.final"], until=my.falls_through_zero("height"), duration=1.0
    )
    time = np.sqrt(2 * 2.0 / GRAVITY)
    expected = {
        "landing": [time / 4.0, time / (2 * GRAVITY), 0.0],
        "height.speed.final": [-GRAVITY * time / 4.0, 1.0 / time * 4.0 / (2 * GRAVITY), 0.0],
        "height.final": [0.0, 0.0, 0.0],
    }
    for measure, slopes in expected.items():
        found = my.sensitivity(study, my.Slopes(), measure=measure)
        assert found.columns["slope"] == pytest.approx(slopes, rel=1e-6, abs=1e-7), measure


@pytest.mark.long
def test_muscles_and_control_values_agree_with_differences() -> None:
    arm = my.load_model("planar_arm")
    curve = my.piecewise_linear([0.0, 0.1, 0.2], [0.1, 0.4, 0.2])
    study = my.Study(
        arm,
        vary={
            "elbow_flexor.max_force": (1000.0, 1010.0),
            "forearm.mass": (1.5, 1.52),
            "start:shoulder": (0.3, 0.302),
            "control:elbow_flexor.value.1": (0.39, 0.41),
        },
        measure=["elbow.final", "elbow_flexor.force.max"],
        duration=0.2,
        controls={"elbow_flexor": curve},
        scheme=my.Rosenbrock(relative=1e-9, absolute=1e-9),
    )
    for measure in study.measures:
        slopes = my.sensitivity(study, my.Slopes(), measure=measure)
        differences = my.sensitivity(study, my.OneAtATime(part=0.2), measure=measure)
        assert slopes.columns["slope"] == pytest.approx(differences.columns["slope"], rel=2e-3, abs=1e-9), measure
        assert slopes.base == pytest.approx(differences.base, rel=1e-6)


def test_the_objective_of_an_optimum_has_the_slope_of_its_formula() -> None:
    """A mass that a bounded force moves over a metre takes a time that grows as the root of the mass."""
    problem = my.load_problem("sliding_mass").model_copy(update={"nodes": 11})
    study = my.Study(problem=problem, vary={"block.mass": (1.9, 2.1)}, measure="objective")
    found = my.sensitivity(study, my.Slopes())
    assert found.base is not None
    assert found.columns["slope"] == pytest.approx([found.base / (2 * 2.0)], rel=1e-5)
    assert found.columns["high"][0] > found.base > found.columns["low"][0]


def test_an_optimal_movement_follows_numbers_as_solving_again_does() -> None:
    motor = my.CoordinateActuator(coordinate="angle", gain=5.0, control_range=(-1.0, 1.0))
    problem = my.Problem(
        my.load_model("pendulum").with_parts(forces={"motor": motor}),
        duration=1.0,
        goals=[my.Effort(of="torques")],
        conditions=[my.Start({"angle": 0.0, "angle.speed": 0.0}), my.End({"angle": 1.0, "angle.speed": 0.0})],
        scheme=my.Radau(degree=3),
        nodes=11,
    )
    ranges = {"rod.mass": (0.99, 1.01), "duration": (0.99, 1.01)}

    def kinetic_energy_per_mass(solution: my.Solution) -> float:
        return float(np.mean(solution.values("energy.kinetic")) / solution.model.mass)

    measures = ["objective", "angle.mean", "motor.control.max", kinetic_energy_per_mass]
    study = my.Study(problem=problem, vary=ranges, measure=measures)
    for measure in study.measures:
        slopes = my.sensitivity(study, my.Slopes(), measure=measure).columns["slope"]
        again = my.sensitivity(study, my.OneAtATime(part=0.2), measure=measure).columns["slope"]
        assert slopes == pytest.approx(again, rel=5e-3, abs=1e-4), measure


@pytest.mark.long
def test_the_height_of_a_jump_follows_strengths() -> None:
    jumper = my.load_model("jumper")

    def height(run: my.Result) -> float:
        return float(run.final["com.position_y"] + run.final["com.velocity_y"] ** 2 / (2 * GRAVITY))

    study = my.Study(
        jumper,
        vary={"soleus.max_force": (7960.0, 8040.0), "vasti.max_force": (8960.0, 9040.0)},
        measure=height,
        duration=0.8,
        controls={name: my.step(at=0.02, before=one.default_activation) for name, one in jumper.muscles.items()},
        scheme=my.DOP853(relative=1e-9, absolute=1e-9),
        until=my.falls_through_zero("stance.force_y"),
    )
    slopes = my.sensitivity(study, my.Slopes()).columns["slope"]
    assert slopes == pytest.approx(my.sensitivity(study, my.OneAtATime(part=0.1)).columns["slope"], rel=1e-3)


def test_what_has_no_slope_is_refused_by_name() -> None:
    def mass(model: my.Model) -> float:
        return model.mass

    pendulum = my.load_model("pendulum")
    with pytest.raises(my.ModelError, match=r"duration= or problem="):
        my.sensitivity(my.Study(pendulum, vary={"rod.mass": (0.9, 1.1)}, measure=mass), my.Slopes())
    with pytest.raises(my.ModelError, match=r"'rod.mass' takes a few values only"):
        whole = my.Study(pendulum, vary={"rod.mass": my.Integers(1, 3)}, measure="angle.max", duration=0.1)
        my.sensitivity(whole, my.Slopes())
    arm = my.load_model("planar_arm")
    timing = my.Onsets({"elbow_flexor": 0.05})
    late = my.Study(arm, vary={"elbow_flexor.onset": (0.01, 0.05)}, measure="elbow.max", duration=0.1, controls=timing)
    with pytest.raises(my.ModelError, match=r"'elbow_flexor.onset' is a time"):
        my.sensitivity(late, my.Slopes())
