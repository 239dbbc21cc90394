"""Two hundred random trees against pinocchio, MuJoCo and a plain numerical Lagrangian.

The first 150 have straight axes, which pinocchio and MuJoCo know as well. In the other 50 some axes are
nonlinear functions of one or several coordinates; there Lagrange's equations judge, from kinematics that are
differentiated numerically. They judge the straight trees too, so nothing goes unchecked where the other
programs are not installed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from myodyne.equations import equations_of
from myodyne.model import Model
from support.comparison import assert_close, central_differences, loads
from support.lagrange import Lagrange
from support.motions import NotExpressibleError
from support.random_trees import State, random_state, random_tree
from support.samples import one_in

STRAIGHT, BENT = 150, 50
SEEDS = range(STRAIGHT + BENT)
HAS = {name: loads(name) for name in ("pinocchio", "mujoco")}


def tree(seed: int) -> Model:
    """Return the tree of a seed: 2 to 30 bodies, small trees more often, every fourth one planar."""
    functions = seed >= STRAIGHT
    if seed % 50 == 0:
        return random_tree(seed, 30, functions=functions, most_coordinates=36)
    share = np.random.default_rng([seed, 1]).random()
    return random_tree(seed, 2 + round(28 * share**2), flat=seed % 4 == 1, functions=functions)


def other_programs(model: Model) -> Iterator[tuple[str, Any]]:
    """Yield the installed programs that can express the tree."""
    try:
        if HAS["pinocchio"]:
            from support.pinocchio_judge import Pinocchio

            yield "pinocchio", Pinocchio(model)
        if HAS["mujoco"]:
            from support.mujoco_judge import Mujoco

            yield "mujoco", Mujoco(model)
    except NotExpressibleError:
        return


@pytest.mark.parametrize("seed", one_in(21, SEEDS))
def test_a_tree_moves_as_others_say(seed: int) -> None:
    model = tree(seed)
    state = random_state(model, seed)
    equations = equations_of(model, compiled=False)
    lagrange = Lagrange(model)
    agrees(equations, lagrange, state, {"pose": 1e-13, "mass": 1e-12, "inverse": 1e-10, "forward": 1e-9})
    keeps_the_books(equations, lagrange, state)
    for name, judge in other_programs(model):
        tolerance = 1e-10 if name == "pinocchio" else 1e-6
        agrees(equations, judge, state, dict.fromkeys(("pose", "mass", "inverse", "forward"), tolerance))
        if name == "pinocchio" and judge.holds_all_mass:
            keeps_the_books(equations, judge, state)
    inverse_undoes_forward(equations, state)
    derivatives_are_exact(equations, state)
    momentum_is_that_of_the_mass_centre(equations, model, state)


def agrees(equations: Any, judge: Any, state: State, tolerance: dict[str, float]) -> None:
    """Compare poses, mass matrix, inverse and forward dynamics."""
    who = type(judge).__name__
    q, v, vdot, tau = state.q, state.v, state.vdot, state.tau
    assert tuple(equations.coordinates) == tuple(judge.coordinates)
    order = [equations.bodies.index(body) for body in judge.bodies]
    for ours, theirs, what in zip(equations.body_poses(q), judge.body_poses(q), ("rotation", "position"), strict=True):
        assert_close(np.asarray(ours)[order], theirs, tolerance["pose"], f"{who}, {what} of bodies", floor=0.1)
    assert_close(equations.mass_matrix(q), judge.mass_matrix(q), tolerance["mass"], f"{who}, mass matrix")
    ours, theirs = equations.inverse_dynamics(q, v, vdot), judge.inverse_dynamics(q, v, vdot)
    assert_close(ours, theirs, tolerance["inverse"], f"{who}, inverse dynamics")
    ours, theirs = equations.forward_dynamics(q, v, tau), judge.forward_dynamics(q, v, tau)
    assert_close(ours, theirs, tolerance["forward"], f"{who}, forward dynamics")


def keeps_the_books(equations: Any, judge: Any, state: State) -> None:
    """Compare energy, momentum and the centre of mass."""
    who = type(judge).__name__
    q, v = state.q, state.v
    assert_close(equations.centre_of_mass(q), judge.centre_of_mass(q), 1e-12, f"{who}, centre of mass", floor=0.1)
    assert_close(equations.energy(q, v), judge.energy(q, v), 1e-12, f"{who}, energy")
    for ours, theirs, what in zip(equations.momentum(q, v), judge.momentum(q, v), ("linear", "angular"), strict=True):
        assert_close(ours, theirs, 1e-12, f"{who}, {what} momentum", floor=0.1)


def inverse_undoes_forward(equations: Any, state: State) -> None:
    vdot = equations.forward_dynamics(state.q, state.v, state.tau)
    assert_close(equations.inverse_dynamics(state.q, state.v, vdot), state.tau, 1e-11, "inverse of forward")
    mass, kinetic = equations.mass_matrix(state.q), equations.energy(state.q, state.v)[0]
    assert_close(mass, np.asarray(mass).T, 1e-14, "symmetry of the mass matrix")
    assert_close([kinetic], [0.5 * state.v @ mass @ state.v], 1e-12, "kinetic energy by the mass matrix")


def derivatives_are_exact(equations: Any, state: State) -> None:
    """Compare the derivatives of inverse dynamics with differences of stacked rows."""
    q, v, vdot = state.q, state.v, state.vdot
    rows = np.ones((len(q), 1))
    by_q, by_v, by_vdot = equations.inverse_dynamics_jacobians(q, v, vdot)
    differences = central_differences(lambda x: equations.inverse_dynamics(x, rows * v, rows * vdot), q)
    assert_close(by_q, differences, 1e-6, "derivative by coordinates")
    differences = central_differences(lambda x: equations.inverse_dynamics(rows * q, x, rows * vdot), v)
    # Where the speeds have no influence at all (a single slider), the differences are rounding.
    assert_close(by_v, differences, 1e-6, "derivative by speeds", floor=1e-3)
    assert_close(by_vdot, equations.mass_matrix(q), 1e-12, "derivative by accelerations")


def momentum_is_that_of_the_mass_centre(equations: Any, model: Model, state: State) -> None:
    step = 1e-3 / max(1.0, float(np.abs(state.v).sum()))
    near, far = (
        np.asarray(equations.centre_of_mass(state.q + k * step * state.v))
        - np.asarray(equations.centre_of_mass(state.q - k * step * state.v))
        for k in (1, 2)
    )
    velocity = (8 * near - far) / (12 * step)
    linear, _ = equations.momentum(state.q, state.v)
    assert_close(linear, model.mass * velocity, 1e-7, "momentum by the centre of mass", floor=0.1)


def test_the_trees_cover_what_joints_can_do() -> None:
    """Sizes, shapes, axes and functions: the trees would prove little if they were all alike."""
    models = [tree(seed) for seed in SEEDS]
    sizes = [len(model.bodies) for model in models]
    assert min(sizes) == 2
    assert max(sizes) == 30
    joints = [joint for model in models for joint in model.joints.values()]
    assert {len(joint.axes) for joint in joints} == set(range(7))
    assert any(part.locked for model in models for part in model.coordinates.values())
    followers = [len(model.coordinates) - len(model.moving) for model in models[STRAIGHT:]]
    assert sum(count > 0 for count in followers) >= 10, "too few trees with coordinates that follow others"
    assert any(body.mass == 0 for model in models for body in model.bodies.values())
    kinds = {axis.function.kind for joint in joints for axis in joint.axes}
    assert kinds == {"constant", "linear", "polynomial", "spline", "fourier", "product"}
    borrowed = sum(
        any(set(axis.function.coordinates) - set(joint.coordinates) for axis in joint.axes) for joint in joints
    )
    assert borrowed >= BENT, "too few joints that follow the coordinates of others"
    assert [random_tree(seed, 5) for seed in range(3)] == [random_tree(seed, 5) for seed in range(3)]


@pytest.mark.parametrize(("program", "least"), [("pinocchio", 150), ("mujoco", 100)])
def test_how_many_trees_each_program_judges(program: str, least: int) -> None:
    if not HAS[program]:
        pytest.skip(f"{program} is not installed; it comes with the test extra")
    judged = sum(program in dict(other_programs(tree(seed))) for seed in SEEDS)
    assert judged >= least
