"""From any start that muscles can be in, rates are found that leave nothing of the equations."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

import myodyne as my
from myodyne.equations.muscles.fibre_lengths import balanced_fibres
from myodyne.equations.muscles.kinds import activation_states
from myodyne.simulate.constrained import consistent_state
from support.das3 import FOLDER, HERE, REASON

Floats = NDArray[np.float64]

NAMES = [
    "jumper",
    "planar_arm",
    "cyclist_one_leg_muscles",
    pytest.param("synthetic_arm", marks=pytest.mark.long),
    pytest.param("das3", marks=[pytest.mark.long, pytest.mark.skipif(not HERE, reason=REASON)]),
]
ROUNDS = 40
# s: where neither activation nor damping gives a rate, it is that of a step of this length.
TINY = 1e-7


@cache
def equations(name: str, damping: float | None = None, compiled: bool | None = None) -> my.Equations:
    if name == "das3":
        model = my.load_model(FOLDER / "rel2_model.json")
    else:
        model = my.synthetic_arm(muscles=30, seed=0) if name == "synthetic_arm" else my.load_model(name)
    if damping is not None:
        model = model.with_values({f"{muscle}.damping": damping for muscle in model.muscles})
    return my.equations_of(model, compiled=compiled)


def states(eq: my.Equations, active: bool) -> Iterator[tuple[Floats, Floats]]:
    """Yield states in motion and controls; tendons bear what fibres can hold, shortening or lengthening."""
    rng, size, model = np.random.default_rng(0), len(eq.coordinates), eq.model
    owners = [list(model.muscles).index(name) for name in activation_states(model)]
    for _ in range(ROUNDS):
        x = eq.state()
        if eq.multipliers:
            x[:size] += rng.uniform(-0.1, 0.1, size)
        else:
            ranges = [
                model.coordinates[name].range or (x[i] - 0.5, x[i] + 0.5) for i, name in enumerate(eq.coordinates)
            ]
            x[:size] = rng.uniform(*np.array(ranges).T)
        x[size : 2 * size] = rng.uniform(-3, 3, size)
        if eq.multipliers:
            x, _ = consistent_state(eq, x)
        u = np.zeros(len(eq.controls))
        if active:
            u[: len(eq.muscles)] = rng.uniform(0.02, 0.8, len(eq.muscles))
        fibres = slice(2 * size, 2 * size + len(eq.layout.fibres))
        x[fibres] = balanced_fibres(eq, x[:size], u[owners], u[: len(eq.muscles)])
        u[: len(eq.muscles)] *= rng.uniform(0.85, 3.0, len(eq.muscles))
        x[fibres.stop :] = u[owners]
        yield x, u


def left(eq: my.Equations, judge: my.Equations, x: Floats, u: Floats, after: float = 0.0) -> tuple[float, float]:
    """Return what the rates leave: in the joints, against the moments there, and in the muscles (maximal forces).

    The judge gives what is left; it is interpreted, which takes less time than to compile a residual for a few calls.
    """
    size = len(eq.coordinates)
    rates, forces = eq.derivative(x, u), eq.constraint_forces(x, u)
    whole, moving = np.append(x + after * rates, forces), np.append(rates, np.zeros_like(forces))
    residual, still = judge.residual(whole, moving, u), judge.residual(whole, np.zeros_like(moving), u)
    joints = np.abs(residual[size : 2 * size]).max() / max(1.0, np.abs(still[size : 2 * size]).max())
    return float(joints), float(np.abs(residual[2 * size : len(x)]).max())


@pytest.mark.parametrize("damping", [None, 0.0])
@pytest.mark.parametrize("name", NAMES)
def test_active_muscles(name: str, damping: float | None) -> None:
    eq, judge = equations(name, damping), equations(name, damping, compiled=False)
    assert max(max(left(eq, judge, x, u)) for x, u in states(eq, active=True)) < 1e-9


@pytest.mark.parametrize("damping", [None, 0.05])
@pytest.mark.parametrize("name", NAMES)
def test_relaxed_muscles(name: str, damping: float | None) -> None:
    eq, judge = equations(name, damping), equations(name, damping, compiled=False)
    assert max(max(left(eq, judge, x, u)) for x, u in states(eq, active=False)) < 1e-9


@pytest.mark.parametrize("name", NAMES)
def test_relaxed_muscles_without_damping(name: str) -> None:
    """No equation gives the rate of their fibres; the equations hold at the end of a tiny step, muscles throughout."""
    eq, judge = equations(name, 0.0), equations(name, 0.0, compiled=False)
    for x, u in states(eq, active=False):
        assert left(eq, judge, x, u)[1] < 1e-9
        ends = left(eq, judge, x, u), left(eq, judge, x, u, after=TINY)
        assert min(joints for joints, _ in ends) < 1e-8
        assert np.isfinite(eq.derivative(x, u)).all()
