"""Functions of one instant of a movement, with derivatives, compiled once and mapped over all instants.

They are functions of ``x``, the state; ``r``, the rate of its motion by the fraction of the whole duration; the
controls ``u``; and what all instants share: the duration and the free parameters of the model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from myodyne.equations.definitions import Definition
from myodyne.native.fingerprint import source_fingerprint
from myodyne.native.kernel import Kernel
from myodyne.optimise.transcription.instant import Instant
from myodyne.optimise.transcription.symbols import Expressing, definition_of
from myodyne.types import Floats, Integers


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
    def of(instant: Instant) -> Sizes:
        return Sizes(len(instant.states), len(instant.motion), len(instant.controls), 1 + len(instant.parameters))


class InstantFunction:
    """A vector of expressions at an instant.

    Parameters
    ----------
    instant : of the movement.
    name : what is computed, for messages and the cache.
    fingerprint : of what the expressions are: equal fingerprints mean equal expressions.
    expressing : returns them, given a scope.
    channels : names of the recorded numbers that they depend on.
    """

    def __init__(
        self, instant: Instant, name: str, fingerprint: str, expressing: Expressing, channels: Sequence[str] = ()
    ) -> None:
        self.name, self.channels = name, tuple(channels)
        self._instant, self._expressing = instant, expressing
        self._kernels: dict[str, Kernel] = {}
        self._fingerprint = hashlib.sha256(f"{fingerprint}\0{code_fingerprint()}".encode()).hexdigest()

    def _kernel(self, what: str) -> Kernel:
        if what not in self._kernels:

            def define() -> Definition:
                return definition_of(self._instant, self._expressing, self.channels, what)

            self._kernels[what] = self._instant.kernel(f"{self.name}_{what}", self._fingerprint, define)
        return self._kernels[what]

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
        return places_of(self._kernel("jacobian"), "jacobian")

    def hessian_places(self) -> tuple[Integers, Integers]:
        """Return the rows and columns of the nonzeros of the Hessian; rows are never smaller than columns."""
        return places_of(self._kernel("hessian"), "hessian")


def places_of(kernel: Kernel, output: str) -> tuple[Integers, Integers]:
    """Return the rows and columns of the nonzeros of an output of a kernel, column by column."""
    rows, columns = dict(kernel.signature.outputs)[output]
    pattern = kernel.signature.patterns.get(output)
    if pattern is None:
        column, row = np.divmod(np.arange(rows * columns), max(rows, 1))
        return row, column
    return np.array(pattern[1], dtype=np.intp), np.repeat(np.arange(columns), np.diff(pattern[0]))
