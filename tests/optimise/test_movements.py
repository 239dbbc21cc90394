"""Movements that are known otherwise: a spring to be found, a swing up, phases, loops with multipliers."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my
from support.small_problems import block

# These models are so small that compiling would take most of the time.
pytestmark = pytest.mark.usefixtures("interpreted")

TIGHT = my.Settings(tolerance=1e-9)


def test_a_spring_is_found_that_makes_the_period() -> None:
    """A mass on a spring is back after its period, 2 pi sqrt(m / k), without any force: k = m (2 pi / T)^2."""
    period, mass = 0.8, 2.0
    spring = my.TorsionSpring(coordinate="way", stiffness=40.0, rest=0.0)
    problem = my.Problem(
        block(spring=spring),
        duration=period,
        parameters={"spring.stiffness": (10.0, 300.0)},
        goals=[my.Effort(of="controls")],
        conditions=[
            my.Start({"way": 0.1, "way.speed": 0.0}),
            my.End({"way": 0.1, "way.speed": 0.0}),
            my.Waypoint({"way": (None, -0.05)}, at=0.5),
        ],
    )
    solution = my.solve(problem, my.Radau(degree=4), nodes=[11], settings=TIGHT, audit=False)
    optimum = solution.report.optimum
    assert optimum is not None
    assert optimum.objective == pytest.approx(0.0, abs=1e-9)
    assert optimum.parameters["spring.stiffness"] == pytest.approx(mass * (2 * np.pi / period) ** 2, rel=1e-4)
    assert solution.model.value("spring.stiffness") == optimum.parameters["spring.stiffness"]
    # The movement of the model that was found is the movement that was found.
    run = my.simulate(solution.model, period, start={"way": 0.1})
    assert run.final["way"] == pytest.approx(0.1, abs=1e-4)


def test_a_weak_motor_swings_a_pendulum_up() -> None:
    """The motor holds a third of the rod's weight at most: it must swing back and forth. A simulation agrees."""
    motor = my.CoordinateActuator(coordinate="angle", gain=1.6, control_range=(-1.0, 1.0))
    model = my.load_model("pendulum").with_parts(forces={"motor": motor})
    problem = my.Problem(
        model,
        name="swing_up",
        duration=4.0,
        goals=[my.Effort(of="torques")],
        conditions=[my.Start({"angle": 0.0, "angle.speed": 0.0}), my.End({"angle": np.pi, "angle.speed": 0.0})],
    )
    solution = my.solve(problem, my.Radau(degree=3), nodes=[31], settings=my.Settings(tolerance=1e-7))
    angle, optimum = solution.values("angle"), solution.report.optimum
    assert optimum is not None
    assert angle.min() < -0.3
    assert solution.final["angle"] == pytest.approx(np.pi)
    assert abs(solution.values("motor.control")).max() <= 1.0 + 1e-6
    assert optimum.mesh_error is not None
    assert optimum.mesh_error < 1e-3
    assert optimum.replay is not None
    assert optimum.replay < 0.05
    assert any(note.startswith("trust it") for note in solution.report.notes)
    work = float(np.trapezoid(solution.values("angle.speed") * 1.6 * solution.values("motor.control"), solution.time))
    assert work == pytest.approx(9.81, rel=0.02)  # the centre of mass rises by 1 m


def test_two_phases_make_the_same_movement_as_one() -> None:
    """A way cut in two takes as long as the way; at the cut the speed is as large as can be: 2 * 25 m/s^2 * 0.5 m."""
    start, end = my.Start({"way": 0.0, "way.speed": 0.0}), my.End({"way": 1.0, "way.speed": 0.0})
    whole = my.Problem(block(), duration=(0.1, 2.0), goals=[my.FinalTime()], conditions=[start, end])
    halves = my.Phases(
        [
            my.Problem(
                block(),
                name="to",
                duration=(0.05, 1.0),
                goals=[my.FinalTime()],
                conditions=[start, my.End({"way": 0.5})],
            ),
            my.Problem(block(), name="fro", duration=(0.05, 1.0), goals=[my.FinalTime()], conditions=[end]),
        ],
        name="halves",
    )
    one = my.solve(whole, my.Radau(degree=2), nodes=21, settings=TIGHT, audit=False)
    two = my.solve(halves, my.Radau(degree=2), nodes=11, settings=TIGHT, audit=False)
    assert one.report.optimum is not None
    assert two.report.optimum is not None
    assert two.report.optimum.objective == pytest.approx(0.4, abs=1e-6)
    assert two.report.optimum.duration == pytest.approx(one.report.optimum.duration, abs=1e-3)
    assert set(two.report.optimum.parts) == {"phase 1: final_time", "phase 2: final_time"}
    assert len(two.time) == 21
    assert np.all(np.diff(two.time) > 0)
    assert two.values("way.speed").max() == pytest.approx(5.0, abs=1e-4)
    # A guess goes through the phases as time goes on, and is not repeated in each.
    with pytest.raises(my.SolveError) as caught:
        my.solve(halves, my.Midpoint(), nodes=11, guess=two, settings=my.Settings(most_iterations=0), audit=False)
    begun = caught.value.result
    assert begun.report.optimum.duration == pytest.approx(0.4, abs=1e-6)
    assert begun.values("way") == pytest.approx(np.interp(begun.time, two.time, two.values("way")), abs=1e-2)


def test_states_that_are_not_linked_may_jump() -> None:
    """Two phases that each start at rest at their own place: the way need not be continuous, the speed is."""
    legs = [
        my.Problem(
            block(),
            name=name,
            duration=0.5,
            goals=[my.Effort(of="controls")],
            conditions=[my.Start({"way": 0.0}), my.End({"way": 0.5})],
        )
        for name in ("first", "second")
    ]
    with pytest.raises(my.SolveError, match="link to the next phase"):
        my.solve(my.Phases(legs), my.Radau(degree=2), nodes=6, audit=False)
    solution = my.solve(my.Phases(legs, unlinked=["way"]), my.Radau(degree=2), nodes=6, audit=False)
    assert solution.report.optimum is not None
    # At a steady 1 m/s no force is needed.
    assert solution.report.optimum.objective == pytest.approx(0.0, abs=1e-6)


def test_a_loop_is_kept_by_schemes_that_determine_its_forces() -> None:
    """A four-bar linkage with kept constraints, driven by nothing: collocation and simulation agree."""
    bar = my.load_model("four_bar")
    start = my.simulate(bar, 0.1)
    names = my.equations_of(bar).coordinates
    begin = {name: float(start.values(name)[0]) for name in names}
    begin |= {f"{name}.speed": float(start.values(f"{name}.speed")[0]) for name in names}
    problem = my.Problem(bar, duration=0.1, conditions=[my.Start(begin)])
    solution = my.solve(
        problem, my.Radau(degree=3), nodes=[6], guess=start, settings=my.Settings(tolerance=1e-8), audit=False
    )
    for name in names:
        assert solution.final[name] == pytest.approx(start.final[name], abs=1e-5)
    with pytest.raises(my.ModelError, match=r"Midpoint leaves the forces of the kept constraints of 'four_bar'"):
        my.solve(problem, my.Midpoint(), nodes=6)


def test_periodic_movement_at_a_speed() -> None:
    """A mass pushed along at a mean speed: the cheapest periodic way is a steady one, without force."""
    problem = my.Problem(
        block(),
        duration=(0.5, 1.5),
        goals=[my.Effort(of="controls")],
        conditions=[my.Start({"way": 0.0}), my.Periodic(), my.AverageSpeed(1.2)],
    )
    solution = my.solve(problem, my.Midpoint(), nodes=9, settings=TIGHT, audit=False)
    assert solution.values("way.speed") == pytest.approx(1.2, abs=1e-6)
    assert solution.values("push.control") == pytest.approx(0.0, abs=1e-6)
    assert (solution.final["way"]) / solution.time[-1] == pytest.approx(1.2, abs=1e-6)
