"""A march that cannot go on says why, where, and which state it was."""

import numpy as np
import pytest

from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.schemes import DOP853, RK4, RKF45, TRBDF2, Euler, Midpoint, Rosenbrock
from myodyne.numerics.stepping.implicit import implicit_march
from myodyne.numerics.stepping.implicit_form import SecondOrder
from myodyne.numerics.stepping.linear import linear_march

BLOW_UP = np.array([1.0, 2.0])  # q = 1 / (1 - t)²: infinite at 1 s
OVER_THE_EDGE = np.array([0.5, 1.0])  # sqrt(1 - q) ends at q = 1


def check_consistent(done, times, start):
    """What every failure must leave behind: a finite last state, and exactly the times before it."""
    assert len(done.states) == np.searchsorted(times, done.last_time, side="right") < len(times)
    assert np.all(np.isfinite(done.states)) and np.all(np.isfinite(done.last_state))
    assert done.last_state.shape == start.shape


@pytest.mark.parametrize("scheme", [Euler(0.001), RK4(0.001)], ids=repr)
def test_a_fixed_march_stops_at_the_first_state_that_is_not_finite(march, scheme):
    times = np.arange(0.1, 3.0, 0.1)
    done = march(scheme, "runaway").advance(0.0, BLOW_UP, times)
    assert done.failure == "not finite"
    assert 1.0 <= done.last_time < 1.2
    assert done.offender == 1
    assert done.last_state[0] > 1e50
    check_consistent(done, times, BLOW_UP)
    early = times[times < 0.9]
    np.testing.assert_allclose(done.states[: len(early), 0], 1 / (1 - early) ** 2, rtol=0.1)


@pytest.mark.parametrize(
    "scheme",
    [
        RKF45(1e-6, 1e-6),
        DOP853(1e-6, 1e-6),
        TRBDF2(relative=1e-4, absolute=1e-4),
        Rosenbrock(relative=1e-4, absolute=1e-4),
    ],
    ids=repr,
)
def test_an_adaptive_march_stops_before_a_singularity(march, scheme):
    times = np.array([0.5, 0.9, 1.5])
    done = march(scheme, "runaway").advance(0.0, BLOW_UP, times)
    assert done.failure in ("step too small", "not finite", "Newton did not converge")
    assert done.last_time == pytest.approx(1.0, abs=2e-3)
    assert done.offender in (0, 1)
    check_consistent(done, times, BLOW_UP)


@pytest.mark.parametrize(
    "scheme",
    [
        RK4(0.01),
        RKF45(1e-6, 1e-6),
        DOP853(1e-6, 1e-6),
        Midpoint(0.01),
        TRBDF2(relative=1e-6, absolute=1e-6),
        TRBDF2(step=0.01),
        Rosenbrock(step=0.01),
        Rosenbrock(relative=1e-6, absolute=1e-6),
    ],
    ids=repr,
)
def test_a_rate_that_is_not_a_number_is_traced_to_its_state(march, scheme):
    times = np.array([0.1, 0.2, 2.0])
    done = march(scheme, "edge").advance(0.0, OVER_THE_EDGE, times)
    assert done.failure in ("not finite", "Newton did not converge")
    assert done.offender == 1
    assert done.last_state[0] <= 1.0 + 0.02
    check_consistent(done, times, OVER_THE_EDGE)


def test_newton_without_a_solution(march):
    """A midpoint step this long has no solution: a = 6 (q + h v / 2 + h² a / 4)² is never true."""
    done = march(Midpoint(step=0.5), "runaway").advance(0.0, BLOW_UP, [0.5])
    assert done.failure == "Newton did not converge"
    assert done.offender == 1
    assert done.last_time == 0.0
    assert done.iterations > 1
    np.testing.assert_array_equal(done.last_state, BLOW_UP)


def test_newton_is_led_back_where_its_guess_leads_astray(marches):
    """A force that turns round within a thousandth of a step's way: whole changes jump over it ever further."""
    python, c = (
        m.advance(0.0, np.array([1.0, 0.0]), np.arange(1, 40) * 0.1)
        for m in marches(Midpoint(step=0.1), "latch", [1000.0, 1000.0])
    )
    for done in (python, c):
        assert done.failure is None
        q, v = done.states.T
        # The equations of a midpoint step hold: the way is the mean speed, the change of speed the force in the middle.
        np.testing.assert_allclose(np.diff(q), 0.05 * (v[1:] + v[:-1]), atol=1e-9)
        middle = (q[1:] + q[:-1]) / 2
        np.testing.assert_allclose(np.diff(v), -100 * np.arctan(1000 * middle), atol=1e-6)
    np.testing.assert_allclose(c.states, python.states, rtol=1e-6, atol=1e-6)


def test_a_mass_that_is_zero_is_named():
    """The second speed has no inertia, stiffness or damping: nothing determines its acceleration."""

    def balance(x, xdot, u, p):
        return [xdot[2] + x[0], 0.0 * xdot[3]], [[1.0, 0.0], [0.0, 0.0]], np.zeros((2, 2)), [[1.0, 0.0], [0.0, 0.0]]

    system, nothing = SecondOrder(balance, 4), PiecewisePolynomial.constant([])
    for march in (
        implicit_march(TRBDF2(step=0.1), system, nothing),
        linear_march(Rosenbrock(step=0.1), system, nothing),
    ):
        done = march.advance(0.0, np.ones(4), [1.0])
        assert done.failure == "Newton did not converge"
        assert done.offender == 3


def test_too_many_steps(march):
    done = march(RKF45(most_steps=20, largest_step=0.01), "oscillator", [1.0, 0.0]).advance(
        0.0, np.array([1.0, 0.0]), [0.1, 1.0]
    )
    assert done.failure == "too many steps"
    assert len(done.states) == 1
    assert 0.1 < done.last_time < 1.0
    assert done.offender is None
    endless = march(Euler(step=1e-300), "oscillator", [1.0, 0.0]).advance(0.0, np.array([1.0, 0.0]), [1.0])
    assert endless.failure == "too many steps" and endless.steps == 0


def test_a_kernel_that_refuses(marches):
    done = marches(RK4(0.1), "refusing")[1].advance(0.0, np.ones(2), [1.0])
    assert done.failure == "not finite"
    assert done.offender is None
    assert done.evaluations == 1


def test_a_march_can_begin_again_after_a_failure(march):
    one = march(RKF45(1e-6, 1e-6), "runaway")
    failed = one.advance(0.0, BLOW_UP, [2.0])
    assert failed.failure is not None
    calm = one.advance(0.0, np.array([0.01, 0.0]), [0.1])
    assert calm.failure is None
    again = one.advance(0.0, BLOW_UP, [2.0])
    assert (again.failure, again.steps, again.last_time) == (failed.failure, failed.steps, failed.last_time)
