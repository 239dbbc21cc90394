"""Muscles without damping sleep at activation zero, where no force feels how fast their fibres move, and wake up."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.simulate.constrained import consistent_state
from myodyne.simulate.marches import march_of
from support.samples import one_in

CURVES = (my.VanDenBogert2011, my.VanSoestBobbert1993, my.DeGrooteFregly2016, my.Thelen2003, my.Millard2012)
ACTIVATIONS = (my.HeActivation, my.DeGrooteActivation, my.ThelenActivation, my.HatzeActivation, my.NoActivation)
CALLED = my.step(at=0.1)


def limb(curves: type, activation: type) -> my.Model:
    """Return a pendulum with one undamped muscle, whose tendon is on the verge of slack where the limb hangs."""
    muscle = my.Muscle(
        max_force=100.0,
        optimal_fibre_length=0.13,
        tendon_slack_length=0.1,
        curves=curves(),
        activation=activation(),
        path=my.FunctionPath(length=my.Linear(coordinate="angle", slope=-0.02, offset=0.23)),
    )
    return my.load_model("pendulum").with_parts(muscles={"flexor": muscle})


def start(eq: my.Equations, angle: float) -> dict[str, float]:
    """Return a start with a slack (0.3) or a stretched (-0.3) muscle; inactive, even where activations have a least."""
    return {"angle": angle} | ({"flexor.activation": 0.0} if "flexor.activation" in eq.motion else {})


# Its stages are solved for, so that it needs no rates to begin with.
REFERENCE = my.TRBDF2(relative=1e-9, absolute=1e-9)


@pytest.mark.parametrize("activation", one_in(3, ACTIVATIONS))
@pytest.mark.parametrize("curves", CURVES)
def test_steps_that_adapt_wake_every_muscle(curves: type, activation: type) -> None:
    """Whether slack or stretched; with Millard's curves the force stays zero beyond the maximal velocity.

    So a slack muscle of his may move faster without any equation noticing: it is held to 5e-4, all others to 2e-6.
    """
    eq = my.equations_of(limb(curves, activation))
    for angle in (0.3, -0.3):
        runs = [
            my.simulate(eq, 0.3, start=start(eq, angle), controls={"flexor": CALLED}, scheme=scheme)
            for scheme in (REFERENCE, my.Rosenbrock(order=3), my.Rosenbrock(order=4))
        ]
        ends = np.array([[run.final[name] for name in eq.motion] for run in runs])
        allowed = 5e-4 if curves is my.Millard2012 and angle > 0 else 2e-6
        assert np.abs(ends[1:] - ends[0]).max() < allowed, angle
        assert max(run.report.rejected for run in runs[1:]) < 30


@pytest.mark.parametrize("curves", [my.VanSoestBobbert1993, my.Thelen2003])
def test_a_ramp_wakes_muscles_too(curves: type) -> None:
    """The activation then begins with its second derivative."""
    eq = my.equations_of(limb(curves, my.HeActivation))
    ramp = {"flexor": my.piecewise_linear([0.1, 0.2], [0.0, 1.0])}
    ends = [
        my.simulate(eq, 0.3, start=start(eq, 0.3), controls=ramp, scheme=scheme).final
        for scheme in (REFERENCE, my.Rosenbrock(order=3), my.Rosenbrock(order=4))
    ]
    for name in eq.motion:
        assert [end[name] for end in ends[1:]] == pytest.approx([ends[0][name]] * 2, abs=2e-6), name


@pytest.mark.parametrize("curves", [my.Thelen2003, my.Millard2012])
def test_the_interpreter_wakes_muscles_by_the_same_steps(curves: type) -> None:
    runs = []
    for compiled in (None, False):
        eq = my.equations_of(limb(curves, my.DeGrooteActivation), compiled=compiled)
        runs.append(my.simulate(eq, 0.12, start=start(eq, 0.3), controls={"flexor": CALLED}))
    for name in eq.motion:
        assert runs[1].final[name] == pytest.approx(runs[0].final[name], abs=1e-7), name


@pytest.mark.parametrize("compiled", [None, False])
def test_rates_in_results_are_those_of_the_steps(compiled: bool | None) -> None:
    """Sought for the state at the end of a step, the rate of a slack fibre that wakes was 4357 m/s, not 1.3."""
    eq = my.equations_of(limb(my.VanDenBogert2011, my.HeActivation), compiled=compiled)
    run = my.simulate(eq, 0.15, start=start(eq, 0.3), controls={"flexor": CALLED}, scheme=my.Rosenbrock(step=0.0025))
    fibre = run.values("flexor.fibre_velocity")
    assert np.abs(fibre).max() < 1.5
    # Without pennation a fibre is its own projection; backward Euler, but after the jump, where rates are sought.
    lengths, after = run.values("flexor.projected_length") * 0.13, ~np.isclose(run.time[1:], 0.1)
    change, passed = np.diff(lengths), np.diff(run.time)
    np.testing.assert_allclose(fibre[1:][after], (change / passed)[after], atol=1e-9)
    turned = np.diff(run.values("angle.speed")) / passed
    np.testing.assert_allclose(run.values("angle.acceleration")[1:][after], turned[after], atol=1e-9)


def test_an_event_sees_the_rates_of_the_steps() -> None:
    """No fibre ever shortens at 100 m/s, so that nothing ends this simulation."""
    eq = my.equations_of(limb(my.VanDenBogert2011, my.HeActivation))
    until = my.crosses("flexor.fibre_velocity", -100.0)
    run = my.simulate(
        eq, 0.15, start=start(eq, 0.3), controls={"flexor": CALLED}, scheme=my.Rosenbrock(step=0.003), until=until
    )
    assert run.report.status == "completed"


def test_rates_of_the_steps_leave_what_the_square_of_the_step_leaves() -> None:
    """Multipliers among them: where the state is awake and constrained, halving the step leaves a quarter."""
    eq, left = my.equations_of(my.load_model("four_bar")), []
    for step in (2e-3, 1e-3):
        march = march_of(my.Rosenbrock(step=step), eq, PiecewisePolynomial.constant(np.zeros(len(eq.controls))))
        first, _ = consistent_state(eq, eq.state({"theta1": 0.8}))
        done = march.advance(0.0, np.append(first, 0.0), step * np.arange(1, round(0.1 / step) + 1))
        assert done.rates is not None
        size = len(eq.motion)
        x = np.hstack([done.states[:, :size], done.rates[:, size:]])
        xdot = np.hstack([done.rates[:, :size], np.zeros((len(x), len(eq.multipliers)))])
        left.append(np.abs(eq.residual(x, xdot, np.zeros((len(x), len(eq.controls))))).max())
    assert left[0] / left[1] == pytest.approx(4.0, rel=0.15)
