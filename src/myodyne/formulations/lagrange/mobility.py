"""How many ways a mechanism can move: degrees of freedom, constraints that repeat or contradict each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from myodyne.errors import ModelError, SolveError, listed
from myodyne.formulations.lagrange.algebra.jets import gradient_of, hessian_of, value_of
from myodyne.formulations.lagrange.lists.description import Description
from myodyne.formulations.lagrange.numeric import constraint_names, jet_mechanics

Array = NDArray[np.float64]

_PER_SEGMENT = {2: 3, 3: 6}
_PER_PARTICLE = {2: 2, 3: 3}
# Places where the constraints are looked at, and tries to find each.
_PLACES, _TRIES = 3, 20
_ITERATIONS = 60
_CLOSED = 1e-10
_RANK = 1e-8


def degrees_of_freedom(segments: int, particles: int, constraints: int, dimension: int = 3) -> int:
    """Return ``6 S + 3 P - C`` (Winter 8.2), in the plane ``3 S + 2 P - C``; fewer than none are refused.

    Examples
    --------
    >>> degrees_of_freedom(segments=2, particles=1, constraints=5)
    10
    """
    degrees = _PER_SEGMENT[dimension] * segments + _PER_PARTICLE[dimension] * particles - constraints
    if degrees < 0:
        raise ModelError(
            f"{segments} segments and {particles} particles with {constraints} constraints have {degrees} degrees of "
            "freedom: an overconstrained system has no solution; take the redundant constraints away"
        )
    return degrees


@dataclass(frozen=True)
class Redundant:
    """A constraint that says what others say already."""

    name: str
    repeats: tuple[str, ...]


@dataclass(frozen=True)
class Mobility:
    """What `mobility_of` found.

    ``degrees`` is the number of free coordinates less the rank of the constraints; ``counted`` takes every
    equation of constraint for a new one (Winter 8.2). ``massless`` are coordinates that move no mass.
    """

    name: str
    dimension: int
    segments: int
    particles: int
    coordinates: int
    prescribed: int
    constraints: int
    rank: int
    redundant: tuple[Redundant, ...] = ()
    contradictory: tuple[str, ...] = ()
    massless: tuple[str, ...] = ()

    @property
    def degrees(self) -> int:
        """Degrees of freedom: what can move on its own."""
        return self.coordinates - self.prescribed - self.rank

    @property
    def counted(self) -> int:
        """Degrees of freedom as they are counted, redundant constraints included."""
        return self.coordinates - self.prescribed - self.constraints

    @property
    def all_constraints(self) -> int:
        """``C`` of Winter 8.2: those built into the lists, those prescribed, and the equations of constraint."""
        return self._room - self.counted

    @property
    def _room(self) -> int:
        return _PER_SEGMENT[self.dimension] * self.segments + _PER_PARTICLE[self.dimension] * self.particles

    def check(self) -> None:
        """Refuse a mechanism that is overconstrained, or whose constraints cannot all hold."""
        if self.contradictory:
            raise ModelError(
                f"{self.name}: the constraints {listed(self.contradictory)} cannot hold together with those before "
                "them; take them away or change their numbers"
            )
        if self.counted < 0:
            advice = f": {listed(part.name for part in self.redundant)} repeat others" if self.redundant else ""
            raise ModelError(
                f"{self.name}: {self.coordinates - self.prescribed} free coordinates and {self.constraints} equations "
                f"of constraint leave {self.counted} degrees of freedom; take the redundant constraints away{advice}"
            )

    def text(self) -> str:
        """Return the findings as text."""
        segment, particle = _PER_SEGMENT[self.dimension], _PER_PARTICLE[self.dimension]
        lines = [
            f"{self.name}: {self.coordinates} coordinates ({self.prescribed} prescribed), "
            f"{self.constraints} equations of constraint of rank {self.rank}",
            f"DOF = {segment}*{self.segments} + {particle}*{self.particles} - {self.all_constraints} = {self.counted}",
        ]
        if self.degrees != self.counted:
            lines.append(f"in truth {self.degrees}: redundant constraints were counted")
        lines += [f"redundant: {part.name} repeats {', '.join(part.repeats)}" for part in self.redundant]
        lines += [f"contradictory: {name}" for name in self.contradictory]
        lines += [f"moves no mass: {name}" for name in self.massless]
        return "\n".join(lines)


def mobility_of(description: Description, values: Mapping[str, float] | None = None, seed: int = 0) -> Mobility:
    """Return degrees of freedom, and redundant and contradictory constraints, of a description.

    The rank of the constraints is taken at random places where they hold; parameters without a value are drawn
    at random as well, so that what is found holds in general and not for special lengths.
    """
    probe = _Probe(description.with_values(values or {}), seed)
    names = constraint_names(description)
    rows = list(range(len(names)))
    contradictory: list[int] = []
    places = probe.places(rows)
    if rows and not places:
        rows, contradictory = probe.possible(rows)
        places = probe.places(rows)
    rank, redundant = probe.ranked(rows, places, names)
    rigid = [segment.inertia is not None for segment in description.segments.values()]
    return Mobility(
        name=description.name,
        dimension=description.dimension,
        segments=sum(rigid),
        particles=len(rigid) - sum(rigid),
        coordinates=len(description.coordinate_table),
        prescribed=len(description.prescribed),
        constraints=len(names),
        rank=rank,
        redundant=tuple(redundant),
        contradictory=tuple(names[row] for row in contradictory),
        massless=probe.massless(),
    )


@dataclass(frozen=True)
class _Place:
    parameters: dict[str, float]
    q: Array
    t: float


class _Probe:
    """Looks at a description at random places."""

    def __init__(self, description: Description, seed: int) -> None:
        self._description = description
        self._rng = np.random.default_rng(seed)
        self._size = len(description.coordinate_table)
        names = list(description.coordinate_table)
        self._free = [names.index(name) for name in description.free]

    def places(self, rows: list[int]) -> list[_Place]:
        """Return places where the given rows hold; none if they cannot."""
        found: list[_Place] = []
        for _ in range(_TRIES):
            place = self._closed(self._drawn(), rows)
            if place is not None:
                found.append(place)
            if len(found) == _PLACES:
                break
        return found

    def possible(self, rows: list[int]) -> tuple[list[int], list[int]]:
        """Return the rows that can hold together, taken in order, and those that contradict them."""
        kept: list[int] = []
        refused: list[int] = []
        for row in rows:
            (kept if self.places([*kept, row]) else refused).append(row)
        return kept, refused

    def ranked(self, rows: list[int], places: list[_Place], names: list[str]) -> tuple[int, list[Redundant]]:
        """Return the rank of the rows, and those that say nothing new at any of the places."""
        independent: list[int] = []
        redundant: list[Redundant] = []
        slopes = [self._constraints(place)[1][:, self._free] for place in places]
        for row in rows:
            ranks = [_rank(slope[[*independent, row]]) for slope in slopes]
            if max(ranks) > len(independent):
                independent.append(row)
            else:
                redundant.append(Redundant(names[row], self._repeated(slopes[0], independent, row, names)))
        return len(independent), redundant

    def massless(self) -> tuple[str, ...]:
        """Return the coordinates along which nothing has mass."""
        place = self._drawn()
        try:
            mechanics = jet_mechanics(
                self._description, place.parameters, (place.q, np.zeros(self._size), place.t), self._inputs
            )
            curve = hessian_of(mechanics.kinetic_energy, 2 * self._size + 1)
        except SolveError:
            return ()
        mass = curve[self._size : 2 * self._size, self._size : 2 * self._size][np.ix_(self._free, self._free)]
        largest = float(np.abs(mass).max(initial=0.0))
        still = np.diag(mass) <= _RANK * largest
        return tuple(name for name, idle in zip(self._description.free, still, strict=True) if idle)

    @staticmethod
    def _repeated(slope: Array, independent: list[int], row: int, names: list[str]) -> tuple[str, ...]:
        weights = np.linalg.lstsq(slope[independent].T, slope[row], rcond=None)[0]
        return tuple(names[i] for i, weight in zip(independent, weights, strict=True) if abs(weight) > 1e-6)

    def _drawn(self) -> _Place:
        given = self._description.values
        parameters = {
            name: float(self._rng.uniform(0.7, 1.3)) if value is None else value for name, value in given.items()
        }
        return _Place(parameters, self._rng.uniform(-1.5, 1.5, self._size), float(self._rng.uniform(0.0, 1.0)))

    def _closed(self, place: _Place, rows: list[int]) -> _Place | None:
        """Return the place moved, by Newton's method, to where the rows hold; None if it does not get there."""
        q = place.q.copy()
        try:
            for _ in range(_ITERATIONS):
                gap, slope = self._constraints(_Place(place.parameters, q, place.t))
                if np.abs(gap[rows]).max(initial=0.0) < _CLOSED:
                    return _Place(place.parameters, q, place.t)
                step = np.linalg.lstsq(slope[np.ix_(rows, self._free)], -gap[rows], rcond=1e-9)[0]
                length = float(np.linalg.norm(step))
                if length < _CLOSED:
                    # As near as it gets: the gap is smallest here, and not zero.
                    return None
                # Long steps leave the neighbourhood in which the slope means something.
                q[self._free] += step / max(1.0, length)
        except (SolveError, np.linalg.LinAlgError):
            return None
        return None

    def _constraints(self, place: _Place) -> tuple[Array, Array]:
        mechanics = jet_mechanics(
            self._description, place.parameters, (place.q, np.zeros(self._size), place.t), self._inputs
        )
        rows = list(mechanics.constraints.values())
        count = 2 * self._size + 1
        slope = np.array([gradient_of(row.rate, count)[self._size : 2 * self._size] for row in rows])
        return np.array([value_of(row.value) for row in rows]), slope.reshape(len(rows), self._size)

    @property
    def _inputs(self) -> dict[str, float]:
        return dict.fromkeys(self._description.inputs, 0.0)


def _rank(matrix: Array) -> int:
    """Return the rank of a matrix whose rows count alike, whatever their units."""
    lengths = np.linalg.norm(matrix, axis=1)
    scaled = matrix / np.where(lengths > 0, lengths, 1.0)[:, None]
    return int((np.linalg.svd(scaled, compute_uv=False) > _RANK).sum()) if matrix.size else 0
