"""From a model to expressions: the one place where the equations are put together."""

from __future__ import annotations

from functools import cached_property

import casadi as ca

from myodyne.model import Model, values
from myodyne.physics import recursive
from myodyne.physics.articulated import forward_dynamics
from myodyne.physics.constraints import Demands, constraint_wrenches, demands_of
from myodyne.physics.derivatives import inverse_dynamics_jacobians
from myodyne.physics.forces import Applied, applied_forces
from myodyne.physics.kinematics import Kinematics, kinematics_of
from myodyne.physics.spatial import SX, vector
from myodyne.physics.tree import Tree, tree_of


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
