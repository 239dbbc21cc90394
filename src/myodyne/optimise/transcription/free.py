"""An instant of free motion: coordinates, muscles and motors are all unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from myodyne.data import Trajectory
from myodyne.equations import Equations
from myodyne.equations.assemble import Assembly
from myodyne.equations.definitions import Definition
from myodyne.equations.outputs import outputs_of
from myodyne.equations.requests import DefinedKernel
from myodyne.errors import ModelError
from myodyne.model.units import angles
from myodyne.native.kernel import Kernel
from myodyne.numerics.collocation import Collocation
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.optimise.transcription.instant import Instant, control_names
from myodyne.physics.spatial import SX
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
    """

    def __init__(self, equations: Equations) -> None:
        super().__init__(equations, equations.layout)

    @property
    def row_names(self) -> list[str]:
        return [f"equation of {name}" for name in self.states]

    @property
    def simulated(self) -> Equations:
        return self.equations

    def check(self, problem: Problem, collocation: Collocation) -> None:
        if not self.states:
            raise ModelError(f"'{problem.model.name}' has nothing that moves: there is no movement to find")

    @property
    def expressions(self) -> Assembly:
        assembly: Assembly = self.equations.assembly()
        return assembly

    @property
    def given(self) -> SX:
        return SX(0, 1)

    @property
    def outputs(self) -> Mapping[str, SX]:
        assembly = self.expressions
        if assembly not in _OUTPUTS:
            found = outputs_of(assembly)
            _OUTPUTS[assembly] = dict(zip(found.names, found.expressions, strict=True))
        return _OUTPUTS[assembly]

    def kernel(self, name: str, fingerprint: str, define: Callable[[], Definition]) -> Kernel:
        return self.equations.kernel(DefinedKernel(name, fingerprint, lambda _: define()))

    def given_values(self, times: Floats) -> Floats:
        return np.zeros((len(times), 0))

    def coordinate_defaults(self) -> Floats:
        return self.equations.coordinate_defaults()

    def poses(self, times: Floats, states: Floats) -> Floats:
        return states[:, : len(self.coordinates)]

    def trajectory(self, begin: float, times: Floats, states: Floats, controls: Floats, p: Floats) -> Trajectory:
        equations, own = self.equations, control_names(self)
        motion = states[:, : len(self.motion)]
        values = equations.outputs_at(times, motion, _through(times, controls), p if len(p) else None)
        turning = angles(self.model)
        units = ["rad" if name in turning else "m" for name in self.coordinates]
        plain = [""] * (len(self.motion) - 2 * len(units) + len(own))
        names = [*self.motion, *own, *equations.outputs]
        all_units = [*units, *(f"{unit}/s" for unit in units), *plain, *equations.output_units]
        table = np.hstack([motion, controls, values])
        return Trajectory.from_rows(begin + times, names, table, dict(zip(names, all_units, strict=True)))


def _through(times: Floats, values: Floats) -> PiecewisePolynomial:
    """Return the straight lines through values at nodes."""
    slopes = np.diff(values, axis=0) / np.diff(times)[:, None]
    return PiecewisePolynomial(times, np.stack([values[:-1], slopes], axis=1))
