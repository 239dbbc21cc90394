"""An instant of free motion: coordinates, muscles and motors are all unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from myodyne.data import Trajectory
from myodyne.equations import Equations
from myodyne.equations.assemble import Assembly
from myodyne.equations.closure import Closure
from myodyne.equations.definitions import Definition
from myodyne.equations.outputs import outputs_of
from myodyne.equations.requests import DefinedKernel
from myodyne.errors import ModelError, listed
from myodyne.model import Constant
from myodyne.model.units import angles
from myodyne.native.kernel import Kernel
from myodyne.numerics.collocation import Collocation
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.optimise.transcription.instant import Instant, control_title
from myodyne.physics.spatial import SX
from myodyne.simulate.control.additions import Additions
from myodyne.simulate.control.external_signals import loads_of
from myodyne.simulate.control.feedback import check_law
from myodyne.simulate.signals import Signal
from myodyne.types import Floats

if TYPE_CHECKING:
    from myodyne.optimise.problem import Problem

# Outputs by name: every stage of a solve reads them, and building their expressions takes a second.
_OUTPUTS: WeakKeyDictionary[Assembly, dict[str, SX]] = WeakKeyDictionary()


class FreeMotion(Instant):
    """The equations of motion of a model at one instant.

    Parameters
    ----------
    equations : of the model.
    problem : with a control law and recorded forces, perhaps.
    """

    def __init__(self, equations: Equations, problem: Problem) -> None:
        law, forces = problem.feedback, problem.external_forces
        if law is not None:
            check_law(equations, law, {})
        if law is not None or forces is not None:
            loads = loads_of(equations.model, forces)
            equations = equations.closed_by(Closure.of(None if law is None else law.law, loads))
        self._fed = () if law is None else law.controls
        self._forces = forces
        super().__init__(equations, equations.layout, problem, (*self._fed, *equations.closure.entries))

    @property
    def row_names(self) -> list[str]:
        return [f"equation of {name}" for name in self.states]

    @property
    def simulated(self) -> Equations:
        return self.equations

    def check(self, problem: Problem, collocation: Collocation) -> None:
        if isinstance(problem.duration, tuple) and self.equations.closure.entries:
            raise ModelError(
                f"'{problem.name}': recorded forces and laws with at.time are functions of a known time, so the "
                "duration must be one number, not a range"
            )
        timed = [name for name in self.prescribed if not isinstance(self.model.prescribed[name], Constant)]
        if isinstance(problem.duration, tuple) and timed:
            raise ModelError(
                f"'{problem.name}': the model prescribes {listed(timed, 6)} over time, so the duration must be one "
                "number, not a range; or let these controls be optimised: model.unprescribed()"
            )
        if not self.states:
            raise ModelError(f"'{problem.model.name}' has nothing that moves: there is no movement to find")

    @property
    def expressions(self) -> Assembly:
        assembly: Assembly = self.equations.assembly()
        return assembly

    @property
    def given(self) -> SX:
        return self.control_symbols(self._entries)

    @property
    def _entries(self) -> tuple[str, ...]:
        return (*self.equations.closure.entries, *self.prescribed)

    @property
    def fed(self) -> Mapping[str, SX]:
        names = self.model.controls
        return {control_title(self.model, name): self.expressions.controls[names.index(name)] for name in self._fed}

    @cached_property
    def given_signals(self) -> Mapping[str, Signal]:
        """The quantities that are given, as functions of time (s), by name."""
        return {**super().given_signals, **Additions(forces=self._forces).signals(self.equations, *self.span)}

    @property
    def outputs(self) -> Mapping[str, SX]:
        assembly = self.expressions
        if assembly not in _OUTPUTS:
            found = outputs_of(assembly)
            _OUTPUTS[assembly] = dict(zip(found.names, found.expressions, strict=True))
        return _OUTPUTS[assembly]

    def kernel(self, name: str, fingerprint: str, define: Callable[[], Definition]) -> Kernel:
        # What is prescribed is no part of the structure of a model.
        own = f"{fingerprint} {self.prescribed}" if self.prescribed else fingerprint
        return self.equations.kernel(DefinedKernel(name, own, lambda _: define()))

    def given_values(self, times: Floats) -> Floats:
        parts = [self.given_signals[name](times)[:, None] for name in self._entries]
        return np.hstack([np.zeros((len(times), 0)), *parts])

    def coordinate_defaults(self) -> Floats:
        return self.equations.coordinate_defaults()

    def poses(self, times: Floats, states: Floats) -> Floats:
        return states[:, : len(self.coordinates)]

    def trajectory(self, begin: float, times: Floats, states: Floats, controls: Floats, p: Floats) -> Trajectory:
        equations = self.equations
        motion = states[:, : len(self.motion)]
        whole = np.zeros((len(times), len(equations.controls)))
        whole[:, [equations.controls.index(name) for name in self.controls]] = controls
        entries = [equations.controls.index(name) for name in self._entries]
        whole[:, entries] = self.given_values(begin + times)
        numbers = p if len(p) else None
        values = equations.outputs_at(times, motion, _through(times, whole), numbers)
        turning = angles(self.model)
        units = ["rad" if name in turning else "m" for name in self.coordinates]
        own = tuple(control_title(self.model, name) for name in self.model.controls)
        plain = [""] * (len(self.motion) - 2 * len(units) + len(own))
        names = [*self.motion, *own, *equations.outputs]
        all_units = [*units, *(f"{unit}/s" for unit in units), *plain, *equations.output_units]
        table = np.hstack([motion, equations.applied_controls(motion, whole, numbers), values])
        return Trajectory.from_rows(begin + times, names, table, dict(zip(names, all_units, strict=True)))


def _through(times: Floats, values: Floats) -> PiecewisePolynomial:
    """Return the straight lines through values at nodes."""
    slopes = np.diff(values, axis=0) / np.diff(times)[:, None]
    return PiecewisePolynomial(times, np.stack([values[:-1], slopes], axis=1))
