"""Closed loops without multipliers: dependent coordinates become functions of the independent ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from myodyne.equations import Equations, equations_of
from myodyne.errors import ModelError, SolveError, listed, unknown_name
from myodyne.model import Fourier, Function, Model, Named, Polynomial, SpeedConstraint, Spline, Term
from myodyne.numerics.implicit_functions import ImplicitFunctions
from myodyne.simulate.constrained import consistent_state

Floats = NDArray[np.float64]

_TURN = 2 * np.pi
# Functions that miss the loops by more than this (rad or m) would make another mechanism.
_ACCEPTED = 1e-5


@dataclass(frozen=True)
class Embedding:
    """A model whose loops are embedded, and how well its joint functions meet the loops.

    ``errors`` holds, by coordinate, the largest error of the function between the poses it was fitted to;
    ``loop_error`` (m or rad) is what is left of the loops there.

    Examples
    --------
    >>> import myodyne as my
    >>> mechanism = my.embed(my.load_model("four_bar"), "theta1", {"theta1": (0.5, 1.0)})      # rad
    >>> sorted(mechanism.errors), mechanism.loop_error < 1e-6
    (['theta2', 'theta3'], True)
    """

    model: Model
    errors: Mapping[str, float]
    loop_error: float
    poses: int


def embed(
    model: Model,
    independent: str | Sequence[str],
    ranges: Mapping[str, tuple[float, float]] | None = None,
    *,
    poses: int = 512,
    tolerance: float = 1e-10,
) -> Embedding:
    """Return the model with its constraints replaced by joint functions of the independent coordinates.

    The loops are solved over the range of the independent coordinates, from the model's default pose onwards,
    so that one branch is followed. One coordinate without a range is swept over a full turn and gives Fourier
    series; with a range it gives splines; several give polynomials over their ranges. The result simulates as
    an ordinary differential equation. Beyond its ranges, which it bears in its coordinates, it means nothing.
    Constraints on speeds are no loops: they are kept.

    Parameters
    ----------
    model
        A model whose kept constraints determine all other coordinates.
    independent
        The coordinate, or coordinates, that stay free.
    ranges
        Range of each independent coordinate (rad or m).
    poses
        Number of poses at which the loops are solved.
    tolerance
        Error at which a series is long enough. Functions that miss the loops by more than that, and by more than
        1e-5 (rad or m), are refused.

    Examples
    --------
    >>> import myodyne as my
    >>> mechanism = my.embed(my.load_model("andrews_squeezer"), "beta")
    >>> mechanism.model.moving
    ('beta',)
    """
    names = (independent,) if isinstance(independent, str) else tuple(independent)
    _check_ranges(ranges or {}, names)
    loops = _Loops(model, names, ranges or {})
    found = _fitted(loops, names, ranges, poses, tolerance)
    worst = max(found.errors, key=lambda name: found.errors[name])
    if found.errors[worst] > max(tolerance, _ACCEPTED):
        raise SolveError(
            f"the joint functions of '{model.name}' miss the loops: '{worst}' by {found.errors[worst]:.3g}. Give "
            "smaller ranges or more poses, or accept it with a larger tolerance"
        )
    return found


def _check_ranges(ranges: Mapping[str, tuple[float, float]], names: tuple[str, ...]) -> None:
    for name, (low, high) in ranges.items():
        if name not in names:
            raise ModelError("embed, ranges: " + unknown_name("independent coordinate", name, names))
        if not low < high:
            raise ModelError(f"embed: the range of '{name}' must rise, but it goes from {low:g} to {high:g}")


def _fitted(
    loops: _Loops,
    names: tuple[str, ...],
    ranges: Mapping[str, tuple[float, float]] | None,
    poses: int,
    tolerance: float,
) -> Embedding:
    if len(names) == 1 and not (ranges or {}).get(names[0]):
        return _over_a_turn(loops, poses, tolerance)
    for name in names:
        if name not in (ranges or {}):
            raise ModelError(f"embed: give a range for '{name}'; only one coordinate alone is swept over a full turn")
    assert ranges is not None
    if len(names) == 1:
        return _over_a_range(loops, ranges[names[0]], poses)
    return _over_a_box(loops, [ranges[name] for name in names], poses, tolerance)


class _Loops:
    """The loop equations of a model, solved for the dependent coordinates."""

    def __init__(self, model: Model, independent: tuple[str, ...], ranges: Mapping[str, tuple[float, float]]) -> None:
        # A speed that is prescribed closes no loop. It stays, also on a coordinate that follows another one.
        driven = {name: part for name, part in model.constraints.items() if isinstance(part, SpeedConstraint)}
        if len(driven) == len(model.constraints):
            raise ModelError(f"'{model.name}' has no constraints to embed")
        for name in independent:
            if name not in model.moving:
                raise ModelError("embed: " + unknown_name("coordinate that can move", name, model.moving))
        self.model = model
        self.driven, self.ranges = driven, ranges
        self.independent = independent
        self.equations: Equations = equations_of(model.without(*driven) if driven else model, compiled=False)
        self.free = np.array([name in independent for name in self.equations.coordinates])
        self.dependent = tuple(n for n in self.equations.coordinates if n not in independent)
        pose = self.equations.state()[: len(self.free)]
        resting = np.concatenate([pose, np.zeros_like(pose)])
        # Refuses loops that cannot close, and rows that repeat each other, by name.
        self.start = consistent_state(self.equations, resting, frozenset(independent))[0][: len(self.free)]
        rows = len(self.equations.multipliers)
        if rows != len(self.dependent):
            raise ModelError(
                f"'{model.name}': {rows} rows of constraints cannot determine the {len(self.dependent)} coordinates "
                f"{listed(self.dependent)}; choose {len(self.equations.coordinates) - rows} independent coordinates"
            )
        self.functions = ImplicitFunctions(self._residual, self.dependent, jacobians=self._jacobians)

    def _residual(self, f: Any, q: Any) -> Floats:
        return self.equations.constraint_errors(self._together(f, q), np.zeros(len(self.free)))[0]

    def _jacobians(self, f: Any, q: Any) -> tuple[Floats, Floats]:
        jacobian = self.equations.constraint_errors(self._together(f, q), np.zeros(len(self.free)))[2]
        return jacobian[:, ~self.free], jacobian[:, self.free]

    def _together(self, f: Any, q: Any) -> Floats:
        pose = np.empty(len(self.free))
        pose[~self.free], pose[self.free] = np.real(f), np.real(q)
        return pose

    def sweep(self, values: Floats) -> Floats:
        """Return all coordinates along a path of independent ones, (k, m) to (k, n), from the start onwards."""
        begin = self.start[self.free]
        path = values if np.allclose(values[0], begin, rtol=0, atol=1e-12) else np.vstack([begin, values])
        try:
            found = self.functions.sweep(path, self.start[~self.free])
        except SolveError as error:
            raise SolveError(
                f"the loops of '{self.model.name}' cannot be followed over {listed(self.independent)}: {error}"
            ) from None
        poses = np.array([self._together(f, q) for f, q in zip(found, path, strict=True)])
        return poses[len(path) - len(values) :]

    def embedded(self, functions: Mapping[str, Function], checks: Floats, poses: int) -> Embedding:
        """Return the model with these joint functions, tested at poses that they were not fitted to."""
        changes: dict[str, dict[str, Any]] = {name: {"coupled": function} for name, function in functions.items()}
        changes |= {name: {"range": (float(low), float(high))} for name, (low, high) in self.ranges.items()}
        joints = {}
        for name, joint in self.model.joints.items():
            coordinates = {c: part.model_copy(update=changes.get(c, {})) for c, part in joint.coordinates.items()}
            joints[name] = joint.model_copy(update={"coordinates": Named(coordinates)})
        fields = {field: getattr(self.model, field) for field in type(self.model).model_fields}
        embedded = Model(**{**fields, "joints": joints, "constraints": self.driven})
        mine = equations_of(embedded, compiled=False)
        states = np.zeros((len(checks), len(mine.states)))
        for column, name in enumerate(mine.coordinates):
            states[:, column] = checks[:, self.equations.coordinates.index(name)]
        values = mine.output_values(states, np.zeros_like(states), np.zeros((len(checks), len(mine.controls))))
        predicted = checks.copy()
        errors = {}
        for name in self.dependent:
            column = self.equations.coordinates.index(name)
            predicted[:, column] = values[:, mine.outputs.index(name)]
            errors[name] = float(np.max(np.abs(predicted[:, column] - checks[:, column])))
        left = self.equations.constraint_errors(predicted, np.zeros_like(predicted))[0]
        return Embedding(embedded, errors, float(np.max(np.abs(left))), poses)


def _over_a_turn(loops: _Loops, poses: int, tolerance: float) -> Embedding:
    """Return Fourier series over a full turn of the one independent coordinate."""
    start = float(loops.start[loops.free][0])
    angles = start + _TURN * np.arange(2 * poses + 1) / (2 * poses)
    found = loops.sweep(angles[:, None])
    functions: dict[str, Function] = {}
    for name in loops.dependent:
        values = found[:, loops.equations.coordinates.index(name)]
        turns = (values[-1] - values[0]) / _TURN
        if abs(turns - round(turns)) > 1e-9:
            raise SolveError(
                f"'{loops.model.name}': after a full turn of '{loops.independent[0]}', '{name}' does not return; "
                "the mechanism changed its branch. Give a range instead of a full turn"
            )
        slope = float(round(turns))
        # Every other pose is fitted, the ones between are left to judge the fit.
        spectrum = np.fft.rfft((values - slope * angles)[:-1:2]) / poses
        functions[name] = _series(loops.independent[0], slope, spectrum, start, tolerance)
    return loops.embedded(functions, found[1::2], poses)


def _series(coordinate: str, slope: float, spectrum: Any, start: float, tolerance: float) -> Fourier:
    """Return a Fourier series from the spectrum of samples that begin at ``start``, as long as need be."""
    turned = spectrum * np.exp(-1j * np.arange(len(spectrum)) * start)
    sizes = np.abs(turned)
    # What is left out must not disturb accelerations either: it counts with the square of its order.
    tails = np.cumsum((sizes * np.arange(len(sizes)) ** 2)[::-1])[::-1]
    short = np.flatnonzero(tails < tolerance)
    length = max(int(short[0]) if len(short) else len(sizes), 2)
    kept = turned[1:length]
    return Fourier(
        coordinate=coordinate, period=_TURN, mean=float(turned[0].real), slope=slope,
        cosines=tuple(float(2 * c.real) for c in kept), sines=tuple(float(-2 * c.imag) for c in kept),
    )


def _over_a_range(loops: _Loops, limits: tuple[float, float], poses: int) -> Embedding:
    """Return splines over a range of the one independent coordinate."""
    low, high = limits
    values = np.linspace(low, high, 2 * poses + 1)
    found = _from_the_start(loops, values)
    coordinate = loops.independent[0]
    functions: dict[str, Function] = {
        name: Spline(
            coordinate=coordinate, x=tuple(map(float, values[::2])),
            y=tuple(map(float, found[::2, loops.equations.coordinates.index(name)])),
        )
        for name in loops.dependent
    }
    return loops.embedded(functions, found[1::2], poses)


def _from_the_start(loops: _Loops, values: Floats) -> Floats:
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


def _over_a_box(loops: _Loops, limits: Sequence[tuple[float, float]], poses: int, tolerance: float) -> Embedding:
    """Return polynomials over ranges of several independent coordinates, of the lowest degree that suffices."""
    rng = np.random.default_rng(0)
    lows, highs = np.array(limits).T
    # Chebyshev-like density towards the walls keeps the fit even.
    unit = (1 - np.cos(np.pi * rng.random((2 * poses, len(limits))))) / 2
    points = lows + unit * (highs - lows)
    found = np.array([loops.sweep(np.array([point]))[0] for point in points])
    inner = np.array([loops.equations.coordinates.index(name) for name in loops.independent])
    given = found[:, inner]
    fitted, judged = slice(0, poses), slice(poses, None)
    functions: dict[str, Function] = {}
    for name in loops.dependent:
        values = found[:, loops.equations.coordinates.index(name)]
        functions[name] = _polynomial(loops.independent, given[fitted], values[fitted], tolerance)
    return loops.embedded(functions, found[judged], poses)


def _polynomial(names: tuple[str, ...], points: Floats, values: Floats, tolerance: float) -> Polynomial:
    best: tuple[float, Any, Any] | None = None
    for degree in range(1, 21):
        powers = [p for p in np.ndindex(*(degree + 1,) * len(names)) if sum(p) <= degree]
        if 2 * len(powers) > len(points):
            break
        matrix = np.prod([points[:, [k]] ** np.array([p[k] for p in powers]) for k in range(len(names))], axis=0)
        scale = np.maximum(np.max(np.abs(matrix), axis=0), 1e-300)
        solution, *_ = np.linalg.lstsq(matrix / scale, values, rcond=None)
        error = float(np.max(np.abs(matrix / scale @ solution - values)))
        if best is None or error < best[0]:
            best = (error, solution / scale, powers)
        if error < tolerance:
            break
    assert best is not None
    terms = tuple(Term(coefficient=float(c), powers=p) for c, p in zip(best[1], best[2], strict=True))
    return Polynomial(of=names, terms=terms)
