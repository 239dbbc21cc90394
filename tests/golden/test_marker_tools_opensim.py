"""Inverse kinematics, static optimisation and scaling against OpenSim 4.6 and what it has stored.

The motions are in ``../shared/data``. ``make_opensim_marker_tools.py`` and ``../fixtures/opensim/generate_scaling.py``
wrote the numbers.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import myodyne as my
from myodyne.analyse.coordinate_motion import CoordinateMotion
from myodyne.analyse.markers.marker_fit import MarkerFit
from myodyne.analyse.muscles.muscle_capacity import capacity_of

HERE = Path(__file__).parent
SHARED = HERE.parents[2] / "shared"
WALK, RUN = SHARED / "data" / "winter_appendix", SHARED / "data" / "running"
REFERENCE = json.loads((HERE / "opensim_marker_tools.json").read_text(encoding="utf-8"))
SCALED = json.loads((HERE.parent / "fixtures" / "opensim" / "scaling.json").read_text(encoding="utf-8"))

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared")


def rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.nanmean(values**2)))


@pytest.fixture(scope="module")
def runner() -> my.Model:
    return my.load_model(RUN / "bmc_Rajagopal2015_scaled.osim")


# -- inverse kinematics


def test_a_walk_follows_its_markers_as_in_opensim() -> None:
    model = my.load_model(WALK / "opensim_subject01.osim")
    markers = my.load_markers(WALK / "opensim_subject01_walk.trc")
    weights = my.load_ik_setup(WALK / "opensim_subject01_walk_Setup_IK.xml").weights
    stored = my.load(WALK / "opensim_subject01_walk_IK.mot", model=model)
    found = my.inverse_kinematics(model, markers, weights=weights)
    assert len(found) == len(stored) == 151
    for name in model.moving:
        limit = np.radians(0.05) if found.units[name] == "rad" else 1e-4
        assert rms(found.values(name) - stored.values(name)) < limit, name
    fit = MarkerFit.of(model, markers, weights, None)
    rows = np.arange(len(markers))
    ours, theirs = (
        fit.evaluate(rows, np.column_stack([motion.values(name) for name in model.moving]))[0]
        for motion in (found, stored)
    )
    assert (ours <= theirs * (1 + 1e-9)).all()
    # Without the weights, which are what is minimised, both are the same within a micrometre.
    unweighted = rms(fit.errors(rows, np.column_stack([stored.values(name) for name in model.moving])))
    assert rms(found.values("markers.rms")) == pytest.approx(unweighted, abs=1e-6)


@pytest.mark.long
def test_a_run_follows_its_markers_closer_than_what_opensim_stored(runner: my.Model) -> None:
    """The stored angles are up to 3° (19° at the forearms) from the minimum: OpenSim ended with an accuracy of 1e-4.

    With an accuracy of 1e-9 OpenSim 4.6 comes to the same angles.
    """
    markers = my.load_markers(RUN / "bmc_motion_capture_run.trc")
    setup = my.load_ik_setup(RUN / "bmc_IK_setup.xml")
    found = my.inverse_kinematics(runner, markers, weights=setup.weights, within_ranges=True)
    exact = REFERENCE["angles"]
    for name in runner.moving:
        forearm = name.startswith("pro_sup")
        assert np.abs(found.values(name)[:6] - exact[name]).max() < (5e-5 if forearm else 5e-6), name
    stored = my.load(RUN / "bmc_ik_output_run.mot", model=runner)
    rows = np.arange(len(stored))
    fit = MarkerFit.of(runner, markers, setup.weights, None)
    ours, theirs = (
        np.column_stack([motion.values(name)[: len(rows)] for name in runner.moving]) for motion in (found, stored)
    )
    assert (fit.evaluate(rows, ours)[0] < fit.evaluate(rows, theirs)[0]).all()
    assert rms(fit.errors(rows, ours)) < 0.92 * rms(fit.errors(rows, theirs))


# -- static optimisation


@pytest.mark.long
def test_muscles_can_pull_what_they_can_in_opensim(runner: my.Model) -> None:
    """OpenSim 4.6 takes the force of the fibres for that of the tendon: it leaves out the cosine of their angle."""
    told = REFERENCE["capacities"]
    q, v = (np.array([[row[name] for name in runner.moving] for row in told[part]]) for part in ("poses", "speeds"))
    movement = CoordinateMotion(runner.moving, np.arange(len(q), dtype=float), q, v, np.zeros_like(q))
    found = capacity_of(runner, movement, passive=False, curves=True).active
    strongest = np.array([part.max_force for part in runner.muscles.values()])
    expected = np.array([[row[name] for name in runner.muscles] for row in told["forces"]])
    parts = list(runner.muscles.values())
    along = my.equations_of(runner).muscle_lengths(q) - [part.tendon_slack_length for part in parts]
    cosine = along / np.hypot(along, [part.optimal_fibre_length * np.sin(part.pennation) for part in parts])
    assert cosine.min() < 0.9
    off = np.abs(found - cosine * expected) / strongest
    assert np.median(off) < 2e-4
    assert off.max() < 2e-3


def test_the_muscles_of_a_walk_share_as_in_opensim() -> None:
    """Up to the cosine of the test above, which makes muscles with pennate fibres weaker and so more active."""
    told = REFERENCE["activations"]
    model = my.load_model(WALK / "opensim_subject01.osim")
    motion = my.load(WALK / "opensim_subject01_walk_IK.mot", model=model)
    forces = my.load_external_forces(WALK / "opensim_subject01_walk_grf.xml", WALK / "opensim_subject01_walk_grf.mot")
    found = my.static_optimisation(model, motion, forces, reserves=told["reserves"], settings=my.Sharing(cutoff=6.0))
    part = found.resampled(told["time"])
    busiest = max(max(told[name]) for name in model.muscles)
    assert busiest > 0.3
    for name in model.muscles:
        assert rms(part.values(f"{name}.activation") - told[name]) < 0.02, name
        if model.muscles[name].pennation == 0.0:
            assert rms(part.values(f"{name}.activation") - told[name]) < 0.01, name
    for name, strength in told["reserves"].items():
        assert rms(part.values(f"{name}.reserve") / strength - told[f"{name}_res"]) < 5e-3, name


@pytest.mark.long
def test_a_run_leans_on_its_reserves_as_in_what_opensim_stored(runner: my.Model) -> None:
    """The reserves of that set-up are so strong that muscles hardly pull: the report says so."""
    model = runner.with_parts(forces=my.load_forces(RUN / "bmc_so_actuators.xml", runner))
    motion = my.load(RUN / "bmc_ik_output_run.mot", model=model)
    forces = my.load_external_forces(RUN / "bmc_grf_setup.xml", RUN / "bmc_grf_run.mot")
    found = my.static_optimisation(model, motion, forces, settings=my.Sharing(cutoff=6.0))
    stored = my.load(RUN / "bmc_so_activation.sto")
    part = found.resampled(np.clip(stored.time, found.time[0], found.time[-1]))
    assert max(rms(part.values(f"{name}.activation") - stored.values(name)) for name in model.muscles) < 2e-3
    assert max(float(stored.values(name).max()) for name in model.muscles) < 0.04
    carried = next(note for note in found.report.notes if "carried by actuators" in note)
    assert "hip_flexion_l (10" in carried
    assert not any("cannot be met" in note for note in found.report.notes)


# -- scaling


@pytest.mark.parametrize("case", [name for name in SCALED if name != "producer"])
def test_models_are_scaled_as_opensim_does(case: str) -> None:
    told = SCALED[case]
    model = my.load_model(SHARED / "models_osim" / f"{case.partition(',')[0]}.osim")
    scaled = my.scale_model(
        model,
        told["factors"],
        mass=told["mass"],
        keep_mass_distribution=told["keep_mass_distribution"],
        inertia="cylinder",
    )
    for name, body in told["bodies"].items():
        ours = scaled.bodies[name]
        assert ours.mass == pytest.approx(body["mass"], rel=1e-12)
        assert ours.centre_of_mass == pytest.approx(body["centre_of_mass"], abs=1e-14)
        moments = [getattr(ours.inertia, field) for field in ("xx", "yy", "zz", "xy", "xz", "yz")]
        assert moments == pytest.approx(body["inertia"], abs=1e-13)
    for name, (fibre, slack) in told["muscles"].items():
        # OpenSim's way over the ellipsoid of BIClong is found by a search that ends early.
        limit = 1e-6 if name == "BIClong" else 1e-12
        assert scaled.muscles[name].optimal_fibre_length == pytest.approx(fibre, abs=limit)
        assert scaled.muscles[name].tendon_slack_length == pytest.approx(slack, abs=limit)
    equations = my.equations_of(scaled, compiled=False)
    for part, pose in (("default", {}), ("posed", told["pose"])):
        values = {name: pose.get(name, scaled.coordinates[name].default) for name in scaled.moving}
        places = equations.body_positions(np.array(list(values.values())))
        # The axes along which the left knee of this model slides are turned against its thigh. OpenSim scales by the
        # factors of the thigh along x, y and z all the same; here it is the thigh's stretch along the axes.
        limit = 3e-4 if (case, part) == ("Rajagopal2016, by axis", "posed") else 1e-12
        for name, place in told[part]["positions"].items():
            assert places[name] == pytest.approx(place, abs=limit), (part, name)
