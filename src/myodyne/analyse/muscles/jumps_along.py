"""Where paths of muscles jump along a motion: forces step there, and no optimiser can follow them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from myodyne.equations import Equations
from myodyne.types import Booleans, Floats, Integers

# Smallest jumps that are reported: of lengths (m), and of moment arms (m) where the length is continuous.
# Lengths over ellipsoids by OpenSim's rules step by up to 0.05 mm all along.
_LENGTH, _ARM = 1e-4, 2e-3
# Bisections that locate a jump to a millionth of the interval between two rows.
_HALVINGS = 20
# Muscles named in a note.
_NAMED = 5


@dataclass(frozen=True)
class JumpAlong:
    """A jump of a path during a motion: when (s), by how much (m), of the length or of a moment arm.

    ``coordinate`` is the one about which the moment arm jumps, empty where the length does.
    """

    muscle: str
    time: float
    size: float
    coordinate: str = ""

    def __str__(self) -> str:
        what = f"moment arm about {self.coordinate}" if self.coordinate else "length"
        return f"{what} by {1000 * self.size:+.3g} mm at {self.time:.5g} s"


def jumps_along(equations: Equations, time: Floats, q: Floats, known: tuple[Floats, Floats]) -> list[JumpAlong]:
    """Return where paths jump between the rows of a motion, each muscle's by time.

    ``known`` are the exact lengths (rows, muscles) and moment arms (rows, muscles, coordinates) in the rows.

    A length jumps if its change between two rows is not that which the moment arms there explain, however close the
    rows are taken on the line between them; likewise a moment arm that changes.
    """
    if len(time) < 2 or not equations.muscles:
        return []
    poses = np.ascontiguousarray(q)
    lengths, arms = known
    steps = np.diff(poses, axis=0)
    missing = np.diff(lengths, axis=0) + np.einsum("tmc,tc->tm", 0.5 * (arms[1:] + arms[:-1]), steps)
    turned = np.abs(np.diff(arms, axis=0)).max(axis=2, initial=0.0)
    search = _Search(equations, time, poses)
    found = search.located(np.abs(missing) > 0.1 * _LENGTH, _unexplained, _LENGTH)
    in_length = {(jump.muscle, row) for row, jump in found}
    bent = [
        (row, jump)
        for row, jump in search.located(turned > _ARM, _arm_change, _ARM)
        if (jump.muscle, row) not in in_length
    ]
    order = {name: place for place, name in enumerate(equations.muscles)}
    return sorted((jump for _, jump in [*found, *bent]), key=lambda jump: (order[jump.muscle], jump.time))


def jump_notes(equations: Equations, time: Floats, q: Floats, known: tuple[Floats, Floats]) -> list[str]:
    """Return a note that names the muscles whose paths jump, with the largest jump of each, the largest first."""
    largest: dict[str, JumpAlong] = {}
    found = jumps_along(equations, time, q, known)
    for jump in sorted(found, key=lambda jump: -abs(jump.size)):
        largest.setdefault(jump.muscle, jump)
    if not largest:
        return []
    counts = Counter(jump.muscle for jump in found)
    named = [
        f"'{name}' ({jump}{f', and {counts[name] - 1} more times' if counts[name] > 1 else ''})"
        for name, jump in list(largest.items())[:_NAMED]
    ]
    more = f", and {len(largest) - _NAMED} more muscles" if len(largest) > _NAMED else ""
    return [
        f"paths jump, and forces may step with them: {', '.join(named)}{more}. my.path_jumps(model, muscle) gives "
        "poses and causes"
    ]


@dataclass(frozen=True, eq=False)
class _Sides:
    """Lengths (k,), moment arms (k, n) and poses (k, n) at one end of k intervals."""

    lengths: Floats
    arms: Floats
    poses: Floats

    def where(self, left: Booleans, other: _Sides) -> _Sides:
        """Return these entries where ``left`` holds, and the other's elsewhere."""
        wide = left[:, None]
        return _Sides(
            np.where(left, self.lengths, other.lengths),
            np.where(wide, self.arms, other.arms),
            np.where(wide, self.poses, other.poses),
        )

    def of(self, chosen: Booleans) -> _Sides:
        """Return some of the intervals."""
        return _Sides(self.lengths[chosen], self.arms[chosen], self.poses[chosen])


def _unexplained(a: _Sides, b: _Sides) -> Floats:
    """Return the change of length that moment arms at both ends do not explain."""
    explained = -0.5 * ((a.arms + b.arms) * (b.poses - a.poses)).sum(axis=1)
    return np.asarray(b.lengths - a.lengths - explained)


def _arm_change(a: _Sides, b: _Sides) -> Floats:
    """Return the largest change of a moment arm."""
    return np.asarray(np.abs(b.arms - a.arms).max(axis=1))


@dataclass(frozen=True, eq=False)
class _Search:
    """Looks for jumps on the lines between the rows of a motion."""

    equations: Equations
    time: Floats
    poses: Floats

    def located(
        self, suspects: Booleans, size: Callable[[_Sides, _Sides], Floats], smallest: float
    ) -> list[tuple[int, JumpAlong]]:
        """Return the jumps within suspect intervals (rows, muscles): bisect each, keeping the half with more of it."""
        rows, muscles = np.nonzero(suspects)
        if not len(rows):
            return []
        start, end = np.zeros(len(rows)), np.ones(len(rows))
        here, there = self._at(rows, muscles, start), self._at(rows, muscles, end)
        for _ in range(_HALVINGS):
            middle = 0.5 * (start + end)
            between = self._at(rows, muscles, middle)
            left = np.abs(size(here, between)) > np.abs(size(between, there))
            start, end = np.where(left, start, middle), np.where(left, middle, end)
            here, there = here.where(left, between), between.where(left, there)
            # What is smooth shrinks with the interval, and is not followed further.
            stays = np.abs(size(here, there)) >= 0.5 * smallest
            rows, muscles, start, end = rows[stays], muscles[stays], start[stays], end[stays]
            here, there = here.of(stays), there.of(stays)
            if not len(rows):
                return []
        arms, lengths = there.arms - here.arms, there.lengths - here.lengths
        by_length = size is _unexplained
        found = []
        for k in np.flatnonzero(np.abs(size(here, there)) >= smallest):
            row, turned = int(rows[k]), int(np.abs(arms[k]).argmax())
            when = float(self.time[row] + end[k] * (self.time[row + 1] - self.time[row]))
            about = "" if by_length else self.equations.coordinates[turned]
            change = lengths[k] if by_length else arms[k, turned]
            found.append((row, JumpAlong(self.equations.muscles[muscles[k]], when, float(change), about)))
        return found

    def _at(self, rows: Integers, muscles: Integers, part: Floats) -> _Sides:
        """Return lengths and arms of one muscle each, a part of the way from a row to the next."""
        poses = self.poses[rows] + part[:, None] * (self.poses[rows + 1] - self.poses[rows])
        each = np.arange(len(rows))
        return _Sides(
            self.equations.muscle_lengths(poses)[each, muscles], self.equations.moment_arms(poses)[each, muscles], poses
        )
