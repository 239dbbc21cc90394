"""Lagrange's equations as numbers: mass matrix, bias and constraints at a state, and the resulting motion.

No formula is derived: the energies are computed with jets, which carry the derivatives that Lagrange's equations
consist of. So trees of any size can be evaluated, and SymPy is not needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from myodyne.errors import ModelError, SolveError, listed, unknown_name
from myodyne.formulations.lagrange.algebra.jets import (
    JetAlgebra,
    Number,
    gradient_of,
    hessian_of,
    value_of,
    variables,
)
from myodyne.formulations.lagrange.algebra.rates import Dual
from myodyne.formulations.lagrange.lists.checks import TIME, speed_name
from myodyne.formulations.lagrange.lists.description import Description
from myodyne.formulations.lagrange.lists.expressions import evaluate
from myodyne.formulations.lagrange.lists.records import Coincidence
from myodyne.formulations.lagrange.mechanics import Mechanics
from myodyne.types import Floats

_SINGULAR = 1e-12


@dataclass(frozen=True)
class Terms:
    """Every term of the equations at one state: ``M q̈ + c - Q = Gᵀ λ`` and ``G q̈ + γ = 0``."""

    mass_matrix: Floats
    bias: Floats
    applied: Floats
    constraint: Floats
    constraint_speed: Floats
    jacobian: Floats
    constraint_bias: Floats
    kinetic_energy: float
    potential_energy: float

    @staticmethod
    def of(pieces: Sequence[Floats], energies: Floats, size: int) -> Terms:
        """Return the terms from flat arrays in the order of the fields, and the energies."""
        mass, bias, applied, constraint, speed, jacobian, constraint_bias = pieces
        return Terms(
            mass.reshape(size, size),
            bias,
            applied,
            constraint,
            speed,
            jacobian.reshape(len(constraint), size),
            constraint_bias,
            float(energies[0]),
            float(energies[1]),
        )


@dataclass(frozen=True)
class ForwardDynamics:
    """Accelerations, multipliers, and the forces that drive prescribed coordinates, at one state."""

    accelerations: Floats
    multipliers: dict[str, float]
    driving: dict[str, float]


class NumericEquations:
    """The equations of a description as functions of numbers.

    Vectors ``q``, ``v`` and ``vdot`` are in the order of the description's coordinates, prescribed ones included.
    Get one from `numbers_of` or from `LagrangeEquations.numbers`.
    """

    def __init__(
        self,
        description: Description,
        parameters: Mapping[str, float],
        terms: Callable[[Floats, Floats, float, Mapping[str, float]], Terms],
    ) -> None:
        self.description = description
        self.parameters = dict(parameters)
        self.coordinates = tuple(description.coordinate_table)
        self._terms = terms
        self._free = [self.coordinates.index(name) for name in description.free]
        self._driven = [self.coordinates.index(name) for name in description.prescribed]

    def terms(
        self, q: ArrayLike, v: ArrayLike | None = None, t: float = 0.0, inputs: Mapping[str, float] | None = None
    ) -> Terms:
        """Return all terms of the equations at a state; speeds and inputs are zero by default."""
        q = self._vector("q", q)
        v = np.zeros_like(q) if v is None else self._vector("v", v)
        return self._terms(q, v, float(t), self._inputs(inputs))

    def mass_matrix(self, q: ArrayLike, t: float = 0.0) -> Floats:
        """Return ``M``."""
        return self.terms(q, t=t).mass_matrix

    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, vdot: ArrayLike, t: float = 0.0) -> Floats:
        """Return ``M q̈ + c``: the generalised forces that inputs and constraints must supply for a motion."""
        found = self.terms(q, v, t)
        return found.mass_matrix @ self._vector("vdot", vdot) + found.bias

    def residual(
        self, q: ArrayLike, v: ArrayLike, vdot: ArrayLike, inputs: Mapping[str, float] | None = None, t: float = 0.0
    ) -> Floats:
        """Return ``M q̈ + c - Q``, which the constraint forces balance."""
        found = self.terms(q, v, t, inputs)
        return found.mass_matrix @ self._vector("vdot", vdot) + found.bias - found.applied

    def motion(
        self,
        q: ArrayLike,
        v: ArrayLike,
        inputs: Mapping[str, float] | None = None,
        t: float = 0.0,
        prescribed: Mapping[str, float] | None = None,
    ) -> ForwardDynamics:
        """Return accelerations, multipliers and driving forces at a state.

        ``prescribed`` gives the accelerations of prescribed coordinates without a formula.
        """
        found = self.terms(q, v, t, inputs)
        names = list(self._constraint_names)
        size, rows, free = len(self.coordinates), len(names), self._free
        vdot = np.zeros(size)
        vdot[self._driven] = [self._given(name, t, prescribed) for name in self.description.prescribed]
        force = found.applied - found.bias - found.mass_matrix @ vdot
        jacobian = found.jacobian[:, free]
        system = np.zeros((len(free) + rows, len(free) + rows))
        system[: len(free), : len(free)] = found.mass_matrix[np.ix_(free, free)]
        system[: len(free), len(free) :] = -jacobian.T
        system[len(free) :, : len(free)] = jacobian
        right = np.concatenate([force[free], -found.constraint_bias - found.jacobian @ vdot])
        solved = self._solved(system, right, names)
        vdot[free] = solved[: len(free)]
        reactions = solved[len(free) :]
        left = found.mass_matrix @ vdot + found.bias - found.applied - found.jacobian.T @ reactions
        driving = {self.coordinates[number]: float(left[number]) for number in self._driven}
        return ForwardDynamics(vdot, dict(zip(names, map(float, reactions), strict=True)), driving)

    def derivative(self, t: float, x: ArrayLike, inputs: Mapping[str, float] | None = None) -> Floats:
        """Return the rate of ``x = (q, v)`` of the free coordinates, for an ODE solver.

        Prescribed coordinates need a formula for their motion.
        """
        x = np.asarray(x, dtype=float)
        q, v = self.full_state(t, x)
        found = self.motion(q, v, inputs, t)
        return np.concatenate([x[len(self._free) :], found.accelerations[self._free]])

    def full_state(self, t: float, x: ArrayLike) -> tuple[Floats, Floats]:
        """Return ``q`` and ``v`` of all coordinates from those of the free ones and time."""
        x = np.asarray(x, dtype=float)
        count = len(self._free)
        if x.shape != (2 * count,):
            free = listed(self.description.free)
            raise ModelError(f"x must hold values and speeds of {free}: {2 * count} numbers, not shape {x.shape}")
        q, v = np.zeros(len(self.coordinates)), np.zeros(len(self.coordinates))
        q[self._free], v[self._free] = x[:count], x[count:]
        for number, name in zip(self._driven, self.description.prescribed, strict=True):
            q[number], v[number], _ = self._formula(name, t)
        return q, v

    @property
    def _constraint_names(self) -> list[str]:
        return constraint_names(self.description)

    def _vector(self, what: str, values: ArrayLike) -> Floats:
        array = np.asarray(values, dtype=float)
        if array.shape != (len(self.coordinates),):
            names = listed(self.coordinates)
            raise ModelError(f"{what} needs {len(self.coordinates)} numbers, one for each of {names}")
        return array

    def _inputs(self, inputs: Mapping[str, float] | None) -> dict[str, float]:
        known = dict.fromkeys(self.description.inputs, 0.0)
        for name in inputs or {}:
            if name not in known:
                raise ModelError(unknown_name("input", name, known))
        return {**known, **(inputs or {})}

    def _given(self, name: str, t: float, prescribed: Mapping[str, float] | None) -> float:
        if prescribed and name in prescribed:
            return float(prescribed[name])
        return self._formula(name, t)[2]

    def _formula(self, name: str, t: float) -> tuple[float, float, float]:
        motion = self.description.coordinate_table[name].motion
        if motion is None:
            raise ModelError(
                f"the motion of '{name}' is prescribed without a formula: give its acceleration in prescribed={{...}}, "
                "or a formula in Coordinate(motion=...)"
            )
        (time,) = variables([t])
        scope = {key: Dual(value, 0.0) for key, value in self.parameters.items()}
        value = evaluate(motion, {**scope, TIME: Dual(time, 1.0)}, JetAlgebra()).value
        return value_of(value), float(gradient_of(value, 1)[0]), float(hessian_of(value, 1)[0, 0])

    def _solved(self, system: Floats, right: Floats, constraints: Sequence[str]) -> Floats:
        # Rows have different units: the rank is judged after scaling.
        scale = 1 / np.sqrt(np.maximum(np.abs(system).max(axis=1), 1e-300))
        scaled = scale[:, None] * system * scale
        left, sizes, _ = np.linalg.svd(scaled) if system.size else (scaled, np.ones(1), None)
        if sizes[-1] <= _SINGULAR * sizes[0]:
            names = [*self.description.free, *constraints]
            involved = [name for name, part in zip(names, np.abs(left[:, -1]), strict=True) if part > 1e-3]
            raise SolveError(
                f"{self.description.name}: the accelerations are not determined; check {listed(involved)}: a "
                "coordinate that moves no mass, or a redundant constraint (see mobility_of)"
            )
        return np.asarray(scale * np.linalg.solve(scaled, scale * right)) if system.size else np.zeros(0)


def constraint_names(description: Description) -> list[str]:
    """Return the names of the multipliers: those of the constraints, with an axis for coincident points."""
    names = []
    for name, constraint in description.constraints.items():
        axes = "xyz"[: description.dimension]
        names += [f"{name}_{axis}" for axis in axes] if isinstance(constraint, Coincidence) else [name]
    return names


def jet_mechanics(
    description: Description,
    parameters: Mapping[str, float],
    state: tuple[Floats, Floats, float],
    inputs: Mapping[str, float],
) -> Mechanics[Number]:
    """Return the mechanics at a state, every quantity with its derivatives by q, v and t."""
    q, v, t = state
    names = list(description.coordinate_table)
    size = len(names)
    jets = variables([*q, *v, t])
    scope = {name: Dual(jets[i], jets[size + i]) for i, name in enumerate(names)}
    scope |= {speed_name(name): Dual(jets[size + i], 0.0) for i, name in enumerate(names)}
    scope |= {name: Dual(float(value), 0.0) for name, value in {**parameters, **inputs}.items()}
    scope[TIME] = Dual(jets[-1], 1.0)
    return Mechanics(description, JetAlgebra(), scope)


def numbers_of(description: Description, values: Mapping[str, float] | None = None) -> NumericEquations:
    """Return the equations of a description as functions of numbers, without deriving any formula.

    ``values`` gives parameters that have no value in the description.

    Examples
    --------
    >>> from myodyne.formulations.lagrange import Description, Frame, Point, Segment
    >>> pendulum = Description(
    ...     name="pendulum", coordinates=["q"], parameters={"l": 2.0, "m": 3.0}, gravity=(0, -9.81),
    ...     points={"pivot": Point("ground", (0, 0)), "bob": Point("arm", ("l", 0))},
    ...     frames={"arm": Frame("pivot", ["q"])}, segments={"bob": Segment("bob", "m")},
    ... )
    >>> numbers_of(pendulum).mass_matrix([0.3]).round(6)
    array([[12.]])
    """
    parameters = description.numbers(values)
    size = len(description.coordinate_table)
    count = 2 * size + 1
    by_q, by_v, by_t = slice(0, size), slice(size, 2 * size), 2 * size

    def terms(q: Floats, v: Floats, t: float, inputs: Mapping[str, float]) -> Terms:
        mechanics = jet_mechanics(description, parameters, (q, v, t), inputs)
        kinetic, potential = mechanics.kinetic_energy, mechanics.potential_energy
        slope, curve = gradient_of(kinetic, count), hessian_of(kinetic, count)
        bias = curve[by_v, by_q] @ v + curve[by_v, by_t] - slope[by_q]
        bias = bias + gradient_of(potential, count)[by_q] + gradient_of(mechanics.dissipation, count)[by_v]
        applied = np.zeros(size)
        for part in mechanics.working:
            applied += value_of(part.force) * gradient_of(part.speed, count)[by_v]
        rows = list(mechanics.constraints.values())
        rates = np.array([gradient_of(row.rate, count) for row in rows]).reshape(len(rows), count)
        return Terms(
            curve[by_v, by_v],
            bias,
            applied,
            np.array([value_of(row.value) for row in rows]),
            np.array([value_of(row.rate) for row in rows]),
            rates[:, by_v],
            rates[:, by_q] @ v + rates[:, by_t],
            value_of(kinetic),
            value_of(potential),
        )

    return NumericEquations(description, parameters, terms)
