"""Bodies with muscles: compiled and interpreted equations agree, and their derivatives are derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.equations import Equations
from myodyne.native.compiler import find_compiler
from support.comparison import assert_close, central_differences
from support.muscled_arm import FREE, arm, random_state

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="there is no compiler to agree with")

MODELS = {
    "free": arm(),
    "motorless": arm(motor=False),
    "constrained": arm(constrained=True),
    "with free numbers": arm(constrained=True, free=True),
    "one tendon": arm().model_copy(update={"muscles": {"ext": arm().muscles["ext"]}}),
}
STEP = 0.0002
SCHEMES = [
    my.Rosenbrock(step=STEP),
    my.Rosenbrock(step=STEP, order=3),
    my.Rosenbrock(step=STEP, order=4),
    my.Midpoint(step=STEP),
    my.TRBDF2(step=STEP),
    my.RK4(step=STEP),
]


def both(model: my.Model) -> tuple[Equations, Equations]:
    return my.equations_of(model, compiled=True), my.equations_of(model, compiled=False)


def stacked(equations: Equations, count: int) -> tuple[Any, Any]:
    pairs = [random_state(equations, seed) for seed in range(count)]
    return np.array([x for x, _ in pairs]), np.array([u for _, u in pairs])


@pytest.mark.parametrize("name", MODELS)
def test_rates_and_multipliers_agree_and_leave_nothing(name: str) -> None:
    compiled, interpreted = both(MODELS[name])
    x, u = stacked(compiled, 6)
    rates, forces = compiled.derivative(x, u), compiled.constraint_forces(x, u)
    for row in range(len(x)):
        assert_close(interpreted.derivative(x[row], u[row]), rates[row], 1e-10, "rates")
        assert_close(interpreted.constraint_forces(x[row], u[row]), forces[row], 1e-10, "multipliers", floor=1.0)
    left = compiled.residual(np.hstack([x, forces]), np.hstack([rates, np.zeros_like(forces)]), u)
    size = max(1.0, np.abs(rates).max())
    assert np.abs(left).max() < 1e-10 * size


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_steps_agree(name: str, scheme: my.Scheme) -> None:
    """One step to 1e-12 of the state, ten to 1e-11; under a control that moves, and one that does not."""
    compiled, interpreted = both(MODELS[name])
    x, u = random_state(compiled, 3)
    controls = dict(zip(compiled.controls, u, strict=True))
    first = compiled.controls[0]
    controls[first] = my.piecewise_linear([0.0, 0.001, 0.2], [0.1, 0.6, 0.2])
    if "motor" in controls:
        controls["motor"] = my.piecewise_linear([0.0, 0.05], [0.0, 3.0])
    start = dict(zip(compiled.motion, x, strict=True))
    ends = [
        my.simulate(equations, 10 * STEP, start=start, controls=controls, scheme=scheme, every=STEP)
        for equations in (compiled, interpreted)
    ]
    for state in compiled.motion:
        c, python = (np.asarray(end[state]) for end in ends)
        size = max(1.0, float(np.abs(c).max()))
        assert np.abs(c[1] - python[1]).max() < 1e-12 * size, state
        assert np.abs(c - python).max() < 1e-11 * size, state
    assert ends[0].report.steps == ends[1].report.steps
    assert ends[0].report.evaluations == ends[1].report.evaluations


def test_steps_that_the_error_chooses_agree() -> None:
    compiled, interpreted = both(MODELS["free"])
    start = dict(zip(compiled.motion, random_state(compiled, 1)[0], strict=True))
    for scheme in (my.Rosenbrock(relative=1e-5, absolute=1e-5), my.TRBDF2(relative=1e-4, absolute=1e-4)):
        runs = [my.simulate(equations, 0.02, start=start, scheme=scheme) for equations in (compiled, interpreted)]
        assert runs[0].report.steps == runs[1].report.steps
        for state in compiled.motion:
            assert runs[0].final[state] == pytest.approx(runs[1].final[state], rel=1e-9, abs=1e-9), state


@pytest.mark.parametrize("name", ["free", "with free numbers"])
@pytest.mark.parametrize("seed", range(3))
def test_jacobians_are_those_of_central_differences(name: str, seed: int) -> None:
    eq = my.equations_of(MODELS[name])
    x, u = random_state(eq, seed)
    rng = np.random.default_rng(seed)
    x = np.concatenate([x, rng.normal(size=len(eq.multipliers))])
    xdot = rng.normal(size=len(x))
    by_x, by_xdot, by_u = (matrix.toarray() for matrix in eq.jacobians(x, xdot, u))
    assert_close(by_x, central_differences(lambda rows: eq.residual(rows, xdot, u), x, 1e-5), 1e-8, "dF/dx")
    assert_close(by_xdot, central_differences(lambda rows: eq.residual(x, rows, u), xdot, 1e-5), 1e-8, "dF/dxdot")
    assert_close(by_u, central_differences(lambda rows: eq.residual(x, xdot, rows), u, 1e-5), 1e-8, "dF/du")
    if eq.parameters:
        p = np.array(eq.model.free_numbers)
        by_p = eq.parameter_jacobian(x, xdot, u).toarray()
        for column, value in enumerate(p):
            step = 1e-4 * abs(value)
            moved = [eq.residual(x, xdot, u, p + shift * np.eye(len(p))[column]) for shift in (-step, step)]
            assert_close(by_p[:, column], (moved[1] - moved[0]) / (2 * step), 1e-6, FREE[column], floor=1.0)


@pytest.mark.parametrize("compiled", [True, False])
def test_free_numbers_act_like_changed_ones(compiled: bool) -> None:
    model = MODELS["with free numbers"]
    eq = my.equations_of(model, compiled=compiled)
    x, u = random_state(eq, 5)
    changes = {"flex.max_force": 1200.0, "flex.pennation": 0.35, "bi.tendon_slack_length": 0.185, "lower.mass": 1.1}
    changed = model.with_values(changes)
    other = my.equations_of(changed, compiled=compiled)
    p = eq.parameter_vector(changes)
    before = eq.derivative(x, u)
    np.testing.assert_array_equal(eq.derivative(x, u, p), other.derivative(x, u))
    np.testing.assert_array_equal(eq.derivative(x, u), before)
    assert np.abs(other.derivative(x, u) - before).max() > 0.1
    bare = my.equations_of(arm(constrained=True).with_values(changes), compiled=compiled)
    assert_close(bare.derivative(x, u), other.derivative(x, u), 1e-10, "without free numbers")
    start = dict(zip(eq.motion, x, strict=True))
    runs = [my.simulate(equations, 0.01, start=start, scheme=my.Rosenbrock(step=0.001)) for equations in (other, bare)]
    for state in eq.motion:
        assert runs[0].final[state] == pytest.approx(runs[1].final[state], rel=1e-10, abs=1e-10), state


def test_interpreted_rates_take_rows_and_threads() -> None:
    from concurrent.futures import ThreadPoolExecutor

    eq = my.equations_of(MODELS["free"], compiled=False)
    x, u = stacked(eq, 4)
    rows = eq.derivative(x, u)
    with ThreadPoolExecutor(4) as pool:
        single = list(pool.map(lambda pair: eq.derivative(*pair), zip(x, u, strict=True)))
    np.testing.assert_array_equal(np.array(single), rows)


def test_everything_with_muscles_runs_without_a_compiler(python: Any) -> None:
    text = """
import json, sys, myodyne as my
from support.muscled_arm import arm
run = my.simulate(arm(), 0.01, controls={"flex": 0.5}, scheme=my.Rosenbrock(step=0.001))
print(json.dumps([my.equations_of(arm()).compiled, run.final["elbow"], run.final["flex.force"]]))
"""
    from pathlib import Path

    import support

    text = f"import sys; sys.path.insert(0, {str(Path(support.__file__).parents[1])!r})\n" + text
    compiled, elbow, force = python(text, MYODYNE_COMPILER="none")
    run = my.simulate(arm(), 0.01, controls={"flex": 0.5}, scheme=my.Rosenbrock(step=0.001))
    assert compiled is False
    assert elbow == pytest.approx(run.final["elbow"], abs=1e-12)
    assert force == pytest.approx(run.final["flex.force"], rel=1e-9)
