"""Functions in lanes against the mathematical library, number by number."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

from myodyne.equations.generated.lanes import lane_source
from myodyne.errors import MyodyneError
from myodyne.native.compiler import LANE_FLAGS, find_compiler
from myodyne.native.libraries import load

# Runs at once: those of a processor with AVX-512, the most there are.
LANES = 8
X, Y = ca.SX.sym("x"), ca.SX.sym("y")


def in_lanes(outputs: list[ca.SX], folder: Path, lanes: int = LANES) -> Any:
    """Return a function of rows of numbers x and y, compiled in lanes, which gives a column for each output."""
    compiler = find_compiler()
    if compiler is None:
        pytest.skip("there is no C compiler")
    source, target = folder / f"code{lanes}.c", folder / f"code{lanes}.so"
    source.write_text(lane_source(ca.Function("kernel", [X, Y], [ca.densify(ca.vertcat(*outputs))]), lanes))
    compiler.shared_object([source], target, options=LANE_FLAGS)
    kernel = load(target).kernel

    def values(x: Any, y: Any) -> Any:
        found = []
        for first in range(0, len(x), lanes):
            given = [np.ascontiguousarray(column[first : first + lanes], dtype=float) for column in (x, y)]
            result = np.zeros((len(outputs), lanes))
            arg = (ctypes.c_void_p * 2)(*(array.ctypes.data for array in given))
            res = (ctypes.c_void_p * 1)(result.ctypes.data)
            assert kernel(arg, res, None, None, 0) == 0
            found.append(result.T)
        return np.vstack(found)

    return values


def test_sine_cosine_and_exponential_are_within_two_roundings(tmp_path: Path) -> None:
    values = in_lanes([ca.sin(X), ca.cos(X), ca.exp(X)], tmp_path)
    random = np.random.default_rng(1)
    x = np.concatenate([random.uniform(-10, 10, 40_000), random.uniform(-9e4, 9e4, 40_000), np.pi / 2 * np.arange(8)])
    sine, cosine, exponential = values(x, x).T
    # Near a multiple of a quarter turn the rounding of the angle counts.
    assert np.abs(sine - np.sin(x)).max() < 2.3e-16
    assert np.abs(cosine - np.cos(x)).max() < 2.3e-16
    small = np.abs(x) < 700
    assert np.abs(exponential[small] / np.exp(x[small]) - 1).max() < 5e-16


def test_what_is_far_or_no_number_is_left_to_the_library(tmp_path: Path) -> None:
    values = in_lanes([ca.sin(X), ca.cos(X)], tmp_path)
    x = np.array([1e5, -3e7, 1e300, np.nan, 0.5, -0.0, 1e-300, 2.0])
    sine, cosine = values(x, x).T
    assert np.array_equal(sine[:4], np.sin(x[:4]), equal_nan=True)
    assert np.array_equal(cosine[:4], np.cos(x[:4]), equal_nan=True)
    # Those beside them are what they are without them.
    near = np.where(np.arange(8) < 4, 0.1, x)
    assert values(near, near)[4:].tolist() == values(x, x)[4:].tolist()


def test_operations_are_those_of_casadi(tmp_path: Path) -> None:
    outputs = [
        *(X + Y, X - Y, X * Y, X / Y, Y / (X * X + 1), -X, ca.fabs(X), ca.sign(X), ca.fmin(X, Y), ca.fmax(X, Y)),
        *(X < Y, X <= Y, ca.eq(X, Y), ca.ne(X, Y), ca.logic_not(X), ca.logic_and(X, Y), ca.logic_or(X, Y)),
        *(ca.if_else(X > Y, ca.sqrt(ca.fabs(X)), ca.log(ca.fabs(Y))), ca.tanh(X), ca.atan2(X, Y), ca.fabs(X) ** 1.7),
        *(
            ca.floor(X),
            ca.ceil(Y),
            ca.copysign(X, Y),
            ca.hypot(X, Y),
            ca.asinh(X),
            ca.erf(Y),
            ca.tan(X),
            ca.acos(ca.cos(X)),
        ),
    ]
    values = in_lanes(outputs, tmp_path)
    random = np.random.default_rng(2)
    x, y = random.normal(size=(2, 8 * LANES))
    x[:3], y[2:5] = 0.0, [0.0, x[3], x[4]]
    expected = ca.Function("f", [X, Y], [ca.vertcat(*outputs)]).map(len(x))(x.reshape(1, -1), y.reshape(1, -1)).full().T
    assert np.allclose(values(x, y), expected, rtol=1e-14, atol=1e-15, equal_nan=True)


def test_numbers_do_not_depend_on_how_many_runs_there_are(tmp_path: Path) -> None:
    # Sums of products, of which a compiler may fuse one or the other.
    powers = [ca.SX(0.3), X, Y, X * Y]
    sums = [sum((a * b for a, b in zip(powers, powers[k:], strict=False)), ca.SX(0)) for k in range(3)]
    outputs = [*sums, ca.sin(X) * ca.cos(Y) + ca.exp(X) * Y, sums[0] * sums[1] - sums[2] / (1 + X * X)]
    x, y = np.random.default_rng(4).normal(size=(2, 64))
    assert in_lanes(outputs, tmp_path, 4)(x, y).tolist() == in_lanes(outputs, tmp_path, 8)(x, y).tolist()


def test_sparse_outputs_are_refused() -> None:
    with pytest.raises(MyodyneError, match="dense"):
        lane_source(ca.Function("kernel", [X, Y], [ca.SX(2, 2)]), LANES)


def test_logarithm_and_power_are_those_of_the_library(tmp_path: Path) -> None:
    values = in_lanes([ca.log(X), X**Y], tmp_path)
    random = np.random.default_rng(3)
    x, y = random.lognormal(sigma=3, size=40_000), random.uniform(-4, 4, 40_000)
    logarithm, power = values(x, y).T
    assert np.abs(logarithm - np.log(x)).max() < 4e-16 * np.abs(np.log(x)).max()
    assert np.abs(power / x**y - 1).max() < 3e-14
    # Near one, where the logarithm itself is small.
    near = 1 + random.uniform(-1e-3, 1e-3, 1000)
    assert np.abs(values(near, near)[:, 0] / np.log(near) - 1).max() < 1e-15


def test_powers_at_the_ends_are_those_of_the_library(tmp_path: Path) -> None:
    values = in_lanes([X**Y], tmp_path, 4)
    x = np.array([0.0, 0.0, 0.0, -2.0, -2.0, -2.0, np.inf, np.inf, np.nan, 2.0, 0.0, np.nan])
    y = np.array([2.0, -1.0, 0.5, 3.0, 2.0, 0.5, 2.0, -2.0, 1.0, np.nan, 1.5, np.nan])
    with np.errstate(all="ignore"):
        assert np.allclose(values(x, y)[:, 0], x**y, rtol=1e-14, atol=0, equal_nan=True)
