"""Functions that equations define: solved, followed, differentiated three ways, and refused where they are not one.

Acceptance 001-6.
"""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from myodyne.errors import SolveError
from myodyne.numerics.fitted_functions import FourierFit, SplineFit
from myodyne.numerics.implicit_derivatives import by_differences, by_projection, project
from myodyne.numerics.implicit_functions import ImplicitFunctions


def circle_residual(f: Any, q: Any) -> Any:
    return f**2 + q**2 - 25.0


CIRCLE = ImplicitFunctions(circle_residual, names=["height"])
# Three branches for |q| < 2, which meet at f = ±1.
FOLDED = ImplicitFunctions(lambda f, q: f**3 - 3.0 * f - q, names=["f"])
# Two straight branches f = ±q that cross.
CROSSED = ImplicitFunctions(lambda f, q: f**2 - q**2, names=["f"])


def mixed_residual(f: Any, q: Any) -> Any:
    """Return two equations in two functions of two variables, with every kind of second derivative."""
    return np.array(
        [
            f[0] + 0.3 * np.sin(f[1] * q[0]) - q[0] * q[1],
            2.0 * f[1] + 0.2 * f[0] ** 2 * q[1] - np.cos(q[0]) + 0.1 * f[0] * f[1],
        ]
    )


def mixed_jacobians(f: Any, q: Any) -> Any:
    by_f = np.array([[1.0, 0.3 * q[0] * np.cos(f[1] * q[0])], [0.4 * f[0] * q[1] + 0.1 * f[1], 2.0 + 0.1 * f[0]]])
    by_q = np.array([[0.3 * f[1] * np.cos(f[1] * q[0]) - q[1], -q[0]], [np.sin(q[0]), 0.2 * f[0] ** 2]])
    return by_f, by_q


MIXED = ImplicitFunctions(mixed_residual, names=["a", "b"])
MIXED_WITH_JACOBIANS = ImplicitFunctions(mixed_residual, names=["a", "b"], jacobians=mixed_jacobians)


def test_solution_near_a_guess() -> None:
    assert CIRCLE.solve([3.0], [3.0]) == pytest.approx([4.0], rel=1e-15)
    assert CIRCLE.solve(3.0, -10.0) == pytest.approx([-4.0], rel=1e-15)


def test_derivatives_of_the_equations_given_and_by_complex_steps() -> None:
    f, q = np.array([0.4, 0.7]), np.array([0.9, -0.5])
    for own, given in zip(MIXED.jacobians(f, q), mixed_jacobians(f, q), strict=True):
        np.testing.assert_allclose(own, given, rtol=1e-15)
    second = MIXED_WITH_JACOBIANS.second_derivatives(f, q)
    assert second.shape == (2, 4, 4)
    np.testing.assert_allclose(MIXED.second_derivatives(f, q), second, atol=2e-14)
    # By hand: the second equation by f0 twice, and by f0 and q1.
    assert second[1, 0, 0] == pytest.approx(0.4 * q[1], rel=1e-15)
    assert second[1, 0, 3] == pytest.approx(0.4 * f[0], rel=1e-15)


@pytest.mark.parametrize("functions", [MIXED, MIXED_WITH_JACOBIANS], ids=["complex steps", "given"])
def test_gradients_and_hessians_by_projection_and_by_differences(functions: ImplicitFunctions) -> None:
    q = np.array([0.9, -0.5])
    f = functions.solve(q, [0.0, 0.5])
    exact, numerical = by_projection(functions, q, f), by_differences(functions, q, f)
    assert exact.gradients.shape == (2, 2)
    assert exact.hessians.shape == (2, 2, 2)
    np.testing.assert_allclose(numerical.gradients, exact.gradients, rtol=1e-10)
    np.testing.assert_allclose(numerical.hessians, exact.hessians, rtol=1e-8, atol=1e-9)
    by_f, by_q = functions.jacobians(f, q)
    np.testing.assert_allclose(exact.gradients, -np.linalg.solve(by_f, by_q), rtol=1e-13)


def test_derivatives_on_a_sphere() -> None:
    sphere = ImplicitFunctions(lambda f, q: f**2 + q @ q - 25.0, names=["height"])
    q = np.array([1.0, 2.0])
    height = np.sqrt(20.0)
    found = by_projection(sphere, q, sphere.solve(q, [4.0]))
    np.testing.assert_allclose(found.gradients, [-q / height], rtol=1e-14)
    np.testing.assert_allclose(found.hessians, [-(np.eye(2) + np.outer(q, q) / 20.0) / height], rtol=1e-13)


@pytest.mark.parametrize("size", [1, 2, 3, 6, 10])
def test_projection_is_a_linear_solve(size: int) -> None:
    rng = np.random.default_rng(size)
    columns, right = rng.normal(size=(size, size)) + 2.0 * np.eye(size), rng.normal(size=(size, 4))
    solved = np.linalg.solve(columns, right)
    np.testing.assert_allclose(project(columns, right), solved, rtol=1e-10, atol=1e-10 * np.abs(solved).max())
    # The same equations as the Kronecker products that they are written in.
    total = sum(np.kron(columns[:, j], row) for j, row in enumerate(project(columns, right)))
    np.testing.assert_allclose(total, right.ravel(), atol=1e-10)


def test_projection_refuses_dependent_columns() -> None:
    with pytest.raises(SolveError, match="column 0 of the projected equations depends on the others"):
        project([[1.0, 2.0], [2.0, 4.0]], [[1.0], [1.0]])


def test_all_solutions() -> None:
    np.testing.assert_allclose(CIRCLE.solutions([3.0], [[1.0], [9.0], [-2.0]]), [[-4.0], [4.0]], rtol=1e-12)
    np.testing.assert_allclose(
        FOLDED.solutions([0.0], np.linspace(-2, 2, 21)[:, None]).ravel(), [-np.sqrt(3), 0.0, np.sqrt(3)], atol=1e-12
    )
    angle = ImplicitFunctions(lambda f, q: np.sin(f) - q, names=["angle"])
    turns = np.linspace(-20.0, 20.0, 60)[:, None]
    found = angle.solutions([0.5], turns, period=2 * np.pi).ravel()
    np.testing.assert_allclose(found, [np.pi / 6, 5 * np.pi / 6], rtol=1e-12)
    np.testing.assert_allclose(angle.solutions([0.5], turns).ravel(), found, rtol=1e-12)
    with pytest.raises(SolveError, match=r"no guess converges to a solution at q = \(6\)"):
        CIRCLE.solutions([6.0], [[1.0], [2.0]])


def test_angles_are_listed_once_and_lengths_as_they_are() -> None:
    """A length of 8 is more than 2π and no angle; the angle beside it repeats."""
    polar = ImplicitFunctions(
        lambda f, q: np.array([f[0] ** 2 - 64.0, np.cos(f[1]) - q[0]]), names=["length", "direction"]
    )
    guesses = [(length, angle) for length in (-9.0, 7.0) for angle in np.arange(-12.0, 13.0, 1.5)]
    found = polar.solutions([0.5], guesses)
    third = np.pi / 3
    np.testing.assert_allclose(found, [[-8, -third], [-8, third], [8, -third], [8, third]], rtol=1e-10)


def test_an_ambiguous_guess_is_refused() -> None:
    refused = 0
    for guess in np.linspace(-2.5, 2.5, 101):
        try:
            found = FOLDED.solve([0.3], [guess])
        except SolveError as error:
            assert "is ambiguous" in str(error) or "no solution" in str(error)
            refused += "is ambiguous" in str(error)
        else:
            # Outside and inside of ±1 the branches are different ones.
            assert (abs(guess) < 1.0) == (abs(found[0]) < 1.0)
    assert refused > 0


def test_a_sweep_follows_one_branch_however_far_its_points_are_apart() -> None:
    q = np.linspace(-1.9, 1.9, 3)
    for start, branch in ((-2.0, -1), (0.6, 0), (2.0, 1)):
        found = FOLDED.sweep(q, FOLDED.solve([-1.9], [start]) if branch else [0.6]).ravel()
        np.testing.assert_allclose(found**3 - 3 * found, q, atol=1e-13)
        assert (np.sign(found) * (np.abs(found) > 1) == branch).all()


@pytest.mark.parametrize("end", [5.0, 5.001, 7.0])
def test_the_end_of_a_range_is_named(end: float) -> None:
    with pytest.raises(SolveError, match=r"the range of q ends at q = \((5|4\.99999\d*)\)") as caught:
        CIRCLE.sweep([0.0, 3.0, end], [5.0])
    again = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(again, SolveError)
    assert str(again) == str(caught.value)


def test_a_crossing_of_branches_is_named() -> None:
    with pytest.raises(SolveError, match=r"singular pose at q = \(-?\d.*two branches cross"):
        CROSSED.sweep([-1.0, -0.4, 0.7], [1.0])
    with pytest.raises(SolveError, match="two branches cross"):
        CROSSED.range_end([-1.0], [1.0], [1.0])


def test_a_singular_pose_is_refused() -> None:
    with pytest.raises(SolveError, match=r"the pose at q = \(5\) is singular"):
        CIRCLE.solve([5.0], [1e-3])
    with pytest.raises(SolveError, match="derivatives of 'height' do not exist"):
        by_projection(CIRCLE, [5.0], [0.0])


def test_where_a_range_ends() -> None:
    q, f = CIRCLE.range_end([0.0], [5.0], [1.0])
    np.testing.assert_allclose(q, [5.0], rtol=1e-12)
    np.testing.assert_allclose(f, [0.0], atol=1e-10)
    q, f = FOLDED.range_end([0.0], [0.0], [-2.0])
    np.testing.assert_allclose([q[0], f[0]], [-2.0, 1.0], rtol=1e-11)
    with pytest.raises(SolveError, match="does not end within 3 times"):
        FOLDED.range_end([0.0], [np.sqrt(3)], [1.0], farthest=3.0)


def test_no_solution_and_numbers_that_are_none() -> None:
    with pytest.raises(SolveError, match=r"no solution of 'height' was found at q = \(6\) from the guess \(1\)"):
        CIRCLE.solve([6.0], [1.0])
    broken = ImplicitFunctions(lambda f, q: f * np.nan, names=["f"])
    with pytest.raises(SolveError, match=r"equation 0 is not finite at q = \(1\)"):
        broken.solve([1.0], [2.0])
    with pytest.raises(ValueError, match="2 functions need as many equations"):
        ImplicitFunctions(circle_residual, names=["a", "b"]).solve([3.0], [1.0])
    odd = ImplicitFunctions(circle_residual, names=["a"], jacobians=lambda f, q: (np.eye(2), np.eye(2)))
    with pytest.raises(ValueError, match="given Jacobians have the shapes"):
        odd.solve([3.0], [1.0])


def test_a_grid_is_solved_point_by_point() -> None:
    axes = [np.linspace(0.5, 1.0, 4), np.linspace(-0.6, -0.2, 3)]
    found = MIXED.grid(axes, [0.0, 0.5])
    assert found.shape == (4, 3, 2)
    for i, a in enumerate(axes[0]):
        for j, b in enumerate(axes[1]):
            np.testing.assert_allclose(mixed_residual(found[i, j], [a, b]), 0.0, atol=1e-14)


def test_splines_in_two_variables() -> None:
    x, y = np.linspace(0.0, 1.0, 30), np.linspace(-1.0, 0.5, 30)
    values = np.stack([np.sin(x)[:, None] * np.exp(y), x[:, None] ** 2 * y**3], axis=-1)
    fit = SplineFit([x, y], values)
    a, b = 0.41, -0.33
    s, c, e = np.sin(a), np.cos(a), np.exp(b)
    np.testing.assert_allclose(fit([a, b]), [s * e, a**2 * b**3], rtol=1e-11)
    np.testing.assert_allclose(fit.gradients([a, b]), [[c * e, s * e], [2 * a * b**3, 3 * a**2 * b**2]], rtol=1e-9)
    hessians = [[[-s * e, c * e], [c * e, s * e]], [[2 * b**3, 6 * a * b**2], [6 * a * b**2, 6 * a**2 * b]]]
    np.testing.assert_allclose(fit.hessians([a, b]), hessians, rtol=1e-8)
    with pytest.raises(SolveError, match=r"variable 1 is 0\.6, outside the fitted range from -1 to 0\.5"):
        fit([0.5, 0.6])
    with pytest.raises(ValueError, match="needs values of the shape"):
        SplineFit([x], values)
    with pytest.raises(ValueError, match="more than 7 increasing values"):
        SplineFit([x[::-1], y], values)


@pytest.mark.parametrize("degree", [3, 5, 7])
def test_splines_converge_with_their_order(degree: int) -> None:
    """The second derivative of a spline of degree k is of order k - 1."""
    errors = []
    for count in (61, 121):
        x = np.linspace(0.0, 6.0, count)
        fit = SplineFit([x], np.sin(3.0 * x)[:, None], degree=degree)
        # In the middle, where the ends of the spline have no say.
        at = x[count // 2] + np.linspace(0.0, 1.0, 7) * (x[1] - x[0])
        errors.append(max(abs(fit.hessians([t])[0, 0, 0] + 9.0 * np.sin(3.0 * t)) for t in at))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(degree - 1, abs=0.5)


def test_fourier_series_with_a_steady_growth() -> None:
    q = np.arange(0.3, 0.3 + 2.0, 0.01)
    w = np.pi

    def both(t: Any) -> Any:
        return np.stack([0.5 * t + 0.2 + 0.1 * np.cos(3 * w * t), np.sin(w * t) - 0.4 * np.cos(2 * w * t)], axis=-1)

    fit = FourierFit(q, both(q), period=2.0, harmonics=4, slopes=[0.5, 0.0])
    assert fit.largest_error < 1e-13
    for t in (-3.0, 0.77, 12.0):
        np.testing.assert_allclose(fit(t), both(t), atol=1e-12)
        slopes = [0.5 - 0.3 * w * np.sin(3 * w * t), w * np.cos(w * t) + 0.8 * w * np.sin(2 * w * t)]
        np.testing.assert_allclose(fit.gradients([t])[:, 0], slopes, atol=1e-11)
        bends = [-0.9 * w**2 * np.cos(3 * w * t), -(w**2) * np.sin(w * t) + 1.6 * w**2 * np.cos(2 * w * t)]
        np.testing.assert_allclose(fit.hessians([t])[:, 0, 0], bends, atol=1e-10)
    # A growth that is not told shows up as a bad fit, not as a silent one.
    assert FourierFit(q, both(q), period=2.0, harmonics=4).largest_error > 0.1
    with pytest.raises(ValueError, match="need 9 samples or more"):
        FourierFit(q[:5], both(q[:5]), period=2.0, harmonics=4)
    with pytest.raises(ValueError, match="need values of the shape"):
        FourierFit(q, both(q)[:, 0], period=2.0, harmonics=4)
    with pytest.raises(SolveError, match="do not determine 9 harmonics"):
        FourierFit(np.full(40, 0.3), np.ones((40, 1)), period=2.0, harmonics=9)
