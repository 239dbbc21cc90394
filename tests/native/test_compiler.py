"""With this compiler, that one, a broken one, or none at all."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import myodyne as my
from myodyne.native.compiler import Compiler

EVERYTHING = """
import json, myodyne as my
model = my.load_model("double_pendulum").free("rod2.mass")
eq = my.equations_of(model)
q, v = [0.3, -0.4], [1.0, 2.0]
eq.mass_matrix(q), eq.inverse_dynamics(q, v, v), eq.forward_dynamics(q, v, v), eq.body_positions(q), eq.energy(q, v)
eq.momentum(q, v), eq.jacobians(q + v, v + v), eq.parameter_jacobian(q + v, v + v), eq.inverse_dynamics([q, v], [v, v], [v, v])
schemes = [my.Euler(0.01), my.Heun(0.01), my.RK4(0.01), my.Midpoint(0.01), my.TRBDF2(), my.RKF45(), my.DOP853(), my.Adams(), my.BDF()]
angles = [my.simulate(model, 0.2, scheme=scheme).final["angle2"] for scheme in schemes]
my.linearise(my.load_model("pendulum"))
my.simulate(my.load_model("pendulum"), 1.0, until=my.crosses("angle", 0.1))
print(json.dumps([eq.compiled, angles]))
"""
PENDULUM = """
import json, warnings, myodyne as my
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    eqs = [my.equations_of(my.load_model(name)) for name in ("pendulum", "double_pendulum", "pendulum")]
    values = [float(eq.mass_matrix([0.0] * len(eq.coordinates))[0, 0]) for eq in eqs]
    my.simulate(my.load_model("pendulum"), 0.1)
print(json.dumps([[eq.compiled for eq in eqs], values, [str(warning.message) for warning in caught]]))
"""


@pytest.fixture
def fake_compiler(tmp_path: Path) -> Callable[[str], str]:
    """Return a function that makes a command out of a shell script."""
    if os.name != "posix":
        pytest.skip("the false compilers are shell scripts")

    def make(script: str) -> str:
        command = tmp_path / "false-cc"
        command.write_text(f"#!/bin/sh\n{script}\n")
        command.chmod(0o755)
        return str(command)

    return make


def test_everything_runs_without_a_compiler(python: Callable[..., Any]) -> None:
    """``none`` is a choice: no warning, which would be an error in that process."""
    compiled, angles = python(EVERYTHING, MYODYNE_COMPILER="none")
    assert compiled is False
    reference = angles[6]
    for angle, slack in zip(angles, (0.02, 2e-4, 1e-7, 2e-4, 1e-6, 1e-6, 0.0, 1e-6, 1e-6), strict=True):
        assert angle == pytest.approx(reference, abs=slack)


def test_none_can_be_written_in_any_case(python: Callable[..., Any]) -> None:
    assert python(PENDULUM, MYODYNE_COMPILER=" NONE ")[::2] == [[False] * 3, []]


def test_one_warning_where_no_compiler_exists(python: Callable[..., Any], tmp_path: Path) -> None:
    hidden = "import sys; sys.modules['ziglang'] = None\n"  # hides the package, should it be installed
    compiled, values, warnings = python(hidden + PENDULUM, PATH=str(tmp_path), MYODYNE_COMPILER=None)
    assert compiled == [False] * 3
    assert values[0] == pytest.approx(1 / 3)
    assert len(warnings) == 1
    assert "no C compiler found" in warnings[0]
    assert "gcc" in warnings[0]


def test_compiled_equations_need_a_compiler(python: Callable[..., Any]) -> None:
    text = 'import myodyne as my; my.equations_of(my.load_model("pendulum"), compiled=True)'
    trouble = python(text, fails=True, MYODYNE_COMPILER="none")
    assert "MyodyneError: compiled=True needs a C compiler, and none was found" in trouble


def test_a_compiler_that_does_not_exist_is_named(python: Callable[..., Any]) -> None:
    text = 'import myodyne as my; my.equations_of(my.load_model("pendulum"))'
    trouble = python(text, fails=True, MYODYNE_COMPILER="no-such-compiler")
    assert "MyodyneError: MYODYNE_COMPILER names 'no-such-compiler', which is not a command" in trouble


MASS = 'import json, myodyne as my; print(json.dumps(my.equations_of(my.load_model("pendulum")).mass_matrix([0.0]).tolist()))'


@pytest.mark.parametrize(
    "script, message",
    [
        ("echo 'no such register' >&2; exit 1", "no such register"),
        ("exit 0", "wrote nothing"),
        ('while [ "$1" != "-o" ]; do shift; done; echo garbage > "$2"', "could not be loaded"),
    ],
    ids=["fails", "writes nothing", "writes garbage"],
)
def test_a_broken_compiler_is_named_with_its_words(
    python: Callable[..., Any], fake_compiler: Callable[[str], str], tmp_path: Path, script: str, message: str
) -> None:
    command = fake_compiler(script)
    trouble = python(MASS, fails=True, MYODYNE_COMPILER=command, MYODYNE_CACHE=str(tmp_path / "cache"))
    assert "MyodyneError" in trouble
    assert message in trouble
    assert "MYODYNE_COMPILER=none" in trouble
    assert not [path for path in (tmp_path / "cache").iterdir() if path.name.startswith(".") and path.is_dir()]


@pytest.fixture(scope="module")
def common_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a cache for all that are named: two names of one compiler share its code."""
    return tmp_path_factory.mktemp("common")


@pytest.mark.parametrize("name", ["gcc", "clang", "cc"])
def test_named_compilers_agree(python: Callable[..., Any], common_cache: Path, name: str) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    (found,) = python(MASS, MYODYNE_COMPILER=name, MYODYNE_CACHE=str(common_cache))
    assert found == pytest.approx([1 / 3], rel=1e-14)
    assert list(common_cache.iterdir())


def test_another_compiler_has_its_own_code(
    python: Callable[..., Any], fake_compiler: Callable[[str], str], shelved_compiler: str | None, tmp_path: Path
) -> None:
    real = next(filter(None, map(shutil.which, (shelved_compiler or "gcc", "gcc", "clang", "cc"))), None)
    if real is None:
        pytest.skip("no C compiler is installed")
    cache = tmp_path / "cache"
    counts = []
    for compiler in (real, fake_compiler(f'exec {real} "$@"'), real):
        python(MASS, MYODYNE_COMPILER=compiler, MYODYNE_CACHE=str(cache))
        counts.append(len([path for path in cache.iterdir() if path.is_dir()]))
    # The routines and the object that they are linked from, the code, and what is known of it.
    assert counts == [4, 8, 8]


def test_equations_say_how_they_run() -> None:
    model = my.load_model("pendulum")
    assert repr(my.equations_of(model, compiled=False)) == "Equations(of 'pendulum', 1 coordinates, interpreted)"
    assert sys.executable


def test_less_optimisation_has_code_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    from myodyne.native.compiler import find_compiler

    found = {}
    for level in ("", "1", "0"):
        monkeypatch.setenv("MYODYNE_OPTIMISATION", level)
        found[level] = find_compiler.__wrapped__()
    if found[""] is None:
        pytest.skip("needs a C compiler, and this machine has none")
    assert [one.level for one in found.values()] == [2, 1, 0]
    assert len({one.identity for one in found.values()}) == 3
    monkeypatch.setenv("MYODYNE_OPTIMISATION", "fast")
    with pytest.raises(my.MyodyneError, match="MYODYNE_OPTIMISATION is 0, 1 or 2, not 'fast'"):
        find_compiler.__wrapped__()


def test_a_compiler_on_a_full_disk_is_a_full_disk(tmp_path: Path) -> None:
    """So that the cache falls back to another folder, and the compiler is not blamed."""
    full = tmp_path / "cc"
    full.write_text("#!/bin/sh\necho 'fatal: No space left on device' >&2\nexit 1\n")
    full.chmod(0o755)
    with pytest.raises(OSError, match="no space left") as found:
        Compiler((str(full),), "full").object_file(tmp_path / "a.c", tmp_path / "a.o")
    assert found.value.errno == errno.ENOSPC
