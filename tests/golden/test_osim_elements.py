"""What no published OpenSim model has, against OpenSim 4.6: formats, wraps, speeds, couplers, odd places of parts.

``tests/fixtures/opensim/generate_elements.py`` made files and numbers.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.files.osim import read_osim
from support.osim_muscles import fibre_state, solved_tension

FIXTURES = Path(__file__).parents[1] / "fixtures" / "opensim"
DATA = json.loads((FIXTURES / "elements.json").read_text(encoding="utf-8"))
SKELETONS, PATHS = DATA["skeletons"], DATA["wraps"]
# OpenSim finds the same in a model in every format.
MODELS = {name: DATA["models"][told.get("same_as", name)] for name, told in DATA["models"].items()}
FORMATS = [name for name in MODELS if name.startswith(("leg_", "tied_"))]
TOLERANCE = 1e-8


@cache
def model(name: str) -> my.Model:
    return my.load_model(FIXTURES / "elements" / f"{name}.osim")


@cache
def tree(name: str) -> my.Equations:
    whole = model(name).unconstrained()
    return my.equations_of(whole.without(*whole.muscles, *whole.forces), compiled=False)


def assert_near(found: Any, expected: Any, tolerance: float = TOLERANCE) -> None:
    assert np.max(np.abs(np.asarray(found) - expected)) <= tolerance * max(np.max(np.abs(expected)), 1e-6)


@pytest.mark.parametrize("name", MODELS)
def test_places_of_bodies_and_markers(name: str) -> None:
    eq = tree(name)
    assert set(eq.coordinates) == set(MODELS[name]["coordinates"])
    for state in MODELS[name]["states"]:
        turns, places = eq.body_poses([state["q"][c] for c in eq.coordinates])
        stands = dict(zip(eq.bodies, zip(turns, places, strict=True), strict=True))
        for body, expected in state["bodies"].items():
            np.testing.assert_allclose(stands[body][0], expected["turn"], rtol=0, atol=1e-12)
            np.testing.assert_allclose(stands[body][1], expected["at"], rtol=0, atol=1e-12)
        assert set(model(name).markers) == set(state["markers"])
        for marker, at in state["markers"].items():
            turn, place = stands[model(name).markers[marker].body]
            np.testing.assert_allclose(place + turn @ model(name).markers[marker].at, at, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", MODELS)
def test_mass_matrices(name: str) -> None:
    eq = tree(name)
    order = [MODELS[name]["coordinates"].index(c) for c in eq.coordinates]
    for state in MODELS[name]["states"]:
        expected = np.array(state["mass_matrix"])[np.ix_(order, order)]
        assert_near(eq.mass_matrix([state["q"][c] for c in eq.coordinates]), expected)


# OpenSim takes a wrong inertia for the copy that closes a loop: see tests/files/osim/test_skeleton_fixtures.py.
@pytest.mark.parametrize("name", [name for name in SKELETONS if name != "loop"])
def test_mass_matrices_of_skeletons(name: str) -> None:
    eq = my.equations_of(my.load_model(FIXTURES / "skeleton" / f"{name}.osim").unconstrained(), compiled=False)
    order = [SKELETONS[name]["coordinates"].index(c) for c in eq.coordinates]
    states = json.loads((FIXTURES / "skeleton.json").read_text(encoding="utf-8"))["models"][name]["states"]
    for state, matrix in zip(states, SKELETONS[name]["mass_matrices"], strict=True):
        expected = np.array(matrix)[np.ix_(order, order)]
        assert_near(eq.mass_matrix([state["q"][c] for c in eq.coordinates]), expected)


@pytest.mark.parametrize("name", [name for name in MODELS if MODELS[name]["states"][0]["muscles"]])
def test_muscles_in_balance(name: str) -> None:
    eq = my.equations_of(model(name).unconstrained(), compiled=False)
    assert set(eq.muscles) == set(MODELS[name]["states"][0]["muscles"])
    for state in MODELS[name]["states"]:
        lengths = eq.muscle_lengths([state["q"][c] for c in eq.coordinates])
        for length, muscle_name in zip(lengths, eq.muscles, strict=True):
            muscle, theirs = model(name).muscles[muscle_name], state["muscles"][muscle_name]
            assert length == pytest.approx(theirs["length"], abs=1e-9)
            start, rate = fibre_state(muscle, theirs["fibre_length"], theirs["fibre_velocity"])
            ours = solved_tension(muscle, theirs["length"], theirs["speed"], start, rate, DATA["activation"])
            assert ours == pytest.approx(theirs["tension"], abs=1e-7 * muscle.max_force)


@pytest.mark.parametrize("name", MODELS)
def test_accelerations_with_all_forces(name: str) -> None:
    # Paths over surfaces are fitted; they were switched off in OpenSim too.
    eq = my.equations_of(model(name).without(*(m for m in model(name).muscles if m == "wrapped")), compiled=False)
    controls = [DATA["activation"] if c in eq.muscles else DATA["control"] for c in eq.controls]
    for state in MODELS[name]["states"]:
        values = dict(state["q"])
        values |= {f"{c}.speed": rate for c, rate in state["qdot"].items()}
        for muscle in eq.muscles:
            theirs = state["muscles"][muscle]
            projected, _ = fibre_state(model(name).muscles[muscle], theirs["fibre_length"], theirs["fibre_velocity"])
            values |= {f"{muscle}.projected_length": projected, f"{muscle}.activation": DATA["activation"]}
        derivative = dict(zip(eq.motion, eq.derivative([values[s] for s in eq.motion], controls), strict=True))
        found = [derivative[f"{c}.speed"] for c in eq.coordinates]
        assert_near(found, [state["qdotdot"][c] for c in eq.coordinates])


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_holds_the_same_model(name: str) -> None:
    newest = model(f"{name.partition('_')[0]}_40000")
    for kind in ("bodies", "joints", "constraints", "surfaces", "muscles", "forces", "markers"):
        assert dict(getattr(model(name), kind)) == dict(getattr(newest, kind)), kind


def test_an_old_name_in_a_newer_file_is_ignored_as_in_opensim_and_reported() -> None:
    text = (FIXTURES / "elements" / "leg_40000.osim").read_text(encoding="utf-8")
    found = read_osim(text.replace("pennation_angle_at_optimal", "pennation_angle").encode(), "leg.osim")
    assert found.muscles["thelen"].pennation == 0.0
    assert found.audit is not None
    assert any("pennation_angle" in remark.message for remark in found.audit.about("suspicious"))


# Cylinders, spheres and tori to the last digits; ellipsoids to what OpenSim's search on them resolves.
WITHIN, WITHIN_ELLIPSOIDS = 1e-9, 1e-4
# Poses in which OpenSim leads a path over an ellipsoid the long way round, 0.12 m and more longer, a way that it leaves
# again 0.01 rad beside them.
ASTRAY = {"ellipsoid3_midpoint": (0, 2)}
# Poses in which OpenSim's search for the place on the ring of a torus stands still where its condition comes nearest to
# zero without reaching it. How near it stops there is chance, and so are differences of its lengths; ours is the place
# itself. Found in 400 poses: 53 such, lengths apart by 8 micrometres in the middle and by 0.9 mm at most.
STUCK = {"torus_range_1_2": (2,), "torus_range_e_2": (2,)}
WITHIN_STUCK = 2e-5


@cache
def cables() -> my.Equations:
    return my.equations_of(model("wraps"), compiled=False)


def test_every_cable_over_surfaces_is_read() -> None:
    assert set(cables().muscles) == set(PATHS[0]["lengths"])
    assert all(model("wraps").muscles[name].path.wraps for name in cables().muscles)
    audit = model("wraps").audit
    assert audit is not None
    assert not audit.about("skipped")


@pytest.mark.parametrize("cable", PATHS[0]["lengths"])
def test_lengths_and_moment_arms_over_surfaces(cable: str) -> None:
    eq = cables()
    number = eq.muscles.index(cable)
    tolerance = WITHIN_ELLIPSOIDS if "ellipsoid" in cable else WITHIN
    for place, pose in enumerate(PATHS):
        q = [pose["q"][c] for c in eq.coordinates]
        length = eq.muscle_lengths(q)[number]
        if place in ASTRAY.get(cable, ()):
            assert length < pose["lengths"][cable] - 0.1
            continue
        if place in STUCK.get(cable, ()):
            assert length == pytest.approx(pose["lengths"][cable], abs=WITHIN_STUCK)
            continue
        assert length == pytest.approx(pose["lengths"][cable], abs=tolerance)
        # Lengths over ellipsoids by the hybrid method are a saw in OpenSim, with teeth of some 0.06 mm every 0.005 rad:
        # no difference of them is a moment arm.
        if "ellipsoid" not in cable or "midpoint" in cable or "axial" in cable:
            arms = [pose["arms"][c][cable] for c in eq.coordinates]
            assert eq.moment_arms(q)[number] == pytest.approx(arms, abs=1e-5)


def test_few_poses_are_led_astray() -> None:
    pairs = len(PATHS) * len(PATHS[0]["lengths"])
    assert sum(map(len, ASTRAY.values())) <= 0.02 * pairs


def test_springs_that_opensim_sets_against_angular_velocities_are_reported() -> None:
    text = (FIXTURES / "elements" / "speeds.osim").read_text(encoding="utf-8")
    found = read_osim(text.replace("<coordinate>f5<", "<coordinate>e1<").encode(), "speeds.osim")
    assert found.audit is not None
    told = [remark.name for remark in found.audit.about("approximated") if "angular velocity" in remark.message]
    assert {"spring_f5", "stop_f5", "motor_f5"} <= set(told)
    assert isinstance(found.forces["motor_f5"], my.TorqueActuator)


@pytest.mark.parametrize("name", [*MODELS, "wraps"])
def test_they_are_written_as_yaml_and_read_back(name: str, tmp_path: Path) -> None:
    my.save_model(model(name), tmp_path / "model.yaml")
    assert my.load_model(tmp_path / "model.yaml") == model(name)
