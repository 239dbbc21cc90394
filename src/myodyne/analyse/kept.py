"""The kept twin of a model: what joint functions embed becomes coordinates and constraints."""

from __future__ import annotations

import numpy as np

from myodyne.errors import ModelError
from myodyne.formulations.matrix_calculus.joint_variables import coordinate_variables, couplings, evaluator
from myodyne.model import Axis, Constant, Constraint, Coordinate, CouplerConstraint, Function, Joint, Linear, Model
from myodyne.model.orientation import negated


def kept(model: Model) -> Model:
    """Return the same mechanism with a coordinate for every axis that follows a function, held by a constraint.

    An axis of a joint that follows a function gets the coordinate ``<joint>_<number of the axis>``, and a
    `CouplerConstraint` of the same name with ``_follows`` holds it to the function; coupled coordinates become free and
    are held likewise. The motion is the same, by a differential-algebraic equation in place of an ordinary one: it
    shows what embedding saves. A joint that undoes turns of its parent (`oriented`) has more turns than a body has
    freedoms: its last three get coordinates, those before them undo what the parent's coordinates do.

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
    freed: list[tuple[str, Function]] = []
    for name in model.tree:
        joint = model.joints[name]
        coordinates = {n: _freed(n, part, start, constraints) for n, part in joint.coordinates.items()}
        axes = list(joint.axes)
        surplus = _surplus(name, axes)
        for number, axis in enumerate(joint.axes):
            if number in surplus:
                axes[number] = axis.model_copy(update={"function": _by_coordinate(axis.function, freed)})
            elif not (_stays(axis, joint) or _only_mover(model, axis)):
                own = f"{name}_{number + 1}"
                value, speed = start.of(axis.function)
                coordinates[own] = Coordinate(default=value, default_speed=speed)
                axes[number] = axis.model_copy(update={"function": Linear(coordinate=own)})
                constraints[f"{own}_follows"] = CouplerConstraint(coordinate=own, function=axis.function)
                freed.append((own, axis.function))
        joints[name] = joint.model_copy(update={"coordinates": coordinates, "axes": tuple(axes)})
    data = {field: getattr(model, field) for field in type(model).model_fields}
    ordered = {name: joints[name] for name in model.joints}
    return Model(**{**data, "joints": ordered, "constraints": {**model.constraints, **constraints}})


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
    if isinstance(function, Constant):
        return True
    own = [name for name in function.coordinates if name in joint.coordinates]
    # With a coordinate of its own the axis would leave nothing to the joint's coordinate that moves it.
    return bool(own) and (isinstance(function, Linear) or not _moved_alone(own, axis, joint))


def _moved_alone(names: list[str], axis: Axis, joint: Joint) -> bool:
    """Return whether each of some coordinates moves an axis of its joint directly, beside this one."""
    others = [other.function for other in joint.axes if other is not axis]
    direct = {function.coordinate for function in others if isinstance(function, Linear)}
    return all(name in direct for name in names)


def _only_mover(model: Model, axis: Axis) -> bool:
    """Return whether a coordinate moves bodies by this function alone: it would otherwise move nothing."""
    names = axis.function.coordinates
    if len(names) != 1:
        return False
    axes = [(joint, other) for joint in model.joints.values() for other in joint.axes]
    users = [other for joint, other in axes if names[0] in other.function.coordinates]
    return not any(_stays(other, joint) and other in users for joint, other in axes) and users[0] is axis


def _surplus(name: str, axes: list[Axis]) -> set[int]:
    """Return the first turns of a joint, which leave three to its body."""
    moving = {
        kind: [number for number, axis in enumerate(axes) if axis.motion == kind and not _still(axis)]
        for kind in ("rotation", "translation")
    }
    if len(moving["translation"]) > 3:
        raise ModelError(
            f"joint '{name}' has {len(moving['translation'])} shifts that move: with a coordinate each its mass matrix "
            "would be singular; describe its place by three shifts"
        )
    return set(moving["rotation"][:-3])


def _still(axis: Axis) -> bool:
    return isinstance(axis.function, Constant)


def _by_coordinate(function: Function, freed: list[tuple[str, Function]]) -> Function:
    """Return a function by the coordinate that follows it, or its opposite, where there is one."""
    for name, followed in freed:
        if function == followed:
            return Linear(coordinate=name)
        if function == negated(followed):
            return Linear(coordinate=name, slope=-1.0)
    return function
