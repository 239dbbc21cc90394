"""Discontinuities of path lengths, which neither forces nor optimisers can follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from myodyne.errors import ModelError, unknown_name
from myodyne.model import Model
from myodyne.paths.samples import PathOfModel, Ranges
from myodyne.types import Floats

# Intervals per line through the range of a coordinate, and bisections that locate a jump to a billionth of one.
_INTERVALS, _HALVINGS = 100, 30


@dataclass(frozen=True)
class PathJump:
    """A jump of a length: which coordinate moves, where (rad or m), by how much (m), and the pose of all it crosses.

    ``cause`` names what makes it jump: a "conditional point", the "rules of OpenSim", or, along shortest paths, the
    "end of" a cylinder, off which the path slips, the "side of" a surface, to which it is held, the "overlap at" a
    surface with that of another body, or "another way" that is shorter.

    Examples
    --------
    >>> import myodyne as my
    >>> my.PathJump(coordinate="knee", at=-1.2, size=0.004, pose={"knee": -1.2}, cause="conditional point").size
    0.004
    """

    coordinate: str
    at: float
    size: float
    pose: Mapping[str, float]
    cause: str = ""


def path_jumps(
    model: Model, muscle: str, *, ranges: Ranges | None = None, lines: int = 20, smallest: float = 1e-5, seed: int = 0
) -> tuple[PathJump, ...]:
    """Return where the length of a muscle's path jumps within the range of motion, the largest jump first.

    Each coordinate that the path crosses moves through its whole range on ``lines`` lines, the other coordinates
    standing anywhere in theirs. Jumps below ``smallest`` (m) are left out. A jump that no line meets is not found.

    Examples
    --------
    A conditional point beside the straight line makes the length jump where it comes into play:

    >>> import myodyne as my
    >>> pendulum = my.load_model("double_pendulum")
    >>> points = (("rod1", (0.1, -0.5, 0.0)),
    ...           my.ConditionalPoint(body="rod1", at=(0.3, -0.9, 0.0), coordinate="angle2", range=(0.5, 2.0)),
    ...           ("rod2", (0.1, -0.5, 0.0)))
    >>> flexor = my.Muscle(path=my.PointPath(points=points), max_force=100.0, optimal_fibre_length=0.3,
    ...                    tendon_slack_length=0.6)
    >>> arm = pendulum.with_parts(muscles={"flexor": flexor})
    >>> jump, *_ = my.path_jumps(arm, "flexor", ranges={"angle1": (-1.0, 1.0), "angle2": (-1.0, 1.0)}, lines=1)
    >>> jump.coordinate, round(jump.at, 6), jump.size > 0
    ('angle2', 0.5, True)
    """
    if muscle not in model.muscles:
        raise ModelError(unknown_name("muscle", muscle, model.muscles))
    path = PathOfModel(model, muscle, model.muscles[muscle].path, ranges)
    poses = path.poses(lines, seed, corners=False)
    found: list[PathJump] = []
    for number, name in enumerate(path.coordinates):
        found += _along(path, poses, number, name, smallest)
    return tuple(sorted(found, key=lambda jump: -abs(jump.size)))


def _along(path: PathOfModel, poses: Floats, number: int, name: str, smallest: float) -> list[PathJump]:
    """Return the jumps on lines along one coordinate."""
    low, high = path.ranges[name]
    stops = np.linspace(low, high, _INTERVALS + 1)
    grid = np.repeat(poses, len(stops), axis=0)
    grid[:, number] = np.tile(stops, len(poses))
    lengths, gradients = path.at(grid)
    lengths, slopes = lengths.reshape(len(poses), -1), gradients[:, number].reshape(len(poses), -1)
    # The change of length not explained by the slopes at both ends of an interval.
    missing = np.diff(lengths) - 0.5 * (slopes[:, 1:] + slopes[:, :-1]) * np.diff(stops)
    line, interval = np.nonzero(np.abs(missing) > 0.1 * smallest)
    if not len(line):
        return []
    return _located(path, poses[line], number, name, (stops[interval], stops[interval + 1], smallest))


def _located(
    path: PathOfModel, poses: Floats, number: int, name: str, interval: tuple[Floats, Floats, float]
) -> list[PathJump]:
    """Return the jumps within intervals: bisect each, keeping the half whose slopes explain less."""
    start, end, smallest = interval

    def at(places: Floats) -> tuple[Floats, Floats]:
        moved = poses.copy()
        moved[:, number] = places
        lengths, gradients = path.at(moved)
        return lengths, gradients[:, number]

    here, there = at(start), at(end)
    for _ in range(_HALVINGS):
        middle = 0.5 * (start + end)
        between = at(middle)
        half = 0.5 * (middle - start)
        first = np.abs(between[0] - here[0] - half * (here[1] + between[1]))
        second = np.abs(there[0] - between[0] - half * (between[1] + there[1]))
        left = first > second
        start, end = np.where(left, start, middle), np.where(left, middle, end)
        here = np.where(left, here[0], between[0]), np.where(left, here[1], between[1])
        there = np.where(left, between[0], there[0]), np.where(left, between[1], there[1])
    sizes = there[0] - here[0]
    found = []
    for k in np.flatnonzero(np.abs(sizes) >= smallest):
        sides = np.repeat(poses[k : k + 1], 2, axis=0)
        sides[:, number] = start[k], end[k]
        pose = dict(zip(path.coordinates, map(float, poses[k]), strict=True))
        found.append(PathJump(name, float(end[k]), float(sizes[k]), pose, path.cause(sides[0], sides[1])))
    return found
