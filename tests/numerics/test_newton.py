"""Newton's method and LU factors, in Python and in C."""

import ctypes

import numpy as np
import pytest

from myodyne.numerics.newton import LUFactors, Newton, factorise


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_factors_solve_systems(compiled, n):
    rng = np.random.default_rng(n)
    matrix, vector = rng.normal(size=(n, n)), rng.normal(size=n)
    matrix[0, 0] = 0.0 if n > 1 else 1.0  # needs a pivot
    expected = np.linalg.solve(matrix, vector)
    factors = factorise(matrix)
    assert isinstance(factors, LUFactors)
    np.testing.assert_allclose(factors.solve(vector), expected, rtol=1e-10)

    lu, x, pivots = matrix.T.copy(), vector.copy(), np.zeros(n, dtype=np.intc)  # transposed: column-major
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (lu, pivots, x)]
    assert compiled.kernels.march_factorise(pointers[0], n, pointers[1]) == 0
    compiled.kernels.march_solve.restype = None
    compiled.kernels.march_solve(pointers[0], n, pointers[1], pointers[2])
    np.testing.assert_allclose(x, expected, rtol=1e-10)


def test_a_singular_matrix_names_its_column(compiled):
    matrix = np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, 1.0]])
    assert factorise(matrix) == 1
    lu, pivots = matrix.T.copy(), np.zeros(3, dtype=np.intc)
    assert (
        compiled.kernels.march_factorise(lu.ctypes.data_as(ctypes.c_void_p), 3, pivots.ctypes.data_as(ctypes.c_void_p))
        == 2
    )
    assert factorise(np.array([[np.nan]])) == 0


class Roots:
    """x² = target, entry by entry; counts what it is asked."""

    offset = 0

    def __init__(self, target):
        self.target, self.evaluations, self.jacobians = np.array(target), 0, 0

    def evaluate(self, unknown, *, fresh):
        self.evaluations += 1
        self.jacobians += fresh
        if fresh:
            self.factors = factorise(np.diag(2 * unknown))
        return unknown**2 - self.target, self.factors if isinstance(self.factors, int) else None

    def solve(self, residual):
        return self.factors.solve(residual)

    def size(self, unknown, increment):
        return np.abs(increment)


def test_newton_finds_roots_and_keeps_factors_while_they_serve():
    roots = Roots([4.0, 9.0])
    solution, failure = Newton(1e-12).solve(roots, np.array([2.001, 3.001]))
    assert failure is None
    np.testing.assert_allclose(solution, [2.0, 3.0], atol=1e-12)
    assert roots.jacobians == 1 < roots.evaluations


def test_newton_refreshes_factors_that_converge_slowly():
    roots = Roots([4.0])
    solution, failure = Newton(1e-12).solve(roots, np.array([9.0]))
    assert failure is None
    assert solution[0] == pytest.approx(2.0, abs=1e-12)
    assert roots.jacobians > 2


class Bend(Roots):
    """arctan x = 0: whole changes from beyond 1.39 lead ever further away."""

    def evaluate(self, unknown, *, fresh):
        if fresh:
            self.factors = factorise(np.diag(1 / (1 + unknown**2)))
        return np.arctan(unknown), None


def test_careful_newton_takes_shares_of_changes_that_lead_astray():
    solution, failure = Newton(1e-12).solve_carefully(Bend([0.0]), np.array([50.0]))
    assert failure is None
    assert solution[0] == pytest.approx(0.0, abs=1e-12)
    newton = Newton(1e-12)
    assert newton.solve_carefully(Roots([1.0, -1.0]), np.array([1.0, 0.5]))[1] == "Newton did not converge"
    assert newton.offender == 1
    assert newton.solve_carefully(Roots([np.nan]), np.ones(1))[1] == "not finite"


def test_newton_reports_failure_and_the_unknown_behind_it():
    newton = Newton(1e-12)
    assert newton.solve(Roots([1.0, -1.0]), np.array([1.0, 0.5]))[1] == "Newton did not converge"
    assert newton.offender == 1
    newton = Newton(1e-12)
    assert newton.solve(Roots([1.0, np.nan]), np.ones(2))[1] == "not finite"
    assert newton.offender == 1
    newton = Newton(1e-12)
    assert newton.solve(Roots([1.0]), np.zeros(1))[1] == "Newton did not converge"
