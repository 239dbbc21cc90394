"""Inverse, then forward: errors grow as the linear theory says, and perturbations do what they say."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my


def still(model: my.Model, duration: float = 1.0, **pose: float) -> my.Trajectory:
    time = np.linspace(0.0, duration, 101)
    return my.Trajectory(time, {name: np.full(101, pose.get(name, 0.0)) for name in model.moving})


def test_a_pendulum_moves_as_inverse_dynamics_said() -> None:
    time = np.linspace(0.0, 1.0, 101)
    swing = my.Trajectory(time, {"angle": 0.5 * np.sin(3.0 * time)}, {"angle": "rad"})
    found = my.validity(my.load_model("pendulum"), swing)
    assert found["inverse dynamics"].comparison["angle"].largest < 1e-4
    assert found["matched forces"].comparison["angle"].largest < 1e-4
    assert all(trial.beyond is None for trial in found.trials)


def test_a_larger_moment_shifts_a_held_pendulum_as_the_linear_equation_says() -> None:
    """A rod held at 0.5 rad with 1 % more moment: e'' = 0.01 k sin(q) - k cos(q) e with k = 3 g / (2 l)."""
    rod = my.load_model("pendulum")
    found = my.validity(rod, still(rod, angle=0.5), perturbation=0.001)["moments perturbed"]
    k = 1.5 * 9.81
    time = np.linspace(0.0, 1.0, 101)
    shift = 0.001 * np.tan(0.5) * (1.0 - np.cos(np.sqrt(k * np.cos(0.5)) * time))
    assert found.comparison["angle"].largest == pytest.approx(shift.max(), rel=1e-3)


def test_errors_of_an_upright_rod_double_as_its_eigenvalue_says() -> None:
    """On top, e'' = k e: errors grow by exp(sqrt(k) t)."""
    rod = my.load_model("pendulum")
    upright = still(rod, duration=2.0, angle=np.pi - 0.2)
    found = my.validity(rod, upright, perturbation=1e-7)["moments perturbed"]
    growth = np.sqrt(1.5 * 9.81 * np.cos(0.2))
    assert found.doubling == pytest.approx(np.log(2.0) / growth, rel=0.05)


def test_heavier_masses_do_what_a_heavier_model_does() -> None:
    light = my.load_model("double_pendulum")
    time = np.linspace(0.0, 1.0, 201)
    columns = {name: 0.4 * np.sin((3.0 + n) * time) + 0.2 * n for n, name in enumerate(light.moving)}
    motion = my.Trajectory(time, columns, dict.fromkeys(columns, "rad"))
    found = my.validity(light, motion, perturbation=0.05)["masses perturbed"]
    moments = my.inverse_dynamics(light, motion)
    values = {}
    for name, body in light.bodies.items():
        values[f"{name}.mass"] = 1.05 * body.mass
        for axis in ("xx", "yy", "zz"):
            values[f"{name}.inertia.{axis}"] = 1.05 * getattr(body.inertia, axis)
    heavy = light.model_copy(
        update={"forces": my.model.Named({f"{n}_motor": my.CoordinateActuator(coordinate=n) for n in light.moving})}
    ).with_values(values)
    controls = {f"{name}_motor": my.recorded(moments, f"{name}.moment", smooth=True) for name in light.moving}
    rates = motion.derivative()
    start = {name: float(motion.values(name)[0]) for name in light.moving}
    start |= {f"{name}.speed": float(rates.values(name)[0]) for name in light.moving}
    run = my.simulate(heavy, 1.0, start=start, controls=controls, every=0.005)
    wanted = my.compare(run, motion)
    for name in light.moving:
        assert found.comparison[name].largest == pytest.approx(wanted[name].largest, rel=1e-2)


def test_a_lost_run_ends_and_is_dated() -> None:
    rod = my.load_model("pendulum")
    found = my.validity(rod, still(rod, duration=3.0, angle=np.pi - 0.1), perturbation=0.05)
    lost = found["moments perturbed"]
    assert lost.beyond is not None
    assert lost.comparison.end < 3.0
    assert "moments perturbed +5 %" in str(found)


@pytest.mark.parametrize("bad", [{"bound": 0.0}, {"perturbation": -1.0}, {"bound": True}])
def test_bad_bounds_are_refused(bad: dict[str, float]) -> None:
    rod = my.load_model("pendulum")
    with pytest.raises(my.ModelError, match="positive number"):
        my.validity(rod, still(rod), **bad)
