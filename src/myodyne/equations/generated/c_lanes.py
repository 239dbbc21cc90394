"""Straight-line C that computes several rows at a time, one in each lane of a vector.

Code of hundreds of thousands of statements is fetched from memory anew for every row, which takes longer than its
arithmetic. Here each statement works on as many rows as a vector register has numbers. Statements that are more than
arithmetic, such as sines and choices, are loops over the lanes.
"""

from __future__ import annotations

import re

from myodyne.equations.generated.c_parts import Parts, parts_of
from myodyne.native.kernel import Signature

_HEAD = """#include <math.h>
#include <stdlib.h>
#define casadi_real double
#if defined(__AVX512F__)
#define LANES 8
#elif defined(__AVX__)
#define LANES 4
#else
#define LANES 2
#endif
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));
static const lanes none;
#define PART(number) void kernel_part_##number(const lanes **arg, lanes **res, lanes *w)
"""
_ROWS = """
static const int input_sizes[] = {%(inputs)s}, output_sizes[] = {%(outputs)s};

/* Strides are in doubles; the last lanes repeat the last row. */
int kernel_rows(long rows, const double **arg, const long *input_strides, double **res, const long *output_strides) {
    const lanes *inputs[%(input_count)d + 1];
    lanes *outputs[%(output_count)d + 1], *room, *next;
    size_t total = (size_t)(%(total)d + 1) * sizeof(lanes);

    if (posix_memalign((void **)&room, sizeof(lanes), total)) return 1;
    for (long first = 0; first < rows; first += LANES) {
        next = room + %(work)d;
        for (int i = 0; i < %(input_count)d; i++) {
            inputs[i] = next;
            for (int l = 0; l < LANES; l++) {
                const double *from = arg[i] + (first + l < rows ? first + l : rows - 1) * input_strides[i];
                for (int k = 0; k < input_sizes[i]; k++) next[k][l] = from[k];
            }
            next += input_sizes[i];
        }
        for (int i = 0; i < %(output_count)d; i++) {
            outputs[i] = next;
            next += output_sizes[i];
        }
%(calls)s
        for (int i = 0; i < %(output_count)d; i++)
            for (int l = 0; l < LANES && first + l < rows; l++) {
                double *to = res[i] + (first + l) * output_strides[i];
                for (int k = 0; k < output_sizes[i]; k++) to[k] = outputs[i][k][l];
            }
    }
    free(room);
    return 0;
}

int kernel(const double **arg, double **res, int *iw, double *w, int mem) {
    const long strides[%(most)d + 1] = {0};

    (void)iw, (void)w, (void)mem;
    return kernel_rows(1, arg, strides, res, strides);
}
"""
_ARITHMETIC = re.compile(r"[-+*/() ae\d.]+|arg\[\d+\]\[\d+\]")
_SQUARE = re.compile(r"casadi_sq\((a\d+)\)")
_VARIABLE = re.compile(r"\ba\d+\b")


def in_lanes(source: str, signature: Signature) -> tuple[str, ...]:
    """Return the C files of a kernel that CasADi generated as one function; the first one has the entry points.

    Examples
    --------
    >>> import casadi as ca
    >>> from myodyne.native.kernel import Signature
    >>> x = ca.SX.sym("x")
    >>> generator = ca.CodeGenerator("kernel", {"casadi_int": "int"})
    >>> generator.add(ca.Function("kernel", [x], [ca.sin(x) * x]))
    >>> signature = Signature("kernel", (("x", 1),), (("y", (1, 1)),), {}, (1, 1, 0, 2), 3)
    >>> files = in_lanes(generator.dump(), signature)
    >>> "a1[l]=sin(a0[l])" in files[1], "a1=(a1*a0)" in files[1]
    (True, True)
    """
    parts = parts_of(source)
    return (_entry(parts, signature), *parts.files(_HEAD + parts.helpers, _function))


def _function(number: int, loads: list[str], fresh: list[str], statements: list[str], stores: list[str]) -> str:
    lines = [f"  lanes a{name}=w[{int(name)}];" for name in loads]
    lines += [f"  lanes a{name};" for name in fresh]
    lines += map(_statement, statements)
    lines += [f"  w[{int(name)}]=a{name};" for name in stores]
    body = "\n".join(lines)
    return f"PART({number});\nPART({number}) {{\n  int l;\n  (void)l;\n{body}\n}}\n"


def _statement(line: str) -> str:
    """Return a statement for all lanes.

    Examples
    --------
    >>> _statement("  a1=fmax(a2,0.);")
    '  for (l=0; l<LANES; l++) a1[l]=fmax(a2[l],0.);'
    >>> _statement("  a1=2.5;")
    '  a1=none+2.5;'
    """
    target, _, value = line.strip().rstrip(";").partition("=")
    value = _SQUARE.sub(r"(\1*\1)", value)
    if not _ARITHMETIC.fullmatch(value):
        return f"  for (l=0; l<LANES; l++) {target}[l]={_VARIABLE.sub(lambda found: found[0] + '[l]', value)};"
    if not _VARIABLE.search(value) and not value.startswith("arg"):
        return f"  {target}=none+{value};"
    return f"  {target}={value};"


def _entry(parts: Parts, signature: Signature) -> str:
    count = len(parts.parts)
    declared = "\n".join(f"PART({number});" for number in range(count))
    inputs, outputs, work = signature.input_sizes, signature.output_sizes, signature.work[3]
    hidden = f"#pragma GCC visibility push(hidden)\n{declared}\n#pragma GCC visibility pop\n"
    return (
        _HEAD
        + hidden
        + _ROWS
        % {
            "inputs": ", ".join(map(str, (*inputs, 0))),
            "outputs": ", ".join(map(str, (*outputs, 0))),
            "input_count": len(inputs),
            "output_count": len(outputs),
            "most": max(len(inputs), len(outputs)),
            "work": work,
            "total": work + sum(inputs) + sum(outputs),
            "calls": "\n".join(f"        kernel_part_{number}(inputs, outputs, room);" for number in range(count)),
        }
    )
