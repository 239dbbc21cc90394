"""From a model to the expressions of its kernels: the one place where the equations are put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import casadi as ca

from myodyne.model import Model, values
from myodyne.model.units import angles, force_units
from myodyne.physics import recursive
from myodyne.physics.articulated import forward_dynamics
from myodyne.physics.constraints import Demands, constraint_wrenches, demands_of
from myodyne.physics.derivatives import inverse_dynamics_jacobians
from myodyne.physics.forces import Applied, applied_forces
from myodyne.physics.kinematics import (
    Kinematics,
    centre_of_mass,
    gravitational_energy,
    kinematics_of,
    kinetic_energy,
    momentum,
    total_mass,
)
from myodyne.physics.spatial import SX, vector
from myodyne.physics.tree import Tree, tree_of


@dataclass(frozen=True)
class Definition:
    """Inputs and outputs of a kernel by name, and words about them that are kept with the compiled code."""

    inputs: Mapping[str, SX]
    outputs: Mapping[str, SX]
    notes: Mapping[str, object] = field(default_factory=dict)


class Assembly:
    """The equations of one model as expressions of its symbols."""

    def __init__(self, model: Model) -> None:
        self.model = model
        size = len(model.moving)
        self.q = SX.sym("q", size)
        self.v = SX.sym("v", size)
        self.vdot = SX.sym("vdot", size)
        self.tau = SX.sym("tau", size)
        self.qdot = SX.sym("qdot", size)
        self.u = SX.sym("u", len(model.controls))
        self.p = SX.sym("p", len(model.free_values))

    @cached_property
    def multipliers(self) -> SX:
        """One number for each row that the constraints keep: the forces that they exert."""
        return SX.sym("lambda", self.demands.count)

    @cached_property
    def motion(self) -> SX:
        """The states that are marched through time: coordinates and speeds."""
        return ca.vertcat(self.q, self.v)

    @cached_property
    def x(self) -> SX:
        return ca.vertcat(self.q, self.v, self.multipliers)

    @cached_property
    def xdot(self) -> SX:
        return ca.vertcat(self.qdot, self.vdot, SX.sym("lambda_dot", self.demands.count))

    @cached_property
    def symbolic(self) -> Model:
        """The model with symbols in place of its free numbers."""
        symbolic = self.model
        for number, name in enumerate(self.model.free_values):
            symbolic = values.replaced(symbolic, name, self.p[number])
        return symbolic

    @cached_property
    def tree(self) -> Tree:
        return tree_of(self.symbolic, self.q, self.v)

    @cached_property
    def kinematics(self) -> Kinematics:
        return kinematics_of(self.tree)

    @cached_property
    def applied(self) -> Applied:
        return applied_forces(self.kinematics, {name: self.u[i] for i, name in enumerate(self.model.controls)})

    @cached_property
    def gravity(self) -> SX:
        return vector(self.symbolic.gravity)

    @cached_property
    def demands(self) -> Demands:
        return demands_of(self.kinematics)

    @cached_property
    def correction(self) -> SX:
        """The acceleration that errors of the constraints ask for, to die out at the model's rate."""
        rate = self.symbolic.stabilisation
        return 2 * rate * self.demands.speed + rate**2 * self.demands.position

    @cached_property
    def kept(self) -> SX:
        """The constraints at the level of accelerations."""
        return self.demands.jacobian @ self.vdot + self.demands.velocity_term + self.correction

    @cached_property
    def balance(self) -> SX:
        """What inertia and gravity need less what all forces give, one row for each coordinate (N m or N)."""
        needed = recursive.inverse_dynamics(self.tree, self.vdot, self.applied.wrenches, self.gravity)
        return needed - self.applied.torques - self.demands.jacobian.T @ self.multipliers

    @cached_property
    def driven(self) -> SX:
        """The generalised forces of all forces of the model."""
        return recursive.generalised(self.tree, self.applied.wrenches) + self.applied.torques

    @cached_property
    def given(self) -> SX:
        """The generalised forces of all forces and constraints: what the balance subtracts."""
        return self.driven + self.demands.jacobian.T @ self.multipliers

    @cached_property
    def balance_jacobians(self) -> tuple[SX, SX, SX]:
        """Derivatives of the balance by q, v and vdot."""
        by_q, by_v, by_vdot = inverse_dynamics_jacobians(self.tree, self.vdot, self.gravity)
        return by_q - ca.jacobian(self.given, self.q), by_v - ca.jacobian(self.given, self.v), by_vdot

    @cached_property
    def residual(self) -> SX:
        return ca.vertcat(self.qdot - self.v, self.balance, self.kept)

    @cached_property
    def response(self) -> tuple[SX, SX]:
        """The accelerations that all forces together cause, and the multipliers of the constraints."""
        if not self.demands.count:
            wrenches = self.applied.wrenches
            return forward_dynamics(self.tree, self.applied.torques, wrenches, self.gravity), SX(0, 1)
        return self.constrained(self.driven, self.correction)

    def constrained(self, force: SX, correction: SX) -> tuple[SX, SX]:
        """Return accelerations and multipliers under a generalised force, gravity and the constraints."""
        nothing = SX(ca.DM.zeros(self.tree.size))
        bias = recursive.inverse_dynamics(self.tree, nothing, None, self.gravity)
        demanded = -(self.demands.velocity_term + correction)
        return recursive.constrained_dynamics(self.tree, force - bias, self.demands.jacobian, demanded)

    @property
    def acceleration(self) -> SX:
        """The accelerations that all forces together cause."""
        return self.response[0]

    @cached_property
    def supplied(self) -> SX:
        """The power (W) of all that is not stored: motors, dampers, outside forces, driven constraints."""
        power = (self.demands.jacobian @ self.v).T @ self.multipliers
        for effect in self.applied.effects.values():
            power = power + effect.power - effect.conservative_power
        return power

    @cached_property
    def constraint_wrenches(self) -> list[recursive.Wrench]:
        """What the constraints exert on the links."""
        return constraint_wrenches(self.kinematics, self.demands, self.multipliers)

    def definition(self, kernel: str) -> Definition:
        """Return the definition of a kernel by name."""
        return KERNELS[kernel](self)


def _inverse_dynamics(a: Assembly) -> Definition:
    tau = recursive.inverse_dynamics(a.tree, a.vdot, None, a.gravity)
    return Definition({"q": a.q, "v": a.v, "vdot": a.vdot, "p": a.p}, {"tau": tau})


def _inverse_dynamics_jacobians(a: Assembly) -> Definition:
    by_q, by_v, by_vdot = map(_row_by_row, inverse_dynamics_jacobians(a.tree, a.vdot, a.gravity))
    return Definition(
        {"q": a.q, "v": a.v, "vdot": a.vdot, "p": a.p}, {"by_q": by_q, "by_v": by_v, "by_vdot": by_vdot}
    )


def _row_by_row(matrix: SX) -> SX:
    """Return a matrix so that the kernel writes it in the order of numpy; CasADi writes columns."""
    return ca.densify(matrix.T)


def _mass_matrix(a: Assembly) -> Definition:
    return Definition({"q": a.q, "p": a.p}, {"matrix": _row_by_row(recursive.mass_matrix(a.tree))})


def _forward_dynamics(a: Assembly) -> Definition:
    if a.demands.count:
        vdot, _ = a.constrained(a.tau, SX(a.demands.count, 1))
    else:
        vdot = forward_dynamics(a.tree, a.tau, None, a.gravity)
    return Definition({"q": a.q, "v": a.v, "tau": a.tau, "p": a.p}, {"vdot": ca.densify(vdot)})


def _derivative(a: Assembly) -> Definition:
    acceleration, multipliers = a.response
    return Definition(
        {"x": a.motion, "u": a.u, "p": a.p},
        {"xdot": ca.densify(ca.vertcat(a.v, acceleration)), "multipliers": ca.densify(multipliers)},
    )


def _marched(a: Assembly) -> Definition:
    """The rates of all that is marched through time: the motion, and the work done on the body, for the audit."""
    acceleration, multipliers = a.response
    power = ca.substitute(a.supplied, a.multipliers, multipliers) if a.demands.count else a.supplied
    return Definition(
        {"x": ca.vertcat(a.motion, SX.sym("work")), "u": a.u, "p": a.p},
        {"xdot": ca.densify(ca.vertcat(a.v, acceleration, power))},
    )


def _constraints(a: Assembly) -> Definition:
    """What the constraints demand of positions and speeds, with the names of their rows."""
    return Definition(
        {"q": a.q, "v": a.v, "p": a.p},
        {
            "position": a.demands.position,
            "speed": a.demands.speed,
            "jacobian": _row_by_row(a.demands.jacobian),
        },
        {"names": a.demands.names, "owners": a.demands.owners},
    )


def _state_inputs(a: Assembly) -> dict[str, SX]:
    return {"x": a.x, "xdot": a.xdot, "u": a.u, "p": a.p}


def _residual(a: Assembly) -> Definition:
    return Definition(_state_inputs(a), {"F": ca.densify(a.residual)})


def _jacobians(a: Assembly) -> Definition:
    by_q, by_v, by_vdot = a.balance_jacobians
    size, rows, controls = a.tree.size, a.demands.count, a.u.numel()
    eye, nothing = SX.eye(size), SX(size, size)
    jacobian = a.demands.jacobian
    by_x = [
        [nothing, -eye, SX(size, rows)],
        [by_q, by_v, -jacobian.T],
        [ca.jacobian(a.kept, a.q), ca.jacobian(a.kept, a.v), SX(rows, rows)],
    ]
    by_xdot = [
        [eye, nothing, SX(size, rows)],
        [nothing, by_vdot, SX(size, rows)],
        [SX(rows, size), jacobian, SX(rows, rows)],
    ]
    by_u = ca.vertcat(SX(size, controls), -ca.jacobian(a.given, a.u), SX(rows, controls))
    return Definition(
        _state_inputs(a), {"by_x": ca.blockcat(by_x), "by_xdot": ca.blockcat(by_xdot), "by_u": by_u}
    )


def _parameter_jacobian(a: Assembly) -> Definition:
    return Definition(_state_inputs(a), {"by_p": ca.jacobian(a.residual, a.p)})


def _balance(a: Assembly) -> Definition:
    """The force balance with dense Jacobians, as the implicit marches want it: a system of second order.

    A multiplier enters as the acceleration of a coordinate of its own, which nothing else depends on; its
    speed is then the impulse of the constraint. The power does so too, and its speed is the work done on the
    body. So neither needs a march of its own.
    """
    by_q, by_v, by_vdot = a.balance_jacobians
    size, rows, jacobian = a.tree.size, a.demands.count, a.demands.jacobian
    power = SX.sym("power")
    further = ca.vertcat(a.kept, power - a.supplied)
    forces = ca.vertcat(a.multipliers, power)
    pushed = ca.horzcat(-jacobian.T, SX(size, 1))
    outputs = {
        "r": ca.vertcat(a.balance, further),
        "by_q": ca.blockcat([[by_q, SX(size, rows + 1)], [ca.jacobian(further, a.q), SX(rows + 1, rows + 1)]]),
        "by_v": ca.blockcat([[by_v, SX(size, rows + 1)], [ca.jacobian(further, a.v), SX(rows + 1, rows + 1)]]),
        "by_vdot": ca.blockcat([[by_vdot, pushed], [ca.jacobian(further, a.vdot), ca.jacobian(further, forces)]]),
    }
    idle, integrals = SX.sym("idle", rows + 1), SX.sym("integrals", rows + 1)
    rates = SX.sym("rates", size + rows + 1)
    return Definition(
        {"x": ca.vertcat(a.q, idle, a.v, integrals), "xdot": ca.vertcat(rates, a.vdot, forces), "u": a.u, "p": a.p},
        {name: ca.densify(value) for name, value in outputs.items()},
    )


def _poses(a: Assembly) -> Definition:
    poses = [a.kinematics.body_pose(body) for body in a.model.bodies]
    turns = [ca.densify(ca.reshape(pose.rotation.T, 9, 1)) for pose in poses]
    places = [ca.densify(pose.position) for pose in poses]
    return Definition(
        {"q": a.q, "p": a.p}, {"rotations": ca.vertcat(SX(0, 1), *turns), "positions": ca.vertcat(SX(0, 1), *places)}
    )


def _mechanics(a: Assembly) -> Definition:
    """Whole-body quantities: energies, momenta, centre of mass."""
    linear, angular = momentum(a.kinematics)
    stored = sum((effect.stored for effect in a.applied.effects.values()), SX(0))
    return Definition(
        {"q": a.q, "v": a.v, "p": a.p},
        {
            "kinetic": kinetic_energy(a.kinematics),
            "potential": gravitational_energy(a.kinematics) + stored,
            "linear_momentum": ca.densify(linear),
            "angular_momentum": ca.densify(angular),
            "centre_of_mass": ca.densify(centre_of_mass(a.kinematics)),
        },
    )


def _outputs(a: Assembly) -> Definition:
    found = _Outputs()
    _coordinate_outputs(a, found)
    _body_outputs(a, found)
    _reaction_outputs(a, found)
    _constraint_outputs(a, found)
    _force_outputs(a, found)
    column = ca.densify(ca.vertcat(*found.expressions)) if found.expressions else SX(0, 1)
    return Definition(_state_inputs(a), {"outputs": column}, {"names": found.names, "units": found.units})


class _Outputs:
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


def _coordinate_outputs(a: Assembly, found: _Outputs) -> None:
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


def _body_outputs(a: Assembly, found: _Outputs) -> None:
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


def _reaction_outputs(a: Assembly, found: _Outputs) -> None:
    """What each parent exerts on its child through the joint, motors included, at the joint's centre."""
    applied = [one + other for one, other in zip(a.applied.wrenches, a.constraint_wrenches, strict=True)]
    wrenches = recursive.transmitted(a.tree, a.vdot, applied, a.gravity)
    for body in a.model.bodies:
        number = a.tree.link_of_body[body]
        turn = a.kinematics.poses[number].rotation
        joint = a.tree.links[number].joint
        found.add_vector(f"{joint}.reaction_force", "N", turn @ wrenches[number].force)
        found.add_vector(f"{joint}.reaction_moment", "N m", turn @ wrenches[number].moment)


def _constraint_outputs(a: Assembly, found: _Outputs) -> None:
    """Forces of the constraints, how far they are violated, and what they drive."""
    demands = a.demands
    for number, (name, part) in enumerate(zip(demands.names, demands.parts, strict=True)):
        found.add(name, "N m" if part.startswith(("moment", "torque")) else "N", a.multipliers[number])
    for owner in dict.fromkeys(demands.owners):
        rows = [number for number, name in enumerate(demands.owners) if name == owner]
        found.add(f"{owner}.drift", "", ca.norm_2(demands.position[rows]))
        found.add(f"{owner}.drift_speed", "", ca.norm_2(demands.speed[rows]))
        work = (demands.jacobian[rows, :] @ a.v).T @ a.multipliers[rows]
        found.add(f"{owner}.power", "W", work)


def _force_outputs(a: Assembly, found: _Outputs) -> None:
    units = force_units(a.model)
    stored = SX(0)
    for name, effect in a.applied.effects.items():
        found.add(f"{name}.{'force' if units[name] == 'N' else 'torque'}", units[name], effect.size)
        found.add(f"{name}.power", "W", effect.power)
        stored = stored + effect.stored
    found.add("energy.kinetic", "J", kinetic_energy(a.kinematics))
    found.add("energy.potential", "J", gravitational_energy(a.kinematics) + stored)
    found.add("energy.input_power", "W", a.supplied)


KERNELS: dict[str, Callable[[Assembly], Definition]] = {
    "inverse_dynamics": _inverse_dynamics,
    "inverse_dynamics_jacobians": _inverse_dynamics_jacobians,
    "mass_matrix": _mass_matrix,
    "forward_dynamics": _forward_dynamics,
    "derivative": _derivative,
    "marched": _marched,
    "constraints": _constraints,
    "residual": _residual,
    "jacobians": _jacobians,
    "parameter_jacobian": _parameter_jacobian,
    "balance": _balance,
    "poses": _poses,
    "mechanics": _mechanics,
    "outputs": _outputs,
}
