"""Tables of pages and of scripts that print them in Markdown, compared number by number."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
Table = list[list[str]]
_READER = runpy.run_path(str(ROOT / "docs" / "_site" / "tables.py"), run_name="tables")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def tables_with_sources(text: str) -> list[Any]:
    """Return the tables of a text in Markdown as the site reads them."""
    return list(_READER["tables"](text))


def tables_in(text: str) -> list[Table]:
    """Return the tables of a text in Markdown as rows of cells, without the line below the heading."""
    return [table.rows for table in tables_with_sources(text.replace("\u2212", "-"))]


def tables_of_page(page: str) -> list[Table]:
    """Return the tables of a page of the repository."""
    return tables_in((ROOT / page).read_text(encoding="utf-8"))


def printed_by(script: str, folder: Path, seconds: float = 900.0) -> list[Table]:
    """Return the tables that a script prints, run in a folder."""
    done = subprocess.run(
        [sys.executable, str(ROOT / script)], cwd=folder, capture_output=True, text=True, check=False, timeout=seconds
    )
    assert done.returncode == 0, done.stderr
    return tables_in(done.stdout)


def assert_on_page(made: Table, page: str, relative: float) -> None:
    """Assert that a page has this table: the same words, and numbers that differ by at most a part of their size."""
    headed = [table for table in tables_of_page(page) if table[0] == made[0]]
    assert len(headed) == 1, f"{page} has {len(headed)} tables headed {made[0]}"
    assert [row[0] for row in headed[0]] == [row[0] for row in made]
    for shown, row in zip(headed[0][1:], made[1:], strict=True):
        for there, here in zip(shown, row, strict=True):
            assert _NUMBER.sub("#", there) == _NUMBER.sub("#", here), (there, here)
            numbers = [[float(number) for number in _NUMBER.findall(cell)] for cell in (there, here)]
            assert numbers[0] == pytest.approx(numbers[1], rel=relative), (row[0], there, here)
