"""The walker with round feet of the examples against a derivation of its own, energy, and McGeer (1990).

The derivation has Lagrange's equations from energies written down here, integrated by SciPy, and a strike from the mass
matrix of a walker that is free to fly and gets its front foot caught. It shares no code with ours.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp

FILE = Path(__file__).parents[2] / "examples" / "mcgeer_walker.py"
CYCLE = np.array([0.308435, -0.403104, -0.280688])


@pytest.fixture(scope="module")
def walking() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mcgeer_walker", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["mcgeer_walker"] = module
    spec.loader.exec_module(module)
    return module


def up(angle: Any) -> ca.SX:
    return ca.vertcat(-ca.sin(angle), ca.cos(angle))


def accelerations(walker: Any) -> ca.Function:
    """Return the accelerations of both legs' angles, stance first, by Lagrange's equations."""
    q, v = ca.SX.sym("q", 2), ca.SX.sym("v", 2)
    arc = ca.vertcat(-walker.radius * q[0], walker.radius)
    hip = arc + (1 - walker.radius) * up(q[0])
    centres = ca.vertcat(arc + (walker.centre - walker.radius) * up(q[0]), hip - (1 - walker.centre) * up(q[1]))
    kinetic = (ca.sumsqr(ca.jtimes(centres, q, v)) + walker.gyration**2 * ca.sumsqr(v)) / 2
    kinetic += walker.hip * ca.sumsqr(ca.jtimes(hip, q, v)) / 2
    falls = ca.vertcat(np.sin(walker.slope), -np.cos(walker.slope))
    lagrangian = kinetic + ca.dot(ca.vertcat(falls, falls), centres) + walker.hip * ca.dot(falls, hip)
    momentum = ca.gradient(lagrangian, v)
    forces = ca.gradient(lagrangian, q) - ca.jtimes(momentum, q, v)
    return ca.Function("accelerations", [q, v], [ca.solve(ca.jacobian(momentum, v), forces)])


def strike(walker: Any) -> ca.Function:
    """Return mass matrix of the free walker (hip x, hip y, rear, front), and what holds the rear and the front foot."""
    q, v = ca.SX.sym("q", 4), ca.SX.sym("v", 4)
    hip = q[:2]
    centres = ca.vertcat(*(hip - (1 - walker.centre) * up(q[leg]) for leg in (2, 3)))
    kinetic = (ca.sumsqr(ca.jtimes(centres, q, v)) + walker.gyration**2 * ca.sumsqr(v[2:])) / 2
    kinetic += walker.hip * ca.sumsqr(v[:2]) / 2
    held = []
    for leg in (2, 3):
        arc = hip - (1 - walker.radius) * up(q[leg])
        held.append(ca.jacobian(ca.vertcat(arc[0] + walker.radius * q[leg], arc[1]), q))
    return ca.Function("strike", [q], [ca.hessian(kinetic, v)[0], *held])


def steps_by_hand(walker: Any) -> Callable[[np.ndarray], tuple[np.ndarray, float]]:
    """Return the function of a step: the state after the next strike, and when it comes."""
    moves, hits = accelerations(walker), strike(walker)

    def rates(_: float, x: np.ndarray) -> np.ndarray:
        return np.concatenate([x[2:], np.array(moves(x[:2], x[2:])).ravel()])

    def apart(_: float, x: np.ndarray) -> float:
        return float(-x[0] - x[1])

    apart.terminal, apart.direction = True, 1  # type: ignore[attr-defined]

    def step(state: np.ndarray) -> tuple[np.ndarray, float]:
        accuracy = {"method": "DOP853", "rtol": 1e-10, "atol": 1e-11}
        begin = [state[0], -state[0], state[1], state[2]]
        # Both feet are on the ground at the start too: leave that behind before events are looked for.
        first = solve_ivp(rates, (0.0, 0.4), begin, **accuracy)
        rest = solve_ivp(rates, (0.4, 6.0), first.y[:, -1], events=apart, **accuracy)
        rear, front, *speeds = rest.y_events[0][0]
        mass, rolls, caught = (np.array(matrix) for matrix in hits([0.0, 0.0, rear, front]))
        before = np.concatenate([-np.linalg.solve(rolls[:, :2], rolls[:, 2:] @ speeds), speeds])
        easy = np.linalg.solve(mass, caught.T)
        after = before - easy @ np.linalg.solve(caught @ easy, caught @ before)
        return np.array([front, after[3], after[2]]), float(rest.t_events[0][0])

    return step


def test_a_step_is_that_of_the_derivation_by_hand(walking: ModuleType) -> None:
    """Near the cycle and away from it, with other feet, and with a mass at the hip."""
    for walker, state in (
        (walking.Walker(), CYCLE),
        (walking.Walker(), CYCLE * [1.0, 1.04, 0.9]),
        (walking.Walker(radius=0.2, centre=0.645, gyration=0.3), CYCLE),
        (walking.Walker(hip=0.4, centre=0.645, slope=0.025), np.array([0.31, -0.38, -0.25])),
    ):
        expected, _ = steps_by_hand(walker)(state)
        assert walking.step(walker, state) == pytest.approx(expected, abs=1e-7)


def test_the_cycle_is_stable_and_its_slope_and_period_are_near_mcgeer_s(walking: ModuleType, printed: Any) -> None:
    """McGeer 1990, figure 8, whose curves are read to 10 %: at 0.3 rad a slope of 0.030 rad and a period of 2.5."""
    walker = walking.Walker()
    found = walking.cycle(walker)
    assert found == pytest.approx(CYCLE, abs=1e-5)
    after, period = steps_by_hand(walker)(found)
    assert after == pytest.approx(found, abs=1e-8)
    assert np.abs(walking.modes(walker, found)).max() < 0.5
    mcgeer = printed("McGeer 1990")
    mcgeer("fig. 8, read off: angle of the leg at a slope of 0.030", 0.3, found[0], within=0.015, unit="rad")
    published = walking.PUBLISHED_PERIOD
    mcgeer("fig. 8, read off: period", published, period, within=0.1 * published, unit="√(l/g)")


def test_the_eigenvalues_are_those_of_the_derivation_by_hand(walking: ModuleType) -> None:
    walker, step = walking.Walker(), steps_by_hand(walking.Walker())
    changes = 1e-5 * np.eye(3)
    by_hand = np.column_stack([(step(CYCLE + d)[0] - step(CYCLE - d)[0]) / 2e-5 for d in changes])
    expected = sorted(np.linalg.eigvals(by_hand), key=lambda value: -value.real)
    assert np.abs(walking.modes(walker, CYCLE)) == pytest.approx(np.abs(expected), abs=1e-4)


@pytest.mark.parametrize(
    ("radius", "slope", "rates"), [(0.3, 0.027855, (-0.396, -0.282)), (1e-9, 0.077815, (-0.375, -0.167))]
)
def test_round_feet_are_stable_and_point_feet_totter(
    walking: ModuleType, radius: float, slope: float, rates: tuple[float, float]
) -> None:
    """McGeer 1990, figure 9: at an angle of 0.3 rad point feet have a negative eigenvalue outside the unit circle."""
    walker = walking.Walker(radius=radius, slope=slope)
    state = walking.cycle(walker, (0.3, *rates))
    assert state[0] == pytest.approx(0.3, abs=1e-3)
    modes = walking.modes(walker, state)
    if radius == 0.3:
        assert np.abs(modes).max() < 0.5
    else:
        assert modes[-1] == pytest.approx(-2.633, abs=0.01)
        assert np.abs(modes[:-1]).max() < 0.2


def test_round_feet_under_a_hip_with_mass_walk_as_a_public_program_does(
    walking: ModuleType, printed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bhounsule 2009, passivewalker.m: legs of length 1 above feet of radius 0.2, slope 0.01.

    His strike counts the inertia of the new swing leg with the difference of both legs' speeds, not with its own. With
    the same strike our cycle is his; with ours, which `test_a_step_is_that_of_the_derivation_by_hand` checks, the rates
    differ by 1 %.
    """
    length = 1.2
    walker = walking.Walker(
        radius=0.2 / length, centre=0.7 / length, gyration=np.sqrt(0.02 / 0.5) / length, slope=0.01, hip=2.0
    )
    own = walking.cycle(walker, (0.1895, -0.262, -0.205))

    def struck(self: Any, before: dict[str, float]) -> dict[str, float]:
        rear = before["stance.speed"]
        front, angle = -rear - before["opening.speed"], -before["stance"]
        kept = self.momenta(angle, rolling="rear") @ [front, rear] + [0.0, self.gyration**2 * (front - rear)]
        after: dict[str, float] = walking.after_strike(
            angle, *np.linalg.solve(self.momenta(angle, rolling="front"), kept)
        )
        return after

    monkeypatch.setattr(walking.Walker, "struck", struck)
    found = walking.cycle(walker, (0.1895, -0.262, -0.203))
    program, unit = printed("Bhounsule 2009, passivewalker.m"), np.sqrt(length)
    program("round feet, his strike: angle of the leg", 0.189472782205104, found[0], within=1e-11, unit="rad")
    program(
        "round feet, his strike: its rate", -0.239124222551699, found[1] / unit, within=1e-11, unit="rad/s, g/l = 1"
    )
    between = (found[1] - found[2]) / unit
    program(
        "round feet, his strike: rate between legs", -0.053691703909393, between, within=1e-11, unit="rad/s, g/l = 1"
    )
    assert own[2] == pytest.approx(found[2], rel=0.02)
    assert abs(own[2] / found[2] - 1) > 0.005


def test_what_a_strike_loses_gravity_gave(walking: ModuleType) -> None:
    """In the cycle both legs fall by a step: the distance of the contacts and the way that the arc has rolled."""
    walker = walking.Walker()
    state = walking.cycle(walker)
    run = walking.walk(walker, state, 3.0)
    row = int(np.searchsorted(run.time, run.report.events[0][0]))
    kinetic = run.values("energy.kinetic")
    length = 2 * (1 - walker.radius) * np.sin(state[0]) + 2 * walker.radius * state[0]
    assert kinetic[row] - kinetic[row + 1] == pytest.approx(2 * length * np.sin(walker.slope), rel=1e-7)
    assert run.report.energy_error < 1e-9


def test_a_stumble_is_forgotten(walking: ModuleType) -> None:
    walker = walking.Walker()
    run = walking.walk(walker, CYCLE * [1.0, 1.05, 1.0], 40.0)
    assert run.report.status == "completed"
    periods = np.diff([time for time, _ in run.report.events])
    assert abs(periods[0] - periods[-1]) > 1e-3
    assert abs(periods[-2] - periods[-1]) < 1e-4
