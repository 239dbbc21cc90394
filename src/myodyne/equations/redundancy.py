"""Rows of constraints that others imply: found by rank over poses that meet the constraints, and left out by name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from myodyne.numerics.row_sizes import row_sizes
from myodyne.physics.recursive import solve_positive
from myodyne.physics.spatial import SX
from myodyne.types import Floats

if TYPE_CHECKING:
    from myodyne.equations.assemble import Assembly
    from myodyne.physics.constraints import Demands

# Part of a row that others do not imply: below this it repeats them, below the second it nearly does.
_REPEATED, _NEARLY = 6e-8, 1e-3
# Poses are looked for this far (rad or m) from the default one, so many of them.
_AROUND, _POSES = 0.3, 4
_MET, _ROUNDS = 1e-10, 40
# What a repeated row takes of the others is a constant if it varies by less than this between poses.
_CONSTANT = 1e-9


@dataclass(frozen=True)
class Independent:
    """The rows that say something new: their numbers, the names of the others, and whether some nearly repeat.

    ``shares`` are the factors by which each of the others is a sum of them, None where these change with the pose.
    """

    kept: tuple[int, ...]
    left_out: tuple[str, ...]
    nearly: bool
    shares: Floats | None = None


def without_repetition(assembly: Assembly, demands: Demands) -> tuple[Demands, Independent]:
    """Return the constraints without the rows that repeat others wherever the constraints are met.

    A pose in which rows happen to repeat each other changes nothing: there branches of the motion meet.
    """
    found = _independent(assembly, demands)
    rows = list(found.kept)
    if not found.left_out:
        return demands, found
    kept = replace(
        demands,
        position=demands.position[rows],
        speed=demands.speed[rows],
        jacobian=demands.jacobian[rows, :],
        velocity_term=demands.velocity_term[rows],
        owners=tuple(demands.owners[row] for row in rows),
        parts=tuple(demands.parts[row] for row in rows),
    )
    return kept, found


def shared_forces(demands: Demands, found: Independent, multipliers: SX) -> SX:
    """Return the forces of all rows whose effect is that of the multipliers of the independent ones, of least norm.

    With G the Jacobian of the independent rows and S G that of the others, all multipliers of the same effect have
    λ + Sᵀ μ in common; the sum of squares of λ and μ is least where μ = S λ.
    """
    kept = list(found.kept)
    others = [row for row in range(demands.count) if row not in found.kept]
    if not others:
        return multipliers
    if found.shares is None:
        own = ca.densify(demands.jacobian[kept, :])
        shares = solve_positive(own @ own.T, own @ demands.jacobian[others, :].T).T
    else:
        shares = SX(ca.sparsify(ca.DM(found.shares)))
    forces = SX(demands.count, 1)
    forces[kept] = solve_positive(SX.eye(len(kept)) + shares.T @ shares, multipliers)
    forces[others] = shares @ forces[kept]
    return forces


def _independent(a: Assembly, demands: Demands) -> Independent:
    everything = Independent(tuple(range(demands.count)), (), nearly=False)
    if demands.count < 2:
        return everything
    samples = _samples(a, demands)
    if len(samples) < 2:
        return everything
    timed = np.array([owner in a.model.motions for owner in demands.owners])
    kept, nearly = _kept(samples[0][0], timed)
    others = [row for row in range(demands.count) if row not in kept]
    for scaled, wanted, _ in samples:
        nearly = nearly or _kept(scaled, timed)[1]
        for row in list(others):
            shares, *_ = np.linalg.lstsq(scaled[kept].T, scaled[row], rcond=None)
            implied = np.abs(scaled[row] - shares @ scaled[kept]).max() < _REPEATED
            # Two drives at different speeds repeat each other, and contradict.
            agrees = abs(wanted[row] - shares @ wanted[kept]) < _REPEATED * max(1.0, np.abs(wanted).max())
            if not (implied and agrees):
                others.remove(row)
    rows = tuple(row for row in range(demands.count) if row not in others)
    return Independent(rows, tuple(demands.names[row] for row in others), nearly, _shares(samples, rows, others))


def _shares(samples: list[tuple[Floats, Floats, Floats]], rows: tuple[int, ...], others: list[int]) -> Floats | None:
    """Return the factors by which each of the other rows is a sum of the independent ones, if they are constant."""
    kept = list(rows)
    found = []
    for scaled, _, sizes in samples:
        factors = np.linalg.lstsq(scaled[kept].T, scaled[others].T, rcond=None)[0].T
        found.append(factors * sizes[others] / sizes[kept].T)
    shares = np.mean(found, axis=0)
    if not np.all(np.ptp(found, axis=0) <= _CONSTANT * max(1.0, np.abs(shares).max(initial=0.0))):
        return None
    shares[np.abs(shares) < _CONSTANT] = 0.0
    return np.asarray(shares, dtype=float)


def _kept(scaled: Floats, timed: Floats) -> tuple[list[int], bool]:
    """Return the first rows that span all others, and whether one of them is nearly spanned by those before it.

    Rows that follow functions of time stay: they come first.
    """
    basis: list[Floats] = []
    kept: list[int] = []
    nearly = False
    for row in sorted(range(len(scaled)), key=lambda row: (not timed[row], row)):
        rest = scaled[row].copy()
        # Twice: what one round leaves of a nearly repeated row is rounding.
        for _ in range(2):
            for direction in basis:
                rest = rest - (direction @ rest) * direction
        size = float(np.linalg.norm(rest))
        if size > _REPEATED or timed[row]:
            kept.append(row)
            nearly = nearly or size < _NEARLY
            if size > 0.0:
                basis.append(rest / size)
    return sorted(kept), nearly


def _samples(a: Assembly, demands: Demands) -> list[tuple[Floats, Floats, Floats]]:
    """Return scaled Jacobians, speeds that rows ask for, and the scales, at poses around the default that meet them."""
    evaluate = ca.Function(
        "rows",
        [a.q, a.v, a.u, a.p],
        [demands.position, ca.densify(demands.jacobian), demands.speed],
        {"allow_free": False},
    )
    own = np.zeros(a.p.numel())
    own[: len(a.model.free_values)] = a.model.free_numbers
    still, idle = np.zeros(a.q.numel()), np.zeros(a.u.numel())

    def at(q: Floats) -> tuple[Floats, Floats, Floats]:
        position, jacobian, speed = (np.asarray(part) for part in evaluate(q, still, idle, own))
        return position.ravel(), jacobian.reshape(demands.count, -1), speed.ravel()

    placed = np.array([owner not in a.model.motions for owner in demands.owners])
    middle = np.array([a.model.coordinates[name].default for name in a.model.moving])
    random = np.random.default_rng(1)
    found = []
    for _ in range(3 * _POSES):
        q = middle + random.uniform(-_AROUND, _AROUND, len(middle))
        for _ in range(_ROUNDS):
            position, jacobian, speed = at(q)
            if not (np.isfinite(position).all() and np.isfinite(jacobian).all()):
                break
            sizes = row_sizes(demands.names, jacobian)
            if np.abs(position[placed]).max(initial=0.0) < _MET:
                if np.isfinite(jacobian / sizes).all():
                    found.append((jacobian / sizes, speed / sizes.ravel(), sizes))
                break
            q = q - np.linalg.lstsq(jacobian[placed], position[placed], rcond=1e-9)[0]
        if len(found) == _POSES:
            break
    return found
