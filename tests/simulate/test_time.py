"""A simulation in parts is the simulation in one piece, and time goes on from one to the next."""

from typing import Any

import numpy as np
import pytest

import myodyne as my

STEP = 0.004
FIXED = [
    my.Euler(step=STEP),
    my.Heun(step=STEP),
    my.RK4(step=STEP),
    my.Midpoint(step=STEP),
    my.TRBDF2(step=STEP),
    my.Rosenbrock(step=STEP),
    my.Rosenbrock(step=STEP, order=4),
]
ADAPTIVE = [
    my.DOP853(),
    my.RKF45(),
    my.BDF(),
    my.Adams(),
    my.TRBDF2(relative=1e-7, absolute=1e-7),
    my.Rosenbrock(),
]
# A jump inside a step of the first part, and a curve that goes on into the second.
CONTROLS = {
    "ankle_motor": my.bspline([0.0, 0.4, -0.2, 0.3, 0.1], start=0.0, end=0.25),
    "knee_motor": my.step(at=0.0713, after=0.4),
    "hip_motor": my.step(at=0.1713, before=0.1, after=-0.2),
}


def jump(duration: float, scheme: Any, **others: Any) -> my.Result:
    return my.simulate(my.load_model("jumper_skeleton"), duration, controls=CONTROLS, scheme=scheme, **others)


@pytest.mark.parametrize("scheme", FIXED, ids=repr)
def test_a_run_split_at_a_step_is_the_whole_run_to_the_last_bit(scheme: Any) -> None:
    whole = jump(0.3, scheme)
    first = jump(0.1, scheme)
    second = jump(0.08, scheme, start=first)
    third = jump(0.12, scheme, start=second)
    assert second.time[0] == 0.1
    assert third.time[-1] == 0.3
    joined = np.vstack([first.rows(), second.rows()[1:], third.rows()[1:]])
    assert np.array_equal(np.concatenate([first.time, second.time[1:], third.time[1:]]), whole.time)
    assert np.array_equal(joined, whole.rows())
    assert np.array_equal(second.rows()[0], first.rows()[-1])


@pytest.mark.parametrize("scheme", [my.RK4(step=0.001), my.Rosenbrock(step=0.001), my.Midpoint(step=0.001)], ids=repr)
@pytest.mark.parametrize("name", ["planar_arm", "four_bar"])
def test_so_is_that_of_muscles_and_of_constraints(name: str, scheme: Any) -> None:
    model = my.load_model(name)
    controls = dict.fromkeys(model.controls, my.step(at=0.0123, after=0.3))
    whole = my.simulate(model, 0.06, scheme=scheme, controls=controls)
    first = my.simulate(model, 0.023, scheme=scheme, controls=controls)
    second = my.simulate(model, 0.037, scheme=scheme, controls=controls, start=first)
    assert np.array_equal(np.vstack([first.rows(), second.rows()[1:]]), whole.rows())


def test_steps_that_are_no_decimal_numbers_and_many_of_them_split_alike() -> None:
    model, scheme = my.load_model("pendulum"), my.RK4(step=1 / 7000)
    whole = my.simulate(model, 3.0, start={"angle": 1.0}, scheme=scheme)
    first = my.simulate(model, 1.0, start={"angle": 1.0}, scheme=scheme)
    second = my.simulate(model, 2.0, start=first, scheme=scheme)
    assert len(whole) < len(first) + len(second)
    assert second.final == whole.final


@pytest.mark.parametrize("scheme", ADAPTIVE, ids=repr)
@pytest.mark.parametrize("event", [None, my.crosses("hip", 1.8)], ids=["at a sample", "at an event"])
def test_adaptive_schemes_split_within_ten_times_their_tolerance(scheme: Any, event: Any) -> None:
    whole = jump(0.25, scheme)
    first = jump(0.11, scheme, until=event)
    assert event is None or (first.report.status == "stopped by event" and first.time[-1] < 0.11)
    second = jump(0.25 - float(first.time[-1]), scheme, start=first)
    assert second.time[-1] == pytest.approx(0.25, abs=1e-15)
    for name in my.equations_of(my.load_model("jumper_skeleton")).motion:
        expected = whole.final[name]
        bound = 10 * (scheme.absolute + scheme.relative * abs(expected))
        assert second.final[name] == pytest.approx(expected, abs=bound, rel=0), name


def test_work_goes_on_and_the_audit_begins_anew() -> None:
    first = jump(0.1, None)
    second = jump(0.1, None, start=first)
    assert second.values("energy.input_work")[0] == first.final["energy.input_work"] != 0.0
    assert second.report.energy_error is not None
    assert second.report.energy_error < 1e-8


def test_from_time_says_when_a_run_begins() -> None:
    late = jump(0.1, None, from_time=5.0)
    assert (late.time[0], late.time[-1]) == (5.0, 5.1)
    assert set(late.values("knee_motor.control")) == {0.4}
    again = jump(0.1, None, start=late, from_time=0.0)
    assert again.time[0] == 0.0
    assert again.values("hip")[0] == late.final["hip"]
    assert again.values("knee_motor.control")[0] == 0.0
    before = jump(0.2, my.RK4(step=0.001), from_time=-0.1)
    assert before.time[0] == -0.1
    assert before.values("knee_motor.control")[:101].max() == 0.0


@pytest.mark.parametrize("wrong", [float("nan"), "1", True, float("inf")])
def test_from_time_is_a_number(wrong: Any) -> None:
    with pytest.raises(my.ModelError, match="from_time must be a number of seconds"):
        jump(0.1, None, from_time=wrong)


def test_events_and_messages_have_the_time_of_the_signals() -> None:
    swing = my.load_model("pendulum")
    whole = my.simulate(swing, 2.0, start={"angle": 0.5}, until=my.rises_through_zero("angle"))
    first = my.simulate(swing, 0.7, start={"angle": 0.5})
    second = my.simulate(swing, 2.0, start=first, until=my.rises_through_zero("angle"))
    assert second.report.events[0][0] == pytest.approx(whole.report.events[0][0], abs=1e-8)
    assert second.report.message[:-6] == whole.report.message[:-6]


def test_a_saved_run_goes_on_at_its_time(tmp_path: Any) -> None:
    first = jump(0.1, my.RK4(step=0.001))
    my.save(first, tmp_path / "first.nc")
    second = jump(0.1, my.RK4(step=0.001), start=my.load(tmp_path / "first.nc"))
    assert second.final["hip"] == jump(0.2, my.RK4(step=0.001)).final["hip"]


def test_prescribed_motions_go_on() -> None:
    """A rod that hangs on a cart, whose place is a function of time."""
    shaken = my.Model(
        name="cart",
        bodies={"cart": my.Body(mass=1.0), "bob": my.Body(mass=0.5, centre_of_mass=(0.0, -1.0, 0.0))},
        joints={
            "rail": my.slider("ground", "cart", "x"),
            "pivot": my.pin("cart", "bob", "angle"),
        },
        constraints={
            "shake": my.MotionConstraint(
                coordinate="x", function=my.Fourier(coordinate="time", period=0.7, sines=(0.1, 0.02))
            )
        },
    )
    scheme = my.Rosenbrock(step=0.005, order=4)
    whole = my.simulate(shaken, 1.5, scheme=scheme)
    first = my.simulate(shaken, 0.6, scheme=scheme)
    second = my.simulate(shaken, 0.9, scheme=scheme, start=first)
    assert np.array_equal(np.vstack([first.rows(), second.rows()[1:]]), whole.rows())
    assert second.report.notes == ()
