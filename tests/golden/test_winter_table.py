"""Winter's Table A.1 (Biomechanics and Motor Control of Human Movement): from film to angles, accelerations, moments.

The table holds markers of the right side of one walker, x and y in cm, 106 frames. His derived tables (A.2 to A.7) are not
at hand as data, so results are compared with his own method (central differences of the filtered coordinates), with a
smoothing spline, with Newton and Euler written out for each segment, and with what he describes of swing.
"""

from pathlib import Path

import numpy as np
import pytest

import myodyne as my

TABLE = Path(__file__).parents[3] / "shared" / "data" / "winter_appendix" / "WinterTableA1.txt"
pytestmark = pytest.mark.skipif(not TABLE.exists(), reason="Winter's Table A.1 is not beside this repository")

CUTOFF = 6.0
GRAVITY = 9.81
SEGMENTS = {
    "thigh": ("right_hip", "right_knee"),
    "shank": ("right_knee", "right_ankle"),
    "foot": ("right_ankle", "right_mt5"),
}
# Winter's table 4.1: mass of the body's, centre of mass from the upper end and radius of gyration, both of the length.
SIZES = {"thigh": (0.100, 0.433, 0.323), "shank": (0.0465, 0.433, 0.302), "foot": (0.0145, 0.500, 0.475)}
# Times of the right foot's first swing that lie well inside it and inside the record (s).
SWING = (0.10, 0.36)


@pytest.fixture(scope="module")
def film():
    return my.load_winter_table(TABLE)


@pytest.fixture(scope="module")
def angles(film):
    return my.segment_angles(film, SEGMENTS)


@pytest.fixture(scope="module")
def lengths(film):
    return {
        name: float(np.linalg.norm(film[lower] - film[upper], axis=1).mean())
        for name, (upper, lower) in SEGMENTS.items()
    }


@pytest.fixture(scope="module")
def leg(lengths):
    """A leg of one kilogram of body mass that hangs from a moving hip; all angles zero where it points along x."""
    bodies, joints = {}, {}
    above, at = "ground", (0.0, 0.0, 0.0)
    for name, coordinate in (("thigh", "hip"), ("shank", "knee"), ("foot", "ankle")):
        mass, centre, gyration = SIZES[name]
        length = lengths[name]
        bodies[name] = my.Body(
            mass=mass, centre_of_mass=(centre * length, 0.0, 0.0), inertia=mass * (gyration * length) ** 2
        )
        if above == "ground":
            joints["hip_joint"] = my.planar("ground", "thigh", ("hip_x", "hip_y", "hip"))
        else:
            joints[f"{coordinate}_joint"] = my.pin({"body": above, "at": at}, name, coordinate)
        above, at = name, (length, 0.0, 0.0)
    return my.Model(name="winter_leg", gravity=(0.0, -GRAVITY, 0.0), bodies=bodies, joints=joints)


@pytest.fixture(scope="module")
def motion(film, angles):
    joints = {"hip": "thigh", "knee": ("thigh", "shank"), "ankle": ("shank", "foot")}
    turned = my.joint_angles(angles, joints)
    columns = {name: turned.values(name) for name in turned}
    columns |= {f"hip_{axis}": film["right_hip"][:, place] for place, axis in enumerate("xy")}
    units = {"hip": "rad", "knee": "rad", "ankle": "rad", "hip_x": "m", "hip_y": "m"}
    return my.Trajectory(film.time, columns, units)


def test_the_film_is_a_stride_of_walking(film, angles, lengths):
    assert film.rate == pytest.approx(69.9, abs=0.1)
    # Distances of markers in the plane change by perspective and skin; angles do not mind.
    assert 0.30 < lengths["thigh"] < 0.34
    assert 0.40 < lengths["shank"] < 0.45
    flexion = np.degrees(angles.values("thigh") - angles.values("shank"))
    assert 55.0 < flexion.max() < 75.0
    assert -5.0 < flexion.min() < 10.0
    thigh = np.degrees(angles.values("thigh")) + 90.0
    assert 20.0 < thigh.max() < 35.0
    assert -25.0 < thigh.min() < -5.0


def test_accelerations_by_filter_by_central_differences_and_by_spline_agree(angles):
    """Winter's own are central differences of what a 6 Hz filter leaves (his equations 3.15 and 3.17)."""
    inside = slice(10, -10)
    filtered = angles.filtered(CUTOFF, padded=True)
    step = float(np.diff(angles.time).mean())
    slow = angles.filtered(CUTOFF)
    splined = angles.smoothed(CUTOFF).derivative(2)
    for name in SEGMENTS:
        ours = filtered.derivative(2).slice(angles.time[0] - 1e-9, angles.time[-1] + 1e-9).values(name)
        values = slow.values(name)
        speed = (values[2:] - values[:-2]) / (2.0 * step)
        differences = (speed[2:] - speed[:-2]) / (2.0 * step)
        size = np.sqrt(np.mean(ours**2))
        assert np.sqrt(np.mean((ours[2:-2] - differences)[inside] ** 2)) < 0.06 * size, name
        assert np.corrcoef(ours[inside], splined.values(name)[inside])[0, 1] > 0.98, name


def by_newton_and_euler(leg, motion, lengths):
    """Return moments at hip, knee and ankle: the equations of each segment from the foot upward, in the plane."""
    padded = motion.filtered(CUTOFF, padded=True)
    inside = slice(*np.searchsorted(padded.time, [motion.time[0] - 1e-6, motion.time[-1] + 1e-6]))
    rows = [padded.rows()[inside], padded.derivative().rows()[inside], padded.derivative(2).rows()[inside]]
    place = {name: number for number, name in enumerate(motion.names)}
    acceleration = rows[2][:, [place["hip_x"], place["hip_y"]]]
    turned = [np.zeros(len(rows[0])) for _ in range(3)]
    states = []
    for name, coordinate in (("thigh", "hip"), ("shank", "knee"), ("foot", "ankle")):
        turned = [before + part[:, place[coordinate]] for before, part in zip(turned, rows, strict=True)]
        angle, rate, second = turned
        along = np.column_stack([np.cos(angle), np.sin(angle)])
        across = np.column_stack([-np.sin(angle), np.cos(angle)])
        centre = SIZES[name][1] * lengths[name]
        pull = second[:, None] * across - rate[:, None] ** 2 * along
        states.append((name, along, second, acceleration + centre * pull))
        acceleration = acceleration + lengths[name] * pull
    force, moment, found = np.zeros_like(acceleration), np.zeros(len(angle)), {}
    for name, along, second, at_centre in reversed(states):
        mass, centre, gyration = SIZES[name]
        length = lengths[name]
        upper = mass * (at_centre + np.array([0.0, GRAVITY])) + force

        def cross(arm, push):
            return arm[:, 0] * push[:, 1] - arm[:, 1] * push[:, 0]

        moment = (
            mass * (gyration * length) ** 2 * second
            + moment
            + cross(centre * length * along, upper)
            + cross((1.0 - centre) * length * along, force)
        )
        force = upper
        found[name] = moment
    return found


def test_moments_in_swing_are_those_of_newton_and_euler(leg, motion, lengths):
    moments = my.inverse_dynamics(leg, motion, cutoff=CUTOFF)
    other = by_newton_and_euler(leg, motion, lengths)
    for coordinate, segment in (("hip", "thigh"), ("knee", "shank"), ("ankle", "foot")):
        np.testing.assert_allclose(moments.values(f"{coordinate}.moment"), other[segment], atol=1e-8)


def test_swing_is_as_winter_describes_it(leg, motion):
    """A small ankle moment; at its end hip extensors and knee flexors brake the leg, and the knee absorbs energy.

    Per kilogram of body mass. Counter-clockwise is positive: hip flexion and knee extension.
    """
    found = my.joint_powers(leg, motion, cutoff=CUTOFF, phases={"late swing": (0.26, 0.36), "swing": SWING})
    swing, late = (found.result.slice(*found.phases[phase]) for phase in ("swing", "late swing"))
    assert np.abs(swing.values("ankle.moment")).max() < 0.05
    assert late.values("knee.moment").min() < -0.1
    assert late.values("hip.moment").min() < -0.1
    assert np.abs(swing.values("hip.moment")).max() < 1.2
    knee = found.work["late swing"]["knee"]
    assert knee.negative < -0.02
    assert knee.positive < 0.1 * -knee.negative


def test_the_two_swings_on_the_film_need_the_same_moments(leg, motion, film):
    """A stride of 69 frames later the leg swings again: noise, and what differs between steps."""
    moments = my.inverse_dynamics(leg, motion, cutoff=CUTOFF)
    first, second = slice(9, 27), slice(78, 96)
    assert film.time[78] - film.time[9] == pytest.approx(0.987, abs=0.002)
    for joint, closest in (("hip", 0.93), ("knee", 0.98), ("ankle", 0.98)):
        values = moments.values(f"{joint}.moment")
        assert np.corrcoef(values[first], values[second])[0, 1] > closest, joint
        assert np.sqrt(np.mean((values[first] - values[second]) ** 2)) < 0.06, joint


def test_004_21_the_left_leg_of_the_film_walks_half_a_stride_later(motion):
    """Acceptance 004-21 on a recording: the other knee is most bent half a stride after this one."""
    cycle = 69 * float(np.diff(motion.time).mean())
    both = motion.filtered(CUTOFF).contralateral({"hip": "hip_l", "knee": "knee_l"}, cycle=cycle)
    right, left = (both.slice(0.1, 0.1 + cycle).values(name) for name in ("knee", "knee_l"))
    times = both.slice(0.1, 0.1 + cycle).time
    apart = abs(times[np.argmin(right)] - times[np.argmin(left)])
    assert min(apart, cycle - apart) == pytest.approx(0.5 * cycle, abs=0.03)
    assert "repeats worst" in both.notes[-1]
