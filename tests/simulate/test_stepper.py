"""A stepper: the same as a simulation, step by step; it comes back, keeps its place after failures, and keeps time."""

from __future__ import annotations

import pickle
import time
from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.simulate.stepper import Snapshot

# A power of two: the times of a simulation are then as exact as the clock that each step has for itself.
STEP = 2.0**-9
SCHEMES = [
    my.Rosenbrock(step=STEP),
    my.Rosenbrock(step=STEP, order=3),
    my.Rosenbrock(step=STEP, order=4),
    my.Midpoint(step=STEP),
    my.TRBDF2(step=STEP),
    my.Radau(degree=3, step=STEP),
    my.BackwardEuler(step=STEP),
    my.Euler(step=STEP),
    my.Heun(step=STEP),
    my.RK4(step=STEP),
    my.Projected(my.RK4(step=STEP)),
    my.Projected(my.Midpoint(step=STEP)),
]
ADAPTIVE = [
    my.RKF45(relative=1e-6, absolute=1e-6),
    my.DOP853(relative=1e-6, absolute=1e-6),
    my.TRBDF2(relative=1e-5, absolute=1e-5),
    my.Rosenbrock(relative=1e-5, absolute=1e-5),
]
# Those that start anew in every step.
MULTISTEP = [my.BDF(relative=1e-9, absolute=1e-9), my.Adams(relative=1e-9, absolute=1e-9)]


def named(scheme: Any) -> str:
    inner = getattr(scheme, "scheme", scheme)
    kind = "adaptive" if getattr(inner, "step", None) is None else f"order {inner.order}"
    return f"{'projected ' * (inner is not scheme)}{type(inner).__name__} {kind}"


STARTS: dict[str, dict[str, float]] = {
    "double_pendulum": {"angle1": 1.0},
    "planar_arm": {"elbow": 1.2},
    "jumper": {},
    "four_bar": {"theta1": 0.8},
    "cyclist_one_leg_muscles": {},
}
MOTOR = my.load_model("pendulum").with_parts(forces={"motor": my.CoordinateActuator(coordinate="angle")})


def excited(model: my.Model) -> dict[str, float]:
    return {name: 0.1 + 0.05 * number for number, name in enumerate(model.controls)}


def walked(stepper: my.Stepper, count: int, u: Any = None) -> Any:
    return np.array([stepper.step(u) for _ in range(count)])


@pytest.mark.parametrize("scheme", [*SCHEMES, *ADAPTIVE], ids=named)
@pytest.mark.parametrize("name", STARTS)
def test_steps_are_those_of_a_simulation(name: str, scheme: Any) -> None:
    eq = my.equations_of(my.load_model(name))
    controls = excited(eq.model)
    run = my.simulate(eq, 8 * STEP, start=STARTS[name], controls=controls, scheme=scheme, every=STEP)
    stepper = my.stepper(eq, scheme, start=STARTS[name], every=STEP)
    # The controls of a simulation have been there all along; a stepper turns them on within a step.
    stepper.restore(with_controls(stepper.save(), list(controls.values())))
    states = walked(stepper, 8)
    for number, state in enumerate(stepper.names):
        if scheme in ADAPTIVE:
            # Steps between the samples end where rounding puts them, and each step has a clock of its own.
            assert states[:, number] == pytest.approx(run.values(state)[1:], rel=1e-9, abs=1e-9), state
        else:
            assert np.array_equal(states[:, number], run.values(state)[1:]), state
    assert stepper.time == run.time[-1]


@pytest.mark.parametrize("scheme", MULTISTEP, ids=named)
def test_multistep_schemes_agree_with_a_simulation(scheme: Any) -> None:
    eq = my.equations_of(my.load_model("double_pendulum"))
    run = my.simulate(eq, 32 * STEP, start={"angle1": 1.0}, scheme=scheme, every=STEP)
    states = walked(my.stepper(eq, scheme, start={"angle1": 1.0}, every=STEP), 32)
    expected = np.stack([run.values(name)[1:] for name in eq.motion], axis=1)
    assert np.abs(states - expected).max() < 1e-6


def test_a_call_may_cover_several_steps_of_the_scheme() -> None:
    model = my.load_model("jumper")
    one = my.stepper(model, my.RK4(step=STEP), every=4 * STEP)
    other = my.stepper(model, my.RK4(step=STEP))
    assert np.array_equal(walked(one, 2), walked(other, 8)[3::4])
    assert one.time == other.time == 8 * STEP


def with_controls(saved: Snapshot, controls: list[float]) -> Snapshot:
    return Snapshot(saved.time, np.array(controls), saved.march, saved.origin, saved.steps)


@pytest.mark.parametrize("compiled", [True, False])
def test_controls_change_evenly_within_a_step(compiled: bool) -> None:
    eq = my.equations_of(my.load_model("planar_arm"), compiled=compiled)
    step, count = 0.003, 30
    # One straight line: where a control has a kink a simulation finds all rates anew, a stepper carries them on.
    slopes = np.linspace(1.0, 8.0, len(eq.controls))
    ramps = {
        name: my.piecewise_linear([0.0, 1.0], [0.0, slope]) for name, slope in zip(eq.controls, slopes, strict=True)
    }
    run = my.simulate(eq, count * step, controls=ramps, scheme=my.Rosenbrock(step=step))
    stepper = my.stepper(eq, my.Rosenbrock(step=step))
    states = np.array([stepper.step(slopes * step * (number + 1)) for number in range(count)])
    expected = np.stack([run.values(name)[1:] for name in stepper.names], axis=1)
    assert np.abs(states - expected).max() < 1e-10


@pytest.mark.parametrize("scheme", [*SCHEMES, *ADAPTIVE], ids=named)
@pytest.mark.parametrize("compiled", [True, False])
def test_saved_points_are_exact(scheme: Any, compiled: bool) -> None:
    model = my.load_model("planar_arm")
    one, other = (
        my.stepper(my.equations_of(model, compiled=compiled), scheme, start={"elbow": 1.2}, every=STEP)
        for _ in range(2)
    )
    walked(one, 3, excited(model))
    walked(other, 1)
    saved = one.save()
    first = walked(one, 4, dict.fromkeys(model.controls, 0.7))
    one.restore(saved)
    assert one.time == saved.time == 3 * STEP
    assert np.array_equal(walked(one, 4, dict.fromkeys(model.controls, 0.7)), first)
    for snapshot in (saved, pickle.loads(pickle.dumps(saved))):
        other.restore(snapshot)
        assert np.array_equal(walked(other, 4, dict.fromkeys(model.controls, 0.7)), first)
        assert other.time == one.time
        assert other["elbow.acceleration"] == one["elbow.acceleration"]


def test_what_was_saved_elsewhere_is_refused() -> None:
    model = my.load_model("pendulum")
    saved = my.stepper(model, my.Rosenbrock(step=0.01)).save()
    for other, told in (
        (my.stepper(my.load_model("double_pendulum"), my.Rosenbrock(step=0.01)), "model"),
        (my.stepper(model, my.Rosenbrock(step=0.02)), "scheme"),
        (my.stepper(model, my.Rosenbrock(step=0.01), every=0.02), "scheme"),
        (my.stepper(my.equations_of(model, compiled=False), my.Rosenbrock(step=0.01)), "kind of equations"),
    ):
        before = other.state
        with pytest.raises(my.ModelError, match=f"another {told}"):
            other.restore(saved)
        assert np.array_equal(other.state, before)
    with pytest.raises(my.ModelError, match=r"the result of save"):
        my.stepper(model).restore({"time": 0.0})  # type: ignore[arg-type]


def test_controls_in_order_or_by_name() -> None:
    arm = my.load_model("planar_arm")
    one, other, third = (my.stepper(arm, my.Rosenbrock(step=0.002)) for _ in range(3))
    names = arm.controls
    values = np.linspace(0.1, 0.6, len(names))
    ends = [one.step(values), other.step(dict(zip(names, values, strict=True))), third.step(values.tolist())]
    assert np.array_equal(ends[0], ends[1])
    assert np.array_equal(ends[0], ends[2])
    # Those that are not mentioned stay, and None keeps all.
    changed = values.copy()
    changed[1] = 0.9
    assert np.array_equal(one.step(changed), other.step({names[1]: 0.9}))
    values[:] = 7.0
    assert np.array_equal(one.step(), other.step({}))


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ([0.1], "takes 6 controls"),
        (0.1, "takes 6 controls"),
        (np.zeros((1, 6)), "takes 6 controls"),
        (["0.1"] * 6, "takes 6 controls"),
        ([True] * 6, "takes 6 controls"),
        ([[0.1], [0.1, 0.2]], "takes 6 controls"),
        ([1j] * 6, "takes 6 controls"),
        ("soleus", "takes 6 controls"),
        ([None] * 6, "takes 6 controls"),
        ([0.1, np.nan, 0.1, 0.1, 0.1, 0.1], "is not a finite number"),
        ({"@1": np.inf}, "is not a finite number"),
        ({"@0": "0.1"}, "must be a number"),
        ({"@0": None}, "must be a number"),
        ({"@0": [0.1]}, "must be a number"),
        ({"@0": True}, "must be a number"),
        ({"nobody": 0.1}, "unknown control 'nobody'"),
        ({3: 0.1}, "unknown control"),
    ],
)
def test_wrong_controls_move_nothing(wrong: Any, told: str) -> None:
    arm = my.load_model("planar_arm")
    stepper, twin = (my.stepper(arm, my.Rosenbrock(step=0.002)) for _ in range(2))
    if isinstance(wrong, dict):
        wrong = {arm.controls[int(name[1:])] if str(name).startswith("@") else name: v for name, v in wrong.items()}
    for each in (stepper, twin):
        each.step([0.2] * 6)
    with pytest.raises(my.ModelError) as error:
        stepper.step(wrong)
    assert told in str(error.value)
    assert stepper.time == twin.time == 0.002
    assert np.array_equal(stepper.step(), twin.step())


@pytest.mark.parametrize(
    ("scheme", "compiled"),
    # An interpreted scheme that chooses its steps takes many before it gives up.
    [*((scheme, compiled) for compiled in (True, False) for scheme in SCHEMES), *((s, True) for s in ADAPTIVE)],
    ids=lambda value: named(value) if not isinstance(value, bool) else "compiled" if value else "interpreted",
)
@pytest.mark.parametrize("model", [MOTOR, my.load_model("planar_arm")], ids=["pendulum", "arm"])
def test_a_failure_leaves_the_stepper_where_it_was(model: my.Model, compiled: bool, scheme: Any) -> None:
    """Its next step is, to the last bit, that of a stepper that never failed: even the rates are carried on."""
    eq = my.equations_of(model, compiled=compiled)
    stepper, twin = (my.stepper(eq, scheme, every=STEP) for _ in range(2))
    for taken in range(3):
        state = stepper.state
        with pytest.raises(my.SimulationError, match=r" from .* failed .* the stepper is unchanged"):
            stepper.step([1.7e308] * len(model.controls))
        assert np.array_equal(stepper.state, state)
        assert stepper.time == twin.time == taken * STEP
        assert np.array_equal(stepper.step([0.3] * len(model.controls)), twin.step([0.3] * len(model.controls)))


@pytest.mark.parametrize("name", ["jumper", "planar_arm", "four_bar"])
@pytest.mark.parametrize("compiled", [True, False])
def test_outputs_are_those_of_a_simulation(name: str, compiled: bool) -> None:
    eq = my.equations_of(my.load_model(name), compiled=compiled)
    controls = excited(eq.model)
    stepper = my.stepper(eq, my.Rosenbrock(step=STEP), start=STARTS[name])
    stepper.restore(with_controls(stepper.save(), list(controls.values())))
    run = my.simulate(eq, 3 * STEP, start=STARTS[name], controls=controls, scheme=my.Rosenbrock(step=STEP))
    for sample in range(4):
        for output in eq.outputs:
            assert stepper[output] == pytest.approx(run.values(output)[sample], rel=1e-9, abs=1e-9), output
        for state in stepper.names:
            assert stepper[state] == run.values(state)[sample]
        stepper.step()
    with pytest.raises(my.ModelError, match="unknown state or output 'nothing'"):
        stepper["nothing"]


def test_outputs_follow_restored_points() -> None:
    stepper = my.stepper(my.load_model("planar_arm"), my.Rosenbrock(step=0.01))
    saved, before = stepper.save(), stepper["com.position_x"]
    walked(stepper, 10, [0.5] * 6)
    assert stepper["com.position_x"] != before
    stepper.restore(saved)
    assert stepper["com.position_x"] == before


def test_constraints_are_met_from_the_start() -> None:
    four_bar = my.load_model("four_bar")
    stepper = my.stepper(four_bar, my.Rosenbrock(step=0.001), start={"theta1": 0.8})
    assert stepper["theta1"] == pytest.approx(0.8, abs=1e-12)
    eq = my.equations_of(four_bar)
    size = len(eq.coordinates)

    def off() -> float:
        return float(np.abs(eq.constraint_errors(stepper.state[:size], stepper.state[size : 2 * size])[0]).max())

    assert off() < 1e-11
    walked(stepper, 200)
    assert off() < 1e-3


def test_a_stepper_starts_at_an_equilibrium() -> None:
    arm = my.load_model("planar_arm")
    held = dict.fromkeys(arm.controls, 0.3)
    rest = my.equilibrium(arm, controls=held)
    stepper = my.stepper(arm, my.Rosenbrock(step=0.01), start=rest)
    stepper.restore(with_controls(stepper.save(), list(held.values())))
    states = walked(stepper, 100)
    assert np.abs(states - states[0]).max() < 1e-9


def test_run_with_a_controller() -> None:
    stepper = my.stepper(MOTOR, my.Rosenbrock(step=0.01), start={"angle": 1.0, "angle.speed": 0.0})
    stepper.run(5.0, lambda now: {"motor": -4.0 * now["angle"] - 1.0 * now["angle.speed"]})
    assert stepper.time == pytest.approx(5.0)
    assert abs(stepper["angle"]) < 0.01
    stepper.run(0.0)
    assert stepper.time == pytest.approx(5.0)
    for wrong in (-1.0, np.nan, np.inf, "1", True, None):
        with pytest.raises(my.ModelError, match="duration must be"):
            stepper.run(wrong)  # type: ignore[arg-type]


def test_time_does_not_drift() -> None:
    stepper = my.stepper(my.load_model("pendulum"), my.Rosenbrock(step=0.001))
    walked(stepper, 1000)
    assert stepper.time == 1.0


def test_pacing_keeps_the_time_of_the_wall() -> None:
    stepper = my.stepper(my.load_model("pendulum"), my.Rosenbrock(step=0.005), paced=True)
    begun = time.perf_counter()
    stepper.run(0.5)
    taken = time.perf_counter() - begun
    # Never early; late only as far as the machine is busy with other things.
    assert 0.499 < taken < 0.9
    assert stepper.busy < 0.005
    # Switched off, a second takes no time; switched on again, nothing has to be caught up.
    stepper.paced = False
    begun = time.perf_counter()
    stepper.run(1.0)
    assert time.perf_counter() - begun < 0.5
    stepper.paced, late = True, stepper.late
    begun = time.perf_counter()
    stepper.step()
    assert time.perf_counter() - begun > 0.0049
    assert stepper.late <= late + 1


def test_late_steps_are_counted() -> None:
    stepper = my.stepper(my.load_model("pendulum"), my.Rosenbrock(step=0.005), paced=True)
    begun = time.perf_counter()
    stepper.step()
    late = stepper.late

    def dozing(now: my.Stepper) -> None:
        if now.time == 0.1:
            time.sleep(0.06)

    stepper.run(0.3, dozing)
    # The steps that the nap has cost are late until it is made up for: eleven or a few more.
    assert stepper.late - late >= 8
    assert stepper.latest > 0.04
    assert time.perf_counter() - begun > 0.3, "and then the time is kept again"


@pytest.mark.parametrize("scheme", [my.Rosenbrock(), my.TRBDF2(), my.DOP853(), my.Projected(my.BDF())], ids=named)
def test_schemes_that_choose_their_steps_need_to_know_how_far_a_call_goes(scheme: Any) -> None:
    with pytest.raises(my.ModelError, match=r"chooses its own steps.*every=0\.003"):
        my.stepper(my.load_model("pendulum"), scheme)
    for wrong in (0.0, -1.0, np.nan, True, "1"):
        with pytest.raises(my.ModelError, match="'every' must be a positive number of seconds"):
            my.stepper(my.load_model("pendulum"), scheme, every=wrong)  # type: ignore[arg-type]


def test_hostile_starts() -> None:
    pendulum = my.load_model("pendulum")
    with pytest.raises(my.ModelError, match="a scheme must be one like"):
        my.stepper(pendulum, 0.01)  # type: ignore[arg-type]
    with pytest.raises(my.ModelError, match="unknown state 'angel'"):
        my.stepper(pendulum, start={"angel": 0.1})
    with pytest.raises(my.ModelError, match="given by name"):
        my.stepper(pendulum, start=[0.1])  # type: ignore[arg-type]
    with pytest.raises(my.ModelError, match="cannot be nan"):
        my.stepper(pendulum, start={"angle": float("nan")})
    with pytest.raises(my.ModelError, match="need a model"):
        my.stepper("pendulum")  # type: ignore[arg-type]


def test_two_threads_cannot_step_at_once() -> None:
    swing = my.stepper(my.load_model("pendulum"), my.Rosenbrock(step=STEP))
    with swing._stepping, pytest.raises(my.SimulationError, match="two threads step the same stepper"):
        swing.step()
    swing.step()
    assert swing.time == STEP
