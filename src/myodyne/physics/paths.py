"""Lengths of paths, and all that follows from them: gradients, speeds, and how gradients bend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import casadi as ca

from myodyne.model import FunctionPath, Linear, Path, PointPath, Polynomial
from myodyne.physics import joint_functions, monomials
from myodyne.physics.kinematics import Kinematics, column
from myodyne.physics.monomials import Monomial, Table
from myodyne.physics.pieces import Pieces, coordinate_row
from myodyne.physics.spatial import SX
from myodyne.physics.tree import Tree


@dataclass(frozen=True)
class Paths:
    """The lengths (m) of some paths, one row each, and their derivatives by the coordinates.

    ``gradient`` (m, or m/rad) holds ∂L/∂q for the coordinates between the bodies of a path and nothing for others;
    the moment arms are its negative. A tension T pulls with the generalised force ``-gradient.T @ T``.
    """

    lengths: SX
    gradient: SX
    _tree: Tree
    _polynomials: Mapping[int, Mapping[Monomial, Any]]
    _table: Table = field(repr=False)

    @cached_property
    def speeds(self) -> SX:
        """The rates of the lengths (m/s)."""
        return ca.densify(self.gradient @ self._tree.v)

    @cached_property
    def gradient_rate(self) -> SX:
        """The rate of the gradient, of its pattern: the derivative of the speeds by the coordinates."""
        rows, columns = self.gradient.sparsity().get_triplet()
        by_rule = {row: monomials.gradient_rates(terms, self._table) for row, terms in self._polynomials.items()}
        rates = ca.jtimes(self.gradient.nz[:], self._tree.q, self._tree.v) if rows else SX(0, 1)
        entries = {
            (row, number): by_rule[row][number] if row in by_rule else rates[place]
            for place, (row, number) in enumerate(zip(rows, columns, strict=True))
        }
        return _matrix(entries, self.gradient.shape)

    def bending(self, tensions: SX) -> SX:
        """Return the second derivatives of Σ tension × length by the coordinates, the tensions (N) being given."""
        total = monomials.weighted_sum([*self._polynomials.values()], [tensions[row] for row in self._polynomials])
        bent = monomials.hessian(total, self._table)
        others = [row for row in range(self.gradient.rows()) if row not in self._polynomials]
        if others:
            given = SX.sym("tensions", len(others))
            matrix = ca.jacobian(self.gradient[others, :].T @ given, self._tree.q)
            bent = bent + ca.substitute(matrix, given, tensions[others])
        return bent


def paths_of(kinematics: Kinematics, paths: Mapping[str, Path]) -> Paths:
    """Return lengths and gradients of paths in the present pose, in the order given."""
    tree = kinematics.tree
    table, pieces = Table(tree.q, tree.v), Pieces(tree)
    polynomials: dict[int, Mapping[Monomial, Any]] = {}
    lengths: list[SX] = []
    entries: dict[tuple[int, int], SX] = {}
    for row, path in enumerate(paths.values()):
        if isinstance(path, PointPath):
            length, slopes = pieces.length_and_gradient(path)
        elif (terms := _plain_polynomial(path, tree)) is not None:
            polynomials[row] = terms
            length, slopes = monomials.value_and_gradient(terms, table)
        else:
            function = joint_functions.jet(path.length, tree.coordinates, tree.size)
            length, slopes = function.value, coordinate_row(function)
        lengths.append(length)
        entries |= {(row, number): slope for number, slope in slopes.items()}
    gradient = _matrix(entries, (len(lengths), tree.size))
    return Paths(column(lengths), gradient, tree, polynomials, table)


def _plain_polynomial(path: FunctionPath, tree: Tree) -> dict[Monomial, Any] | None:
    """Return the terms of a polynomial of coordinates that move on their own, None for any other function."""
    function = path.length
    if not isinstance(function, Polynomial | Linear):
        return None
    numbers = {name: number for number, name in enumerate(tree.model.moving)}
    if any(name not in numbers for name in function.coordinates):
        return None
    if isinstance(function, Linear):
        return {(): function.offset, (numbers[function.coordinate],): function.slope}
    terms: dict[Monomial, Any] = {}
    for term in function.terms:
        monomial = _monomial([numbers[name] for name in function.of], term.powers)
        terms[monomial] = terms[monomial] + term.coefficient if monomial in terms else term.coefficient
    return terms


def _monomial(numbers: Sequence[int], powers: Sequence[int]) -> Monomial:
    return tuple(sorted(number for number, power in zip(numbers, powers, strict=True) for _ in range(power)))


def _matrix(entries: Mapping[tuple[int, int], SX], shape: tuple[int, int]) -> SX:
    """Return a sparse matrix from its entries."""
    if not entries:
        return SX(*shape)
    places = sorted(entries, key=lambda place: (place[1], place[0]))  # CasADi keeps columns
    pattern = ca.Sparsity.triplet(*shape, [row for row, _ in places], [number for _, number in places])
    return SX(pattern, ca.vertcat(*(entries[place] for place in places)))
