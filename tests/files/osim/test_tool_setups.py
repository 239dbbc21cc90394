"""Set-up files of OpenSim's inverse kinematics: tasks, files, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

import myodyne as my

TASKS = """<OpenSimDocument Version="30000"><InverseKinematicsTool name="run"><IKTaskSet><objects>
<IKMarkerTask name="heel"><apply>true</apply><weight>10</weight></IKMarkerTask>
<IKMarkerTask name="toe"><apply>false</apply><weight>1</weight></IKMarkerTask>
<IKMarkerTask name="knee"><weight>0</weight></IKMarkerTask>
<IKCoordinateTask name="hip"><apply>true</apply><weight>2</weight><value_type>manual_value</value_type><value>0.5</value></IKCoordinateTask>
<IKCoordinateTask name="tilt"><weight>3</weight><value_type>from_file</value_type></IKCoordinateTask>
<IKCoordinateTask name="list"><weight>4</weight></IKCoordinateTask></objects></IKTaskSet>
<marker_file>walk.trc</marker_file><coordinate_file>Unassigned</coordinate_file><time_range> 0 1.5</time_range>
</InverseKinematicsTool></OpenSimDocument>"""


def test_tasks_that_are_switched_on_are_read(tmp_path: Path) -> None:
    file = tmp_path / "setup.xml"
    file.write_text(TASKS)
    assert my.load_ik_setup(file) == my.IkSetup(
        {"heel": 10.0}, {"hip": 2.0, "tilt": 3.0, "list": 4.0}, {"hip": 0.5}, ("tilt",), "walk.trc", None, (0.0, 1.5)
    )


def test_a_task_set_alone_will_do(tmp_path: Path) -> None:
    file = tmp_path / "tasks.xml"
    file.write_text(
        '<OpenSimDocument Version="40000"><IKTaskSet><objects><IKMarkerTask name="a"/></objects></IKTaskSet></OpenSimDocument>'
    )
    assert my.load_ik_setup(file) == my.IkSetup({"a": 1.0})


@pytest.mark.parametrize(
    "old, new, told",
    [
        ("<weight>10<", "<weight>ten<", "not a number"),
        ("<weight>10<", "<weight>-1<", "not be less than 0"),
        ('name="heel"', 'name=""', "no name"),
        ("IKCoordinateTask", "CMC_Joint", "not a task of inverse kinematics"),
        ("manual_value", "guessed", "value_type"),
        ("IKTaskSet", "TaskSet", "no <IKTaskSet>"),
        ("<apply>true", "<apply>perhaps", "true or false"),
        ('name="knee"><weight>0', 'name="heel"><weight>1', "twice"),
        ("0 1.5", "0", "2 numbers"),
        ("</IKTaskSet>", "", "line"),
    ],
)
def test_what_is_wrong_is_reported_with_its_line(tmp_path: Path, old: str, new: str, told: str) -> None:
    file = tmp_path / "setup.xml"
    assert old in TASKS
    file.write_text(TASKS.replace(old, new))
    with pytest.raises(my.FileError, match=told):
        my.load_ik_setup(file)
