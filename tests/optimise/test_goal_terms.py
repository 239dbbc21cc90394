"""Goals term by term, and powers of effort that are not smooth at zero."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my


def reach(model: my.Model, rows: int = 60) -> my.Trajectory:
    time = np.arange(rows) / 50.0
    columns = {name: 0.6 + 0.3 * np.sin(3.0 * time + k) for k, name in enumerate(model.moving)}
    return my.Trajectory(time, columns, dict.fromkeys(columns, "rad"))


def arm(*, obedient: bool = False) -> my.Model:
    """Return an arm with rigid tendons, and motors of 1 N m beside the muscles.

    Obedient muscles have forces in proportion to their excitations.
    """
    model = my.load_model("planar_arm")
    change: dict[str, object] = {"tendon": "rigid"}
    if obedient:
        change |= {
            "activation": my.NoActivation(),
            "curves": my.DeGrooteFregly2016(parallel_strain=1e9),
            "damping": 0.0,
        }
    muscles = {name: part.model_copy(update=change) for name, part in model.muscles.items()}
    motors = {f"reserve_{name}": my.CoordinateActuator(coordinate=name, gain=1.0) for name in model.moving}
    return model.with_parts(muscles=muscles, forces=motors)


def following(model: my.Model, *goals: my.Effort) -> my.Problem:
    return my.Problem(
        model, motion=reach(model), start=0.1, duration=1.0, goals=list(goals), nodes=21, scheme=my.BackwardEuler()
    )


def test_terms_sum_up_to_the_parts_of_the_objective() -> None:
    model = arm()
    problem = following(model, my.Effort(weight=10.0, label="muscles"), my.Effort(of="torques", summed=True))
    found = my.solve(problem, audit=False, show=False)
    terms = my.goal_terms(found)
    assert list(terms["muscles"]) == [f"{name}.excitation" for name in model.muscles]
    assert list(terms["effort"]) == [f"reserve_{name}.control" for name in model.moving]
    assert found.report.optimum is not None
    for goal, part in found.report.optimum.parts.items():
        assert sum(terms[goal].values()) == pytest.approx(part, rel=1e-9)
    # Backward Euler measures goals at the ends of its steps.
    excitation = found.values("elbow_extensor.excitation")[1:]
    assert terms["muscles"]["elbow_extensor.excitation"] == pytest.approx(10.0 * np.mean(excitation**2) / 6, rel=1e-9)


def test_terms_of_a_movement_from_elsewhere() -> None:
    """Tracking by columns, with deviations of each kind; metabolic cost by muscles."""
    model = my.load_model("planar_arm")
    time = np.linspace(0.0, 0.5, 11)
    data = my.Trajectory(time, {"shoulder": 0.1 * time, "hand": 0.2 * time}, {"shoulder": "rad", "hand": "rad"})
    tables = my.Trajectory(time, {"shoulder": np.full(11, 0.5), "hand": np.full(11, 0.25)})
    for deviations in ({"shoulder": 0.5, "hand": 0.25}, tables):
        track = my.Track(data, of={"hand": "elbow"}, deviations=deviations, weight=3.0)
        problem = my.Problem(
            model, duration=0.5, goals=[track, my.MetabolicCost(weight=0.1)], nodes=11, scheme=my.BackwardEuler()
        )
        still = my.Trajectory(time, {name: np.zeros(11) for name in model.moving})
        terms = my.goal_terms(problem, still)
        # Limits of the joints may keep the elbow from zero.
        elbow = max(0.0, (model.coordinates["elbow"].range or (0.0, 0.0))[0])
        assert terms["track"]["shoulder"] == pytest.approx(1.5 * np.mean((0.1 * time[1:] / 0.5) ** 2))
        assert terms["track"]["hand"] == pytest.approx(1.5 * np.mean(((elbow - 0.2 * time[1:]) / 0.25) ** 2))
        assert list(terms["metabolic_cost"]) == [f"{name}.metabolic_power" for name in model.muscles]
        assert all(value > 0 for value in terms["metabolic_cost"].values())


def test_terms_need_a_movement_and_only_one() -> None:
    problem = my.load_problem("sliding_mass")
    with pytest.raises(my.ModelError, match="has no movement"):
        my.goal_terms(problem)
    found = my.solve(problem, nodes=[11], audit=False, show=False)
    with pytest.raises(my.ModelError, match="its own movement"):
        my.goal_terms(found, found.trajectory)
    assert my.goal_terms(found)["final_time"]["final_time"] == pytest.approx(found.duration)


@pytest.mark.parametrize("exponent", [0.5, 0.99])
def test_powers_below_one_are_refused(exponent: float) -> None:
    with pytest.raises(my.ModelError, match="at least 1"):
        my.Effort(exponent=exponent)


@pytest.mark.parametrize("exponent", [1.0, 1.5])
def test_torques_of_both_signs_have_no_such_power(exponent: float) -> None:
    with pytest.raises(my.ModelError, match=r"'reserve_shoulder\.control' can be negative"):
        my.solve(following(arm(), my.Effort(of="torques", exponent=exponent)), show=False)


def test_the_first_power_of_what_is_never_negative_is_its_mean() -> None:
    """Obedient muscles: then the sum of excitations is a linear goal under linear equations."""
    model = arm(obedient=True)
    problem = following(model, my.Effort(exponent=1, weight=10.0, label="muscles"), my.Effort(of="torques"))
    found = my.solve(problem, audit=False, show=False)
    assert found.report.optimum is not None
    assert found.report.optimum.largest_violation < 1e-6
    means = [np.mean(found.values(f"{name}.excitation")[1:]) for name in model.muscles]
    assert found.report.optimum.parts["muscles"] == pytest.approx(10.0 * np.mean(means), rel=1e-6)
    # Who pays for the sum lets antagonists sleep.
    for one, other in (("shoulder_flexor", "shoulder_extensor"), ("elbow_flexor", "elbow_extensor")):
        both = np.minimum(found.values(f"{one}.excitation"), found.values(f"{other}.excitation"))[1:]
        assert both.max() < 1e-3


def test_the_first_power_of_activations() -> None:
    model = arm()
    goals = my.Effort(of="activations", exponent=1, weight=10.0, label="muscles"), my.Effort(of="torques")
    found = my.solve(following(model, *goals), audit=False, show=False)
    assert found.report.optimum is not None
    means = [np.mean(found.values(f"{name}.activation")[1:]) for name in model.muscles]
    assert found.report.optimum.parts["muscles"] == pytest.approx(10.0 * np.mean(means), rel=1e-6)


def test_powers_between_one_and_two() -> None:
    found = my.solve(
        following(arm(), my.Effort(exponent=1.5, weight=10.0, label="muscles"), my.Effort(of="torques")),
        audit=False,
        show=False,
    )
    assert found.report.optimum is not None
    assert found.report.optimum.largest_violation < 1e-6
    powers = [np.mean(np.maximum(found.values(f"{name}.excitation"), 0.0)[1:] ** 1.5) for name in found.model.muscles]
    assert found.report.optimum.parts["muscles"] == pytest.approx(10.0 * np.mean(powers), rel=1e-3)


@pytest.mark.long
def test_walking_with_the_least_sum_of_excitations() -> None:
    """Through activation dynamics short pulses are cheaper than an even excitation, so that they come."""
    problem = my.load_problem("gait2d_tracking")
    assert isinstance(problem, my.Problem)
    sums = problem.model_copy(update={"goals": (problem.goals[0], my.Effort(exponent=1, weight=5.0))})
    found = my.solve(sums, nodes=[40], settings=my.Settings(tolerance=1e-4), audit=False, show=False)
    optimum = found.report.optimum
    assert optimum is not None
    assert optimum.largest_violation < 1e-4
    assert optimum.parts["track"] < 0.4
    soleus = found.values("right_soleus.excitation")
    assert soleus.max() > 0.8
    assert np.mean(soleus < 0.05) > 0.5


def test_gaps_of_a_record_cost_nothing() -> None:
    """Between two rows that are known a column is interpolated; beside a gap it has no weight, and no neighbour changes."""
    time = np.linspace(0.0, 1.0, 11)
    column = np.sin(3 * time)
    whole = my.Track(my.Trajectory(time, {"angle": column}), deviations=0.1)
    torn = column.copy()
    torn[4:6] = np.nan
    at = np.linspace(0.0, 1.0, 101)
    values, deviations = my.Track(my.Trajectory(time, {"angle": torn}), deviations=0.1).recorded(at, at).T
    hidden = (at > 0.3 + 1e-9) & (at < 0.6 - 1e-9)
    assert np.all(deviations[hidden] > 1e50)
    clear = (at < 0.3 - 1e-9) | (at > 0.6 + 1e-9)
    np.testing.assert_array_equal(deviations[clear], 0.1)
    np.testing.assert_allclose(values[clear], whole.recorded(at, at)[clear, 0], atol=2e-3)


@pytest.mark.long
def test_sensors_that_come_and_go_still_give_the_motion() -> None:
    """An angle recorded in the first half, a gyroscope in the second: together they know the swing."""
    model = my.load_model("pendulum")
    swing = my.simulate(model, 1.0, start={"angle": 0.5}, every=0.01)
    late = swing.time > 0.5
    columns = {
        "angle": np.where(late, np.nan, swing.values("angle")),
        "rate": np.where(late, swing.values("angle.speed"), np.nan),
    }
    track = my.Track(my.Trajectory(swing.time, columns), of={"rate": "angle.speed"}, deviations=0.01)
    problem = my.Problem(model, duration=1.0, goals=[track], nodes=41, conditions=[my.Bounds({"angle": (-2.0, 2.0)})])
    found = my.solve(problem, audit=False, show=False)
    expected = np.interp(found.time, swing.time, swing.values("angle"))
    assert found.values("angle") == pytest.approx(expected, abs=2e-3)
