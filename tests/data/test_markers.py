import pickle

import numpy as np
import pytest

from myodyne.data import DataError, Markers, Trajectory

TIME = [0.0, 0.01, 0.02]


def walk():
    places = np.arange(18.0).reshape(3, 2, 3)
    places[1, 0, 2] = np.nan
    return Markers(TIME, ["heel", "toe 1"], places, {"Units": "m"})


def test_what_it_holds():
    markers = walk()
    assert markers.names == ("heel", "toe 1")
    assert len(markers) == 3
    assert "heel" in markers
    # A place that is known in two directions only is none.
    assert np.isnan(markers["heel"][1]).all()
    assert markers.gaps == {"heel": 1}
    np.testing.assert_array_equal(markers.seen, [[True, True], [False, True], [True, True]])
    np.testing.assert_array_equal(markers["toe 1"][2], [15.0, 16.0, 17.0])
    assert markers.rate == pytest.approx(100.0)
    assert repr(markers) == "<Markers: 2, 1 with gaps, 3 rows, 0 to 0.02 s>"
    with pytest.raises(DataError, match="unknown marker 'hel': did you mean 'heel'"):
        markers["hel"]


def test_parts_and_other_axes():
    markers = walk()
    assert markers.select(["toe 1"]).names == ("toe 1",)
    assert len(markers.slice(0.005)) == 2
    turned = markers.rotated([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    np.testing.assert_allclose(turned["toe 1"][0], [-4.0, 3.0, 5.0])
    assert turned.gaps == markers.gaps
    for wrong in (np.eye(2), 2 * np.eye(3), np.diag([1, 1, -1])):
        with pytest.raises(DataError, match="right-handed orthogonal"):
            markers.rotated(wrong)
    with pytest.raises(DataError, match="no row lies between"):
        markers.slice(1.0, 2.0)


def test_columns_and_back():
    columns = walk().trajectory
    assert columns.names[:4] == ("heel.x", "heel.y", "heel.z", "toe 1.x")
    assert set(columns.units.values()) == {"m"}
    assert Markers.from_trajectory(columns) == walk()
    for columns, units, message in [
        ({"heel.x": [1.0], "heel.y": [1.0]}, {}, "'heel.z' is missing"),
        ({"knee": [1.0]}, {}, "'knee' is not one of them"),
        ({f"heel.{axis}": [1.0] for axis in "xyz"}, {"heel.x": "mm"}, "in metres, but 'heel.x' is in 'mm'"),
        ({}, {}, "markers are columns like"),
    ]:
        with pytest.raises(DataError, match=message):
            Markers.from_trajectory(Trajectory([0.0], columns, units))


def test_it_cannot_be_changed_and_can_be_pickled():
    markers = walk()
    with pytest.raises(AttributeError, match="cannot be changed"):
        markers.time = 3
    with pytest.raises(ValueError, match="read-only"):
        markers.positions[0] = 0.0
    with pytest.raises(TypeError):
        markers.header["Units"] = "mm"
    again = pickle.loads(pickle.dumps(markers))
    assert again == markers
    assert again.header == markers.header
    assert markers != walk().select(["heel"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((TIME, ["a"], np.zeros((3, 2, 3))), r"need positions of shape \(3, 1, 3\)"),
        ((TIME, ["a", "a"], np.zeros((3, 2, 3))), "two markers are called 'a'"),
        ((TIME, ["a", ""], np.zeros((3, 2, 3))), "printable text"),
        ((TIME, "ab", np.zeros((3, 2, 3))), "list of names"),
        (([0.0, 0.0, 1.0], ["a"], np.zeros((3, 1, 3))), "time must increase"),
        ((TIME, ["a"], np.full((3, 1, 3), np.inf)), "'a' is infinitely far"),
    ],
)
def test_what_cannot_be_is_refused(arguments, message):
    with pytest.raises(DataError, match=message):
        Markers(*arguments)
