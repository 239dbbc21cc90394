"""A model in space, seen along z: the planar model moves as the one in space does in its sagittal plane."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import myodyne as my

SUBJECT = Path(__file__).parents[3] / "shared" / "data" / "running" / "bmc_Rajagopal2015_scaled.osim"


def bare(model: my.Model) -> my.Model:
    return model.without(*model.muscles, *model.forces)


def interpreted(model: my.Model) -> my.Equations:
    return my.equations_of(bare(model), compiled=False)


def restricted(space: my.Equations, plane: my.Equations, names: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the mass matrices of both in their default poses, for some coordinates."""
    found = []
    for equations in (space, plane):
        rows = [equations.coordinates.index(name) for name in names]
        found.append(equations.mass_matrix(equations.coordinate_defaults())[np.ix_(rows, rows)])
    return found[0], found[1]


def test_a_whole_body_moves_in_its_plane_as_in_space() -> None:
    """All axes of full_body in the plane are z: masses, accelerations and moments are those of the model in space."""
    person = my.load_model("full_body")
    planar = my.sagittal(person)
    space, plane = interpreted(person), interpreted(planar)
    assert planar.mass == pytest.approx(person.mass, rel=1e-12)
    random = np.random.default_rng(4)
    for _ in range(5):
        turn, speed, rate = (random.uniform(-0.7, 0.7, len(plane.coordinates)) for _ in range(3))
        q, v, a = (np.array(space.coordinate_defaults()) for _ in range(3))
        v[:], a[:] = 0.0, 0.0
        rows = [space.coordinates.index(name) for name in plane.coordinates]
        for whole, part in ((q, turn), (v, speed), (a, rate)):
            whole[rows] = part
        wanted = space.inverse_dynamics(q, v, a)[rows]
        # The default pronation is 1.571, not π/2: the wrist's axis is off z by 2e-4 rad.
        np.testing.assert_allclose(plane.inverse_dynamics(turn, speed, rate), wanted, atol=1e-7)
    for name, place in planar.markers.items():
        assert place.at[2] == pytest.approx(_place(space, person, name)[2], abs=1e-12)


def _place(equations: my.Equations, model: my.Model, marker: str) -> np.ndarray:
    turns, places = equations.body_poses(equations.coordinate_defaults())
    number = equations.bodies.index(model.markers[marker].body)
    return places[number] + turns[number] @ np.array(model.markers[marker].at)


def _centre(equations: my.Equations, model: my.Model, joint: str) -> np.ndarray:
    turns, places = equations.body_poses(equations.coordinate_defaults())
    child = model.joints[joint].child
    number = equations.bodies.index(child.body)
    return places[number] + turns[number] @ np.array(child.at)


def test_a_bent_default_pose_stays_where_it_is() -> None:
    """Defaults other than zero: angles keep their meaning, markers their places, in that pose and in others."""
    person = my.load_model("full_body").with_values(
        {"hip_flexion_r.default": 0.5, "knee_r.default": -0.8, "pelvis_tilt.default": 0.2, "pelvis_x.default": 0.3}
    )
    planar = my.sagittal(person)
    space, plane = interpreted(person), interpreted(planar)
    for model, equations in ((person, space), (planar, plane)):
        assert _place(equations, model, "toe_tip_r") == pytest.approx(_place(space, person, "toe_tip_r"), abs=1e-12)
    straight = dict.fromkeys(plane.coordinates, 0.0) | {"pelvis_y": 1.0, "knee_r": -0.3}
    ankle = []
    for equations in (space, plane):
        q = np.array([straight.get(name, 0.0) for name in equations.coordinates])
        ankle.append(equations.body_positions(q)["foot_r"][:2])
    np.testing.assert_allclose(ankle[0], ankle[1], atol=1e-12)


@pytest.mark.skipif(not SUBJECT.exists(), reason="needs the running trial beside the repository")
def test_the_subject_of_the_running_trial() -> None:
    """Mass, lengths between joint centres, and the mass matrix as far as all axes are z: those of the scaled model."""
    person = my.load_model(SUBJECT)
    planar = my.sagittal(person)
    assert planar.mass == pytest.approx(person.mass, rel=1e-12)
    assert planar.mass == pytest.approx(70.0, rel=1e-9)
    assert len(planar.moving) == 14
    assert {"pelvis", "torso", "femur_r", "tibia_r", "calcn_r", "toes_r", "humerus_r", "ulna_r"} <= set(planar.bodies)
    assert planar.coordinates["mtp_angle_r"].locked
    space, plane = interpreted(person), interpreted(planar)
    for joint, above in {"walker_knee_r": "hip_r", "ankle_r": "walker_knee_r", "elbow_l": "acromial_l"}.items():
        length = np.linalg.norm((_centre(space, person, joint) - _centre(space, person, above))[:2])
        assert np.linalg.norm(planar.joints[joint].parent.at) == pytest.approx(length, abs=1e-12)
    names = ["pelvis_tilt", "pelvis_tx", "pelvis_ty", "hip_flexion_r", "hip_flexion_l", "lumbar_extension"]
    wanted, found = restricted(space, plane, [*names, "arm_flex_r", "arm_flex_l"])
    np.testing.assert_allclose(found, wanted, atol=1e-10)
    # A positive angle bends the knee, as in the file.
    assert planar.joints["walker_knee_r"].axes[0].direction == (0.0, 0.0, -1.0)


def test_what_stays_can_be_chosen() -> None:
    person = my.load_model("full_body")
    legs = my.sagittal(person, keep=["pelvis_x", "pelvis_y", "pelvis_tilt", "hip_flexion_r", "hip_flexion_l"])
    assert len(legs.bodies) == 3
    assert legs.mass == pytest.approx(person.mass, rel=1e-12)
    assert set(legs.forces) == {"hip_flexion_r_motor", "hip_flexion_l_motor"}


def test_a_planar_model_is_its_own_reduction() -> None:
    runner = my.load_model("runner_skeleton")
    one, other = interpreted(runner), interpreted(my.sagittal(runner))
    q = np.linspace(-0.5, 0.6, len(one.coordinates))
    assert one.coordinates == other.coordinates
    np.testing.assert_allclose(other.mass_matrix(q), one.mass_matrix(q), atol=1e-12)


def test_what_cannot_be_reduced_is_refused() -> None:
    person = my.load_model("full_body")
    with pytest.raises(my.ModelError, match="hip_flexion_r"):
        my.sagittal(person, keep=["hip_flexion"])
    with pytest.raises(my.ModelError, match="does not move in the plane"):
        my.sagittal(person, keep=["hip_adduction_r"])
    with pytest.raises(my.ModelError, match="several names"):
        my.sagittal(person, keep="hip_flexion_r")
    with pytest.raises(my.ModelError, match="part of the ground"):
        my.sagittal(person, keep=["hip_flexion_r"])
    lift = my.Model(
        name="lift",
        bodies={"cabin": my.Body(mass=1.0)},
        joints={"shaft": my.slider("ground", "cabin", "depth", axis="z")},
    )
    with pytest.raises(my.ModelError, match="no coordinate that moves in the plane"):
        my.sagittal(lift)
