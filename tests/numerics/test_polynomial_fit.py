"""Short polynomials: what they must find, and what they must not claim."""

from __future__ import annotations

import numpy as np
import pytest

from myodyne.numerics.polynomial_fit import (
    MOST_CANDIDATES,
    PolynomialFit,
    Samples,
    closest,
    fewest_terms,
    monomials,
    poses_for,
)


def samples(
    powers: list[tuple[int, ...]], coefficients: list[float], tolerance: float, count: int = 600, low: float = -1.0
) -> Samples:
    """Return values and slopes of a known polynomial at random points."""
    known = PolynomialFit(np.array(powers), np.array(coefficients), 0.0)
    points = np.random.default_rng(4).uniform(low, 1.5, size=(count, len(powers[0])))
    return Samples(points, known.values(points), known.slopes(points), tolerance, tolerance)


def test_a_polynomial_is_found_with_its_own_terms() -> None:
    powers = [(0, 0, 0), (1, 0, 2), (0, 3, 0), (2, 1, 1)]
    coefficients = [0.3, -0.02, 0.05, 0.01]
    fit = fewest_terms(samples(powers, coefficients, 1e-9), 6)
    found = {tuple(map(int, p)): c for p, c in zip(fit.powers, fit.coefficients, strict=True)}
    assert fit.miss <= 1.0
    assert set(found) == set(powers)
    for power, coefficient in zip(powers, coefficients, strict=True):
        assert found[power] == pytest.approx(coefficient, abs=1e-10)


def test_small_terms_are_left_out_where_the_tolerance_allows() -> None:
    powers = [(0, 0), (1, 0), (0, 2), (1, 3)]
    fit = fewest_terms(samples(powers, [0.3, 0.05, -0.02, 1e-5], 1e-3), 5)
    assert len(fit.powers) == 3
    assert fit.miss <= 1.0


def test_a_high_power_is_preferred_to_many_low_ones() -> None:
    fit = fewest_terms(samples([(0,), (6,)], [0.2, 0.01], 1e-4, low=0.0), 8)
    assert fit.miss <= 1.0
    assert len(fit.powers) <= 5


def test_ranges_far_from_zero_do_no_harm() -> None:
    """Monomials look much alike at 20 to 21.5: the fit must still be good where it is evaluated."""
    points = np.random.default_rng(1).uniform(20.0, 21.5, size=(800, 2))
    x, y = points.T
    values, slopes = np.sin(x) * y, np.stack([np.cos(x) * y, np.sin(x)], axis=1)
    fit = fewest_terms(Samples(points, values, slopes, 0.05, 0.05), 8)
    assert fit.miss <= 1.0
    assert np.abs(fit.values(points) - values).max() <= 0.05 * 1.001
    assert np.abs(fit.slopes(points) - slopes).max() <= 0.05 * 1.001


def test_what_cannot_be_met_is_not_claimed() -> None:
    points = np.linspace(-1.0, 1.0, 400)[:, None]
    step = Samples(points, np.sign(points[:, 0]), np.zeros_like(points), 1e-3, 1e-3)
    fit = fewest_terms(step, 5)
    assert fit.miss > 100.0
    truth = max(np.abs(fit.values(points) - step.values).max(), np.abs(fit.slopes(points)).max()) / 1e-3
    assert fit.miss == pytest.approx(truth)


def test_the_largest_miss_is_levelled() -> None:
    """For |x| with three terms of even degree the smallest largest error is known: 0.0676 (degree 4, on [-1, 1])."""
    points = np.linspace(-1.0, 1.0, 2001)[:, None]
    values = np.abs(points[:, 0])
    wide = Samples(points, values, np.sign(points), 0.075, 1e9)
    assert fewest_terms(wide, 4).miss <= 1.0  # plain least squares misses by 0.117
    tight = Samples(points, values, np.sign(points), 0.066, 1e9)
    assert fewest_terms(tight, 4).miss > 1.0


def test_a_constant_needs_one_term_and_a_function_of_nothing_too() -> None:
    assert fewest_terms(samples([(0, 0)], [0.4], 1e-6), 4).powers.tolist() == [[0, 0]]
    nothing = Samples(np.zeros((10, 0)), np.full(10, 0.7), np.zeros((10, 0)), 1e-6, 1e-6)
    fit = fewest_terms(nothing, 3)
    assert fit.coefficients == pytest.approx([0.7])
    assert fit.slopes(nothing.points).shape == (10, 0)


def test_a_variable_that_never_moves_is_left_alone() -> None:
    points = np.random.default_rng(3).uniform(-1.0, 1.0, size=(500, 2))
    points[:, 1] = 0.0
    x = points[:, 0]
    fit = fewest_terms(Samples(points, x**2, np.stack([2 * x, 0 * x], axis=1), 1e-6, 1e-6), 3)
    assert fit.miss <= 1.0
    assert fit.powers.tolist() in ([[2, 0]], [[0, 0], [2, 0]])


def test_many_variables_are_not_tried_to_the_bitter_end() -> None:
    assert len(monomials(3, 4)) == 35
    assert monomials(2, 0).tolist() == [[0, 0]]
    assert poses_for(30, 6) * 31 >= 5 * MOST_CANDIDATES
    assert poses_for(30, 6) < 2000
    assert fewest_terms(samples([(0,) * 30, (1, 1, *(0,) * 28)], [0.1, 0.2], 1e-6, count=250), 20).miss <= 1.0


def missed(fit: PolynomialFit, given: Samples) -> float:
    """Return the root mean square of all misses, in parts of the tolerances."""
    values = (fit.values(given.points) - given.values) / given.tolerance
    slopes = (fit.slopes(given.points) - given.slopes) / given.slope_tolerance
    return float(np.sqrt((np.sum(values**2) + np.sum(slopes**2)) / (values.size + slopes.size)))


def test_the_closest_polynomial_is_the_known_one() -> None:
    powers, coefficients = [(0, 0), (1, 0), (0, 2), (2, 1)], [0.3, 0.05, -0.02, 0.01]
    fit = closest(samples(powers, coefficients, 1e-8), 6, 80)
    found = {tuple(map(int, p)): c for p, c in zip(fit.powers, fit.coefficients, strict=True)}
    for power, coefficient in zip(powers, coefficients, strict=True):
        assert found[power] == pytest.approx(coefficient, abs=1e-8)
    assert max(map(sum, found)) == 3  # the lowest degree that suffices


def bend(tolerance: float) -> Samples:
    """Return a length whose slope sets in at once, as that of a path that meets a surface."""
    points = np.random.default_rng(6).uniform(-1.0, 1.0, size=(800, 2))
    x, y = points.T
    return Samples(
        points,
        np.maximum(x, 0.0) ** 2 + 0.1 * y,
        np.stack([2.0 * np.maximum(x, 0.0), np.full_like(y, 0.1)], axis=1),
        tolerance,
        tolerance,
    )


def test_the_closest_is_within_the_tolerance_on_the_average() -> None:
    for tolerance in (0.3, 0.1, 0.03):
        given = bend(tolerance)
        fit = closest(given, 12, 80)
        assert missed(fit, given) <= 1.0
    assert len(closest(bend(0.3), 12, 80).powers) < len(closest(bend(0.03), 12, 80).powers)


def test_where_no_polynomial_suffices_the_closest_is_nearly_the_best() -> None:
    given = bend(1e-4)
    everything = monomials(2, 6)
    best, *_ = np.linalg.lstsq(given.columns(everything), given.right_side, rcond=None)
    bound = missed(PolynomialFit(everything, best, 0.0), given)
    fit = closest(given, 6, 80)
    assert 1.0 < bound <= missed(fit, given) <= np.sqrt(1.1) * bound * (1 + 1e-9)
    assert len(fit.powers) < len(everything)


def test_the_closest_has_no_more_terms_than_allowed() -> None:
    given = bend(1e-4)
    few, many = closest(given, 6, 3), closest(given, 6, 5)
    assert (len(few.powers), len(many.powers)) == (3, 5)
    assert missed(many, given) < missed(few, given)


def test_the_closest_to_what_jumps_meets_it_on_the_average() -> None:
    points = np.linspace(-1.0, 1.0, 801)[:, None]
    jump = Samples(points, np.where(points[:, 0] > 0.0, 0.01, 0.0), np.zeros_like(points), 5e-4, 1e-3)
    fit = closest(jump, 6, 80)
    assert np.mean(fit.values(points)) == pytest.approx(0.005, abs=1e-3)
    assert np.isfinite(fit.coefficients).all()


def test_the_closest_of_many_variables_stops_at_the_degree_that_can_be_searched() -> None:
    points = np.random.default_rng(2).uniform(-1.0, 1.0, size=(400, 12))
    given = Samples(
        points, np.sin(points.sum(axis=1)), np.repeat(np.cos(points.sum(axis=1))[:, None], 12, axis=1), 1e-9, 1e-9
    )
    fit = closest(given, 6, 30)
    assert int(fit.powers.sum(axis=1).max()) <= 3
    assert len(fit.powers) == 30
    assert closest(
        Samples(np.zeros((5, 0)), np.full(5, 0.4), np.zeros((5, 0)), 1e-6, 1e-6), 3, 80
    ).coefficients == pytest.approx([0.4])
