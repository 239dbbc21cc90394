"""Names of joints and coordinates: OpenSim gives some of its own, and lets two joints share that of a coordinate."""

from __future__ import annotations

from collections.abc import Sequence

from myodyne.files.osim.document import Element, Reading
from myodyne.files.osim.skeleton.coordinates import coordinate_elements


def name_joints(reading: Reading, joints: Sequence[Element]) -> None:
    """Give joints without a name the one that OpenSim gives them, with a remark: pinjoint, pinjoint_0, pinjoint_1."""
    taken = {joint.name for joint in joints}
    counts: dict[str, int] = {}
    for joint in joints:
        if joint.name:
            continue
        plain = joint.tag.lower()
        name = plain
        while name in taken:
            name = f"{plain}_{counts.setdefault(plain, 0)}"
            counts[plain] += 1
        joint.name = name
        taken.add(name)
        reading.suspect(joint, f"has no name; called '{name}', as in OpenSim")


def part_coordinates(reading: Reading, joints: Sequence[Element]) -> None:
    """Let a coordinate whose name an earlier joint has be called after its joint: ``knee_l_angle``.

    What refers to it by a path, ``/jointset/knee_l/angle``, means this one; a bare name means the first, as in OpenSim.
    """
    taken = {element.name for joint in joints for element in coordinate_elements(None, joint)}
    seen: set[str] = set()
    renamed: dict[str, str] = {}
    for joint in joints:
        for element in coordinate_elements(None, joint):
            old = element.name
            if not old or old not in seen:
                seen.add(old)
                continue
            new = f"{joint.name}_{old}"
            while new in taken:
                new += "_"
            taken.add(new)
            element.name = new
            renamed[f"{joint.name}/{old}"] = new
            _rename_in(joint, old, new)
            reading.approximate(element, f"called '{new}' here: a coordinate '{old}' belongs to another joint too")
    if renamed and joints:
        _follow(joints[0].document.root, renamed)


def _rename_in(joint: Element, old: str, new: str) -> None:
    for part in joint.walk():
        if part.tag in ("coordinates", "coordinate") and part.content:
            part.content = " ".join(new if word == old else word for word in part.content.split())


def _follow(root: Element, renamed: dict[str, str]) -> None:
    for part in root.walk():
        if part.children or "/" not in part.content:
            continue
        words = part.content.split()
        for place, word in enumerate(words):
            found = renamed.get("/".join(word.split("/")[-2:]))
            if found is not None:
                words[place] = f"{word.rpartition('/')[0]}/{found}"
        part.content = " ".join(words)
