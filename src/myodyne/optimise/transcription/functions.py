"""Functions of one instant of a movement, with derivatives, compiled once and mapped over all instants.

They are functions of ``x``, the state; ``r``, the rate of its motion by the fraction of the whole duration; the
controls ``u``; and what all instants share: the duration and the free numbers of the model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from myodyne.equations.requests import DefinedKernel
from myodyne.native.fingerprint import source_fingerprint
from myodyne.native.kernel import Kernel
from myodyne.optimise.transcription.prescribed import System
from myodyne.optimise.transcription.symbols import definition_of

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

# Given a scope, the expressions of a function, in their order.
Expressions = Callable[[Any], Any]


def code_fingerprint() -> str:
    """Return a fingerprint of the code that makes the expressions."""
    return source_fingerprint("myodyne.optimise.problem", "myodyne.optimise.transcription.phase")


@dataclass(frozen=True)
class Sizes:
    """How many numbers an instant has."""

    states: int
    motion: int
    controls: int
    shared: int

    @property
    def unknowns(self) -> int:
        return self.states + self.motion + self.controls + self.shared

    @staticmethod
    def of(equations: System) -> Sizes:
        return Sizes(
            len(equations.states), len(equations.motion), len(equations.controls), 1 + len(equations.parameters)
        )


class InstantFunction:
    """A vector of expressions at an instant.

    Parameters
    ----------
    equations : of the model.
    name : what is computed, for messages and the cache.
    fingerprint : of what the expressions are: equal fingerprints mean equal expressions.
    expressions : makes them from a scope.
    channels : names of the recorded numbers that they depend on.
    """

    def __init__(
        self, equations: System, name: str, fingerprint: str, expressions: Expressions, channels: Sequence[str] = ()
    ) -> None:
        self.equations, self.name, self.channels = equations, name, tuple(channels)
        self.sizes = Sizes.of(equations)
        self._expressions = expressions
        self._fingerprint = hashlib.sha256(f"{fingerprint}\0{code_fingerprint()}".encode()).hexdigest()

    def _kernel(self, what: str) -> Kernel:
        def define(assembly: Any) -> Any:
            return definition_of(self.equations, assembly, self._expressions, self.channels, what)

        return self.equations.kernel(DefinedKernel(f"{self.name}_{what}", self._fingerprint, define))

    @property
    def count(self) -> int:
        """Number of expressions."""
        return self._kernel("values").output_sizes[0]

    def values(self, *instants: Floats) -> Floats:
        """Return the expressions, a row for each instant."""
        return self._kernel("values").first(*instants)

    def jacobian(self, *instants: Floats) -> Floats:
        """Return the nonzeros of the derivatives, a row for each instant."""
        return self._kernel("jacobian").first(*instants)

    def hessian(self, multipliers: Floats, *instants: Floats) -> Floats:
        """Return the nonzeros of the second derivatives, weighted by multipliers and summed over the expressions."""
        return self._kernel("hessian").first(*instants, multipliers)

    def jacobian_places(self) -> tuple[Integers, Integers]:
        """Return the rows and columns of the nonzeros of the Jacobian."""
        return _places(self._kernel("jacobian"), "jacobian")

    def hessian_places(self) -> tuple[Integers, Integers]:
        """Return the rows and columns of the nonzeros of the Hessian; rows are never smaller than columns."""
        return _places(self._kernel("hessian"), "hessian")


def _places(kernel: Kernel, output: str) -> tuple[Integers, Integers]:
    rows, columns = dict(kernel.signature.outputs)[output]
    pattern = kernel.signature.patterns.get(output)
    if pattern is None:
        column, row = np.divmod(np.arange(rows * columns), max(rows, 1))
        return row, column
    return np.array(pattern[1], dtype=np.intp), np.repeat(np.arange(columns), np.diff(pattern[0]))
