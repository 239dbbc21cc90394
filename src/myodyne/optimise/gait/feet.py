"""Contacts under the feet of a body that has none, placed from its geometry."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from myodyne.analyse.sides.names import other_side
from myodyne.equations import equations_of
from myodyne.errors import ModelError
from myodyne.library.soles import RADIUS, STIFFNESS, sole_sphere
from myodyne.model import ContactPoint, HuntCrossleyContact, Marker, Model, SmoothSphereContact
from myodyne.optimise.gait.anatomy import Anatomy
from myodyne.optimise.goals.feet import GroundContact
from myodyne.types import Floats

# Of the height of a person: the ankle above the sole, the length of the foot (Drillis and Contini 1966, in Winter
# 2009, Fig 4.1).
_ANKLE, _LENGTH = 0.039, 0.152
# Of the length of the foot, from the ankle: where a planar heel bears, the ball of the foot, where a foot without a toe
# joint rolls off, and the toes bear. Those of gait2d (van den Bogert et al. 2011) are -0.22 and 0.60.
_HEEL_AT, _BALL_AT, _ROLL_AT, _TOES_AT = -0.2, 0.48, 0.57, 0.66
# Own contacts whose rearmost is nearer below the ankle than this share of a person's are worth a word.
_SHORT = 0.5
# Spheres in space, in the proportions of gait3d, whose sole was fitted to a recorded stance: how far below the ankle,
# of the height (loaded, they sink by 5 to 9 mm); from the ankle forwards, of the length of the foot, and outwards from
# the axis of the foot, of the height.
_UNLOADED = 0.0345
_SPHERES = {
    "heel": (-0.206, -0.002),
    "midfoot": (0.057, 0.015),
    "ball_medial": (0.338, -0.017),
    "ball_lateral": (0.282, 0.030),
    "toe_medial": (0.653, -0.010),
    "toe_lateral": (0.597, 0.036),
}
# Together the points of a planar foot are as stiff (body weights per metre) as those of gait2d.
_STIFFNESS = 2e5 / (75.0 * 9.81)
_DISSIPATION, _FRICTION = 1.0, 1.0


@dataclass(frozen=True)
class Sole:
    """A model whose feet touch the ground, and in words how that came about."""

    model: Model
    words: str


def with_contacts(model: Model, anatomy: Anatomy) -> Sole:
    """Return the model with contacts under its feet: its own, or points, in space spheres, placed from geometry.

    Examples
    --------
    >>> import myodyne as my
    >>> from myodyne.optimise.gait.anatomy import anatomy_of
    >>> bare = my.load_model("gait2d").without("right_heel", "right_toe", "left_heel", "left_toe")
    >>> sole = with_contacts(bare, anatomy_of(bare))
    >>> [name for name, part in sole.model.forces.items() if part.kind == "contact_point"]
    ['heel_r', 'roll_r', 'heel_l', 'roll_l']
    """
    own = {
        name: part
        for name, part in model.forces.items()
        if isinstance(part, GroundContact) and part.body in (*anatomy.leg.foot, *map(other_side, anatomy.leg.foot))
    }
    if own:
        return _smooth(model, anatomy, own)
    spots = _spots(model, anatomy)
    parts: dict[str, GroundContact] = {}
    for side, mirror in (("r", 1.0), ("l", -1.0)):
        for name, (body, point) in spots.items():
            bearer = body if side == "r" else other_side(body)
            parts[f"{name}_{side}"] = _contact(model, anatomy, bearer, point * (1.0, 1.0, mirror), len(spots))
    taken = [name for name in parts if name in (*model.forces, *model.muscles, *model.bodies, *model.joints)]
    if taken:
        raise ModelError(
            f"'{model.name}': contacts would be called '{taken[0]}', which is taken; give contacts yourself"
        )
    right = {name: part for name, part in parts.items() if name.endswith("_r")}
    where = ", ".join(f"{name} on {part.body} at {tuple(round(x, 3) for x in part.at)}" for name, part in right.items())
    size, below = ("points", _ANKLE) if anatomy.planar else (f"spheres of {1000 * RADIUS:.0f} mm", _UNLOADED)
    stiffness = f"{next(iter(right.values())).stiffness:.3g} {'N/m' if anatomy.planar else 'Pa'}"
    words = (
        f"{size} placed {1000 * below * anatomy.height:.0f} mm below the ankle (a person of {anatomy.height:.2f} m): "
        f"{where} (m), {stiffness} each; the same on the left"
    )
    return Sole(model.with_parts(forces=parts), words)


def _contact(model: Model, anatomy: Anatomy, body: str, point: Floats, count: int) -> GroundContact:
    """Return one of ``count`` contacts of a foot, which touches the ground at a point of the upright pose.

    In space, with more muscles and fewer intervals, points that act within a millimetre are too abrupt.
    """
    if not anatomy.planar:
        centre = _local(model, anatomy, body, point + np.array([0.0, RADIUS, 0.0]))
        return sole_sphere(body, centre, round(STIFFNESS * model.mass / count, -3))
    stiffness = _STIFFNESS * model.mass * float(np.linalg.norm(model.gravity)) / count
    return ContactPoint(
        body=body,
        at=_local(model, anatomy, body, point),
        stiffness=stiffness,
        dissipation=_DISSIPATION,
        friction=_FRICTION,
    )


def _smooth(model: Model, anatomy: Anatomy, own: dict[str, GroundContact]) -> Sole:
    """Return the model with its own contacts, those with kinks made smooth."""
    rough = {name: part for name, part in own.items() if isinstance(part, HuntCrossleyContact)}
    smooth = {
        name: SmoothSphereContact(**part.model_dump(exclude={"kind", "sphere_share"})) for name, part in rough.items()
    }
    words = f"the model's own: {', '.join(own)}"
    if smooth:
        words += f"; made smooth: {', '.join(smooth)}"
    behind = anatomy.leg.centres[2][0] - min(_forward(model, anatomy).values())
    usual = -_HEEL_AT * _LENGTH * anatomy.height
    if behind < _SHORT * usual:
        words += (
            f"; the rearmost is {1000 * behind:.0f} mm behind the ankle, where a person's heel bears "
            f"{1000 * usual:.0f} mm behind it: leave the contacts out (model.without) to have others placed"
        )
    return Sole(model.with_parts(forces=smooth) if smooth else model, words)


def _forward(model: Model, anatomy: Anatomy) -> dict[str, float]:
    """Return how far forwards (m) each contact of the right foot is in the upright pose."""
    found = {}
    for name, part in model.forces.items():
        if isinstance(part, GroundContact) and part.body in anatomy.leg.foot:
            turn, origin = _frame(model, anatomy, part.body)
            found[name] = float((origin + turn @ np.array(part.at))[0])
    return found


def _spots(model: Model, anatomy: Anatomy) -> dict[str, tuple[str, Floats]]:
    """Return where the right foot touches the ground in the upright pose: body and point (m), by name."""
    ankle = np.array(anatomy.leg.centres[2])
    length, height = _LENGTH * anatomy.height, anatomy.height
    bearing, toes = _bearing(model, anatomy)
    depth = _frame(model, anatomy, bearing)[1][2]
    if not anatomy.planar:
        return {
            name: (
                toes if toes is not None and name.startswith("toe") else bearing,
                np.array([ankle[0] + along * length, ankle[1] - _UNLOADED * height, depth + outwards * height]),
            )
            for name, (along, outwards) in _SPHERES.items()
        }

    def spot(body: str, along: float) -> tuple[str, Floats]:
        return body, np.array([ankle[0] + along * length, ankle[1] - _ANKLE * height, depth])

    heel = {"heel": spot(bearing, _HEEL_AT)}
    if toes is None:
        return {**heel, "roll": spot(bearing, _ROLL_AT)}
    return {**heel, "ball": spot(bearing, _BALL_AT), "toe": spot(toes, _TOES_AT)}


def _bearing(model: Model, anatomy: Anatomy) -> tuple[str, str | None]:
    """Return the body that bears the heel, and the toes where they bend."""
    foot = list(anatomy.leg.foot)
    toes = None
    if anatomy.leg.toes is not None:
        toes = next(j.child.body for j in model.joints.values() if anatomy.leg.toes.coordinate in j.coordinates)
        foot = foot[: foot.index(toes)]
    return max(foot, key=lambda body: model.bodies[body].mass), toes


def _frame(model: Model, anatomy: Anatomy, body: str) -> tuple[Floats, Floats]:
    equations = equations_of(model, compiled=False)
    pose = np.array([[anatomy.upright[name] for name in equations.coordinates]])
    turns, origins = equations.body_poses(pose)
    number = equations.bodies.index(body)
    return turns[0, number], origins[0, number]


def _local(model: Model, anatomy: Anatomy, body: str, point: Floats) -> tuple[float, float, float]:
    turn, origin = _frame(model, anatomy, body)
    x, y, z = turn.T @ (point - origin)
    # Rounding would make two sides differ in their last digits.
    return round(float(x), 9), round(float(y), 9), 0.0 if math.isclose(z, 0.0, abs_tol=1e-9) else round(float(z), 9)


def with_tips(model: Model, anatomy: Anatomy) -> tuple[Model, dict[str, tuple[str, float]]]:
    """Return the model with markers at the rearmost and foremost contact of its feet, and the tips of the right one.

    The tips are called ``heel`` and ``toe``: the name of the marker, and the radius (m) of the contact there.
    """
    places = _forward(model, anatomy)
    rear, fore = (choose(places, key=lambda each: places[each]) for choose in (min, max))
    markers, tips = {}, {}
    for role, name in (("heel", rear), ("toe", fore)):
        tips[role] = (f"{name}_tip", float(getattr(model.forces[name], "radius", 0.0)))
        # Half a cycle is mirrored by the names of its columns, so both feet have them.
        for each in (name, other_side(name)):
            contact = model.forces.get(each)
            if isinstance(contact, GroundContact):
                markers[f"{each}_tip"] = Marker(body=contact.body, at=contact.at)
    new = {name: marker for name, marker in markers.items() if name not in model.markers}
    return (model.with_parts(markers=new) if new else model), tips


def softer_contacts(model: Model, depth: float = 0.004, share: float = 0.7) -> dict[str, float]:
    """Return the parameters of contacts that act from higher above the ground, and are less stiff."""
    softer = {}
    for name, part in model.forces.items():
        if isinstance(part, ContactPoint):
            softer[f"{name}.transition"] = depth
            softer[f"{name}.stiffness"] = share * part.stiffness
        elif isinstance(part, SmoothSphereContact):
            softer[f"{name}.stiffness"] = share * part.stiffness
    return softer
