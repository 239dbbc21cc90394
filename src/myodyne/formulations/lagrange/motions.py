"""Formulas of time as functions of a model: polynomials, Fourier series, and products of them."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING

from myodyne.errors import ModelError
from myodyne.formulations.lagrange.algebra.symbols import sympy_module
from myodyne.model import Constant, Fourier, Function, Polynomial, Product, Term
from myodyne.model.constraints import TIME

if TYPE_CHECKING:
    from sympy import Expr, Symbol

# Frequencies whose ratio has a larger denominator are taken to have no common period.
_MOST_HARMONICS = 64


def motion_function(formula: Expr, time: Symbol, place: str) -> Function:
    """Return a formula of time as a function of a model; one without a counterpart raises an error.

    Examples
    --------
    >>> import sympy
    >>> t = sympy.Symbol("t")
    >>> motion_function(0.5 * t**2, t, "coordinate 'x'").terms[0].powers
    (2,)
    """
    sympy = sympy_module()
    if formula.is_polynomial(time):
        terms = sympy.Poly(formula, time).terms()
        rows = [Term(coefficient=float(value), powers=(power,)) for (power,), value in terms]
        return Polynomial(of=(TIME,), terms=tuple(rows))
    series = _series(formula, time)
    if series is not None:
        return series
    factors = sympy.Mul.make_args(sympy.factor_terms(formula))
    moving = [factor for factor in factors if factor.has(time)]
    if len(moving) > 1:
        scale = Constant(value=float(sympy.Mul(*(factor for factor in factors if not factor.has(time)))))
        return Product(factors=(scale, *(motion_function(factor, time, place) for factor in moving)))
    raise ModelError(
        f"{place} moves by '{formula}', which a model cannot express: polynomials of t, sines and cosines with a "
        "common period, and products of them are possible"
    )


def _series(formula: Expr, time: Symbol) -> Fourier | None:
    """Return a sum of a straight line and of waves as a Fourier series, None for anything else."""
    sympy = sympy_module()
    waves: list[tuple[float, float, float]] = []
    mean = slope = 0.0
    for term in sympy.Add.make_args(_sum_of_waves(sympy.expand(formula), time)):
        if term.is_polynomial(time) and sympy.degree(term, time) <= 1:
            line = sympy.Poly(term, time)
            mean, slope = mean + float(line.coeff_monomial(1)), slope + float(line.coeff_monomial(time))
            continue
        wave = _wave(term, time)
        if wave is None:
            return None
        waves.append(wave)
    base = _common([frequency for frequency, _, _ in waves])
    if base is None:
        return None
    count = max(round(frequency / base) for frequency, _, _ in waves)
    cosines, sines = [0.0] * count, [0.0] * count
    for frequency, cosine, sine in waves:
        cosines[round(frequency / base) - 1] += cosine
        sines[round(frequency / base) - 1] += sine
    period = 2 * float(sympy.pi) / base
    return Fourier(coordinate=TIME, period=period, mean=mean, slope=slope, cosines=tuple(cosines), sines=tuple(sines))


def _sum_of_waves(formula: Expr, time: Symbol) -> Expr:
    """Return products and powers of sines and cosines as sums of them."""
    sympy = sympy_module()
    from sympy.simplify.fu import TR8

    waves = [part for part in formula.atoms(sympy.sin, sympy.cos) if part.has(time)]
    return sympy.expand(TR8(formula)) if waves else formula


def _wave(term: Expr, time: Symbol) -> tuple[float, float, float] | None:
    """Return frequency (rad/s), cosine and sine amplitude of ``a sin(w t + p)``, None if the term is not one."""
    sympy = sympy_module()
    factor, moving = term.as_independent(time, as_Add=False)
    if not isinstance(moving, sympy.sin | sympy.cos) or not moving.args[0].is_polynomial(time):
        return None
    line = sympy.Poly(moving.args[0], time)
    if line.degree() != 1:
        return None
    amplitude, frequency = float(factor), float(line.coeff_monomial(time))
    phase = float(line.coeff_monomial(1)) * (1 if frequency > 0 else -1)
    cos, sin = float(sympy.cos(phase)), float(sympy.sin(phase))
    if isinstance(moving, sympy.cos):
        return abs(frequency), amplitude * cos, -amplitude * sin
    sign = 1 if frequency > 0 else -1
    return abs(frequency), sign * amplitude * sin, sign * amplitude * cos


def _common(frequencies: Iterable[float]) -> float | None:
    """Return the largest frequency of which all others are multiples, None if there is none."""
    found = list(frequencies)
    if not found:
        return None
    ratios = [Fraction(frequency / found[0]).limit_denominator(_MOST_HARMONICS) for frequency in found]
    gaps = [abs(ratio * found[0] - frequency) for ratio, frequency in zip(ratios, found, strict=True)]
    if max(gaps) > 1e-12 * max(found):
        return None
    base = found[0] / lcm(*(ratio.denominator for ratio in ratios))
    return base if max(found) / base <= _MOST_HARMONICS else None
