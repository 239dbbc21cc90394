"""A small and safe dialect of YAML, read into a plain tree that knows the line of every field.

Values follow the core rules of YAML 1.2: ``1e-3`` is a number and ``yes`` is text. Left out is all that could
build objects, repeat content or hide it: tags, anchors, merge keys, keys given twice, several documents.
"""

from __future__ import annotations

import codecs
import re
from typing import Any

import yaml

from myodyne.errors import FileError

# A model of a whole body with fitted paths takes a tenth of these; what goes beyond is not a model.
LARGEST_FILE = 8_000_000
MOST_VALUES = 300_000
DEEPEST = 40

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_TRUTH = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_OTHER_BASE = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SPECIAL = re.compile(r"([-+]?)\.(?:(inf|Inf|INF)|(nan|NaN|NAN))")
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
# The line breaks of the parser's own counting.
_LINE_BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")

Place = tuple[str | int, ...]
Scalar = str | float | bool | None


class Table(dict[str, Any]):
    """A mapping of the file, with the line of each of its keys."""

    __slots__ = ("lines",)

    def __init__(self) -> None:
        super().__init__()
        self.lines: dict[str, int] = {}


class Row(list[Any]):
    """A list of the file, with the line of each of its items."""

    __slots__ = ("lines",)

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[int] = []


Value = Table | Row | Scalar


def located(file: str, line: int, place: Place, message: str) -> str:
    """Return a message with where it belongs: ``leg.yaml, line 4, field bodies.thigh.mass: is missing``."""
    field = f", field {shortened('.'.join(map(str, place)), 160)}" if place else ""
    return f"{file}, line {line}{field}: {message}"


def shortened(text: str, most: int) -> str:
    """Return the text, or its beginning and three dots where it is longer than ``most``."""
    return text if len(text) <= most else text[:most] + "..."


def read_tree(content: bytes, file: str) -> Table:
    r"""Return the content of a YAML file as nested tables, lists and values.

    Parameters
    ----------
    content
        The bytes of the file: UTF-8, with or without a byte order mark.
    file
        Its name, for messages.

    Examples
    --------
    >>> tree = read_tree(b"name: rod\nbodies:\n  rod: {mass: 1e-3}", "rod.yaml")
    >>> tree["bodies"]["rod"]["mass"], tree["bodies"].lines["rod"]
    (0.001, 3)
    """
    text = _decoded(content, file)
    builder = _Builder(file)
    # Only the events of the loader are used, none of its constructors.
    parser: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    try:
        while not builder.finished:
            builder.take(parser.get_event())
    except yaml.YAMLError as error:
        raise FileError(_syntax_message(error, text, builder)) from None
    finally:
        parser.dispose()
    return builder.root()


def _decoded(content: bytes, file: str) -> str:
    if len(content) > LARGEST_FILE:
        raise FileError(f"{file}: is larger than {LARGEST_FILE / 1e6:.0f} MB, too large for a model file")
    for mark, name in (
        (codecs.BOM_UTF32_LE, "UTF-32"),
        (codecs.BOM_UTF32_BE, "UTF-32"),
        (codecs.BOM_UTF16_LE, "UTF-16"),
        (codecs.BOM_UTF16_BE, "UTF-16"),
    ):
        if content.startswith(mark):
            raise FileError(f"{file}, line 1: the text is {name}; save it as UTF-8")
    nothing = content.find(b"\0")
    if nothing >= 0:
        line = content.count(b"\n", 0, nothing) + 1
        raise FileError(f"{file}, line {line}: holds a NUL byte, so it is binary or UTF-16; a model is UTF-8 text")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The decoder counts from behind the byte order mark.
        line = content.count(b"\n", 0, error.start + len(content) - len(error.object)) + 1
        raise FileError(
            f"{file}, line {line}: byte 0x{error.object[error.start]:02X} is not UTF-8 (perhaps Latin-1 "
            "or Windows text); save the file as UTF-8"
        ) from None
    if (strange := _UNPRINTABLE.search(text)) is not None:
        line = len(_LINE_BREAK.findall(text, 0, strange.start())) + 1
        raise FileError(f"{file}, line {line}: holds the control character U+{ord(strange.group()):04X}; remove it")
    if not text.strip():
        raise FileError(f"{file}, line 1: is empty; a model needs at least a name")
    return text


def _syntax_message(error: yaml.YAMLError, text: str, builder: _Builder) -> str:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line = mark.line + 1 if mark is not None else builder.line
    if _line(text, line).lstrip(" ").startswith("\t"):
        reason = "YAML does not allow a tab here; indent with blanks"
    else:
        found = (getattr(error, "problem", None) or str(error), getattr(error, "context", None))
        reason = ", ".join(part for part in found if part)
    return located(builder.file, line, builder.place(), f"this is not YAML: {shortened(reason, 200)}")


def _line(text: str, number: int) -> str:
    lines = _LINE_BREAK.split(text, number)
    return lines[number - 1] if number <= len(lines) else ""


class _Builder:
    """Builds the tree from the parser's events without recursion, so that depth costs only a count."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.line = 1
        self.finished = False
        self._open: list[Table | Row] = []
        # For each open container the key that waits for its value; lists have none.
        self._keys: list[str | None] = []
        self._document: Value = None
        self._documents = 0
        self._values = 0

    def root(self) -> Table:
        if isinstance(self._document, Table):
            return self._document
        what = "a list" if isinstance(self._document, Row) else "a single value"
        if self._document is None:
            what = "nothing"
        raise FileError(f"{self.file}, line 1: holds {what} where a model has fields such as 'name: leg'")

    def place(self) -> Place:
        """Where reading has come to: the keys and numbers that lead to the present value."""
        steps: list[str | int] = [
            next(reversed(container)) if isinstance(container, Table) else len(container) - 1
            for container in self._open[:-1]
        ]
        if self._open:
            last, key = self._open[-1], self._keys[-1]
            if isinstance(last, Row):
                steps.append(len(last))
            elif key is not None:
                steps.append(key)
        return tuple(steps)

    def take(self, event: yaml.Event) -> None:
        # An event without a mark is the end of the stream.
        if event.start_mark is not None:
            self.line = event.start_mark.line + 1
        match event:
            case yaml.ScalarEvent():
                self._plain_node(event)
                self._scalar(event)
            case yaml.MappingStartEvent():
                self._plain_node(event)
                self._enter(Table())
            case yaml.SequenceStartEvent():
                self._plain_node(event)
                self._enter(Row())
            case yaml.CollectionEndEvent():
                self._open.pop()
                self._keys.pop()
            case yaml.AliasEvent():
                name = shortened(str(event.anchor), 60)
                raise self._refused(f"the alias '*{name}' is not allowed; write the value out")
            case yaml.DocumentStartEvent():
                self._start_document(event)
            case yaml.StreamEndEvent():
                self.finished = True
            case _:
                pass

    def _refused(self, message: str) -> FileError:
        return FileError(located(self.file, self.line, self.place(), message))

    def _start_document(self, event: yaml.DocumentStartEvent) -> None:
        self._documents += 1
        if self._documents > 1:
            raise self._refused("a second document begins here; a model file holds one")
        if event.tags:
            raise self._refused("the directive %TAG is not allowed; remove it")

    def _plain_node(self, event: yaml.NodeEvent) -> None:
        tag = getattr(event, "tag", None)
        if tag is not None:
            shown = shortened(tag.replace("tag:yaml.org,2002:", "!!", 1), 80)
            raise self._refused(f"the tag '{shown}' is not allowed; a model file holds plain values only")
        if event.anchor is not None:
            raise self._refused(
                f"the anchor '&{shortened(event.anchor, 60)}' is not allowed; write the value out wherever it is needed"
            )
        self._values += 1
        if self._values > MOST_VALUES:
            raise self._refused(f"holds more than {MOST_VALUES} values, too many for a model file")

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        plain = bool(event.implicit[0])
        # One of the two parsers lets halves of characters pass as escapes; nothing could write them again.
        if not plain and _HALF_CHARACTER.search(event.value):
            raise self._refused("holds half a character, an escape between D800 and DFFF; remove it")
        if self._awaits_key():
            self._take_key(event.value, plain)
        else:
            self._add(_resolved(event.value) if plain else event.value)

    def _awaits_key(self) -> bool:
        return bool(self._open) and isinstance(self._open[-1], Table) and self._keys[-1] is None

    def _take_key(self, key: str, plain: bool) -> None:
        table = self._open[-1]
        assert isinstance(table, Table)
        shown = shortened(key, 60)
        if plain and key == "<<":
            raise self._refused("the merge key '<<' is not allowed; write the fields out")
        if plain and not isinstance(_resolved(key), str):
            raise self._refused(f"the name {shown} would be read as a value; put it in quotes: '{shown}'")
        if key in table:
            self._keys[-1] = key
            raise self._refused(f"'{shown}' is given twice; it is already in line {table.lines[key]}")
        self._keys[-1] = key
        table.lines[key] = self.line

    def _enter(self, container: Table | Row) -> None:
        if self._awaits_key():
            raise self._refused("a field must have a plain name, not a list or a table")
        if len(self._open) >= DEEPEST:
            raise self._refused(f"values are nested more than {DEEPEST} deep")
        self._add(container)
        self._open.append(container)
        self._keys.append(None)

    def _add(self, value: Value) -> None:
        if not self._open:
            self._document = value
            return
        parent = self._open[-1]
        if isinstance(parent, Row):
            parent.append(value)
            parent.lines.append(self.line)
            return
        key = self._keys[-1]
        assert key is not None
        parent[key] = value
        self._keys[-1] = None


def _resolved(text: str) -> Scalar:
    """Return the value of an unquoted scalar by the core rules of YAML 1.2."""
    if text in _NULL:
        return None
    if text in _TRUTH:
        return _TRUTH[text]
    if _INTEGER.fullmatch(text):
        # Python refuses to turn thousands of digits into an integer; no measurement has them either.
        return int(text) if len(text) <= 18 else float(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _OTHER_BASE.fullmatch(text) and len(text) <= 18:
        return int(text, 0)
    if (special := _SPECIAL.fullmatch(text)) is not None:
        return float(special[1] + (special[2] or special[3]).lower())
    return text
