"""C code that evaluates one function for many muscles in a loop, which the compiler vectorises.

CasADi writes a function of one set of numbers. Here the same instructions stand in a loop over muscles, whose numbers
lie side by side: entry k of muscle i at ``k * STRIDE + i``. Conditions are choices between values, not jumps, and the
exponential is one that has no branches, so that the loop becomes vector instructions. Other functions of the
mathematical library keep it a plain loop.

Inputs change ever more slowly: the last ones, the numbers of the muscles, hardly ever. Values that depend on slower
inputs alone are computed once, by a loop of their own, and kept.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import casadi as ca

from myodyne.equations.generated.c_functions import functions_in_loops
from myodyne.equations.generated.operations import ARITHMETIC, OF_ONE, OF_TWO, functions
from myodyne.errors import MyodyneError

_HEAD = """
#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize ("O3", "no-math-errno", "no-trapping-math")
#endif
"""

# By the number of inputs: the entry of the library, which chooses the loop by what is given.
_ENTRIES = {
    2: """void kernel(int count, const double *drives, const double *numbers, double *result)
{
    if (drives)
        respond_1(count, drives, numbers, result);
    else
        respond_0(count, numbers, result);
}
""",
    3: """void kernel(int count, const double *rates, const double *drives, const double *numbers, double *result)
{
    if (rates)
        respond_2(count, rates, drives, numbers, result);
    else if (drives)
        respond_1(count, drives, numbers, result);
    else
        respond_0(count, numbers, result);
}
""",
}

# The inputs of a muscle's function; only functions of rates have the first.
_INPUTS = ("rates", "drives", "numbers")

# How an operation is written, its arguments being x and y.
_WRITTEN = {
    **ARITHMETIC,
    **functions((*OF_ONE, "log", "sin", "cos", "fabs"), "{name}({{x}})"),
    **functions((*OF_TWO, "pow"), "{name}({{x}}, {{y}})"),
    "OP_CONSTPOW": "pow({x}, {y})",
    "OP_SIGN": "({x} > 0 ? 1.0 : {x} < 0 ? -1.0 : 0.0)",
    "OP_FMIN": "({x} < {y} ? {x} : {y})",
    "OP_FMAX": "({x} > {y} ? {x} : {y})",
    "OP_LT": "({x} < {y} ? 1.0 : 0.0)",
    "OP_LE": "({x} <= {y} ? 1.0 : 0.0)",
    "OP_EQ": "({x} == {y} ? 1.0 : 0.0)",
    "OP_NE": "({x} != {y} ? 1.0 : 0.0)",
    "OP_NOT": "({x} == 0 ? 1.0 : 0.0)",
    "OP_AND": "({x} != 0 && {y} != 0 ? 1.0 : 0.0)",
    "OP_OR": "({x} != 0 || {y} != 0 ? 1.0 : 0.0)",
    "OP_IF_ELSE_ZERO": "({x} != 0 ? {y} : 0.0)",
}
_OPERATIONS = {getattr(ca, name): text for name, text in _WRITTEN.items()}
# Where a loop goes over muscles of several runs, there are enough of them for vectors, and no function is left to the
# mathematical library for which there is one without branches.
_VECTORS = {ca.OP_LOG: "vector_log({x})", ca.OP_POW: "vector_pow({x}, {y})", ca.OP_CONSTPOW: "vector_pow({x}, {y})"}


@dataclass(frozen=True)
class Batched:
    """C code for many muscles at a time, and how many values it keeps for each of them.

    ``prepared`` values depend on the numbers alone; ``eased``, for functions of rates, on the drives too.
    """

    source: str
    prepared: int
    eased: int


# Comparisons in C.
_CONDITIONS = {ca.OP_LT: "{x} < {y}", ca.OP_LE: "{x} <= {y}", ca.OP_EQ: "{x} == {y}", ca.OP_NE: "{x} != {y}"}


@dataclass(frozen=True)
class _Value:
    """A value in straight-line code: how it is written, and which values stand at ``{x}``, ``{y}`` and so on."""

    text: str
    reads: tuple[int, ...]
    level: int  # 0: follows from the numbers alone; 1: from the drives, too; 2: from the rates, too
    operation: int = -1


class _Code:
    """The values of a function in the order in which they are computed, each named once.

    Output k of the function belongs to the loop of level k + 1.
    """

    def __init__(self, function: ca.Function, in_lanes: bool) -> None:
        self.values: list[_Value] = []
        self._written = {**_OPERATIONS, **_VECTORS} if in_lanes else _OPERATIONS
        self.inputs = _INPUTS[-function.n_in() :]
        self.outputs: dict[tuple[int, int], int] = {}
        self._inverses: dict[int, int] = {}
        register: dict[int, int] = {}
        divisions = denominators(function)
        for number in range(function.n_instructions()):
            operation = function.instruction_id(number)
            read, written = function.instruction_input(number), function.instruction_output(number)
            if operation == ca.OP_OUTPUT:
                self.outputs[written[0] + 1, written[1]] = register[read[0]]
            elif operation == ca.OP_INPUT:
                text, level = f"{self.inputs[read[0]]}[{read[1]} * STRIDE + i]", len(self.inputs) - 1 - read[0]
                register[written[0]] = self._add(text, (), level)
            elif operation == ca.OP_CONST:
                register[written[0]] = self._add(f"{function.instruction_constant(number)!r}", (), 0)
            elif operation not in _OPERATIONS:
                raise MyodyneError(
                    f"the curves of a muscle use an operation (CasADi's number {operation}) that cannot be "
                    "written for many muscles at a time; set MYODYNE_COMPILER=none"
                )
            else:
                reads = tuple(register[place] for place in read)
                register[written[0]] = self._operation(operation, reads, divisions[number])
        # Values that a choice replaced are not written.
        self.needed = set(self.outputs.values())
        for number in reversed(range(len(self.values))):
            if number in self.needed:
                self.needed |= set(self.values[number].reads)

    def _choice(self, one: int, other: int) -> int | None:
        """Return the choice between two values of which a sum takes one where a condition holds, and else the other."""
        first, second = self.values[one], self.values[other]
        if not first.operation == second.operation == ca.OP_IF_ELSE_ZERO:
            return None
        for (holds, value), (fails, instead) in ((first.reads, second.reads), (second.reads, first.reads)):
            if self.values[fails].operation == ca.OP_NOT and self.values[fails].reads == (holds,):
                condition, level = self.values[holds], max(first.level, second.level)
                text = _CONDITIONS.get(condition.operation)
                if text is None:
                    return self._add("({x} != 0 ? {y} : {z})", (holds, value, instead), level)
                return self._add(f"({text} ? {{z}} : {{t}})", (*condition.reads, value, instead), level)
        return None

    def _operation(self, operation: int, reads: tuple[int, ...], divisions: int) -> int:
        level = max(self.values[read].level for read in reads)
        choice = self._choice(*reads) if operation == ca.OP_ADD else None
        if choice is not None:
            return choice
        if operation != ca.OP_DIV or level == 0 or not (self.values[reads[1]].level < level or divisions > 1):
            return self._add(self._written[operation], reads, level, operation)
        # A division takes as long as ten products: where its divisor returns, or changes less, its inverse is kept.
        below = reads[1]
        if below not in self._inverses:
            self._inverses[below] = self._add("1.0 / {x}", (below,), self.values[below].level)
        return self._add("{x} * {y}", (reads[0], self._inverses[below]), level)

    def _add(self, text: str, reads: tuple[int, ...], level: int, operation: int = -1) -> int:
        self.values.append(_Value(text, reads, level, operation))
        return len(self.values) - 1

    def results(self, level: int) -> list[int]:
        """Return the values that the loop of a level gives."""
        return [self.outputs[key] for key in sorted(self.outputs) if key[0] == level]

    def read_at(self, level: int) -> set[int]:
        """Return the values that the loop of a level reads."""
        read = {read for number in self.needed if (value := self.values[number]).level == level for read in value.reads}
        return read | set(self.results(level))

    def kept(self, level: int) -> list[int]:
        """Return the values of a level that are read where faster inputs are known; not plain numbers."""
        faster = set().union(*(self.read_at(other) for other in range(level + 1, len(self.inputs))))
        return [number for number in sorted(faster) if self.values[number].level == level and not self.literal(number)]

    def literal(self, number: int) -> bool:
        """Return whether a value is a number that stands in the code."""
        value = self.values[number]
        return not value.reads and not value.text.startswith(_INPUTS)

    def lines(self, level: int) -> Iterator[str]:
        """Yield one statement for each value of a level."""
        for number, value in enumerate(self.values):
            if number in self.needed and (value.level == level or self.literal(number)):
                arguments = dict(zip("xyzt", (f"w{read}" for read in value.reads), strict=False))
                yield f"double w{number} = {value.text.format(**arguments)};"

    def loop(self, level: int) -> str:
        """Return the loop of a level: its own input and what is kept of the slower ones, to results and kept values."""
        inputs = self.inputs[-1 - level :]
        lines = [
            f"double w{number} = {inputs[level - slower]}[{place} * STRIDE + i];"
            for slower in range(level)
            for number, place in self.places(slower).items()
            if number in self.read_at(level)
        ]
        lines += self.lines(level)
        given = [*self.results(level), *self.kept(level)]
        lines += [f"result[{place} * STRIDE + i] = w{number};" for place, number in enumerate(given)]
        return _loop(f"respond_{level}", inputs, lines)

    def places(self, level: int) -> dict[int, int]:
        """Return, by the number of a kept value of a level, its place among all that the loop of the level gives."""
        return {number: place for place, number in enumerate(self.kept(level), start=len(self.results(level)))}


def denominators(function: ca.Function) -> dict[int, int]:
    """Return, by the number of a division, how many divisions have the same divisor."""
    version: dict[int, int] = {}
    divisor: dict[int, tuple[int, int]] = {}
    for number in range(function.n_instructions()):
        if function.instruction_id(number) == ca.OP_DIV:
            place = function.instruction_input(number)[1]
            divisor[number] = place, version[place]
        if function.instruction_id(number) != ca.OP_OUTPUT:
            version[function.instruction_output(number)[0]] = number
    counts = Counter(divisor.values())
    return defaultdict(int, {number: counts[key] for number, key in divisor.items()})


def batched_source(function: ca.Function, stride: int, in_lanes: bool = False) -> Batched:
    """Return C for a function of drives and numbers, or of rates, drives and numbers, as a loop over muscles.

    The C function is ``kernel(count, drives, numbers, result)``; neighbouring muscles are neighbours in memory, and
    ``stride`` muscles lie between an entry and the next. Whatever follows from the numbers alone is prepared once:
    without drives the function makes those values of the numbers, and with drives it takes them in their place.

    Functions of rates have two outputs, and in C one argument more, ``kernel(count, rates, drives, numbers, result)``.
    Without rates it gives the first output, which must not depend on them, followed by whatever else follows from the
    drives; with rates it takes all that in the place of the drives, and gives the second output.

    ``in_lanes`` the muscles are those of several runs.
    """
    code = _Code(function, in_lanes)
    levels = range(function.n_in())
    loops = "".join(code.loop(level) for level in levels)
    sizes = [len(code.results(level)) + len(code.kept(level)) for level in levels]
    source = f"{_HEAD}{functions_in_loops()}\nenum {{ STRIDE = {stride} }};\n\n{loops}{_ENTRIES[len(levels)]}"
    return Batched(source, sizes[0], sizes[1] if len(levels) == 3 else 0)


def _loop(name: str, inputs: tuple[str, ...], lines: list[str]) -> str:
    body = "\n        ".join(lines)
    given = ", ".join(f"const double *restrict {entry}" for entry in inputs)
    return (
        f"static void {name}(int count, {given}, double *restrict result)\n"
        f"{{\n    int i;\n\n    for (i = 0; i < count; i++) {{\n        {body}\n    }}\n}}\n\n"
    )
