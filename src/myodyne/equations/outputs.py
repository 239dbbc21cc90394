"""The named outputs of a model: what a result holds beside its states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import casadi as ca

from myodyne.equations.muscles.kinds import DRIVE, activation_states
from myodyne.model import (
    GROUND,
    ContactPoint,
    HuntCrossleyContact,
    Model,
    PointConstraint,
    RollingConstraint,
    SmoothSphereContact,
)
from myodyne.model.units import angles, force_units
from myodyne.physics import recursive
from myodyne.physics.constraints import embedded_gaps, rolling_of
from myodyne.physics.forces.total import Applied
from myodyne.physics.kinematics import (
    Kinematics,
    centre_of_mass,
    gravitational_energy,
    kinetic_energy,
    momentum,
    total_mass,
)
from myodyne.physics.metabolics import bhargava, umberger
from myodyne.physics.muscle import Drive, respond
from myodyne.physics.spatial import SX, Transform, dot

if TYPE_CHECKING:
    from myodyne.equations.assemble import Assembly

# A force (N) that counts as zero.
_NO_FORCE = 1e-6


class ForceExpressions(Protocol):
    """What the outputs of forces and energies are made of."""

    @property
    def model(self) -> Model: ...
    @property
    def kinematics(self) -> Kinematics: ...
    @property
    def applied(self) -> Applied: ...
    @property
    def supplied(self) -> SX: ...


class MuscleExpressions(Protocol):
    """What the outputs of muscles are made of."""

    @property
    def model(self) -> Model: ...
    @property
    def symbolic(self) -> Model: ...
    @property
    def drives(self) -> Mapping[str, SX]: ...


def outputs_of(a: Assembly) -> Outputs:
    """Return all that can be read from a state, its rate and the controls."""
    found = Outputs()
    _coordinate_outputs(a, found)
    _body_outputs(a, found)
    _reaction_outputs(a, found)
    _constraint_outputs(a, found)
    force_outputs(a, found)
    _ground_outputs(a, found)
    muscle_outputs(a, found)
    return found


class Outputs:
    """Named scalar expressions with units, in the order in which they are added."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.units: list[str] = []
        self.expressions: list[SX] = []

    def add(self, name: str, unit: str, expression: SX) -> None:
        self.names.append(name)
        self.units.append(unit)
        self.expressions.append(expression)

    def add_vector(self, name: str, unit: str, expression: SX) -> None:
        for letter, number in zip("xyz", range(3), strict=True):
            self.add(f"{name}_{letter}", unit, expression[number])


def _coordinate_outputs(a: Assembly, found: Outputs) -> None:
    outside = [one + other for one, other in zip(a.applied.external, a.constraint_wrenches, strict=True)]
    net = recursive.inverse_dynamics(a.tree, a.vdot, outside, a.gravity)
    turning = angles(a.model)
    for number, name in enumerate(a.model.moving):
        unit, force = ("rad", "N m") if name in turning else ("m", "N")
        found.add(f"{name}.acceleration", f"{unit}/s^2", a.vdot[number])
        found.add(f"{name}.moment", force, net[number])
        found.add(f"{name}.power", "W", net[number] * a.v[number])
    for name, part in a.model.coordinates.items():
        if part.coupled is not None:
            unit = "rad" if name in turning else "m"
            jet = a.tree.coordinates[name]
            found.add(name, unit, jet.value)
            found.add(f"{name}.speed", f"{unit}/s", jet.rate)
            found.add(f"{name}.acceleration", f"{unit}/s^2", jet.gradient @ a.vdot + jet.velocity_term)


def _body_outputs(a: Assembly, found: Outputs) -> None:
    for name in a.model.bodies:
        origin = (0.0, 0.0, 0.0)
        found.add_vector(f"{name}.position", "m", a.kinematics.point(name, origin))
        found.add_vector(f"{name}.velocity", "m/s", a.kinematics.point_velocity(name, origin))
    for name, marker in a.symbolic.markers.items():
        found.add_vector(f"{name}.position", "m", a.kinematics.point(marker.body, marker.at))
        found.add_vector(f"{name}.velocity", "m/s", a.kinematics.point_velocity(marker.body, marker.at))
    if a.model.mass > 0 or a.model.free_values:
        linear, angular = momentum(a.kinematics)
        found.add_vector("com.position", "m", centre_of_mass(a.kinematics))
        found.add_vector("com.velocity", "m/s", linear / total_mass(a.tree))
        found.add_vector("momentum.linear", "kg m/s", linear)
        found.add_vector("momentum.angular", "kg m^2/s", angular)


def _reaction_outputs(a: Assembly, found: Outputs) -> None:
    """What each parent exerts on its child through the joint, at the joint's centre.

    Muscles and ligaments along points pull on the bodies beside the joint, and so load it; motors, and muscles whose
    path is a function of the coordinates, act through it.
    """
    pulls = a.paths.pulls(a.muscles["tension"])
    exerted = zip(a.applied.wrenches, a.applied.pulled, a.constraint_wrenches, pulls, strict=True)
    applied = [sum(parts[1:], parts[0]) for parts in exerted]
    wrenches = recursive.transmitted(a.tree, a.vdot, applied, a.gravity)
    for body in a.model.bodies:
        number = a.tree.link_of_body[body]
        turn = a.kinematics.poses[number].rotation
        joint = a.tree.links[number].joint
        found.add_vector(f"{joint}.reaction_force", "N", turn @ wrenches[number].force)
        found.add_vector(f"{joint}.reaction_moment", "N m", turn @ wrenches[number].moment)


def _constraint_outputs(a: Assembly, found: Outputs) -> None:
    """Forces of the constraints, how far they are violated, and what they drive."""
    demands = a.all_demands
    turning = angles(a.model)
    for number, (name, part) in enumerate(zip(demands.names, demands.parts, strict=True)):
        # What acts on a coordinate is called its torque, also where the coordinate slides.
        coordinate = getattr(a.model.constraints[demands.owners[number]], "coordinate", None)
        turns = part.startswith("moment") if coordinate is None else coordinate in turning
        found.add(name, "N m" if turns else "N", a.constraint_forces[number])
    for owner in dict.fromkeys(demands.owners):
        rows = [number for number, name in enumerate(demands.owners) if name == owner]
        found.add(f"{owner}.drift", "", ca.norm_2(demands.position[rows]))
        found.add(f"{owner}.drift_speed", "", ca.norm_2(demands.speed[rows]))
        work = (demands.jacobian[rows, :] @ a.v).T @ a.constraint_forces[rows]
        found.add(f"{owner}.power", "W", work)
    _rolling_outputs(a, found)
    for name, gap in embedded_gaps(a.kinematics).items():
        found.add(f"{name}.drift", "", gap)


def _rolling_outputs(a: Assembly, found: Outputs) -> None:
    """Where the arcs touch the ground, and its force on them."""
    sizes = {name: a.constraint_forces[number] for number, name in enumerate(a.all_demands.names)}
    for name, constraint in a.symbolic.constraints.items():
        if isinstance(constraint, RollingConstraint):
            arc = rolling_of(a.kinematics, constraint)
            normal, tangential = (sizes.get(f"{name}.{part}", SX(0)) for part in ("normal_force", "tangential_force"))
            found.add_vector(f"{name}.force", "N", arc.force(normal, tangential))
            found.add_vector(f"{name}.contact", "m", arc.contact)


@dataclass(frozen=True)
class _Support:
    """A force of the ground on a body: its part off the surface (N), the size of its part along it (N), its place."""

    name: str
    normal: SX
    tangential: SX
    place: SX


def _ground_outputs(a: Assembly, found: Outputs) -> None:
    """Add friction ratios of what stands on the ground, and the centre of pressure of all of it."""
    up = 1 if not any(a.model.gravity) else max(range(3), key=lambda axis: abs(a.model.gravity[axis]))
    supports = [*_contact_supports(a), *_constraint_supports(a, up)]
    for support in supports:
        # Finite without any force, and with derivatives everywhere.
        rubbing = ca.sqrt(support.tangential + _NO_FORCE**2) - _NO_FORCE
        found.add(f"{support.name}.friction_ratio", "", rubbing / ca.sqrt(support.normal**2 + _NO_FORCE**2))
    if not supports:
        return
    # What pulls has no weight; where nothing pushes this is the middle of all places.
    weights = [(part.normal + ca.sqrt(part.normal**2 + _NO_FORCE**2)) / 2 for part in supports]
    total = sum(weights[1:], weights[0])
    for axis, letter in enumerate("xyz"):
        if axis != up:
            moments = [weight * part.place[axis] for weight, part in zip(weights, supports, strict=True)]
            found.add(f"ground.centre_of_pressure_{letter}", "m", sum(moments[1:], moments[0]) / total)


def _contact_supports(a: Assembly) -> list[_Support]:
    """Return the contacts of points and spheres with planes of the ground."""
    found = []
    for name, contact in a.symbolic.forces.items():
        if not isinstance(contact, ContactPoint | HuntCrossleyContact | SmoothSphereContact):
            continue
        if contact.plane.body != GROUND or contact.body == GROUND:
            continue
        plane = Transform.placed(contact.plane.at, contact.plane.orientation)
        inwards, centre = plane.rotation[:, 0], a.kinematics.point(contact.body, contact.at)
        radius, share = 0.0, 0.0
        if not isinstance(contact, ContactPoint):
            radius, share = contact.radius, getattr(contact, "sphere_share", 0.5)
        depth = dot(inwards, centre - plane.position) + radius
        force = a.applied.effects[name].vectors["force"]
        normal = -dot(force, inwards)
        along = force + normal * inwards
        found.append(_Support(name, normal, dot(along, along), centre + (radius - share * depth) * inwards))
    return found


def _constraint_supports(a: Assembly, up: int) -> list[_Support]:
    """Return the points that constraints hold on the ground, along the vertical among others, and arcs that roll."""
    found = []
    sizes = {name: a.constraint_forces[number] for number, name in enumerate(a.all_demands.names)}
    for name, constraint in a.symbolic.constraints.items():
        if isinstance(constraint, RollingConstraint):
            normal, tangential = (sizes.get(f"{name}.{part}", SX(0)) for part in ("normal_force", "tangential_force"))
            found.append(_Support(name, normal, tangential**2, rolling_of(a.kinematics, constraint).contact))
    for name, constraint in a.symbolic.constraints.items():
        if not isinstance(constraint, PointConstraint) or GROUND not in {constraint.first.body, constraint.second.body}:
            continue
        held, sign = (constraint.first, 1) if constraint.second.body == GROUND else (constraint.second, -1)
        rows = {
            part[-1]: number
            for number, (owner, part) in enumerate(zip(a.all_demands.owners, a.all_demands.parts, strict=True))
            if owner == name
        }
        if "xyz"[up] not in rows or len(rows) < 2:
            continue  # nothing rubs
        normal = sign * a.constraint_forces[rows.pop("xyz"[up])]
        along = sum((a.constraint_forces[number] ** 2 for number in rows.values()), SX(0))
        found.append(_Support(name, normal, along, a.kinematics.point(held.body, held.at)))
    return found


def force_outputs(a: ForceExpressions, found: Outputs) -> None:
    """Add what each force of the model but its muscles does, and the energies of the body."""
    units = force_units(a.model)
    stored = SX(0)
    for name, effect in a.applied.effects.items():
        found.add(f"{name}.{'force' if units[name] == 'N' else 'torque'}", units[name], effect.size)
        for kind, parts in effect.vectors.items():
            found.add_vector(f"{name}.{kind}", "N" if kind == "force" else "N m", parts)
        found.add(f"{name}.power", "W", effect.power)
        stored = stored + effect.stored
    found.add("energy.kinetic", "J", kinetic_energy(a.kinematics))
    found.add("energy.potential", "J", gravitational_energy(a.kinematics) + stored)
    found.add("energy.input_power", "W", a.supplied)


def muscle_outputs(a: MuscleExpressions, found: Outputs) -> None:
    """Add what each muscle does."""
    stated = activation_states(a.model)
    for name, muscle in a.symbolic.muscles.items():
        drive = Drive(*(a.drives[name][number] for number in range(len(DRIVE))))
        response = respond(muscle, drive)
        if stated.get(name) != f"{name}.activation":
            found.add(f"{name}.activation", "", response.active_state)
        found.add(f"{name}.force", "N", response.tension)
        found.add(f"{name}.length", "m", drive.length)
        found.add(f"{name}.velocity", "m/s", drive.speed)
        found.add(f"{name}.fibre_length", "m", response.fibre_length)
        found.add(f"{name}.fibre_velocity", "m/s", response.fibre_velocity)
        found.add(f"{name}.pennation_angle", "rad", ca.acos(response.cosine))
        found.add(f"{name}.active_force", "N", response.contractile * muscle.max_force)
        found.add(f"{name}.passive_force", "N", response.parallel * muscle.max_force)
        found.add(f"{name}.power", "W", -response.tension * drive.speed)
        found.add(f"{name}.metabolic_power", "W", umberger(muscle, drive, response).total)
        found.add(f"{name}.metabolic_power_bhargava", "W", bhargava(muscle, drive, response).total)
