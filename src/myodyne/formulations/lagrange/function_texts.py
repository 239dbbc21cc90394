"""Functions and joint limits of a model as expressions of the lists."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from myodyne.errors import ModelError
from myodyne.formulations.lagrange.lists.expressions import quoted
from myodyne.formulations.matrix_calculus.joint_variables import end_curvatures
from myodyne.model import (
    Constant,
    CoordinateLimit,
    Fourier,
    Function,
    JointLimit,
    Linear,
    PiecewiseLinear,
    Polynomial,
    Product,
    Spline,
    Term,
)


def number_text(value: float) -> str:
    return f"({value!r})" if value < 0 else repr(float(value))


def function_text(function: Function, coordinates: dict[str, str], place: str) -> str:
    """Return a function of coordinates as an expression."""
    match function:
        case Constant():
            return number_text(function.value)
        case Linear():
            name = coordinates[function.coordinate]
            text = name if function.slope == 1 else f"{number_text(function.slope)}*{name}"
            return f"{text} + {number_text(function.offset)}" if function.offset else text
        case Polynomial():
            return " + ".join(_term_text(function.of, term, coordinates) for term in function.terms)
        case Fourier():
            wave = f"2*pi/{number_text(function.period)}*{coordinates[function.coordinate]}"
            parts = [number_text(function.mean), f"{number_text(function.slope)}*{coordinates[function.coordinate]}"]
            for name, amplitudes in (("cos", function.cosines), ("sin", function.sines)):
                parts += [f"{number_text(a)}*{name}({k}*{wave})" for k, a in enumerate(amplitudes, start=1)]
            return " + ".join(parts)
        case Product():
            return "*".join(f"({function_text(factor, coordinates, place)})" for factor in function.factors)
        case Spline():
            return _spline_text(function, coordinates[function.coordinate])
        case PiecewiseLinear():
            return _piecewise_text(function, coordinates[function.coordinate])
        case _:
            raise ModelError(
                f"{place} follows a {function.kind}, which has no closed formula; the lists cannot express it"
            )


def _spline_text(spline: Spline, name: str) -> str:
    """Return a spline with straight ends in one formula: a line, and for each knot the jumps of its derivatives.

    (x - k)|x - k| has a second derivative that jumps by 4 at k, |x - k|³ a third one that jumps by 12; what is left of
    the spline without them is a line.
    """
    from scipy.interpolate import CubicSpline

    knots, ordinates = np.array(spline.x), np.array(spline.y)
    ends = end_curvatures(knots, ordinates) if spline.ends == "cubic" else (0.0, 0.0)
    curve = CubicSpline(knots, ordinates, bc_type=tuple((2, curvature) for curvature in ends))
    thirds = np.concatenate([[0.0], 6 * curve.c[0], [0.0]])
    second = {0: curve(knots[0], 2) / 4, len(knots) - 1: -curve(knots[-1], 2) / 4}
    third = np.diff(thirds) / 12

    def jumps(x: float) -> float:
        parts = [c * abs(x - k) ** 3 for c, k in zip(third, knots, strict=True)]
        return float(sum(parts) + sum(a * (x - knots[i]) * abs(x - knots[i]) for i, a in second.items()))

    rest = [ordinates[i] - jumps(knots[i]) for i in (0, -1)]
    slope = (rest[1] - rest[0]) / (knots[-1] - knots[0])
    gaps = [f"({name} - {number_text(float(k))})" for k in knots]
    terms = [number_text(float(rest[0])), f"{number_text(float(slope))}*{gaps[0]}"]
    terms += [f"{number_text(float(c))}*abs({gap})**3" for c, gap in zip(third, gaps, strict=True) if c]
    terms += [f"{number_text(float(a))}*{gaps[i]}*abs({gaps[i]})" for i, a in second.items() if a]
    return " + ".join(terms)


def _piecewise_text(function: PiecewiseLinear, name: str) -> str:
    """Return straight pieces in one formula: a line, and for each corner its change of slope."""
    knots, ordinates = np.array(function.x), np.array(function.y)
    slopes = np.diff(ordinates) / np.diff(knots)
    changes = np.diff(slopes) / 2
    mean = (slopes[0] + slopes[-1]) / 2
    start = ordinates[0] - sum(c * abs(knots[0] - k) for c, k in zip(changes, knots[1:-1], strict=True))
    terms = [number_text(float(start)), f"{number_text(float(mean))}*({name} - {number_text(float(knots[0]))})"]
    corners = zip(changes, knots[1:-1], strict=True)
    terms += [f"{number_text(float(c))}*abs({name} - {number_text(float(k))})" for c, k in corners if c]
    return " + ".join(terms)


def _term_text(names: Sequence[str], term: Term, coordinates: dict[str, str]) -> str:
    powers = [f"{coordinates[name]}**{power}" for name, power in zip(names, term.powers, strict=True) if power]
    return "*".join([number_text(term.coefficient), *powers])


def limit_text(limit: JointLimit) -> str:
    """Return the torque of a limit: ramps with a corner y³(4w - y)/16w³ or a hyperbola, as in the equations."""
    name = quoted(limit.coordinate)
    parts = []
    for sign, excess in (
        ("-", f"({name} - {number_text(limit.upper)})"),
        ("+", f"({number_text(limit.lower)} - {name})"),
    ):
        w = number_text(limit.transition)
        if limit.onset == "hyperbolic":
            root = f"sqrt({excess}**2 + {w}**2)"
            ramp, slope = f"(({excess} + {root})/2)", f"((1 + {excess}/{root})/2)"
        else:
            above, below = f"abs({excess} - {w})", f"abs({excess} + {w})"
            y = f"({w} + ({below} - {above})/2)"
            ramp = f"({y}**3*(4*{w} - {y})/(16*{w}**3) + ({excess} - {w} + {above})/2)"
            slope = f"({y}**2*(12*{w} - 4*{y})/(16*{w}**3))"
        parts.append(f"{sign} {number_text(limit.stiffness)}*{ramp}")
        if limit.curvature:
            parts.append(f"{sign} {number_text(limit.curvature)}*(({excess} + abs({excess}))/2)**2")
        parts.append(f"- {number_text(limit.damping)}*{slope}*{quoted(f'{limit.coordinate}_dot')}")
    return " ".join(parts).removeprefix("+ ")


def coordinate_limit_text(limit: CoordinateLimit) -> str:
    """Return the torque of a limit that sets in behind it, by the quintic step of its transition."""
    name, width = quoted(limit.coordinate), number_text(limit.transition)
    sides = (
        ("-", f"({name} - {number_text(limit.upper)})", limit.upper_stiffness),
        ("+", f"({number_text(limit.lower)} - {name})", limit.lower_stiffness),
    )
    parts = []
    for sign, excess, stiffness in sides:
        beyond = f"(({excess} + abs({excess}))/2)"
        x = f"(({beyond}/{width} + 1 - abs({beyond}/{width} - 1))/2)"
        step = f"(10*{x}**3 - 15*{x}**4 + 6*{x}**5)"
        parts.append(f"{sign} {number_text(stiffness)}*{step}*{beyond}")
        parts.append(f"- {number_text(limit.damping)}*{step}*{quoted(f'{limit.coordinate}_dot')}")
    return " ".join(parts)
