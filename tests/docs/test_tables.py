"""Tables of figures say where their figures come from, and those that a quick script prints are as it prints them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

import myodyne as my
from support.tables import tables_with_sources

ROOT = Path(__file__).parents[2]
GUIDES = sorted((ROOT / "docs" / "guide").glob("*.md"))
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?")
# Scripts whose tables are compared with what they print: each takes a minute or less.
QUICK = ("examples/sprint_cycling.py", "examples/mcgeer_walker.py", "examples/force_reflex.py")
MARKED = [
    (page.stem, table)
    for page in GUIDES
    for table in tables_with_sources(page.read_text(encoding="utf-8"))
    if table.source
]


def numbers(text: str) -> list[str]:
    """Return the numbers of a text as they are written."""
    return NUMBER.findall(text.replace("−", "-").replace("*", "").replace("±", " "))


def follows(figures: list[str], line: str) -> bool:
    """Return whether a line has all figures in this order, to the digits that are given."""
    printed = iter(map(float, numbers(line)))
    return all(any(abs(one - float(figure)) <= _room(figure) for one in printed) for figure in figures)


def _room(figure: str) -> float:
    digits, _, power = figure.partition("e")
    return 0.51 * 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))


def absent(table: Any, output: str) -> list[list[str]]:
    """Return the rows whose figures no line of an output has; or the columns, where those are fewer."""
    lines = output.splitlines()

    def lost(rows: list[list[str]]) -> list[list[str]]:
        found = [numbers(" ; ".join(row)) for row in rows]
        return [row for row in found if len(row) > 1 and not any(follows(row, line) for line in lines)]

    columns = [list(column) for column in zip_longest(*table.rows, fillvalue="")]
    return min(lost(table.rows[1:]), lost(columns[1:]), key=len)


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_every_table_of_figures_says_where_they_come_from(page: Path) -> None:
    lost = []
    for table in tables_with_sources(page.read_text(encoding="utf-8")):
        file = ROOT / table.source.partition(" ")[0]
        known = table.source == "properties" or re.match(r"measured once, .+", table.source) or file.is_file()
        if (table.has_figures or table.source) and not known:
            lost.append(f"line {table.first + 1}: {' | '.join(table.rows[0])} {table.source}")
    assert not lost, "a comment <!-- table: SOURCE --> is missing above (see docs/_site/tables.py)\n" + "\n".join(lost)


def test_a_changed_figure_is_noticed() -> None:
    page = "<!-- table: a.py -->\n\n| gain | height |\n|---|---|\n| 1.4 | **7.9** cm |\n| 2.0 | −17.6 cm |\n"
    (table,) = tables_with_sources(page)
    assert table.has_figures
    assert absent(table, "gain 1.4: 0 7.92 cm\ngain 2: -17.62 cm\n") == []
    assert absent(table, "gain 1.4: 0 8.02 cm\ngain 2: -17.62 cm\n") == [["1.4", "7.9"]]
    (across,) = tables_with_sources("| rate | 60 | 80 |\n|---|---|---|\n| power | 747 | 823 |\n")
    assert absent(across, "60 747\n80 823\n") == []
    assert absent(across, "60 747\n80 824\n") != []


@pytest.mark.long
@pytest.mark.parametrize("script", QUICK)
def test_a_table_is_what_its_script_prints(script: str, tmp_path: Path) -> None:
    # As a reader runs it: the optimisation that tests use rounds otherwise, and an adaptive scheme then takes a step more.
    environment = {name: value for name, value in os.environ.items() if name != "MYODYNE_OPTIMISATION"}
    done = subprocess.run(
        [sys.executable, str(ROOT / script)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    own = [(page, table) for page, table in MARKED if table.source.partition(" ")[0] == script]
    assert own
    for page, table in own:
        assert not absent(table, done.stdout), page


@pytest.mark.long
def test_the_library_s_gaits_are_as_the_page_on_movements_says() -> None:
    (table,) = (table for page, table in MARKED if page == "movements")
    said = {row[0]: row[1:] for row in table.rows}
    for column, name in enumerate(("walk", "run")):
        report = my.gait_report(my.load_movement(name).run())
        text = str(report)
        for row in said.values():
            for figure in numbers(row[column]):
                assert any(abs(float(one) - float(figure)) <= _room(figure) for one in numbers(text)), (figure, text)
