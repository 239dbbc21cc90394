"""Several runs of one model at once: each has a lane of the processor's vectors, and none changes another."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from ctypes import POINTER, c_int, c_void_p
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from myodyne.equations.muscles.native_body import NativeBody, NativeBodyKernel
from myodyne.march.marching import linear_structure, signal_structure, tableau_structure
from myodyne.native.libraries import Runtime
from myodyne.native.structures import (
    CompiledFunction,
    Keeper,
    LaneStructure,
    LinearTableauStructure,
    SignalStructure,
    TableauStructure,
    TogetherStructure,
    WatchStructure,
    aligned,
    pointer,
)
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.schemes import RK4, Euler, Heun, Rosenbrock
from myodyne.numerics.tableaux import linear_tableau_of, tableau_of
from myodyne.types import Booleans, Floats

EqualSteps = Euler | Heun | RK4 | Rosenbrock


class Bodies(NamedTuple):
    """What linearly implicit steps advance: the body of all runs, and that of one, which begins them."""

    all_runs: NativeBody
    alone: NativeBody


@dataclass(frozen=True, eq=False)
class Kept:
    """What is kept of runs.

    Parameters
    ----------
    times : that the runs go through (s), one column, or one for each lane.
    at : at which of them something is kept.
    states, rates : the places of the states that are kept, and of the rates, which only Rosenbrock's first order has.
    """

    times: Floats
    at: Booleans
    states: Sequence[int]
    rates: Sequence[int] = ()


class Level(NamedTuple):
    """A level that something passes: the place of a state (-1: it is an output), and the direction.

    Directions are -1, downwards, 1, upwards, or 0, both.
    """

    state: int
    direction: int
    level: float


@dataclass(frozen=True, eq=False)
class Watch:
    """Events at which runs stop.

    Parameters
    ----------
    levels : what passes which level.
    outputs : the outputs in lanes, ``(x, xdot, u, p)`` to one for each level; None where all are states.
    derivative : rates and multipliers in lanes, ``(motion, u, p)``; None for Rosenbrock's schemes, which find them.
    at : at which times of the runs events are looked for.
    motion, rates : places of the motion among the states of the march, and of its rates and the multipliers.
    """

    levels: Sequence[Level]
    outputs: CompiledFunction | None
    derivative: CompiledFunction | None
    at: Booleans
    motion: Sequence[int]
    rates: Sequence[int]

    def structure(self, keeper: Keeper, controls: int, lanes: int) -> tuple[WatchStructure, Floats, Floats]:
        """Return the structure for C, and the memory of what is watched, now and before, a row for each level."""

        def numbers(count: int) -> Floats:
            return keeper.keep(_memory(lanes, count))

        values, before = numbers(len(self.levels)), numbers(len(self.levels))
        found = WatchStructure(
            events=len(self.levels),
            motion=len(self.motion),
            states=len(self.rates),
            motion_places=keeper.integers(self.motion),
            rate_places=keeper.integers(self.rates),
            direct=keeper.integers([level.state for level in self.levels]),
            directions=keeper.integers([level.direction for level in self.levels]),
            levels=keeper.doubles([level.level for level in self.levels]),
            looks=keeper.integers(self.at),
            values=pointer(values),
            before=pointer(before),
            x=pointer(numbers(len(self.rates))),
            xdot=pointer(numbers(len(self.rates))),
            u=pointer(numbers(controls)),
        )
        for name, kernel in (("outputs", self.outputs), ("derivative", self.derivative)):
            if kernel is not None:
                body, integers = kernel.integers() if isinstance(kernel, NativeBodyKernel) else (None, None)
                keeper.keep(body)
                setattr(found, name, ctypes.pointer(keeper.kernel(kernel, integers)))
        return found, values, before


class MarchTogether:
    """Marches by equal steps of as many runs as the processor computes together, `Runtime.lanes`.

    Parameters
    ----------
    scheme : the formula and its step.
    system : the rates of change in lanes, ``(x, u, p)`` to ``xdot``; bodies for Rosenbrock's schemes.
    runtime : the C libraries.
    kept : what is kept of the runs.
    numbers : how many numbers are free.
    watch : events at which runs stop.

    ``states`` (kept times, kept states, lanes), ``rates`` likewise, ``last``, all states of all lanes, and ``watched``,
    what passes levels less these, after an event and ``watched_before`` it, are overwritten by the next call.
    """

    def __init__(
        self,
        scheme: EqualSteps,
        system: CompiledFunction | Bodies,
        runtime: Runtime,
        kept: Kept,
        numbers: int,
        watch: Watch | None = None,
    ) -> None:
        keeper = self._keeper = Keeper(system, runtime)
        lanes = self.lanes = runtime.lanes
        self.size, self.controls = _sizes(system, lanes)
        rows = int(np.count_nonzero(kept.at))
        self.times = np.array(np.broadcast_to(kept.times.reshape(len(kept.at), -1), (len(kept.at), lanes)))
        self.states = _memory(lanes, rows, len(kept.states))
        self.rates = _memory(lanes, rows, len(kept.rates))
        self.last = _memory(lanes, self.size)
        self._numbers = _memory(lanes, numbers)
        self._lanes = (LaneStructure * lanes)()
        self._entry, work, stages, tableau = _entries(keeper, runtime, scheme)
        self._structure = TogetherStructure(
            n=self.size,
            numbers=numbers,
            kept=len(kept.states),
            kept_rates=len(kept.rates),
            stops=isinstance(scheme, Rosenbrock),
            step=scheme.step,
            tableau=tableau,
            parameters=pointer(self._numbers),
            places=keeper.integers(kept.states),
            rate_places=keeper.integers(kept.rates),
            times=pointer(self.times),
            slots=keeper.integers(np.where(kept.at, np.cumsum(kept.at) - 1, -1)),
            state=pointer(self.last),
            states=pointer(self.states),
            rates=pointer(self.rates),
            lanes=self._lanes,
            work=pointer(keeper.keep(_memory(lanes, work(self.size, stages, self.controls, numbers)))),
        )
        self._add(system, runtime)
        self.watched = self.watched_before = np.zeros((0, lanes))
        if watch is not None:
            structure, self.watched, self.watched_before = watch.structure(keeper, self.controls, lanes)
            self._structure.watch = ctypes.pointer(structure)
        self._signals: tuple[PiecewisePolynomial, ...] = ()
        self._signal_keeper = Keeper()

    def _add(self, system: CompiledFunction | Bodies, runtime: Runtime) -> None:
        structure, keeper = self._structure, self._keeper
        if isinstance(system, Bodies):
            structure.body = ctypes.pointer(system.all_runs.structure)
            structure.alone = ctypes.pointer(system.alone.structure)
            structure.rates_of = ctypes.cast(runtime.body.march_body_rates_of, c_void_p).value
            return
        body, integers = system.integers() if isinstance(system, NativeBodyKernel) else (None, None)
        keeper.keep(body)
        structure.kernel = ctypes.pointer(keeper.kernel(system, integers))

    def begin(self, starts: Floats, numbers: Floats, signals: Sequence[PiecewisePolynomial]) -> None:
        """Put each run at its start, at time zero.

        Parameters
        ----------
        starts
            States, a row for each lane.
        numbers
            The free numbers, a row for each lane.
        signals
            The controls of each lane.
        """
        self._numbers[:] = numbers.T
        self._set_signals(tuple(signals))
        self.put(starts.T, [0.0] * self.lanes)

    def put(self, states: Floats, times: Sequence[float], looked: bool = False) -> None:
        """Put each run at a state, a column for each lane, and a time (s); with the numbers and controls it has.

        ``looked`` says that events need not be looked for there.
        """
        self.last[:] = states
        ctypes.memset(self._lanes, 0, ctypes.sizeof(self._lanes))
        for lane, time in zip(self._lanes, times, strict=True):
            lane.time, lane.looked = time, 2 * looked

    def advance(self, limits: Sequence[int]) -> None:
        """Carry each run on until so many of its times are behind it."""
        for lane, limit in enumerate(limits):
            self._lanes[lane].limit = limit
        self._entry(self._structure)

    @property
    def numbers(self) -> Floats:
        """The free numbers, a row for each lane."""
        return self._numbers.T

    @property
    def good(self) -> Booleans:
        """Which runs have arrived without a failure."""
        return np.array([lane.reached >= lane.limit and not lane.failed for lane in self._lanes])

    @property
    def reached(self) -> list[int]:
        """How many times are behind each run."""
        return [lane.reached for lane in self._lanes]

    @property
    def crossed(self) -> list[int]:
        """Which events stopped each run, a bit for each."""
        return [lane.crossed for lane in self._lanes]

    def _set_signals(self, signals: tuple[PiecewisePolynomial, ...]) -> None:
        structure = self._structure
        if self._signals and all(one is other for one, other in zip(signals, self._signals, strict=True)):
            for lane in range(self.lanes):
                structure.signals[lane].cursor = structure.signals[lane].next_stop = 0
            return
        keeper = self._signal_keeper = Keeper(signals)
        array = (SignalStructure * self.lanes)(*(signal_structure(keeper, one) for one in signals))
        structure.signals = ctypes.cast(keeper.keep(array), POINTER(SignalStructure))
        structure.steady = all(one.coefficients.shape[:2] == (1, 1) for one in signals)
        self._signals = signals


def _memory(lanes: int, *sizes: int) -> Floats:
    """Return zeros for C, a number for each lane at each place."""
    return aligned(np.zeros(math.prod(sizes)), lanes).reshape(*sizes, lanes)


def _sizes(system: CompiledFunction | Bodies, lanes: int) -> tuple[int, int]:
    """Return the number of states and controls of one run."""
    if isinstance(system, Bodies):
        return system.all_runs.states, int(system.all_runs.structure.controls)
    return system.input_sizes[0] // lanes, system.input_sizes[1] // lanes


def _entries(
    keeper: Keeper, runtime: Runtime, scheme: EqualSteps
) -> tuple[ctypes._NamedFuncPointer, ctypes._NamedFuncPointer, int, int]:
    """Return the C functions that march and give the size of their work, the stages, and the address of the tableau."""
    structure: LinearTableauStructure | TableauStructure
    if isinstance(scheme, Rosenbrock):
        name, linear = "linear", linear_tableau_of(scheme)
        stages, structure = linear.stages, linear_structure(keeper, linear)
    else:
        name, tableau = "explicit", tableau_of(scheme)
        stages, structure = tableau.stages, tableau_structure(keeper, tableau)
    library = runtime.together
    march, work = getattr(library, f"march_{name}_together"), getattr(library, f"march_{name}_together_work")
    march.argtypes, march.restype = [POINTER(TogetherStructure)], c_int
    work.argtypes, work.restype = [c_int] * 4, c_int
    return march, work, stages, ctypes.addressof(keeper.keep(structure))
