"""The nonlinear program of a problem: its sizes, and exact derivatives by every scheme."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pytest

import myodyne as my
from myodyne.errors import ModelError
from myodyne.numerics.collocation import collocation_of
from myodyne.optimise.transcription.program import Program
from support.derivatives import largest_errors, some_point
from support.small_problems import block

# Each function is evaluated a few hundred times, which pays for no compiler.
pytestmark = pytest.mark.usefixtures("interpreted")

SCHEMES = [
    my.BackwardEuler(),
    my.Midpoint(),
    my.Trapezoid(),
    my.HermiteSimpson(),
    my.Radau(degree=2),
    my.Radau(degree=5),
]
UNEVEN = np.array([0.0, 0.2, 0.7, 1.0])


def swinger() -> my.Model:
    """Return a pendulum that one muscle with an elastic tendon and a motor move."""
    muscle = my.Muscle(
        max_force=800.0,
        optimal_fibre_length=0.1,
        tendon_slack_length=0.2,
        damping=0.05,
        path=my.PointPath(points=(("ground", (0.05, 0.2, 0.0)), ("rod", (0.04, -0.1, 0.0)))),
    )
    motor = my.CoordinateActuator(coordinate="angle", gain=20.0, control_range=(-1.0, 1.0))
    spring = my.TorsionSpring(coordinate="angle", stiffness=3.0, rest=0.1)
    return my.load_model("pendulum").with_parts(muscles={"flexor": muscle}, forces={"motor": motor, "spring": spring})


def everything() -> my.Problem:
    """Return a problem with a goal or condition of each kind that acts on a part of the program of its own."""
    data = my.Trajectory(np.linspace(0.0, 1.0, 6), {"angle": np.sin(np.arange(6.0)), "pull": np.ones(6)})
    return my.Problem(
        swinger(),
        duration=(0.3, 0.9),
        parameters={"spring.stiffness": (0.0, 8.0), "rod.mass": (0.5, 2.0)},
        goals=[
            my.Effort(exponent=3, weight=2.0),
            my.Effort(of="torques", summed=True, label="torque"),
            my.Track(
                data,
                of={"pull": "flexor.force"},
                deviations={"angle": 0.2, "pull": 300.0},
                stretched=True,
                start_share=0.3,
            ),
            my.Smoothness(scale=10.0),
            my.Squared(of="angle", about=0.3),
            my.FinalTime(weight=0.3),
            my.FinalValue(of="com.position_y", weight=0.5),
            my.MeanSpeed(weight=0.1),
            my.JointLoad(joint="pivot", scale=20.0),
            my.Custom(
                mean=lambda at: ca.sin(at["angle"]) * at["angle.acceleration"],
                label="mean",
                final=lambda ends: ends.start["angle"] * ends.end["angle.speed"] * ends.duration,
            ),
        ],
        conditions=[
            my.Bounds({"com.position_x": (-0.9, 0.9), "flexor.force": (None, 900.0), "angle": (-2.0, 2.0)}),
            my.Start({"angle.speed": (-1.0, 1.0), "com.velocity_x": (-5.0, 5.0)}),
            my.End({"com.position_y": (-2.0, 0.5)}),
            my.Waypoint({"com.position_x": (-0.5, 0.5), "angle.speed": (None, 4.0)}, at=0.6),
            my.Equal(first="motor.control", second="angle"),
            my.Periodic(progressing=()),
            my.SteadyActivation(),
            my.AverageSpeed((-3.0, 3.0)),
            my.CustomCondition(
                range=(-2.0, 2.0),
                label="both",
                always=lambda at: at["angle"] * at["flexor.activation"],
                ends_of=lambda ends: ends.start["angle"] * ends.end["angle"],
            ),
        ],
    )


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_derivatives_are_exact(scheme: Any) -> None:
    """Gradient, Jacobian and Hessian agree with central differences, on an uneven mesh with all that is free."""
    errors = largest_errors(Program(everything(), scheme, [UNEVEN]))
    assert errors["gradient"] < 1e-6
    assert errors["jacobian"] < 1e-6
    assert errors["hessian"] < 1e-5


def test_a_record_is_followed_at_the_very_start_where_that_counts() -> None:
    data = my.Trajectory([1.0, 2.0], {"angle": [0.3, 0.3]}, {"angle": "rad"})
    pendulum = my.load_model("pendulum")

    def cost(share: float, first: float) -> float:
        goal = my.Track(data, deviations=0.1, start_share=share)
        program = Program(my.Problem(pendulum, start=1.0, duration=1.0, goals=[goal]), my.Radau(degree=2), [UNEVEN])
        unknowns = np.zeros(program.count)
        grid = program.phases[0].grid
        unknowns[grid.offset] = first
        return program.objective(unknowns)

    assert cost(0.0, 0.3) == cost(0.0, 0.0)
    assert cost(0.5, 0.0) == pytest.approx(cost(0.5, 0.3) + 0.5 * 9.0)


@pytest.mark.parametrize("degree", [2, 3])
def test_steady_fibres_keep_their_speed_in_the_first_interval(degree: int) -> None:
    arm = my.load_model("planar_arm")
    problem = my.Problem(arm, duration=0.5, goals=[my.Effort()], conditions=[my.SteadyFibres()])
    program = Program(problem, my.Radau(degree=degree), [UNEVEN])
    rows = program.phases[0].linear[2]
    assert rows.count == len(arm.muscles)
    grid, points = program.phases[0].grid, program.phases[0].collocation.points
    unknowns = np.random.default_rng(0).standard_normal(program.count)
    fibres = 2 * len(arm.moving) + np.arange(rows.count)
    for point in range(3):
        unknowns[grid.states(point)[fibres]] = 0.9 + 0.4 * points[point]
    np.testing.assert_allclose(rows.values(unknowns), 0.0, atol=1e-14)
    unknowns[grid.states(0)[fibres]] += 0.1
    np.testing.assert_allclose(rows.values(unknowns), 0.1, atol=1e-14)
    with pytest.raises(ModelError, match="two points after the first"):
        Program(problem, my.Midpoint(), [UNEVEN])


@pytest.mark.parametrize("scheme", [my.Midpoint(), my.HermiteSimpson(), my.Radau(degree=3)], ids=repr)
def test_derivatives_of_phases_are_exact(scheme: Any) -> None:
    """Phases have meshes and durations of their own, and share free numbers."""
    sought = {"block.mass": (1.0, 3.0)}
    first = my.Problem(
        block(),
        name="first",
        duration=(0.2, 1.0),
        parameters=sought,
        goals=[my.Effort(of="controls", summed=True)],
        conditions=[my.Start({"way": 0.0})],
    )
    last = my.Problem(
        block(),
        name="last",
        duration=(0.1, 2.0),
        parameters=sought,
        goals=[my.FinalTime(), my.FinalValue(of="energy.kinetic")],
        conditions=[my.AverageSpeed((0.0, 2.0)), my.Bounds({"push.power": (-50.0, 50.0)})],
    )
    program = Program(my.Phases([first, last]), scheme, [UNEVEN, np.linspace(0.0, 1.0, 3)])
    errors = largest_errors(program)
    assert max(errors.values()) < 1e-6
    assert program.count == sum(phase.grid.count for phase in program.phases) + 2 + 1
    links = [group for group in program.groups if "link to the next phase" in group.what]
    assert [group.count for group in links] == [2]


def test_derivatives_with_kept_constraints_are_exact() -> None:
    """The multipliers of a loop are unknowns like the rest."""
    bar = my.load_model("four_bar")
    assert my.equations_of(bar).multipliers
    problem = my.Problem(bar, duration=(0.1, 0.5), goals=[my.Smoothness(of="speeds", scale=100.0)])
    errors = largest_errors(Program(problem, my.Radau(degree=2), [UNEVEN]))
    assert errors["gradient"] < 1e-6
    assert errors["jacobian"] < 1e-6
    assert errors["hessian"] < 1e-5


def test_accelerations_are_weighed_by_coordinate() -> None:
    goals = [
        my.Smoothness(of="speeds", scale=2.0, label="common"),
        my.Smoothness(of="speeds", scale=3.0, scales={"way": 2.0}, label="own"),
    ]
    program = Program(my.Problem(block(), goals=goals), my.Radau(degree=2), [UNEVEN])
    parts = program.parts_of(np.random.default_rng(2).uniform(0.5, 1.0, program.count))
    assert parts["common"] > 0.0
    assert parts["own"] == pytest.approx(parts["common"], rel=1e-12)


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_sizes_are_what_the_scheme_asks_for(scheme: Any) -> None:
    """States, rates and controls at all points, one duration; as many equations as the scheme has stages."""
    nodes, intervals = 6, 5
    problem = my.Problem(block(), duration=(0.1, 1.0), goals=[my.FinalTime()])
    program = Program(problem, scheme, [np.linspace(0.0, 1.0, nodes)])
    inner = len(collocation_of(scheme).points) - 2
    states, rates = 2, 2 if isinstance(scheme, my.Trapezoid | my.HermiteSimpson) else 0
    between = states + rates + (0 if isinstance(scheme, my.HermiteSimpson) else 1)
    assert program.count == nodes * (states + rates + 1) + intervals * inner * between + 1
    rows = {
        my.BackwardEuler: 2 * intervals + 1,
        my.Midpoint: 2 * intervals,
        my.Trapezoid: 2 * nodes + 2 * intervals,
        my.HermiteSimpson: 2 * (nodes + intervals) + 4 * intervals,
    }
    expected = rows.get(type(scheme), 2 * intervals * (inner + 1) + 1)
    assert program.rows == expected == len(program.constraints(some_point(program)))
    assert all(len(bound) == program.count for bound in program.bounds)
    assert all(len(bound) == program.rows for bound in program.row_bounds)


def test_bounds_come_from_the_model_and_the_conditions() -> None:
    """Excitations are between zero and one, motors in their ranges; a condition takes the place of the model's range."""
    problem = my.Problem(
        swinger(),
        duration=0.5,
        conditions=[
            my.Bounds({"motor.control": (-0.5, 0.5)}),
            my.Start({"angle": 0.2}),
            my.Waypoint({"angle": (0.3, 0.4)}, at=0.5),
        ],
    )
    program = Program(problem, my.Midpoint(), [np.linspace(0.0, 1.0, 5)])
    phase, (lower, upper) = program.phases[0], program.bounds
    assert phase.ranges["motor.control"] == (-0.5, 0.5)
    assert phase.ranges["flexor.excitation"] == (0.0, 1.0)
    angle = [phase.grid.stride * node for node in range(5)]
    assert (lower[angle[0]], upper[angle[0]]) == (0.2, 0.2)
    assert (lower[angle[2]], upper[angle[2]]) == (0.3, 0.4)
    assert np.isinf(lower[angle[1]])
    assert (lower[-1], upper[-1]) == (0.5, 0.5)


def test_weights_change_parts_and_nothing_else() -> None:
    """The parts of the objective add up; a weight scales its own part."""
    problem = everything()
    program, heavier = (Program(one, my.Midpoint(), [UNEVEN]) for one in (problem, problem.with_weights(effort=6.0)))
    at = some_point(program)
    parts, others = program.parts_of(at), heavier.parts_of(at)
    assert program.objective(at) == pytest.approx(sum(parts.values()))
    assert others["effort"] == pytest.approx(3 * parts["effort"])
    assert {name: value for name, value in others.items() if name != "effort"} == {
        name: value for name, value in parts.items() if name != "effort"
    }
    assert np.array_equal(program.constraints(at), heavier.constraints(at))
