"""The XML of an OpenSim file: safely parsed, every element with its line, and the audit of what became of each."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from xml.parsers import expat

from myodyne.errors import FileError
from myodyne.files.osim.mending import mended_text
from myodyne.files.osim.tags import WHY_SKIPPED, WITHOUT_ENVELOPE
from myodyne.model.audit import Audit, ElementCount, Fate, Remark

# Ten times what the largest published models hold; more could not be refused within a second.
LARGEST_FILE = 16 * 1024 * 1024
_MOST_ELEMENTS = 150_000
# Attributes cannot be counted while they are parsed, and a million of them would take seconds.
_LONGEST_TAG = re.compile(rb"<[^<>]{100000}")
_LONGEST_LIST = 1_000_000
_DEEPEST = 200
LONGEST_NAME = 100
_NO_ATTRIBUTES: Mapping[str, str] = {}
_TRUE, _FALSE = ("true", "1"), ("false", "0")


class Element:
    """One element of the file: tag, name, line, children and text.

    A property that is missing is looked up in the ``<defaults>`` of the file, as OpenSim does.
    """

    __slots__ = (
        "attributes",
        "children",
        "content",
        "document",
        "fallback",
        "fate",
        "is_object",
        "line",
        "name",
        "parent",
        "tag",
    )

    def __init__(
        self, tag: str, line: int, attributes: Mapping[str, str], parent: Element | None, document: Document
    ) -> None:
        self.tag = tag
        # An object is capitalised, a property of one is not.
        self.is_object = tag[:1].isupper()
        self.name = attributes.get("name", "").strip()
        self.line = line
        self.attributes = attributes
        self.parent = parent
        self.document = document
        self.children: list[Element] = []
        self.content = ""
        self.fallback: Element | None = None
        self.fate: str | None = None

    def __repr__(self) -> str:
        return f"<{self.tag} '{self.name}', line {self.line}>"

    def walk(self) -> Iterator[Element]:
        """Yield this element and everything in it, in the order of the file."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting.extend(reversed(element.children))

    def child(self, *tags: str) -> Element | None:
        """Return the first child of one of these tags, else that of the defaults for this kind, else None."""
        for tag in tags:
            for child in self.children:
                if child.tag == tag:
                    return child
        return self.fallback.child(*tags) if self.fallback is not None else None

    def objects(self, *tags: str) -> list[Element]:
        """Return the objects in here, in ``<objects>`` or directly; of these tags, if given."""
        found = []
        for child in self.children:
            if child.is_object:
                found.append(child)
            elif child.tag == "objects":
                found.extend(inner for inner in child.children if inner.is_object)
        return [element for element in found if not tags or element.tag in tags]

    def members(self, tag: str) -> list[Element]:
        """Return the objects in the child of that tag: a set, or a property that holds objects."""
        child = self.child(tag)
        return child.objects() if child is not None else []

    def fault(self, message: str) -> FileError:
        """Return the error that names file, line and element."""
        name = f" '{self.name}'" if self.name else ""
        return FileError(f"{self.document.file}, line {self.line}, <{self.tag}{name}>: {message}")

    def own_name(self) -> str:
        """Return the name, which must be there and be a possible one."""
        if not self.name:
            raise self.fault("has no name")
        if len(self.name) > LONGEST_NAME or "/" in self.name or not self.name.isprintable():
            raise self.fault(f"its name must be printable, without '/', and of at most {LONGEST_NAME} letters")
        return self.name

    def has(self, tag: str) -> bool:
        """Whether the file (or its defaults) holds the property, with a value."""
        child = self.child(tag)
        return child is not None and bool(child.content or child.children)

    def text(self, tag: str, default: str | None = None) -> str:
        """Return the text of a property; without a default it must be there."""
        child = self._property(tag)
        if child is not None and child.content:
            return child.content
        if default is None:
            raise self.fault(f"<{tag}> is missing or empty")
        return default

    def number(self, tag: str, default: float | None = None, *, infinite: bool = False) -> float:
        """Return a property that is one number; only where ``infinite`` says so it may be without bounds."""
        return self.numbers(tag, 1, None if default is None else (default,), infinite=infinite)[0]

    def numbers(
        self, tag: str, count: int | None = None, default: Sequence[float] | None = None, *, infinite: bool = False
    ) -> tuple[float, ...]:
        """Return a property that is a list of numbers, of the given count if there is one."""
        child = self._property(tag)
        if child is None or not child.content:
            if default is None:
                raise self.fault(f"<{tag}> is missing or empty")
            return tuple(default)
        if len(child.content) > _LONGEST_LIST:
            raise self._fault_in(child, f"<{tag}> is longer than {_LONGEST_LIST // 1000} kB, too long for a list")
        found = tuple(self._parsed(child, word, infinite) for word in words(child.content))
        if count is not None and len(found) != count:
            raise self._fault_in(child, f"<{tag}> needs {count} number{'s' if count > 1 else ''}, not {len(found)}")
        return found

    def flag(self, tag: str, default: bool | None = None) -> bool:
        """Return a property that is true or false."""
        child = self._property(tag)
        if child is None or not child.content:
            if default is None:
                raise self.fault(f"<{tag}> is missing or empty")
            return default
        word = child.content.lower()
        if word not in (*_TRUE, *_FALSE):
            raise self._fault_in(child, f"<{tag}> is true or false, not {child.content!r:.60}")
        return word in _TRUE

    def names(self, tag: str) -> tuple[str, ...]:
        """Return a property that is a list of names; none if it is missing."""
        child = self._property(tag)
        return tuple(child.content.split()) if child is not None else ()

    def _property(self, tag: str) -> Element | None:
        child = self.child(tag)
        # Some properties of old muscles are capitalised like objects: reading them is what their count means.
        if child is not None and child.is_object and child.fate is None:
            child.fate = "read"
        return child

    def _fault_in(self, child: Element, message: str) -> FileError:
        name = f" '{self.name}'" if self.name else ""
        return FileError(f"{self.document.file}, line {child.line}, <{self.tag}{name}>: {message}")

    def _parsed(self, child: Element, word: str, infinite: bool) -> float:
        try:
            # Python also reads 1_000 as a number, which is never meant.
            value = float(word) if "_" not in word else math.nan
        except ValueError:
            raise self._fault_in(child, f"<{child.tag}> holds {word!r:.60}, which is not a number") from None
        if math.isnan(value) or (math.isinf(value) and not infinite):
            raise self._fault_in(child, f"<{child.tag}> holds {word!r:.60}, which is not finite")
        return value


def words(text: str) -> list[str]:
    """Split a list of numbers; OpenSim also takes ``(1, 2, 3)`` and ``~[1,2,3]``."""
    return text.translate(_BRACKETS).split()


_BRACKETS = str.maketrans(dict.fromkeys("()[]~,", " "))


@dataclass(eq=False)
class Document:
    """A parsed file: its root, the version of its format, and the model in it."""

    file: str
    version: int = 0
    root: Element = field(init=False)
    # What had to be mended before the file could be parsed.
    mended: tuple[str, ...] = ()

    @property
    def model(self) -> Element:
        """The ``<Model>``, which older files have as their root."""
        found = self.root if self.root.tag == "Model" else self.root.child("Model")
        if found is None:
            raise self.root.fault("holds no <Model>")
        return found


def read_document(content: bytes, file: str) -> Document:
    """Parse the bytes of an OpenSim file; ``file`` names it in messages.

    Nothing outside of the bytes is read: document types and entities are refused, and so is what is too large, too
    deep or too much.
    """
    if len(content) > LARGEST_FILE:
        raise FileError(f"{file}: is larger than {LARGEST_FILE // 2**20} MB, too large for a model")
    if (tag := _LONGEST_TAG.search(content)) is not None:
        line = content.count(b"\n", 0, tag.start()) + 1
        raise FileError(f"{file}, line {line}: a single tag or comment is longer than 100 kB, too long for a model")
    document = Document(file)
    document.root = _parsed_root(document, content)
    document.version = _version(document)
    _attach_defaults(document)
    return document


def _parsed_root(document: Document, content: bytes) -> Element:
    """Return the root; a file that is not XML only because of its letters or comments is mended as OpenSim reads it."""
    try:
        builder = _Builder(document)
        builder.parse(content)
    except FileError:
        mended, document.mended = mended_text(content)
        if not document.mended:
            raise
        builder = _Builder(document)
        builder.parse(mended)
    if builder.root is None:
        raise FileError(f"{document.file}: holds no element")
    return builder.root


class _Builder:
    """Builds elements from what the parser reports."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.root: Element | None = None
        self.open: list[Element] = []
        self.pieces: list[list[str]] = []
        self.count = 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.StartDoctypeDeclHandler = self.refuse_doctype
        self.parser.EntityDeclHandler = self.refuse_entity

    def parse(self, content: bytes) -> None:
        try:
            self.parser.Parse(content, True)
        except FileError:
            raise
        except expat.ExpatError as error:
            raise self.fault(_in_words(error), error.lineno) from None
        except (ValueError, LookupError, UnicodeError) as error:
            raise self.fault(f"cannot be decoded: {error}", self.parser.CurrentLineNumber) from None

    def fault(self, message: str, line: int) -> FileError:
        inside = ""
        if self.open:
            last = self.open[-1]
            name = f" '{last.name}'" if last.name else ""
            inside = f", in <{last.tag}{name}> of line {last.line}"
        return FileError(f"{self.document.file}, line {line}{inside}: {message}")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        self.count += 1
        if self.count > _MOST_ELEMENTS:
            raise self.fault(f"there are more than {_MOST_ELEMENTS} elements, too many for a model", line)
        if len(self.open) >= _DEEPEST:
            raise self.fault(f"elements are nested more than {_DEEPEST} deep, too deep for a model", line)
        parent = self.open[-1] if self.open else None
        element = Element(tag, line, attributes or _NO_ATTRIBUTES, parent, self.document)
        if parent is None:
            self.root = element
        else:
            parent.children.append(element)
        self.open.append(element)
        self.pieces.append([])

    def end(self, _tag: str) -> None:
        self.open.pop().content = "".join(self.pieces.pop()).strip()

    def characters(self, data: str) -> None:
        self.pieces[-1].append(data)

    def refuse_doctype(self, *_: object) -> None:
        raise self.fault(
            "declares a document type (<!DOCTYPE ...>), which OpenSim files do not have; remove it",
            self.parser.CurrentLineNumber,
        )

    def refuse_entity(self, *_: object) -> None:
        raise self.fault(
            "declares an entity, which OpenSim files do not have; remove it", self.parser.CurrentLineNumber
        )


def _in_words(error: expat.ExpatError) -> str:
    message = expat.ErrorString(error.code) or "cannot be parsed"
    if error.code in (
        expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS],
        expat.errors.codes[expat.errors.XML_ERROR_UNCLOSED_TOKEN],
    ):
        return f"the file ends too early or is not XML ({message})"
    return f"is not XML ({message})"


def _version(document: Document) -> int:
    root = document.root
    if root.tag in WITHOUT_ENVELOPE:
        # Files older than OpenSim 1.8 have no envelope with their version.
        return 0
    if root.tag != "OpenSimDocument":
        raise root.fault("an OpenSim file begins with <OpenSimDocument Version=...>")
    text = root.attributes.get("Version", "").strip()
    if not (text.isascii() and text.isdigit() and len(text) < 9):
        raise root.fault(f"the version of the format is a number like 40000, not {text!r:.40}")
    return int(text)


def _attach_defaults(document: Document) -> None:
    """Give every element the defaults for its kind, where the file has some."""
    root = document.root
    places = [root, *(child for child in root.children if child.is_object)]
    sections = [child for place in places for child in place.children if child.tag == "defaults"]
    defaults: dict[str, Element] = {}
    for section in sections:
        for element in section.children:
            defaults.setdefault(element.tag, element)
    if not defaults:
        return
    inside = {id(element) for section in sections for element in section.walk()}
    for element in root.walk():
        if element.tag in defaults and id(element) not in inside:
            element.fallback = defaults[element.tag]


class Reading:
    """The audit of a file while it is read: every object is read or skipped, and remarks report the rest."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.remarks: list[Remark] = []

    def read(self, *elements: Element | None, whole: bool = False) -> None:
        """Count these elements as read; with ``whole`` also all that they contain."""
        for element in elements:
            if element is not None:
                for part in element.walk() if whole else (element,):
                    part.fate = "read"

    def skip(self, element: Element, why: str) -> None:
        """Count an element, and what it contains and was not read, as skipped; ``why`` is the reason."""
        element.fate = "skipped"
        for part in element.walk():
            if part.fate is None:
                part.fate = "skipped"
        self._remark("skipped", element, why)

    def approximate(self, element: Element, why: str) -> None:
        """Remark that an element is not there to the letter."""
        self._remark("approximated", element, why)

    def suspect(self, element: Element, why: str) -> None:
        """Remark that an element is there to the letter, and looks wrong."""
        self._remark("suspicious", element, why)

    def _remark(self, fate: Fate, element: Element, message: str) -> None:
        self.remarks.append(
            Remark(fate=fate, element=element.tag, name=element.name, line=element.line, message=message)
        )

    def audit(self) -> Audit:
        """Return the audit: counts of every kind of object, with a remark for each kind that was not read."""
        self._settle_defaults()
        for fault in self.document.mended:
            self.suspect(self.document.root, fault)
        counts: dict[str, list[int]] = {}
        forgotten: dict[str, list[Element]] = {}
        for element in self.document.root.walk():
            if element.is_object:
                count = counts.setdefault(element.tag, [0, 0])
                count[element.fate != "read"] += 1
                if element.fate is None:
                    forgotten.setdefault(element.tag, []).append(element)
        for tag, elements in forgotten.items():
            why = "probes are not read" if "Probe" in tag else WHY_SKIPPED.get(tag, "not read")
            message = why if len(elements) == 1 else f"{why} ({len(elements)} of them)"
            self._remark("skipped", elements[0], message)
        version = self.document.version
        return Audit(
            file=self.document.file,
            format=f"OpenSim {version}" if version else "OpenSim without version",
            counts={tag: ElementCount(read=read, skipped=skipped) for tag, (read, skipped) in counts.items()},
            remarks=tuple(self.remarks),
        )

    def _settle_defaults(self) -> None:
        """Count defaults as read where the file holds objects of their kind, which take their values from there."""
        used = {
            element.tag
            for element in self.document.root.walk()
            if element.fallback is not None and element.fate == "read"
        }
        for section in self.document.root.walk():
            if section.tag == "defaults":
                for element in section.children:
                    fate = "read" if element.tag in used else "skipped"
                    for part in element.walk():
                        part.fate = fate
                    if fate == "skipped" and element.is_object:
                        self._remark("skipped", element, "a default for a kind of element that was not read")
