"""Kernels that compute several rows at a time: the same numbers as the interpreter gives, for any number of rows."""

import numpy as np
import pytest

import myodyne as my
from myodyne.equations import build
from myodyne.equations.generated.c_source import casadi_function
from myodyne.equations.requests import DefinedKernel
from myodyne.native.compiler import find_compiler
from support.long_functions import long_function


@pytest.mark.parametrize("rows", [1, 3, 8, 17])
def test_lanes_give_the_numbers_of_the_interpreter(tmp_path, monkeypatch, rows):
    if find_compiler() is None:
        pytest.skip("needs a C compiler")
    monkeypatch.setenv("MYODYNE_CACHE", str(tmp_path))
    monkeypatch.setattr(build, "HUGE_KERNEL", 0)
    definition = long_function()
    kernel = my.equations_of(my.load_model("pendulum")).kernel(DefinedKernel("long", "lanes", lambda _: definition))
    assert kernel.in_lanes is not None
    rng = np.random.default_rng(0)
    given = rng.normal(size=(rows, 6)), rng.normal(size=(rows, 3))
    found = kernel(*given)
    function = casadi_function(definition)
    for number in range(rows):
        expected = function(*(part[number] for part in given))
        for output, one in zip(found, expected, strict=True):
            np.testing.assert_allclose(output[number], np.asarray(one).ravel(), rtol=1e-12, atol=1e-12)
    shared = kernel(given[0], given[1][0])
    np.testing.assert_allclose(shared[0][0], found[0][0], rtol=1e-14)
    np.testing.assert_allclose(kernel(given[0][0], given[1][0])[0], found[0][0], rtol=1e-14)
