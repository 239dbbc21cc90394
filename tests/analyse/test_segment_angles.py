"""Angles of segments from pairs of markers."""

import numpy as np
import pytest

import myodyne as my
from myodyne.data import DataError

TIME = np.arange(201) / 100.0


def leg(thigh, shank, stretch=0.0):
    """Hip, knee and ankle of a planar leg whose segments have these angles; the distance hip to knee may change."""
    hip = np.column_stack([1.2 * TIME, 0.9 + 0 * TIME, 0.1 + 0 * TIME])
    size = 0.4 * (1.0 + stretch * np.sin(5.0 * TIME))
    knee = hip + size[:, None] * np.column_stack([np.cos(thigh), np.sin(thigh), 0 * TIME])
    ankle = knee + 0.42 * np.column_stack([np.cos(shank), np.sin(shank), 0 * TIME])
    return my.Markers(TIME, ["hip", "knee", "ankle"], np.stack([hip, knee, ankle], axis=1))


THIGH, SHANK = -1.5 + 0.4 * np.sin(6.0 * TIME), -1.8 + 0.5 * np.cos(6.0 * TIME)
PAIRS = {"thigh": ("hip", "knee"), "shank": ("knee", "ankle")}


def test_angles_are_those_the_markers_were_made_with_whatever_the_distances():
    for stretch in (0.0, 0.05):
        angles = my.segment_angles(leg(THIGH, SHANK, stretch), PAIRS)
        np.testing.assert_allclose(angles.values("thigh"), THIGH, atol=1e-12)
        np.testing.assert_allclose(angles.values("shank"), SHANK, atol=1e-12)
        assert angles.units == {"thigh": "rad", "shank": "rad"}
        assert angles.notes == ()
    assert (
        "'thigh': the distance between markers varies by" in my.segment_angles(leg(THIGH, SHANK, 0.2), PAIRS).notes[0]
    )


def test_a_somersault_goes_on_beyond_a_turn():
    turning = 3.0 + 8.0 * TIME
    found = my.segment_angles(leg(turning, SHANK), PAIRS).values("thigh")
    np.testing.assert_allclose(found, turning, atol=1e-12)


def test_gaps_stay_and_the_turn_is_kept_across_them():
    markers = leg(3.0 + 8.0 * TIME, SHANK)
    places = np.array(markers.positions)
    places[50:60, 1] = np.nan
    found = my.segment_angles(my.Markers(TIME, markers.names, places), PAIRS)
    missing = np.isnan(found.values("thigh"))
    assert np.flatnonzero(missing).tolist() == list(range(50, 60))
    np.testing.assert_allclose(found.values("thigh")[~missing], (3.0 + 8.0 * TIME)[~missing], atol=1e-12)
    np.testing.assert_allclose(found.filled(0.2).values("thigh"), 3.0 + 8.0 * TIME, atol=1e-9)


@pytest.mark.parametrize(
    ("plane", "rotation"), [("yz", [[0, 0, 1], [1, 0, 0], [0, 1, 0]]), ("zx", [[0, 1, 0], [0, 0, 1], [1, 0, 0]])]
)
def test_other_planes(plane, rotation):
    found = my.segment_angles(leg(THIGH, SHANK).rotated(rotation), PAIRS, plane=plane)
    np.testing.assert_allclose(found.values("thigh"), THIGH, atol=1e-12)


def test_joint_angles_are_differences_and_become_coordinates_of_a_model():
    angles = my.segment_angles(leg(THIGH, SHANK), PAIRS)
    joints = my.joint_angles(angles, {"hip": "thigh", "knee": ("thigh", "shank")}, neutral={"hip": -np.pi / 2})
    np.testing.assert_allclose(joints.values("hip"), THIGH + np.pi / 2, atol=1e-12)
    np.testing.assert_allclose(joints.values("knee"), SHANK - THIGH, atol=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: my.segment_angles(m, {"thigh": ("hip", "kne")}), "segment 'thigh': .*did you mean 'knee'"),
        (lambda m: my.segment_angles(m, {"thigh": ("hip", "hip")}), "two different markers"),
        (lambda m: my.segment_angles(m, {"thigh": "hip"}), "two different markers"),
        (lambda m: my.segment_angles(m, {}), "segments is empty"),
        (lambda m: my.segment_angles(m, PAIRS, plane="xz"), "one of xy, yz, zx"),
        (lambda m: my.segment_angles(m.trajectory, PAIRS), "from Markers"),
        (lambda m: my.segment_angles(m, PAIRS, plane="yz").slice(5.0, 6.0), "no row lies between"),
        (lambda m: my.joint_angles(my.segment_angles(m, PAIRS), {"knee": ("tigh", "shank")}), "did you mean 'thigh'"),
        (lambda m: my.joint_angles(my.segment_angles(m, PAIRS), {"knee": ("a", "b", "c")}), "proximal and distal"),
        (
            lambda m: my.joint_angles(my.segment_angles(m, PAIRS), {"hip": "thigh"}, neutral={"hop": 1.0}),
            "did you mean",
        ),
        (lambda m: my.joint_angles(m, {"hip": "thigh"}), "from a Trajectory"),
        (lambda m: my.joint_angles(my.Trajectory([0.0], {"a": [1.0]}, {"a": "deg"}), {"hip": "a"}), "in radians"),
    ],
)
def test_faults_are_named(call, message):
    with pytest.raises(DataError, match=message):
        call(leg(THIGH, SHANK))


def test_markers_without_a_direction_are_refused():
    places = np.zeros((3, 2, 3))
    with pytest.raises(DataError, match="'a': its markers coincide at 0 s"):
        my.segment_angles(my.Markers([0.0, 0.1, 0.2], ["p", "q"], places), {"a": ("p", "q")})
    places[:, 0] = np.nan
    with pytest.raises(DataError, match="never visible together"):
        my.segment_angles(my.Markers([0.0, 0.1, 0.2], ["p", "q"], places), {"a": ("p", "q")})
