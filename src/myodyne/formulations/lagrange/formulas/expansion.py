"""Products multiplied out, as tables of powers of atoms: symbols, sines, cosines, and all else but sums and products.

SymPy's own expansion builds an object for every product on the way; a table of numbers does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from myodyne.formulations.lagrange.algebra.symbols import sympy_module

if TYPE_CHECKING:
    from sympy import Expr

# Powers of atoms by the number of the atom, in rising order, and the coefficient of their product.
Monomial: TypeAlias = tuple[tuple[int, int], ...]
Terms: TypeAlias = dict[Monomial, "float | Expr"]


class Expansion:
    """Expands expressions; what several of them have in common is expanded once.

    Examples
    --------
    >>> import sympy
    >>> a, b = sympy.symbols("a b")
    >>> expansion = Expansion()
    >>> [(expansion.product(powers), number) for powers, number in expansion.terms((a + b) ** 2 - b**2).items()]
    [(a**2, 1), (a*b, 2)]
    """

    def __init__(self) -> None:
        self.atoms: list[Expr] = []
        self._numbers: dict[Expr, int] = {}
        self._known: dict[Expr, Terms] = {}

    def terms(self, expression: Expr) -> Terms:
        """Return the terms of an expression multiplied out; those that cancel exactly are left out."""
        if expression not in self._known:
            self._known[expression] = self._expanded(expression)
        return self._known[expression]

    def product(self, powers: Monomial) -> Expr:
        """Return a product of powers of atoms."""
        return sympy_module().Mul(*(self.atoms[atom] ** power for atom, power in powers))

    def _expanded(self, expression: Expr) -> Terms:
        sympy = sympy_module()
        if expression.is_Number:
            return {(): _number(expression)} if expression != 0 else {}
        if expression.is_Add:
            return _sum([self.terms(part) for part in expression.args])
        if expression.is_Mul:
            found: Terms = {(): sympy.S.One}
            for part in expression.args:
                found = _times(found, self.terms(part))
            return found
        base, power = expression.as_base_exp()
        if power.is_Integer and power != 1:
            if power > 1:
                return self._raised(base, int(power))
            return {((self._atom(base), int(power)),): sympy.S.One}
        return self._plain(expression)

    def _raised(self, base: Expr, power: int) -> Terms:
        part = self.terms(base)
        found = part
        for _ in range(power - 1):
            found = _times(found, part)
        return found

    def _plain(self, expression: Expr) -> Terms:
        sympy = sympy_module()
        # What stands inside functions and roots.
        inside = sympy.expand(expression) if expression.args else expression
        if inside != expression and (inside.is_Add or inside.is_Mul):
            return self.terms(inside)
        return {((self._atom(inside), 1),): sympy.S.One}

    def _atom(self, expression: Expr) -> int:
        if expression not in self._numbers:
            self._numbers[expression] = len(self.atoms)
            self.atoms.append(expression)
        return self._numbers[expression]


def _number(value: Expr) -> float | Expr:
    """Return a decimal as a float, which is faster; fractions stay exact."""
    return float(value) if value.is_Float else value


def _sum(parts: list[Terms]) -> Terms:
    total: Terms = {}
    for part in parts:
        for powers, number in part.items():
            total[powers] = total[powers] + number if powers in total else number
    return {powers: number for powers, number in total.items() if number != 0}


def _times(first: Terms, second: Terms) -> Terms:
    if len(first) == 1 and first.get(()) is sympy_module().S.One:
        return second
    total: Terms = {}
    for one, number in first.items():
        for other, factor in second.items():
            powers = _merged(one, other)
            value = _scaled(number, factor)
            total[powers] = total[powers] + value if powers in total else value
    return {powers: number for powers, number in total.items() if number != 0}


def _scaled(number: float | Expr, factor: float | Expr) -> float | Expr:
    if isinstance(number, float) != isinstance(factor, float):
        return float(number) * float(factor)
    return number * factor


def _merged(one: Monomial, other: Monomial) -> Monomial:
    if not one or not other:
        return one or other
    powers = dict(one)
    for atom, power in other:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted((atom, power) for atom, power in powers.items() if power))
