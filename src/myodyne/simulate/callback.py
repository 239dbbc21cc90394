"""A kernel as a CasADi function, for solvers that take nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from myodyne.native.kernel import Kernel
from myodyne.types import Floats


class _Rates(ca.Callback):
    """Calls a kernel of states, controls and parameters; its derivatives are differences."""

    def __init__(self, kernel: Kernel) -> None:
        ca.Callback.__init__(self)
        self._kernel = kernel
        self.construct("rates", {"enable_fd": True})

    def get_n_in(self) -> int:
        return len(self._kernel.input_sizes)

    def get_n_out(self) -> int:
        return 1

    def get_sparsity_in(self, place: int) -> ca.Sparsity:
        return ca.Sparsity.dense(self._kernel.input_sizes[place])

    def get_sparsity_out(self, place: int) -> ca.Sparsity:
        return ca.Sparsity.dense(self._kernel.output_sizes[place])

    def eval(self, arguments: Sequence[ca.DM]) -> list[Floats]:
        return [self._kernel.first(*(np.asarray(argument, dtype=float).reshape(-1) for argument in arguments))]


def rates_function(kernel: Kernel) -> ca.Function:
    """Return the first output of a kernel as a CasADi function; keep it alive as long as anything calls it."""
    return _Rates(kernel)
