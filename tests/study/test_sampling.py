"""Rows: grids and samples, their distributions and correlations, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.stats

import myodyne as my


def test_a_grid_has_all_combinations() -> None:
    rows = my.grid({"a": [1.0, 2.0], "b": [3.0, 4.0, 5.0]})
    assert rows.values.tolist() == [[1, 3], [1, 4], [1, 5], [2, 3], [2, 4], [2, 5]]


@pytest.mark.parametrize("design", ["latin_hypercube", "sobol", "halton", "monte_carlo"])
def test_samples_fill_their_ranges_and_repeat_with_their_seed(design: Any) -> None:
    ranges: dict[str, Any] = {"a": (2.0, 4.0), "b": scipy.stats.norm(5.0, 0.5), "c": my.Integers(1, 3)}
    rows = my.sample(ranges, 512, seed=3, design=design)
    a, b, c = rows.values.T
    assert 2.0 <= a.min() < 2.05
    assert 3.95 < a.max() <= 4.0
    # A mean of 512 draws is within four standard errors.
    assert b.mean() == pytest.approx(5.0, abs=4 * 0.5 / np.sqrt(512))
    assert b.std() == pytest.approx(0.5, rel=0.15)
    assert set(c) == {1.0, 2.0, 3.0}
    assert np.array_equal(rows.values, my.sample(ranges, 512, seed=3, design=design).values)
    assert not np.array_equal(rows.values, my.sample(ranges, 512, seed=4, design=design).values)


def test_a_latin_hypercube_has_one_value_in_each_stratum() -> None:
    a = my.sample({"a": (0.0, 1.0), "b": (0.0, 1.0)}, 50, seed=1).values[:, 0]
    assert sorted((a * 50).astype(int)) == list(range(50))


def test_correlations_are_those_that_were_asked_for() -> None:
    ranges: dict[str, Any] = {"a": scipy.stats.norm(0, 1), "b": scipy.stats.norm(0, 2), "c": (0.0, 1.0)}
    rows = my.sample(ranges, 4000, seed=2, design="sobol", correlations={("a", "b"): 0.8, ("b", "c"): -0.3})
    found = np.corrcoef(rows.values.T)
    assert found[0, 1] == pytest.approx(0.8, abs=0.03)
    # Between normal scores; of a uniform and a normal variable Pearson's is a little smaller.
    assert found[1, 2] == pytest.approx(-0.3 * np.sqrt(3 / np.pi), abs=0.03)
    assert 0 < rows.values[:, 2].min() < rows.values[:, 2].max() < 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ranges": {"a": (2.0, 1.0)}}, "is empty"),
        ({"ranges": {"a": (1.0, 1.0)}}, "is empty"),
        ({"ranges": {}}, "vary names numbers"),
        ({"ranges": {"a": "wide"}}, "give a range"),
        ({"ranges": {"a": (0.0, np.nan)}}, "finite"),
        ({"count": 0}, "positive whole number"),
        ({"design": "sobbol"}, "did you mean 'sobol'"),
        ({"correlations": {("a", "z"): 0.1}}, "unknown name 'z'"),
        ({"correlations": {("a", "b"): 1.5}}, "inside −1…1"),
        ({"correlations": {("a", "b"): 0.9, ("b", "c"): 0.9, ("a", "c"): -0.9}}, "no variables have"),
    ],
)
def test_what_is_no_sample_is_refused(arguments: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {"ranges": {"a": (0.0, 1.0), "b": (0.0, 1.0), "c": (0.0, 1.0)}, "count": 4}
    with pytest.raises(my.ModelError, match=message):
        my.sample(seed=1, **{**good, **arguments})


@pytest.mark.parametrize("values", [{}, {"a": []}, {"a": [1.0, 1.0]}, {"a": ["x"]}, [1.0], {"a": [np.nan]}])
def test_what_is_no_grid_is_refused(values: Any) -> None:
    with pytest.raises(my.ModelError):
        my.grid(values)


def test_choices_and_integers_say_what_is_wrong() -> None:
    with pytest.raises(my.ModelError, match="each once"):
        my.Choice([1.0, 1.0])
    with pytest.raises(my.ModelError, match="the lower one first"):
        my.Integers(3, 1)
