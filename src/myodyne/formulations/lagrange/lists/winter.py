"""The lists as printed in Winter (2009), chapter 8, with numbers instead of names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, TypeAlias, TypedDict, TypeVar, Unpack

from myodyne.errors import ModelError, unknown_name
from myodyne.formulations.lagrange.lists.description import Description
from myodyne.formulations.lagrange.lists.expressions import Expression, as_expression
from myodyne.formulations.lagrange.lists.records import (
    GROUND,
    Constraint,
    Coordinate,
    Force,
    Frame,
    LinearSpring,
    Point,
    Segment,
    Torque,
    TorsionalSpring,
)

_LISTS = ("pt", "LRS", "seg", "spl", "spt", "frc", "trq", "constraints")
_ENTRIES = {
    "pt": "frame, x, y(, z)",
    "LRS": "origin, angles(, relative to)",
    "seg": "centre, mass(, inertias)",
    "spl": "point, point(, k, c, free length)",
    "spt": "frame, frame(, k, c, free angle)",
    "frc": "point, Fx, Fy(, Fz)",
    "trq": "frame, frame, torques",
}
_ANGLES = {2: 1, 3: 3}

Row: TypeAlias = Sequence[Expression]
R = TypeVar("R")


class Options(TypedDict, total=False):
    """Fields of a `Description` that are not lists, and conventions of the lists."""

    coordinates: Mapping[str, Coordinate] | Iterable[str]
    parameters: Mapping[str, float | None] | Iterable[str]
    inputs: Iterable[str]
    gravity: Sequence[Expression] | None
    dimension: int
    name: str
    sequence: str
    about: Literal["centre", "origin"]


def from_lists(lists: Mapping[str, Sequence[Row | Expression]], **options: Unpack[Options]) -> Description:
    """Return a description from the printed lists: rows of entries, numbered from one.

    Parameters
    ----------
    lists : mapping
        ``pt``: [frame, x, y(, z)]. ``LRS``: [origin, angles..., relative to]; the last is optional, the
        ground by default. ``seg``: [centre, mass, inertias...]. ``spl``: [point, point, k, c, free length]. ``spt``:
        [frame, frame, k, c, free angle]. ``frc``: [point, Fx, Fy(, Fz)], or [point, other point, Fx, ...] for a force
        between two. ``trq``: [frame, frame, torques...]. ``constraints``: expressions that are zero. Frame 0 is the
        ground. Entries are named "pt1", "LRS1" and so on.
    **options
        ``coordinates``, ``parameters``, ``inputs``, ``gravity``, ``dimension`` and ``name`` of the description;
        ``sequence`` of the angles ("z" in the plane, else "zxz"); ``about`` of the inertias ("centre" or "origin").

    Examples
    --------
    >>> blocks = from_lists(
    ...     {"pt": [[0, "q1", 0], [1, "d1 - q2", "q3"]], "LRS": [[1, "pi/4"]], "seg": [[1, "m1"], [2, "m2"]],
    ...      "constraints": ["q3 - d2"]},
    ...     coordinates=["q1", "q2", "q3"], parameters=["d1", "d2", "m1", "m2", "g"], gravity=(0, "-g"),
    ... )
    >>> blocks.points["pt2"].frame
    'LRS1'
    """
    for given, valid in ((lists, _LISTS), (options, tuple(Options.__annotations__))):
        for name in given:
            if name not in valid:
                raise ModelError(unknown_name("list" if given is lists else "option", name, valid))
    dimension = options.get("dimension", 2)
    sequence = options.get("sequence", "z" if dimension == 2 else "zxz")
    about = options.get("about", "centre")
    reader = _Reader(lists, dimension)
    return Description(
        name=options.get("name", "mechanism"),
        coordinates=options.get("coordinates", ()),
        points=reader.table("pt", lambda row: Point(reader.frame(row[0]), row[1:])),
        frames=reader.table("LRS", lambda row: reader.local_system(row, sequence)),
        segments=reader.table("seg", lambda row: Segment(reader.point(row[0]), row[1], tuple(row[2:]) or None, about)),
        springs={
            **reader.table("spl", lambda row: LinearSpring(reader.point(row[0]), reader.point(row[1]), *row[2:])),
            **reader.table("spt", lambda row: TorsionalSpring(reader.frame(row[0]), reader.frame(row[1]), *row[2:])),
        },
        forces=reader.table("frc", reader.force),
        torques=reader.table("trq", lambda row: Torque(reader.frame(row[0]), reader.frame(row[1]), row[2:])),
        constraints=reader.constraints(),
        parameters=options.get("parameters", ()),
        inputs=options.get("inputs", ()),
        gravity=options.get("gravity"),
        dimension=dimension,
    )


class _Reader:
    def __init__(self, lists: Mapping[str, Sequence[Row | Expression]], dimension: int) -> None:
        self._lists = lists
        self._dimension = dimension
        self._place = ""

    def table(self, name: str, record: Callable[[list[Expression]], R]) -> dict[str, R]:
        found: dict[str, R] = {}
        for number, row in enumerate(self._lists.get(name, ()), start=1):
            self._place = f"{name}({number})"
            if isinstance(row, str) or not isinstance(row, Iterable):
                raise ModelError(f"{self._place}: needs a row of entries, not {row!r:.60}")
            try:
                found[f"{name}{number}"] = record(list(row))
            except (IndexError, TypeError):
                raise ModelError(
                    f"{self._place}: a row is [{_ENTRIES[name]}]; {len(row)} entries are too few or too many"
                ) from None
        return found

    def constraints(self) -> dict[str, Constraint]:
        found: dict[str, Constraint] = {}
        for number, expression in enumerate(self._lists.get("constraints", ()), start=1):
            found[f"c{number}"] = Constraint(as_expression(expression))
        return found

    def frame(self, number: Expression) -> str:
        return GROUND if self._number(number, "LRS", least=0) == 0 else f"LRS{number}"

    def point(self, number: Expression) -> str:
        return f"pt{self._number(number, 'pt', least=1)}"

    def local_system(self, row: list[Expression], sequence: str) -> Frame:
        angles = _ANGLES[self._dimension]
        if len(row) not in (angles + 1, angles + 2):
            raise ModelError(f"{self._place}: needs the number of its origin and {angles} angles")
        base = self.frame(row[angles + 1]) if len(row) == angles + 2 else GROUND
        return Frame(self.point(row[0]), row[1 : angles + 1], sequence, base)

    def force(self, row: list[Expression]) -> Force:
        if len(row) == self._dimension + 2:
            return Force(self.point(row[0]), row[2:], reaction_at=self.point(row[1]))
        return Force(self.point(row[0]), row[1:])

    def _number(self, number: Expression, kind: str, least: int) -> int:
        count = len(self._lists.get(kind, ()))
        if isinstance(number, bool) or not isinstance(number, int) or not least <= number <= count:
            raise ModelError(f"{self._place}: there is no {kind}({number!r}); valid numbers are {least} to {count}")
        return number
