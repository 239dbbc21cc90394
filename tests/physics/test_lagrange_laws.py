"""Motions of time, forces of the state, dampers of any power and nonholonomic rows, from lists to models and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.equations import equations_of
from myodyne.errors import ModelError
from myodyne.formulations import lagrange as lg
from myodyne.model import Fourier, Polynomial, Product

pytest.importorskip("sympy")


def cart(**changes: Any) -> lg.Description:
    """Return a rod that hangs from a cart."""
    parts: dict[str, Any] = {
        "name": "cart",
        "coordinates": {"x": lg.Coordinate(), "q": lg.Coordinate(default=0.3)},
        "gravity": (0, -9.81),
        "points": {
            "pivot": lg.Point("ground", ("x", 0)),
            "wall": lg.Point("ground", (2, 0.5)),
            "centre": lg.Point("rod", (0, -0.4)),
        },
        "frames": {"rod": lg.Frame("pivot", ["q"])},
        "segments": {"cart": lg.Segment("pivot", 2.0), "rod": lg.Segment("centre", 1.5, 0.1)},
    }
    return lg.Description(**{**parts, **changes})


def follows_the_lists(
    description: lg.Description, duration: float = 0.3, feedback: Any = None, model: Any = None
) -> Any:
    """Simulate the model of a description, and compare its end with the equations of the lists."""
    from scipy.integrate import solve_ivp

    model = model or lg.to_model(description)
    scheme = my.DOP853(relative=1e-10, absolute=1e-12)
    run = my.simulate(model, duration=duration, scheme=scheme, feedback=feedback)
    numbers = lg.numbers_of(description)
    table = description.coordinate_table
    start = [table[name].default for name in description.free] + [
        table[name].default_speed for name in description.free
    ]
    solved = solve_ivp(numbers.derivative, (0.0, duration), start, rtol=1e-10, atol=1e-12)
    ends = [float(run[name].values[-1]) for name in description.free]
    assert ends == pytest.approx(solved.y[: len(ends), -1], abs=1e-7)
    return run


@pytest.mark.parametrize(
    ("motion", "kind"),
    [
        ("0.5*1.5*t**2", Polynomial),
        ("0.02*sin(6*t)", Fourier),
        ("0.1 + 0.3*t + 0.02*sin(6*t + 0.4) - 0.01*cos(9*t)", Fourier),
        ("0.05*sin(4*t)**2", Fourier),
        ("t**2*sin(5*t)", Product),
    ],
)
def test_motions_of_time_become_motion_constraints(motion: str, kind: type) -> None:
    description = cart(coordinates={"x": lg.Coordinate(motion=motion), "q": lg.Coordinate(default=0.3)})
    model = lg.to_model(description)
    drive = model.constraints["x_drive"]
    assert isinstance(drive, my.MotionConstraint)
    assert isinstance(drive.function, kind)
    run = follows_the_lists(description)
    t = run.time[-1]
    exact = eval(motion, {"sin": np.sin, "cos": np.cos, "t": t})
    assert run.final["x"] == pytest.approx(exact, abs=1e-6)
    # And back: the lists of that model drive the coordinate by the same function.
    back = lg.numbers_of(lg.from_model(model))
    found = back.terms([0.0, 0.3], [0.0, 0.0], t=0.21).constraint
    assert found == pytest.approx([-eval(motion, {"sin": np.sin, "cos": np.cos, "t": 0.21})], abs=1e-14)


def test_motions_without_a_common_period_are_refused() -> None:
    description = cart(coordinates={"x": lg.Coordinate(motion="sin(t) + sin(sqrt(2)*t)"), "q": lg.Coordinate()})
    with pytest.raises(ModelError, match="a common period"):
        lg.to_model(description)


@pytest.mark.parametrize(
    "forces",
    [
        {"forces": {"spring": lg.CoordinateForce("q", "-4*q**3 - 0.3*abs(q_dot)*q_dot + sin(9*t)")}},
        {"forces": {"drag": lg.Force("centre", ("-3*x_dot*abs(x_dot)", "0.4*cos(q)"))}},
        {"forces": {"follower": lg.Force("centre", ("2*q", "1 + t"), axes="rod")}},
        {"forces": {"band": lg.Force("centre", "-5*x", reaction_at="wall")}},
        {"torques": {"reflex": lg.Torque("ground", "rod", "-6*q - 0.5*q_dot**3")}},
        {"springs": {"drag": lg.CoordinateSpring("q", 3.0, 0.8, 0.1, power=2)}},
        {"springs": {"shock": lg.LinearSpring("wall", "centre", 20.0, 4.0, 1.5, power=1.5)}},
        {"springs": {"twist": lg.TorsionalSpring("ground", "rod", 2.0, 0.4, 0.0, power=3)}},
    ],
)
def test_forces_of_the_state_act_as_feedback(forces: dict[str, Any]) -> None:
    description = cart(**forces)
    with pytest.raises(ModelError, match="to_model_with_law"):
        lg.to_model(description)
    driven = lg.to_model_with_law(description)
    follows_the_lists(description, feedback=my.Feedback(driven.law), model=driven.model)


@pytest.mark.parametrize("power", [1, 2, 2.5, 3])
def test_a_damper_of_any_power_takes_its_energy(power: float) -> None:
    """A mass on a damper alone: v' = -c v^n, whose solution is elementary."""
    from scipy.integrate import solve_ivp

    sled = lg.Description(
        name="sled",
        coordinates={"x": lg.Coordinate(default_speed=2.0)},
        points={"sled": lg.Point("ground", ("x", 0))},
        frames={},
        segments={"sled": lg.Segment("sled", 1.5)},
        springs={"drag": lg.CoordinateSpring("x", damping=0.6, power=power)},
    )
    solved = solve_ivp(lg.numbers_of(sled).derivative, (0, 1.3), [0.0, 2.0], rtol=1e-11, atol=1e-12)
    rate = 0.6 / 1.5 * 1.3
    exact = 2.0 * np.exp(-rate) if power == 1 else (2.0 ** (1 - power) + (power - 1) * rate) ** (1 / (1 - power))
    assert solved.y[1, -1] == pytest.approx(exact, rel=1e-9)
    # Formulas and numbers agree in both directions of motion, and at rest.
    formulas, numbers = lg.derive(sled).numbers(), lg.numbers_of(sled)
    for speed in (-1.7, 0.0, 0.9):
        residuals = [each.residual([0.1], [speed], [0.4]) for each in (formulas, numbers)]
        assert residuals[0] == pytest.approx(residuals[1], abs=1e-14)
        assert residuals[0][0] == pytest.approx(1.5 * 0.4 + 0.6 * np.sign(speed) * abs(speed) ** power, abs=1e-14)


def test_a_damper_needs_a_positive_power() -> None:
    with pytest.raises(ModelError, match="power of a damper is a positive number"):
        lg.CoordinateSpring("x", damping=1.0, power=-1)


def skate(**changes: Any) -> lg.Description:
    """Return a blade on ice: its heel may not slip sideways."""
    parts: dict[str, Any] = {
        "name": "skate",
        "coordinates": ["x", "y", "turn"],
        "points": {"heel": lg.Point("ground", ("x", "y")), "centre": lg.Point("blade", (0.1, 0))},
        "frames": {"blade": lg.Frame("heel", ["turn"])},
        "segments": {"blade": lg.Segment("centre", 2.0, 0.05)},
        "gravity": (0, 0),
        "constraints": {"edge": lg.Nonholonomic("y_dot*cos(turn) - x_dot*sin(turn)")},
    }
    return lg.Description(**{**parts, **changes})


def test_a_skate_keeps_its_energy_and_its_edge() -> None:
    from scipy.integrate import solve_ivp

    numbers = lg.numbers_of(skate())
    turn, speed, spin = 0.4, 1.3, 0.9
    start = [0, 0, turn, speed * np.cos(turn), speed * np.sin(turn), spin]
    solved = solve_ivp(numbers.derivative, (0, 2.0), start, rtol=1e-10, atol=1e-12)
    q, v = solved.y[:3, -1], solved.y[3:, -1]
    assert v[1] * np.cos(q[2]) - v[0] * np.sin(q[2]) == pytest.approx(0, abs=1e-8)
    first = numbers.terms(start[:3], start[3:]).kinetic_energy
    assert numbers.terms(q, v).kinetic_energy == pytest.approx(first, rel=1e-8)
    # The Chaplygin sleigh: forward speed and spin obey u' = a w², w' = -m a u w / (I + m a²).
    found = numbers.motion(start[:3], start[3:]).accelerations
    along = found[0] * np.cos(turn) + found[1] * np.sin(turn)
    assert along == pytest.approx(0.1 * spin**2, abs=1e-12)
    assert found[2] == pytest.approx(-2.0 * 0.1 * speed * spin / (0.05 + 2.0 * 0.1**2), abs=1e-12)


def test_a_skate_as_formulas() -> None:
    equations = lg.derive(skate())
    q, v = [0.1, 0.2, 0.4], [0.6, 0.3, 0.9]
    one, other = equations.numbers().motion(q, v), lg.numbers_of(skate()).motion(q, v)
    assert one.accelerations == pytest.approx(other.accelerations, abs=1e-12)
    assert one.multipliers == pytest.approx(other.multipliers, abs=1e-12)
    assert "y'*cos(turn)" in equations.text()
    # All three coordinates stay possible poses: the row takes away a speed only.
    assert equations.mobility.rank == 1


def test_what_is_not_a_row_of_speeds_is_refused() -> None:
    with pytest.raises(ModelError, match="contains no speed"):
        skate(constraints={"edge": lg.Nonholonomic("x - y")})
    with pytest.raises(ModelError, match="relates several speeds"):
        lg.to_model(skate())


@pytest.mark.parametrize(
    "name", ["cyclist_one_leg", "cyclist_one_crank", "cyclist_two_cranks", "three_segment_balance", "runner_skeleton"]
)
def test_platforms_cyclists_and_runners_are_described(name: str) -> None:
    """Constraints that drive and motors included: accelerations are those of the production equations."""
    model = my.load_model(name)
    free = model.without(*model.constraints)
    numbers, equations = lg.numbers_of(lg.from_model(model)), equations_of(free, compiled=False)
    rng = np.random.default_rng(3)
    q = np.array([model.coordinates[n].default for n in numbers.coordinates])
    v, vdot = rng.normal(size=(2, q.size))
    order = [equations.coordinates.index(n) for n in numbers.coordinates]
    back = np.argsort(order)
    inputs = {n: float(value) for n, value in zip(model.controls, rng.normal(size=len(model.controls)), strict=True)}
    x, xdot = np.concatenate([q[back], v[back]]), np.concatenate([v[back], vdot[back]])
    ours = equations.residual(x, xdot, [inputs[n] for n in equations.controls])[q.size :][order]
    assert numbers.residual(q, v, vdot, inputs) == pytest.approx(ours, abs=1e-9 * max(1.0, np.abs(ours).max()))


@pytest.mark.parametrize("name", ["cyclist_one_leg", "three_segment_balance"])
def test_driven_models_there_and_back(name: str) -> None:
    model = my.load_model(name)
    description = lg.from_model(model)
    again = lg.to_model(description)
    assert {type(part) for part in again.constraints.values()} == {type(p) for p in model.constraints.values()}
    assert set(again.controls) == set(model.controls)
    numbers, equations = lg.numbers_of(description), equations_of(model, compiled=False)
    order = [equations.coordinates.index(n) for n in numbers.coordinates]
    q = np.array([model.coordinates[n].default for n in numbers.coordinates])
    v = np.random.default_rng(5).normal(size=q.size)
    back = np.argsort(order)
    expected = equations.forward_dynamics(q[back], v[back], np.zeros(q.size))[order]
    assert numbers.motion(q, v).accelerations == pytest.approx(expected, abs=1e-8 * np.abs(expected).max())
