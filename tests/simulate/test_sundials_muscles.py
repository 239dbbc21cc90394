"""Multistep methods march muscles, too: BDF on the implicit equations, Adams on the rates that an iteration finds."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my
from myodyne.equations import Equations
from support.muscled_arm import arm, random_state

SCHEMES = [my.BDF(), my.Adams()]


def controls_of(equations: Equations, u: np.ndarray) -> dict[str, object]:
    """Return controls that stay, one that moves, and a motor that jumps."""
    controls: dict[str, object] = dict(zip(equations.controls, u, strict=True))
    controls["flex"] = my.piecewise_linear([0.0, 0.05, 0.2], [0.1, 0.6, 0.2])
    controls["motor"] = my.step(at=0.03)
    return controls


@pytest.mark.parametrize("constrained", [False, True])
@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_multistep_methods_agree_with_dop853(scheme: my.Scheme, constrained: bool) -> None:
    eq = my.equations_of(arm(constrained=constrained))
    x, u = random_state(eq, 1)
    start, controls = dict(zip(eq.motion, x, strict=True)), controls_of(eq, u)
    exact = my.simulate(eq, 0.1, start=start, controls=controls, scheme=my.DOP853(relative=1e-11, absolute=1e-11))
    run = my.simulate(eq, 0.1, start=start, controls=controls, scheme=scheme)
    for name in eq.motion:
        assert run.final[name] == pytest.approx(exact.final[name], abs=1e-6), name
    assert run.report.energy_error < 1e-7


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_multistep_methods_take_free_numbers(scheme: my.Scheme) -> None:
    changes = {"flex.max_force": 1200.0, "bi.tendon_slack_length": 0.185}
    free, bare = arm(free=True).with_values(changes), arm().with_values(changes)
    eq = my.equations_of(bare)
    start = dict(zip(eq.motion, random_state(eq, 2)[0], strict=True))
    runs = [my.simulate(model, 0.02, start=start, controls={"flex": 0.5}, scheme=scheme) for model in (free, bare)]
    for name in eq.motion:
        assert runs[0].final[name] == pytest.approx(runs[1].final[name], abs=1e-7), name


@pytest.mark.parametrize(
    "scheme", [*SCHEMES, my.Rosenbrock(), my.DOP853(), my.TRBDF2(relative=1e-8, absolute=1e-8)], ids=repr
)
def test_muscles_that_are_inactive_become_active(scheme: my.Scheme) -> None:
    """At activation zero no force feels the velocity of an undamped fibre; its rate is that of the next instant."""
    eq = my.equations_of(arm())
    assert all(eq.state()[number] == 0.0 for number, name in enumerate(eq.motion) if name.endswith(".activation"))
    excited = dict.fromkeys(eq.muscles, 0.3)
    exact = my.simulate(eq, 0.05, controls=excited, scheme=my.Rosenbrock(relative=1e-10, absolute=1e-10))
    run = my.simulate(eq, 0.05, controls=excited, scheme=scheme)
    for name in eq.motion:
        assert run.final[name] == pytest.approx(exact.final[name], abs=2e-5), name


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_a_jumper_is_marched(scheme: my.Scheme) -> None:
    eq = my.equations_of(my.load_model("jumper"))
    excited = dict.fromkeys(eq.muscles, 0.5)
    exact = my.simulate(eq, 0.05, controls=excited, scheme=my.DOP853(relative=1e-10, absolute=1e-10))
    run = my.simulate(eq, 0.05, controls=excited, scheme=scheme)
    for name in eq.motion:
        assert run.final[name] == pytest.approx(exact.final[name], abs=1e-5), name


def test_adams_in_the_interpreter_is_the_same() -> None:
    runs = []
    for compiled in (None, False):
        eq = my.equations_of(arm(), compiled=compiled)
        start = dict(zip(eq.motion, random_state(eq, 4)[0], strict=True))
        runs.append(my.simulate(eq, 0.005, start=start, scheme=my.Adams(relative=1e-6, absolute=1e-6)))
    for name in eq.motion:
        assert runs[0].final[name] == pytest.approx(runs[1].final[name], abs=1e-8), name
