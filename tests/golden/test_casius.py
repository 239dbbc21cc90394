"""Casius, Bobbert & van Soest 2004: the printed equations, arrays, counts and indices, and recorded jumps.

Ids like 000-4 number the claims of the paper. Where the print is wrong (blocks 1, 3 and 8 of the example with three
segments lack entries; the code of the second trunk writes to wrong columns), the equations decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from myodyne.errors import SolveError
from myodyne.formulations.newton_euler import (
    AngularAcceleration,
    Chain,
    CoincidentPoints,
    EqualAngularAccelerations,
    Motion,
    Point,
    PointAcceleration,
    Pose,
    Segment,
    added,
    centre_of_mass,
    constraint_variable_names,
    exchanged,
    extended_system_of,
    forward_unknowns,
    inverse_unknowns,
    position,
    printed_index,
    solve,
    solve_arrays,
    system as formulation,
    system_of,
    values_of,
    variable_index,
    variable_names,
    velocity,
    weight,
)

JUMPS = Path(__file__).parents[2].parent / "shared" / "data" / "jump"
GRAVITY = 9.81


def random_chain(n: int, seed: int = 0) -> tuple[Chain, Motion]:
    """Return a chain as the paper has it, centres of mass on the lines of the joints, in any motion."""
    rng = np.random.default_rng([n, seed])
    segments = [
        Segment(f"segment{i + 1}", *rng.uniform((0.2, 0.05, 0.5, 0.02), (0.6, 0.5, 9.0, 0.4)).tolist())
        for i in range(n)
    ]
    return Chain(segments), Motion(rng.uniform(-np.pi, np.pi, n), rng.normal(size=n) * 4.0)


def random_loads(chain: Chain, seed: int = 0) -> dict[str, Any]:
    """Return weights, and random moments in the joints and forces and moments on the segments."""
    rng = np.random.default_rng([chain.size, seed, 1])
    moments = values_of(chain, "moment", 40.0 * rng.normal(size=chain.size))
    forces = [values_of(chain, f"external_force_{axis}", 30.0 * rng.normal(size=chain.size)) for axis in "xy"]
    return added(weight(chain), moments, *forces, values_of(chain, "external_moment", rng.normal(size=chain.size)))


def relative(ours: Any, theirs: Any) -> float:
    """Return the largest difference as a share of the largest entry."""
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())


# Counts and order -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", range(1, 7))
def test_000_1_degrees_of_freedom(n: int) -> None:
    chain, motion = random_chain(n)
    assert chain.degrees_of_freedom == n + 2
    accelerations = [name for name in variable_names(chain) if "acceleration" in name]
    assert len(accelerations) == n + 2
    # As many independent accelerations indeed: each can be prescribed, whatever the others are.
    wanted = {name: float(i + 1) for i, name in enumerate(accelerations)}
    found = solve(chain, motion, wanted, inverse_unknowns(chain))
    assert [found[name] for name in accelerations] == list(wanted.values())
    isolated, _ = random_chain(1)
    assert set(forward_unknowns(isolated, free_base=True)) == {
        "segment1.angular_acceleration",
        "base.acceleration_x",
        "base.acceleration_y",
    }


@pytest.mark.parametrize("n", [1, 2, 3, 5, 10])
def test_000_2_counts(n: int, printed: Any) -> None:
    chain, motion = random_chain(n)
    left, right = system_of(Pose(chain, motion))
    assert left.shape == (3 * n, 7 * n + 5)
    assert right.shape == (3 * n,)
    if n in (2, 5):
        casius = printed("Casius et al. 2004")
        casius(f"equations of {n} segments: 3n", 3 * n, left.shape[0], within=0)
        casius(f"variables of {n} segments: 7n + 5", 7 * n + 5, left.shape[1], within=0)
    names = variable_names(chain)
    assert len(names) == len(set(names)) == 7 * n + 5
    counts = {
        "reaction_force_x": n + 1,
        "reaction_force_y": n + 1,
        "moment": n + 1,
        "external_force_x": n,
        "external_force_y": n,
        "external_moment": n,
        "angular_acceleration": n,
        "acceleration_x": 1,
        "acceleration_y": 1,
    }
    assert {key: sum(name.endswith(f".{key}") for name in names) for key in counts} == counts
    for unknowns in (forward_unknowns(chain), forward_unknowns(chain, free_base=True), inverse_unknowns(chain)):
        assert len(set(unknowns)) == 3 * n
        assert len(set(names) - set(unknowns)) == 4 * n + 5


@pytest.mark.parametrize("n", [1, 2, 5])
def test_000_3_order_of_the_variables(n: int, printed: Any) -> None:
    chain, _ = random_chain(n)
    joints, segments = range(1, n + 2), range(1, n + 1)
    listed = [
        *(f"joint{i}.reaction_force_x" for i in joints),
        *(f"joint{i}.reaction_force_y" for i in joints),
        *(f"joint{i}.moment" for i in joints),
        *(f"segment{i}.external_force_x" for i in segments),
        *(f"segment{i}.external_force_y" for i in segments),
        *(f"segment{i}.external_moment" for i in segments),
        *(f"segment{i}.angular_acceleration" for i in segments),
        "base.acceleration_x",
        "base.acceleration_y",
    ]
    assert variable_names(chain) == tuple(listed)
    starts = {
        "Frx": 1,
        "Fry": n + 2,
        "M": 2 * n + 3,
        "Fextx": 3 * n + 4,
        "Fexty": 4 * n + 4,
        "Mext": 5 * n + 4,
        "phidd": 6 * n + 4,
        "xdd": 7 * n + 4,
        "ydd": 7 * n + 5,
    }
    assert {symbol: printed_index(n, symbol) for symbol in starts} == starts
    if n == 5:
        casius = printed("Casius et al. 2004")
        for symbol, said in starts.items():
            casius(f"first index of {symbol} of {n} segments", said, printed_index(n, symbol), within=0)
    assert [variable_index(chain, name, first=1) for name in listed] == list(range(1, 7 * n + 6))
    assert [variable_index(chain, name) for name in listed] == list(range(7 * n + 5))


def test_000_9_and_000_12_constraint_variables_and_indices(printed: Any) -> None:
    for n in (1, 3, 5):
        chain, motion = random_chain(n)
        assert len(set(constraint_variable_names(chain))) == 6 * n
        assert extended_system_of(Pose(chain, motion))[0].shape == (3 * n, 13 * n + 5)
        assert printed_index(n, "Fcjx", 1) == 7 * n + 6
        assert printed_index(n, "Mc", n) == 13 * n + 5
        assert printed_index(n, "phidd", 1) == 6 * n + 4
        assert printed_index(n, "phidd", n) == 7 * n + 3
    expected = {("Mext", 1): 29, ("Mext", 5): 33, ("Fextx", 5): 23, ("Fexty", 5): 28}
    casius = printed("Casius et al. 2004")
    for key, said in expected.items():
        casius(f"listing, index of {key[0]}{key[1]} of five segments", said, printed_index(5, *key), within=0)
    # Of two trunks in a row of six segments, the second: the printed code writes to 7n + 4 and 6n + 4 instead.
    assert printed_index(6, "phidd", 6) == 6 * 6 + 9
    assert printed_index(6, "Mext", 6) == 5 * 6 + 9


# The equations ----------------------------------------------------------------------------------------------------


def test_000_4_two_segments_symbol_by_symbol() -> None:
    sympy = pytest.importorskip("sympy", reason="symbolic equality needs sympy")
    l1, d1, d2, m1, m2, j1, j2, p1, w1, w2, a, b = sympy.symbols("l1 d1 d2 m1 m2 j1 j2 p1 w1 w2 phi1 phi2")
    fx1, fx2, fy1, fy2, n1, n2, M1, M2, xdd, ydd, l2 = sympy.symbols("Fx1 Fx2 Fy1 Fy2 Me1 Me2 M1 M2 xdd ydd l2")
    s1, c1, s2, c2 = sympy.sin(a), sympy.cos(a), sympy.sin(b), sympy.cos(b)
    printed = sympy.Matrix(
        [
            [1, -1, 0, 0, m1 * d1 * s1, 0],
            [0, 1, 0, 0, m2 * l1 * s1, m2 * d2 * s2],
            [0, 0, 1, -1, -m1 * d1 * c1, 0],
            [0, 0, 0, 1, -m2 * l1 * c1, -m2 * d2 * c2],
            [d1 * s1, p1 * s1, -d1 * c1, -p1 * c1, -j1, 0],
            [0, d2 * s2, 0, -d2 * c2, 0, -j2],
        ]
    )
    printed_right = sympy.Matrix(
        [
            -fx1 + m1 * xdd - m1 * d1 * c1 * w1**2,
            -fx2 + m2 * xdd - m2 * l1 * c1 * w1**2 - m2 * d2 * c2 * w2**2,
            -fy1 + m1 * ydd - m1 * d1 * s1 * w1**2,
            -fy2 + m2 * ydd - m2 * l1 * s1 * w1**2 - m2 * d2 * s2 * w2**2,
            -n1 - M1 + M2,
            -n2 - M2,
        ]
    )
    arms = [np.array([[x * c1, x * s1], [y * c2, y * s2]], dtype=object) for x, y in ((d1, d2), (l1, l2))]
    masses, inertias, rates = (np.array(pair, dtype=object) for pair in ((m1, m2), (j1, j2), (w1, w2)))
    left = formulation.matrix(*arms, masses, inertias)
    right = formulation.right_side(*arms, masses, rates)
    values = [None, None, 0, None, None, 0, M1, M2, 0, fx1, fx2, fy1, fy2, n1, n2, None, None, xdd, ydd]
    unknown = [i for i, value in enumerate(values) if value is None]
    reduced = right - sum(left[:, i] * value for i, value in enumerate(values) if value is not None)
    difference = (sympy.Matrix(left[:, unknown]) - printed).subs(p1, l1 - d1)
    assert difference.applyfunc(sympy.simplify) == sympy.zeros(6, 6)
    assert (sympy.Matrix(reduced) - printed_right).applyfunc(sympy.simplify) == sympy.zeros(6, 1)


@pytest.mark.parametrize("n", range(1, 7))
def test_000_5_blocks_for_any_number_of_segments(n: int) -> None:
    chain, motion = random_chain(n)
    left, right = system_of(Pose(chain, motion))
    s, c, w = np.sin(motion.angles), np.cos(motion.angles), motion.rates
    m, j, l, d = chain.masses, chain.inertias, chain.lengths, chain.centres[:, 0]
    p = l - d
    block1, block5, block7, expected = (
        np.zeros(shape) for shape in ((2 * n, 2 * n + 2), (2 * n, n), (n, 2 * n + 2), 3 * n)
    )
    for i in range(n):
        block1[i, i], block1[i, i + 1], block1[n + i, n + 1 + i], block1[n + i, n + 2 + i] = 1, -1, 1, -1
        block7[i, [i, i + 1, n + 1 + i, n + 2 + i]] = d[i] * s[i], p[i] * s[i], -d[i] * c[i], -p[i] * c[i]
        for k in range(i + 1):
            reach = d[i] if k == i else l[k]
            block5[i, k], block5[n + i, k] = m[i] * reach * s[k], -m[i] * reach * c[k]
            expected[i] -= m[i] * reach * c[k] * w[k] ** 2
            expected[n + i] -= m[i] * reach * s[k] * w[k] ** 2
    zero = np.zeros
    block8 = np.eye(n, n + 1) - np.eye(n, n + 1, k=1)
    block6 = np.block([[-m[:, None], zero((n, 1))], [zero((n, 1)), -m[:, None]]])
    printed = np.block(
        [
            [block1, zero((2 * n, n + 1)), np.eye(2 * n), zero((2 * n, n)), block5, block6],
            [block7, block8, zero((n, 2 * n)), np.eye(n), -np.diag(j), zero((n, 2))],
        ]
    )
    np.testing.assert_allclose(left, printed, rtol=0, atol=1e-15)
    np.testing.assert_allclose(right, expected, rtol=1e-14, atol=1e-13)


def lagrange(chain: Chain, motion: Motion) -> tuple[Any, Any]:
    """Return mass matrix and bias of a chain with fixed base in its angles, from its kinetic and potential energy.

    With a_ki the share of angle i in the position of centre k (l_i, d_k or nothing) the kinetic energy is
    ½ Σ_ij w_i w_j cos(φ_i - φ_j) Σ_k m_k a_ki a_kj + ½ Σ_i j_i w_i², and Lagrange's equations follow by hand.
    """
    n = chain.size
    shares = np.tril(np.tile(chain.lengths, (n, 1)), -1) + np.diag(chain.centres[:, 0])
    weights = np.einsum("k,ki,kj->ij", chain.masses, shares, shares)
    apart = motion.angles[:, None] - motion.angles[None, :]
    mass = weights * np.cos(apart) + np.diag(chain.inertias)
    centrifugal = (weights * np.sin(apart)) @ motion.rates**2
    return mass, centrifugal + GRAVITY * (chain.masses @ shares) * np.cos(motion.angles)


@pytest.mark.parametrize("n", range(1, 7))
@pytest.mark.parametrize("seed", range(5))
def test_000_5_lagrange_agrees(n: int, seed: int) -> None:
    chain, motion = random_chain(n, seed)
    moments = np.append(40.0 * np.random.default_rng([n, seed, 2]).normal(size=n), 0.0)
    found = solve(chain, motion, added(weight(chain), values_of(chain, "moment", moments)), forward_unknowns(chain))
    mass, bias = lagrange(chain, motion)
    on_segments = moments[:-1] - moments[1:]
    # The balance itself, and the accelerations; the latter cannot be better than the condition of the mass matrix.
    assert relative(mass @ found.angular_accelerations + bias, on_segments) < 1e-12
    assert relative(found.angular_accelerations, np.linalg.solve(mass, on_segments - bias)) < 1e-12


@pytest.mark.parametrize("n", [1, 2, 4, 8])
@pytest.mark.parametrize("free_base", [False, True])
def test_000_6_inverse_undoes_forward_and_mixed(n: int, free_base: bool) -> None:
    chain, motion = random_chain(n, 3)
    loads = random_loads(chain)
    forward = solve(chain, motion, loads, forward_unknowns(chain, free_base))
    everything = {name: forward[name] for name in variable_names(chain)}
    rng = np.random.default_rng([n, free_base])
    choices = [inverse_unknowns(chain), inverse_unknowns(chain, known_base=True)]
    for _ in range(5):
        # Mixed: in some joints the moment is sought, in others the acceleration of the segment behind.
        swapped = rng.random(n) < 0.5
        swaps = {f"segment{i + 1}.angular_acceleration": f"joint{i + 1}.moment" for i in range(n) if swapped[i]}
        choices.append(exchanged(forward_unknowns(chain, free_base), swaps))
    for unknowns in choices:
        known = {name: value for name, value in everything.items() if name not in unknowns}
        found = solve(chain, motion, known)
        assert relative(found.values, forward.values) < 1e-10, unknowns


@pytest.mark.parametrize("n", [1, 2, 5])
def test_000_7_free_fall(n: int) -> None:
    chain, motion = random_chain(n)
    unknowns = forward_unknowns(chain, free_base=True)
    assert len(unknowns) == 3 * n
    assert not {"joint1.reaction_force_x", "joint1.reaction_force_y"} & set(unknowns)
    still = Motion(motion.angles)
    found = solve(chain, still, weight(chain), unknowns)
    assert found["base.acceleration_y"] == pytest.approx(-GRAVITY, abs=1e-12)
    assert found["base.acceleration_x"] == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(found.angular_accelerations, 0.0, atol=1e-11)
    # Spinning segments pull each other, but the whole still falls as one.
    found = solve(chain, motion, weight(chain), unknowns)
    momentum = np.zeros(2)
    for segment in chain.segments:
        momentum += segment.mass * point_acceleration(chain, motion, Point(segment.name, segment.centre), found)
    np.testing.assert_allclose(momentum / chain.masses.sum(), [0.0, -GRAVITY], atol=1e-11)


def point_acceleration(chain: Chain, motion: Motion, place: Any, found: Any) -> Any:
    """Return an acceleration by differences of velocities along the motion, to judge the printed formula."""
    h = 1e-3

    def shifted(t: float) -> Motion:
        angles = motion.angles + t * motion.rates + t**2 / 2 * found.angular_accelerations
        return Motion(angles, motion.rates + t * found.angular_accelerations)

    speeds = {t: velocity(chain, shifted(t * h), place) for t in (-3, -2, -1, 1, 2, 3)}
    slope = 3 / 4 * (speeds[1] - speeds[-1]) - 3 / 20 * (speeds[2] - speeds[-2]) + 1 / 60 * (speeds[3] - speeds[-3])
    return found.base_acceleration + slope / h


def test_000_8_prescribed_acceleration_by_swapping_and_by_a_row() -> None:
    chain, motion = random_chain(2)
    loads = random_loads(chain) | {"segment2.external_moment": 0.0}
    forward, wanted, reaction = forward_unknowns(chain), 2 * np.pi, "segment2.external_moment"
    swapped = solve(
        chain,
        motion,
        {k: v for k, v in loads.items() if k != reaction} | {"segment2.angular_acceleration": wanted},
        exchanged(forward, {"segment2.angular_acceleration": reaction}),
    )
    added_row = solve(chain, motion, loads, forward, [AngularAcceleration("segment2", wanted, [reaction])])
    own = AngularAcceleration("segment2", wanted)
    with_own = solve(chain, motion, loads, forward, [own])
    assert swapped["segment2.angular_acceleration"] == wanted
    assert relative(added_row.values, swapped.values) < 1e-12
    assert with_own[reaction] == 0.0
    assert with_own.reaction_of(own)[0] == pytest.approx(swapped[reaction], rel=1e-12)
    assert with_own["segment2.constraint_moment"] == with_own.reaction_of(own)[0]
    assert relative(with_own.angular_accelerations, swapped.angular_accelerations) < 1e-12
    # The printed way: a row below A', its right side below b', and the moment marked as unknown.
    V = np.array([loads.get(name, 0.0) for name in variable_names(chain)])
    K = np.array([name not in (*forward, reaction) for name in variable_names(chain)])
    row = np.zeros(19)
    row[printed_index(2, "phidd", 2) - 1] = 1.0
    assert relative(solve_arrays(chain, motion, V, K, [row], [wanted]), swapped.values) < 1e-12
    # Without that unknown the system is over-determined; the paper says the opposite.
    K[printed_index(2, "Mext", 2) - 1] = True
    with pytest.raises(SolveError, match=r"6 unknowns for 7 equations: 1 too few.*over-determined.*added row 1"):
        solve_arrays(chain, motion, V, K, [row], [wanted])


# Cyclists ---------------------------------------------------------------------------------------------------------
# The parameters of the printed example were never published; these are round numbers of the same size.

CRANK, FOOT, SHANK, THIGH, TRUNK = 0.17, 0.165, 0.45, 0.44, 0.6
BODY = {"foot": (FOOT, 0.12, 1.2, 0.01), "shank": (SHANK, 0.255, 3.5, 0.07), "thigh": (THIGH, 0.25, 8.5, 0.21)}
HIP = np.array([-0.15, 0.81])
CRANK_RATE = -4 * np.pi


def leg(pedal: Sequence[float], pedal_velocity: Sequence[float], foot: float, foot_rate: float) -> tuple[Any, Any]:
    """Return angles and rates of foot, shank and thigh between a pedal and the hip, the knee in front."""
    ankle = np.array(pedal) + FOOT * np.array([np.cos(foot), np.sin(foot)])
    span = HIP - ankle
    length = np.hypot(*span)
    inner = np.arccos((SHANK**2 + length**2 - THIGH**2) / (2 * SHANK * length))
    shank = np.arctan2(span[1], span[0]) - inner
    knee = ankle + SHANK * np.array([np.cos(shank), np.sin(shank)])
    thigh = np.arctan2(*(HIP - knee)[::-1])
    across = np.array(
        [[-SHANK * np.sin(shank), -THIGH * np.sin(thigh)], [SHANK * np.cos(shank), THIGH * np.cos(thigh)]]
    )
    ankle_velocity = np.array(pedal_velocity) + foot_rate * FOOT * np.array([-np.sin(foot), np.cos(foot)])
    return np.array([foot, shank, thigh]), np.array([foot_rate, *np.linalg.solve(across, -ankle_velocity)])


def one_legged(crank_angle: float = 0.4) -> tuple[Chain, Motion, dict[str, float]]:
    """Return the cyclist of figure 8 at a steady 120 turns a minute, with moments in ankle, knee and hip."""
    segments = [Segment("crank", CRANK, 0.5 * CRANK, 0.3, 0.002)]
    segments += [Segment(name, *numbers) for name, numbers in BODY.items()]
    segments += [Segment("trunk", TRUNK, 0.3, 27.0, 1.5)]
    chain = Chain(segments, ["axle", "pedal", "ankle", "knee", "hip", "head"])
    pedal = CRANK * np.array([np.cos(crank_angle), np.sin(crank_angle)])
    angles, rates = leg(pedal, CRANK_RATE * np.array([-pedal[1], pedal[0]]), 2.4, 1.0)
    motion = Motion([crank_angle, *angles, 1.1], [CRANK_RATE, *rates, 0.0])
    loads = added(weight(chain), {"ankle.moment": -25.0, "knee.moment": 60.0, "hip.moment": -45.0})
    return chain, motion, loads


def test_000_10_and_000_11_sprint_cyclist() -> None:
    chain, motion, loads = one_legged()
    held = [AngularAcceleration("crank"), AngularAcceleration("trunk"), PointAcceleration("hip")]
    left, _ = system_of(Pose(chain, motion))
    assert left.shape == (15, 40)
    assert sum(len(constraint.rows(Pose(chain, motion)).labels) for constraint in held) == 4
    assert motion.state.shape == (2 * 5 + 4,)
    assert motion.state[5] == CRANK_RATE
    np.testing.assert_array_equal(Motion.from_state(motion.state).state, motion.state)
    assert abs(CRANK_RATE) / (2 * np.pi) * 60 == pytest.approx(120)
    assert 2 * np.pi / abs(CRANK_RATE) == pytest.approx(0.5)
    np.testing.assert_allclose(position(chain, motion, "hip"), HIP, atol=1e-15)
    np.testing.assert_allclose(velocity(chain, motion, "hip"), 0.0, atol=1e-14)
    found = solve(chain, motion, loads, forward_unknowns(chain), held)
    rate = motion.state_rate(found)
    np.testing.assert_allclose(rate[[5, 9, 10, 11, 12, 13]], 0.0, atol=1e-10)
    assert abs(found["knee.moment"]) == 60.0


def test_000_12_the_printed_program_of_the_cyclist() -> None:
    """Rows and marks as in the listing, against constraints that bring their own reactions."""
    chain, motion, loads = one_legged()
    n4, n5, n6, n7 = 20, 25, 30, 35
    V = np.array([loads.get(name, 0.0) for name in variable_names(chain)])
    K = np.array([name not in forward_unknowns(chain) for name in variable_names(chain)])
    rows, right = np.zeros((4, n7 + 5)), np.zeros(4)
    rows[0, n6 + 4 - 1] = rows[1, n7 + 3 - 1] = rows[2, n7 + 4 - 1] = rows[3, n7 + 5 - 1] = 1.0
    for i in range(1, 5):
        angle, length = motion.angles[i - 1], chain.lengths[i - 1]
        rows[2, n6 + 3 + i - 1] = -length * np.sin(angle)
        rows[3, n6 + 3 + i - 1] = length * np.cos(angle)
        right[2] += length * np.cos(angle) * motion.rates[i - 1] ** 2
        right[3] += length * np.sin(angle) * motion.rates[i - 1] ** 2
    K[[n5 + 4 - 1, n6 + 3 - 1, n4 + 3 - 1, n5 + 3 - 1]] = False
    V_new = solve_arrays(chain, motion, V, K, rows, right)

    crank, trunk, hip = AngularAcceleration("crank"), AngularAcceleration("trunk"), PointAcceleration("hip")
    own = solve(chain, motion, loads, forward_unknowns(chain), [crank, trunk, hip])
    assert relative(own.angular_accelerations, V_new[n6 + 3 : n7 + 3]) < 1e-10
    assert own.reaction_of(crank)[0] == pytest.approx(V_new[29 - 1], rel=1e-10)
    # The printed way loses the weight of the trunk and the saddle's force in one number; here both are to be read.
    push = V_new[[n4 + 3 - 1, n5 + 3 - 1]] - [0.0, loads["trunk.external_force_y"]]
    np.testing.assert_allclose(own.reaction_of(hip), push, rtol=1e-9)
    assert own["trunk.constraint_joint_force_y"] == own.reaction_of(hip)[1]
    assert own["trunk.external_force_y"] == loads["trunk.external_force_y"]


def drift_of_the_hip(step: float, revolutions: float = 1.0) -> float:
    """Return how far the hip has moved after some turns of the crank with Heun's method."""
    chain, motion, loads = one_legged()
    held = [AngularAcceleration("crank"), AngularAcceleration("trunk"), PointAcceleration("hip")]

    def rate(state: Any) -> Any:
        now = Motion.from_state(state)
        return now.state_rate(solve(chain, now, loads | flexing(now), forward_unknowns(chain), held))

    def flexing(now: Motion) -> dict[str, float]:
        # A spring and a damper keep the foot level; the moments of the paper's muscles are not printed.
        return {
            "ankle.moment": 40.0 * (now.angles[1] - 2.4) + 4.0 * now.rates[1],
            "knee.moment": 20.0,
            "hip.moment": -5.0,
        }

    state = motion.state
    for _ in range(round(revolutions * 0.5 / step)):
        first = rate(state)
        state = state + step / 2 * (first + rate(state + step * first))
    assert np.isfinite(state).all()
    return float(np.hypot(*(position(chain, Motion.from_state(state), "hip") - HIP)))


def test_000_28_the_hip_drifts_with_the_order_of_the_method() -> None:
    coarse, fine = drift_of_the_hip(2e-3), drift_of_the_hip(1e-3)
    assert 1e-9 < fine < coarse < 1e-3
    assert np.log2(coarse / fine) == pytest.approx(2.0, abs=0.1)


def two_legs(cranks: int, crank_angle: float = 0.4) -> tuple[Chain, Motion]:
    """Return the two-legged cyclist of figure 4 with two cranks (a) or one (b); the trunk is there twice.

    The cranks of (a) have their centres of mass on the axle and half the inertia of the one crank of (b), so that
    both are the same machine.
    """
    half = [Segment(f"trunk{i}", TRUNK, d, 13.5, 0.75) for i, d in ((1, 0.3), (2, TRUNK - 0.3))]
    right_leg = [Segment(f"{name}1", *numbers) for name, numbers in BODY.items()]
    left_leg = [Segment(f"{name}2", l, l - d, m, j) for name, (l, d, m, j) in reversed(BODY.items())]
    joints = ["ankle1", "knee1", "hip1", "head", "hip2", "knee2", "ankle2", "toe2"]
    pedal = CRANK * np.array([np.cos(crank_angle), np.sin(crank_angle)])
    speed = CRANK_RATE * np.array([-pedal[1], pedal[0]])
    (angles1, rates1), (angles2, rates2) = leg(pedal, speed, 2.4, 1.0), leg(-pedal, -speed, 2.2, -2.0)
    angles = [*angles1, 1.1, 1.1 - np.pi, *(angles2[::-1] - np.pi)]
    rates = [*rates1, 0.0, 0.0, *rates2[::-1]]
    if cranks == 2:
        ends = [Segment("crank1", CRANK, 0.0, 0.5, 0.004), Segment("crank2", CRANK, CRANK, 0.5, 0.004)]
        chain = Chain([ends[0], *right_leg, *half, *left_leg, ends[1]], ["axle", "toe1", *joints, "end"])
        return chain, Motion([crank_angle, *angles, crank_angle], [CRANK_RATE, *rates, CRANK_RATE])
    chain = Chain(
        [Segment("crank", 2 * CRANK, CRANK, 1.0, 0.008), *right_leg, *half, *left_leg], ["pedal2", "toe1", *joints]
    )
    return chain, Motion([crank_angle, *angles], [CRANK_RATE, *rates], -pedal, -speed)


def test_000_31_one_crank_or_two() -> None:
    moments = {
        "ankle1.moment": -25.0,
        "knee1.moment": 60.0,
        "hip1.moment": -45.0,
        "ankle2.moment": 10.0,
        "knee2.moment": -5.0,
        "hip2.moment": 3.0,
    }
    seated = [PointAcceleration("hip1"), AngularAcceleration("trunk1"), EqualAngularAccelerations("trunk1", "trunk2")]
    (chain, motion), (short, short_motion) = two_legs(2), two_legs(1)

    closing = [PointAcceleration("end"), EqualAngularAccelerations("crank1", "crank2")]
    assert len(system_of(Pose(chain, motion))[1]) == 30
    assert sum(len(constraint.rows(Pose(chain, motion)).labels) for constraint in closing) == 3
    np.testing.assert_allclose(position(chain, motion, "end"), 0.0, atol=1e-14)
    loads = added(weight(chain), moments, {"crank1.external_moment": 30.0})
    two = solve(chain, motion, loads, forward_unknowns(chain), [*seated, *closing])

    meeting = CoincidentPoints("pedal2", "toe2")
    on_axle = PointAcceleration(Point("crank", CRANK))
    assert len(system_of(Pose(short, short_motion))[1]) == 27
    assert len(meeting.rows(Pose(short, short_motion)).labels) == 2
    np.testing.assert_allclose(position(short, short_motion, "toe2"), short_motion.base, atol=1e-14)
    loads = added(weight(short), moments, {"crank.external_moment": 30.0})
    unknowns = forward_unknowns(short, free_base=True)
    one = solve(short, short_motion, loads, unknowns, [*seated, meeting, on_axle])

    both = [name for name in short.names if name != "crank"]
    apart = [one[f"{name}.angular_acceleration"] - two[f"{name}.angular_acceleration"] for name in both]
    assert np.abs(apart).max() < 1e-9 * np.abs(one.angular_accelerations).max()
    assert one["crank.angular_acceleration"] == pytest.approx(two["crank1.angular_acceleration"], rel=1e-10)
    np.testing.assert_allclose(one.reaction_of(seated[0]), two.reaction_of(seated[0]), rtol=1e-9)


def test_000_30_power_by_the_moment_and_by_the_pedal_forces() -> None:
    chain, motion = two_legs(1)
    steady, meeting = AngularAcceleration("crank"), CoincidentPoints("pedal2", "toe2")
    held = [
        PointAcceleration("hip1"),
        AngularAcceleration("trunk1"),
        EqualAngularAccelerations("trunk1", "trunk2"),
        meeting,
        PointAcceleration(Point("crank", CRANK)),
        steady,
    ]
    loads = added(weight(chain), {"ankle1.moment": -25.0, "knee1.moment": 60.0, "hip1.moment": -45.0})
    found = solve(chain, motion, loads, forward_unknowns(chain, free_base=True), held)
    on_crank = [-found["toe1.reaction_force_x"], -found["toe1.reaction_force_y"]]
    power = velocity(chain, motion, "toe1") @ on_crank
    power += velocity(chain, motion, "pedal2") @ found.reaction_of(meeting)
    assert power == pytest.approx(-found.reaction_of(steady)[0] * CRANK_RATE, rel=1e-8)
    assert abs(power) > 100.0


# Recorded jumps ---------------------------------------------------------------------------------------------------

NEEDS_JUMPS = pytest.mark.skipif(not JUMPS.is_dir(), reason="the recorded jumps (shared/data/jump) are not here")
APEX = {"baseline": 1.43453, "opt": 1.48150, "justHip": 1.41709, "justBiarticulars": 1.43327}
# Median differences (rad/s²) of foot, shank, thigh, and head-arms-trunk; accelerations reach 700 rad/s².
MEDIANS = np.array([0.01, 0.002, 0.005, 0.002])


def recorded(name: str) -> tuple[Chain, Motion, dict[str, Any]]:
    """Return a jump of Wong et al. 2016 (PLoS ONE 11, e0150019), row by row at 1 kHz up to take-off, and its moments."""
    header, *lines = (JUMPS / f"superjumper_{name}POS3.txt").read_text().splitlines()
    masses, inertias, lengths, centres = np.array(header.split(), dtype=float)[36:52].reshape(4, 4)
    rows = np.array([line.split() for line in lines], dtype=float)
    names = ("foot", "shank", "thigh", "hat")
    segments = [Segment(*numbers) for numbers in zip(names, lengths, centres, masses, inertias, strict=True)]
    chain = Chain(segments, ["toe", "ankle", "knee", "hip", "top"])
    motion = Motion(rows[:, :4], rows[:, 4:8], rows[:, 8:10], rows[:, 10:12])
    for number, joint in enumerate(chain.joints):
        recorded_place = rows[:, [25 + number, 30 + number]]
        np.testing.assert_allclose(position(chain, motion, joint), recorded_place, atol=1e-5)
    return chain, motion, added(values_of(chain, "moment", rows[:, 38:42]), {"foot.external_moment": rows[:, 78]})


@NEEDS_JUMPS
def test_recorded_moments_give_the_recorded_accelerations() -> None:
    differences = []
    for name in APEX:
        chain, motion, moments = recorded(name)
        found = solve(chain, motion, added(weight(chain), moments), forward_unknowns(chain))
        slopes = (motion.rates[2:] - motion.rates[:-2]) / 2e-3
        differences.append(np.abs(found.angular_accelerations[1:-1] - slopes))
        # Single recordings exceed the pooled medians a little: they were made by Heun steps of 1 ms, whose own error
        # differences of the speeds show. test_jumper.py replays those steps row by row.
        assert (np.median(differences[-1], axis=0) <= 1.25 * MEDIANS).all(), name
    together = np.median(np.concatenate(differences), axis=0)
    assert (together <= MEDIANS).all(), together


@NEEDS_JUMPS
def test_recorded_accelerations_give_the_recorded_moments() -> None:
    """The inverse: what drives the recorded motion is what the recording says, and nothing acts at the top."""
    for name in APEX:
        chain, motion, moments = recorded(name)
        slopes = (motion.rates[2:] - motion.rates[:-2]) / 2e-3
        inner = Motion(motion.angles[1:-1], motion.rates[1:-1])
        known = added(weight(chain), values_of(chain, "angular_acceleration", slopes))
        found = solve(chain, inner, known, inverse_unknowns(chain))
        for joint in ("ankle", "knee", "hip"):
            apart = np.abs(found[f"{joint}.moment"] - moments[f"{joint}.moment"][1:-1])
            assert np.median(apart) < 0.1, (name, joint)  # of several hundred N m


@NEEDS_JUMPS
@pytest.mark.parametrize("name", APEX)
def test_recorded_jumps_rise_as_high_as_stated(name: str) -> None:
    chain, motion, _ = recorded(name)
    assert chain.masses.sum() == pytest.approx(82.25236, abs=1e-3)
    place, speed = centre_of_mass(chain, motion)
    assert place[-1, 1] + speed[-1, 1] ** 2 / (2 * GRAVITY) == pytest.approx(APEX[name], abs=1e-5)
