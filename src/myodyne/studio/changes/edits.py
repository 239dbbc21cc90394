"""What a user can change: small records, and `apply`, which makes the next session of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import isfinite
from typing import Any, get_args

from myodyne.data import DataError
from myodyne.data.curves.signals import Signal, bezier
from myodyne.data.plain import Fields
from myodyne.errors import ModelError, unknown_name
from myodyne.model import Model
from myodyne.studio.changes.courses import pose_at, stretched, with_courses, with_pose
from myodyne.studio.changes.dragging import dragged, place_of
from myodyne.studio.changes.handles import at_instant, fitted, with_handle, without_handle
from myodyne.studio.changes.ties import coupled, coupled_arms, frozen
from myodyne.studio.session import Session

# Longer movements are simulated by a script, not beside a moving hand (s).
LONGEST = 60.0
# Controls of motors without limits (N, N m).
_MOST = 1e6


@dataclass(frozen=True)
class SetHandle:
    """Give one handle of a curve another value."""

    control: str
    number: int
    value: float


@dataclass(frozen=True)
class SetCurve:
    """Give a control another curve, as plain data of a signal."""

    control: str
    signal: Mapping[str, Any]


@dataclass(frozen=True)
class FitHandles:
    """Replace a curve by the one nearest to it with a few handles, of a kind that people can think in."""

    control: str
    curve: str
    points: int


@dataclass(frozen=True)
class SetInstant:
    """Give a control a value at one instant (s)."""

    control: str
    time: float
    value: float


@dataclass(frozen=True)
class AddHandle:
    """Give a curve one handle more, at a time (s) where its kind has handles at times of their own."""

    control: str
    time: float


@dataclass(frozen=True)
class RemoveHandle:
    """Take one handle of a curve away."""

    control: str
    number: int


@dataclass(frozen=True)
class SetStart:
    """Give a state another value at the start (rad, m, and per second)."""

    name: str
    value: float


@dataclass(frozen=True)
class SetNumber:
    """Give a number of the model another value, such as ``soleus.max_force``."""

    name: str
    value: float


@dataclass(frozen=True)
class SetDuration:
    """Simulate for another time (s)."""

    duration: float


@dataclass(frozen=True)
class Interrupt:
    """Keep the movement up to a time (s); what changes from now on holds after it."""

    time: float


@dataclass(frozen=True)
class DragBody:
    """Pull a point of a body (m, in its own axes) to a place (m, in the ground's) at a time (s).

    With ``chain`` all joints up to the ground take part, else the nearest one. Where angles are drawn, their courses
    change near that time and the forces follow; else the time is the very start, which changes.
    """

    body: str
    point: Sequence[float]
    target: Sequence[float]
    chain: bool
    time: float


@dataclass(frozen=True)
class SetCourses:
    """Let the forces follow wanted courses of all coordinates, as plain data of signals by name."""

    courses: Mapping[str, Any]


@dataclass(frozen=True)
class SetCourseHandle:
    """Give one handle of the course of a coordinate another value (rad, m); the forces follow."""

    coordinate: str
    number: int
    value: float


@dataclass(frozen=True)
class FitCourse:
    """Replace the course of a coordinate by the one nearest to it with a few handles."""

    coordinate: str
    curve: str
    points: int


@dataclass(frozen=True)
class Freeze:
    """Keep a coordinate at its start, or let it move again."""

    coordinate: str
    on: bool


@dataclass(frozen=True)
class Couple:
    """Let a coordinate change as a multiple of another, from where both start; zero frees it."""

    coordinate: str
    other: str
    slope: float


@dataclass(frozen=True)
class CoupleArms:
    """Let each arm swing with the opposite leg, as a multiple of its angle, or all arms free for zero."""

    slope: float


@dataclass(frozen=True)
class SetGain:
    """Give a gain of the control law another value."""

    name: str
    value: float


Edit = (
    Freeze
    | Couple
    | CoupleArms
    | SetGain
    | SetCourses
    | SetCourseHandle
    | FitCourse
    | DragBody
    | Interrupt
    | SetHandle
    | SetCurve
    | FitHandles
    | SetInstant
    | AddHandle
    | RemoveHandle
    | SetStart
    | SetNumber
    | SetDuration
)
_EDITS: dict[str, type[Edit]] = {kind.__name__: kind for kind in get_args(Edit)}


def edit_from(data: object) -> Edit:
    """Return the edit that plain data describe: a kind and its fields.

    Examples
    --------
    >>> edit_from({"kind": "SetStart", "name": "knee", "value": 0.3})
    SetStart(name='knee', value=0.3)
    """
    if not isinstance(data, Mapping) or data.get("kind") not in _EDITS:
        raise DataError(f"edit: a kind is expected, one of {', '.join(_EDITS)}")
    kind = _EDITS[str(data["kind"])]
    read = Fields("edit", data, ["kind", *(item.name for item in fields(kind))])
    values: dict[str, Any] = {}
    for item in fields(kind):
        if item.name not in data:
            raise DataError(f"edit.{item.name} is missing")
        if item.type == "str":
            values[item.name] = read.text(item.name)
        elif item.type == "int":
            values[item.name] = read.integer(item.name)
        elif item.type == "float":
            values[item.name] = read.number(item.name)
        else:
            values[item.name] = data[item.name]
    return kind(**values)


def apply(session: Session, edit: Edit) -> Session:
    """Return the session after an edit; what cannot be done raises an error that says why.

    Examples
    --------
    >>> from myodyne.studio.session import opened
    >>> later = apply(opened("jump"), SetDuration(0.2))
    >>> later.recipe.duration
    0.2
    """
    if isinstance(edit, SetCourses | SetCourseHandle | FitCourse):
        return _along(session, edit)
    if isinstance(edit, DragBody) and session.courses:
        return with_pose(session, edit.time, _dragged(session, edit))
    changed = _changed(session, edit)
    if session.courses and isinstance(edit, SetNumber | SetDuration):
        # A heavier limb, a longer time: the angles stay what is wanted.
        return with_courses(changed, stretched(session, changed))
    # Who takes a force or the start in hand no longer wants the angles.
    return replace(changed, courses={})


def _changed(session: Session, edit: Edit) -> Session:
    match edit:
        case SetHandle(control, number, value):
            changed = _curve(session, control).with_value(number, _within(session.model, control, value))
            return _with_curve(session, control, changed)
        case SetCurve(control, signal):
            _curve(session, control)
            return _with_curve(session, control, Signal.from_dict(signal))
        case FitHandles() | SetInstant() | AddHandle() | RemoveHandle():
            return _reshaped(session, edit)
        case SetStart(name, value):
            return session.with_start({**session.start, name: _start(session.model, name, value)})
        case SetNumber(name, value):
            return _with_number(session, name, value)
        case DragBody():
            return session.with_start({**session.start, **_dragged(session, edit)})
        case Interrupt(time):
            return _interrupted(session, time)
        case SetDuration(duration):
            if not (isfinite(duration) and 0.0 < duration <= LONGEST):
                raise ModelError(f"the duration must lie between 0 and {LONGEST:g} s, not {duration:g}")
            return session.with_recipe(duration=duration)
        case Freeze(coordinate, on):
            return frozen(session, coordinate, on is True)
        case Couple(coordinate, other, slope):
            return coupled(session, coordinate, other, slope)
        case CoupleArms(slope):
            return coupled_arms(session, slope)
        case SetGain(name, value):
            return _with_gain(session, name, value)
        case _:
            raise DataError(f"the studio does not know the edit {type(edit).__name__}")


def _along(session: Session, edit: SetCourses | SetCourseHandle | FitCourse) -> Session:
    """Return the session with other courses of its coordinates."""
    if isinstance(edit, SetCourses):
        return with_courses(session, {str(name): Signal.from_dict(data) for name, data in dict(edit.courses).items()})
    name = edit.coordinate
    if name not in session.courses:
        raise ModelError(unknown_name("course of coordinate", name, session.courses))
    if isinstance(edit, SetCourseHandle):
        if not isfinite(edit.value):
            raise ModelError(f"the course of '{name}' must be finite")
        course = session.courses[name].with_value(edit.number, edit.value)
    else:
        course = fitted(session.courses[name], edit.curve, edit.points, _span(session))
    return with_courses(session, {**session.courses, name: course})


def _interrupted(session: Session, time: float) -> Session:
    recipe = session.recipe
    first, last = recipe.from_time, recipe.from_time + recipe.duration
    if not first < time < last:
        raise ModelError(f"a movement can be interrupted between {first:g} and {last:g} s, not at {time:g} s")
    # Its last state is what the next part starts from; that is known when it has been simulated.
    before = replace(recipe, duration=time - first)
    return replace(session.with_recipe(from_time=time, duration=last - time), earlier=(*session.earlier, before))


def _dragged(session: Session, edit: DragBody) -> dict[str, float]:
    pose, point, target = pose_at(session, edit.time), place_of(edit.point), place_of(edit.target)
    return dragged(session.changed_model, pose, edit.body, point, target, chain=edit.chain is True)


def control_range(model: Model, control: str) -> tuple[float, float]:
    """Return the limits of a control: excitations lie between 0 and 1, motors have their own."""
    if control in model.muscles:
        return 0.0, 1.0
    low, high = getattr(model.forces[control], "control_range", None) or (-_MOST, _MOST)
    return max(float(low), -_MOST), min(float(high), _MOST)


def _curve(session: Session, control: str) -> Signal:
    if control not in session.model.controls:
        raise ModelError(unknown_name("control", control, session.model.controls))
    return session.recipe.controls.get(control) or idle_curve(session)


def _with_curve(session: Session, control: str, curve: Signal) -> Session:
    return session.with_recipe(controls={**session.recipe.controls, control: curve})


def _within(model: Model, control: str, value: float) -> float:
    low, high = control_range(model, control)
    return min(max(value, low), high)


def _reshaped(session: Session, edit: FitHandles | SetInstant | AddHandle | RemoveHandle) -> Session:
    """Return the session in which a curve has other handles, or another value at one instant."""
    control = edit.control
    curve, span = _curve(session, control), _span(session)
    low, high = control_range(session.model, control)
    if not isinstance(edit, FitHandles | RemoveHandle) and not span[0] <= edit.time <= span[1]:
        raise ModelError(f"the movement goes from {span[0]:g} to {span[1]:g} s; {edit.time:g} s is outside")
    match edit:
        case FitHandles(_, kind, points):
            changed = fitted(curve, kind, points, span)
        case SetInstant(_, time, value):
            changed = at_instant(curve, time, _within(session.model, control, value))
        case AddHandle(_, time):
            changed = with_handle(curve, time, span)
        case RemoveHandle(_, number):
            changed = without_handle(curve, number, span)
    return _with_curve(session, control, changed.limited(low, high))


def _span(session: Session) -> tuple[float, float]:
    first = session.recipe.from_time
    return first, first + session.recipe.duration


def _start(model: Model, name: str, value: float) -> float:
    known = [state for coordinate in model.moving for state in (coordinate, f"{coordinate}.speed")]
    if name not in known:
        raise ModelError(unknown_name("state", name, known))
    if not isfinite(value):
        raise ModelError(f"the start of '{name}' must be a finite number")
    return value


def _with_number(session: Session, name: str, value: float) -> Session:
    if not isfinite(value):
        raise ModelError(f"'{name}' must be a finite number")
    changed = replace(session, numbers={**session.numbers, name: float(value)})
    # Raises where the name is unknown or no body could have the number.
    _ = changed.changed_model
    return changed


def _with_gain(session: Session, name: str, value: float) -> Session:
    if session.feedback is None:
        raise ModelError(f"'{session.name}' has no control law, and so no gain '{name:.40}'")
    if not isfinite(value):
        raise ModelError(f"the gain '{name}' must be a finite number")
    return replace(session, feedback=session.feedback.with_gains(**{name: value}))


def idle_curve(session: Session) -> Signal:
    """Return the curve that a control without one gets when it is opened: flat, with four handles."""
    first = session.recipe.from_time
    return bezier([0.0] * 4, first, first + session.recipe.duration)
