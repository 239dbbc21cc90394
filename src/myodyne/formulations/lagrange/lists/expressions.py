"""Expressions as text: ``"d1 - q2"``, ``"0.1*sin(2*pi*t)"``, read without running anything.

A text is parsed by Python's own grammar and then walked: names, numbers, ``+ - * / **``, a few functions, and
``hip.x`` for a component of a point. A name that is no identifier stands in quotes: ``"2*'hip flexion'"``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Protocol

from myodyne.errors import ModelError, SolveError, unknown_name
from myodyne.formulations.lagrange.algebra.rates import FUNCTIONS, Dual, applied
from myodyne.formulations.lagrange.algebra.symbols import sympy_module

Expression = float | int | str
"""A number, or text; SymPy expressions are taken as well and kept as text."""

_LONGEST = 20_000
# Larger powers of numbers are mistakes, and SymPy would compute every digit of them.
_LARGEST_POWER = 64.0


class Algebra(Protocol):
    """What numbers are made of: symbols of SymPy, or numbers that carry their derivatives."""

    @property
    def functions(self) -> Mapping[str, Callable[[Any], Any]]:
        """The known functions by name."""

    @property
    def pi(self) -> Any:
        """The number π."""

    def number(self, value: float) -> Any:
        """Return a plain number as a scalar of this algebra."""


def as_expression(value: Any) -> Expression:
    """Return a number or text as it is, and a SymPy expression as text that keeps all its digits."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if hasattr(value, "free_symbols"):
        return str(sympy_module().sstr(value, full_prec=True))
    raise ModelError(f"an expression is a number, text or a SymPy expression, not {value!r:.60}")


def quoted(name: str) -> str:
    """Return a name as it stands in an expression: in quotes if it is no identifier.

    Examples
    --------
    >>> quoted("knee"), quoted("hip flexion")
    ('knee', "'hip flexion'")
    """
    import keyword

    return name if name.isidentifier() and not keyword.iskeyword(name) else repr(name)


def names_in(expression: Expression) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
    """Return the names in an expression, and the ``(point, component)`` pairs."""
    if not isinstance(expression, str):
        return frozenset(), frozenset()
    return _names(expression)


def evaluate(
    expression: Expression,
    scope: Mapping[str, Dual],
    algebra: Algebra,
    component: Callable[[str, str], Dual] | None = None,
) -> Dual:
    """Return value and rate of an expression; ``component`` answers for ``point.x``."""
    if not isinstance(expression, str):
        return Dual(algebra.number(expression), algebra.number(0))
    try:
        return _Evaluation(scope, algebra, component).of(_parsed(expression))
    except (ArithmeticError, ValueError) as error:
        if isinstance(error, ModelError):
            raise
        raise SolveError(f"'{expression:.80}' has no value here: {error}") from error


class _Evaluation:
    def __init__(
        self, scope: Mapping[str, Dual], algebra: Algebra, component: Callable[[str, str], Dual] | None
    ) -> None:
        self._scope = scope
        self._algebra = algebra
        self._component = component

    def of(self, node: ast.expr) -> Dual:
        match node:
            case ast.Constant(value=int() | float() as number):
                return Dual(self._algebra.number(number), self._algebra.number(0))
            case ast.Name(id=name) | ast.Constant(value=str() as name):
                return self._named(name)
            case ast.Attribute(value=ast.Name(id=point) | ast.Constant(value=str() as point), attr=axis):
                if self._component is None:
                    raise ModelError(f"'{point}.{axis}' cannot stand here: only constraints speak of points")
                return self._component(point, axis)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.of(operand)
            case ast.UnaryOp(operand=operand):
                return self.of(operand)
            case ast.BinOp(left=left, op=operator, right=right):
                return self._combined(self.of(left), operator, self.of(right))
            case ast.Call(func=ast.Name(id=function), args=[argument]):
                return applied(function, self.of(argument), self._algebra.functions)
        raise ModelError("an expression holds something that was not checked")

    def _named(self, name: str) -> Dual:
        if name in self._scope:
            return self._scope[name]
        if name == "pi":
            return Dual(self._algebra.pi, self._algebra.number(0))
        raise ModelError(unknown_name("name", name, [*self._scope, "pi"]))

    def _combined(self, left: Dual, operator: ast.operator, right: Dual) -> Dual:
        match operator:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case ast.Div():
                return left / right
            case _:
                return left.power(right, self._algebra.functions)


@lru_cache(maxsize=4096)
def _parsed(text: str) -> ast.expr:
    if len(text) > _LONGEST:
        raise ModelError(f"an expression of {len(text)} characters is too long; the limit is {_LONGEST}")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        for _ in _checked(tree, text):
            pass
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if isinstance(error, ModelError):
            raise
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise ModelError(f"'{text:.80}' cannot be read as an expression: {reason}") from None
    return tree


@lru_cache(maxsize=4096)
def _names(text: str) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
    names: set[str] = set()
    components: set[tuple[str, str]] = set()
    for found in _checked(_parsed(text), text):
        if isinstance(found, tuple):
            components.add(found)
        else:
            names.add(found)
    return frozenset(names - {"pi"}), frozenset(components)


def _checked(node: ast.expr, text: str) -> Iterator[str | tuple[str, str]]:
    """Yield the names below a node, and refuse everything that is no arithmetic."""
    match node:
        case ast.Constant(value=str() as name) | ast.Name(id=name):
            yield name
        case ast.Constant(value=bool()):
            raise ModelError(f"'{text:.80}': True and False are no numbers")
        case ast.Constant(value=int() | float()):
            pass
        case ast.Attribute(value=ast.Name(id=point) | ast.Constant(value=str() as point), attr=axis):
            if axis not in ("x", "y", "z"):
                raise ModelError(f"'{text:.80}': {unknown_name('component', f'{point}.{axis}', ['x', 'y', 'z'])}")
            yield point, axis
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            yield from _checked(operand, text)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), right=right):
            yield from _checked(left, text)
            yield from _checked(right, text)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            yield from _checked(left, text)
            yield from _checked_power(right, text)
        case ast.Call(func=ast.Name(id=function), args=[argument], keywords=[]):
            if function not in FUNCTIONS:
                raise ModelError(f"'{text:.80}': {unknown_name('function', function, FUNCTIONS)}")
            yield from _checked(argument, text)
        case _:
            what = type(node).__name__
            raise ModelError(
                f"'{text:.80}': {what} cannot stand in an expression; it holds names, numbers, + - * / ** and "
                f"functions of one argument ({', '.join(FUNCTIONS)})"
            )


def _checked_power(node: ast.expr, text: str) -> Iterator[str | tuple[str, str]]:
    number = node.operand if isinstance(node, ast.UnaryOp) else node
    if isinstance(number, ast.BinOp) and isinstance(number.op, ast.Pow):
        raise ModelError(f"'{text:.80}': write a power of a power with brackets around the first")
    if isinstance(number, ast.Constant) and isinstance(number.value, int | float) and number.value > _LARGEST_POWER:
        raise ModelError(f"'{text:.80}': the power {number.value:g} is larger than {_LARGEST_POWER:g}")
    yield from _checked(node, text)
