"""Tables of the guide that a script prints are those that it prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.tables import assert_on_page, printed_by, tables_of_page

# The script, the page, how many tables it prints, and by which part numbers may differ between machines.
MADE = (
    ("examples/constraint_methods.py", "docs/guide/constraints.md", 2, 0.06),
    ("examples/shared_reactions.py", "docs/guide/inverse_dynamics.md", 1, 0.02),
    ("examples/tendon_transfer.py", "docs/guide/paths.md", 2, 0.03),
)


@pytest.mark.long
@pytest.mark.parametrize("script, page, count, relative", MADE, ids=[Path(made[0]).stem for made in MADE])
def test_the_page_has_what_the_script_prints(
    script: str, page: str, count: int, relative: float, tmp_path: Path
) -> None:
    tables = printed_by(script, tmp_path)
    assert len(tables) == count
    for table in tables:
        assert_on_page(table, page, relative)


def test_another_number_or_word_is_seen() -> None:
    """The comparison can fail."""
    page = "docs/guide/constraints.md"
    made = next(table for table in tables_of_page(page) if "drift (m)" in table[0])
    assert_on_page(made, page, 1e-12)
    for row, column, other in ((1, 1, "1.0e+00"), (1, 0, "rows"), (1, 2, "< 1e-9")):
        changed = [list(cells) for cells in made]
        changed[row][column] = other
        with pytest.raises(AssertionError):
            assert_on_page(changed, page, 0.06)
