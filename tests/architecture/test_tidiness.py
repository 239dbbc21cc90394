"""The habits that a program can check: types, style, sizes, and nothing about the machine it was written on."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

# Folders of somebody's machine; system files such as /proc are facts about all of them.
PRIVATE = re.compile(r"(?<![\w.:/<])(?:/(?:work|home|root|Users|mnt|media|private|scratch|data\d?)/\w|[A-Z]:\\Users\\)")
MOST_LINES = 450
MOST_LINES_OF_A_TEST = 650
# The habit is sixty; a recursion over all links may be longer, a page may not.
MOST_LINES_OF_A_FUNCTION = 90


def run_module(name: str, *arguments: str, root: Path) -> subprocess.CompletedProcess[str]:
    """Run a tool of this environment, or skip."""
    pytest.importorskip(name, reason=f"{name} is not installed")
    return subprocess.run(
        [sys.executable, "-m", name, *arguments],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        env=os.environ,
    )


def test_ruff_finds_nothing(root: Path) -> None:
    done = run_module("ruff", "check", "--no-cache", ".", root=root)
    assert done.returncode == 0, done.stdout + done.stderr


def test_files_are_formatted(root: Path) -> None:
    done = run_module("ruff", "format", "--no-cache", "--check", ".", root=root)
    assert done.returncode == 0, done.stdout + done.stderr


# A minute of one core: continuous integration runs it after the other tests.
@pytest.mark.long
def test_mypy_finds_nothing(root: Path, tmp_path: Path) -> None:
    """Strict, as pyproject.toml has it."""
    done = run_module("mypy", "--cache-dir", str(tmp_path), "-p", "myodyne", root=root)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_file_knows_the_machine_it_was_written_on(texts: dict[Path, str], root: Path) -> None:
    found = [
        f"{path.relative_to(root)}, line {number}: {line.strip()[:100]}"
        for path, text in texts.items()
        if path != Path(__file__)
        for number, line in enumerate(text.splitlines(), start=1)
        if PRIVATE.search(line)
    ]
    assert not found, "\n".join(found)


def test_the_search_for_private_folders_finds_them() -> None:
    for line in ("see /home/somebody/file", "('/work/x')", 'path = "/Users/me/x"', r"C:\Users\me"):
        assert PRIVATE.search(line), line
    for line in ("https://example.org/home/page", "/proc/cpuinfo", "docs/home/x", "1/work/2"):
        assert not PRIVATE.search(line), line


def test_files_are_short(texts: dict[Path, str], root: Path) -> None:
    too_long = []
    for path, text in texts.items():
        if path.suffix not in {".py", ".c", ".h"}:
            continue
        most = MOST_LINES_OF_A_TEST if "tests" in path.relative_to(root).parts else MOST_LINES
        lines = text.count("\n")
        if lines > most:
            too_long.append(f"{path.relative_to(root)}: {lines} lines, at most {most}")
    assert not too_long, "\n".join(too_long)


def test_functions_are_short(texts: dict[Path, str], root: Path) -> None:
    too_long = []
    for path, text in texts.items():
        if path.suffix != ".py" or path.relative_to(root).parts[0] != "src":
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                # The explanation does not count.
                first = node.body[1].lineno if ast.get_docstring(node) and len(node.body) > 1 else node.body[0].lineno
                lines = (node.end_lineno or first) - first + 1
                if lines > MOST_LINES_OF_A_FUNCTION:
                    too_long.append(
                        f"{path.relative_to(root)}: {node.name} has {lines} lines, at most {MOST_LINES_OF_A_FUNCTION}"
                    )
    assert not too_long, "\n".join(too_long)


def test_nothing_public_is_unfinished(texts: dict[Path, str], root: Path) -> None:
    found = [
        f"{path.relative_to(root)}, line {number}: {line.strip()}"
        for path, text in texts.items()
        if path.suffix == ".py" and path.relative_to(root).parts[0] == "src"
        for number, line in enumerate(text.splitlines(), start=1)
        if re.search(r"raise NotImplementedError|#\s*(TODO|FIXME|XXX)\b", line)
    ]
    assert not found, "\n".join(found)


def checks_something(function: ast.FunctionDef, helpers: set[str]) -> bool:
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            # ``printed`` is the fixture that compares numbers with those that others printed.
            if "assert" in name or name in {"raises", "warns", "fail", "validate", "printed"} or name in helpers:
                return True
    return False


def test_every_test_can_fail(texts: dict[Path, str], root: Path) -> None:
    """A test asserts something, itself or through a function beside it that does."""
    idle = []
    for path, text in texts.items():
        if path.suffix != ".py" or not path.name.startswith("test_"):
            continue
        functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
        helpers: set[str] = set()
        while True:
            more = {function.name for function in functions if checks_something(function, helpers)} - helpers
            if not more:
                break
            helpers |= more
        idle += [
            f"{path.relative_to(root)}: {function.name}"
            for function in functions
            if function.name.startswith("test_") and function.name not in helpers
        ]
    assert not idle, "\n".join(idle)
