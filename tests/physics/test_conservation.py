"""What physics keeps: momentum, energy, and indifference to how a mechanism is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import myodyne as my
from myodyne.model import Body, Inertia, Model, Placement, ball
from support.comparison import assert_close
from support.frames import Array, Frame, rotation
from support.random_trees import State, random_state, random_tree
from support.samples import one_in
from support.transformed import afloat, in_other_axes, in_other_units, mirrored, tilted

TILT = rotation((0.6, 0.0, 0.8), 0.9) @ rotation((0.0, 1.0, 0.0), -2.1)


# Splines jump in their third derivative, which costs an integrator some digits at every knot.
FINE = my.DOP853(relative=1e-13, absolute=1e-13, most_steps=20_000)


@dataclass(frozen=True)
class Motion:
    """Rows of a motion, one for each time."""

    times: Array
    q: Array
    v: Array


def motion(equations: my.Equations, start: State, duration: float, controls: dict[str, Any] | None = None) -> Motion:
    """Return a motion that is simulated much finer than what is tested."""
    values = dict(zip(equations.states, np.concatenate([start.q, start.v]).tolist(), strict=False))
    run = my.simulate(equations, duration, start=values, controls=controls, scheme=FINE, every=duration / 5)
    q = np.stack([run.values(name) for name in equations.coordinates], axis=1)
    v = np.stack([run.values(name) for name in equations.speeds], axis=1)
    assert np.abs(q[-1] - q[0]).max() > 0.05, "nothing moved, so nothing was tested"
    return Motion(run.time, q, v)


def with_motors(model: Model) -> Model:
    """Return the model with a motor on every coordinate but those of the raft."""
    motors = {
        f"motor_{name}": my.CoordinateActuator(coordinate=name) for name in model.moving if not name.startswith("raft")
    }
    return Model(
        name=model.name, gravity=model.gravity, bodies=dict(model.bodies), joints=dict(model.joints), forces=motors
    )


@pytest.mark.parametrize("functions", [False, True], ids=["straight", "bent"])
@pytest.mark.parametrize("seed", one_in(3, range(3)))
def test_a_free_tree_keeps_its_momentum(seed: int, functions: bool) -> None:
    """Inner torques change neither the momentum nor the spin about the centre of mass; gravity only the former."""
    model = with_motors(afloat(random_tree(seed, 3, functions=functions)))
    equations = my.equations_of(model, compiled=False)
    curves = {
        name: my.bezier([1.0, -2.0 * number, 3.0], start=0.0, end=0.3) for number, name in enumerate(model.controls)
    }
    run = motion(equations, random_state(model, seed, spread=0.5), 0.3, curves)
    linear, angular = equations.momentum(run.q, run.v)
    gained = run.times[:, None] * model.mass * np.array(model.gravity)
    assert_close(linear - gained, np.tile(linear[0], (len(linear), 1)), 1e-10, "linear momentum", floor=1.0)
    assert_close(angular, np.tile(angular[0], (len(angular), 1)), 1e-10, "angular momentum", floor=1.0)


@pytest.mark.parametrize("seed", one_in(2, range(4)))
def test_energy_changes_by_the_work_of_the_torques(seed: int) -> None:
    """The work is one more state of an integrator that is not ours."""
    model = random_tree(seed, 4, functions=seed % 2 == 1)
    equations = my.equations_of(model, compiled=False)
    start = random_state(model, seed, spread=0.5)
    n = len(start.q)

    def rate(time: float, x: Array) -> Array:
        q, v = x[:n], x[n : 2 * n]
        tau = np.cos(4 * time + np.arange(n)) - 0.3 * v
        return np.concatenate([v, equations.forward_dynamics(q, v, tau), [tau @ v]])

    run = solve_ivp(
        rate, (0.0, 0.3), np.concatenate([start.q, start.v, [0.0]]), method="DOP853", rtol=1e-12, atol=1e-12
    )
    assert run.success, run.message
    kinetic, potential = equations.energy(run.y[:n].T, run.y[n : 2 * n].T)
    energy, work = kinetic + potential, run.y[-1]
    assert np.abs(work).max() > 1e-2
    assert_close(energy - energy[0], work, 1e-10, "work", floor=float(kinetic[0]))


def double_pendulum() -> Model:
    rod = Body(mass=1.3, centre_of_mass=(0.0, -0.25, 0.0), inertia=Inertia(xx=0.03, yy=0.004, zz=0.029))
    end = Placement(body="upper", at=(0.0, -0.5, 0.0))
    return Model(
        name="double pendulum in space",
        gravity=(0.0, -9.81, 0.0),
        bodies={"upper": rod, "lower": rod},
        joints={
            "shoulder": ball("ground", "upper", ("a", "b", "c"), "xzy"),
            "elbow": ball(end, "lower", ("d", "e", "f"), "xzy"),
        },
    )


def test_a_double_pendulum_in_space_keeps_its_energy() -> None:
    model = double_pendulum()
    equations = my.equations_of(model, compiled=False)
    start = State(
        np.array([0.5, 0.4, 0.0, -0.3, 0.6, 0.2]), np.array([0.5, -0.4, 0.3, 1.0, 0.2, -0.5]), np.zeros(6), np.zeros(6)
    )
    run = motion(equations, start, 2.0)
    kinetic, potential = equations.energy(run.q, run.v)
    assert np.ptp(potential) > 1.0
    energy = kinetic + potential
    assert_close(energy, np.full(len(energy), energy[0]), 1e-10, "energy")
    # Gravity has no moment about the vertical through the shoulder.
    linear, angular = equations.momentum(run.q, run.v)
    spins = (angular + np.cross(equations.centre_of_mass(run.q), linear))[:, 1]
    assert_close(spins, np.full(len(spins), spins[0]), 1e-10, "spin about the vertical")


@pytest.mark.parametrize("seed", one_in(3, range(3)))
def test_a_planar_chain_moves_the_same_when_its_plane_is_tilted(seed: int) -> None:
    flat = random_tree(seed, 4, flat=True, functions=seed == 2)
    tilted_flat = tilted(flat, TILT)
    start = random_state(flat, seed, spread=0.5)
    here, there = (my.equations_of(model, compiled=False) for model in (flat, tilted_flat))
    run, tilted_run = motion(here, start, 0.3), motion(there, start, 0.3)
    assert_close(tilted_run.q, run.q, 1e-9, "coordinates")
    assert_close(tilted_run.v, run.v, 1e-9, "speeds")
    _, origins = here.body_poses(run.q[-1])
    _, tilted_origins = there.body_poses(run.q[-1])
    assert_close(tilted_origins, origins @ TILT.T, 1e-12, "positions of bodies")
    # A plane holds the motion: nothing leaves it.
    assert_close(origins[:, 2], np.zeros(len(origins)), 1e-14, "height above the plane", floor=1.0)


def retold(model: Model, how: str) -> Model:
    rng = np.random.default_rng(5)
    match how:
        case "tilted":
            return tilted(model, TILT)
        case "mirrored":
            return mirrored(model)
        case "other axes":
            return in_other_axes(
                model,
                {
                    name: Frame(
                        rotation((0.0, 0.0, 1.0), rng.uniform(-3, 3)) @ rotation((0.0, 1.0, 0.0), rng.uniform(-1, 1)),
                        rng.normal(size=3),
                    )
                    for name in model.bodies
                },
            )
        case _:
            return in_other_units(model, length=2.0, mass=0.3)


@pytest.mark.parametrize("how", ["tilted", "mirrored", "other axes", "other units"])
@pytest.mark.parametrize("functions", [False, True], ids=["straight", "bent"])
@pytest.mark.parametrize("seed", one_in(2, range(2)))
def test_a_mechanism_moves_the_same_however_it_is_described(seed: int, functions: bool, how: str) -> None:
    model = random_tree(seed, 5, functions=functions)
    state = random_state(model, seed)
    here, there = (my.equations_of(variant, compiled=False) for variant in (model, retold(model, how)))
    # Generalised forces are work for each unit of a coordinate: they scale with mass times length squared.
    scale = 0.3 * 2.0**2 if how == "other units" else 1.0
    vdot = here.forward_dynamics(state.q, state.v, state.tau)
    assert_close(there.forward_dynamics(state.q, state.v, scale * state.tau), vdot, 1e-10, "accelerations")
    assert_close(there.mass_matrix(state.q), scale * np.asarray(here.mass_matrix(state.q)), 1e-11, "mass matrix")
    tau = here.inverse_dynamics(state.q, state.v, state.vdot)
    assert_close(there.inverse_dynamics(state.q, state.v, state.vdot), scale * tau, 1e-11, "generalised forces")
    assert_close(
        [there.energy(state.q, state.v)[0]], [scale * here.energy(state.q, state.v)[0]], 1e-12, "kinetic energy"
    )
