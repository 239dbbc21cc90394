"""How the command line speaks: results on stdout, as tables or JSON; everything else on stderr."""

from __future__ import annotations

import json
import math
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")]

# Where nobody watches, lines may be long: a program or a file can hold them.
_WIDE = 200


def _console(*, stderr: bool = False) -> Console:
    from rich.console import Console

    watched = (sys.stderr if stderr else sys.stdout).isatty()
    return Console(stderr=stderr, width=None if watched else _WIDE, highlight=False)


def complain(message: str) -> None:
    """Write an error to stderr, in red where colours are shown."""
    from rich.text import Text

    _console(stderr=True).print(Text(f"Error: {message}", style="red"), soft_wrap=True)


def say(message: str) -> None:
    """Write a message to stderr, where it does not mix with results."""
    from rich.text import Text

    _console(stderr=True).print(Text(message), soft_wrap=True)


@contextmanager
def notes_instead_of_warnings() -> Iterator[None]:
    """Show Python's warnings as plain notes, without the line of code that raised them."""
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_, **__: say(f"Note: {message}")
        yield


def emit(data: object) -> None:
    """Write one JSON object to stdout."""
    sys.stdout.write(json.dumps(plain(data), ensure_ascii=False, allow_nan=False, indent=2) + "\n")


def emit_line(data: object) -> None:
    """Write one JSON object to stdout on one line, at once: somebody waits for it while the command goes on."""
    sys.stdout.write(json.dumps(plain(data), ensure_ascii=False, allow_nan=False) + "\n")
    sys.stdout.flush()


def plain(value: object) -> object:
    """Return data as JSON can hold them; NaN and infinity become null.

    Examples
    --------
    >>> plain({"force": float("nan"), "axes": (1, 2)})
    {'force': None, 'axes': [1, 2]}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value


def show_table(title: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a table to stdout.

    A heading that begins with '>' stands over numbers, set to the right; one with '…' over text that may be cut off.
    Other text is folded where the terminal is narrow; names, in the first column, and numbers never are.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title, style="bold"), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for number, heading in enumerate(headings):
        right = heading.startswith(">")
        table.add_column(
            heading.lstrip(">…"), justify="right" if right else "left", overflow="fold", no_wrap=right or number == 0
        )
    # It is the cell that is cut, not the column: rich narrows only columns that could be folded.
    for row in rows:
        cut = [heading.startswith("…") for heading in headings]
        table.add_row(
            *(
                Text(text, no_wrap=short, overflow="ellipsis" if short else "fold")
                for text, short in zip(row, cut, strict=True)
            )
        )
    _console().print(table)


def show_facts(title: str, facts: Mapping[str, str]) -> None:
    """Write names and values to stdout, one to a line."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in facts.items():
        table.add_row(name, Text(value))
    console = _console()
    console.print(Text(title, style="bold"))
    console.print(table)
    console.print()
