"""OpenSim's functions as functions of coordinates."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from myodyne.errors import ModelError
from myodyne.files.osim.document import Element, Reading
from myodyne.model.functions import (
    Arc,
    Constant,
    Fourier,
    Function,
    Linear,
    PiecewiseLinear,
    Polynomial,
    Product,
    Spline,
    Term,
)
from myodyne.types import Floats

# Pieces into which the smooth rise of a StepFunction, or the stretch between two knots of a quintic spline, is cut; and
# those on either side of the step.
_STEP_PIECES, _KNOT_PIECES, _LEVEL_PIECES = 64, 8, 12
# Those of six coordinates up to the tenth order, which is more than fitted paths have.
_MOST_TERMS = 8008
_MOST_COORDINATES = 50


def function_of(element: Element, *properties: str) -> Element | None:
    """Return the function of a property: inside it, or an object of that name."""
    for tag in properties:
        holder = element.child(tag)
        # One of the oldest functions is not capitalised.
        found = [child for child in holder.children if child.is_object or child.tag in _READERS] if holder else []
        if found and holder is not None:
            if holder.is_object:
                # XAttachment and its like: capitalised, and no more than a property.
                holder.fate = "read"
            return found[0]
        named = [child for child in element.children if child.is_object and child.name == tag]
        if named:
            return named[0]
    # OpenSim also takes the one function that stands there without a name.
    unnamed = [child for child in element.children if child.tag in _READERS]
    if len(unnamed) == 1 and not unnamed[0].name:
        return unnamed[0]
    return function_of(element.fallback, *properties) if element.fallback is not None else None


def is_known(element: Element) -> bool:
    """Return whether functions of this kind can be read."""
    return element.tag in _READERS


def read_function(reading: Reading, element: Element, coordinates: Sequence[str]) -> Function:
    """Return the function that an element describes, of these coordinates."""
    reader = _READERS.get(element.tag)
    if reader is None:
        raise element.fault(f"functions of this kind are not supported; supported: {', '.join(sorted(_READERS))}")
    reading.read(element)
    try:
        return reader(reading, element, coordinates)
    except ModelError as error:
        raise element.fault(str(error)) from None


def scaled(function: Function, factor: float) -> Function:
    """Return ``factor`` times a function."""
    match function:
        case Constant():
            return Constant(value=factor * function.value)
        case Linear():
            return function.model_copy(update={"slope": factor * function.slope, "offset": factor * function.offset})
        case Polynomial():
            terms = tuple(Term(coefficient=factor * t.coefficient, powers=t.powers) for t in function.terms)
            return function.model_copy(update={"terms": terms})
        case Spline() | PiecewiseLinear():
            return function.model_copy(update={"y": tuple(factor * y for y in function.y)})
        case Fourier():
            return function.model_copy(
                update={
                    "mean": factor * function.mean,
                    "slope": factor * function.slope,
                    "cosines": tuple(factor * c for c in function.cosines),
                    "sines": tuple(factor * s for s in function.sines),
                }
            )
        case Arc():
            return function.model_copy(update={"length": factor * function.length})
        case Product():
            return Product(factors=(scaled(function.factors[0], factor), *function.factors[1:]))


def _first(element: Element, coordinates: Sequence[str]) -> str:
    if not coordinates:
        raise element.fault("needs a coordinate, but none is named for it")
    return coordinates[0]


def _constant(_reading: Reading, element: Element, _coordinates: Sequence[str]) -> Function:
    return Constant(value=element.number("value", 0.0))


def _linear(_reading: Reading, element: Element, coordinates: Sequence[str]) -> Function:
    if len(coordinates) < 2:
        slope, offset = element.numbers("coefficients", 2, (1.0, 0.0))
        if not coordinates and slope == 0.0:
            return Constant(value=offset)
        return Linear(coordinate=_first(element, coordinates), slope=slope, offset=offset)
    if len(coordinates) > _MOST_COORDINATES:
        raise element.fault(f"is one of {len(coordinates)} coordinates, and at most {_MOST_COORDINATES} are read")
    # One slope for each coordinate, and the offset last.
    *slopes, offset = element.numbers("coefficients", len(coordinates) + 1)
    powers = np.eye(len(coordinates), dtype=int).tolist()
    terms = (Term(coefficient=slope, powers=tuple(unit)) for slope, unit in zip(slopes, powers, strict=True))
    return Polynomial(of=tuple(coordinates), terms=(Term(coefficient=offset, powers=(0,) * len(slopes)), *terms))


def _polynomial(_reading: Reading, element: Element, coordinates: Sequence[str]) -> Function:
    # The highest power comes first.
    coefficients = element.numbers("coefficients")[::-1]
    terms = tuple(Term(coefficient=c, powers=(power,)) for power, c in enumerate(coefficients) if c or power == 0)
    if len(coefficients) == 1:
        return Constant(value=coefficients[0])
    return Polynomial(of=(_first(element, coordinates),), terms=terms)


def _multivariate(_reading: Reading, element: Element, coordinates: Sequence[str]) -> Function:
    dimension, order = int(element.number("dimension", 0.0)), int(element.number("order", 0.0))
    if dimension != len(coordinates) or not 1 <= dimension <= 6 or not 0 <= order <= 20:
        raise element.fault(f"has dimension {dimension} and order {order} for {len(coordinates)} coordinates")
    if math.comb(dimension + order, order) > _MOST_TERMS:
        raise element.fault(f"has {math.comb(dimension + order, order)} terms, and at most {_MOST_TERMS} are read")
    powers = _powers_up_to(dimension, order)
    coefficients = element.numbers("coefficients", len(powers))
    terms = tuple(Term(coefficient=c, powers=p) for c, p in zip(coefficients, powers, strict=True))
    kept = tuple(term for term in terms if term.coefficient != 0.0)
    return Polynomial(of=tuple(coordinates), terms=kept or terms[:1])


def _powers_up_to(dimension: int, order: int) -> list[tuple[int, ...]]:
    """All powers of at most that order together, the last one running fastest."""
    if dimension == 0:
        return [()]
    return [(first, *rest) for first in range(order + 1) for rest in _powers_up_to(dimension - 1, order - first)]


def _multiplier(reading: Reading, element: Element, coordinates: Sequence[str]) -> Function:
    inner = function_of(element, "function")
    if inner is None:
        raise element.fault("multiplies no function")
    return scaled(read_function(reading, inner, coordinates), element.number("scale", 1.0))


def _sine(_reading: Reading, element: Element, coordinates: Sequence[str]) -> Function:
    amplitude, phase = element.number("amplitude", 1.0), element.number("phase", 0.0)
    frequency, offset = element.number("omega", 1.0), element.number("offset", 0.0)
    if frequency == 0.0 or amplitude == 0.0:
        return Constant(value=offset + amplitude * math.sin(phase))
    return Fourier(
        coordinate=_first(element, coordinates),
        period=2 * math.pi / abs(frequency),
        mean=offset,
        sines=(math.copysign(amplitude, amplitude * frequency) * math.cos(phase),),
        cosines=(amplitude * math.sin(phase),),
    )


def _knots(reading: Reading, element: Element) -> tuple[tuple[float, ...], tuple[float, ...]]:
    x, y = element.numbers("x"), element.numbers("y")
    if len(x) != len(y):
        raise element.fault(f"has {len(x)} x and {len(y)} y")
    kept = [0]
    for number in range(1, len(x)):
        if x[number] < x[kept[-1]]:
            raise element.fault(f"its x must increase, but {x[number]:g} follows {x[kept[-1]]:g}")
        if x[number] > x[kept[-1]]:
            kept.append(number)
    if len(kept) < len(x):
        reading.suspect(element, f"{len(x) - len(kept)} of its points repeat the x of another and are left out")
    return tuple(x[k] for k in kept), tuple(y[k] for k in kept)


def _simm_spline(reading: Reading, element: Element, coordinates: Sequence[str]) -> Function:
    x, y = _knots(reading, element)
    if len(x) == 1:
        return Constant(value=y[0])
    return Spline(coordinate=_first(element, coordinates), x=x, y=y, ends="cubic")


def _piecewise_linear(reading: Reading, element: Element, coordinates: Sequence[str]) -> Function:
    x, y = _knots(reading, element)
    if len(x) == 1:
        return Constant(value=y[0])
    return PiecewiseLinear(coordinate=_first(element, coordinates), x=x, y=y)


def _step(reading: Reading, element: Element, coordinates: Sequence[str]) -> Function:
    start, end = element.number("transition_start_time", 0.99), element.number("transition_end_time", 1.01)
    low, high = element.number("start_value", 0.0), element.number("end_value", 1.0)
    if not end > start:
        raise element.fault(f"ends at {end:g}, not after its start at {start:g}")
    from scipy.interpolate import CubicSpline

    # Some points more at each end keep the spline level beyond them.
    share = np.arange(-_LEVEL_PIECES, _STEP_PIECES + _LEVEL_PIECES + 1) / _STEP_PIECES
    between = 0.5 * (share[1:] + share[:-1])
    spline = CubicSpline(share, _rise(share), bc_type="natural")
    miss = abs(high - low) * float(np.max(np.abs(spline(between) - _rise(between))))
    reading.approximate(element, f"a cubic spline through {len(share)} points of it, at most {miss:.1e} away")
    return Spline(
        coordinate=_first(element, coordinates),
        x=tuple((start + (end - start) * share).tolist()),
        y=tuple((low + (high - low) * _rise(share)).tolist()),
    )


def _rise(share: Floats) -> Floats:
    """Return how OpenSim rises from 0 to 1: along the fifth degree whose slope and curvature vanish at both ends."""
    inside = np.clip(share, 0.0, 1.0)
    risen: Floats = inside**3 * (10 - 15 * inside + 6 * inside**2)
    return risen


def _gcv_spline(reading: Reading, element: Element, coordinates: Sequence[str]) -> Function:
    coordinate = _first(element, coordinates)
    x, y = _knots(reading, element)
    half = int(element.number("half_order", 3.0))
    if element.number("error_variance", 0.0) > 0.0:
        reading.approximate(element, "runs through its points instead of smoothing them")
    if len(x) == 1:
        return Constant(value=y[0])
    if half == 1:
        # Level beyond its ends.
        return PiecewiseLinear(coordinate=coordinate, x=(x[0] - 1.0, *x, x[-1] + 1.0), y=(y[0], *y, y[-1]))
    if half == 2 or len(x) < 6:
        if half != 2:
            reading.approximate(element, "a natural cubic spline through its few points")
        return Spline(coordinate=coordinate, x=x, y=y)
    from scipy.interpolate import CubicSpline, make_interp_spline

    # Natural: the derivatives from half the order on vanish at the ends.
    level = [(3, 0.0), (4, 0.0)]
    if half > 3:
        reading.approximate(element, "taken as a spline of fifth degree")
    quintic = make_interp_spline(x, y, k=5, bc_type=(level, level))
    fine = np.unique(np.concatenate([np.linspace(a, b, _KNOT_PIECES + 1) for a, b in pairwise(x)]))
    # Beyond its ends it goes on as a parabola.
    further = np.linspace(0.0, 0.5 * (x[-1] - x[0]), _KNOT_PIECES * len(x) // 2 + 1)[1:]
    ends = [[quintic(end, nu=order) for order in range(3)] for end in (x[0], x[-1])]
    before, after = (
        value + slope * step + 0.5 * bend * step**2
        for (value, slope, bend), step in zip(ends, (-further[::-1], further), strict=True)
    )
    knots = np.concatenate([x[0] - further[::-1], fine, x[-1] + further])
    values = np.concatenate([before, quintic(fine), after])
    between = 0.5 * (fine[1:] + fine[:-1])
    miss = float(np.max(np.abs(CubicSpline(knots, values, bc_type="natural")(between) - quintic(between))))
    reading.approximate(element, f"a cubic spline through {len(knots)} points of it, at most {miss:.1e} away")
    return Spline(coordinate=coordinate, x=tuple(map(float, knots)), y=tuple(map(float, values)))


_Reader = Callable[[Reading, Element, Sequence[str]], Function]
_READERS: dict[str, _Reader] = {
    "Constant": _constant,
    "LinearFunction": _linear,
    "PolynomialFunction": _polynomial,
    "MultivariatePolynomialFunction": _multivariate,
    "MultiplierFunction": _multiplier,
    "Sine": _sine,
    "SimmSpline": _simm_spline,
    # OpenSim reads the older names as the same spline.
    "NaturalCubicSpline": _simm_spline,
    "natCubicSpline": _simm_spline,
    "PiecewiseLinearFunction": _piecewise_linear,
    "StepFunction": _step,
    "GCVSpline": _gcv_spline,
}
