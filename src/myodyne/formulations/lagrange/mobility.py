"""Degrees of freedom of a mechanism, and constraints that are redundant or contradictory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from myodyne.errors import ModelError, SolveError, listed
from myodyne.formulations.lagrange.algebra.jets import gradient_of, hessian_of, value_of
from myodyne.formulations.lagrange.lists.description import Description
from myodyne.formulations.lagrange.lists.records import Nonholonomic
from myodyne.formulations.lagrange.numeric import constraint_names, jet_mechanics
from myodyne.notebook import counted
from myodyne.types import Floats

_PER_SEGMENT = {2: 3, 3: 6}
_PER_PARTICLE = {2: 2, 3: 3}
# Poses at which the rank of the constraints is taken, and attempts to find them.
_SAMPLES, _TRIES = 3, 20
_ITERATIONS = 60
_CLOSED = 1e-10
_RANK = 1e-8


def degrees_of_freedom(segments: int, particles: int, constraints: int, dimension: int = 3) -> int:
    """Return ``6 S + 3 P - C`` (Winter 8.2), in the plane ``3 S + 2 P - C``; a negative number raises an error.

    Examples
    --------
    >>> degrees_of_freedom(segments=2, particles=1, constraints=5)
    10
    """
    degrees = _PER_SEGMENT[dimension] * segments + _PER_PARTICLE[dimension] * particles - constraints
    if degrees < 0:
        raise ModelError(
            f"{segments} segments and {particles} particles with {constraints} constraints have {degrees} degrees of "
            "freedom: an overconstrained system has no solution; remove the redundant constraints"
        )
    return degrees


@dataclass(frozen=True)
class Redundant:
    """A constraint that follows from others."""

    name: str
    repeats: tuple[str, ...]


@dataclass(frozen=True)
class Mobility:
    """The result of `mobility_of`.

    ``degrees`` is the number of free coordinates less the rank of the constraints; ``counted`` treats all
    constraint equations as independent (Winter 8.2). ``massless`` are coordinates that move no mass.
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
        """Degrees of freedom, redundant constraints left out."""
        return self.coordinates - self.prescribed - self.rank

    @property
    def counted(self) -> int:
        """Degrees of freedom by counting, redundant constraints included."""
        return self.coordinates - self.prescribed - self.constraints

    @property
    def all_constraints(self) -> int:
        """``C`` of Winter 8.2: constraints built into the lists, prescribed motions, and constraint equations."""
        return self._room - self.counted

    @property
    def _room(self) -> int:
        return _PER_SEGMENT[self.dimension] * self.segments + _PER_PARTICLE[self.dimension] * self.particles

    def check(self) -> None:
        """Raise an error if the mechanism is overconstrained or its constraints contradict each other."""
        if self.contradictory:
            raise ModelError(
                f"{self.name}: the constraints {listed(self.contradictory)} contradict those before "
                "them; remove them or change their values"
            )
        if self.counted < 0:
            advice = f": {listed(part.name for part in self.redundant)} are redundant" if self.redundant else ""
            raise ModelError(
                f"{self.name}: {self.coordinates - self.prescribed} free coordinates and {self.constraints} equations "
                f"of constraint leave {self.counted} degrees of freedom; remove redundant constraints{advice}"
            )

    def text(self) -> str:
        """Return the findings as text."""
        segment, particle = _PER_SEGMENT[self.dimension], _PER_PARTICLE[self.dimension]
        lines = [
            f"{self.name}: {counted(self.coordinates, 'coordinate')} ({self.prescribed} prescribed), "
            f"{counted(self.constraints, 'constraint equation')} of rank {self.rank}",
            f"DOF = {segment}*{self.segments} + {particle}*{self.particles} - {self.all_constraints} = {self.counted}",
        ]
        if self.degrees != self.counted:
            lines.append(f"actual degrees of freedom {self.degrees}: redundant constraints were counted")
        lines += [f"redundant: {part.name} follows from {', '.join(part.repeats)}" for part in self.redundant]
        lines += [f"contradictory: {name}" for name in self.contradictory]
        lines += [f"moves no mass: {name}" for name in self.massless]
        return "\n".join(lines)


def mobility_of(description: Description, values: Mapping[str, float] | None = None, seed: int = 0) -> Mobility:
    """Return degrees of freedom, and redundant and contradictory constraints, of a description.

    The rank of the constraints is taken at random poses at which they hold. Parameters without a value are drawn at
    random too, so that the result is generic and not that of special lengths.
    """
    probe = _Probe(description.with_values(values or {}), seed)
    names = constraint_names(description)
    rows = list(range(len(names)))
    contradictory: list[int] = []
    samples = probe.samples(rows)
    if rows and not samples:
        rows, contradictory = probe.possible(rows)
        samples = probe.samples(rows)
    rank, redundant = probe.ranked(rows, samples, names)
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
class _Sample:
    parameters: dict[str, float]
    q: Floats
    t: float


class _Probe:
    """A description at random poses."""

    def __init__(self, description: Description, seed: int) -> None:
        self._description = description
        self._rng = np.random.default_rng(seed)
        self._size = len(description.coordinate_table)
        names = list(description.coordinate_table)
        self._free = [names.index(name) for name in description.free]
        self._of_speeds = {
            row
            for row, name in enumerate(constraint_names(description))
            if isinstance(description.constraints.get(name), Nonholonomic)
        }

    def samples(self, rows: list[int]) -> list[_Sample]:
        """Return poses at which the given rows hold; an empty list if there are none."""
        found: list[_Sample] = []
        for _ in range(_TRIES):
            sample = self._closed(self._drawn(), rows)
            if sample is not None:
                found.append(sample)
            if len(found) == _SAMPLES:
                break
        return found

    def possible(self, rows: list[int]) -> tuple[list[int], list[int]]:
        """Return the rows that can hold together, taken in order, and those that contradict them."""
        kept: list[int] = []
        refused: list[int] = []
        for row in rows:
            (kept if self.samples([*kept, row]) else refused).append(row)
        return kept, refused

    def ranked(self, rows: list[int], samples: list[_Sample], names: list[str]) -> tuple[int, list[Redundant]]:
        """Return the rank of the rows, and those that are dependent at all samples."""
        independent: list[int] = []
        redundant: list[Redundant] = []
        slopes = [self._constraints(sample)[1][:, self._free] for sample in samples]
        for row in rows:
            ranks = [_rank(slope[[*independent, row]]) for slope in slopes]
            if max(ranks) > len(independent):
                independent.append(row)
            else:
                redundant.append(Redundant(names[row], self._repeated(slopes[0], independent, row, names)))
        return len(independent), redundant

    def massless(self) -> tuple[str, ...]:
        """Return the coordinates that move no mass."""
        sample = self._drawn()
        try:
            mechanics = jet_mechanics(
                self._description, sample.parameters, (sample.q, np.zeros(self._size), sample.t), self._inputs
            )
            curve = hessian_of(mechanics.kinetic_energy, 2 * self._size + 1)
        except SolveError:
            return ()
        mass = curve[self._size : 2 * self._size, self._size : 2 * self._size][np.ix_(self._free, self._free)]
        largest = float(np.abs(mass).max(initial=0.0))
        still = np.diag(mass) <= _RANK * largest
        return tuple(name for name, idle in zip(self._description.free, still, strict=True) if idle)

    @staticmethod
    def _repeated(slope: Floats, independent: list[int], row: int, names: list[str]) -> tuple[str, ...]:
        weights = np.linalg.lstsq(slope[independent].T, slope[row], rcond=None)[0]
        return tuple(names[i] for i, weight in zip(independent, weights, strict=True) if abs(weight) > 1e-6)

    def _drawn(self) -> _Sample:
        given = self._description.values
        parameters = {
            name: float(self._rng.uniform(0.7, 1.3)) if value is None else value for name, value in given.items()
        }
        return _Sample(parameters, self._rng.uniform(-1.5, 1.5, self._size), float(self._rng.uniform(0.0, 1.0)))

    def _closed(self, sample: _Sample, rows: list[int]) -> _Sample | None:
        """Return the sample moved by Newton's method until the rows hold; None if it does not converge."""
        q = sample.q.copy()
        # Rows of speeds restrict no pose.
        rows = [row for row in rows if row not in self._of_speeds]
        try:
            for _ in range(_ITERATIONS):
                gap, slope = self._constraints(_Sample(sample.parameters, q, sample.t))
                if np.abs(gap[rows]).max(initial=0.0) < _CLOSED:
                    return _Sample(sample.parameters, q, sample.t)
                step = np.linalg.lstsq(slope[np.ix_(rows, self._free)], -gap[rows], rcond=1e-9)[0]
                length = float(np.linalg.norm(step))
                if length < _CLOSED:
                    # A local minimum of the gap that is not zero.
                    return None
                # Long steps leave the neighbourhood in which the linearisation is valid.
                q[self._free] += step / max(1.0, length)
        except (SolveError, np.linalg.LinAlgError):
            return None
        return None

    def _constraints(self, sample: _Sample) -> tuple[Floats, Floats]:
        mechanics = jet_mechanics(
            self._description, sample.parameters, (sample.q, np.zeros(self._size), sample.t), self._inputs
        )
        rows = list(mechanics.constraints.values())
        count = 2 * self._size + 1
        slope = np.array([gradient_of(row.rate, count)[self._size : 2 * self._size] for row in rows])
        return np.array([value_of(row.value) for row in rows]), slope.reshape(len(rows), self._size)

    @property
    def _inputs(self) -> dict[str, float]:
        return dict.fromkeys(self._description.inputs, 0.0)


def _rank(matrix: Floats) -> int:
    """Return the rank of a matrix, its rows scaled to equal length because their units differ."""
    lengths = np.linalg.norm(matrix, axis=1)
    scaled = matrix / np.where(lengths > 0, lengths, 1.0)[:, None]
    return int((np.linalg.svd(scaled, compute_uv=False) > _RANK).sum()) if matrix.size else 0
