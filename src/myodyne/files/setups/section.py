"""One part of a set-up file: its properties read by name, and what was not read reported."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator
from pathlib import Path

from myodyne.errors import FileError, listed
from myodyne.files.osim.document import LARGEST_FILE, Element, read_document
from myodyne.files.places import place_of
from myodyne.files.series.table import read_bytes
from myodyne.files.setups.properties import PROPERTIES, TOOLS

_NOTHING = ("", "unassigned", "none")
# Names this much alike are the same name, misspelt.
_ALIKE = 0.75
_NO_TOOL = {
    "RRATool": "residual reduction",
    "CMCTool": "computed muscle control",
    "MocoStudy": "optimal control by Moco",
    "IMUInverseKinematicsTool": "inverse kinematics of inertial sensors",
}


class Section:
    """A tool, a part of it, or an analysis: its element, the file that it stands in, and the remarks of all.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "setup.xml")
    ...     _ = file.write_text('''<OpenSimDocument Version="40000"><InverseDynamicsTool name="arm">
    ...         <model_fil>arm.osim</model_fil></InverseDynamicsTool></OpenSimDocument>''')
    ...     tool = read_tool(file)
    ...     tool.close()
    >>> tool.remarks[0]
    'line 2: <model_fil> is not a property of InverseDynamicsTool and is ignored; is <model_file> meant?'
    """

    def __init__(self, kind: str, element: Element, path: Path, remarks: list[str]) -> None:
        self.kind = kind
        self.element = element
        self.path = path
        self.remarks = remarks
        self._seen: set[str] = set()

    @property
    def name(self) -> str:
        """The name of the tool or analysis."""
        return self.element.name

    def remark(self, text: str) -> None:
        """Add a remark, once."""
        if text not in self.remarks:
            self.remarks.append(text)

    def text(self, tag: str, default: str = "") -> str:
        """Return a property as text, the default where it is missing, empty or 'Unassigned'."""
        self._seen.add(tag)
        found = self.element.text(tag, "")
        return default if found.lower() in _NOTHING else found

    def number(self, tag: str, default: float) -> float:
        """Return a property that is a number; it may be infinite."""
        self._seen.add(tag)
        return self.element.number(tag, default, infinite=True)

    def flag(self, tag: str, *, default: bool) -> bool:
        """Return a property that is true or false."""
        self._seen.add(tag)
        return self.element.flag(tag, default)

    def names(self, tag: str) -> tuple[str, ...]:
        """Return a property that is a list of names."""
        return tuple(name for name in self.text(tag).replace(",", " ").split() if name.lower() not in _NOTHING)

    def times(self, tag: str = "time_range") -> tuple[float, float]:
        """Return a range of time (s), without bounds where none is given."""
        self._seen.add(tag)
        first, last = self.element.numbers(tag, 2, (-float("inf"), float("inf")), infinite=True)
        # The scale tool writes -1 -1 where the whole record counts.
        return (first, last) if last >= first and last >= 0.0 else (-float("inf"), float("inf"))

    def file(self, tag: str, *, needed: str = "") -> Path | None:
        """Return the file that a property names: relative to the set-up, or of that name beside it.

        With ``needed``, which says what the file is, a missing property is an error that names one that may be meant.
        """
        named = self.text(tag)
        if not named:
            if needed:
                raise self.element.fault(f"names no <{tag}>, {needed}{self._misspelt(tag)}")
            return None
        return self.located(named, f"<{tag}>")

    def located(self, named: str, what: str) -> Path:
        """Return where a file is: relative to the set-up, beside it, or where its last folders are."""
        found, note, tried = place_of(named, self.path.parent)
        if found is None:
            raise self.element.fault(f"{what} '{named:.120}' is at none of {listed(map(str, tried))}")
        if note:
            self.remark(f"{what} is '{named}', which is missing; {note}")
        return found

    def child(self, tag: str) -> Section | None:
        """Return a part of this section, from the file that it may name (``file="..."``)."""
        self._seen.add(tag)
        element = self.element.child(tag)
        if element is None:
            return None
        return self._followed(tag, element)

    def objects(self, tag: str) -> Iterator[Section]:
        """Yield the objects of a set, which may stand in a file of its own."""
        part = self.child(tag)
        if part is None:
            return
        for element in part.element.objects():
            if element.tag != "ObjectGroup":
                yield Section(element.tag, element, part.path, self.remarks)

    def close(self) -> None:
        """Remark on all that was not read: without effect, not looked at, or unknown."""
        known = PROPERTIES.get(self.kind)
        if known is None:
            return
        idle = []
        for child in self.element.children:
            if child.tag in self._seen:
                continue
            if child.tag in known.idle or child.tag in known.used:
                if (child.content and child.content.lower() not in _NOTHING) or child.children:
                    idle.append(child.tag)
                continue
            near = difflib.get_close_matches(child.tag, known.used | known.idle, 1, _ALIKE)
            hint = f"; is <{near[0]}> meant?" if near else ""
            self.remark(f"line {child.line}: <{child.tag}> is not a property of {self.kind} and is ignored{hint}")
        if idle:
            self.remark(f"of {self.kind}, without effect here: {', '.join(dict.fromkeys(idle))}")

    def _misspelt(self, tag: str) -> str:
        known = PROPERTIES.get(self.kind)
        strange = [
            child.tag for child in self.element.children if known is None or child.tag not in known.used | known.idle
        ]
        near = difflib.get_close_matches(tag, strange, 1, _ALIKE)
        return f"; <{near[0]}> looks like it, misspelt" if near else ""

    def _followed(self, tag: str, element: Element) -> Section:
        named = element.attributes.get("file", "").strip()
        if not named or named.lower() in _NOTHING:
            return Section(tag, element, self.path, self.remarks)
        path = self.located(named, f"the file of <{tag}>")
        document = read_document(read_bytes(path, LARGEST_FILE), str(path))
        inside = next((part for part in document.root.walk() if part.tag == tag), None)
        if inside is None:
            raise document.root.fault(f"holds no <{tag}>, as {self.path.name} says")
        return Section(tag, inside, path, self.remarks)


def read_tool(path: str | os.PathLike[str]) -> Section:
    """Return the tool of a set-up file; a tag that is misspelt is read as the tool that it resembles, with a remark."""
    place = Path(path)
    document = read_document(read_bytes(place, LARGEST_FILE), str(path))
    inside = [child for child in document.root.children if child.is_object]
    objects = inside if inside and document.root.tag == "OpenSimDocument" else [document.root]
    for element in objects:
        if element.tag in TOOLS:
            return Section(element.tag, element, place, [])
    first = objects[0]
    if first.tag in _NO_TOOL:
        raise first.fault(f"{_NO_TOOL[first.tag]} is not run from a set-up; these are: {listed(TOOLS)}")
    near = difflib.get_close_matches(first.tag, TOOLS, 1, _ALIKE)
    if not near:
        raise FileError(
            f"{path}, line {first.line}: <{first.tag}> is not a tool of OpenSim that is run here; "
            f"these are: {listed(TOOLS)}"
        )
    remark = f"line {first.line}: <{first.tag}> is read as <{near[0]}>, which it resembles"
    return Section(near[0], first, place, [remark])
