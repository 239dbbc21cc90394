"""Every scheme at work through `simulate`: order, tolerance, energy.

A scheme is tested by standing in ``Scheme``; the tables below say only how finely it must be tried.
"""

from __future__ import annotations

import dataclasses
import itertools
from functools import cache
from typing import Any, get_args

import numpy as np
import pytest

import myodyne as my
from myodyne.numerics.schemes import Scheme

SCHEMES: tuple[Any, ...] = get_args(Scheme)
FIELDS = {scheme: {field.name for field in dataclasses.fields(scheme)} for scheme in SCHEMES}
FIXED = [scheme for scheme in SCHEMES if "step" in FIELDS[scheme]]
ADAPTIVE = [scheme for scheme in SCHEMES if "relative" in FIELDS[scheme]]
WRAPPERS = [scheme for scheme in SCHEMES if "scheme" in FIELDS[scheme]]
# Number of steps at which the error is that of the leading term, and not yet rounding.
COUNTS = {1: (800, 1600, 3200), 2: (200, 400, 800), 4: (50, 100, 200), 5: (20, 40, 80)}
# Six decades. Formulas of order two would need millions of steps for the tighter ones.
TOLERANCES = {2: 10.0 ** -np.arange(2, 9)}
USUAL_TOLERANCES = 10.0 ** -np.arange(4, 11)


def name_of(scheme: Any) -> str:
    return str(scheme.__name__)


def driven_pendulum() -> my.Model:
    """Return a nonlinear model with everything that enters the right-hand side: a spring, a damper, a motor."""
    pendulum = my.load_model("double_pendulum")
    forces = {
        "motor": my.CoordinateActuator(coordinate="angle2", gain=2.0),
        "spring": my.PointSpring(
            start=my.Marker(body="ground", at=(0.7, 0.2, 0.0)),
            end=my.Marker(body="rod2", at=(0.0, -0.6, 0.0)),
            stiffness=15.0,
            rest_length=0.4,
            damping=0.5,
        ),
    }
    return pendulum.model_copy(update={"forces": type(pendulum.forces)(forces)})


# A polynomial over the whole run: a jump or a corner of the control would need steps that hit it.
CONTROLS = {"motor": my.bezier([0.0, 3.0, -2.0, 1.0], start=0.0, end=1.0)}


@cache
def states_at_the_end(scheme: Any) -> Any:
    run = my.simulate(driven_pendulum(), 0.8, controls=CONTROLS, scheme=scheme, every=0.8)
    assert run.report.status == "completed"
    return np.array([run.final[name] for name in ("angle1", "angle2", "angle1.speed", "angle2.speed")])


@cache
def reference() -> Any:
    return states_at_the_end(my.DOP853(relative=1e-14, absolute=1e-14))


def test_every_scheme_is_tried() -> None:
    assert {*FIXED, *ADAPTIVE, *WRAPPERS} == set(SCHEMES)
    for scheme in SCHEMES:
        assert getattr(my, scheme.__name__) is scheme
    assert {scheme(step=1.0).order for scheme in FIXED} <= set(COUNTS)


@pytest.mark.parametrize("scheme", FIXED, ids=name_of)
def test_error_falls_with_the_step_by_the_order(scheme: Any) -> None:
    order = scheme(step=1.0).order  # a Rosenbrock method with a step is of another order than without
    errors = [np.linalg.norm(states_at_the_end(scheme(step=0.8 / count)) - reference()) for count in COUNTS[order]]
    orders = [np.log2(before / after) for before, after in itertools.pairwise(errors)]
    assert errors[-1] < 0.02
    assert orders[-1] == pytest.approx(order, abs=0.15), errors


@pytest.mark.parametrize("scheme", ADAPTIVE, ids=name_of)
def test_error_falls_with_the_tolerance_over_six_decades(scheme: Any) -> None:
    tolerances = TOLERANCES.get(scheme.order, USUAL_TOLERANCES)
    assert tolerances[0] / tolerances[-1] == pytest.approx(1e6)
    errors = np.array(
        [
            np.linalg.norm(states_at_the_end(scheme(relative=tolerance, absolute=tolerance)) - reference())
            for tolerance in tolerances
        ]
    )
    # Codes of variable order change formulas between two tolerances, so single decades may gain little.
    assert np.all(np.diff(np.log10(errors)) < 0.3), errors
    slope = np.polyfit(np.log10(tolerances), np.log10(errors), 1)[0]
    # A pair controlled per step follows the tolerance with the power order / (order of its estimate): 2/3 for TRBDF2.
    assert (0.6 if scheme.order == 2 else 0.75) < slope < 1.4, errors
    assert errors[-1] < 1e4 * tolerances[-1]


@pytest.mark.parametrize(
    "scheme, order, counts", [(my.RKF45, 5, (160, 320)), (my.DOP853, 8, (48, 64))], ids=["RKF45", "DOP853"]
)
def test_order_of_adaptive_pairs_at_forced_steps(scheme: Any, order: int, counts: tuple[int, int]) -> None:
    """Huge tolerances accept every step; the first and the largest one set its length.

    A mass on a spring has a solution in closed form, so that order 8 shows before rounding does.
    """
    mass = my.Model(
        name="mass on a spring",
        gravity=(0.0, 0.0, 0.0),
        bodies={"mass": my.Body(mass=1.0)},
        joints={"rail": my.slider("ground", "mass", "x", default=1.0)},
        forces={"spring": my.TorsionSpring(coordinate="x", stiffness=1.0)},
    )
    duration, errors = 16.0, []
    for count in counts:
        step = duration / count
        tried = scheme(relative=0.5, absolute=0.5, first_step=step, largest_step=step)
        final = my.simulate(mass, duration, scheme=tried, every=duration).final
        errors.append(np.hypot(final["x"] - np.cos(duration), final["x.speed"] + np.sin(duration)))
    assert scheme.order == order
    measured = np.log(errors[0] / errors[1]) / np.log(counts[1] / counts[0])
    assert measured == pytest.approx(order, abs=0.15), errors


@pytest.mark.parametrize("scheme", ADAPTIVE, ids=name_of)
def test_default_tolerances_keep_the_energy_of_a_double_pendulum_in_space(scheme: Any) -> None:
    run = my.simulate(my.load_model("double_pendulum_3d"), 10.0, scheme=scheme())
    energy = run.values("energy.kinetic") + run.values("energy.potential")
    exchanged = np.ptp(run.values("energy.potential"))
    assert exchanged > 1.0
    assert np.max(np.abs(energy - energy[0])) <= 1e-6 * exchanged
    # The audit of the run says the same, relative to what it took for the energy that was exchanged.
    assert run.report.energy_error is not None
    assert run.report.energy_error <= 1e-6


@pytest.mark.parametrize("wrapper", WRAPPERS, ids=name_of)
@pytest.mark.parametrize("inside", [my.RK4(step=0.01), my.DOP853()], ids=repr)
def test_without_constraints_a_wrapped_scheme_is_the_one_inside(wrapper: Any, inside: Any) -> None:
    np.testing.assert_allclose(states_at_the_end(wrapper(inside)), states_at_the_end(inside), rtol=1e-12)


@pytest.mark.parametrize("scheme", SCHEMES, ids=name_of)
def test_a_report_counts_the_work(scheme: Any) -> None:
    made = scheme(step=0.01) if scheme in FIXED else scheme(my.RK4(step=0.01)) if scheme in WRAPPERS else scheme()
    report = my.simulate(driven_pendulum(), 0.2, controls=CONTROLS, scheme=made).report
    assert report.steps > 0
    assert report.evaluations >= report.steps
    assert report.wall_seconds > 0
    if scheme in (my.Midpoint, my.TRBDF2, my.BDF):
        assert report.iterations >= report.steps
    if scheme in (*FIXED, *WRAPPERS):
        assert report.steps == 20
        assert report.rejected == 0
