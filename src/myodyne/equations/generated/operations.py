"""How operations of CasADi are written in C, as far as numbers and vectors are written alike."""

from __future__ import annotations

# With x and y for the arguments.
ARITHMETIC = {
    "OP_ASSIGN": "{x}",
    "OP_ADD": "{x} + {y}",
    "OP_SUB": "{x} - {y}",
    "OP_MUL": "{x} * {y}",
    "OP_DIV": "{x} / {y}",
    "OP_NEG": "-{x}",
    "OP_EXP": "vector_exp({x})",
    "OP_SQ": "{x} * {x}",
    "OP_TWICE": "{x} + {x}",
    "OP_INV": "1.0 / {x}",
}
# Functions of the mathematical library, of one and of two numbers.
OF_ONE = (
    *("sqrt", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    *("erf", "log1p", "expm1", "floor", "ceil"),
)
OF_TWO = ("atan2", "hypot", "copysign")


def functions(names: tuple[str, ...], text: str) -> dict[str, str]:
    """Return how some functions are written, their name being ``name`` in the text.

    Examples
    --------
    >>> functions(("sqrt",), "each_{name}({{x}})")
    {'OP_SQRT': 'each_sqrt({x})'}
    """
    return {f"OP_{name.upper()}": text.format(name=name) for name in names}
