"""Fast tidying of formulas: terms collected, products of sines and cosines of two angles combined.

SymPy's own simplification takes minutes on equations of motion. These are sums of products of constants with sines,
cosines and speeds, for which a table of terms is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import TYPE_CHECKING

from myodyne.formulations.lagrange.algebra.symbols import sympy_module

if TYPE_CHECKING:
    from sympy import Expr, Symbol


def tidy(expression: Expr, moving: Iterable[Symbol]) -> Expr:
    """Return an expression as a sum of coefficients times products of the symbols in ``moving`` and their functions.

    Terms with the same product are collected, and pairs like ``sin a sin b + cos a cos b`` combined.

    Examples
    --------
    >>> import sympy
    >>> a, b, m = sympy.symbols("a b m")
    >>> tidy(m * sympy.sin(a) * sympy.sin(b) + m * sympy.cos(a) * sympy.cos(b), [a, b])
    m*cos(a - b)
    """
    sympy = sympy_module()
    symbols = frozenset(moving)
    terms: dict[Expr, Expr] = {}
    for term in sympy.Add.make_args(sympy.expand(expression)):
        fixed: list[Expr] = []
        varying: list[Expr] = []
        for factor in sympy.Mul.make_args(term):
            (varying if factor.free_symbols & symbols else fixed).append(factor)
        basis = sympy.Mul(*varying)
        terms[basis] = terms.get(basis, 0) + sympy.Mul(*fixed)
    return sympy.Add(*(_product(coefficient, basis) for basis, coefficient in _contracted(terms).items()))


def _product(coefficient: Expr, basis: Expr) -> Expr:
    """Return a term with the sign of a sum in front of its brackets."""
    sympy = sympy_module()
    if coefficient.is_Add and coefficient.could_extract_minus_sign():
        return sympy.Mul(-1, -coefficient, basis)
    return coefficient * basis


def _contracted(terms: dict[Expr, Expr]) -> dict[Expr, Expr]:
    """Return terms with pairs of sines and cosines combined, until none is left."""
    waiting = list(terms)
    while waiting:
        basis = waiting.pop()
        if basis not in terms:
            continue
        for partner, combined in _partners(basis):
            if partner not in terms:
                continue
            first, second = terms[basis], terms[partner]
            new = next((product for sign, product in combined if first == sign * second), None)
            if new is None:
                continue
            del terms[basis], terms[partner]
            # SymPy writes sin(b - a) as -sin(a - b): the sign belongs to the coefficient.
            factor, new = new.as_coeff_Mul()
            total = terms.pop(new, 0) + factor * first
            if total != 0:
                terms[new] = total
                waiting.append(new)
            break
    return terms


def _partners(basis: Expr) -> Iterator[tuple[Expr, list[tuple[int, Expr]]]]:
    """Yield the products that might combine with this one.

    Each comes with pairs: the ratio (1 or -1) of the two coefficients, and the product that then replaces both.
    """
    sympy = sympy_module()
    cos, sin = sympy.cos, sympy.sin
    factors = sympy.Mul.make_args(basis)
    waves = [factor for factor in factors if isinstance(factor, cos | sin)]
    for first, second in combinations(waves, 2):
        a, b = first.args[0], second.args[0]
        if a == b:
            # sin(a) cos(a) is its own partner; it combines by its square below, or not at all.
            continue
        rest = sympy.Mul(*[factor for factor in factors if factor not in (first, second)])
        if isinstance(first, cos) and isinstance(second, cos):
            yield rest * sin(a) * sin(b), [(1, rest * cos(a - b)), (-1, rest * cos(a + b))]
        elif isinstance(first, sin) and isinstance(second, sin):
            yield rest * cos(a) * cos(b), [(1, rest * cos(a - b)), (-1, -rest * cos(a + b))]
        elif isinstance(first, sin) and isinstance(second, cos):
            yield rest * cos(a) * sin(b), [(1, rest * sin(a + b)), (-1, rest * sin(a - b))]
        elif isinstance(first, cos) and isinstance(second, sin):
            yield rest * sin(a) * cos(b), [(1, rest * sin(a + b)), (-1, rest * sin(b - a))]
    for factor in factors:
        base, power = factor.as_base_exp()
        if isinstance(base, cos | sin) and power.is_Integer and power >= 2:
            # sin² + cos² = 1, also inside higher powers: cos³ has the partner sin² cos.
            other = sin if isinstance(base, cos) else cos
            rest = basis / base**2
            yield rest * other(base.args[0]) ** 2, [(1, rest)]
