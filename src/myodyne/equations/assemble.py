"""From a model to expressions: the one place where the equations are put together."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import pairwise

import casadi as ca

from myodyne.equations.closing import add_loads, controls_by_law
from myodyne.equations.closure import NOTHING, Closure
from myodyne.equations.motions import control_names, motion_places
from myodyne.equations.muscles.kinds import DRIVE, activation_states, fibre_states, kinds_of
from myodyne.equations.muscles.responses import Responses
from myodyne.equations.redundancy import Independent, shared_forces, without_repetition
from myodyne.model import FunctionPath, Model, values
from myodyne.paths.geometry import wrapped_forces, wrapped_muscles
from myodyne.paths.groups import Groups
from myodyne.physics import recursive
from myodyne.physics.articulated import Loads, constrained_dynamics, forward_dynamics
from myodyne.physics.constraints import Demands, constraint_wrenches, demands_of
from myodyne.physics.derivatives import inverse_dynamics_jacobians
from myodyne.physics.forces.total import Applied, applied_forces
from myodyne.physics.kinematics import Kinematics, kinematics_of
from myodyne.physics.loops import closed_tree
from myodyne.physics.paths import Paths, paths_of
from myodyne.physics.spatial import SX, vector
from myodyne.physics.tree import Tree
from myodyne.physics.wrapped import WrappedPaths, given_paths

# Rounds of refinement where rows of constraints nearly repeat each other: each gains the digits that one solution has.
_REFINED = 4


class Assembly:
    """The equations of one model as expressions of its symbols.

    ``fitted`` returns the polynomials that replace paths over surfaces, by name; it is called when they are needed.
    A ``closure`` adds a control law and recorded forces.
    """

    def __init__(
        self, model: Model, fitted: Callable[[], Mapping[str, FunctionPath]] = dict, closure: Closure = NOTHING
    ) -> None:
        self.model = model
        self.closure = closure
        self._fitted = fitted
        size = len(model.moving)
        self.q = SX.sym("q", size)
        self.v = SX.sym("v", size)
        self.vdot = SX.sym("vdot", size)
        self.tau = SX.sym("tau", size)
        self.qdot = SX.sym("qdot", size)
        self.s = SX.sym("s", len(fibre_states(model)))
        self.sdot = SX.sym("sdot", len(fibre_states(model)))
        self.a = SX.sym("a", len(activation_states(model)))
        self.adot = SX.sym("adot", len(activation_states(model)))
        self.u = SX.sym("u", len(control_names(model, closure)))
        self.p = SX.sym("p", len(model.free_values) + len(closure.gains))

    @cached_property
    def multipliers(self) -> SX:
        """One number for each row of the constraints: the forces that they exert."""
        return SX.sym("lambda", self.demands.count)

    @cached_property
    def motion(self) -> SX:
        """The states that are marched through time: coordinates, speeds, fibre lengths, activations."""
        return ca.vertcat(self.q, self.v, self.s, self.a)

    @cached_property
    def x(self) -> SX:
        return ca.vertcat(self.motion, self.multipliers)

    @cached_property
    def xdot(self) -> SX:
        return ca.vertcat(self.qdot, self.vdot, self.sdot, self.adot, SX.sym("lambda_dot", self.demands.count))

    @cached_property
    def symbolic(self) -> Model:
        """The model with symbols in place of its free numbers."""
        symbolic = self.model
        for number, name in enumerate(self.model.free_values):
            symbolic = values.replaced(symbolic, name, self.p[number])
        return symbolic

    @cached_property
    def tree(self) -> Tree:
        return closed_tree(self.symbolic, self.q, self.v)

    @cached_property
    def kinematics(self) -> Kinematics:
        return kinematics_of(self.tree)

    @property
    def applied(self) -> Applied:
        """What all forces except muscles do."""
        return self._forces[0]

    @cached_property
    def _forces(self) -> tuple[Applied, SX]:
        """What all forces except muscles do, and the power (W) of the recorded ones."""
        controls = {name: self.controls[i] for i, name in enumerate(self.model.controls)}
        # Only what forces do needs the fits, which take minutes: poses and masses do not.
        fitted = self._fitted() if wrapped_forces(self.model) else {}
        applied = applied_forces(self.kinematics, controls, fitted)
        first = motion_places(self.model).stop + self.closure.clocked
        return applied, add_loads(self.kinematics, self.closure.loads, self.u[first:], applied)

    @property
    def clock(self) -> SX:
        """The time (s), a control where a control law needs it."""
        return self.u[motion_places(self.model).stop] if self.closure.clocked else SX(0)

    @cached_property
    def controls(self) -> SX:
        """The controls of the model: those given, and those that the control law of the closure gives."""
        given = self.u[: len(self.model.controls)]
        if self.closure.law is None:
            return given
        # Both must have the same symbols, those of the multipliers included.
        assert self.xdot.numel() == self.x.numel()
        without = copy.copy(self)
        without.controls = given
        return controls_by_law(without)

    @cached_property
    def gravity(self) -> SX:
        return vector(self.symbolic.gravity)

    @property
    def demands(self) -> Demands:
        """The rows of the constraints, but for those that others imply."""
        return self._rows[0]

    @property
    def repeated_rows(self) -> tuple[str, ...]:
        """Names of the rows that others imply, which are left out."""
        return self._rows[1].left_out

    @cached_property
    def _rows(self) -> tuple[Demands, Independent]:
        return without_repetition(self, self.all_demands)

    @cached_property
    def all_demands(self) -> Demands:
        """The rows of the constraints, those that others imply among them."""
        motions = ca.vertsplit(self.motions, 3) if self.model.motions else []
        named = dict(zip(self.model.motions, map(ca.vertsplit, motions), strict=True))
        return demands_of(self.kinematics, named)

    @cached_property
    def constraint_forces(self) -> SX:
        """The forces of all rows of constraints: rows that repeat each other share theirs, with the least norm."""
        return shared_forces(self.all_demands, self._rows[1], self.multipliers)

    @property
    def motions(self) -> SX:
        """Value, speed and acceleration of each function of time that a constraint follows: the last controls."""
        return self.u[motion_places(self.model)]

    @cached_property
    def paths(self) -> Paths:
        """The paths of all muscles over the bodies, with polynomials for those over surfaces."""
        paths = {name: muscle.path for name, muscle in self.symbolic.muscles.items()}
        fitted = self._fitted() if self.wrapped_names else {}
        return paths_of(self.kinematics, {name: fitted.get(name, path) for name, path in paths.items()})

    def with_given_paths(self) -> tuple[Assembly, SX, SX]:
        """Return the equations with symbols for paths over surfaces: lengths (m), and their derivatives by places."""
        lengths, weights = SX.sym("lengths", len(self.wrapped_names)), self.wrapped.weights()
        straight = {name: part.path for name, part in self.symbolic.muscles.items() if name not in self.wrapped_names}
        plain = paths_of(self.kinematics, straight)
        changed = copy.copy(self)
        for name in ("drives", "muscles", "contraction", "activation", "supplied", "balance", "residual"):
            changed.__dict__.pop(name, None)
        changed.paths = given_paths(plain, self.wrapped, (lengths, weights), self._places_of_paths)
        return changed, lengths, weights

    @property
    def _places_of_paths(self) -> tuple[list[int], list[int]]:
        """The numbers of the muscles over no surface, and of those over some."""
        over = set(self.wrapped_names)
        numbers = list(enumerate(self.model.muscles))
        return [k for k, name in numbers if name not in over], [k for k, name in numbers if name in over]

    @property
    def wrapped_names(self) -> tuple[str, ...]:
        """The muscles whose paths wrap over surfaces."""
        return tuple(wrapped_muscles(self.model))

    @cached_property
    def wrapped(self) -> WrappedPaths:
        """The places of the paths over surfaces."""
        return WrappedPaths(self.tree, wrapped_muscles(self.symbolic))

    @cached_property
    def groups(self) -> Groups:
        """The order of the muscles in the C runtime."""
        kinds, _ = kinds_of(self.model)
        first, crossed = self.paths.gradient.T.sparsity().colind(), self.paths.gradient.T.sparsity().row()
        return Groups.of(
            [kinds[name] for name in self.model.muscles],
            [tuple(crossed[begin:end]) for begin, end in pairwise(first)],
        )

    @cached_property
    def drives(self) -> dict[str, SX]:
        """The inputs of each muscle, in the order of ``muscles.DRIVE``."""
        fibres = {name: number for number, name in enumerate(fibre_states(self.model))}
        active = {name: number for number, name in enumerate(activation_states(self.model))}
        drives = {}
        for number, name in enumerate(self.model.muscles):
            column = SX(len(DRIVE), 1)
            column[0], column[1], column[6] = (
                self.paths.lengths[number],
                self.paths.speeds[number],
                self.controls[number],
            )
            if name in fibres:
                column[2], column[3] = self.s[fibres[name]], self.sdot[fibres[name]]
            if name in active:
                column[4], column[5] = self.a[active[name]], self.adot[active[name]]
            drives[name] = column
        return drives

    @cached_property
    def muscles(self) -> Responses:
        """The responses of all muscles with their derivatives."""
        return Responses(self.model, self.symbolic.muscles, self.drives)

    @cached_property
    def contraction(self) -> SX:
        """The force balance inside the muscles with elastic tendons (maximal forces)."""
        return self.muscles["contraction"][self.elastic, 0]

    @cached_property
    def activation(self) -> SX:
        """The residual of activation dynamics (1/s)."""
        return self.muscles["activation"][self.activated, 0]

    @property
    def elastic(self) -> list[int]:
        """The numbers of the muscles that have a fibre state."""
        return [number for number, name in enumerate(self.model.muscles) if name in fibre_states(self.model)]

    @property
    def activated(self) -> list[int]:
        """The numbers of the muscles that have an activation state."""
        return [number for number, name in enumerate(self.model.muscles) if name in activation_states(self.model)]

    @cached_property
    def correction(self) -> SX:
        """The acceleration by which errors of the constraints decay at the model's rate of stabilisation."""
        rate = self.symbolic.stabilisation
        return 2 * rate * self.demands.speed + rate**2 * self.demands.position

    @cached_property
    def kept(self) -> SX:
        """The constraints at the level of accelerations."""
        return self.demands.jacobian @ self.vdot + self.demands.velocity_term + self.correction

    @cached_property
    def skeleton_balance(self) -> SX:
        """The balance of forces without muscles, one row for each coordinate (N m or N)."""
        needed = recursive.inverse_dynamics(self.tree, self.vdot, self.applied.wrenches, self.gravity)
        return needed - self.applied.torques - self.demands.jacobian.T @ self.multipliers

    @cached_property
    def balance(self) -> SX:
        """The forces that inertia and gravity require less all applied forces, a row for each coordinate (N m or N)."""
        return self.skeleton_balance + self.paths.gradient.T @ self.muscles["tension"]

    @cached_property
    def driven(self) -> SX:
        """The generalised forces of all forces of the model except muscles."""
        return recursive.generalised(self.tree, self.applied.wrenches) + self.applied.torques

    @cached_property
    def given(self) -> SX:
        """The generalised forces of forces and constraints: what the balance without muscles subtracts."""
        return self.driven + self.demands.jacobian.T @ self.multipliers

    @cached_property
    def balance_jacobians(self) -> tuple[SX, SX, SX]:
        """Derivatives of the balance without muscles by q, v and vdot."""
        by_q, by_v, by_vdot = inverse_dynamics_jacobians(self.tree, self.vdot, self.gravity)
        return by_q - ca.jacobian(self.given, self.q), by_v - ca.jacobian(self.given, self.v), by_vdot

    @cached_property
    def residual(self) -> SX:
        return ca.vertcat(self.qdot - self.v, self.balance, self.contraction, self.activation, self.kept)

    @cached_property
    def response(self) -> tuple[SX, SX]:
        """The accelerations due to all forces except muscles, and the multipliers of the constraints."""
        if not self.demands.count:
            wrenches = self.applied.wrenches
            return forward_dynamics(self.tree, self.applied.torques, wrenches, self.gravity), SX(0, 1)
        return self.constrained(self.applied.torques, self.applied.wrenches, self.correction)

    def constrained(self, torques: SX, wrenches: list[recursive.Wrench] | None, correction: SX) -> tuple[SX, SX]:
        """Return accelerations and multipliers under forces, gravity and the constraints."""
        demanded = -(self.demands.velocity_term + correction)
        rounds = _REFINED if self._rows[1].nearly else 0
        loads = Loads(torques, wrenches, self.gravity)
        return constrained_dynamics(self.tree, loads, self.demands.jacobian, demanded, rounds)

    @property
    def acceleration(self) -> SX:
        """The accelerations due to all forces except muscles."""
        return self.response[0]

    @cached_property
    def skeleton_supplied(self) -> SX:
        """The power (W) of non-conservative forces except muscles: motors, dampers, external forces, constraints."""
        power = (self.demands.jacobian @ self.v).T @ self.multipliers + self._forces[1]
        for effect in self.applied.effects.values():
            power = power + effect.power - effect.conservative_power
        return power

    @cached_property
    def supplied(self) -> SX:
        """The power (W) of all non-conservative forces: muscles, motors, dampers, external forces."""
        return self.skeleton_supplied - self.muscles["tension"].T @ self.paths.speeds

    @cached_property
    def constraint_wrenches(self) -> list[recursive.Wrench]:
        """The wrenches of the constraints on the links."""
        return constraint_wrenches(self.kinematics, self.all_demands, self.constraint_forces)
