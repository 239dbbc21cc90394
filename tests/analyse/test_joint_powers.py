"""Powers and work of joints, energy of segments, and what flows between them: balances that must close."""

import numpy as np
import pytest

import myodyne as my
from myodyne.data import DataError

TIME = np.arange(401) / 400.0


def moving(model, scale=0.3):
    """A smooth motion of all coordinates, with exact speeds and accelerations."""
    columns = {}
    for number, name in enumerate(model.coordinates):
        speed, phase = 4.0 + 0.7 * number, 0.5 * number
        columns[name] = model.coordinates[name].default + scale * np.sin(speed * TIME + phase)
        columns[f"{name}.speed"] = scale * speed * np.cos(speed * TIME + phase)
        columns[f"{name}.acceleration"] = -scale * speed**2 * np.sin(speed * TIME + phase)
    return my.Trajectory(TIME, columns)


def plate(body):
    columns = {f"f{axis}": 300.0 * np.sin(3.0 * TIME + place) for place, axis in enumerate("xyz")}
    columns |= {f"p{axis}": 0.1 * np.cos(2.0 * TIME + place) for place, axis in enumerate("xyz")}
    columns |= {f"t{axis}": 5.0 * np.cos(4.0 * TIME + place) for place, axis in enumerate("xyz")}
    parts = {part: tuple(f"{part[0]}{axis}" for axis in "xyz") for part in ("force", "point", "torque")}
    return my.ExternalForces([my.ExternalForce("push", body, my.Trajectory(TIME, columns), **parts)])


MODELS = ["double_pendulum_3d", "runner_skeleton", "jumper_skeleton"]


@pytest.fixture(scope="module", params=MODELS)
def found(request):
    model = my.load_model(request.param)
    forces = plate(list(model.bodies)[-1])
    return model, my.joint_powers(model, moving(model), forces)


def test_the_energies_of_the_segments_add_up_to_that_of_the_body(found):
    model, powers = found
    eq = my.equations_of(model.unconstrained())
    motion = moving(model)
    q, v = (np.column_stack([motion.values(name + end) for name in eq.coordinates]) for end in ("", ".speed"))
    kinetic, _ = eq.energy(q, v)
    ours = sum(powers.result.values(f"{body}.kinetic_energy") for body in model.bodies)
    np.testing.assert_allclose(ours, kinetic, rtol=1e-9, atol=1e-9)


def test_the_energy_of_each_segment_changes_by_what_flows_in(found):
    """Joints and external forces: nothing else touches a segment. The rate is that of a quintic spline."""
    model, powers = found
    result = powers.result
    for body in model.bodies:
        energy = result.values(f"{body}.kinetic_energy") + result.values(f"{body}.potential_energy")
        rate = my.Trajectory(TIME, {"e": energy}).derivative().values("e")
        flow = result.values(f"{body}.external_power").copy()
        for name, joint in model.joints.items():
            if joint.child.body == body:
                flow += result.values(f"{name}.power_to_child")
            if joint.parent.body == body:
                flow += result.values(f"{name}.power_to_parent")
        size = max(np.abs(flow).max(), 1.0)
        np.testing.assert_allclose(rate[20:-20], flow[20:-20], atol=2e-6 * size, err_msg=body)


def test_what_a_joint_gives_to_both_sides_is_the_power_of_its_coordinates(found):
    model, powers = found
    result = powers.result
    for name, joint in model.joints.items():
        own = sum(result.values(f"{coordinate}.power") for coordinate in joint.coordinates)
        given = result.values(f"{name}.power_to_child") + result.values(f"{name}.power_to_parent")
        np.testing.assert_allclose(given, own, atol=1e-8 * max(1.0, np.abs(result.rows()).max()), err_msg=name)


def test_moments_are_those_of_inverse_dynamics_and_powers_are_moments_times_speeds(found):
    model, powers = found
    motion = moving(model)
    inverse = my.inverse_dynamics(model, motion, plate(list(model.bodies)[-1]))
    for name in model.coordinates:
        np.testing.assert_array_equal(powers.result.values(f"{name}.moment"), inverse.values(f"{name}.moment"))
        expected = inverse.values(f"{name}.moment") * motion.values(f"{name}.speed")
        np.testing.assert_allclose(powers.result.values(f"{name}.power"), expected, rtol=1e-12, atol=1e-12)


def test_work_is_the_integral_of_power_with_its_sign_and_adds_up_over_phases():
    model = my.load_model("pendulum")
    found = my.joint_powers(model, moving(model), phases={"early": (0.0, 0.333), "late": (0.333, 1.0)})
    power = found.result.values("angle.power")
    early, late, whole = (found.work[phase]["angle"] for phase in ("early", "late", "whole"))
    assert whole.net == pytest.approx(np.trapezoid(power, TIME), rel=1e-12)
    assert whole.positive == pytest.approx(np.trapezoid(np.maximum(power, 0.0), TIME), rel=1e-3)
    assert early.positive + late.positive == pytest.approx(whole.positive, rel=1e-4)
    assert early.negative + late.negative == pytest.approx(whole.negative, rel=1e-4)
    assert whole.negative < 0.0 < whole.positive
    # Work is the gain of energy.
    energy = found.result.values("rod.kinetic_energy") + found.result.values("rod.potential_energy")
    assert whole.net == pytest.approx(energy[-1] - energy[0], rel=1e-4)
    assert "early" in str(found)


def test_a_gait_cycle_in_percent():
    model = my.load_model("pendulum")
    cycles = my.joint_powers(model, moving(model)).result.percent([0.1, 0.5, 0.9])
    assert cycles.values("angle.power").shape == (2, 101)
    assert cycles.units["angle.power"] == "W"


def test_stances_are_where_the_plate_is_loaded():
    size = 800.0 * np.maximum(np.sin(2.0 * np.pi * 2.0 * TIME), 0.0)
    record = my.Trajectory(TIME, {"x": 0 * TIME, "y": size, "z": 0 * TIME})
    foot = my.ExternalForce("right", "foot", record, force=("x", "y", "z"))
    spans = my.stance(foot, least=20.0)
    late = np.arcsin(20.0 / 800.0) / (4.0 * np.pi)
    np.testing.assert_allclose(spans, [(late, 0.25 - late), (0.5 + late, 0.75 - late)], atol=1e-5)
    with pytest.raises(DataError, match=r"never exceeds 900 N .at most 800 N.: there is no stance"):
        my.stance(foot, least=900.0)
    with pytest.raises(DataError, match="positive number"):
        my.stance(foot, least=-1.0)
    with pytest.raises(DataError, match="from an ExternalForce"):
        my.stance(record)


def gappy():
    angle = 0.1 * TIME
    angle[30] = np.nan
    return my.Trajectory(TIME, {"angle": angle})


@pytest.mark.parametrize(
    ("motion", "options", "message"),
    [
        (gappy, {}, r"'angle' is NaN at 0\.075 s"),
        (lambda: my.Trajectory(TIME, {"angel": TIME}), {}, "lacks 'angle'.*did you mean 'angel'"),
        (lambda: my.Trajectory(TIME, {"angle": TIME}), {"phases": {"stance": (0.5, 0.5)}}, "'stance' is empty"),
        (lambda: my.Trajectory(TIME, {"angle": TIME}), {"phases": {"stance": (0.5, 1.5)}}, "not covered by the motion"),
        (lambda: my.Trajectory(TIME, {"angle": TIME}), {"phases": {"stance": 0.5}}, "a start and an end"),
        (
            lambda: my.Trajectory(TIME, {"angle": TIME}),
            {"phases": {"whole": (0.0, 0.5)}},
            "give the phase another name",
        ),
        (lambda: my.Trajectory(TIME + 3.0, {"angle": TIME}), {"external_forces": plate("rod")}, "not at 3"),
        (lambda: my.Trajectory(TIME, {"angle": TIME}), {"external_forces": plate("rodd")}, "did you mean 'rod'"),
        (lambda: my.Trajectory(TIME, {"angle": TIME}), {"cutoff": -6.0}, "positive number"),
    ],
)
def test_bad_input_is_named(motion, options, message):
    with pytest.raises(my.MyodyneError, match=message):
        my.joint_powers(my.load_model("pendulum"), motion(), **options)
