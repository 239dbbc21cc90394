"""Moment arms of musculotendon paths by generalised lines of action (equations 149 to 195).

A path runs through points fixed to bodies. Between two bodies it pulls both along the line between the two points.
On each body these forces are reduced to the origin, as a force and a moment per unit of tension. Virtual work then
gives the generalised force per unit of tension, which is the moment arm ``-∂L/∂q``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from myodyne.errors import ModelError, SolveError, unknown_name
from myodyne.formulations.matrix_calculus.calculus import Array
from myodyne.formulations.matrix_calculus.frames import skew
from myodyne.formulations.matrix_calculus.kinematics import Kinematics

Points: TypeAlias = Sequence[tuple[str, ArrayLike]]
Paths: TypeAlias = Mapping[str, Points] | Sequence[Points]


@dataclass(frozen=True, eq=False)
class Stop:
    """Consecutive points of a path on one body; only the first and the last determine its forces.

    The stops of a path in order are its attachment sequence (definition 2). A body may occur in it twice.
    """

    frame: int
    points: Array

    @property
    def first(self) -> Array:
        """The point ``P^F`` at which the path arrives, in the axes of the body."""
        point: Array = self.points[0]
        return point

    @property
    def last(self) -> Array:
        """The point ``P^L`` at which the path leaves, in the axes of the body."""
        point: Array = self.points[-1]
        return point


@dataclass(frozen=True, eq=False)
class AttachedPath:
    """A path with its name and its stops."""

    name: str
    stops: tuple[Stop, ...]


def attached_paths(paths: Paths, frame_of_body: Mapping[str, int]) -> tuple[AttachedPath, ...]:
    """Return paths of ``(body, point)`` pairs as attachment sequences, checked."""
    named = dict(paths) if isinstance(paths, Mapping) else {f"path {n}": path for n, path in enumerate(paths)}
    return tuple(_attached(name, path, frame_of_body) for name, path in named.items())


def _attached(name: str, path: Points, frame_of_body: Mapping[str, int]) -> AttachedPath:
    if len(path) < 2:
        raise ModelError(f"'{name}': a path needs two points or more, not {len(path)}")
    groups: list[tuple[int, list[Array]]] = []
    for number, (body, at) in enumerate(path):
        if body not in frame_of_body:
            raise ModelError(f"'{name}', point {number}: {unknown_name('body', body, frame_of_body)}")
        point = np.asarray(at, dtype=float)
        if point.shape != (3,) or not np.isfinite(point).all():
            raise ModelError(f"'{name}', point {number}: expected three finite numbers, not {at!r}")
        frame = frame_of_body[body]
        if not groups or groups[-1][0] != frame:
            groups.append((frame, []))
        groups[-1][1].append(point)
    return AttachedPath(name, tuple(Stop(frame, np.array(points)) for frame, points in groups))


def path_length(pose: Kinematics, path: AttachedPath) -> complex:
    """Return the length of a path (m); complex where the pose is."""
    within = sum(float(np.linalg.norm(np.diff(stop.points, axis=0), axis=1).sum()) for stop in path.stops)
    between = [_span(pose, here, there) for here, there in zip(path.stops, path.stops[1:], strict=False)]
    # Not np.linalg.norm: absolute values are not analytic.
    length: complex = within + sum(np.sqrt(span @ span) for span in between)
    return length


def moment_arm_column(pose: Kinematics, path: AttachedPath) -> Array:
    """Return the moment arms (n,) of a path (m, m/rad): a column of ``R`` (equation 195)."""
    result = np.zeros(pose.size)
    for frame, force, moment in lines_of_action(pose, path):
        result = result + virtual_displacement(pose, frame) @ force + virtual_rotation(pose, frame) @ moment
    return result


def lines_of_action(pose: Kinematics, path: AttachedPath) -> list[tuple[int, Array, Array]]:
    """Return, for each stop on a moving body, its frame, its generalised line of action ``E`` and the moment ``Ê``.

    Definitions 3 and 4, in the axes of the body: the force per unit of tension, and its moment about the origin.
    """
    forces: list[Array] = [np.zeros(3) for _ in path.stops]
    moments: list[Array] = [np.zeros(3) for _ in path.stops]
    for j, (here, there) in enumerate(zip(path.stops, path.stops[1:], strict=False)):
        span = _span(pose, here, there)
        length = float(np.linalg.norm(span))
        if length == 0.0:
            raise SolveError(
                f"'{path.name}': its points on two bodies coincide in this pose, so its force between "
                f"stops {j} and {j + 1} has no direction; move one of the points"
            )
        # The line of action in the axes of this body, and its reciprocal in those of the next (equation 152).
        line = pose.transform(here.frame)[:3, :3].T @ span / length
        reciprocal = -pose.relative(there.frame, here.frame)[:3, :3] @ line
        forces[j] = forces[j] + line
        moments[j] = moments[j] + skew(here.last) @ line
        forces[j + 1] = forces[j + 1] + reciprocal
        moments[j + 1] = moments[j + 1] + skew(there.first) @ reciprocal
    return [
        (stop.frame, force, moment)
        for stop, force, moment in zip(path.stops, forces, moments, strict=True)
        if stop.frame >= 0
    ]


def virtual_displacement(pose: Kinematics, frame: int) -> Array:
    """Return ``γ_i`` (n, 3): how the coordinates displace a frame's origin, in the frame's axes (equation 176)."""
    result = np.zeros((pose.size, 3))
    for j in pose.moving_lineage(frame):
        seen, direction = pose.relative(j, frame), np.array(pose.frames[j].direction)
        # A rotation moves the origin perpendicular to its arm; a translation moves it along the direction.
        along = skew(direction) @ seen[:3, 3] if pose.frames[j].motion == "rotation" else direction
        result = result + np.outer(pose.variables.gradients[j], along @ seen[:3, :3])
    return result


def virtual_rotation(pose: Kinematics, frame: int) -> Array:
    """Return ``Jᵀ ϑ β_i`` (n, 3): how the coordinates rotate a frame, in the frame's axes (equations 177 to 184).

    The axis of each rotation must be expressed in the axes of the rotated frame (equation 179).
    """
    result = np.zeros((pose.size, 3))
    for j in pose.moving_lineage(frame):
        if pose.frames[j].motion == "rotation":
            axis = np.array(pose.frames[j].direction) @ pose.relative(j, frame)[:3, :3]
            result = result + np.outer(pose.variables.gradients[j], axis)
    return result


def _span(pose: Kinematics, here: Stop, there: Stop) -> Array:
    """Return the vector from the last point on one body to the first on the next, in the ground."""
    return pose.point_position(there.frame, there.first) - pose.point_position(here.frame, here.last)
