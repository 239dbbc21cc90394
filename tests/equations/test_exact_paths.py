"""Rates with paths over surfaces as they are: against models without surfaces, and put together in Python."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pytest

import myodyne as my
from myodyne.native.compiler import find_compiler
from myodyne.physics.muscle import Drive, respond
from support.wrapped_arm import wrapped_arm

compiled_only = pytest.mark.skipif(find_compiler() is None, reason="needs a compiler")


def states(eq: my.Equations, count: int = 6) -> Any:
    """Return states within the ranges: moving, with fibres away from balance."""
    rng = np.random.default_rng(5)
    found = []
    for _ in range(count):
        given = {"shoulder": rng.uniform(-0.7, 1.1), "elbow": rng.uniform(0.2, 1.8)}
        given |= {f"{name}.speed": rng.uniform(-2.0, 2.0) for name in given}
        given |= {f"{name}.activation": rng.uniform(0.1, 0.9) for name in eq.muscles}
        x = eq.state(given)
        fibres = [number for number, name in enumerate(eq.motion) if name.endswith(".projected_length")]
        x[fibres] *= rng.uniform(0.97, 1.02, size=len(fibres))
        found.append(x)
    return np.array(found)


@compiled_only
def test_where_no_surface_is_touched_rates_are_those_without_surfaces() -> None:
    beside, without = my.equations_of(wrapped_arm(sizes=0.05)), my.equations_of(wrapped_arm(wraps=False, surfaces={}))
    x, u = states(without), np.linspace(0.1, 0.9, 6)
    q = x[:, :2]
    np.testing.assert_allclose(beside.muscle_lengths(q), without.muscle_lengths(q), atol=1e-15)
    expected = without.derivative(x, np.tile(u, (6, 1)))
    found = np.array([beside.derivative(row, u, exact_paths=True) for row in x])
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(without.derivative(x[0], u, exact_paths=True), expected[0])


def response(muscle: my.Muscle) -> Any:
    """Return tension (N) and imbalance of a muscle as a function of length, speed, fibres, their rate and activation."""
    length, speed, at, rate, active = (ca.SX.sym(name) for name in ("length", "speed", "at", "rate", "active"))
    found = respond(muscle, Drive(length, speed, at, rate, active, ca.SX(0), active))
    return ca.Function("muscle", [length, speed, at, rate, active], [found.tension, found.contraction])


@compiled_only
def test_rates_are_those_of_exact_lengths_and_moment_arms() -> None:
    model = wrapped_arm()
    eq, u = my.equations_of(model), np.linspace(0.1, 0.9, 6)
    straight = my.equations_of(wrapped_arm(wraps=False, surfaces={}), compiled=False)
    touched = np.zeros(6, dtype=bool)
    for x in states(eq):
        q, v = x[:2], x[2:4]
        rates = eq.derivative(x, u, exact_paths=True)
        lengths, arms = eq.muscle_lengths(q), eq.moment_arms(q)
        touched |= lengths > straight.muscle_lengths(q) + 1e-4
        named, named_rates = (dict(zip(eq.motion, part, strict=True)) for part in (x, rates))
        pulls = []
        for number, (name, muscle) in enumerate(model.muscles.items()):
            fibres = f"{name}.projected_length"
            tension, left = (
                float(part)
                for part in response(muscle)(
                    lengths[number],
                    -arms[number] @ v,
                    named.get(fibres, 0.0),
                    named_rates.get(fibres, 0.0),
                    named[f"{name}.activation"],
                )
            )
            # The rates of the fibres balance them on the exact paths.
            assert abs(left) < 1e-9 * max(1.0, abs(tension) / muscle.max_force)
            pulls.append(tension)
        torques = arms.T @ np.array(pulls) - eq.inverse_dynamics(q, v, np.zeros(2))
        accelerations = np.linalg.solve(eq.mass_matrix(q), torques)
        np.testing.assert_allclose(rates[2:4], accelerations, rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(rates[:2], v)
    assert touched[:4].all()
    assert not touched[4:].any()


@compiled_only
def test_other_rates_follow_the_fits() -> None:
    model = wrapped_arm()
    eq, u = my.equations_of(model), np.full(6, 0.3)
    fitted = {name: model.muscles[name].model_copy(update={"path": fit.path}) for name, fit in eq.path_fits.items()}
    assert set(fitted) == {"triceps", "triceps_long", "deltoid", "brachialis"}
    exchanged = my.equations_of(model.with_parts(muscles=fitted))
    for x in states(eq, 3):
        rates = eq.derivative(x, u)
        np.testing.assert_allclose(rates, exchanged.derivative(x, u), rtol=1e-9, atol=1e-9)
        assert np.abs(rates - eq.derivative(x, u, exact_paths=True))[2:4].max() > 1e-6


def test_without_a_compiler_exact_rates_are_refused() -> None:
    eq = my.equations_of(wrapped_arm(), compiled=False)
    with pytest.raises(my.MyodyneError, match="need a C compiler"):
        eq.derivative(np.zeros(len(eq.motion)), np.zeros(6), exact_paths=True)


@compiled_only
def test_a_run_along_exact_paths_keeps_energy_and_reads_exact_lengths() -> None:
    model = wrapped_arm()
    eq = my.equations_of(model, exact_paths=True)
    assert eq.exact_paths
    assert eq.path_fits == {}
    run = my.simulate(eq, 0.2, start={"elbow": 0.1}, controls={"triceps": 0.4})
    poses = np.array([run.values("shoulder"), run.values("elbow")]).T
    for number, name in enumerate(model.muscles):
        np.testing.assert_allclose(run.values(f"{name}.length"), eq.muscle_lengths(poses)[:, number], rtol=1e-13)
    # The work of the muscles is that of their forces along the exact paths.
    assert run.report.energy_error < 1e-7
    assert not any("fitted" in note for note in run.report.notes)


@compiled_only
def test_outputs_of_exact_paths_are_those_without_surfaces_where_none_is_touched() -> None:
    beside = my.equations_of(wrapped_arm(sizes=0.05), exact_paths=True)
    without = my.equations_of(wrapped_arm(wraps=False, surfaces={}))
    assert beside.outputs == without.outputs
    x, u = states(without, 2), np.full((2, 6), 0.3)
    rates = without.derivative(x, u)
    found, expected = beside.output_values(x, rates, u), without.output_values(x, rates, u)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-8)


@compiled_only
def test_implicit_schemes_and_derivatives_refuse_exact_paths() -> None:
    eq = my.equations_of(wrapped_arm(), exact_paths=True)
    with pytest.raises(my.ModelError, match="march by explicit schemes"):
        my.simulate(eq, 0.1, scheme=my.Rosenbrock())
    with pytest.raises(my.ModelError, match="needs paths as polynomials"):
        eq.kernel("jacobians")


def test_what_needs_no_path_does_not_wait_for_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> dict[str, object]:
        raise AssertionError("paths are fitted")

    monkeypatch.setattr("myodyne.paths.fitted.FittedPaths._made", refuse)
    model = wrapped_arm()
    band = my.Ligament(path=model.muscles["triceps"].path, slack_length=0.1237, stiffness=1e3)
    eq = my.equations_of(model.with_parts(forces={"band": band}), compiled=False)
    q, v = np.array([0.1, 0.4]), np.array([0.5, -1.0])
    assert eq.mass_matrix(q).shape == (2, 2)
    assert set(eq.body_positions(q)) == {"upper", "lower"}
    assert eq.centre_of_mass(q).shape == (3,)
    assert eq.momentum(q, v)[0].shape == (3,)
    assert eq.inverse_dynamics(q, v, v).shape == (2,)
    with pytest.raises(AssertionError, match="paths are fitted"):
        eq.energy(q, v)
