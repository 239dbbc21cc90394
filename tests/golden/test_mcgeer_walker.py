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
    falls = ca.vertcat(np.sin(walker.slope), -np.cos(walker.slope))
    lagrangian = kinetic + ca.dot(ca.vertcat(falls, falls), centres)
    momentum = ca.gradient(lagrangian, v)
    forces = ca.gradient(lagrangian, q) - ca.jtimes(momentum, q, v)
    return ca.Function("accelerations", [q, v], [ca.solve(ca.jacobian(momentum, v), forces)])


def strike(walker: Any) -> ca.Function:
    """Return mass matrix of the free walker (hip x, hip y, rear, front), and what holds the rear and the front foot."""
    q, v = ca.SX.sym("q", 4), ca.SX.sym("v", 4)
    hip = q[:2]
    centres = ca.vertcat(*(hip - (1 - walker.centre) * up(q[leg]) for leg in (2, 3)))
    kinetic = (ca.sumsqr(ca.jtimes(centres, q, v)) + walker.gyration**2 * ca.sumsqr(v[2:])) / 2
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
    """Near the cycle and away from it, and with other feet."""
    for walker, state in (
        (walking.Walker(), CYCLE),
        (walking.Walker(), CYCLE * [1.0, 1.04, 0.9]),
        (walking.Walker(radius=0.2, centre=0.645, gyration=0.3), CYCLE),
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
