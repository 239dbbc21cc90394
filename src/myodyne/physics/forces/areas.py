"""Integrals of curves, which are the energies of the forces that follow them."""

from __future__ import annotations

import casadi as ca
import numpy as np

from myodyne.errors import ModelError
from myodyne.model import Constant, Fourier, Function, Linear, PiecewiseLinear, Polynomial, Spline
from myodyne.physics.joint_functions import curvatures_at_knots
from myodyne.physics.spatial import SX


def area(at: SX, curve: Function) -> SX:
    """Return the integral of a curve of one variable up to a value, from somewhere that does not depend on it."""
    match curve:
        case Constant():
            return curve.value * at
        case Linear():
            return at * (curve.offset + curve.slope * at / 2)
        case Polynomial():
            powers = ((term.coefficient, term.powers[0] + 1) for term in curve.terms)
            return sum((coefficient * at**power / power for coefficient, power in powers), SX(0))
        case Fourier():
            total = at * (curve.mean + curve.slope * at / 2)
            first = 2 * np.pi / curve.period
            for order, height in enumerate(curve.cosines, start=1):
                total = total + height * ca.sin(order * first * at) / (order * first)
            for order, height in enumerate(curve.sines, start=1):
                total = total - height * ca.cos(order * first * at) / (order * first)
            return total
        case Spline() | PiecewiseLinear():
            return _knotted(at, curve)
        case _:
            raise ModelError(f"a function of the kind '{curve.kind}' has no integral here")


def _knotted(at: SX, curve: Spline | PiecewiseLinear) -> SX:
    """Return the integral of a curve from its first knot.

    Each piece adds its part before the end, so that no piece need be chosen.
    """
    knots = np.asarray(curve.x, dtype=float)
    heights = ca.vertcat(*map(SX, curve.y))
    bends = SX(ca.DM.zeros(len(knots)))
    if isinstance(curve, Spline):
        bends = SX(ca.DM(curvatures_at_knots(knots, curve.ends))) @ heights
    widths = np.diff(knots)
    slopes = [
        (heights[k + 1] - heights[k]) / width - width * (2 * bends[k] + bends[k + 1]) / 6
        for k, width in enumerate(widths)
    ]
    last_slope = slopes[-1] + widths[-1] * (bends[-2] + bends[-1]) / 2
    before, beyond = ca.fmin(at - knots[0], 0), ca.fmax(at - knots[-1], 0)
    total: SX = before * (heights[0] + slopes[0] * before / 2) + beyond * (heights[-1] + last_slope * beyond / 2)
    for k, width in enumerate(widths):
        d = ca.fmin(ca.fmax(at - knots[k], 0), width)
        twist = (bends[k + 1] - bends[k]) / width
        total = total + d * (heights[k] + d * (slopes[k] / 2 + d * (bends[k] / 6 + d * twist / 24)))
    return total
