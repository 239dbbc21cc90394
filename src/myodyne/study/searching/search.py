"""search: the best row of a study whose values are ranges."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from myodyne.errors import FileError, ModelError, unknown_name
from myodyne.progress import Task, task
from myodyne.study.engines.engine import Crew, Engine
from myodyne.study.engines.serial import Serial
from myodyne.study.ranges import Choice, Integers, Range, from_fractions
from myodyne.study.running import facts_of
from myodyne.study.sampling import Rows
from myodyne.study.searching.evolution import CMA
from myodyne.study.searching.method import Method
from myodyne.study.searching.result import Objective, SearchResult
from myodyne.study.study import Study
from myodyne.study.table import Entry, Table, dataset, entry, opened
from myodyne.types import Floats

if TYPE_CHECKING:
    from collections.abc import Mapping

    from myodyne.study.study import Study

Names: TypeAlias = str | Sequence[str]


def search(  # noqa: PLR0913 - what is sought, how, how long, and where it is computed and kept
    study: Study,
    method: Method | None = None,
    *,
    minimise: Names | None = None,
    maximise: Names | None = None,
    evaluations: int = 1000,
    start: Mapping[str, float] | None = None,
    engine: Engine | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: bool | None = None,
) -> SearchResult:
    """Return the best values of what a study varies within its ranges.

    Parameters
    ----------
    study
        A study whose ``vary`` are ranges by name: ``(low, high)``, `Integers`, `Choice`, or a distribution.
    method
        `CMA` (the default), `DifferentialEvolution`, `Genetic`, `Annealing`, `DualAnnealing` or `MultiStart`.
    minimise, maximise
        The names of measures; without any the only measure is minimised. Several objectives need `Genetic`, and give
        a front.
    evaluations
        The most rows to compute.
    start
        Values to begin with; by default the middle of the ranges.
    engine
        Where the rows of a population are computed.
    out, resume
        A folder that keeps all rows, and whether to go on with those in it, also with more evaluations than before.
    progress
        Whether to show progress; None shows it in a terminal or a notebook.

    Rows that fail count as worse than all others. Ctrl-C returns what was found so far.

    Examples
    --------
    >>> import myodyne as my
    >>> def off(model):
    ...     return abs(model.value("rod.mass") - 2.0)
    >>> study = my.Study(my.load_model("pendulum"), vary={"rod.mass": my.Integers(1, 4)}, measure=off)
    >>> my.search(study, my.DifferentialEvolution(seed=1), evaluations=20).best
    {'rod.mass': 2.0}
    """
    if not isinstance(study, Study):
        raise ModelError(f"search needs a my.Study(model, vary=..., measure=...), not {study!r:.60}")
    method = method or CMA()
    engine = engine or Serial()
    objectives = _objectives(study, minimise, maximise)
    _check(method, engine, objectives, evaluations, resume and out is None)
    space = Space.of(study)
    first = np.full(len(space.names), 0.5) if start is None else space.fractions(start)
    identity = f"{method!r} {objectives!r} {first.tolist()}"
    facts = facts_of(study)
    facts["parts"]["search"] = hashlib.sha256(identity.encode()).hexdigest()[:32]
    facts["fingerprint"] = hashlib.sha256(repr(sorted(facts["parts"].items())).encode()).hexdigest()[:32]
    facts["source"] = repr(method)
    # Where every row fails, no row names its measures.
    facts["measures"] = [*dict.fromkeys([*facts["measures"], *(one.name for one in objectives)])]
    with ExitStack() as stack:
        searching = stack.enter_context(
            task(f"Searching in '{study.model.name}'", total=evaluations, unit="rows", show=progress)
        )
        table = None if out is None else stack.enter_context(opened(out, facts, resume))
        ledger = _Ledger(space, objectives, table, searching)
        message = _through(ledger, method, first, study, engine, evaluations)
        if table is not None:
            table.finish()
    return SearchResult(objectives, dataset(ledger.entries, space.names, facts), message, repr(method))


def _through(ledger: _Ledger, method: Method, first: Floats, study: Study, engine: Engine, evaluations: int) -> str:
    """Evaluate batch after batch; return how it ended."""
    proposals = method.proposals(first, len(ledger.objectives))
    try:
        with _when_needed(engine, study) as crew:
            points: Floats | None = next(proposals, None)
            while points is not None:
                room = evaluations - len(ledger.entries)
                values = ledger.evaluated(points[:room], crew)
                if len(points) >= room:
                    return f"{evaluations} evaluations"
                try:
                    points = proposals.send(values)
                except StopIteration:
                    points = None
        return f"converged after {len(ledger.entries)} evaluations"
    except KeyboardInterrupt:
        return f"interrupted after {len(ledger.entries)} evaluations"
    finally:
        proposals.close()


class _Crews:
    """A crew that starts with its first use: a search that is only read from its table needs none."""

    def __init__(self, engine: Engine, study: Study, stack: ExitStack) -> None:
        self._engine, self._study, self._stack = engine, study, stack
        self._crew: Crew | None = None

    @property
    def crew(self) -> Crew:
        if self._crew is None:
            self._crew = self._stack.enter_context(self._engine.started(self._study))
        return self._crew


@contextmanager
def _when_needed(engine: Engine, study: Study) -> Iterator[_Crews]:
    with ExitStack() as stack:
        yield _Crews(engine, study, stack)


@dataclass(frozen=True)
class Space:
    """The ranges of a search, seen as a unit cube."""

    ranges: dict[str, Range]

    @staticmethod
    def of(study: Study) -> Space:
        """Return the space of a study."""
        ranges = dict(study.vary.ranges if isinstance(study.vary, Rows) else study.vary)
        if not ranges:
            raise ModelError("a search needs ranges, not a grid: vary={'soleus.onset': (0.0, 0.3)}")
        return Space(ranges)

    @property
    def names(self) -> tuple[str, ...]:
        """What is varied."""
        return tuple(self.ranges)

    def values(self, points: Floats) -> Floats:
        """Return the values at points (m, width) of the cube."""
        # Distributions without ends are cut where one in a million is left.
        inside = np.clip(points, 1e-6, 1 - 1e-6)
        columns = [
            from_fractions(one, points[:, k] if isinstance(one, tuple) else inside[:, k])
            for k, one in enumerate(self.ranges.values())
        ]
        return np.stack(columns, axis=1)

    def fractions(self, start: Mapping[str, float]) -> Floats:
        """Return the point of the cube with some values; the middle of ranges that are not named."""
        point = np.full(len(self.ranges), 0.5)
        for name, value in start.items():
            if name not in self.ranges:
                raise ModelError("start: " + unknown_name("name", name, self.ranges))
            point[self.names.index(name)] = _fraction(name, self.ranges[name], float(value))
        return point


def _fraction(name: str, one: Range, value: float) -> float:
    if isinstance(one, Integers | Choice):
        if value not in one.values:
            raise ModelError(f"start: '{name}' = {value:g} is none of {one.values}")
        return (one.values.index(value) + 0.5) / len(one.values)
    if not isinstance(one, tuple):
        raise ModelError(f"start: '{name}' has a distribution; leave it out")
    if not one[0] <= value <= one[1]:
        raise ModelError(f"start: '{name}' = {value:g} is outside its range ({one[0]:g}, {one[1]:g})")
    return (value - one[0]) / (one[1] - one[0])


@dataclass
class _Ledger:
    """All that a search has evaluated, in the order in which it was proposed."""

    space: Space
    objectives: tuple[Objective, ...]
    table: Table | None
    searching: Task
    entries: list[Entry] = field(default_factory=list)
    losses: list[Floats] = field(default_factory=list)

    def evaluated(self, points: Floats, crews: _Crews) -> Floats:
        """Return the values of a batch, less being better; rows that the table holds are not computed again."""
        first, inputs = len(self.entries), self.space.values(points)
        known = {} if self.table is None else self.table.entries
        found: dict[int, Entry] = {}
        for k, values in enumerate(inputs):
            old = known.get(first + k)
            if old is not None:
                _check_same_point(old, values)
                found[first + k] = old
        jobs = [
            (first + k, dict(zip(self.space.names, values.tolist(), strict=True)))
            for k, values in enumerate(inputs)
            if first + k not in found
        ]
        for rows in crews.crew.rows(jobs) if jobs else ():
            new = [entry(row, inputs[row.number - first].tolist()) for row in rows]
            if self.table is not None:
                self.table.add(new)
            found |= {one.number: one for one in new}
        self.entries += [found[first + k] for k in range(len(points))]
        values = self._values([found[first + k] for k in range(len(points))])
        self._show()
        return values

    def _values(self, entries: list[Entry]) -> Floats:
        """Return the losses of some rows; those that failed get more than the worst so far."""
        raw = np.array([self._losses(one) for one in entries])
        self.losses.append(raw)
        seen = np.vstack(self.losses)
        for k in range(raw.shape[1]):
            good = seen[np.isfinite(seen[:, k]), k]
            worst = float(good.max()) if len(good) else 0.0
            spread = float(np.ptp(good)) if len(good) > 1 else 0.0
            raw[:, k] = np.where(np.isfinite(raw[:, k]), raw[:, k], worst + (spread or max(abs(worst), 1.0)))
        return raw

    def _losses(self, one: Entry) -> list[float]:
        if one.reason:
            return [np.nan] * len(self.objectives)
        for objective in self.objectives:
            if objective.name not in one.measures:
                raise ModelError("objective: " + unknown_name("measure", objective.name, one.measures))
        return [objective.sign * one.measures[objective.name] for objective in self.objectives]

    def _show(self) -> None:
        losses = np.vstack(self.losses)[:, 0]
        sign = self.objectives[0].sign
        best = f"best {sign * np.nanmin(losses):.6g}" if np.isfinite(losses).any() else "all failed so far"
        self.searching.update(len(self.entries), note=best)


def _check_same_point(old: Entry, values: Floats) -> None:
    if not np.array_equal(np.array(old.inputs), values):
        raise FileError(
            f"row {old.number} of the table is of other values than the search proposes now; another version "
            "of a library may have written it; give another folder"
        )


def _objectives(study: Study, minimise: Names | None, maximise: Names | None) -> tuple[Objective, ...]:
    wanted = [Objective(name) for name in _listed(minimise)]
    wanted += [Objective(name, maximised=True) for name in _listed(maximise)]
    if not wanted:
        if len(study.measures) > 1:
            raise ModelError(
                f"which measure should be optimised? Give minimise= or maximise= one of {list(study.measures)}"
            )
        wanted = [Objective(next(iter(study.measures)))]
    named = [one.name for one in wanted]
    if len(set(named)) < len(named):
        raise ModelError(f"an objective appears twice: {named}")
    # A function may return numbers by other names, which only its rows show.
    if all(isinstance(one, str) for one in study.measures.values()):
        for name in named:
            if name not in study.measures:
                raise ModelError("objective: " + unknown_name("measure", name, study.measures))
    return tuple(wanted)


def _listed(names: Names | None) -> list[str]:
    if names is None:
        return []
    return [names] if isinstance(names, str) else [str(name) for name in names]


def _check(method: Method, engine: Engine, objectives: tuple[Objective, ...], evaluations: int, lost: bool) -> None:
    if not isinstance(method, Method):
        raise ModelError(f"method must be one like my.CMA(seed=1), not {method!r:.60}")
    if not isinstance(engine, Engine):
        raise ModelError(f"engine must be my.Serial(), my.Processes(2) or my.Dask(), not {engine!r:.60}")
    if len(objectives) > 1 and not method.several_objectives:
        raise ModelError(f"{type(method).__name__} optimises one objective, not {len(objectives)}; use my.Genetic()")
    if isinstance(evaluations, bool) or not isinstance(evaluations, int) or evaluations < 1:
        raise ModelError(f"evaluations must be a positive whole number, not {evaluations!r:.40}")
    if lost:
        raise ModelError("resume=True goes on with a folder; give it as out=...")
