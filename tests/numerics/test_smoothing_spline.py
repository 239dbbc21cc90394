"""Smoothing splines: what they leave alone, what they find out about noise, how good their derivatives are."""

import numpy as np
import pytest

from myodyne.numerics.filters import NaturalSpline, lowpass
from myodyne.numerics.smoothing_spline import SmoothingSpline, smoothing_of

TIME = np.arange(300) / 100.0


def wave(time, order=0):
    """Two sines of 1 and 3 Hz, or a derivative of theirs."""
    slow, fast = 2.0 * np.pi, 6.0 * np.pi
    quarter = order * np.pi / 2.0
    return slow**order * np.sin(slow * time + quarter) + 0.3 * fast**order * np.sin(fast * time + quarter)


def noisy(seed, size=0.01):
    return wave(TIME) + size * np.random.default_rng(seed).normal(size=len(TIME))


@pytest.mark.parametrize("smoothing", [1e-12, 1e-6, 1.0, 1e6])
@pytest.mark.parametrize("even", [True, False])
def test_parabolas_pass_a_quintic_spline_unchanged(smoothing, even):
    time = TIME if even else np.cumsum(np.random.default_rng(3).uniform(0.005, 0.015, 300))
    parabola = 1.0 + 2.0 * time - 3.0 * time**2
    np.testing.assert_allclose(SmoothingSpline(time, parabola)(smoothing), parabola, atol=1e-10)


@pytest.mark.parametrize("cutoff", [0.5, 3.0, 20.0, 45.0])
@pytest.mark.parametrize("degree", [3, 5, 7])
def test_the_freedom_of_the_residuals_is_the_trace_of_what_the_spline_takes_away(cutoff, degree):
    time = np.cumsum(np.random.default_rng(5).uniform(0.008, 0.012, 80))
    smoothing = smoothing_of(cutoff, 0.01, degree)
    whole = SmoothingSpline(time, np.eye(80), degree)
    taken = np.trace(np.eye(80) - whole(smoothing))
    assert whole.freedom(smoothing) == pytest.approx(taken, rel=1e-6)


@pytest.mark.parametrize("size", [0.003, 0.01, 0.05])
def test_cross_validation_finds_the_size_of_the_noise(size):
    found = [SmoothingSpline(TIME, noisy(seed, size)).by_cross_validation(0).noise for seed in range(12)]
    assert np.mean(found) == pytest.approx(size, rel=0.03)
    # The spread of a standard deviation of about 250 numbers is 4.5 %.
    assert np.std(found) < 0.08 * size


def test_cross_validation_is_near_the_best_smoothing_there_is():
    for seed in range(6):
        spline = SmoothingSpline(TIME, noisy(seed))
        errors = {
            cutoff: np.sqrt(np.mean((spline(smoothing_of(cutoff, 0.01, 5)) - wave(TIME)) ** 2))
            for cutoff in np.geomspace(2.0, 30.0, 60)
        }
        chosen = spline(spline.by_cross_validation(0).smoothing)
        assert np.sqrt(np.mean((chosen - wave(TIME)) ** 2)) < 1.35 * min(errors.values())


def test_a_known_error_is_the_distance_from_the_samples():
    rows = noisy(1)
    spline = SmoothingSpline(TIME, rows)
    choice = spline.by_error(0.01, 0)
    assert np.sum((rows - spline(choice.smoothing)) ** 2) == pytest.approx(300 * 0.01**2, rel=1e-6)
    assert not choice.at_limit
    # Nothing is further from the samples than the parabola through them.
    assert spline.by_error(10.0, 0).at_limit


def test_accelerations_beside_those_of_a_butterworth_filter():
    """Inside the record: the ends of a natural spline are its weakest part.

    A spline of known error beats the filter unless its cut-off frequency happens to be the best, which only the truth
    shows; there both are equal, because two passes of a third-order filter attenuate as a quintic spline does. Cross-
    validation aims at positions, and smooths less than accelerations want.
    """

    def error(values):
        return np.sqrt(np.mean((values - wave(TIME, 2))[40:-40] ** 2))

    known, chosen, filters = [], [], {cutoff: [] for cutoff in (4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 12.0)}
    for seed in range(8):
        spline = SmoothingSpline(TIME, noisy(seed))
        for errors, choice in ((known, spline.by_error(0.01, 0)), (chosen, spline.by_cross_validation(0))):
            errors.append(error(NaturalSpline(TIME, spline(choice.smoothing), 5)(TIME, 2)))
        for cutoff, errors in filters.items():
            grid, rows = lowpass(TIME, noisy(seed), cutoff)
            errors.append(error(NaturalSpline(grid, rows, 5)(TIME, 2)))
    means = {cutoff: np.mean(errors) for cutoff, errors in filters.items()}
    assert np.mean(known) < 1.2 * min(means.values())
    assert all(np.mean(known) < means[cutoff] for cutoff in (4.0, 5.0, 7.0, 8.0, 10.0, 12.0)), (np.mean(known), means)
    assert all(np.mean(chosen) < means[cutoff] for cutoff in (4.0, 10.0, 12.0)), (np.mean(chosen), means)
    assert np.mean(chosen) < 2.0 * min(means.values())


def test_the_spline_through_the_smoothed_rows_is_the_smoothing_spline_itself():
    """So its derivatives are those of the smoothing spline: the least bent of all that go through these values."""
    rows, smoothing = noisy(2)[:40], 1e-7
    time = TIME[:40]
    best = SmoothingSpline(time, rows)(smoothing)
    again = SmoothingSpline(time, best)(1e-16)
    np.testing.assert_allclose(again, best, atol=1e-7)
    fine = np.linspace(time[0], time[-1], 4000)
    bend = np.trapezoid(NaturalSpline(time, best, 5)(fine, 3) ** 2, fine)
    # At the minimum the price of bending equals the gain in distance: Σ (y - s) s = p ∫ (s''')².
    assert smoothing * bend == pytest.approx(float((rows - best) @ best), rel=1e-3)
