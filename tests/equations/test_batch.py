"""Functions of many muscles at a time in C: every loop gives what the function itself gives."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

from myodyne.equations.muscles.batch import batched_source
from myodyne.native.compiler import find_compiler

STRIDE, COUNT = 8, 5


def test_functions_of_rates_work_out_slow_inputs_once(tmp_path: Path) -> None:
    rate, drive, numbers = ca.SX.sym("r"), ca.SX.sym("d", 2), ca.SX.sym("n", 2)
    known = ca.vertcat(drive[0] / numbers[0], 0, ca.exp(numbers[1]))
    balance = ca.vertcat(
        ca.sqrt(1 + drive[1] ** 2) * rate / numbers[1] + ca.exp(numbers[0]), rate / known[0], drive[0], numbers[1]
    )
    function = ca.Function("kernel", [rate, drive, numbers], [ca.densify(known), balance])
    code = batched_source(function, STRIDE)
    compiler = find_compiler()
    if compiler is None:
        pytest.skip("there is no C compiler")
    source, target = tmp_path / "code.c", tmp_path / "code.so"
    source.write_text(code.source)
    compiler.shared_object([source], target, 100)
    kernel = ctypes.CDLL(str(target)).kernel
    kernel.restype = None

    def call(rates: Any, drives: Any, given: Any, rows: int) -> Any:
        result = np.full((rows, STRIDE), np.nan)
        places = [None if array is None else array.ctypes.data_as(ctypes.c_void_p) for array in (rates, drives, given)]
        kernel(COUNT, *places, result.ctypes.data_as(ctypes.c_void_p))
        assert np.isfinite(result[:, :COUNT]).all()
        assert np.isnan(result[:, COUNT:]).all()
        return result

    draw = np.random.default_rng(0).uniform
    rates, drives, given = draw(0.5, 2, (1, STRIDE)), draw(0.5, 2, (2, STRIDE)), draw(0.5, 2, (2, STRIDE))
    settled = call(None, None, given, code.prepared)
    eased = call(None, drives, settled, code.eased)
    weighed = call(rates, eased, settled, 4)
    for muscle in range(COUNT):
        first, second = function(rates[:, muscle], drives[:, muscle], given[:, muscle])
        np.testing.assert_allclose(eased[:3, muscle], first.full().ravel(), rtol=1e-14)
        np.testing.assert_allclose(weighed[:, muscle], second.full().ravel(), rtol=1e-14)
