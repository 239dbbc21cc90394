"""Equations of motion as source code: C, MATLAB and Python functions of the state."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from myodyne.errors import ModelError, unknown_name
from myodyne.formulations.lagrange.algebra.symbols import sympy_module
from myodyne.formulations.lagrange.formulas.naming import NamedFormulas, name_subexpressions

if TYPE_CHECKING:
    from sympy import Expr, Symbol

    from myodyne.formulations.lagrange.formulas.equations import LagrangeEquations

Language: TypeAlias = Literal["c", "matlab", "python"]


@dataclass(frozen=True)
class _Style:
    """How a language writes: entries of arrays counted from zero, formulas, statements and comments."""

    entry: Callable[[str, int], str]
    cell: Callable[[str, int, int, int], str]
    formula: Callable[[Expr], str]
    statement: Callable[[str, str], str]
    local: Callable[[str, str], str]
    comment: str


def code(equations: LagrangeEquations, language: Language) -> str:
    """Return a function that computes ``M``, ``c``, ``Q`` (and ``G``, ``gamma`` of constraints) from a state.

    Its arguments are coordinates q, speeds v, time t, inputs u and parameters p, in the order that its comment lists.
    """
    if language not in ("c", "matlab", "python"):
        raise ModelError(unknown_name("language", language, ["c", "matlab", "python"]))
    style = _style(language)
    title = re.sub(r"\W", "_", equations.description.name) or "mechanism"
    title = f"m_{title}" if title[0].isdigit() else title
    arrays = _arrays(equations)
    flat = [entry for matrix in arrays.values() for entry in matrix.flat()]
    renamed = _arguments(equations, style)
    found = name_subexpressions([formula.xreplace(renamed) for formula in flat], [])
    lines = _comment(equations, style)
    head, last = _frame(language, title, arrays)
    return "\n".join([*lines, *head, *_body(found, arrays, style), *last]) + "\n"


def _arrays(equations: LagrangeEquations) -> dict[str, Expr]:
    arrays = {"M": equations.mass_matrix, "c": equations.bias, "Q": equations.applied}
    if equations.constraints:
        arrays |= {"G": equations.constraint_jacobian, "gamma": equations.constraint_bias}
    return arrays


def _arguments(equations: LagrangeEquations, style: _Style) -> dict[Symbol, Symbol]:
    """Return each symbol as an entry of an argument."""
    sympy = sympy_module()
    groups = {
        "q": equations.coordinates,
        "v": equations.speeds,
        "u": equations.inputs,
        "p": equations.parameters,
    }
    return {
        symbol: sympy.Symbol(style.entry(argument, number))
        for argument, group in groups.items()
        for number, symbol in enumerate(group.values())
    }


def _comment(equations: LagrangeEquations, style: _Style) -> list[str]:
    description = equations.description
    lines = [
        f"Equations of motion of {description.name}: M*vdot + c - Q = G'*lambda, with G*vdot + gamma = 0",
        f"q, v: {', '.join(equations.coordinates)} and their rates; t: time (s)",
    ]
    if equations.inputs:
        lines.append(f"u: {', '.join(equations.inputs)}")
    if equations.parameters:
        numbers = (f"{name}" if value is None else f"{name} = {value:g}" for name, value in description.values.items())
        lines.append(f"p: {', '.join(numbers)}")
    if equations.constraints:
        lines.append(f"rows of G: {', '.join(equations.constraints)}")
    return [f"{style.comment} {line}" for line in lines]


def _body(found: NamedFormulas, arrays: dict[str, Expr], style: _Style) -> list[str]:
    lines = [style.local(str(name), style.formula(formula)) for name, formula in found.names.items()]
    formulas = iter(found.formulas)
    for array, matrix in arrays.items():
        rows, columns = matrix.shape
        for number in range(rows * columns):
            row, column = divmod(number, columns)
            place = style.cell(array, row, column, columns)
            lines.append(style.statement(place, style.formula(next(formulas))))
    return lines


def _frame(language: Language, title: str, arrays: dict[str, Expr]) -> tuple[list[str], list[str]]:
    names = ", ".join(arrays)
    if language == "c":
        outputs = ", ".join(f"double *{name}" for name in arrays)
        inputs = "const double *q, const double *v, double t, const double *u, const double *p"
        return ["#include <math.h>", "", f"void {title}({inputs}, {outputs})", "{"], ["}"]
    if language == "matlab":
        zeros = [f"    {name} = zeros({matrix.shape[0]}, {matrix.shape[1]});" for name, matrix in arrays.items()]
        return [f"function [{names}] = {title}(q, v, t, u, p)", *zeros], ["end"]
    zeros = [f"    {name} = np.zeros(({matrix.shape[0]}, {matrix.shape[1]}))" for name, matrix in arrays.items()]
    flat = ", ".join(name if name in "MG" else f"{name}[:, 0]" for name in arrays)
    return ["import math", "", "import numpy as np", "", "", f"def {title}(q, v, t, u=(), p=()):", *zeros], [
        f"    return {flat}"
    ]


def _style(language: Language) -> _Style:
    sympy = sympy_module()
    if language == "matlab":
        return _Style(
            entry=lambda name, number: f"{name}({number + 1})",
            cell=lambda name, row, column, _: f"{name}({row + 1},{column + 1})",
            formula=lambda formula: str(sympy.octave_code(formula)).replace(".*", "*").replace("./", "/"),
            statement=lambda place, formula: f"    {place} = {formula};",
            local=lambda name, formula: f"    {name} = {formula};",
            comment="%",
        )
    if language == "c":
        return _Style(
            entry=lambda name, number: f"{name}[{number}]",
            cell=lambda name, row, column, columns: f"{name}[{row * columns + column}]",
            formula=lambda formula: str(sympy.ccode(formula)),
            statement=lambda place, formula: f"    {place} = {formula};",
            local=lambda name, formula: f"    const double {name} = {formula};",
            comment="//",
        )
    return _Style(
        entry=lambda name, number: f"{name}[{number}]",
        cell=lambda name, row, column, _: f"{name}[{row}, {column}]",
        formula=lambda formula: str(sympy.pycode(formula)),
        statement=lambda place, formula: f"    {place} = {formula}",
        local=lambda name, formula: f"    {name} = {formula}",
        comment="#",
    )
