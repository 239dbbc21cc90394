"""Problems whose motion is given: what remains unknown is how muscles and motors bring it about.

Coordinates, speeds and accelerations are numbers at every instant, and so are the lengths of all muscles, their moment
arms, and the moments that the motion needs. The equations then know no skeleton: the balance of forces is linear in
the tensions, and each muscle has a chain of its own through time.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from myodyne.analyse.changed import skeleton
from myodyne.analyse.external_wrenches import wrenches_of
from myodyne.analyse.movement import Movement, movement_of, numbers_of, passive_forces
from myodyne.analyse.needed_moments import needed_moments
from myodyne.data import Trajectory
from myodyne.equations import Equations, equations_of
from myodyne.equations.assemble import Assembly
from myodyne.equations.definitions import Definition
from myodyne.equations.layout import Layout, NamedEquations
from myodyne.equations.muscles import DRIVE
from myodyne.equations.outputs import Outputs, force_outputs, muscle_outputs
from myodyne.equations.requests import DefinedKernel
from myodyne.errors import ModelError
from myodyne.model import Model
from myodyne.model.units import angles
from myodyne.native.kernel import Kernel
from myodyne.physics.spatial import SX

if TYPE_CHECKING:
    from myodyne.optimise.problem import Problem

Floats = NDArray[np.float64]
# Rows and columns of the entries of a matrix that can differ from zero.
Pattern = tuple[tuple[int, int], ...]

# Instants of the motion that tell which moment arms there are.
_PROBES = 24


@dataclass(frozen=True, eq=False)
class _Given:
    """What is known of some instants: a row each."""

    moving: Movement
    lengths: Floats
    speeds: Floats
    needed: Floats
    net: Floats
    # Moment arms (rows, muscles, coordinates), what each motor gives at one (rows, coordinates, motors), and the
    # Jacobian of the constraints (rows, constraints, coordinates).
    arms: Floats
    driven: Floats
    held: Floats

    @property
    def matrices(self) -> tuple[Floats, Floats, Floats]:
        return self.arms, self.driven, self.held


class PrescribedAssembly(Assembly):
    """The equations of muscles and motors under a given motion, as expressions of its numbers.

    ``numbers`` are all that is given at an instant: coordinates, speeds, accelerations, lengths and lengthening speeds
    of the muscles, the moments that they and the motors have to give, net moments, and the entries of three matrices.
    """

    def __init__(self, whole: Assembly, patterns: tuple[Pattern, Pattern, Pattern], constraints: int) -> None:
        super().__init__(whole.model, whole._fitted)
        size, muscles = len(whole.model.moving), len(whole.model.muscles)
        self.lengths, self.path_speeds = SX.sym("length", muscles), SX.sym("length_speed", muscles)
        self.needed, self.net = SX.sym("needed", size), SX.sym("net", size)
        self._constraints = constraints
        motors = len(whole.model.controls) - muscles
        shapes = ((muscles, size), (size, motors), (constraints, size))
        names = ("arm", "driven", "held")
        entries = [SX.sym(name, len(pattern)) for name, pattern in zip(names, patterns, strict=True)]
        self.arms, self.motors, self.held = (
            _matrix(values, pattern, shape) for values, pattern, shape in zip(entries, patterns, shapes, strict=True)
        )
        self.numbers = ca.vertcat(
            self.q, self.v, self.vdot, self.lengths, self.path_speeds, self.needed, self.net, *entries
        )

    @cached_property
    def multipliers(self) -> SX:
        return SX.sym("lambda", self._constraints)

    @cached_property
    def motion(self) -> SX:
        return ca.vertcat(self.s, self.a)

    @cached_property
    def xdot(self) -> SX:
        return ca.vertcat(self.sdot, self.adot, SX.sym("lambda_dot", self._constraints))

    @cached_property
    def drives(self) -> dict[str, SX]:
        found = {}
        fibres = {muscle: place for place, muscle in enumerate(self.elastic)}
        active = {muscle: place for place, muscle in enumerate(self.activated)}
        for number, name in enumerate(self.model.muscles):
            column = SX(len(DRIVE), 1)
            column[0], column[1], column[6] = self.lengths[number], self.path_speeds[number], self.u[number]
            if number in fibres:
                column[2], column[3] = self.s[fibres[number]], self.sdot[fibres[number]]
            if number in active:
                column[4], column[5] = self.a[active[number]], self.adot[active[number]]
            found[name] = column
        return found

    @cached_property
    def balance(self) -> SX:
        motors = self.u[len(self.model.muscles) :]
        tensions = self.muscles["tension"]
        return ca.densify(self.needed - self.motors @ motors - self.arms.T @ tensions - self.held.T @ self.multipliers)

    @cached_property
    def residual(self) -> SX:
        return ca.vertcat(self.balance, self.contraction, self.activation)

    @cached_property
    def supplied(self) -> SX:
        return self.skeleton_supplied - self.muscles["tension"].T @ self.path_speeds


def prescribed_outputs(a: PrescribedAssembly) -> Outputs:
    """Return all that can be read of an instant of a given motion."""
    found = Outputs()
    turning = angles(a.model)
    for number, name in enumerate(a.model.moving):
        unit, force = ("rad", "N m") if name in turning else ("m", "N")
        found.add(name, unit, a.q[number])
        found.add(f"{name}.speed", f"{unit}/s", a.v[number])
        found.add(f"{name}.acceleration", f"{unit}/s^2", a.vdot[number])
        found.add(f"{name}.moment", force, a.net[number])
        found.add(f"{name}.power", "W", a.net[number] * a.v[number])
    force_outputs(a, found)
    muscle_outputs(a, found)
    return found


class Prescribed(NamedEquations):
    """The equations of a model whose motion is given, with the names that `Equations` has for what is unknown.

    Parameters
    ----------
    problem : with a motion; the equations hold between its start and end.
    """

    def __init__(self, problem: Problem) -> None:
        assert problem.motion is not None
        self.whole: Equations = equations_of(problem.free_model)
        self.model: Model = self.whole.model
        self._motion, self._external = problem.motion, problem.external_forces
        duration = problem.duration
        assert not isinstance(duration, tuple)
        self.start = problem.start
        self._span = problem.start, problem.start + duration
        full = self.whole.layout
        self.layout = Layout(
            (), full.controls, full.parameters, full.bodies, full.muscles, full.fibres, full.activations
        )
        self._check(problem)

    def _check(self, problem: Problem) -> None:
        first, last = self._motion.time[0], self._motion.time[-1]
        slack = 1e-9 * max(abs(first), abs(last), 1.0)
        if self._span[0] < first - slack or self._span[1] > last + slack:
            raise ModelError(
                f"'{problem.name}': the motion reaches from {first:g} to {last:g} s, the problem from "
                f"{self._span[0]:g} to {self._span[1]:g} s; change its start or duration"
            )
        for name in self.parameters:
            if name.partition(".")[0] not in self.model.muscles:
                raise ModelError(
                    f"'{name}' cannot be sought where the motion is given: only numbers of muscles can, "
                    "for the moments are worked out beforehand"
                )
        # Contacts of the model beside recorded forces would push twice; this tells them.
        passive_forces(self.model, True, self._external)

    # -- names

    @property
    def balanced(self) -> tuple[str, ...]:
        """Names of the coordinates whose forces are balanced."""
        return self.whole.coordinates

    @property
    def multipliers(self) -> tuple[str, ...]:
        """Names of the forces that kept constraints exert."""
        return self.whole.multipliers

    @property
    def compiled(self) -> bool:
        """Whether the equations run as compiled code."""
        return self.whole.compiled

    # -- what is given

    @cached_property
    def _skeleton(self) -> Equations:
        return equations_of(skeleton(self.model, self.model.forces))

    def pose(self, times: Floats) -> Floats:
        """Return the coordinates at some times (s), a row each."""
        return self._moving(times).q

    def _moving(self, times: Floats) -> Movement:
        inside = np.clip(times, self._motion.time[0], self._motion.time[-1])
        return movement_of(self.model, self._motion, None, inside).of(self.balanced)

    def _given(self, times: Floats) -> _Given:
        moving, bones = self._moving(times), self._skeleton
        needed, driven = needed_moments(bones, moving, self._external)
        net = bones.inverse_dynamics(moving.q, moving.v, moving.vdot)
        if self._external:
            wrenches = wrenches_of(bones, moving, self._external)
            net = net - bones.kernel("external_forces").first(moving.q, wrenches, numbers_of(bones))
        q = np.ascontiguousarray(moving.q)
        size = len(self.balanced)
        if self.muscles:
            lengths, arms = self.whole.muscle_lengths(q), self.whole.moment_arms(q)
        else:
            lengths, arms = np.zeros((len(times), 0)), np.zeros((len(times), 0, size))
        speeds = -np.matmul(arms, moving.v[:, :, None])[:, :, 0]
        held = np.zeros((len(times), 0, size))
        if self.multipliers:
            held = bones.constraint_errors(moving.q, moving.v)[2]
        return _Given(moving, lengths, speeds, needed, net, arms, driven, held)

    @cached_property
    def _patterns(self) -> tuple[Pattern, Pattern, Pattern]:
        """Which entries of the matrices are there: which coordinates a muscle crosses does not change on the way."""
        probed = self._given(np.linspace(*self._span, _PROBES))
        arms, driven, held = (
            tuple((int(row), int(column)) for row, column in np.argwhere((matrix != 0.0).any(axis=0)))
            for matrix in probed.matrices
        )
        return arms, driven, held

    def numbers(self, times: Floats) -> Floats:
        """Return all that is given at some times (s), a row each, in the order of the assembly's ``numbers``."""
        given = self._given(times)
        entries = []
        for matrix, pattern in zip(given.matrices, self._patterns, strict=True):
            rows, columns = np.array(pattern, dtype=np.intp).reshape(-1, 2).T
            entries.append(matrix[:, rows, columns])
        moving = given.moving
        return np.hstack(
            [moving.q, moving.v, moving.vdot, given.lengths, given.speeds, given.needed, given.net, *entries]
        )

    # -- functions

    def assembly(self) -> PrescribedAssembly:
        """Return the expressions."""
        return self._assembly

    @cached_property
    def _assembly(self) -> PrescribedAssembly:
        return PrescribedAssembly(self.whole.assembly(), self._patterns, len(self.multipliers))

    def kernel(self, request: DefinedKernel[PrescribedAssembly]) -> Kernel:
        """Return a kernel that is defined from the expressions."""
        own = f"{request.fingerprint} {self._fingerprint}"
        return self.whole.kernel(
            DefinedKernel(f"prescribed_{request.name}", own, lambda _: request.define(self.assembly()))
        )

    @cached_property
    def _fingerprint(self) -> str:
        return hashlib.sha256(repr(self._patterns).encode()).hexdigest()

    def coordinate_defaults(self) -> Floats:
        """Return the defaults of the coordinates that are sought: none."""
        return np.zeros(0)

    def trajectory(
        self, times: Floats, states: Floats, controls: Floats, control_names: tuple[str, ...], p: Floats
    ) -> Trajectory:
        """Return states and controls at some times (s) with all that can be read of them and of the motion."""
        from myodyne.optimise.transcription.functions import code_fingerprint

        kernel = self.kernel(DefinedKernel("outputs", code_fingerprint(), _outputs))
        motion = states[:, : len(self.motion)]
        rates = np.gradient(motion, times, axis=0) if len(times) > 1 else np.zeros_like(motion)
        found = kernel.first(
            states,
            np.hstack([rates, np.zeros((len(times), len(self.multipliers)))]),
            controls,
            np.tile(p, (len(times), 1)),
            self.numbers(times),
        )
        names, units = kernel.signature.notes["names"], kernel.signature.notes["units"]
        own = [*self.states, *control_names]
        table = np.hstack([found, states, controls])
        return Trajectory.from_rows(
            times, [*names, *own], table, dict(zip([*names, *own], [*units, *[""] * len(own)], strict=True))
        )


System = Equations | Prescribed


def system_of(problem: Problem) -> System:
    """Return the equations that a problem imposes: those of its model, or of its muscles under a given motion."""
    return equations_of(problem.free_model) if problem.motion is None else Prescribed(problem)


def _outputs(a: PrescribedAssembly) -> Definition:
    found = prescribed_outputs(a)
    inputs = {"x": a.x, "xdot": a.xdot, "u": a.u, "p": a.p, "numbers": a.numbers}
    return Definition(
        inputs, {"outputs": ca.densify(ca.vertcat(*found.expressions))}, {"names": found.names, "units": found.units}
    )


def _matrix(values: SX, pattern: Pattern, shape: tuple[int, int]) -> SX:
    matrix = SX(*shape)
    for number, (row, column) in enumerate(pattern):
        matrix[row, column] = values[number]
    return matrix
