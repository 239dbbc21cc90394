"""Joint variables, transformations, their derivatives, and what follows from them for bodies and paths.

Acceptance 001-2 to 001-5 and 001-7.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from myodyne.errors import ModelError, SolveError
from myodyne.formulations.matrix_calculus import (
    Differentiated,
    Frame,
    Kinematics,
    MatrixCalculus,
    calculus as c,
    derivative,
)
from myodyne.formulations.matrix_calculus.dynamics import (
    mass_contribution,
    mass_contribution_by_kronecker_products,
    pseudo_inertia,
)
from myodyne.formulations.matrix_calculus.frames import (
    homogeneous,
    prismatic_joint_matrix,
    revolute_joint_matrix,
    rodrigues,
)
from myodyne.formulations.matrix_calculus.joint_variables import JointVariables, coordinate_variables, evaluator
from myodyne.model import Body, Constant, Fourier, Function, Linear, Model, Polynomial, Product, Spline, pin
from support.comparison import assert_close, central_differences
from support.random_trees import random_state, random_tree

CURVE = {"x": (-1.0, -0.2, 0.3, 1.1), "y": (0.5, -0.4, 0.9, 0.2)}
FUNCTIONS: dict[str, Function] = {
    "constant": Constant(value=0.7),
    "linear": Linear(coordinate="a", slope=-1.7, offset=0.2),
    "polynomial": Polynomial(
        of=("a", "b"),
        terms=[
            {"coefficient": 0.3, "powers": (0, 0)},
            {"coefficient": 2.0, "powers": (1, 0)},
            {"coefficient": -0.6, "powers": (2, 3)},
        ],
    ),
    "spline": Spline(coordinate="b", **CURVE),
    "cubic spline": Spline(coordinate="b", **CURVE, ends="cubic"),
    "line": Spline(coordinate="b", x=(-1.0, 1.0), y=(0.0, 3.0)),
    "fourier": Fourier(coordinate="a", period=3.0, mean=0.1, slope=-0.7, cosines=(0.4, -0.2, 0.1), sines=(0.3,)),
    "product": Product(
        factors=(
            Linear(coordinate="a"),
            Spline(coordinate="b", **CURVE),
            Fourier(coordinate="c", period=2.0, sines=(1.0, 0.5)),
            Constant(value=1.5),
        )
    ),
}
# The last coordinate is locked. Zero is where powers are delicate; beyond the knots the splines are straight.
POSES = [(0.4, 0.1), (0.0, 0.0), (-0.8, 1.7), (0.3, -1.4)]


@pytest.mark.parametrize("kind", FUNCTIONS)
@pytest.mark.parametrize("pose", POSES)
def test_gradient_and_hessian_of_joint_functions(kind: str, pose: tuple[float, float]) -> None:
    evaluate = evaluator(FUNCTIONS[kind])

    def variable(q: Any) -> Any:
        return evaluate(coordinate_variables(np.asarray(q), ["a", "b"], {"c": 0.6}), 2)

    found = variable(pose)
    np.testing.assert_allclose(
        found.gradient, derivative(lambda q: variable(q).value, pose).ravel(), rtol=1e-13, atol=1e-14
    )
    slopes = derivative(lambda q: variable(q).gradient, pose).reshape(2, 2)
    np.testing.assert_allclose(found.hessian, slopes, rtol=1e-13, atol=1e-14)
    np.testing.assert_array_equal(found.hessian, found.hessian.T)


def test_spline_is_natural_passes_its_points_and_is_straight_beyond() -> None:
    evaluate = evaluator(FUNCTIONS["spline"])

    def variable(x: float) -> Any:
        return evaluate(coordinate_variables(np.array([x]), ["b"], {}), 1)

    for x, y in zip(CURVE["x"], CURVE["y"], strict=True):
        assert variable(x).value == pytest.approx(y, abs=1e-15)
        # Smooth from piece to piece, to the second derivative.
        for left, right in zip(variable(x - 1e-9).hessian, variable(x + 1e-9).hessian, strict=True):
            np.testing.assert_allclose(left, right, atol=1e-6)
    for end in (CURVE["x"][0], CURVE["x"][-1]):
        assert variable(end).hessian[0, 0] == pytest.approx(0.0, abs=1e-12)
    assert variable(5.0).hessian[0, 0] == 0.0
    assert variable(5.0).value == pytest.approx(variable(1.1).value + 3.9 * variable(1.1).gradient[0], rel=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_001_2_rodrigues_form(seed: int) -> None:
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    angle = rng.uniform(-6, 6)
    turn = rodrigues(axis, angle)
    np.testing.assert_allclose(turn, Rotation.from_rotvec(angle * axis).as_matrix(), atol=1e-14)
    np.testing.assert_allclose(turn @ axis, axis, atol=1e-14)
    np.testing.assert_allclose(turn.T @ turn, np.eye(3), atol=1e-14)


def test_joint_matrices_differentiate_the_transformation() -> None:
    """With a shift ``d`` along one vector, then a turn ``θ`` about another, as equation 38 has it."""
    rng = np.random.default_rng(3)
    shift, axis = (v / np.linalg.norm(v) for v in rng.normal(size=(2, 3)))

    def transform(x: Any) -> Any:
        return homogeneous(rodrigues(axis, x[1]), x[0] * shift)

    at = np.array([0.3, 0.8])
    by_d, by_angle = c.partials(derivative(transform, at), 2)
    np.testing.assert_allclose(transform(at) @ revolute_joint_matrix(axis), by_angle, atol=1e-14)
    turn = rodrigues(axis, at[1])
    np.testing.assert_allclose(transform(at) @ prismatic_joint_matrix(turn, shift), by_d, atol=1e-14)
    # As printed, with A V instead of Aᵀ V, it is wrong by far.
    assert np.abs(transform(at) @ prismatic_joint_matrix(turn.T, shift) - by_d).max() > 0.1


def spatial(seed: int, bodies: int = 5) -> tuple[MatrixCalculus, Any]:
    model = random_tree(seed, bodies, functions=True, most_coordinates=9)
    return MatrixCalculus(model), random_state(model, seed)


@pytest.mark.parametrize("seed", range(6))
def test_001_4_and_001_5_derivatives_in_closed_form_by_recursion_and_by_complex_steps(seed: int) -> None:
    equations, state = spatial(seed)
    for body in equations.bodies:
        first, second = equations.D(body, state.q), equations.D2(body, state.q)
        n = len(state.q)
        assert first.shape == (4 * n, 4)
        assert second.shape == (4 * n * n, 4)
        assert_close(first, equations.D(body, state.q, closed_form=True), 1e-13, f"D of {body}", floor=1.0)
        assert_close(second, equations.D2(body, state.q, closed_form=True), 1e-13, f"D' of {body}", floor=1.0)
        exact = derivative(lambda q, b=body: equations.transform(b, q).T, state.q)
        assert_close(first, exact, 1e-13, f"D of {body} by complex steps", floor=1.0)
        exact = derivative(lambda q, b=body: equations.D(b, q), state.q)
        assert_close(second, exact, 1e-13, f"D' of {body} by complex steps", floor=1.0)


def test_derivatives_against_finite_differences() -> None:
    equations, state = spatial(4)
    body = equations.bodies[-1]

    def differences(function: Any) -> Any:
        columns = central_differences(lambda rows: np.array([function(q).ravel() for q in rows]), state.q, step=1e-4)
        return c.from_partials([column.reshape(function(state.q).shape) for column in columns.T])

    first = differences(lambda q: equations.transform(body, q).T)
    assert_close(equations.D(body, state.q), first, 1e-9, "D", floor=1.0)
    second = differences(lambda q: equations.D(body, q))
    assert_close(equations.D2(body, state.q), second, 1e-9, "D'", floor=1.0)


def test_recursion_written_out_with_kronecker_products() -> None:
    """The efficient form of equations 77 and 89 against the literal one, permutation matrices and all."""
    equations, state = spatial(1, bodies=3)
    pose = equations.kinematics(state.q)
    n = len(state.q)
    unit, shuffle = np.eye(n), c.permutation(n, n)
    for number, frame in enumerate(pose.frames):
        step, joint = pose.steps[number], frame.joint_matrix
        gradient, hessian = pose.variables.gradients[number][:, None], pose.variables.hessians[number]
        above_first, above_second = pose.first_derivative(frame.parent), pose.second_derivative(frame.parent)
        own = (pose.transform(number) @ joint).T
        first = np.kron(own, gradient) + np.kron(step.T, unit) @ above_first
        second = (
            np.kron(joint.T, shuffle) @ np.kron(first, gradient)
            + np.kron(own, c.vec(hessian))
            + np.kron(np.kron(joint.T @ step.T, unit), gradient) @ above_first
            + np.kron(step.T, np.eye(n * n)) @ above_second
        )
        np.testing.assert_allclose(pose.first_derivative(number), first, atol=1e-13)
        np.testing.assert_allclose(pose.second_derivative(number), second, atol=1e-13)


def test_transformations_as_products_of_pairs() -> None:
    """The algebra of pairs alone, from the joint variables on, gives the same ``D``."""
    equations, state = spatial(2, bodies=4)
    pose = equations.kinematics(state.q)
    n = len(state.q)
    pairs: list[Differentiated] = []
    for number, frame in enumerate(pose.frames):
        variable = Differentiated(pose.variables.values[[number]], pose.variables.gradients[number])
        step = Differentiated.of(lambda f, frame=frame: frame.transform(f[0]), variable.value[:, 0]).chained(variable)
        pairs.append(step if frame.parent < 0 else pairs[frame.parent] @ step)
        np.testing.assert_allclose(pose.first_derivative(number), pairs[-1].T.derivative, atol=1e-13)
    assert pairs[-1].r == n


@pytest.mark.parametrize("seed", range(4))
def test_001_3_velocity_and_acceleration_of_points(seed: int) -> None:
    equations, state = spatial(seed)
    body, at = equations.bodies[-1], (0.3, -0.2, 0.5)
    q, v, vdot = state.q, state.v, state.vdot

    def position(t: Any) -> Any:
        moved = q + v * t + 0.5 * vdot * t**2
        return equations.kinematics(moved).point_position(equations.frame(body), at)

    velocity = derivative(lambda t: position(t[0]), [0.0]).ravel()
    assert_close(equations.point_velocity(body, at, q, v), velocity, 1e-13, "velocity")
    # The velocity along the same motion, differentiated once more.
    acceleration = derivative(
        lambda t: equations.point_velocity(body, at, q + v * t + 0.5 * vdot * t**2, v + vdot * t), [0.0]
    )
    assert_close(equations.point_acceleration(body, at, q, v, vdot), acceleration.ravel(), 1e-12, "acceleration")
    assert_close(equations.point_velocity("ground", at, q, v), np.zeros(3), 0.0, "ground")


def test_pseudo_inertia_is_that_of_point_masses() -> None:
    rng = np.random.default_rng(5)
    masses, points = rng.uniform(0.1, 1.0, size=20), rng.normal(size=(20, 3))
    mass = masses.sum()
    centre = masses @ points / mass
    arms = points - centre
    inertia = sum(m * ((r @ r) * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, arms, strict=True))
    names = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
    body = Body(
        mass=mass,
        centre_of_mass=tuple(centre.tolist()),
        inertia={name: float(inertia[place]) for name, place in names.items()},
    )
    extended = np.hstack([points, np.ones((20, 1))])
    np.testing.assert_allclose(pseudo_inertia(body), (extended.T * masses) @ extended, rtol=1e-13, atol=1e-13)


def test_001_7_mass_matrix_by_blocks_and_by_kronecker_products() -> None:
    equations, state = spatial(3, bodies=3)
    for name, body in equations.model.bodies.items():
        inertia, first = pseudo_inertia(body), equations.D(name, state.q)
        blocks, products = mass_contribution(inertia, first), mass_contribution_by_kronecker_products(inertia, first)
        assert_close(blocks, products, 1e-13, f"mass of {name}", floor=1e-3)


@pytest.mark.parametrize("seed", range(4))
def test_velocity_terms_are_christoffel_symbols(seed: int) -> None:
    equations, state = spatial(seed)
    rate = derivative(lambda t: equations.mass_matrix(state.q + t[0] * state.v), [0.0])
    coriolis = equations.coriolis_matrix(state.q, state.v)
    skewed = rate - 2.0 * coriolis
    assert_close(skewed, -skewed.T, 1e-12, "skew symmetry", floor=1e-6)
    kinetic = derivative(lambda q: 0.5 * state.v @ equations.mass_matrix(q) @ state.v, state.q).ravel()
    assert_close(equations.velocity_terms(state.q, state.v), rate @ state.v - kinetic, 1e-12, "Lagrange", floor=1e-6)


def test_gravity_terms_are_the_slope_of_the_potential() -> None:
    equations, state = spatial(2)
    model = equations.model

    def potential(q: Any) -> Any:
        pose = equations.kinematics(q)
        return -sum(
            body.mass * np.array(model.gravity) @ pose.point_position(equations.frame(name), body.centre_of_mass)
            for name, body in model.bodies.items()
        )

    assert_close(equations.gravity_terms(state.q), -derivative(potential, state.q).ravel(), 1e-13, "gravity")


def test_forward_dynamics_undoes_inverse_dynamics() -> None:
    equations, state = spatial(0)
    tau = equations.inverse_dynamics(state.q, state.v, state.vdot)
    assert_close(equations.forward_dynamics(state.q, state.v, tau), state.vdot, 1e-10, "forward of inverse")


def random_paths(equations: MatrixCalculus, seed: int) -> dict[str, list[tuple[str, Any]]]:
    """Return paths through any bodies, the ground too, in any order, some bodies twice, some points in a row."""
    rng = np.random.default_rng([seed, 5])
    bodies = ["ground", *equations.bodies]
    paths = {}
    for number in range(6):
        visited = [str(body) for body in rng.choice(bodies, size=int(rng.integers(2, 5)))]
        repeated = [body for body in visited for _ in range(int(rng.integers(1, 4)))]
        paths[f"muscle {number}"] = [(body, rng.normal(size=3)) for body in repeated]
        if len(paths[f"muscle {number}"]) < 2:
            paths[f"muscle {number}"].append(("ground", rng.normal(size=3)))
    there_and_back = [bodies[-1], bodies[1], bodies[-1]]
    paths["twice on one body"] = [(body, rng.normal(size=3)) for body in there_and_back]
    return paths


@pytest.mark.parametrize("seed", range(12))
def test_moment_arms_are_minus_the_slope_of_the_length(seed: int) -> None:
    model = random_tree(seed, 2 + seed % 6, functions=True, flat=seed % 4 == 3)
    equations, state = MatrixCalculus(model), random_state(model, seed)
    paths = random_paths(equations, seed)
    arms = equations.moment_arms(paths, state.q)
    n = len(state.q)
    assert arms.shape == (len(paths), n)
    slopes = derivative(lambda q: equations.path_lengths(paths, q), state.q).reshape(len(paths), n)
    assert_close(arms, -slopes, 1e-12, "moment arms", floor=1.0)


def test_lengths_and_moment_arms_by_hand() -> None:
    rod = Model(name="rod", bodies={"rod": Body(mass=1.0)}, joints={"hinge": pin("ground", "rod", "angle")})
    equations = MatrixCalculus(rod)
    path = [
        ("ground", (0.0, 3.0, 0.0)),
        ("ground", (0.0, 1.0, 0.0)),
        ("rod", (1.0, 0.0, 0.0)),
        ("rod", (2.0, 0.0, 0.0)),
    ]
    for angle in (-0.4, 0.0, 0.9):
        # Two sides of length one and the angle between them; a via point on the ground and one on the rod.
        between = np.pi / 2 - angle
        chord = np.sqrt(2.0 - 2.0 * np.cos(between))
        np.testing.assert_allclose(equations.path_lengths([path], [angle]), [3.0 + chord], rtol=1e-14)
        np.testing.assert_allclose(equations.moment_arms([path], [angle]), [[np.sin(between) / chord]], rtol=1e-13)
    assert equations.moment_arms([[("rod", (0, 0, 0)), ("rod", (1, 0, 0))]], [0.3]).tolist() == [[0.0]]
    assert equations.moment_arms([], [0.3]).shape == (0, 1)


def test_faults_are_named() -> None:
    rod = Model(name="rod", bodies={"rod": Body(mass=1.0)}, joints={"hinge": pin("ground", "rod", "angle")})
    equations = MatrixCalculus(rod)
    with pytest.raises(ModelError, match="unknown body 'rood': did you mean 'rod'"):
        equations.transform("rood", [0.0])
    with pytest.raises(ModelError, match="'q' needs one number for each of the 1 coordinates of 'rod'"):
        equations.mass_matrix([0.0, 1.0])
    with pytest.raises(ModelError, match="'v' is not finite at coordinate 'angle'"):
        equations.velocity_terms([0.0], [np.nan])
    with pytest.raises(ModelError, match="'biceps', point 1: unknown body 'rood'"):
        equations.moment_arms({"biceps": [("rod", (0, 0, 0)), ("rood", (0, 0, 0))]}, [0.0])
    with pytest.raises(ModelError, match="'biceps', point 0: expected three finite numbers"):
        equations.moment_arms({"biceps": [("rod", (0, 0)), ("rod", (0, 0, 0))]}, [0.0])
    with pytest.raises(ModelError, match="needs two points or more"):
        equations.path_lengths({"biceps": [("rod", (0, 0, 0))]}, [0.0])
    with pytest.raises(SolveError, match="'biceps': its points on two bodies coincide"):
        equations.moment_arms({"biceps": [("ground", (1, 0, 0)), ("rod", (1, 0, 0))]}, [0.0])
    variables = JointVariables(np.zeros(2), np.zeros((2, 1)), np.zeros((2, 1, 1)))
    with pytest.raises(ValueError, match="1 frames need as many joint variables, not 2"):
        Kinematics([Frame(-1, np.eye(4))], variables)
    with pytest.raises(ValueError, match="frame 0 comes before its parent 1"):
        Kinematics([Frame(1, np.eye(4)), Frame(-1, np.eye(4))], variables)
    with pytest.raises(ValueError, match="need values"):
        JointVariables(np.zeros(3), np.zeros((2, 1)), np.zeros((2, 1, 1)))
