"""Derivatives of formulas with common subexpressions: each is differentiated once.

SymPy's ``diff`` treats a formula as a tree. In a chain of bodies every velocity is part of those of all bodies distal
to it, so the same subexpressions would be differentiated again and again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from myodyne.errors import ModelError
from myodyne.formulations.lagrange.algebra.rates import derivative_of
from myodyne.formulations.lagrange.algebra.symbols import sympy_functions, sympy_module

if TYPE_CHECKING:
    from sympy import Expr, Symbol


class Slopes:
    """Partial derivatives, cached for every subexpression."""

    def __init__(self) -> None:
        self._sympy = sympy_module()
        self._functions = sympy_functions()
        self._names = {kind: name for name, kind in self._functions.items()}
        self._known: dict[Symbol, dict[Expr, Expr]] = {}

    def of(self, formula: Expr, symbol: Symbol) -> Expr:
        """Return the partial derivative of a formula by a symbol."""
        known = self._known.setdefault(symbol, {symbol: self._sympy.Integer(1)})
        waiting = [formula]
        while waiting:
            node = waiting[-1]
            missing = [part for part in node.args if part not in known] if node not in known else []
            if missing:
                waiting.extend(missing)
                continue
            waiting.pop()
            if node not in known:
                known[node] = self._slope(node, known)
        return known[formula]

    def _slope(self, node: Expr, known: dict[Expr, Expr]) -> Expr:
        sympy = self._sympy
        varying = [part for part in node.args if known[part] != 0]
        if not varying:
            return sympy.Integer(0)
        if node.is_Add:
            return sympy.Add(*(known[part] for part in varying))
        if node.is_Mul:
            return sympy.Add(*(self._without(node, part) * known[part] for part in varying))
        if node.is_Pow and varying == [node.base]:
            return node.exp * node.base ** (node.exp - 1) * known[node.base]
        name = self._names.get(node.func)
        if name is not None:
            return derivative_of(name, self._functions, node.args[0], node) * known[node.args[0]]
        if node.is_Pow:
            return node * (known[node.exp] * sympy.log(node.base) + node.exp * known[node.base] / node.base)
        raise ModelError(f"the derivative of '{node}' is not known")

    def _without(self, product: Expr, factor: Expr) -> Expr:
        return self._sympy.Mul(*(part for part in product.args if part is not factor))
