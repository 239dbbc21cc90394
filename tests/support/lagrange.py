"""Lagrange's equations by differentiating the kinematics numerically: slow, plain, and independent.

Positions are complex-safe functions of the coordinates, so a complex step gives velocities and Jacobians to
rounding. From them the kinetic energy ``T = ½ vᵀ M(q) v`` and the potential energy ``V``, and with them

    τ = M v̇ + (dM/dt) v - ∂T/∂q + ∂V/∂q.

The two derivatives of ``M`` along ``v`` and of ``T`` along ``q`` are central differences of order eight.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline, PPoly, lagrange, make_interp_spline

from myodyne.model import GROUND, Constant, Fourier, Linear, Model, Polynomial, Product, Spline
from support.frames import Array, Frame, frame_of, moved

COMPLEX_STEP = 1e-30
# Halving it changes the results of the random trees by less than 1e-11 of the largest force.
DIFFERENCE_STEP = 0.006
EIGHTH_ORDER = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}


class Lagrange:
    """The equations of motion of any tree, its joints being any functions of the coordinates."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.coordinates = model.moving
        self.bodies = tuple(model.bodies)
        self._masses = np.array([body.mass for body in model.bodies.values()])
        self._centres = np.array([body.centre_of_mass for body in model.bodies.values()])
        self._inertias = np.array([body.inertia.matrix for body in model.bodies.values()])
        self._gravity = np.array(model.gravity)
        self._splines: dict[Spline, PPoly] = {}

    def body_poses(self, q: Array) -> tuple[Array, Array]:
        """Return the rotations (body to ground) and origins of all bodies."""
        return self._poses(q, q)

    def mass_matrix(self, q: Array) -> Array:
        return self._mass_matrix(q, q)

    def inverse_dynamics(self, q: Array, v: Array, vdot: Array) -> Array:
        q, v, vdot = (np.asarray(x, dtype=float) for x in (q, v, vdot))
        return self.mass_matrix(q) @ vdot + self.bias(q, v)

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        return np.linalg.solve(self.mass_matrix(q), np.asarray(tau) - self.bias(q, v))

    def bias(self, q: Array, v: Array) -> Array:
        """Return the generalised forces that keep the accelerations zero."""
        # The step along v is measured by the sum of the speeds: that is how fast the farthest body turns.
        shrink = DIFFERENCE_STEP / max(1.0, float(np.abs(v).sum()))
        momentum_rate = np.zeros(len(q))
        energy_slope = np.zeros(len(q))
        for count, weight in EIGHTH_ORDER.items():
            for sign in (1, -1):
                along = q + sign * count * shrink * v
                momentum_rate += sign * weight / shrink * (self._mass_matrix(along, q) @ v)
                beside = q + sign * count * DIFFERENCE_STEP * np.eye(len(q))
                energy_slope += sign * weight / DIFFERENCE_STEP * self._kinetic(beside, v, q)
        # Complex steps in all coordinates at once, one row for each.
        steps = q + 1j * COMPLEX_STEP * np.eye(len(q))
        _, centres = self._mass_centres(steps, q)
        potential = -np.einsum("b,nbi,i->n", self._masses, centres, self._gravity)
        return momentum_rate - energy_slope + potential.imag / COMPLEX_STEP

    def energy(self, q: Array, v: Array) -> tuple[float, float]:
        """Return kinetic and potential energy, the latter zero at the ground's origin."""
        _, centres = self._mass_centres(q, q)
        potential = -float(np.einsum("b,bi,i->", self._masses, centres, self._gravity))
        return float(self._kinetic(q, v, q)), potential

    def centre_of_mass(self, q: Array) -> Array:
        _, centres = self._mass_centres(q, q)
        return self._masses @ centres / self._masses.sum()

    def momentum(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return linear momentum, and angular momentum about the centre of mass, in ground."""
        turns, centres = self._mass_centres(q, q)
        spins, speeds = self._velocities(q, v, q)
        linear = self._masses @ speeds
        arms = centres - self.centre_of_mass(q)
        orbital = np.cross(arms, self._masses[:, None] * speeds).sum(axis=0)
        own = np.einsum("bij,bjk,bk->i", turns, self._inertias, spins)
        return linear, orbital + own

    def _mass_matrix(self, q: Array, reference: Array) -> Array:
        spins, speeds = self._velocities(q, np.eye(len(self.coordinates)), reference)
        linear = np.einsum("b,nbi,mbi->nm", self._masses, speeds, speeds)
        angular = np.einsum("nbi,bij,mbj->nm", spins, self._inertias, spins)
        return linear + angular

    def _kinetic(self, q: Array, v: Array, reference: Array) -> Array:
        spins, speeds = self._velocities(q, v, reference)
        linear = np.einsum("b,...bi,...bi->...", self._masses, speeds, speeds)
        return 0.5 * (linear + np.einsum("...bi,bij,...bj->...", spins, self._inertias, spins))

    def _velocities(self, q: Array, v: Array, reference: Array) -> tuple[Array, Array]:
        """Return angular velocities in body axes and the velocities of the mass centres in ground."""
        turns, centres = self._mass_centres(q + 1j * COMPLEX_STEP * np.asarray(v), reference)
        spin = np.swapaxes(turns.real, -1, -2) @ (turns.imag / COMPLEX_STEP)
        vector = np.stack([spin[..., 2, 1], spin[..., 0, 2], spin[..., 1, 0]], axis=-1)
        return vector, centres.imag / COMPLEX_STEP

    def _mass_centres(self, q: Array, reference: Array) -> tuple[Array, Array]:
        turns, origins = self._poses(q, reference)
        return turns, origins + np.einsum("...bij,bj->...bi", turns, self._centres)

    def _poses(self, q: Array, reference: Array) -> tuple[Array, Array]:
        q, reference = np.asarray(q), np.asarray(reference)
        near = self._coordinate_values(reference, None)
        values = self._coordinate_values(q, near)
        rows = q.shape[:-1]
        frames = {GROUND: Frame(np.broadcast_to(np.eye(3), (*rows, 3, 3)), np.zeros((*rows, 3)))}
        for name in self.model.tree:
            joint = self.model.joints[name]
            frame = frames[joint.parent.body] @ frame_of(joint.parent)
            for axis in joint.axes:
                frame = frame @ moved(axis.motion, axis.direction, self._value(axis.function, values, near))
            frames[joint.child.body] = frame @ frame_of(joint.child).inverse
        turns = np.stack([frames[body].turn for body in self.bodies], axis=-3)
        return turns, np.stack([frames[body].origin for body in self.bodies], axis=-2)

    def _coordinate_values(self, q: Array, near: dict[str, Array] | None) -> dict[str, Array]:
        """Return all coordinates by name: those that move, those that are locked, those that follow others."""
        values = {name: q[..., number] for number, name in enumerate(self.coordinates)}
        parts = self.model.coordinates
        values |= {name: np.array(part.default) for name, part in parts.items() if part.locked}
        waiting = [name for name in parts if name not in values]
        while waiting:
            name = waiting.pop(0)
            coupling = parts[name].coupled
            assert coupling is not None
            if all(other in values for other in coupling.coordinates):
                values[name] = self._value(coupling, values, values if near is None else near)
            else:
                waiting.append(name)
        return values

    def _value(self, function: Any, values: dict[str, Array], near: dict[str, Array]) -> Array:
        match function:
            case Constant():
                return np.array(function.value)
            case Linear():
                return function.offset + function.slope * values[function.coordinate]
            case Polynomial():
                total = np.array(0.0)
                for term in function.terms:
                    product = np.array(term.coefficient)
                    for name, power in zip(function.of, term.powers, strict=True):
                        product = product * values[name] ** power
                    total = total + product
                return total
            case Fourier():
                phase = 2 * np.pi / function.period * values[function.coordinate]
                cosines = sum(a * np.cos((k + 1) * phase) for k, a in enumerate(function.cosines))
                sines = sum(b * np.sin((k + 1) * phase) for k, b in enumerate(function.sines))
                return function.mean + function.slope * values[function.coordinate] + cosines + sines
            case Spline():
                return self._spline(function, values[function.coordinate], float(near[function.coordinate]))
            case Product():
                product = np.array(1.0)
                for factor in function.factors:
                    product = product * self._value(factor, values, near)
                return product
            case _:
                raise TypeError(f"no numbers for a {type(function).__name__}")

    def _spline(self, function: Spline, x: Array, near: float) -> Array:
        """Return the polynomial piece around ``near``, at ``x``.

        The piece is chosen by the state and not by ``x``: the stencil of a difference may then reach over a
        knot without seeing the jump of the third derivative, which the equations of motion do not contain.
        """
        if function not in self._splines:
            self._splines[function] = _spline(function)
        curve = self._splines[function]
        for end, beyond in ((0, near < function.x[0]), (-1, near > function.x[-1])):
            if beyond:
                return function.y[end] + float(curve(function.x[end], 1)) * (x - function.x[end])
        piece = int(np.clip(np.searchsorted(function.x, near, side="right") - 1, 0, len(function.x) - 2))
        c3, c2, c1, c0 = curve.c[:, piece]
        t = x - function.x[piece]
        return ((c3 * t + c2) * t + c1) * t + c0


def _spline(function: Spline) -> PPoly:
    """Return a spline as polynomial pieces, its ends natural or with the third derivatives of the nearest cubics."""
    x, y = function.x, function.y
    if function.ends == "natural" or len(x) == 2:
        return CubicSpline(x, y, bc_type="natural")
    first, last = (0.0, 0.0) if len(x) == 3 else (lagrange(x[:4], y[:4]).c[0] * 6, lagrange(x[-4:], y[-4:]).c[0] * 6)
    pieces = PPoly.from_spline(make_interp_spline(x, y, k=3, bc_type=([(3, first)], [(3, last)])))
    # A B-spline repeats its end knots.
    return PPoly(pieces.c[:, 3:-3], pieces.x[3:-3])
