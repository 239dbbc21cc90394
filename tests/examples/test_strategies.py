"""Control strategies of the examples: the hopper hops, posture is held, couplings move the arms with the legs."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from scipy.linalg import eigh, expm

import myodyne as my

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name: str) -> ModuleType:
    """Return an example as a module."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def hopping() -> ModuleType:
    return example("hopper")


@pytest.fixture(scope="module")
def hops(hopping: ModuleType) -> my.Result:
    run: my.Result = hopping.hop()
    return run


def test_it_hops_a_hundred_times_while_the_target_speed_changes_by_thirty_percent(
    hopping: ModuleType, hops: my.Result
) -> None:
    assert hops.report.status == "completed"
    assert len(hopping.lift_offs(hops)) >= 100
    assert {value for _, value in hopping.TARGETS} == {0.7, 1.0, 1.3}
    for value, speeds in hopping.reached(hops):
        assert len(speeds) == 10
        assert speeds.mean() == pytest.approx(value, rel=0.03)
        assert np.ptp(speeds) < 0.015
    assert np.abs(hopping.pitch(hops)).max() < my.degrees(8)


def test_the_last_hops_repeat(hopping: ModuleType, hops: my.Result) -> None:
    """With a constant target what is left of a disturbance shrinks from hop to hop."""
    speeds = hopping.hop_speeds(hops)
    begins = hopping.lift_offs(hops)[:-1]
    last = speeds[begins > hopping.TARGETS[-1][0] + 1.0]
    assert np.abs(np.diff(last[-8:])).max() < 0.1 * np.abs(np.diff(last[:5])).max()


def test_energy_is_accounted_for_and_the_ground_only_pushes(hops: my.Result) -> None:
    assert hops.report.energy_error < 1e-9
    push = hops.values("hold_foot_y.torque")
    assert np.nanmin(push) > -1e-6 * np.nanmax(push)


def test_landing_keeps_angular_momentum_about_the_foot_and_the_foot_stays_where_it_lands(hops: my.Result) -> None:
    landing = next(time for time, name in hops.report.events if name.startswith("foot_y"))
    row = int(np.searchsorted(hops.time, landing))
    before, after = ({name: hops.values(name)[i] for name in hops.names} for i in (row, row + 1))
    momenta = []
    for at in (before, after):
        arm = np.array([at["com.position_x"] - at["foot_x"], at["com.position_y"] - at["foot_y"]])
        linear = np.array([at["momentum.linear_x"], at["momentum.linear_y"]])
        momenta.append(at["momentum.angular_z"] + arm[0] * linear[1] - arm[1] * linear[0])
    assert momenta[0] == pytest.approx(momenta[1], rel=1e-10)
    assert after["energy.kinetic"] < before["energy.kinetic"]
    assert abs(after["foot_x.speed"]) < 1e-12 < abs(before["foot_x.speed"])
    standing = hops.values("foot_x")[~np.isnan(hops.values("hold_foot_y.torque"))]
    places = np.split(standing, np.flatnonzero(np.abs(np.diff(standing)) > 0.05) + 1)
    assert len(places) > 100
    assert max(np.ptp(place) for place in places) < 1e-9


def test_each_of_the_three_laws_is_needed(hopping: ModuleType) -> None:
    duration = hopping.TARGETS[1][0]
    runs = {name: hopping.hop(duration, **gains) for name, gains in hopping.WITHOUT.items()}
    assert runs["thrust"].report.status != "completed"
    assert np.abs(hopping.pitch(runs["attitude control"])).max() > 2 * np.pi
    assert hopping.hop_speeds(runs["an answer to speed"])[-1] > 1.1


@pytest.fixture(scope="module")
def two_legs(hopping: ModuleType) -> ModuleType:
    """The example takes the laws of the hopper on one leg, which stands among the modules by now."""
    return example("two_legged_hopper")


@pytest.fixture(scope="module")
def steps(two_legs: ModuleType) -> my.Result:
    run: my.Result = two_legs.run_on_two_legs()
    return run


def test_it_runs_on_two_legs_at_the_speeds_of_the_hopper(
    hopping: ModuleType, two_legs: ModuleType, steps: my.Result
) -> None:
    assert steps.report.status == "completed"
    assert steps.report.energy_error < 1e-9
    assert len(hopping.lift_offs(steps)) >= 100
    for value, speeds in hopping.reached(steps):
        assert speeds.mean() == pytest.approx(value, rel=0.03)
        assert np.ptp(speeds) < 0.02
    assert np.abs(hopping.pitch(steps)).max() < my.degrees(3)
    stands = ~np.isnan(steps.values("hold_foot_y.torque"))
    assert two_legs.idle_foot(steps)[stands].min() > 0.02
    assert np.nanmin(steps.values("hold_foot_y.torque")) > -1e-6 * np.nanmax(steps.values("hold_foot_y.torque"))


def test_exchanging_the_legs_changes_the_tree_and_not_the_body(two_legs: ModuleType, steps: my.Result) -> None:
    """Momenta, energies and the centre of mass go on; what was the idle foot is the active one, and the reverse."""
    kept = ("com.position_x", "com.position_y", "momentum.linear_x", "momentum.linear_y", "momentum.angular_z")
    kept += ("energy.kinetic", "energy.potential", "body.position_x", "body.velocity_y")
    idle = two_legs.idle_foot(steps)
    times = [time for time, name in steps.report.events if name.startswith("hold_foot_y")]
    for time in times[:4]:
        row = int(np.searchsorted(steps.time, time))
        for name in kept:
            assert steps.values(name)[row + 1] == pytest.approx(steps.values(name)[row], rel=1e-10, abs=1e-12)
        assert steps.values("foot_y")[row + 1] == pytest.approx(idle[row], abs=1e-12)
        assert idle[row + 1] == pytest.approx(steps.values("foot_y")[row], abs=1e-12)
        assert idle[row] > 0.1


@pytest.fixture(scope="module")
def posture() -> ModuleType:
    return example("posture")


def test_standing_needs_feedback_and_small_motions_are_those_of_the_closed_loop(posture: ModuleType) -> None:
    standing = posture.Standing()
    assert standing.eigenvalues(0.5)[-1].real > 0
    assert standing.eigenvalues(1.0)[-1].real < 0
    linear = my.linearise(standing.model, standing.start, feedback=standing.law(1.0))
    off = np.zeros(len(linear.states))
    off[linear.states.index("hip")] = 1e-5
    begin = {name: standing.start.get(name, 0.0) + change for name, change in zip(linear.states, off, strict=True)}
    run = my.simulate(standing.model, 0.5, start=begin, feedback=standing.law(1.0))
    expected = expm(0.5 * linear.A) @ off
    found = np.array([run.final[name] - standing.start.get(name, 0.0) for name in linear.states])
    assert np.abs(expected).max() > 1e-6
    assert found == pytest.approx(expected, abs=2e-9)


def test_standing_needs_the_stiffness_that_gravity_takes_away(posture: ModuleType) -> None:
    """With a foot that cannot tip, the loop is stable where stiffness exceeds the slope of gravity's moments."""
    model = my.load_model("jumper_skeleton").with_values({"toe.locked": True, "toe.default": 0.0})
    standing = posture.Standing(model)
    eq = my.equations_of(model)
    q = np.array([standing.start[name] for name in eq.coordinates])

    def weight(at: np.ndarray) -> np.ndarray:
        return np.asarray(eq.inverse_dynamics(at, 0 * at, 0 * at))

    toppling = -np.column_stack([(weight(q + d) - weight(q - d)) / 2e-5 for d in 1e-5 * np.eye(3)])
    stiffness = np.diag([posture.STIFFNESS[name] for name in eq.coordinates])
    needed = eigh(toppling, stiffness, eigvals_only=True).max()
    assert 0.3 < needed < 1.0
    assert standing.eigenvalues(1.01 * needed)[-1].real < 0 < standing.eigenvalues(0.99 * needed)[-1].real


def test_a_push_is_withstood_up_to_what_the_foot_allows(posture: ModuleType) -> None:
    standing = posture.Standing()
    held = standing.pushed(100.0)
    assert held.report.status == "completed"
    assert held.report.energy_error < 1e-9
    assert held.values("com.position_x").max() < 0, "it stays behind the ball of the foot"
    assert held.final["com.position_x"] == pytest.approx(held.values("com.position_x")[0], abs=5e-3)
    bound = standing.bound()
    assert not standing.withstands(bound, 4.0), "more feedback does not help a foot that tips"
    assert standing.withstands(0.6 * bound, 4.0)


@pytest.fixture(scope="module")
def arms() -> ModuleType:
    return example("coupled_arms")


def test_couplings_leave_one_parameter_and_kept_or_embedded_they_move_alike(arms: ModuleType) -> None:
    kept, embedded = arms.run(arms.kept()), arms.run(arms.embedded())
    assert arms.embedded().moving == ("stride",)
    for name in ("stride", "hip_l", "knee_r", "shoulder_r", "elbow_l"):
        assert kept.values(name) == pytest.approx(embedded.values(name), abs=1e-9)
    assert kept.values("shoulder_r") == pytest.approx(arms.ARM_SWING * (kept.values("hip_l") - 0.25), abs=1e-9)
    assert kept.report.energy_error < 1e-9
    energy = kept.values("energy.kinetic") + kept.values("energy.potential")
    assert np.ptp(energy) < 1e-8 * np.ptp(kept.values("energy.kinetic"))


def test_the_torques_of_kept_couplings_are_those_of_inverse_dynamics(arms: ModuleType) -> None:
    """A shoulder gets the torque of its own coupling, less what its elbow's coupling passes on."""
    run = arms.run(arms.kept(), 0.5)
    moments = my.inverse_dynamics(arms.runner(), run.trajectory.select(arms.runner().moving))
    row = slice(20, -20)
    elbow, shoulder = (run.values(f"{name}_r_coupling.torque") for name in ("elbow", "shoulder"))
    assert moments.values("elbow_r.moment")[row] == pytest.approx(elbow[row], abs=0.05)
    assert moments.values("shoulder_r.moment")[row] == pytest.approx((shoulder - 0.3 * elbow)[row], abs=0.1)
