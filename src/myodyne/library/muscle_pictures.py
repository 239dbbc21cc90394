"""Where muscles of planar bodies run, for pictures only: their lengths are functions that know no points.

Places are ours, chosen by eye so that the muscles look right. They enter no equation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from myodyne.library.mobility import tidy
from myodyne.model.joints import Joint
from myodyne.model.model import Model
from myodyne.model.muscles.muscle import Muscle
from myodyne.model.part import Vector
from myodyne.model.paths import PathPoint


class Place(NamedTuple):
    """A point beside a segment: the share of the way from its upper joint to its lower one, and how far in front (m).

    On the trunk and the foot, which have one of these joints, the first number is a height above that joint (m).
    """

    segment: str
    along: float
    front: float


_HEEL = Place("foot", -0.045, -0.05)
_KNEECAP = (Place("thigh", 0.93, 0.052), Place("shank", 0.0, 0.056), Place("shank", 0.13, 0.034))
_LEG: dict[str, tuple[Place, ...]] = {
    "iliopsoas": (Place("trunk", 0.16, 0.02), Place("trunk", 0.02, 0.05), Place("thigh", 0.15, 0.022)),
    "glutei": (Place("trunk", 0.11, -0.06), Place("trunk", 0.0, -0.075), Place("thigh", 0.22, -0.035)),
    "hamstrings": (Place("trunk", -0.05, -0.065), Place("thigh", 0.5, -0.06), Place("shank", 0.1, -0.04)),
    "rectus_femoris": (Place("trunk", 0.05, 0.055), Place("thigh", 0.12, 0.07), Place("thigh", 0.5, 0.07), *_KNEECAP),
    "vasti": (Place("thigh", 0.25, 0.035), Place("thigh", 0.6, 0.052), *_KNEECAP),
    "gastrocnemius": (Place("thigh", 0.94, -0.03), Place("shank", 0.2, -0.062), Place("shank", 0.55, -0.052), _HEEL),
    "soleus": (Place("shank", 0.15, -0.03), Place("shank", 0.5, -0.04), _HEEL),
    "tibialis_anterior": (Place("shank", 0.15, 0.035), Place("shank", 0.85, 0.04), Place("foot", -0.02, 0.07)),
}


def with_leg_pictures(model: Model, naming: str = "{}", trunk: str = "trunk") -> Model:
    """Return a model whose leg muscles have points to be drawn; ``naming`` turns names into those of the side.

    Examples
    --------
    >>> from myodyne.library.jumper import jumper
    >>> [point.body for point in jumper().muscles["soleus"].path.shown]
    ['shank', 'shank', 'foot']
    """
    segments = {name: naming.format(name) for name in ("thigh", "shank", "foot")} | {"trunk": trunk}
    hip, knee, ankle = (model.joints[naming.format(name)] for name in ("hip", "knee", "ankle"))
    ends = {"trunk": (hip, None), "thigh": (hip, knee), "shank": (knee, ankle), "foot": (ankle, None)}
    drawn = {
        naming.format(name): [_point(place, segments[place.segment], *ends[place.segment]) for place in places]
        for name, places in _LEG.items()
        if naming.format(name) in model.muscles
    }
    return model.with_parts(muscles=_drawn(model, drawn))


def with_arm_pictures(model: Model) -> Model:
    """Return a planar arm, which lies along x, whose muscles have points to be drawn: flexors in front, at +y."""
    bodies = ("ground", "upper_arm", "forearm")
    drawn = {}
    for name in model.muscles:
        side = 1.0 if name.endswith("flexor") else -1.0
        places = _ARM[name.rpartition("_")[0]]
        drawn[name] = [PathPoint(body=bodies[number], at=(x, side * y, 0.0)) for number, x, y in places]
    return model.with_parts(muscles=_drawn(model, drawn))


# The body's number from the shoulder outwards, the way along it from its joint, and how far beside it (m).
_ARM: dict[str, tuple[tuple[int, float, float], ...]] = {
    "shoulder": ((0, -0.03, 0.09), (1, 0.04, 0.045), (1, 0.14, 0.02)),
    "elbow": ((1, 0.12, 0.022), (1, 0.26, 0.038), (2, 0.05, 0.026)),
    "biarticular": ((0, 0.0, 0.06), (1, 0.06, 0.05), (1, 0.24, 0.05), (2, 0.06, 0.03)),
}


def _drawn(model: Model, points: Mapping[str, Sequence[PathPoint]]) -> dict[str, Muscle]:
    return {
        name: model.muscles[name].model_copy(
            update={"path": model.muscles[name].path.model_copy(update={"shown": tuple(places)})}
        )
        for name, places in points.items()
    }


def _point(place: Place, body: str, upper: Joint, lower: Joint | None) -> PathPoint:
    x, y, z = _at(upper, body)
    if lower is None:
        return PathPoint(body=body, at=(tidy(x + place.front), tidy(y + place.along), z))
    end = _at(lower, body)
    share = place.along
    at = (x + share * (end[0] - x) + place.front, y + share * (end[1] - y), z + share * (end[2] - z))
    return PathPoint(body=body, at=(tidy(at[0]), tidy(at[1]), tidy(at[2])))


def _at(joint: Joint, body: str) -> Vector:
    return joint.parent.at if joint.parent.body == body else joint.child.at
