"""The contact of a point with a half space: its law written out, its energy, its mirror images."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.errors import ModelError

LAW: dict[str, Any] = {
    "stiffness": 2e4,
    "dissipation": 0.7,
    "friction": 0.8,
    "transition": 0.002,
    "transition_velocity": 0.1,
    "linear_stiffness": 1.5,
}


def ball(contact: my.ContactPoint) -> my.Model:
    return my.Model(
        name="ball",
        gravity=(0.0, -9.81, 0.0),
        bodies={"ball": my.Body(mass=2.0, inertia=my.Inertia(xx=0.01, yy=0.01, zz=0.01))},
        joints={"flight": my.free("ground", "ball", ("x", "y", "z", "rx", "ry", "rz"))},
        forces={"foot": contact},
    )


def interpreted(contact: my.ContactPoint) -> my.Equations:
    return my.equations_of(ball(contact), compiled=False)


def force(model: my.Model, x: np.ndarray) -> np.ndarray:
    equations = my.equations_of(model, compiled=False)
    outputs = dict(zip(equations.outputs, equations.output_values(x, np.zeros(12), np.zeros(0)), strict=True))
    return np.array([outputs[f"foot.force_{axis}"] for axis in "xyz"])


@pytest.mark.parametrize("height", [-0.02, -0.001, 0.0, 0.003, 0.2])
def test_the_law(height: float) -> None:
    velocity = np.array([0.3, -0.4, 0.12])
    found = force(ball(my.ContactPoint(body="ball", **LAW)), np.r_[0.1, height, 0.2, 0, 0, 0, velocity, 0, 0, 0])
    spring = 2e4 * (math.sqrt(height**2 + 0.002**2) - height) / 2
    normal = spring * (1 - 0.7 * velocity[1]) - 1.5 * height
    slip = velocity[[0, 2]]
    rubbed = -0.8 * normal * slip / math.sqrt(slip @ slip + 0.1**2)
    np.testing.assert_allclose(found, [rubbed[0], normal, rubbed[1]], rtol=1e-10)


def test_a_slope_is_a_turned_floor() -> None:
    """With floor, gravity and motion turned alike, forces turn with them."""
    angle, contact = 0.3, my.ContactPoint(body="ball", **LAW)
    turn = np.array([[math.cos(angle), -math.sin(angle), 0], [math.sin(angle), math.cos(angle), 0], [0, 0, 1]])
    place, velocity = np.array([0.1, -0.003, 0.2]), np.array([0.3, -0.4, 0.1])
    flat = force(ball(contact), np.r_[place, 0, 0, 0, velocity, 0, 0, 0])
    slope = my.ContactPoint(
        body="ball", plane=my.Placement(body="ground", orientation=(0.0, 0.0, angle - math.pi / 2)), **LAW
    )
    np.testing.assert_allclose(
        force(ball(slope), np.r_[turn @ place, 0, 0, 0, turn @ velocity, 0, 0, 0]), turn @ flat, rtol=1e-9
    )


def test_a_bounce_keeps_its_energy_without_damping_and_friction() -> None:
    contact = my.ContactPoint(body="ball", stiffness=2e4, transition=0.002)
    run = my.simulate(interpreted(contact), 0.8, start={"y": 0.3}, scheme=my.DOP853(relative=1e-10, absolute=1e-10))
    energy = run.values("energy.kinetic") + run.values("energy.potential")
    np.testing.assert_allclose(energy, energy[0], rtol=1e-7)
    assert run.values("y").min() < -0.01
    assert max(run.values("y")[len(run) // 2 :]) == pytest.approx(0.3, abs=1e-3)


def test_a_damped_bounce_accounts_for_what_it_loses() -> None:
    contact = my.ContactPoint(body="ball", at=(0.02, -0.05, 0.0), **LAW)
    run = my.simulate(interpreted(contact), 0.5, start={"y": 0.2, "x.speed": 0.5})
    assert run.report.energy_error < 1e-6
    assert run.values("energy.kinetic")[-1] + run.values("energy.potential")[-1] < 0.9 * 2 * 9.81 * 0.2


def test_a_resting_point_carries_the_weight_and_slides_to_rest() -> None:
    contact = my.ContactPoint(body="ball", stiffness=2e4, dissipation=5.0, friction=0.5, transition_velocity=0.01)
    run = my.simulate(interpreted(contact), 1.0, start={"y": -0.001, "x.speed": 1.0})
    assert run.values("foot.force_y")[-1] == pytest.approx(2 * 9.81, rel=1e-3)
    # Coulomb: the way is v² / 2 μ g, and a little for the creep at its end.
    assert run.values("x")[-1] == pytest.approx(1 / (2 * 0.5 * 9.81), rel=0.05)
    assert abs(run.values("x.speed")[-1]) < 1e-4


def test_between_two_bodies_nothing_is_gained() -> None:
    """Action and reaction: the plate feels the opposite force, and momentum is kept."""
    model = my.Model(
        name="pair",
        bodies={
            name: my.Body(mass=mass, inertia=my.Inertia(xx=0.01, yy=0.01, zz=0.01))
            for name, mass in (("ball", 2.0), ("plate", 3.0))
        },
        joints={
            f"{name}_flight": my.planar("ground", name, (f"{name}_x", f"{name}_y", f"{name}_turn"))
            for name in ("ball", "plate")
        },
        forces={
            "foot": my.ContactPoint(
                body="ball", plane=my.Placement(body="plate", orientation=(0.0, 0.0, -math.pi / 2)), **LAW
            )
        },
        gravity=(0.0, 0.0, 0.0),
    )
    equations = my.equations_of(model, compiled=False)
    x = np.array([0.1, -0.004, 0.2, 0.0, 0.01, 0.1, 0.3, -0.5, 1.0, 0.1, 0.2, -0.4])
    rates = equations.derivative(x, np.zeros(0))[6:]
    np.testing.assert_allclose(2.0 * rates[:2] + 3.0 * rates[3:5], 0.0, atol=1e-10)
    spin = (
        0.01 * (rates[2] + rates[5])
        + 2.0 * (x[0] * rates[1] - x[1] * rates[0])
        + 3.0 * (x[3] * rates[4] - x[4] * rates[3])
    )
    assert spin == pytest.approx(0.0, abs=1e-10)
    assert np.abs(rates).max() > 1.0


def test_a_contact_with_itself_is_refused() -> None:
    with pytest.raises(ModelError, match="the point and the plane are both on 'ball'"):
        ball(my.ContactPoint(body="ball", stiffness=1.0, plane=my.Placement(body="ball")))
