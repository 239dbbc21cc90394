"""The structures of ``native/march/march.h``, field by field, and the owner of the memory behind them."""

from __future__ import annotations

from ctypes import POINTER, Structure, c_double, c_int, c_longlong, c_void_p
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from myodyne.types import Floats

if TYPE_CHECKING:
    from ctypes import _Pointer

Doubles = POINTER(c_double)
# Doubles in a line of the processor's cache.
_LINE = 8
T = TypeVar("T")


class CompiledFunction(Protocol):
    """The part of a kernel (``native/kernel.py``) that marches use; sizes as CasADi reports them."""

    @property
    def address(self) -> int | None:
        """Return the C function, or None where only the interpreter exists."""
        ...

    @property
    def n_arg(self) -> int: ...
    @property
    def n_res(self) -> int: ...
    @property
    def n_iw(self) -> int: ...
    @property
    def n_w(self) -> int: ...
    @property
    def input_sizes(self) -> tuple[int, ...]: ...
    @property
    def output_sizes(self) -> tuple[int, ...]: ...

    def integers(self) -> tuple[object, int]:
        """Return the owner of the integer work array, or of what is passed in its place, and its address."""
        ...

    def __call__(self, *arrays: Floats) -> tuple[Floats, ...]:
        """Return the outputs as flat arrays."""
        ...


class KernelStructure(Structure):
    _fields_ = (("function", c_void_p), ("arg", c_void_p), ("res", c_void_p), ("iw", c_void_p), ("w", c_void_p))


class SignalStructure(Structure):
    _fields_ = (
        ("pieces", c_int),
        ("degree", c_int),
        ("count", c_int),
        ("n_stops", c_int),
        ("cursor", c_int),
        ("next_stop", c_int),
        ("breaks", Doubles),
        ("coefficients", Doubles),
        ("stops", Doubles),
    )


class TableauStructure(Structure):
    _fields_ = (
        ("stages", c_int),
        ("error_order", c_int),
        ("a", Doubles),
        ("b", Doubles),
        ("c", Doubles),
        ("error", Doubles),
        ("coarse_error", Doubles),
    )


class ControlStructure(Structure):
    _fields_ = (
        ("step", c_double),
        ("relative", c_double),
        ("absolute", c_double),
        ("first_step", c_double),
        ("largest_step", c_double),
        ("newton", c_double),
        ("most_steps", c_longlong),
    )


class MemoryStructure(Structure):
    _fields_ = (
        ("continuing", c_int),
        ("carried", c_int),
        ("swapped", c_int),
        ("time", c_double),
        ("step", c_double),
        ("previous_error", c_double),
        ("state", Doubles),
    )


class CourseStructure(Structure):
    _fields_ = (
        ("count", c_int),
        ("reached", c_int),
        ("failure", c_int),
        ("offender", c_int),
        ("steps", c_longlong),
        ("rejected", c_longlong),
        ("evaluations", c_longlong),
        ("iterations", c_longlong),
        ("last_time", c_double),
        ("times", Doubles),
        ("states", Doubles),
        ("last_state", Doubles),
        ("rates", Doubles),
    )


class LinearTableauStructure(Structure):
    _fields_ = (
        ("stages", c_int),
        ("error_order", c_int),
        ("gamma", c_double),
        ("a", Doubles),
        ("c", Doubles),
        ("m", Doubles),
        ("error", Doubles),
        ("alpha", Doubles),
        ("gammas", Doubles),
    )


class _PointStructure(Structure):
    _fields_ = tuple((name, Doubles) for name in ("gradient", "gradient_rate", "drives", "values", "velocity", "pull"))


class BodyStructure(Structure):
    _fields_ = (
        *(
            (name, c_int)
            for name in (
                "coordinates",
                "speeds",
                "muscles",
                "fibres",
                "actives",
                "controls",
                "rigid",
                "with_work",
                "free",
                "kinds",
                "groups",
                "stride",
                "ready",
                "fed",
                "clock",
            )
        ),
        *((name, POINTER(KernelStructure)) for name in ("balance", "inertia", "solved", "paths", "bending", "loop")),
        ("batches", POINTER(c_void_p)),
        ("rate_batches", POINTER(c_void_p)),
        *(
            (name, POINTER(c_int))
            for name in (
                "kind",
                "first_of_kind",
                "control",
                "fibre",
                "active",
                "first_muscle",
                "first_crossing",
                "first_entry",
                "coordinate",
                "free_number",
                "free_parameter",
                "fed_control",
            )
        ),
        *((name, Doubles) for name in ("numbers", "prepared", "settled", "eased", "imbalance", "work")),
        ("pivots", POINTER(c_int)),
        ("loop_pivots", POINTER(c_int)),
        ("here", _PointStructure),
        ("aside", _PointStructure),
        ("sigma", Doubles),
        ("offender", c_int),
        ("approached", c_int),
        *(
            (name, Doubles)
            for name in (
                "by_position",
                "by_speed",
                "by_acceleration",
                "resistance",
                "matrix",
                "bend",
                "lanes",
                "fibre_share",
                "fibre_factor",
                "active_factor",
                "fibre_part",
                "active_part",
                "stiffness",
                "moved",
                "tension",
                "state",
                "rate",
                "own_state",
                "scratch",
                "change",
                "closed",
                "law",
                "law_by_state",
                "law_by_time",
                "driven",
                "followed",
                "loop_matrix",
                "spare",
                "spared",
            )
        ),
    )


class ProblemStructure(Structure):
    _fields_ = (
        ("n", c_int),
        ("kernel", POINTER(KernelStructure)),
        ("body", POINTER(BodyStructure)),
        ("controls", POINTER(SignalStructure)),
        ("parameters", Doubles),
        ("work", Doubles),
    )


class LaneStructure(Structure):
    _fields_ = (
        *((name, c_double) for name in ("time", "begin", "end", "step", "slack")),
        *((name, c_longlong) for name in ("steps", "taken")),
        *((name, c_int) for name in ("reached", "limit", "failed", "jump", "carried", "looked", "crossed")),
    )


class WatchStructure(Structure):
    _fields_ = (
        *((name, c_int) for name in ("events", "motion", "states")),
        ("outputs", POINTER(KernelStructure)),
        ("derivative", POINTER(KernelStructure)),
        *((name, POINTER(c_int)) for name in ("motion_places", "rate_places", "direct", "directions")),
        ("levels", Doubles),
        ("looks", POINTER(c_int)),
        *((name, Doubles) for name in ("x", "xdot", "u", "values", "before")),
    )


class TogetherStructure(Structure):
    _fields_ = (
        *((name, c_int) for name in ("n", "numbers", "kept", "kept_rates", "steady", "stops")),
        ("step", c_double),
        ("kernel", POINTER(KernelStructure)),
        ("body", POINTER(BodyStructure)),
        ("alone", POINTER(BodyStructure)),
        ("rates_of", c_void_p),
        ("signals", POINTER(SignalStructure)),
        ("tableau", c_void_p),
        ("parameters", Doubles),
        ("places", POINTER(c_int)),
        ("rate_places", POINTER(c_int)),
        ("times", Doubles),
        ("slots", POINTER(c_int)),
        *((name, Doubles) for name in ("state", "states", "rates")),
        ("lanes", POINTER(LaneStructure)),
        ("watch", POINTER(WatchStructure)),
        *((name, Doubles) for name in ("work", "next", "controls", "length", "own")),
        ("ready", c_int),
        *((name, c_void_p) for name in ("stepper", "start", "attempt", "accept", "present", "find")),
    )


class Keeper:
    """Makes structures for C, which holds bare pointers, and keeps alive everything they point to."""

    def __init__(self, *alive: object) -> None:
        self._alive: list[object] = [*alive]

    def keep(self, thing: T) -> T:
        """Keep an object alive as long as this keeper, and return it."""
        self._alive.append(thing)
        return thing

    def doubles(self, array: ArrayLike) -> _Pointer[c_double]:
        """Return a pointer to a copy of an array, or to the array itself if it is one of doubles."""
        return pointer(self.keep(np.ascontiguousarray(array, dtype=float)))

    def integers(self, array: ArrayLike) -> _Pointer[c_int]:
        """Return a pointer to a copy of an array of integers."""
        return self.keep(np.ascontiguousarray(array, dtype=np.intc)).ctypes.data_as(POINTER(c_int))

    def kernel(self, kernel: CompiledFunction, integers: int | None = None) -> KernelStructure:
        """Return a function with work arrays of its own; ``integers`` is another address for the integer one."""
        arg, res = (self.keep(np.zeros(size + 1, dtype=np.uintp)) for size in (kernel.n_arg, kernel.n_res))
        w = self.keep(np.zeros(kernel.n_w + 1))
        if integers is None:
            integers = self.keep(np.zeros(kernel.n_iw + 1, dtype=np.intc)).ctypes.data
        return KernelStructure(kernel.address, arg.ctypes.data, res.ctypes.data, integers, w.ctypes.data)


def aligned(numbers: Floats, width: int = 1) -> Floats:
    """Return a copy of numbers in which each stands ``width`` times, where a line of the processor's cache begins."""
    room = np.empty(numbers.size * width + _LINE)
    first = -(room.ctypes.data // room.itemsize) % _LINE
    copy = room[first : first + numbers.size * width]
    copy[:] = np.repeat(numbers, width)
    return copy


def pointer(array: Floats) -> _Pointer[c_double]:
    """Return a pointer to the data of an array."""
    return array.ctypes.data_as(Doubles)
