"""One tree from any graph of joints: some are turned round, loops are cut, and stray bodies float."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from myodyne.errors import unknown_name
from myodyne.files.osim.document import Element, Reading
from myodyne.files.osim.skeleton.joints import JointDraft, plain_axis
from myodyne.model.bodies import GROUND, Body, Inertia, Placement
from myodyne.model.constraints import WeldConstraint
from myodyne.model.joints import Coordinate


@dataclass
class Tree:
    """The joints that carry the bodies, the bodies with those that cut loops, and the welds that close them."""

    joints: list[JointDraft] = field(default_factory=list)
    bodies: dict[str, Body] = field(default_factory=dict)
    welds: dict[str, WeldConstraint] = field(default_factory=dict)


def grow(
    reading: Reading, drafts: list[JointDraft], bodies: Mapping[str, Body], elements: Mapping[str, Element]
) -> Tree:
    """Return the tree over all bodies that is rooted in the ground."""
    tree = Tree(bodies=dict(bodies))
    levels = {GROUND: 0}
    for draft in drafts:
        for body in (draft.parent.body, draft.child.body):
            if body != GROUND and body not in bodies:
                raise draft.element.fault(unknown_name("body", body, bodies))
        if draft.parent.body == draft.child.body:
            raise draft.element.fault(f"joins body '{draft.child.body}' to itself")
    waiting = _spread(reading, tree, levels, drafts)
    for name in bodies:
        if name not in levels:
            # The one that no joint carries hangs on the ground; what it carries follows.
            carried = {draft.child.body for draft in waiting}
            stray = (
                name
                if name not in carried
                else next((other for other in bodies if other not in levels and other not in carried), name)
            )
            _set_free(reading, tree, stray, elements)
            levels[stray] = 1
            waiting = _spread(reading, tree, levels, waiting)
    _cut_loops(reading, tree, waiting)
    return tree


def _spread(reading: Reading, tree: Tree, levels: dict[str, int], drafts: list[JointDraft]) -> list[JointDraft]:
    """Hang bodies on the tree, level by level as OpenSim does; return the joints that would close loops."""
    waiting = dict(enumerate(drafts))
    ends: dict[str, list[int]] = {}
    for number, draft in waiting.items():
        for body in (draft.parent.body, draft.child.body):
            ends.setdefault(body, []).append(number)
    standing: dict[int, list[str]] = {}
    for body, level in levels.items():
        standing.setdefault(level, []).append(body)
    level = 0
    while waiting and level <= max(standing):
        # In the order of the file, and only those that lead to or from a body of this level.
        for number in sorted({number for body in standing.get(level, ()) for number in ends.get(body, ())}):
            if number not in waiting:
                continue
            draft = waiting[number]
            parent, child = levels.get(draft.parent.body), levels.get(draft.child.body)
            if parent == level and child is None:
                chosen = draft
            elif child == level and parent is None:
                chosen = draft.reversed()
                reading.approximate(
                    draft.element, "reversed, because its child is nearer to the ground; the motion is the same"
                )
            else:
                continue
            levels[chosen.child.body] = level + 1
            standing.setdefault(level + 1, []).append(chosen.child.body)
            tree.joints.append(chosen)
            del waiting[number]
        level += 1
    return list(waiting.values())


def _set_free(reading: Reading, tree: Tree, name: str, elements: Mapping[str, Element]) -> None:
    element = elements[name]
    reading.approximate(element, "no joint carries it: joined to the ground by a free joint, as in OpenSim")
    joint = f"free_{name}"
    names = [f"{joint}_coord_{number}" for number in range(6)]
    axes = [
        *(plain_axis("translation", letter, c) for letter, c in zip("xyz", names[3:], strict=True)),
        *(plain_axis("rotation", letter, c) for letter, c in zip("xyz", names[:3], strict=True)),
    ]
    tree.joints.append(
        JointDraft(
            joint,
            element,
            Placement(body=GROUND),
            Placement(body=name),
            axes,
            {coordinate: Coordinate() for coordinate in names},
        )
    )


def _cut_loops(reading: Reading, tree: Tree, closing: list[JointDraft]) -> None:
    """Let joints that close a loop carry a copy of their child, which is welded to it."""
    copies: dict[str, list[str]] = {}
    for joint in closing:
        draft = joint.reversed() if joint.child.body == GROUND else joint
        whole = draft.child.body
        copy = f"{whole}_copy{len(copies.setdefault(whole, [])) + 1}"
        if copy in tree.bodies:
            raise draft.element.fault(f"closes a loop, for which a body '{copy}' is needed, but there is one already")
        copies[whole].append(copy)
        draft.child = draft.child.model_copy(update={"body": copy})
        tree.joints.append(draft)
        tree.welds[f"{copy}_weld"] = WeldConstraint(first=Placement(body=whole), second=Placement(body=copy))
        reading.approximate(
            joint.element,
            f"closes a loop: it carries the copy '{copy}' of its child, with a share "
            "of the mass, welded to it by a constraint, as in OpenSim",
        )
    for whole, names in copies.items():
        share = _share(tree.bodies[whole], len(names) + 1)
        tree.bodies[whole] = share
        tree.bodies.update({name: share.model_copy(update={"geometry": ()}) for name in names})


def _share(body: Body, count: int) -> Body:
    entries = {name: getattr(body.inertia, name) / count for name in ("xx", "yy", "zz", "xy", "xz", "yz")}
    inertia = Inertia(**entries, as_published=body.inertia.as_published)
    return body.model_copy(update={"mass": body.mass / count, "inertia": inertia})
