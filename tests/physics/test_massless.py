"""Coordinates that move nothing have no acceleration; they are refused by name, not given one silently."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import myodyne as my

ROD = my.Body(mass=1.0, centre_of_mass=(0, -0.5, 0), inertia=0.1)
TIP = {"body": "rod", "at": (0, -1, 0)}


def massless_tip() -> my.Model:
    return my.Model(
        name="tip",
        bodies={"rod": ROD, "tip": my.Body(mass=0.0)},
        joints={"top": my.pin("ground", "rod", "angle"), "end": my.pin(TIP, "tip", "idle")},
    )


def turning_point() -> my.Model:
    """A point mass that turns about itself."""
    return my.Model(
        name="point", bodies={"point": my.Body(mass=1.0)}, joints={"top": my.pin("ground", "point", "idle")}
    )


def massless_in_a_loop() -> my.Model:
    held = my.DistanceConstraint(
        first=my.Marker(body="ground", at=(1, 0, 0)), second=my.Marker(body="rod", at=(0, -1, 0)), distance=2**0.5
    )
    return massless_tip().with_parts(constraints={"held": held})


def massless_on_functions() -> my.Model:
    """Two axes of one coordinate: not a simple tree."""
    axes = [{"motion": motion, "direction": "z", "function": "idle"} for motion in ("rotation", "translation")]
    end = my.Joint(parent=TIP, child={"body": "tip"}, coordinates={"idle": {}}, axes=axes)
    return massless_tip().with_parts(joints={"end": end})


@pytest.mark.parametrize(
    "model", [massless_tip(), turning_point(), massless_in_a_loop(), massless_on_functions()], ids=lambda m: m.name
)
@pytest.mark.parametrize(
    "scheme", [my.DOP853(), my.Euler(step=0.01), my.Midpoint(step=0.01), my.TRBDF2(), my.BDF(), my.Adams()], ids=repr
)
def test_a_coordinate_that_moves_nothing_is_refused_by_name(model: my.Model, scheme: Any) -> None:
    with pytest.raises(my.ModelError, match="coordinate 'idle' moves neither mass nor inertia"):
        my.simulate(my.equations_of(model, compiled=False), 0.1, start={"idle": 0.3}, scheme=scheme)


def test_what_needs_no_acceleration_is_still_there() -> None:
    eq = my.equations_of(massless_tip(), compiled=False)
    assert eq.mass_matrix([0.1, 0.2])[1].tolist() == [0.0, 0.0]
    assert eq.inverse_dynamics([0.1, 0.2], [0.0, 0.0], [0.0, 1.0])[1] == 0.0
    with pytest.raises(my.ModelError, match="'idle' moves neither"):
        eq.forward_dynamics([0.1, 0.2], [0.0, 0.0], [0.0, 1.0])
    with pytest.raises(my.ModelError, match="'idle' moves neither"):
        my.linearise(massless_tip())


def weightless_flap() -> my.Model:
    """A flap without any inertia on a spring with a damper; a motor turns it: c q' + k q = torque."""
    return my.Model(
        name="flap",
        bodies={"flap": my.Body(mass=0.0)},
        joints={"hinge": my.pin("ground", "flap", "turn")},
        forces={
            "spring": my.TorsionSpring(coordinate="turn", stiffness=10.0, damping=0.5),
            "motor": my.CoordinateActuator(coordinate="turn"),
        },
    )


def test_002_5_the_midpoint_rule_takes_a_singular_mass_matrix() -> None:
    """The residual needs no inverse of the mass matrix, so it marches what has no acceleration at all (Eq 18).

    A constant torque turns the flap by F/k (1 - exp(-k t/c)), which midpoint steps approach with their second order.
    """
    equations = my.equations_of(weightless_flap(), compiled=False)
    assert equations.mass_matrix([0.0]).tolist() == [[0.0]]
    errors = []
    for count in (20, 40, 80):
        step, state = 0.2 / count, np.array([0.0, 1.0 / 0.5])
        for _ in range(count):
            after = state.copy()
            for _ in range(3):
                middle, rate = (state + after) / 2, (after - state) / step
                by_state, by_rate, _ = (block.toarray() for block in equations.jacobians(middle, rate, [1.0]))
                after -= np.linalg.solve(by_state / 2 + by_rate / step, equations.residual(middle, rate, [1.0]))
            state = after
        errors.append(abs(state[0] - 0.1 * (1 - np.exp(-0.2 * 10.0 / 0.5))))
    assert errors[-1] < 1e-5
    np.testing.assert_allclose(np.log2(np.divide(errors[:-1], errors[1:])), 2.0, atol=0.05)


@pytest.mark.parametrize("stiff", [1e2, 1e4, 1e6])
def test_002_5_the_midpoint_rule_neither_grows_nor_damps_what_is_stiff(stiff: float, interpreted: None) -> None:
    """A-stable, not L-stable: v' = -λ v is multiplied by (1 - λh/2)/(1 + λh/2) a step, which tends to -1."""
    body = my.Model(
        name="slide",
        bodies={"block": my.Body(mass=1.0, inertia=1.0)},
        joints={"rail": my.slider("ground", "block", "way")},
        forces={"drag": my.TorsionSpring(coordinate="way", damping=stiff)},
    )
    step = 0.01
    run = my.simulate(body, 0.1, start={"way.speed": 1.0}, scheme=my.Midpoint(step=step), every=step)
    factor = (1 - stiff * step / 2) / (1 + stiff * step / 2)
    np.testing.assert_allclose(run.values("way.speed"), factor ** np.arange(11), atol=1e-9)
    damped = my.simulate(body, 0.1, start={"way.speed": 1.0}, scheme=my.Rosenbrock(step=step), every=step)
    assert abs(damped.final["way.speed"]) <= (1 / (1 + stiff * step)) ** 9
