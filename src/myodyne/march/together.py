"""Several runs of one model at once: each has a lane of the processor's vectors, and none changes another."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import POINTER, c_int

import numpy as np

from myodyne.equations.lanes import LANES
from myodyne.march.marching import signal_structure, tableau_structure
from myodyne.native.libraries import Runtime
from myodyne.native.structures import (
    CompiledFunction,
    Keeper,
    SignalStructure,
    TogetherStructure,
    pointer,
)
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.schemes import RK4, Euler, Heun
from myodyne.numerics.tableaux import tableau_of
from myodyne.types import Floats

EqualSteps = Euler | Heun | RK4


class MarchTogether:
    """Marches of `LANES` runs by equal explicit steps, all through the same times.

    Parameters
    ----------
    scheme : the formula and its step.
    kernel : the rates of change in lanes, ``(x, u, p)`` to ``xdot``.
    runtime : the C libraries.
    times : the times (s) at which states are wanted, after zero.
    kept : the places of the states that are wanted there.
    """

    def __init__(
        self, scheme: EqualSteps, kernel: CompiledFunction, runtime: Runtime, times: Floats, kept: Sequence[int]
    ) -> None:
        keeper = self._keeper = Keeper(kernel, runtime)
        self.size, self.controls, self.numbers = (size // LANES for size in kernel.input_sizes)
        tableau = tableau_of(scheme)
        self._states = np.empty((len(times), len(kept), LANES))
        self._last = np.empty((self.size, LANES))
        self._entry, work = _entries(runtime)
        self._structure = TogetherStructure(
            n=self.size,
            count=len(times),
            kept=len(kept),
            places=keeper.integers(kept),
            step=scheme.step,
            kernel=ctypes.pointer(keeper.kernel(kernel)),
            tableau=ctypes.pointer(tableau_structure(keeper, tableau)),
            times=keeper.doubles(times),
            state=pointer(self._last),
            states=pointer(self._states),
            work=keeper.doubles(np.zeros(work(self.size, tableau.stages, self.controls) + 1)),
        )
        self._signals: tuple[PiecewisePolynomial, ...] = ()
        self._signal_keeper = Keeper()

    def advance(
        self, starts: Floats, numbers: Floats, signals: Sequence[PiecewisePolynomial]
    ) -> tuple[Floats, Floats] | None:
        """Return the kept states (times, kept, lanes) and all states at the end (states, lanes).

        The arrays are those of the next call, too. None where the equations could not be evaluated.

        Parameters
        ----------
        starts
            States at time zero, a row for each lane.
        numbers
            The free numbers, a row for each lane.
        signals
            The controls of each lane.
        """
        self._last[:] = starts.T
        given = np.ascontiguousarray(numbers.T)
        self._structure.parameters = pointer(given)
        self._set_signals(tuple(signals))
        failed = self._entry(self._structure)
        return None if failed else (self._states, self._last)

    def _set_signals(self, signals: tuple[PiecewisePolynomial, ...]) -> None:
        if self._signals and all(one is other for one, other in zip(signals, self._signals, strict=True)):
            for lane in range(LANES):
                self._structure.signals[lane].cursor = 0
            return
        keeper = self._signal_keeper = Keeper(signals)
        array = (SignalStructure * LANES)(*(signal_structure(keeper, one) for one in signals))
        self._structure.signals = ctypes.cast(keeper.keep(array), POINTER(SignalStructure))
        self._structure.steady = all(one.coefficients.shape[:2] == (1, 1) for one in signals)
        self._signals = signals


def _entries(runtime: Runtime) -> tuple[ctypes._NamedFuncPointer, ctypes._NamedFuncPointer]:
    march, work = runtime.together.march_all_together, runtime.together.march_together_work
    march.argtypes, march.restype = [POINTER(TogetherStructure)], c_int
    work.argtypes, work.restype = [c_int, c_int, c_int], c_int
    return march, work
