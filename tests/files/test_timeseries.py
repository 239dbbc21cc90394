import json
import os
import signal
import stat
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from myodyne.data import Provenance, Report, Result, Trajectory
from myodyne.errors import FileError
from myodyne.files.series.timeseries import load, save

SUFFIXES = (".nc", ".sto", ".csv")
SHARED = Path(__file__).parents[3] / "shared" / "data"

HARD = [0.1 + 0.2, 1 / 3, -0.0, 5e-324, 1.7976931348623157e308, -123456789.12345679, 2.0**-1074 * 3, 1e22]
ODD_NAMES = [
    "knee",
    "soleus.force",
    "/jointset/hip/value",
    "a, b",
    'the "quoted"',
    "force [N]",
    "µ κ 膝",
    "double",
    "3rd",
    "column_2",
    "=sum",
    "#1",
    "a b",
    "e\u0301",
]


def a_trajectory():
    time = np.cumsum(np.array([0.1, 1 / 3, 1e-9, 0.2, 0.3, 0.7, 0.01, 0.5]))
    rng = np.random.default_rng(3)
    columns = {name: rng.permutation(HARD) for name in ODD_NAMES}
    units = dict(zip(ODD_NAMES, ["rad", "N", "", "N·m", "kg m²/s"], strict=False))
    return Trajectory(time, columns, units)


def a_result():
    report = Report(
        "completed",
        message="a = b; </script> ü",
        steps=8,
        energy_error=1 / 3,
        drift={"loop": float("inf")},
        events=[(0.1 + 0.2, "toe off")],
        notes=["x" * 5000],
    )
    model = {"name": "leg", "gravity": [0.0, -9.81, 1 / 3], "source": "blank  blank = " * 900}
    return Result(a_trajectory(), report, Provenance("leg", "ab12", "Midpoint(step=1e-3)", True, 5), model)


def assert_same_bits(one, other):
    assert one.names == other.names
    assert one.units == other.units
    assert one.time.tobytes() == other.time.tobytes()
    for name in one.names:
        assert one.values(name).tobytes() == other.values(name).tobytes(), name


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("make", [a_trajectory, a_result])
def test_a_round_trip_keeps_every_bit(tmp_path, suffix, make):
    given_data = make()
    save(given_data, tmp_path / f"run{suffix}")
    read = load(tmp_path / f"run{suffix}")
    assert type(read) is type(given_data)
    assert_same_bits(read, given_data)
    assert read == given_data
    if isinstance(given_data, Result):
        assert read.report == given_data.report
        assert read.provenance == given_data.provenance
        assert read.model_data == given_data.model_data


numbers = st.floats(allow_nan=False, allow_infinity=False)
names = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=12).filter(lambda n: n != "time")


@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_names_and_numbers_survive(tmp_path, suffix, data):
    chosen = data.draw(st.lists(names, unique=True, max_size=4))
    time = sorted(data.draw(st.sets(numbers.map(lambda x: x + 0.0), min_size=1, max_size=5)))
    columns = {name: data.draw(st.lists(numbers, min_size=len(time), max_size=len(time))) for name in chosen}
    given_data = Trajectory(time, columns, dict.fromkeys(chosen[::2], "m/s"))
    save(given_data, tmp_path / f"any{suffix}")
    assert_same_bits(load(tmp_path / f"any{suffix}"), given_data)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_gaps_are_refused_unless_asked_for(tmp_path, suffix):
    gappy = Trajectory([0.0, 0.5, 1.0], {"knee": [1.0, np.nan, 2.0], "hip": [np.inf, 1.0, 2.0]})
    path = tmp_path / f"gaps{suffix}"
    save(gappy, path)
    with pytest.raises(FileError, match=r"'hip' is inf, not a number; load\(\.\.\., gaps=True\)"):
        load(path)
    assert load(path, gaps=True) == gappy


def test_files_can_be_read_by_other_programs(tmp_path):
    import pandas
    import xarray

    run = a_result().select(["knee", "soleus.force"])
    for suffix in SUFFIXES:
        save(run, tmp_path / f"run{suffix}")
    with xarray.open_dataset(tmp_path / "run.nc", engine="scipy") as dataset:
        np.testing.assert_array_equal(dataset["soleus.force"].values, run.values("soleus.force"))
        assert dataset["knee"].attrs["units"] == "rad"
        assert json.loads(dataset.attrs["myodyne_report"])["steps"] == 8
    table = pandas.read_csv(tmp_path / "run.csv")
    assert list(table.columns) == ["time [s]", "knee [rad]", "soleus.force [N]"]
    np.testing.assert_allclose(table["knee [rad]"], run.values("knee"), rtol=1e-15)


def test_a_storage_file_has_the_header_that_opensim_reads(tmp_path):
    save(a_result(), tmp_path / "run.sto")
    lines = (tmp_path / "run.sto").read_text(encoding="utf-8").splitlines()
    end = lines.index("endheader")
    assert lines[:5] == ["data", "version=1", "nRows=8", f"nColumns={len(ODD_NAMES) + 1}", "inDegrees=no"]
    assert lines[end + 1].split("\t") == ["time", *ODD_NAMES]
    assert len(lines) == end + 2 + 8
    ours = [line for line in lines[:end] if line.startswith("myodyne_")]
    # OpenSim's regular expression overflows on long lines and splits at the last equals sign.
    assert max(map(len, lines[:end])) < 1100
    assert all(line.count("=") == 1 and line.isascii() for line in ours)
    assert len({line.split("=")[0] for line in ours}) == len(ours)


STO = "name\nversion=1\nnRows=2\nnColumns=2\ninDegrees=no\nendheader\ntime\tknee\n0.0\t1.0\n0.5\t2.0\n"


def test_foreign_storage_files_are_read(tmp_path):
    dialects = {
        "plain": STO,
        "crlf": STO.replace("\n", "\r\n"),
        "trailing tabs": STO.replace("\n", "\t\t\n", 6),
        "prose": STO.replace("endheader", "Units are S.I. units\n\nendheader\n"),
        "idle counts": STO.replace("nRows=2\nnColumns=2\n", "nRows=7\nnColumns=40\nDataType=double\n"),
        "no counts": STO.replace("nRows=2\nnColumns=2\n", "DataType=double\nOpenSimVersion=4.6\n"),
        "no final newline": STO.rstrip(),
        "padded": STO.replace("0.5\t2.0", "  0.5\t   2.0  "),
        "byte order mark": "\ufeff" + STO,
        "blanks below tabs": STO.replace("0.5\t2.0", "0.5  2.0"),
        "blanks and tabs": STO.replace("0.5\t2.0", " 0.5 \t\t 2.0"),
        "doubled tabs": STO.replace("\t", "\t\t").replace("\ntime", "\n\ttime").replace("\n0", "\n\t0"),
        "unknown kind": STO.replace("endheader", "DataType=Real\nendheader"),
    }
    for name, text in dialects.items():
        path = tmp_path / f"{name}.sto"
        path.write_bytes(text.encode())
        read = load(path)
        assert type(read) is Trajectory
        assert read == Trajectory([0.0, 0.5], {"knee": [1.0, 2.0]}), name


@pytest.mark.parametrize(
    ("kind", "cells", "names"),
    [
        ("Vec3", ("1,2,3", "4, 5, nan"), ("knee_x", "knee_y", "knee_z")),
        ("Quaternion", ("1,0,0,0", "0,1,0,0"), ("knee_1", "knee_2", "knee_3", "knee_4")),
        ("SpatialVec", ("1,2,3,4,5,6", "1,2,3,4,5,6"), tuple(f"knee_{way}{axis}" for way in "rt" for axis in "xyz")),
    ],
)
def test_columns_of_several_numbers_are_named_as_opensim_names_them(tmp_path, kind, cells, names):
    """Names as those of ``opensim.Storage`` 4.6 for such files."""
    path = tmp_path / "several.sto"
    path.write_text(f"x\nversion=3\nDataType={kind}\nendheader\ntime\tknee\n0\t{cells[0]}\n0.5\t{cells[1]}\n")
    read = load(path, gaps=True)
    assert read.names == names
    expected = [[float(number) for number in cell.split(",")] for cell in cells]
    assert np.array_equal(read.rows(), expected, equal_nan=True)


@pytest.mark.parametrize("word", ["nan", "-nan(ind)", "nan(snan)", "1.#IND", "-1.#QNAN0"])
def test_gaps_are_kept_however_they_are_written(tmp_path, word):
    path = tmp_path / "gaps.sto"
    path.write_text(STO.replace("2.0", word))
    assert np.isnan(load(path, gaps=True).values("knee")).tolist() == [False, True]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ("inDegrees=no", "inDegrees=yes"),
            "line 5: inDegrees=yes, and the file does not say which columns are angles",
        ),
        (("inDegrees=no", "inDegrees=perhaps"), "line 5: inDegrees is yes or no, not 'perhaps'"),
        (("endheader", "end"), "has no line 'endheader'"),
        (("nRows=2", "nRows=3"), "line 3 promises nRows=3, but there are 2; is the file cut off?"),
        (("nRows=2", "nRows=many"), "nRows in line 3 is 'many', not a whole number"),
        (("nColumns=2", "nColumns=5"), "line 7: line 4 promises nColumns=5, but there are 2"),
        (("time\tknee", "knee\ttime"), "line 7: the first column must be 'time', not 'knee'"),
        (("2.0", "two"), "line 9: 'knee' is 'two', not a number"),
        (("2.0", "2_0"), "line 9: 'knee' is '2_0', not a number"),
        (("2.0", "2,0"), "line 9: 'knee' is '2,0', not a number"),
        (("2.0", "nan"), "line 9: 'knee' is nan, not a number"),
        (("2.0", "-nan(ind)"), "line 9: 'knee' is nan, not a number; load(..., gaps=True) keeps"),
        (
            ("time\tknee", "time\t\tknee", "\t2.0", "\t3.0\t2.0", "\t1.0", "\t9.0\t1.0", "nColumns=2\n", ""),
            "line 6: column 2 has no name",
        ),
        (("inDegrees=no", "indegrees=yes"), "line 5: 'indegrees' is ignored by OpenSim; spell it inDegrees"),
        (("inDegrees=no", "Angles are in degrees."), "line 5: angles are in degrees, but without inDegrees=yes"),
        (("inDegrees=no", "DataType=Vec3"), "line 8: 'knee' is '1.0', not 3 numbers (Vec3)"),
        (("inDegrees=no", "DataType=Mat33", "2.0", "2,0"), "line 5: DataType is 'Mat33'; known are double, Vec3"),
        (("2.0", "1e999"), "line 9: 'knee' is inf, not a number"),
        (("0.5\t", "nan\t"), "line 9: 'time' is nan, not a number"),
        (("0.5\t2.0", "0.5"), "line 9: has 1 values, but there are 2 columns (is the file cut off?)"),
        (("0.0\t1.0", "0.0\t1.0\t3.0"), "line 8: has 3 values, but there are 2 columns"),
        (("0.5\t2.0", "0.0\t2.0"), "line 9: time must increase, but 0 s follows 0 s"),
        (("0.0\t1.0\n0.5\t2.0\n", ""), "promises nRows=2, but there are 0"),
        (("0.0\t1.0\n", "0.0\t1.0\n\n"), "promises nRows=2, but there are 3"),
        (("nRows=2\n", "").__add__(("0.0\t1.0\n", "0.0\t1.0\n\n")), "line 8: is blank, but rows follow it"),
        (("endheader", "myodyne_report={\nendheader"), "header myodyne_report: is not JSON"),
        (("endheader", "myodyne_report=NaN\nendheader"), "NaN is not a JSON number"),
        (("endheader", 'myodyne_report={"status":"completed"}\nendheader'), "its provenance is missing"),
        (("endheader", "myodyne_report.7={}\nendheader"), "line 6: 'myodyne_report.7' should be piece 1"),
        (("endheader", "myodyne_secret={}\nendheader"), "unknown part 'secret'"),
        (("endheader", "myodyne_format=99\nendheader"), "was written in format 99"),
        (("endheader", "myodyne_units=[1]\nendheader"), "header myodyne_units: a table of units"),
        (("endheader", 'myodyne_units={"kne":"m"}\nendheader'), "unknown column 'kne': did you mean 'knee'"),
        (("endheader", "myodyne_report=" + "[" * 100_000 + "\nendheader"), "is not JSON"),
    ],
)
def test_wrong_storage_files_are_refused_by_place(tmp_path, change, message):
    text = STO
    for old, new in zip(change[::2], change[1::2], strict=True):
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "wrong.sto"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileError) as caught:
        load(path)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("time [s],knee [rad]\n", "there are no rows"),
        ("# a remark\n", "holds comments only"),
        ("time [ms],knee\n1,2\n", "line 1: time must be in seconds, not in 'ms'"),
        ("time;knee\n1;2\n", "line 1: the first column must be 'time', not 'time;knee'"),
        ("time,knee,knee\n1,2,3\n", "line 1: two columns are called 'knee'"),
        ("time,knee [rad],knee [m]\n1,2,3\n", "line 1: two columns are called 'knee'"),
        ("time,\n1,2\n", "line 1: column 2 has no name"),
        ('time,"knee\n1,2\n', "line 1: the names of the columns cannot be read"),
        ("time,knee\n1,2\n2,x\n", "line 3: 'knee' is 'x', not a number"),
        ("time,knee\n1,2\n2\n3,4\n", "line 3: has 1 values, but there are 2 columns"),
        ("time,knee\n2,2\n1,2\n", "line 3: time must increase, but 1 s follows 2 s"),
        ("time,knee\n1,2,3\n2,2,3\n", "line 2: has 3 values"),
        ('# {"myodyne":{"format":1},"rows":3}\ntime,knee\n1,2\n', "has 1 rows instead of 3"),
        ('# {"myodyne":{"format":1}\ntime,knee\n1,2\n', "line 1: is not JSON"),
        ('# {"myodyne":[1],"rows":1}\ntime,knee\n1,2\n', "must be a table"),
        (
            '# {"myodyne":{"format":1,"report":{"status":"well"},"provenance":{}},"rows":1}\ntime,a\n1,2\n',
            "report.status",
        ),
        ('# {"myodyne":{"format":1},"rows":1}\ntime,knee\n1,2.12', "is cut off in its last line"),
        ("", "is empty"),
        (" \n \n", "is empty"),
        ("time,knee\n1,\0\n", "line 2: is not text"),
    ],
)
def test_wrong_tables_are_refused_by_place(tmp_path, text, message):
    path = tmp_path / "wrong.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileError) as caught:
        load(path)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path))


def test_a_table_without_units_or_comment_is_read(tmp_path):
    path = tmp_path / "plain.csv"
    path.write_text("# measured on Monday\ntime, knee [rad] ,hip\n0, 1 ,2\n1,2,3\n", encoding="utf-8")
    assert load(path) == Trajectory([0, 1], {"knee": [1, 2], "hip": [2, 3]}, {"knee": "rad"})


def test_a_table_says_what_it_is_beside_it_or_in_a_comment(tmp_path):
    run, beside = a_result(), tmp_path / "run.csv.json"
    save(run, tmp_path / "run.csv")
    assert beside.is_file()
    assert (tmp_path / "run.csv").read_text(encoding="utf-8").startswith("time [s],")
    assert load(tmp_path / "run.csv") == run
    save(run, tmp_path / "run.csv", comments=True)
    assert not beside.exists()
    assert (tmp_path / "run.csv").read_text(encoding="utf-8").startswith('# {"myodyne":')
    assert load(tmp_path / "run.csv") == run
    with pytest.raises(FileError, match=r"comments=True is for \.csv files"):
        save(run, tmp_path / "run.sto", comments=True)


@pytest.mark.parametrize("suffix", [".csv", ".sto"])
def test_a_file_of_ours_that_was_cut_anywhere_is_refused(tmp_path, suffix):
    whole = tmp_path / f"whole{suffix}"
    save(a_result().select(["knee"]), whole)
    content = whole.read_bytes()
    cut = tmp_path / f"cut{suffix}"
    if suffix == ".csv":
        (tmp_path / "cut.csv.json").write_bytes((tmp_path / "whole.csv.json").read_bytes())
        assert len(load(whole)) == 8
    for length in [*range(0, len(content) - 1, 997), *range(len(content) - 60, len(content))]:
        cut.write_bytes(content[:length])
        with pytest.raises(FileError, match="cut"):
            load(cut)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_garbage_is_refused(tmp_path, suffix):
    rng = np.random.default_rng(1)
    path = tmp_path / f"garbage{suffix}"
    for content in (
        rng.bytes(3000),
        b"CDF\x01" + rng.bytes(3000),
        b"\x89HDF\r\n" + bytes(50),
        b"CDF\x02",
        b"PK\x03\x04",
    ):
        path.write_bytes(content)
        with pytest.raises(FileError, match="garbage"):
            load(path)


def test_damaged_netcdf_never_gives_other_errors(tmp_path):
    save(a_result(), tmp_path / "whole.nc")
    content = (tmp_path / "whole.nc").read_bytes()
    rng = np.random.default_rng(2)
    path = tmp_path / "damaged.nc"
    refused = 0
    for _ in range(150):
        damaged = bytearray(content)
        for place in rng.integers(0, 3000, size=4):
            damaged[place] = rng.integers(0, 256)
        path.write_bytes(bytes(damaged))
        try:
            assert isinstance(load(path, gaps=True), Trajectory)
        except FileError as error:
            refused += 1
            assert "damaged.nc" in str(error)
    assert refused > 50


def test_netcdf_promising_more_than_it_holds_is_refused(tmp_path):
    save(Trajectory(np.arange(100.0), {"knee": np.arange(100.0)}), tmp_path / "whole.nc")
    content = (tmp_path / "whole.nc").read_bytes()
    path = tmp_path / "cut.nc"
    for length in range(5, len(content), 41):
        path.write_bytes(content[:length])
        with pytest.raises(FileError, match=r"cut\.nc"):
            load(path)
    # The length of the dimension follows its padded name.
    place = content.index(b"time") + 4
    assert struct.unpack(">i", content[place : place + 4]) == (100,)
    path.write_bytes(content[:place] + struct.pack(">i", 2**31 - 1) + content[place + 4 :])
    with pytest.raises(FileError, match="damaged or cut off"):
        load(path)


def netcdf(path, variables, **attributes):
    import xarray

    xarray.Dataset(variables, attrs=attributes).to_netcdf(path, engine="scipy")


def test_foreign_netcdf_is_read_or_refused_by_name(tmp_path):
    path = tmp_path / "foreign.nc"
    netcdf(
        path, {"time": ("time", [0, 1]), "force": ("time", np.array([1.0, 2.0], dtype="f4"), {"units": "N"})}, title="x"
    )
    assert load(path) == Trajectory([0, 1], {"force": [1, 2]}, {"force": "N"})
    for variables, message in [
        ({"force": ("time", [1.0, 2.0])}, "has no variable 'time'"),
        ({"time": ("time", [0.0, 1.0]), "marker": (("time", "axis"), np.zeros((2, 3)))}, "'marker' extends over"),
        (
            {"time": ("time", [0.0, 1.0]), "word": ("time", ["a", "b"])},
            "'word' extends over|'word' does not hold numbers",
        ),
        ({"time": ("time", [0.0, 1.0], {"units": "ms"})}, "time must be in seconds, not in 'ms'"),
        ({"time": ("time", [1.0, 0.0])}, "row 1: time must increase"),
        (
            {"time": ("time", [0.0]), "a": ("time", [1.0], {"myodyne_name": "b"}), "b": ("time", [1.0])},
            "two variables are called 'b'",
        ),
    ]:
        netcdf(path, variables)
        with pytest.raises(FileError, match=message):
            load(path)


def test_netcdf_4_is_named_as_what_it_is(tmp_path):
    (tmp_path / "new.nc").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    with pytest.raises(FileError, match="is NetCDF 4"):
        load(tmp_path / "new.nc")


def test_other_endings_and_objects_are_refused(tmp_path):
    for name in ("run.mat", "run", "run.sto.gz"):
        with pytest.raises(FileError, match=r"kept in \.nc, \.sto, \.csv, \.mot, \.trc files"):
            save(a_trajectory(), tmp_path / name)
        with pytest.raises(FileError, match=r"kept in \.nc, \.sto, \.csv, \.mot, \.trc files"):
            load(tmp_path / name)
    with pytest.raises(FileError, match="not a dict"):
        save({}, tmp_path / "run.nc")
    save(a_trajectory(), tmp_path / "RUN.CSV")
    assert load(tmp_path / "RUN.CSV") == a_trajectory()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_places_that_cannot_be_read_or_written(tmp_path, suffix, monkeypatch):
    with pytest.raises(FileError, match="No such file"):
        load(tmp_path / f"missing{suffix}")
    with pytest.raises(FileError, match="there is no folder"):
        save(a_trajectory(), tmp_path / "missing" / f"run{suffix}")
    (tmp_path / f"folder{suffix}").mkdir()
    with pytest.raises(FileError, match="is a folder"):
        save(a_trajectory(), tmp_path / f"folder{suffix}")
    with pytest.raises(FileError, match="not a regular file"):
        load(tmp_path / f"folder{suffix}")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / f"pipe{suffix}")
        with pytest.raises(FileError, match="not a regular file"):
            load(tmp_path / f"pipe{suffix}")
    save(a_trajectory(), tmp_path / f"big{suffix}")
    monkeypatch.setattr("myodyne.files.series.table.LARGEST_TEXT", 100)
    monkeypatch.setattr("myodyne.files.series.netcdf.LARGEST_BINARY", 100)
    with pytest.raises(FileError, match="at most 0 MiB are read"):
        load(tmp_path / f"big{suffix}")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_failed_write_leaves_the_old_file_and_no_rest(tmp_path, suffix, monkeypatch):
    path = tmp_path / f"run{suffix}"
    save(a_trajectory(), path)

    def no_space(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(FileError, match="cannot be written: No space left"):
        save(a_result(), path)
    assert load(path) == a_trajectory()
    assert [item.name for item in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("pressed", [1, 2])
def test_ctrl_c_waits_for_the_file_and_twice_leaves_the_old_one(tmp_path, suffix, pressed, monkeypatch):
    path = tmp_path / f"run{suffix}"
    path.write_text("old")
    flushed = os.fsync

    def press(descriptor):
        for _ in range(pressed):
            os.kill(os.getpid(), signal.SIGINT)
        flushed(descriptor)

    monkeypatch.setattr(os, "fsync", press)
    with pytest.raises(KeyboardInterrupt):
        save(a_trajectory(), path)
    assert [item.name for item in tmp_path.iterdir()] == [path.name]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if pressed == 1:
        assert load(path) == a_trajectory()
    else:
        assert path.read_text() == "old"


def test_saving_through_a_link_keeps_the_link_and_the_usual_rights(tmp_path):
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    save(a_trajectory(), real)
    try:
        link.symlink_to(real)
    except OSError:
        pytest.skip("links cannot be made here")
    save(a_result(), link)
    assert link.is_symlink()
    assert load(real) == load(link)
    assert isinstance(load(real), Result)
    plain = tmp_path / "plain"
    plain.touch()
    assert stat.S_IMODE(real.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data are not here")
def test_files_written_by_opensim_are_read_or_refused_for_their_degrees():
    read, refused = 0, 0
    for path in sorted(SHARED.glob("*/*.sto")):
        text = path.read_text(encoding="utf-8")
        labels, *rows = text[text.index("endheader") :].strip().splitlines()[1:]
        if "inDegrees=yes" in text:
            with pytest.raises(FileError, match="inDegrees=yes"):
                load(path)
            refused += 1
            continue
        run = load(path)
        assert run.names == tuple(labels.split()[1:])
        assert len(run) == len(rows)
        assert run.final[run.names[-1]] == float(rows[-1].split()[-1])
        read += 1
    assert read > 0


def test_what_a_killed_process_left_of_a_file_is_removed(tmp_path: Path) -> None:
    old, young, other = (
        tmp_path / name for name in (".a.csv.0123456789ab.part", ".a.csv.ba9876543210.part", ".a.csv.part")
    )
    for path in (old, young, other):
        path.write_text("half")
    os.utime(old, (1.0, 1.0))
    os.utime(other, (1.0, 1.0))
    save(Trajectory([0.0], {"x": [1.0]}), tmp_path / "a.csv")
    assert [path.exists() for path in (old, young, other)] == [False, True, True]
