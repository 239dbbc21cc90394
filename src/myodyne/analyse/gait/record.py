"""A walk as gait analysis reads it: angles, moments, powers and loads of both legs over time, in common signs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from myodyne.analyse.coordinate_motion import CoordinateMotion, coordinate_motion, equations_kept
from myodyne.analyse.gait.legs import JOINTS, SIDES, Leg, Side, legs_of, side_of
from myodyne.analyse.gait.loads import contact_loads, load_columns, plate_loads
from myodyne.analyse.inverse_dynamics import inverse_dynamics
from myodyne.analyse.sides.names import sideless
from myodyne.data import DataError, ExternalForces, Trajectory
from myodyne.model import CoordinateLimit, JointLimit, Model
from myodyne.types import Floats

ACTIVATION, STOP = "activation:", "stop:"
ENERGY = {"umberger": "metabolic_power", "bhargava": "metabolic_power_bhargava"}
# Columns that change sign when left and right are exchanged.
_SIDEWAYS = ("force_z", "foot_z")


@dataclass(frozen=True, eq=False)
class GaitRecord:
    """Columns of each leg, of the middle of the body, and the centre of mass (m), over time (s).

    Columns of a leg: ``hip_angle`` ... (degrees, flexion positive), ``hip_moment`` ... (N m/kg, extension positive),
    ``hip_power`` ... (W/kg), ``force_x``, ``force_y``, ``force_z`` (body weights, on the foot), ``pitch`` of the foot
    (degrees, toes up positive), ``foot_x``, ``foot_z`` (m), ``slip`` (m/s), activations and metabolic power (W/kg).
    """

    time: Floats
    legs: Mapping[Side, Mapping[str, Floats]]
    middle: Mapping[str, Floats]
    com: Floats

    @property
    def duration(self) -> float:
        """From the first to the last row (s)."""
        return float(self.time[-1] - self.time[0])

    def total(self, name: str) -> Floats:
        """Return a column summed over both legs and the middle."""
        parts = [table[name] for table in (*self.legs.values(), self.middle) if name in table]
        found: Floats = np.sum(parts, axis=0)
        return found

    def between(self, start: float, end: float) -> GaitRecord:
        """Return the part from one time to another, with rows at both, straight between the rows."""
        inside = (self.time > start + 1e-9) & (self.time < end - 1e-9)
        time = np.concatenate([[start], self.time[inside], [end]])

        def cut(column: Floats) -> Floats:
            found: Floats = np.interp(time, self.time, column)
            return found

        return GaitRecord(
            time,
            {side: {name: cut(column) for name, column in leg.items()} for side, leg in self.legs.items()},
            {name: cut(column) for name, column in self.middle.items()},
            np.column_stack([cut(axis) for axis in self.com.T]),
        )

    def exchanged(self) -> GaitRecord:
        """Return the same with left and right exchanged."""
        signs = dict.fromkeys(_SIDEWAYS, -1.0)
        turned = {
            side: {name: signs.get(name, 1.0) * column for name, column in self.legs[other].items()}
            for side, other in zip(SIDES, SIDES[::-1], strict=True)
        }
        return replace(self, legs=turned, com=self.com * (1.0, 1.0, -1.0))

    def followed_by(self, other: GaitRecord) -> GaitRecord:
        """Return this, and then another that begins where and when this ends."""
        ahead = float(self.com[-1, 0] - other.com[0, 0])

        def joined(one: Mapping[str, Floats], two: Mapping[str, Floats]) -> dict[str, Floats]:
            shifts = {"foot_x": ahead}
            return {name: np.concatenate([one[name], two[name][1:] + shifts.get(name, 0.0)]) for name in one}

        return GaitRecord(
            np.concatenate([self.time, other.time[1:] - other.time[0] + self.time[-1]]),
            {side: joined(self.legs[side], other.legs[side]) for side in SIDES},
            joined(self.middle, other.middle),
            np.vstack([self.com, other.com[1:] + np.array([ahead, 0.0, 0.0])]),
        )


def record_of(
    model: Model, walk: Trajectory, forces: ExternalForces | None, cutoff: float | None = None
) -> tuple[GaitRecord, dict[Side, Leg], tuple[str, ...]]:
    """Return what a motion of a model holds about its gait, the legs, and remarks."""
    movement = coordinate_motion(model, walk, cutoff)
    tree = equations_kept(model)
    q = movement.of(tree.coordinates).q
    turns, places = tree.body_poses(q)
    poses = {body: (turns[:, number], places[:, number]) for number, body in enumerate(tree.bodies)}
    loads = contact_loads(model, walk, poses) if forces is None else plate_loads(model, forces, movement.time)
    if not loads:
        raise DataError(
            f"'{model.name}' has no contact with the ground and no force plates. Give recorded forces "
            "(forces=my.load_external_forces(...)), or a model with contacts below its feet"
        )
    legs, notes = legs_of(model, [load.body for load in loads])
    weight = model.mass * float(np.linalg.norm(model.gravity))
    if weight <= 0.0:
        raise DataError(f"'{model.name}' has no weight: forces are measured in body weights")
    kinetics = _kinetics(model, walk, forces, legs, cutoff=cutoff)
    columns: dict[Side, dict[str, Floats]] = {}
    for side, leg in legs.items():
        columns[side] = {
            **_joint_columns(leg, movement, kinetics, model.mass),
            **load_columns(leg, loads, poses, movement.time, weight),
            **_stop_columns(model, walk, leg),
        }
    middle = _muscle_columns(model, walk, columns)
    com = np.asarray(tree.centre_of_mass(q))
    return GaitRecord(movement.time, columns, middle, com), legs, notes


def _kinetics(
    model: Model, walk: Trajectory, forces: ExternalForces | None, legs: Mapping[Side, Leg], *, cutoff: float | None
) -> Trajectory:
    """Return the net moments: those of the result, or by inverse dynamics."""
    wanted = [f"{name}.moment" for leg in legs.values() for name in leg.coordinates.values()]
    if forces is None and all(name in walk for name in wanted):
        return walk
    return inverse_dynamics(model, walk, forces, cutoff=cutoff)


def _joint_columns(leg: Leg, movement: CoordinateMotion, kinetics: Trajectory, mass: float) -> dict[str, Floats]:
    found = {}
    for joint in JOINTS:
        name, sense = leg.coordinates[joint], leg.flexion[joint]
        column = movement.names.index(name)
        moment = kinetics.values(f"{name}.moment")
        found[f"{joint}_angle"] = np.degrees(sense * movement.q[:, column])
        found[f"{joint}_moment"] = -sense * moment / mass
        found[f"{joint}_power"] = moment * movement.v[:, column] / mass
    return found


def _stop_columns(model: Model, walk: Trajectory, leg: Leg) -> dict[str, Floats]:
    """Return the size of the moments (N m/kg) with which stops hold the joints of a leg."""
    found: dict[str, Floats] = {}
    for name, force in model.forces.items():
        if isinstance(force, JointLimit | CoordinateLimit) and f"{name}.torque" in walk:
            for joint, coordinate in leg.coordinates.items():
                if force.coordinate == coordinate:
                    found[f"{STOP}{joint}"] = np.abs(walk.values(f"{name}.torque")) / model.mass
    return found


def _muscle_columns(model: Model, walk: Trajectory, legs: Mapping[Side, dict[str, Floats]]) -> dict[str, Floats]:
    """Add activations and metabolic power to the legs, and return what muscles without a side need."""
    middle: dict[str, Floats] = {}
    for name in model.muscles:
        side = side_of(name)
        home = middle if side is None else legs[side]
        if f"{name}.activation" in walk and side is not None:
            home[f"{ACTIVATION}{sideless(name)}"] = walk.values(f"{name}.activation")
        for kind, ending in ENERGY.items():
            if f"{name}.{ending}" in walk:
                home[kind] = home.get(kind, 0.0) + walk.values(f"{name}.{ending}") / model.mass
    return middle
