"""Pages of the documentation whose Python runs, and gives what the page says behind ``# →``."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import numpy as np

# ``expression  # → value``: what the page says that an expression gives. Numbers are given to the digits shown.
SAID = re.compile(r"#\s*→\s*(.+?)\s*$")


def blocks(page: Path) -> list[str]:
    """Return the Python code of a page, one text for each block."""
    text = page.read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


def plain(value: Any) -> Any:
    """Return a value as plain Python data where it is a number or an array."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def spread(said: Any) -> tuple[list[Any], list[float]]:
    """Return the entries of what a page says, and for each number half a unit of its last digit."""
    entries = list(said.values()) if isinstance(said, dict) else said if isinstance(said, list | tuple) else [said]
    flat, slack = [], []
    for entry in entries:
        if isinstance(entry, list | tuple):
            inner, inner_slack = spread(entry)
            flat += inner
            slack += inner_slack
        else:
            flat.append(entry)
            digits = repr(entry).lower().partition("e")
            decimals = len(digits[0].partition(".")[2])
            slack.append(0.51 * 10.0 ** (int(digits[2] or 0) - decimals) if isinstance(entry, float) else 0.0)
    return flat, slack


def agrees(value: Any, said: str) -> bool:
    """Return whether a value is what a page says."""
    value = plain(value)
    try:
        expected = ast.literal_eval(said)
    except (SyntaxError, ValueError):
        return repr(value) == said or str(value) == said
    if isinstance(expected, dict) and (not isinstance(value, dict) or list(expected) != list(value)):
        return False
    found, _ = spread(value)
    wanted, slack = spread(expected)
    return len(found) == len(wanted) and all(
        abs(one - other) <= room if isinstance(other, float) else one == other
        for one, other, room in zip(found, wanted, slack, strict=True)
    )


def follow(page: Path) -> tuple[dict[str, Any], int]:
    """Run a page from top to bottom; return its names, and how many of its statements about values were checked."""
    names: dict[str, Any] = {}
    checked = 0
    for number, block in enumerate(blocks(page), start=1):
        lines = block.splitlines()
        for statement in ast.parse(block).body:
            said = SAID.search(lines[(statement.end_lineno or statement.lineno) - 1])
            where = f"{page.name}, block {number}"
            if said is None or not isinstance(statement, ast.Expr):
                assert said is None, f"{where}: only an expression has a value to show: {ast.unparse(statement)}"
                exec(compile(ast.Module([statement], []), where, "exec"), names)
                continue
            value = eval(compile(ast.Expression(statement.value), where, "eval"), names)
            assert agrees(value, said[1]), f"{where}: {ast.unparse(statement)} gives {value!r}, not {said[1]}"
            checked += 1
    return names, checked
