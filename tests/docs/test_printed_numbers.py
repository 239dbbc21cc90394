"""Numbers that others printed: enough of them, each within what its test allows, each test there; and the ledger itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.printed import FOLDER, Ledger, Row, Work, number_of, rows_of, write_rows

ROOT = Path(__file__).parents[2]
ROWS = [row for file in sorted(FOLDER.glob("*.csv")) for row in rows_of(file)]


def test_there_are_many_and_each_is_within_what_its_test_allows() -> None:
    assert len(ROWS) >= 120
    assert len({(row.work, row.place) for row in ROWS}) == len(ROWS)
    for row in ROWS:
        apart = abs(number_of(row.ours) - number_of(row.printed))
        assert apart <= float(row.within) * 1.000001 + 1e-11 * abs(number_of(row.printed)), row


def test_each_belongs_to_a_test() -> None:
    for file, test in {tuple(row.test.split("::")) for row in ROWS}:
        assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8"), (file, test)


def row(ours: str, printed: str = "1", within: str = "0.1") -> Row:
    return Row("Someone 2000", "table 1", printed, ours, within, "m", "tests/a/test_b.py::test_c")


def test_a_row_that_is_missing_or_old_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "b.csv"
    with pytest.raises(AssertionError, match=r"no such row; renew it by: pytest --renew-printed tests/a/test_b\.py"):
        Ledger(renewing=False).compare(row("1.02"), file)
    renewed = Ledger(renewing=True)
    renewed.compare(row("1.02"), file)
    renewed.write()
    Ledger(renewing=False).compare(row("1.021"), file)
    with pytest.raises(AssertionError, match=r"has ours 1.02, now 1.09"):
        Ledger(renewing=False).compare(row("1.09"), file)
    with pytest.raises(AssertionError, match="says"):
        Ledger(renewing=False).compare(row("1.02", within="0.2"), file)


def test_renewing_leaves_rows_of_other_tests(tmp_path: Path) -> None:
    file = tmp_path / "b.csv"
    other = Row("Someone 2000", "table 2", "3", "3", "0", "", "tests/a/test_b.py::test_d")
    write_rows(file, [other, row("0.9")])
    renewed = Ledger(renewing=True)
    renewed.compare(row("1.02"), file)
    renewed.write()
    assert rows_of(file) == [other, row("1.02")]


def test_a_number_that_is_off_fails() -> None:
    work = Work("Someone 2000", "tests/a/test_b.py::test_c", Ledger(renewing=True))
    work("eigenvalue", 3.836j, 3.8361j, within=2e-4)
    with pytest.raises(AssertionError, match=r"3.836 is printed, ours is \(3.9"):
        work("table 1", 3.836, 3.9, within=2e-4)
