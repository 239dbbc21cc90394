import json
from pathlib import Path

import numpy as np
import pytest

import myodyne as my
from myodyne.data import DataError

SHARED = Path(__file__).parents[3] / "shared" / "data"
# Written by tests/golden/make_opensim_filters.py.
GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "opensim_filters.json").read_text(encoding="utf-8"))

XML = """<?xml version="1.0" encoding="UTF-8" ?>
<OpenSimDocument Version="40000">
	<ExternalLoads name="step">
		<objects>
			<ExternalForce name="right">
				<applied_to_body>/bodyset/calcn_r</applied_to_body>
				<force_expressed_in_body>ground</force_expressed_in_body>
				<point_expressed_in_body>/bodyset/plate</point_expressed_in_body>
				<force_identifier>r_force_v</force_identifier>
				<point_identifier>r_force_p</point_identifier>
				<torque_identifier>r_torque_</torque_identifier>
			</ExternalForce>
			<ExternalForce name="left">
				<applied_to_body>calcn_l</applied_to_body>
				<torque_identifier>l_torque_</torque_identifier>
			</ExternalForce>
		</objects>
		<groups />
		<datafile>grf.mot</datafile>
	</ExternalLoads>
</OpenSimDocument>
"""
NAMES = [f"r_force_{kind}{axis}" for kind in "vp" for axis in "xyz"] + [
    f"{side}_torque_{axis}" for side in "rl" for axis in "xyz"
]


def record():
    time = np.arange(6) / 10.0
    return my.Trajectory(time, {name: np.sin(time + place) for place, name in enumerate(NAMES)})


def written(folder, text=XML, name="step.xml"):
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_columns_whose_axes_are_out_of_order_are_refused(tmp_path):
    """OpenSim would take the force along z for that along x."""
    whole = record()
    turned = [name.replace("vx", "v?").replace("vz", "vx").replace("v?", "vz") for name in whole.names]
    my.save(my.Trajectory(whole.time, {name: whole.values(name) for name in turned}), tmp_path / "grf.mot")
    with pytest.raises(my.FileError, match=r"line 5, <ExternalForce 'right'>: the columns .* in the order z, y, x"):
        my.load_external_forces(written(tmp_path))


def test_forces_bodies_frames_and_columns_are_read(tmp_path):
    my.save(record(), tmp_path / "grf.mot")
    forces = my.load_external_forces(written(tmp_path))
    assert forces.names == ("right", "left")
    assert forces.bodies == ("calcn_r", "calcn_l")
    right, left = forces["right"], forces["left"]
    assert (right.force_frame, right.point_frame) == ("ground", "plate")
    assert right.point == ("r_force_px", "r_force_py", "r_force_pz")
    assert (left.force, left.point) == (None, None)
    now = forces.at([0.3])
    np.testing.assert_allclose(now["right"].force, np.sin([[0.3, 1.3, 2.3]]))
    np.testing.assert_allclose(now["right"].point, np.sin([[3.3, 4.3, 5.3]]))
    np.testing.assert_allclose(now["right"].torque, np.sin([[6.3, 7.3, 8.3]]))
    assert now["left"].point is None
    assert not now["left"].force.any()
    assert "middle" not in forces
    assert forces.get("middle") is None
    assert forces.get("left") is left
    with pytest.raises(DataError, match="unknown external force 'rigth': did you mean 'right'"):
        forces["rigth"]


def test_the_record_may_lie_beside_or_be_given(tmp_path):
    written(tmp_path, XML.replace("grf.mot", "H:\\Users\\someone\\ExpData\\grf.mot"))
    with pytest.raises(my.FileError, match=r"line 3, <ExternalLoads 'step'>: the <datafile> is at none of .*data="):
        my.load_external_forces(tmp_path / "step.xml")
    given = my.load_external_forces(tmp_path / "step.xml", record())
    my.save(record(), tmp_path / "other.sto")
    my.save(record(), tmp_path / "grf.mot")
    for forces in (
        my.load_external_forces(tmp_path / "step.xml"),
        my.load_external_forces(tmp_path / "step.xml", tmp_path / "other.sto"),
    ):
        np.testing.assert_array_equal(forces["right"].at([0.15]).force, given["right"].at([0.15]).force)


def test_a_record_in_degrees_has_no_angles(tmp_path):
    my.save(record(), tmp_path / "grf.mot")
    text = (tmp_path / "grf.mot").read_text().replace("inDegrees=no", "inDegrees=yes")
    (tmp_path / "grf.mot").write_text(text)
    forces = my.load_external_forces(written(tmp_path))
    assert forces["right"].at([0.0]).torque[0, 0] == pytest.approx(np.sin(6.0), abs=1e-14)


@pytest.mark.parametrize("name", ["even", "printed", "uneven"])
def test_between_rows_forces_are_those_of_opensim(name):
    golden = GOLDEN[name]

    def force(rows):
        columns = dict(zip("xyz", [*golden["columns"], golden["columns"][0]], strict=True))
        data = my.Trajectory(golden["time"][:rows], {axis: values[:rows] for axis, values in columns.items()})
        return my.ExternalForce("pull", "box", data, force=("x", "y", "z"))

    at = [*golden["at"], golden["time"][-1] + 0.01]
    np.testing.assert_allclose(force(None).at(at).force[:, :2], golden["external"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(force(3).at([0.003, 0.025]).force[:, :2], golden["external_short"], rtol=0, atol=1e-13)
    with pytest.raises(DataError, match=r"'pull' is known from 0 to .* s, not at 3 s"):
        force(None).at([3.0])
    np.testing.assert_array_equal(force(1).at([-5.0, 5.0]).force[:, 0], [golden["columns"][0][0]] * 2)


def test_disabled_forces_and_kinematics_are_noted(tmp_path):
    text = XML.replace('<ExternalForce name="right">', '<ExternalForce name="right"><isDisabled>true</isDisabled>')
    text = text.replace(
        "<groups />", "<external_loads_model_kinematics_file>ik.mot</external_loads_model_kinematics_file>"
    )
    forces = my.load_external_forces(written(tmp_path, text), record())
    assert forces.names == ("left",)
    assert forces.notes[0] == "'right' (line 5) is disabled and left out"
    assert "kinematics" in forces.notes[1]
    text = XML.replace('<ExternalForce name="right">', '<ExternalForce name="right"><appliesForce>false</appliesForce>')
    assert my.load_external_forces(written(tmp_path, text), record()).names == ("left",)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("ExternalLoads", "ForceSet"), "line 2, <OpenSimDocument>: holds no <ExternalLoads>"),
        (
            ("<applied_to_body>calcn_l</applied_to_body>", ""),
            "line 13, <ExternalForce 'left'>: <applied_to_body> is missing",
        ),
        (("r_force_v", "r_"), "line 5, <ExternalForce 'right'>: <force_identifier> is 'r_'"),
        (("r_force_p<", "r_place<"), "<point_identifier> is 'r_place'"),
        (("<torque_identifier>l_torque_</torque_identifier>", ""), "has neither a force nor a torque"),
        (('name="left"', 'name="right"'), "two external forces are called 'right'"),
        (("<datafile>grf.mot</datafile>", ""), "names no <datafile>"),
        (("<force_identifier>r_force_v</force_identifier>", ""), "has a point of application but no force"),
        (('<ExternalForce name="left">', '<PrescribedForce name="left">'), "is not XML"),
        (("<groups />", '<PrescribedForce name="x" />'), "is not a recorded force"),
        (("<ExternalLoads", '<!DOCTYPE a [<!ENTITY b "c">]><ExternalLoads'), "line 3"),
        (('name="right">', 'name="right"><isDisabled>perhaps</isDisabled>'), "<isDisabled> is true or false"),
        (("</OpenSimDocument>", ""), "line 2"),
    ],
)
def test_wrong_files_are_refused_by_place(tmp_path, change, message):
    assert change[0] in XML
    path = written(tmp_path, XML.replace(*change))
    with pytest.raises(my.FileError) as caught:
        my.load_external_forces(path, None if "datafile" in message else record())
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path))


def test_wrong_encodings_and_unknown_points_are_reported(tmp_path):
    # OpenSim reads Latin-1 in such files, and so do we.
    (tmp_path / "odd.xml").write_bytes(XML.replace("right", "récht").encode("latin-1"))
    assert "récht" in my.load_external_forces(tmp_path / "odd.xml", record())
    columns = {name: record().values(name).copy() for name in NAMES}
    columns["r_force_px"][2] = np.nan
    with pytest.raises(my.FileError, match=r"<ExternalForce 'right'>: .*'r_force_px' is nan at 0\.2 s"):
        my.load_external_forces(written(tmp_path), my.Trajectory(record().time, columns))
    with pytest.raises(my.FileError, match="cannot be read"):
        my.load_external_forces(tmp_path / "missing.xml")


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data are not here")
@pytest.mark.parametrize(
    ("loads", "data"),
    [
        ("winter_appendix/opensim_subject01_walk_grf.xml", "winter_appendix/opensim_subject01_walk_grf.mot"),
        ("running/bmc_grf_setup.xml", "running/bmc_grf_run.mot"),
        ("moco_walk2d/referenceGRF.xml", None),
        ("moco_inverse3d/grf_walk.xml", None),
    ],
)
def test_published_loads_are_read(loads, data):
    forces = my.load_external_forces(SHARED / loads, None if data is None else SHARED / data)
    assert forces.bodies == ("calcn_r", "calcn_l")
    middle = 0.5 * (forces[forces.names[0]].start + forces[forces.names[0]].end)
    weight = sum(force.force[0, 1] for force in forces.at([middle]).values())
    assert -20.0 < weight < 3000.0


@pytest.mark.parametrize("foreign", [r"C:\trials\run\grf.mot", "/lab/trials/grf.mot", r"..\data\grf.mot"])
def test_a_record_named_by_a_foreign_path_is_found_beside_the_set_up_with_a_remark(tmp_path, foreign):
    my.save(record(), tmp_path / "grf.mot")
    forces = my.load_external_forces(written(tmp_path, XML.replace("grf.mot", foreign)))
    assert forces.bodies == ("calcn_r", "calcn_l")
    assert any(foreign in note and "'grf.mot' beside the set-up was read" in note for note in forces.notes)
    assert my.load_external_forces(written(tmp_path)).notes == ()
