"""Long straight-line C in parts: functions of moderate length, in several files, which compilers take side by side.

The time and memory that a compiler needs grow faster than the length of a function. Values that one part computes and
another one needs go through the work array of the kernel.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from itertools import pairwise

from myodyne.errors import MyodyneError
from myodyne.native.compiler import COMPILERS

# Statements in a part: shorter ones move more values through memory, longer ones take longer to compile each.
_MOST_STATEMENTS = 1000
# Parts in a file, at most: enough that starting a compiler costs little, few enough that compilers end together.
_MOST_PARTS = 16
_BODY = re.compile(
    r"(?P<before>.*?)^static int casadi_f0\([^\n]*\) \{\n(?P<declarations>(?:  casadi_real [^\n]*;\n)*)"
    r"(?P<statements>.*?)^  return 0;\n\}\n(?P<after>.*)",
    re.MULTILINE | re.DOTALL,
)
_HELPERS = re.compile(r"^casadi_real casadi_\w+\([^\n]*\) ?\{.*?\}$", re.MULTILINE | re.DOTALL)
# The kernels of this package are called with all their inputs and outputs: no need to ask before each entry.
_ASKED = re.compile(r"if \(res\[\d+\]!=0\) |(?<==)arg\[\d+\]\? (?=arg)| : 0(?=;)")
_VARIABLE = re.compile(r"\ba(\d+)\b")
_ARGUMENTS = "const double **arg, double **res, double *w"


@dataclass(frozen=True)
class _Part:
    """Some statements, the variables that they read before they set them, and those that they set."""

    statements: tuple[str, ...]
    needed: frozenset[str]
    made: frozenset[str]


# Writes a part: its number, the variables it loads, its own, its statements, the variables it stores.
Writer = Callable[[int, list[str], list[str], list[str], list[str]], str]


@dataclass(frozen=True)
class Parts:
    """A long function in parts: what CasADi wrote around it, and what each part must store for those after it."""

    found: re.Match[str]
    parts: list[_Part]
    kept: list[frozenset[str]]

    @property
    def helpers(self) -> str:
        """The helpers of the generated code, private to a file, after which names of functions are hidden."""
        helpers = [f"static {text}" for text in _HELPERS.findall(self.found["before"])]
        return "\n".join([*helpers, "#pragma GCC visibility push(hidden)", ""])

    def files(self, opening: str, write: Writer) -> list[str]:
        """Return the files of the parts, each with the same opening."""
        texts = [
            write(number, sorted(part.needed), sorted(part.made - part.needed), list(part.statements), sorted(kept))
            for number, (part, kept) in enumerate(zip(self.parts, self.kept, strict=True))
        ]
        # Even a kernel of a few parts is shared by all compilers.
        bounds = [*range(0, len(texts), min(_MOST_PARTS, -(-len(texts) // COMPILERS))), len(texts)]
        return [opening + "\n".join(texts[begin:end]) for begin, end in pairwise(bounds)]


def parts_of(source: str) -> Parts:
    """Return the parts of a kernel that CasADi generated as one function."""
    found = _BODY.fullmatch(source)
    lines = [] if found is None else _ASKED.sub("", found["statements"]).splitlines()
    if found is None or not all(line.endswith(";") for line in lines):
        raise MyodyneError(
            f"the C code of CasADi {metadata.version('casadi')} differs from that of the versions tested with "
            "myodyne; install another version of casadi, or set MYODYNE_COMPILER=none"
        )
    parts = [_part(lines[begin : begin + _MOST_STATEMENTS]) for begin in range(0, len(lines), _MOST_STATEMENTS)]
    return Parts(found, parts, _kept(parts))


def in_parts(source: str) -> tuple[str, ...]:
    """Return the C files of a kernel that CasADi generated as one function; the first one has the entry points.

    Examples
    --------
    >>> import casadi as ca
    >>> x = ca.SX.sym("x")
    >>> generator = ca.CodeGenerator("kernel", {"casadi_int": "int"})
    >>> generator.add(ca.Function("kernel", [x], [ca.sin(x) * x]))
    >>> len(in_parts(generator.dump()))
    2
    """
    parts = parts_of(source)
    opening = "#include <math.h>\n#define casadi_real double\n"
    return (_entry(parts.found, len(parts.parts)), *parts.files(opening + parts.helpers, _function))


def _part(lines: list[str]) -> _Part:
    needed: set[str] = set()
    made: set[str] = set()
    for line in lines:
        target, _, value = line.partition("=")
        # What is not an assignment to a variable writes a result, if it is asked for.
        sets = _VARIABLE.fullmatch(target.strip())
        needed.update(name for name in _VARIABLE.findall(value if sets else line) if name not in made)
        if sets:
            made.add(sets[1])
    return _Part(tuple(lines), frozenset(needed), frozenset(made))


def _kept(parts: list[_Part]) -> list[frozenset[str]]:
    """Return what each part must store for those after it."""
    kept, wanted = [], frozenset[str]()
    for part in reversed(parts):
        kept.append(part.made & wanted)
        wanted = (wanted - part.made) | part.needed
    return kept[::-1]


def _function(number: int, loads: list[str], fresh: list[str], statements: list[str], stores: list[str]) -> str:
    """Return a part as a C function; variable ``a12`` is kept in ``w[12]`` between parts."""
    lines = [f"  double a{name}=w[{int(name)}];" for name in loads]
    lines += [f"  double a{name};" for name in fresh]
    lines += statements
    lines += [f"  w[{int(name)}]=a{name};" for name in stores]
    body = "\n".join(lines)
    return f"void kernel_part_{number}({_ARGUMENTS}) {{\n{body}\n}}\n"


def _entry(found: re.Match[str], count: int) -> str:
    """Return the generated code with calls of the parts in the place of the statements."""
    declared = "\n".join(f"void kernel_part_{number}({_ARGUMENTS});" for number in range(count))
    calls = "\n".join(f"  kernel_part_{number}(arg, res, w);" for number in range(count))
    return (
        f"{found['before']}#pragma GCC visibility push(hidden)\n{declared}\n#pragma GCC visibility pop\n"
        "static int casadi_f0(const casadi_real** arg, casadi_real** res, casadi_int* iw, casadi_real* w, int mem) {\n"
        f"{calls}\n  return 0;\n}}\n{found['after']}"
    )
