"""Controls that jump: no adaptive or implicit step crosses a jump, and each side sees its own value."""

import numpy as np
import pytest

from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.schemes import DOP853, RK4, RKF45, TRBDF2, Euler, Heun, Midpoint

FREE_MASS = [0.0, 0.0]  # the oscillator without spring and damper: its acceleration is the control
REST = np.zeros(2)


def pulse(on, off, height=2.0):
    return PiecewisePolynomial([on - 1.0, on, off, off + 1.0], [[[0.0]], [[height]], [[0.0]]])


def pushed(time, on, off, height=2.0):
    """Position and speed of a unit mass after a constant push."""
    during = np.clip(time - on, 0.0, off - on)
    after = max(time - off, 0.0)
    return np.array([height * during * (during / 2 + after), height * during])


@pytest.mark.parametrize(
    "scheme",
    [RKF45(1e-6, 1e-6), DOP853(1e-6, 1e-6), TRBDF2(relative=1e-6, absolute=1e-6), TRBDF2(step=0.1), Midpoint(step=0.1)],
    ids=repr,
)
@pytest.mark.parametrize("times", [[1.0], [0.2, 0.3, 0.61, 1.0], [0.1 * k for k in range(1, 11)]], ids=len)
def test_a_push_that_starts_and_ends_between_steps_is_integrated_exactly(march, scheme, times):
    """Every scheme here is exact for a constant push, unless a step mixes both sides of a jump."""
    on, off = 0.337, 0.6123
    done = march(scheme, "oscillator", FREE_MASS, pulse(on, off)).advance(0.0, REST, times)
    np.testing.assert_allclose(done.states, [pushed(time, on, off) for time in times], rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("scheme", [Heun(0.1), RK4(0.1), Midpoint(0.1), TRBDF2(step=0.1), RKF45(), DOP853()], ids=repr)
def test_a_jump_on_the_grid_is_seen_from_both_sides(march, scheme):
    """0.1 + 0.2 is not 0.3, and 3 * 0.1 neither: rounding must not put a jump on the wrong side."""
    on, off = 0.1 + 0.2, 0.7
    done = march(scheme, "oscillator", FREE_MASS, pulse(on, off)).advance(0.0, REST, [0.3, 0.3 + 0.4, 1.0])
    np.testing.assert_allclose(done.last_state, pushed(1.0, 0.3, 0.7), rtol=1e-11)
    if scheme.__class__ in (Heun, RK4, Midpoint):
        assert done.steps == 10


@pytest.mark.parametrize("scheme", [Euler(0.1), RK4(0.1)], ids=repr)
def test_fixed_explicit_schemes_keep_their_grid(march, scheme):
    done = march(scheme, "oscillator", FREE_MASS, pulse(0.337, 0.6123)).advance(0.0, REST, [1.0])
    assert done.steps == 10
    assert done.last_state[1] == pytest.approx(2.0 * (0.6123 - 0.337), abs=2.0 * 0.1)


@pytest.mark.parametrize("scheme", [RKF45(1e-9, 1e-9), DOP853(1e-9, 1e-9)], ids=repr)
def test_landing_on_kinks_costs_hardly_a_rejected_step(march, scheme):
    """A zigzag control: smooth between its corners, each of which would cost several rejections if crossed."""
    corners = np.linspace(0.0, 2.0, 6)
    slopes = np.array([1.0, -1.0, 1.0, -1.0, 1.0])
    heights = np.array([0.0, 0.4, 0.0, 0.4, 0.0])
    zigzag = PiecewisePolynomial(corners, np.stack([heights, slopes], axis=1)[:, :, None])
    done = march(scheme, "oscillator", [1.0, 0.0], zigzag).advance(0.0, np.array([1.0, 0.0]), [2.0])
    fine = march(RK4(0.001), "oscillator", [1.0, 0.0], zigzag).advance(0.0, np.array([1.0, 0.0]), [2.0])
    np.testing.assert_allclose(done.last_state, fine.last_state, atol=2e-9)
    assert done.rejected <= 1


def test_implicit_accelerations_jump_with_the_control(march):
    """TR-BDF2 carries the last acceleration to the next step; at a jump it must ask anew."""
    stiff = march(TRBDF2(step=0.05), "modes", [1.0, 0.1, 300.0, 40.0], pulse(0.1, 0.2, 5.0))
    fine = march(RK4(0.0005), "modes", [1.0, 0.1, 300.0, 40.0], pulse(0.1, 0.2, 5.0))
    start, times = np.array([0.2, 0.0, 0.0, 0.0]), [0.05, 0.1, 0.15, 0.2, 0.3]
    # An acceleration carried across the jump would leave an error of a third of 5 * 0.05.
    np.testing.assert_allclose(
        stiff.advance(0.0, start, times).states, fine.advance(0.0, start, times).states, atol=1e-4
    )
    cut = march(TRBDF2(step=0.05), "modes", [1.0, 0.1, 300.0, 40.0], pulse(0.1, 0.2, 5.0))
    first = cut.advance(0.0, start, [0.05, 0.1])
    second = cut.advance(first.last_time, first.last_state, [0.15, 0.2, 0.3])
    whole = march(TRBDF2(step=0.05), "modes", [1.0, 0.1, 300.0, 40.0], pulse(0.1, 0.2, 5.0)).advance(0.0, start, times)
    np.testing.assert_allclose(second.states, whole.states[2:], rtol=1e-14, atol=1e-14)
