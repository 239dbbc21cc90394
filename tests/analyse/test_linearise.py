"""Linearisation: the matrices, their names, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my
from support.comparison import assert_close, central_differences


def driven() -> my.Model:
    pendulum = my.load_model("double_pendulum")
    forces = {"motor": my.CoordinateActuator(coordinate="angle2", gain=2.0), "damper": my.TorsionSpring(coordinate="angle1", damping=0.4),
              "wind": my.PointForce(body="rod2", force=(1.0, 0.5, 0.0), controlled=True)}
    return my.Model(name="driven", gravity=pendulum.gravity, bodies=dict(pendulum.bodies), joints=dict(pendulum.joints), forces=forces)


def test_matrices_are_the_derivatives_of_the_motion() -> None:
    eq = my.equations_of(driven())
    x, u = np.array([0.4, -0.9, 1.5, -2.0]), np.array([0.8, -1.1])
    found = my.linearise(eq, dict(zip(eq.states, x, strict=True)), {"motor": 0.8, "wind": -1.1})
    assert found.states == eq.states
    assert found.controls == ("motor", "wind")
    assert_close(found.A, central_differences(lambda rows: eq.derivative(rows, u), x), 1e-8, "A")
    assert_close(found.B, central_differences(lambda rows: eq.derivative(np.tile(x, (len(rows), 1)), rows), u), 1e-8, "B")


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
    massless = my.Model(name="nothing", bodies={"shell": my.Body(mass=0.0)}, joints={"rail": my.slider("ground", "shell", "x")},
                        forces={"pull": my.CoordinateActuator(coordinate="x")})
    with pytest.raises(my.ModelError, match="coordinate 'x' moves neither mass nor inertia"):
        my.linearise(massless, {}, {"pull": 1.0})
    with pytest.raises(my.SolveError, match=r"'nothing' has no finite acceleration here: 'x\.speed' is singular"):
        my.linearise(massless.free("shell.mass"), {}, {"pull": 1.0})
    other = my.simulate(my.load_model("pendulum"), 0.1)
    with pytest.raises(my.ModelError, match="has no 'angle1'"):
        my.linearise(model, other)
