"""All paths of a model by their geometry, those over surfaces too, as a kernel for the C runtime."""

from __future__ import annotations

import ctypes
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from myodyne.equations.muscles.kinds import kinds_of
from myodyne.equations.muscles.native_body import no_function
from myodyne.native.kernel import Kernel, Pattern, Signature
from myodyne.native.libraries import Runtime
from myodyne.native.structures import Doubles, Keeper, KernelStructure, pointer
from myodyne.paths.geometry import wrapped_muscles
from myodyne.paths.groups import Groups
from myodyne.paths.wrapping.lengths import WrappedLengths
from myodyne.types import Floats

if TYPE_CHECKING:
    from myodyne.equations.build import Kernels
    from myodyne.model import Model

_Integers = ctypes.POINTER(ctypes.c_int)


class _Structure(ctypes.Structure):
    """Mirrors ``exact_paths`` in native/wrapping/exact_paths.h."""

    _fields_ = (
        *((name, ctypes.c_int) for name in ("muscles", "wrapped", "entries")),
        *((name, ctypes.POINTER(KernelStructure)) for name in ("straight", "places", "gradient")),
        ("path", ctypes.c_void_p),
        ("length_from", _Integers),
        ("entry_from", _Integers),
        *(
            (name, Doubles)
            for name in (
                "points",
                "active",
                "frames",
                "weights",
                "lengths",
                "slopes",
                "wrapped_lengths",
                "wrapped_slopes",
            )
        ),
    )


class ExactPaths(Kernel):
    """Lengths and gradients of all muscles in the order of ``groups``, called like the kernel "paths"; in C only."""

    def __init__(self, model: Model, kernels: Kernels, runtime: Runtime) -> None:
        wrapped = wrapped_muscles(model)
        self._wrapping = WrappedLengths(model, wrapped)
        straight, over = kernels["point_paths"], kernels["wrap_gradient"]
        self._parts = straight, kernels["wrap_places"], over
        # The crossed coordinates of each muscle, each with the place of its slope: those over no surface come first.
        slopes = iter(_slopes(_pattern(straight), 0))
        wrapped_slopes = iter(_slopes(_pattern(over), straight.output_sizes[1]))
        crossed = [dict(next(wrapped_slopes if name in wrapped else slopes)) for name in model.muscles]
        kind_of, _ = kinds_of(model)
        groups = Groups.of([kind_of[name] for name in model.muscles], [tuple(sorted(part)) for part in crossed])
        self._entry_from = [crossed[groups.order[place]][coordinate] for place, coordinate in groups.entries]
        names = [name for name in model.muscles if name not in wrapped] + list(wrapped)
        self._length_from = [names.index(list(model.muscles)[number]) for number in groups.order]
        self._straight = len(model.muscles) - len(wrapped)
        signature = Signature(
            name="exact_paths",
            inputs=straight.signature.inputs,
            outputs=(("lengths", (len(names), 1)), ("gradient", (len(self._entry_from), 1)), ("gradient_rate", (0, 1))),
            patterns={},
            work=(3, 3, 0, 0),
            operations=0,
            notes=groups.notes(),
        )
        address = ctypes.cast(runtime.wrapping.exact_paths_call, ctypes.c_void_p).value
        super().__init__(signature, address, runtime, no_function)

    def integers(self) -> tuple[tuple[_Structure, Keeper], int]:
        """Return the structure, passed in the place of the integer work array, and its address."""
        keeper = Keeper(self)
        straight, places, over = self._parts
        structure = _Structure(
            muscles=len(self._length_from),
            wrapped=len(self._wrapping.names),
            entries=len(self._entry_from),
            path=self._wrapping.address,
            length_from=keeper.integers(self._length_from),
            entry_from=keeper.integers(self._entry_from),
        )
        for name, kernel in (("straight", straight), ("places", places), ("gradient", over)):
            setattr(structure, name, ctypes.pointer(keeper.kernel(kernel)))
        sizes = dict(zip(("points", "active", "frames"), places.output_sizes, strict=True))
        for name, size in {**sizes, "weights": over.input_sizes[1]}.items():
            setattr(structure, name, keeper.doubles(np.zeros(size + 1)))
        for name, first, size in (
            ("lengths", self._straight, len(self._length_from)),
            ("slopes", straight.output_sizes[1], len(self._entry_from)),
        ):
            memory = keeper.keep(np.zeros(size + 1))
            setattr(structure, name, pointer(memory))
            setattr(structure, f"wrapped_{name}", pointer(memory[first:]))
        return (structure, keeper), ctypes.addressof(structure)


class ExactOutputs(Kernel):
    """All outputs where muscles follow surfaces, called like the kernel "outputs"."""

    def __init__(self, model: Model, kernels: Kernels) -> None:
        self._kernel, self._places = kernels["exact_outputs"], kernels["wrap_places"]
        self._wrapping = WrappedLengths(model, wrapped_muscles(model))
        self._coordinates = len(model.moving)
        signature = replace(self._kernel.signature, name="outputs", inputs=self._kernel.signature.inputs[:-2])
        super().__init__(signature, None, None, no_function)

    def __call__(self, *arrays: ArrayLike) -> tuple[Floats, ...]:
        given = [np.asarray(array, dtype=float) for array in arrays]
        given += [np.empty(0)] * (len(self.input_sizes) - len(given))
        x, p = given[0], given[-1]
        wrapped = self._wrapping(*self._places(x[..., : self._coordinates], p))
        return self._kernel(*given, *wrapped)

    def first(self, *arrays: ArrayLike) -> Floats:
        return self(*arrays)[0]

    def output(self, name: str, *arrays: ArrayLike) -> Floats:
        return self.named(*arrays)[name]


def _pattern(kernel: Kernel) -> Pattern:
    """Return where each path has slopes that are not zero, of a kernel that may leave none out."""
    ((rows, columns),) = (shape for name, shape in kernel.signature.outputs if name == "gradient")
    given = kernel.signature.patterns.get("gradient")
    return given or (tuple(rows * column for column in range(columns + 1)), tuple(range(rows)) * columns)


def _slopes(pattern: Pattern, place: int) -> list[list[tuple[int, int]]]:
    """Return, for each path, the coordinates that it crosses and where its slopes lie, the first at ``place``."""
    first, coordinate = pattern
    return [[(coordinate[k], place + k) for k in range(begin, end)] for begin, end in pairwise(first)]
