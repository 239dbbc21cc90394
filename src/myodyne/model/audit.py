"""What a foreign file held and what became of it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from myodyne.model.part import Part
from myodyne.notebook import Table, counted, html_of

Fate = Literal["skipped", "approximated", "suspicious"]


class Remark(Part):
    """One thing that a reader of the model should know about its file.

    ``skipped``: an element has no counterpart and is left out. ``approximated``: it is there, but not to the letter.
    ``suspicious``: it is there to the letter, and the number looks wrong.

    Examples
    --------
    >>> import myodyne as my
    >>> print(my.Remark(fate="skipped", element="Probe", name="metabolics", line=812, message="probes are not read"))
    line 812: Probe 'metabolics' skipped: probes are not read
    """

    fate: Fate
    element: str
    name: str = ""
    line: int | None = None
    message: str

    def __str__(self) -> str:
        place = f"line {self.line}: " if self.line is not None else ""
        name = f" '{self.name}'" if self.name else ""
        return f"{place}{self.element}{name} {self.fate}: {self.message}"


class ElementCount(Part):
    """How many elements of one kind a file holds, and how many of them were read and skipped.

    Examples
    --------
    >>> import myodyne as my
    >>> my.ElementCount(read=92, skipped=1).found
    93
    """

    read: int = 0
    skipped: int = 0

    @property
    def found(self) -> int:
        """All elements of this kind in the file."""
        return self.read + self.skipped


class Audit(Part):
    """The audit of the file that a model was read from: every element by kind, and remarks on them.

    Examples
    --------
    >>> import myodyne as my
    >>> audit = my.Audit(file="leg.osim", format="OpenSim 40000", counts={"Body": my.ElementCount(read=3)})
    >>> audit.counts["Body"].found, audit.remarks
    (3, ())
    """

    file: str
    format: str
    counts: dict[str, ElementCount] = Field(default_factory=dict)
    remarks: tuple[Remark, ...] = ()

    def about(self, fate: Fate) -> tuple[Remark, ...]:
        """Return the remarks of one fate."""
        return tuple(remark for remark in self.remarks if remark.fate == fate)

    def __repr__(self) -> str:
        read, skipped = (sum(getattr(count, what) for count in self.counts.values()) for what in ("read", "skipped"))
        remarks = counted(len(self.remarks), "remark")
        return f"<Audit of '{self.file}': {counted(read, 'element')} read, {skipped} skipped, {remarks}>"

    def _repr_html_(self) -> str:
        counts = [(kind, str(count.read), str(count.skipped)) for kind, count in self.counts.items()]
        remarks = [
            ("" if one.line is None else str(one.line), f"{one.element} {one.name}".strip(), one.fate, one.message)
            for one in self.remarks
        ]
        tables = [Table("", ("element", "read", "skipped"), counts)]
        if remarks:
            tables.append(Table("Remarks", ("line", "element", "", ""), remarks))
        return html_of(f"{self.file} ({self.format})", (), tables)

    def __str__(self) -> str:
        lines = [f"{self.file} ({self.format})"]
        width = max(map(len, self.counts), default=0)
        for kind, count in self.counts.items():
            skipped = f", {count.skipped} skipped" if count.skipped else ""
            lines.append(f"  {kind:{width}} {count.read:5d} read{skipped}")
        return "\n".join([*lines, *(f"  {remark}" for remark in self.remarks)])
