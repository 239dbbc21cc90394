"""Frozen and coupled coordinates: constraints that a user adds to the model of a session."""

from __future__ import annotations

import re
from dataclasses import replace
from math import isfinite

import numpy as np

from myodyne.analyse.sides.names import is_right, other_side
from myodyne.errors import ModelError, unknown_name
from myodyne.model import CouplerConstraint, Linear, Model, SpeedConstraint
from myodyne.model.units import angles
from myodyne.studio.session import Session

Tie = SpeedConstraint | CouplerConstraint


def frozen(session: Session, coordinate: str, on: bool) -> Session:
    """Return the session in which a coordinate stays at its start, or moves again.

    Examples
    --------
    >>> from myodyne.studio.session import opened
    >>> still = frozen(opened("double_pendulum"), "angle2", True)
    >>> still.ties, frozen(still, "angle2", False).ties
    (('angle2_frozen',), ())
    """
    _check(session, coordinate)
    free = _without(session, f"{coordinate}_frozen", f"{coordinate}_coupled")
    return _with(free, f"{coordinate}_frozen", SpeedConstraint(coordinate=coordinate, speed=0.0)) if on else free


def coupled(session: Session, coordinate: str, other: str, slope: float) -> Session:
    """Return the session in which a coordinate turns as a multiple of another, from where both start; zero frees it.

    Examples
    --------
    >>> from myodyne.studio.session import opened
    >>> mirrored = coupled(opened("double_pendulum"), "angle2", "angle1", -1.0)
    >>> mirrored.model.constraints["angle2_coupled"].function.slope
    -1.0
    """
    _check(session, coordinate)
    free = _without(session, f"{coordinate}_frozen", f"{coordinate}_coupled")
    if slope == 0.0:
        return free
    _check(session, other)
    if not isfinite(slope):
        raise ModelError("a coupling is a finite number")
    if other == coordinate:
        raise ModelError(f"'{coordinate}' cannot be coupled to itself")
    offset = _start(session, coordinate) - slope * _start(session, other)
    line = Linear(coordinate=other, slope=slope, offset=offset)
    return _with(free, f"{coordinate}_coupled", CouplerConstraint(coordinate=coordinate, function=line))


def coupled_arms(session: Session, slope: float) -> Session:
    """Return the session in which each arm swings with the opposite leg, by a multiple of its angle; zero frees them.

    Examples
    --------
    >>> from myodyne.studio.session import opened
    >>> striding = coupled_arms(opened("runner_skeleton"), 0.6)
    >>> striding.ties, striding.model.constraints["shoulder_r_coupled"].function.coordinate
    (('shoulder_r_coupled', 'shoulder_l_coupled'), 'hip_l')
    """
    pairs = arms_and_legs(session.model)
    if not pairs:
        raise ModelError(
            f"'{session.model.name}' has no arms and legs of two sides, such as 'shoulder_r' and 'hip_l', to couple"
        )
    forwards = _forwards(session.model)
    for arm, leg in pairs.items():
        session = coupled(session, arm, leg, slope if forwards[arm] * forwards[leg] > 0 else -slope)
    return session


def arms_and_legs(model: Model) -> dict[str, str]:
    """Return for each arm the coordinate that swings the opposite leg; empty where names do not say which they are.

    Examples
    --------
    >>> from myodyne.files import load_model
    >>> arms_and_legs(load_model("runner"))
    {'shoulder_r': 'hip_l', 'shoulder_l': 'hip_r'}
    """
    arms, legs = (_swinging(model, words) for words in (("shoulder", "arm"), ("hip",)))
    return {arm: leg for arm in arms for leg in legs if is_right(arm) != is_right(leg)}


def _swinging(model: Model, words: tuple[str, ...]) -> list[str]:
    """Return the coordinates that swing a limb forwards and back: flexion where a joint has several."""
    angles_of = angles(model)
    sided = [name for name in model.moving if name in angles_of and other_side(name) != name]
    named = [name for name in sided if any(re.match(rf"{word}(_|$)", _plain(name)) for word in words)]
    flexing = [name for name in named if "flex" in name.lower()]
    # One for each side, else nobody knows which.
    found = flexing or named
    return found if len(found) == 2 else []


def _plain(name: str) -> str:
    """Return a name in small letters without its side at the front or end."""
    return re.sub(r"^(right|left|r|l)_|_(right|left|r|l)$", "", name.lower())


def _forwards(model: Model) -> dict[str, float]:
    """Return by how much each coordinate moves the mass of the body forwards, at the default pose."""
    from myodyne.equations import equations_of

    equations = equations_of(model)
    middle = equations.coordinate_defaults()
    poses = np.vstack([middle, middle + 1e-3 * np.eye(len(middle))])
    turns, places = (np.asarray(part) for part in equations.body_poses(poses))
    centres = [
        body.mass * (places[:, number] + turns[:, number] @ np.asarray(body.centre_of_mass))[:, 0]
        for number, body in enumerate(model.bodies[name] for name in equations.bodies)
    ]
    total = np.sum(centres, axis=0)
    return dict(zip(equations.coordinates, (total[1:] - total[0]).tolist(), strict=True))


def tie_code(model: Model, name: str) -> str:
    """Return the call that makes a constraint of the studio.

    Examples
    --------
    >>> from myodyne.studio.session import opened
    >>> tie_code(frozen(opened("pendulum"), "angle", True).model, "angle_frozen")
    'my.SpeedConstraint(coordinate="angle", speed=0.0)'
    """
    tie = model.constraints[name]
    if isinstance(tie, SpeedConstraint):
        return f'my.SpeedConstraint(coordinate="{tie.coordinate}", speed=0.0)'
    assert isinstance(tie, CouplerConstraint)
    assert isinstance(tie.function, Linear)
    line = tie.function
    function = f'my.Linear(coordinate="{line.coordinate}", slope={line.slope!r}, offset={line.offset!r})'
    return f'my.CouplerConstraint(coordinate="{tie.coordinate}", function={function})'


def tie_rows(session: Session) -> list[dict[str, object]]:
    """Return for the page which coordinates are frozen, or coupled to which other and how."""
    rows: list[dict[str, object]] = []
    for name in session.ties:
        tie = session.model.constraints[name]
        if isinstance(tie, CouplerConstraint) and isinstance(tie.function, Linear):
            to = {"other": tie.function.coordinate, "slope": float(tie.function.slope)}
            rows.append({"coordinate": tie.coordinate, "frozen": False, **to})
        elif isinstance(tie, SpeedConstraint):
            rows.append({"coordinate": tie.coordinate, "frozen": True, "other": "", "slope": 0.0})
    return rows


def _check(session: Session, coordinate: str) -> None:
    if coordinate not in session.model.moving:
        raise ModelError(unknown_name("coordinate", coordinate, session.model.moving))
    if session.earlier:
        raise ModelError("the movement was interrupted: undo that first, then freeze or couple")


def _start(session: Session, coordinate: str) -> float:
    return float(session.start.get(coordinate, session.model.coordinates[coordinate].default))


def _without(session: Session, *names: str) -> Session:
    known = [name for name in names if name in session.ties]
    left = tuple(name for name in session.ties if name not in known)
    return replace(session, model=session.model.without(*known), ties=left) if known else session


def _with(session: Session, name: str, tie: Tie) -> Session:
    if name in session.model.constraints:
        raise ModelError(f"the model has a constraint '{name}' of its own")
    return replace(session, model=session.model.with_parts(constraints={name: tie}), ties=(*session.ties, name))
