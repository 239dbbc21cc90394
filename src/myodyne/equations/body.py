"""A body with muscles for the C runtime: its kernels, and which muscle has which states and crosses which joints."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from myodyne.equations.kernel import Kernel, Runtime, Signature
from myodyne.equations.structures import BodyStructure, CompiledFunction, Keeper, pointer

Integers = NDArray[np.intc]


@dataclass(frozen=True, eq=False)
class MuscleTables:
    """Which muscle is of which kind, has which states, crosses which coordinates, and has which numbers.

    ``kinds`` are functions of one muscle, ``batches`` the same for many at a time in C, none without a compiler.
    ``free`` pairs the places of numbers in ``numbers`` with those of the free numbers of the model that they are.
    """

    kinds: tuple[CompiledFunction, ...]
    batches: tuple[CompiledFunction, ...]
    paths: CompiledFunction
    bending: CompiledFunction
    kind: Sequence[int]
    fibre: Sequence[int]
    active: Sequence[int]
    first: Sequence[int]
    coordinate: Sequence[int]
    first_number: Sequence[int]
    numbers: Sequence[float]
    free: Sequence[tuple[int, int]]

    @property
    def fibres(self) -> int:
        return sum(number >= 0 for number in self.fibre)

    @property
    def actives(self) -> int:
        return sum(number >= 0 for number in self.active)


class Body:
    """The structure ``march_body`` with all its memory; one thread at a time."""

    def __init__(
        self, balance: CompiledFunction, muscles: MuscleTables | None, coordinates: int, runtime: ctypes.CDLL,
        with_work: bool = False,
    ) -> None:
        self._keeper = Keeper(runtime)
        speeds = balance.output_sizes[0]
        structure = BodyStructure(
            coordinates=coordinates, speeds=speeds, controls=balance.input_sizes[2], with_work=with_work,
            balance=ctypes.pointer(self._keeper.kernel(balance)),
            pivots=self._keeper.integers(np.zeros(speeds + 1)),
        )
        self.structure = structure
        if muscles is not None:
            self._add_muscles(muscles)
        size, opening = runtime.march_body_work, runtime.march_body_open
        size.argtypes = opening.argtypes = [ctypes.POINTER(BodyStructure)]
        size.restype, opening.restype = ctypes.c_int, None
        structure.work = self._keeper.doubles(np.zeros(size(structure) + 1))
        opening(structure)
        self.states = 2 * speeds + structure.fibres + structure.actives

    def _add_muscles(self, muscles: MuscleTables) -> None:
        keeper, structure = self._keeper, self.structure
        structure.muscles, structure.fibres, structure.actives = len(muscles.kind), muscles.fibres, muscles.actives
        structure.rigid = muscles.fibres < len(muscles.kind)
        structure.free = len(muscles.free)
        structure.paths = ctypes.pointer(keeper.kernel(muscles.paths))
        structure.bending = ctypes.pointer(keeper.kernel(muscles.bending))
        structure.kinds = len(muscles.batches)
        structure.batches = (ctypes.c_void_p * len(muscles.batches))(*(batch.address for batch in muscles.batches))
        for field in ("kind", "fibre", "active", "first", "coordinate"):
            setattr(structure, field, keeper.integers(getattr(muscles, field)))
        slots, sizes = _slots(muscles)
        structure.slot, structure.first_slot = keeper.integers(slots), keeper.integers(np.cumsum([0, *sizes]))
        structure.free_parameter = keeper.integers([parameter for _, parameter in muscles.free])
        # Muscle after muscle becomes number after number, those of all muscles side by side.
        last = [*muscles.first_number[1:], len(muscles.numbers)]
        places = np.concatenate([
            np.arange(end - begin) * len(slots) + slot
            for begin, end, slot in zip(muscles.first_number, last, slots, strict=True)
        ])
        numbers = keeper.keep(np.zeros(int(np.max(places)) + len(slots)))
        numbers[places] = muscles.numbers
        structure.numbers = pointer(numbers)
        structure.free_number = keeper.integers([places[number] for number, _ in muscles.free])

    @property
    def address(self) -> int:
        """Where the structure lies."""
        return ctypes.addressof(self.structure)


def _slots(muscles: MuscleTables) -> tuple[Any, list[int]]:
    """Return the place of each muscle among all, those of one kind side by side, and how many each kind has."""
    kind = np.array(muscles.kind, dtype=int)
    slots = np.empty(len(kind), dtype=int)
    slots[np.argsort(kind, kind="stable")] = np.arange(len(kind))
    return slots, np.bincount(kind, minlength=len(muscles.batches)).tolist()


class BodyKernel(Kernel):
    """The rates of a body with muscles, which only an iteration gives, as a kernel like any other.

    ``derivative(x, u, p)`` gives rates and multipliers; ``marched`` takes and gives the work beside the states.
    """

    def __init__(
        self, balance: CompiledFunction, muscles: MuscleTables, sizes: tuple[int, int], runtime: Runtime,
        with_work: bool,
    ) -> None:
        signature = body_signature(balance, muscles, sizes, with_work)
        address = ctypes.cast(runtime.library.march_body_derivative, ctypes.c_void_p).value
        super().__init__(signature, address, runtime, no_function)
        self._parts = (balance, muscles, sizes[0], runtime.library, with_work)

    def integers(self) -> tuple[Any, int]:
        """Return a body of its own, which rides in the place of the integer work array, and where it lies."""
        body = Body(*self._parts)
        return body, body.address


def body_signature(
    balance: CompiledFunction, muscles: MuscleTables, sizes: tuple[int, int], with_work: bool
) -> Signature:
    """Return what goes into the rates of a body with muscles and what comes out; sizes of coordinates and numbers."""
    coordinates, parameters = sizes
    states = 2 * coordinates + muscles.fibres + muscles.actives + with_work
    rows = balance.output_sizes[0] - coordinates - 1
    outputs = [("xdot", (states, 1))] + ([] if with_work else [("multipliers", (rows, 1))])
    return Signature(
        name="marched" if with_work else "derivative",
        inputs=(("x", states), ("u", balance.input_sizes[2]), ("p", parameters)),
        outputs=tuple(outputs), patterns={}, work=(3, 2, 0, 0), operations=0,
    )


def no_function() -> Any:
    """Refuse to give the rates of muscles as a CasADi function."""
    raise TypeError("the rates of muscles come from an iteration; no CasADi function gives them")
