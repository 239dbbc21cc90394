"""A recorded running stride and a recorded walk, fed back: how close they come, and for how long.

Overground running (``../shared/data/running/bmc_*``, the scaled model of Rajagopal et al. with 29 moving coordinates,
inverse kinematics at 150 Hz, two force plates) and subject01's walk of OpenSim (``../shared/data/winter_appendix``).
Every number here is with residual forces on the pelvis unless it says otherwise.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import myodyne as my

DATA = Path(__file__).parents[3] / "shared" / "data"
RUN, WALK = DATA / "running", DATA / "winter_appendix"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data")
Trial = tuple[my.Model, my.Trajectory, my.ExternalForces]


@pytest.fixture(scope="module")
def stride() -> Trial:
    model = my.load_model(RUN / "bmc_Rajagopal2015_scaled.osim")
    forces = my.load_external_forces(RUN / "bmc_grf_setup.xml", RUN / "bmc_grf_run.mot")
    return model, my.load(RUN / "bmc_ik_output_run.mot", model=model), forces


@pytest.fixture(scope="module")
def walk() -> Trial:
    model = my.load_model(WALK / "opensim_subject01.osim")
    forces = my.load_external_forces(WALK / "opensim_subject01_walk_grf.xml", WALK / "opensim_subject01_walk_grf.mot")
    return model, my.load(WALK / "opensim_subject01_walk_IK.mot", model=model).filtered(6.0), forces


@pytest.mark.parametrize("cutoff", [6.0, 10.0, 15.0])
def test_004_20_the_stride_cannot_be_distinguished_from_the_recording(stride: Trial, cutoff: float) -> None:
    """004-20: at most 0.2° and 0.2 mm over the stride (measured: 0.04 to 0.08°, 0.07 mm)."""
    model, motion, forces = stride
    found = my.reproduce(model, motion.filtered(cutoff), forces)
    assert found.comparison.largest["rad"] < np.radians(0.2)
    assert found.comparison.largest["m"] < 2e-4
    assert sum("residuals act on 'pelvis" in note for note in found.report.notes) == 2


def test_004_20_a_simulation_with_these_forces_and_the_plates_is_the_stride(stride: Trial) -> None:
    """004-20: ``simulate`` in C, which knows nothing of the closed form, ends within 0.2° of the recording too."""
    model, motion, forces = stride
    slow = motion.filtered(10.0)
    found = my.reproduce(model, slow, forces)
    step = slow.duration / (len(slow) - 1)
    again = my.simulate(
        found.model,
        slow.duration,
        start=found.start,
        controls=found.controls,
        external_forces=forces,
        scheme=my.Midpoint(step=step),
        every=step,
    )
    assert again.report.steps == len(slow) - 1
    assert my.compare(again, slow, list(model.moving)).largest["rad"] < np.radians(0.2)
    # Rounding doubles every 20 ms, and is still small after the stride.
    assert my.compare(again, found.run, list(model.moving)).largest["rad"] < 1e-3


def test_004_3_position_matching_makes_the_moments_of_the_stride_alternate(stride: Trial) -> None:
    """004-3: hip moments change two or three times as much from step to step when positions are matched."""
    model, motion, forces = stride
    changes = {}
    for what in ("velocity", "position"):
        moments = my.reproduce(model, motion.filtered(15.0), forces, by=my.Matched(what)).moments
        second = np.diff(moments.values("hip_flexion_r.moment"), 2)
        changes[what] = np.abs(second).mean(), np.mean(second[1:] * second[:-1] < 0)
    assert changes["position"][0] > 3.0 * changes["velocity"][0]
    assert changes["position"][1] > 0.8 > changes["velocity"][1]


def test_moments_of_the_stride_are_those_that_were_stored(stride: Trial) -> None:
    """The stored moments are those of OpenSim's inverse dynamics at 6 Hz; measured: 0.9995 and more."""
    model, motion, forces = stride
    moments = my.reproduce(model, motion.filtered(6.0), forces).moments
    stored = my.load(RUN / "bmc_inverse_dynamics.sto")
    inside = moments.time <= stored.time[-1]
    for joint, least in (("ankle_angle", 0.999), ("knee_angle", 0.999), ("hip_flexion", 0.999)):
        for side in "rl":
            known = stored.resampled(moments.time[inside]).values(f"{joint}_{side}_moment")
            ours = moments.values(f"{joint}_{side}.moment")[inside]
            assert np.corrcoef(known, ours)[0, 1] > least, (joint, side)


def test_without_residuals_the_pelvis_leaves_the_recording(stride: Trial) -> None:
    """The plates and the motion do not agree: the joints are still matched, the pelvis turns by tens of degrees."""
    model, motion, forces = stride
    found = my.reproduce(model, motion.filtered(10.0), forces, residuals=False)
    assert found.comparison["knee_angle_r"].largest < np.radians(0.2)
    pelvis = max(found.comparison[name].largest for name in ("pelvis_tilt", "pelvis_list", "pelvis_rotation"))
    assert np.radians(10.0) < pelvis < np.radians(60.0)


def test_003_11_a_walk_comes_back_within_half_a_degree_after_a_second(walk: Trial) -> None:
    """003-11 (measured: 0.13°)."""
    model, motion, forces = walk
    found = my.reproduce(model, motion.slice(0.0, 1.0), forces)
    assert found.comparison.largest["rad"] < np.radians(0.5)


def test_003_12_small_errors_of_moments_and_masses_are_too_large_within_half_a_second(walk: Trial) -> None:
    """003-12: Gilchrist and Winter's errors became too large after about 500 ms; larger errors do so earlier."""
    model, motion, forces = walk
    part = motion.slice(0.0, 1.0)
    large, small = (my.validity(model, part, forces, perturbation=size) for size in (0.05, 0.002))
    assert large["matched forces"].beyond is None
    for label in ("moments perturbed", "masses perturbed"):
        late, early = small[label].beyond, large[label].beyond
        assert late is not None and early is not None
        assert max(early, late) < 0.5
    # Heavier masses may cancel a part of what the splines miss; larger moments do not here.
    assert large["moments perturbed"].beyond < small["moments perturbed"].beyond
    doubling = small["inverse dynamics"].doubling
    assert doubling is not None and 0.005 < doubling < 0.1


def test_the_stride_under_an_accurate_scheme_is_lost_after_some_time(stride: Trial) -> None:
    """Reported, not required: 5° are passed after 0.17 s, first by an ankle, which carries the ground force."""
    model, motion, forces = stride
    found = my.validity(model, motion.filtered(10.0), forces)
    accurate = found["inverse dynamics"]
    assert found["matched forces"].beyond is None
    assert accurate.beyond is not None and 0.05 < accurate.beyond < 0.8
    assert "residual forces on floating bodies: yes" in str(found)


@pytest.mark.long
@pytest.mark.parametrize("increment", [0.001, 10.0])
def test_004_2_shooting_finds_the_same_forces_for_the_stride(stride: Trial, increment: float) -> None:
    """004-2: with the midpoint rule both increments end at the forces that the closed form gives."""
    model, motion, forces = stride
    part = motion.filtered(10.0).slice(0.0, 0.2)
    closed = my.reproduce(model, part, forces)
    shot = my.reproduce(model, part, forces, by=my.Shooting(increment=increment))
    assert np.allclose(shot.moments.rows(), closed.moments.rows(), atol=1e-2)
