"""Kernels: requested by typed objects, read by name, compiled side by side."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import myodyne as my
from myodyne.equations import definitions
from myodyne.equations.build import Kernels
from myodyne.equations.requests import DefinedKernel, KernelRequest, ModelKernel, MuscleForm, MuscleKernel, cache_key_of
from myodyne.native.compiler import Compiler, find_compiler
from myodyne.numerics.schemes import Scheme
from myodyne.paths.fitted import Tolerance


def _nothing(expressions: object) -> definitions.Definition:
    return definitions.Definition({}, {})


REQUESTS: list[KernelRequest] = [
    "mass_matrix",
    *(MuscleKernel(kind, form) for kind in (0, 1) for form in get_args(MuscleForm)),
    DefinedKernel("goal", "one", _nothing),
    DefinedKernel("goal", "two", _nothing),
]


def test_every_kernel_has_a_name_and_a_definition() -> None:
    assert set(get_args(ModelKernel)) == {*definitions._MODEL_KERNELS, "exact_derivative"}
    assert set(get_args(MuscleForm)) == set(definitions._MUSCLE_KERNELS)


def test_unknown_kernels_raise_an_error_with_the_nearest_name() -> None:
    equations = my.equations_of(my.load_model("pendulum"), compiled=False)
    with pytest.raises(my.ModelError, match=r"unknown kernel 'mass_matrx'.*'mass_matrix'"):
        equations.kernel("mass_matrx")  # type: ignore[arg-type]


def test_cache_keys_differ_between_requests_and_not_between_processes() -> None:
    keys = [cache_key_of(request) for request in REQUESTS]
    assert len(set(keys)) == len(keys)
    assert cache_key_of(
        DefinedKernel("goal", "one", lambda _: definitions.Definition({}, {}, {"other": 1}))
    ) == cache_key_of(REQUESTS[-2])
    code = (
        "from myodyne.equations.requests import *; print(cache_key_of(MuscleKernel(1, 'details')),"
        " cache_key_of(DefinedKernel('goal', 'one', print)), sep='\\n')"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.splitlines() == [cache_key_of(MuscleKernel(1, "details")), cache_key_of(REQUESTS[-2])]


@pytest.mark.parametrize("compiled", [None, False])
def test_outputs_are_read_by_name(compiled: bool | None) -> None:
    kernel = my.equations_of(my.load_model("double_pendulum"), compiled=compiled).kernel("mechanics")
    for q, v in ((np.array([0.3, -0.2]), np.array([1.0, 0.5])), (np.full((3, 2), 0.3), np.full((3, 2), 0.5))):
        values, named = kernel(q, v), kernel.named(q, v)
        assert list(named) == [name for name, _ in kernel.signature.outputs]
        for value, (name, other) in zip(values, named.items(), strict=True):
            np.testing.assert_array_equal(value, other)
            np.testing.assert_array_equal(value, kernel.output(name, q, v))
    with pytest.raises(KeyError, match="centre"):
        kernel.output("centre", q, v)


def test_kernels_are_compiled_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = find_compiler()
    if compiler is None:
        pytest.skip("there is no C compiler")
    monkeypatch.setenv("MYODYNE_CACHE", str(tmp_path))
    compiled: list[str] = []
    compile_it = Compiler.shared_object

    def counted(self: Compiler, sources: list[Path], target: Path, operations: Any, options: Any) -> None:
        compiled.append(target.parent.name)
        compile_it(self, sources, target, operations, options)

    monkeypatch.setattr(Compiler, "shared_object", counted)
    model = my.load_model("planar_arm")
    wanted: list[KernelRequest] = ["mass_matrix", "mechanics", MuscleKernel(0, "response")]
    for expected in (3, 3):  # the second time they come from the cache
        kernels = Kernels(model, compiler, Tolerance())
        kernels.prepare([*wanted, *wanted])
        assert len(compiled) == expected
        one = kernels["mass_matrix"]
        assert one is kernels["mass_matrix"]
        alone = Kernels(model, compiler, Tolerance())["mass_matrix"]
        pose = np.full(one.input_sizes[0], 0.3)
        np.testing.assert_array_equal(one.first(pose), alone.first(pose))
    assert len(compiled) == 3


def test_errors_of_the_compiler_reach_the_caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = find_compiler()
    if compiler is None:
        pytest.skip("there is no C compiler")
    monkeypatch.setenv("MYODYNE_CACHE", str(tmp_path))

    def fails(self: Compiler, sources: list[Path], target: Path, operations: Any, options: Any) -> None:
        raise my.MyodyneError("no space left")

    monkeypatch.setattr(Compiler, "shared_object", fails)
    kernels = Kernels(my.load_model("pendulum"), compiler, Tolerance())
    with pytest.raises(my.MyodyneError, match="no space left"):
        kernels.prepare(["mass_matrix", "mechanics"])


@pytest.mark.parametrize(
    ("name", "scheme"),
    [("planar_arm", None), ("double_pendulum", None), ("double_pendulum", my.Midpoint(step=0.01))],
)
def test_a_simulation_prepares_all_that_it_calls(
    name: str, scheme: Scheme | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if find_compiler() is None:
        pytest.skip("there is no C compiler")
    prepared: set[KernelRequest] = set()
    prepare = Kernels.prepare

    def watched(self: Kernels, requests: list[KernelRequest], libraries: list[str]) -> None:
        prepare(self, requests, libraries)
        prepared.update(self._kernels)

    monkeypatch.setattr(Kernels, "prepare", watched)
    # A number that no other test frees: kernels of this structure are not in memory yet.
    equations = my.equations_of(my.load_model(name).free("gravity.z"))
    my.simulate(equations, 0.02, scheme=scheme)
    # With muscles the rates are an iteration over prepared kernels.
    assert set(equations._kernels._kernels) - prepared <= ({"derivative"} if equations.muscles else set())


def test_beside_opensim_the_missing_algebra_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opensim", sys)
    monkeypatch.setitem(sys.modules, "casadi", None)
    with pytest.raises(my.MyodyneError, match="Run the two in separate processes"):
        my.equations_of(my.load_model("pendulum"), compiled=False).assembly()
    with pytest.raises(my.MyodyneError, match="Run the two in separate processes"):
        my.equations_of(my.load_model("free_body"), compiled=False).kernel("mass_matrix")
