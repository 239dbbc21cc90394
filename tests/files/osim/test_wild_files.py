"""Files that OpenSim opens although something is missing, doubled or broken: read as OpenSim 4.6 reads them.

Poses were computed by OpenSim 4.6 (build 2026-06-22) from the same files; they are given to six digits.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import myodyne as my

GROUND = "/ground"
STILL = '<Constant name="function"><value>0</value></Constant>'
LINEAR = '<LinearFunction name="function"><coefficients>1 0</coefficients></LinearFunction>'


def body(name: str, inside: str = "") -> str:
    return (
        f'<Body name="{name}">{inside}<mass>1</mass><mass_center>0 -0.5 0</mass_center>'
        "<inertia>0.1 0.1 0.1 0 0 0</inertia></Body>"
    )


def joint(kind: str, name: str, ends: tuple[str, str], coordinates: str, inside: str = "") -> str:
    held = "".join(
        f'<Coordinate name="{one}"><default_value>0.3</default_value></Coordinate>' for one in coordinates.split()
    )
    return (
        f'<{kind}{f""" name="{name}" """ if name else ""}><socket_parent_frame>{ends[0]}</socket_parent_frame>'
        f"<socket_child_frame>{ends[1]}</socket_child_frame><coordinates>{held}</coordinates>{inside}</{kind}>"
    )


def document(bodies: str, joints: str, inside: str = "") -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8" ?>\n<OpenSimDocument Version="40000"><Model name="wild">'
        f"<BodySet><objects>{bodies}</objects></BodySet>\n<JointSet><objects>{joints}</objects></JointSet>\n{inside}"
        "</Model></OpenSimDocument>"
    )


def loaded(folder: Path, text: str | bytes) -> my.Model:
    path = folder / "wild.osim"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return my.load_model(path)


def pose(model: my.Model, name: str) -> tuple[np.ndarray, np.ndarray]:
    equations = my.equations_of(model, compiled=False)
    turns, places = equations.body_poses(equations.coordinate_defaults())
    number = equations.bodies.index(name)
    return turns[number], places[number]


def remarks(model: my.Model) -> str:
    assert model.audit is not None
    return "\n".join(str(remark) for remark in model.audit.remarks)


def test_joints_without_a_name_get_the_one_that_opensim_gives(tmp_path: Path) -> None:
    chain = joint("PinJoint", "", (GROUND, "/bodyset/a"), "q1") + joint(
        "PinJoint", "", ("/bodyset/a", "/bodyset/b"), "q2"
    )
    model = loaded(tmp_path, document(body("a") + body("b"), chain))
    assert list(model.joints) == ["pinjoint", "pinjoint_0"]
    assert "has no name" in remarks(model)


def test_equal_names_of_coordinates_get_that_of_their_joint(tmp_path: Path) -> None:
    chain = joint("PinJoint", "j1", (GROUND, "/bodyset/a"), "q") + joint(
        "PinJoint", "j2", ("/bodyset/a", "/bodyset/b"), "q"
    )
    motors = "".join(
        f'<CoordinateActuator name="{name}"><coordinate>{path}</coordinate></CoordinateActuator>'
        for name, path in (("first", "q"), ("second", "/jointset/j2/q"))
    )
    model = loaded(
        tmp_path, document(body("a") + body("b"), chain, f"<ForceSet><objects>{motors}</objects></ForceSet>")
    )
    assert list(model.coordinates) == ["q", "j2_q"]
    # A bare name means the first, a path the one that it names.
    assert [model.forces[name].coordinate for name in ("first", "second")] == ["q", "j2_q"]
    assert pose(model, "b")[0][0] == pytest.approx((0.82534, -0.56464, 0.0), abs=1e-5)


@pytest.mark.parametrize("version", ["40000", "10902"])
def test_axes_without_a_function_stand_still(tmp_path: Path, version: str) -> None:
    functions = {"rotation3": ("q", ""), "translation1": ("r", ""), "translation2": ("s", LINEAR)}
    axes = ""
    for place, slot in enumerate(
        ["rotation1", "rotation2", "rotation3", "translation1", "translation2", "translation3"]
    ):
        coordinate, function = functions.get(slot, ("", STILL))
        along = " ".join("1" if axis == place % 3 else "0" for axis in range(3))
        axes += (
            f'<TransformAxis name="{slot}"><coordinates>{coordinate}</coordinates><axis>{along}</axis>{function}'
            "</TransformAxis>"
        )
    transform = f"<SpatialTransform>{axes}</SpatialTransform>"
    if version == "40000":
        text = document(body("a"), joint("CustomJoint", "j", (GROUND, "/bodyset/a"), "q r s", transform))
    else:
        held = "".join(f'<Coordinate name="{one}"><default_value>0.3</default_value></Coordinate>' for one in "qrs")
        inner = f"<parent_body>ground</parent_body><CoordinateSet><objects>{held}</objects></CoordinateSet>{transform}"
        text = (
            '<OpenSimDocument Version="10902"><Model name="old"><BodySet><objects><Body name="ground"/>'
            f'<Body name="a"><mass>1</mass><Joint><CustomJoint>{inner}</CustomJoint></Joint></Body></objects></BodySet>'
            "</Model></OpenSimDocument>"
        )
    model = loaded(tmp_path, text)
    turn, place_ = pose(model, "a")
    assert turn == pytest.approx(np.eye(3))
    assert place_ == pytest.approx((0.0, 0.3, 0.0))
    assert "has no function of 'q'" in remarks(model)


def test_couplers_of_coordinates_that_move_nothing_are_left_out_by_name(tmp_path: Path) -> None:
    # The joint stands still in OpenSim, too, which opens such files.
    axes = '<TransformAxis name="rotation1"><coordinates>idle</coordinates><axis>1 0 0</axis></TransformAxis>'
    still = joint("CustomJoint", "i", (GROUND, "/bodyset/a"), "idle", f"<SpatialTransform>{axes}</SpatialTransform>")
    moving = joint("PinJoint", "j", ("/bodyset/a", "/bodyset/b"), "q")
    coupler = (
        '<ConstraintSet><objects><CoordinateCouplerConstraint name="{}"><dependent_coordinate_name>{}'
        "</dependent_coordinate_name><independent_coordinate_names>{}</independent_coordinate_names>"
        f"<coupled_coordinates_function>{LINEAR}</coupled_coordinates_function></CoordinateCouplerConstraint>"
        "</objects></ConstraintSet>"
    )
    bodies = body("a") + body("b")
    for ends in (("idle", "q"), ("q", "idle")):
        model = loaded(tmp_path, document(bodies, still + moving, coupler.format("tie", *ends)))
        assert model.moving == ("q",)
        assert "'tie' skipped: no joint moves by 'idle', so it has no effect" in remarks(model)
    with pytest.raises(my.FileError, match="unknown coordinate 'z'"):
        loaded(tmp_path, document(bodies, still + moving, coupler.format("tie", "z", "q")))


def test_a_muscle_within_one_body_keeps_its_length(tmp_path: Path) -> None:
    points = "".join(
        f'<PathPoint name="p{number}"><socket_parent_frame>/bodyset/a</socket_parent_frame>'
        f"<location>0 {-0.3 * number} 0</location></PathPoint>"
        for number in range(2)
    )
    muscle = (
        f'<Thelen2003Muscle name="inner"><GeometryPath><PathPointSet><objects>{points}</objects></PathPointSet>'
        "</GeometryPath><max_isometric_force>100</max_isometric_force><optimal_fiber_length>0.1</optimal_fiber_length>"
        "<tendon_slack_length>0.2</tendon_slack_length></Thelen2003Muscle>"
    )
    pin = joint("PinJoint", "j", (GROUND, "/bodyset/a"), "q")
    model = loaded(tmp_path, document(body("a"), pin, f"<ForceSet><objects>{muscle}</objects></ForceSet>"))
    equations = my.equations_of(model, compiled=False)
    assert equations.muscle_lengths([0.7]) == pytest.approx([0.3])
    assert equations.moment_arms([0.7]).ravel() == pytest.approx([0.0])
    assert "all points are on 'a'" in remarks(model)


def test_latin_letters_and_broken_comments_are_read_with_a_remark(tmp_path: Path) -> None:
    pin = joint("PinJoint", "j", (GROUND, "/bodyset/a"), "q")
    text = document(body("a"), pin, "<credits>Müller</credits><!-- a -- b ---><!-- whole\n -->\n")
    model = loaded(tmp_path, text.encode("latin-1"))
    assert "Müller" in model.source
    assert "not UTF-8 (first in line 4)" in remarks(model)
    assert "comments that hold '--'" in remarks(model)


def test_a_broken_file_stays_refused(tmp_path: Path) -> None:
    pin = joint("PinJoint", "j", (GROUND, "/bodyset/a"), "q")
    with pytest.raises(my.FileError, match="is not XML"):
        loaded(tmp_path, document(body("a"), pin, "<credits>Müller -- </cred>").encode("latin-1"))


def test_frames_defined_by_stations(tmp_path: Path) -> None:
    places = {"A": "0 0 0", "B": "0.1 -1 0.2", "C": "0.3 0.2 0.5", "O": "0.1 -0.9 0"}
    stations = "".join(
        f'<Station name="{name}"><socket_parent_frame>/bodyset/a</socket_parent_frame><location>{at}</location></Station>'
        for name, at in places.items()
    )
    sockets = "".join(
        f"<socket_{name}>/bodyset/a/{station}</socket_{name}>"
        for name, station in (("point_a", "A"), ("point_b", "B"), ("point_c", "C"), ("origin_point", "O"))
    )
    frame = (
        f'<StationDefinedFrame name="f">{sockets}<ab_axis>-x</ab_axis><ab_x_ac_axis>+y</ab_x_ac_axis>'
        "</StationDefinedFrame>"
    )
    first = body("a", f"<components>{stations}{frame}</components>")
    chain = joint("PinJoint", "j1", (GROUND, "/bodyset/a"), "q") + joint(
        "PinJoint", "j2", ("/bodyset/a/f", "/bodyset/b"), "r"
    )
    model = loaded(tmp_path, document(first + body("b"), chain))
    turn, place = pose(model, "b")
    assert place == pytest.approx((0.361502, -0.830251, 0.0), abs=1e-6)
    expected = [-0.60882, -0.67678, 0.41389, 0.7925, -0.4953, 0.35584, -0.03582, 0.54465, 0.8379]
    assert turn.ravel() == pytest.approx(expected, abs=1e-5)


def test_headers_of_markers_with_fewer_blanks_are_read(tmp_path: Path) -> None:
    path = tmp_path / "few.trc"
    path.write_text(
        "PathFileType\t4\t(X/Y/Z)\tfew.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate"
        "\tOrigDataStartFrame\tOrigNumFrames\n60\t60\t1\t2\tm\t60\t1\t1\n"
        "Frame#\tTime\t\theel\t\ttoe\n\t\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n1\t0.0\t1\t2\t3\t4\t5\t6\n"
    )
    record = my.load_markers(path)
    assert record.names == ("heel", "toe")
    assert record["toe"][0] == pytest.approx((4.0, 5.0, 6.0))


def test_old_motions_may_hold_places_of_markers(tmp_path: Path) -> None:
    path = tmp_path / "old.mot"
    path.write_text(
        "name swing\ndatacolumns 5\ndatarows 2\notherdata 1\nrange 0 1\nendheader\n"
        "time angle tip_tx tip_ty tip_tz\n0 180 0.1 0.2 0.3\n1 90 0.1 0.2 0.3\n"
    )
    motion = my.load(path, model=my.load_model("pendulum"))
    assert motion.values("angle") == pytest.approx([np.pi, np.pi / 2])
    assert motion.values("tip_tx") == pytest.approx([0.1, 0.1])


@pytest.mark.parametrize(
    ("dependent", "leader", "line"),
    [("r", "q", "2 0.1"), ("q", "r", "0.5 -0.05")],
    ids=["again", "the other way round"],
)
def test_couplers_that_repeat_each_other_are_left_out(tmp_path: Path, dependent: str, leader: str, line: str) -> None:
    chain = joint("PinJoint", "j1", (GROUND, "/bodyset/a"), "q") + joint(
        "PinJoint", "j2", ("/bodyset/a", "/bodyset/b"), "r"
    )
    couplers = "".join(
        f'<CoordinateCouplerConstraint name="c{number}"><coupled_coordinates_function><LinearFunction>'
        f"<coefficients>{numbers}</coefficients></LinearFunction></coupled_coordinates_function>"
        f"<independent_coordinate_names>{first}</independent_coordinate_names>"
        f"<dependent_coordinate_name>{second}</dependent_coordinate_name></CoordinateCouplerConstraint>"
        for number, (second, first, numbers) in enumerate((("r", "q", "2 0.1"), (dependent, leader, line)))
    )
    text = document(body("a") + body("b"), chain, f"<ConstraintSet><objects>{couplers}</objects></ConstraintSet>")
    model = loaded(tmp_path, text)
    assert not model.constraints
    assert model.moving == ("q",) or list(model.moving) == ["q"]
    assert "'c1'" in remarks(model)
    assert "left out" in remarks(model)
    equations = my.equations_of(model, compiled=False)
    assert np.isfinite(equations.derivative(equations.state())).all()
