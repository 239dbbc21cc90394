"""Problems that cannot be: each is refused with a message that says what, where and what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

import myodyne as my
from support.small_problems import block

# Hardly anything is evaluated here.
pytestmark = pytest.mark.usefixtures("interpreted")

NAN, INF = float("nan"), float("inf")
ENDS = (my.Start({"way": 0.0, "way.speed": 0.0}), my.End({"way": 1.0, "way.speed": 0.0}))
DATA = my.Trajectory(np.linspace(0.0, 2.0, 5), {"way": np.linspace(0.0, 0.4, 5)})


def problem(**changes: Any) -> my.Problem:
    given = {"duration": (0.1, 2.0), "goals": [my.FinalTime()], "conditions": ENDS}
    return my.Problem(block(), **{**given, **changes})


def solve(changes: dict[str, Any] | None = None, **how: Any) -> my.Solution:
    return my.solve(problem(**(changes or {})), **{"scheme": my.Radau(degree=2), "nodes": 4, "audit": False, **how})


def with_condition(condition: Any) -> my.Solution:
    return solve({"conditions": [*ENDS, condition]})


def with_goal(goal: Any) -> my.Solution:
    return solve({"goals": [goal], "duration": 1.0})


def series(**columns: Any) -> my.Trajectory:
    return my.Trajectory(np.linspace(0.0, 2.0, 5), columns)


STATED: list[tuple[str, Callable[[], Any]]] = [
    ("duration.*finite", lambda: problem(duration=NAN)),
    ("duration.*finite", lambda: problem(duration=(0.1, INF))),
    ("duration.*greater than 0", lambda: problem(duration=0.0)),
    (r"duration: the range \[2, 1\] is inverted", lambda: problem(duration=(2.0, 1.0))),
    ("Problem: duration: must be greater than 0, not -1$", lambda: problem(duration=-1)),
    ("Effort: of: must be 'excitations', .* not 'torque'$", lambda: my.Effort(of="torque")),  # type: ignore[arg-type]
    ("Problem: goals.0: cannot be 3$", lambda: problem(goals=[3])),
    ("Problem: model: must be a Model, not 'block'$", lambda: my.Problem("block", duration=1.0)),  # type: ignore[arg-type]
    ("no column of 'block', such as 'way'.*has 'foo'", lambda: solve(guess=series(foo=np.zeros(5)))),
    ("guess: 'way' is nan at 1 s", lambda: solve(guess=series(way=[0.0, 0.1, NAN, 0.3, 0.4]))),
    ("duration.*a number, not '1'", lambda: problem(duration="1")),
    ("model: .*not None", my.Problem),
    ("model: .*not 'pendulum'", lambda: my.Problem("pendulum")),
    (r"goals: a list is expected, even of one: \[FinalTime", lambda: problem(goals=my.FinalTime())),
    (r"conditions: a list is expected, even of one", lambda: problem(conditions=my.Start({"way": 0.0}))),
    ("goals.0: unknown kind 'start'", lambda: problem(goals=[my.Start({"way": 0.0})])),
    ("conditions.0: unknown kind 'final_time'", lambda: problem(conditions=[my.FinalTime()])),
    ("goal: unknown field", lambda: problem(goal=[])),
    ("two are called 'final_time'; give one of them a label", lambda: problem(goals=[my.FinalTime(), my.FinalTime()])),
    ("weight: .*greater than or equal to 0", lambda: my.FinalTime(weight=-1.0)),
    ("weight: .*finite", lambda: my.Effort(weight=NAN)),
    ("the weight of 'final_time' must be a number", lambda: problem().with_weights(final_time=-1.0)),
    ("the weight of 'final_time' must be a number", lambda: problem().with_weights(final_time=NAN)),
    ("did you mean 'final_time'", lambda: problem().with_weights(finaltime=1.0)),
    (r"way: the range \[1, 0\] is inverted", lambda: my.Bounds({"way": (1.0, 0.0)})),
    ("finite", lambda: my.Bounds({"way": (NAN, 0.0)})),
    ("values: must be a mapping of names, not None", my.Bounds),
    ("at: .*less than 1", lambda: my.Waypoint({"way": 0.0}, at=1.0)),
    ("speed: the range .* is inverted", lambda: my.AverageSpeed((2.0, 1.0))),
    ("range: the range .* is inverted", lambda: my.CustomCondition(range=(1.0, 0.0), always=lambda at: at["way"])),
    ("give the function", lambda: my.CustomCondition(range=0.0)),
    ("give the function", my.Custom),
    ("callable", lambda: my.Custom(mean=3)),
    ("exponent: .*greater than 0", lambda: my.Effort(exponent=0)),
    ("Trajectory is expected", my.Track),
    ("deviations.*greater than 0", lambda: my.Track(DATA, deviations=0.0)),
    ("column 'way' is missing", lambda: my.Track(DATA, deviations={"x": 1.0})),
    ("those of 'way' must be positive", lambda: my.Track(DATA, deviations=series(way=[1, 1, 0, 1, 1]))),
    ("those of 'way' must be positive", lambda: my.Track(DATA, deviations=series(way=[1, 1, NAN, 1, 1]))),
    ("the data have no column 'weg'", lambda: my.Track(DATA, of={"weg": "way"})),
    ("at least 1 item", lambda: my.Track(DATA, of={"way": ()})),
    ("set stretched=True", lambda: problem(goals=[my.Track(DATA)])),
    ("range .* of 'block.mass' is inverted", lambda: problem(parameters={"block.mass": (2.0, 1.0)})),
    ("weights of goals must not be negative", lambda: problem(continuation=[{"final_time": -1.0}])),
    ("a scheme is one of BackwardEuler", lambda: problem(scheme="radau")),
    ("Radau has no 'degre'", lambda: problem(scheme={"kind": "Radau", "degre": 3})),
    ("degree must be a whole number from 2 to 5", lambda: my.Radau(degree=9)),
    ("nodes: .*greater than or equal to 2", lambda: problem(nodes=1)),
    ("name must be printable", lambda: problem(name="a/b")),
    ("at least 1 item", lambda: my.Phases([])),
    ("tolerance must be a positive number", lambda: my.Settings(tolerance=NAN)),
    ("seconds must be a positive number", lambda: my.Settings(seconds=-1.0)),
    ("most_iterations must be a whole number", lambda: my.Settings(most_iterations=10.5)),  # type: ignore[arg-type]
    ("approach must be a whole number", lambda: my.Settings(approach=-1)),
    ("option tol of IPOPT", lambda: my.Settings(options={"tol": [1]})),
    ("unknown coordinate 'weg'", lambda: my.standing(block(), {"weg": 0.0})),
    ("did you mean 'sliding_mass'", lambda: my.load_problem("sliding_mas")),
    ("given by its name or file", lambda: my.load_problem(None)),  # type: ignore[arg-type]
    ("give their folder", lambda: my.load_problem("moco_walk2d_tracking")),
    ("there is no such folder", lambda: my.load_problem("moco_walk2d_tracking", "nowhere")),
]
SOLVED: list[tuple[str, Callable[[], Any]]] = [
    ("solve needs a my.Problem", lambda: my.solve(None)),  # type: ignore[arg-type]
    ("solve needs a my.Problem", lambda: my.solve("sliding_mass")),  # type: ignore[arg-type]
    ("solve needs a my.Problem", lambda: my.solve(block())),  # type: ignore[arg-type]
    ("a guess must be a my.Trajectory", lambda: solve(guess={"way": 0.0})),
    ("settings must be my.Settings", lambda: solve(settings={"tolerance": 1e-3})),
    ("takes one of .*not 'radau'", lambda: solve(scheme="radau")),
    ("takes one of", lambda: solve(scheme=my.DOP853())),
    ("takes one of", lambda: solve(scheme=my.Radau)),
    *(
        (r"nodes are whole numbers, at least 2", lambda nodes=nodes: solve(nodes=nodes))
        for nodes in (1, 0, 8.0, "8", True, [], [4, 1], 10**9)
    ),
    ("unknown state, control or output 'weg'", lambda: with_condition(my.Bounds({"weg": (0.0, 1.0)}))),
    ("unknown state, control or output 'weg'", lambda: with_condition(my.Waypoint({"weg": 1.0}, at=0.5))),
    ("did you mean 'way.speed'", lambda: with_condition(my.End({"way.spede": 0.0}))),
    ("did you mean 'way'", lambda: with_condition(my.Equal(first="way", second="wy"))),
    (r"must be in \[1, 2\], but other bounds", lambda: with_condition(my.Start({"way": (1.0, 2.0)}))),
    ("other bounds keep it in", lambda: with_condition(my.Bounds({"way": (2.0, 3.0)}))),
    ("depends on accelerations", lambda: with_condition(my.Start({"way.acceleration": 0.0}))),
    ("Periodic: unknown coordinate 'weg'", lambda: with_condition(my.Periodic(progressing=["weg"]))),
    ("Periodic: unknown control 'pussh'", lambda: with_condition(my.Periodic(controls=["pussh"]))),
    ("unknown state, control or output 'x'", lambda: with_condition(my.AverageSpeed(1.0, of="x"))),
    (
        "bent: the function must return",
        lambda: with_condition(my.CustomCondition(range=0.0, label="bent", always=lambda _: None)),
    ),
    (
        "returns 2 expressions",
        lambda: with_condition(
            my.CustomCondition(range=0.0, ends_of=lambda ends: ca.vertcat(ends.duration, ends.duration))
        ),
    ),
    ("unknown state, control or output 'nope'", lambda: with_goal(my.Custom(mean=lambda at: at["nope"]))),
    ("returns 2 expressions", lambda: with_goal(my.Custom(mean=lambda at: ca.vertcat(at["way"], at["way"])))),
    ("the function must return", lambda: with_goal(my.Custom(final=lambda _: "a"))),
    ("Effort: 'block' has no excitations", lambda: with_goal(my.Effort())),
    ("did you mean 'push.control'", lambda: with_goal(my.Effort(of=["pusch.control"]))),
    ("has no muscles", lambda: with_goal(my.MetabolicCost())),
    ("has no activations", lambda: with_goal(my.Smoothness(of="activations"))),
    ("did you mean 'way'", lambda: with_goal(my.Smoothness(of="speeds", scales={"wya": 2.0}))),
    ("not rates of fibres", lambda: with_goal(my.Smoothness(of="fibres", scales={"way": 2.0}))),
    ("did you mean 'rail.reaction_force_x'", lambda: with_goal(my.JointLoad(joint="rial"))),
    ("did you mean 'com.position_y'", lambda: with_goal(my.FinalValue(of="com.positin_y"))),
    ("unknown state, control or output 'weg'", lambda: with_goal(my.Track(series(weg=np.zeros(5))))),
    ("the data reach from 0 to 2 s", lambda: solve({"goals": [my.Track(DATA)], "duration": 3.0})),
    ("column 'way' has no data", lambda: with_goal(my.Track(series(way=[NAN, NAN, NAN, NAN, NAN])))),
    (
        "unknown body of a sensor 'shank'",
        lambda: with_goal(my.Track(DATA, of={"way": my.Gyroscope(body="shank", direction="z")})),
    ),
    (
        "unknown body of a sensor 'shank'",
        lambda: with_goal(my.Track(DATA, of={"way": my.Accelerometer(body="shank", direction="z")})),
    ),
    ("did you mean 'block'", lambda: solve({"parameters": {"blok.mass": (1.0, 2.0)}})),
    ("did you mean 'block.mass'", lambda: solve({"parameters": {"block.maas": (1.0, 2.0)}})),
    ("bodies.block.mass: .*greater than or equal to 0", lambda: solve({"parameters": {"block.mass": (-1.0, 2.0)}})),
    ("unknown element 'blub'", lambda: solve({"continuation": [{"blub": 1.0}]})),
    ("unlinked: unknown state 'weg'", lambda: my.solve(my.Phases([problem(), problem()], unlinked=["weg"]), nodes=4)),
    (
        "in one phase and .* in another",
        lambda: my.solve(
            my.Phases([problem(parameters={"block.mass": (1.0, 2.0)}), problem(parameters={"block.mass": (1.0, 3.0)})]),
            nodes=4,
        ),
    ),
    ("IPOPT rejects the option", lambda: solve(settings=my.Settings(options={"blub": 1}))),
    ("nothing that moves", lambda: my.solve(my.Problem(my.Model(name="none", bodies={}, joints={})), nodes=4)),
    ("replay takes a result of my.solve or my.simulate", lambda: my.replay(DATA)),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("message", "attempt"), STATED, ids=[f"{n} {m[:30]}" for n, (m, _) in enumerate(STATED)])
def test_refused_when_stated(
    message: str, attempt: Callable[[], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(my.MyodyneError, match=f"(?s){message}"):
        attempt()


@pytest.mark.parametrize(("message", "attempt"), SOLVED, ids=[f"{n} {m[:30]}" for n, (m, _) in enumerate(SOLVED)])
def test_refused_before_it_is_solved(message: str, attempt: Callable[[], Any]) -> None:
    with pytest.raises(my.MyodyneError, match=message) as caught:
        attempt()
    assert not isinstance(caught.value, my.SolveError)


def test_odd_but_possible() -> None:
    """Two nodes, counts from numpy, no goals, empty bounds, conditions on numbers: all are solved."""
    assert solve(nodes=2).report.status == "completed"
    assert len(solve(nodes=np.int64(6)).time) == 6
    free = solve({"goals": [], "conditions": [*ENDS, my.Bounds({})]})
    assert free.report.status == "completed"
    assert free.report.optimum is not None
    assert free.report.optimum.objective == 0.0
    assert with_condition(my.CustomCondition(range=(0.0, 1.0), always=lambda _: 0.5)).report.status == "completed"
