"""The kept twin of a model: what joint functions embed becomes coordinates and constraints."""

from __future__ import annotations

import numpy as np

from myodyne.errors import ModelError
from myodyne.formulations.matrix_calculus.joint_variables import coordinate_variables, couplings, evaluator
from myodyne.model import Axis, Constant, Constraint, Coordinate, CouplerConstraint, Function, Joint, Linear, Model


def kept(model: Model) -> Model:
    """Return the same mechanism with a coordinate for every axis that follows a function, held by a constraint.

    An axis of a joint that follows a function gets the coordinate ``<joint>_<number of the axis>``, and a
    `CouplerConstraint` of the same name with ``_follows`` holds it to the function; coupled coordinates become free and
    are held likewise. The motion is the same, by a differential-algebraic equation in place of an ordinary one: it
    shows what embedding saves. A joint that undoes turns of its parent (`oriented`) has more turns than a body has
    freedoms, its twin no regular mass matrix, and is refused by name.

    Examples
    --------
    >>> import myodyne as my
    >>> roll = my.Polynomial(of=("knee",), terms=(my.Term(coefficient=0.01, powers=(2,)),))
    >>> bend = my.Axis(motion="rotation", direction="z", function="knee")
    >>> slide = my.Axis(motion="translation", direction="x", function=roll)
    >>> leg = my.Model(name="leg", bodies={"shank": my.Body(mass=3.0, inertia=0.05)}, joints={"knee_joint": my.Joint(
    ...     parent={"body": "ground"}, child={"body": "shank"}, coordinates={"knee": {}}, axes=[bend, slide])})
    >>> twin = my.kept(leg)
    >>> twin.moving, list(twin.constraints)
    (('knee', 'knee_joint_2'), ['knee_joint_2_follows'])
    """
    start = _Start(model)
    joints: dict[str, Joint] = {}
    constraints: dict[str, Constraint] = {}
    for name, joint in model.joints.items():
        coordinates = {n: _freed(n, part, start, constraints) for n, part in joint.coordinates.items()}
        axes = list(joint.axes)
        for number, axis in enumerate(joint.axes):
            if _stays(axis, joint) or _only_mover(model, axis):
                continue
            own = f"{name}_{number + 1}"
            value, speed = start.of(axis.function)
            coordinates[own] = Coordinate(default=value, default_speed=speed)
            axes[number] = axis.model_copy(update={"function": Linear(coordinate=own)})
            constraints[f"{own}_follows"] = CouplerConstraint(coordinate=own, function=axis.function)
        _check(name, axes)
        joints[name] = joint.model_copy(update={"coordinates": coordinates, "axes": tuple(axes)})
    data = {field: getattr(model, field) for field in type(model).model_fields}
    return Model(**{**data, "joints": joints, "constraints": {**model.constraints, **constraints}})


class _Start:
    """Values and speeds of functions at the defaults of a model."""

    def __init__(self, model: Model) -> None:
        self._size = len(model.moving)
        defaults = [model.coordinates[name].default for name in model.moving]
        self._speeds = np.array([model.coordinates[name].default_speed for name in model.moving])
        locked = {name: part.default for name, part in model.coordinates.items() if part.locked}
        self._variables = coordinate_variables(np.array(defaults), list(model.moving), locked)
        for name, follow in couplings(model).items():
            self._variables[name] = follow(self._variables, self._size)

    def of(self, function: Function) -> tuple[float, float]:
        found = evaluator(function)(self._variables, self._size)
        return float(np.real(found.value)), float(np.real(found.gradient) @ self._speeds)


def _freed(name: str, part: Coordinate, start: _Start, constraints: dict[str, Constraint]) -> Coordinate:
    if part.coupled is None:
        return part
    constraints[f"{name}_follows"] = CouplerConstraint(coordinate=name, function=part.coupled)
    value, speed = start.of(part.coupled)
    return part.model_copy(update={"coupled": None, "default": value, "default_speed": speed})


def _stays(axis: Axis, joint: Joint) -> bool:
    """Return whether an axis is moved by a coordinate of its own joint, or by none."""
    function = axis.function
    return isinstance(function, Constant) or (isinstance(function, Linear) and function.coordinate in joint.coordinates)


def _only_mover(model: Model, axis: Axis) -> bool:
    """Return whether a coordinate moves bodies by this function alone: it would otherwise move nothing."""
    names = axis.function.coordinates
    if len(names) != 1:
        return False
    axes = [(joint, other) for joint in model.joints.values() for other in joint.axes]
    users = [other for joint, other in axes if names[0] in other.function.coordinates]
    return not any(_stays(other, joint) and other in users for joint, other in axes) and users[0] is axis


def _check(name: str, axes: list[Axis]) -> None:
    turns = [axis for axis in axes if axis.motion == "rotation" and not isinstance(axis.function, Constant)]
    shifts = [axis for axis in axes if axis.motion == "translation" and not isinstance(axis.function, Constant)]
    if len(turns) > 3 or len(shifts) > 3:
        raise ModelError(
            f"joint '{name}' has {len(turns)} turns and {len(shifts)} shifts that move: with a coordinate each "
            "its mass matrix would be singular; describe its orientation by three turns"
        )
