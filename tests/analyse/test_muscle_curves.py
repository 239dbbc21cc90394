"""The curves of muscles as numbers and figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.data import DataError
from support.muscles import FAMILIES, a_muscle, curve_expressions, values


@pytest.mark.parametrize("name", FAMILIES)
def test_values_and_derivatives_are_those_of_the_equations(name: str) -> None:
    told = my.muscle_curves(FAMILIES[name], points=101)
    assert list(told.curves) == ["force_length", "force_velocity", "parallel", "tendon"]
    assert told.kind == FAMILIES[name].kind
    for curve, (symbol, expression) in curve_expressions(a_muscle(FAMILIES[name])).items():
        # Velocities are told in optimal lengths per second.
        scale = 10.0 if curve == "force_velocity" else 1.0
        found = told[curve]
        np.testing.assert_allclose(found.value, values(symbol, expression, found.at / scale), rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(
            found.derivative * scale, values(symbol, expression, found.at / scale, order=1), rtol=1e-10, atol=1e-10
        )


def test_a_muscle_brings_its_own_numbers() -> None:
    fast = my.muscle_curves(a_muscle(my.Thelen2003(), max_velocity=5.0), points=11)
    np.testing.assert_allclose(fast["force_velocity"].at[[0, -1]], [-6.0, 6.0])
    assert "tendon" not in my.muscle_curves(a_muscle(my.Thelen2003(), tendon="rigid")).curves
    half = my.muscle_curves(my.Thelen2003(), activation=0.5, velocities=(-6.25, 0.0), points=3)
    # At half activation Thelen's fibres reach 0.625 of their maximal velocity.
    np.testing.assert_allclose(half["force_velocity"].value[[0, 2]], [0.0, 1.0], atol=1e-14)


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"lengths": (1.0, 1.0)}, "the range of the fibre length, 1 to 1"),
        ({"points": 1}, "with 1 points gives no curve"),
        ({"activation": 0.0}, "activation must be above 0"),
        ({"muscle": "soleus"}, "takes a muscle or a family of curves, not str"),
    ],
)
def test_what_holds_no_curve_is_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(my.ModelError, match=message):
        my.muscle_curves(**{"muscle": my.Thelen2003(), **wrong})


def test_an_unknown_curve_is_answered_with_the_nearest() -> None:
    with pytest.raises(my.ModelError, match="unknown curve 'tendno': did you mean 'tendon'"):
        my.muscle_curves(my.Thelen2003())["tendno"]


def test_the_figure_holds_values_above_and_derivatives_below(tmp_path: Path) -> None:
    told = my.muscle_curves(my.Millard2012(), points=51)
    figure = my.plot(told, title="Millard", path=tmp_path / "curves.png")
    assert (tmp_path / "curves.png").stat().st_size > 1000
    upper, lower = figure.axes[:4], figure.axes[4:]
    for axes, below, (name, curve) in zip(upper, lower, told.curves.items(), strict=True):
        assert axes.get_title() == name.replace("_", "–")
        np.testing.assert_array_equal(axes.lines[0].get_ydata(), curve.value)
        np.testing.assert_array_equal(below.lines[0].get_ydata(), curve.derivative)
        assert below.get_xlabel() == f"{curve.quantity} ({curve.unit})"


def test_families_share_a_figure_and_names_choose() -> None:
    rigid = my.muscle_curves(a_muscle(my.Thelen2003(), tendon="rigid"), points=11)
    figure = my.plot({"rigid": rigid, "elastic": my.muscle_curves(my.Millard2012(), points=11)}, "force*")
    assert [axes.get_title() for axes in figure.axes[:2]] == ["force–length", "force–velocity"]
    assert [text.get_text() for text in figure.axes[1].get_legend().get_texts()] == ["rigid", "elastic"]
    both = my.plot([rigid, my.muscle_curves(my.Millard2012(), points=11)])
    assert len(both.axes) == 8
    with pytest.raises(DataError, match="no curve is called pull; choose from force_length"):
        my.plot(rigid, "pull")


def test_curves_and_runs_do_not_mix() -> None:
    with pytest.raises(DataError, match="plot takes a run"):
        my.plot(
            {
                "curves": my.muscle_curves(my.Thelen2003(), points=3),
                "run": my.Trajectory([0.0, 1.0], {"q": [0.0, 1.0]}, {"q": "m"}),
            }
        )
    with pytest.raises(DataError, match="plot takes a run"):
        my.plot([])
