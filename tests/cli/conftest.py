"""The command line, run in this process or in another."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from myodyne.cli.main import app


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """All of stdout as one JSON object; numbers that JSON does not know are refused."""
        return json.loads(self.out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    """Run a command in this process, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> Outcome:
        done = CliRunner().invoke(app, list(words))
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return Outcome(done.exit_code, done.stdout, done.stderr)

    return call


@pytest.fixture
def process(tmp_path: Path) -> Callable[..., Outcome]:
    """Run ``python -m myodyne`` in a process of its own."""

    def call(*words: str) -> Outcome:
        command = [sys.executable, "-m", "myodyne", *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
        return Outcome(done.returncode, done.stdout, done.stderr)

    return call
