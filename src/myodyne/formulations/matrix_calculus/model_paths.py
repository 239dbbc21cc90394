"""Attachment sequences of the muscles of a model: points that move, come and go, and surfaces (definitions 2 to 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from myodyne.errors import ModelError
from myodyne.formulations.matrix_calculus.calculus import Array
from myodyne.formulations.matrix_calculus.joint_variables import JointVariable, evaluator
from myodyne.formulations.matrix_calculus.kinematics import Kinematics
from myodyne.formulations.matrix_calculus.moment_arms import AttachedPath, Stop, moment_arm_column, path_length
from myodyne.formulations.matrix_calculus.surfaces import contact
from myodyne.model import ConditionalPoint, Model, MovingPoint, PathPoint, PointPath
from myodyne.numerics.rotations import rotation as rotation_of


@dataclass(frozen=True, eq=False)
class Attachment:
    """A point of a path in one pose: its frame, its place there (m), and how the coordinates move it there (3, n)."""

    frame: int
    at: Array
    slopes: Array | None = None


@dataclass(frozen=True, eq=False)
class AttachmentSequence:
    """The points of a path in one pose, from origin to insertion, and the length (m) that lies on surfaces.

    ``contacts`` are the places in the sequence at which the path touches a surface, to leave it at the next.
    """

    name: str
    points: tuple[Attachment, ...]
    contacts: Mapping[int, float] = field(default_factory=dict)

    def length(self, pose: Kinematics) -> float:
        """Return the length (m): straight pieces, and what lies on surfaces."""
        chords = [
            float(np.linalg.norm(_place(pose, self.points[i + 1]) - _place(pose, self.points[i])))
            for i in self.contacts
        ]
        return float(np.real(path_length(pose, self._stops()))) - sum(chords) + sum(self.contacts.values())

    def moment_arms(self, pose: Kinematics) -> Array:
        """Return ``-∂L/∂q`` (n,): work of the lines of action on the bodies, and on points that move along them."""
        result = moment_arm_column(pose, self._stops())
        for number, point in enumerate(self.points):
            if point.slopes is not None:
                result = result + (pose.transform(point.frame)[:3, :3] @ point.slopes).T @ self._pull(pose, number)
        return result

    def _pull(self, pose: Kinematics, number: int) -> Array:
        """Return the force of a unit tension on a point, in the ground: towards both neighbours."""
        total: Array = np.zeros(3)
        for other in (number - 1, number + 1):
            if 0 <= other < len(self.points):
                span = _place(pose, self.points[other]) - _place(pose, self.points[number])
                total = total + span / np.linalg.norm(span)
        return total

    def _stops(self) -> AttachedPath:
        groups: list[tuple[int, list[Array]]] = []
        for point in self.points:
            if not groups or groups[-1][0] != point.frame:
                groups.append((point.frame, []))
            groups[-1][1].append(point.at)
        return AttachedPath(self.name, tuple(Stop(frame, np.array(points)) for frame, points in groups))


def _place(pose: Kinematics, point: Attachment) -> Array:
    return np.real(pose.point_position(point.frame, point.at))


class ModelPaths:
    """The paths of a model's muscles, whose attachment sequence depends on the pose."""

    def __init__(self, model: Model, frame_of_body: Mapping[str, int]) -> None:
        self._model, self._frames = model, frame_of_body
        self.paths = {name: part.path for name, part in model.muscles.items() if isinstance(part.path, PointPath)}

    def sequence(self, name: str, pose: Kinematics, variables: Mapping[str, JointVariable]) -> AttachmentSequence:
        """Return the attachment sequence of a muscle (definition 2)."""
        path = self.paths[name]
        present = [
            (number, self._attachment(point, variables))
            for number, point in enumerate(path.points, start=1)
            if not isinstance(point, ConditionalPoint) or _touched(point, variables)
        ]
        if not path.wraps:
            return AttachmentSequence(name, tuple(point for _, point in present))
        if len(path.wraps) > 1:
            raise ModelError(f"'{name}' wraps over {len(path.wraps)} surfaces; lines of action take one at most")
        return self._wrapped(name, pose, present)

    def _attachment(
        self, point: PathPoint | MovingPoint | ConditionalPoint, variables: Mapping[str, JointVariable]
    ) -> Attachment:
        if not isinstance(point, MovingPoint):
            return Attachment(self._frames[point.body], np.array(point.at, dtype=float))
        inside = _clamped(point, variables)
        found = [evaluator(function)(inside, _size(variables)) for function in point.at]
        slopes = np.array([np.real(each.gradient) for each in found])
        return Attachment(self._frames[point.body], np.array([float(np.real(each.value)) for each in found]), slopes)

    def _wrapped(self, name: str, pose: Kinematics, present: list[tuple[int, Attachment]]) -> AttachmentSequence:
        wrap = self.paths[name].wraps[0]
        surface = self._model.surfaces[wrap.surface]
        low, high = wrap.first or 1, wrap.last or len(self.paths[name].points)
        frame = self._frames[surface.frame.body]
        rotation, at = rotation_of(surface.frame.orientation), np.array(surface.frame.at)
        whole = pose.transform(frame)

        def seen(point: Attachment) -> Array:
            local = whole[:3, :3].T @ (_place(pose, point) - whole[:3, 3])
            found: Array = rotation.T @ (np.real(local) - at)
            return found

        for place, ((first, here), (last, there)) in enumerate(pairwise(present)):
            touched = contact(surface, seen(here), seen(there)) if low <= first and last <= high else None
            if touched is not None:
                ends = [Attachment(frame, at + rotation @ point) for point in (touched.touch, touched.leave)]
                points = [point for _, point in present]
                return AttachmentSequence(
                    name, (*points[: place + 1], *ends, *points[place + 1 :]), {place + 1: touched.length}
                )
        return AttachmentSequence(name, tuple(point for _, point in present))


def _touched(point: ConditionalPoint, variables: Mapping[str, JointVariable]) -> bool:
    return bool(point.range[0] <= float(np.real(variables[point.coordinate].value)) <= point.range[1])


def _clamped(point: MovingPoint, variables: Mapping[str, JointVariable]) -> Mapping[str, JointVariable]:
    """Return the coordinates with the one of the point kept within its range, where it stands still beyond."""
    if point.range is None:
        return variables
    name = point.coordinates[0]
    low, high = point.range
    value = float(np.real(variables[name].value))
    if low <= value <= high:
        return variables
    size = _size(variables)
    return {**variables, name: JointVariable.constant(min(max(value, low), high), size)}


def _size(variables: Mapping[str, JointVariable]) -> int:
    return len(next(iter(variables.values())).gradient)
