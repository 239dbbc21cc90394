"""The planar leg of the GaitAnalysisToolKit: from markers and plate to angles and moments, against its stored results."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import myodyne as my

WALK = Path(__file__).parents[3] / "shared" / "data" / "winter_appendix"
pytestmark = pytest.mark.skipif(not WALK.exists(), reason="the shared data are not beside this repository")

Rows = NDArray[np.float64]
NAMES = ("RSHO", "RGTRO", "RLEK", "RLM", "RHEE", "RMT5")
BODY_MASS = 67.2

# The planar leg of the GaitAnalysisToolKit: mass (body masses), centre of mass and radius of gyration (lengths),
# markers of the line, of the joint above, sense of the angle there (Winter 2005; leg2d.m, Apache-2.0). The stored
# results were made with mass and radius of the foot for all three segments: the loads differ from one joint to the
# next, to 1e-14, by these times the accelerations. The program has 0.100, 0.323 for the thigh, 0.0465, 0.302 for the
# shank.
SEGMENTS = {
    "thigh": (0.0145, 0.433, 0.475, (1, 2), 1, 1.0),
    "shank": (0.0145, 0.433, 0.475, (2, 3), 2, -1.0),
    "foot": (0.0145, 0.500, 0.475, (4, 5), 3, -1.0),
}


def smoothed(time: np.ndarray, rows: np.ndarray, cutoff: float) -> list[np.ndarray]:
    """Return rows, rates and second rates of a filter of second order that runs backward and then forward.

    Its stored results are those of a filter that was not started anew in between: the step from the end of the one
    pass to the beginning of the other is one of 14 s.
    """
    speed = 2.0 * np.pi * cutoff / 0.802
    a, b = speed**2, np.sqrt(2.0) * speed
    times = np.concatenate([-time[::-1], time])
    passed = [np.zeros((2 * len(time), rows.shape[1])) for _ in range(3)]
    value, rate, second = passed
    given = np.concatenate([rows[::-1], np.zeros_like(rows)])
    value[0] = given[0]
    for row in range(1, len(times)):
        if row == len(time):
            given[row:] = value[: len(time)][::-1]
        h, mean = times[row] - times[row - 1], (given[row] + given[row - 1]) / 2
        bottom = 4 + 2 * h * b + h**2 * a
        old, old_rate = value[row - 1], rate[row - 1]
        value[row] = ((4 + 2 * h * b - h**2 * a) * old + 4 * h * old_rate + 2 * h**2 * a * mean) / bottom
        rate[row] = (-4 * h * a * old + (4 - 2 * h * b - h**2 * a) * old_rate + 4 * h * a * mean) / bottom
        second[row] = (rate[row] - old_rate) / h
    return [part[len(time) :] for part in passed]


@pytest.fixture(scope="module")
def expected() -> Rows:
    from scipy.io import loadmat

    found: Rows = loadmat(WALK / "gatk_leg2d_refresults.mat")["refresults"]
    return found


@pytest.fixture(scope="module")
def table() -> my.Trajectory:
    return my.load_table(WALK / "gatk_leg2d_rawdata.txt", gaps=True)


@pytest.fixture(scope="module")
def markers(table: my.Trajectory) -> Rows:
    """Places, rates and second rates of the markers: (3, rows, markers, 2). Gaps are closed after the filter.

    Its test says 6 Hz; its results were made with 4 Hz, to the last digit.
    """
    found = np.empty((3, len(table), 6, 2))
    for place, name in enumerate(NAMES):
        own = np.column_stack([table.values(f"{name}.Pos{axis}") for axis in "XY"])
        seen = ~np.isnan(own[:, 0])
        for order, rows in enumerate(smoothed(table.time[seen], own[seen], 4.0)):
            for axis in range(2):
                found[order, :, place, axis] = np.interp(table.time, table.time[seen], rows[:, axis])
    return found


@pytest.fixture(scope="module")
def plate(table: my.Trajectory) -> Rows:
    raw = np.column_stack([table.values(f"FP2.{part}") for part in ("ForX", "ForY", "MomZ")])
    return smoothed(table.time, raw / BODY_MASS, 4.0)[0]


def test_joint_angles_are_the_stored_ones(table: my.Trajectory, markers: Rows, expected: Rows) -> None:
    places = np.concatenate([markers[0], np.zeros((len(table), 6, 1))], axis=2)
    pairs = {"trunk": ("RSHO", "RGTRO"), "thigh": ("RGTRO", "RLEK"), "shank": ("RLEK", "RLM"), "foot": ("RHEE", "RMT5")}
    angles = my.segment_angles(my.Markers(table.time, NAMES, places), pairs)
    joints = my.joint_angles(
        angles, {"hip": ("trunk", "thigh"), "knee": ("thigh", "shank"), "ankle": ("shank", "foot")}
    )
    for column, (name, sense) in enumerate((("hip", 1.0), ("knee", -1.0), ("ankle", -1.0))):
        assert np.abs(sense * joints.values(name) - expected[:, column]).max() < 1e-12, name


def in_turning_axes(vector: Rows, line: Rows) -> list[Rows]:
    """Return a vector with its rates (3, rows) of complex numbers, as the axes see it that turn with a line."""
    (d, d1, d2), (_, rate, second) = vector, turning(line)
    spun = np.exp(-1j * turning(line)[0])
    return [d * spun, (d1 - 1j * rate * d) * spun, (d2 - 1j * second * d - 2j * rate * d1 - rate**2 * d) * spun]


def turning(line: Rows) -> list[Rows]:
    """Return the angle of a line and its two rates, from the line as a complex number with two rates."""
    d, d1, d2 = line
    rate = (d1 / d).imag
    return [np.unwrap(np.angle(d)), rate, (d2 / d - (d1 / d) ** 2).imag]


def telescopic_leg(lengths: dict[str, float]) -> my.Model:
    """A leg whose lines change their length as the markers do: lines without mass, and masses that slide along them."""
    bodies: dict[str, my.Body] = {}
    joints: dict[str, my.Joint] = {}
    above = "ground"
    for name, joint in (("thigh", "hip"), ("shank", "knee"), ("foot", "ankle")):
        mass, _, gyration, *_ = SEGMENTS[name]
        bodies[f"{name}_line"] = my.Body(mass=0.0)
        bodies[name] = my.Body(mass=mass, inertia=mass * (gyration * lengths[name]) ** 2)
        joints[f"{joint}_joint"] = my.planar(above, f"{name}_line", (f"{joint}_x", f"{joint}_y", joint))
        joints[f"{name}_slide"] = my.planar(f"{name}_line", name, (f"{name}_x", f"{name}_y", f"{name}_turn"))
        above = f"{name}_line"
    return my.Model(name="telescopic_leg", gravity=(0.0, -9.81, 0.0), bodies=bodies, joints=joints)


def test_moments_of_one_leg_are_the_stored_ones(
    table: my.Trajectory, markers: Rows, plate: Rows, expected: Rows
) -> None:
    """One model, one call: the moments at hip, knee and ankle; and the forces there."""
    flat = markers[..., 0] + 1j * markers[..., 1]
    columns: dict[str, Rows] = {}
    lengths: dict[str, float] = {}

    def put(name: str, rates: list[Rows]) -> None:
        columns.update(zip((name, f"{name}.speed", f"{name}.acceleration"), (np.real(r) for r in rates), strict=True))

    before: Rows | None = None
    origin = np.zeros_like(flat[:, :, 0])
    still = [np.zeros(len(table))] * 3
    for name, joint in (("thigh", "hip"), ("shank", "knee"), ("foot", "ankle")):
        _, centre, _, (upper, lower), at, _ = SEGMENTS[name]
        line = flat[:, :, lower] - flat[:, :, upper]
        lengths[name] = float(np.abs(line[0]).mean())
        away = flat[:, :, at] - origin
        here = list(away) if before is None else in_turning_axes(away, before)
        put(f"{joint}_x", here)
        put(f"{joint}_y", [-1j * part for part in here])
        own, last = turning(line), still if before is None else turning(before)
        put(joint, [one - other for one, other in zip(own, last, strict=True)])
        middle = in_turning_axes(flat[:, :, upper] + centre * line - flat[:, :, at], line)
        put(f"{name}_x", middle)
        put(f"{name}_y", [-1j * part for part in middle])
        put(f"{name}_turn", still)
        before, origin = line, flat[:, :, at]
    zero = np.zeros(len(table))
    load = {"fx": plate[:, 0], "fy": plate[:, 1], "fz": zero, "px": zero, "py": zero, "pz": zero}
    record = my.Trajectory(table.time, {**load, "tx": zero, "ty": zero, "tz": plate[:, 2]})
    parts = {part: (f"{part[0]}x", f"{part[0]}y", f"{part[0]}z") for part in ("force", "point", "torque")}
    force = my.ExternalForces([my.ExternalForce("plate", "foot", record, **parts)])
    leg, motion = telescopic_leg(lengths), my.Trajectory(table.time, columns)
    moments, loads = my.inverse_dynamics(leg, motion, force), my.joint_reactions(leg, motion, force)
    for column, (name, sense) in enumerate((("hip", 1.0), ("knee", -1.0), ("ankle", -1.0))):
        assert np.abs(sense * moments.values(f"{name}.moment") - expected[:, 6 + column]).max() < 1e-6, name
        for place, axis in enumerate("xy"):
            carried = loads.values(f"{name}_joint.reaction_force_{axis}")
            assert np.abs(carried - expected[:, 9 + 2 * column + place]).max() < 1e-6, (name, axis)
