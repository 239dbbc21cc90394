"""Sensitivities: functions whose indices are known, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.stats

import myodyne as my


def ishigami(model: my.Model) -> float:
    """Return Ishigami and Homma's function of three angles, here in the places of a centre of mass."""
    x, y, z = model.value("rod.centre_of_mass")
    return float(np.sin(x) + 7.0 * np.sin(y) ** 2 + 0.1 * z**4 * np.sin(x))


def linear(model: my.Model) -> float:
    x, y, z = model.value("rod.centre_of_mass")
    return float(3.0 * x - 2.0 * y + 0.5 * z)


def study(measure: Any, one: Any) -> my.Study:
    vary = {f"rod.centre_of_mass.{axis}": one for axis in "xyz"}
    return my.Study(my.load_model("pendulum"), vary=vary, measure=measure)


@pytest.mark.long
def test_sobol_indices_are_those_of_a_known_function() -> None:
    """Saltelli et al. 2008: first 0.314, 0.442, 0; total 0.558, 0.442, 0.244."""
    found = my.sensitivity(study(ishigami, (-np.pi, np.pi)), my.SobolIndices(count=1024, seed=1))
    assert found.columns["first"] == pytest.approx([0.3139, 0.4424, 0.0], abs=0.06)
    assert found.columns["total"] == pytest.approx([0.5576, 0.4424, 0.2437], abs=0.06)
    assert found.order[0].endswith("x")


def test_indices_of_a_sum_are_its_parts_of_the_variance() -> None:
    found = my.sensitivity(study(linear, (0.0, 1.0)), my.SobolIndices(count=64, seed=1))
    exact = np.array([9.0, 4.0, 0.25]) / 13.25
    assert found.columns["total"] == pytest.approx(exact, abs=0.05)
    assert "rod.centre_of_mass.x" in str(found)


def test_elementary_effects_of_a_sum_are_its_factors() -> None:
    found = my.sensitivity(study(linear, (0.0, 2.0)), my.Morris(trajectories=4, seed=1))
    assert found.columns["mean"] == pytest.approx([6.0, -4.0, 1.0])
    assert found.columns["deviation"] == pytest.approx(0.0, abs=1e-9)
    assert found.table.sizes["row"] == 16


def test_one_at_a_time_gives_slopes_and_the_uncertainty_of_measurements() -> None:
    found = my.sensitivity(study(linear, scipy.stats.norm(1.0, 0.1)))
    assert found.columns["slope"] == pytest.approx([3.0, -2.0, 0.5])
    assert found.base == pytest.approx(1.5)
    assert found.uncertainty == pytest.approx(0.1 * np.sqrt(13.25))
    assert [name[-1] for name in found.order] == ["x", "y", "z"]


def test_figures_of_sensitivities_searches_and_tables() -> None:
    for method in (my.OneAtATime(), my.Morris(trajectories=3), my.SobolIndices(count=8)):
        figure = my.plot(my.sensitivity(study(linear, (0.0, 1.0)), method))
        ticks = [label.get_text() for label in figure.axes[0].get_yticklabels()]
        assert ticks[-1] == "rod.centre_of_mass.x"
    found = my.search(study(linear, (0.0, 1.0)), my.DifferentialEvolution(seed=1), evaluations=20)
    assert my.plot(found).axes[0].get_ylabel() == "linear"
    assert [axes.get_xlabel()[-1] for axes in my.plot(found.table).axes] == ["x", "y", "z"]
    with pytest.raises(my.ModelError, match="unknown column"):
        my.plot(found.table, "wide")


def test_what_is_refused() -> None:
    with pytest.raises(my.ModelError, match="power of two"):
        my.SobolIndices(count=100)
    rows = my.grid({"rod.mass": [1.0]})
    with pytest.raises(my.ModelError, match="need ranges"):
        my.sensitivity(my.Study(my.load_model("pendulum"), vary=rows, measure=linear))
    with pytest.raises(my.ModelError, match="did you mean 'linear'"):
        my.sensitivity(study(linear, (0.0, 1.0)), measure="linea")

    def broken(model: my.Model) -> float:
        raise ValueError("no")

    with pytest.raises(my.SolveError, match="rows failed"):
        my.sensitivity(study(broken, (0.0, 1.0)))
    with pytest.raises(my.ModelError, match="OneAtATime"):
        _ = my.sensitivity(study(linear, (0.0, 1.0)), my.Morris(trajectories=2)).uncertainty
