"""Numbers that others printed, beside ours: the fixture ``printed`` compares them, and keeps rows for the documentation.

A test asks for the fixture, names the work, and compares one number after another::

    def test_period(printed):
        selbie = printed("Selbie 1989")
        selbie("figure 3-3, period from 1.5 rad", 1.161969, found, within=5e-7)

Every comparison fails where it is off by more than ``within``. The rows lie in ``docs/printed``, a file for each test
module; a comparison whose row is missing or says something else fails too, and names the command that renews it::

    pytest --renew-printed tests/golden/test_selbie.py
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "printed"
RENEW = "--renew-printed"


@dataclass(frozen=True)
class Row:
    """A comparison: the work, the place in it, both numbers as text, the tolerance, the unit, and the test."""

    work: str
    place: str
    printed: str
    ours: str
    within: str
    unit: str
    test: str


COLUMNS = [field.name for field in fields(Row)]


def rows_of(file: Path) -> list[Row]:
    """Return the rows of a file; none where it does not exist."""
    if not file.exists():
        return []
    with file.open(encoding="utf-8", newline="") as stream:
        return [Row(**entry) for entry in csv.DictReader(stream)]


def write_rows(file: Path, rows: Iterable[Row]) -> None:
    """Write the rows of a test module."""
    file.parent.mkdir(exist_ok=True)
    with file.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(COLUMNS)
        table.writerows(astuple(row) for row in rows)


def text_of(number: complex) -> str:
    """Return a number as text: twelve digits, imaginary ones with an i.

    Examples
    --------
    >>> text_of(3.836j), text_of(5000), text_of(-0.0)
    ('3.836i', '5000', '0')
    """
    value = complex(number)
    if value.imag and abs(value.real) < 1e-9 * abs(value.imag):
        return f"{value.imag:.12g}i"
    if value.imag:
        return f"{value.real:.12g}{value.imag:+.12g}i"
    return f"{value.real + 0.0:.12g}"


def number_of(text: str) -> complex:
    """Return the number that a text of ``text_of`` stands for."""
    return complex(text.replace("i", "j"))


class Ledger:
    """The comparisons of a session, and the rows that are kept of earlier ones."""

    def __init__(self, renewing: bool) -> None:
        self.renewing = renewing
        self.found: dict[Path, dict[tuple[str, str], Row]] = {}

    def compare(self, row: Row, kept_in: Path) -> None:
        """Keep a row, or ask that the kept one says the same."""
        rows = self.found.setdefault(kept_in, {})
        if self.renewing:
            rows[row.work, row.place] = row
            return
        if not rows:
            rows |= {(kept.work, kept.place): kept for kept in rows_of(kept_in)}
        kept = rows.get((row.work, row.place))
        said = f"{row.work}, {row.place}: docs/printed/{kept_in.name}"
        renew = f"renew it by: pytest {RENEW} {row.test.partition('::')[0]}"
        assert kept is not None, f"{said} has no such row; {renew}"
        same = (kept.printed, kept.within, kept.unit, kept.test) == (row.printed, row.within, row.unit, row.test)
        assert same, f"{said} says {kept}, the test {row}; {renew}"
        apart = abs(number_of(kept.ours) - number_of(row.ours))
        allowed = max(float(row.within) / 2, 1e-11 * abs(number_of(row.ours)))
        assert apart <= allowed, f"{said} has ours {kept.ours}, now {row.ours}; {renew}"

    def write(self) -> None:
        """Write what was compared; rows of other tests of the same modules stay."""
        for file, rows in self.found.items():
            tests = {row.test for row in rows.values()}
            write_rows(file, [*(row for row in rows_of(file) if row.test not in tests), *rows.values()])


@dataclass(frozen=True)
class Work:
    """A work whose numbers a test compares."""

    name: str
    test: str
    ledger: Ledger

    def __call__(self, place: str, printed: complex, ours: Any, *, within: float, unit: str = "") -> None:
        """Compare a printed number with ours, which may differ by ``within``, both in ``unit``."""
        ours = complex(ours)
        # Rounding of the difference itself must not decide.
        slack = 4e-16 * max(abs(ours), abs(printed))
        assert abs(ours - printed) <= within + slack, f"{self.name}, {place}: {printed} is printed, ours is {ours}"
        row = Row(self.name, place, text_of(printed), text_of(ours), f"{within:.6g}", unit, self.test)
        self.ledger.compare(row, FOLDER / f"{Path(self.test.partition('::')[0]).stem.removeprefix('test_')}.csv")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer to write the rows of the documentation."""
    parser.addoption(RENEW, action="store_true", help="write the rows of docs/printed of the tests that run")


LEDGER = pytest.StashKey[Ledger]()


def pytest_configure(config: pytest.Config) -> None:
    """Begin with no comparisons."""
    config.stash[LEDGER] = Ledger(config.getoption(RENEW, default=False))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the rows where that was asked for."""
    ledger = session.config.stash[LEDGER]
    if ledger.renewing:
        ledger.write()


@pytest.fixture
def printed(request: pytest.FixtureRequest) -> Any:
    """Return a function from the name of a work to what compares its numbers with ours."""
    file = Path(str(request.node.path)).relative_to(request.config.rootpath).as_posix()
    test = f"{file}::{request.node.originalname}"
    return lambda work: Work(work, test, request.config.stash[LEDGER])
