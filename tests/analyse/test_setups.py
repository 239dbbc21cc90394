"""Set-up files written here: every tool on models small enough to know the answer, and what is reported."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from tests.support.opensim_setups import stored

import myodyne as my

ROWS = 21
TIMES = np.linspace(0.0, 1.0, ROWS)


def _setup(folder: Path, content: str, name: str = "setup.xml") -> Path:
    path = folder / name
    path.write_text(f'<?xml version="1.0"?>\n<OpenSimDocument Version="40000">\n{content}\n</OpenSimDocument>\n')
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a rod that has markers, its swing in degrees, and a record of its markers."""
    markers = {
        "top": my.Marker(body="rod", at=(0.0, 0.0, 0.1)),
        "tip": my.Marker(body="rod", at=(0.0, -1.0, 0.0)),
        "side": my.Marker(body="rod", at=(0.1, -0.5, 0.0), fixed=True),
    }
    rod = my.load_model("pendulum").with_parts(markers=markers)
    my.save_model(rod, tmp_path / "rod.osim")
    swing = 0.4 * np.sin(2.0 * TIMES)
    rows = "".join(f"{time!r}\t{math.degrees(angle)!r}\n" for time, angle in zip(TIMES.tolist(), swing, strict=True))
    header = f"swing\nversion=1\nnRows={ROWS}\nnColumns=2\ninDegrees=yes\nendheader\ntime\tangle\n"
    (tmp_path / "swing.mot").write_text(header + rows)
    places = []
    for angle in swing:
        turn = np.array(
            [[math.cos(angle), -math.sin(angle), 0.0], [math.sin(angle), math.cos(angle), 0.0], [0, 0, 1.0]]
        )
        places.append([turn @ np.array(marker.at) for marker in markers.values()])
    my.save_markers(my.Markers(TIMES, list(markers), places), tmp_path / "swing.trc")
    return tmp_path


def test_inverse_dynamics_writes_what_opensim_writes(folder: Path) -> None:
    setup = _setup(
        folder,
        """<InverseDynamicsTool name="rod"><results_directory>out</results_directory>
        <model_file>.\\rod.osim</model_file><time_range>0.23 0.61</time_range>
        <forces_to_exclude>Muscles nonsense</forces_to_exclude><coordinates_file>swing.mot</coordinates_file>
        <lowpass_cutoff_frequency_for_coordinates>-1</lowpass_cutoff_frequency_for_coordinates>
        <output_gen_force_file>moments</output_gen_force_file></InverseDynamicsTool>""",
    )
    run = my.run_setup(setup)
    time, columns = stored(folder / "out" / "moments.sto")
    # As in OpenSim, the rows at or just before the ends of the range.
    assert time[0] == pytest.approx(0.2)
    assert time[-1] == pytest.approx(0.6)
    assert list(columns) == ["angle_moment"]
    whole = my.inverse_dynamics(run.model, my.load(folder / "swing.mot", model=run.model))
    assert columns["angle_moment"] == pytest.approx(whole.values("angle.moment")[4:13], abs=1e-9)
    assert any("nonsense" in note for note in run.notes)


def test_inverse_kinematics_reads_tasks_from_another_file(folder: Path) -> None:
    (folder / "tasks.xml").write_text(
        """<IKTaskSet><objects><IKMarkerTask name="tip"><apply>true</apply><weight>2</weight></IKMarkerTask>
        <IKMarkerTask name="absent"><weight>1</weight></IKMarkerTask></objects></IKTaskSet>"""
    )
    setup = _setup(
        folder,
        """<InverseKinematicsTol name="rod"><model_file>rod.osim</model_file><IKTaskSet file="tasks.xml"/>
        <marker_file>swing.trc</marker_file><time_range>0.2 0.6</time_range><accuracy>1e-5</accuracy>
        <output_motion_file>found.mot</output_motion_file><report_marker_locations>true</report_marker_locations>
        <report_erors>false</report_erors></InverseKinematicsTol>""",
    )
    run = my.run_setup(setup)
    time, columns = stored(folder / "found.mot")
    assert columns["angle"] == pytest.approx(np.degrees(0.4 * np.sin(2.0 * time)), abs=1e-5)
    assert len(time) == 9
    assert [path.name for path in run.files][1:] == ["rod_ik_marker_errors.sto", "rod_ik_model_marker_locations.sto"]
    assert list(stored(run.files[1])[1]) == ["total_squared_error", "marker_error_RMS", "marker_error_max"]
    assert list(stored(run.files[2])[1]) == ["tip_tx", "tip_ty", "tip_tz"]
    said = "\n".join(run.notes)
    assert "<InverseKinematicsTol> is read as <InverseKinematicsTool>" in said
    assert "<report_erors> is not a property of InverseKinematicsTool and is ignored; is <report_errors> meant?" in said
    assert "absent" in said
    assert "without effect here: accuracy" in said
    assert my.load_ik_setup(setup).weights == {"tip": 2.0, "absent": 1.0}


def test_scaling_measures_places_markers_and_skips_what_is_lacking(folder: Path) -> None:
    record = my.Markers([0.0, 0.1], ["top", "tip", "side"], [[[0.0, 0.0, 0.1], [0.0, -1.2, 0.0], [0.3, -0.5, 0.0]]] * 2)
    my.save_markers(record, folder / "still.trc")
    setup = _setup(
        folder,
        """<ScaleTool name="person"><mass>2</mass>
        <GenericModelMaker><model_file>rod.osim</model_file></GenericModelMaker>
        <ModelScaler><scaling_order>measurements</scaling_order><marker_file>still.trc</marker_file>
        <MeasurementSet><objects><Measurement name="length"><MarkerPairSet><objects>
        <MarkerPair><markers>top tip</markers></MarkerPair><MarkerPair><markers>top nowhere</markers></MarkerPair>
        </objects></MarkerPairSet><BodyScaleSet><objects><BodyScale name="rod"><axes>Y</axes></BodyScale>
        <BodyScale name="patella"><axes>X Y Z</axes></BodyScale></objects></BodyScaleSet></Measurement></objects>
        </MeasurementSet><output_model_file>scaled.osim</output_model_file>
        <output_scale_file>factors.xml</output_scale_file></ModelScaler>
        <MarkerPlacer><marker_file>still.trc</marker_file><IKTaskSet><objects>
        <IKMarkerTask name="tip"><weight>1</weight></IKMarkerTask></objects></IKTaskSet>
        <output_model_file>placed.osim</output_model_file><output_marker_file>markers.xml</output_marker_file>
        <output_motion_file>pose.sto</output_motion_file></MarkerPlacer></ScaleTool>""",
    )
    run = my.run_setup(setup)
    factor = math.hypot(1.2, 0.1) / math.hypot(1.0, 0.1)
    assert run.model.mass == pytest.approx(2.0)
    assert my.load_model(folder / "scaled.osim").markers["tip"].at[1] == pytest.approx(-factor)
    placed = my.load_model(folder / "placed.osim").markers
    assert placed["tip"].at == pytest.approx((0.0, -1.2, 0.0), abs=1e-6)
    # A fixed marker stays where scaling put it, and stays fixed in the file.
    assert placed["side"].at == pytest.approx((0.1, -0.5 * factor, 0.0))
    assert (placed["side"].fixed, placed["tip"].fixed) == (True, False)
    assert my.load_marker_set(folder / "markers.xml", run.model)["tip"].at == placed["tip"].at
    assert f"{factor:.12g}" in (folder / "factors.xml").read_text()
    said = "\n".join(run.notes)
    assert "patella" in said
    assert "nowhere" in said


def test_a_forward_run_begins_with_the_states_of_a_file(folder: Path) -> None:
    states = "s\nversion=1\nnRows=2\nnColumns=3\ninDegrees=no\nendheader\ntime\t/jointset/pivot/angle/value"
    (folder / "states.sto").write_text(f"{states}\t/jointset/pivot/angle/speed\n0\t0.3\t0\n0.1\t0.5\t0\n")
    setup = _setup(
        folder,
        """<ForwardTool name="rod"><model_file>rod.osim</model_file><initial_time>0.1</initial_time>
        <final_time>0.4</final_time><states_file>states.sto</states_file>
        <integrator_error_tolerance>1e-10</integrator_error_tolerance></ForwardTool>""",
    )
    run = my.run_setup(setup)
    own = my.simulate(run.model, 0.3, start={"angle": 0.5, "angle.speed": 0.0})
    _, columns = stored(folder / "rod_states.sto")
    assert columns["/jointset/pivot/angle/value"][-1] == pytest.approx(own.final["angle"], abs=1e-8)
    _, degrees = stored(folder / "rod_states_degrees.mot")
    assert degrees["/jointset/pivot/angle/value"][0] == pytest.approx(math.degrees(0.5))


def test_reactions_on_parent_and_child_are_opposite(folder: Path) -> None:
    setup = _setup(
        folder,
        """<AnalyzeTool name="rod"><model_file>rod.osim</model_file><coordinates_file>swing.mot</coordinates_file>
        <AnalysisSet><objects><JointReaction name="JointReaction"><joint_names>pivot pivot</joint_names>
        <apply_on_bodies>child parent</apply_on_bodies><express_in_frame>ground</express_in_frame></JointReaction>
        <Kinematics name="Kinematics"><coordinates>all</coordinates></Kinematics>
        <BodyKinematics name="BodyKinematics"/></objects></AnalysisSet></AnalyzeTool>""",
    )
    run = my.run_setup(setup)
    _, columns = stored(folder / "rod_JointReaction_ReactionLoads.sto")
    for axis in ("fx", "fy", "mz"):
        child, parent = columns[f"pivot_on_rod_in_ground_{axis}"], columns[f"pivot_on_ground_in_ground_{axis}"]
        assert child == pytest.approx(-parent, abs=1e-12)
    # No motor turns the rod: in OpenSim the forces cause the accelerations, so the hinge carries no moment.
    assert columns["pivot_on_rod_in_ground_mz"] == pytest.approx(0.0, abs=1e-9)
    time, angles = stored(folder / "rod_Kinematics_q.sto")
    assert angles["angle"] == pytest.approx(np.degrees(0.4 * np.sin(2.0 * time)))
    assert any("BodyKinematics" in note for note in run.notes)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("<CMCTool/>", "computed muscle control is not run"),
        ("<Nonsense/>", "<Nonsense> is not a tool of OpenSim"),
        (
            "<InverseDynamicsTool><model_fil>rod.osim</model_fil></InverseDynamicsTool>",
            "names no <model_file>, the model; <model_fil> looks like it, misspelt",
        ),
        ("<InverseDynamicsTool><model_file>gone.osim</model_file></InverseDynamicsTool>", "'gone.osim' is at none of"),
        (
            """<AnalyzeTool><model_file>rod.osim</model_file><AnalysisSet><objects><PointKinematics/></objects>
            </AnalysisSet></AnalyzeTool>""",
            "asks for 'PointKinematics'",
        ),
        (
            """<InverseKinematicsTool><model_file>rod.osim</model_file><marker_file>swing.trc</marker_file>
            <IKTaskSet><objects/></IKTaskSet></InverseKinematicsTool>""",
            "gives no marker a weight",
        ),
    ],
)
def test_what_cannot_be_run_is_refused_by_name(folder: Path, content: str, words: str) -> None:
    with pytest.raises(my.FileError, match=words.replace("(", r"\(")):
        my.run_setup(_setup(folder, content))


def test_results_go_to_the_folder_that_is_asked_for(folder: Path) -> None:
    setup = _setup(
        folder,
        """<InverseDynamicsTool name="rod"><model_file>rod.osim</model_file><results_directory>out</results_directory>
        <coordinates_file>swing.mot</coordinates_file></InverseDynamicsTool>""",
    )
    run = my.run_setup(setup, folder=folder / "elsewhere")
    assert run.files == (folder / "elsewhere" / "inverse_dynamics.sto",)
    with pytest.raises(my.FileError, match="is a file"):
        my.run_setup(setup, folder=setup)


def test_a_set_up_of_another_machine_with_the_open_model(folder: Path) -> None:
    """Set-ups of OpenSim's window name no model, and their paths are those of the machine that wrote them."""
    (folder / "ID").mkdir()
    (folder / "IK" / "results").mkdir(parents=True)
    (folder / "swing.mot").rename(folder / "IK" / "results" / "swing.mot")
    setup = folder / "ID" / "id.xml"
    text = r"""<OpenSimDocument Version="30000"><InverseDynamicsTool name="rod"><model_file>Unassigned</model_file>
        <results_directory>H:\study\ID\found</results_directory>
        <coordinates_file>D:/study/ID/../IK/results/swing.mot</coordinates_file></InverseDynamicsTool></OpenSimDocument>"""
    setup.write_text(text)
    with pytest.raises(my.FileError, match="give it with model="):
        my.run_setup(setup)
    run = my.run_setup(setup, model=folder / "rod.osim")
    assert run.files == (folder / "ID" / "found" / "inverse_dynamics.sto",)
    assert sum("another machine" in note or "which is missing" in note for note in run.notes) == 2


def test_forces_of_the_model_stay_where_a_set_has_the_same_names(folder: Path) -> None:
    """As in OpenSim; results have OpenSim's names, also of an actuator that bears the name of its coordinate."""
    motor = """<CoordinateActuator name="angle"><coordinate>angle</coordinate><optimal_force>{}</optimal_force>
        <min_control>-inf</min_control><max_control>inf</max_control></CoordinateActuator>"""
    held = f"<ForceSet><objects>{motor}</objects></ForceSet>"
    plain = (folder / "rod.osim").read_text()
    driven = re.sub(r"<ForceSet.*?</ForceSet>", held.format(5), plain, flags=re.DOTALL)
    assert driven != plain
    (folder / "driven.osim").write_text(driven)
    (folder / "set.xml").write_text(f'<OpenSimDocument Version="40000">{held.format(50)}</OpenSimDocument>')
    setup = _setup(
        folder,
        """<AnalyzeTool name="rod"><model_file>driven.osim</model_file><coordinates_file>swing.mot</coordinates_file>
        <force_set_files>set.xml</force_set_files><AnalysisSet><objects><StaticOptimization name="so"/></objects>
        </AnalysisSet></AnalyzeTool>""",
    )
    run = my.run_setup(setup)
    assert any("which stay: 'angle'" in note for note in run.notes)
    _, controls = stored(folder / "rod_so_activation.sto")
    _, forces = stored(folder / "rod_so_force.sto")
    assert list(controls) == ["angle"]
    assert forces["angle"] == pytest.approx(5.0 * controls["angle"])
