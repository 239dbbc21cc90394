"""Linearly implicit steps: the formula of van den Bogert et al. (2011), order under moving controls, stability."""

import itertools

import numpy as np
import pytest

from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.schemes import RK4, Midpoint, Rosenbrock
from myodyne.numerics.stepping.implicit_form import Input, SecondOrder, rates_of
from myodyne.numerics.stepping.linear import linear_march
from myodyne.numerics.tableaux import linear_tableau_of

SWING = np.array([1.2, 0.4, 0.3, -0.5])
BEND = PiecewisePolynomial([-1.0, 5.0], [[[-0.5], [0.8], [2.0], [-1.5]]])


def dense(balance, x, xdot, u, p):
    """F and its derivatives by x, xdot and u, all rows: those of the positions first."""
    m = len(x) // 2
    r, by_q, by_v, by_a = (np.array(part, dtype=float) for part in balance(x, xdot, u, p))
    zero, eye = np.zeros((m, m)), np.eye(m)
    moved = np.array(balance(x, xdot, u + 1.0, p)[0], dtype=float)  # linear in the one control
    return (
        np.concatenate([xdot[:m] - x[m:], r]),
        np.block([[zero, -eye], [by_q, by_v]]),
        np.block([[eye, zero], [zero, by_a]]),
        np.concatenate([np.zeros(m), moved - r])[:, None],
    )


@pytest.mark.parametrize(
    "system, parameters, start",
    [("double_pendulum", [9.81], SWING), ("van_der_pol", [5.0], SWING[:2]), ("modes", [1.0, 0.1, 50.0, 30.0], SWING)],
)
def test_002_20_every_step_is_equation_16(march, systems, system, parameters, start):
    """Eq 16, step by step; and what it is derived from, A2 linearised to A3, holds at its solution."""
    step, count = 0.01, 30
    balance = systems[system][3]
    times = step * np.arange(1, count + 1)
    states = march(Rosenbrock(step=step), system, parameters, BEND).advance(0.0, start, times).states
    x = start.copy()
    xdot = rates_of(SecondOrder(balance, len(x)), x, Input(BEND(0.0), np.array(parameters))).value
    for index in range(count):
        u, following = BEND(step * index), BEND(times[index])
        f, by_x, by_xdot, by_u = dense(balance, x, xdot, u, parameters)
        change = np.linalg.solve(by_x + by_xdot / step, by_xdot @ xdot - f - by_u @ (following - u))
        linearised = f + by_x @ change + by_xdot @ (change / step - xdot) + by_u @ (following - u)
        assert np.abs(linearised).max() < 1e-9 * np.abs(by_x).max()
        x, xdot = x + change, change / step
        np.testing.assert_allclose(states[index], x, rtol=1e-10, atol=1e-11)


def test_002_20_equation_16_is_backward_euler_where_the_system_is_linear(march, systems):
    """A1: f(x + Δx, Δx / h, u + Δu) = 0, exactly."""
    step, parameters, balance = 0.02, [3.0, 0.4], systems["oscillator"][3]
    line = PiecewisePolynomial([0.0, 5.0], [[[0.2], [1.5]]])
    times = step * np.arange(1, 40)
    states = march(Rosenbrock(step=step), "oscillator", parameters, line).advance(0.0, SWING[:2], times).states
    for time, (before, after) in zip(times, itertools.pairwise([SWING[:2], *states]), strict=True):
        f, *_ = dense(balance, after, (after - before) / step, line(time), parameters)
        np.testing.assert_allclose(f, 0.0, atol=1e-11)


@pytest.mark.parametrize("order", [1, 3, 4])
def test_order_under_a_control_that_bends(march, order):
    """Without the derivative by time that its stages take, every method would be of order one at most."""
    counts = {1: (800, 1600, 3200), 3: (160, 320, 640), 4: (80, 160, 320)}[order]
    ends = [
        march(Rosenbrock(step=0.8 / count, order=order), "double_pendulum", [9.81], BEND)
        .advance(0.0, SWING, [0.8])
        .last_state
        for count in counts
    ]
    changes = [np.linalg.norm(b - a) for a, b in itertools.pairwise(ends)]
    assert np.log2(changes[0] / changes[1]) == pytest.approx(order, abs=0.1)
    if order > 1:
        fine = march(RK4(step=1e-3), "double_pendulum", [9.81], BEND).advance(0.0, SWING, [0.8]).last_state
        np.testing.assert_allclose(ends[-1], fine, atol=1e-6)


@pytest.mark.parametrize("order", [1, 3, 4])
def test_what_is_infinitely_stiff_dies_in_one_step(march, order):
    """L-stable: the amplification falls with the stiffness, as that of the midpoint rule does not."""
    start, left = np.array([1.0, 1.0, 0.0, 0.0]), []
    for stiffness in (1e5, 1e6, 1e7):
        scheme = Rosenbrock(step=0.01, order=order)
        end = march(scheme, "modes", [1.0, 0.0, stiffness, 0.0]).advance(0.0, start, [0.01]).last_state
        left.append(np.hypot(end[1], end[3] / stiffness))
        assert end[0] == pytest.approx(np.cos(0.01), abs=1e-4)
    assert left[0] < 0.02
    np.testing.assert_allclose(np.diff(np.log10(left)), -1.0, atol=0.05)
    kept = march(Midpoint(step=0.01), "modes", [1.0, 0.0, 1e7, 0.0]).advance(0.0, start, [0.01]).last_state
    assert abs(kept[1]) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("order", [3, 4])
def test_few_steps_suffice_where_a_stiff_mode_has_died(march, order):
    parameters, start = [1.0, 0.0, 1e3, 2e5], np.array([1.0, 1e-3, 0.0, 0.0])
    done = march(Rosenbrock(relative=1e-5, absolute=1e-7, order=order), "modes", parameters).advance(0.0, start, [2.0])
    assert done.failure is None and done.steps < 200
    assert done.last_state[0] == pytest.approx(np.cos(2.0), abs=2e-4)


@pytest.mark.parametrize("order", [1, 3, 4])
def test_a_jump_of_a_control_is_a_new_beginning(march, order):
    jump = PiecewisePolynomial([0.0, 0.3, 1.0], [[[1.0]], [[-2.0]]])
    scheme = Rosenbrock(step=0.01, order=order)
    whole = march(scheme, "double_pendulum", [9.81], jump).advance(0.0, SWING, [0.3, 0.6]).states
    after = march(scheme, "double_pendulum", [9.81], PiecewisePolynomial.constant([-2.0])).advance(0.3, whole[0], [0.6])
    np.testing.assert_allclose(whole[1], after.last_state, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("order", [1, 3, 4])
def test_tableaux_meet_the_conditions_of_their_order(order):
    """The usual weights meet the conditions of their order (Hairer and Wanner 1996, IV.7, table 7.1).

    They come back from those of the tableau by a = α Γ⁻¹, c = I / gamma - Γ⁻¹ and m = b Γ⁻¹.
    """
    tableau = linear_tableau_of(Rosenbrock(step=0.1, order=order))
    gammas = np.linalg.inv(np.eye(tableau.stages) / tableau.gamma - tableau.c)
    b, alpha = tableau.m @ gammas, (tableau.a @ gammas).sum(axis=1)
    times = alpha + gammas.sum(axis=1)
    np.testing.assert_allclose(alpha, tableau.alpha, atol=1e-12)
    np.testing.assert_allclose(gammas.sum(axis=1), tableau.gammas, atol=1e-12)
    assert b.sum() == pytest.approx(1.0, abs=1e-13)
    if order > 1:
        beta = tableau.a @ gammas + gammas
        assert b @ times == pytest.approx(1 / 2, abs=1e-12)
        assert b @ alpha**2 == pytest.approx(1 / 3, abs=1e-12)
        assert b @ beta @ times == pytest.approx(1 / 6, abs=1e-12)
    if order == 4:
        assert b @ alpha**3 == pytest.approx(1 / 4, abs=1e-12)
        assert b @ (alpha * (tableau.a @ gammas @ times)) == pytest.approx(1 / 8, abs=1e-12)
        assert b @ beta @ alpha**2 == pytest.approx(1 / 12, abs=1e-12)
        assert b @ beta @ beta @ times == pytest.approx(1 / 24, abs=1e-12)


def massless(x, xdot, u, p):
    """A mass on a spring to a point without mass, which hangs on a spring and a damper: c v2 + k (2 q2 - q1) = 0."""
    k, c = p
    q1, q2, _, v2 = x
    r = [xdot[2] + k * (q1 - q2) - u[0], c * v2 + k * (2 * q2 - q1)]
    return r, [[k, -k], [-k, 2 * k]], [[0.0, 0.0], [0.0, c]], [[1.0, 0.0], [0.0, 0.0]]


def test_rates_where_mass_vanishes_are_those_of_an_instant():
    """Differentiating the balance of the massless point gives the rate that no equation states."""
    k, c = 40.0, 3.0
    q1, q2, v1 = 0.3, -0.1, 0.7
    v2 = -k * (2 * q2 - q1) / c
    x = np.array([q1, q2, v1, v2])
    system = SecondOrder(massless, 4)
    at = Input(np.zeros(1), np.array([k, c]))
    assert system.rates(x, at).failure == "Newton did not converge"
    found = rates_of(system, x, at)
    assert found.failure is None
    np.testing.assert_allclose(found.value, [v1, v2, -k * (q1 - q2), -k * (2 * v2 - v1) / c], rtol=2e-5)


@pytest.mark.parametrize("order", [1, 3, 4])
def test_a_point_without_mass_follows_its_springs(order):
    """A singular mass matrix is no obstacle; the order holds, against the same motion with a first-order point."""
    k, c = 40.0, 3.0
    start = np.array([0.3, -0.1, 0.0, k * 0.5 / c])
    matrix = np.array([[0.0, 0.0, 1.0], [k / c, -2 * k / c, 0.0], [-k, k, 0.0]])  # of q1, q2, v1
    values, vectors = np.linalg.eig(matrix)
    exact = (vectors @ (np.exp(0.5 * values) * np.linalg.solve(vectors, [0.3, -0.1, 0.0]))).real
    errors = []
    for count in (400, 800) if order == 1 else (100, 200):
        scheme = Rosenbrock(step=0.5 / count, order=order)
        march = linear_march(scheme, SecondOrder(massless, 4), PiecewisePolynomial.constant([0.0]), [k, c])
        end = march.advance(0.0, start, [0.5])
        assert end.failure is None
        errors.append(np.abs(end.last_state[:3] - exact).max())
    assert np.log2(errors[0] / errors[1]) > order - 0.2
