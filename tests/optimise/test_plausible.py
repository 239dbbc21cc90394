"""Ground forces that no person makes are named in the report of a solve."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import myodyne as my
from myodyne.optimise.gait.plausible import ground_force_notes, sawtooth

Floats = NDArray[np.float64]
PHASE = np.linspace(0.0, 1.0, 61)
STANCE = np.where(PHASE < 0.6, np.sin(np.pi * PHASE / 0.6), 0.0)


@pytest.fixture(scope="module")
def model() -> my.Model:
    return my.load_model("gait2d")


def walk(model: my.Model, right: Floats, left: Floats) -> my.Trajectory:
    """Return vertical ground forces, given in body weights, all under the heels."""
    weight = model.mass * 9.81
    heels = {"right_heel.force_y": weight * right, "left_heel.force_y": weight * left}
    return my.Trajectory(PHASE, heels | dict.fromkeys(("right_toe.force_y", "left_toe.force_y"), np.zeros(len(PHASE))))


def test_a_walk_is_plausible(model: my.Model) -> None:
    assert ground_force_notes(walk(model, STANCE, np.roll(STANCE, 30)), model, steady=True) == []


def test_forces_that_alternate_from_node_to_node_are_named(model: my.Model) -> None:
    teeth = STANCE + 0.5 * (-1.0) ** np.arange(len(PHASE)) * (PHASE < 0.3)
    (note,) = ground_force_notes(walk(model, teeth, np.roll(STANCE, 30)), model, steady=False)
    assert "'right_foot' goes up and down by 0.5 body weights" in note
    assert "my.Radau()" in note


@pytest.mark.parametrize("size", [0.25, 1.0])
def test_the_size_of_teeth_is_their_amplitude(size: float) -> None:
    assert sawtooth(STANCE + size * (-1.0) ** np.arange(len(PHASE))) == pytest.approx(size, rel=0.02)


def test_an_impact_is_no_sawtooth() -> None:
    spike = STANCE + 2.0 * np.exp(-(((PHASE - 0.02) / 0.01) ** 2))
    assert sawtooth(spike) < 0.02


def test_peaks_and_hops_are_named_in_gaits_alone(model: my.Model) -> None:
    hop = walk(model, 5.0 * STANCE, 5.0 * STANCE)
    notes = ground_force_notes(hop, model, steady=True)
    assert [note for note in notes if "peaks at 5 body weights" in note]
    assert [note for note in notes if "the body hops" in note]
    assert ground_force_notes(hop, model, steady=False) == []


def test_bodies_without_contacts_have_no_notes() -> None:
    swing = my.Trajectory(PHASE, {"angle": PHASE})
    assert ground_force_notes(swing, my.load_model("pendulum"), steady=True) == []
