"""Other processes to try things in: their environment, and a compiler that compiles equal sources once."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import myodyne as my
from myodyne.native.compiler import find_compiler

SOURCE = Path(my.__file__).parents[1]


@pytest.fixture(scope="session")
def environment() -> Callable[..., dict[str, str]]:
    """Return a function that gives the variables of a child process, which imports the same package as this one."""

    def variables(**changes: str | None) -> dict[str, str]:
        # A child says nothing about a missing compiler: its warnings are errors.
        quiet = {"MYODYNE_COMPILER": "none"} if find_compiler() is None else {}
        found: dict[str, str | None] = {**os.environ, **quiet, "PYTHONPATH": str(SOURCE), **changes}
        return {name: value for name, value in found.items() if value is not None}

    return variables


@pytest.fixture(scope="session")
def python(environment: Callable[..., dict[str, str]]) -> Callable[..., Any]:
    """Return a function that runs Python text in a process of its own and returns the JSON it prints last.

    Named arguments are environment variables; None removes one. With ``fails`` it returns what the error said.
    """

    def run(text: str, *, fails: bool = False, **changes: str | None) -> Any:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", text],
            capture_output=True,
            text=True,
            check=False,
            env=environment(**changes),
            timeout=120,
        )
        if fails:
            assert done.returncode != 0, f"no error\n{done.stdout}"
            return done.stderr
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    return run


# The same sources with the same options give the same code, which is taken from a shelf after the first time.
SHELVED = """#!/bin/sh
for argument; do
    case $argument in *.[co]) sources="$sources $argument" ;; esac
    test "$before" = -o && target=$argument || options="$options ${{argument##*/}}"
    before=$argument
done
kept="{shelf}/$( (echo "$options"; cat $sources) | cksum | tr ' ' _)"
test -e "$kept" || {{ {compiler} "$@" && cp "$target" "$kept.$$" && mv "$kept.$$" "$kept"; }} || exit 1
test -e "$target" || cp "$kept" "$target"
"""


@pytest.fixture(scope="session")
def shelved_compiler(tmp_path_factory: pytest.TempPathFactory) -> str | None:
    """Return a command that compiles equal sources once, for tests of what becomes of the code; else None, as set."""
    compiler = find_compiler()
    folder = tmp_path_factory.mktemp("shelf")
    if compiler is None or len(compiler.command) != 1 or shutil.which("cksum") is None or " " in str(folder):
        return os.environ.get("MYODYNE_COMPILER")
    command = folder / "shelved-cc"
    command.write_text(SHELVED.format(shelf=folder, compiler=compiler.command[0]))
    command.chmod(0o755)
    return str(command)
