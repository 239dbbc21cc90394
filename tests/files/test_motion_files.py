from pathlib import Path

import numpy as np
import pytest

import myodyne as my

SHARED = Path(__file__).parents[3] / "shared" / "data"
MOT = (
    "Coordinates\nversion=1\nnRows=2\nnColumns=4\ninDegrees=yes\n\nUnits are S.I. units (second, meters, Newtons, ...)\n"
    "Angles are in degrees.\n\nendheader\n"
    "time\tangle\tway\tangle_u\n      0.00000000\t     90.00000000\t      0.25000000\t     18.0\n      0.5\t     -45.0\t      0.5\t     36.0\n"
)
OLD = (
    "name C:\\data\\old.mot\ndatacolumns 4\ndatarows 2\nrange 0 0.5\nendheader\n\n"
    "   time\t   angle\t   way\t   angle_u\n   0.0\t   90\t   0.25\t   18\n   0.5\t   -45\t   0.5\t   36\n"
)


def model():
    return my.Model(
        name="arm",
        bodies={"rail": my.Body(mass=1.0), "rod": my.Body(mass=1.0, inertia=0.1)},
        joints={"slide": my.slider("ground", "rail", "way"), "turn": my.pin("rail", "rod", "angle")},
    )


def written(path, text):
    path.write_bytes(text.encode())
    return path


def expected():
    columns = {"angle": np.radians([90.0, -45.0]), "way": [0.25, 0.5], "angle_u": np.radians([18.0, 36.0])}
    return my.Trajectory([0.0, 0.5], columns, {"angle": "rad", "way": "m", "angle_u": "rad/s"})


@pytest.mark.parametrize(
    "text",
    [MOT, OLD, OLD.replace("\t", " "), MOT.replace("\n", "\r\n"), MOT.replace("=yes", "=YES")],
    ids=["new", "old", "blanks", "crlf", "capitals"],
)
def test_a_model_shows_which_columns_are_angles(tmp_path, text):
    read = my.load(written(tmp_path / "swing.mot", text), model=model())
    assert read.units == expected().units
    np.testing.assert_allclose(read.rows(), expected().rows(), rtol=1e-15)


def test_names_show_it_as_well(tmp_path):
    path = written(tmp_path / "swing.mot", MOT)
    read = my.load(path, angles=["angle*"])
    np.testing.assert_allclose(read.rows(), expected().rows(), rtol=1e-15)
    assert read.units == {"angle": "rad", "way": "", "angle_u": "rad/s"}
    plain = my.load(path, angles=[])
    assert plain.values("angle").tolist() == [90.0, -45.0]
    assert set(plain.units.values()) == {""}
    with pytest.raises(my.FileError, match="angles: unknown column 'angel': did you mean 'angle'"):
        my.load(path, angles=["angel"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (MOT, r"line 5: inDegrees=yes, and the file does not say which columns are angles\. Load it with model="),
        (OLD, "line 5: the header of an old motion file ends here, whose angles are in degrees"),
        (MOT.replace("version=1\n", "").replace("inDegrees=yes\n", ""), "line 6: angles are in degrees"),
        (MOT.replace("inDegrees=yes\n", ""), "line 7: angles are in degrees, but without inDegrees=yes OpenSim takes"),
    ],
)
def test_nothing_is_guessed(tmp_path, text, message):
    with pytest.raises(my.FileError, match=message):
        my.load(written(tmp_path / "swing.mot", text))


def test_files_in_radians_need_nobody(tmp_path):
    for name, text in {
        "said.mot": MOT.replace("=yes", "=no"),
        "new.mot": MOT.replace("inDegrees=yes\n", "").replace("Angles are in degrees.\n", ""),
        "sentence.mot": OLD.replace("endheader", "Angles are in radians.\nendheader"),
        "old.sto": OLD,
    }.items():
        path = written(tmp_path / name, text)
        assert my.load(path).values("angle").tolist() == [90.0, -45.0]
        told = my.load(path, model=model())
        assert told.values("angle").tolist() == [90.0, -45.0]
        assert told.units == expected().units


def test_state_paths_are_coordinates(tmp_path):
    text = MOT.replace(
        "angle\tway\tangle_u", "/jointset/turn/angle/value\t/jointset/slide/way/value\t/jointset/turn/angle/speed"
    )
    read = my.load(written(tmp_path / "states.sto", text), model=model())
    np.testing.assert_allclose(read.rows(), expected().rows(), rtol=1e-15)
    assert list(read.units.values()) == ["rad", "m", "rad/s"]


def test_columns_that_the_model_does_not_know_are_asked_for(tmp_path):
    path = written(tmp_path / "swing.mot", MOT.replace("angle_u", "elbow"))
    with pytest.raises(my.FileError, match="line 5: inDegrees=yes, and of 'elbow' the model 'arm' does not know"):
        my.load(path, model=model())
    assert my.load(path, model=model(), angles=["elbow"]).values("elbow")[1] == pytest.approx(np.radians(36.0))
    read = my.load(path, model=model(), angles=[])
    assert read.values("elbow")[1] == 36.0
    assert read.values("angle")[0] == pytest.approx(np.pi / 2)
    with pytest.raises(my.FileError, match="model= takes a Model"):
        my.load(path, model="arm")


def test_forces_by_their_names_are_no_angles(tmp_path):
    names = "ground_force_vx\t1_ground_force_px\tground_torque_x"
    for text in (MOT, OLD):
        labels = "angle\tway\tangle_u" if text is MOT else "angle\t   way\t   angle_u"
        read = my.load(written(tmp_path / "grf.mot", text.replace(labels, names)))
        assert read.values("ground_force_vx").tolist() == [90.0, -45.0]


def kneecap(coupled):
    curve = my.Spline(coordinate="beta", x=(-2.0, 0.0, 2.0), y=(-1.0, 0.0, 1.0))
    axis = my.Axis(motion="rotation", direction=(0, 0, 1), function=curve)
    joint = my.Joint(
        parent=my.Placement(body="rod"),
        child=my.Placement(body="cap"),
        axes=(axis,),
        coordinates={"beta": my.Coordinate(coupled=coupled)},
    )
    base = model()
    return my.Model(
        name="knee", bodies={**base.bodies, "cap": my.Body(mass=0.1)}, joints={**base.joints, "patella": joint}
    )


def test_coordinates_that_turn_by_a_curve_show_what_they_are_or_are_asked_for(tmp_path):
    degrees = written(
        tmp_path / "three.mot", MOT.replace("angle_u", "beta").replace("18.0", "90.0").replace("36.0", "-45.0")
    )
    radians = written(
        tmp_path / "four.mot",
        MOT.replace("angle_u", "beta").replace("18.0", repr(np.pi / 2)).replace("36.0", repr(-np.pi / 4)),
    )
    coupled = kneecap(my.Linear(coordinate="angle", slope=1.0))
    for path in (degrees, radians):
        read = my.load(path, model=coupled)
        np.testing.assert_allclose(read.values("beta"), read.values("angle"), rtol=1e-14)
        assert read.units["beta"] == "rad"
    alone = kneecap(None)
    with pytest.raises(
        my.FileError, match="OpenSim 4 leaves coordinates that turn by a curve in radians, and 'beta' is one"
    ):
        my.load(radians, model=alone)
    assert my.load(radians, model=alone, angles=[]).values("beta")[0] == np.pi / 2
    assert my.load(degrees, model=alone, angles=["beta"]).values("beta")[0] == pytest.approx(np.pi / 2)


def test_old_files_with_time_elsewhere_or_as_a_range(tmp_path):
    elsewhere = "name a\ndatacolumns 2\ndatarows 2\nrange 0 0.5\nendheader\nway time\n0.25 0\n0.5 0.5\n"
    read = my.load(written(tmp_path / "a.mot", elsewhere), angles=[])
    assert read == my.Trajectory([0.0, 0.5], {"way": [0.25, 0.5]})
    ranged = "name a\ndatacolumns 1\ndatarows 3\nrange 1 2\nendheader\nway\n0.25\n0.5\n0.75\n"
    read = my.load(written(tmp_path / "b.mot", ranged), angles=[])
    assert read == my.Trajectory([1.0, 1.5, 2.0], {"way": [0.25, 0.5, 0.75]})
    with pytest.raises(my.FileError, match="line 4: range is two times, not 'one two'"):
        my.load(written(tmp_path / "c.mot", ranged.replace("range 1 2", "range one two")), angles=[])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("datarows 2", "datarows 3"), "line 3 promises nRows=3, but there are 2; is the file cut off?"),
        (("datacolumns 4", "datacolumns 5"), "line 7: line 2 promises nColumns=5, but there are 4"),
        (("datarows 2", "datarows two"), "nRows in line 3 is 'two', not a whole number"),
        (("-45", "nan"), "line 9: 'angle' is nan, not a number"),
        (("-45", "x"), "line 9: 'angle' is 'x', not a number"),
        (("-45", "1e999"), "line 9: 'angle' is inf, not a number"),
        (("\t   0.5\t   36", ""), "line 9: has 2 values, but there are 4 columns (is the file cut off?)"),
        (("endheader", "end"), "has no line 'endheader'"),
        (("   way", "   angle"), "line 7: two columns are called 'angle'"),
        (("   0.5\t   -45", "   0.0\t   -45"), "line 9: time must increase"),
    ],
)
def test_wrong_old_files_are_refused_by_place(tmp_path, change, message):
    assert change[0] in OLD
    path = written(tmp_path / "wrong.mot", OLD.replace(*change, 1))
    with pytest.raises(my.FileError) as caught:
        my.load(path, model=model())
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize("suffix", [".sto", ".mot"])
def test_files_are_stable_after_one_pass(tmp_path, suffix):
    read = my.load(written(tmp_path / "swing.mot", MOT), model=model())
    my.save(read, tmp_path / f"one{suffix}")
    again = my.load(tmp_path / f"one{suffix}")
    assert again == read
    my.save(again, tmp_path / f"two{suffix}")
    assert (tmp_path / f"one{suffix}").read_bytes() == (tmp_path / f"two{suffix}").read_bytes()
    assert my.Trajectory.from_dataset(read.dataset) == read


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data are not here")
@pytest.mark.parametrize(
    ("file", "osim", "angles"),
    [
        ("winter_appendix/opensim_subject01_walk_IK.mot", "winter_appendix/opensim_subject01.osim", 8),
        ("running/bmc_ik_output_run.mot", "running/bmc_Rajagopal2015_scaled.osim", 36),
    ],
)
def test_published_motions_are_read_with_their_models(tmp_path, file, osim, angles):
    read = my.load(SHARED / file, model=my.load_model(SHARED / osim))
    assert list(read.units.values()).count("rad") == angles
    assert list(read.units.values()).count("m") == len(read.names) - angles
    assert np.abs(read.rows()).max() < 5.0
    my.save(read, tmp_path / "one.mot")
    my.save(my.load(tmp_path / "one.mot"), tmp_path / "two.mot")
    assert (tmp_path / "one.mot").read_bytes() == (tmp_path / "two.mot").read_bytes()
