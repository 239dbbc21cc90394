"""What the ground does to the feet: forces of contacts or plates, where they act, how fast the foot slides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from myodyne.analyse.gait.legs import Leg
from myodyne.data import DataError, ExternalForces, Trajectory
from myodyne.model import GROUND, ContactPoint, HuntCrossleyContact, Model, SmoothSphereContact
from myodyne.numerics.rotations import rotation
from myodyne.types import Floats

Poses = Mapping[str, tuple[Floats, Floats]]
_KINDS = ContactPoint | HuntCrossleyContact | SmoothSphereContact
# Share of the body weight below which a load says nothing about sliding.
_HARDLY = 0.05


@dataclass(frozen=True, eq=False)
class Load:
    """A force of the ground on a body (N) and where it acts (m), each (rows, 3)."""

    body: str
    force: Floats
    point: Floats


def contact_loads(model: Model, walk: Trajectory, poses: Poses) -> list[Load]:
    """Return the loads of the model's contacts with the ground, as the result holds them."""
    found = []
    for name, contact in model.forces.items():
        if not isinstance(contact, _KINDS) or contact.plane.body != GROUND or contact.body == GROUND:
            continue
        columns = [f"{name}.force_{axis}" for axis in "xyz"]
        missing = [column for column in columns if column not in walk]
        if missing:
            raise DataError(
                f"the motion does not contain '{missing[0]}', the force of a contact of '{model.name}': give a result "
                f"of simulate or solve, or recorded forces (forces=my.load_external_forces(...))"
            )
        turns, places = poses[contact.body]
        point: Floats = np.asarray(places + turns @ np.asarray(contact.at, dtype=float), dtype=float)
        inwards = rotation(contact.plane.orientation)[:, 0]
        found.append(
            Load(
                contact.body,
                np.column_stack([walk.values(column) for column in columns]),
                point + getattr(contact, "radius", 0.0) * inwards,
            )
        )
    return found


def plate_loads(model: Model, forces: ExternalForces, time: Floats) -> list[Load]:
    """Return the recorded loads at the times of a motion."""
    found = []
    for name, force in forces.items():
        if force.body not in model.bodies:
            raise DataError(f"external force '{name}' acts on '{force.body}', which '{model.name}' does not have")
        if GROUND not in (force.force_frame,) or (force.point is not None and force.point_frame != GROUND):
            raise DataError(f"external force '{name}' is given in the axes of a body; a gait report needs the ground's")
        applied = force.at(time)
        point = np.full_like(applied.force, np.nan) if applied.point is None else applied.point
        found.append(Load(force.body, applied.force, point))
    return found


def load_columns(leg: Leg, loads: Sequence[Load], poses: Poses, time: Floats, weight: float) -> dict[str, Floats]:
    """Return force, pitch, place and sliding speed of a foot."""
    own = [load for load in loads if load.body in leg.bodies]
    total = np.sum([load.force for load in own], axis=0) / weight
    turns, places = poses[leg.foot]
    pitch = np.degrees(np.unwrap(np.arctan2(turns[:, 1, 0], turns[:, 0, 0])))
    return {
        **{f"force_{axis}": total[:, number] for number, axis in enumerate("xyz")},
        "pitch": pitch,
        "foot_x": _pressed(own, places, 0),
        "foot_z": _pressed(own, places, 2),
        "leg_length": np.linalg.norm(poses[leg.bodies[0]][1] - places, axis=1),
        "slip": _slip(own, poses, time, weight),
    }


def _pressed(loads: Sequence[Load], places: Floats, axis: int) -> Floats:
    """Return where a foot presses on the ground (m): its centre of pressure, else its origin."""
    weights = np.array(
        [np.where(np.isnan(load.point[:, axis]), 0.0, np.maximum(load.force[:, 1], 0.0)) for load in loads]
    )
    at = np.array([np.nan_to_num(load.point[:, axis]) for load in loads])
    total = weights.sum(axis=0)
    centre = (weights * at).sum(axis=0) / np.maximum(total, 1e-9)
    found: Floats = np.where(total > 1.0, centre, places[:, axis])
    return found


def _slip(loads: Sequence[Load], poses: Poses, time: Floats, weight: float) -> Floats:
    """Return how fast (m/s) the loaded points of a foot slide forwards: means, weighted by their vertical loads.

    A point is one of the foot, not the centre of pressure, which moves though nothing slides.
    """
    rates, weights = [], []
    for load in loads:
        turns, places = poses[load.body]
        local = np.einsum("nji,nj->ni", turns, load.point - places)
        turning, moving = np.gradient(turns, time, axis=0), np.gradient(places, time, axis=0)
        speed = moving[:, 0] + np.einsum("nj,nj->n", turning[:, 0], local)
        rates.append(np.nan_to_num(speed))
        weights.append(np.maximum(load.force[:, 1], 0.0))
    total = np.sum(weights, axis=0)
    mean = np.sum(np.multiply(rates, weights), axis=0) / np.maximum(total, 1e-9)
    found: Floats = np.where(total > _HARDLY * weight, mean, 0.0)
    return found
