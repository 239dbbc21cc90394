"""What the guide to the command line says can be typed, and names all there is."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from typer.main import get_command

from myodyne.cli.main import app

GUIDE = (Path(__file__).parents[2] / "docs" / "guide" / "command_line.md").read_text(encoding="utf-8")


def test_its_commands_run(cli, tmp_path: Path) -> None:
    lines = [line for block in re.findall(r"```bash\n(.*?)```", GUIDE, flags=re.DOTALL) for line in block.splitlines()]
    assert len(lines) >= 12
    for line in lines:
        program, *words = shlex.split(line)
        assert program == "myodyne"
        done = cli(*words)
        assert done.code == 0, f"{line}\n{done.err}"
        assert done.out or "Wrote" in done.err
    for name in (
        "swing.nc",
        "swing.html",
        "swing.sto",
        "swing.csv",
        "push.png",
        "its_model.yaml",
        "myodyne-demo/jump.gif",
    ):
        assert (tmp_path / name).stat().st_size > 100


def test_it_names_every_command_and_option() -> None:
    commands = get_command(app).commands
    for name, command in ((name, command) for name, command in commands.items() if not command.hidden):
        assert f"`{name}" in GUIDE, f"the guide does not name '{name}'"
        for option in (word for parameter in command.params for word in parameter.opts if word.startswith("--")):
            assert option in GUIDE, f"the guide does not name '{option}' of '{name}'"
