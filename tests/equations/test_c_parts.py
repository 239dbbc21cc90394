"""Long kernels in parts: the same numbers as the interpreter gives, whatever the length of a part."""

import casadi as ca
import numpy as np
import pytest

import myodyne as my
from myodyne.equations import build
from myodyne.equations.generated import c_parts
from myodyne.equations.generated.c_source import casadi_function
from myodyne.equations.requests import DefinedKernel
from myodyne.errors import MyodyneError
from myodyne.native.compiler import COMPILERS, find_compiler
from support.long_functions import long_function


@pytest.fixture
def kernels(tmp_path, monkeypatch):
    """Kernels of a model, with an empty cache and every kernel long enough for parts."""
    if find_compiler() is None:
        pytest.skip("needs a C compiler")
    monkeypatch.setenv("MYODYNE_CACHE", str(tmp_path))
    monkeypatch.setattr(build, "_LONG_KERNEL", 0)
    return my.equations_of(my.load_model("pendulum"))


@pytest.mark.parametrize("length", [1, 7, 100, 10_000])
def test_parts_give_the_numbers_of_the_interpreter(kernels, monkeypatch, length):
    monkeypatch.setattr(c_parts, "_MOST_STATEMENTS", length)
    definition = long_function()
    kernel = kernels.kernel(DefinedKernel("long", f"parts of {length}", lambda _: definition))
    rows = np.random.default_rng(0).normal(size=(5, 6)), np.random.default_rng(1).normal(size=(5, 3))
    found = kernel(*rows)
    interpreted = casadi_function(definition)
    for row in range(5):
        wanted = interpreted(rows[0][row], rows[1][row])
        for number in range(2):
            np.testing.assert_allclose(found[number][row], np.asarray(wanted[number]).ravel(), rtol=1e-12, atol=1e-13)


def test_a_part_stores_only_what_later_parts_need(monkeypatch):
    monkeypatch.setattr(c_parts, "_MOST_STATEMENTS", 2)
    x = ca.SX.sym("x", 2)
    generator = ca.CodeGenerator("kernel", {"casadi_int": "int", "with_header": False})
    generator.add(ca.Function("kernel", [x], [ca.sin(x[0]) + ca.cos(x[1])]))
    entry, *files = c_parts.in_parts(generator.dump())
    assert len(files) == COMPILERS
    functions = "".join(files).split("void kernel_part_")[1:]
    assert len(functions) == entry.count("(arg, res, w);")
    # The first part hands sin(x) on; the last one hands nothing on.
    assert functions[0].count("  w[") == 1
    assert functions[-1].count("  w[") == 0


def test_other_code_is_refused():
    with pytest.raises(MyodyneError, match="differs from that of the versions tested"):
        c_parts.in_parts("int kernel(void) { return 0; }")
