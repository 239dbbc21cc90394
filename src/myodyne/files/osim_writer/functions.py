"""Functions of coordinates as OpenSim's functions."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement
from math import comb
from xml.etree.ElementTree import Element

from myodyne.files.osim_writer.markup import NoCounterpartError, made, preimage
from myodyne.model.functions import (
    Arc,
    Constant,
    Fourier,
    Function,
    Linear,
    PiecewiseLinear,
    Polynomial,
    Spline,
)
from myodyne.model.prescribed import ControlFunction, Steps

_TURN = 2 * math.pi
# OpenSim's polynomials have at most so many coordinates; ours are rarely dense, theirs always.
_MOST_COORDINATES, _MOST_COEFFICIENTS = 6, 20_000
# GCVSpline needs twice as many points as half its order, which is two for a cubic spline.
_FEWEST_POINTS = 4


def function_element(function: Function, name: str = "") -> Element:
    """Return the element of a function; the coordinates that it takes are ``function.coordinates``, in that order."""
    match function:
        case Constant():
            return made("Constant", name, {"value": function.value})
        case Linear():
            return made("LinearFunction", name, {"coefficients": (function.slope, function.offset)})
        case Polynomial():
            return _polynomial(function, name)
        case Spline() if function.ends == "cubic":
            return made("SimmSpline", name, {"x": function.x, "y": function.y})
        case Spline():
            if len(function.x) < _FEWEST_POINTS:
                raise NoCounterpartError(f"a natural spline through fewer than {_FEWEST_POINTS} points")
            return made(
                "GCVSpline",
                name,
                {
                    "half_order": 2,
                    "error_variance": 0.0,
                    "x": function.x,
                    "weights": (1.0,) * len(function.x),
                    "y": function.y,
                },
            )
        case PiecewiseLinear():
            return made("PiecewiseLinearFunction", name, {"x": function.x, "y": function.y})
        case Fourier():
            return _sine(function, name)
        case Arc():
            raise NoCounterpartError("an arc of constant curvature outside of a joint of that kind")
        case _:
            raise NoCounterpartError("a product of functions")


def control_element(function: ControlFunction, name: str) -> Element:
    """Return the element of a function of time."""
    if isinstance(function, Steps):
        return made("PiecewiseConstantFunction", name, {"x": function.x, "y": function.y})
    return function_element(function, name)


def _polynomial(function: Polynomial, name: str) -> Element:
    coefficients: dict[tuple[int, ...], float] = {}
    for term in function.terms:
        coefficients[term.powers] = coefficients.get(term.powers, 0.0) + term.coefficient
    order = max(map(sum, coefficients))
    # With one coordinate, the reader expects a constant in the one and leaves it out in the other.
    if len(function.of) == 1 and (0,) in coefficients and order > 0:
        falling = tuple(coefficients.get((power,), 0.0) for power in range(order, -1, -1))
        return made("PolynomialFunction", name, {"coefficients": falling})
    if len(function.of) > 1 and order == 1 and (0,) * len(function.of) in coefficients:
        units = [tuple(int(place == other) for other in range(len(function.of))) for place in range(len(function.of))]
        slopes = (coefficients.get(unit, 0.0) for unit in units)
        return made("LinearFunction", name, {"coefficients": (*slopes, coefficients[(0,) * len(function.of)])})
    count = comb(len(function.of) + order, order)
    if len(function.of) > _MOST_COORDINATES or count > _MOST_COEFFICIENTS:
        raise NoCounterpartError(f"a polynomial of order {order} in {len(function.of)} coordinates")
    every = tuple(coefficients.get(powers, 0.0) for powers in _powers(len(function.of), order))
    return made(
        "MultivariatePolynomialFunction", name, {"coefficients": every, "dimension": len(function.of), "order": order}
    )


def _powers(dimension: int, order: int) -> list[tuple[int, ...]]:
    """Return all powers of at most that order together, the last one running fastest."""
    chosen = (
        factors for degree in range(order + 1) for factors in combinations_with_replacement(range(dimension), degree)
    )
    return sorted(tuple(factors.count(place) for place in range(dimension)) for factors in chosen)


def _sine(function: Fourier, name: str) -> Element:
    if len(function.sines) > 1 or len(function.cosines) > 1 or function.slope:
        raise NoCounterpartError("a Fourier series of more than one wave")
    sine, cosine = (waves[0] if waves else 0.0 for waves in (function.sines, function.cosines))
    amplitude, phase = (sine, 0.0) if cosine == 0.0 else (math.hypot(sine, cosine), math.atan2(cosine, sine))
    omega = preimage(function.period, _TURN / function.period, lambda frequency: _TURN / abs(frequency))
    return made("Sine", name, {"amplitude": amplitude, "omega": omega, "phase": phase, "offset": function.mean})
