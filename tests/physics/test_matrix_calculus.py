"""The calculus itself: the derivative of a matrix by a vector, and every rule of it, against complex steps.

Acceptance 001-1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from myodyne.formulations.matrix_calculus import Differentiated, calculus as c, derivative

Q = np.array([0.4, -1.3, 0.9])
R = len(Q)
TOLERANCE = 1e-12


def functions(seed: int, rows: int, columns: int) -> Any:
    """Return a matrix of smooth functions, every entry another one."""
    rng = np.random.default_rng(seed)
    linear, bent = rng.normal(size=(2, rows, columns, R))
    return lambda q: np.sin(linear @ q) + (bent @ q) ** 3 * np.exp(0.1 * q[0])


def test_001_1_definition_against_central_differences() -> None:
    a = functions(0, 2, 3)
    h = 1e-5
    found = derivative(a, Q)
    assert found.shape == (2 * R, 3)
    for k in range(R):
        step = h * np.eye(R)[k]
        slope = (8 * (a(Q + step) - a(Q - step)) - (a(Q + 2 * step) - a(Q - 2 * step))) / (12 * h)
        for i in range(2):
            # Entry (i, k) of the matrix became the column of its partial derivatives.
            np.testing.assert_allclose(found[i * R + k], slope[i], rtol=1e-8)


def test_001_1_definition_as_a_sum_of_elementary_matrices() -> None:
    a = functions(1, 2, 3)
    entries = [[derivative(lambda q, i=i, k=k: a(q)[i, k], Q) for k in range(3)] for i in range(2)]
    total = sum(np.kron(c.elementary(2, 3, i, k), entries[i][k]) for i in range(2) for k in range(3))
    np.testing.assert_allclose(total, derivative(a, Q), rtol=TOLERANCE)


def test_partial_derivatives_and_back() -> None:
    d = derivative(functions(2, 2, 4), Q)
    parts = c.partials(d, R)
    assert parts.shape == (R, 2, 4)
    np.testing.assert_array_equal(c.from_partials(parts), d)


@pytest.mark.parametrize(("m", "n"), [(1, 1), (2, 3), (4, 2), (5, 5)])
def test_001_1_permutation_matrix(m: int, n: int) -> None:
    u = c.permutation(m, n)
    by_definition = sum(np.kron(c.elementary(m, n, i, k), c.elementary(n, m, k, i)) for i in range(m) for k in range(n))
    assert u.shape == (m * n, m * n)
    np.testing.assert_array_equal(u, by_definition)
    np.testing.assert_array_equal(u @ u.T, np.eye(m * n))
    rng = np.random.default_rng(m)
    # It commutes the factors of a Kronecker product.
    a, b = rng.normal(size=(n, 2)), rng.normal(size=(m, 3))
    np.testing.assert_allclose(u @ np.kron(a, b) @ c.permutation(2, 3), np.kron(b, a), rtol=TOLERANCE)


def test_001_1_product() -> None:
    a, b = functions(3, 2, 3), functions(4, 3, 4)
    found = c.product_derivative(a(Q), derivative(a, Q), b(Q), derivative(b, Q))
    np.testing.assert_allclose(found, derivative(lambda q: a(q) @ b(q), Q), rtol=TOLERANCE, atol=TOLERANCE)


def test_001_1_product_with_a_scalar() -> None:
    s, a = functions(5, 1, 1), functions(6, 3, 2)
    found = c.scaled_derivative(s(Q)[0, 0], derivative(s, Q), a(Q), derivative(a, Q))
    np.testing.assert_allclose(found, derivative(lambda q: s(q)[0, 0] * a(q), Q), rtol=TOLERANCE, atol=TOLERANCE)


@pytest.mark.parametrize(("first", "second"), [((2, 3), (4, 2)), ((1, 1), (3, 2)), ((3, 1), (1, 4)), ((2, 2), (2, 2))])
def test_001_1_kronecker_product(first: tuple[int, int], second: tuple[int, int]) -> None:
    a, b = functions(7, *first), functions(8, *second)
    found = c.kronecker_derivative(a(Q), derivative(a, Q), b(Q), derivative(b, Q))
    np.testing.assert_allclose(found, derivative(lambda q: np.kron(a(q), b(q)), Q), rtol=TOLERANCE, atol=TOLERANCE)


def test_001_1_differential_in_both_forms() -> None:
    a = functions(9, 2, 3)
    dq = np.array([0.3, -0.2, 0.7])
    along = derivative(lambda s: a(Q + s[0] * dq), [0.0])
    np.testing.assert_allclose(c.differential(derivative(a, Q), dq), along, rtol=TOLERANCE)
    of_transposed = derivative(lambda q: a(q).T, Q)
    np.testing.assert_allclose(c.differential_of_transposed(of_transposed, dq), along, rtol=TOLERANCE)
    np.testing.assert_allclose(c.transposed_derivative(derivative(a, Q), R), of_transposed, rtol=TOLERANCE)


def test_001_1_chain() -> None:
    inner, a = functions(10, 4, 1), functions(11, 2, 3)
    weights = np.random.default_rng(12).normal(size=(R, 4))

    def outer(y: Any) -> Any:
        return a(weights @ np.ravel(y))

    by_y = derivative(outer, inner(Q).ravel())
    found = c.chained_derivative(by_y, derivative(inner, Q), R)
    np.testing.assert_allclose(found, derivative(lambda q: outer(inner(q)), Q), rtol=TOLERANCE, atol=TOLERANCE)


def test_arithmetic_of_pairs() -> None:
    a, b, s, k = functions(13, 2, 3), functions(14, 3, 2), functions(15, 1, 1), np.arange(4.0).reshape(2, 2)
    pair_a, pair_b, pair_s = (Differentiated.of(function, Q) for function in (a, b, s))
    constant = Differentiated.constant(k, R)
    found = ((pair_a @ pair_b - constant) * pair_s).kron(-pair_b.T + pair_a * 2.0)
    wanted = Differentiated.of(lambda q: np.kron((a(q) @ b(q) - k) * s(q)[0, 0], 2.0 * a(q) - b(q).T), Q)
    np.testing.assert_allclose(found.value, wanted.value, rtol=TOLERANCE, atol=TOLERANCE)
    np.testing.assert_allclose(found.derivative, wanted.derivative, rtol=TOLERANCE, atol=TOLERANCE)
    np.testing.assert_allclose((2.0 * pair_a).derivative, 2.0 * pair_a.derivative)
    dq = np.array([1.0, 2.0, -1.0])
    np.testing.assert_allclose(pair_a.differential(dq), c.differential(pair_a.derivative, dq))


def test_pairs_chain_and_differentiate_twice() -> None:
    q = Differentiated.variable(Q)
    # ½ qᵀ K q has the gradient K q, and the derivative of that column is vec(K).
    k = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, -1.0], [0.0, -1.0, 4.0]])
    stiffness = Differentiated.constant(k, R)
    energy = q.T @ stiffness @ q * 0.5
    np.testing.assert_allclose(energy.derivative.ravel(), k @ Q, rtol=TOLERANCE)
    np.testing.assert_allclose((stiffness @ q).derivative, c.vec(k), rtol=TOLERANCE)
    inner = functions(16, R, 1)
    outer = energy.chained(Differentiated.of(inner, [*Q[:2], 0.1]))
    jacobian = derivative(inner, [*Q[:2], 0.1]).reshape(R, R)
    np.testing.assert_allclose(outer.derivative.ravel(), jacobian.T @ k @ Q, rtol=TOLERANCE)


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot have a derivative of shape"):
        Differentiated(np.eye(2), np.zeros((5, 2)))
    pair = Differentiated.constant(np.eye(2), R)
    with pytest.raises(ValueError, match="takes a scalar function"):
        _ = pair * pair
    with pytest.raises(ValueError, match="column of 3"):
        pair.chained(pair)
    with pytest.raises(ValueError, match="a scalar, a vector or a matrix"):
        c.matrix(np.zeros((2, 2, 2)))
