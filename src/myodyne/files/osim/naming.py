"""Names: one for each part of a model, where OpenSim lets a wrap object and a muscle share one."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from myodyne.files.osim.document import Element, Reading

# Sets whose members are parts of the model here as well.
_SETS = ("BodySet", "JointSet", "MarkerSet", "ConstraintSet", "ForceSet", "ComponentSet", "components")


def members(model: Element, *sets: str) -> Iterator[Element]:
    """Yield the objects in these sets of the model, in the order of the file.

    For ``components`` also those in the lists that parts of the model carry, behind the others.
    """
    for child in model.children:
        if child.tag in sets:
            yield from child.objects()
    if "components" in sets:
        yield from _carried(model)


def _carried(model: Element) -> Iterator[Element]:
    """Yield the components of parts of the model."""
    waiting = [child for child in reversed(model.children) if child.tag != "defaults"]
    while waiting:
        element = waiting.pop()
        if element.tag == "components" and element.parent is not model:
            yield from element.objects()
        waiting.extend(reversed(element.children))


def claimed(model: Element, leave_out: Collection[Element] = ()) -> set[str]:
    """Return the names that bodies, joints, coordinates, markers, constraints and forces bear in the file.

    Elements to ``leave_out`` claim no name.
    """
    found = {"ground"}
    outside = {id(element) for element in leave_out}
    for member in members(model, *_SETS):
        # Frames are not parts of a model here.
        if id(member) not in outside and member.tag != "PhysicalOffsetFrame":
            found.add(member.name)
        found.update(part.name for part in member.walk() if part.tag == "Coordinate" or part.tag.endswith("Joint"))
    return found - {""}


def free_name(reading: Reading, element: Element, taken: Collection[str], *, otherwise: str, unnamed: str = "") -> str:
    """Return the name of an element, or another one, with a remark, where that is taken or cannot be a name here.

    It is then preceded by ``otherwise``, or followed by it if that begins with an underscore; ``unnamed`` is for
    elements without a name.
    """
    plain = " ".join("".join(letter if letter.isprintable() else " " for letter in element.name).split())
    plain = plain.replace("/", "_")[:100] or unnamed or element.tag.lower()
    if plain in taken:
        plain = plain + otherwise if otherwise.startswith("_") else f"{otherwise}_{plain}"
    found = plain
    if found in taken:
        # Steps that double: a file that repeats one name must not take forever.
        above = 2
        while f"{plain}_{above}" in taken:
            above *= 2
        below = above // 2
        while above - below > 1:
            middle = (below + above) // 2
            below, above = (middle, above) if f"{plain}_{middle}" in taken else (below, middle)
        found = f"{plain}_{above}"
    if element.name and found != element.name:
        reading.approximate(element, f"called '{found}' here, where every part of a model has a name of its own")
    return found


def last_part(path: str) -> str:
    """Return the last name of a component's path."""
    return path.strip().rstrip("/").rsplit("/", 1)[-1]
