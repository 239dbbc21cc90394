"""Formulas put in order, fast: terms gathered, sines and cosines of two angles drawn together.

SymPy's own simplification takes minutes on equations of motion. Theirs are sums of products of constants with
sines, cosines and speeds, and for those a table of terms is enough.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

from myodyne.formulations.lagrange.algebra.symbols import sympy_module


def tidy(expression: Any, moving: Iterable[Any]) -> Any:
    """Return an expression as a sum of coefficients times products of the symbols in ``moving`` and their functions.

    Terms with the same product are gathered, and pairs like ``sin a sin b + cos a cos b`` drawn together.

    Examples
    --------
    >>> import sympy
    >>> a, b, m = sympy.symbols("a b m")
    >>> tidy(m * sympy.sin(a) * sympy.sin(b) + m * sympy.cos(a) * sympy.cos(b), [a, b])
    m*cos(a - b)
    """
    sympy = sympy_module()
    symbols = frozenset(moving)
    terms: dict[Any, Any] = {}
    for term in sympy.Add.make_args(sympy.expand(expression)):
        fixed: list[Any] = []
        varying: list[Any] = []
        for factor in sympy.Mul.make_args(term):
            (varying if factor.free_symbols & symbols else fixed).append(factor)
        basis = sympy.Mul(*varying)
        terms[basis] = terms.get(basis, 0) + sympy.Mul(*fixed)
    return sympy.Add(*(_product(coefficient, basis) for basis, coefficient in _contracted(terms).items()))


def _product(coefficient: Any, basis: Any) -> Any:
    """Return a term with the sign of a sum in front of its brackets."""
    sympy = sympy_module()
    if coefficient.is_Add and coefficient.could_extract_minus_sign():
        return sympy.Mul(-1, -coefficient, basis)
    return coefficient * basis


def _contracted(terms: dict[Any, Any]) -> dict[Any, Any]:
    """Return terms with pairs of sines and cosines drawn together, as long as there are any."""
    waiting = list(terms)
    while waiting:
        basis = waiting.pop()
        if basis not in terms:
            continue
        for partner, combined in _partners(basis):
            if partner not in terms:
                continue
            first, second = terms[basis], terms[partner]
            for sign, new in combined:
                if first == sign * second:
                    del terms[basis], terms[partner]
                    # SymPy writes sin(b - a) as -sin(a - b): the sign belongs to the coefficient.
                    factor, new = new.as_coeff_Mul()
                    total = terms.pop(new, 0) + factor * first
                    if total != 0:
                        terms[new] = total
                        waiting.append(new)
                    break
            else:
                continue
            break
    return terms


def _partners(basis: Any) -> Iterable[tuple[Any, list[tuple[int, Any]]]]:
    """Yield the products that could be drawn together with this one.

    Each comes with pairs: the ratio (1 or -1) of the two coefficients, and the product that then replaces both.
    """
    sympy = sympy_module()
    cos, sin = sympy.cos, sympy.sin
    factors = sympy.Mul.make_args(basis)
    waves = [factor for factor in factors if isinstance(factor, cos | sin)]
    for first, second in combinations(waves, 2):
        rest = sympy.Mul(*[factor for factor in factors if factor not in (first, second)])
        a, b = first.args[0], second.args[0]
        if isinstance(first, cos) and isinstance(second, cos):
            yield rest * sin(a) * sin(b), [(1, rest * cos(a - b)), (-1, rest * cos(a + b))]
        elif isinstance(first, sin) and isinstance(second, sin):
            yield rest * cos(a) * cos(b), [(1, rest * cos(a - b)), (-1, -rest * cos(a + b))]
        elif isinstance(first, sin) and isinstance(second, cos):
            yield rest * cos(a) * sin(b), [(1, rest * sin(a + b)), (-1, rest * sin(a - b))]
        elif isinstance(first, cos) and isinstance(second, sin):
            yield rest * sin(a) * cos(b), [(1, rest * sin(a + b)), (-1, rest * sin(b - a))]
    for factor in factors:
        if factor.is_Pow and isinstance(factor.base, cos | sin) and factor.exp == 2:
            rest = sympy.Mul(*[other for other in factors if other != factor])
            other = sin if isinstance(factor.base, cos) else cos
            yield rest * other(factor.base.args[0]) ** 2, [(1, rest)]
