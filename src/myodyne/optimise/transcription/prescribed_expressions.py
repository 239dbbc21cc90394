"""The equations of muscles and motors under a prescribed motion, as expressions."""

from __future__ import annotations

from functools import cached_property

import casadi as ca

from myodyne.equations.assemble import Assembly
from myodyne.equations.definitions import Definition
from myodyne.equations.muscles.kinds import DRIVE
from myodyne.equations.muscles.responses import Responses
from myodyne.equations.outputs import Outputs, force_outputs, muscle_outputs
from myodyne.model import Model
from myodyne.model.units import angles
from myodyne.physics.forces.total import Applied
from myodyne.physics.kinematics import Kinematics
from myodyne.physics.spatial import SX

# Rows and columns of the entries of a matrix that can differ from zero.
Pattern = tuple[tuple[int, int], ...]


class PrescribedExpressions:
    """Symbols and expressions of one instant of a prescribed motion.

    ``given`` are the known quantities: coordinates, speeds, accelerations, lengths and lengthening speeds of the
    muscles, the moments that muscles and motors must produce, net moments, and the entries of three matrices.

    Parameters
    ----------
    whole : the expressions of the free model, whose symbols these share.
    patterns : nonzero entries of the moment arms, of the motors' gains, and of the constraints' Jacobian.
    constraints : number of kept constraints.
    """

    def __init__(self, whole: Assembly, patterns: tuple[Pattern, Pattern, Pattern], constraints: int) -> None:
        self._whole = whole
        self.model: Model = whole.model
        self.q, self.v, self.vdot, self.u, self.p = whole.q, whole.v, whole.vdot, whole.u, whole.p
        self.sdot, self.adot = whole.sdot, whole.adot
        size, muscles = len(self.model.moving), len(self.model.muscles)
        self._lengths, self._path_speeds = SX.sym("length", muscles), SX.sym("length_speed", muscles)
        self._needed, self._net = SX.sym("needed", size), SX.sym("net", size)
        motors = len(self.model.controls) - muscles
        shapes = ((muscles, size), (size, motors), (constraints, size))
        entries = [SX.sym(name, len(own)) for name, own in zip(("arm", "driven", "held"), patterns, strict=True)]
        self._arms, self._motors, self._held = (
            _matrix(values, pattern, shape) for values, pattern, shape in zip(entries, patterns, shapes, strict=True)
        )
        self.given = ca.vertcat(
            self.q, self.v, self.vdot, self._lengths, self._path_speeds, self._needed, self._net, *entries
        )
        # The symbols of the whole model follow from its skeleton, which takes time to build.
        self._multipliers = whole.multipliers if constraints else SX(0, 1)
        self.motion = ca.vertcat(whole.s, whole.a)
        self.x = ca.vertcat(self.motion, self._multipliers)
        self.xdot = ca.vertcat(self.sdot, self.adot, SX.sym("lambda_dot", constraints))

    @property
    def symbolic(self) -> Model:
        """The model with symbols in place of its free parameters."""
        return self._whole.symbolic

    @property
    def kinematics(self) -> Kinematics:
        return self._whole.kinematics

    @property
    def gravity(self) -> SX:
        return self._whole.gravity

    @property
    def applied(self) -> Applied:
        """The forces of the model but its muscles."""
        return self._whole.applied

    @cached_property
    def drives(self) -> dict[str, SX]:
        """What acts on each muscle, in the order of ``muscles.DRIVE``."""
        whole = self._whole
        found = {}
        fibres = {muscle: place for place, muscle in enumerate(whole.elastic)}
        active = {muscle: place for place, muscle in enumerate(whole.activated)}
        for number, name in enumerate(self.model.muscles):
            column = SX(len(DRIVE), 1)
            column[0], column[1], column[6] = self._lengths[number], self._path_speeds[number], self.u[number]
            if number in fibres:
                column[2], column[3] = whole.s[fibres[number]], whole.sdot[fibres[number]]
            if number in active:
                column[4], column[5] = whole.a[active[number]], whole.adot[active[number]]
            found[name] = column
        return found

    @cached_property
    def _responses(self) -> Responses:
        return Responses(self.model, self.symbolic.muscles, self.drives)

    @cached_property
    def residual(self) -> SX:
        """The balance of moments, the balance of forces in muscles with elastic tendons, and activation dynamics."""
        motors = self.u[len(self.model.muscles) :]
        tensions = self._responses["tension"]
        balance = ca.densify(
            self._needed - self._motors @ motors - self._arms.T @ tensions - self._held.T @ self._multipliers
        )
        contraction = self._responses["contraction"][self._whole.elastic, 0]
        activation = self._responses["activation"][self._whole.activated, 0]
        return ca.vertcat(balance, contraction, activation)

    @cached_property
    def supplied(self) -> SX:
        """The power (W) of all that is not stored in the skeleton: muscles, motors, dampers, external forces."""
        return self._whole.skeleton_supplied - self._responses["tension"].T @ self._path_speeds

    def outputs(self) -> Outputs:
        """Return all outputs of an instant."""
        found = Outputs()
        turning = angles(self.model)
        for number, name in enumerate(self.model.moving):
            unit, force = ("rad", "N m") if name in turning else ("m", "N")
            found.add(name, unit, self.q[number])
            found.add(f"{name}.speed", f"{unit}/s", self.v[number])
            found.add(f"{name}.acceleration", f"{unit}/s^2", self.vdot[number])
            found.add(f"{name}.moment", force, self._net[number])
            found.add(f"{name}.power", "W", self._net[number] * self.v[number])
        force_outputs(self, found)
        muscle_outputs(self, found)
        return found

    def definition(self) -> Definition:
        """Return the kernel of all outputs."""
        found = self.outputs()
        inputs = {"x": self.x, "xdot": self.xdot, "u": self.u, "p": self.p, "numbers": self.given}
        return Definition(
            inputs,
            {"outputs": ca.densify(ca.vertcat(*found.expressions))},
            {"names": found.names, "units": found.units},
        )


def _matrix(values: SX, pattern: Pattern, shape: tuple[int, int]) -> SX:
    matrix = SX(*shape)
    for number, (row, column) in enumerate(pattern):
        matrix[row, column] = values[number]
    return matrix
