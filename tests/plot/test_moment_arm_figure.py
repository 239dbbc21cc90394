"""Figures of moment arms show millimetres over degrees, every muscle and every jump."""

from __future__ import annotations

import numpy as np

import myodyne as my


def test_one_muscle_over_degrees() -> None:
    arms = my.moment_arms(my.load_model("planar_arm"), "elbow_flexor", "elbow")
    figure = my.plot(arms, degrees=True)
    upper, lower = figure.axes
    assert lower.get_xlabel() == "elbow (°)"
    assert np.allclose(lower.lines[0].get_xdata(), np.degrees(arms.at))
    assert np.allclose(lower.lines[0].get_ydata(), 1000 * arms.arms)
    assert np.allclose(upper.lines[0].get_ydata(), 1000 * arms.lengths)


def test_several_muscles_share_the_panels() -> None:
    model = my.load_model("planar_arm")
    names = ("elbow_flexor", "elbow_extensor")
    figure = my.plot({name: my.moment_arms(model, name, "elbow") for name in names})
    texts = [text.get_text() for text in figure.axes[1].get_legend().get_texts()]
    assert texts == list(names)
    assert figure.axes[1].get_xlabel() == "elbow (rad)"


def test_jumps_are_marked() -> None:
    at = np.linspace(0.0, 1.0, 5)
    arms = my.MomentArms("m", "knee", "rad", at, at, at, jumps=(my.Jump(0.5, "length", 0.01),))
    upper, lower = my.plot([arms]).axes
    assert list(upper.lines[1].get_xdata()) == [0.5, 0.5]
    assert len(lower.lines) == 3
