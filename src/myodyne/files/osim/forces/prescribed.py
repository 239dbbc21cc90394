"""Controls and forces that an OpenSim model prescribes over time."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from myodyne.errors import ModelError, listed
from myodyne.files.osim.document import Element, Reading
from myodyne.files.osim.forces.actuators import turned
from myodyne.files.osim.forces.surroundings import Surroundings
from myodyne.files.osim.functions import read_function
from myodyne.files.osim.naming import last_part, members
from myodyne.files.osim.skeleton.frames import socket
from myodyne.model.actuators import PointActuator, TorqueActuator
from myodyne.model.constraints import TIME
from myodyne.model.forces import Force
from myodyne.model.functions import Constant, Product
from myodyne.model.part import AXES
from myodyne.model.prescribed import ControlFunction, Steps

_LISTS = ("ControllerSet", "ComponentSet", "components")
_AROUND = {("y", "z"): ("x", 1.0), ("z", "y"): ("x", -1.0), ("z", "x"): ("y", 1.0), ("x", "z"): ("y", -1.0)}
# The torque of a force along the second axis at a place along the first.
_AROUND |= {("x", "y"): ("z", 1.0), ("y", "x"): ("z", -1.0)}


def time_function(reading: Reading, element: Element) -> ControlFunction:
    """Return a function of time."""
    if element.tag == "PiecewiseConstantFunction":
        reading.read(element)
        return Steps(x=element.numbers("x"), y=element.numbers("y"))
    return read_function(reading, element, (TIME,))


def _three(around: Surroundings, element: Element, tag: str) -> dict[str, ControlFunction]:
    """Return the functions of a set by the axes that they are along; none if the set is empty."""
    held = next((child for child in element.children if tag in (child.tag, child.name)), None)
    if held is None:
        return {}
    inner = next((child for child in held.children if child.tag == "FunctionSet"), held)
    around.reading.read(*(part for part in (held, inner) if part.is_object))
    elements = inner.objects()
    if len(elements) not in (0, 3):
        raise element.fault(f"<{tag}> holds {len(elements)} functions; a vector has three")
    return {letter: time_function(around.reading, part) for letter, part in zip("xyz", elements, strict=False)}


def prescribed_force(around: Surroundings, element: Element) -> list[tuple[str, Force]]:
    """Return a force and a torque on a body as actuators whose controls are functions of time."""
    frame = socket(element, "frame", "body")
    if frame is None:
        raise element.fault("names no frame (<socket_frame>)")
    place = around.frames.resolve(frame, element)
    # Its vectors are in the axes of the ground unless it says otherwise.
    fixed, place_fixed = element.flag("forceIsGlobal", True), element.flag("pointIsGlobal", False)
    forces, points, torques = (
        _three(around, element, tag) for tag in ("forceFunctions", "pointFunctions", "torqueFunctions")
    )
    numbers = [part.value for part in points.values() if isinstance(part, Constant)]
    moving = forces and points and len(numbers) < 3
    stepped = any(isinstance(part, Steps) for part in (*forces.values(), *points.values()))
    if moving and (fixed != place_fixed or stepped):
        raise ModelError("a point that moves in other axes than the force, or in steps, is not supported")
    at = (0.0, 0.0, 0.0) if moving or not points else (numbers[0], numbers[1], numbers[2])
    at_frame = "ground" if place_fixed and points else "body"
    if at_frame == "body":
        at = around.frames.point(frame, at, element).at
    axes = "ground" if fixed else "body"
    directions = {letter: unit if fixed else turned(place, unit) for letter, unit in AXES.items()}
    found: list[tuple[str, Force]] = []

    def add(name: str, actuator: Force, function: ControlFunction) -> None:
        if not (isinstance(function, Constant) and function.value == 0.0):
            found.append((name, actuator))
            around.prescribed[name] = function

    for letter, function in forces.items():
        push = PointActuator(body=place.body, at=at, at_frame=at_frame, direction=directions[letter], axes=axes)
        add(f"{element.name}_force_{letter}", push, function)
    for letter, function in torques.items():
        twist = TorqueActuator(body=place.body, axis=directions[letter], axes=axes)
        add(f"{element.name}_torque_{letter}", twist, function)
    for (along, force), (axis, sign) in _AROUND.items() if moving else ():
        twist = TorqueActuator(body=place.body, axis=directions[axis], axes=axes, gain=sign)
        factors = points[along], forces[force]
        if not any(isinstance(part, Constant) and part.value == 0.0 for part in factors):
            add(f"{element.name}_shift_{along}{force}", twist, Product(factors=factors))
    return found


def read_controllers(
    reading: Reading, model: Element, controls: Collection[str], renamed: Mapping[str, str]
) -> dict[str, ControlFunction]:
    """Return the controls that controllers prescribe as functions of time; other controllers are skipped by name."""
    found: dict[str, ControlFunction] = {}
    forces = [element.name for element in members(model, "ForceSet")]
    every = [name for name in forces if renamed.get(name, name) in controls]
    for element in members(model, *_LISTS):
        if not element.tag.endswith("Controller"):
            continue
        if element.tag != "PrescribedController":
            reading.skip(element, "controllers that react to the state are not read; write it as a my.Feedback")
        elif not element.flag("enabled", True) or element.flag("isDisabled", False):
            reading.skip(element, "switched off in the file (enabled, isDisabled)")
        else:
            for name, function in _prescribed(reading, element, every).items():
                ours = renamed.get(name, name)
                if ours not in controls:
                    reading.approximate(element, f"drives '{name}', which is not a muscle or actuator that was read")
                elif ours in found:
                    reading.approximate(element, f"drives '{ours}' again, which another controller does already")
                else:
                    found[ours] = function
    return found


def _prescribed(reading: Reading, element: Element, every: list[str]) -> dict[str, ControlFunction]:
    """Return the functions of a controller by what they drive; ``every`` are all actuators in the order of the file."""
    file = element.text("controls_file", "")
    if file and file.lower() != "unassigned":
        reading.skip(element, f"its controls are in the file {file!r:.80}: give them to simulate as controls")
        return {}
    reading.read(element)
    held = next((child for child in element.children if "ControlFunctions" in (child.tag, child.name)), None)
    inner = next((child for child in held.children if child.tag == "FunctionSet"), held) if held is not None else None
    functions = inner.objects() if inner is not None else []
    reading.read(*(part for part in (held, inner) if part is not None and part.is_object))
    names = [last_part(name) for name in element.names("socket_actuators") or element.names("actuator_list")]
    if [name.upper() for name in names] == ["ALL"]:
        names = every
    elif not names:
        # OpenSim refuses such a file; functions bear the names of what they are meant for.
        names = [part.name for part in functions]
    if len(names) != len(functions):
        reading.suspect(element, f"has {len(functions)} functions for {len(names)} actuators ({listed(names, 4)})")
    return {name: time_function(reading, part) for name, part in zip(names, functions, strict=False)}
