"""Constraints of the generator: multipliers as reactions, degrees of freedom, redundancy, prescribed motion."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from myodyne.errors import ModelError, SolveError
from myodyne.formulations import lagrange as lg


def pendulum(**changes: Any) -> lg.Description:
    """Return a rod on a pin, its angle from the x axis."""
    parts: dict[str, Any] = {
        "name": "pendulum",
        "coordinates": ["q"],
        "parameters": {"l": 0.8, "m": 2.0, "I": 0.3, "g": 9.81},
        "gravity": (0, "-g"),
        "points": {
            "pivot": lg.Point("ground", (0, 0)),
            "centre": lg.Point("rod", ("l/2", 0)),
            "tip": lg.Point("rod", ("l", 0)),
        },
        "frames": {"rod": lg.Frame("pivot", ["q"])},
        "segments": {"rod": lg.Segment("centre", "m", "I")},
    }
    return lg.Description(**{**parts, **changes})


def chain(links: int, dimension: int = 2) -> lg.Description:
    """Return a chain of equal rods, angles relative to the rod before; in space on ball joints."""
    zeros = (0,) * (dimension - 1)
    points = {"base": lg.Point("ground", (0, *zeros))}
    frames, segments, coordinates = {}, {}, []
    for number in range(links):
        names = [f"q{number}"] if dimension == 2 else [f"q{number}{axis}" for axis in "abc"]
        coordinates += names
        name, before = f"rod{number}", f"rod{number - 1}" if number else "ground"
        sequence = "z" if dimension == 2 else "zxz"
        frames[name] = lg.Frame("base" if number == 0 else f"end{number - 1}", names, sequence, before)
        points[f"end{number}"] = lg.Point(name, (0.5, *zeros))
        points[f"centre{number}"] = lg.Point(name, (0.2, *zeros))
        segments[name] = lg.Segment(f"centre{number}", 1.0 + number, 0.05 if dimension == 2 else (0.05, 0.07, 0.08))
    return lg.Description(
        name="chain", dimension=dimension, coordinates=coordinates, points=points, frames=frames, segments=segments
    )


# Reactions


def test_the_reaction_of_a_split_pin_is_its_multiplier() -> None:
    """The force on a swinging rod is mass times the acceleration of its centre, less its weight."""
    split = lg.split_joint(pendulum(), "rod")
    assert list(split.coordinates) == ["q", "rod_x", "rod_y"]
    assert lg.mobility_of(split).degrees == 1
    angle, speed = 0.4, 1.7
    motion = lg.numbers_of(split).motion([angle, 0, 0], [speed, 0, 0])
    alpha = -2.0 * 9.81 * 0.4 * np.cos(angle) / (0.3 + 2.0 * 0.4**2)
    assert motion.accelerations == pytest.approx([alpha, 0, 0], abs=1e-12)
    tangent, normal = np.array([-np.sin(angle), np.cos(angle)]), np.array([np.cos(angle), np.sin(angle)])
    force = 2.0 * (0.4 * alpha * tangent - 0.4 * speed**2 * normal) + 2.0 * np.array([0.0, 9.81])
    assert [motion.multipliers["rod_x"], motion.multipliers["rod_y"]] == pytest.approx(force, abs=1e-12)


@pytest.mark.parametrize(("dimension", "cut"), [(2, "rod0"), (2, "rod1"), (2, "rod2"), (3, "rod1")])
def test_splitting_a_joint_changes_no_motion(dimension: int, cut: str) -> None:
    whole = chain(3, dimension)
    split = lg.split_joint(whole, cut)
    rng = np.random.default_rng(3)
    size = len(whole.coordinates)
    q, v = rng.uniform(0.3, 1.2, size), rng.normal(size=size)
    mechanics = lg.numbers_of(whole)
    expected = mechanics.motion(q, v).accelerations
    place, speed = joint_motion(whole, cut, q, v)
    motion = lg.numbers_of(split).motion([*q, *place], [*v, *speed])
    assert motion.accelerations[:size] == pytest.approx(expected, abs=1e-9)
    # Newton for the whole body behind the cut: the reaction carries its weight and accelerates its centre.
    assert [motion.multipliers[f"{cut}_{axis}"] for axis in "xyz"[:dimension]] == pytest.approx(
        force_on_rest(whole, cut, (q, v, expected)), abs=1e-7
    )


def joint_motion(description: lg.Description, frame: str, q: Any, v: Any) -> tuple[Any, Any]:
    """Return place and velocity of the origin of a frame."""
    from myodyne.formulations.lagrange.algebra.jets import value_of
    from myodyne.formulations.lagrange.numeric import jet_mechanics

    mechanics = jet_mechanics(description, {}, (np.array(q), np.array(v), 0.0), {})
    origin, size = description.frames[frame].origin, description.dimension
    return (
        [value_of(x) for x in mechanics.displacement(origin)[:size]],
        [value_of(x) for x in mechanics.velocity(origin)[:size]],
    )


def force_on_rest(description: lg.Description, frame: str, state: tuple[Any, Any, Any]) -> Any:
    """Return the force that all segments from a frame on need, by differences of their velocities."""
    from myodyne.formulations.lagrange.algebra.jets import value_of
    from myodyne.formulations.lagrange.numeric import jet_mechanics

    q, v, vdot = state
    size, step = description.dimension, 1e-6
    first = list(description.frames).index(frame)

    def momentum(sign: int) -> Any:
        moved = (q + sign * step * v, v + sign * step * vdot, 0.0)
        mechanics = jet_mechanics(description, {}, moved, {})
        parts = [
            np.array([value_of(x) for x in mechanics.velocity(s.centre)[:size]]) * float(s.mass)
            for s in list(description.segments.values())[first:]
        ]
        return sum(parts)

    mass = sum(float(s.mass) for s in list(description.segments.values())[first:])
    gravity = np.array([float(part) for part in description.gravity])
    return (momentum(1) - momentum(-1)) / (2 * step) - mass * gravity


def test_reactions_as_formulas() -> None:
    """The equations of a split pendulum: each multiplier alone in the equation of its coordinate."""
    sympy = pytest.importorskip("sympy", reason="formulas need SymPy, which comes with the test extra")
    equations = lg.derive(lg.split_joint(pendulum(), "rod"))
    assert equations.right_side("rod_x") == sympy.Symbol("lambda_rod_x")
    assert equations.right_side("rod_y") == sympy.Symbol("lambda_rod_y")
    assert equations.right_side("q") == 0
    jacobian = equations.constraint_jacobian
    assert jacobian == sympy.Matrix([[0, 1, 0], [0, 0, 1]])


# A loop: the four-bar linkage


def four_bar(**closure: Any) -> lg.Description:
    """Return three rods between two posts, closed by a constraint at the last end."""
    base = chain(3)
    points = {**base.points, "post": lg.Point("ground", (0.9, 0.2))}
    return replace(base, points=points, constraints=closure or {"post": lg.Coincidence("end2", "post")})


def test_a_loop_keeps_closed_and_keeps_its_energy() -> None:
    from scipy.integrate import solve_ivp

    numbers = lg.numbers_of(four_bar())
    q = closed_pose(numbers)
    # A speed that the constraint allows: the null space of its slope.
    slope = numbers.terms(q).jacobian
    v = 2.0 * np.linalg.svd(slope)[2][-1]
    start = numbers.terms(q, v)
    run = solve_ivp(numbers.derivative, (0.0, 0.2), [*q, *v], rtol=1e-9, atol=1e-11)
    end = numbers.terms(run.y[:3, -1], run.y[3:, -1])
    assert np.abs(end.constraint).max() < 1e-7
    assert np.abs(end.constraint_speed).max() < 1e-6
    energy = start.kinetic_energy + start.potential_energy
    assert end.kinetic_energy + end.potential_energy == pytest.approx(energy, abs=1e-6)


def closed_pose(numbers: lg.NumericEquations) -> Any:
    q = np.array([1.2, -0.8, -1.0])
    for _ in range(50):
        found = numbers.terms(q)
        q = q - np.linalg.lstsq(found.jacobian, found.constraint, rcond=None)[0]
    assert np.abs(numbers.terms(q).constraint).max() < 1e-12
    return q


def test_formulas_and_numbers_agree_on_a_loop() -> None:
    pytest.importorskip("sympy", reason="formulas need SymPy, which comes with the test extra")
    plain = lg.numbers_of(four_bar())
    formulas = lg.derive(four_bar()).numbers()
    q, v = np.array([1.2, -0.8, -1.0]), np.array([0.4, 0.9, -0.3])
    ours, theirs = plain.terms(q, v), formulas.terms(q, v)
    for name in ("mass_matrix", "bias", "applied", "constraint", "constraint_speed", "jacobian", "constraint_bias"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name), abs=1e-12), name


# Degrees of freedom


def test_a_loop_is_counted_and_ranked() -> None:
    found = lg.mobility_of(four_bar())
    assert (found.segments, found.particles, found.coordinates, found.constraints, found.rank) == (3, 0, 3, 2, 2)
    assert found.degrees == found.counted == 1
    assert "DOF = 3*3 + 2*0 - 8 = 1" in found.text()


def test_redundant_constraints_are_named_with_what_they_repeat() -> None:
    """The same closure said again as a length is redundant; only where the loop is closed, not off it."""
    description = four_bar(
        post=lg.Coincidence("end2", "post"),
        again=lg.Constraint("(end2.x - post.x)**2 + end2.y - post.y"),
    )
    found = lg.mobility_of(description)
    assert [part.name for part in found.redundant] == ["again"]
    assert found.redundant[0].repeats == ("post_y",)
    assert (found.rank, found.degrees, found.counted) == (2, 1, 0)
    assert "again follows from post_y" in found.text()
    with pytest.raises(SolveError, match=r"not determined.*again"):
        lg.numbers_of(description).motion([1.0, -0.5, -0.5], [0, 0, 0])


def test_contradictory_constraints_are_refused_by_name() -> None:
    description = four_bar(post=lg.Coincidence("end2", "post"), high=lg.Constraint("end2.y - 0.5"))
    found = lg.mobility_of(description)
    assert found.contradictory == ("high",)
    with pytest.raises(ModelError, match="'high' contradict"):
        found.check()


def test_a_constraint_beyond_reach() -> None:
    with pytest.raises(ModelError, match="'far' contradict"):
        lg.mobility_of(four_bar(far=lg.Constraint("end2.x - 5"))).check()


def test_overconstrained_systems_are_refused() -> None:
    """Three pins that hold a rod: more equations than coordinates."""
    description = pendulum(
        constraints={
            "a": lg.Constraint("q - 0.3"),
            "b": lg.Constraint("2*q - 0.6"),
            "c": lg.Constraint("sin(q - 0.3)"),
        },
    )
    found = lg.mobility_of(description)
    assert found.counted == -2
    assert found.degrees == 0
    assert [part.name for part in found.redundant] == ["b", "c"]
    with pytest.raises(ModelError, match=r"leave -2 degrees of freedom.*'b', 'c' are redundant"):
        found.check()
    pytest.importorskip("sympy", reason="formulas need SymPy, which comes with the test extra")
    with pytest.raises(ModelError, match="-2 degrees"):
        lg.derive(description)


def test_lengths_without_values_are_drawn_at_random() -> None:
    """What holds for special lengths only is not taken for a rule: two equal constants are two constants."""
    description = replace(pendulum(), parameters={"l": None, "m": 1.0, "I": 1.0, "g": 9.81, "a": None, "b": None})
    both = description.with_parts(constraints={"one": lg.Constraint("q - a"), "two": lg.Constraint("q - b")})
    assert lg.mobility_of(both).contradictory == ("two",)
    same = lg.mobility_of(both, {"a": 0.2, "b": 0.2})
    assert same.contradictory == ()
    assert [part.name for part in same.redundant] == ["two"]


def test_a_coordinate_that_moves_no_mass_is_named() -> None:
    idle = pendulum().with_parts(
        coordinates={"s": lg.Coordinate()},
        points={"bead": lg.Point("rod", ("s", 0))},
    )
    assert lg.mobility_of(idle).massless == ("s",)
    with pytest.raises(SolveError, match="'s'"):
        lg.numbers_of(idle).motion([0.1, 0.2], [0, 0])


# Prescribed motion


def test_a_pivot_that_is_shaken() -> None:
    """A pendulum whose pivot moves by x(t): m l²/3-like inertia, and the drive is the force on the pivot."""
    shaken = pendulum(
        coordinates={"x": lg.Coordinate(motion="a*sin(w*t)"), "q": lg.Coordinate()},
        parameters={"l": 0.8, "m": 2.0, "I": 0.3, "g": 9.81, "a": 0.1, "w": 5.0},
        points={"pivot": lg.Point("ground", ("x", 0)), "centre": lg.Point("rod", ("l/2", 0))},
    )
    numbers = lg.numbers_of(shaken)
    t, angle, speed = 0.3, 0.7, -1.1
    q, v = numbers.full_state(t, [angle, speed])
    assert q == pytest.approx([0.1 * np.sin(1.5), angle])
    assert v == pytest.approx([0.5 * np.cos(1.5), speed])
    ground = -2.5 * np.sin(1.5)
    motion = numbers.motion(q, v, t=t)
    alpha = (-2.0 * 9.81 * 0.4 * np.cos(angle) + 2.0 * 0.4 * np.sin(angle) * ground) / (0.3 + 2.0 * 0.16)
    assert motion.accelerations == pytest.approx([ground, alpha])
    drive = 2.0 * (ground - 0.4 * alpha * np.sin(angle) - 0.4 * speed**2 * np.cos(angle))
    assert motion.driving["x"] == pytest.approx(drive)
    assert lg.mobility_of(shaken).degrees == 1


def test_explicit_time_equals_a_prescribed_coordinate() -> None:
    """Equation 8.4: a point that is a function of time moves its frame as a prescribed coordinate does."""
    parameters = {"l": 0.8, "m": 2.0, "I": 0.3, "g": 9.81}
    centre = lg.Point("rod", ("l/2", 0))
    told = pendulum(
        coordinates={"x": lg.Coordinate(motion="0.1*sin(5*t) + 0.2*t**2"), "q": lg.Coordinate()},
        parameters=parameters,
        points={"pivot": lg.Point("ground", ("x", 0)), "centre": centre},
    )
    explicit = pendulum(points={"pivot": lg.Point("ground", ("0.1*sin(5*t) + 0.2*t**2", 0)), "centre": centre})
    one, other = lg.numbers_of(told), lg.numbers_of(explicit)
    for t in (0.0, 0.4, 1.3):
        x = [0.7, -1.1]
        assert one.derivative(t, x) == pytest.approx(other.derivative(t, x), abs=1e-12)
    pytest.importorskip("sympy", reason="formulas need SymPy, which comes with the test extra")
    formulas = lg.derive(explicit).numbers()
    assert formulas.derivative(0.4, [0.7, -1.1]) == pytest.approx(other.derivative(0.4, [0.7, -1.1]), abs=1e-12)


def test_a_prescribed_coordinate_without_a_formula_is_asked_for() -> None:
    told = pendulum(
        coordinates={"x": lg.Coordinate(prescribed=True), "q": lg.Coordinate()},
        points={"pivot": lg.Point("ground", ("x", 0)), "centre": lg.Point("rod", ("l/2", 0))},
    )
    numbers = lg.numbers_of(told)
    with pytest.raises(ModelError, match=r"the motion of 'x' is prescribed without a formula: give its acceleration"):
        numbers.motion([0, 0.3], [0, 0])
    assert numbers.motion([0, 0.3], [0, 0], prescribed={"x": 1.5}).accelerations[0] == 1.5


def test_a_moving_constraint() -> None:
    """A rheonomic constraint: the angle is led by a function of time, and the multiplier is the torque."""
    led = pendulum(constraints={"lead": lg.Constraint("q - 0.3*sin(2*t)")})
    t = 0.6
    angle, speed, acceleration = 0.3 * np.sin(1.2), 0.6 * np.cos(1.2), -1.2 * np.sin(1.2)
    motion = lg.numbers_of(led).motion([angle], [speed], t=t)
    assert motion.accelerations == pytest.approx([acceleration])
    torque = (0.3 + 2.0 * 0.16) * acceleration + 2.0 * 9.81 * 0.4 * np.cos(angle)
    assert motion.multipliers["lead"] == pytest.approx(torque)
