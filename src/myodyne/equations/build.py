"""Makes kernels: expressions to C, C to a shared object, a shared object to a function that Python and C can call.

Without a compiler CasADi interprets the expressions instead.
"""

from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Sequence
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from myodyne.equations.closure import NOTHING, Closure
from myodyne.equations.muscles.interpreted_body import InterpretedBodyKernel
from myodyne.equations.muscles.native_body import NativeBodyKernel
from myodyne.equations.muscles.tables import MuscleTables, tables_of
from myodyne.equations.requests import (
    DefinedKernel,
    KernelRequest,
    LaneKernel,
    cache_key_of,
    is_in_lanes,
    name_of,
)
from myodyne.errors import ModelError, MyodyneError, listed
from myodyne.model import Model
from myodyne.native import cache as store
from myodyne.native.compiler import (
    COMPILERS,
    FLAGS,
    HOW_TO_GET_ONE,
    HUGE_KERNEL,
    LANE_FLAGS,
    Compiler,
    find_compiler,
    machine_identity,
)
from myodyne.native.fingerprint import source_fingerprint
from myodyne.native.kernel import Kernel, Signature
from myodyne.native.libraries import ObjectJob, Runtime, load, loadable, runtime, seconds_of, unbuilt_objects
from myodyne.paths.fitted import FittedPaths, Tolerance
from myodyne.paths.geometry import wrapped_muscles, wrapped_paths
from myodyne.paths.groups import stride_of
from myodyne.physics.algebra import load_algebra
from myodyne.progress import task

if TYPE_CHECKING:
    from casadi import Function

    from myodyne.equations.assemble import Assembly
    from myodyne.equations.definitions import Definition
    from myodyne.equations.generated.c_source import KernelSource

# Numbers that determine the structure of the code cannot be its inputs: directions, powers, ranges, knots of splines.
_STRUCTURAL = re.compile(
    r"\.(direction|powers|range|control_range)\.(\d+|[xyz])$|\.(function|curve)\.(.+\.)?x\.(\d+|[xyz])$"
)

# Compiling a kernel takes about this long for each of its operations.
_SECONDS_PER_OPERATION = 8e-5


# Kernels of more operations than this are compiled in parts.
_LONG_KERNEL = 5000

# Implicit marches close the loop of a control law themselves, because states of muscles are eliminated there.
_OPEN = ("balance", "inertia")

# Kernels that need paths with second derivatives, or as expressions.
_FITTED = ("paths", "bending", "residual", "jacobians", "parameter_jacobian")


class _Stored(NamedTuple):
    """The two cache entries of a kernel: its signature, and its code, which models share where it is the same."""

    signature: store.Entry
    code: store.Entry


class Kernels:
    """The kernels of all models that share one structure, each made when it is first requested."""

    def __init__(
        self, model: Model, compiler: Compiler | None, tolerance: Tolerance, closure: Closure = NOTHING
    ) -> None:
        self._model = model
        self._compiler = compiler
        self._tolerance = tolerance
        self.closure = closure
        self.fitted_paths = FittedPaths(model, tolerance, generator_fingerprint())
        self._runtime = runtime(compiler) if compiler is not None else None
        self._kernels: dict[KernelRequest, Kernel] = {}
        self._lock = threading.RLock()
        self._assembly: Assembly | None = None

    @property
    def compiled(self) -> bool:
        """Whether kernels are compiled; else CasADi interprets them."""
        return self._compiler is not None

    @property
    def runtime(self) -> Runtime | None:
        """The C libraries that call kernels, None without a compiler."""
        return self._runtime

    def __getitem__(self, request: KernelRequest) -> Kernel:
        try:
            return self._kernels[request]
        except KeyError:
            with self._lock:
                if request not in self._kernels:
                    self._kernels[request] = self._made(request)
                return self._kernels[request]

    def _made(self, request: KernelRequest) -> Kernel:
        if request in _OPEN and self.closure.law is not None:
            return self._opened[request]
        if request == "exact_derivative":
            return self._exact_derivative(with_work=False)
        if self.exact:
            return self._made_exactly(request)
        return self._made_from_expressions(request)

    @property
    def exact(self) -> bool:
        """Whether muscles follow surfaces without fits."""
        return self._tolerance.exact and bool(wrapped_muscles(self._model))

    def _made_exactly(self, request: KernelRequest) -> Kernel:
        """Return a kernel in which muscles follow surfaces, where there can be one."""
        if request in ("derivative", "marched"):
            return self._exact_derivative(with_work=request == "marched")
        if request == "outputs":
            from myodyne.equations.exact_paths import ExactOutputs

            return ExactOutputs(self._model, self)
        if isinstance(request, DefinedKernel) or request in _FITTED:
            raise ModelError(
                f"'{name_of(request)}' needs paths as polynomials: leave out exact_paths=True, or choose an explicit "
                "scheme (my.DOP853(), my.RKF45())"
            )
        return self._made_from_expressions(request)

    def _made_from_expressions(self, request: KernelRequest) -> Kernel:
        # There is no closed form of fibre velocities: with muscles, an iteration finds the rates.
        if self._model.muscles and request in ("derivative", "marched"):
            return self._body_kernel(with_work=request == "marched")
        if self._model.muscles and request in (LaneKernel("derivative"), LaneKernel("marched")):
            return self._lane_body_kernel(with_work=request == LaneKernel("marched"))
        if self._compiler is None:
            return self._interpreted(request)
        return self._loaded(request, self._cached(request) or self._built(request))

    def _body_kernel(self, with_work: bool) -> Kernel:
        """Return the rates of a body with muscles, with the power of the work done on it if it is marched."""
        sizes = len(self._model.moving), len(self._model.free_values) + len(self.closure.gains)
        balance, muscles = self["balance"], self.muscle_tables(self._model)
        if self._runtime is None:
            return InterpretedBodyKernel((balance, self.loop), muscles, sizes, with_work)
        return NativeBodyKernel((balance, self["inertia"], self.loop), muscles, sizes, self._runtime, with_work)

    def _lane_body_kernel(self, with_work: bool) -> Kernel:
        """Return the same for several runs at once."""
        assert self._runtime is not None
        sizes = len(self._model.moving), len(self._model.free_values)
        skeleton = self[LaneKernel("balance")], self[LaneKernel("inertia")], None
        muscles = self.muscle_tables(self._model, in_lanes=True)
        return NativeBodyKernel(skeleton, muscles, sizes, self._runtime, with_work, in_lanes=True)

    @property
    def loop(self) -> Kernel | None:
        """What the control law of the closure gives, None without one."""
        return None if self.closure.law is None else self["feedback"]

    @cached_property
    def _opened(self) -> Kernels:
        """The kernels without the control law, which implicit marches close themselves."""
        return Kernels(self._model, self._compiler, self._tolerance, self.closure.opened)

    def _exact_derivative(self, *, with_work: bool) -> Kernel:
        """Return the rates of the motion with exact paths over surfaces instead of fitted ones."""
        if not wrapped_muscles(self._model):
            return self["derivative"]
        if self._runtime is None:
            raise MyodyneError(f"rates with exact paths over surfaces need a C compiler; {HOW_TO_GET_ONE}")
        from myodyne.equations.exact_paths import ExactPaths

        sizes = len(self._model.moving), len(self._model.free_values) + len(self.closure.gains)
        muscles = tables_of(self._model, self, ExactPaths(self._model, self, self._runtime))
        skeleton = self["balance"], self["inertia"], self.loop
        return NativeBodyKernel(skeleton, muscles, sizes, self._runtime, with_work)

    def muscle_tables(self, model: Model, in_lanes: bool = False) -> MuscleTables:
        """Return kinds, states, paths and numbers of the muscles of a model with this structure.

        ``in_lanes`` with the functions of several runs at once.
        """
        return tables_of(model, self, in_lanes=in_lanes)

    # -- expressions

    def assembly(self) -> Assembly:
        """Return the expressions; only needed where nothing is cached."""
        load_algebra()
        from myodyne.equations.assemble import Assembly

        with self._lock:
            if self._assembly is None:
                self._assembly = Assembly(self._model, self.fitted_paths.paths, self.closure)
            return self._assembly

    def _definition(self, request: KernelRequest) -> Definition:
        load_algebra()
        from myodyne.equations.definitions import define

        return define(self.assembly(), request)

    def _interpreted(self, request: KernelRequest) -> Kernel:
        load_algebra()
        from myodyne.equations.generated.c_source import casadi_function, signature_of

        definition = self._definition(request)
        function = casadi_function(definition)
        return Kernel(signature_of(request, definition, function), None, None, lambda: function)

    # -- C

    def _source(self, request: KernelRequest) -> KernelSource:
        from myodyne.equations.generated.c_source import source_of

        lanes = self._lanes(request)
        return source_of(request, self._definition(request), stride_of(len(self._model.muscles)) * lanes, lanes)

    def _lanes(self, request: KernelRequest) -> int:
        """Return how many runs a kernel computes at once."""
        return self._runtime.lanes if self._runtime is not None and is_in_lanes(request) else 1

    # -- shared objects

    def prepare(self, requests: Sequence[KernelRequest], libraries: Sequence[str] = ()) -> None:
        """Load some kernels, and compile side by side those that are not in the cache, and some libraries.

        A kernel that is requested without this is compiled when it is first requested, one after the other.
        """
        if self._compiler is None:
            return
        with self._lock:
            missing = []
            wanted = dict.fromkeys(requests)
            if self.closure.law is not None:
                wanted = dict.fromkeys(["feedback", *(request for request in wanted if request not in _OPEN)])
                self._opened.prepare([request for request in requests if request in _OPEN])
            for request in wanted:
                if request not in self._kernels:
                    stored = self._cached(request)
                    if stored is None:
                        missing.append(request)
                    else:
                        self._kernels[request] = self._loaded(request, stored)
            files = [job for name in libraries for job in unbuilt_objects(name, self._compiler)]
            self._build_all(missing, list(dict.fromkeys(files)))

    def _build_all(self, requests: list[KernelRequest], files: list[ObjectJob]) -> None:
        """Compile files and kernels in the background while the C source of the next kernel is written."""
        if not requests and not files:
            return
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(COMPILERS) as pool:
            # No equation is derived yet: the compilers begin with the libraries.
            compiling = [pool.submit(file.run) for file in files]
            jobs, operations = {}, 0
            title = f"the equations of '{self._model.name}' (kept for next time)"
            with task(f"Deriving {title}", total=len(requests), unit="functions") as deriving:
                for request in requests:
                    source = self._source(request)
                    operations += source.signature.operations
                    jobs[request] = pool.submit(self._compiled, request, source)
                    deriving.advance()
            seconds = operations * _SECONDS_PER_OPERATION / COMPILERS + seconds_of(files)
            with task(f"Compiling {title}", seconds=seconds):
                for request, job in jobs.items():
                    self._kernels[request] = self._loaded(request, job.result())
                for file in compiling:
                    file.result()

    def _built(self, request: KernelRequest) -> _Stored:
        title = f"{name_of(request).replace('_', ' ')} of '{self._model.name}' (kept for next time)"
        with task(f"Deriving {title}"):
            source = self._source(request)
        with task(f"Compiling {title}", seconds=source.signature.operations * _SECONDS_PER_OPERATION):
            return self._compiled(request, source)

    def _compiled(self, request: KernelRequest, source: KernelSource) -> _Stored:
        """Return a kernel in the cache, its code compiled unless that of another model is the same.

        Muscles of one kind have the same equations in all models, and the skeleton does not depend on its muscles.
        """
        assert self._compiler is not None
        compiler, options = self._compiler, LANE_FLAGS if is_in_lanes(request) else ()

        def make(target: Path) -> dict[str, object]:
            files = [target.with_name(f"code{number}.c") for number in range(len(texts))]
            for file, text in zip(files, texts, strict=True):
                file.write_text(text)
            compiler.shared_object(files, target, source.signature.operations, options)
            return {}

        def note(target: Path) -> dict[str, object]:
            target.write_bytes(b"")
            return {**source.signature.to_json(), "code": code_key}

        texts = _files_of(request, source)
        code_key = store.key_of("code", *texts, " ".join([*FLAGS, *options]), compiler.identity, machine_identity())
        code = loadable(code_key) or store.build(code_key, make)
        return _Stored(store.build(self._cache_key(request), note), code)

    def _cached(self, request: KernelRequest) -> _Stored | None:
        signature = store.find(self._cache_key(request))
        code = None if signature is None else loadable(signature.meta["code"])
        return None if signature is None or code is None else _Stored(signature, code)

    def _cache_key(self, request: KernelRequest) -> str:
        assert self._compiler is not None
        return store.key_of(
            self._model.structure_hash,
            cache_key_of(request),
            str(self._lanes(request)),
            generator_fingerprint(),
            metadata.version("casadi"),
            self._compiler.identity,
            machine_identity(),
            repr(self._tolerance) if wrapped_paths(self._model) else "",
            *([self.closure.fingerprint] if self.closure.fingerprint else []),
        )

    # -- kernels

    def _loaded(self, request: KernelRequest, stored: _Stored) -> Kernel:
        library = load(stored.code.library)
        address = ctypes.cast(library.kernel, ctypes.c_void_p).value
        signature = Signature.from_json(stored.signature.meta)

        def function() -> Function:
            from myodyne.equations.generated.c_source import casadi_function

            return casadi_function(self._definition(request))

        kernel = Kernel(signature, address, self._runtime, function)
        kernel.in_lanes = getattr(library, "kernel_rows", None)
        return kernel


def _files_of(request: KernelRequest, source: KernelSource) -> tuple[str, ...]:
    """Return the C files of a kernel: several where it is long and defined by another package.

    Kernels of simulations stay whole: a product and a sum in different parts are rounded twice, and the results of
    simulations must not depend on the length of a part.
    """
    from myodyne.equations.generated.c_lanes import in_lanes
    from myodyne.equations.generated.c_parts import in_parts

    operations = source.signature.operations
    if isinstance(request, DefinedKernel) and operations >= HUGE_KERNEL:
        return in_lanes(source.text, source.signature)
    if isinstance(request, DefinedKernel) and operations > _LONG_KERNEL:
        return in_parts(source.text)
    return (source.text,)


def generator_fingerprint() -> str:
    """Return a fingerprint of the code that generates kernels: those that another version generated are not found."""
    return source_fingerprint(__name__)


_shared: dict[tuple[str, bool, Tolerance, str], Kernels] = {}
_shared_lock = threading.Lock()


def kernels_of(
    model: Model, compiled: bool | None, tolerance: Tolerance | None = None, closure: Closure = NOTHING
) -> Kernels:
    """Return the kernels of a model; models that differ only in free numbers share them.

    ``compiled`` None compiles where a compiler is found, False interprets, True insists on a compiler.
    """
    for name in model.free_values:
        if _STRUCTURAL.search(name):
            raise ModelError(f"'{name}' shapes the equations and cannot be free; change it with with_values")
    _refuse_free_geometry(model)
    compiler = None if compiled is False else find_compiler()
    if compiled and compiler is None:
        raise MyodyneError(f"compiled=True needs a C compiler, and none was found; {HOW_TO_GET_ONE}")
    tolerance = tolerance or Tolerance()
    key = (model.structure_hash, compiler is not None, tolerance, closure.fingerprint)
    with _shared_lock:
        if key not in _shared:
            while len(_shared) >= 64:
                # Enough for any study; random models in a loop must not fill the memory.
                _shared.pop(next(iter(_shared)))
            _shared[key] = Kernels(model, compiler, tolerance, closure)
        return _shared[key]


def _refuse_free_geometry(model: Model) -> None:
    """Refuse free numbers that would move a path over surfaces: its polynomial was fitted to those of the model."""
    wrapped = wrapped_paths(model) if model.free_values else {}
    if not wrapped:
        return
    embedded = [name for name, constraint in model.constraints.items() if constraint.by != "multipliers"]
    for name in model.free_values:
        owner = max(
            (e for e in (*model.joints, *model.surfaces, *embedded, *wrapped) if name.startswith(f"{e}.")),
            key=len,
            default=None,
        )
        if owner is not None and (owner not in wrapped or name.startswith(f"{owner}.path.")):
            raise ModelError(
                f"'{name}' cannot be free: paths over surfaces ({listed(list(wrapped)[:3])} ...) are fitted to the "
                "numbers of the model. Change it with with_values, which fits again, or remove the wraps"
            )
