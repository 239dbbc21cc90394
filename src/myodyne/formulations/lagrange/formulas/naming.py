"""Equations with names for what occurs more than once, so that they are short enough to read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from myodyne.formulations.lagrange.algebra.symbols import sympy_module

if TYPE_CHECKING:
    from sympy import Expr, Symbol

    from myodyne.formulations.lagrange.formulas.equations import LagrangeEquations


@dataclass(frozen=True)
class NamedFormulas:
    """Formulas in which what occurs more than once has a name.

    ``names`` gives each name its formula, in an order in which every formula uses names before it only.
    """

    names: dict[Symbol, Expr]
    formulas: tuple[Expr, ...]


def name_subexpressions(formulas: Sequence[Expr], taken: Sequence[str]) -> NamedFormulas:
    """Return formulas with names for their common subexpressions: c1 for cosines, s1 for sines, k1 for others.

    Examples
    --------
    >>> import sympy
    >>> a, b = sympy.symbols("a b")
    >>> found = name_subexpressions([sympy.cos(a + b) ** 2, 2 * sympy.cos(a + b)], taken=["a", "b"])
    >>> found.names, found.formulas
    ({c1: cos(a + b)}, (c1**2, 2*c1))
    """
    sympy = sympy_module()
    raw, reduced = sympy.cse(list(formulas), symbols=sympy.numbered_symbols("_x", cls=sympy.Dummy), order="none")
    fresh = {prefix: _numbered(prefix, set(taken)) for prefix in "csk"}
    renamed: dict[Expr, Expr] = {}
    names: dict[Symbol, Expr] = {}
    for dummy, formula in raw:
        prefix = "c" if isinstance(formula, sympy.cos) else "s" if isinstance(formula, sympy.sin) else "k"
        renamed[dummy] = sympy.Symbol(next(fresh[prefix]))
        names[renamed[dummy]] = formula.xreplace(renamed)
    return NamedFormulas(names, tuple(formula.xreplace(renamed) for formula in reduced))


def named_sides(equations: LagrangeEquations) -> NamedFormulas:
    """Return left and right side of every equation, then the constraints, with names for their parts.

    M11 and so on are the entries of the mass matrix, b1 the velocity and gravity terms of the first equation where they
    are many, F_push a force that is a longer formula; c1 and s1 are cosines and sines that occur more than once.
    Applied forces stay as they were given: joint limits are long when multiplied out.
    """
    sympy = sympy_module()
    names: dict[Symbol, Expr] = {}

    def named(title: str, formula: Expr, most: int) -> Expr:
        if formula.count_ops() <= most:
            return formula
        symbol = sympy.Symbol(title)
        names.setdefault(symbol, formula)
        return symbol

    sides = []
    for row, coordinate in enumerate(equations.coordinates):
        inertial = [
            named(_entry(row, column), equations.tidy(equations.mass_matrix[row, column]), 3) * acceleration
            for column, acceleration in enumerate(equations.accelerations.values())
        ]
        bias = named(f"b{row + 1}", equations.by_speeds(equations.bias[row]), 12)
        sides += [sympy.Add(*inertial, bias), _named_forces(equations, coordinate, named)]
    sides += [equations.tidy(constraint) for constraint in equations.constraints.values()]
    return _with_waves(names, sides, _taken(equations))


def _entry(row: int, column: int) -> str:
    low, high = sorted((row + 1, column + 1))
    return f"M{low}{high}" if high < 10 else f"M{low}_{high}"


def _named_forces(equations: LagrangeEquations, coordinate: str, named: Callable[[str, Expr, int], Expr]) -> Expr:
    """Return the right side of an equation: each force with its name where it is a longer formula."""
    sympy = sympy_module()
    speed = equations.speeds[coordinate]
    parts = []
    counts: dict[str, int] = {}
    for part in equations.mechanics.working:
        counts[part.name] = counts.get(part.name, 0) + 1
        slope = equations.tidy(equations.slope(part.speed, speed))
        if slope != 0:
            title = f"F_{part.name}" if counts[part.name] == 1 else f"F_{part.name}{counts[part.name]}"
            parts.append(named(title.replace(" ", "_"), part.force, 6) * slope)
    row = list(equations.coordinates).index(coordinate)
    reactions = [
        equations.tidy(equations.constraint_jacobian[i, row]) * multiplier
        for i, multiplier in enumerate(equations.multipliers.values())
    ]
    return sympy.Add(*parts, *reactions)


def _with_waves(names: dict[Symbol, Expr], sides: list[Expr], taken: list[str]) -> NamedFormulas:
    """Return formulas with names for the sines and cosines that occur in more than one place."""
    sympy = sympy_module()
    formulas = [*names.values(), *sides]
    waves = {wave for formula in formulas for wave in formula.atoms(sympy.sin, sympy.cos)}
    places = {wave: sum(formula.count(wave) for formula in formulas) for wave in waves}
    fresh = {prefix: _numbered(prefix, {*taken, *map(str, names)}) for prefix in "cs"}
    chosen: dict[Expr, Expr] = {}
    for wave in sorted((wave for wave in waves if places[wave] > 1), key=str):
        chosen[wave] = sympy.Symbol(next(fresh["c" if isinstance(wave, sympy.cos) else "s"]))
    found = {symbol: wave for wave, symbol in chosen.items()}
    found |= {name: formula.xreplace(chosen) for name, formula in names.items()}
    return NamedFormulas(found, tuple(side.xreplace(chosen) for side in sides))


def _taken(equations: LagrangeEquations) -> list[str]:
    groups = (equations.coordinates, equations.speeds, equations.accelerations, equations.parameters, equations.inputs)
    return [str(symbol) for group in groups for symbol in group.values()]


def _numbered(prefix: str, taken: set[str]) -> Iterator[str]:
    number = 0
    while True:
        number += 1
        if f"{prefix}{number}" not in taken:
            yield f"{prefix}{number}"
