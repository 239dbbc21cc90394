"""Contacts under the feet of a body that has none, placed from its geometry."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from myodyne.analyse.sides.names import other_side
from myodyne.equations import equations_of
from myodyne.errors import ModelError
from myodyne.model import ContactPoint, HuntCrossleyContact, Marker, Model, SmoothSphereContact
from myodyne.optimise.gait.anatomy import Anatomy
from myodyne.optimise.goals.feet import GroundContact
from myodyne.types import Floats

# Of the height of a person: the ankle above the sole, the length of the foot (Drillis and Contini 1966, in Winter
# 2009, Fig 4.1), half the width of the ball of the foot.
_ANKLE, _LENGTH, _BALL = 0.039, 0.152, 0.0225
# Of the length of the foot, from the ankle: where the heel bears, the ball of the foot, where a foot without a toe
# joint rolls off, and the toes bear. Those of gait2d (van den Bogert et al. 2011) are -0.22 and 0.60.
_HEEL_AT, _BALL_AT, _ROLL_AT, _TOES_AT = -0.2, 0.48, 0.57, 0.66
# Together the contacts of a foot are as stiff (body weights per metre) as those of gait2d.
_STIFFNESS = 2e5 / (75.0 * 9.81)
_DISSIPATION, _FRICTION = 1.0, 1.0
_ACROSS = ("inner", "outer")


@dataclass(frozen=True)
class Sole:
    """A model whose feet touch the ground, and in words how that came about."""

    model: Model
    words: str


def with_contacts(model: Model, anatomy: Anatomy) -> Sole:
    """Return the model with contacts under its feet: its own, or points placed from geometry.

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
        return _smooth(model, own)
    spots = _spots(model, anatomy)
    stiffness = _STIFFNESS * model.mass * float(np.linalg.norm(model.gravity)) / len(spots)
    parts = {}
    for side, mirror in (("r", 1.0), ("l", -1.0)):
        for name, (body, point) in spots.items():
            bearer = body if side == "r" else other_side(body)
            at = _local(model, anatomy, bearer, point * (1.0, 1.0, mirror))
            parts[f"{name}_{side}"] = ContactPoint(
                body=bearer, at=at, stiffness=stiffness, dissipation=_DISSIPATION, friction=_FRICTION
            )
    taken = [name for name in parts if name in (*model.forces, *model.muscles, *model.bodies, *model.joints)]
    if taken:
        raise ModelError(
            f"'{model.name}': contacts would be called '{taken[0]}', which is taken; give contacts yourself"
        )
    right = {name: part for name, part in parts.items() if name.endswith("_r")}
    where = ", ".join(f"{name} on {part.body} at {tuple(round(x, 3) for x in part.at)}" for name, part in right.items())
    words = (
        f"placed {1000 * _ANKLE * anatomy.height:.0f} mm below the ankle (a person of {anatomy.height:.2f} m): {where} "
        f"(m), {stiffness:.3g} N/m each; the same on the left"
    )
    return Sole(model.with_parts(forces=parts), words)


def _smooth(model: Model, own: dict[str, GroundContact]) -> Sole:
    """Return the model with its own contacts, those with kinks made smooth."""
    rough = {name: part for name, part in own.items() if isinstance(part, HuntCrossleyContact)}
    smooth = {
        name: SmoothSphereContact(**part.model_dump(exclude={"kind", "sphere_share"})) for name, part in rough.items()
    }
    words = f"the model's own: {', '.join(own)}"
    if smooth:
        words += f"; made smooth: {', '.join(smooth)}"
    return Sole(model.with_parts(forces=smooth) if smooth else model, words)


def _spots(model: Model, anatomy: Anatomy) -> dict[str, tuple[str, Floats]]:
    """Return where the right foot touches the ground in the upright pose: body and point (m), by name."""
    ankle = np.array(anatomy.leg.centres[2])
    length = _LENGTH * anatomy.height
    bearing, toes = _bearing(model, anatomy)
    depth = _frame(model, anatomy, bearing)[1][2]
    half = _BALL * anatomy.height

    def across(name: str, body: str, along: float, widths: tuple[float, float]) -> dict[str, tuple[str, Floats]]:
        sole = np.array([ankle[0] + along * length, ankle[1] - _ANKLE * anatomy.height, depth])
        if anatomy.planar:
            return {name: (body, sole)}
        # On the right foot, inner is towards -z.
        return {
            f"{name}_{side}": (body, sole + np.array([0.0, 0.0, width]))
            for side, width in zip(_ACROSS, widths, strict=True)
        }

    spots = across("heel", bearing, _HEEL_AT, (-half / 2, half / 2))
    if toes is None:
        return spots | across("roll", bearing, _ROLL_AT, (-half, half))
    spots |= across("ball", bearing, _BALL_AT, (-half, half))
    return {**spots, "toe": (toes, across("toe", toes, _TOES_AT, (0.0, 0.0)).popitem()[1][1])}


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
    heights: dict[str, tuple[float, GroundContact]] = {}
    for name, part in model.forces.items():
        if isinstance(part, GroundContact) and part.body in anatomy.leg.foot:
            turn, origin = _frame(model, anatomy, part.body)
            heights[name] = (float((origin + turn @ np.array(part.at))[0]), part)
    rear, fore = (choose(heights, key=lambda each: heights[each][0]) for choose in (min, max))
    markers, tips = {}, {}
    for role, name in (("heel", rear), ("toe", fore)):
        tips[role] = (f"{name}_tip", float(getattr(heights[name][1], "radius", 0.0)))
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
