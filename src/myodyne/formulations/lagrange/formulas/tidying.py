"""Fast tidying of formulas: terms collected, products of sines and cosines of two angles combined.

SymPy's own simplification takes minutes on equations of motion. These are sums of products of constants with sines,
cosines and speeds, for which a table of terms is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from myodyne.formulations.lagrange.algebra.symbols import sympy_module
from myodyne.formulations.lagrange.formulas.expansion import Expansion, Monomial

if TYPE_CHECKING:
    from sympy import Expr, Symbol


# Sums of some dozen products of double precision differ by a few units in the last place.
_ROUNDING = 4e-15


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
    return sympy.Add(*(_product(coefficient, basis) for basis, coefficient in _table(expression, symbols).items()))


def _table(expression: Expr, symbols: frozenset[Symbol]) -> dict[Expr, Expr]:
    """Return the coefficient of every product of moving symbols, sines and cosines combined."""
    sympy = sympy_module()
    terms: dict[Expr, Expr] = {}
    sizes: dict[Expr, float] = {}
    expansion = Expansion()
    found = expansion.terms(sympy.sympify(expression))
    varies = [bool(atom.free_symbols & symbols) for atom in expansion.atoms]
    products: dict[Monomial, Expr] = {}
    for powers, number in found.items():
        varying, fixed = (tuple(pair for pair in powers if varies[pair[0]] is wanted) for wanted in (True, False))
        for part in (varying, fixed):
            if part not in products:
                products[part] = expansion.product(part)
        basis, share = products[varying], sympy.sympify(number) * products[fixed]
        terms[basis] = terms.get(basis, 0) + share
        sizes[basis] = sizes.get(basis, 0.0) + (abs(float(share)) if share.is_number else float("inf"))
    return _contracted(terms, sizes)


def by_speeds(expression: Expr, moving: Iterable[Symbol], speeds: Sequence[Symbol]) -> Expr:
    """Return an expression tidied, its terms gathered by products of speeds.

    Examples
    --------
    >>> import sympy
    >>> a, b, v = sympy.symbols("a b v")
    >>> by_speeds(v**2 * sympy.sin(a) + 2 * v**2 * sympy.sin(b) + a, [a, b, v], [v])
    a + v**2*(sin(a) + 2*sin(b))
    """
    sympy = sympy_module()
    groups: dict[Expr, list[Expr]] = {}
    for basis, coefficient in _table(expression, frozenset(moving)).items():
        rest, product = basis.as_independent(*speeds, as_Add=False)
        groups.setdefault(product, []).append(_product(coefficient, rest))
    parts = [product * sympy.Add(*terms) if product != 1 else sympy.Add(*terms) for product, terms in groups.items()]
    return sympy.Add(*parts)


def _product(coefficient: Expr, basis: Expr) -> Expr:
    """Return a term with the sign of a sum in front of its brackets."""
    sympy = sympy_module()
    if coefficient.is_Add and coefficient.could_extract_minus_sign():
        return sympy.Mul(-1, -coefficient, basis)
    return coefficient * basis


def _contracted(terms: dict[Expr, Expr], sizes: dict[Expr, float]) -> dict[Expr, Expr]:
    """Return terms with pairs of sines and cosines combined, until none is left.

    ``sizes`` holds the sum of the magnitudes that a numerical coefficient was added up from: what is left of numbers
    that cancel but for rounding is no term.
    """

    def is_nothing(basis: Expr) -> bool:
        value = terms[basis]
        return bool(value == 0 or (value.is_number and abs(float(value)) <= _ROUNDING * sizes[basis] < float("inf")))

    waiting = [basis for basis in terms if not is_nothing(basis)]
    terms = {basis: terms[basis] for basis in waiting}
    while waiting:
        basis = waiting.pop()
        if basis not in terms:
            continue
        for partner, combined in _partners(basis):
            if partner not in terms:
                continue
            first, second = terms[basis], terms[partner]
            new = next((product for sign, product in combined if _equal(first, sign * second)), None)
            if new is None:
                continue
            del terms[basis], terms[partner]
            # SymPy writes sin(b - a) as -sin(a - b): the sign belongs to the coefficient.
            factor, new = new.as_coeff_Mul()
            terms[new] = terms.pop(new, 0) + factor * first
            sizes[new] = sizes.get(new, 0.0) + max(sizes[basis], sizes[partner])
            if is_nothing(new):
                del terms[new]
            else:
                waiting.append(new)
            break
    return terms


def _equal(first: Expr, second: Expr) -> bool:
    """Return whether two coefficients are the same, numbers but for rounding."""
    if first == second:
        return True
    if not (first.is_number and second.is_number):
        return False
    one, other = float(first), float(second)
    return abs(one - other) <= _ROUNDING * max(abs(one), abs(other))


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
