"""Lagrange's equations as formulas: the energies as SymPy expressions, differentiated (Winter 2009, 8.5 to 8.9)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from myodyne.errors import ModelError, unknown_name
from myodyne.formulations.lagrange.algebra.rates import Dual
from myodyne.formulations.lagrange.algebra.symbols import sympy_functions, sympy_module
from myodyne.formulations.lagrange.formulas import writing
from myodyne.formulations.lagrange.formulas.code import Language, code
from myodyne.formulations.lagrange.formulas.slopes import Slopes
from myodyne.formulations.lagrange.formulas.tape import Tape
from myodyne.formulations.lagrange.formulas.tidying import by_speeds, tidy
from myodyne.formulations.lagrange.lists.checks import TIME, speed_name
from myodyne.formulations.lagrange.lists.description import Description
from myodyne.formulations.lagrange.lists.expressions import evaluate
from myodyne.formulations.lagrange.lists.records import Nonholonomic
from myodyne.formulations.lagrange.mechanics import Mechanics
from myodyne.formulations.lagrange.mobility import Mobility, mobility_of
from myodyne.formulations.lagrange.numeric import NumericEquations, Terms
from myodyne.types import Floats

if TYPE_CHECKING:
    from sympy import Eq, Expr, ImmutableMatrix, Symbol


class SymbolicAlgebra:
    """Symbols and formulas of SymPy."""

    def __init__(self) -> None:
        self.sympy = sympy_module()
        self.functions: Mapping[str, Callable[[Expr], Expr]] = sympy_functions()
        self.pi: Expr = self.sympy.pi

    def number(self, value: float) -> Expr:
        # 2.0 is written as 2: formulas read better, and no digit is lost.
        whole = isinstance(value, int) or (value.is_integer() and abs(value) < 2**53)
        exact: Expr = self.sympy.Integer(int(value)) if whole else self.sympy.Float(value)
        return exact

    def signed_power(self, base: Expr, exponent: float) -> Expr:
        power = self.number(exponent)
        return base**power if power.is_odd else base * self.sympy.Abs(base) ** (power - 1)


class LagrangeEquations:
    """The equations of motion ``M(q) q̈ + c - Q = Gᵀ λ`` with ``Φ(q, t) = 0``, as SymPy expressions.

    ``c`` contains the velocity, gravity, spring and damper terms; ``Q`` the applied forces and torques. Terms are
    derived on first access. Get an instance from `derive`.
    """

    def __init__(self, description: Description, mobility: Mobility) -> None:
        self.description = description
        self.mobility = mobility
        self._algebra = SymbolicAlgebra()
        self._slope = Slopes().of
        symbol = self._algebra.sympy.Symbol
        names = list(description.coordinate_table)
        self.time: Symbol = symbol(TIME)
        self.coordinates: dict[str, Symbol] = {name: symbol(name) for name in names}
        self.speeds: dict[str, Symbol] = {name: symbol(speed_name(name)) for name in names}
        self.accelerations: dict[str, Symbol] = {name: symbol(f"{name}_ddot") for name in names}
        self.parameters: dict[str, Symbol] = {name: symbol(name) for name in description.values}
        self.inputs: dict[str, Symbol] = {name: symbol(name) for name in description.inputs}

    def __repr__(self) -> str:
        return f"LagrangeEquations(of '{self.description.name}', {len(self.coordinates)} coordinates)"

    @cached_property
    def _scope(self) -> dict[str, Dual[Expr]]:
        zero, one = self._algebra.number(0), self._algebra.number(1)
        scope = {name: Dual(value, self.speeds[name]) for name, value in self.coordinates.items()}
        scope |= {speed_name(name): Dual(value, self.accelerations[name]) for name, value in self.speeds.items()}
        scope |= {name: Dual(value, zero) for name, value in {**self.parameters, **self.inputs}.items()}
        return scope | {TIME: Dual(self.time, one)}

    @cached_property
    def mechanics(self) -> Mechanics[Expr]:
        """Displacements, velocities, energies and forces as formulas."""
        return Mechanics(self.description, self._algebra, self._scope)

    def displacement(self, point: str) -> tuple[Expr, ...]:
        """Return the position of a point in the ground, ``disp(i)`` (8.13)."""
        return self._components("point", point, self.description.points, self.mechanics.displacement)

    def velocity(self, point: str) -> tuple[Expr, ...]:
        """Return the velocity of a point in the ground, ``velo(i)`` (8.14)."""
        return self._components("point", point, self.description.points, self.mechanics.velocity)

    def angular_velocity(self, frame: str) -> tuple[Expr, ...]:
        """Return the angular velocity of a frame in its own axes, ``omga(j)`` (8.15); one number in the plane."""
        if frame not in self.description.frames:
            raise ModelError(unknown_name("frame", frame, self.description.frames))
        spin = tuple(self.mechanics.angular_velocity(frame))
        return spin if self.description.dimension == 3 else spin[2:]

    def rotation(self, frame: str) -> ImmutableMatrix:
        """Return the matrix from the axes of a frame to those of the ground (8.16, 8.19)."""
        if frame not in self.description.frames:
            raise ModelError(unknown_name("frame", frame, self.description.frames))
        size = self.description.dimension
        rows = self.mechanics.rotation(frame)
        return self._algebra.sympy.ImmutableMatrix([row[:size] for row in rows[:size]])

    @property
    def kinetic_energy(self) -> Expr:
        """The kinetic energy (8.23)."""
        return self.mechanics.kinetic_energy

    @property
    def potential_energy(self) -> Expr:
        """The potential energy of gravity and springs (8.25, 8.27)."""
        return self.mechanics.potential_energy

    @property
    def dissipation(self) -> Expr:
        """Rayleigh's dissipation function (8.30)."""
        return self.mechanics.dissipation

    @property
    def work(self) -> Expr:
        """The work of constant forces and torques (8.34), where it does not depend on the path."""
        return self.mechanics.work

    @property
    def lagrangian(self) -> Expr:
        """``L = KE - PE`` (8.5)."""
        return self.kinetic_energy - self.potential_energy

    @cached_property
    def _momenta(self) -> list[Expr]:
        return [self._slope(self.kinetic_energy, speed) for speed in self.speeds.values()]

    @cached_property
    def mass_matrix(self) -> ImmutableMatrix:
        """``M``, the second derivatives of the kinetic energy by the speeds."""
        speeds = list(self.speeds.values())
        size = len(speeds)
        upper = {(i, j): self._slope(self._momenta[i], speeds[j]) for i in range(size) for j in range(i, size)}
        return self._algebra.sympy.ImmutableMatrix(size, size, lambda i, j: upper[min(i, j), max(i, j)])

    @cached_property
    def bias(self) -> ImmutableMatrix:
        """``c``: the left side of 8.8 without accelerations, dampers included (8.31)."""
        rows = []
        for momentum, (name, coordinate) in zip(self._momenta, self.coordinates.items(), strict=True):
            parts = [
                self._slope(momentum, self.time),
                -self._slope(self.kinetic_energy, coordinate),
                self._slope(self.potential_energy, coordinate),
                self._slope(self.dissipation, self.speeds[name]),
            ]
            parts += [self._slope(momentum, self.coordinates[other]) * speed for other, speed in self.speeds.items()]
            rows.append(self._algebra.sympy.Add(*parts))
        return self._column(rows)

    @cached_property
    def applied(self) -> ImmutableMatrix:
        """``Q``: the generalised forces of applied forces and torques (8.6, 8.22, 8.34)."""
        working = self.mechanics.working
        return self._column(
            sum((part.force * self._slope(part.speed, speed) for part in working), self._algebra.number(0))
            for speed in self.speeds.values()
        )

    @cached_property
    def multipliers(self) -> dict[str, Symbol]:
        """The multipliers λ, one for each constraint equation."""
        return {name: self._algebra.sympy.Symbol(f"lambda_{name}") for name in self.mechanics.constraints}

    @cached_property
    def constraints(self) -> dict[str, Expr]:
        """The constraint equations (8.9), by the names of their multipliers: of the pose, or nonholonomic of speeds."""
        speeds = {name for name, row in self.description.constraints.items() if isinstance(row, Nonholonomic)}
        rows = self.mechanics.constraints
        return {name: row.rate if name in speeds else row.value for name, row in rows.items()}

    @cached_property
    def constraint_jacobian(self) -> ImmutableMatrix:
        """``G``, the Jacobian of the constraints by the coordinates (8.7)."""
        rows = [row.rate for row in self.mechanics.constraints.values()]
        speeds = list(self.speeds.values())
        return self._algebra.sympy.ImmutableMatrix(len(rows), len(speeds), lambda i, j: self._slope(rows[i], speeds[j]))

    @cached_property
    def constraint_bias(self) -> ImmutableMatrix:
        """``γ`` of the constraints differentiated twice, ``G q̈ + γ = 0``."""
        rows = []
        for constraint in self.mechanics.constraints.values():
            parts = [self._slope(constraint.rate, self.time)]
            parts += [self._slope(constraint.rate, q) * self.speeds[name] for name, q in self.coordinates.items()]
            rows.append(self._algebra.sympy.Add(*parts))
        return self._column(rows)

    @cached_property
    def prescribed(self) -> dict[str, tuple[Expr, Expr, Expr]]:
        """Value, speed and acceleration of prescribed coordinates, as formulas of time."""
        found = {}
        for name, part in self.description.coordinate_table.items():
            if part.motion is not None:
                value = evaluate(part.motion, self._scope, self._algebra).value
                speed = self._slope(value, self.time)
                found[name] = (value, speed, self._slope(speed, self.time))
        return found

    def slope(self, formula: Expr, symbol: Symbol) -> Expr:
        """Return the partial derivative of a formula, each common subexpression differentiated once."""
        return self._slope(formula, symbol)

    def left_side(self, coordinate: str) -> Expr:
        """Return ``(M q̈ + c)`` of one coordinate."""
        row = self._row(coordinate)
        inertial = sum(self.mass_matrix[row, j] * a for j, a in enumerate(self.accelerations.values()))
        return inertial + self.bias[row]

    def right_side(self, coordinate: str) -> Expr:
        """Return ``(Q + Gᵀ λ)`` of one coordinate."""
        row = self._row(coordinate)
        reactions = (self.constraint_jacobian[i, row] * each for i, each in enumerate(self.multipliers.values()))
        return sum(reactions, self.applied[row])

    def equation(self, coordinate: str) -> Eq:
        """Return the equation of one coordinate (8.8), tidied."""
        return self._algebra.sympy.Eq(
            self.tidy(self.left_side(coordinate)), self.tidy(self.right_side(coordinate)), evaluate=False
        )

    def tidy(self, expression: Expr) -> Expr:
        """Return an expression with terms collected and products of sines and cosines combined; fast, not a full
        simplification.
        """
        return tidy(expression, self._moving)

    def by_speeds(self, expression: Expr) -> Expr:
        """Return an expression tidied, with its terms gathered by products of speeds."""
        return by_speeds(expression, self._moving, list(self.speeds.values()))

    @property
    def _moving(self) -> list[Symbol]:
        return [self.time, *self.coordinates.values(), *self.speeds.values(), *self.accelerations.values()]

    def text(self, named: bool = False, digits: int | None = None) -> str:
        """Return the equations as readable text; a prime is a time derivative.

        With ``named`` what occurs more than once gets a name, listed behind the equations. ``digits`` rounds numbers.
        """
        return writing.text(self, named, digits)

    def latex(self, named: bool = False, digits: int | None = None) -> str:
        """Return the equations for LaTeX, as an ``align*`` environment; arguments as in `text`."""
        return writing.latex(self, named, digits)

    def code(self, language: Language) -> str:
        """Return a function in "c", "matlab" or "python" that computes ``M``, ``c``, ``Q``, ``G`` and ``γ``."""
        return code(self, language)

    def numbers(self, values: Mapping[str, float] | None = None) -> NumericEquations:
        """Return the same equations as functions of numbers, evaluated from the formulas.

        ``values`` gives parameters that have no value in the description.
        """
        numbers = self.description.numbers(values)
        parts = [
            self.mass_matrix,
            self.bias,
            self.applied,
            self._column(row.value for row in self.mechanics.constraints.values()),
            self._column(row.rate for row in self.mechanics.constraints.values()),
            self.constraint_jacobian,
            self.constraint_bias,
            self._column([self.kinetic_energy, self.potential_energy]),
        ]
        symbols = [*self.coordinates.values(), *self.speeds.values(), self.time, *self.inputs.values()]
        tape = Tape([entry for part in parts for entry in part.flat()], [*symbols, *self.parameters.values()])
        ends = np.cumsum([part.shape[0] * part.shape[1] for part in parts])[:-1]

        def terms(q: Floats, v: Floats, t: float, inputs: Mapping[str, float]) -> Terms:
            found = tape([*q, *v, t, *(inputs[name] for name in self.inputs), *numbers.values()])
            *pieces, energies = np.split(found, ends)
            return Terms.of(pieces, energies, size=len(self.coordinates))

        return NumericEquations(self.description, numbers, terms)

    def _column(self, rows: Iterable[Expr]) -> ImmutableMatrix:
        return self._algebra.sympy.ImmutableMatrix([list(rows)]).T

    def _row(self, coordinate: str) -> int:
        if coordinate not in self.coordinates:
            raise ModelError(unknown_name("coordinate", coordinate, self.coordinates))
        return list(self.coordinates).index(coordinate)

    def _components(
        self, kind: str, name: str, known: Mapping[str, object], vector: Callable[[str], list[Expr]]
    ) -> tuple[Expr, ...]:
        if name not in known:
            raise ModelError(unknown_name(kind, name, known))
        return tuple(vector(name)[: self.description.dimension])


def derive(description: Description) -> LagrangeEquations:
    """Return Lagrange's equations of a description, as SymPy expressions.

    Negative degrees of freedom and contradictory constraints raise an error.

    Examples
    --------
    >>> from myodyne.formulations.lagrange import Description, Frame, Point, Segment
    >>> pendulum = Description(
    ...     name="pendulum", coordinates=["q"], parameters=["l", "m", "g"], gravity=(0, "-g"),
    ...     points={"pivot": Point("ground", (0, 0)), "bob": Point("arm", ("l", 0))},
    ...     frames={"arm": Frame("pivot", ["q"])}, segments={"bob": Segment("bob", "m")},
    ... )
    >>> derive(pendulum).tidy(derive(pendulum).left_side("q"))
    g*l*m*cos(q) + l**2*m*q_ddot
    """
    if not isinstance(description, Description):
        raise ModelError(
            f"derive takes a description (my.lagrange.Description, from_lists or from_model), not {description!r:.60}"
        )
    mobility = mobility_of(description)
    mobility.check()
    return LagrangeEquations(description, mobility)
