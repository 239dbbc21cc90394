"""C code that evaluates a function for several runs at once, one in each lane of the processor's vectors.

CasADi writes a function of one set of numbers. Here the same instructions act on vectors of some numbers, one for each
run: entry k of run i at ``k * LANES + i``. All instructions act on each lane by itself, so that the numbers of a
run do not depend on those beside it. Sine, cosine and exponential are vectors too; other functions of the mathematical
library are called lane by lane.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import casadi as ca

from myodyne.equations.generated.c_functions import functions_in_lanes
from myodyne.equations.generated.operations import ARITHMETIC, OF_ONE, OF_TWO, functions
from myodyne.equations.muscles.batch import denominators
from myodyne.errors import MyodyneError
from myodyne.native.kernel import Signature

_HEAD = """
#include <math.h>
#include <stdint.h>

enum { LANES = %d };
typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef int64_t marks __attribute__((vector_size(8 * LANES)));
/* Memory of others, which begins anywhere. */
typedef double loose __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

static inline lanes all(double x) { return (lanes){0} + x; }
static inline lanes chosen(marks where, lanes one, lanes other)
{
    return (lanes)((where & (marks)one) | (~where & (marks)other));
}
#define MARK(condition) ((marks)(condition))

/* Numbers beyond this are left to the mathematical library: a quarter turn in three parts is exact up to here. */
static const double FAR = 1e5;

static inline int any_beyond(lanes x)
{
    marks beyond = MARK(x > FAR) | MARK(x < -FAR) | MARK(x != x);
    int64_t found = 0;
    int i;

    for (i = 0; i < LANES; i++)
        found |= beyond[i];
    return found != 0;
}

static __attribute__((noinline)) void sine_and_cosine_far(lanes x, lanes *sine, lanes *cosine)
{
    int i;

    for (i = 0; i < LANES; i++)
        if (!(fabs(x[i]) <= FAR)) {
            (*sine)[i] = sin(x[i]);
            (*cosine)[i] = cos(x[i]);
        }
}

/* x = n quarter turns + r with |r| < 0.8, polynomials in r of Taylor's coefficients, whose rest is below rounding, and
 * the quadrant from the low bits of n. */
static inline void sine_and_cosine(lanes x, lanes *sine, lanes *cosine)
{
    const double magic = 6755399441055744.0;    /* 1.5 * 2^52: adding it rounds to a whole number in the low bits */
    lanes t = x * 0.63661977236758134308 + magic, n = t - magic;
    lanes r = ((x - n * 1.57079632673412561417e+00) - n * 6.07710050630396597660e-11) - n * 2.02226624879595063154e-21;
    lanes z = r * r, s = all(1.0 / 355687428096000.0), c = all(1.0 / 20922789888000.0);
    marks whole = (marks)t, odd = -(whole & 1), signs = whole << 62, turned = (whole + 1) << 62;
    const int64_t top = INT64_MIN;

    s = s * z - 1.0 / 1307674368000.0;
    s = s * z + 1.0 / 6227020800.0;
    s = s * z - 1.0 / 39916800.0;
    s = s * z + 1.0 / 362880.0;
    s = s * z - 1.0 / 5040.0;
    s = s * z + 1.0 / 120.0;
    s = s * z - 1.0 / 6.0;
    s = r + r * (z * s);
    c = c * z - 1.0 / 87178291200.0;
    c = c * z + 1.0 / 479001600.0;
    c = c * z - 1.0 / 3628800.0;
    c = c * z + 1.0 / 40320.0;
    c = c * z - 1.0 / 720.0;
    c = c * z + 1.0 / 24.0;
    c = c * z - 0.5;
    c = 1.0 + z * c;
    *sine = (lanes)((marks)chosen(odd, c, s) ^ (signs & top));
    *cosine = (lanes)((marks)chosen(odd, s, c) ^ (turned & top));
    if (__builtin_expect(any_beyond(x), 0))
        sine_and_cosine_far(x, sine, cosine);
}

"""

_EACH_LANE = """
#define EACH(name)                                                                                                 \\
    static inline lanes each_##name(lanes x)                                                                       \\
    {                                                                                                              \\
        int i;                                                                                                     \\
        for (i = 0; i < LANES; i++)                                                                                \\
            x[i] = name(x[i]);                                                                                     \\
        return x;                                                                                                  \\
    }
#define BOTH(name)                                                                                                 \\
    static inline lanes both_##name(lanes x, lanes y)                                                              \\
    {                                                                                                              \\
        int i;                                                                                                     \\
        for (i = 0; i < LANES; i++)                                                                                \\
            x[i] = name(x[i], y[i]);                                                                               \\
        return x;                                                                                                  \\
    }
"""

_ONE = "chosen(MARK({condition}), all(1.0), all(0.0))"

# How an operation is written, its arguments being x and y, vectors both.
_WRITTEN = {
    **ARITHMETIC,
    **functions(OF_ONE, "each_{name}({{x}})"),
    **functions(OF_TWO, "both_{name}({{x}}, {{y}})"),
    "OP_LOG": "vector_log({x})",
    "OP_POW": "vector_pow({x}, {y})",
    "OP_CONSTPOW": "vector_pow({x}, {y})",
    "OP_FABS": "(lanes)((marks){x} & INT64_MAX)",
    "OP_SIGN": "chosen(MARK({x} > 0.0), all(1.0), chosen(MARK({x} < 0.0), all(-1.0), all(0.0)))",
    "OP_FMIN": "chosen(MARK({x} < {y}), {x}, {y})",
    "OP_FMAX": "chosen(MARK({x} > {y}), {x}, {y})",
    "OP_LT": _ONE.format(condition="{x} < {y}"),
    "OP_LE": _ONE.format(condition="{x} <= {y}"),
    "OP_EQ": _ONE.format(condition="{x} == {y}"),
    "OP_NE": _ONE.format(condition="{x} != {y}"),
    "OP_NOT": _ONE.format(condition="{x} == 0.0"),
    "OP_AND": _ONE.format(condition="({x} != 0.0) & ({y} != 0.0)"),
    "OP_OR": _ONE.format(condition="({x} != 0.0) | ({y} != 0.0)"),
    "OP_IF_ELSE_ZERO": "chosen(MARK({x} != 0.0), {y}, all(0.0))",
}
_OPERATIONS = {getattr(ca, name): text for name, text in _WRITTEN.items()}


def lane_signature(signature: Signature, lanes: int) -> Signature:
    """Return the signature of a function in lanes: every number becomes so many."""
    return replace(
        signature,
        inputs=tuple((name, size * lanes) for name, size in signature.inputs),
        outputs=tuple((name, (rows * columns * lanes, 1)) for name, (rows, columns) in signature.outputs),
        patterns={},
    )


def lane_source(function: ca.Function, lanes: int) -> str:
    """Return C for a function in lanes, called ``kernel`` like those of CasADi; its outputs must be dense."""
    if any(not function.sparsity_out(number).is_dense() for number in range(function.n_out())):
        raise MyodyneError("a function in lanes must have dense outputs")
    code = _Code(function)
    body = "\n    ".join(code.lines)
    declared = [f"EACH({name})" for name in OF_ONE] + [f"BOTH({name})" for name in OF_TWO]
    return (
        f"{_HEAD % lanes}{functions_in_lanes()}{_EACH_LANE}\n{chr(10).join(declared)}\n\n"
        "int kernel(const double **arg, double **res, int *iw, double *w, int mem)\n"
        f"{{\n    {body}\n    (void)iw;\n    (void)w;\n    (void)mem;\n    return 0;\n}}\n"
    )


class _Code:
    """The statements of a function, each value named once."""

    def __init__(self, function: ca.Function) -> None:
        self.lines: list[str] = []
        self._count = 0
        self._inverses: dict[str, str] = {}
        self._turns: dict[str, tuple[str, str]] = {}
        register: dict[int, str] = {}
        shared = denominators(function)
        for number in range(function.n_instructions()):
            operation = function.instruction_id(number)
            read, written = function.instruction_input(number), function.instruction_output(number)
            if operation == ca.OP_OUTPUT:
                place = f"res[{written[0]}] + {written[1]} * LANES"
                self.lines.append(f"if (res[{written[0]}]) *(loose *)({place}) = {register[read[0]]};")
            elif operation == ca.OP_INPUT:
                register[written[0]] = self._named(f"*(const loose *)(arg[{read[0]}] + {read[1]} * LANES)")
            elif operation == ca.OP_CONST:
                register[written[0]] = self._named(f"all({function.instruction_constant(number)!r})")
            else:
                arguments = [register[place] for place in read]
                register[written[0]] = self._value(operation, arguments, shared[number])

    def _value(self, operation: int, arguments: list[str], divisions: int) -> str:
        if operation in (ca.OP_SIN, ca.OP_COS):
            return self._turn(arguments[0])[operation == ca.OP_COS]
        if operation not in _OPERATIONS:
            raise MyodyneError(
                f"the equations use an operation (CasADi's number {operation}) that cannot be written for lanes"
            )
        if operation == ca.OP_DIV and divisions > 1:
            # A division takes as long as ten products: where its divisor returns, its inverse is kept.
            below = arguments[1]
            if below not in self._inverses:
                self._inverses[below] = self._named(f"1.0 / {below}")
            return self._named(f"{arguments[0]} * {self._inverses[below]}")
        named: Mapping[str, str] = dict(zip("xy", arguments, strict=False))
        return self._named(_OPERATIONS[operation].format(**named))

    def _turn(self, angle: str) -> tuple[str, str]:
        """Return the names of the sine and the cosine of an angle, computed together."""
        if angle not in self._turns:
            sine, cosine = f"s{self._count}", f"c{self._count}"
            self._count += 1
            self.lines.append(f"lanes {sine}, {cosine};")
            self.lines.append(f"sine_and_cosine({angle}, &{sine}, &{cosine});")
            self._turns[angle] = sine, cosine
        return self._turns[angle]

    def _named(self, text: str) -> str:
        name = f"w{self._count}"
        self._count += 1
        self.lines.append(f"lanes {name} = {text};")
        return name
