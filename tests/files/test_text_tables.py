"""Tables of text from laboratories: named time columns, rounded times, gaps, Winter's film."""

from pathlib import Path

import numpy as np
import pytest

import myodyne as my

APPENDIX = Path(__file__).parents[3] / "shared" / "data" / "winter_appendix"
FILM = "'FRAME' 'TIME' 'RIGHT HIP' 'TOE'\n 'N' 'S' 'X' 'Y' 'X' 'Y'\n"


def shared(name):
    if not (APPENDIX / name).exists():
        pytest.skip(f"{name} is not beside this repository")
    return APPENDIX / name


def written(folder, text):
    (folder / "table.txt").write_text(text, encoding="utf-8")
    return folder / "table.txt"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("time\tknee\n0\t1\n1\t2\n", ("knee",)),
        ("% TimeStamp\tknee\n0\t1\n1\t2\n", ("knee",)),
        ("# recorded by hand\n# knee;Time\n1;0\n2;1\n", ("knee",)),
        ("t knee hip\n0   1 5\n1  2   6\n", ("knee", "hip")),
        ("Time[ms],knee (deg)\r\n0,1\r\n1000,2\r\n", ("knee",)),
    ],
)
def test_names_and_the_time_column_are_found(tmp_path, text, names):
    table = my.load_table(written(tmp_path, text))
    assert table.names == names
    np.testing.assert_array_equal(table.time, [0.0, 1.0])
    np.testing.assert_array_equal(table.values("knee"), [1.0, 2.0])


def test_units_gaps_and_a_time_of_another_name(tmp_path):
    file = written(tmp_path, "clock\tFx[N]\tangle\n0\t\t1\n1\t2\tNaN\n2\t3\t4\n")
    table = my.load_table(file, time="clock", gaps=True, units={"angle": "rad"})
    assert table.units == {"Fx": "N", "angle": "rad"}
    assert np.isnan(table.rows()).sum() == 2
    with pytest.raises(my.FileError, match="line 2: 'Fx' is nan"):
        my.load_table(file, time="clock")


def test_jitter_in_the_last_digit_is_taken_out_with_a_remark(tmp_path):
    rows = "".join(f"{row / 150.0:.3f}\t{row}\n" for row in range(60))
    table = my.load_table(written(tmp_path, "time\tx\n" + rows))
    np.testing.assert_allclose(np.diff(table.time), 1.0 / 150.0, rtol=2e-3)
    assert np.ptp(np.diff(table.time)) < 1e-12
    assert "rounded to 0.001 s were put on an even grid" in table.notes[0]
    uneven = my.load_table(written(tmp_path, "time\tx\n0\t0\n0.10\t0\n0.35\t0\n"))
    assert "uneven" in uneven.notes[0]
    np.testing.assert_array_equal(uneven.time, [0.0, 0.1, 0.35])


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("knee\thip\n0\t1\n", {}, "no column is called time; say which one"),
        ("time\tt\n0\t1\n", {}, "several columns may be time"),
        ("time\tknee\n0\t1\n", {"time": "tim"}, "did you mean 'time'"),
        ("time\tknee\n0\t1\n", {"units": {"kne": "rad"}}, "did you mean 'knee'"),
        ("time[min]\tknee\n0\t1\n", {}, "seconds or ms, not in 'min'"),
        ("0\t1\n1\t2\n", {}, "names of the columns are missing"),
        ("time\tknee\n", {}, "is the file cut off"),
        ("time\tknee\n0\t1\n1\n", {}, "line 3: has 1 values"),
        ("time\tknee\n0\tone\n", {}, "line 2: 'knee' is 'one', not a number"),
        ("time\tknee\n1\t1\n0\t1\n", {}, "line 3: time must increase"),
        ("time\tknee\tknee\n0\t1\t1\n", {}, "two columns are called 'knee'"),
    ],
)
def test_faults_of_tables_are_named(tmp_path, text, options, message):
    with pytest.raises(my.FileError, match=message):
        my.load_table(written(tmp_path, text), **options)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (FILM, "is the file cut off"),
        ("frame time hip\nN S X\n1 0 1\n", "'X' 'Y' for each of 1 markers"),
        ("time hip\nS X Y\n0 1 2\n", "'FRAME' 'TIME' and the names"),
        (FILM + "1 0 1 2 3 4\n3 0.1 1 2 3 4\n", "line 4: the frame does not follow"),
        (FILM + "1 0 1 2 3\n", "line 3: has 5 values"),
        ("'FRAME 'TIME'\n\n1 0\n", "cannot be read"),
    ],
)
def test_faults_of_film_are_named(tmp_path, text, message):
    with pytest.raises(my.FileError, match=message):
        my.load_winter_table(written(tmp_path, text))


def test_tables_of_the_shared_laboratories_are_read():
    jump = my.load_table(shared("jump1.txt"))
    assert jump.units == {"GRF": "N"}
    assert 1.0 / (jump.time[1] - jump.time[0]) == pytest.approx(450.0)
    leg = my.load_table(shared("gatk_leg2d_rawdata.txt"), gaps=True)
    assert (len(leg), len(leg.names)) == (301, 15)
    assert np.isnan(leg.rows()).sum() == 22
    gait = my.load_table(shared("BiomecII2018_gait_d.txt"))
    assert "rounded to 0.001 s" in gait.notes[0]
    assert 1.0 / (gait.time[1] - gait.time[0]) == pytest.approx(150.0, rel=1e-3)
    film = my.load_winter_table(shared("WinterTableA1.txt"))
    assert film.names[:3] == ("rib_cage", "right_hip", "right_knee")
    assert len(film) == 106
    assert film.rate == pytest.approx(69.93, abs=0.02)
    assert "even grid" in film.header["Times"]
    # The first row of the table, in metres.
    np.testing.assert_allclose(film["right_toe"][0], [0.1173, 0.0363, 0.0], atol=1e-12)


def test_markers_come_from_columns_of_any_names():
    film = my.Trajectory([0.0, 0.1], {"a": [1.0, 2.0], "b": [3.0, np.nan]}, {"a": "mm"})
    knee = my.Markers.from_columns(film, {"knee": ("a", "b")}, unit="mm")
    np.testing.assert_allclose(knee["knee"][0], [0.001, 0.003, 0.0])
    assert knee.gaps == {"knee": 1}
    for columns, unit, message in (
        ({"knee": ("a", "b")}, "m", "is in 'mm', not in 'm'"),
        ({"knee": ("a", "b")}, "inch", "m, cm, mm, not 'inch'"),
        ({"knee": ("a",)}, "mm", "two or three columns"),
        ({"knee": ("a", "c")}, "mm", "unknown column 'c'"),
    ):
        with pytest.raises(my.MyodyneError, match=message):
            my.Markers.from_columns(film, columns, unit=unit)
