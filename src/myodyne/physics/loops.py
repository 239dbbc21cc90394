"""Closed loops without multipliers: coordinates defined by loop equations, with slopes and curvatures.

The coordinates f that embedded constraints solve are given by g(f, q) = 0. Their functions in the model are an
initial guess. Here they are solved as straight-line code: the equations are decomposed into the smallest blocks that
can be solved in sequence; two bars that meet in a plane are the intersection of two circles, all others take Newton
steps. Then

    g_f ∇f = -g_q        and        g_f vᵀHv = -(the acceleration of g without accelerations of f and q)

which is the analytical projection of Ehsani (Empirically-based multibody dynamics, equations 100 to 119) along the
motion. Alternatively slopes and curvatures are differences of solutions around q.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import casadi as ca

from myodyne.errors import ModelError, listed
from myodyne.model import Constraint, Model, PointConstraint
from myodyne.physics.constraints import check_idle, rows_of
from myodyne.physics.dyads import Directions, Dyad, dyad_of
from myodyne.physics.ground_motion import GroundMotion, ground_motion
from myodyne.physics.joint_functions import CoordinateJet
from myodyne.physics.kinematics import Kinematics, kinematics_of
from myodyne.physics.spatial import SX, Triple, zero
from myodyne.physics.tree import Tree, coordinate_jets, tree_of

# Each step squares the error: a guess that is good to three digits is then good to rounding.
NEWTON_STEPS = 2
# Central differences of order eight: weights of the first and second derivative at one to four steps. The step
# balances rounding (1e-12 of a curvature) against truncation, for functions that change over distances of about one.
_STEP = 0.02
_SLOPE = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
_CURVATURE = (8 / 5, -1 / 5, 8 / 315, -1 / 560)


def closed_tree(model: Model, q: SX, v: SX) -> Tree:
    """Return the links of a model for coordinates ``q`` and their rates ``v``, its embedded loops closed."""
    return tree_of(model, q, v, closed_coordinates(model, q, v))


def closed_coordinates(model: Model, q: SX, v: SX) -> dict[str, CoordinateJet]:
    """Return all coordinates of a model by name as functions of those that move on their own."""
    size = q.numel()
    free = {name: CoordinateJet.coordinate(q, v, i) for i, name in enumerate(model.moving)}
    guesses = coordinate_jets(model, free, size)
    solved = {name: part for name, part in model.constraints.items() if part.by in ("projection", "differences")}
    if not solved:
        return guesses
    loops = _Loops(model, solved, q, v)
    loops.solve({name: guesses[name].value for name in loops.unknowns})
    return coordinate_jets(model, free | loops.jets(), size)


class _Loops:
    """The loop equations of a model in symbols: free coordinates q, unknowns f, and cosines and sines of the latter.

    ``values`` and ``directions`` hold the solutions as expressions of q alone once they are found.
    """

    def __init__(self, model: Model, constraints: dict[str, Constraint], q: SX, v: SX) -> None:
        self.model, self.q, self.v = model, q, v
        self.owners = {unknown: name for name, part in constraints.items() for unknown in part.solves}
        self.unknowns = tuple(self.owners)
        size = len(self.unknowns)
        self.f, self.rates = SX.sym("f", size), SX.sym("f_rate", size)
        self.turns = Directions(SX.sym("cosine", size), SX.sym("sine", size))
        together, speeds = ca.vertcat(q, self.f), ca.vertcat(v, self.rates)
        names = (*model.moving, *self.unknowns)
        given = {name: CoordinateJet.coordinate(together, speeds, i) for i, name in enumerate(names)}
        for number, name in enumerate(self.unknowns):
            jet = given[name]
            given[name] = CoordinateJet(jet.value, jet.gradient, jet.rate, jet.velocity_term, self.turns.of(number))
        coordinates = coordinate_jets(model, given, len(names))
        self._write(kinematics_of(tree_of(model, together, speeds, coordinates)), constraints)
        self.blocks = self._blocks()
        self.values: dict[int, SX] = {}
        self.directions: dict[int, tuple[SX, SX]] = {}

    def _write(self, kinematics: Kinematics, constraints: dict[str, Constraint]) -> None:
        """Write all rows: position, speed, and the acceleration without accelerations of coordinates."""
        motion = ground_motion(kinematics.tree)
        positions: list[SX] = []
        speeds: list[SX] = []
        left: list[SX] = []
        for name, constraint in constraints.items():
            moved: dict[str, tuple[SX, SX]] = {}
            if isinstance(constraint, PointConstraint):
                ends = [_point_motion(kinematics, motion, p.body, p.at) for p in (constraint.first, constraint.second)]
                gaps = [ends[0][level] - ends[1][level] for level in (0, 1)]
                moved = {
                    f"force_{axis}": (gaps[0]["xyz".index(axis)], gaps[1]["xyz".index(axis)])
                    for axis in constraint.axes
                }
            count = 0
            for part, (position, _) in rows_of(kinematics, constraint).items():
                speed, further = moved[part] if part in moved else self._differentiated(position)
                if ca.jacobian(speed, ca.vertcat(self.v, self.rates)).nnz() == 0:
                    check_idle(name, part, position, speed)
                    continue
                positions.append(position)
                speeds.append(speed)
                left.append(further)
                count += 1
            if count != len(constraint.solves):
                raise ModelError(
                    f"constraint '{name}' has {count} rows that coordinates can change and cannot solve "
                    f"{listed(constraint.solves)}: name {count} coordinates in 'solves', or use embed"
                )
        self.position, self.left = ca.vertcat(*positions), ca.vertcat(*left)
        speed = ca.vertcat(*speeds)
        self.by_f, self.by_q = ca.jacobian(speed, self.rates), ca.jacobian(speed, self.v)

    def _differentiated(self, position: SX) -> tuple[SX, SX]:
        """Return the first and second time derivative of a row, by automatic differentiation."""
        cosine, sine = self.turns.cosines, self.turns.sines
        symbols = ca.vertcat(self.q, self.f, cosine, sine)
        along = ca.vertcat(self.v, self.rates, -sine * self.rates, cosine * self.rates)
        speed = ca.jtimes(position, symbols, along)
        return speed, ca.jtimes(speed, symbols, along)

    def _blocks(self) -> list[tuple[list[int], list[int]]]:
        """Return rows and unknowns of the smallest blocks, in an order in which they can be solved."""
        pattern = self.by_f.sparsity()
        if ca.sprank(ca.DM(pattern, 1.0)) < len(self.unknowns):
            raise ModelError(
                f"'{self.model.name}': the embedded constraints {listed(dict.fromkeys(self.owners.values()))} do not "
                f"determine {listed(self.unknowns)}: 'solves' names coordinates that do not change them. Use embed"
            )
        count, rows, columns, row_ends, column_ends, *_ = pattern.btf()
        waiting = [
            (list(rows[row_ends[k] : row_ends[k + 1]]), list(columns[column_ends[k] : column_ends[k + 1]]))
            for k in range(count)
        ]
        solved: set[int] = set()
        ordered = []
        while waiting:
            ready = next(b for b in waiting if self._needed(b[0]) <= solved | set(b[1]))
            waiting.remove(ready)
            ordered.append(ready)
            solved.update(ready[1])
        return ordered

    def _needed(self, rows: list[int]) -> set[int]:
        pattern = self.by_f.sparsity()
        return {column for row in rows for column in range(len(self.unknowns)) if pattern.has_nz(row, column)}

    def solve(self, guesses: dict[str, SX]) -> None:
        """Find the values of all unknowns, block by block."""
        start = ca.vertcat(*(SX(self.model.coordinates[name].default) for name in self.model.moving))
        for rows, unknowns in self.blocks:
            found = [guesses[self.unknowns[number]] for number in unknowns]
            dyad = dyad_of(self.position[rows], self.q, self.f, self.turns, unknowns) if len(rows) == 2 else None
            if dyad is None:
                self._by_newton(rows, unknowns, found)
            else:
                self._by_circles(dyad, unknowns, found, start)

    def _by_newton(self, rows: list[int], unknowns: list[int], found: list[SX]) -> None:
        block = self.by_f[rows, unknowns]
        for _ in range(NEWTON_STEPS):
            self._settle(unknowns, found)
            matrix, gap = self.closed(block), self.closed(self.position[rows])
            step = _solved(matrix, gap)
            found = [value - step[k] for k, value in enumerate(found)]
        self._settle(unknowns, found)

    def _settle(self, unknowns: list[int], found: list[SX]) -> None:
        for number, value in zip(unknowns, found, strict=True):
            self.values[number], self.directions[number] = value, (ca.cos(value), ca.sin(value))

    def _by_circles(self, dyad: Dyad, unknowns: list[int], found: list[SX], start: SX) -> None:
        """Solve a block as the intersection of two circles: the one nearer to the guess in the default pose."""
        arm, across = self.closed(dyad.arm), found[unknowns.index(dyad.first)]
        side = arm[0] * ca.sin(across) - arm[1] * ca.cos(across)
        side = ca.sign(ca.substitute(side, self.q, start))
        symbols = dyad.directions(side)
        for number, guess in zip(unknowns, found, strict=True):
            cosine, sine = self.closed(symbols[number][0]), self.closed(symbols[number][1])
            self.directions[number] = cosine, sine
            # Relative to the guess, the angle is continuous and never jumps by a full turn.
            c, s = ca.cos(guess), ca.sin(guess)
            self.values[number] = guess + ca.atan2(sine * c - cosine * s, cosine * c + sine * s)

    def closed(self, expression: SX, rates: SX | None = None) -> SX:
        """Return an expression with the solutions in place of the symbols."""
        known = sorted(self.values)
        symbols = [*(self.f[k] for k in known), *(part for k in known for part in self.turns.of(k))]
        found = [*(self.values[k] for k in known), *(part for k in known for part in self.directions[k])]
        if rates is not None:
            symbols, found = [*symbols, self.rates], [*found, rates]
        return ca.substitute([ca.densify(expression)], symbols, found)[0]

    def jets(self) -> dict[str, CoordinateJet]:
        """Return the solved coordinates with slopes and curvatures, each by the method of its constraint."""
        projected = self._projected()
        differences = {name for name in self.unknowns if self._method(name) == "differences"}
        jets = {name: projected[k] for k, name in enumerate(self.unknowns) if name not in differences}
        if differences:
            jets |= self._differences([k for k, name in enumerate(self.unknowns) if name in differences])
        return jets

    def _method(self, unknown: str) -> str:
        return self.model.constraints[self.owners[unknown]].by

    def _projected(self) -> list[CoordinateJet]:
        by_f, by_q = self._sparse(self.by_f), self._sparse(self.by_q)
        gradients = self._by_blocks(by_f, -by_q)
        rates = gradients @ self.v
        terms = self._by_blocks(by_f, -self.closed(self.left, rates))
        return [
            CoordinateJet(self.values[k], gradients[k, :], rates[k], terms[k], self.directions[k])
            for k in range(len(self.unknowns))
        ]

    def _sparse(self, matrix: SX) -> SX:
        """Return a matrix of solved entries with the same sparsity."""
        pattern = matrix.sparsity()
        entries = [matrix[row, column] for row, column in zip(pattern.row(), pattern.get_col(), strict=True)]
        return SX(pattern, self.closed(ca.vertcat(SX(0, 1), *entries)))

    def _by_blocks(self, matrix: SX, right: SX) -> SX:
        """Return the solution of the whole system, block by block."""
        found = SX(len(self.unknowns), right.size2())
        for rows, unknowns in self.blocks:
            before = sorted(self._needed(rows) - set(unknowns))
            known = right[rows, :] - matrix[rows, before] @ found[before, :] if before else right[rows, :]
            part = _solved(ca.densify(matrix[rows, unknowns]), known)
            for k, number in enumerate(unknowns):
                found[number, :] = part[k, :]
        return found

    def _moved(self, value: SX, shift: SX) -> SX:
        """Return a solution at a point beside q."""
        return ca.substitute(value, self.q, self.q + shift)

    def _differences(self, wanted: Sequence[int]) -> dict[str, CoordinateJet]:
        """Return jets whose slopes and curvatures are central differences of solutions around q."""
        value = ca.vertcat(*(self.values[k] for k in wanted))
        size = self.q.numel()

        def around(direction: Iterable[float]) -> list[tuple[SX, SX]]:
            step = SX(list(direction)) * _STEP
            shifts = [k * step for k in range(1, len(_SLOPE) + 1)]
            return [(self._moved(value, shift), self._moved(value, -shift)) for shift in shifts]

        def unit(*numbers: int) -> list[float]:
            return [float(k in numbers) for k in range(size)]

        def slope(pairs: list[tuple[SX, SX]]) -> SX:
            apart = (w * (right - left) for w, (right, left) in zip(_SLOPE, pairs, strict=True))
            return sum(apart, SX(len(wanted), 1)) / _STEP

        def curvature(pairs: list[tuple[SX, SX]]) -> SX:
            both = (w * (right + left - 2 * value) for w, (right, left) in zip(_CURVATURE, pairs, strict=True))
            return sum(both, SX(len(wanted), 1)) / _STEP**2

        along = [around(unit(i)) for i in range(size)]
        gradient = ca.horzcat(*map(slope, along))
        bends = [curvature(pairs) for pairs in along]
        term = SX(len(wanted), 1)
        for i in range(size):
            term = term + bends[i] * self.v[i] ** 2
            for j in range(i):
                # Along a diagonal the curvature is H_ii + 2 H_ij + H_jj.
                term = term + (curvature(around(unit(i, j))) - bends[i] - bends[j]) * self.v[i] * self.v[j]
        rates = gradient @ self.v
        return {
            self.unknowns[k]: CoordinateJet(self.values[k], gradient[n, :], rates[n], term[n], self.directions[k])
            for n, k in enumerate(wanted)
        }


def _point_motion(kinematics: Kinematics, motion: list[GroundMotion], body: str, at: Triple) -> tuple[SX, SX]:
    """Return velocity and velocity-product acceleration of a point of a body."""
    number = kinematics.tree.link_of_body.get(body)
    if number is None:
        return zero(), zero()
    arm = motion[number].arm(kinematics.in_link(body, at))
    return motion[number].velocity_at(arm), motion[number].acceleration_at(arm)


def _solved(matrix: SX, right: SX) -> SX:
    """Return the solution of a small system, for one or more right-hand sides."""
    if matrix.size1() == 1:
        return right / matrix[0, 0]
    if matrix.size1() == 2:
        a, b, c, d = matrix[0, 0], matrix[0, 1], matrix[1, 0], matrix[1, 1]
        over = 1 / (a * d - b * c)
        return ca.vertcat((d * right[0, :] - b * right[1, :]) * over, (a * right[1, :] - c * right[0, :]) * over)
    # By Householder reflections: no pivot vanishes unless the pose is singular.
    return ca.solve(matrix, ca.densify(right))
