"""Derivatives of a nonlinear program against central differences."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from myodyne.optimise.transcription.program import Program

Floats = NDArray[np.float64]


def some_point(program: Program, seed: int = 3) -> Floats:
    """Return unknowns inside their bounds, at which nothing is special."""
    random = np.random.default_rng(seed)
    lower, upper = program.bounds
    low, high = np.maximum(lower, -1.0), np.minimum(upper, 1.0)
    # Fixed unknowns and ranges that lie elsewhere keep their own middle.
    outside = low > high
    low[outside], high[outside] = lower[outside], np.minimum(upper[outside], lower[outside] + 1.0)
    return low + random.uniform(0.3, 0.7, program.count) * (high - low)


def dense(places: tuple[NDArray[np.intp], NDArray[np.intp]], values: Floats, shape: tuple[int, int]) -> Floats:
    """Return a matrix from its nonzeros; places that stand twice add up."""
    matrix = np.zeros(shape)
    np.add.at(matrix, places, values)
    return matrix


def slopes(function: object, at: Floats, step: float = 1e-6) -> Floats:
    """Return the derivatives of a function by central differences, a column for each unknown."""
    columns = []
    for number in range(len(at)):
        ahead, behind = at.copy(), at.copy()
        ahead[number] += step
        behind[number] -= step
        columns.append((np.atleast_1d(function(ahead)) - np.atleast_1d(function(behind))) / (2 * step))  # type: ignore[operator]
    return np.stack(columns, axis=-1)


def largest_errors(program: Program, seed: int = 3) -> dict[str, float]:
    """Return the largest errors of gradient, Jacobian and Hessian, relative to the largest entry of each row."""
    at = some_point(program, seed)
    weights = np.random.default_rng(seed).normal(size=program.rows)
    shape = program.rows, program.count

    def jacobian(x: Floats) -> Floats:
        return dense(program.jacobian_places, program.jacobian(x), shape)

    lower = dense(program.hessian_places, program.hessian(at, 0.7, weights), (program.count, program.count))
    pairs = {
        "gradient": (program.gradient(at)[None, :], slopes(program.objective, at)),
        "jacobian": (jacobian(at), slopes(program.constraints, at)),
        "hessian": (
            lower + np.tril(lower, -1).T,
            slopes(lambda x: 0.7 * program.gradient(x) + weights @ jacobian(x), at),
        ),
    }
    errors = {}
    for name, (exact, differences) in pairs.items():
        assert np.isfinite(exact).all()
        assert abs(exact).max() > 0.0
        sizes = np.maximum(abs(exact).max(axis=1, keepdims=True), 1.0)
        errors[name] = float((abs(exact - differences) / sizes).max())
    return errors
