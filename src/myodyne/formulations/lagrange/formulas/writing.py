"""Equations of motion as text and as LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from myodyne.formulations.lagrange.algebra.symbols import sympy_module

if TYPE_CHECKING:
    from sympy import Expr

    from myodyne.formulations.lagrange.formulas.equations import LagrangeEquations


def text(equations: LagrangeEquations) -> str:
    """Return the equations as text: accelerations first, a prime for each time derivative."""
    sympy = sympy_module()
    primes = {symbol: sympy.Symbol(f"{name}'") for name, symbol in equations.speeds.items()}
    primes |= {symbol: sympy.Symbol(f"{name}''") for name, symbol in equations.accelerations.items()}

    def written(expression: Expr) -> str:
        return str(sympy.sstr(expression.xreplace(primes)))

    lines = [equations.mobility.text(), ""]
    for name in equations.coordinates:
        left = _sum([written(term) for term in _terms(equations, name)])
        lines.append(f"{name}:  {left} = {written(equations.tidy(equations.right_side(name)))}")
    for name, constraint in equations.constraints.items():
        lines.append(f"constraint {name}:  {written(equations.tidy(constraint))} = 0")
    for name in equations.description.prescribed:
        motion = equations.prescribed.get(name)
        course = f"= {written(motion[0])}" if motion else "given at each evaluation"
        lines.append(f"prescribed:  {name} {course}; its equation gives the force that drives it")
    return "\n".join(lines)


def latex(equations: LagrangeEquations) -> str:
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
        return str(sympy.latex(expression, symbol_names=names))

    lines = []
    for name in equations.coordinates:
        left = _sum([written(term) for term in _terms(equations, name)])
        lines.append(f"{left} &= {written(equations.tidy(equations.right_side(name)))}")
    lines += [f"{written(equations.tidy(constraint))} &= 0" for constraint in equations.constraints.values()]
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"


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
