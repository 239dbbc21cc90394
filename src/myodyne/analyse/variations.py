"""How a simulated movement changes with numbers of its model and with its initial state: the variational equations.

The equations of motion ``F(x, x', u, p) = 0`` give rates ``x' = f(x, t, p)``. A number ``p`` moves the states by
``S = dx/dp``, which obeys ``S' = A S + B`` with ``A = df/dx`` and ``B = df/dp`` from the exact Jacobians of F. Radau's
scheme of order five carries S along the movement: it is L-stable, so fast fibres do not shorten its steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from myodyne.equations import Equations
from myodyne.errors import SolveError
from myodyne.numerics.collocation import radau_points
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.numerics.schemes import DOP853, Rosenbrock, Scheme
from myodyne.simulate.marches import march_of
from myodyne.types import Floats

# The movement between the instants is marched to this accuracy.
_ACCURACY = 1e-10
# Steps between instants are halved until the slopes change by less than this share of the largest, at most so often.
# Corners in muscle curves and contacts slow this down; slopes that still change by more than a hundredth are refused.
_CONVERGED, _HALVINGS, _ACCEPTED = 1e-5, 5, 1e-2
# Directional differences of outputs, which are closed-form functions: a cube root of rounding, relative to the states.
_STEP = 6e-6
# Rates of controls are taken over this time (s) on both sides.
_SOON = 1e-6


@dataclass(frozen=True, eq=False)
class Variations:
    """A movement at some instants and its derivatives.

    Parameters
    ----------
    time : the instants (s).
    states : the motion, a row for each instant.
    slopes : derivatives of the motion by each number: instants, states, numbers.
    change : by how much halving the steps last changed the slopes, relative to the largest.
    """

    time: Floats
    states: Floats
    slopes: Floats
    change: float


@dataclass(frozen=True, eq=False)
class Direction:
    """What one varied number changes.

    Parameters
    ----------
    first : the derivatives of the initial motion.
    parameter : which free number of the equations it is, if any.
    controls : the derivatives of the controls over time, if it changes them.
    """

    first: Floats
    parameter: int | None = None
    controls: Callable[[Floats], Floats] | None = None


@dataclass(frozen=True, eq=False)
class VariedMovement:
    """A movement and the numbers that vary it.

    Parameters
    ----------
    equations : the equations, varied numbers free.
    controls : the controls over time.
    first : the initial motion.
    directions : what each number changes.
    """

    equations: Equations
    controls: PiecewisePolynomial
    first: Floats
    directions: Sequence[Direction]

    def along(self, instants: Floats) -> Variations:
        """Return the derivatives of the motion at some instants (s), the first of which is its beginning."""
        nodes = np.union1d(instants, self._breaks(instants))
        found = self._on(nodes, instants)
        for _ in range(_HALVINGS):
            nodes = np.union1d(nodes, (nodes[:-1] + nodes[1:]) / 2)
            finer = self._on(nodes, instants)
            scale = np.max(np.abs(finer.slopes), axis=0)
            # States that a number does not reach have slopes of rounding.
            scale = np.maximum(scale, 1e-6 * np.max(scale, axis=0, initial=1e-300))
            change = np.abs(finer.slopes - found.slopes) / scale
            found = Variations(finer.time, finer.states, finer.slopes, float(change.max(initial=0.0)))
            if found.change < _CONVERGED:
                break
        if found.change < _ACCEPTED:
            return found
        raise SolveError(
            f"the slopes still change by {found.change:.1g} when steps are halved, at {len(nodes)} instants: the "
            "movement is too rough for linear sensitivities; use my.OneAtATime(part=0.01)"
        )

    def _breaks(self, instants: Floats) -> Floats:
        """Return the jumps and corners of the controls within the movement: no step goes across them."""
        breaks = np.asarray(self.controls.breaks, dtype=float)
        inside: Floats = breaks[(breaks > instants[0]) & (breaks < instants[-1])]
        return inside

    def _on(self, nodes: Floats, instants: Floats) -> Variations:
        lengths = np.diff(nodes)
        points, weights = _radau()
        times = (nodes[:-1, None] + lengths[:, None] * points[None, :]).ravel()
        states = self._marched(nodes[0], times)
        # The last stage is on the end of its step, where a control may jump: it sees the value before.
        a, b = self._rates_by(np.nextafter(times, -np.inf), states)
        slopes = _carried(np.stack([one.first for one in self.directions], axis=-1), lengths, a, b, weights)
        kept = np.searchsorted(nodes, instants)
        ends = np.vstack([self.first, states[len(points) - 1 :: len(points)]])
        return Variations(instants, ends[kept], slopes[kept], np.inf)

    def _marched(self, begin: float, times: Floats) -> Floats:
        """Return the motion at some times, by error-controlled steps."""
        equations = self.equations
        # Implicit marches carry the forces of constraints along, which only `simulate` begins.
        implicit = bool(equations.muscles) and not equations.multipliers
        scheme: Scheme = (Rosenbrock if implicit else DOP853)(relative=_ACCURACY, absolute=_ACCURACY)
        advance = march_of(scheme, equations, self.controls).advance(begin, np.append(self.first, 0.0), times)
        if advance.failure is not None or len(advance.states) < len(times):
            raise SolveError(f"the movement cannot be followed beyond {times[len(advance.states)]:.6g} s")
        return np.asarray(advance.states)[:, : len(equations.motion)]

    def _rates_by(self, times: Floats, states: Floats) -> tuple[Floats, Floats]:
        """Return the derivatives of the rates by the motion and by the numbers, at each of many states.

        Multipliers stand among the states of the residual, but they have no rates: they are solved for with the rates.
        """
        equations, size, u = self.equations, states.shape[1], self.controls(times)
        whole, rates = _residual_rows(equations, states, u)
        by_x, by_xdot, by_u = equations.jacobians(whole, rates, u)
        given = self._given(
            times, states, equations.parameter_jacobian(whole, rates, u) if self._numbers else None, by_u
        )
        a, b = np.empty((len(states), size, size)), np.empty((len(states), size, len(self.directions)))
        for n in range(len(states)):
            x, rate = by_x[n].toarray(), by_xdot[n].toarray()
            unknown = np.hstack([rate[:, :size], x[:, size:]])
            try:
                solved = -np.linalg.solve(unknown, np.hstack([x[:, :size], given[n]]))[:size]
            except np.linalg.LinAlgError:
                raise SolveError("the rates of the movement are not determined, so it has no slopes") from None
            a[n], b[n] = solved[:, :size], solved[:, size:]
        return a, b

    @property
    def _numbers(self) -> bool:
        return any(one.parameter is not None for one in self.directions)

    def _given(self, times: Floats, states: Floats, by_p: Sequence[Any] | None, by_u: Sequence[Any]) -> Floats:
        """Return the derivatives of the residual by each number at fixed motion: states, rows, numbers."""
        found = np.zeros((len(states), len(self.equations.states), len(self.directions)))
        for k, one in enumerate(self.directions):
            if one.parameter is not None and by_p is not None:
                for n, matrix in enumerate(by_p):
                    found[n, :, k] = matrix[:, [one.parameter]].toarray()[:, 0]
            if one.controls is not None:
                changes = one.controls(times)
                for n, matrix in enumerate(by_u):
                    found[n, :, k] += matrix @ changes[n]
        return found

    def outputs(self, found: Variations) -> tuple[Floats, Floats]:
        """Return the derivatives of all outputs by each number (instants, outputs, numbers), and by time.

        Outputs are functions of the motion, the controls and the numbers; their derivatives along the slopes are taken
        by differences.
        """
        p = np.asarray(self.equations.numbers, dtype=float)
        # A movement that an event ends is seen just before, and so is a control that jumps at the end.
        time = np.append(found.time[:-1], np.nextafter(found.time[-1], -np.inf))
        u = self.controls(time)
        columns = []
        for k, one in enumerate(self.directions):
            slopes, along = found.slopes[:, :, k], np.zeros_like(p)
            changes = np.zeros_like(u) if one.controls is None else one.controls(time)
            size = np.inf
            if one.parameter is not None:
                along[one.parameter], size = 1.0, max(abs(float(p[one.parameter])), 1e-3)
            step = _step(slopes, changes, np.array([1.0 / size]))
            columns.append(self._difference(found.states, u, p, (slopes, changes, along), step))
        rates = self.equations.derivative(found.states, u)
        later = (self.controls(time + _SOON) - self.controls(time - _SOON)) / (2 * _SOON)
        by_time = self._difference(found.states, u, p, (rates, later, np.zeros_like(p)), _step(rates))
        return np.stack(columns, axis=-1), by_time

    def _difference(
        self, states: Floats, u: Floats, p: Floats, along: tuple[Floats, Floats, Floats], step: float
    ) -> Floats:
        """Return the derivative of all outputs along changes of states, controls and numbers."""
        sides = []
        for h in (step, -step):
            row_states, row_u, row_p = states + h * along[0], u + h * along[1], p + h * along[2]
            sides.append(
                self.equations.output_values(*_residual_rows(self.equations, row_states, row_u, row_p), row_u, row_p)
            )
        found: Floats = (sides[0] - sides[1]) / (2 * step)
        return found


def _residual_rows(equations: Equations, states: Floats, u: Floats, p: Floats | None = None) -> tuple[Floats, Floats]:
    """Return states with multipliers, and rates, of the motion at many instants."""
    own = equations.numbers if p is None else p
    rates, forces = equations.kernel("derivative")(states, u, own)
    forces = forces[:, : len(equations.multipliers)]
    return np.hstack([states, forces]), np.hstack([rates[:, : states.shape[1]], np.zeros_like(forces)])


def _step(*changes: Floats) -> float:
    return _STEP / max(1e-9, *(float(np.max(np.abs(one), initial=0.0)) for one in changes))


@cache
def _radau() -> tuple[Floats, Floats]:
    """Return three points of a step from 0 to 1, and the weights with which rates there add up to the stages."""
    points, powers = radau_points(3), np.arange(3)
    weights: Floats = points[:, None] ** (powers + 1) / (powers + 1) @ np.linalg.inv(points[:, None] ** powers)
    return points, weights


def _carried(first: Floats, lengths: Floats, a: Floats, b: Floats, weights: Floats) -> Floats:
    """Return the slopes at the nodes: Radau's scheme on ``S' = A S + B``, which is linear, step by step."""
    stages, size = len(weights), a.shape[1]
    found = np.empty((len(lengths) + 1, *first.shape))
    found[0] = first
    for n, length in enumerate(lengths):
        own_a, own_b = a[stages * n : stages * (n + 1)], b[stages * n : stages * (n + 1)]
        # Stage rates K: K_i - h sum_j w_ij A_i K_j = A_i S + B_i.
        matrix = np.eye(stages * size) - length * np.einsum("ij,ikl->ikjl", weights, own_a).reshape(
            stages * size, stages * size
        )
        right = (own_a @ found[n] + own_b).reshape(stages * size, -1)
        rates = np.linalg.solve(matrix, right).reshape(stages, size, -1)
        # The last stage is the end of the step.
        found[n + 1] = found[n] + length * np.einsum("j,jkl->kl", weights[-1], rates)
    return found
