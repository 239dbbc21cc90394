"""All forces of a model: wrenches on links, torques on coordinates, power and stored energy."""

from __future__ import annotations

from collections.abc import Mapping

from myodyne.errors import ModelError, listed
from myodyne.model import (
    BlankevoortLigament,
    BodyTorque,
    Bushing,
    BushingFormula,
    ContactPoint,
    CoordinateActuator,
    CoordinateFormula,
    CoordinateLimit,
    CurveBushing,
    CurveLigament,
    Drag,
    EllipsoidContact,
    Force,
    FunctionPath,
    HuntCrossleyContact,
    JointLimit,
    Ligament,
    LineActuator,
    LineFormula,
    PassiveMoment,
    PathActuator,
    PathForce,
    PathFormula,
    PathSpring,
    PointActuator,
    PointForce,
    PointPath,
    PointSpring,
    SmoothSphereContact,
    SpherePairContact,
    TorqueActuator,
    TorsionSpring,
)
from myodyne.physics.forces import actuators, bushings, contact, formulas, springs
from myodyne.physics.forces.applied import Applied, Effect
from myodyne.physics.kinematics import Kinematics, column
from myodyne.physics.paths import Paths, paths_of
from myodyne.physics.spatial import SX

__all__ = ["Applied", "Effect", "applied_forces"]


def applied_forces(
    kinematics: Kinematics, controls: Mapping[str, SX], fitted: Mapping[str, FunctionPath] | None = None
) -> Applied:
    """Return the effect of every force of the model in the present state; ``fitted`` replace paths over surfaces."""
    applied = Applied.nothing(kinematics)
    forces = kinematics.tree.model.forces
    path_of = {name: force.path for name, force in forces.items() if isinstance(force, PathForce)}
    path_of |= {name: path for name, path in (fitted or {}).items() if name in path_of}
    wrapped = [name for name, path in path_of.items() if isinstance(path, PointPath) and path.wraps]
    if wrapped:
        # Straight pieces would run through the surfaces.
        raise ModelError(
            f"the paths of {listed(wrapped)} wrap over surfaces and cannot be written as expressions; fit them "
            "first, as equations_of does"
        )
    paths = paths_of(kinematics, path_of)
    rows = {name: row for row, name in enumerate(path_of)}
    for name, force in forces.items():
        control = controls[name] if force.controlled else SX(1)
        if isinstance(force, PathForce):
            applied.effects[name] = _along(applied, paths, rows[name], force, control)
        else:
            applied.effects[name] = _effect(applied, force, control)
    applied.pulled = paths.pulls(column([applied.effects[name].size for name in path_of]))
    return applied


def _along(applied: Applied, paths: Paths, row: int, force: PathForce, control: SX) -> Effect:
    match force:
        case Ligament():
            return springs.ligament(applied, paths, row, force)
        case PathSpring():
            return springs.path_spring(applied, paths, row, force)
        case CurveLigament():
            return springs.curve_ligament(applied, paths, row, force)
        case BlankevoortLigament():
            return springs.blankevoort_ligament(applied, paths, row, force)
        case PathFormula():
            return formulas.path_formula(applied, paths, row, force)
        case PathActuator():
            return applied.along(paths, row, force.gain * control)


def _effect(applied: Applied, force: Force, control: SX) -> Effect:
    match force:
        case PointForce():
            return actuators.point_force(applied, force, control)
        case BodyTorque():
            return actuators.body_torque(applied, force, control)
        case Drag():
            return springs.drag(applied, force)
        case CoordinateActuator():
            return applied.on_coordinate(force.coordinate, force.gain * control)
        case TorqueActuator():
            return actuators.torque_actuator(applied, force, control)
        case PointActuator():
            return actuators.point_actuator(applied, force, control)
        case LineActuator():
            return actuators.line_actuator(applied, force, control)
        case PointSpring():
            return springs.point_spring(applied, force)
        case TorsionSpring():
            return springs.torsion_spring(applied, force)
        case JointLimit():
            return springs.joint_limit(applied, force)
        case CoordinateLimit():
            return springs.coordinate_limit(applied, force)
        case PassiveMoment():
            return springs.passive_moment(applied, force)
        case Bushing() | BushingFormula() | CurveBushing():
            return bushings.bushing(applied, force)
        case CoordinateFormula():
            return formulas.coordinate_formula(applied, force)
        case LineFormula():
            return formulas.line_formula(applied, force)
        case EllipsoidContact():
            return contact.ellipsoid_contact(applied, force)
        case HuntCrossleyContact() | SpherePairContact():
            return contact.hunt_crossley_contact(applied, force)
        case SmoothSphereContact():
            return contact.smooth_sphere_contact(applied, force)
        case ContactPoint():
            return contact.contact_point(applied, force)
        case _:
            raise ModelError(f"forces of kind '{force.kind}' are not implemented")
