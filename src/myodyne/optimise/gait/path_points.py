"""Ranges of gait that end where a point of a path comes or goes: beyond it the path is another one."""

from __future__ import annotations

from collections.abc import Mapping

from myodyne.model import ConditionalPoint, Model, PointPath
from myodyne.optimise.gait.ranges import Limits

# Part of a range at either end that gaits hardly use.
_OUTER = 0.25


def within_path_points(
    model: Model, ranges: Mapping[str, Limits], used: Mapping[str, Limits] | None = None
) -> dict[str, Limits]:
    """Return ranges without an outer part in which a conditional point of a muscle comes or goes.

    OpenSim's psoas leaves the brim of the pelvis at 45 degrees of hip flexion, which walking does not reach. There its
    moment arm jumps, so a range that ends before it costs nothing and keeps the path smooth. A point that comes or goes
    in the middle of a range stays: `smooth_paths` fits such a path. So does one within the angles that people ``used``:
    the hamstrings of gait2392 have points that come at 19 degrees of knee flexion, and a leg that cannot be straighter
    does not walk like a person's.

    Examples
    --------
    >>> import myodyne as my
    >>> within_path_points(my.load_model("gait2d"), {"right_hip": (-0.6, 1.0)})
    {'right_hip': (-0.6, 1.0)}
    """
    kept = used or {}
    found = dict(ranges)
    for muscle in model.muscles.values():
        for point in muscle.path.points if isinstance(muscle.path, PointPath) else ():
            if isinstance(point, ConditionalPoint) and point.coordinate in ranges:
                (low, high), (first, last) = ranges[point.coordinate], found[point.coordinate]
                outer = _OUTER * (high - low)
                least, most = kept.get(point.coordinate, (high, low))
                first = max([first, *(end for end in point.range if low < end < min(low + outer, least))])
                last = min([last, *(end for end in point.range if max(high - outer, most) < end < high)])
                found[point.coordinate] = (first, last)
    return found
