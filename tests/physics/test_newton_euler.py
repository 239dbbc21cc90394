"""The planar Newton-Euler system: bases, constraints, branches, releases, and what it refuses."""

from __future__ import annotations

import doctest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from myodyne.errors import ModelError, SolveError
from myodyne.formulations.newton_euler import (
    AngularAcceleration,
    Chain,
    CoincidentPoints,
    Constraint,
    EqualAngularAccelerations,
    LinearConstraint,
    Motion,
    Point,
    PointAcceleration,
    Pose,
    Segment,
    Solution,
    acceleration,
    added,
    centre_of_mass,
    constraint_variable_names,
    exchanged,
    extended_system_of,
    force_at,
    forward_unknowns,
    inverse_unknowns,
    overlapping,
    position,
    printed_index,
    solve,
    solve_arrays,
    system_of,
    unit_of,
    values_of,
    variable_index,
    variable_names,
    velocity,
    weight,
)

LEG = Chain(
    [
        Segment("foot", 0.16, 0.11, 2.4, 0.02, 0.03),
        Segment("shank", 0.44, 0.25, 7.0, 0.13, -0.01),
        Segment("thigh", 0.45, 0.26, 16.0, 0.4),
        Segment("hat", 0.5, 0.29, 55.0, 3.9, 0.05),
    ],
    joints=["toe", "ankle", "knee", "hip", "top"],
)
CROUCH = Motion([2.5, 0.8, 2.5, 0.7], [0.5, -2.0, 3.0, 1.0], base=(0.2, 0.1), base_velocity=(0.4, -0.3))
LOADS = added(weight(LEG), {"ankle.moment": 110.0, "knee.moment": -120.0, "hip.moment": 130.0})


def balance(chain: Chain, motion: Motion, found: Solution) -> float:
    """Return the largest violation of momentum and moment balance of the whole chain about the origin."""
    force, turning = np.zeros(2), 0.0
    change, spin_change = np.zeros(2), 0.0
    for segment in chain.segments:
        centre = Point(segment.name, segment.centre, segment.offset)
        place, push = position(chain, motion, centre), acceleration(chain, motion, centre, found)
        change += segment.mass * push
        spin_change += (
            segment.mass * cross(place, push) + segment.inertia * found[f"{segment.name}.angular_acceleration"]
        )
        for kind in ("external", "constraint"):
            load = np.array([found[f"{segment.name}.{kind}_force_{axis}"] for axis in "xy"])
            force, turning = force + load, turning + cross(place, load) + found[f"{segment.name}.{kind}_moment"]
        load = np.array([found[f"{segment.name}.constraint_joint_force_{axis}"] for axis in "xy"])
        force, turning = force + load, turning + cross(position(chain, motion, Point(segment.name)), load)
    turning += found[f"{chain.names[0]}.constraint_joint_moment"]
    for joint, sign in ((chain.joints[0], 1.0), (chain.joints[-1], -1.0)):
        load = sign * np.array([found[f"{joint}.reaction_force_{axis}"] for axis in "xy"])
        force += load
        turning += cross(position(chain, motion, joint), load) + sign * found[f"{joint}.moment"]
    return float(np.abs([*(force - change), turning - spin_change]).max())


def cross(a: Any, b: Any) -> float:
    return float(a[0] * b[1] - a[1] * b[0])


def energy(chain: Chain, motion: Motion, gravity: float = 9.81) -> float:
    total = 0.0
    for segment, rate in zip(chain.segments, motion.rates, strict=True):
        centre = Point(segment.name, segment.centre, segment.offset)
        speed = velocity(chain, motion, centre)
        total += segment.mass * (speed @ speed / 2 + gravity * position(chain, motion, centre)[1])
        total += segment.inertia * rate**2 / 2
    return total


# Bases ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("free_base", [False, True])
def test_the_whole_chain_balances(free_base: bool) -> None:
    found = solve(LEG, CROUCH, LOADS, forward_unknowns(LEG, free_base))
    assert balance(LEG, CROUCH, found) < 1e-9


def test_a_prescribed_base_is_that_of_the_free_one() -> None:
    """Give the acceleration that the free base would find, and no force is needed there; give more, and it is."""
    free = solve(LEG, CROUCH, LOADS, forward_unknowns(LEG, free_base=True))
    pushed = {name: free[name] for name in ("base.acceleration_x", "base.acceleration_y")}
    found = solve(LEG, CROUCH, LOADS | pushed, forward_unknowns(LEG))
    assert abs(found["toe.reaction_force_x"]) + abs(found["toe.reaction_force_y"]) < 1e-9
    np.testing.assert_allclose(found.angular_accelerations, free.angular_accelerations, rtol=1e-10)
    # Shaken upwards together with gravity, everything is as in heavier gravity.
    shaken = solve(LEG, CROUCH, LOADS | {"base.acceleration_y": 5.0}, forward_unknowns(LEG))
    heavier = solve(LEG, CROUCH, LOADS | weight(LEG, (0.0, -14.81)), forward_unknowns(LEG))
    np.testing.assert_allclose(shaken.angular_accelerations, heavier.angular_accelerations, rtol=1e-11)


def test_stacked_moments_are_single_ones_in_a_row() -> None:
    rng = np.random.default_rng(5)
    stack = Motion(rng.normal(size=(6, 4)), rng.normal(size=(6, 4)))
    hip = rng.normal(size=6)
    held = [PointAcceleration("knee", x=rng.normal(size=6), y=None), AngularAcceleration("hat", 1.0)]
    together = solve(LEG, stack, LOADS | {"hip.moment": hip}, forward_unknowns(LEG), held)
    assert together["hip.moment"].shape == (6,)
    for i in range(6):
        one = Motion(stack.angles[i], stack.rates[i])
        own = [PointAcceleration("knee", x=held[0].x[i], y=None), held[1]]
        alone = solve(LEG, one, LOADS | {"hip.moment": hip[i]}, forward_unknowns(LEG), own)
        np.testing.assert_allclose(together.values[i], alone.values, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(together.constraint_values[i], alone.constraint_values, rtol=1e-9, atol=1e-9)
    # One motion under several loads.
    several = solve(LEG, CROUCH, LOADS | {"hip.moment": hip}, forward_unknowns(LEG))
    assert several.angular_accelerations.shape == (6, 4)


def test_a_force_anywhere_is_force_and_moment_at_the_centre() -> None:
    """A weight hung on the knee does what the same force does at the joint, whichever segment it is counted to."""
    down = (5.0, -80.0)
    by_thigh = solve(LEG, CROUCH, added(LOADS, force_at(LEG, CROUCH, "knee", down)), forward_unknowns(LEG))
    at_end = Point("shank", LEG.segments[1].length)
    by_shank = solve(LEG, CROUCH, added(LOADS, force_at(LEG, CROUCH, at_end, down)), forward_unknowns(LEG))
    np.testing.assert_allclose(by_thigh.angular_accelerations, by_shank.angular_accelerations, rtol=1e-10)
    at_top = solve(LEG, CROUCH, added(LOADS, force_at(LEG, CROUCH, "top", down)), forward_unknowns(LEG))
    pulled = solve(
        LEG, CROUCH, LOADS | {"top.reaction_force_x": -5.0, "top.reaction_force_y": 80.0}, forward_unknowns(LEG)
    )
    np.testing.assert_allclose(at_top.angular_accelerations, pulled.angular_accelerations, rtol=1e-10)


def test_known_force_plate() -> None:
    """With the measured force under the foot known, what is left over at the top shows how well they fit."""
    forward = solve(LEG, CROUCH, LOADS, forward_unknowns(LEG))
    unknowns = inverse_unknowns(LEG, known_base=True)
    measured = {name: forward[name] for name in variable_names(LEG) if name not in unknowns}
    found = solve(LEG, CROUCH, measured)
    assert abs(found["top.moment"]) < 1e-9
    measured["toe.reaction_force_y"] += 10.0
    found = solve(LEG, CROUCH, measured)
    assert found["top.reaction_force_y"] == pytest.approx(10.0, abs=1e-9)


# Constraints ------------------------------------------------------------------------------------------------------

CONSTRAINED: dict[str, list[Constraint]] = {
    "end fixed": [PointAcceleration("top")],
    "end on rails": [PointAcceleration("top", x=0.3, y=None)],
    "hip fixed": [PointAcceleration("hip")],
    "point on a segment": [PointAcceleration(Point("hat", 0.3, -0.1), y=1.0)],
    "steady trunk": [AngularAcceleration("hat", 0.7)],
    "stiff knee": [EqualAngularAccelerations("thigh", "shank")],
    "stiff knee, told otherwise": [EqualAngularAccelerations("shank", "thigh")],
    "parallel segments": [EqualAngularAccelerations("hat", "shank", difference=-2.0)],
    "closed loop": [CoincidentPoints("ankle", "top")],
    "loop between points": [CoincidentPoints(Point("foot", 0.0, 0.1), Point("hat", 0.2, 0.1))],
    "many at once": [
        PointAcceleration("knee", y=None),
        AngularAcceleration("thigh", -1.0),
        PointAcceleration("hip", x=None),
    ],
}


@pytest.mark.parametrize("name", CONSTRAINED)
@pytest.mark.parametrize("free_base", [False, True])
def test_constraints_hold_and_keep_the_balance(name: str, free_base: bool) -> None:
    constraints = CONSTRAINED[name]
    found = solve(LEG, CROUCH, LOADS, forward_unknowns(LEG, free_base), constraints)
    for constraint in constraints:
        held(constraint, found)
        assert np.abs(found.reaction_of(constraint)).min() > 1e-3
    if all(isinstance(constraint, EqualAngularAccelerations | CoincidentPoints) for constraint in constraints):
        # Reactions between parts of the chain cancel.
        total = sum(
            found[f"{s}.{kind}_y"] for s in LEG.names for kind in ("constraint_force", "constraint_joint_force")
        )
        assert total == pytest.approx(0.0, abs=1e-9)
    assert balance(LEG, CROUCH, found) < 1e-8
    # The reactions are what they say: applied as known external loads they give the same motion.
    again = solve(LEG, CROUCH, added(LOADS, as_external(found)), forward_unknowns(LEG, free_base))
    np.testing.assert_allclose(again.angular_accelerations, found.angular_accelerations, rtol=1e-8, atol=1e-8)


def held(constraint: Constraint, found: Solution) -> None:
    match constraint:
        case AngularAcceleration():
            assert found[f"{constraint.segment}.angular_acceleration"] == pytest.approx(constraint.value, abs=1e-10)
        case PointAcceleration():
            for wanted, is_ in zip(
                (constraint.x, constraint.y), acceleration(LEG, CROUCH, constraint.place, found), strict=True
            ):
                assert wanted is None or is_ == pytest.approx(wanted, abs=1e-9)
        case EqualAngularAccelerations():
            apart = (
                found[f"{constraint.first}.angular_acceleration"] - found[f"{constraint.second}.angular_acceleration"]
            )
            assert apart == pytest.approx(constraint.difference, abs=1e-9)
        case CoincidentPoints():
            one, two = (acceleration(LEG, CROUCH, place, found) for place in (constraint.first, constraint.second))
            np.testing.assert_allclose(one, two, atol=1e-9)
        case _:
            raise AssertionError(constraint)


def as_external(found: Solution) -> dict[str, Any]:
    """Return the constraint variables as external forces and moments on the segments, and moments in the joints."""
    loads: dict[str, Any] = {}
    for number, segment in enumerate(LEG.names):
        loads = added(
            loads,
            force_at(LEG, CROUCH, Point(segment), [found[f"{segment}.constraint_joint_force_{axis}"] for axis in "xy"]),
            {
                f"{segment}.external_{kind}": found[f"{segment}.constraint_{kind}"]
                for kind in ("force_x", "force_y", "moment")
            },
            {f"{LEG.joints[number]}.moment": found[f"{segment}.constraint_joint_moment"]},
        )
    return loads


def test_a_fixed_end_by_its_own_reaction_or_by_that_of_the_last_joint() -> None:
    own, named = (
        PointAcceleration("top"),
        PointAcceleration("top", reaction=["top.reaction_force_x", "top.reaction_force_y"]),
    )
    first = solve(LEG, CROUCH, LOADS, forward_unknowns(LEG), [own])
    second = solve(LEG, CROUCH, LOADS, forward_unknowns(LEG), [named])
    np.testing.assert_allclose(first.angular_accelerations, second.angular_accelerations, rtol=1e-10)
    # The last reaction acts on the environment, the constraint's on the chain.
    np.testing.assert_allclose(first.reaction_of(own), -second.reaction_of(named), rtol=1e-10)


def test_an_intermediate_joint_has_separate_reactions() -> None:
    """With hip and base fixed the leg below and the trunk above know nothing of each other."""
    hip = PointAcceleration("hip")
    found = solve(LEG, CROUCH, LOADS, forward_unknowns(LEG), [hip])
    trunk = Chain(LEG.segments[3:], ["hip", "top"])
    alone = solve(
        trunk,
        Motion(CROUCH.angles[3:], CROUCH.rates[3:]),
        weight(trunk) | {"hip.moment": 130.0},
        forward_unknowns(trunk),
    )
    assert found["hat.angular_acceleration"] == pytest.approx(alone["hat.angular_acceleration"], rel=1e-10)
    on_trunk = np.array([found[f"hip.reaction_force_{axis}"] for axis in "xy"]) + found.reaction_of(hip)
    np.testing.assert_allclose(on_trunk, [alone[f"hip.reaction_force_{axis}"] for axis in "xy"], rtol=1e-10)
    assert np.abs(found.reaction_of(hip)).min() > 1.0


def test_any_other_equation() -> None:
    """A gear: the foot turns half as fast as the shank, driven through a moment on the foot."""
    gear = LinearConstraint(
        {"foot.angular_acceleration": 2.0, "shank.angular_acceleration": -1.0}, 0.0, ["foot.external_moment"]
    )
    found = solve(LEG, CROUCH, LOADS, forward_unknowns(LEG), [gear])
    assert 2 * found["foot.angular_acceleration"] == pytest.approx(found["shank.angular_acceleration"], rel=1e-10)
    assert found.reaction_of(gear)[0] == found["foot.external_moment"] != 0.0


def test_extended_arrays_by_hand() -> None:
    """The 13n + 5 variables with K and V: the hip prescribed through the constraint force on its joint."""
    hip = PointAcceleration("hip")
    rows = hip.rows(Pose(LEG, CROUCH))
    V = np.zeros(13 * 4 + 5)
    for name, value in LOADS.items():
        V[variable_index(LEG, name)] = value
    unknown = [*forward_unknowns(LEG), "hat.constraint_joint_force_x", "hat.constraint_joint_force_y"]
    V[[variable_index(LEG, name) for name in unknown]] = np.nan
    filled = solve_arrays(LEG, CROUCH, V, rows=np.hstack([rows.left, np.zeros((2, 24))]), right=rows.right)
    found = solve(LEG, CROUCH, LOADS, forward_unknowns(LEG), [hip])
    np.testing.assert_allclose(filled, [*found.values, *found.constraint_values], rtol=1e-10, atol=1e-9)
    # All variables satisfy the extended equations.
    left, right = extended_system_of(Pose(LEG, CROUCH))
    np.testing.assert_allclose(left @ filled, right, atol=1e-9)
    assert len(constraint_variable_names(LEG)) == 24


def test_branches_by_overlapping_segments() -> None:
    """A second leg on the jumper: with both legs alike it moves as the one leg of twice the mass does."""
    single = Chain([*LEG.segments[1:3], Segment("trunk", 0.5, 0.29, 55.0, 3.9)], ["ankle", "knee", "hip", "top"])
    halves = [
        Segment("shank1", 0.44, 0.25, 3.5, 0.065, -0.01),
        Segment("thigh1", 0.45, 0.26, 8.0, 0.2),
        Segment("trunk1", 0.5, 0.29, 27.5, 1.95),
        Segment("trunk2", 0.5, 0.21, 27.5, 1.95),
        Segment("thigh2", 0.45, 0.19, 8.0, 0.2),
        Segment("shank2", 0.44, 0.19, 3.5, 0.065, 0.01),
    ]
    double = Chain(halves, ["ankle1", "knee1", "hip1", "top", "hip2", "knee2", "ankle2"])
    angles, rates = np.array([1.0, 2.3, 0.9]), np.array([-1.0, 2.0, 0.5])
    motion = Motion(angles, rates)
    doubled = Motion([*angles, *(angles[::-1] - np.pi)], [*rates, *rates[::-1]])
    np.testing.assert_allclose(position(double, doubled, "ankle2"), 0.0, atol=1e-15)
    one = solve(
        single, motion, added(weight(single), {"knee.moment": -90.0, "hip.moment": 60.0}), forward_unknowns(single)
    )
    # Behind the trunk the chain runs from the hip down, so a moment on the thigh by the trunk changes its sign.
    moments = {"knee1.moment": -45.0, "hip1.moment": 30.0, "hip2.moment": -30.0, "knee2.moment": 45.0}
    together = overlapping(double, "trunk1", "trunk2", doubled.angles)
    two = solve(
        double,
        doubled,
        added(weight(double), moments),
        forward_unknowns(double),
        [together, PointAcceleration("ankle2")],
    )
    np.testing.assert_allclose(two.angular_accelerations[:3], one.angular_accelerations, rtol=1e-9)
    np.testing.assert_allclose(two.angular_accelerations[3:], one.angular_accelerations[::-1], rtol=1e-9)
    with pytest.raises(SolveError, match="do not differ by π"):
        overlapping(double, "trunk1", "trunk2", motion_with(doubled.angles, 3, 0.1))
    with pytest.raises(SolveError, match="must be the next segment"):
        overlapping(double, "trunk1", "thigh2")
    with pytest.raises(SolveError, match=r"0\.45 m long and 'trunk1' 0\.5 m"):
        overlapping(double, "thigh1", "trunk1")


def motion_with(angles: Any, number: int, change: float) -> Any:
    changed = np.array(angles)
    changed[number] += change
    return changed


# Simulations ------------------------------------------------------------------------------------------------------


def simulated(
    chain: Chain, start: Motion, duration: float, solution: Callable[[Motion], Solution], stop: Any = None
) -> tuple[float, Motion]:
    """Return the time and the motion at the end, or where ``stop`` of the solution falls through zero."""

    def rate(_: float, state: Any) -> Any:
        now = Motion.from_state(state)
        return now.state_rate(solution(now))

    def event(_: float, state: Any) -> float:
        return float(stop(solution(Motion.from_state(state))))

    if stop is not None:
        event.terminal, event.direction = True, -1  # type: ignore[attr-defined]
    run = solve_ivp(rate, (0.0, duration), start.state, rtol=1e-10, atol=1e-12, events=event if stop else None)
    assert run.success, run.message
    assert start.angles.shape == (chain.size,)
    return run.t[-1], Motion.from_state(run.y[:, -1])


def test_a_foot_is_released_when_the_ground_would_have_to_pull() -> None:
    """Jump: base fixed until its vertical reaction vanishes, then free; the centre of mass flies its parabola."""
    start = Motion([2.4, 0.9, 2.4, 0.9])

    def standing(now: Motion) -> Solution:
        pushing = {"ankle.moment": 200.0, "knee.moment": -350.0, "hip.moment": 300.0}
        return solve(LEG, now, added(weight(LEG), pushing), forward_unknowns(LEG))

    def flying(now: Motion) -> Solution:
        return solve(LEG, now, weight(LEG), forward_unknowns(LEG, free_base=True))

    time, off = simulated(LEG, start, 1.0, standing, stop=lambda found: found["toe.reaction_force_y"])
    assert 0.05 < time < 0.9
    np.testing.assert_array_equal(off.state[8:], 0.0)
    place, speed = centre_of_mass(LEG, off)
    assert speed[1] > 0.5
    _, later = simulated(LEG, off, 0.1, flying)
    there, then = centre_of_mass(LEG, later)
    np.testing.assert_allclose(there, place + 0.1 * speed + [0.0, -0.5 * 9.81 * 0.01], atol=1e-8)
    np.testing.assert_allclose(then, speed + np.array([0.0, -0.981]), atol=1e-8)
    assert energy(LEG, later) == pytest.approx(energy(LEG, off), rel=1e-8)
    assert np.abs(later.base).max() > 0.01


def test_an_intermediate_joint_is_released() -> None:
    """A leg that swings about its fixed knee, then is let go: no energy is lost in either phase."""
    start = Motion([0.3, -0.4, 0.5, 1.0], [0.0, 0.0, 0.0, 0.0], base=(0.0, 1.0))
    knee = [PointAcceleration("knee")]

    def solution(constraints: list[Any]) -> Callable[[Motion], Solution]:
        return lambda now: solve(LEG, now, weight(LEG), forward_unknowns(LEG), constraints)

    _, middle = simulated(LEG, start, 0.15, solution(knee))
    np.testing.assert_allclose(position(LEG, middle, "knee"), position(LEG, start, "knee"), atol=1e-8)
    assert energy(LEG, middle) == pytest.approx(energy(LEG, start), rel=1e-8)
    _, later = simulated(LEG, middle, 0.1, solution([]))
    assert np.hypot(*(position(LEG, later, "knee") - position(LEG, start, "knee"))) > 0.005
    assert energy(LEG, later) == pytest.approx(energy(LEG, start), rel=1e-8)


# What is refused --------------------------------------------------------------------------------------------------

TWO = Chain([Segment("upper", 0.4, 0.2, 3.0, 0.1), Segment("lower", 0.4, 0.2, 2.0, 0.1)], ["a", "b", "c"])
BENT = Motion([0.3, 1.2])


def refusal(known: dict[str, Any], unknown: Any, constraints: Any = (), motion: Motion = BENT) -> str:
    with pytest.raises(SolveError) as caught:
        solve(TWO, motion, known, unknown, constraints)
    return str(caught.value)


def test_too_many_unknowns_are_named() -> None:
    message = refusal({}, [*forward_unknowns(TWO), "b.moment"])
    assert "7 unknowns for 6 equations: 1 too many" in message
    assert "'upper.angular_acceleration'" in message
    assert "'b.moment'" in message
    message = refusal({}, None)
    assert "19 unknowns for 6 equations: 13 too many" in message
    # A pair that no equation tells apart is named, and nothing else.
    message = refusal({}, [*inverse_unknowns(TWO), "lower.external_force_x", "c.reaction_force_x"])
    assert "8 unknowns" in message
    assert "'lower.external_force_x'" in message


def test_too_few_unknowns_are_over_determined() -> None:
    message = refusal(weight(TWO), forward_unknowns(TWO)[:-1])
    assert "5 unknowns for 6 equations: 1 too few, the motion is over-determined" in message
    assert "moments of 'lower'" in message


def test_a_choice_that_no_pose_can_solve() -> None:
    """Two moments that enter the equations in the same way, and forces along x that no unknown can balance."""
    unknown = exchanged(inverse_unknowns(TWO), {"a.reaction_force_x": "upper.external_moment"})
    message = refusal({}, unknown)
    assert "in any pose" in message
    assert "'a.moment'" in message
    assert "'upper.external_moment'" in message
    assert "'a.reaction_force_y'" not in message
    assert "forces along x of 'upper'" in message


def test_a_pose_that_cannot_be_solved() -> None:
    """A force along a straight arm makes no moment: its size stays open there, and nowhere else."""
    unknown = exchanged(inverse_unknowns(TWO), {"b.moment": "c.reaction_force_y"})
    solve(TWO, BENT, weight(TWO), unknown)
    message = refusal(weight(TWO), unknown, motion=Motion([0.4, np.pi / 2]))
    assert "in this pose" in message
    assert "'c.reaction_force_y'" in message
    assert "moments of 'lower'" in message
    stacked = Motion([[0.4, 0.3], [0.4, np.pi / 2], [0.4, 0.9]])
    assert "in this pose (row 1 of the motion)" in refusal(weight(TWO), unknown, motion=stacked)


def test_constraints_that_say_the_same_are_refused() -> None:
    twice = [AngularAcceleration("upper"), PointAcceleration("b", x=None)]
    message = refusal(weight(TWO), forward_unknowns(TWO), twice)
    assert "angular acceleration of 'upper'" in message
    assert "acceleration y of 'b'" in message
    assert "reaction to the" in message
    empty = refusal(weight(TWO), forward_unknowns(TWO), [PointAcceleration("a")])
    assert "acceleration x of 'a'" in empty


@pytest.mark.parametrize(
    ("known", "unknown", "constraints", "message"),
    [
        ({"b.momentt": 1.0}, forward_unknowns(TWO), [], "unknown variable 'b.momentt': did you mean 'b.moment'"),
        ({}, ["upper.acceleration"], [], "unknown variable 'upper.acceleration'"),
        ({"upper.angular_acceleration": 0.0}, forward_unknowns(TWO), [], "choose one"),
        ({"b.moment": np.nan}, forward_unknowns(TWO), [], "'b.moment' is not a finite number"),
        ({}, [*forward_unknowns(TWO), forward_unknowns(TWO)[0]], [], "named as unknown twice"),
        ({}, "b.moment", [], "needs a list of names"),
        ({"upper.constraint_moment": 1.0}, forward_unknowns(TWO), [], "is a constraint variable"),
        (
            {"upper.external_moment": 2.0},
            forward_unknowns(TWO),
            [AngularAcceleration("upper", reaction=["upper.external_moment"])],
            "its value would be lost",
        ),
        (
            {},
            forward_unknowns(TWO),
            [
                AngularAcceleration("upper", reaction=["upper.external_moment"]),
                AngularAcceleration("lower", reaction=["upper.external_moment"]),
            ],
            "unknown twice",
        ),
        (
            {},
            forward_unknowns(TWO),
            [AngularAcceleration("upper", reaction="upper.external_moment")],
            "needs a list of names",
        ),
        (
            {},
            forward_unknowns(TWO),
            [PointAcceleration("c", reaction=["c.moment"])],
            "2 equations and names 1 reactions",
        ),
        ({}, forward_unknowns(TWO), [PointAcceleration("d")], "unknown joint 'd'"),
        ({}, forward_unknowns(TWO), [PointAcceleration("c", None, None)], "leaves x and y free"),
        ({}, forward_unknowns(TWO), [PointAcceleration("c", np.inf)], "prescribes a value that is not finite"),
        ({}, forward_unknowns(TWO), [AngularAcceleration("middle")], "unknown segment 'middle'"),
        ({}, forward_unknowns(TWO), [EqualAngularAccelerations("upper", "upper")], "name two different segments"),
        ({}, forward_unknowns(TWO), [LinearConstraint({"upper.angular_acceleration": 1.0})], "needs the one variable"),
        (
            {},
            forward_unknowns(TWO),
            [LinearConstraint({"upper.constraint_moment": 1.0}, 0.0, ["b.moment"])],
            "is not allowed in",
        ),
        (
            {"b.moment": [1.0, 2.0, 3.0]},
            forward_unknowns(TWO),
            [AngularAcceleration("upper", [0.0, 1.0])],
            "they do not match",
        ),
    ],
)
def test_contradictions_are_refused(known: Any, unknown: Any, constraints: Any, message: str) -> None:
    assert message in refusal(known, unknown, constraints)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Segment("rod", -1.0, 0.5, 1.0, 0.1), "length cannot be negative"),
        (lambda: Segment("rod", 1.0, np.nan, 1.0, 0.1), "centre must be a finite number"),
        (lambda: Point("rod", np.inf), "needs finite numbers"),
        (lambda: Chain([]), "at least one segment"),
        (lambda: Chain([Segment("rod", 1.0, 0.5, 1.0, 0.1)], ["a"]), "2 joints"),
        (lambda: Chain([Segment("rod", 1.0, 0.5, 1.0, 0.1)], ["a", "a"]), "called 'a'"),
        (lambda: Chain([Segment("rod", 1.0, 0.5, 1.0, 0.1)] * 2), "called 'rod'"),
    ],
)
def test_chains_that_cannot_be(build: Callable[[], Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        build()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Motion([0.1, 0.2], [0.1]), "same shape"),
        (lambda: Motion([0.1, np.nan]), "not finite"),
        (lambda: Motion([0.1], base=(1.0, 2.0, 3.0)), "needs x and y"),
        (lambda: Motion.from_state(np.zeros(7)), "2n"),
        (lambda: solve(TWO, Motion([0.1]), {}, forward_unknowns(TWO)), "2 segments, the motion 1 angles"),
        (lambda: solve_arrays(TWO, BENT, np.zeros(18)), "19 or 31 entries"),
        (lambda: solve_arrays(TWO, BENT, np.zeros(19), np.full(19, 2)), "True or False"),
        (lambda: solve_arrays(TWO, BENT, np.full(19, np.nan), np.ones(19)), "V is not finite there"),
        (lambda: solve_arrays(TWO, BENT, np.zeros(19)), "0 unknowns for 6 equations"),
        (lambda: solve_arrays(TWO, BENT, np.zeros(19), rows=np.zeros((1, 19))), "give both rows and right"),
        (lambda: solve_arrays(TWO, BENT, np.zeros(19), rows=np.zeros((1, 18)), right=[0.0]), "need rows of shape"),
        (lambda: solve_arrays(TWO, Motion(np.zeros((3, 2))), np.zeros(19)), "one instant"),
        (lambda: printed_index(2, "F"), "unknown symbol"),
        (lambda: printed_index(2, "Mext", 3), "from 1 to 2"),
        (lambda: values_of(TWO, "moment", [1.0]), "needs 3 values"),
        (lambda: values_of(TWO, "momentum", [1.0]), "unknown quantity"),
        (lambda: exchanged(forward_unknowns(TWO), {"b.moment": "c.moment"}), "unknown unknown 'b.moment'"),
        (lambda: exchanged(inverse_unknowns(TWO), {"b.moment": "a.moment"}), "already unknown"),
        (lambda: unit_of("b.torque"), "unknown quantity"),
    ],
)
def test_other_input_is_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(SolveError, match=message):
        call()


def test_reading_a_solution() -> None:
    found = solve(TWO, BENT, weight(TWO), forward_unknowns(TWO))
    assert len(list(found)) == 13 * 2 + 5
    assert {unit_of(name) for name in found} == {"N", "N m", "rad/s2", "m/s2"}
    assert isinstance(found["b.reaction_force_x"], float)
    left, right = system_of(Pose(TWO, BENT))
    np.testing.assert_allclose(left @ found.values, right, atol=1e-12)
    with pytest.raises(SolveError, match=r"did you mean 'b\.reaction_force_x'"):
        found["b.reaction_x"]
    with pytest.raises(SolveError, match="is not among the constraints"):
        found.reaction_of(AngularAcceleration("upper"))


def test_the_guide_does_what_it_says() -> None:
    guide = Path(__file__).parents[2] / "docs" / "theory" / "newton_euler.md"
    failed, tried = doctest.testfile(str(guide), module_relative=False, encoding="utf-8")
    assert tried > 5
    assert failed == 0
