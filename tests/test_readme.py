"""The README's code runs, and its commands are those of continuous integration."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
STRONG = {"soleus.max_force": 8800.0}


def test_python_code_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert len(blocks) == 5
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    for file in ("swing.nc", "swing.png", "swing.html"):
        assert (tmp_path / file).stat().st_size > 1000
    weaker, stronger = (names["height"](model) for model in (names["jumper"], names["jumper"].with_values(STRONG)))
    assert 1.3 < stronger < weaker < 1.45
    assert names["up"].report.optimum.objective == pytest.approx(0.396, abs=0.002)
    assert names["forces"].report.status == "completed"
    assert names["fast"].time == pytest.approx(0.3)


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
