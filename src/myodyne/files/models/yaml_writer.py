"""Plain trees as YAML that people like to read: short tables and lists on one line, long ones over several."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

WIDTH = 100

# What begins with a letter (-x too) and holds nothing that YAML could take for structure needs no quotes.
_PLAIN = re.compile(r"-?[^\W\d](?:[\w .()/+²°'-]*[\w.()/+²°'-])?")
# Outside of brackets a comma is only a comma, and a colon within a word only a colon.
_PLAIN_LINE = re.compile(r"[^\W\d](?:[\w .()/+²°'\-,;=%&@!?*\[\]{}]|:(?=\S))*(?<! )")
# Values of YAML 1.2, and words that older readers take for values.
_RESERVED = frozenset({"null", "true", "false", "yes", "no", "on", "off"})


# What a YAML file can hold.
Plain: TypeAlias = "Mapping[str, Plain] | Sequence[Plain] | str | float | bool | None"


class Block(dict[str, Any]):
    """A table that is always written with one field per line."""


def yaml_text(tree: Block) -> str:
    """Return a tree of tables, lists, text and numbers as YAML.

    Examples
    --------
    >>> print(yaml_text(Block(name="rod", gravity=[0.0, -9.81, 0.0], size={"no": 1e-5})), end="")
    name: rod
    gravity: [0.0, -9.81, 0.0]
    size: {"no": 1.0e-05}
    """
    return "".join(f"{line}\n" for line in _table_lines(tree, 0))


def _table_lines(table: dict[str, Any], indent: int) -> Iterator[str]:
    for key, value in table.items():
        head = f"{' ' * indent}{_text(key)}:"
        one_line = _in_one_line(value)
        if one_line is not None and len(head) + 1 + len(one_line) <= WIDTH:
            yield f"{head} {one_line}"
        elif isinstance(value, dict) and value:
            yield head
            yield from _table_lines(value, indent + 2)
        elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
            yield head
            yield from _list_lines(value, indent + 2)
        elif isinstance(value, list):
            yield from _wrapped(f"{head} [", [_flow(item) for item in value], indent + 4)
        elif isinstance(value, str):
            yield from _long_text(head, value, indent + 2)
        else:
            yield f"{head} {_flow(value)}"


def _list_lines(items: list[Any], indent: int) -> Iterator[str]:
    for item in items:
        head = f"{' ' * indent}- "
        one_line = _flow(item)
        if isinstance(item, dict) and item and len(head) + len(one_line) > WIDTH:
            first, *others = _table_lines(item, indent + 2)
            yield head + first.lstrip(" ")
            yield from others
        elif isinstance(item, list):
            yield from _wrapped(f"{head}[", [_flow(inner) for inner in item], indent + 4)
        else:
            yield head + one_line


def _wrapped(head: str, items: Iterable[str], indent: int) -> Iterator[str]:
    """Yield a list in brackets over as many lines as it needs."""
    line, fresh = head, True
    for item in items:
        if not fresh:
            line += ","
            if len(line) + 1 + len(item) + 1 > WIDTH:
                yield line
                line = " " * indent
            else:
                line += " "
        line, fresh = line + item, False
    yield f"{line}]"


def _in_one_line(value: Plain) -> str | None:
    """Return a value as one line, or None where it should take several."""
    if isinstance(value, Block) and value:
        return None
    if isinstance(value, str):
        return _line_text(value)
    return _flow(value)


def _flow(value: Plain) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_text(key)}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, Sequence):
        return f"[{', '.join(map(_flow, value))}]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return _number(value)


def _number(value: float) -> str:
    if isinstance(value, int):
        return int.__repr__(value)
    # The shortest text that gives the same number; with a point, because older readers want one before an exponent.
    text = float.__repr__(value)
    return text if "." in text or "e" not in text else text.replace("e", ".0e")


def _text(text: str) -> str:
    return text if _PLAIN.fullmatch(text) and text.lower() not in _RESERVED else _quoted(text)


def _line_text(text: str) -> str | None:
    """Return text for the end of a line, or None where it holds several lines that can be shown as such."""
    if _PLAIN_LINE.fullmatch(text) and text.lower() not in _RESERVED:
        return text
    return None if "\n" in text and _is_tidy(text) else _quoted(text)


def _is_tidy(text: str) -> bool:
    """Whether lines of text keep every character when they are written line by line."""
    lines = text.removesuffix("\n").split("\n")
    return (
        bool(lines[0])
        and bool(lines[-1])
        and not lines[0].startswith(" ")
        and all(line.isprintable() and not line.endswith(" ") for line in lines)
    )


def _long_text(head: str, text: str, indent: int) -> Iterator[str]:
    margin = " " * indent
    if "\n" in text and _is_tidy(text):
        yield f"{head} |" if text.endswith("\n") else f"{head} |-"
        for line in text.removesuffix("\n").split("\n"):
            yield margin + line if line else ""
    elif text.isprintable() and "" not in text.split(" "):
        # Folded: the reader joins the lines again with single blanks.
        yield f"{head} >-"
        line = margin
        for word in text.split(" "):
            if line != margin and len(line) + 1 + len(word) > WIDTH:
                yield line
                line = margin
            line += word if line == margin else f" {word}"
        yield line
    else:
        yield f"{head} {_quoted(text)}"


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}


def _quoted(text: str) -> str:
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"
