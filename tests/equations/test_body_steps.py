"""Steps of bodies with muscles: the formula of van den Bogert et al. (2011), orders, and what has no mass or activation."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my
from myodyne.equations import Equations
from myodyne.march.marching import march_for
from myodyne.native.compiler import find_compiler
from myodyne.numerics.piecewise import PiecewisePolynomial
from support.frames import Array
from support.muscled_arm import arm, random_state

COMPILED = [pytest.param(True, marks=pytest.mark.skipif(find_compiler() is None, reason="no C compiler")), False]
STEP = 0.002


def by_equation_16(eq: Equations, x: Array, signals: PiecewisePolynomial, count: int) -> Array:
    """Return states by Eq 16 with dense matrices of all states, multipliers included."""
    motion = len(eq.motion)
    u = signals(0.0)
    xdot = np.concatenate([eq.derivative(x, u), np.zeros(len(eq.multipliers))])
    x = np.concatenate([x, eq.constraint_forces(x, u)])
    states = []
    for index in range(count):
        u, change_of_u = signals(STEP * index), signals(STEP * (index + 1)) - signals(STEP * index)
        by_x, by_xdot, by_u = (matrix.toarray() for matrix in eq.jacobians(x, xdot, u))
        right = by_xdot @ xdot - eq.residual(x, xdot, u) - by_u @ change_of_u
        change = np.linalg.solve(by_x + by_xdot / STEP, right)
        x, xdot = x + change, change / STEP
        states.append(x[:motion])
    return np.array(states)


@pytest.mark.parametrize("compiled", COMPILED)
@pytest.mark.parametrize("constrained", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_muscles_eliminated_one_by_one_or_all_at_once(compiled: bool, constrained: bool, seed: int) -> None:
    """The march solves with each muscle's own rows first; a dense solve of Eq 16 must give the same."""
    model = arm(constrained=constrained)
    eq = my.equations_of(model, compiled=compiled)
    x, u = random_state(eq, seed)
    rising = {
        name: my.piecewise_linear([0.0, 0.05], [value, 0.5 * value + 0.4])
        for name, value in zip(eq.controls, u, strict=True)
    }
    count = 10
    run = my.simulate(
        eq,
        count * STEP,
        start=dict(zip(eq.motion, x, strict=True)),
        controls=rising,
        scheme=my.Rosenbrock(step=STEP),
        every=STEP,
    )
    begin = np.array([run[name].values[0] for name in eq.motion])  # on the constraints
    found = np.array([run[name].values[1:] for name in eq.motion]).T
    ends = np.array([0.5 * u + 0.4])
    line = PiecewisePolynomial([0.0, 0.05], np.stack([u, (ends[0] - u) / 0.05])[None])
    expected = by_equation_16(eq, begin, line, count)
    for number, name in enumerate(eq.motion):
        size = max(1.0, float(np.abs(expected[:, number]).max()))
        assert np.abs(found[0, number] - expected[0, number]) < 1e-10 * size, name
        assert np.abs(found[:, number] - expected[:, number]).max() < 1e-9 * size, name


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_orders_hold_for_muscles(order: int) -> None:
    """After the fast changes of the start have died; the error of halved steps falls by the power of the order."""
    eq = my.equations_of(arm())
    excited = dict.fromkeys(eq.muscles, 0.3)
    settled = my.simulate(eq, 0.2, controls=excited, scheme=my.Rosenbrock(relative=1e-9, absolute=1e-9))
    start = {name: float(settled.final[name]) for name in eq.motion}
    exact = my.simulate(
        eq, 0.1, start=start, controls=excited, scheme=my.DOP853(relative=1e-12, absolute=1e-12), every=0.1
    )
    errors = []
    for step in {1: (5e-4, 2.5e-4), 2: (1e-3, 5e-4), 3: (5e-4, 2.5e-4), 4: (5e-4, 2.5e-4)}[order]:
        scheme = my.Midpoint(step=step) if order == 2 else my.Rosenbrock(step=step, order=order)
        run = my.simulate(eq, 0.1, start=start, controls=excited, scheme=scheme, every=0.1)
        errors.append(max(abs(run.final[name] - exact.final[name]) for name in eq.coordinates))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.3)


def sleeper() -> my.Model:
    """Return an arm with one muscle that has no damping: at activation zero its force does not feel its velocity."""
    muscle = my.Muscle(
        max_force=600.0,
        optimal_fibre_length=0.12,
        tendon_slack_length=0.1,
        damping=0.0,
        path=my.FunctionPath(length=my.Linear(coordinate="elbow", slope=-0.03, offset=0.235)),
    )
    return my.Model(
        name="sleeper",
        bodies={"lower": my.Body(mass=1.5, centre_of_mass=(0, -0.15, 0), inertia=0.015)},
        joints={"elbow": my.pin("ground", "lower", "elbow", default=0.4)},
        muscles={"flex": muscle},
    )


@pytest.mark.parametrize("compiled", COMPILED)
@pytest.mark.parametrize(
    "scheme",
    [my.Rosenbrock(step=0.0002), my.Rosenbrock(step=0.001, order=4), my.Midpoint(step=0.001), my.TRBDF2(step=0.001)],
    ids=repr,
)
def test_a_muscle_without_activation_or_damping_moves(compiled: bool, scheme: my.Scheme) -> None:
    """002-5: at a = 0 the balance of the muscle is algebraic; implicit steps need no rate from it."""
    eq = my.equations_of(sleeper(), compiled=compiled)
    x = eq.state()
    assert x[eq.motion.index("flex.activation")] == 0.0
    by_xdot = eq.jacobians(x, np.zeros_like(x), [0.0])[1].toarray()
    assert np.linalg.matrix_rank(by_xdot) == len(x) - 1
    rates = eq.derivative(x, [0.0])
    assert np.all(np.isfinite(rates))
    assert np.abs(eq.residual(x, rates, [0.0])).max() < 1e-5
    run = my.simulate(eq, 0.3, controls={"flex": my.piecewise_linear([0.0, 0.1, 0.15], [0.0, 0.0, 0.5])}, scheme=scheme)
    asleep = run.time <= 0.1
    states = np.array([run[name].values for name in eq.motion]).T
    forces = [eq.residual(row, np.zeros(len(x)), [0.0])[2] for row in states[asleep]]
    assert np.abs(forces).max() < 1e-4  # in balance while asleep, whatever the rate
    damped = my.simulate(
        my.equations_of(sleeper().with_values({"flex.damping": 1e-5})),
        0.3,
        controls={"flex": my.piecewise_linear([0.0, 0.1, 0.15], [0.0, 0.0, 0.5])},
        scheme=my.Rosenbrock(relative=1e-8, absolute=1e-8),
    )
    assert run.final["elbow"] == pytest.approx(damped.final["elbow"], abs=5e-3 if scheme.order == 1 else 2e-4)


def hung() -> my.Model:
    """Return a block on a string of springs: between them a piece without mass, and a muscle that pulls at it."""
    muscle = my.Muscle(
        max_force=100.0,
        optimal_fibre_length=0.1,
        tendon_slack_length=0.1,
        damping=0.05,
        path=my.FunctionPath(length=my.Linear(coordinate="knot", slope=1.0, offset=0.2)),
    )
    return my.Model(
        name="hung",
        gravity=(0, 0, 0),
        bodies={"piece": my.Body(mass=0.0), "block": my.Body(mass=2.0)},
        joints={"track": my.slider("ground", "piece", "knot"), "rail": my.slider("ground", "block", "way")},
        forces={
            "wall": my.TorsionSpring(coordinate="knot", stiffness=400.0, damping=5.0),
            "tie": my.PointSpring(
                start=my.Marker(body="piece"),
                end=my.Marker(body="block", at=(0.5, 0, 0)),
                stiffness=300.0,
                rest_length=0.5,
            ),
        },
        muscles={"pull": muscle},
    )


@pytest.mark.parametrize("compiled", COMPILED)
@pytest.mark.parametrize(
    "scheme",
    [my.Rosenbrock(step=0.0002), my.Rosenbrock(step=0.001, order=4), my.Midpoint(step=0.001), my.TRBDF2(step=0.001)],
    ids=repr,
)
def test_a_body_without_mass_between_springs_moves(compiled: bool, scheme: my.Scheme) -> None:
    """002-5: the mass matrix is singular; what springs and dampers ask of the knot is enough."""
    eq = my.equations_of(hung(), compiled=compiled)
    assert np.linalg.matrix_rank(eq.mass_matrix(np.zeros(2))) == 1
    controls = {"pull": my.piecewise_linear([0.0, 0.1], [0.0, 0.8])}
    run = my.simulate(eq, 0.3, controls=controls, scheme=scheme)
    # A little mass at the knot changes next to nothing.
    heavy = my.simulate(
        hung().with_values({"piece.mass": 1e-6}),
        0.3,
        controls=controls,
        scheme=my.Rosenbrock(relative=1e-9, absolute=1e-9),
    )
    slack = 2e-4 if scheme.order == 1 else 5e-5
    for name in ("knot", "way", "pull.projected_length"):
        assert run.final[name] == pytest.approx(heavy.final[name], abs=slack), name
    assert abs(run.final["knot"]) > 1e-3


@pytest.mark.parametrize("compiled", COMPILED)
def test_a_march_without_muscles_takes_a_singular_mass_matrix_too(compiled: bool) -> None:
    model = hung()
    bare = my.Model(
        name="bare",
        gravity=model.gravity,
        bodies=dict(model.bodies),
        joints=dict(model.joints),
        forces=dict(model.forces) | {"push": my.CoordinateActuator(coordinate="knot")},
    )
    system = my.equations_of(bare, compiled=compiled).system
    push = PiecewisePolynomial([0.0, 0.1], [[[0.0], [200.0]]])
    ends = []
    for scheme in (my.Rosenbrock(step=0.001, order=4), my.Midpoint(step=0.001), my.TRBDF2(step=0.001)):
        done = march_for(scheme, system, push).advance(0.0, np.zeros(6), [0.3])
        assert done.failure is None
        ends.append(done.last_state[:2])
    np.testing.assert_allclose(ends[1:], ends[:1] * 2, atol=2e-6)
    assert abs(ends[0][0]) > 1e-3
