"""Closed loops without multipliers: dependent coordinates become functions of the independent ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol, get_args

import numpy as np

from myodyne.analyse.loop_equations import Embedding, Loops, Method
from myodyne.errors import ModelError, SolveError, unknown_name
from myodyne.model import Fourier, Function, Model, Polynomial, Spline, Term
from myodyne.simulate.reporting.ranges import ACCEPTED_MISS
from myodyne.types import Floats

_TURN = 2 * np.pi
# Lengths of series to try as first guesses: each is refined, and the first that is refined well enough is taken.
_HARMONICS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
_MOST_DEGREES = 20


def embed(
    model: Model,
    independent: str | Sequence[str],
    ranges: Mapping[str, tuple[float, float]] | None = None,
    *,
    method: Method = "projection",
    poses: int = 512,
    tolerance: float = 1e-10,
) -> Embedding:
    """Return the model with its constraints met by joint functions of the independent coordinates.

    The loops are solved over the range of the independent coordinates, from the model's default pose onwards,
    so that one branch is followed. One coordinate without a range is swept over a full turn and gives Fourier
    series; with a range it gives polynomials or splines; several give polynomials over their ranges. The result
    simulates as an ordinary differential equation. It bears its ranges in its coordinates, and a simulation that
    leaves them stops. Constraints on speeds are not loops: they are kept.

    Parameters
    ----------
    model
        A model whose kept constraints determine all other coordinates.
    independent
        The coordinate, or coordinates, that stay free.
    ranges
        Range of each independent coordinate (rad or m).
    method
        ``"projection"``: the functions are short first guesses, which the equations refine; slopes and curvatures
        follow from the loops themselves. ``"differences"``: these are differences of refined values instead.
        ``"fit"``: the functions are long enough to be taken as they are.
    poses
        Number of poses at which the loops are solved.
    tolerance
        Error (rad or m) at which functions are long enough. Functions that miss the loops by more than that, and by
        more than 1e-5, are refused.

    Examples
    --------
    >>> import myodyne as my
    >>> mechanism = my.embed(my.load_model("andrews_squeezer"), "beta")
    >>> mechanism.model.moving, max(mechanism.acceleration_errors.values()) < 1e-9
    (('beta',), True)
    """
    if not isinstance(model, Model):
        raise ModelError(f"embed: a Model is needed (from my.load_model), not {model!r:.60}")
    names = (independent,) if isinstance(independent, str) else tuple(independent)
    if method not in get_args(Method):
        raise ModelError("embed: " + unknown_name("method", method, get_args(Method)))
    _check_ranges(ranges or {}, names)
    loops = Loops(model, names, ranges or {})
    sweep = _swept(loops, ranges or {}, poses)
    if method == "fit":
        found = loops.embedded(sweep.fit(tolerance), sweep.checks, poses, method)
    else:
        found = _refined(loops, sweep, poses, method, tolerance)
    worst = max(found.errors, key=lambda name: found.errors[name])
    # Not 'greater than': what is not a number is refused too.
    if not found.errors[worst] <= max(tolerance, ACCEPTED_MISS):
        raise SolveError(
            f"the joint functions of '{model.name}' do not close the loops: '{worst}' is off by "
            f"{found.errors[worst]:.3g}. Give smaller ranges or more poses, or accept it with a larger tolerance"
        )
    return found


def _check_ranges(ranges: Mapping[str, tuple[float, float]], names: tuple[str, ...]) -> None:
    if not isinstance(ranges, Mapping):
        listed_names = [*names, ranges] if isinstance(ranges, str) else list(names)
        raise ModelError(
            f"embed: ranges are a table like {{'{names[0]}': (-1.0, 1.0)}}, not {ranges!r:.60}; several independent "
            f"coordinates go into one list: embed(model, {listed_names})"
        )
    for name, (low, high) in ranges.items():
        if name not in names:
            raise ModelError("embed, ranges: " + unknown_name("independent coordinate", name, names))
        if not low < high:
            raise ModelError(f"embed: the range of '{name}' must increase, but it goes from {low:g} to {high:g}")


class _Sweep(Protocol):
    """Poses of a mechanism over its range: half of them to fit functions to, the others to judge these."""

    checks: Floats

    def fit(self, tolerance: float) -> dict[str, Function]:
        """Return functions that are to be taken as they are."""

    def guesses(self) -> Iterator[dict[str, Function]]:
        """Yield functions to be refined, the shortest first."""


def _swept(loops: Loops, ranges: Mapping[str, tuple[float, float]], poses: int) -> _Sweep:
    names = loops.independent
    if len(names) == 1 and not ranges.get(names[0]):
        return _Turn(loops, poses)
    for name in names:
        if name not in ranges:
            raise ModelError(f"embed: give a range for '{name}'; only a single coordinate is swept over a full turn")
    if len(names) == 1:
        return _Range(loops, ranges[names[0]], poses)
    return _Box(loops, [ranges[name] for name in names], poses)


def _refined(loops: Loops, sweep: _Sweep, poses: int, method: Method, tolerance: float) -> Embedding:
    """Return the embedding by the shortest guess that is refined well enough, else by the best of all."""
    best: Embedding | None = None
    for functions in sweep.guesses():
        found = loops.embedded(functions, sweep.checks, poses, method)
        if best is None or not _worst(best) <= _worst(found):
            best = found
        if _worst(found) <= tolerance:
            break
    assert best is not None
    return best


def _worst(embedding: Embedding) -> float:
    return max(embedding.errors.values())


class _Turn:
    """A full turn of the one independent coordinate, which gives Fourier series."""

    def __init__(self, loops: Loops, poses: int) -> None:
        self._loops = loops
        self._start = float(loops.start[loops.free][0])
        angles = self._start + _TURN * np.arange(2 * poses + 1) / (2 * poses)
        found = loops.sweep(angles[:, None])
        self.checks = found[1::2]
        self._slopes: dict[str, float] = {}
        self._spectra: dict[str, Any] = {}
        for name in loops.dependent:
            values = found[:, loops.equations.coordinates.index(name)]
            turns = (values[-1] - values[0]) / _TURN
            if abs(turns - round(turns)) > 1e-9:
                raise SolveError(
                    f"'{loops.model.name}': after a full turn of '{loops.independent[0]}', '{name}' does not return "
                    f"to its start; the mechanism changed branch. Give a range instead of a full turn"
                )
            self._slopes[name] = float(round(turns))
            # Every other pose is fitted, the ones between are left to judge the fit.
            spectrum = np.fft.rfft((values - self._slopes[name] * angles)[:-1:2]) / poses
            self._spectra[name] = spectrum * np.exp(-1j * np.arange(len(spectrum)) * self._start)

    def fit(self, tolerance: float) -> dict[str, Function]:
        return {name: self._series(name, self._length(name, tolerance)) for name in self._spectra}

    def guesses(self) -> Iterator[dict[str, Function]]:
        for harmonics in _HARMONICS:
            yield {name: self._series(name, harmonics + 1) for name in self._spectra}

    def _length(self, name: str, tolerance: float) -> int:
        sizes = np.abs(self._spectra[name])
        # What is left out must not disturb accelerations either: it counts with the square of its order.
        tails = np.cumsum((sizes * np.arange(len(sizes)) ** 2)[::-1])[::-1]
        short = np.flatnonzero(tails < tolerance)
        return max(int(short[0]) if len(short) else len(sizes), 2)

    def _series(self, name: str, length: int) -> Fourier:
        spectrum = self._spectra[name]
        kept = spectrum[1:length]
        return Fourier(
            coordinate=self._loops.independent[0],
            period=_TURN,
            mean=float(spectrum[0].real),
            slope=self._slopes[name],
            cosines=tuple(float(2 * c.real) for c in kept),
            sines=tuple(float(-2 * c.imag) for c in kept),
        )


class _Box:
    """Ranges of several independent coordinates, which give polynomials."""

    def __init__(self, loops: Loops, limits: Sequence[tuple[float, float]], poses: int) -> None:
        rng = np.random.default_rng(0)
        lows, highs = np.array(limits).T
        # Chebyshev-like density towards the walls keeps the fit even.
        unit = (1 - np.cos(np.pi * rng.random((2 * poses, len(limits))))) / 2
        points = lows + unit * (highs - lows)
        self._take(loops, np.array([loops.sweep(np.array([point]))[0] for point in points]), poses)

    def _take(self, loops: Loops, found: Floats, poses: int) -> None:
        self._loops = loops
        self._poses, self.checks = found[:poses], found[poses:]

    def fit(self, tolerance: float) -> dict[str, Function]:
        return {name: self._lowest(name, tolerance)[0] for name in self._loops.dependent}

    def guesses(self) -> Iterator[dict[str, Function]]:
        for degree in range(1, _MOST_DEGREES + 1):
            if degree > 1 and 2 * len(self._powers(degree)) > len(self._poses):
                return
            yield {name: self._polynomial(name, degree)[0] for name in self._loops.dependent}

    def _lowest(self, name: str, tolerance: float) -> tuple[Polynomial, float]:
        """Return the polynomial of the lowest degree that suffices, else the best, and its error."""
        best: tuple[Polynomial, float] | None = None
        for degree in range(1, _MOST_DEGREES + 1):
            if degree > 1 and 2 * len(self._powers(degree)) > len(self._poses):
                break
            found = self._polynomial(name, degree)
            best = found if best is None or found[1] < best[1] else best
            # Slopes and curvatures lose about so much each.
            if best[1] * degree**2 < tolerance:
                break
        assert best is not None
        return best

    def _powers(self, degree: int) -> list[tuple[int, ...]]:
        return [p for p in np.ndindex(*(degree + 1,) * len(self._loops.independent)) if sum(p) <= degree]

    def _polynomial(self, name: str, degree: int) -> tuple[Polynomial, float]:
        """Return the polynomial of a degree that fits best, and its largest error where it was fitted."""
        names, order = self._loops.independent, self._loops.equations.coordinates
        points = self._poses[:, [order.index(n) for n in names]]
        values = self._poses[:, order.index(name)]
        powers = self._powers(degree)
        matrix = np.prod([points[:, [k]] ** np.array([p[k] for p in powers]) for k in range(len(names))], axis=0)
        scale = np.maximum(np.max(np.abs(matrix), axis=0), 1e-300)
        solution, *_ = np.linalg.lstsq(matrix / scale, values, rcond=None)
        error = float(np.max(np.abs(matrix / scale @ solution - values)))
        terms = tuple(Term(coefficient=float(c), powers=p) for c, p in zip(solution / scale, powers, strict=True))
        return Polynomial(of=names, terms=terms), error


class _Range(_Box):
    """A range of the one independent coordinate: a polynomial, or a spline where none is good enough."""

    def __init__(self, loops: Loops, limits: tuple[float, float], poses: int) -> None:
        low, high = limits
        self._knots = np.linspace(low, high, poses + 1)
        angles = np.pi * (np.arange(poses) + 0.5) / poses
        crowded = np.sort(low + (1 - np.cos(angles)) / 2 * (high - low))
        middles = (self._knots[1:] + self._knots[:-1]) / 2
        every = np.union1d(np.union1d(self._knots, crowded), middles)
        found = _from_the_start(loops, every)
        self._splined = found[np.searchsorted(every, self._knots)]
        fitted, judged = (found[np.searchsorted(every, part)] for part in (crowded, middles))
        self._take(loops, np.vstack([fitted, judged]), poses)

    def fit(self, tolerance: float) -> dict[str, Function]:
        functions: dict[str, Function] = {}
        for name in self._loops.dependent:
            functions[name], error = self._lowest(name, tolerance)
            if error > tolerance:
                values = self._splined[:, self._loops.equations.coordinates.index(name)]
                functions[name] = Spline(
                    coordinate=self._loops.independent[0], x=tuple(map(float, self._knots)), y=tuple(map(float, values))
                )
        return functions


def _from_the_start(loops: Loops, values: Floats) -> Floats:
    """Return poses over a range, followed upwards and downwards from the start so that the branch is its own."""
    start = float(loops.start[loops.free][0])
    if not values[0] <= start <= values[-1]:
        raise ModelError(
            f"embed: the default {start:g} of '{loops.independent[0]}' lies outside the range "
            f"[{values[0]:g}, {values[-1]:g}]; the branch to follow is that of the default pose"
        )
    above, below = values[values >= start], values[values < start][::-1]
    upper = loops.sweep(above[:, None]) if len(above) else np.empty((0, len(loops.free)))
    lower = loops.sweep(below[:, None]) if len(below) else np.empty((0, len(loops.free)))
    return np.vstack([lower[::-1], upper])
