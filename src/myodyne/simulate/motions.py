"""Coordinates that follow functions of time: their signals, and states that begin on them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from myodyne.equations import Equations
from myodyne.equations.motions import motions_in
from myodyne.errors import ModelError, listed
from myodyne.model import (
    Arc,
    Constant,
    ControlFunction,
    Fourier,
    Linear,
    Model,
    MotionConstraint,
    PiecewiseLinear,
    Polynomial,
    Product,
    Spline,
    Steps,
)
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.simulate.constrained import consistent_state
from myodyne.simulate.signals import Signal
from myodyne.types import Floats

# A sine is cut into eighths of its period; what its series leaves out there after so many powers, and that of its
# second derivative, is below rounding: (pi / 4)^16 / 16! = 1e-15.
_EIGHTHS, _POWERS = 8, 17
# So many pieces of a function take a second or two to make.
_MOST_PIECES = 100_000
# A state that is farther than this (rad, m, or per second) from where a motion begins was moved.
_MOVED = 1e-9


def refuse_motions(model: Model, what: str) -> None:
    """Refuse a model that moves with time, by name, for ``what`` knows no time."""
    for name in model.motions:
        raise ModelError(
            f"{what}: constraint '{name}' of '{model.name}' moves a coordinate as a function of time, "
            f"which only a simulation has. Leave it out with model.without('{name}')"
        )


def motion_signals(model: Model, end: float, begin: float = 0.0) -> dict[str, Signal]:
    """Return value, speed and acceleration of each motion of a model up to ``end`` (s), by control.

    They begin at zero, or at ``begin`` if that is before it: a simulation that goes on finds the same polynomials.

    Examples
    --------
    >>> import myodyne as my
    >>> rod = my.load_model("pendulum").with_parts(constraints={"turn": my.MotionConstraint(
    ...     coordinate="angle", function=my.Linear(coordinate="time", slope=2.0))})
    >>> found = motion_signals(rod, 3.0)
    >>> found["turn.value"](1.5), found["turn.speed"](1.5)
    (3.0, 2.0)
    """
    found = {}
    for name in model.motions:
        motion = model.constraints[name]
        assert isinstance(motion, MotionConstraint)
        pieces = _pieces(motion.function, min(begin, 0.0), end)
        for part in ("value", "speed", "acceleration"):
            found[f"{name}.{part}"] = Signal(f"motion({name!r}, {part!r})", pieces)
            pieces = _derivative(pieces)
    return found


def prescribed_signals(model: Model, end: float, begin: float = 0.0) -> dict[str, Signal]:
    """Return the controls that a model prescribes as functions of time, up to ``end`` (s).

    Examples
    --------
    >>> import myodyne as my
    >>> rod = my.load_model("pendulum").with_parts(forces={"motor": my.CoordinateActuator(coordinate="angle")},
    ...     prescribed={"motor": my.Linear(coordinate="time", slope=2.0)})
    >>> prescribed_signals(rod, 3.0)["motor"](1.5)
    3.0
    """
    return {
        name: Signal(f"prescribed({name!r})", _pieces(function, min(begin, 0.0), end))
        for name, function in model.prescribed.items()
    }


def prescribed_controls(
    equations: Equations, given: Collection[str], end: float, begin: float = 0.0
) -> tuple[dict[str, Signal], list[str]]:
    """Return the controls that a model prescribes and that are not given otherwise, and a note that names them."""
    signals = prescribed_signals(equations.model, end, begin)
    found = {name: signal for name, signal in signals.items() if name in equations.controls and name not in given}
    return found, [f"the model prescribes {listed(list(found), 6)} over time"] if found else []


def _derivative(pieces: PiecewisePolynomial) -> PiecewisePolynomial:
    powers = np.arange(1, pieces.degree + 1)
    with np.errstate(over="ignore"):
        slopes = pieces.coefficients[:, 1:] * powers[None, :, None]
    return _finite(pieces.breaks, slopes if len(powers) else np.zeros_like(pieces.coefficients))


def _finite(breaks: Floats | list[float], coefficients: Floats) -> PiecewisePolynomial:
    if not (np.isfinite(breaks).all() and np.isfinite(coefficients).all()):
        raise ModelError(
            "a prescribed motion overflows: its function has too large numbers, or knots too close together"
        )
    return PiecewisePolynomial(breaks, coefficients)


def _pieces(function: ControlFunction, begin: float, end: float) -> PiecewisePolynomial:
    """Return a function of time as polynomials between its knots: exact, sines to rounding."""
    inner = sorted(time for time in _breaks(function, begin, end) if begin < time < end)
    breaks = [begin]
    for time in [*inner, end]:
        # Knots that differ by rounding are one.
        if time - breaks[-1] > 1e-9 * (end - begin):
            breaks.append(time)
    breaks[-1] = end
    # Where a piece begins at a knot, its middle decides on which side it lies.
    middles = [(one + other) / 2 for one, other in pairwise(breaks)]
    degree = _degree(function)
    # What overflows is refused below, in one sentence.
    with np.errstate(over="ignore", invalid="ignore"):
        series = [_series(function, at, middle, degree) for at, middle in zip(breaks, middles, strict=False)]
    return _finite(breaks, np.array(series)[:, :, None])


def _breaks(function: ControlFunction, begin: float, end: float) -> Iterator[float]:
    """Yield the times at which one polynomial gives way to the next."""
    match function:
        case Spline() | PiecewiseLinear() | Steps():
            yield from function.x
        case Fourier():
            orders = max(len(function.cosines), len(function.sines))
            width = function.period / (_EIGHTHS * max(orders, 1))
            if not end - begin <= _MOST_PIECES * width:
                raise ModelError(
                    f"a prescribed function of time has a period of {function.period:.3g} s, too short for a duration "
                    f"of {end - begin:.3g} s: at most {_MOST_PIECES // _EIGHTHS:,} periods of a sine are possible"
                )
            yield from (width * np.arange(math.floor(begin / width) + 1, math.ceil(end / width))).tolist()
        case Product():
            for factor in function.factors:
                yield from _breaks(factor, begin, end)


def _degree(function: ControlFunction) -> int:
    match function:
        case Constant() | Steps():
            return 0
        case Linear() | PiecewiseLinear():
            return 1
        case Polynomial():
            return max(term.powers[0] for term in function.terms)
        case Spline():
            return 3
        case Fourier():
            return _POWERS
        case Arc():
            raise ModelError("an arc of constant curvature moves by angles, not by time")
        case Product():
            return sum(_degree(factor) for factor in function.factors)


def _series(function: ControlFunction, at: float, inside: float, degree: int) -> Floats:
    """Return the powers of the time since ``at`` in the piece that holds ``inside``, up to a degree."""
    found: Any
    match function:
        case Constant():
            found = [function.value]
        case Linear():
            found = [function.offset + function.slope * at, function.slope]
        case PiecewiseLinear():
            place = int(np.clip(np.searchsorted(function.x, inside, side="right") - 1, 0, len(function.x) - 2))
            slope = (function.y[place + 1] - function.y[place]) / (function.x[place + 1] - function.x[place])
            found = [function.y[place] + slope * (at - function.x[place]), slope]
        case Steps():
            found = [function.y[max(int(np.searchsorted(function.x, inside, side="right")) - 1, 0)]]
        case Polynomial():
            total = np.polynomial.Polynomial([0.0])
            for term in function.terms:
                total = total + term.coefficient * np.polynomial.Polynomial([at, 1.0]) ** term.powers[0]
            found = total.coef
        case Spline():
            found = _spline_series(function, at, inside)
        case Fourier():
            found = _fourier_series(function, at)
        case Arc():
            raise ModelError("an arc of constant curvature moves by angles, not by time")
        case Product():
            found = np.ones(1)
            for factor in function.factors:
                found = np.convolve(found, _series(factor, at, inside, _degree(factor)))
    series: Floats = np.zeros(degree + 1)
    series[: len(found)] = found
    return series


def _spline_series(spline: Spline, at: float, inside: float) -> list[float]:
    from myodyne.physics.joint_functions import curvatures_at_knots

    x, y = np.array(spline.x), np.array(spline.y)
    h, bend = np.diff(x), curvatures_at_knots(x, spline.ends) @ y
    place = int(np.clip(np.searchsorted(x, inside, side="right") - 1, 0, len(h) - 1))
    slope = (y[place + 1] - y[place]) / h[place] - h[place] * (2 * bend[place] + bend[place + 1]) / 6
    if inside < x[0]:
        return [y[0] + slope * (at - x[0]), slope]
    if inside > x[-1]:
        last = slope + h[-1] * (bend[-2] + bend[-1]) / 2
        return [y[-1] + last * (at - x[-1]), last]
    since, twist = at - x[place], (bend[place + 1] - bend[place]) / h[place]
    return [
        y[place] + since * (slope + since * (bend[place] / 2 + since * twist / 6)),
        slope + since * (bend[place] + since * twist / 2),
        (bend[place] + since * twist) / 2,
        twist / 6,
    ]


def _fourier_series(fourier: Fourier, at: float) -> Floats:
    powers = np.arange(_POWERS + 1)
    factorials = np.array([math.factorial(power) for power in powers], dtype=float)
    found: Floats = np.zeros(_POWERS + 1)
    found[0], found[1] = fourier.mean + fourier.slope * at, fourier.slope
    for shift, amplitudes in ((np.pi / 2, fourier.cosines), (0.0, fourier.sines)):
        for order, amplitude in enumerate(amplitudes, start=1):
            frequency = 2 * np.pi * order / fourier.period
            # Each derivative of a sine is a quarter of its period ahead of the last.
            found += amplitude * frequency**powers * np.sin(frequency * at + shift + powers * np.pi / 2) / factorials
    return found


def state_on_constraints(
    equations: Equations, state: Floats, given: frozenset[str], u: Floats, moment: float | None
) -> tuple[Floats, list[str]]:
    """Return the nearest state that obeys the constraints, and notes about it.

    At the start (no ``moment``) coordinates that follow functions of time begin on them, and the others stay where they
    are. At a later moment (s) speeds change as in an impact.
    """
    notes: list[str] = []
    if moment is None and equations.model.motions:
        state, notes = _on_motions(equations, state.copy(), u)
        moved = [equations.model.constraints[name] for name in equations.model.motions]
        names = [part.coordinate for part in moved if isinstance(part, MotionConstraint)]
        given = given | {*names, *(f"{name}.speed" for name in names)}
    state, note = consistent_state(equations, state, given, u)
    when = "the start" if moment is None else f"at {moment:.6g} s the state"
    return state, [*notes, *([f"{when} was moved onto the constraints: {note}"] if note else [])]


def _on_motions(equations: Equations, state: Floats, u: Floats) -> tuple[Floats, list[str]]:
    """Put driven coordinates where their functions begin; note those whose given start differs."""
    model, size, notes = equations.model, len(equations.coordinates), []
    begin = np.reshape(motions_in(model, u), (-1, 3))
    for name, (value, speed, _) in zip(model.motions, begin, strict=True):
        motion = model.constraints[name]
        assert isinstance(motion, MotionConstraint)
        if motion.coordinate not in equations.coordinates:
            continue  # it follows others, which are moved so that it begins there
        number, part = equations.coordinates.index(motion.coordinate), model.coordinates[motion.coordinate]
        for place, wanted, default in ((number, value, part.default), (size + number, speed, part.default_speed)):
            if state[place] != default and abs(state[place] - wanted) > _MOVED:
                notes.append(
                    f"'{equations.motion[place]}' starts at {wanted:.6g} instead of {state[place]:.6g}, "
                    f"because constraint '{name}' prescribes its motion"
                )
            state[place] = wanted
    return state, notes
