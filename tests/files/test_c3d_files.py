import struct
import sys

import numpy as np
import pytest

import myodyne as my

ezc3d = pytest.importorskip("ezc3d", reason="the extra c3d is not installed")

FRAMES, SAMPLES, RATE = 4, 3, 50.0
# A plate that lies askew in the laboratory: its axes as columns, and the centre of its surface (m).
TURN = np.radians(25.0)
AXES = np.column_stack([[np.cos(TURN), np.sin(TURN), 0.0], [np.sin(TURN), -np.cos(TURN), 0.0], [0.0, 0.0, -1.0]])
CENTRE = np.array([0.7, -0.2, 0.05])
HALF = np.array([0.25, 0.3])
CORNERS = np.array([CENTRE + AXES @ [x * HALF[0], y * HALF[1], 0.0] for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1))])
# What the person felt at each sample: force (N), where (in the plate's axes, m), and free moment (N m).
COUNT = FRAMES * SAMPLES
GROW = np.linspace(0.5, 1.5, COUNT)[:, None]
FORCE = AXES.T @ np.array([30.0, -80.0, 700.0]) * GROW
PLACE = np.array([0.06, -0.11, 0.0]) + np.array([0.01, 0.02, 0.0]) * GROW
FREE = np.array([0.0, 0.0, 4.0]) * GROW
SENSORS = np.array([0.0, 0.0, -0.04])
DISTANCES = np.array([0.12, 0.2, -0.035])


def channels_of(kind, metres):
    """Return what the sensors of a plate give, by the statics of each kind of plate, in N and the unit of length."""
    if kind == 1:
        return np.column_stack([FORCE, PLACE[:, :2] / metres, FREE[:, 2] / metres])
    if kind in (2, 4):
        # The origin leads from the sensors to the surface, and so the force acts at origin + place.
        moment = np.cross(SENSORS + PLACE, FORCE) + FREE
        return np.column_stack([FORCE, moment / metres])
    # Four sensors: what they share is not determined, but each share gives the same sums.
    a, b, height = DISTANCES
    moment = np.cross(np.array([0.0, 0.0, height]) + PLACE, FORCE) + FREE
    z_sums = np.array([[1, 1, 1, 1], [b, b, -b, -b], [-a, a, a, -a], [1, -1, 1, -1]])
    z = np.linalg.solve(z_sums, np.column_stack([FORCE[:, 2], moment[:, 0], moment[:, 1], 5.0 * GROW]).T)
    x12, y14 = 0.3 * FORCE[:, 0], None
    x34 = FORCE[:, 0] - x12
    # a (y14 - y23) = Mz - b (x34 - x12), y14 + y23 = Fy
    difference = (moment[:, 2] - b * (x34 - x12)) / a
    y14 = 0.5 * (FORCE[:, 1] + difference)
    return np.column_stack([x12, x34, y14, FORCE[:, 1] - y14, *z])


CALIBRATION = np.eye(6) * [100.0, 120.0, 250.0, 30.0, 40.0, 50.0] + 0.7 * np.arange(36).reshape(6, 6) / 36.0


def c3d_file(path, kinds=(2,), unit="mm", moment_unit=None, origin=None, **parameters):
    """Write a small recording: three markers, one of them with a gap, and plates of some kinds."""
    metres = {"mm": 1e-3, "m": 1.0}[unit]
    file = ezc3d.c3d()
    points = np.ones((4, 3, FRAMES))
    points[:3] = np.arange(9 * FRAMES).reshape(3, 3, FRAMES) * 0.01 / metres
    points[:3, 1, 2] = np.nan
    tables = [channels_of(kind, metres) for kind in kinds]
    for place, kind in enumerate(kinds):
        if kind == 4:
            tables[place] = np.linalg.solve(CALIBRATION, tables[place].T).T
    table = np.column_stack([*tables, np.sin(np.arange(COUNT))])
    names = [f"p{plate}_{channel}" for plate, one in enumerate(tables) for channel in range(one.shape[1])]
    units = []
    for kind in kinds:
        moment = moment_unit if moment_unit is not None else f"N{unit}"
        units += {1: ["N"] * 3 + [unit] * 2 + [moment], 2: ["N"] * 3 + [moment] * 3, 3: ["N"] * 8, 4: ["V"] * 6}[kind]
    file["data"]["points"] = points
    file["data"]["analogs"] = table.T[None]
    widest = max((one.shape[1] for one in tables), default=6)
    channel = np.zeros((widest, len(kinds)), dtype=int)
    start = 1
    for place, one in enumerate(tables):
        channel[: one.shape[1], place] = np.arange(start, start + one.shape[1])
        start += one.shape[1]
    origins = [DISTANCES if kind == 3 else SENSORS for kind in kinds]
    values = {
        ("POINT", "RATE"): [RATE],
        ("POINT", "LABELS"): ["heel", "toe", "knee"],
        ("POINT", "UNITS"): [unit],
        ("ANALOG", "RATE"): [RATE * SAMPLES],
        ("ANALOG", "LABELS"): [*names, "emg"],
        ("ANALOG", "UNITS"): [*units, "V"],
        ("FORCE_PLATFORM", "USED"): [len(kinds)],
        ("FORCE_PLATFORM", "TYPE"): list(kinds),
        ("FORCE_PLATFORM", "CORNERS"): np.stack([CORNERS.T / metres] * len(kinds), axis=2)
        if kinds
        else np.zeros((3, 4, 0)),
        ("FORCE_PLATFORM", "ORIGIN"): (np.array(origins if origin is None else [origin] * len(kinds)).T / metres)
        if kinds
        else np.zeros((3, 0)),
        ("FORCE_PLATFORM", "CHANNEL"): channel,
    }
    if 4 in kinds:
        values["FORCE_PLATFORM", "CAL_MATRIX"] = np.stack([CALIBRATION] * len(kinds), axis=2)
    values.update({tuple(key.split("__")): value for key, value in parameters.items()})
    for (group, name), value in values.items():
        # Set in place, whole numbers stay such.
        whole = name in ("USED", "TYPE", "CHANNEL") and group == "FORCE_PLATFORM"
        file["parameters"][group][name]["value"] = np.asarray(value, dtype=int) if whole else value
    file.write(str(path))
    return path


def assert_measured(plate):
    np.testing.assert_allclose(plate.force, FORCE @ AXES.T, rtol=1e-6, atol=1e-4)
    np.testing.assert_allclose(plate.point, CENTRE + PLACE @ AXES.T, atol=1e-6)
    np.testing.assert_allclose(plate.torque, FREE @ AXES.T, atol=2e-4)


def test_markers_and_channels(tmp_path):
    trial = my.load_c3d(c3d_file(tmp_path / "walk.c3d"))
    assert trial.markers.names == ("heel", "toe", "knee")
    np.testing.assert_allclose(trial.markers.time, np.arange(FRAMES) / RATE)
    np.testing.assert_allclose(trial.markers["knee"][1], np.array([9, 21, 33]) * 0.01, rtol=1e-6)
    assert trial.markers.gaps == {"toe": 1}
    assert trial.analog.names[-1] == "emg"
    assert trial.analog.units["p0_4"] == "Nmm"
    np.testing.assert_allclose(trial.analog.time, np.arange(COUNT) / (RATE * SAMPLES))
    np.testing.assert_allclose(trial.analog.values("emg"), np.sin(np.arange(COUNT)), atol=1e-6)
    my.save_markers(trial.markers, tmp_path / "walk.trc")
    assert my.load_markers(tmp_path / "walk.trc") == trial.markers
    assert trial.notes == ()


@pytest.mark.parametrize("unit", ["mm", "m"])
@pytest.mark.parametrize("kinds", [(1,), (3, 1, 4, 2)])
def test_every_kind_of_plate_gives_force_point_and_free_moment(tmp_path, kinds, unit):
    trial = my.load_c3d(c3d_file(tmp_path / "plate.c3d", kinds, unit))
    for number, (plate, kind) in enumerate(zip(trial.plates, kinds, strict=True), start=1):
        assert (plate.name, plate.kind) == (f"plate{number}", kind)
        np.testing.assert_allclose(plate.corners, CORNERS, atol=1e-6)
        assert_measured(plate)
        # Whatever the point: the moment about any place of the laboratory is that of what the person felt.
        felt = np.cross(CENTRE + PLACE @ AXES.T - [1.0, 2.0, 3.0], FORCE @ AXES.T) + FREE @ AXES.T
        np.testing.assert_allclose(plate.moment_about([1.0, 2.0, 3.0]), felt, rtol=1e-5, atol=1e-3)


def test_ground_forces_are_columns_that_can_be_turned_and_saved(tmp_path):
    trial = my.load_c3d(c3d_file(tmp_path / "all.c3d", (3, 1, 4, 2)))
    forces = trial.ground_forces
    assert forces.names[:9] == tuple(
        f"plate1_{part}{axis}" for part in ("force_v", "force_p", "torque_") for axis in "xyz"
    )
    assert [forces.units[f"plate4_{part}x"] for part in ("force_v", "force_p", "torque_")] == ["N", "m", "N m"]
    np.testing.assert_allclose(forces.values("plate4_force_vz"), 700.0 * GROW[:, 0], rtol=1e-6)
    up = trial.rotated([[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    np.testing.assert_allclose(up.ground_forces.values("plate4_force_vy"), 700.0 * GROW[:, 0], rtol=1e-6)
    np.testing.assert_allclose(up.markers["heel"][:, 1], trial.markers["heel"][:, 2])
    my.save(forces, tmp_path / "grf.mot")
    assert my.load(tmp_path / "grf.mot") == forces
    assert my.load_c3d(tmp_path / "all.c3d", plates=False).plates == ()


def test_units_of_moments_are_taken_from_the_file_or_noted(tmp_path):
    trial = my.load_c3d(c3d_file(tmp_path / "silent.c3d", (2,), moment_unit="V"))
    assert_measured(trial.plates[0])
    assert "force plate 1: the unit of its moments is 'V'" in trial.notes[0]
    written = my.load_c3d(c3d_file(tmp_path / "other.c3d", (2,), moment_unit="N.m"))
    # The same numbers, now said to be newton metres: a thousand times the moment.
    np.testing.assert_allclose(
        written.plates[0].moment_about(CENTRE)[:, 2],
        1e3 * (np.cross(SENSORS + PLACE, FORCE) + FREE)[:, 2] * -1.0,
        rtol=1e-4,
    )


def test_an_origin_of_the_wrong_sign_is_turned_and_noted(tmp_path):
    for kind, origin in ((2, -SENSORS), (3, DISTANCES * [1, 1, -1])):
        trial = my.load_c3d(c3d_file(tmp_path / "sign.c3d", (kind,), origin=origin))
        assert_measured(trial.plates[0])
        assert "its origin lies above its surface" in trial.notes[-1]


def test_small_forces_act_at_the_centre_with_the_whole_moment(tmp_path):
    path = c3d_file(tmp_path / "light.c3d")
    plain, careful = my.load_c3d(path).plates[0], my.load_c3d(path, least_force=600.0).plates[0]
    light = 700.0 * GROW[:, 0] < 600.0
    assert 0 < light.sum() < COUNT
    np.testing.assert_allclose(careful.point[light], np.tile(CENTRE, (light.sum(), 1)), atol=1e-6)
    np.testing.assert_array_equal(careful.point[~light], plain.point[~light])
    np.testing.assert_allclose(careful.moment_about([0, 0, 0]), plain.moment_about([0, 0, 0]), atol=1e-9)


def test_names_that_are_missing_or_twice_are_made_and_noted(tmp_path):
    trial = my.load_c3d(c3d_file(tmp_path / "names.c3d", (), POINT__LABELS=["heel", "heel", "time"]))
    assert trial.markers.names == ("heel", "heel_2", "time_2")
    assert trial.notes[0] == "marker 2, labelled 'heel', is called 'heel_2' here"
    assert trial.ground_forces is None


@pytest.mark.parametrize(
    ("kinds", "parameters", "message"),
    [
        ((2,), {"POINT__UNITS": ["furlong"]}, "the unit of length (POINT:UNITS) is 'furlong'"),
        ((2,), {"FORCE_PLATFORM__TYPE": [7]}, "force plate 1 is of type 7; types 1 to 4 are read"),
        ((2,), {"FORCE_PLATFORM__CHANNEL": np.array([[1, 2, 3, 4, 5, 99]]).T}, "has the channels [1, 2, 3, 4, 5, 99]"),
        ((2,), {"FORCE_PLATFORM__CHANNEL": np.array([[1, 2, 3]]).T}, "has the channels [1, 2, 3]"),
        ((2,), {"FORCE_PLATFORM__CORNERS": np.zeros((3, 4, 1))}, "span no surface"),
        ((2,), {"FORCE_PLATFORM__CORNERS": np.zeros((3, 3, 1))}, "FORCE_PLATFORM:CORNERS has the shape (3, 3, 1)"),
        ((2,), {"FORCE_PLATFORM__USED": [2]}, "force plate 2 is of type 0"),
        ((4,), {"FORCE_PLATFORM__CAL_MATRIX": np.zeros((6, 5, 1))}, "FORCE_PLATFORM:CAL_MATRIX has the shape"),
        (
            (2,),
            {"FORCE_PLATFORM__ORIGIN": np.array([[0.0, np.nan, 0.0]]).T},
            "FORCE_PLATFORM:ORIGIN holds values that are not finite",
        ),
    ],
)
def test_what_cannot_be_evaluated_is_named(tmp_path, kinds, parameters, message):
    path = c3d_file(tmp_path / "wrong.c3d", kinds, **parameters)
    with pytest.raises(my.FileError) as caught:
        my.load_c3d(path)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path))


def test_a_unit_may_be_given_where_there_is_none(tmp_path):
    path = c3d_file(tmp_path / "silent.c3d", (2,), POINT__UNITS=[""])
    with pytest.raises(my.FileError, match="does not say its unit of length"):
        my.load_c3d(path)
    assert_measured(my.load_c3d(path, unit="mm").plates[0])
    with pytest.raises(my.FileError, match="in 'mm', not in 'm'"):
        my.load_c3d(c3d_file(tmp_path / "mm.c3d"), unit="m")


def test_without_the_extra_its_name_is_reported(tmp_path, monkeypatch):
    path = c3d_file(tmp_path / "walk.c3d")
    monkeypatch.setitem(sys.modules, "ezc3d", None)
    with pytest.raises(my.FileError, match=r"pip install myodyne\[c3d\]"):
        my.load_c3d(path)


def test_damaged_files_never_break_more_than_their_reader(tmp_path):
    whole = c3d_file(tmp_path / "whole.c3d", (2, 3)).read_bytes()
    rng = np.random.default_rng(1)
    path = tmp_path / "damaged.c3d"
    refused = 0
    for _ in range(12):
        damaged = bytearray(whole)
        for place in rng.integers(512, 1500, size=4):
            damaged[place] = rng.integers(0, 256)
        path.write_bytes(bytes(damaged))
        try:
            my.load_c3d(path)
        except my.FileError as error:
            refused += 1
            assert str(error).startswith(str(path))
    assert refused > 3


def test_what_is_no_c3d_file_or_cut_off_is_refused(tmp_path):
    whole = c3d_file(tmp_path / "whole.c3d").read_bytes()
    path = tmp_path / "cut.c3d"
    for content, message in [
        (b"", "is empty"),
        (b"text" * 400, "is not a C3D file"),
        (whole[:300], "is not a C3D file"),
        (whole[:512], "is cut off before its parameters"),
        (whole[: len(whole) - 600], "is it cut off"),
        (whole[:8] + struct.pack("<H", 60000) + whole[10:], "promises 60000 frames"),
        (whole[:515] + b"\x07" + whole[516:], "unknown type of processor"),
    ]:
        path.write_bytes(content)
        with pytest.raises(my.FileError, match=message) as caught:
            my.load_c3d(path)
        assert str(caught.value).startswith(str(path))
    with pytest.raises(my.FileError, match=r"ends in \.c3d"):
        my.load_c3d(tmp_path / "a.trc")


@pytest.mark.parametrize("kind", [2, 3, 4])
def test_ezc3d_evaluates_the_plates_in_the_same_way(tmp_path, kind):
    path = c3d_file(tmp_path / "plate.c3d", (kind,))
    ours = my.load_c3d(path).plates[0]
    extra = {} if kind == 4 else {"FORCE_PLATFORM__CAL_MATRIX": np.zeros((6, 6, 1))}
    (theirs,) = ezc3d.c3d(str(c3d_file(path, (kind,), **extra)), extract_forceplat_data=True)["data"]["platform"]
    np.testing.assert_allclose(theirs["force"].T, ours.force, rtol=1e-6, atol=1e-4)
    np.testing.assert_allclose(theirs["center_of_pressure"].T * 1e-3, ours.point, atol=1e-6)
    np.testing.assert_allclose(theirs["Tz"].T * 1e-3, ours.torque, atol=1e-3)
