"""No module imports itself through others, not even inside functions; and the guards see what they should."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest


def modules(package: Path) -> dict[str, Path]:
    """Return all modules of a package by name."""
    found = {}
    for file in package.rglob("*.py"):
        parts = file.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)


def imports(node: ast.AST, known: dict[str, Path]) -> set[str]:
    """Return the modules that a module imports, at any depth, but for those that only types need."""
    found: set[str] = set()
    for child in ast.iter_child_nodes(node):
        if is_for_types(child):
            continue
        if isinstance(child, ast.ImportFrom) and child.module:
            names = {f"{child.module}.{name.name}" for name in child.names}
            found |= {name for name in names if name in known}
            if not names <= set(known):
                found.add(child.module)
        elif isinstance(child, ast.Import):
            found |= {name.name for name in child.names}
        found |= imports(child, known)
    return {name for name in found if name in known}


def test_there_are_no_cycles(root: Path) -> None:
    known = modules(root / "src" / "myodyne")
    graph = {name: imports(ast.parse(file.read_text("utf-8")), known) - {name} for name, file in known.items()}
    assert sum(map(len, graph.values())) > 1000
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


@pytest.mark.parametrize(
    "file, text, broken",
    [
        ("stray.py", "", "stray"),
        ("errors.py", "def late():\n    from myodyne.cli import main\n", "errors -> myodyne.cli"),
        ("optimise/goals/cost.py", "import matplotlib\n", "optimise.goals.cost -> matplotlib"),
    ],
    ids=["a module in no layer", "an import upwards inside a function", "a library behind a fence"],
)
def test_the_contracts_notice(file: str, text: str, broken: str, root: Path, tmp_path: Path) -> None:
    linter = Path(sys.executable).parent / "lint-imports"
    if not linter.exists():
        pytest.skip("import-linter is not installed")
    shutil.copy(root / "pyproject.toml", tmp_path)
    shutil.copytree(root / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    changed = tmp_path / "src" / "myodyne" / file
    changed.write_text((changed.read_text("utf-8") if changed.exists() else "") + text)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "src")}
    done = subprocess.run(
        [str(linter), "--no-cache"], cwd=tmp_path, capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode != 0
    assert broken in done.stdout
