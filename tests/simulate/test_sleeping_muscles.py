"""Muscles without damping sleep at activation zero, where no force feels how fast their fibres move, and wake up."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my

CURVES = (my.VanDenBogert2011, my.VanSoestBobbert1993, my.DeGrooteFregly2016, my.Thelen2003, my.Millard2012)
ACTIVATIONS = (my.HeActivation, my.DeGrooteActivation, my.ThelenActivation, my.HatzeActivation, my.NoActivation)
CALLED = my.step(at=0.1)


def limb(curves: type, activation: type) -> my.Model:
    """Return a pendulum with one undamped muscle, whose tendon is on the verge of slack where the limb hangs."""
    muscle = my.Muscle(
        max_force=100.0, optimal_fibre_length=0.13, tendon_slack_length=0.1, curves=curves(), activation=activation(),
        path=my.FunctionPath(length=my.Linear(coordinate="angle", slope=-0.02, offset=0.23)),
    )
    return my.load_model("pendulum").with_parts(muscles={"flexor": muscle})


def start(eq: my.Equations, angle: float) -> dict[str, float]:
    """Return a start with a slack (0.3) or a stretched (-0.3) muscle; asleep, even where activations have a least."""
    return {"angle": angle} | ({"flexor.activation": 0.0} if "flexor.activation" in eq.motion else {})


# Its stages are solved for, so that it needs no rates to begin with.
REFERENCE = my.TRBDF2(relative=1e-9, absolute=1e-9)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("curves", CURVES)
def test_steps_that_adapt_wake_every_muscle(curves: type, activation: type) -> None:
    """Whether slack or stretched; with Millard's curves the force stays zero beyond the maximal velocity.

    So a slack muscle of his may move faster without any equation noticing: it is held to 5e-4, all others to 2e-6.
    """
    eq = my.equations_of(limb(curves, activation))
    for angle in (0.3, -0.3):
        runs = [my.simulate(eq, 0.3, start=start(eq, angle), controls={"flexor": CALLED}, scheme=scheme)
                for scheme in (REFERENCE, my.Rosenbrock(order=3), my.Rosenbrock(order=4))]
        ends = np.array([[run.final[name] for name in eq.motion] for run in runs])
        allowed = 5e-4 if curves is my.Millard2012 and angle > 0 else 2e-6
        assert np.abs(ends[1:] - ends[0]).max() < allowed, angle
        assert max(run.report.rejected for run in runs[1:]) < 30


@pytest.mark.parametrize("curves", [my.VanSoestBobbert1993, my.Thelen2003])
def test_a_ramp_wakes_muscles_too(curves: type) -> None:
    """The activation then begins with its second derivative."""
    eq = my.equations_of(limb(curves, my.HeActivation))
    ramp = {"flexor": my.piecewise_linear([0.1, 0.2], [0.0, 1.0])}
    ends = [my.simulate(eq, 0.3, start=start(eq, 0.3), controls=ramp, scheme=scheme).final
            for scheme in (REFERENCE, my.Rosenbrock(order=3), my.Rosenbrock(order=4))]
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
