"""Where the figures of tables come from: a comment above each table with figures, shown below it on the site.

``<!-- table: examples/freewheel.py -->`` names the script or benchmark that prints the figures or the test that checks
them; ``<!-- table: measured once, CONDITIONS -->`` says that no file of the project makes them again; ``<!-- table:
properties -->`` marks numbers that are no results, such as counts of segments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_MARK = re.compile(r"^<!-- table: (?P<source>.+) -->$")
_RULE = re.compile(r"^\|[-:| ]+\|$")
_FIGURE = re.compile(r"^[-−+±≈<~*]*\s*\.?\d")
_CODE = re.compile(r"```.*?```", re.DOTALL)
# A table whose cells are figures to this share, beside its first column, is one of figures.
_SHARE = 0.25


@dataclass(frozen=True)
class Table:
    """A table of a page: its first and last line, its rows of cells, and where its figures come from."""

    first: int
    last: int
    rows: list[list[str]]
    source: str

    @property
    def has_figures(self) -> bool:
        """Whether many of its cells begin with a number."""
        cells = [cell for row in self.rows[1:] for cell in row[1:]]
        return bool(cells) and sum(bool(_FIGURE.match(cell)) for cell in cells) > _SHARE * len(cells)


def tables(text: str) -> Iterator[Table]:
    r"""Yield the tables of a page.

    Examples
    --------
    >>> [(one.source, one.has_figures) for one in tables("<!-- table: a.py -->\n\n| | m |\n|---|---|\n| x | 1.0 |\n")]
    [('a.py', True)]
    """
    lines = _CODE.sub(lambda match: "\n" * match[0].count("\n"), text).splitlines()
    last = -1
    for first, line in enumerate(lines):
        if first <= last or not line.startswith("|") or first + 1 >= len(lines) or not _RULE.match(lines[first + 1]):
            continue
        last = first
        while last + 1 < len(lines) and lines[last + 1].startswith("|"):
            last += 1
        rows = [_cells(row) for row in (line, *lines[first + 2 : last + 1])]
        mark = _MARK.match(lines[first - 2]) if first >= 2 else None
        yield Table(first, last, rows, mark["source"] if mark else "")


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def add_sources(app: Sphinx, name: str, source: list[str]) -> None:
    """Say below each marked table where its figures come from; Sphinx calls this for every page that it reads."""
    lines = source[0].splitlines()
    for table in reversed([table for table in tables(source[0]) if table.source not in ("", "properties")]):
        lines[table.last + 1 : table.last + 1] = ["", _said(table.source)]
    source[0] = "\n".join([*lines, ""])


def _said(source: str) -> str:
    if source.startswith("measured once"):
        return f"*{source.capitalize()}.*"
    file = source.partition(" ")[0]
    verb = "Checked" if file.startswith("tests/") else "Made"
    return f"*{verb} by* `{source}`"
