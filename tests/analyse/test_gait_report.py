"""gait_report: people's own walk is people's; what is not a walk is refused; what no person does is named."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import myodyne as my
from myodyne.analyse.gait.cycle import humps
from myodyne.analyse.gait.events import contacts
from myodyne.analyse.gait.legs import legs_of, side_of
from myodyne.analyse.gait.loads import Load, load_columns
from myodyne.analyse.gait.norms import burst_norm, cost_norm, curve_norm
from myodyne.analyse.gait.timing import bursts
from myodyne.data import DataError
from support.walks import SIDES, changed, people, plates

SHARED = Path(__file__).parents[3] / "shared"


@pytest.fixture(scope="module")
def winter() -> my.GaitReport:
    model, motion, forces = people()
    return my.gait_report(motion, model, forces=forces)


def test_people_walk_like_people(winter: my.GaitReport) -> None:
    assert winter.kind == "walking"
    for curve in winter.curves:
        if curve.norm is not None:
            # The foot carries 20 N a percent of the cycle before Winter's strike.
            assert curve.correlation is not None and curve.correlation > 0.985, curve.name
            assert curve.distance is not None and curve.distance < 0.5, curve.name
    # On a pelvis of constant speed the mean angles let the feet slide; nothing else is unlike people.
    assert all("foot slides by" in exception for exception in winter.exceptions)
    assert winter.verdict.startswith("walks like people except: the right foot slides")


def test_measures_of_winters_walk(winter: my.GaitReport) -> None:
    values = {name: one.value for name, one in winter.measures.items()}
    assert values["speed"] == pytest.approx(1.325, rel=2e-3)
    assert values["cycle"] == pytest.approx(1.1396, rel=1e-6)
    assert values["stride_length"] == pytest.approx(values["speed"] * values["cycle"])
    assert values["cadence"] == pytest.approx(120 / 1.1396)
    assert 60 < values["stance"] < 66
    # Left and right are the same curve half a cycle apart: both support the body for what stance has beyond a half.
    assert values["double_support"] == pytest.approx(2 * values["stance"] - 100, abs=0.5)
    assert (values["humps"], values["flights"]) == (2, 0)
    assert {stance.landing for stance in winter.stances} == {"heel"}
    assert "step_width" not in values


def test_moments_carry_the_body(winter: my.GaitReport) -> None:
    # In late stance the force is below the toes; in swing only the light foot hangs at the ankle.
    ankle = winter.curve("ankle_moment").values
    assert ankle[40:50].mean() > 0.5
    assert np.abs(ankle[70:90]).max() < 0.1


def test_half_a_cycle_is_unfolded(winter: my.GaitReport) -> None:
    model, motion, forces = people()
    half = motion.slice(0.0, 0.5 * winter.measures["cycle"].value)
    folded = my.gait_report(half, model, forces=forces)
    assert any("mirrored half cycle" in note for note in folded.notes)
    for curve in winter.curves:
        other = folded.curve(curve.name, curve.side)
        # Accelerations, and with them moments, differ at the ends of splines.
        if curve.name.endswith("angle") or curve.name.startswith("force"):
            assert np.abs(curve.values - other.values).max() < 0.02 * np.ptp(curve.values)
    for name in ("stance", "stride_length", "cadence", "double_support"):
        assert folded.measures[name].value == pytest.approx(winter.measures[name].value, rel=0.01)


def test_sides_may_be_exchanged(winter: my.GaitReport) -> None:
    model, motion, forces = people()
    columns = {name: motion.values(name) for name in motion.names}
    for joint in ("hip", "knee", "ankle"):
        columns[f"right_{joint}"], columns[f"left_{joint}"] = columns[f"left_{joint}"], columns[f"right_{joint}"]
    exchanged = my.Trajectory(motion.time, columns, motion.units)
    swapped = plates(
        exchanged,
        {
            f"{side}_ground_force_{axis}": forces[other].data.values(f"{other}_{axis}")
            for side, other in zip(SIDES, SIDES[::-1], strict=True)
            for axis in "xy"
        },
        first="left",
    )
    other = my.gait_report(exchanged, model, forces=swapped)
    for curve in winter.curves:
        opposite = "left" if curve.side == "right" else "right"
        np.testing.assert_allclose(other.curve(curve.name, opposite).values, curve.values, atol=1e-6)


def test_a_treadmill_is_recognised(winter: my.GaitReport) -> None:
    model, motion, forces = people()
    still = changed(motion, pelvis_x=motion.values("pelvis_x") - 1.325 * motion.time)
    columns = {
        f"{side}_ground_force_{axis}": forces[side].data.values(f"{side}_{axis}") for side in SIDES for axis in "xy"
    }
    report = my.gait_report(still, model, forces=plates(still, columns))
    # On a pelvis of constant speed the mean angles let the feet slide: the belt seems slower than it is.
    assert any("treadmill" in note for note in report.notes)
    assert report.measures["cadence"].value == pytest.approx(winter.measures["cadence"].value)


def runner() -> tuple[my.Model, my.Trajectory, my.ExternalForces]:
    """Return people's angles with the contacts of a run: 35 % of the cycle each, half a cycle apart."""
    model, motion, _ = people()
    phase = motion.time / motion.time[-1]
    weight, forces = model.mass * 9.81, {}
    for side, behind in (("right", 0.0), ("left", 0.5)):
        share = (phase + behind) % 1.0
        bump = np.where(share < 0.35, np.sin(np.pi * share / 0.35), 0.0)
        forces[f"{side}_ground_force_y"] = 2.4 * weight * bump
        forces[f"{side}_ground_force_x"] = np.zeros(len(phase))
    return model, motion, plates(motion, forces)


def test_short_contacts_make_a_run() -> None:
    model, motion, forces = runner()
    report = my.gait_report(motion, model, forces=forces)
    assert report.kind == "running"
    assert report.measures["flights"].value == 2
    assert report.measures["double_support"].value == 0
    assert report.measures["stance"].value == pytest.approx(35.0, abs=2.0)
    assert report.measures["humps"].value == 1
    assert report.curve("hip_angle").norm is None, "Winter's people do not run"


def test_half_a_cycle_of_a_run_may_load_one_foot_only() -> None:
    model, motion, forces = runner()
    report = my.gait_report(motion.slice(0.0, 0.5 * motion.time[-1]), model, forces=forces, mirrored=True)
    assert report.kind == "running"
    assert report.measures["stance"].value == pytest.approx(35.0, abs=2.0)


def test_what_no_person_does_is_named() -> None:
    model, motion, forces = people()
    table = {
        f"{side}_ground_force_{axis}": forces[side].data.values(f"{side}_{axis}") * (3.0 if axis == "y" else 1.0)
        for side in SIDES
        for axis in "xy"
    }
    report = my.gait_report(motion, model, forces=plates(motion, table))
    assert any("force peak of 3" in finding for finding in report.findings)
    assert report.measures["peak_force"].usual is False
    assert "force peak" in report.verdict


def test_a_hop_in_mid_stance_is_named() -> None:
    model, motion, forces = people()
    phase = motion.time / motion.time[-1]
    table = {}
    for side, behind in (("right", 0.0), ("left", 0.5)):
        share = (phase + behind) % 1.0
        table[f"{side}_ground_force_x"] = forces[side].data.values(f"{side}_x")
        dip = 1.0 - 0.8 * np.exp(-(((share - 0.3) / 0.05) ** 2))
        table[f"{side}_ground_force_y"] = forces[side].data.values(f"{side}_y") * dip
    report = my.gait_report(motion, model, forces=plates(motion, table))
    assert any("hops in mid-stance" in finding for finding in report.findings)


def test_standing_is_no_gait() -> None:
    with pytest.raises(DataError, match="standing, not a gait"):
        my.gait_report(my.simulate(my.load_model("gait2d"), 0.05))


def test_a_jump_is_no_gait() -> None:
    model, motion, forces = people()
    both = {f"left_{joint}": motion.values(f"right_{joint}") for joint in ("hip", "knee", "ankle")}
    same = {
        f"{side}_ground_force_{axis}": forces["right"].data.values(f"right_{axis}") for side in SIDES for axis in "xy"
    }
    # Shifted so that the strike lies within the motion.
    with pytest.raises(DataError, match=r"together.*jump"):
        my.gait_report(changed(motion, **both), model, forces=plates(motion, same))


def test_part_of_a_stride_is_refused() -> None:
    model, motion, forces = people()
    with pytest.raises(DataError, match="holds no complete stride"):
        my.gait_report(motion.slice(0.0, 0.42), model, forces=forces)
    with pytest.raises(DataError, match="is not its mirrored start"):
        my.gait_report(motion.slice(0.0, 0.42), model, forces=forces, mirrored=True)


def test_bad_input_is_explained() -> None:
    model, motion, forces = people()
    bare = model.without("right_heel", "right_toe", "left_heel", "left_toe")
    with pytest.raises(DataError, match="has no contact with the ground"):
        my.gait_report(motion, bare)
    with pytest.raises(DataError, match=r"does not contain 'right_heel\.force_x'"):
        my.gait_report(motion, model)
    with pytest.raises(my.ModelError, match="no left foot"):
        my.gait_report(motion, model, forces=my.ExternalForces([forces["right"]]))
    with pytest.raises(DataError, match="does not contain its model"):
        my.gait_report(motion)
    with pytest.raises(DataError, match="not within the motion"):
        my.gait_report(motion, model, forces=forces, cycle=(0.5, 3.0))
    with pytest.raises(DataError, match="needs a motion"):
        my.gait_report("walk.nc")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="never touches"):
        empty = {f"{side}_ground_force_{axis}": np.zeros(len(motion)) for side in SIDES for axis in "xy"}
        my.gait_report(motion, model, forces=plates(motion, empty))


def test_reports_read_well_and_go_to_json(winter: my.GaitReport) -> None:
    text = str(winter)
    assert text.startswith("gait2d: walking at 1.3")
    assert "ours alone" in text and "Winter 1991" in text
    assert "<table" in winter._repr_html_()
    data = json.loads(json.dumps(winter.to_dict()))
    assert data["measures"]["stance"]["usual"] is True
    assert len(data["curves"][0]["values"]) == 101
    with pytest.raises(DataError, match="knee_angle"):
        winter.curve("knee_angel")


def test_legs_are_found_with_their_senses() -> None:
    model = my.load_model("gait2d")
    legs, _ = legs_of(model, ["right_foot", "left_foot"])
    # In gait2d a knee bends into the negative.
    assert legs["left"].coordinates == {"hip": "left_hip", "knee": "left_knee", "ankle": "left_ankle"}
    assert legs["left"].flexion == {"hip": 1.0, "knee": -1.0, "ankle": 1.0}
    assert [side_of(name) for name in ("soleus_r", "right_foot", "Left_toe", "lumbar", "vas_int_l")] == [
        "right",
        "right",
        "left",
        None,
        "left",
    ]


def test_toes_that_bear_load_belong_to_the_foot() -> None:
    """Every contact of the body counts: both feet together bear what all of them bear."""
    model = my.load_model("gait3d")
    equations = my.equations_of(model, compiled=False)
    turns, places = equations.body_poses(np.zeros((2, len(equations.coordinates))))
    poses = {body: (turns[:, number], places[:, number]) for number, body in enumerate(equations.bodies)}
    force, point = np.array([[0.0, 10.0, 0.0]] * 2), np.zeros((2, 3))
    soles = [part.body for part in model.forces.values() if isinstance(part, my.SmoothSphereContact)]
    legs, _ = legs_of(model, soles)
    loads = [Load(body, force, point) for body in soles]
    borne = [load_columns(leg, loads, poses, np.array([0.0, 1.0]), 1.0)["force_y"][0] for leg in legs.values()]
    assert "toes_r" in soles
    assert sum(borne) == pytest.approx(10.0 * len(soles))


def test_events_are_interpolated() -> None:
    time = np.linspace(0.0, 1.0, 11)
    assert contacts(time, np.array([0, 0, 2, 2, 0, 0, 0, 1, 1, 1, 1.0]), 0.5) == [
        (pytest.approx(0.125), pytest.approx(0.375)),
        (pytest.approx(0.65), 1.0),
    ]


def test_humps_and_bursts() -> None:
    share = np.linspace(0.0, 1.0, 101)
    assert humps(np.sin(np.pi * share)) == 1
    assert humps(np.abs(np.sin(3 * np.pi * share))) == 3
    assert humps(np.append(1.0 + 0.02 * np.sin(40 * share), 0.0)) == 1, "ripples do not count"
    assert bursts(np.zeros(100)) == ()
    assert bursts(np.ones(100)) == ((0.0, 100.0),)


def test_norms_have_sources() -> None:
    assert curve_norm("knee_moment", "walking") is None
    assert burst_norm("glmed2") is not None and burst_norm("piri") is None
    people_cost = cost_norm(1.3)
    # Ralston's optimum: 74 m/min, at 0.78 cal/m/kg.
    speeds = np.linspace(0.6, 2.2, 1601)
    best = speeds[int(np.argmin([cost_norm(float(speed)).low for speed in speeds]))]
    assert 60 * best == pytest.approx(74.0, abs=0.3)
    assert "Ralston" in people_cost.source


@pytest.mark.long
def test_a_tracked_walk() -> None:
    report = my.gait_report(my.solve(my.load_problem("gait2d_tracking"), audit=False))
    assert report.kind == "walking"
    for name, least in (("hip_angle", 0.97), ("knee_angle", 0.97), ("ankle_angle", 0.9), ("force_y", 0.93)):
        found = report.curve(name).correlation
        assert found is not None and found > least
    assert {cost.model for cost in report.costs} == {"umberger", "bhargava"}
    assert len(report.muscles) == 16


@pytest.mark.long
@pytest.mark.skipif(not (SHARED / "data" / "moco_inverse3d").is_dir(), reason="needs ../shared/data/moco_inverse3d")
def test_a_recorded_person_in_space() -> None:
    model = my.load_model(SHARED / "models_osim" / "subject_walk_scaled.osim")
    data = SHARED / "data" / "moco_inverse3d"
    motion = my.load(data / "coordinates.sto", model=model)
    report = my.gait_report(motion, model, forces=my.load_external_forces(data / "grf_walk.xml"))
    # The plates saw two right strikes, 1.1444 s apart, one of them before the motion begins.
    assert report.measures["cycle"].value == pytest.approx(1.1444, rel=0.01)
    assert report.kind == "walking" and report.measures["humps"].value == 2
    assert 0.05 < report.measures["step_width"].value < 0.2
    assert report.findings == ()
    for name in ("hip_angle", "knee_angle", "force_y"):
        found = report.curve(name).correlation
        assert found is not None and found > 0.9


@pytest.mark.long
@pytest.mark.skipif(not (SHARED / "data" / "moco_inverse3d").is_dir(), reason="needs ../shared/data/moco_inverse3d")
def test_a_person_on_a_treadmill_has_the_speed_over_ground() -> None:
    model = my.load_model(SHARED / "models_osim" / "subject_walk_scaled.osim")
    data = SHARED / "data" / "moco_inverse3d"
    motion = my.load(data / "coordinates.sto", model=model)
    forces = my.load_external_forces(data / "grf_walk.xml")
    ground = my.gait_report(motion, model, forces=forces)
    name = next(name for name in motion.names if name.endswith("pelvis_tx/value"))
    still = changed(motion, **{name: motion.values(name) - ground.speed * motion.time})
    moved = []
    for force in forces.values():
        assert force.point is not None
        table = {column: force.data.values(column) for column in force.data.names}
        table[force.point[0]] = table[force.point[0]] - ground.speed * force.data.time
        record = my.Trajectory(force.data.time, table, force.data.units)
        moved.append(my.ExternalForce(force.name, force.body, record, force.force, force.point, force.torque))
    belt = my.gait_report(still, model, forces=my.ExternalForces(moved))
    assert any("treadmill" in note for note in belt.notes)
    # Over ground the flat feet of this recording go back at 6 cm/s, by skin and soles: 5 % of the speed.
    assert belt.speed == pytest.approx(ground.speed, rel=0.06)


@pytest.mark.long
@pytest.mark.skipif(not (SHARED / "data" / "running").is_dir(), reason="needs ../shared/data/running")
def test_a_recorded_run() -> None:
    data = SHARED / "data" / "running"
    model = my.load_model(data / "bmc_Rajagopal2015_scaled.osim")
    motion = my.load(data / "bmc_ik_output_run.mot", model=model)
    forces = my.load_external_forces(data / "bmc_grf_setup.xml", data / "bmc_grf_run.mot")
    report = my.gait_report(motion, model, forces=forces, cutoff=12.0)
    assert report.kind == "running" and report.measures["flights"].value == 2
    assert 2.0 < report.measures["peak_force"].value < 2.9
    assert 30 < report.measures["stance"].value < 40
