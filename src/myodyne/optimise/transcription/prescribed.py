"""An instant of a prescribed motion: what remains unknown is how muscles and motors produce it.

Coordinates, speeds and accelerations are known at every instant, and so are the lengths of all muscles, their moment
arms, and the moments that the motion needs. The equations then contain no skeleton: the balance of forces is linear in
the tensions, and each muscle has its own chain of unknowns through time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from myodyne.analyse.changed import skeleton
from myodyne.analyse.coordinate_motion import CoordinateMotion, coordinate_motion, numbers_of, passive_forces
from myodyne.analyse.external_wrenches import wrenches_of
from myodyne.analyse.muscles.jumps_along import jump_notes
from myodyne.analyse.muscles.needed_moments import needed_moments
from myodyne.data import Trajectory
from myodyne.equations import Equations, equations_of
from myodyne.equations.definitions import Definition
from myodyne.equations.layout import Layout
from myodyne.equations.requests import DefinedKernel
from myodyne.errors import ModelError
from myodyne.native.kernel import Kernel
from myodyne.numerics.collocation import Collocation
from myodyne.optimise.transcription.functions import code_fingerprint
from myodyne.optimise.transcription.instant import Instant, control_title
from myodyne.optimise.transcription.prescribed_expressions import Pattern, PrescribedExpressions
from myodyne.physics.spatial import SX
from myodyne.types import Floats

if TYPE_CHECKING:
    from myodyne.optimise.problem import Problem

# Instants of the motion at which nonzero moment arms are looked for.
_PROBES = 24


class PrescribedMotion(Instant):
    """The equations of muscles and motors at one instant of a prescribed motion.

    Parameters
    ----------
    problem : with a motion; the equations hold between its start and end.
    """

    def __init__(self, problem: Problem) -> None:
        assert problem.motion is not None
        whole = equations_of(problem.free_model)
        full = whole.layout
        layout = Layout((), full.controls, full.parameters, full.bodies, full.muscles, full.fibres, full.activations)
        super().__init__(whole, layout, problem)
        self._motion, self._external = problem.motion, problem.external_forces

    @property
    def row_names(self) -> list[str]:
        speeds = (f"{name}.speed" for name in self.balanced)
        return [f"equation of {name}" for name in (*speeds, *self.motion)]

    @property
    def simulated(self) -> None:
        return None

    def check(self, problem: Problem, collocation: Collocation) -> None:
        if not all(collocation.controlled):
            raise ModelError(
                f"'{problem.name}' has a given motion, whose forces the controls must balance at all "
                "instants; HermiteSimpson has no independent controls between nodes: take Radau(degree=2)"
            )
        first, last = self._motion.time[0], self._motion.time[-1]
        slack = 1e-9 * max(abs(first), abs(last), 1.0)
        if self.span[0] < first - slack or self.span[1] > last + slack:
            raise ModelError(
                f"'{problem.name}': the motion reaches from {first:g} to {last:g} s, the problem from "
                f"{self.span[0]:g} to {self.span[1]:g} s; change its start or duration"
            )
        for name in self.parameters:
            if name.partition(".")[0] not in self.model.muscles:
                raise ModelError(
                    f"'{name}' cannot be optimised under a given motion: only numbers of muscles can, "
                    "because the moments are computed beforehand"
                )
        # Contacts of the model would act twice beside recorded forces; this raises an error.
        passive_forces(self.model, True, self._external)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Muscles whose paths jump along the motion, where no smooth sharing exists."""
        if not self.muscles:
            return super().notes
        own = self._motion.time[(self._motion.time > self.span[0]) & (self._motion.time < self.span[1])]
        times = np.concatenate([self.span[:1], own, self.span[1:]])
        given = self._given(times)
        return (*super().notes, *jump_notes(self.equations, times, given.moving.q, (given.lengths, given.arms)))

    # -- expressions

    @cached_property
    def expressions(self) -> PrescribedExpressions:
        return PrescribedExpressions(self.equations.assembly(), self._patterns, len(self.multipliers))

    @property
    def given(self) -> SX:
        return ca.vertcat(self.expressions.given, self.control_symbols(self.prescribed))

    @cached_property
    def outputs(self) -> Mapping[str, SX]:
        found = self.expressions.outputs()
        return dict(zip(found.names, found.expressions, strict=True))

    def kernel(self, name: str, fingerprint: str, define: Callable[[], Definition]) -> Kernel:
        own = f"{fingerprint} {self._fingerprint}"
        return self.equations.kernel(DefinedKernel(f"prescribed_{name}", own, lambda _: define()))

    @cached_property
    def _fingerprint(self) -> str:
        parts = (self._patterns, self.prescribed) if self.prescribed else self._patterns
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    # -- what is given

    def given_values(self, times: Floats) -> Floats:
        return np.hstack([self._moving_values(times), self.prescribed_values(times)])

    def _moving_values(self, times: Floats) -> Floats:
        given = self._given(times)
        entries = []
        for matrix, pattern in zip(given.matrices, self._patterns, strict=True):
            rows, columns = np.array(pattern, dtype=np.intp).reshape(-1, 2).T
            entries.append(matrix[:, rows, columns])
        moving = given.moving
        return np.hstack(
            [moving.q, moving.v, moving.vdot, given.lengths, given.speeds, given.needed, given.net, *entries]
        )

    @cached_property
    def _patterns(self) -> tuple[Pattern, Pattern, Pattern]:
        """Nonzero entries of the matrices: the coordinates that a muscle crosses are the same at all instants."""
        probed = self._given(np.linspace(*self.span, _PROBES))
        arms, driven, held = (
            tuple((int(row), int(column)) for row, column in np.argwhere((matrix != 0.0).any(axis=0)))
            for matrix in probed.matrices
        )
        return arms, driven, held

    @cached_property
    def _without_muscles(self) -> Equations:
        return equations_of(skeleton(self.model, self.model.forces))

    def _moving(self, times: Floats) -> CoordinateMotion:
        inside = np.clip(times, self._motion.time[0], self._motion.time[-1])
        return coordinate_motion(self.model, self._motion, None, inside).of(self.balanced)

    def _given(self, times: Floats) -> _Given:
        moving, bare = self._moving(times), self._without_muscles
        needed, driven = needed_moments(bare, moving, self._external)
        net = bare.inverse_dynamics(moving.q, moving.v, moving.vdot)
        if self._external:
            wrenches = wrenches_of(bare, moving, self._external)
            net = net - bare.kernel("external_forces").first(moving.q, wrenches, numbers_of(bare))
        q = np.ascontiguousarray(moving.q)
        size = len(self.balanced)
        if self.muscles:
            lengths, arms = self.equations.muscle_lengths(q), self.equations.moment_arms(q)
        else:
            lengths, arms = np.zeros((len(times), 0)), np.zeros((len(times), 0, size))
        speeds = -np.matmul(arms, moving.v[:, :, None])[:, :, 0]
        held = np.zeros((len(times), 0, size))
        if self.multipliers:
            held = bare.constraint_errors(moving.q, moving.v)[2]
        return _Given(moving, lengths, speeds, needed, net, arms, driven, held)

    # -- numbers

    def coordinate_defaults(self) -> Floats:
        return np.zeros(0)

    def poses(self, times: Floats, states: Floats) -> Floats:
        return self._moving(times).q

    def trajectory(self, begin: float, times: Floats, states: Floats, controls: Floats, p: Floats) -> Trajectory:
        kernel = self.kernel("outputs", code_fingerprint(), self.expressions.definition)
        motion = states[:, : len(self.motion)]
        rates = np.gradient(motion, begin + times, axis=0) if len(times) > 1 else np.zeros_like(motion)
        whole = np.zeros((len(times), len(self.equations.controls)))
        for names, values in ((self.controls, controls), (self.prescribed, self.prescribed_values(begin + times))):
            whole[:, [self.equations.controls.index(name) for name in names]] = values
        found = kernel.first(
            states,
            np.hstack([rates, np.zeros((len(times), len(self.multipliers)))]),
            whole,
            np.tile(p, (len(times), 1)),
            self._moving_values(begin + times),
        )
        names, units = kernel.signature.notes["names"], kernel.signature.notes["units"]
        own = [*self.states, *(control_title(self.model, name) for name in self.equations.controls)]
        table = np.hstack([found, states, whole])
        return Trajectory.from_rows(
            begin + times, [*names, *own], table, dict(zip([*names, *own], [*units, *[""] * len(own)], strict=True))
        )


@dataclass(frozen=True, eq=False)
class _Given:
    """Known quantities of some instants, a row each."""

    moving: CoordinateMotion
    lengths: Floats
    speeds: Floats
    needed: Floats
    net: Floats
    # Moment arms (rows, muscles, coordinates), generalised forces of motors at a control of one (rows, coordinates,
    # motors), and the Jacobian of the constraints (rows, constraints, coordinates).
    arms: Floats
    driven: Floats
    held: Floats

    @property
    def matrices(self) -> tuple[Floats, Floats, Floats]:
        return self.arms, self.driven, self.held
