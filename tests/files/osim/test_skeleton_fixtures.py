"""Every kind of joint and constraint, and old formats, against OpenSim 4.6 (``fixtures/opensim/skeleton.json``)."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.files.osim import read_osim

FOLDER = Path(__file__).parents[2] / "fixtures" / "opensim"
REFERENCE = json.loads((FOLDER / "skeleton.json").read_text())["models"]
TOLERANCE = 1e-10


@cache
def model(name: str) -> my.Model:
    return my.load_model(FOLDER / "skeleton" / f"{name}.osim")


def remarks(name: str, fate: Any) -> list[str]:
    audit = model(name).audit
    assert audit is not None
    return [f"{remark.name}: {remark.message}" for remark in audit.about(fate)]


@pytest.mark.parametrize("name", REFERENCE)
def test_bodies_stand_where_opensim_has_them(name: str) -> None:
    tree = my.equations_of(model(name).unconstrained(), compiled=False)
    assert model(name).mass == pytest.approx(REFERENCE[name]["mass"], rel=1e-12)
    assert set(REFERENCE[name]["defaults"]) == set(tree.coordinates)
    for state in REFERENCE[name]["states"]:
        turns, places = tree.body_poses([state["q"][c] for c in tree.coordinates])
        stands = dict(zip(tree.bodies, zip(turns, places, strict=True), strict=True))
        assert set(state["bodies"]) <= set(stands)
        for body, expected in state["bodies"].items():
            turn, place = stands[body]
            assert np.allclose(place, expected["at"], rtol=0, atol=1e-13)
            assert np.allclose(turn, expected["turn"], rtol=0, atol=1e-13)


def as_in_opensim(name: str) -> my.Model:
    """The model with the one number that OpenSim gets wrong."""
    if name != "loop":
        return model(name)
    # OpenSim takes the inertia of 1 kg about the origin of the body for the inertia about the centre of mass of the
    # copy that closes the loop.
    whole, copy = model(name).bodies["c"], model(name).bodies["c_copy1"]
    centre = np.array(whole.centre_of_mass)
    unit = np.array(whole.inertia.matrix) / whole.mass + centre @ centre * np.eye(3) - np.outer(centre, centre)
    inertia = my.Inertia(xx=unit[0, 0], yy=unit[1, 1], zz=unit[2, 2], xy=unit[0, 1], xz=unit[0, 2], yz=unit[1, 2])
    return model(name).with_parts(bodies={"c_copy1": copy.model_copy(update={"inertia": inertia})})


# The second derivatives of OpenSim's polynomials of several coordinates are not those of the polynomials.
@pytest.mark.parametrize("name", [name for name in REFERENCE if name != "two_coordinates"])
def test_accelerations_under_gravity(name: str) -> None:
    equations = my.equations_of(as_in_opensim(name), compiled=False)
    moving = equations.coordinates
    for state in REFERENCE[name]["states"]:
        x = [state[kind][c] for kind in ("q", "qdot") for c in moving]
        found = equations.derivative(x)[len(moving) :]
        expected = np.array([state["qdotdot"][c] for c in moving])
        assert np.max(np.abs(found - expected)) <= TOLERANCE * np.max(np.abs(expected))


@pytest.mark.parametrize("name", REFERENCE)
def test_defaults_of_coordinates(name: str) -> None:
    expected = dict(REFERENCE[name]["defaults"])
    if name == "held":
        # Prescribed to stay at a constant, which is what the coordinate is locked at here.
        expected["turn"] = 0.2
    assert {c: part.default for c, part in model(name).coordinates.items()} == expected


def test_held_coordinates_do_not_move() -> None:
    assert [c for c, part in model("held").coordinates.items() if part.locked] == ["turn", "u1"]
    assert model("held").moving == ("u2",)


def test_markers_on_frames_on_frames() -> None:
    marker = model("defaults").markers["tip"]
    tree = my.equations_of(model("defaults"), compiled=False)
    for state in REFERENCE["defaults"]["states"]:
        turns, places = tree.body_poses([state["q"][c] for c in tree.coordinates])
        number = tree.bodies.index(marker.body)
        assert np.allclose(places[number] + turns[number] @ marker.at, state["markers"]["tip"], rtol=0, atol=1e-13)


def test_couplers_become_coupled_coordinates_and_idle_ones_are_skipped() -> None:
    parts = model("coupled").coordinates
    assert parts["b2"].coupled is not None and parts["b2"].coupled.coordinates == ("a1",)
    assert parts["b3"].coupled is None
    assert remarks("coupled", "skipped") == ["d: it is not enforced"]
    assert not model("coupled").constraints


def test_loops_are_cut_at_a_copy_with_a_share_of_the_mass() -> None:
    linkage = model("loop")
    assert linkage.bodies["c"].mass == linkage.bodies["c_copy1"].mass == 0.75
    assert isinstance(linkage.constraints["c_copy1_weld"], my.WeldConstraint)
    assert any("closes a loop" in remark for remark in remarks("loop", "approximated"))


def test_bodies_without_joint_hang_on_a_free_one() -> None:
    assert list(model("stray").joints) == ["free_a", "pin"]
    assert any("free joint" in remark for remark in remarks("stray", "approximated"))


def test_reversed_joints_are_turned_round() -> None:
    assert model("reversed").joints["joint"].parent.body == "a"
    assert any("reversed, because" in remark for remark in remarks("reversed", "approximated"))


def test_speeds_that_differ_are_named() -> None:
    assert [remark.split(":")[0] for remark in remarks("ball_free", "approximated")] == ["free", "ball"]


def test_numbers_that_opensim_rounds_are_rounded_with_a_remark() -> None:
    assert model("version_30000").bodies["a"].inertia.xx == 0.02
    assert model("version_30000").joints["second"].parent.at[1] == -0.212346
    assert sum("six digits" in remark for remark in remarks("version_30000", "approximated")) == 2


def test_axes_in_one_list_are_sorted_into_translations_and_rotations() -> None:
    """Files older than 10901, which OpenSim 4 refuses: the axes are in one list, and say whether they turn."""
    axes = model("version_10900").joints["first"].axes
    assert [axis.motion for axis in axes] == ["translation", "rotation"]
    assert [axis.function.coordinates for axis in axes] == [("q",), ("p",)]
    assert axes[0].direction == (0.0, 1.0, 0.0)


def test_connectors_are_sockets() -> None:
    """What versions between 3.3 and 4.0 call connectors says the same as sockets."""
    assert model("version_30510") == model("pin_slider")


@pytest.mark.parametrize("name", [*REFERENCE, "version_10900"])
def test_they_are_written_as_yaml_and_read_back(name: str, tmp_path: Path) -> None:
    my.save_model(model(name), tmp_path / "model.yaml")
    assert my.load_model(tmp_path / "model.yaml") == model(name)


def test_names_that_are_shared_are_kept_by_coordinates_and_bodies() -> None:
    text = (FOLDER / "skeleton" / "pin_slider.osim").read_bytes()
    shared = read_osim(text.replace(b'"turn"', b'"a"').replace(b'"slider"', b'"b"'), "shared.osim")
    assert list(shared.coordinates) == ["a", "slide"]
    assert list(shared.bodies) == ["a_body", "b"]
    assert list(shared.joints) == ["pin", "b_joint"]
    assert shared.audit is not None
    assert [remark.name for remark in shared.audit.about("approximated")] == ["a", "b"]
