"""Expressions as text: ``"d1 - q2"``, ``"0.1*sin(2*pi*t)"``, parsed without executing anything.

Text is parsed with Python's grammar, and only arithmetic is accepted: names, numbers, ``+ - * / **``, a few
functions, and ``hip.x`` for a component of a point. A name that is not an identifier is quoted:
``"2*'hip flexion'"``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Generic, Protocol

from myodyne.errors import ModelError, SolveError, unknown_name
from myodyne.formulations.lagrange.algebra.rates import FUNCTIONS, Dual, Functions, Scalar, applied
from myodyne.formulations.lagrange.algebra.symbols import sympy_module

Expression = float | int | str
"""A number or text; SymPy expressions are accepted too and kept as text."""

_LONGEST = 60_000
# Larger powers are mistakes, and SymPy would compute every digit of them.
_LARGEST_POWER = 64.0


class Algebra(Protocol[Scalar]):
    """The scalars of a computation: symbols of SymPy, or numbers that carry their derivatives."""

    @property
    def functions(self) -> Functions[Scalar]:
        """The known functions by name."""

    @property
    def pi(self) -> Scalar:
        """The number π."""

    def number(self, value: float) -> Scalar:
        """Return a plain number as a scalar of this algebra."""

    def signed_power(self, base: Scalar, exponent: float) -> Scalar:
        """Return ``sign(x) |x|ⁿ``, the course of a damper of power n."""


def as_expression(value: object) -> Expression:
    """Return a number or text as it is, and a SymPy expression as text that keeps all its digits."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if hasattr(value, "free_symbols"):
        return str(sympy_module().sstr(value, full_prec=True))
    raise ModelError(f"an expression is a number, text or a SymPy expression, not {value!r:.60}")


def quoted(name: str) -> str:
    """Return a name as written in an expression: in quotes if it is not an identifier.

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
    scope: Mapping[str, Dual[Scalar]],
    algebra: Algebra[Scalar],
    component: Callable[[str, str], Dual[Scalar]] | None = None,
) -> Dual[Scalar]:
    """Return value and rate of an expression; ``component`` returns those of ``point.x``."""
    if not isinstance(expression, str):
        return Dual(algebra.number(expression), algebra.number(0))
    try:
        return _Evaluation(scope, algebra, component).of(_parsed(expression))
    except (ArithmeticError, ValueError) as error:
        if isinstance(error, ModelError):
            raise
        raise SolveError(f"'{expression:.80}' cannot be evaluated here: {error}") from error


class _Evaluation(Generic[Scalar]):
    _scope: Mapping[str, Dual[Scalar]]
    _algebra: Algebra[Scalar]
    _component: Callable[[str, str], Dual[Scalar]] | None

    def __init__(
        self,
        scope: Mapping[str, Dual[Scalar]],
        algebra: Algebra[Scalar],
        component: Callable[[str, str], Dual[Scalar]] | None,
    ) -> None:
        self._scope = scope
        self._algebra = algebra
        self._component = component

    def of(self, node: ast.expr) -> Dual[Scalar]:
        match node:
            case ast.Constant(value=int() | float() as number):
                return Dual(self._algebra.number(number), self._algebra.number(0))
            case ast.Name(id=name) | ast.Constant(value=str() as name):
                return self._named(name)
            case ast.Attribute(value=ast.Name(id=point) | ast.Constant(value=str() as point), attr=axis):
                if self._component is None:
                    raise ModelError(f"'{point}.{axis}' is not allowed here: only constraints may refer to points")
                return self._component(point, axis)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.of(operand)
            case ast.UnaryOp(operand=operand):
                return self.of(operand)
            case ast.BinOp(left=left, op=operator, right=right):
                return self._combined(self.of(left), operator, self.of(right))
            case ast.Call(func=ast.Name(id=function), args=[argument]):
                return applied(function, self.of(argument), self._algebra.functions)
        raise ModelError("an expression contains a node that was not checked")

    def _named(self, name: str) -> Dual[Scalar]:
        if name in self._scope:
            return self._scope[name]
        if name == "pi":
            return Dual(self._algebra.pi, self._algebra.number(0))
        raise ModelError(unknown_name("name", name, [*self._scope, "pi"]))

    def _combined(self, left: Dual[Scalar], operator: ast.operator, right: Dual[Scalar]) -> Dual[Scalar]:
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
        raise ModelError(f"'{text:.80}' is not an expression: {reason}") from None
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
    """Yield the names below a node; anything but arithmetic raises an error."""
    match node:
        case ast.Constant(value=str() as name) | ast.Name(id=name):
            yield name
        case ast.Constant(value=bool()):
            raise ModelError(f"'{text:.80}': True and False are not numbers")
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
                f"'{text:.80}': {what} is not allowed in an expression; use names, numbers, + - * / ** and "
                f"functions of one argument ({', '.join(FUNCTIONS)})"
            )


def _checked_power(node: ast.expr, text: str) -> Iterator[str | tuple[str, str]]:
    number = node.operand if isinstance(node, ast.UnaryOp) else node
    if isinstance(number, ast.BinOp) and isinstance(number.op, ast.Pow):
        raise ModelError(f"'{text:.80}': put brackets around the inner power of a power")
    if isinstance(number, ast.Constant) and isinstance(number.value, int | float) and number.value > _LARGEST_POWER:
        raise ModelError(f"'{text:.80}': the power {number.value:g} is larger than {_LARGEST_POWER:g}")
    yield from _checked(node, text)
