"""Numbers and equations printed in Selbie 1989, Simulation of Running (thesis).

Each test names the row of the acceptance table that it settles (004-5 to 004-16). Where the print is wrong, the
correction is written beside the number. The thesis counts angles of all segments from the vertical, hanging
down in its appendices C and E, standing up in its appendices D and F.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import myodyne as my
from support.comparison import assert_close
from support.frames import Array

GRAVITY = 9.81
# Figure 3-2, eigenvalues at 16 of 32 evenly spaced angles from 0 to 2π; imaginary up to a right angle, then
# real. The print gives i0.002 at the right angle, where the value is zero, and the angle 1.749 for 2.749.
PRINTED_EIGENVALUES = (
    3.836j,
    3.799j,
    3.687j,
    3.498j,
    3.226j,
    2.859j,
    2.373j,
    1.694j,
    0.0,
    1.694,
    2.373,
    2.859,
    3.226,
    3.498,
    3.687,
    3.799,
)


@dataclass(frozen=True)
class Segment:
    """Mass (kg), distance of the centre of mass from the proximal end (m), length (m), central inertia (kg m²)."""

    m: float
    r: float
    l: float
    I: float


def random_segments(count: int, seed: int) -> list[Segment]:
    rng = np.random.default_rng([seed, count])
    found = []
    for _ in range(count):
        m, l = rng.uniform(0.5, 4.0), rng.uniform(0.2, 0.6)
        found.append(Segment(m, l * rng.uniform(0.3, 0.7), l, m * (l * rng.uniform(0.2, 0.35)) ** 2))
    return found


def chain_of(segments: Sequence[Segment], up: bool, base: str, absolute: bool = True) -> my.Model:
    """Return a chain of segments on a moving (``free``) or resting (``fixed``) point, a motor on each coordinate.

    With ``absolute`` the coordinates are angles against the vertical, as in the thesis: a joint first undoes the
    angle of the segment before it. Otherwise they are the angles between segments.
    """
    sign = 1.0 if up else -1.0
    bodies, joints = {}, {}
    for number, segment in enumerate(segments, start=1):
        bodies[f"s{number}"] = my.Body(mass=segment.m, centre_of_mass=(0.0, sign * segment.r, 0.0), inertia=segment.I)
        if number == 1:
            joints["j1"] = (
                my.planar("ground", "s1", ("x", "y", "q1")) if base == "free" else my.pin("ground", "s1", "q1")
            )
            continue
        before = {"body": f"s{number - 1}", "at": (0.0, sign * segments[number - 2].l, 0.0)}
        if not absolute:
            joints[f"j{number}"] = my.pin(before, f"s{number}", f"q{number}")
            continue
        undo = my.Axis(motion="rotation", direction="z", function=my.Linear(coordinate=f"q{number - 1}", slope=-1.0))
        turn = my.Axis(motion="rotation", direction="z", function=my.Linear(coordinate=f"q{number}"))
        joints[f"j{number}"] = my.Joint(
            parent=my.Placement(**before),
            child=my.Placement(body=f"s{number}"),
            coordinates={f"q{number}": {}},
            axes=(undo, turn),
        )
    names = [name for joint in joints.values() for name in joint.coordinates]
    motors = {f"motor_{name}": my.CoordinateActuator(coordinate=name) for name in names}
    return my.Model(name="chain", gravity=(0.0, -GRAVITY, 0.0), bodies=bodies, joints=joints, forces=motors)


def random_motion(count: int, seed: int) -> tuple[Array, Array, Array, Array]:
    """Return coordinates, speeds, accelerations and generalised forces."""
    rng = np.random.default_rng([seed, count, 5])
    return (
        rng.uniform(-2.5, 2.5, count),
        rng.normal(size=count) * 3,
        rng.normal(size=count) * 5,
        rng.normal(size=count) * 10,
    )


# ---- 3.1: the compound pendulum -----------------------------------------------------------------------------


def test_004_5_eigenvalues_of_the_pendulum(printed: Any) -> None:
    """004-5: the eigenvalues of figure 3-2 to three decimals, for a uniform rod of 1 m."""
    model = my.load_model("pendulum")
    selbie = printed("Selbie 1989")
    for number, said in enumerate(PRINTED_EIGENVALUES):
        for angle in (number * np.pi / 16, -number * np.pi / 16):
            found = my.linearise(model, {"angle": angle, "angle.speed": 0.0}).eigenvalues
            assert sum(found) == pytest.approx(0.0, abs=1e-12)
            positive = max(found, key=lambda value: value.real + value.imag)
            if angle >= 0 and number:
                selbie(f"fig. 3-2, eigenvalue at {number}π/16", said, positive, within=5.1e-4, unit="1/s")
            assert abs(positive - said) < 5.1e-4, f"at {angle:.3f} rad: {positive} instead of {said}"


# T/T0 = 2 K(sin(q0/2)) / π, the complete elliptic integral of the first kind.
@pytest.mark.parametrize("amplitude, ratio", [(1.5, 1.161969), (0.80, 1.041531), (0.20, 1.002506)])
def test_004_6_period_of_large_swings(amplitude: float, ratio: float, printed: Any) -> None:
    """004-6: periods at 1.5, 0.80 and 0.20 rad to six decimals, energy kept within 0.001 %, no phase drift."""
    model = my.load_model("pendulum")
    small = 2 * np.pi / np.sqrt(1.5 * GRAVITY)
    start: Any = {"angle": amplitude, "angle.speed": 0.0}
    periods = []
    for _ in range(3):
        # Released at rest the speed is first negative; it falls through zero once in each period.
        swing = my.simulate(model, 5.0, start=start, until=my.falls_through_zero("angle.speed"))
        assert swing.report.status == "stopped by event"
        energy = swing.values("energy.kinetic") + swing.values("energy.potential")
        assert np.ptp(energy) < 1e-5 * np.ptp(swing.values("energy.potential"))
        periods.append(float(swing.time[-1]))
        start = {"angle": swing.final["angle"], "angle.speed": 0.0}
    place = f"period of a pendulum from {amplitude} rad over that of small swings"
    printed("Elliptic integral")(place, ratio, periods[0] / small, within=5.1e-7)
    assert np.ptp(periods) < 1e-8


def test_004_6_the_linear_pendulum_holds_for_small_swings_only() -> None:
    """004-6: of the three swings only that of 0.20 rad follows the linear solution (figure 3-3)."""
    model = my.load_model("pendulum")
    frequency = np.sqrt(1.5 * GRAVITY)
    apart = {}
    for amplitude in (1.5, 0.80, 0.20):
        run = my.simulate(model, 4 * np.pi / frequency, start={"angle": amplitude, "angle.speed": 0.0})
        apart[amplitude] = np.max(np.abs(run.values("angle") / amplitude - np.cos(frequency * run.time)))
    assert apart[0.20] < 0.05
    assert apart[0.80] > 0.3
    assert apart[1.5] > 1.0


@pytest.mark.parametrize("seed", range(4))
def test_004_7_small_swings_of_any_segment(seed: int) -> None:
    """004-7: q = cos(ωt) with ω² = m g r / (I + m r²)."""
    segment = random_segments(1, seed)[0]
    model = chain_of([segment], up=False, base="fixed")
    frequency = np.sqrt(segment.m * GRAVITY * segment.r / (segment.I + segment.m * segment.r**2))
    hanging = my.linearise(model, {"q1": 0.0})
    assert hanging.eigenvalues[0] == pytest.approx(1j * frequency, rel=1e-12)
    size = 1e-4  # the period lengthens by size²/16: less than 1e-9 of it
    run = my.simulate(model, 3 * np.pi / frequency, start={"q1": size})
    np.testing.assert_allclose(run.values("q1") / size, np.cos(frequency * run.time), atol=2e-8)


# ---- 3.2: one segment, three degrees of freedom -------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_004_8_equations_of_one_segment(seed: int) -> None:
    """004-8: appendix D, with g in F_q, where the print forgets it; three coordinates make six states."""
    (part,) = random_segments(1, seed)
    eq = my.equations_of(chain_of([part], up=True, base="free"), compiled=False)
    assert len(eq.states) == 6
    coordinates, speeds, accelerations, forces = random_motion(3, seed)
    q, qd = coordinates[2], speeds[2]
    xdd, ydd, qdd = accelerations
    s, c = np.sin(q), np.cos(q)
    mr = part.m * part.r
    needed = [
        part.m * xdd - mr * (qdd * c - qd**2 * s),
        part.m * (ydd + GRAVITY) - mr * (qdd * s + qd**2 * c),
        (part.I + part.m * part.r**2) * qdd - mr * (xdd * c + (ydd + GRAVITY) * s),
    ]
    residual = eq.residual([*coordinates, *speeds], [*speeds, *accelerations], forces)
    assert_close(residual[3:], np.array(needed) - forces, 1e-13, "balance")


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("seed", range(2))
def test_004_9_free_fall(count: int, seed: int, printed: Any) -> None:
    """004-9: from rest in any pose, 4.905 m and -9.81 m/s after 1.0 s, without rotation or horizontal motion."""
    model = chain_of(random_segments(count, seed), up=True, base="free")
    angles = dict(zip(["q1", "q2"][:count], np.random.default_rng(seed).uniform(-3, 3, count), strict=True))
    run = my.simulate(model, 1.0, start=angles)
    for column, change in {
        "com.position_y": -4.905,
        "com.velocity_y": -9.81,
        "y": -4.905,
        "y.speed": -9.81,
        "com.position_x": 0.0,
        "x": 0.0,
        "x.speed": 0.0,
        **dict.fromkeys(angles, 0.0),
    }.items():
        values = run.values(column)
        assert values[-1] - values[0] == pytest.approx(change, abs=1e-9), column
        if count == 2 and seed == 0 and column in ("y", "y.speed"):
            unit = {"y": "m", "y.speed": "m/s"}[column]
            fallen = values[-1] - values[0]
            printed("Selbie 1989")(f"3.2.2, {column} after 1.0 s of free fall", change, fallen, within=1e-9, unit=unit)


def test_004_10_rotation_in_free_fall_is_steady(printed: Any) -> None:
    """004-10: an angular velocity of 1.0 1/s is still 1.0 1/s after two seconds."""
    run = my.simulate(chain_of(random_segments(1, 3), up=True, base="free"), 2.0, start={"q1": 0.4, "q1.speed": 1.0})
    np.testing.assert_allclose(run.values("q1.speed"), 1.0, atol=1e-8)
    place = "3.2.2, angular velocity after 2 s of free fall"
    printed("Selbie 1989")(place, 1.0, run.final["q1.speed"], within=1e-8, unit="1/s")
    assert run.final["q1"] == pytest.approx(2.4, abs=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_004_11_impact_keeps_the_angular_momentum_about_the_contact(seed: int) -> None:
    """004-11: appendix D; the point of reference is caught while the segment falls and turns."""
    (part,) = random_segments(1, seed)
    falling = chain_of([part], up=True, base="free")
    caught = my.Model(
        name="caught",
        gravity=falling.gravity,
        bodies={"s1": falling.bodies["s1"]},
        joints={"j1": my.pin({"body": "ground", "at": (0.0, -0.3, 0.0)}, "s1", "q1")},
    )

    def carry(before: Any) -> dict[str, float]:
        q = before["q1"]
        swept = before["x.speed"] * np.cos(q) + before["y.speed"] * np.sin(q)
        return {"q1.speed": before["q1.speed"] - part.m * part.r / (part.I + part.m * part.r**2) * swept}

    # Thrown so that the point of reference comes down through (0, -0.3), where it is caught.
    start = {"x": 0.0, "q1": 0.5 + seed, "q1.speed": -1.0}
    first = my.simulate(falling, 2.0, start=start, until=my.crosses("y", -0.3))
    start["x"] = -first.final["x"]
    run = my.simulate(falling, 1.0, start=start, until=my.Switch(my.crosses("y", -0.3), caught, carry))
    assert len(run.report.events) == 1
    hit = int(np.searchsorted(run.time, run.report.events[0][0]))
    spins = []
    for row in (hit, hit + 1):
        arm = [run.values("com.position_x")[row], run.values("com.position_y")[row] + 0.3]
        linear = [run.values(f"momentum.linear_{letter}")[row] for letter in "xy"]
        spins.append(run.values("momentum.angular_z")[row] + arm[0] * linear[1] - arm[1] * linear[0])
        assert np.hypot(*arm) == pytest.approx(part.r, abs=1e-9)
    assert abs(spins[0]) > 1e-3
    assert spins[1] == pytest.approx(spins[0], abs=1e-9)
    assert run.values("q1.speed")[hit + 1] != pytest.approx(run.values("q1.speed")[hit], abs=1e-3)


# ---- 3.3 and appendix E: two segments, four degrees of freedom ----------------------------------------------


def appendix_e(parts: Sequence[Segment], y: Array, s: Array, force: Array) -> tuple[Array, Array, Array]:
    """Return mass matrix, residual and Jacobian as printed; y and s alternate values and rates of x, y, q1, q2."""
    (a, b), g = parts, GRAVITY
    q1, w1, q2, w2 = y[4:8]
    A, B, C = a.m * a.r + b.m * a.l, b.m * b.r, b.m * b.r * a.l
    c1, s1, c2, s2 = np.cos(q1), np.sin(q1), np.cos(q2), np.sin(q2)
    c21, s21 = np.cos(q2 - q1), np.sin(q2 - q1)
    I1, I2 = a.I + a.m * a.r**2 + b.m * a.l**2, b.I + b.m * b.r**2
    mass = np.array(
        [
            [a.m + b.m, 0, A * c1, B * c2],
            [0, a.m + b.m, A * s1, B * s2],
            [A * c1, A * s1, I1, C * c21],
            [B * c2, B * s2, C * c21, I2],
        ]
    )
    residual = np.array(
        [
            force[0] - (a.m + b.m) * s[1] - A * (s[5] * c1 - w1**2 * s1) - B * (s[7] * c2 - w2**2 * s2),
            force[1] - (a.m + b.m) * (s[3] + g) - A * (s[5] * s1 + w1**2 * c1) - B * (s[7] * s2 + w2**2 * c2),
            force[2] - I1 * s[5] - A * (s[1] * c1 + (s[3] + g) * s1) - C * (s[7] * c21 - w2**2 * s21),
            force[3] - I2 * s[7] - B * (s[1] * c2 + (s[3] + g) * s2) - C * (s[5] * c21 + w1**2 * s21),
        ]
    )
    jac = np.zeros((4, 8))
    jac[0, 4:] = [A * (s[5] * s1 + w1**2 * c1), 2 * A * w1 * s1, B * (s[7] * s2 + w2**2 * c2), 2 * B * w2 * s2]
    jac[1, 4:] = [-A * (s[5] * c1 - w1**2 * s1), -2 * A * w1 * c1, -B * (s[7] * c2 - w2**2 * s2), -2 * B * w2 * c2]
    jac[2, 6:] = [C * (s[7] * s21 + w2**2 * c21), 2 * C * w2 * s21]
    jac[2, 4] = A * (s[1] * s1 - (s[3] + g) * c1) - jac[2, 6]
    jac[3, 4:6] = [-C * (s[5] * s21 - w1**2 * c21), -2 * C * w1 * s21]
    jac[3, 6] = B * (s[1] * s2 - (s[3] + g) * c2) - jac[3, 4]
    return mass, residual, jac


def alternating(first: Array, second: Array) -> Array:
    """Return both vectors in turns, as the thesis orders values and rates."""
    return np.stack([first, second], axis=1).ravel()


@pytest.mark.parametrize("seed", range(4))
def test_004_13_equations_of_two_segments(seed: int) -> None:
    """004-13: appendix E, eight states: adda, res and jac."""
    parts = random_segments(2, seed)
    eq = my.equations_of(chain_of(parts, up=False, base="free"), compiled=False)
    assert len(eq.states) == 8
    q, v, vdot, force = random_motion(4, seed)
    mass, residual, jac = appendix_e(parts, alternating(q, v), alternating(v, vdot), force)
    x, xdot = np.concatenate([q, v]), np.concatenate([v, vdot])
    assert_close(eq.mass_matrix(q), mass, 1e-13, "mass matrix")
    assert_close(eq.residual(x, xdot, force)[4:], -residual, 1e-13, "residual")
    by_x = eq.jacobians(x, xdot, force)[0].toarray()[4:]
    assert_close(alternating_columns(by_x), -jac, 1e-13, "Jacobian")


def alternating_columns(by_x: Array) -> Array:
    count = by_x.shape[1] // 2
    return by_x[:, alternating(np.arange(count), np.arange(count, 2 * count)).astype(int)]


@pytest.mark.parametrize("count", [1, 2, 3, 5])
@pytest.mark.parametrize("seed", range(5))
def test_004_14_eigenvalues_of_conservative_chains(count: int, seed: int) -> None:
    """004-14: real or imaginary, never both, for chains at rest in poses that constant torques hold.

    Away from equilibrium the accelerations enter the Jacobian and make it unsymmetric; the thesis' finding
    holds where the chain could stay.
    """
    model = chain_of(random_segments(count, seed), up=False, base="fixed", absolute=seed % 2 == 0)
    eq = my.equations_of(model, compiled=False)
    pose = np.random.default_rng([seed, count]).uniform(-np.pi, np.pi, count)
    holding = eq.inverse_dynamics(pose, np.zeros(count), np.zeros(count))
    state = dict(zip(eq.coordinates, pose, strict=True))
    controls = {f"motor_{name}": float(torque) for name, torque in zip(eq.coordinates, holding, strict=True)}
    found = my.linearise(eq, state, controls).eigenvalues
    assert np.abs(found).max() > 0.5
    smaller = np.minimum(np.abs(found.real), np.abs(found.imag))
    assert smaller.max() < 1e-6 * np.abs(found).max(), found


# ---- appendix A: Euler's method gains energy ----------------------------------------------------------------


@pytest.mark.parametrize("frequency, step", [(3.0, 0.01), (10.0, 0.002), (1.0, 0.3)])
def test_004_15_euler_gains_energy(frequency: float, step: float) -> None:
    """004-15: each step multiplies the amplitude by √(1 + ω²Δt²) and turns by atan(ωΔt): g Δt of appendix A."""
    oscillator = my.Model(
        name="oscillator",
        gravity=(0.0, 0.0, 0.0),
        bodies={"mass": my.Body(mass=2.0)},
        joints={"rail": my.slider("ground", "mass", "x")},
        forces={"spring": my.TorsionSpring(coordinate="x", stiffness=2.0 * frequency**2)},
    )
    run = my.simulate(oscillator, 100 * step, start={"x": 1.0, "x.speed": 0.5}, scheme=my.Euler(step=step))
    amplitude = run.values("x") + 1j * run.values("x.speed") / frequency
    assert len(amplitude) == 101
    growth = np.log(amplitude[1:] / amplitude[:-1])
    z = frequency * step
    np.testing.assert_allclose(np.exp(growth.real), np.sqrt(1 + z**2), rtol=1e-12)
    np.testing.assert_allclose(growth.imag, -np.arctan(z), rtol=1e-11)
    # The printed expansion, i g Δt = ln(1 + i z): g Δt = z - i z²/2 + ...; phase and sign follow its e^{igt}.
    printed = z - 0.5j * z**2
    assert abs(1j * printed - np.conj(growth).mean()) < z**3
    assert run.report.energy_error is not None
    assert run.report.energy_error > 0.1 * (1 - (1 + z**2) ** -100)


# ---- appendix F: chains of any number of segments -----------------------------------------------------------


def appendix_f(parts: Sequence[Segment], y: Array, s: Array, force: Array) -> tuple[Array, Array, Array]:
    """Return adda, res and jac of the recursive algorithm, translated with its names.

    Corrected: mhl[NSEG], the mass beyond the last segment, is zero; the rows of the kinematics lack -s[i]; in jac,
    for j < i, the print adds the square of the speed, which the derivative of its own residual subtracts.
    """
    n, g = len(parts), GRAVITY
    M, R, L, I = (np.array([getattr(part, name) for part in parts]) for name in "mrlI")
    carried = np.append(np.cumsum(M[::-1])[::-1], 0.0)  # mhl[0..19]
    first = M * R + carried[1:] * L  # mhl[20..39]
    second = I + M * R * R + carried[1:] * L * L  # mhl[40..59]
    angle, w = y[4::2], y[5::2]
    cos, sin = np.cos(angle), np.sin(angle)
    cos_of, sin_of = np.cos(np.subtract.outer(angle, angle)), np.sin(np.subtract.outer(angle, angle))
    size = 2 * (n + 2)
    adda, b, jac = np.zeros((size, size)), np.zeros(size), np.zeros((size, size))
    adda[range(0, size, 2), range(0, size, 2)] = 1.0
    adda[1, 1] = adda[3, 3] = carried[0]
    b[0::2] = y[1::2] - s[0::2]
    b[1], b[3] = force[0] - carried[0] * s[1], force[1] - carried[0] * (s[3] + g)
    for i in range(n):
        row = 2 * i + 5
        adda[row, 1] = adda[1, row] = -first[i] * cos[i]
        adda[row, 3] = adda[3, row] = -first[i] * sin[i]
        adda[row, row] = second[i]
        b[1] += first[i] * (s[row] * cos[i] - w[i] ** 2 * sin[i])
        b[3] += first[i] * (s[row] * sin[i] + w[i] ** 2 * cos[i])
        b[row] = force[i + 2] - second[i] * s[row] + first[i] * (s[1] * cos[i] + (s[3] + g) * sin[i])
        jac[1, row - 1 : row + 1] = [-first[i] * (s[row] * sin[i] + w[i] ** 2 * cos[i]), -2 * first[i] * w[i] * sin[i]]
        jac[3, row - 1 : row + 1] = [first[i] * (s[row] * cos[i] - w[i] ** 2 * sin[i]), 2 * first[i] * w[i] * cos[i]]
        jac[row, row - 1] = -first[i] * (s[1] * sin[i] - (s[3] + g) * cos[i])
        for j in range(n):
            column = 2 * j + 5
            if j < i:
                couple = first[i] * L[j]
                adda[column, row] = adda[row, column] = couple * cos_of[i, j]
                b[row] -= couple * (s[column] * cos_of[i, j] + w[j] ** 2 * sin_of[i, j])
                change = -couple * (s[column] * sin_of[i, j] - w[j] ** 2 * cos_of[i, j])
                jac[row, column] = -2 * couple * w[j] * sin_of[i, j]
            elif j > i:
                couple = first[j] * L[i]
                b[row] -= couple * (s[column] * cos_of[j, i] - w[j] ** 2 * sin_of[j, i])
                change = couple * (s[column] * sin_of[j, i] + w[j] ** 2 * cos_of[j, i])
                jac[row, column] = 2 * couple * w[j] * sin_of[j, i]
            else:
                continue
            jac[row, column - 1] = change
            jac[row, row - 1] -= change
    jac[range(0, size, 2), range(1, size, 2)] = 1.0
    return adda, b, jac


@pytest.mark.parametrize("count", range(1, 19))
def test_004_16_equations_of_chains(count: int, printed: Any) -> None:
    """004-16: appendix F for 1 to 18 segments, NEQ = 2 (NSEG + 2): inertia matrix and residual."""
    parts = random_segments(count, 2)
    # Angles between segments here, against the vertical there: q = T absolute, and forces by the transpose.
    eq = my.equations_of(chain_of(parts, up=True, base="free", absolute=False), compiled=False)
    size = count + 2
    assert len(eq.states) == 2 * (count + 2)
    if count in (1, 2, 18):
        place = f"app. F, states of a chain of {count}: NEQ = 2 (NSEG + 2)"
        printed("Selbie 1989")(place, 2 * (count + 2), len(eq.states), within=0)
    turn = np.eye(size)
    turn[range(3, size), range(2, size - 1)] = -1.0
    q, v, vdot, force = random_motion(size, count)
    adda, b, _ = appendix_f(parts, alternating(q, v), alternating(v, vdot), force)
    assert_close(turn.T @ eq.mass_matrix(turn @ q) @ turn, adda[1::2, 1::2], 1e-12, "inertia matrix")
    motors = np.linalg.solve(turn.T, force)
    x, xdot = np.concatenate([turn @ q, turn @ v]), np.concatenate([turn @ v, turn @ vdot])
    residual = eq.residual(x, xdot, motors)
    assert_close(turn.T @ residual[size:], -b[1::2], 1e-11, "residual")
    assert_close(residual[:size], np.zeros(size), 1e-15, "kinematics", floor=1.0)
    assert not b[0::2].any()


@pytest.mark.parametrize("count", [1, 2, 3, 6])
def test_004_16_jacobian_of_chains(count: int) -> None:
    """004-16: appendix F in its own coordinates, angles against the vertical: adda, res and jac."""
    parts = random_segments(count, 8)
    eq = my.equations_of(chain_of(parts, up=True, base="free"), compiled=False)
    size = count + 2
    q, v, vdot, force = random_motion(size, count)
    x, xdot = np.concatenate([q, v]), np.concatenate([v, vdot])
    adda, b, jac = appendix_f(parts, alternating(q, v), alternating(v, vdot), force)
    assert_close(eq.mass_matrix(q), adda[1::2, 1::2], 1e-12, "inertia matrix")
    assert_close(eq.residual(x, xdot, force)[size:], -b[1::2], 1e-12, "residual")
    by_x = alternating_columns(eq.jacobians(x, xdot, force)[0].toarray())
    assert_close(by_x[size:], -jac[1::2], 1e-12, "Jacobian of the balance")
    assert_close(by_x[:size], -jac[0::2], 1e-15, "Jacobian of the kinematics")
