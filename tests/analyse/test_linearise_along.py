"""Eigenvalues along a movement are those of each instant, and suggest the scheme that copes with them."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my
from myodyne.data import DataError


def test_004_5_a_pendulums_eigenvalues_follow_its_angle() -> None:
    """004-5: ± i sqrt(k cos q) below the horizontal, ± sqrt(-k cos q) above, with k = 1.5 g for a rod of 1 m."""
    run = my.simulate(my.load_model("pendulum"), 1.5, start={"angle": 2.5}, every=0.05)
    along = my.linearise_along(run)
    squared = 1.5 * 9.81 * np.cos(run.values("angle"))
    assert np.allclose(along.oscillation, np.sqrt(np.maximum(squared, 0.0)), atol=1e-6)
    assert np.allclose(along.growth, np.sqrt(np.maximum(-squared, 0.0)), atol=1e-6)
    assert np.allclose(along.growth, along.decay, atol=1e-6)
    assert along.scheme == my.DOP853()


def test_controls_of_the_run_count() -> None:
    """A limb under a motor whose moment depends on nothing else: the same rates, at the states that it reached."""
    model = my.load_model("runner_skeleton")
    motor = next(iter(model.controls))
    run = my.simulate(model, 0.2, controls={motor: my.constant(0.3)}, every=0.05)
    along = my.linearise_along(run, every=2)
    last = my.linearise(model, run.slice(end=0.1), {motor: 0.3}).eigenvalues
    assert np.allclose(along.eigenvalues[1], last)
    assert len(along.time) == 3


def test_muscles_make_a_movement_stiff_and_suggest_rosenbrock() -> None:
    arm = my.load_model("planar_arm")
    run = my.simulate(arm, 0.2, controls=dict.fromkeys(arm.muscles, 0.1), every=0.05)
    along = my.linearise_along(run)
    assert along.excess > 10
    assert isinstance(along.scheme, my.Rosenbrock)
    assert "stiff" in str(along)


def test_a_long_undamped_swing_suggests_the_midpoint_rule() -> None:
    run = my.simulate(my.load_model("pendulum"), 300.0, start={"angle": 0.1}, every=10.0)
    assert isinstance(my.linearise_along(run).scheme, my.Midpoint)


def test_eigenvalues_are_drawn() -> None:
    run = my.simulate(my.load_model("double_pendulum"), 1.0, every=0.1)
    figure = my.plot(my.linearise_along(run))
    assert [axes.get_xlabel() for axes in figure.axes][:2] == ["real part (1/s)", "time (s)"]


def test_what_cannot_be_linearised_along_is_refused() -> None:
    run = my.simulate(my.load_model("pendulum"), 0.2, every=0.1)
    with pytest.raises(DataError, match="Result"):
        my.linearise_along(run.trajectory)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="whole number of rows"):
        my.linearise_along(run, every=0)
    with pytest.raises(DataError, match="does not contain"):
        my.linearise_along(run.select("angle"))
