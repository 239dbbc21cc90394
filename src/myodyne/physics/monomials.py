"""Many polynomials of the same coordinates at once: every monomial is built once and shared by all of them.

Lengths, gradients and their rates are sums of one table of monomials (and of the rates of that table) with constant
weights, so that a model of a hundred muscles costs little more than a multiplication and an addition for each
coefficient.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import add

from myodyne.physics.spatial import SX, Scalar

# A monomial: the numbers of its coordinates, each as often as its power, in rising order.
Monomial = tuple[int, ...]
# A polynomial: its coefficients by monomial; they may be symbols.
Terms = Mapping[Monomial, Scalar]


@dataclass
class Table:
    """Values, and rates along ``v``, of monomials of ``q``; each is a lower monomial times one coordinate."""

    q: SX
    v: SX
    _values: dict[Monomial, SX] = field(default_factory=dict)
    _rates: dict[Monomial, SX] = field(default_factory=dict)

    def value(self, monomial: Monomial) -> SX:
        if monomial not in self._values:
            last = self.q[monomial[-1]] if monomial else SX(1)
            self._values[monomial] = self.value(monomial[:-1]) * last if len(monomial) > 1 else last
        return self._values[monomial]

    def rate(self, monomial: Monomial) -> SX:
        if monomial not in self._rates:
            if len(monomial) < 2:
                rate = self.v[monomial[0]] if monomial else SX(0)
            else:
                head, last = monomial[:-1], monomial[-1]
                rate = self.rate(head) * self.q[last] + self.value(head) * self.v[last]
            self._rates[monomial] = rate
        return self._rates[monomial]


def derivative(terms: Terms, number: int) -> dict[Monomial, Scalar]:
    """Return the derivative of a polynomial by one coordinate."""
    found: dict[Monomial, Scalar] = {}
    for monomial, coefficient in terms.items():
        power = monomial.count(number)
        if power:
            found[without(monomial, number)] = power * coefficient
    return found


def without(monomial: Monomial, number: int) -> Monomial:
    """Return a monomial divided by one of its coordinates."""
    place = monomial.index(number)
    return monomial[:place] + monomial[place + 1 :]


def value_and_gradient(terms: Terms, table: Table) -> tuple[SX, dict[int, SX]]:
    """Return the value of a polynomial and its derivatives by its coordinates.

    Each term is counted as one of its coordinates times a term of the derivative by that coordinate. With p the
    power of the coordinate and S the sum of all terms counted so, the derivative holds p S and the value q S: the
    value costs next to nothing beyond the gradient.
    """
    value = [terms[()] * SX(1)] if () in terms else []
    gradient: dict[int, list[SX]] = {}
    coordinates = sorted({number for monomial in terms for number in monomial})
    counted: set[Monomial] = {()}
    for number in coordinates:
        parts: defaultdict[tuple[int, bool], list[SX]] = defaultdict(list)
        for monomial, coefficient in terms.items():
            power = monomial.count(number)
            if power:
                new = monomial not in counted
                counted.add(monomial)
                # A term counted before need not be kept apart by its power.
                key, factor = ((power, True), 1) if new else ((1, False), power)
                parts[key].append(factor * coefficient * table.value(without(monomial, number)))
        sums = {key: reduce(add, part) for key, part in parts.items()}
        gradient[number] = [power * total for (power, _), total in sums.items()]
        new_sums = [total for (_, new), total in sums.items() if new]
        if new_sums:
            value.append(reduce(add, new_sums) * table.q[number])
    total = reduce(add, value) if value else SX(0)
    return total, {number: reduce(add, parts) for number, parts in gradient.items()}


def gradient_rates(terms: Terms, table: Table) -> dict[int, SX]:
    """Return the rates of the derivatives of a polynomial by its coordinates."""
    found = {}
    for number in sorted({number for monomial in terms for number in monomial}):
        parts = [c * table.rate(m) for m, c in derivative(terms, number).items() if m]
        found[number] = reduce(add, parts) if parts else SX(0)
    return found


def weighted_sum(polynomials: Sequence[Terms], weights: Sequence[SX]) -> dict[Monomial, SX]:
    """Return the one polynomial Σ weight × polynomial."""
    parts: defaultdict[Monomial, list[SX]] = defaultdict(list)
    for terms, weight in zip(polynomials, weights, strict=True):
        for monomial, coefficient in terms.items():
            parts[monomial].append(coefficient * weight)
    return {monomial: reduce(add, found) for monomial, found in parts.items()}


def hessian(terms: Terms, table: Table) -> SX:
    """Return the matrix of second derivatives of a polynomial."""
    size = table.q.numel()
    entries: defaultdict[tuple[int, int], list[SX]] = defaultdict(list)
    for monomial, coefficient in terms.items():
        # Products of coefficient and power recur in a row; common subexpressions are found when code is written.
        for i in sorted(set(monomial)):
            once = without(monomial, i)
            for j in sorted(set(once)):
                if j <= i:
                    factor = monomial.count(i) * once.count(j)
                    entries[i, j].append((factor * coefficient) * table.value(without(once, j)))
    matrix = SX(size, size)
    for (i, j), parts in entries.items():
        matrix[i, j] = reduce(add, parts)
        if i != j:
            matrix[j, i] = matrix[i, j]
    return matrix
