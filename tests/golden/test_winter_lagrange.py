"""Winter (2009), Biomechanics and Motor Control of Human Movement, chapter 8: every equation that can be checked.

Where the print is wrong the test states the corrected equation and names the erratum.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

sympy = pytest.importorskip("sympy", reason="formulas need SymPy, which comes with the test extra")

from myodyne.errors import ModelError  # noqa: E402
from myodyne.formulations import lagrange as lg  # noqa: E402

cos, sin, sqrt, Rational = sympy.cos, sympy.sin, sympy.sqrt, sympy.Rational


def symbols(names: str) -> tuple[Any, ...]:
    return sympy.symbols(names)


def same(left: Any, right: Any) -> bool:
    """Tell whether two formulas are equal: as polynomials of sines and cosines, with sin² = 1 - cos²."""
    apart = sympy.expand(sympy.expand_trig(sympy.expand(left - right)))
    apart = sympy.expand(
        apart.replace(
            lambda part: part.is_Pow and isinstance(part.base, sin) and part.exp.is_Integer and part.exp > 1,
            lambda part: (1 - cos(part.base.args[0]) ** 2) ** (part.exp // 2) * part.base ** (part.exp % 2),
        )
    )
    return apart == 0 or sympy.simplify(apart) == 0


def alike(left: Any, right: Any) -> bool:
    return len(left) == len(right) and all(same(a, b) for a, b in zip(left, right, strict=True))


# 8.2 Generalised coordinates, degrees of freedom, the sliding blocks


def test_003_1_a_point_by_radius_and_sine() -> None:
    """x = q1 √(1 - q2²), y = q1 q2 for (r, sin θ): any pair serves, and the kinetic energy is that of (r, θ)."""
    particle = lg.Description(
        name="particle",
        coordinates=["q1", "q2"],
        parameters=["m"],
        gravity=(0, 0),
        frames={},
        points={"p": lg.Point("ground", ("q1*sqrt(1 - q2**2)", "q1*q2"))},
        segments={"p": lg.Segment("p", "m")},
    )
    equations = lg.derive(particle)
    q1, q2, v1, v2, m = symbols("q1 q2 q1_dot q2_dot m")
    assert alike(equations.displacement("p"), (q1 * sqrt(1 - q2**2), q1 * q2))
    # θ = asin q2, so θ̇ = q̇2 / √(1 - q2²).
    assert same(equations.kinetic_energy, m / 2 * (v1**2 + q1**2 * v2**2 / (1 - q2**2)))


def test_003_2_degrees_of_freedom() -> None:
    """Equation 8.2: 6 S + 3 P - C; fewer than none cannot be solved."""
    assert lg.degrees_of_freedom(segments=3, particles=2, constraints=4) == 6 * 3 + 3 * 2 - 4
    assert lg.degrees_of_freedom(segments=1, particles=0, constraints=6) == 0
    assert lg.degrees_of_freedom(segments=3, particles=0, constraints=6, dimension=2) == 3
    with pytest.raises(ModelError, match=r"-1 degrees of freedom.*redundant"):
        lg.degrees_of_freedom(segments=1, particles=0, constraints=7)


def test_003_2_the_particle_in_the_plane_and_the_force_that_keeps_it_there() -> None:
    """The example of 8.2.2: z = 0 takes one of three degrees away, and λ is the force along z."""
    particle = lg.Description(
        name="particle",
        coordinates=["x", "y", "z"],
        parameters=["m", "g"],
        gravity=(0, 0, "-g"),
        dimension=3,
        frames={},
        points={"p": lg.Point("ground", ("x", "y", "z"))},
        segments={"p": lg.Segment("p", "m")},
        constraints={"plane": lg.Constraint("z")},
    )
    equations = lg.derive(particle)
    assert equations.mobility.degrees == 2
    assert equations.mobility.all_constraints == 1
    assert [equations.right_side(name) for name in "xyz"] == [0, 0, sympy.Symbol("lambda_plane")]
    motion = lg.numbers_of(particle, {"m": 2.0, "g": 9.81}).motion([1, 2, 0], [3, 4, 0])
    assert motion.multipliers["plane"] == pytest.approx(2.0 * 9.81)


def blocks() -> lg.Description:
    """The sliding blocks of Figure 8.2, θ = 45°, with the extra coordinate q3 and its constraint (8.12a to 8.12c)."""
    return lg.from_lists(
        {
            "LRS": [[1, "pi/4"]],
            "pt": [[0, "q1", 0], [1, "d1 - q2", "q3"]],
            "seg": [[1, "m1"], [2, "m2"]],
            "constraints": ["q3 - d2"],
        },
        name="blocks",
        coordinates=["q1", "q2", "q3"],
        parameters=["d1", "d2", "m1", "m2", "g"],
        gravity=(0, "-g"),
    )


def test_003_3_sliding_blocks() -> None:
    """Equations 8.12d to 8.12g and the three equations of motion.

    Errata: the first q1 of the kinetic energy needs a dot; the third equation has m2 q̈3, not m2 q̈2.
    """
    equations = lg.derive(blocks())
    q1, q2, q3, v1, v2, v3, a1, a2, a3 = symbols("q1 q2 q3 q1_dot q2_dot q3_dot q1_ddot q2_ddot q3_ddot")
    d1, d2, m1, m2, g = symbols("d1 d2 m1 m2 g")
    half_root = 1 / sqrt(2)
    assert float(half_root) == pytest.approx(0.707, abs=5e-4)
    assert float(2 * half_root) == pytest.approx(1.414, abs=5e-4)
    assert alike(equations.displacement("pt1"), (q1, 0))
    assert alike(equations.velocity("pt1"), (v1, 0))
    assert alike(
        equations.displacement("pt2"),
        (q1 + half_root * (d1 - q2) - half_root * q3, half_root * (d1 - q2) + half_root * q3),
    )
    assert alike(equations.velocity("pt2"), (v1 - half_root * (v2 + v3), half_root * (v3 - v2)))
    kinetic = m1 * v1**2 / 2 + m2 / 2 * ((v1 - half_root * (v2 + v3)) ** 2 + (half_root * (v3 - v2)) ** 2)
    assert same(equations.kinetic_energy, kinetic)
    assert same(equations.potential_energy, half_root * m2 * g * (d1 + q3 - q2))
    lagrangian = (
        (m1 + m2) * v1**2 / 2
        + m2 / 2 * (v2**2 + v3**2 - 2 * half_root * v1 * (v2 + v3))
        - half_root * m2 * g * (d1 + q3 - q2)
    )
    assert same(equations.lagrangian, lagrangian)
    multiplier = sympy.Symbol("lambda_c1")
    assert [equations.right_side(name) for name in ("q1", "q2", "q3")] == [0, 0, multiplier]
    expected = {
        "q1": (m1 + m2) * a1 - half_root * m2 * a2 - half_root * m2 * a3,
        "q2": -half_root * m2 * a1 + m2 * a2 - half_root * m2 * g,
        "q3": -half_root * m2 * a1 + m2 * a3 + half_root * m2 * g,
    }
    for name, left in expected.items():
        assert same(equations.left_side(name), left), name
    assert same(equations.constraints["c1"], q3 - d2)


def test_003_3_without_the_constraint_force_the_first_two_equations_suffice() -> None:
    """With q̈3 = 0 the multiplier is the force between the blocks; the others are those of two degrees of freedom."""
    equations = lg.derive(blocks())
    assert equations.mobility.degrees == 2
    numbers = {"d1": 1.0, "d2": 0.1, "m1": 3.0, "m2": 2.0, "g": 9.81}
    motion = equations.numbers(numbers).motion([0.3, 0.2, 0.1], [0.5, -0.4, 0.0])
    c = np.sqrt(0.5)
    mass = np.array([[5.0, -2.0 * c], [-2.0 * c, 2.0]])
    assert motion.accelerations == pytest.approx([*np.linalg.solve(mass, [0.0, 2.0 * c * 9.81]), 0.0], abs=1e-12)
    force = -2.0 * c * motion.accelerations[0] + 2.0 * c * 9.81
    assert motion.multipliers["c1"] == pytest.approx(force)


# 8.2.7 Displacement and velocity


def test_003_4_position_and_velocity_in_the_plane() -> None:
    """Equations 8.16 to 8.18: a point that moves in a frame that moves and turns."""
    description = lg.Description(
        name="point",
        coordinates=["X", "Y", "q", "x", "y"],
        gravity=(0, 0),
        points={"i": lg.Point("ground", ("X", "Y")), "a": lg.Point("i", ("x", "y"))},
        frames={"i": lg.Frame("i", ["q"])},
        segments={"a": lg.Segment("a", 1), "i": lg.Segment("i", 1)},
    )
    equations = lg.derive(description)
    X, Y, q, x, y, dX, dY, w, dx, dy = symbols("X Y q x y X_dot Y_dot q_dot x_dot y_dot")
    c, s = cos(q), sin(q)
    turn = sympy.Matrix([[c, -s], [s, c]])
    spin = sympy.Matrix([[0, -w], [w, 0]])
    local, moving = sympy.Matrix([x, y]), sympy.Matrix([dx, dy])
    assert equations.rotation("i") == turn
    assert alike(equations.displacement("a"), sympy.Matrix([X, Y]) + turn * local)
    assert alike(equations.velocity("a"), sympy.Matrix([dX, dY]) + turn * moving + turn * spin * local)
    assert equations.angular_velocity("i") == (w,)


def top(torque: tuple[str, str, str] = ("Tx", "Ty", "Tz")) -> lg.Description:
    return lg.Description(
        name="top",
        dimension=3,
        coordinates=["a1", "a2", "a3"],
        inputs=["Tx", "Ty", "Tz"],
        parameters=["m", "h", "A", "B", "C", "g"],
        gravity=(0, 0, "-g"),
        points={"tip": lg.Point("ground", (0, 0, 0)), "centre": lg.Point("top", (0, 0, "h"))},
        frames={"top": lg.Frame("tip", ["a1", "a2", "a3"], "zxz")},
        segments={"top": lg.Segment("centre", "m", ("A", "B", "C"))},
        torques={"drive": lg.Torque("ground", "top", torque)},
    )


def test_003_5_euler_angles_zxz() -> None:
    """Equations 8.19, 8.20, 8.22.

    Errata: 8.19 as printed mixes the matrix and its transpose; local to global it is the one below. In 8.20 the first
    entry of the last row, and in 8.22 the third of the first row, is cos θ2, not cos θ3.
    """
    equations = lg.derive(top())
    a1, a2, a3, w1, w2, w3 = symbols("a1 a2 a3 a1_dot a2_dot a3_dot")
    (c1, s1), (c2, s2), (c3, s3) = ((cos(a), sin(a)) for a in (a1, a2, a3))
    matrix = sympy.Matrix(
        [
            [c1 * c3 - s1 * c2 * s3, -c1 * s3 - s1 * c2 * c3, s1 * s2],
            [s1 * c3 + c1 * c2 * s3, -s1 * s3 + c1 * c2 * c3, -c1 * s2],
            [s2 * s3, s2 * c3, c2],
        ]
    )
    # The product of the three printed single turns leads from global to local.
    phi1 = sympy.Matrix([[c1, s1, 0], [-s1, c1, 0], [0, 0, 1]])
    phi2 = sympy.Matrix([[1, 0, 0], [0, c2, s2], [0, -s2, c2]])
    phi3 = sympy.Matrix([[c3, s3, 0], [-s3, c3, 0], [0, 0, 1]])
    assert alike((phi3 * phi2 * phi1).T, matrix)
    assert alike(equations.rotation("top"), matrix)
    rates = sympy.Matrix([[s2 * s3, c3, 0], [s2 * c3, -s3, 0], [c2, 0, 1]])
    assert alike(equations.angular_velocity("top"), rates * sympy.Matrix([w1, w2, w3]))
    torques = sympy.Matrix([[s2 * s3, s2 * c3, c2], [c3, -s3, 0], [0, 0, 1]])
    assert torques == rates.T
    assert alike(equations.applied, torques * sympy.Matrix(symbols("Tx Ty Tz")))


def test_003_5_angular_velocity_is_that_of_the_matrix() -> None:
    """Equation 8.21: [φ]ᵀ d[φ]/dt is the skew matrix of ω, for zxz and for other sequences."""
    for sequence in ("zxz", "xyz", "yzx"):
        frame = lg.Frame("tip", ["a1", "a2", "a3"], sequence)
        equations = lg.derive(
            lg.Description(
                name=sequence,
                dimension=3,
                coordinates=["a1", "a2", "a3"],
                gravity=(0, 0, 0),
                frames={"top": frame},
                points={"tip": lg.Point("ground", (0, 0, 0)), "centre": lg.Point("top", (0, 0, 0))},
                segments={"top": lg.Segment("centre", 1, (1, 2, 2))},
            )
        )
        turn = equations.rotation("top")
        rate = sum((turn.diff(equations.coordinates[n]) * equations.speeds[n] for n in equations.coordinates), 0 * turn)
        wx, wy, wz = equations.angular_velocity("top")
        assert alike(turn.T * rate, sympy.Matrix([[0, -wz, wy], [wz, 0, -wx], [-wy, wx, 0]])), sequence


# 8.3 Energy


@pytest.mark.parametrize("dimension", [2, 3])
def test_003_6_energy_about_any_origin(dimension: int) -> None:
    """Equation 8.23 about the origin of the frame equals the form about the centre of mass.

    Erratum: J is about the origin, and velocity and arm of the second term are in the same axes. The parallel axes
    give J = I + m (r² 1 - r rᵀ); products of inertia enter 8.24 with a minus.
    """
    names = {2: ("x", "y", "q"), 3: ("x", "y", "z", "a1", "a2", "a3")}[dimension]
    arm = ("rx", "ry", "rz")[:dimension]
    at_centre: Any = "I" if dimension == 2 else ("A", "B", "C", "D", "E", "F")
    at_origin: Any = (
        "I + m*(rx**2 + ry**2)"
        if dimension == 2
        else (
            "A + m*(ry**2 + rz**2)",
            "B + m*(rx**2 + rz**2)",
            "C + m*(rx**2 + ry**2)",
            "D + m*rx*ry",
            "E + m*rx*rz",
            "F + m*ry*rz",
        )
    )

    def body(inertia: Any, about: Any) -> Any:
        return lg.derive(
            lg.Description(
                name=about,
                dimension=dimension,
                coordinates=names,
                gravity=(0, "-g", 0)[:dimension],
                parameters=["m", "g", *arm, *([at_centre] if dimension == 2 else at_centre)],
                points={"o": lg.Point("ground", names[:dimension]), "c": lg.Point("body", arm)},
                frames={"body": lg.Frame("o", names[dimension:], "z" if dimension == 2 else "zxz")},
                segments={"body": lg.Segment("c", "m", inertia, about)},
            )
        )

    centre, origin = body(at_centre, "centre"), body(at_origin, "origin")
    assert same(centre.kinetic_energy, origin.kinetic_energy)
    # Equation 8.25: potential energy is m g times the height of the centre.
    height = centre.displacement("c")[1]
    assert same(centre.potential_energy, sympy.Symbol("m") * sympy.Symbol("g") * height)


def test_003_6_particles_and_segments_of_the_list() -> None:
    """Equation 8.26: two entries are a particle, three a segment of the plane, eight one of space."""
    flat = lg.from_lists(
        {"pt": [[0, "x", "y"], [1, 0, 0]], "LRS": [[1, "q"]], "seg": [[1, 2.0], [2, 2.0, 0.5]]},
        coordinates=["x", "y", "q"],
    )
    assert flat.segments["seg1"].inertia is None
    assert flat.segments["seg2"].inertia == (0.5,)
    with pytest.raises(ModelError, match="has 1 entries; in 3 dimensions it has 3 or 6"):
        lg.from_lists(
            {"pt": [[0, "x", 0, 0], [1, 0, 0, 0]], "LRS": [[1, 0, 0, 0]], "seg": [[2, 2.0, 0.5]]},
            coordinates=["x"],
            dimension=3,
        )


def test_003_7_springs_and_dampers() -> None:
    """Equations 8.27 to 8.31: energy of linear and torsional springs, Rayleigh's function, Q = -∂DE/∂q̇."""
    description = lg.from_lists(
        {
            "pt": [[0, 0, 0], [0, "x", "h"], [1, 0, 0]],
            "LRS": [[1, "q"]],
            "seg": [[2, "m"], [3, 0, "J"]],
            "spl": [[1, 2, "kl", "cl", "ls"]],
            "spt": [[0, 1, "kt", "ct", "qs"]],
        },
        coordinates=["x", "q"],
        parameters=["m", "J", "h", "kl", "cl", "ls", "kt", "ct", "qs"],
        gravity=(0, 0),
    )
    equations = lg.derive(description)
    x, q, dx, w, m, J, h, kl, cl, ls, kt, ct, qs = symbols("x q x_dot q_dot m J h kl cl ls kt ct qs")
    length = sqrt(x**2 + h**2)
    stretching = x * dx / length
    assert same(equations.potential_energy, kl / 2 * (length - ls) ** 2 + kt / 2 * (q - qs) ** 2)
    assert same(equations.dissipation, cl / 2 * stretching**2 + ct / 2 * w**2)
    a, alpha = symbols("x_ddot q_ddot")
    assert same(equations.left_side("x"), m * a + kl * (length - ls) * x / length + cl * stretching * x / length)
    assert same(equations.left_side("q"), J * alpha + kt * (q - qs) + ct * w)


# 8.6 The standing human


def stance(**options: Any) -> lg.Description:
    """The lists of section 8.6, as they are printed."""
    return lg.from_lists(
        {
            "LRS": [[1, "q2"], [3, "q3"], [5, "q4"]],
            "pt": [[0, "q1", 0], [1, "r1", 0], [1, "l1", 0], [2, "r2", 0], [2, "l2", 0], [3, "r3", 0]],
            "seg": [[2, "m1", "I1"], [4, "m2", "I2"], [6, "m3", "I3"]],
            "trq": [[0, 1, "T1"], [1, 2, "T2"], [2, 3, "T3"]],
            "frc": [[5, "F", 0]],
        },
        **{
            "name": "stance",
            "coordinates": ["q1", "q2", "q3", "q4"],
            "inputs": ["T1", "T2", "T3", "F"],
            "parameters": list(PERSON),
            "gravity": (0, "-g"),
            **options,
        },
    )


Q1, Q2, Q3, Q4 = sympy.symbols("q1:5")
V1, V2, V3, V4 = sympy.symbols("q1_dot q2_dot q3_dot q4_dot")
A1, A2, A3, A4 = sympy.symbols("q1_ddot q2_ddot q3_ddot q4_ddot")
M1, M2, M3, I1, I2, I3 = sympy.symbols("m1 m2 m3 I1 I2 I3")
R1, R2, R3, L1, L2, G = sympy.symbols("r1 r2 r3 l1 l2 g")
T1, T2, T3, F = sympy.symbols("T1 T2 T3 F")


@pytest.fixture(scope="module")
def standing() -> Any:
    return lg.derive(stance())


def test_003_8_the_lists_of_the_standing_human(standing: Any) -> None:
    """Three frames, six points, three segments, three torques, one force: four equations."""
    lists = standing.description
    counts = [len(table) for table in (lists.frames, lists.points, lists.segments, lists.torques, lists.forces)]
    assert counts == [3, 6, 3, 3, 1]
    assert list(standing.coordinates) == ["q1", "q2", "q3", "q4"]
    assert standing.bias.shape == (4, 1)
    assert standing.mobility.degrees == 4
    assert standing.mobility.text().splitlines()[1] == "DOF = 3*3 + 2*0 - 5 = 4"


def test_003_8_displacements_and_velocities(standing: Any) -> None:
    """Erratum: in velo(4) the second r is r2, not r1."""
    leg, thigh = (L1 * cos(Q2), L1 * sin(Q2)), (L2 * cos(Q3), L2 * sin(Q3))
    expected = {
        "pt1": (Q1, 0),
        "pt2": (Q1 + R1 * cos(Q2), R1 * sin(Q2)),
        "pt3": (Q1 + leg[0], leg[1]),
        "pt4": (Q1 + leg[0] + R2 * cos(Q3), leg[1] + R2 * sin(Q3)),
        "pt5": (Q1 + leg[0] + thigh[0], leg[1] + thigh[1]),
        "pt6": (Q1 + leg[0] + thigh[0] + R3 * cos(Q4), leg[1] + thigh[1] + R3 * sin(Q4)),
    }
    for point, position in expected.items():
        assert alike(standing.displacement(point), position), point
    velocities = {
        "pt2": (V1 - R1 * V2 * sin(Q2), R1 * V2 * cos(Q2)),
        "pt4": (V1 - L1 * V2 * sin(Q2) - R2 * V3 * sin(Q3), L1 * V2 * cos(Q2) + R2 * V3 * cos(Q3)),
        "pt6": (
            V1 - L1 * V2 * sin(Q2) - L2 * V3 * sin(Q3) - R3 * V4 * sin(Q4),
            L1 * V2 * cos(Q2) + L2 * V3 * cos(Q3) + R3 * V4 * cos(Q4),
        ),
    }
    for point, velocity in velocities.items():
        assert alike(standing.velocity(point), velocity), point


def test_003_8_lagrangian_and_work(standing: Any) -> None:
    """The collected L and W. Errata: -q̇1 q̇4 sin(q4) m3 r3 (the sine is missing); W has T2 (q3 - q2)."""
    height1, height2 = R1 * sin(Q2), L1 * sin(Q2) + R2 * sin(Q3)
    height3 = L1 * sin(Q2) + L2 * sin(Q3) + R3 * sin(Q4)
    collected = (
        V1**2 / 2 * (M1 + M2 + M3)
        + V2**2 / 2 * (M1 * R1**2 + I1 + M2 * L1**2 + M3 * L1**2)
        + V3**2 / 2 * (M2 * R2**2 + I2 + M3 * L2**2)
        + V4**2 / 2 * (M3 * R3**2 + I3)
        - V1 * V2 * sin(Q2) * (M1 * R1 + M2 * L1 + M3 * L1)
        - V1 * V3 * sin(Q3) * (M2 * R2 + M3 * L2)
        - V1 * V4 * sin(Q4) * M3 * R3
        + V2 * V3 * L1 * cos(Q3 - Q2) * (M2 * R2 + M3 * L2)
        + V2 * V4 * L1 * cos(Q4 - Q2) * M3 * R3
        + V3 * V4 * L2 * cos(Q4 - Q3) * M3 * R3
        - M1 * G * height1
        - M2 * G * height2
        - M3 * G * height3
    )
    assert same(standing.lagrangian, collected)
    # The generator itself collects it in this form.
    assert same(standing.tidy(standing.lagrangian), collected)
    assert sympy.count_ops(standing.tidy(standing.lagrangian)) < sympy.count_ops(sympy.expand(standing.lagrangian)) / 2
    work = T1 * Q2 + T2 * (Q3 - Q2) + T3 * (Q4 - Q3) + F * (Q1 + L1 * cos(Q2) + L2 * cos(Q3))
    assert same(standing.work, work)
    assert alike(standing.applied, [work.diff(q) for q in (Q1, Q2, Q3, Q4)])


BRACKET1 = M1 * R1 + M2 * L1 + M3 * L1
BRACKET2 = M2 * R2 + M3 * L2
EQUATIONS = {
    # (a), corrected: m2 l1 in the first bracket (m2 l2 is printed); the last term in full.
    "q1": (
        F,
        A1 * (M1 + M2 + M3)
        - (V2**2 * cos(Q2) + A2 * sin(Q2)) * BRACKET1
        - (V3**2 * cos(Q3) + A3 * sin(Q3)) * BRACKET2
        - (V4**2 * cos(Q4) + A4 * sin(Q4)) * M3 * R3,
    ),
    # (b), corrected: both terms with squares of speeds have a minus.
    "q2": (
        T1 - T2 - F * L1 * sin(Q2),
        -A1 * sin(Q2) * BRACKET1
        + A2 * (M1 * R1**2 + I1 + M2 * L1**2 + M3 * L1**2)
        + (A3 * cos(Q3 - Q2) - V3**2 * sin(Q3 - Q2)) * (M2 * R2 * L1 + M3 * L1 * L2)
        + (A4 * cos(Q4 - Q2) - V4**2 * sin(Q4 - Q2)) * M3 * R3 * L1
        + G * BRACKET1 * cos(Q2),
    ),
    # (c), corrected: plus q̇2² sin(q3 - q2); the bracket of q̈4 holds both terms.
    "q3": (
        T2 - T3 - F * L2 * sin(Q3),
        -A1 * sin(Q3) * BRACKET2
        + (A2 * cos(Q3 - Q2) + V2**2 * sin(Q3 - Q2)) * (M2 * R2 * L1 + M3 * L1 * L2)
        + A3 * (M2 * R2**2 + M3 * L2**2 + I2)
        + (A4 * cos(Q4 - Q3) - V4**2 * sin(Q4 - Q3)) * M3 * R3 * L2
        + G * BRACKET2 * cos(Q3),
    ),
    # (d), as printed (a bracket opens before q̈2).
    "q4": (
        T3,
        -A1 * M3 * R3 * sin(Q4)
        + (A2 * cos(Q4 - Q2) + V2**2 * sin(Q4 - Q2)) * M3 * R3 * L1
        + (A3 * cos(Q4 - Q3) + V3**2 * sin(Q4 - Q3)) * M3 * R3 * L2
        + A4 * (M3 * R3**2 + I3)
        + M3 * G * R3 * cos(Q4),
    ),
}


@pytest.mark.parametrize("coordinate", EQUATIONS)
def test_003_9_equations_of_motion(standing: Any, coordinate: str) -> None:
    right, left = EQUATIONS[coordinate]
    assert same(standing.left_side(coordinate), left)
    assert same(standing.right_side(coordinate), right)


def test_003_9_the_printed_equations_differ_by_the_errata_alone(standing: Any) -> None:
    """What the print of (a), (b) and (c) says, less what is true, is what the errata say."""
    printed_a = (
        A1 * (M1 + M2 + M3)
        - (V2**2 * cos(Q2) + A2 * sin(Q2)) * (M1 * R1 + M2 * L2 + M3 * L1)
        - (V3**2 * cos(Q3) + A3 * sin(Q3)) * BRACKET2
        - A4 * M3 * R3
    )
    wrong_a = -(V2**2 * cos(Q2) + A2 * sin(Q2)) * M2 * (L2 - L1) - M3 * R3 * (A4 - A4 * sin(Q4) - V4**2 * cos(Q4))
    assert same(printed_a - standing.left_side("q1"), wrong_a)
    wrong_b = 2 * V3**2 * sin(Q3 - Q2) * L1 * BRACKET2 + 2 * V4**2 * sin(Q4 - Q2) * M3 * R3 * L1
    printed_b = EQUATIONS["q2"][1].subs({V3**2: -(V3**2), V4**2: -(V4**2)})
    assert same(printed_b - standing.left_side("q2"), wrong_b)
    printed_c = EQUATIONS["q3"][1].subs({V2**2: -(V2**2)})
    assert same(printed_c - standing.left_side("q3"), -2 * V2**2 * sin(Q3 - Q2) * L1 * BRACKET2)


def test_003_10_the_trunk_is_in_all_four_equations(standing: Any) -> None:
    for coordinate in standing.coordinates:
        assert M3 in standing.tidy(standing.left_side(coordinate)).free_symbols, coordinate


# 8.0.2 and 8.1: internal validity, and how errors grow

# A person of 70 kg and 1.75 m, legs taken together: lengths, masses and radii of Winter's table 4.1.
PERSON = {
    "m1": 6.5,
    "m2": 14.0,
    "m3": 47.5,
    "I1": 0.1,
    "I2": 0.25,
    "I3": 3.0,
    "r1": 0.25,
    "r2": 0.24,
    "r3": 0.32,
    "l1": 0.43,
    "l2": 0.42,
    "g": 9.81,
}
GROUND_MOTION = "0.02*sin(6*t)"


def posture(t: float) -> np.ndarray:
    """Angles, speeds and accelerations of leg, thigh and trunk: a smooth sway about the upright."""
    size, pace, phase = np.array([0.05, -0.08, 0.1]), np.array([4.0, 5.0, 3.0]), np.array([0.0, 0.5, 1.0])
    angle = np.pi / 2 + size * np.sin(pace * t + phase)
    return np.array([angle, size * pace * np.cos(pace * t + phase), -size * pace**2 * np.sin(pace * t + phase)])


def swaying() -> tuple[Any, Any]:
    """Return the numeric equations with a ground that moves, and the moments that the posture asks for."""
    coordinates = {"q1": lg.Coordinate(motion=GROUND_MOTION), **{f"q{i}": lg.Coordinate() for i in (2, 3, 4)}}
    equations = lg.derive(stance(coordinates=coordinates)).numbers(PERSON)

    def moments(t: float) -> dict[str, float]:
        q, v, vdot = posture(t)
        ground = 0.02 * np.array([np.sin(6 * t), 6 * np.cos(6 * t), -36 * np.sin(6 * t)])
        needed = equations.inverse_dynamics(*(np.array([g, *x]) for g, x in zip(ground, (q, v, vdot), strict=True)))
        hip = needed[3]
        knee = needed[2] + hip
        return {"T1": needed[1] + knee, "T2": knee, "T3": hip}

    return equations, moments


def fallen_short(equations: Any, moments: Any, error: float, times: list[float]) -> np.ndarray:
    """Return the largest error of an angle at given times when all moments are off by a share."""
    from scipy.integrate import solve_ivp

    def rate(t: float, x: Any) -> Any:
        return equations.derivative(t, x, {name: value * (1 + error) for name, value in moments(t).items()})

    q, v, _ = posture(0.0)
    run = solve_ivp(rate, (0.0, times[-1]), [*q, *v], rtol=1e-10, atol=1e-12, t_eval=times, method="DOP853")
    assert run.success
    return np.array([np.abs(run.y[:3, i] - posture(t)[0]).max() for i, t in enumerate(times)])


def test_003_11_inverse_moments_reproduce_the_motion() -> None:
    """Internal validity: the moments of the inverse solution, with the initial state, give the motion back."""
    equations, moments = swaying()
    assert fallen_short(equations, moments, 0.0, [0.25, 0.5]).max() < 1e-7


def test_003_12_small_errors_of_moments_grow() -> None:
    """Gilchrist and Winter (1997): small errors of the moments give unacceptable kinematics after about 500 ms."""
    equations, moments = swaying()
    early, middle, late = fallen_short(equations, moments, 0.02, [0.1, 0.3, 0.5])
    assert late > 3 * middle > 9 * early
    assert np.degrees(late) > 1.0
    assert np.degrees(early) < 0.5
