"""OpenSim in a process that has CasADi: whoever comes second says why it cannot be loaded."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import myodyne as my
from myodyne.errors import AlgebraError

MISSING = "libosimMoco.so: undefined symbol: _ZN6casadi2MX6binaryExRKS0_S2_"


def outcome(place: Path, package: str, script: str) -> str:
    """Return what a script prints in a process whose opensim consists of some text."""
    (place / "opensim").mkdir()
    (place / "opensim" / "__init__.py").write_text(package)
    paths = os.pathsep.join([str(place), str(Path(my.__file__).parents[1])])
    script = f"import myodyne as my\n{script}\ntry:\n    import opensim\n    print('loaded', opensim.__name__)\n"
    script += "except ImportError as error:\n    print(type(error).__name__, error)\n"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": paths},
    )
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("package", "script", "expected"),
    [
        (f"raise ImportError({MISSING!r})", "import casadi", "AlgebraError opensim cannot be loaded in a process in"),
        (f"raise ImportError({MISSING!r})", "", f"ImportError {MISSING}"),
        ("raise ImportError('no libz.so')", "import casadi", "ImportError no libz.so"),
        ("", "import casadi", "loaded opensim"),
    ],
)
def test_only_a_clash_of_two_versions_is_explained(tmp_path: Path, package: str, script: str, expected: str) -> None:
    found = outcome(tmp_path, package, script)
    assert found.startswith(expected)
    assert ("separate processes" in found) == expected.startswith("AlgebraError")


def test_casadi_after_opensim_is_explained() -> None:
    from myodyne.beside_opensim import explained

    error = ImportError("_casadi.so: undefined symbol: _ZN6casadi13GlobalOptions")
    assert explained(error, {}) is error
    assert isinstance(explained(error, {"opensim": None}), AlgebraError)
    other = ImportError("no libz.so")
    assert explained(other, {"opensim": None}) is other
