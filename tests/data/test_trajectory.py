import pickle
import subprocess
import sys

import numpy as np
import pytest

from myodyne.data import DataError, Trajectory
from myodyne.errors import MyodyneError


def walk():
    time = np.array([0.0, 0.1, 0.3, 0.6])
    return Trajectory(
        time,
        {"knee": 2.0 * time, "knee.moment": np.cos(time), "hip.moment": np.sin(time), "a[1].force": time**2},
        {"knee": "rad", "knee.moment": "N m", "hip.moment": "N m"},
    )


def test_a_column_is_a_data_array_with_unit_and_time():
    knee = walk()["knee"]
    assert knee.name == "knee"
    assert knee.attrs == {"units": "rad"}
    assert knee.dims == ("time",)
    assert knee.time.attrs == {"units": "s"}
    np.testing.assert_array_equal(knee.time.values, [0.0, 0.1, 0.3, 0.6])
    np.testing.assert_array_equal(knee.values, 2.0 * knee.time.values)


def test_the_dataset_holds_all_columns_and_is_not_shared():
    run = walk()
    dataset = run.dataset
    assert tuple(dataset.data_vars) == run.names
    assert dataset["hip.moment"].attrs["units"] == "N m"
    assert dataset["a[1].force"].attrs["units"] == ""
    np.testing.assert_array_equal(dataset["hip.moment"], run.values("hip.moment"))
    dataset["extra"] = dataset["knee"] * 2
    dataset["knee"].attrs["units"] = "furlong"
    assert "extra" not in run.dataset
    assert run.dataset["knee"].attrs["units"] == "rad"


def test_plain_use_does_not_import_xarray():
    script = (
        "import sys; from myodyne.data import Trajectory;"
        "t = Trajectory([0.0, 1.0], {'a': [1.0, 2.0]}); t.at(0.5); t.final; t.select('*').slice(0.0, "
        "1.0).resampled([0.5]);"
        "sys.exit('xarray' in sys.modules or 'matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_names_units_values_final_and_length():
    run = walk()
    assert run.names == ("knee", "knee.moment", "hip.moment", "a[1].force")
    assert list(run) == list(run.names)
    assert run.units["knee.moment"] == "N m"
    assert len(run) == 4
    assert run.duration == 0.6
    assert run.final == {"knee": 1.2, "knee.moment": np.cos(0.6), "hip.moment": np.sin(0.6), "a[1].force": 0.36}
    assert "knee" in run
    assert "elbow" not in run
    np.testing.assert_array_equal(run.rows()[:, 2], run.values("hip.moment"))
    np.testing.assert_array_equal(run["time"].values, run.time)


def test_an_unknown_name_is_answered_with_the_nearest():
    for read in (walk().__getitem__, walk().values, walk().select):
        with pytest.raises(MyodyneError, match=r"unknown column 'knee\.momnt': did you mean 'knee\.moment'"):
            read("knee.momnt")
    with pytest.raises(DataError, match="unknown column '3'"):
        walk()[3]


def test_at_interpolates_linearly_and_refuses_times_outside():
    run = walk()
    assert run.at(0.2)["knee"] == pytest.approx(0.4, abs=1e-15)
    assert run.at(0.2)["a[1].force"] == pytest.approx((0.01 + 0.09) / 2)
    assert run.at(0.6) == run.final
    assert run.at(0.6 + 1e-13) == run.final
    for outside in (-0.01, 0.61, float("nan")):
        with pytest.raises(DataError, match=r"outside the record, 0 to 0\.6 s"):
            run.at(outside)


def test_select_takes_names_and_patterns_in_the_order_asked():
    run = walk()
    assert run.select(["hip.moment", "knee", "*.moment"]).names == ("hip.moment", "knee", "knee.moment")
    assert run.select("a[1].*").names == ("a[1].force",)
    assert run.select("kne?").names == ("knee",)
    assert run.select("*.moment").units == {"knee.moment": "N m", "hip.moment": "N m"}
    np.testing.assert_array_equal(run.select("hip*").values("hip.moment"), run.values("hip.moment"))
    with pytest.raises(DataError, match=r"no column matches '\*\.froce'"):
        run.select("*.froce")


def test_slice_includes_both_ends():
    part = walk().slice(0.1, 0.3)
    np.testing.assert_array_equal(part.time, [0.1, 0.3])
    np.testing.assert_array_equal(part.values("knee"), [0.2, 0.6])
    assert len(walk().slice()) == 4
    assert len(walk().slice(end=0.2)) == 2
    with pytest.raises(DataError, match=r"no row lies between 0\.4 s and 0\.5 s"):
        walk().slice(0.4, 0.5)


def test_resampling_keeps_a_straight_line_straight():
    part = walk().resampled(np.linspace(0.0, 0.6, 13))
    np.testing.assert_allclose(part.values("knee"), 2.0 * part.time, atol=1e-15)
    assert part.units == walk().units


def test_nothing_can_be_changed():
    time, column = np.array([0.0, 1.0]), np.array([1.0, 2.0])
    run = Trajectory(time, {"a": column})
    time[0], column[0] = 9.0, 9.0
    assert run.time[0] == 0.0
    assert run.values("a")[0] == 1.0
    for array in (run.time, run.values("a"), run.rows(), run["a"].values, run.dataset["a"].values):
        with pytest.raises(ValueError, match="read-only"):
            array[..., 0] = 5.0
    with pytest.raises(AttributeError, match="cannot be changed"):
        run.extra = 1
    with pytest.raises(AttributeError, match="cannot be changed"):
        del run._time


def test_equality_looks_at_names_units_and_numbers():
    assert walk() == walk()
    assert walk() != walk().slice(0.0, 0.3)
    assert walk() != walk().select(["knee.moment", "knee", "hip.moment", "a[1].force"])
    gap = Trajectory([0.0, 1.0], {"a": [np.nan, 1.0]}, {"a": "m"})
    assert gap == Trajectory([0.0, 1.0], {"a": [np.nan, 1.0]}, {"a": "m"})
    assert gap != Trajectory([0.0, 1.0], {"a": [np.nan, 1.0]}, {"a": "mm"})
    assert gap != "gap"


def test_pickle_gives_the_same_read_only_data():
    run = walk()
    assert run.dataset["knee"].name == "knee"  # the cached dataset must not hinder pickling
    again = pickle.loads(pickle.dumps(run))
    assert again == run
    assert not again.time.flags.writeable
    assert not again.values("knee").flags.writeable


def test_from_rows_reads_a_table():
    run = Trajectory.from_rows([0.0, 1.0], ["a", "b"], [[1.0, 2.0], [3.0, 4.0]], {"b": "N"})
    np.testing.assert_array_equal(run.values("b"), [2.0, 4.0])
    assert run.units == {"a": "", "b": "N"}
    with pytest.raises(DataError, match="2 names need a table"):
        Trajectory.from_rows([0.0], ["a", "b"], [[1.0]])
    with pytest.raises(DataError, match="column 'a' appears twice"):
        Trajectory.from_rows([0.0], ["a", "a"], [[1.0, 2.0]])


@pytest.mark.parametrize(
    ("time", "columns", "units", "message"),
    [
        ([], {}, {}, "at least one number"),
        ([[0.0]], {}, {}, "at least one number"),
        ([0.0, np.nan], {}, {}, "time is nan in row 1"),
        ([0.0, 1.0, 1.0], {}, {}, "time must increase, but row 2"),
        ([0.0, 1.0], {"a": [1.0]}, {}, r"column 'a' has the shape \(1,\), but there are 2 times"),
        ("a", {"a": [1.0]}, {}, "time must hold numbers, not 'a'"),
        ([0.0], {"a": ["x"]}, {}, r"column 'a' must hold numbers, not \['x'\]"),
        ([0.0], np.ones((1, 2)), {}, "columns are given by name"),
        ([0.1, 0.1], {}, {}, "row 1 has 0.1 s after 0.1 s"),
        ([0.0], {"time": [1.0]}, {}, "cannot be called 'time'"),
        ([0.0], {"": [1.0]}, {}, "printable text"),
        ([0.0], {"a\tb": [1.0]}, {}, "printable text"),
        ([0.0], {" a": [1.0]}, {}, "printable text"),
        ([0.0], {"a": [1.0]}, {"a": "[m]"}, "without brackets"),
        ([0.0], {"a": [1.0]}, {"aa": "m"}, "unknown column 'aa': did you mean 'a'"),
    ],
)
def test_impossible_data_are_refused(time, columns, units, message):
    with pytest.raises(DataError, match=message):
        Trajectory(time, columns, units)


def test_no_columns_and_one_row_are_possible():
    run = Trajectory([0.5], {})
    assert run.at(0.5) == {}
    assert run.final == {}
    assert len(run.dataset.time) == 1
    assert repr(run) == "<Trajectory: 1 row, 0 columns, 0.5 to 0.5 s>"
