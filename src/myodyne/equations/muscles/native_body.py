"""A body with muscles for the C runtime: its structure in memory, and its rates as a kernel."""

from __future__ import annotations

import ctypes
from ctypes import c_double
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from myodyne.equations.muscles.tables import MuscleTables
from myodyne.native.kernel import Kernel, Signature
from myodyne.native.libraries import Runtime
from myodyne.native.structures import BodyStructure, CompiledFunction, Keeper, aligned, pointer
from myodyne.paths.groups import Groups, stride_of
from myodyne.types import Floats

if TYPE_CHECKING:
    from ctypes import _Pointer


class NativeBody:
    """The C structure ``march_body`` with all its memory; each thread needs its own.

    ``skeleton`` are the kernels balance, inertia (None: the balance serves) and feedback (None: no control law).
    In lanes, all kernels are those of several runs at once, and every number in memory is one for each of them.
    """

    def __init__(
        self,
        skeleton: tuple[CompiledFunction, Kernel | None, Kernel | None],
        muscles: MuscleTables | None,
        coordinates: int,
        runtime: Runtime,
        with_work: bool = False,
        in_lanes: bool = False,
    ) -> None:
        balance, inertia, loop = skeleton
        self._keeper = Keeper(runtime)
        width = self._width = runtime.lanes if in_lanes else 1
        speeds = balance.output_sizes[0] // width
        structure = BodyStructure(
            coordinates=coordinates,
            speeds=speeds,
            controls=balance.input_sizes[2] // width,
            with_work=with_work,
            balance=ctypes.pointer(self._keeper.kernel(balance)),
            # A pivot of several runs is as large as a number of them.
            pivots=self._keeper.integers(np.zeros(speeds + 1 if width == 1 else 2 * width * speeds)),
        )
        self.structure = structure
        if inertia is not None:
            solved = inertia.signature.notes["solved"]
            setattr(structure, "solved" if solved else "inertia", ctypes.pointer(self._keeper.kernel(inertia)))
        if muscles is not None:
            self._add_muscles(muscles)
        if loop is not None:
            self._close(loop)
        library = runtime.together if in_lanes else runtime.body
        size, opening = library.march_body_work, library.march_body_open
        size.argtypes = opening.argtypes = [ctypes.POINTER(BodyStructure)]
        size.restype, opening.restype = ctypes.c_int, None
        structure.work = self._numbers(np.zeros(size(structure) + 1))
        opening(structure)
        self.states = 2 * speeds + structure.fibres + structure.actives

    def _add_muscles(self, muscles: MuscleTables) -> None:
        keeper, structure = self._keeper, self.structure
        structure.muscles, structure.fibres, structure.actives = len(muscles.kind), muscles.fibres, muscles.actives
        structure.rigid = muscles.fibres < len(muscles.kind)
        structure.free = len(muscles.free)
        work, address = muscles.paths.integers()
        structure.paths = ctypes.pointer(keeper.kernel(muscles.paths, address))
        keeper.keep(work)
        if muscles.bending is not None:
            structure.bending = ctypes.pointer(keeper.kernel(muscles.bending))
        structure.kinds = len(muscles.batches)
        structure.batches = (ctypes.c_void_p * len(muscles.batches))(*(batch.address for batch in muscles.batches))
        structure.rate_batches = (ctypes.c_void_p * len(muscles.rates))(*(rate.address for rate in muscles.rates))
        for field in ("kind", "fibre", "active"):
            setattr(structure, field, keeper.integers(getattr(muscles, field)))
        sizes = np.bincount(muscles.kind, minlength=len(muscles.batches))
        structure.first_of_kind = keeper.integers(np.cumsum([0, *sizes]))
        self._add_groups(muscles.groups)
        structure.free_parameter = keeper.integers([parameter for _, parameter in muscles.free])
        # The table of numbers is transposed: each number of all muscles side by side.
        last = [*muscles.first_number[1:], len(muscles.numbers)]
        places = np.concatenate(
            [
                np.arange(end - begin) * structure.stride + place
                for place, (begin, end) in enumerate(zip(muscles.first_number, last, strict=True))
            ]
        )
        numbers = np.zeros(int(np.max(places)) + structure.stride)
        numbers[places] = muscles.numbers
        structure.numbers = self._numbers(numbers)
        for field, count in (("prepared", muscles.prepared), ("settled", muscles.settled), ("eased", muscles.eased)):
            setattr(structure, field, self._numbers(np.zeros(count * structure.stride)))
        structure.imbalance = self._numbers(np.zeros(2 * structure.stride))
        structure.free_number = keeper.integers([places[number] for number, _ in muscles.free])

    def _numbers(self, numbers: Floats) -> _Pointer[c_double]:
        """Return memory that holds some numbers of each run."""
        return pointer(self._keeper.keep(aligned(numbers, self._width)))

    def _close(self, loop: Kernel) -> None:
        keeper, structure, notes = self._keeper, self.structure, loop.signature.notes
        structure.loop = ctypes.pointer(keeper.kernel(loop))
        structure.fed, structure.clock = len(notes["places"]), notes["clock"]
        structure.fed_control = keeper.integers(notes["places"])
        structure.loop_pivots = keeper.integers(np.zeros(structure.fed))

    def _add_groups(self, groups: Groups) -> None:
        keeper, structure = self._keeper, self.structure
        structure.groups, structure.stride = len(groups.first) - 1, stride_of(len(groups.order))
        structure.control = keeper.integers(groups.order)
        structure.first_muscle, structure.first_crossing = map(keeper.integers, (groups.first, groups.crossing))
        structure.first_entry, structure.coordinate = map(keeper.integers, (groups.first_entry, groups.coordinate))

    @property
    def address(self) -> int:
        """The address of the structure."""
        return ctypes.addressof(self.structure)


class NativeBodyKernel(Kernel):
    """The rates of a body with muscles, found by an iteration in C, as a kernel like any other.

    ``derivative(x, u, p)`` returns rates and multipliers; ``marched`` has the work done on the body as a further state.
    """

    def __init__(
        self,
        skeleton: tuple[CompiledFunction, Kernel, Kernel | None],
        muscles: MuscleTables,
        sizes: tuple[int, int],
        runtime: Runtime,
        with_work: bool,
        in_lanes: bool = False,
    ) -> None:
        width = runtime.lanes if in_lanes else 1
        signature = body_signature(skeleton[0], muscles, sizes, with_work, width)
        library = runtime.together if in_lanes else runtime.body
        address = ctypes.cast(library.march_body_derivative, ctypes.c_void_p).value
        super().__init__(signature, address, runtime, no_function)
        self._parts = (skeleton, muscles, sizes[0], runtime, with_work, in_lanes)

    def integers(self) -> tuple[NativeBody, int]:
        """Return a new body, passed in the place of the integer work array, and its address."""
        body = NativeBody(*self._parts)
        return body, body.address


def body_signature(
    balance: CompiledFunction, muscles: MuscleTables, sizes: tuple[int, int], with_work: bool, width: int = 1
) -> Signature:
    """Return the signature of the rates of a body with muscles; ``sizes`` are of coordinates and free numbers.

    ``width`` runs are computed at once.
    """
    coordinates, parameters = sizes
    states = width * (2 * coordinates + muscles.fibres + muscles.actives + with_work)
    rows = balance.output_sizes[0] - width * (coordinates + 1)
    outputs = [("xdot", (states, 1))] + ([] if with_work else [("multipliers", (rows, 1))])
    return Signature(
        name="marched" if with_work else "derivative",
        inputs=(("x", states), ("u", balance.input_sizes[2]), ("p", width * parameters)),
        outputs=tuple(outputs),
        patterns={},
        work=(3, 2, 0, 0),
        operations=0,
    )


def no_function() -> NoReturn:
    """Raise an error: kernels that iterate in C or Python have no expressions."""
    raise TypeError(
        "this kernel iterates to find fibre velocities or paths over surfaces: there is no CasADi function of it"
    )
