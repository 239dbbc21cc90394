"""Control laws in the equations, and controllers in Python around them."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import myodyne as my
from myodyne.errors import ModelError, SimulationError

UP = np.pi


def rod(**forces: object) -> my.Model:
    """A rod on a pin (1 kg, 1 m, I = 1/3 kg m²) with a motor; it stands upright at pi."""
    motor = my.CoordinateActuator(coordinate="angle")
    return my.load_model("pendulum").with_parts(forces={"motor": motor, **forces})


def held(gain: float = 1000.0, damping: float = 20.0) -> my.Feedback:
    """A motor that holds the rod upright."""
    return my.Feedback(
        lambda at: {"motor": -at["k"] * (at["angle"] - UP) - at["d"] * at["angle.speed"]},
        gains={"k": gain, "d": damping},
    )


SCHEMES = [
    my.DOP853(relative=1e-10, absolute=1e-10),
    my.BDF(relative=1e-10, absolute=1e-10),
    my.Adams(relative=1e-10, absolute=1e-10),
    my.Rosenbrock(relative=1e-9, absolute=1e-9),
    my.TRBDF2(relative=1e-10, absolute=1e-10),
    my.Midpoint(step=2e-5),
]


def names_of(scheme: object) -> str:
    return type(scheme).__name__


@pytest.mark.parametrize("scheme", SCHEMES, ids=names_of)
def test_an_inverted_pendulum_under_stiff_feedback_agrees_with_scipy_in_all_schemes(scheme):
    from scipy.integrate import solve_ivp

    model = rod()
    run = my.simulate(model, 0.5, start={"angle": 2.5, "angle.speed": 0.0}, feedback=held(), scheme=scheme)
    g = -model.gravity[1]
    assert g == pytest.approx(9.81, abs=0.01)
    exact = solve_ivp(
        lambda t, x: [x[1], 3.0 * (-1000.0 * (x[0] - UP) - 20.0 * x[1] - 0.5 * g * np.sin(x[0]))],
        (0.0, 0.5),
        [2.5, 0.0],
        method="DOP853",
        rtol=1e-12,
        atol=1e-13,
        t_eval=run.time,
    ).y
    assert np.abs(run.values("angle") - exact[0]).max() < 1e-6
    applied = -1000.0 * (run.values("angle") - UP) - 20.0 * run.values("angle.speed")
    assert np.allclose(run.values("motor.control"), applied, rtol=1e-12, atol=1e-9)
    assert np.allclose(run.values("motor.torque"), applied, rtol=1e-12, atol=1e-9)
    assert run.report.energy_error < 1e-6


@pytest.mark.parametrize("scheme", [my.Rosenbrock(relative=1e-8, absolute=1e-8), my.Midpoint(step=1e-3)], ids=names_of)
def test_interpreted_equations_follow_the_same_law(scheme):
    model = rod()
    law = my.Feedback(lambda at: {"motor": -50.0 * at["angle"] - at["angle.speed"] ** 3 + ca.sin(20.0 * at.time)})
    runs = [
        my.simulate(my.equations_of(model, compiled=compiled), 0.2, start={"angle": 0.5}, feedback=law, scheme=scheme)
        for compiled in (None, False)
    ]
    assert np.allclose(runs[0].values("angle"), runs[1].values("angle"), rtol=0, atol=1e-11)


def test_a_law_of_time_alone_equals_its_signal():
    model = rod()
    law = my.Feedback(lambda at: {"motor": 3.0 * at.time - 7.0 * at.time**2})
    signal = my.bezier([0.0, 1.5, -4.0], start=0.0, end=1.0)
    for scheme in (
        my.DOP853(),
        my.Rosenbrock(step=1e-3, order=4),
        my.Rosenbrock(relative=1e-8, absolute=1e-8),
        my.BDF(),
    ):
        one = my.simulate(model, 1.0, feedback=law, scheme=scheme)
        other = my.simulate(model, 1.0, controls={"motor": signal}, scheme=scheme)
        assert np.abs(one.values("angle") - other.values("angle")).max() < 1e-6


def test_muscles_with_reflexes_agree_between_explicit_implicit_and_multistep_schemes():
    model = my.load_model("jumper")
    muscles = tuple(model.muscles)

    def reflex(at):
        stretch = {name: at[f"{name}.length"] - 0.1 for name in muscles[:4]}
        return {
            name: 0.3 + 0.5 * length + 1e-4 * at[f"{name}.force"] + 0.01 * at["hip.speed"] + 0.1 * at.time
            for name, length in stretch.items()
        }

    law = my.Feedback(reflex)
    schemes = (
        my.DOP853(relative=1e-9, absolute=1e-9),
        my.Rosenbrock(relative=1e-8, absolute=1e-8),
        my.TRBDF2(relative=1e-8, absolute=1e-8),
        my.BDF(relative=1e-9, absolute=1e-9),
    )
    runs = [my.simulate(model, 0.05, feedback=law, scheme=scheme, every=0.01) for scheme in schemes]
    states = my.equations_of(model).motion
    for run in runs[1:]:
        worst = max(np.abs(run.values(name) - runs[0].values(name)).max() for name in states)
        assert worst < 2e-5
    assert all(run.report.energy_error < 1e-6 for run in runs)


def test_reflexes_of_muscles_have_exact_closed_loop_eigenvalues():
    model = my.load_model("jumper")
    model = model.without(*model.constraints)
    law = my.Feedback(
        lambda at: {"soleus": 0.2 + 2.0 * (at["soleus.length"] - 0.25), "vasti": 0.3 - 0.02 * at["soleus.force"] / 1e3}
    )
    equations = my.equations_of(model).closed_by(_closure(law))
    start = dict.fromkeys(equations.layout.activations, 0.2)
    found = my.linearise(model, start, feedback=law)
    # By the chain rule: the open loop at the controls of the law, and how these follow the state.
    x, none = equations.state(start), np.zeros((1, 6))
    given = equations.applied_controls(x[None, :], none)[0]
    opened = my.linearise(model, start, dict(zip(model.controls, given, strict=True)))
    gains = np.array(
        [
            (equations.applied_controls((x + dx)[None], none) - equations.applied_controls((x - dx)[None], none))[0]
            / 2e-6
            for dx in 1e-6 * np.eye(len(x))
        ]
    ).T
    expected = opened.A + opened.B @ gains
    assert np.abs(gains).max() > 1.0
    assert np.abs(found.A - expected).max() < 1e-7 * np.abs(expected).max()
    assert "soleus" not in found.controls and "glutei" in found.controls


def _closure(law):
    from myodyne.equations.closure import Closure

    return Closure.of(law.law)


def test_closed_loop_linearisation_of_the_rod_is_that_of_the_textbook():
    upright = my.linearise(rod(), {"angle": UP, "angle.speed": 0.0}, feedback=held(1000.0, 20.0))
    g = -rod().gravity[1]
    assert np.allclose(upright.A, [[0.0, 1.0], [3.0 * (0.5 * g - 1000.0), -60.0]], rtol=1e-9)
    assert upright.controls == () and upright.B.shape == (2, 0)


def test_a_stepper_takes_the_same_steps_as_a_simulation():
    law = my.Feedback(lambda at: {"motor": -100.0 * (at["angle"] - UP) - 5.0 * at["angle.speed"] + 9.0 * at.time**2})
    scheme = my.Rosenbrock(step=0.002)
    steps = my.stepper(rod(), scheme, start={"angle": 2.5}, feedback=law)
    for _ in range(100):
        steps.step()
    run = my.simulate(rod(), 0.2, start={"angle": 2.5}, feedback=law, scheme=scheme)
    assert steps["angle"] == pytest.approx(run.final["angle"], abs=1e-12)
    assert steps.controls == ()


def test_gains_need_no_new_equations():
    one, other = held(10.0), held(1000.0)
    assert one.law.fingerprint == other.law.fingerprint
    assert one.with_gains(k=1000.0) == other
    soft, stiff = (my.simulate(rod(), 0.3, start={"angle": 3.0}, feedback=law).final["angle"] for law in (one, other))
    assert abs(stiff - UP) < 0.01 < abs(soft - UP)


def test_a_law_is_saved_with_its_result(tmp_path):
    law = my.Feedback(
        lambda at: {"motor": ca.if_else(at["angle"] > 0.2, -5.0, ca.tanh(at["angle"])) * at["k"]}, gains={"k": 3.0}
    )
    run = my.simulate(rod(), 0.3, start={"angle": 0.5}, feedback=law)
    my.save(run, tmp_path / "run.nc")
    again = my.Feedback.from_text(my.load(tmp_path / "run.nc").provenance.feedback)
    assert again == law
    assert np.array_equal(
        my.simulate(rod(), 0.3, start={"angle": 0.5}, feedback=again).values("angle"), run.values("angle")
    )


def test_a_law_for_each_model_of_a_switch():
    model = rod()
    other = model.model_copy(update={"name": "after"})
    laws = {
        model.name: my.Feedback(lambda at: {"motor": 10.0}),
        "after": my.Feedback(lambda at: {"motor": -4.0 * at["angle.speed"]}),
    }
    until = my.Switch(my.rises_through_zero("angle"), to=other)
    run = my.simulate(model, 2.0, start={"angle": -0.5}, until=until, feedback=laws)
    before = run.time <= run.report.events[0][0]
    assert np.all(run.values("motor.control")[before] == 10.0)
    assert np.allclose(run.values("motor.control")[~before], -4.0 * run.values("angle.speed")[~before])
    with pytest.raises(ModelError, match="unknown model 'aftr'"):
        my.simulate(model, 1.0, until=until, feedback={"aftr": laws["after"]})


# -- what is refused


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda at: {"motr": at["angle"]}, "unknown control 'motr'"),
        (lambda at: {"motor": at["angel"]}, "unknown state or output 'angel'"),
        (lambda at: {"motor": at["angle.acceleration"]}, "'angle.acceleration'.*accelerations.*algebraic loop"),
        (lambda at: {"motor": at["motor.torque"]}, "'motor.torque'.*controls.*algebraic loop"),
    ],
)
def test_laws_that_cannot_hold_are_refused_by_name(function, message):
    with pytest.raises(ModelError, match=message):
        my.simulate(rod(), 0.1, feedback=my.Feedback(function))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda at: 3.0, "returns controls by name"),
        (lambda at: {"motor": float("nan")}, "'motor' must be finite"),
        (lambda at: {"motor": 1.0 if at["angle"] > 0 else 0.0}, "casadi.if_else"),
        (lambda at: {"motor": "strong"}, "must be a number or an expression"),
        (lambda at: {"motor": ca.SX.sym("foreign")}, "expression of quantities read by at"),
    ],
)
def test_functions_that_give_no_law_are_refused(function, message):
    with pytest.raises(ModelError, match=message):
        my.Feedback(function)


def test_feedback_and_signal_for_one_actuator_are_refused():
    with pytest.raises(ModelError, match="'motor' has both a feedback and a signal"):
        my.simulate(rod(), 0.1, controls={"motor": 1.0}, feedback=held())
    sampled = my.Sampled(lambda at: {"motor": 1.0}, period=0.01)
    with pytest.raises(ModelError, match="'motor' has both a controller and a signal"):
        my.simulate(rod(), 0.1, controls={"motor": 1.0}, feedback=sampled)


def test_linearise_refuses_a_law_of_time():
    with pytest.raises(ModelError, match=r"at\.time"):
        my.linearise(rod(), feedback=my.Feedback(lambda at: {"motor": at.time}))


# -- controllers in Python


def test_a_sampled_controller_is_held_between_its_samples():
    seen = []

    def controller(at):
        seen.append((at.time, at["angle"]))
        return {"motor": -5.0 * at["angle"]}

    run = my.simulate(rod(), 0.1, start={"angle": 0.5}, feedback=my.Sampled(controller, period=0.02), every=0.005)
    assert [time for time, _ in seen] == pytest.approx([0.0, 0.02, 0.04, 0.06, 0.08])
    held_since = np.searchsorted([time for time, _ in seen], run.time[:-1] + 1e-9) - 1
    assert np.allclose(run.values("motor.control")[:-1], [-5.0 * seen[k][1] for k in held_since])
    assert any("cannot be replayed" in note for note in run.report.notes)
    with pytest.raises(my.ModelError, match="a controller in Python took part, which a result cannot keep"):
        my.replay(run)


def test_a_delayed_controller_acts_later():
    def push(at):
        return {"motor": 2.0}

    run = my.simulate(rod(), 0.1, feedback=my.Sampled(push, period=0.02, delay=0.013), every=0.001)
    assert np.all(run.values("motor.control")[run.time < 0.0129] == 0.0)
    assert np.all(run.values("motor.control")[run.time > 0.0131] == 2.0)
    late = my.simulate(rod(), 0.1, controls={"motor": my.step(at=0.013, after=2.0)}, every=0.001)
    assert np.allclose(run.values("angle"), late.values("angle"), atol=1e-9)


@pytest.mark.parametrize("scheme", [my.DOP853(), my.Rosenbrock(), my.BDF(), my.Midpoint(step=1e-3)], ids=names_of)
def test_a_fast_controller_approaches_the_law(scheme):
    law = held(20.0, 5.0)
    sampled = my.Sampled(lambda at: {"motor": -20.0 * (at["angle"] - UP) - 5.0 * at["angle.speed"]}, period=1e-3)
    runs = [my.simulate(rod(), 0.5, start={"angle": 2.5}, feedback=f, scheme=scheme) for f in (law, sampled)]
    assert abs(runs[0].final["angle"] - runs[1].final["angle"]) < 0.005
    assert runs[1].report.energy_error < 1e-3


def test_stiff_feedback_sampled_at_3_ms_diverges_and_says_so():
    controller = my.Sampled(lambda at: {"motor": -1000.0 * (at["angle"] - UP)}, period=0.003)
    run = my.simulate(rod(), 3.0, start={"angle": UP - 0.01, "angle.speed": 0.0}, feedback=controller)
    assert any("The controller diverges: the swings of 'motor' grew" in note for note in run.report.notes)
    continuous = my.Feedback(lambda at: {"motor": -1000.0 * (at["angle"] - UP)})
    calm = my.simulate(rod(), 3.0, start={"angle": UP - 0.01, "angle.speed": 0.0}, feedback=continuous)
    assert np.abs(calm.values("angle") - UP).max() < 0.011
    damped = my.Sampled(lambda at: {"motor": -1000.0 * (at["angle"] - UP) - 20.0 * at["angle.speed"]}, period=0.003)
    steady = my.simulate(rod(), 3.0, start={"angle": UP - 0.01, "angle.speed": 0.0}, feedback=damped)
    assert not any("diverges" in note for note in steady.report.notes)


def test_a_controller_that_diverges_at_once_is_named_in_the_error():
    """Within 0.4 s, 123 samples, the state is infinite."""
    controller = my.Sampled(lambda at: {"motor": -3e4 * (at["angle"] - UP) - 2e3 * at["angle.speed"]}, period=0.003)
    with pytest.raises(SimulationError, match="The controller diverges: the swings of 'motor' grew"):
        my.simulate(rod(), 2.0, start={"angle": UP - 0.1, "angle.speed": 0.0}, feedback=controller)


def test_a_controller_with_a_faulty_answer_is_named_with_its_time():
    def broken(at):
        return {"motor": float("nan") if at.time > 0.045 else 1.0}

    with pytest.raises(SimulationError, match=r"called at 0.05 s, gave nan for control 'motor'") as caught:
        my.simulate(rod(), 0.2, feedback=my.Sampled(broken, period=0.01))
    assert caught.value.result.time[-1] == pytest.approx(0.05)
    with pytest.raises(ModelError, match="called at 0 s, gives unknown control 'moter'"):
        my.simulate(rod(), 0.2, feedback=my.Sampled(lambda at: {"moter": 1.0}, period=0.01))
    with pytest.raises(ModelError, match="unknown state or output 'angl'"):
        my.simulate(rod(), 0.2, feedback=my.Sampled(lambda at: {"motor": at["angl"]}, period=0.01))


def test_samples_go_on_through_events_and_switches():
    model = rod()
    controller = my.Sampled(lambda at: {"motor": -0.3 * at["angle.speed"]}, period=0.01)
    whole = my.simulate(model, 1.5, start={"angle": -0.5}, feedback=controller)
    same = model.model_copy(update={"name": "same"})
    cut = my.simulate(
        model, 1.5, start={"angle": -0.5}, feedback=controller, until=my.Switch(my.rises_through_zero("angle"), to=same)
    )
    assert len(cut.report.events) == 1
    assert cut.final["angle"] == pytest.approx(whole.final["angle"], abs=1e-7)


# -- problems


def block() -> my.Model:
    """A mass of 2 kg on a rail, with a motor."""
    return my.Model(
        name="block",
        bodies={"block": my.Body(mass=2.0)},
        joints={"rail": my.slider("ground", "block", "way", axis="x")},
        forces={"push": my.CoordinateActuator(coordinate="way"), "other": my.CoordinateActuator(coordinate="way")},
    )


def test_optimised_gains_are_those_of_the_riccati_equation():
    from scipy.linalg import solve_continuous_are

    a, b = np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0], [0.5]])
    cost, effort = np.diag([4.0, 1.0]), np.array([[0.1]])
    riccati = solve_continuous_are(a, b, cost, effort)
    expected = (b.T @ riccati / effort)[0]
    law = my.Feedback(
        lambda at: {"push": -at["k"] * at["way"] - at["d"] * at["way.speed"], "other": 0.0}, gains={"k": 2.0, "d": 2.0}
    )

    def loss(at):
        return 4.0 * at["way"] ** 2 + at["way.speed"] ** 2 + 0.1 * at["push.control"] ** 2

    problem = my.Problem(
        block(),
        duration=12.0,
        feedback=law,
        goals=[my.Custom(mean=loss)],
        conditions=[my.Start({"way": 1.0, "way.speed": 0.3})],
        parameters={"k": (0.1, 50.0), "d": (0.1, 50.0)},
    )
    solution = my.solve(problem, my.Radau(degree=3), nodes=61)
    found = solution.feedback
    assert found is not None
    assert [found.gains["k"], found.gains["d"]] == pytest.approx(expected, rel=1e-3)
    start = np.array([1.0, 0.3])
    assert 12.0 * solution.report.optimum.objective == pytest.approx(start @ riccati @ start, rel=1e-4)
    again = my.simulate(block(), 12.0, start={"way": 1.0, "way.speed": 0.3}, feedback=found, every=0.2)
    assert np.abs(again.values("way") - np.interp(again.time, solution.time, solution.values("way"))).max() < 1e-4
    assert my.Feedback.from_text(solution.provenance.feedback) == found


def test_a_problem_finds_the_other_controls_around_a_law_and_keeps_to_the_range_of_its_actuator():
    weak = my.CoordinateActuator(coordinate="way", control_range=(-3.0, 3.0))
    model = block().with_parts(forces={"push": weak})
    law = my.Feedback(lambda at: {"push": 6.0 * (1.0 - at["way"]) - 4.0 * at["way.speed"] + 0.0 * at.time})
    problem = my.Problem(
        model,
        duration=1.0,
        feedback=law,
        goals=[my.Effort(of=("other.control",))],
        conditions=[my.Start({"way": 0.6, "way.speed": 0.0}), my.End({"way": 1.0, "way.speed": 0.0})],
    )
    for scheme in (my.Radau(degree=3), my.Midpoint()):
        solution = my.solve(problem, scheme, nodes=41)
        assert solution.final["way"] == pytest.approx(1.0, abs=1e-6)
        pushed = 6.0 * (1.0 - solution.values("way")) - 4.0 * solution.values("way.speed")
        assert np.allclose(solution.values("push.control"), pushed, atol=1e-9)
        assert np.abs(solution.values("other.control")).max() > 0.5
        assert np.abs(pushed).max() <= 3.0 + 1e-3
        assert my.replay(solution).final["way"] == pytest.approx(1.0, abs=2e-3)


def test_a_problem_with_a_law_is_saved_and_read_back():
    law = my.Feedback(lambda at: {"push": -at["k"] * at["way"]}, gains={"k": 2.0})
    problem = my.Problem(block(), duration=1.0, feedback=law, goals=[my.Effort(of="controls")])
    again = my.Problem.model_validate(problem.model_dump(mode="json"))
    assert again.feedback == law


def test_problems_refuse_what_they_cannot_hold():
    with pytest.raises(ModelError, match="Python controllers cannot be optimised"):
        my.Problem(block(), feedback=my.Sampled(lambda at: {}, period=0.1))
    law = my.Feedback(lambda at: {"push": at.time})
    with pytest.raises(ModelError, match="duration must be one number"):
        my.solve(my.Problem(block(), duration=(0.5, 1.0), feedback=law))
    law = my.Feedback(lambda at: {"pus": at.time})
    with pytest.raises(ModelError, match="unknown control 'pus'"):
        my.solve(my.Problem(block(), duration=1.0, feedback=law))
