import ctypes

import numpy as np
import pytest

from myodyne.march import marching
from myodyne.native import structures
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.schemes import Euler

STEP = PiecewisePolynomial([0.0, 1.0, 2.0], [[[1.0]], [[3.0]]])


def random_signal(seed, count=1):
    rng = np.random.default_rng(seed)
    pieces, degree = rng.integers(1, 8), rng.integers(0, 4)
    breaks = np.cumsum(rng.uniform(0.1, 1.0, pieces + 1)) - 1.0
    return PiecewisePolynomial(breaks, rng.normal(size=(pieces, degree + 1, count)))


def by_hand(signal, time):
    """The definition, one time after the other."""
    time = min(max(time, signal.breaks[0]), signal.breaks[-1])
    piece = max(i for i in range(len(signal.breaks) - 1) if signal.breaks[i] <= time)
    return sum(c * (time - signal.breaks[piece]) ** k for k, c in enumerate(signal.coefficients[piece]))


@pytest.mark.parametrize("seed", range(10))
def test_values_follow_the_definition(seed):
    signal = random_signal(seed, count=3)
    times = np.concatenate([np.random.default_rng(seed).uniform(-3, 8, 50), signal.breaks])
    np.testing.assert_allclose(signal(times), [by_hand(signal, time) for time in times], rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(signal(times.reshape(-1, 1))[:, 0], signal(times))
    np.testing.assert_array_equal(signal(times[0]), signal(times)[0])


def test_limits_see_their_side_of_a_jump():
    assert STEP.limit(1.0, left=True) == 1.0
    assert STEP.limit(1.0, left=False) == STEP(1.0) == 3.0
    assert STEP.limit(1.0 + 1e-13, left=True) == 3.0
    assert STEP.limit(1.0 + 1e-13, left=True, slack=1e-12) == 1.0
    assert STEP.limit(1.0 - 1e-13, left=False, slack=1e-12) == 3.0
    assert STEP.limit(-1.0, left=True) == 1.0
    assert STEP.limit(9.0, left=False) == 3.0


@pytest.mark.parametrize("seed", range(10))
def test_merged_signals_keep_their_values(seed):
    parts = [random_signal(10 * seed + k, count=1 + k % 2) for k in range(4)]
    merged = PiecewisePolynomial.merged(parts)
    assert merged.count == sum(part.count for part in parts)
    times = np.random.default_rng(seed).uniform(-3, 8, 200)
    np.testing.assert_allclose(merged(times), np.hstack([part(times) for part in parts]), rtol=1e-9, atol=1e-9)


def test_merging_joins_breaks_that_differ_by_rounding():
    one = PiecewisePolynomial([0.0, 0.3, 1.0], [[[0.0]], [[1.0]]])
    other = PiecewisePolynomial([0.0, 0.1 + 0.2, 1.0], [[[5.0]], [[7.0]]])
    merged = PiecewisePolynomial.merged([one, other])
    assert len(merged.breaks) == 3
    np.testing.assert_array_equal(merged(0.5), [1.0, 7.0])
    assert len(merged.discontinuities) == 1


def test_no_signals_at_all():
    none = PiecewisePolynomial.merged([])
    assert none.count == 0 and none(3.0).shape == (0,) and none([1.0, 2.0]).shape == (2, 0)
    assert len(none.discontinuities) == 0


def test_discontinuities_are_jumps_and_kinks_but_not_smooth_joins():
    def at(signal):
        return signal.discontinuities.tolist()

    assert at(STEP) == [1.0]
    assert at(PiecewisePolynomial.constant([1.0, 2.0])) == []
    kink = PiecewisePolynomial([0.0, 1.0, 2.0], [[[0.0], [1.0]], [[1.0], [-1.0]]])
    assert at(kink) == [0.0, 1.0, 2.0]
    parabola = PiecewisePolynomial([-1.0, 0.0, 1.0], [[[1.0], [-2.0], [1.0]], [[0.0], [0.0], [1.0]]])
    assert at(parabola) == [-1.0, 1.0]
    # A parabola cut in two where its pieces join smoothly but for rounding.
    cut = PiecewisePolynomial([0.0, 0.1, 0.3], [[[0.0], [0.0], [1.0]], [[0.1**2], [0.2], [1.0]]])
    assert 0.1 not in at(cut)
    ends_flat = PiecewisePolynomial([0.0, 1.0], [[[0.0], [0.0], [3.0], [-2.0]]])
    assert at(ends_flat) == []


@pytest.mark.parametrize(
    "breaks, coefficients, words",
    [
        ([0.0], [[[1.0]]], "at least two times"),
        ([0.0, 1.0], [[1.0]], "must have the shape"),
        ([0.0, 1.0], np.zeros((2, 1, 1)), "with 1 pieces"),
        ([0.0, 0.0], [[[1.0]]], "must increase, but 0 follows 0"),
        ([0.0, np.inf], [[[1.0]]], "finite"),
        ([0.0, 1.0], [[[np.nan]]], "finite"),
    ],
)
def test_what_is_no_signal_is_refused(breaks, coefficients, words):
    with pytest.raises(ValueError, match=words):
        PiecewisePolynomial(breaks, coefficients)


def test_signals_do_not_change():
    breaks = np.array([0.0, 1.0])
    signal = PiecewisePolynomial(breaks, [[[1.0]]])
    breaks[0] = -5.0
    assert signal.breaks[0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        signal.coefficients[0, 0, 0] = 2.0


class Instant(ctypes.Structure):
    _fields_ = (("time", ctypes.c_double), ("side", ctypes.c_int), ("slack", ctypes.c_double))


@pytest.mark.parametrize("seed", range(5))
def test_c_evaluates_the_same(compiled, seed):
    signal = random_signal(seed, count=2)
    kernel = type("Sizes", (), {"input_sizes": (2, 2, 0), "address": 1, "n_arg": 3, "n_res": 1, "n_iw": 0, "n_w": 0})()
    march = marching.NativeMarch(Euler(0.1), kernel, compiled, signal, np.zeros(0))
    values, library = np.zeros(2), compiled.kernels
    for function in (library.march_controls, library.march_control_rates):
        function.argtypes = [ctypes.POINTER(structures.SignalStructure), Instant, ctypes.c_void_p]
    rng = np.random.default_rng(seed)
    for time in [*rng.uniform(-3, 8, 60), *signal.breaks, *(signal.breaks + 1e-13)]:  # not in order: the cursor moves
        for left in (True, False):
            for slack in (0.0, 1e-12):
                library.march_controls(
                    march.problem.controls, Instant(time, 0 if left else 1, slack), values.ctypes.data
                )
                np.testing.assert_allclose(values, signal.limit(time, left=left, slack=slack), rtol=1e-14, atol=1e-14)
            if time != signal.breaks[-1]:
                library.march_control_rates(march.problem.controls, Instant(time, 1, 1e-12), values.ctypes.data)
                np.testing.assert_allclose(values, signal.rate(time, 1e-12), rtol=1e-14, atol=1e-14)


def test_rates_are_those_of_the_values():
    signal = random_signal(3, count=2)
    step = 1e-6
    for time in np.linspace(signal.breaks[0], signal.breaks[-1], 41)[:-1] + 1e-3:
        slope = (signal(time + step) - signal(time - step)) / (2 * step)
        np.testing.assert_allclose(signal.rate(time), slope, rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(signal.rate(signal.breaks[0] - 0.1), 0.0)
    np.testing.assert_array_equal(signal.rate(signal.breaks[-1]), 0.0)
