"""The README's code runs, and its commands are those of continuous integration."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def test_python_code_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert len(blocks) >= 4
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    for file in ("swing.nc", "swing.png", "swing.html"):
        assert (tmp_path / file).stat().st_size > 1000
    push, kept, embedded = names["push"], names["kept"], names["embedded"]
    assert push.report.status in ("completed", "stopped by event")
    assert push.final["thigh.position_y"] > 0
    assert abs(kept.final["gamma"] - embedded.final["gamma"]) < 1e-8


def test_there_are_exactly_two_set_up_commands() -> None:
    commands = re.findall(r"```bash\n(.*?)```", README, flags=re.DOTALL)
    assert len(commands) == 2
    assert all(len(command.strip().splitlines()) == 1 for command in commands)
    assert commands[0].strip().endswith("myodyne demo")
    assert "pytest" in commands[1]


def test_continuous_integration_runs_the_readme_command() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    assert "grep -m1 'pytest' README.md" in script
    # The first line of the README that mentions pytest must be the command itself.
    first = next(line for line in README.splitlines() if "pytest" in line)
    assert first.startswith("python3 -m venv")


def test_pictures_and_links_exist() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    missing = [target for target in targets if "://" not in target and not (ROOT / target).exists()]
    assert not missing
