"""Joints along an arc of constant curvature, against OpenSim 4.6 (``fixtures/opensim/generate_arc.py`` made the numbers)."""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import myodyne as my

FOLDER = Path(__file__).parents[2] / "fixtures" / "opensim"
DATA = json.loads((FOLDER / "arc.json").read_text(encoding="utf-8"))


@cache
def model() -> my.Model:
    return my.load_model(FOLDER / "skeleton" / "arc.osim")


@cache
def equations() -> my.Equations:
    return my.equations_of(model(), compiled=False)


@pytest.mark.parametrize("state", DATA["states"], ids=range(len(DATA["states"])))
def test_poses_and_mass_matrix_follow_opensim(state: dict[str, list]) -> None:  # type: ignore[type-arg]
    turns, places = equations().body_poses(np.array(state["q"]))
    for turn, place, theirs in zip(turns, places, state["bodies"], strict=True):
        np.testing.assert_allclose(turn, theirs["turn"], atol=DATA["poses within"])
        np.testing.assert_allclose(place, theirs["origin"], atol=DATA["poses within"])
    # Theirs from differences of their poses: see the script.
    np.testing.assert_allclose(
        equations().mass_matrix(state["q"]), state["mass_matrix"], atol=DATA["mass matrix within"]
    )


def test_the_arc_is_smooth_where_it_is_straight() -> None:
    straight = np.zeros(6)
    # The lumbar joint has a bend of its own: these angles straighten it.
    straight[:2] = -0.05, -0.1
    heights = []
    for bend in np.linspace(-0.6, 0.6, 241):
        q = straight.copy()
        q[0] += bend
        heights.append(equations().body_poses(q)[1][0])
        assert np.isfinite(equations().derivative(np.array([*q, *np.full(6, 0.3)]))).all()
    steps = [np.linalg.norm(after - before) for before, after in pairwise(heights)]
    assert max(steps) < 1.05 * min(steps)


def test_energy_is_kept() -> None:
    run = my.simulate(equations(), 0.3)
    assert run.report.energy_error < 1e-6
    assert np.ptp(run.values("bend_z")) > 0.1


def test_the_joint_is_written_as_one_of_its_kind(tmp_path: Path) -> None:
    my.save_model(model(), tmp_path / "again.osim")
    assert (tmp_path / "again.osim").read_text().count("<ConstantCurvatureJoint ") == 2
    assert my.load_model(tmp_path / "again.osim") == model()


def test_an_arc_elsewhere_has_no_counterpart(tmp_path: Path) -> None:
    joint = my.Joint(
        parent={"body": "ground"},
        child={"body": "rod"},
        coordinates={"a": {}, "b": {}},
        axes=(my.Axis(motion="translation", direction="x", function=my.Arc(of=("a", "b"), length=0.4, along="x")),),
    )
    odd = my.Model(name="odd", bodies={"rod": my.Body(mass=1.0)}, joints={"bend": joint})
    with pytest.raises(my.FileError, match="an arc of constant curvature outside"):
        my.save_model(odd, tmp_path / "odd.osim")
