"""C code that evaluates one function for many muscles at a time, so that the compiler can take four of them at once.

CasADi writes a function of one set of numbers. Here the same instructions stand in a loop over muscles, whose numbers
lie side by side: entry k of muscle i at ``k * STRIDE + i``. Conditions are choices between values, not jumps, and the
exponential is one that has no branches, so that the loop becomes vector instructions. Other functions of the
mathematical library keep it a plain loop.
"""

from __future__ import annotations

from typing import Any

import casadi as ca

from myodyne.errors import MyodyneError

_HEAD = """
#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize ("O3", "no-math-errno", "no-trapping-math")
#endif

/* exp without branches: x = n log 2 + r, a polynomial in r of Taylor's coefficients (its rest is below rounding for
 * |r| < 0.35), and n added to the exponent.  Beyond what a double can hold it stays at the end of the range. */
static inline double vector_exp(double x)
{
    const double magic = 6755399441055744.0;    /* 1.5 * 2^52: adding it rounds to a whole number in the low bits */
    double y = x < -700.0 ? -700.0 : x > 700.0 ? 700.0 : x;
    double t = y * 1.4426950408889634 + magic;
    double n = t - magic;
    double r = (y - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10;
    double p = 1.0 / 6227020800.0;
    int64_t whole, bits;

    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    memcpy(&whole, &t, sizeof whole);
    memcpy(&bits, &p, sizeof bits);
    bits += whole << 52;
    memcpy(&p, &bits, sizeof p);
    return x != x ? x : p;
}
"""

# How an operation is written, its arguments being x and y.
_WRITTEN = {
    "OP_ASSIGN": "{x}", "OP_ADD": "{x} + {y}", "OP_SUB": "{x} - {y}", "OP_MUL": "{x} * {y}", "OP_DIV": "{x} / {y}",
    "OP_NEG": "-{x}", "OP_EXP": "vector_exp({x})", "OP_LOG": "log({x})", "OP_POW": "pow({x}, {y})",
    "OP_CONSTPOW": "pow({x}, {y})", "OP_SQRT": "sqrt({x})", "OP_SQ": "{x} * {x}", "OP_TWICE": "{x} + {x}",
    "OP_INV": "1.0 / {x}", "OP_SIN": "sin({x})", "OP_COS": "cos({x})", "OP_TAN": "tan({x})", "OP_ASIN": "asin({x})",
    "OP_ACOS": "acos({x})", "OP_ATAN": "atan({x})", "OP_ATAN2": "atan2({x}, {y})", "OP_SINH": "sinh({x})",
    "OP_COSH": "cosh({x})", "OP_TANH": "tanh({x})", "OP_ASINH": "asinh({x})", "OP_ACOSH": "acosh({x})",
    "OP_ATANH": "atanh({x})", "OP_ERF": "erf({x})", "OP_LOG1P": "log1p({x})", "OP_EXPM1": "expm1({x})",
    "OP_HYPOT": "hypot({x}, {y})", "OP_FABS": "fabs({x})", "OP_FLOOR": "floor({x})", "OP_CEIL": "ceil({x})",
    "OP_SIGN": "({x} > 0 ? 1.0 : {x} < 0 ? -1.0 : 0.0)", "OP_COPYSIGN": "copysign({x}, {y})",
    "OP_FMIN": "({x} < {y} ? {x} : {y})", "OP_FMAX": "({x} > {y} ? {x} : {y})",
    "OP_LT": "({x} < {y} ? 1.0 : 0.0)", "OP_LE": "({x} <= {y} ? 1.0 : 0.0)", "OP_EQ": "({x} == {y} ? 1.0 : 0.0)",
    "OP_NE": "({x} != {y} ? 1.0 : 0.0)", "OP_NOT": "({x} == 0 ? 1.0 : 0.0)",
    "OP_AND": "({x} != 0 && {y} != 0 ? 1.0 : 0.0)", "OP_OR": "({x} != 0 || {y} != 0 ? 1.0 : 0.0)",
    "OP_IF_ELSE_ZERO": "({x} != 0 ? {y} : 0.0)",
}
_OPERATIONS = {getattr(ca, name): text for name, text in _WRITTEN.items()}


def batched_source(function: Any, stride: int) -> str:
    """Return C for a function of two vectors with one result, as a loop over ``count`` of them.

    The C function is ``kernel(count, first, second, result)``; neighbouring muscles are neighbours in memory, and
    ``stride`` muscles lie between an entry and the next.
    """
    inputs = ("first", "second")
    used: set[int] = set()
    lines = []
    for number in range(function.n_instructions()):
        operation = function.instruction_id(number)
        read, written = function.instruction_input(number), function.instruction_output(number)
        if operation == ca.OP_OUTPUT:
            lines.append(f"result[{written[1]} * STRIDE + i] = w{read[0]};")
            continue
        used.add(written[0])
        if operation == ca.OP_INPUT:
            text = f"{inputs[read[0]]}[{read[1]} * STRIDE + i]"
        elif operation == ca.OP_CONST:
            text = f"{function.instruction_constant(number)!r}"
        elif operation in _OPERATIONS:
            arguments = [f"w{place}" for place in read] + ["", ""]
            text = _OPERATIONS[operation].format(x=arguments[0], y=arguments[1])
        else:
            raise MyodyneError(f"the curves of a muscle use an operation (CasADi's number {operation}) that cannot be "
                               "written for many muscles at a time; set MYODYNE_COMPILER=none")
        lines.append(f"w{written[0]} = {text};")
    body = "\n        ".join(lines)
    declared = ", ".join(f"w{place}" for place in sorted(used))
    return (
        f"{_HEAD}\nenum {{ STRIDE = {stride} }};\n\n"
        "void kernel(int count, const double *restrict first, const double *restrict second, double *restrict result)\n"
        "{\n    int i;\n\n    for (i = 0; i < count; i++) {\n"
        f"        double {declared};\n        {body}\n    }}\n}}\n"
    )
