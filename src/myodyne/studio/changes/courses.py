"""Wanted courses of coordinates: the user draws the angles, `reproduce` finds the forces of the motors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import pi

import numpy as np

from myodyne.analyse import reproduce
from myodyne.data import Result, Trajectory
from myodyne.data.curves.signals import Signal, piecewise_constant, piecewise_linear
from myodyne.errors import ModelError, listed
from myodyne.model import CoordinateActuator, Model
from myodyne.model.units import angles
from myodyne.numerics.schemes import Midpoint
from myodyne.studio.changes.handles import at_instant
from myodyne.studio.session import Session

# Steps (s) of the simulation that follows a course, at most.
STEP = 0.005
# Curves whose second derivative is finite.
SMOOTH = ("bezier", "bspline")
# Pages count time in single precision: an end of the movement may be missed by so much (s).
_NEAR = 1e-5


def refusal(session: Session) -> str:
    """Return why the forces do not follow from the angles of a session, empty where they do.

    Examples
    --------
    >>> from myodyne.studio.session import opened
    >>> refusal(opened("pendulum"))
    ''
    >>> refusal(opened("jump"))[:40]
    "'jumper' has muscles: many sets of force"
    """
    model = session.model
    what = f"'{model.name}'"
    others = sorted({force.kind for force in model.forces.values() if not isinstance(force, CoordinateActuator)})
    if model.muscles:
        return f"{what} has muscles: many sets of forces give one movement, so angles alone do not set the curves"
    if model.constraints:
        return f"{what} has constraints: forces of motors and of constraints do not follow from the angles alone"
    if others:
        return f"{what} has forces beside motors ({', '.join(others)}), which depend on the movement"
    if session.feedback is not None:
        return f"{what} is driven by a control law; its forces are not curves"
    if session.earlier:
        return "the movement was interrupted: undo that first"
    return ""


def with_courses(session: Session, courses: Mapping[str, Signal]) -> Session:
    """Return the session whose motors make its coordinates follow courses (rad, m); motors that lack are added.

    Examples
    --------
    >>> from myodyne.data.curves.signals import bezier
    >>> from myodyne.studio.session import opened
    >>> swing = with_courses(opened("pendulum"), {"angle": bezier([0.0, 0.5, 0.0, 0.2], 0.0, 1.0)})
    >>> list(swing.recipe.controls), abs(swing.start["angle"]) < 1e-12
    (['angle_motor'], True)
    """
    reason = refusal(session)
    if reason:
        raise ModelError(reason)
    missing = [name for name in session.model.moving if name not in courses]
    if missing:
        raise ModelError(f"the courses of {listed(missing)} are missing: every coordinate needs one")
    rough = [name for name, course in courses.items() if course.kind not in SMOOTH]
    if rough:
        raise ModelError(f"the course of {listed(rough)} must be smooth, a Bézier curve or a B-spline")
    model, added = _motorised(session.model)
    driven = replace(session, model=model, motors=(*session.motors, *added), courses=dict(courses))
    found = reproduce(driven.changed_model, wanted(driven), scheme=Midpoint())
    times = wanted(driven).time
    controls = {
        motor: piecewise_constant(times[:-1], found.moments.values(f"{coordinate}.moment") / gain)
        for motor, (coordinate, gain) in motors_of(driven.changed_model).items()
    }
    recipe = replace(
        driven.recipe, start=dict(found.start), controls=controls, scheme=Midpoint(step=step_of(driven)), every=None
    )
    return replace(driven, recipe=recipe)


def pose_at(session: Session, time: float) -> dict[str, float]:
    """Return the coordinates (rad, m) that a hand finds at a time (s): those drawn, or at the very start the states.

    Examples
    --------
    >>> from myodyne.studio.session import opened
    >>> jump = opened("jump")
    >>> pose_at(jump, 0.0) == dict(jump.start)
    True
    """
    if session.courses:
        return {name: float(course(_inside(session, time))) for name, course in session.courses.items()}
    if not at_start(session, time):
        raise ModelError("the body can be dragged at the start alone until its angles are drawn")
    return dict(session.start)


def at_start(session: Session, time: float) -> bool:
    """Whether a time (s) is that of the very start.

    Examples
    --------
    >>> from myodyne.studio.session import opened
    >>> at_start(opened("jump"), 0.0), at_start(opened("jump"), 0.1)
    (True, False)
    """
    return abs(time - (session.earlier[0] if session.earlier else session.recipe).from_time) <= _NEAR


def with_pose(session: Session, time: float, pose: Mapping[str, float]) -> Session:
    """Return the session whose courses go through a pose (rad, m) at a time (s); the forces follow.

    Handles move as little as possible, so that a course changes most at that time, and not beyond `reach_of`.

    Examples
    --------
    >>> from myodyne.data.curves.signals import bspline
    >>> from myodyne.studio.session import opened
    >>> swing = with_courses(opened("pendulum"), {"angle": bspline([0.0] * 9, 0.0, 1.0)})
    >>> round(float(with_pose(swing, 0.5, {"angle": 0.3}).courses["angle"](0.5)), 9)
    0.3
    """
    instant = _inside(session, time)
    moved = {name: at_instant(session.courses[name], instant, value) for name, value in pose.items()}
    return with_courses(session, {**session.courses, **moved})


def _inside(session: Session, time: float) -> float:
    first, last = session.recipe.from_time, session.recipe.from_time + session.recipe.duration
    if not first - _NEAR <= time <= last + _NEAR:
        raise ModelError(f"the movement goes from {first:g} to {last:g} s; {time:g} s is outside")
    return min(max(time, first), last)


def reach_of(course: Signal, duration: float) -> float:
    """Return how far (s), at most, from the time of a pose its course changes.

    Examples
    --------
    >>> from myodyne.data.curves.signals import bspline
    >>> reach_of(bspline([0.0] * 11, 0.0, 2.0), 2.0)
    1.0
    """
    if course.handles is None or course.kind != "bspline":
        return duration
    # At any time degree + 1 handles count, each over as many pieces of the curve.
    degree = course.handles.degree
    return min(duration, (degree + 1) * duration / (len(course.values) - degree))


def motors_of(model: Model) -> dict[str, tuple[str, float]]:
    """Return coordinate and gain of each motor, one for each coordinate that moves."""
    found: dict[str, tuple[str, float]] = {}
    for name, force in model.forces.items():
        taken = {coordinate for coordinate, _ in found.values()}
        if isinstance(force, CoordinateActuator) and force.coordinate in model.moving and force.coordinate not in taken:
            found[name] = (force.coordinate, float(force.gain))
    return found


def _motorised(model: Model) -> tuple[Model, tuple[str, ...]]:
    driven = {coordinate for coordinate, _ in motors_of(model).values()}
    lacking = tuple(name for name in model.moving if name not in driven)
    if not lacking:
        return model, ()
    return model.with_parts(forces={f"{name}_motor": CoordinateActuator(coordinate=name) for name in lacking}), lacking


def steps_of(session: Session) -> int:
    """Return the number of equal steps that a simulation along courses takes."""
    return max(1, int(np.ceil(session.recipe.duration / STEP * (1.0 - 1e-9))))


def step_of(session: Session) -> float:
    """Return the length of these steps (s)."""
    return session.recipe.duration / steps_of(session)


def wanted(session: Session) -> Trajectory:
    """Return the courses of a session as a motion, at the ends of the steps."""
    first, turning = session.recipe.from_time, angles(session.model)
    times = np.linspace(first, first + session.recipe.duration, steps_of(session) + 1)
    columns = {name: np.asarray(course(times)) for name, course in session.courses.items()}
    return Trajectory(times, columns, {name: "rad" if name in turning else "m" for name in columns})


def fitted_courses(session: Session, run: Result, points: int) -> dict[str, Signal]:
    """Return curves with a few handles near a movement, one for each coordinate."""
    first = session.recipe.from_time
    ends = (first, first + session.recipe.duration)
    found = {}
    for name in session.model.moving:
        seen = piecewise_linear(run.time, run.values(name))
        # A handle of a B-spline moves the curve near it alone.
        found[name] = seen.fitted(points=points, degree=3, start=ends[0], end=ends[1])
    return found


def stretched(before: Session, after: Session) -> dict[str, Signal]:
    """Return the courses over another duration: handles keep their values and spread over the new time."""
    end = after.recipe.from_time + after.recipe.duration
    return {name: Signal.from_dict({**course.to_dict(), "end": end}) for name, course in before.courses.items()}


def course_range(session: Session, name: str) -> tuple[float, float]:
    """Return how far a handle can be dragged: the coordinate's range, or half a turn, or a metre, or what it has."""
    turns = name in angles(session.model)
    low, high = session.model.coordinates[name].range or ((-pi, pi) if turns else (-1.0, 1.0))
    values = session.courses[name].values
    return float(min(low, *values)), float(max(high, *values))
