"""Who imports whom, and when: layers, and heavy libraries only where they are used."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import myodyne as my

HEAVY = ("numpy", "scipy", "casadi", "xarray", "pandas", "matplotlib", "PIL", "pydantic", "yaml", "rich", "typer")


def command(name: str) -> str:
    """Return a program of this environment, or skip."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def loaded_by(text: str) -> set[str]:
    """Return which of the heavy libraries a process has imported after running some text."""
    report = f"\nimport json, sys; print(json.dumps([name for name in {HEAVY} if name in sys.modules]))"
    environment = {**os.environ, "PYTHONPATH": str(Path(my.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", text + report], capture_output=True, text=True, check=True, env=environment, timeout=120
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_imports_go_downwards(root: Path) -> None:
    """The contracts stand in pyproject.toml."""
    done = subprocess.run(
        [command("lint-imports"), "--no-cache"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(root / "src")},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout
    assert "Imports go downwards KEPT" in done.stdout


def test_the_package_alone_imports_nothing_heavy() -> None:
    assert loaded_by("import myodyne") == set()
    assert loaded_by("import myodyne as my; my.__all__, dir(my), my.__version__") == set()


def test_a_cached_simulation_needs_no_algebra_and_no_figures() -> None:
    run = "import myodyne as my; run = my.simulate(my.load_model('pendulum'), 0.5); run.final, run.report"
    if not my.equations_of(my.load_model("pendulum")).compiled:
        pytest.skip("without a C compiler the algebra does the work")
    my.simulate(my.load_model("pendulum"), 0.5)  # fills the cache
    loaded = loaded_by(run)
    assert "numpy" in loaded
    assert not loaded & {"casadi", "scipy", "xarray", "pandas", "matplotlib", "PIL", "rich", "typer"}


def test_building_a_model_needs_neither_algebra_nor_figures() -> None:
    model = "import myodyne as my; my.Model(name='m', bodies={'a': my.Body(mass=1.0)}, joints={'j': my.pin('ground', 'a', 'q')})"
    assert not loaded_by(model) & {"casadi", "scipy", "xarray", "pandas", "matplotlib", "PIL", "rich", "typer"}


def test_public_names_are_those_that_are_written_out() -> None:
    assert len(set(my.__all__)) == len(my.__all__)
    for name in my.__all__:
        assert getattr(my, name) is not None, name
        assert name in dir(my)
    # A verb and the folder that holds it may share a name; the verb wins, whoever imported the folder.
    for folder in ("myodyne.plot.style", "myodyne.simulate.switching.events"):
        importlib.import_module(folder)
    assert callable(my.simulate)
    assert callable(my.plot)
    with pytest.raises(AttributeError, match="unknown name 'simulte': did you mean 'simulate'"):
        _ = my.simulte
