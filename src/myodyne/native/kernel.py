"""Kernels: numerical functions, compiled or interpreted, called once or over many rows."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from myodyne.errors import ModelError
from myodyne.notebook import counted
from myodyne.types import Floats

if TYPE_CHECKING:
    from casadi import Function

    from myodyne.native.libraries import Runtime

Pattern = tuple[tuple[int, ...], tuple[int, ...]]

_ARRAY, _DOUBLE = np.ndarray, np.dtype(np.float64)


@dataclass(frozen=True)
class Signature:
    """Inputs and outputs of a kernel; stored beside the compiled code as JSON."""

    name: str
    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[str, tuple[int, int]], ...]
    # Column pointers and rows of outputs that are sparse, by name; all others are dense, column by column.
    patterns: Mapping[str, Pattern]
    work: tuple[int, int, int, int]  # sizes of arg, res, iw, w
    operations: int
    notes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def input_sizes(self) -> tuple[int, ...]:
        return tuple(size for _, size in self.inputs)

    @property
    def output_sizes(self) -> tuple[int, ...]:
        """The number of entries of each output: the nonzeros of a sparse one."""
        return tuple(
            len(self.patterns[name][1]) if name in self.patterns else shape[0] * shape[1]
            for name, shape in self.outputs
        )

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Signature:
        return Signature(
            name=data["name"],
            inputs=tuple((name, int(size)) for name, size in data["inputs"]),
            outputs=tuple((name, (int(shape[0]), int(shape[1]))) for name, shape in data["outputs"]),
            patterns={name: (tuple(p[0]), tuple(p[1])) for name, p in data["patterns"].items()},
            work=tuple(data["work"]),
            operations=int(data["operations"]),
            notes=dict(data["notes"]),
        )


class _CallStructure(ctypes.Structure):
    """Mirrors ``workspace`` in native/calls/rows.c."""

    _fields_ = (
        ("function", ctypes.c_void_p),
        ("arg", ctypes.c_void_p),
        ("res", ctypes.c_void_p),
        ("iw", ctypes.c_void_p),
        ("w", ctypes.c_void_p),
    )


class _Space(Protocol):
    """Buffers of one thread, and the call that computes the outputs from the inputs."""

    inputs: list[Floats]
    outputs: list[Floats]

    def run(self) -> None: ...


class _CompiledSpace:
    def __init__(self, kernel: Kernel, call: Callable[[int], int]) -> None:
        signature = kernel.signature
        self.inputs = [np.zeros(size) for size in signature.input_sizes]
        self.outputs = [np.zeros(size) for size in signature.output_sizes]
        arg, res, _, w = signature.work
        self.arguments = (ctypes.c_void_p * max(arg, 1))(*(a.ctypes.data for a in self.inputs))
        self.results = (ctypes.c_void_p * max(res, 1))(*(a.ctypes.data for a in self.outputs))
        self.integers, integers = kernel.integers()
        self.doubles = np.zeros(max(w, 1))
        self.structure = _CallStructure(
            kernel.address,
            ctypes.addressof(self.arguments),
            ctypes.addressof(self.results),
            integers,
            self.doubles.ctypes.data,
        )
        self._call = call
        self._pointer = ctypes.addressof(self.structure)

    def run(self) -> None:
        self._call(self._pointer)


class _InterpretedSpace:
    def __init__(self, kernel: Kernel) -> None:
        self.inputs = [np.zeros(size) for size in kernel.signature.input_sizes]
        self.outputs = [np.zeros(size) for size in kernel.signature.output_sizes]
        # Any: CasADi's stubs ask for the size that a memoryview already carries.
        self._buffer: Any
        self._buffer, self.run = kernel.function.buffer()
        for number, array in enumerate(self.inputs):
            self._buffer.set_arg(number, array.data)
        for number, array in enumerate(self.outputs):
            self._buffer.set_res(number, array.data)


class Kernel:
    """A function of named vectors, safe to call from several threads.

    ``address`` is that of the compiled function, None where it is interpreted; ``function`` is the CasADi
    function, made when it is asked for.
    """

    def __init__(
        self,
        signature: Signature,
        address: int | None,
        runtime: Runtime | None,
        make_function: Callable[[], Function],
    ) -> None:
        self.signature = signature
        self.address = address
        self.runtime = runtime
        self._make_function = make_function
        # Computes many rows several at a time, where the code is written for that.
        self.in_lanes: Callable[..., int] | None = None
        self._function: Function | None = None
        self._local = threading.local()
        self.n_arg, self.n_res, self.n_iw, self.n_w = signature.work
        self.input_sizes = signature.input_sizes
        self.output_sizes = signature.output_sizes
        self._output_numbers = {name: number for number, (name, _) in enumerate(signature.outputs)}
        self._shapes = [(size,) for size in self.input_sizes]
        # A model without free numbers has an empty p, which callers may leave out.
        filled = [number for number, size in enumerate(self.input_sizes) if size]
        self._needed = filled[-1] + 1 if filled else 0

    @property
    def function(self) -> Function:
        """The CasADi function behind the kernel."""
        if self._function is None:
            self._function = self._make_function()
        return self._function

    def integers(self) -> tuple[object, int]:
        """Return the integer work array of one caller, and its address."""
        array = (ctypes.c_int * max(self.n_iw, 1))()
        return array, ctypes.addressof(array)

    def _space(self) -> _Space:
        try:
            space: _Space = self._local.space
        except AttributeError:
            if self.address is not None and self.runtime is not None:
                space = _CompiledSpace(self, self.runtime.call)
            else:
                space = _InterpretedSpace(self)
            self._local.space = space
        return space

    def __call__(self, *arrays: ArrayLike) -> tuple[Floats, ...]:
        """Return all outputs, flat, for one set of inputs or rows of them; trailing empty inputs may be left out."""
        space = self._space()
        if not self._filled(space.inputs, arrays):
            return self._rows(arrays)
        space.run()
        return tuple([output.copy() for output in space.outputs])

    def first(self, *arrays: ArrayLike) -> Floats:
        """Return the first output only; fastest for kernels that have just one."""
        try:
            space = self._local.space
        except AttributeError:
            space = self._space()
        if not self._filled(space.inputs, arrays):
            return self._rows(arrays)[0]
        space.run()
        return space.outputs[0].copy()  # type: ignore[no-any-return]

    def output(self, name: str, *arrays: ArrayLike) -> Floats:
        """Return one output by name, without copying the others."""
        number = self._output_numbers[name]
        space = self._space()
        if not self._filled(space.inputs, arrays):
            return self._rows(arrays)[number]
        space.run()
        return space.outputs[number].copy()

    def named(self, *arrays: ArrayLike) -> dict[str, Floats]:
        """Return all outputs by name."""
        return dict(zip(self._output_numbers, self(*arrays), strict=True))

    def _filled(self, buffers: list[Floats], arrays: tuple[ArrayLike, ...]) -> bool:
        """Copy one set of inputs into the buffers; return False for anything else: rows, lists, invalid inputs."""
        if not self._needed <= len(arrays) <= len(buffers):
            return False
        try:
            for buffer, shape, array in zip(buffers, self._shapes, arrays):  # noqa: B905 - strict costs like a copy
                # Other arrays and numbers are converted and checked by the slower path.
                if array.__class__ is not _ARRAY or array.dtype is not _DOUBLE or array.shape != shape:
                    return False
                buffer[...] = array
        except (AttributeError, ValueError, TypeError):
            return False
        return True

    def _rows(self, arrays: Sequence[ArrayLike]) -> tuple[Floats, ...]:
        """Return outputs stacked by row; inputs are rows, or one vector that all rows share."""
        if not self._needed <= len(arrays) <= len(self.input_sizes):
            raise ModelError(f"{self.signature.name} takes {len(self.input_sizes)} arguments, not {len(arrays)}")
        arrays = (*arrays, *(np.empty(0) for _ in self.input_sizes[len(arrays) :]))
        given = [self._numbers(name, array) for (name, _), array in zip(self.signature.inputs, arrays, strict=True)]
        rows = {array.shape[0] for array in given if array.ndim == 2}
        for (name, size), array in zip(self.signature.inputs, given, strict=True):
            if array.ndim not in (1, 2) or array.shape[-1] != size:
                raise ModelError(
                    f"{self.signature.name}: '{name}' must hold {counted(size, 'number')}, or rows of {size}, "
                    f"not an array of shape {array.shape}"
                )
        if not rows:
            return tuple(output[0] for output in self._rows([array[None, :] for array in given]))
        if len(rows) != 1:
            raise ModelError(f"{self.signature.name}: inputs have different numbers of rows: {sorted(rows)}")
        count = rows.pop()
        outputs = [np.empty((count, size)) for size in self.output_sizes]
        if self.address is not None and self.runtime is not None:
            self._rows_compiled(given, outputs, count)
        else:
            self._rows_interpreted(given, outputs, count)
        return tuple(outputs)

    def _numbers(self, name: str, array: ArrayLike) -> Floats:
        try:
            given = np.asarray(array)
        except ValueError:  # rows of different lengths
            given = np.array(None)
        if given.size and (given.dtype.kind not in "fiub" or isinstance(array, np.ma.MaskedArray)):
            raise ModelError(f"{self.signature.name}: '{name}' must hold real numbers, not {array!r:.60}")
        return given.astype(float, copy=False)

    def _rows_compiled(self, given: list[Floats], outputs: list[Floats], count: int) -> None:
        assert self.runtime is not None
        given = [np.ascontiguousarray(array) for array in given]
        arg, res, _, w = self.signature.work
        arguments = (ctypes.c_void_p * max(arg, 1))(*(a.ctypes.data for a in given))
        results = (ctypes.c_void_p * max(res, 1))(*(a.ctypes.data for a in outputs))
        input_strides = (ctypes.c_long * len(given))(*(a.shape[1] if a.ndim == 2 else 0 for a in given))
        output_strides = (ctypes.c_long * len(outputs))(*self.output_sizes)
        if self.in_lanes is not None:
            if self.in_lanes(ctypes.c_long(count), arguments, input_strides, results, output_strides):
                raise MemoryError(f"{self.signature.name}: out of memory")
            return
        integers, doubles = self.integers(), np.zeros(max(w, 1))
        structure = _CallStructure(
            self.address,
            ctypes.addressof(arguments),
            ctypes.addressof(results),
            integers[1],
            doubles.ctypes.data,
        )
        self.runtime.rows(ctypes.addressof(structure), count, len(given), input_strides, len(outputs), output_strides)

    def _rows_interpreted(self, given: list[Floats], outputs: list[Floats], count: int) -> None:
        space = self._space()
        for row in range(count):
            for buffer, array in zip(space.inputs, given, strict=True):
                buffer[...] = array[row] if array.ndim == 2 else array
            space.run()
            for output, buffer in zip(outputs, space.outputs, strict=True):
                output[row] = buffer
