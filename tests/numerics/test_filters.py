import json
from pathlib import Path

import numpy as np
import pytest

from myodyne.numerics.filters import NaturalSpline, butterworth, evenly, lowpass, reflected
from myodyne.numerics.smoothing_spline import smoothed, smoothing_of

# Written by tests/golden/make_opensim_filters.py.
GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "opensim_filters.json").read_text(encoding="utf-8"))
RECORDS = ("even", "printed", "uneven")


@pytest.mark.parametrize("name", RECORDS)
def test_the_filter_gives_the_numbers_of_opensim(name):
    record = GOLDEN[name]
    grid, rows = lowpass(np.array(record["time"]), np.array(record["columns"]).T, GOLDEN["cutoff"])
    np.testing.assert_array_equal(grid, record["lowpass"]["time"])
    np.testing.assert_allclose(rows.T, record["lowpass"]["columns"], rtol=0, atol=1e-13)


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("degree", [1, 3, 5, 7])
def test_splines_and_their_derivatives_are_those_of_opensim(name, degree):
    record = GOLDEN[name]
    spline = NaturalSpline(record["time"], record["columns"][0], degree)
    for order, said in enumerate(record["splines"][str(degree)][: min(degree, 3)]):
        # At a row a broken line has two slopes.
        inside = slice(1, None) if degree == 1 and order == 1 else slice(None)
        scale = np.abs(said).max()
        np.testing.assert_allclose(spline(record["at"], order)[inside], said[inside], rtol=0, atol=1e-11 * scale)


@pytest.mark.parametrize("degree", [1, 3, 5, 7])
def test_a_spline_goes_on_as_a_polynomial_of_half_its_degree(degree):
    half = (degree + 1) // 2
    rng = np.random.default_rng(1)
    time, rows = np.cumsum(rng.uniform(0.5, 1.5, 12)), rng.normal(size=(12, 2))
    spline = NaturalSpline(time, rows, degree)
    for end, side in ((time[0], -1.0), (time[-1], 1.0)):
        for order in range(half):
            beside = spline([end + side * 1e-9], order)
            np.testing.assert_allclose(beside, spline([end], order), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(spline(end + side * np.arange(1.0, 4.0), half), 0.0, atol=1e-12)
        far = spline(end + side * np.arange(half + 1.0))
        np.testing.assert_allclose(np.diff(far, n=half, axis=0), 0.0, atol=1e-9 * np.abs(far).max())


def test_a_reflection_keeps_value_and_slope_and_refuses_more_than_there_is():
    line = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 4.0]])
    np.testing.assert_array_equal(reflected(line, 2)[:, 0], [-1, 0, 1, 2, 3, 4, 5])
    np.testing.assert_array_equal(reflected(line, 0), line)
    with pytest.raises(ValueError, match="at most 2, not by 3"):
        reflected(line, 3)


def test_even_rows_stay_and_uneven_ones_lie_on_the_smallest_step():
    time = np.arange(10) / 8.0
    rows = np.sin(time)[:, None]
    grid, same, step = evenly(time, rows)
    assert grid is time
    assert same is rows
    assert step == 0.125
    uneven = time.copy()
    uneven[3] += 0.05
    grid, _, step = evenly(uneven, rows)
    assert step == pytest.approx(0.075)
    np.testing.assert_allclose(np.diff(grid), step)
    assert grid[-1] <= uneven[-1] < grid[-1] + step


@pytest.mark.parametrize(("frequency", "left"), [(6.0, 0.5), (0.5, 1.0), (40.0, 0.0)])
def test_an_oscillation_keeps_its_phase_and_its_share(frequency, left):
    time = np.arange(1000) / 200.0
    wave = np.sin(2 * np.pi * frequency * time)
    passed = butterworth(wave, 0.005, 6.0)[300:700]
    np.testing.assert_allclose(passed, left * wave[300:700], atol=2e-4)


@pytest.mark.parametrize("degree", [1, 3, 5, 7])
def test_a_smoothing_spline_leaves_its_share_at_the_cut_off(degree):
    time = np.arange(1200) / 200.0
    wave = np.sin(2 * np.pi * 6.0 * time)
    smooth = smoothed(time, wave, smoothing_of(6.0, 0.005, degree), degree)[500:700]
    np.testing.assert_allclose(smooth, wave[500:700] / np.sqrt(2.0), atol=1e-3 if degree > 1 else 3e-3)


@pytest.mark.parametrize("degree", [3, 5])
def test_a_smoothing_spline_is_the_minimum_of_what_it_minimises(degree):
    rng = np.random.default_rng(4)
    time, rows = np.cumsum(rng.uniform(0.01, 0.03, 25)), rng.normal(size=25)
    weight = {3: 1e-6, 5: 1e-9}[degree]
    half = (degree + 1) // 2
    nodes, weights = np.polynomial.legendre.leggauss(half)
    at = (time[:-1, None] + 0.5 * np.diff(time)[:, None] * (nodes + 1)).ravel()
    weights = (0.5 * np.diff(time)[:, None] * weights).ravel()

    def cost(values):
        bend = NaturalSpline(time, values, degree)(at, half)
        return np.sum((rows - values) ** 2) + weight * weights @ bend**2

    best = smoothed(time, rows, weight, degree)
    for _ in range(10):
        aside = rng.normal(size=25) * 1e-4
        # Stationary: both sides cost the same to first order, and more.
        assert cost(best + aside) > cost(best)
        assert cost(best + aside) - cost(best - aside) == pytest.approx(0.0, abs=1e-9 * cost(best))
    np.testing.assert_array_equal(smoothed(time, rows, 0.0, degree), rows)
    line = 3.0 * time + 1.0
    np.testing.assert_allclose(smoothed(time, line, 1.0, degree), line, atol=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: NaturalSpline([0, 1, 2], [0, 1, 2], 2), "one of"),
        (lambda: NaturalSpline([0, 1, 2], [0, 1, 2], 3), "needs 4 samples or more, not 3"),
        (lambda: butterworth(np.zeros(9), 0.01, 50.0), "between 0 and 50 Hz"),
        (lambda: butterworth(np.zeros(9), 0.01, 0.0), "between 0 and 50 Hz"),
        (lambda: butterworth(np.zeros(3), 0.01, 6.0), "4 samples or more"),
        (lambda: smoothed(np.arange(5.0), np.zeros(5), 1.0, 5), "5 samples cannot be smoothed"),
    ],
)
def test_what_cannot_be_filtered_is_reported(call, message):
    with pytest.raises(ValueError, match=message):
        call()
