"""Moment arms over the range of a coordinate, with the places where they jump."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from myodyne.analyse.coordinate_motion import stripped
from myodyne.equations import Equations, equations_of
from myodyne.errors import ModelError, unknown_name
from myodyne.model import Model
from myodyne.model.units import angles
from myodyne.types import Floats

# Lengths and moment arms for values of the coordinate.
Evaluate = Callable[[Floats], tuple[Floats, Floats]]

# Changes (m) that are looked into between neighbours, and what must be left of them on the spot to be a jump.
_SUSPECT, _JUMP = 2e-4, 1e-4
_HALVINGS = 40


@dataclass(frozen=True)
class Jump:
    """A discontinuity of the length or moment arm: the coordinate there, what jumps, and by how much (m).

    Examples
    --------
    >>> Jump(at=0.5, what="moment arm", size=0.002)
    Jump(at=0.5, what='moment arm', size=0.002)
    """

    at: float
    what: str
    size: float


@dataclass(frozen=True, eq=False)
class MomentArms:
    """Moment arm (m) and length (m) of a muscle over a coordinate (rad or m).

    Examples
    --------
    >>> import myodyne as my
    >>> found = my.moment_arms(my.load_model("planar_arm"), "elbow_flexor", "elbow", range=(0.5, 1.5), count=3)
    >>> found.at.tolist(), found.unit, found.jumps
    ([0.5, 1.0, 1.5], 'rad', ())
    """

    muscle: str
    coordinate: str
    unit: str
    at: Floats
    arms: Floats
    lengths: Floats
    pose: Mapping[str, float] = field(default_factory=dict)
    jumps: tuple[Jump, ...] = ()

    def __repr__(self) -> str:
        low, high = 1000 * self.arms.min(), 1000 * self.arms.max()
        jumps = f", {len(self.jumps)} jumps" if self.jumps else ""
        return f"<MomentArms of {self.muscle} about {self.coordinate}: {low:.1f} to {high:.1f} mm{jumps}>"


def moment_arms(
    model: Model | Equations,
    muscle: str,
    coordinate: str,
    range: tuple[float, float] | None = None,
    count: int = 50,
    pose: Mapping[str, float] | None = None,
) -> MomentArms:
    """Return the moment arm of a muscle over the range of a coordinate: the negative slope of its exact length.

    Parameters
    ----------
    model, muscle, coordinate
        The model, and the names of a muscle and of a coordinate that moves on its own.
    range
        From where to where (rad or m); None takes the range of the coordinate.
    count
        Number of poses, at least two.
    pose
        The other coordinates by name; those not given are at their defaults.

    Examples
    --------
    >>> import myodyne as my
    >>> my.moment_arms(my.load_model("planar_arm"), "elbow_flexor", "elbow")
    <MomentArms of elbow_flexor about elbow: 14.0 to 35.6 mm>
    """
    equations = model if isinstance(model, Equations) else equations_of(stripped(model, muscles=True))
    names = equations.coordinates
    if muscle not in equations.muscles:
        raise ModelError(unknown_name("muscle", muscle, equations.muscles))
    if coordinate not in names:
        known = equations.model.coordinates.get(coordinate)
        if known is None:
            raise ModelError(unknown_name("coordinate", coordinate, names))
        raise ModelError(f"coordinate '{coordinate}' does not move on its own: it is locked or coupled to others")
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 2:
        raise ModelError(f"count must be a whole number, at least 2, not {count!r:.40}")
    start, end = _range(equations.model, coordinate, range)
    base = equations.coordinate_defaults()
    for name, value in (pose or {}).items():
        if name not in names:
            raise ModelError(unknown_name("coordinate", name, names))
        base[names.index(name)] = float(value)
    number, place = equations.muscles.index(muscle), names.index(coordinate)

    def evaluate(values: Floats) -> tuple[Floats, Floats]:
        q = np.tile(base, (len(values), 1))
        q[:, place] = values
        return equations.muscle_lengths(q)[:, number], equations.moment_arms(q)[:, number, place]

    at = np.linspace(start, end, int(count))
    lengths, arms = evaluate(at)
    others = {name: float(base[i]) for i, name in enumerate(names) if name != coordinate}
    unit = "rad" if coordinate in angles(equations.model) else "m"
    return MomentArms(muscle, coordinate, unit, at, arms, lengths, others, _jumps(evaluate, at, lengths, arms))


def _range(model: Model, coordinate: str, given: tuple[float, float] | None) -> tuple[float, float]:
    found = model.coordinates[coordinate].range if given is None else given
    if found is None:
        raise ModelError(f"coordinate '{coordinate}' has no range; give one, like range=(-0.5, 1.5)")
    start, end = float(found[0]), float(found[1])
    if not (np.isfinite(start) and np.isfinite(end) and start < end):
        raise ModelError(f"the range of '{coordinate}' must run from low to high, not from {start:g} to {end:g}")
    return start, end


def _jumps(evaluate: Evaluate, at: Floats, lengths: Floats, arms: Floats) -> tuple[Jump, ...]:
    """Return where lengths or arms change at once: changes between neighbours that halving does not make smaller."""
    steps = np.diff(at)
    # What the length should change by, as the arms at both ends have it.
    expected = -0.5 * (arms[1:] + arms[:-1]) * steps
    suspects = {
        "length": np.abs(np.diff(lengths) - expected) > _SUSPECT,
        "moment arm": np.abs(np.diff(arms)) > _SUSPECT,
    }
    found: list[Jump] = []
    for what, places in suspects.items():
        for number in np.flatnonzero(places):
            jump = _closed_in(evaluate, what, float(at[number]), float(at[number + 1]))
            if jump is not None:
                found.append(jump)
    return tuple(sorted(found, key=lambda jump: jump.at))


def _closed_in(evaluate: Evaluate, what: str, low: float, high: float) -> Jump | None:
    column = 0 if what == "length" else 1
    size = np.inf
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        values = evaluate(np.array([low, middle, high]))[column]
        changes = np.abs(np.diff(values))
        size = float(np.max(changes))
        if size < _JUMP:
            return None
        low, high = (low, middle) if changes[0] >= changes[1] else (middle, high)
    return Jump(0.5 * (low + high), what, size)
