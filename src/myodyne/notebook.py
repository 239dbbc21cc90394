"""What objects look like in a notebook: compact tables in HTML, every text escaped, colours those of the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import chain, repeat
from typing import NamedTuple

# No colours of our own: text and lines take those of the notebook, so that light and dark both work.
_CELL = "text-align:left;padding:.1em .8em .1em 0;vertical-align:top"
_HEAD = f"{_CELL};border-bottom:1px solid currentColor;font-weight:600"
_MOST_ROWS = 40


class Table(NamedTuple):
    """A title, headings, and rows of text; without headings only the rows are shown.

    Examples
    --------
    >>> Table("Bodies", ("name", "mass"), [("rod", "1")]).rows[0][1]
    '1'
    """

    title: str
    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def html_of(title: str, paragraphs: Iterable[str] = (), tables: Iterable[Table] = ()) -> str:
    """Return a title, paragraphs and tables as HTML; of long tables the first rows.

    Examples
    --------
    >>> html_of("a < b")
    '<div><div><b>a &lt; b</b></div></div>'
    """
    parts = [f"<div><b>{escape(title)}</b></div>", *(f"<div>{escape(text)}</div>" for text in paragraphs)]
    parts += [_table(table) for table in tables]
    return f"<div>{''.join(parts)}</div>"


def _table(table: Table) -> str:
    title = f"<div style='margin-top:.6em'><b>{escape(table.title)}</b></div>" if table.title else ""
    head = f"<thead>{_row('th', _HEAD, table.headings)}</thead>" if any(table.headings) else ""
    body = "".join(_row("td", _CELL, row) for row in table.rows[:_MOST_ROWS])
    hidden = len(table.rows) - _MOST_ROWS
    more = f"<div>… and {hidden} more</div>" if hidden > 0 else ""
    return f"{title}<table style='border-collapse:collapse'>{head}<tbody>{body}</tbody></table>{more}"


def _row(tag: str, style: str, cells: Iterable[str]) -> str:
    # A name stays in one line; what is said about it may take several.
    styles = chain([f"{style};white-space:nowrap"], repeat(style))
    texts = (f"<{tag} style='{own}'>{escape(cell)}</{tag}>" for own, cell in zip(styles, cells, strict=False))
    return f"<tr>{''.join(texts)}</tr>"


def counted(count: int, one: str, many: str = "") -> str:
    """Return a number and its noun.

    Examples
    --------
    >>> counted(1, "body", "bodies"), counted(3, "goal")
    ('1 body', '3 goals')
    """
    return f"{count} {one if count == 1 else many or one + 's'}"


def first_of(names: Iterable[str], width: int = 100) -> str:
    """Return names in a line of limited width, and how many were left out.

    Examples
    --------
    >>> first_of(["hip", "knee", "ankle"], width=12)
    'hip, knee and 1 more'
    """
    everything, used = list(names), 0
    shown: list[str] = []
    for name in everything:
        used += len(name) + 2
        if used > width and shown:
            break
        shown.append(name if len(name) <= width else name[: width - 1] + "…")
    left = len(everything) - len(shown)
    return ", ".join(shown) + (f" and {left} more" if left else "")
