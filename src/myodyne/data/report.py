"""How a computation went: whether it may be trusted, and what it cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args

from myodyne.data.optimum import Optimum
from myodyne.data.plain import DataError, Fields, number_out
from myodyne.errors import listed
from myodyne.notebook import Table, html_of

Status = Literal["completed", "stopped by event", "interrupted", "failed"]


@dataclass(frozen=True)
class Report:
    """Status, effort, and the audit of one computation.

    Parameters
    ----------
    status
        ``"completed"``, ``"stopped by event"``, ``"interrupted"`` or ``"failed"``.
    message
        What happened, in a sentence.
    steps, rejected, evaluations, iterations
        Steps taken, steps tried again with a smaller size, evaluations of the equations, Newton iterations.
    energy_error
        Largest error of the energy balance, relative to the energy that was exchanged; None where the
        balance cannot be drawn up.
    drift
        Largest violation of each constraint, in the constraint's own unit.
    wall_seconds
        Time spent (s).
    events
        Time (s) and name of every event.
    notes
        Remarks of the solver that a reader of the result should know.
    optimum
        What an optimisation found; None for a simulation.

    Examples
    --------
    >>> print(Report("completed", steps=300, evaluations=600, wall_seconds=0.02))
    completed
      steps         300 taken, 0 rejected
      evaluations   600, with 0 iterations
      wall time     0.02 s
    """

    status: Status
    message: str = ""
    steps: int = 0
    rejected: int = 0
    evaluations: int = 0
    iterations: int = 0
    energy_error: float | None = None
    drift: Mapping[str, float] = field(default_factory=dict)
    wall_seconds: float = 0.0
    events: tuple[tuple[float, str], ...] = ()
    notes: tuple[str, ...] = ()
    optimum: Optimum | None = None

    def __post_init__(self) -> None:
        if self.status not in get_args(Status):
            raise DataError(f"report.status is one of {listed(get_args(Status))}, not {self.status!r}")
        # Solvers count and measure with numpy's numbers, which JSON cannot hold.
        for name in ("steps", "rejected", "evaluations", "iterations"):
            object.__setattr__(self, name, int(getattr(self, name)))
        object.__setattr__(self, "energy_error", None if self.energy_error is None else float(self.energy_error))
        object.__setattr__(self, "wall_seconds", float(self.wall_seconds))
        object.__setattr__(self, "drift", {str(name): float(value) for name, value in self.drift.items()})
        object.__setattr__(self, "events", tuple((float(time), str(name)) for time, name in self.events))
        object.__setattr__(self, "notes", tuple(map(str, self.notes)))

    @property
    def succeeded(self) -> bool:
        """Whether the computation came to its end, or to the event that should end it."""
        return self.status in ("completed", "stopped by event")

    @property
    def _title(self) -> str:
        return f"{self.status}: {self.message}" if self.message else self.status

    def _lines(self) -> list[tuple[str, str]]:
        """Return what there is to say besides the optimum, as names and texts."""
        rows = [
            ("steps", f"{self.steps} taken, {self.rejected} rejected"),
            ("evaluations", f"{self.evaluations}, with {self.iterations} iterations"),
        ]
        if self.optimum is not None:
            rows = []
        if self.energy_error is not None:
            rows.append(("energy error", f"{self.energy_error:.2g}, relative"))
        rows += [("drift", f"{value:.2g} in {name}") for name, value in self.drift.items()]
        rows += [("event", f"{name} at {time:.6g} s") for time, name in self.events]
        rows += [("note", note) for note in self.notes]
        rows.append(("wall time", f"{self.wall_seconds:.3g} s"))
        return rows

    def __str__(self) -> str:
        optimum = [] if self.optimum is None else [str(self.optimum)]
        return "\n".join([self._title, *optimum, *(f"  {name:<13} {text}" for name, text in self._lines())])

    def __repr__(self) -> str:
        title = self._title if len(self._title) < 200 else f"{self._title[:199]}…"
        found = "" if self.optimum is None else f", objective {self.optimum.objective:.6g}"
        return f"<Report: {title}{found}, {self.wall_seconds:.3g} s>"

    def html_tables(self) -> list[Table]:
        """Return the tables that a notebook shows: the optimum, if there is one, and the rest."""
        optimum = [] if self.optimum is None else [self.optimum.html_table()]
        return [*optimum, Table("", (), self._lines())]

    def _repr_html_(self) -> str:
        return html_of(self._title, (), self.html_tables())

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data that JSON can hold."""
        plain = {item.name: getattr(self, item.name) for item in fields(self)}
        plain["energy_error"] = None if self.energy_error is None else number_out(self.energy_error)
        plain["wall_seconds"] = number_out(self.wall_seconds)
        plain["drift"] = {name: number_out(value) for name, value in self.drift.items()}
        plain["events"] = [[number_out(time), name] for time, name in self.events]
        plain["notes"] = list(self.notes)
        plain["optimum"] = None if self.optimum is None else self.optimum.to_dict()
        return plain

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Report:
        """Return the report that `to_dict` wrote; unknown fields and wrong types raise errors that name them."""
        read = Fields("report", data, [item.name for item in fields(cls)])
        status: Any = read.text("status")
        events = []
        for pair in read.sequence("events"):
            if not isinstance(pair, list | tuple) or len(pair) != 2:
                raise DataError(f"report.events: an event is a time and a name, not {str(pair)[:60]}")
            event = Fields("report.events", {"time": pair[0], "name": pair[1]}, ["time", "name"])
            events.append((event.number("time"), event.text("name")))
        notes, optimum = read.sequence("notes"), data.get("optimum")
        if not all(isinstance(note, str) for note in notes):
            raise DataError("report.notes: a list of texts is expected")
        return cls(
            status=status,
            message=read.text("message", ""),
            steps=read.integer("steps"),
            rejected=read.integer("rejected"),
            evaluations=read.integer("evaluations"),
            iterations=read.integer("iterations"),
            energy_error=read.optional_number("energy_error"),
            drift=read.numbers("drift"),
            wall_seconds=read.number("wall_seconds"),
            events=tuple(events),
            notes=tuple(notes),
            optimum=None if optimum is None else Optimum.from_dict(optimum),
        )
