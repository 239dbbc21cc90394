"""The anatomy of a body that may walk, found by geometry: pelvis, legs, feet, and what bends them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from myodyne.analyse.sides import Sides, sides_of
from myodyne.analyse.sides.advancing import moving_along
from myodyne.analyse.sides.names import is_right, other_side
from myodyne.equations import equations_of
from myodyne.errors import ModelError, listed
from myodyne.model import GROUND, Model
from myodyne.types import Floats

# A coordinate bends a leg in the sagittal plane if so much of the turn is about z.
_SAGITTAL = 0.7
_STEP = 0.05
# Cosine of the steepest slope: gravity that is turned stands for a hill.
_DOWN = 0.7
# Thigh and shank together, of the height: 0.245 + 0.246 (Drillis and Contini 1966, in Winter 2009, Fig 4.1).
_LEG_OF_HEIGHT = 0.491


@dataclass(frozen=True)
class Flexion:
    """A coordinate that bends a joint, and the sense in which it does: flexion or dorsiflexion = sign × coordinate."""

    coordinate: str
    sign: float

    def value(self, angle: float) -> float:
        """Return the coordinate's value at an anatomical angle (rad)."""
        return self.sign * angle

    def limits(self, low: float, high: float) -> tuple[float, float]:
        """Return the coordinate's limits, given those of the anatomical angle (rad)."""
        return (low, high) if self.sign > 0 else (-high, -low)


@dataclass(frozen=True)
class Leg:
    """The right leg, from the hip down; the left one mirrors it.

    ``bodies`` go from thigh to the last one of the foot, ``foot`` are those beyond the ankle. ``centres`` (m) are the
    joints of hip, knee and ankle in the ground, in the upright pose. ``toes`` is None where nothing bends there.
    """

    bodies: tuple[str, ...]
    foot: tuple[str, ...]
    hip: Flexion
    knee: Flexion
    ankle: Flexion
    toes: Flexion | None
    centres: tuple[tuple[float, float, float], ...]

    @property
    def length(self) -> float:
        """From hip to ankle, along the leg (m)."""
        hip, knee, ankle = map(np.array, self.centres)
        return float(np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee))


@dataclass(frozen=True)
class Anatomy:
    """Pelvis, right leg, and coordinates of the whole body: those of the root, and what they do.

    Examples
    --------
    >>> import myodyne as my
    >>> found = anatomy_of(my.load_model("gait2d"))
    >>> found.pelvis, found.leg.knee.coordinate, found.leg.knee.sign, found.leg.foot
    ('trunk', 'right_knee', -1.0, ('right_foot',))
    """

    pelvis: str
    leg: Leg
    root: tuple[str, ...]
    forward: str
    upward: str
    upright: dict[str, float]
    sides: Sides

    @property
    def height(self) -> float:
        """The height of a person with such legs (m)."""
        return self.leg.length / _LEG_OF_HEIGHT

    @property
    def planar(self) -> bool:
        """Whether nothing leaves the sagittal plane."""
        return self.sides.planar

    def left(self, flexion: Flexion) -> Flexion:
        """Return the flexion of the left leg, given that of the right one."""
        name = self.sides.partners[flexion.coordinate]
        return Flexion(name, flexion.sign * self.sides.signs[flexion.coordinate])


@cache
def anatomy_of(model: Model) -> Anatomy:
    """Return the anatomy of a body that can walk; what is missing raises a ModelError that names it."""
    if not isinstance(model, Model):
        raise ModelError(f"walking takes a model (from my.load_model), not {model!r:.60}")
    if not model.mass > 0:
        raise ModelError(f"'{model.name}' cannot walk: it has no mass; give its bodies masses and inertias")
    if not np.linalg.norm(model.gravity) > 0:
        raise ModelError(f"'{model.name}' cannot walk: there is no gravity")
    if not -model.gravity[1] > _DOWN * float(np.linalg.norm(model.gravity)):
        raise ModelError(
            f"'{model.name}' cannot walk: its gravity, {list(model.gravity)} m/s², does not point down, along -y. "
            "Turn the model, or set 'gravity': y is up, x forward, z to the right"
        )
    forward, upward = (moving_along(model, along) for along in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
    for found, where, axis in ((forward, "forward", "x"), (upward, "upward", "y")):
        if not found:
            raise ModelError(
                f"'{model.name}' cannot walk: no coordinate moves the whole body {where}, along {axis}. Its root needs "
                "a joint with the ground that moves along x and y (my.planar, my.free)"
            )
    pose = _Pose(model)
    chain = _leg_chain(model, pose)
    alone = [name for name in chain if other_side(name) not in model.bodies]
    if alone:
        raise ModelError(
            f"'{model.name}' cannot walk: it has one leg, or its names do not mirror: there is no "
            f"{listed([other_side(name) for name in alone], 3)} beside {listed(alone, 3)}"
        )
    sides = sides_of(model)
    pelvis = pose.parents[chain[0]]
    root = tuple(name for body in pose.path(pelvis) for name in pose.own(body))
    leg = _leg(model, pose, chain)
    if not sum(model.bodies[name].mass for name in leg.foot) > 0:
        raise ModelError(
            f"'{model.name}' cannot walk: its feet ({listed(leg.foot)}) have no mass, so forces on them have no "
            "accelerations; give them masses and inertias"
        )
    return Anatomy(pelvis, leg, root, forward[0], upward[0], pose.values, sides)


class _Pose:
    """The upright pose of a model: coordinates at zero, or as near as their ranges allow."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.equations = equations_of(model, compiled=False)
        self.names = self.equations.coordinates
        along = [name for axis in np.eye(3) for name in moving_along(model, tuple(axis))]
        self.q = np.zeros(len(self.names))
        for place, name in enumerate(self.names):
            limits = model.coordinates[name].range
            default = model.coordinates[name].default
            self.q[place] = default if name in along else (0.0 if limits is None else np.clip(0.0, *limits))
        self.values = dict(zip(self.names, self.q.tolist(), strict=True))
        self.turns, self.origins = (found[0] for found in self.equations.body_poses(self.q[None]))
        self.parents = {joint.child.body: joint.parent.body for joint in model.joints.values()}
        self.joints = {joint.child.body: joint for joint in model.joints.values()}

    def own(self, body: str) -> tuple[str, ...]:
        """Return the coordinates of the joint above a body that can move."""
        return tuple(name for name in self.joints[body].coordinates if name in self.names)

    def path(self, body: str) -> list[str]:
        """Return the bodies from the ground to a body."""
        found: list[str] = []
        while body != GROUND:
            found.insert(0, body)
            body = self.parents[body]
        return found

    def origin(self, body: str) -> Floats:
        place: Floats = self.origins[self.equations.bodies.index(body)]
        return place

    def centre(self, body: str) -> tuple[float, float, float]:
        """Return where the joint above a body is (m)."""
        place = self.joints[body].parent
        number = self.equations.bodies.index(place.body)
        x, y, z = self.origins[number] + self.turns[number] @ np.array(place.at)
        return float(x), float(y), float(z)

    def turning(self, coordinate: str, body: str) -> Floats:
        """Return the axis about which a coordinate turns a body, in the ground, times the turn per unit."""
        moved = self.q.copy()
        moved[self.names.index(coordinate)] += _STEP
        number = self.equations.bodies.index(body)
        turn = self.equations.body_poses(moved[None])[0][0, number] @ self.turns[number].T
        skew = (turn - turn.T) / (2 * _STEP)
        return np.array([skew[2, 1], skew[0, 2], skew[1, 0]])


def _leg_chain(model: Model, pose: _Pose) -> list[str]:
    """Return the bodies of the right leg, from the pelvis down to the lowest one."""
    right = [name for name in model.bodies if is_right(name)]
    if not right:
        raise ModelError(
            f"'{model.name}' cannot walk: it has no legs. Bodies of a right and a left side are called like 'femur_r' "
            f"and 'femur_l', or 'right_thigh' and 'left_thigh'; this model has {listed(model.bodies, 6)}"
        )
    chains = [[name for name in pose.path(body) if is_right(name)] for body in right]
    lowest = min(chains, key=lambda chain: (round(float(pose.origin(chain[-1])[1]), 3), -len(chain)))
    # A foot goes on to its toes, which may be higher than its heel.
    last = lowest[-1]
    longest = max((chain for chain in chains if last in chain), key=len)
    centre = pose.equations.centre_of_mass(pose.q)
    if pose.origin(longest[-1])[1] > centre[1] - 0.1 or pose.parents[longest[0]] == GROUND:
        raise ModelError(
            f"'{model.name}' cannot walk: it has no legs. Its lowest body of the right side, '{last}', does not hang "
            "below a pelvis (y is up, and zero is the upright pose)"
        )
    return longest


def _leg(model: Model, pose: _Pose, chain: Sequence[str]) -> Leg:
    """Return the right leg, its joints found by what turns it about z."""
    bending: list[tuple[int, str, float]] = []
    for place, body in enumerate(chain):
        turns = {name: pose.turning(name, body) for name in pose.own(body)}
        about = {name: turn for name, turn in turns.items() if abs(turn[2]) > _SAGITTAL * np.linalg.norm(turn)}
        if about:
            name = max(about, key=lambda each: abs(about[each][2]))
            bending.append((place, name, float(np.sign(about[name][2]))))
    if len(bending) < 3:
        found = listed([name for _, name, _ in bending]) or "none"
        raise ModelError(
            f"'{model.name}' cannot walk: a leg needs a hip, a knee and an ankle that bend about z, in the sagittal "
            f"plane; from '{pose.parents[chain[0]]}' to '{chain[-1]}' there is {found}. "
            + ("No feet: the leg ends before an ankle" if len(bending) == 2 else "Unlock them, or add joints")
        )
    (hip_at, hip, hip_sign), (knee_at, knee, knee_sign), (ankle_at, ankle, ankle_sign), *further = bending
    toes = Flexion(further[0][1], further[0][2]) if further else None
    centres = tuple(pose.centre(chain[place]) for place in (hip_at, knee_at, ankle_at))
    # A leg that hangs down swings forward as it turns about z; a knee bends the other way.
    return Leg(
        tuple(chain),
        tuple(chain[ankle_at:]),
        Flexion(hip, hip_sign),
        Flexion(knee, -knee_sign),
        Flexion(ankle, ankle_sign),
        toes,
        centres,
    )
