"""Lengths of paths and their derivatives: gradients, rates, second derivatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import casadi as ca

from myodyne.model import FunctionPath, Linear, Path, PointPath, Polynomial
from myodyne.physics import joint_functions, monomials
from myodyne.physics.kinematics import Kinematics, column
from myodyne.physics.monomials import Monomial, Table
from myodyne.physics.pieces import Piece, Pieces, entries, gradient_of, hessian_of, length_of, sparse
from myodyne.physics.recursive import Wrench
from myodyne.physics.spatial import SX, Scalar
from myodyne.physics.tree import Tree


@dataclass(frozen=True)
class Paths:
    """The lengths (m) of some paths, one row each, and their derivatives by the coordinates.

    ``gradient`` (m, or m/rad) holds ∂L/∂q for the coordinates between the bodies of a path and no entries for others;
    the moment arms are its negative. A tension T pulls with the generalised force ``-gradient.T @ T``.
    """

    lengths: SX
    gradient: SX
    _tree: Tree
    _pieces: Pieces = field(repr=False)
    _lines: Mapping[int, list[Piece]] = field(repr=False)
    _table: Table = field(repr=False)
    _polynomials: Mapping[int, Mapping[Monomial, Scalar]] = field(repr=False)

    @cached_property
    def speeds(self) -> SX:
        """The rates of the lengths (m/s)."""
        return ca.densify(self.gradient @ self._tree.v)

    @cached_property
    def gradient_rate(self) -> SX:
        """The rate of the gradient, with its sparsity: the derivative of the speeds by the coordinates."""
        rows, columns = self.gradient.sparsity().get_triplet()
        by_rule = {row: monomials.gradient_rates(terms, self._table) for row, terms in self._polynomials.items()}
        rates = ca.jtimes(self.gradient.nz[:], self._tree.q, self._tree.v) if rows else SX(0, 1)
        found = {
            (row, number): by_rule[row][number] if row in by_rule else rates[place]
            for place, (row, number) in enumerate(zip(rows, columns, strict=True))
        }
        return sparse(found, self.gradient.shape)

    def bending(self, tensions: SX) -> SX:
        """Return the second derivatives of Σ tension × length by the coordinates, the tensions (N) being given."""
        total = monomials.weighted_sum([*self._polynomials.values()], [tensions[row] for row in self._polynomials])
        bent = monomials.hessian(total, self._table) + hessian_of(self._lines, tensions, self._tree.q)
        written = {*self._polynomials, *self._lines}
        others = [row for row in range(self.gradient.rows()) if row not in written]
        if others:
            given = SX.sym("tensions", len(others))
            matrix = ca.jacobian(self.gradient[others, :].T @ given, self._tree.q)
            bent = bent + ca.substitute(matrix, given, tensions[others])
        return bent

    def pulls(self, tensions: SX) -> list[Wrench]:
        """Return what tensions (N) along paths of points exert on each link, in its own frame.

        For the loads of joints. The equations of motion use the gradient, which every kind of path has; a path that is
        a function of the coordinates has no line of action.
        """
        found = [Wrench.none() for _ in self._tree.links]
        for row, pieces in self._lines.items():
            for piece in pieces:
                for link, wrench in self._pieces.pulls(piece, tensions[row]):
                    found[link] = found[link] + wrench
        return found


def paths_of(kinematics: Kinematics, paths: Mapping[str, Path]) -> Paths:
    """Return lengths and gradients of paths in the present pose, in the order given."""
    tree = kinematics.tree
    table, pieces = Table(tree.q, tree.v), Pieces(tree)
    lines: dict[int, list[Piece]] = {}
    polynomials: dict[int, Mapping[Monomial, Scalar]] = {}
    lengths: list[SX] = []
    found: dict[tuple[int, int], SX] = {}
    for row, path in enumerate(paths.values()):
        if isinstance(path, PointPath):
            lines[row] = pieces.of(path)
            length, slopes = length_of(lines[row]), gradient_of(lines[row])
        elif (terms := _plain_polynomial(path, tree)) is not None:
            polynomials[row] = terms
            length, slopes = monomials.value_and_gradient(terms, table)
        else:
            function = joint_functions.jet(path.length, tree.coordinates, tree.size)
            length, slopes = function.value, entries(ca.sparsify(function.gradient))
        lengths.append(length)
        found |= {(row, number): slope for number, slope in slopes.items()}
    gradient = sparse(found, (len(lengths), tree.size))
    return Paths(column(lengths), gradient, tree, pieces, lines, table, polynomials)


def points_of(kinematics: Kinematics, path: PointPath) -> SX:
    """Return the points of a path in the ground, a column each; an inactive point coincides with the one before it."""
    pieces = Pieces(kinematics.tree)
    found: list[SX] = []
    for stop in map(pieces.stop, path.points):
        place = stop.at if stop.link < 0 else kinematics.poses[stop.link].point(stop.at)
        found.append(place if stop.active is None else ca.if_else(stop.active, place, found[-1]))
    return ca.horzcat(*map(ca.densify, found))


def _plain_polynomial(path: FunctionPath, tree: Tree) -> dict[Monomial, Scalar] | None:
    """Return the terms of a polynomial of coordinates that move on their own, None for any other function."""
    function = path.length
    if not isinstance(function, Polynomial | Linear):
        return None
    numbers = {name: number for number, name in enumerate(tree.model.moving)}
    if any(name not in numbers for name in function.coordinates):
        return None
    if isinstance(function, Linear):
        return {(): function.offset, (numbers[function.coordinate],): function.slope}
    terms: dict[Monomial, Scalar] = {}
    for term in function.terms:
        monomial = _monomial([numbers[name] for name in function.of], term.powers)
        terms[monomial] = terms[monomial] + term.coefficient if monomial in terms else term.coefficient
    return terms


def _monomial(numbers: Sequence[int], powers: Sequence[int]) -> Monomial:
    return tuple(sorted(number for number, power in zip(numbers, powers, strict=True) for _ in range(power)))
