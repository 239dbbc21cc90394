"""Recorded forces as functions of time: the controls by which they enter the equations."""

from __future__ import annotations

from itertools import product

import numpy as np

from myodyne.data import ExternalForce, ExternalForces
from myodyne.data.external_forces import check_external
from myodyne.equations.closure import Load
from myodyne.errors import ModelError, unknown_name
from myodyne.model import GROUND, Model
from myodyne.numerics.piecewise import PiecewisePolynomial
from myodyne.simulate.signals import Signal
from myodyne.types import Floats


def loads_of(model: Model, forces: ExternalForces | None) -> tuple[Load, ...]:
    """Return where recorded forces act on a model."""
    check_external(forces)
    if forces is None:
        return ()
    known = tuple(model.bodies)
    for name, force in forces.items():
        for body in (force.body, force.force_frame, force.point_frame):
            if body != GROUND and body not in known:
                raise ModelError(f"external force '{name}': {unknown_name('body', body, known)}")
    return tuple(
        Load(name, force.body, force.force_frame, None if force.point is None else force.point_frame)
        for name, force in forces.items()
    )


def force_signals(
    loads: tuple[Load, ...], forces: ExternalForces | None, begin: float, end: float
) -> dict[str, Signal]:
    """Return the controls of recorded forces by name; they must be known from ``begin`` to ``end`` (s)."""
    found: dict[str, Signal] = {}
    for load in loads:
        if forces is None:
            raise ModelError(f"these equations have the recorded force '{load.name}'; give it as external_forces")
        force = forces[load.name]
        force.at([begin, end])  # refuses times beyond the record
        breaks, coefficients = force.polynomials()
        columns = _columns(load, force, coefficients)
        for number, name in enumerate(load.entries):
            pieces = PiecewisePolynomial(breaks, columns[:, :, number : number + 1])
            found[name] = Signal(f"external_force({name!r})", pieces)
    return found


def _columns(load: Load, force: ExternalForce, coefficients: dict[str, Floats]) -> Floats:
    """Return the polynomials of the entries of a load: (pieces, powers, entries)."""
    pieces, powers, _ = next(iter(coefficients.values())).shape
    none = np.zeros((pieces, powers, 3))
    push, twist = coefficients.get("force", none), coefficients.get("torque", none)
    if force.point is None:
        return np.concatenate([push, twist], axis=2)
    arms = [_times(coefficients["point"][:, :, one], push[:, :, other]) for one, other in product(range(3), repeat=2)]
    push, twist = (np.pad(part, ((0, 0), (0, powers - 1), (0, 0))) for part in (push, twist))
    if load.crossed:
        return np.concatenate([push, twist, np.stack(arms, axis=2)], axis=2)
    across = [arms[3 * one + other] - arms[3 * other + one] for one, other in ((1, 2), (2, 0), (0, 1))]
    return np.concatenate([push, twist + np.stack(across, axis=2)], axis=2)


def _times(one: Floats, other: Floats) -> Floats:
    """Return the products of polynomials, piece by piece."""
    powers = one.shape[1]
    found: Floats = np.zeros((len(one), 2 * powers - 1))
    for power in range(powers):
        found[:, power : power + powers] += one[:, power : power + 1] * other
    return found
