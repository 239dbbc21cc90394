"""Collocation: schemes as conditions on all intervals of a mesh at once, instead of steps one after the other.

An interval of a mesh has points, the first and the last being nodes that it shares with its neighbours. The states and
controls at the points are unknowns. At some instants of the interval, its stages, the differential equations must
hold; there the state, its slope and the controls are linear combinations of those at the points.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from myodyne.errors import ModelError, listed
from myodyne.numerics.schemes import BackwardEuler, Midpoint, Radau
from myodyne.types import Floats


@dataclass(frozen=True)
class Trapezoid:
    """The equations hold at all nodes, and the mean slope of two nodes leads from one to the next: order 2.

    Examples
    --------
    >>> Trapezoid().order
    2
    """

    order: ClassVar[int] = 2


@dataclass(frozen=True)
class HermiteSimpson:
    """The equations hold at nodes and midpoints; between the nodes the state is a cubic: order 4.

    Controls at midpoints are the mean of those at the nodes.

    Examples
    --------
    >>> HermiteSimpson().order
    4
    """

    order: ClassVar[int] = 4


Transcription = BackwardEuler | Midpoint | Trapezoid | HermiteSimpson | Radau


@dataclass(frozen=True, eq=False)
class Stage:
    """One instant of an interval, at the fraction ``at`` of it.

    Parameters
    ----------
    state, slope, control : (points,) weights of the values at the points. The slope is the derivative by the
        fraction of the interval; where points have rates of their own, ``slope`` selects among these.
    weight : in integrals over the interval; 0 for stages that do not enter them.
    dynamic : whether the differential equations must hold here.
    """

    at: float
    state: Floats
    slope: Floats
    control: Floats
    weight: float = 0.0
    dynamic: bool = False


@dataclass(frozen=True, eq=False)
class Collocation:
    """The conditions of a scheme on one interval.

    Parameters
    ----------
    points : fractions of the interval at which there are unknowns, from 0 to 1.
    controlled : whether each point has controls of its own.
    rated : whether the points have rates as unknowns beside their states.
    stages : the instants at which equations hold or goals are measured.
    first : the stage at the start of the interval; what must hold at nodes holds there in the first interval too.
    joined, joined_rates : (rows, points) each row a condition: the states weighted by ``joined``, minus the
        rates weighted by ``joined_rates`` times the length of the interval, sum to zero.
    order : the power of the interval with which errors at the nodes fall.
    """

    points: Floats
    controlled: tuple[bool, ...]
    rated: bool
    stages: tuple[Stage, ...]
    first: Stage
    joined: Floats
    joined_rates: Floats
    order: int

    @property
    def frees_first_control(self) -> bool:
        """Whether no equation depends on the controls of the very first point."""
        return not any(stage.control[0] for stage in self.stages if stage.dynamic) and not self.first.dynamic

    @property
    def misses_alternation(self) -> bool:
        """Whether equations see means of neighbours only, so that states may alternate from node to node."""
        return len(self.points) == 2 and not any(stage.state @ [1.0, -1.0] for stage in self.stages if stage.dynamic)


@cache
def collocation_of(scheme: Transcription) -> Collocation:
    """Return the conditions of a scheme on one interval.

    Examples
    --------
    >>> collocation_of(Radau(degree=2)).points.round(4)
    array([0.    , 0.3333, 1.    ])
    """
    if isinstance(scheme, BackwardEuler):
        return _at_points([1.0], scheme.order)
    if isinstance(scheme, Radau):
        return _at_points(radau_points(scheme.degree), scheme.order)
    if isinstance(scheme, Midpoint):
        return _midpoint()
    if isinstance(scheme, Trapezoid):
        return _with_rates([0.0, 1.0], [0.5, 0.5], [[-1.0, 1.0]], [[0.5, 0.5]], scheme.order)
    if isinstance(scheme, HermiteSimpson):
        joined = [[-1.0, 0.0, 1.0], [-0.5, 1.0, -0.5]]
        rates = [[1 / 6, 4 / 6, 1 / 6], [1 / 8, 0.0, -1 / 8]]
        return _with_rates([0.0, 0.5, 1.0], [1 / 6, 4 / 6, 1 / 6], joined, rates, scheme.order)
    names = ["my.BackwardEuler()", "my.Midpoint()", "my.Trapezoid()", "my.HermiteSimpson()", "my.Radau(degree=3)"]
    raise ModelError(f"optimal control takes one of {listed(names)}, not {scheme!r:.60}")


def radau_points(degree: int) -> Floats:
    """Return the Radau points of an interval from 0 to 1, the last of them 1.

    They are the roots of the difference of two Legendre polynomials of consecutive degrees.

    Examples
    --------
    >>> radau_points(2).round(6)
    array([0.333333, 1.      ])
    """
    from numpy.polynomial.legendre import Legendre

    difference = Legendre.basis(degree) - Legendre.basis(degree - 1)
    points = np.sort(np.real(difference.roots()))
    # Newton steps recover the digits that the eigenvalues of the companion matrix lose.
    for _ in range(3):
        points = points - difference(points) / difference.deriv()(points)
    points = (points + 1) / 2
    points[-1] = 1.0
    return points


def _at_points(at: ArrayLike, order: int) -> Collocation:
    """Return the scheme in which the polynomial through all points obeys the equations at all but the first."""
    points = np.concatenate([[0.0], np.asarray(at, dtype=float)])
    slopes = _differentiation(points)
    weights = _integration(points[1:])
    unit = np.eye(len(points))
    stages = tuple(
        Stage(float(points[i]), unit[i], slopes[i], unit[i], float(weights[i - 1]), dynamic=True)
        for i in range(1, len(points))
    )
    first = Stage(0.0, unit[0], slopes[0], unit[0])
    none = np.zeros((0, len(points)))
    return Collocation(points, (True,) * len(points), False, stages, first, none, none, order)


def _midpoint() -> Collocation:
    half, chord = np.array([0.5, 0.5]), np.array([-1.0, 1.0])
    start, end = np.eye(2)
    # Goals are evaluated at the nodes: midpoints would not see controls that alternate from node to node.
    stages = (
        Stage(0.5, half, chord, half, dynamic=True),
        Stage(0.0, start, chord, start, weight=0.5),
        Stage(1.0, end, chord, end, weight=0.5),
    )
    none = np.zeros((0, 2))
    return Collocation(np.array([0.0, 1.0]), (True, True), False, stages, stages[1], none, none, 2)


def _with_rates(
    points: list[float], weights: list[float], joined: ArrayLike, rates: ArrayLike, order: int
) -> Collocation:
    """Return the scheme in which each point has rates that obey the equations, and a quadrature joins the points."""
    unit = np.eye(len(points))
    controlled = tuple(point in (0.0, 1.0) for point in points)
    controls = [
        row if own else np.eye(len(points))[[0, -1]].mean(axis=0) for row, own in zip(unit, controlled, strict=True)
    ]
    stages = tuple(
        Stage(point, unit[i], unit[i], controls[i], weights[i], dynamic=i > 0) for i, point in enumerate(points)
    )
    first = Stage(0.0, unit[0], unit[0], controls[0], dynamic=True)
    return Collocation(
        np.array(points),
        controlled,
        True,
        stages,
        first,
        np.array(joined, dtype=float),
        np.array(rates, dtype=float),
        order,
    )


def _differentiation(points: Floats) -> Floats:
    """Return the matrix that gives, from values at points, the slopes there of the polynomial through them."""
    gaps = points[:, None] - points[None, :] + np.eye(len(points))
    weights = 1 / np.prod(gaps, axis=1)
    matrix: Floats = weights[None, :] / weights[:, None] / gaps
    np.fill_diagonal(matrix, 0.0)
    np.fill_diagonal(matrix, -matrix.sum(axis=1))
    return matrix


def _integration(points: Floats) -> Floats:
    """Return the weights that integrate, from 0 to 1, the polynomial through values at points."""
    powers = np.arange(len(points))
    weights: Floats = np.linalg.solve(points[None, :] ** powers[:, None], 1.0 / (powers + 1.0))
    return weights
