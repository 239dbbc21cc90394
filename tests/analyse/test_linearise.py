"""Linearisation: the matrices, their names, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.simulate.constrained import consistent_state
from support.comparison import assert_close, central_differences


def driven() -> my.Model:
    pendulum = my.load_model("double_pendulum")
    forces = {
        "motor": my.CoordinateActuator(coordinate="angle2", gain=2.0),
        "damper": my.TorsionSpring(coordinate="angle1", damping=0.4),
        "wind": my.PointForce(body="rod2", force=(1.0, 0.5, 0.0), controlled=True),
    }
    return my.Model(
        name="driven",
        gravity=pendulum.gravity,
        bodies=dict(pendulum.bodies),
        joints=dict(pendulum.joints),
        forces=forces,
    )


def test_matrices_are_the_derivatives_of_the_motion() -> None:
    eq = my.equations_of(driven())
    x, u = np.array([0.4, -0.9, 1.5, -2.0]), np.array([0.8, -1.1])
    found = my.linearise(eq, dict(zip(eq.states, x, strict=True)), {"motor": 0.8, "wind": -1.1})
    assert found.states == eq.states
    assert found.controls == ("motor", "wind")
    assert_close(found.A, central_differences(lambda rows: eq.derivative(rows, u), x), 1e-8, "A")
    assert_close(
        found.B, central_differences(lambda rows: eq.derivative(np.tile(x, (len(rows), 1)), rows), u), 1e-8, "B"
    )


def test_small_motions_follow_the_linear_system() -> None:
    from scipy.linalg import expm

    model = driven()
    small = np.array([1e-5, -2e-5, 3e-5, 1e-5])
    linear = my.linearise(model, {"angle1": 0.0, "angle2": 0.0})
    run = my.simulate(model, 1.0, start=dict(zip(linear.states, small, strict=True)))
    expected = expm(linear.A * 1.0) @ small
    assert_close([run.final[name] for name in linear.states], expected, 1e-6, "small motion")


def test_eigenvalues_are_sorted_by_frequency_and_solve_the_matrix() -> None:
    linear = my.linearise(my.chain(4), dict.fromkeys(("q1", "q2", "q3", "q4"), 0.0))
    values = linear.eigenvalues
    assert np.all(np.diff(values.imag) <= 1e-12)
    assert_close(np.sort(values.imag), np.sort(np.linalg.eigvals(linear.A).imag), 1e-12, "eigenvalues")
    np.testing.assert_allclose(values.real, 0.0, atol=1e-7)
    standing = my.linearise(my.load_model("pendulum"), {"angle": np.pi}).eigenvalues
    assert standing[0].real == pytest.approx(np.sqrt(1.5 * 9.81))
    assert standing[1].real == pytest.approx(-np.sqrt(1.5 * 9.81))


def test_the_state_may_be_the_end_of_a_run_or_the_defaults() -> None:
    model = my.load_model("double_pendulum")
    run = my.simulate(model, 0.5)
    at_end = my.linearise(model, run)
    by_name = my.linearise(model, {name: run.final[name] for name in at_end.states})
    np.testing.assert_array_equal(at_end.A, by_name.A)
    np.testing.assert_array_equal(my.linearise(model).A, my.linearise(model, {"angle1": 1.0, "angle2": 0.5}).A)


def test_what_cannot_be_linearised_is_refused() -> None:
    model = driven()
    with pytest.raises(my.ModelError, match="unknown state 'angle3'"):
        my.linearise(model, {"angle3": 0.0})
    with pytest.raises(my.ModelError, match="unknown control 'motro': did you mean 'motor'"):
        my.linearise(model, {}, {"motro": 1.0})
    massless = my.Model(
        name="nothing",
        bodies={"shell": my.Body(mass=0.0)},
        joints={"rail": my.slider("ground", "shell", "x")},
        forces={"pull": my.CoordinateActuator(coordinate="x")},
    )
    with pytest.raises(my.ModelError, match="coordinate 'x' moves neither mass nor inertia"):
        my.linearise(massless, {}, {"pull": 1.0})
    with pytest.raises(my.SolveError, match=r"'nothing' has no finite acceleration here: 'x\.speed' is singular"):
        my.linearise(massless.free("shell.mass"), {}, {"pull": 1.0})
    other = my.simulate(my.load_model("pendulum"), 0.1)
    with pytest.raises(my.ModelError, match="has no 'angle1'"):
        my.linearise(model, other)


def test_kept_constraints_in_motion_give_what_the_embedded_mechanism_gives() -> None:
    squeezer = my.load_model("andrews_squeezer")
    embedded = my.embed(squeezer, "beta").model
    start = {"beta": squeezer.coordinates["beta"].default, "beta.speed": 0.7}
    kept, ours = my.linearise(squeezer, start), my.linearise(embedded, start)
    assert kept.states == ours.states == ("beta", "beta.speed")
    assert_close(kept.A, ours.A, 1e-6, "A")
    assert_close(kept.B, ours.B, 1e-6, "B")


def test_eigenvalues_of_a_mechanism_at_rest_do_not_depend_on_how_its_loop_is_met() -> None:
    bars = my.load_model("four_bar")
    rest = my.equilibrium(bars)
    first = rest["theta1"]
    around = bars.with_values({f"{name}.default": rest[name] for name in ("theta1", "theta2", "theta3")})
    embedded = my.embed(around, "theta1", {"theta1": (first - 0.2, first + 0.2)}).model
    kept, ours = my.linearise(bars, rest), my.linearise(embedded, {"theta1": first, "theta1.speed": 0.0})
    assert len(kept.states) == 2
    np.testing.assert_allclose(kept.eigenvalues, ours.eigenvalues, rtol=0, atol=1e-6 * np.abs(ours.eigenvalues).max())


def beside(eq: my.Equations, at: Mapping[str, float], chosen: tuple[str, ...], name: str, by: float) -> Any:
    """Return the motion with one of the chosen states changed, and the others brought onto the constraints."""
    return consistent_state(eq, eq.state(dict(at) | {name: at[name] + by}), frozenset(chosen))[0]


def test_small_motions_of_a_leg_on_a_crank_follow_the_linear_system() -> None:
    from scipy.linalg import expm

    eq = my.equations_of(my.load_model("cyclist_one_leg").without("drive"))
    rest = my.equilibrium(eq)
    linear = my.linearise(eq, rest)
    assert len(linear.states) == len(eq.motion) - 2 * len(eq.multipliers) == 4
    duration, small = 0.3, 1e-4

    def end(name: str, by: float) -> Any:
        start = dict(zip(eq.motion, beside(eq, rest, linear.states, name, by), strict=True))
        run = my.simulate(eq, duration, start=start, scheme=my.DOP853(relative=1e-12, absolute=1e-13))
        return np.array([run.final[state] for state in linear.states])

    expected = expm(linear.A * duration)
    for column, name in enumerate(linear.states):
        found = (end(name, small) - end(name, -small)) / (2 * small)
        assert_close(found, expected[:, column], 1e-5, name)


def test_muscles_on_a_crank_are_linearised_with_it() -> None:
    """In motion: at rest the force-velocity curve of these muscles has a kink, and no derivative."""
    model = my.load_model("cyclist_one_leg_muscles").without("drive")
    eq, controls = my.equations_of(model), dict.fromkeys(model.muscles, 0.1)
    run = my.simulate(
        eq, 0.05, start=dict(my.equilibrium(eq, controls=controls)) | {"crank.speed": 1.0}, controls=controls
    )
    linear, at = my.linearise(eq, run, controls), {name: run.final[name] for name in eq.motion}
    kept, u = [eq.motion.index(name) for name in linear.states], np.array([controls[name] for name in eq.controls])
    for column, name in enumerate(linear.states):
        up, down = (eq.derivative(beside(eq, at, linear.states, name, by), u)[kept] for by in (1e-6, -1e-6))
        assert_close((up - down) / 2e-6, linear.A[:, column], 1e-6, name)


def test_a_driven_crank_keeps_its_angle_as_a_state_but_not_its_speed() -> None:
    linear = my.linearise(my.load_model("cyclist_one_crank"))
    assert linear.A.shape == (len(linear.states),) * 2
    speeds = [name for name in linear.states if name.endswith(".speed")]
    assert len(linear.states) - len(speeds) == len(speeds) + 1
