"""Equations of motion as text and as LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from myodyne.formulations.lagrange.algebra.symbols import sympy_module
from myodyne.formulations.lagrange.formulas.naming import named_sides

if TYPE_CHECKING:
    from sympy import Expr, Symbol

    from myodyne.formulations.lagrange.formulas.equations import LagrangeEquations


def text(equations: LagrangeEquations, named: bool = False, digits: int | None = None) -> str:
    """Return the equations as text: accelerations first, a prime for each time derivative."""
    sympy = sympy_module()
    primes = {symbol: sympy.Symbol(f"{name}'") for name, symbol in equations.speeds.items()}
    primes |= {symbol: sympy.Symbol(f"{name}''") for name, symbol in equations.accelerations.items()}

    def written(expression: Expr) -> str:
        return str(sympy.sstr(rounded(expression, digits).xreplace(primes)))

    lines = [equations.mobility.text(), ""]
    names, rows, constraints = _parts(equations, named)
    for name, (left, right) in rows.items():
        lines.append(f"{name}:  {_sum([written(term) for term in left])} = {written(right)}")
    lines += [f"constraint {name}:  {written(constraint)} = 0" for name, constraint in constraints.items()]
    for name in equations.description.prescribed:
        motion = equations.prescribed.get(name)
        course = f"= {written(motion[0])}" if motion else "given at each evaluation"
        lines.append(f"prescribed:  {name} {course}; its equation gives the force that drives it")
    if names:
        lines += ["", "with", *(f"  {name} = {written(formula)}" for name, formula in names.items())]
    return "\n".join(lines)


def latex(equations: LagrangeEquations, named: bool = False, digits: int | None = None) -> str:
    """Return the equations as an ``align*`` environment, one line each."""
    sympy = sympy_module()
    names = {}
    for name, symbol in equations.coordinates.items():
        plain = sympy.latex(symbol)
        names[symbol] = plain
        names[equations.speeds[name]] = rf"\dot{{{plain}}}"
        names[equations.accelerations[name]] = rf"\ddot{{{plain}}}"
    for name, symbol in equations.multipliers.items():
        names[symbol] = rf"\lambda_{{{sympy.latex(sympy.Symbol(name))}}}"

    def written(expression: Expr) -> str:
        return str(sympy.latex(rounded(expression, digits), symbol_names=names))

    found, rows, constraints = _parts(equations, named)
    lines = [f"{_sum([written(term) for term in left])} &= {written(right)}" for left, right in rows.values()]
    lines += [f"{written(constraint)} &= 0" for constraint in constraints.values()]
    lines += [f"{written(name)} &= {written(formula)}" for name, formula in found.items()]
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"


def rounded(expression: Expr, digits: int | None) -> Expr:
    """Return an expression with its decimal numbers rounded to so many significant digits; None keeps all.

    What is left of numbers that cancel but for rounding, below 1e-14 and 1e-14 of the largest, is left out.
    """
    if digits is None:
        return expression
    sympy = sympy_module()
    numbers = expression.atoms(sympy.Float)
    smallest = 1e-14 * min(1.0, max((abs(float(number)) for number in numbers), default=0.0))

    def short(number: Expr) -> Expr:
        value = float(f"{float(number):.{digits}g}")
        if abs(value) < smallest:
            return sympy.Integer(0)
        return sympy.Integer(int(value)) if value.is_integer() and abs(value) < 1e6 else sympy.Float(value, digits)

    return expression.xreplace({number: short(number) for number in numbers})


def _parts(
    equations: LagrangeEquations, named: bool
) -> tuple[dict[Symbol, Expr], dict[str, tuple[list[Expr], Expr]], dict[str, Expr]]:
    """Return names of subexpressions, the terms of both sides of each equation, and the constraints."""
    if not named:
        rows = {n: (_terms(equations, n), equations.tidy(equations.right_side(n))) for n in equations.coordinates}
        return {}, rows, {n: equations.tidy(row) for n, row in equations.constraints.items()}
    found = named_sides(equations)
    count = len(equations.coordinates)
    sides, rest = found.formulas[: 2 * count], found.formulas[2 * count :]
    rows = {n: ([sides[2 * i]], sides[2 * i + 1]) for i, n in enumerate(equations.coordinates)}
    return found.names, rows, dict(zip(equations.constraints, rest, strict=True))


def _sum(terms: list[str]) -> str:
    """Return the sum of written terms, each with its sign."""
    line = terms[0] if terms else "0"
    for term in terms[1:]:
        line += f" - {term[1:].lstrip()}" if term.startswith("-") else f" + {term}"
    return line


def _terms(equations: LagrangeEquations, coordinate: str) -> list[Expr]:
    """Return the left side as textbooks order it: each acceleration with its inertia, then the rest."""
    row = list(equations.coordinates).index(coordinate)
    inertial = [
        equations.tidy(equations.mass_matrix[row, column] * acceleration)
        for column, acceleration in enumerate(equations.accelerations.values())
    ]
    return [term for term in [*inertial, equations.tidy(equations.bias[row])] if term != 0]
