"""From the definition of a kernel to its C source: expressions, a CasADi function, a text."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from importlib import metadata

import casadi as ca

from myodyne.equations.definitions import Definition
from myodyne.equations.generated.lanes import lane_signature, lane_source
from myodyne.equations.muscles.batch import batched_source
from myodyne.equations.requests import KernelRequest, LaneKernel, MuscleKernel, name_of
from myodyne.errors import MyodyneError
from myodyne.native.kernel import Signature


@dataclass(frozen=True)
class KernelSource:
    """The C source of a kernel, whose function is called ``kernel``, and its signature."""

    signature: Signature
    text: str


def casadi_function(definition: Definition) -> ca.Function:
    """Return a definition as a CasADi function with common subexpressions computed once."""
    outputs = ca.cse(list(definition.outputs.values()))
    names = list(definition.inputs), list(definition.outputs)
    return ca.Function("kernel", list(definition.inputs.values()), outputs, *names)


def signature_of(request: KernelRequest, definition: Definition, function: ca.Function) -> Signature:
    """Return names, sizes and sparsity of inputs and outputs."""
    patterns, outputs = {}, []
    for number, (output, expression) in enumerate(definition.outputs.items()):
        shape = (int(expression.size1()), int(expression.size2()))
        outputs.append((output, shape))
        sparsity = function.sparsity_out(number)
        if not sparsity.is_dense():
            patterns[output] = (tuple(sparsity.colind()), tuple(sparsity.row()))
    return Signature(
        name=name_of(request),
        inputs=tuple((key, int(value.numel())) for key, value in definition.inputs.items()),
        outputs=tuple(outputs),
        patterns=patterns,
        work=(function.sz_arg(), function.sz_res(), function.sz_iw(), function.sz_w()),
        operations=int(function.n_instructions()),
        notes=dict(definition.notes),
    )


def source_of(request: KernelRequest, definition: Definition, stride: int, lanes: int) -> KernelSource:
    """Return a kernel as C.

    ``stride`` is the distance in memory between the entries of a batch of muscles, ``lanes`` the number of runs that
    kernels in lanes compute together.
    """
    function = casadi_function(definition)
    signature = signature_of(request, definition, function)
    if isinstance(request, MuscleKernel) and request.batched:
        batched = batched_source(function, stride, request.in_lanes)
        sizes = {"prepared": batched.prepared, "eased": batched.eased}
        return KernelSource(replace(signature, notes=sizes), batched.source)
    if isinstance(request, LaneKernel):
        return KernelSource(lane_signature(signature, lanes), lane_source(function, lanes))
    if definition.sequence:
        return KernelSource(signature, _in_sequence(function, definition))
    return KernelSource(signature, _generated(function))


def _generated(function: ca.Function) -> str:
    generator = ca.CodeGenerator("kernel", {"casadi_int": "int", "with_header": False})
    generator.add(function)
    return str(generator.dump())


def _in_sequence(function: ca.Function, definition: Definition) -> str:
    """Return C that computes the entries of the outputs in the sequence of the definition.

    It takes no null pointers for outputs that have entries: a test for each entry costs as much as computing it.
    """
    inputs = function.sx_in()
    outputs = function.call(inputs)
    sequence = ca.vertcat(*(outputs[number].nz[place] for number, place in definition.sequence))
    source = _generated(ca.Function("kernel", inputs, [sequence]))

    def placed(found: re.Match[str]) -> str:
        number, place = definition.sequence[int(found[1])]
        return f"res[{number}][{place}]="

    source, count = re.subn(r"if \(res\[0\]!=0\) res\[0\]\[(\d+)\]=", placed, source)
    if count != len(definition.sequence) or count != sum(map(function.nnz_out, range(function.n_out()))):
        raise MyodyneError(
            f"the C code of CasADi {metadata.version('casadi')} differs from that of the versions tested with "
            "myodyne; install another version of casadi, or set MYODYNE_COMPILER=none"
        )
    return source
