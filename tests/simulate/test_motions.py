"""Coordinates that follow functions of time: what moves with them, what it takes, and where there is no time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

import myodyne as my
from myodyne.simulate.motions import motion_signals

G, HALF, MASS, CART = 9.81, 0.5, 1.0, 2.0
INERTIA = MASS * HALF**2 + 1 / 12


def cart(function: Any, **options: Any) -> my.Model:
    """A rod that hangs on a cart, whose place follows a function of time."""
    return my.Model(
        name="shaken rod",
        gravity=(0.0, -G, 0.0),
        bodies={
            "cart": my.Body(mass=CART, inertia=my.Inertia(xx=1.0, yy=1.0, zz=1.0)),
            "rod": my.Body(
                mass=MASS, centre_of_mass=(0.0, -HALF, 0.0), inertia=my.Inertia(xx=1 / 12, yy=0.001, zz=1 / 12)
            ),
        },
        joints={"rail": my.slider("ground", "cart", "pivot", **options), "hinge": my.pin("cart", "rod", "angle")},
        markers={"tip": my.Marker(body="rod", at=(0.0, -1.0, 0.0)), "hub": my.Marker(body="cart")},
        constraints={"shake": my.MotionConstraint(coordinate="pivot", function=function)} if function else {},
    )


SINE = my.Fourier(coordinate="time", period=0.5, mean=0.02, sines=(0.1,), cosines=(0.03, 0.01))
PUSH = my.Polynomial(of=("time",), terms=(my.Term(coefficient=0.3, powers=(1,)), my.Term(coefficient=1.5, powers=(2,))))


def test_a_rod_leans_back_by_the_angle_of_the_apparent_gravity() -> None:
    """Under a constant acceleration a, a rod at tan(angle) = -a / g stays there, and the drive pushes with (M + m) a."""
    acceleration = 3.0
    lean = -np.arctan2(acceleration, G)
    run = my.simulate(cart(PUSH), 1.5, start={"angle": lean})
    assert np.allclose(run.values("angle"), lean, rtol=0, atol=1e-11)
    assert np.allclose(run.values("pivot"), 0.3 * run.time + 1.5 * run.time**2, rtol=0, atol=1e-12)
    assert np.allclose(run.values("shake.torque"), (CART + MASS) * acceleration, rtol=1e-10)
    speed = 0.3 + acceleration * run.time
    assert np.allclose(run.values("shake.power"), (CART + MASS) * acceleration * speed, rtol=1e-9)
    assert run.report.energy_error is not None
    assert run.report.energy_error < 1e-9
    assert run.report.notes == ()


@pytest.mark.parametrize(
    ("scheme", "allowed"),
    [
        (my.DOP853(), 1e-8),
        (my.RKF45(), 1e-7),
        (my.RK4(step=0.001), 1e-8),
        (my.Rosenbrock(), 1e-6),
        (my.TRBDF2(), 1e-5),
        (my.Midpoint(step=0.001), 1e-3),
        (my.BDF(), 1e-6),
        (my.Adams(), 1e-6),
        (my.Projected(my.DOP853()), 1e-8),
    ],
    ids=lambda part: type(part).__name__,
)
def test_a_shaken_pivot_moves_the_rod_as_the_equation_of_the_rod_says(scheme: Any, allowed: float) -> None:
    w = 4 * np.pi

    def rates(t: float, y: Any) -> list[float]:
        pushed = -0.1 * w**2 * np.sin(w * t) - 0.03 * w**2 * np.cos(w * t) - 0.01 * (2 * w) ** 2 * np.cos(2 * w * t)
        return [y[1], -MASS * HALF * (G * np.sin(y[0]) + pushed * np.cos(y[0])) / INERTIA]

    run = my.simulate(cart(SINE), 1.0, start={"angle": 0.5}, scheme=scheme)
    wanted = solve_ivp(rates, (0.0, 1.0), [0.5, 0.0], "DOP853", t_eval=run.time, rtol=1e-12, atol=1e-12).y[0]
    assert np.max(np.abs(run.values("angle") - wanted)) < allowed
    place = 0.02 + 0.1 * np.sin(w * run.time) + 0.03 * np.cos(w * run.time) + 0.01 * np.cos(2 * w * run.time)
    miss = float(np.max(np.abs(run.values("pivot") - place)))
    assert miss < allowed
    assert run.report.drift["shake.drift"] == pytest.approx(miss, abs=1e-13)


def test_rosenbrock_keeps_its_order_under_a_motion() -> None:
    errors = []
    fine = my.simulate(cart(SINE), 0.5, start={"angle": 0.5}, scheme=my.DOP853(relative=1e-12, absolute=1e-13))
    for step in (0.01, 0.005):
        run = my.simulate(cart(SINE), 0.5, start={"angle": 0.5}, scheme=my.Rosenbrock(step=step, order=4))
        errors.append(abs(run.final["angle"] - fine.final["angle"]))
    assert np.log2(errors[0] / errors[1]) > 3.3


def test_stabilisation_brings_a_motion_back() -> None:
    """Without it the drift of a coarse march stays; with it the drift dies out."""
    drifts = []
    for rate in (0.0, 50.0):
        model = cart(my.Spline(coordinate="time", x=(0.0, 0.3, 0.5, 0.8), y=(0.0, 0.2, -0.1, 0.3)))
        model = my.Model(**{**dict(model), "stabilisation": rate})
        drifts.append(my.simulate(model, 3.0, scheme=my.Euler(step=0.001)).final["shake.drift"])
    assert drifts[1] < 1e-6 < drifts[0]


KNOTS = ((-0.3, 0.2, 0.5, 0.9), (0.1, 0.4, -0.2, 0.3))


def natural(t: Any, order: int) -> Any:
    spline = CubicSpline(*KNOTS, bc_type="natural")
    beyond = spline(KNOTS[0][-1]) + spline(KNOTS[0][-1], 1) * (t - KNOTS[0][-1])
    outside = [beyond, np.full_like(t, spline(KNOTS[0][-1], 1)), np.zeros_like(t)][order]
    return np.where(t <= KNOTS[0][-1], spline(t, order), outside)


WAVE = my.Fourier(coordinate="time", period=0.4, mean=1.0, slope=0.3, sines=(0.2, 0.1))


def wave(t: Any, order: int) -> Any:
    w = 5 * np.pi
    first = [1 + 0.3 * t, 0.3, 0.0][order]
    return first + sum(a * (k * w) ** order * np.sin(k * w * t + order * np.pi / 2) for k, a in ((1, 0.2), (2, 0.1)))


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (my.Constant(value=0.3), lambda t, order: np.full_like(t, 0.3 if order == 0 else 0.0)),
        (my.Linear(coordinate="time", slope=2.0, offset=0.1), lambda t, order: [0.1 + 2 * t, 2 + 0 * t, 0 * t][order]),
        (
            my.PiecewiseLinear(coordinate="time", x=(0.2, 1.2), y=(1.0, 3.0)),
            lambda t, order: [1.0 + 2 * (t - 0.2), 2 + 0 * t, 0 * t][order],
        ),
        (PUSH, lambda t, order: [0.3 * t + 1.5 * t**2, 0.3 + 3 * t, 3 + 0 * t][order]),
        (my.Spline(coordinate="time", x=KNOTS[0], y=KNOTS[1]), natural),
        (WAVE, wave),
        (
            my.Product(factors=("time", WAVE)),
            lambda t, order: [t * wave(t, 0), wave(t, 0) + t * wave(t, 1), 2 * wave(t, 1) + t * wave(t, 2)][order],
        ),
    ],
    ids=lambda part: getattr(part, "kind", ""),
)
def test_signals_are_the_function_and_its_derivatives(function: Any, told: Any) -> None:
    found = motion_signals(cart(function), 1.4)
    times = np.linspace(0.0, 1.4, 281)
    for order, part in enumerate(("value", "speed", "acceleration")):
        wanted = told(times, order)
        assert np.allclose(found[f"shake.{part}"](times), wanted, rtol=0, atol=1e-12 * max(1.0, np.max(np.abs(wanted))))


def test_the_start_is_put_on_the_motion_and_the_rest_stays() -> None:
    run = my.simulate(cart(SINE, default=0.7), 0.01, start={"angle": 0.5, "angle.speed": -1.0})
    first = {name: run.values(name)[0] for name in ("pivot", "pivot.speed", "angle", "angle.speed")}
    w = 4 * np.pi
    assert first == pytest.approx({"pivot": 0.06, "pivot.speed": 0.1 * w, "angle": 0.5, "angle.speed": -1.0}, abs=1e-14)
    assert run.report.notes == ()


def test_a_start_off_the_motion_is_moved_and_reported() -> None:
    run = my.simulate(cart(PUSH), 0.01, start={"pivot": 0.2, "angle": 0.5})
    assert run.report.notes == ("'pivot' starts at 0 instead of 0.2, because constraint 'shake' prescribes its motion",)
    assert run.values("pivot")[0] == 0.0
    assert run.values("angle")[0] == 0.5
    again = my.simulate(cart(PUSH), 0.01, start=my.simulate(cart(PUSH), 1.0), from_time=0.0)
    assert [note.split(" starts")[0] for note in again.report.notes] == ["'pivot'", "'pivot.speed'"]


def test_a_coupled_coordinate_drives_what_it_follows() -> None:
    free = cart(None)
    half = my.Coordinate(coupled=my.Linear(coordinate="lever", slope=0.5))
    lever = my.Model(
        **{
            **dict(free),
            "bodies": {**free.bodies, "bar": free.bodies["rod"]},
            "joints": {
                **free.joints,
                "mount": my.pin("ground", "bar", "lever"),
                "rail": free.joints["rail"].model_copy(update={"coordinates": my.model.Named({"pivot": half})}),
            },
            "constraints": {"shake": my.MotionConstraint(coordinate="pivot", function=PUSH)},
        }
    )
    run = my.simulate(lever, 0.5)
    assert np.allclose(run.values("lever"), 2 * (0.3 * run.time + 1.5 * run.time**2), rtol=0, atol=1e-10)


def test_a_drive_that_takes_over_strikes_like_an_impact() -> None:
    """The cart is taken to the speed of the drive at once; the rod keeps its momentum about the hinge."""
    driven, free = cart(my.Linear(coordinate="time", slope=1.0)), cart(None)
    event = my.Switch(my.Crossing("pivot", "rising", 0.0), to=driven)
    run = my.simulate(free, 1.0, start={"pivot": -1e-9, "pivot.speed": 2.0}, until=event)
    time = run.report.events[0][0]
    assert time < 1e-8
    place = int(np.searchsorted(run.time, time, side="right"))
    # A jump of the speed by s turns the rod by -s m h / I.
    taken = run.values("pivot.speed")[place] - 2.0
    assert run.values("pivot.speed")[place] == pytest.approx(1.0, abs=1e-12)
    assert run.values("angle.speed")[place] == pytest.approx(-taken * MASS * HALF / INERTIA, rel=1e-9)


def test_inverse_dynamics_finds_what_the_drive_exerts() -> None:
    model = cart(SINE)
    run = my.simulate(model, 0.5, start={"angle": 0.5})
    moments = my.inverse_dynamics(model, run)
    assert np.allclose(moments.values("pivot.moment"), run.values("shake.torque"), rtol=0, atol=1e-9)
    assert np.allclose(moments.values("angle.moment"), 0.0, rtol=0, atol=1e-9)


def test_static_optimisation_leaves_the_drive_its_share() -> None:
    model = cart(SINE).with_parts(forces={"motor": my.CoordinateActuator(coordinate="angle", gain=1.0)})
    run = my.simulate(model, 0.3, start={"angle": 0.5}, controls={"motor": 2.0})
    shared = my.static_optimisation(model, run)
    assert np.allclose(shared.values("motor.control"), 2.0, rtol=0, atol=1e-6)
    assert np.allclose(shared.values("pivot.unmet"), 0.0, rtol=0, atol=1e-6)


def test_markers_show_more_than_a_motion() -> None:
    model = cart(SINE)
    record = my.Markers([0.0], ["tip", "hub"], [[[0.4 + np.sin(0.3), -np.cos(0.3), 0.0], [0.4, 0.0, 0.0]]])
    found = my.inverse_kinematics(model, record)
    assert found.final["pivot"] == pytest.approx(0.4, abs=1e-8)
    assert found.final["angle"] == pytest.approx(0.3, abs=1e-8)


def test_reactions_and_degrees_of_freedom_know_the_drive() -> None:
    model = cart(PUSH)
    run = my.simulate(model, 0.2, start={"angle": -np.arctan2(3.0, G)})
    reactions = my.joint_reactions(model, run)
    assert reactions.final["hinge.reaction_force_x"] == pytest.approx(3.0 * MASS, abs=1e-8)


@pytest.mark.parametrize(
    "ask",
    [
        my.equilibrium,
        my.linearise,
        my.stepper,
        lambda model: my.equations_of(model, compiled=False).forward_dynamics([0.0, 0.0], [0.0, 0.0], [0.0, 0.0]),
        lambda model: my.solve(my.Problem(model), show=False),
    ],
    ids=["equilibrium", "linearise", "stepper", "forward_dynamics", "solve"],
)
def test_what_knows_no_time_refuses_by_name(ask: Any) -> None:
    with pytest.raises(my.MyodyneError, match="'shake'"):
        ask(cart(SINE))


def test_lifted_motions_are_gone() -> None:
    model = cart(SINE)
    assert model.motions == ("shake",)
    assert model.controls == ()
    for lifted in (model.unconstrained(), model.without("shake")):
        assert lifted.motions == ()
        assert my.equations_of(lifted, compiled=False).controls == ()
    with pytest.raises(my.ModelError, match=r"shake\.value"):
        my.simulate(model, 0.1, controls={"shake.value": 0.3})


def test_jacobians_of_the_residual_hold_by_the_motion() -> None:
    eq = my.equations_of(cart(SINE), compiled=False)
    rng = np.random.default_rng(3)
    x, xdot, u = rng.normal(size=len(eq.states)), rng.normal(size=len(eq.states)), rng.normal(size=3)
    by_u = eq.jacobians(x, xdot, u)[2].toarray()
    for number in range(3):
        step = np.eye(3)[number]
        assert np.allclose(by_u[:, number], eq.residual(x, xdot, u + step) - eq.residual(x, xdot, u), atol=1e-12)
    assert eq.controls == ("shake.value", "shake.speed", "shake.acceleration")


def test_files_keep_motions(tmp_path: Any) -> None:
    model = cart(my.Product(factors=("time", SINE)))
    my.save_model(model, tmp_path / "shaken.yaml")
    assert my.load_model(tmp_path / "shaken.yaml") == model


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (my.Linear(coordinate="angle"), "a function of 'time', not of 'angle'"),
        (
            my.PiecewiseLinear(coordinate="time", x=(0.0, 1.0, 2.0), y=(0.0, 1.0, 0.0)),
            "a piecewise linear motion has jumps in speed",
        ),
        (
            my.Product(factors=("time", my.PiecewiseLinear(coordinate="time", x=(0.0, 1.0, 2.0), y=(0.0, 1.0, 0.0)))),
            "jumps",
        ),
    ],
)
def test_motions_are_smooth_functions_of_time_alone(function: Any, why: str) -> None:
    with pytest.raises(my.ModelError, match=why):
        my.MotionConstraint(coordinate="pivot", function=function)


def test_what_cannot_move_or_be_free_is_refused() -> None:
    with pytest.raises(my.ModelError, match="locked and cannot follow a function of time"):
        cart(SINE, locked=True)
    with pytest.raises(my.ModelError, match="pivto"):
        cart(SINE).with_parts(constraints={"shake": my.MotionConstraint(coordinate="pivto", function=SINE)})
    with pytest.raises(my.ModelError, match="belongs to a function of time"):
        cart(SINE).free("shake.function.mean")


def test_a_function_that_overflows_or_repeats_too_often_is_refused() -> None:
    short = my.Fourier(coordinate="time", period=1e-300, sines=(0.1,))
    with pytest.raises(my.ModelError, match=r"period of 1e-300 s, too short for a duration of"):
        my.simulate(cart(short), 0.1)
    # Its value is a number at all times, its acceleration is not.
    steep = my.Fourier(coordinate="time", period=1e-3, sines=(1e304,))
    with pytest.raises(my.ModelError, match="a prescribed motion overflows"):
        my.simulate(cart(steep), 0.1)
