"""Derivatives of formulas that share their parts: each part differentiated once.

SymPy's ``diff`` walks a formula as a tree, again and again; the formulas of a chain of bodies are nets in which every
velocity returns in those of all bodies behind it.
"""

from __future__ import annotations

from typing import Any

from myodyne.errors import ModelError
from myodyne.formulations.lagrange.algebra.rates import FUNCTIONS, derivative_of
from myodyne.formulations.lagrange.algebra.symbols import sympy_module


class Slopes:
    """Partial derivatives, remembered for every part of every formula that was asked for."""

    def __init__(self) -> None:
        self._sympy = sympy_module()
        self._functions = {name: getattr(self._sympy, name) for name in FUNCTIONS}
        self._known: dict[Any, dict[Any, Any]] = {}

    def of(self, formula: Any, symbol: Any) -> Any:
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

    def _slope(self, node: Any, known: dict[Any, Any]) -> Any:
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
        name = type(node).__name__
        if name in FUNCTIONS:
            return derivative_of(name, self._functions, node.args[0], node) * known[node.args[0]]
        if node.is_Pow:
            return node * (known[node.exp] * sympy.log(node.base) + node.exp * known[node.base] / node.base)
        raise ModelError(f"no derivative is known of '{node}'")

    def _without(self, product: Any, factor: Any) -> Any:
        return self._sympy.Mul(*(part for part in product.args if part is not factor))
