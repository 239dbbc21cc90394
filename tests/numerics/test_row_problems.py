"""Many small problems at once: least squares within bounds, and the sharing of sums of powers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import least_squares, minimize

from myodyne.numerics.power_minima import minimise_powers
from myodyne.numerics.row_minima import minimise_rows

# -- least squares


def curve(x: np.ndarray) -> np.ndarray:
    """Residuals of Rosenbrock's valley with a further one, for one problem."""
    return np.array([10.0 * (x[1] - x[0] ** 2), 1.0 - x[0], 0.3 * (x[0] + x[1])])


def slope(x: np.ndarray) -> np.ndarray:
    return np.array([[-20.0 * x[0], 10.0], [-1.0, 0.0], [0.3, 0.3]])


def evaluate(shifts: np.ndarray):
    def call(rows, x):
        found = [(curve(one) - shifts[row], slope(one)) for row, one in zip(rows, x, strict=True)]
        r, J = (np.array(part) for part in zip(*found, strict=True))
        return (r * r).sum(axis=1) / 2, np.einsum("kr,krn->kn", r, J), np.einsum("krm,krn->kmn", J, J)

    return call


@pytest.mark.parametrize("low, high", [((-np.inf, -np.inf), (np.inf, np.inf)), ((-1.0, 0.3), (0.4, 2.0))])
def test_each_row_finds_the_minimum_that_scipy_finds(low, high) -> None:
    shifts = np.random.default_rng(3).normal(scale=0.2, size=(20, 3))
    start = np.tile([0.2, 0.5], (20, 1))
    found = minimise_rows(evaluate(shifts), start, np.array(low), np.array(high))
    assert found.converged.all()
    for row, shift in enumerate(shifts):
        best = least_squares(
            lambda x, s=shift: curve(x) - s, start[row], slope, bounds=(low, high), xtol=1e-14, ftol=1e-14, gtol=1e-14
        )
        assert found.cost[row] <= best.cost * (1 + 1e-9) + 1e-15
        assert found.x[row] == pytest.approx(best.x, abs=1e-5)


def test_an_unknown_without_a_value_stays_where_it_was() -> None:
    def call(rows, x):
        r = x[:, :1] - 2.0
        matrix = np.zeros((len(rows), 2, 2))
        matrix[:, 0, 0] = 1.0
        return (r * r).sum(axis=1) / 2, np.hstack([r, 0.0 * r]), matrix

    found = minimise_rows(call, np.array([[0.0, 0.7]]), np.full(2, -np.inf), np.full(2, np.inf))
    assert found.x[0] == pytest.approx([2.0, 0.7], abs=1e-8)


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize(("low", "high"), [((-5.0, -5.0), (5.0, 5.0)), ((-5.0, -5.0), (5.0, 0.4))])
def test_equations_hold_at_the_minimum_that_scipy_finds(low, high, twice: bool) -> None:
    """On a circle, whose equation may stand there twice."""

    def circle(rows, x):
        error = (x * x).sum(axis=1, keepdims=True) - 1.0
        return (np.tile(error, 1 + twice), np.tile(2.0 * x[:, None, :], (1, 1 + twice, 1)))

    shifts = np.random.default_rng(4).normal(scale=0.2, size=(10, 3))
    start = np.tile([0.8, 0.3], (10, 1))
    found = minimise_rows(evaluate(shifts), start, np.array(low), np.array(high), kept=circle)
    assert found.converged.all()
    for row, shift in enumerate(shifts):
        best = minimize(
            lambda x, s=shift: ((curve(x) - s) ** 2).sum() / 2,
            start[row],
            method="SLSQP",
            bounds=list(zip(low, high, strict=True)),
            constraints={"type": "eq", "fun": lambda x: x @ x - 1.0},
            options={"ftol": 1e-14},
        )
        assert found.x[row] @ found.x[row] == pytest.approx(1.0, abs=1e-11)
        assert found.x[row] == pytest.approx(best.x, abs=1e-5)


# -- sharing


@pytest.mark.parametrize("exponent", [1.5, 2.0, 3.0, 5.0])
def test_shares_are_those_of_another_solver(exponent: float) -> None:
    draw = np.random.default_rng(int(10 * exponent))
    low, high = np.array([0.01] * 6 + [-np.inf, -1.0]), np.array([1.0] * 6 + [np.inf, 1.0])
    matrix = draw.normal(size=(6, 3, 8))
    wanted = np.einsum("krn,kn->kr", matrix, draw.uniform(0.05, 0.9, size=(6, 8)))
    found = minimise_powers(matrix, wanted, low, high, exponent)
    assert found.converged.all()
    assert np.abs(found.unmet).max() < 1e-6
    for row in range(6):
        best = minimize(
            lambda x: (np.abs(x) ** exponent).sum(),
            np.full(8, 0.3),
            method="SLSQP",
            bounds=list(zip(low, high, strict=True)),
            jac=lambda x: exponent * np.sign(x) * np.abs(x) ** (exponent - 1),
            constraints={
                "type": "eq",
                "fun": lambda x, row=row: matrix[row] @ x - wanted[row],
                "jac": lambda x, row=row: matrix[row],
            },
            options={"ftol": 1e-14, "maxiter": 1000},
        )
        assert best.success
        assert (np.abs(found.x[row]) ** exponent).sum() == pytest.approx(best.fun, rel=1e-5, abs=1e-7)
        if exponent >= 2:
            assert found.x[row] == pytest.approx(best.x, abs=2e-4)


def test_a_minimum_meets_the_conditions_of_one() -> None:
    """Unknowns between their bounds have equal prices: the slope of their power is what their equations pay."""
    draw = np.random.default_rng(5)
    matrix = draw.normal(size=(10, 4, 30))
    wanted = np.einsum("krn,kn->kr", matrix, draw.uniform(0.0, 0.5, size=(10, 30)))
    found = minimise_powers(matrix, wanted, np.zeros(30), np.ones(30), 3.0)
    slack = 3.0 * found.x**2 - np.einsum("kr,krn->kn", found.multipliers, matrix)
    inside = (found.x > 1e-4) & (found.x < 1 - 1e-4)
    assert np.abs(slack[inside]).max() < 1e-6
    assert slack[found.x <= 1e-4].min() > -1e-6


def test_what_cannot_be_met_is_missed_by_the_least() -> None:
    found = minimise_powers(
        np.array([[[1.0, 1.0, 0.0], [0.0, 0.0, 2.0]]]), np.array([[5.0, 1.0]]), np.zeros(3), np.ones(3)
    )
    assert found.converged.all()
    assert found.x[0] == pytest.approx([1.0, 1.0, 0.5], abs=1e-6)
    assert found.unmet[0] == pytest.approx([3.0, 0.0], abs=1e-6)


def test_nothing_to_share_with_is_no_error() -> None:
    found = minimise_powers(np.zeros((2, 1, 0)), np.ones((2, 1)), np.zeros(0), np.zeros(0))
    assert found.unmet.tolist() == [[1.0], [1.0]]
