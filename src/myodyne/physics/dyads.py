"""Two bars that meet in a plane: their directions in closed form, as the intersection of two circles."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import casadi as ca
import numpy as np

from myodyne.physics.spatial import SX

# Tolerance to which coefficients must vanish, or be the same in all poses.
_SAME = 1e-12
_POSES = 5


@dataclass(frozen=True)
class Directions:
    """Symbols for the cosines and sines of angles that are solved for."""

    cosines: SX
    sines: SX

    def of(self, number: int) -> tuple[SX, SX]:
        return self.cosines[number], self.sines[number]


@dataclass(frozen=True)
class Dyad:
    """The equations ``a + B e₁ + C e₂ = 0`` for two directions e₁ and e₂.

    B and C are rotations times constant lengths; C may depend on e₁, where the second bar is attached to the
    first. ``arm`` is Bᵀ a.
    """

    first: int
    second: int
    turns: Directions
    a: SX
    B: SX
    C: SX
    first_squared: SX
    second_squared: SX

    @property
    def arm(self) -> SX:
        return self.B.T @ self.a

    def directions(self, side: SX) -> dict[int, tuple[SX, SX]]:
        """Return both directions; ``side`` is the sign of the turn from the arm to the first one.

        |a + B e₁|² = |C|² gives the component of e₁ along the arm, and its unit length the one across.
        """
        arm, distance = self.arm, ca.dot(self.a, self.a)
        along = 0.5 * (self.second_squared - self.first_squared - distance)
        squared = self.first_squared * distance
        across = side * ca.sqrt(squared - along**2)
        over = 1 / squared
        e1 = ((along * arm[0] - across * arm[1]) * over, (along * arm[1] + across * arm[0]) * over)
        C = ca.substitute(self.C, ca.vertcat(*self.turns.of(self.first)), ca.vertcat(*e1))
        e2 = -(C.T @ (self.a + self.B @ ca.vertcat(*e1))) / self.second_squared
        return {self.first: e1, self.second: (e2[0], e2[1])}


def dyad_of(position: SX, q: SX, f: SX, turns: Directions, unknowns: list[int]) -> Dyad | None:
    """Return two rows as a dyad of two unknown angles, None if they do not form one."""
    if ca.depends_on(position, ca.vertcat(*(f[k] for k in unknowns))):
        return None
    for first, second in permutations(unknowns):
        e1, e2 = ca.vertcat(*turns.of(first)), ca.vertcat(*turns.of(second))
        C = ca.densify(ca.jacobian(position, e2))
        inner = ca.substitute(position, e2, SX([0.0, 0.0]))
        B = ca.densify(ca.jacobian(inner, e1))
        if ca.depends_on(C, e2) or ca.depends_on(B, e1):
            continue
        lengths = ca.vertcat(B[0, 0] ** 2 + B[1, 0] ** 2, C[0, 0] ** 2 + C[1, 0] ** 2)
        none = ca.vertcat(B[0, 0] - B[1, 1], B[0, 1] + B[1, 0], C[0, 0] - C[1, 1], C[0, 1] + C[1, 0])
        if not _fits(none, lengths, q, f, turns):
            continue
        # The lengths are the same in any pose; the zero pose leaves constants, or free numbers of the model.
        straight = [q, f, turns.cosines, turns.sines]
        pose = [SX.zeros(q.numel()), SX.zeros(f.numel()), SX.ones(f.numel()), SX.zeros(f.numel())]
        squared = ca.substitute([lengths], straight, pose)[0]
        return Dyad(first, second, turns, ca.substitute(inner, e1, SX([0.0, 0.0])), B, C, squared[0], squared[1])
    return None


def _fits(none: SX, lengths: SX, q: SX, f: SX, turns: Directions) -> bool:
    """Return whether, in random poses, what must vanish does, and lengths are the same and not zero."""
    both = ca.vertcat(none, lengths)
    known = ca.vertcat(q, f, turns.cosines, turns.sines)
    owned = {symbol.element_hash() for symbol in ca.symvar(known)}
    others = [symbol for symbol in ca.symvar(both) if symbol.element_hash() not in owned]
    read = ca.Function("dyad", [known, ca.vertcat(SX(0, 1), *others)], [both])
    rng = np.random.default_rng(0)
    numbers = rng.uniform(0.5, 1.5, len(others))
    found = []
    for _ in range(_POSES):
        angles = rng.uniform(-3, 3, f.numel())
        pose = np.concatenate([rng.uniform(-1, 1, q.numel() + f.numel()), np.cos(angles), np.sin(angles)])
        found.append(np.asarray(read(pose, numbers)).ravel())
    rows = np.array(found)
    size = float(np.max(rows[:, -2:])) if np.all(np.isfinite(rows)) else 0.0
    return bool(
        size > 0
        and np.all(np.abs(rows[:, :-2]) <= _SAME * np.sqrt(size))
        and np.all(np.ptp(rows[:, -2:], axis=0) <= _SAME * size)
        and np.all(rows[0, -2:] > _SAME * size)
    )
