"""Makes kernels: expressions to C, C to a shared object, or the interpreter where there is no compiler."""

from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Callable
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from myodyne.equations.body import BodyKernel, MuscleTables
from myodyne.equations.interpreted_body import InterpretedBodyKernel
from myodyne.equations.muscles import tables_of
from myodyne.errors import ModelError, MyodyneError, listed
from myodyne.model import Model
from myodyne.native import cache as store
from myodyne.native.compiler import FLAGS, HOW_TO_GET_ONE, Compiler, find_compiler, machine_identity
from myodyne.native.fingerprint import source_fingerprint
from myodyne.native.kernel import Kernel, Signature
from myodyne.native.libraries import Runtime, load, loadable, runtime
from myodyne.paths.fitted import FittedPaths, Tolerance
from myodyne.paths.geometry import wrapped_muscles, wrapped_paths
from myodyne.paths.groups import stride_of
from myodyne.progress import task

if TYPE_CHECKING:
    from myodyne.equations.assemble import Assembly
    from myodyne.equations.batch import Batched
    from myodyne.equations.definitions import Definition

# Numbers that shape the code itself cannot be inputs of it: directions, powers, ranges, knots of splines.
_STRUCTURAL = re.compile(
    r"\.(direction|powers|range|control_range)\.(\d+|[xyz])$|\.(function|curve)\.(.+\.)?x\.(\d+|[xyz])$"
)

# Names of kernels for many muscles at a time begin like this, and end with the number of the kind.
_BATCH = "batch_"
_RATE = "rate_"

# Compiling a kernel takes about this long for each of its operations.
_SECONDS_PER_OPERATION = 8e-5


class Kernels:
    """The kernels of all models that share one structure, each made when it is first asked for."""

    def __init__(self, model: Model, compiler: Compiler | None, tolerance: Tolerance) -> None:
        self._model = model
        self._compiler = compiler
        self._tolerance = tolerance
        self.fitted_paths = FittedPaths(model, tolerance, generator_fingerprint())
        self._runtime = runtime(compiler) if compiler is not None else None
        self._kernels: dict[str, Kernel] = {}
        self._further: dict[str, Callable[[Assembly], Definition]] = {}
        self._lock = threading.RLock()
        self._assembly: Assembly | None = None

    @property
    def compiled(self) -> bool:
        return self._compiler is not None

    @property
    def runtime(self) -> Runtime | None:
        return self._runtime

    def __getitem__(self, name: str) -> Kernel:
        try:
            return self._kernels[name]
        except KeyError:
            with self._lock:
                if name not in self._kernels:
                    self._kernels[name] = self._made(name)
                return self._kernels[name]

    def _made(self, name: str) -> Kernel:
        if name == "exact_derivative":
            return self._exact_derivative()
        if self._model.muscles and name in ("derivative", "marched"):
            # No closed form gives the rates of muscles; the runtime finds them, or its twin.
            sizes = len(self._model.moving), len(self._model.free_values)
            balance, muscles, with_work = self["balance"], self.muscles(self._model), name == "marched"
            if self._runtime is None:
                return InterpretedBodyKernel(balance, muscles, sizes, with_work)
            return BodyKernel((balance, self["inertia"]), muscles, sizes, self._runtime, with_work)
        return self._interpreted(name) if self._runtime is None else self._compiled(name)

    def _exact_derivative(self) -> Kernel:
        """Return the rates of the motion with the paths over surfaces as they are, not as they were fitted."""
        if not wrapped_muscles(self._model):
            return self["derivative"]
        if self._runtime is None:
            raise MyodyneError(f"rates with exact paths over surfaces need a C compiler; {HOW_TO_GET_ONE}")
        from myodyne.equations.exact_paths import ExactPaths

        sizes = len(self._model.moving), len(self._model.free_values)
        muscles = tables_of(self._model, self, ExactPaths(self._model, self, self._runtime))
        return BodyKernel((self["balance"], self["inertia"]), muscles, sizes, self._runtime, with_work=False)

    def muscles(self, model: Model) -> MuscleTables:
        """Return what the runtime must know of the muscles of a model of this structure."""
        return tables_of(model, self)

    def batch(self, kind: int) -> Kernel:
        """Return the function of a kind of muscles for many of them at a time; only the runtime can call it."""
        return self[f"{_BATCH}{kind}"]

    def rate_batch(self, kind: int) -> Kernel:
        """Return what the rates of muscles of a kind are found from, for many of them at a time."""
        return self[f"{_RATE}{kind}"]

    def assembly(self) -> Assembly:
        """Return the expressions; only needed where nothing is cached."""
        from myodyne.equations.assemble import Assembly

        with self._lock:
            if self._assembly is None:
                self._assembly = Assembly(self._model, self.fitted_paths.paths)
            return self._assembly

    def further(self, name: str, fingerprint: str, define: Callable[[Assembly], Definition]) -> Kernel:
        """Return a kernel that others define from the expressions; equal fingerprints mean equal definitions."""
        known = f"{name} {fingerprint}"
        with self._lock:
            if known not in self._kernels:
                self._further[known] = define
                self._kernels[known] = self._interpreted(known) if self._runtime is None else self._compiled(known)
            return self._kernels[known]

    def _function(self, name: str) -> tuple[Any, Definition]:
        import casadi as ca

        from myodyne.equations.definitions import define

        if name in self._further:
            definition = self._further[name](self.assembly())
        else:
            definition = define(self.assembly(), name.replace(_BATCH, "muscle_"))
        outputs = ca.cse(list(definition.outputs.values()))
        function = ca.Function(
            "kernel", list(definition.inputs.values()), outputs, list(definition.inputs), list(definition.outputs)
        )
        return function, definition

    def _interpreted(self, name: str) -> Kernel:
        function, definition = self._function(name)
        return Kernel(_signature(name, function, definition), None, None, lambda: function)

    def _compiled(self, name: str) -> Kernel:
        assert self._compiler is not None
        compiler = self._compiler
        key = store.key_of(
            self._model.structure_hash,
            name,
            generator_fingerprint(),
            metadata.version("casadi"),
            compiler.identity,
            machine_identity(),
            repr(self._tolerance) if wrapped_paths(self._model) else "",
        )
        known = store.find(key)
        code = None if known is None else loadable(known.meta["code"])
        if known is None or code is None:
            with task(f"Deriving {_title(name)} of '{self._model.name}' (kept for next time)"):
                known, code = self._translated(name, key)
        library = load(code.library)
        address = ctypes.cast(library.kernel, ctypes.c_void_p).value
        signature = Signature.from_json(known.meta)
        return Kernel(signature, address, self._runtime, lambda: self._function(name)[0])

    def _translated(self, name: str, key: str) -> tuple[store.Entry, store.Entry]:
        """Return what is to be known of a kernel, and its code, which models share where it is the same.

        Muscles of one kind have the same equations in all models, and other muscles leave the skeleton as it is.
        """
        assert self._compiler is not None
        compiler = self._compiler
        function, definition = self._function(name)
        signature = _signature(name, function, definition)
        if name.startswith((_BATCH, _RATE)):
            batched = _batched(function, stride_of(len(self._model.muscles)))
            signature = replace(signature, notes={"prepared": batched.prepared, "eased": batched.eased})
            text = batched.source
        else:
            text = _in_sequence(function, definition) if definition.sequence else _c_source(function)

        def make(target: Path) -> dict[str, Any]:
            source = target.with_name("code.c")
            source.write_text(text)
            title = f"Compiling {_title(name)} of '{self._model.name}' (kept for next time)"
            with task(title, seconds=signature.operations * _SECONDS_PER_OPERATION):
                compiler.shared_object([source], target, signature.operations)
            return {}

        def note(target: Path) -> dict[str, Any]:
            target.write_bytes(b"")
            return {**signature.to_json(), "code": code_key}

        code_key = store.key_of("code", text, " ".join(FLAGS), compiler.identity, machine_identity())
        code = loadable(code_key) or store.build(code_key, make)
        return store.build(key, note), code


def _title(name: str) -> str:
    return name.split(maxsplit=1)[0].replace("_", " ")


def _signature(name: str, function: Any, definition: Definition) -> Signature:
    patterns, outputs = {}, []
    for number, (output, expression) in enumerate(definition.outputs.items()):
        shape = (int(expression.size1()), int(expression.size2()))
        outputs.append((output, shape))
        sparsity = function.sparsity_out(number)
        if not sparsity.is_dense():
            patterns[output] = (tuple(sparsity.colind()), tuple(sparsity.row()))
    return Signature(
        name=name,
        inputs=tuple((key, int(value.numel())) for key, value in definition.inputs.items()),
        outputs=tuple(outputs),
        patterns=patterns,
        work=(function.sz_arg(), function.sz_res(), function.sz_iw(), function.sz_w()),
        operations=int(function.n_instructions()),
        notes=dict(definition.notes),
    )


def _batched(function: Any, stride: int) -> Batched:
    from myodyne.equations.batch import batched_source

    return batched_source(function, stride)


def _c_source(function: Any) -> str:
    import casadi as ca

    generator = ca.CodeGenerator("kernel", {"casadi_int": "int", "with_header": False})
    generator.add(function)
    return str(generator.dump())


def _in_sequence(function: Any, definition: Definition) -> str:
    """Return the C code of a function whose outputs are computed in a sequence of their own.

    It takes no null pointers for outputs that hold anything: asking for each entry again would take as long as it does.
    """
    import casadi as ca

    inputs = function.sx_in()
    outputs = function.call(inputs)
    sequence = ca.vertcat(*(outputs[number].nz[place] for number, place in definition.sequence))
    source = _c_source(ca.Function("kernel", inputs, [sequence]))

    def placed(found: re.Match[str]) -> str:
        number, place = definition.sequence[int(found[1])]
        return f"res[{number}][{place}]="

    source, count = re.subn(r"if \(res\[0\]!=0\) res\[0\]\[(\d+)\]=", placed, source)
    if count != len(definition.sequence) or count != sum(map(function.nnz_out, range(function.n_out()))):
        raise MyodyneError(f"CasADi {metadata.version('casadi')} writes C in a way that is not known here")
    return source


def generator_fingerprint() -> str:
    """Return a fingerprint of the code that makes the code: cached kernels of another version are not found."""
    return source_fingerprint("myodyne.equations.definitions", "myodyne.equations.batch", __name__)


_shared: dict[tuple[str, bool, Tolerance], Kernels] = {}
_shared_lock = threading.Lock()


def kernels_of(model: Model, compiled: bool | None, tolerance: Tolerance | None = None) -> Kernels:
    """Return the kernels of a model; models that differ in free numbers only share them.

    ``compiled`` None compiles where a compiler is found, False interprets, True insists on a compiler.
    """
    for name in model.free_values:
        if _STRUCTURAL.search(name):
            raise ModelError(f"'{name}' shapes the equations and cannot be free; change it with with_values")
    _refuse_free_geometry(model)
    compiler = None if compiled is False else find_compiler()
    if compiled and compiler is None:
        raise MyodyneError(f"compiled equations were asked for, but no C compiler was found; {HOW_TO_GET_ONE}")
    tolerance = tolerance or Tolerance()
    key = (model.structure_hash, compiler is not None, tolerance)
    with _shared_lock:
        if key not in _shared:
            while len(_shared) >= 64:
                # Enough for any study; random models in a loop must not fill the memory.
                _shared.pop(next(iter(_shared)))
            _shared[key] = Kernels(model, compiler, tolerance)
        return _shared[key]


def _refuse_free_geometry(model: Model) -> None:
    """Refuse free numbers that would move a path over surfaces: its polynomial was fitted to those of the model."""
    wrapped = wrapped_paths(model)
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
                "numbers of the model. Change it with with_values, which fits anew, or take the wraps off"
            )
