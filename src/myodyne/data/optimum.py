"""How an optimisation went: what each goal costs, what is violated, and whether to trust it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from myodyne.data.plain import DataError, Fields, number_out
from myodyne.notebook import Table, html_of


@dataclass(frozen=True)
class Violation:
    """A condition that is not met: its name, when (s), and by how much, in its own unit.

    Examples
    --------
    >>> print(Violation("average speed", 0.0, 2e-5))
    average speed at 0 s by 2e-05
    """

    name: str
    time: float
    size: float

    def __str__(self) -> str:
        return f"{self.name} at {self.time:.4g} s by {self.size:.2g}"


@dataclass(frozen=True)
class Optimum:
    """Objective, its parts, and the audit of an optimisation.

    Parameters
    ----------
    objective
        The sum of all goals with their weights.
    parts
        What each goal contributes to it.
    largest_violation
        Of all conditions and equations, in the units of the solver's rows.
    violations
        The worst of them.
    at_bounds
        Fraction of the time that controls and states spend at their bounds, by name, where it is more than none.
    mesh_error
        Largest error of an interval, relative to the size of each state: how far an accurate simulation of it ends from
        its last node; None where it was not found.
    mesh_worst
        The states that err most: name, end of the interval (s), relative error.
    replay
        How far (rad, m) a forward simulation under the same controls strays, at most.
    replay_until
        The time (s) up to which the simulation stays within a hundredth of each coordinate's range of motion.
    parameters
        The numbers of the model that were optimised.
    duration
        Of the movement (s).
    iterations, cpu_seconds, linear_seconds
        Iterations of the solver, processor time, and how much of it the solver's own algebra took.
    starts
        Objectives of all starts, the smallest first, NaN for those that failed; empty where there was one. Where the
        problem has a `Screening`, those of its coarse mesh and easier problem.
    nodes, scheme
        The mesh and how it was discretised.
    unknowns, rows
        The size of the problem: unknown numbers, and rows of equations and conditions.
    prepare_seconds
        Wall time before the first iteration: equations were made, compiled, or read from the cache.

    Examples
    --------
    >>> print(Optimum(objective=0.4, parts={"final_time": 0.4}, duration=0.4))
    objective 0.4
      final_time    0.4 (100 %)
      violation     0 at most
      duration      0.4 s
    """

    objective: float
    parts: Mapping[str, float] = field(default_factory=dict)
    largest_violation: float = 0.0
    violations: tuple[Violation, ...] = ()
    at_bounds: Mapping[str, float] = field(default_factory=dict)
    mesh_error: float | None = None
    mesh_worst: tuple[Violation, ...] = ()
    replay: float | None = None
    replay_until: float | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)
    duration: float = 0.0
    iterations: int = 0
    cpu_seconds: float = 0.0
    linear_seconds: float = 0.0
    nodes: int = 0
    scheme: str = ""
    starts: tuple[float, ...] = ()
    unknowns: int = 0
    rows: int = 0
    prepare_seconds: float = 0.0

    def _lines(self) -> list[tuple[str, str]]:
        """Return what there is to say, as names and texts."""
        total = sum(abs(value) for value in self.parts.values()) or 1.0
        rows = [(name, f"{value:.5g} ({100 * abs(value) / total:.0f} %)") for name, value in self.parts.items()]
        rows.append(("violation", f"{self.largest_violation:.2g} at most"))
        rows += [("", str(violation)) for violation in self.violations]
        rows += [("at bounds", f"{name} for {100 * share:.0f} % of the time") for name, share in self.at_bounds.items()]
        if self.mesh_error is not None:
            rows.append(("mesh error", f"{self.mesh_error:.2g}, relative"))
            rows += [("", str(one)) for one in self.mesh_worst]
        if self.replay is not None:
            rows.append(("replay", f"deviates by {self.replay:.2g}; close until {self.replay_until:.3g} s"))
        rows += [("found", f"{name} = {value:.6g}") for name, value in self.parameters.items()]
        if self.starts:
            rows.append(("starts", ", ".join(f"{value:.4g}" for value in self.starts)))
        rows.append(("duration", f"{self.duration:.6g} s"))
        if self.iterations:
            rows.append(("iterations", f"{self.iterations} in {self.cpu_seconds:.3g} s of CPU time"))
        if self.unknowns:
            rows.append(("size", f"{self.unknowns} unknowns, {self.rows} rows, {self.nodes} nodes of {self.scheme}"))
            evaluating = max(self.cpu_seconds - self.linear_seconds, 0.0)
            rows.append(
                (
                    "time",
                    f"{self.prepare_seconds:.3g} s to prepare and compile, {evaluating:.3g} s of evaluation, "
                    f"{self.linear_seconds:.3g} s of factorisation and the rest",
                )
            )
        return rows

    def __str__(self) -> str:
        lines = (f"  {name:<13} {text}" for name, text in self._lines())
        return "\n".join([f"objective {self.objective:.6g}", *lines])

    def __repr__(self) -> str:
        return (
            f"<Optimum: objective {self.objective:.6g}, duration {self.duration:.4g} s, "
            f"violation {self.largest_violation:.2g}>"
        )

    def html_table(self) -> Table:
        """Return the table that a notebook shows."""
        return Table("", (), [("objective", f"{self.objective:.6g}"), *self._lines()])

    def _repr_html_(self) -> str:
        return html_of("Optimum", (), [self.html_table()])

    def to_dict(self) -> dict[str, Any]:
        """Return the optimum as plain data that JSON can hold."""
        plain: dict[str, Any] = {item.name: getattr(self, item.name) for item in fields(self)}
        for name in ("objective", "largest_violation", "duration", "cpu_seconds", "linear_seconds", "prepare_seconds"):
            plain[name] = number_out(plain[name])
        for name in ("mesh_error", "replay", "replay_until"):
            plain[name] = None if plain[name] is None else number_out(plain[name])
        for name in ("parts", "at_bounds", "parameters"):
            plain[name] = {key: number_out(value) for key, value in plain[name].items()}
        plain["starts"] = [number_out(value) for value in self.starts]
        for name in ("violations", "mesh_worst"):
            plain[name] = [[one.name, number_out(one.time), number_out(one.size)] for one in plain[name]]
        return plain

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Optimum:
        """Return the optimum that `to_dict` wrote; unknown fields and wrong types raise errors that name them."""
        read = Fields("optimum", data, [item.name for item in fields(cls)])
        return cls(
            objective=read.number("objective"),
            parts=read.numbers("parts"),
            largest_violation=read.number("largest_violation"),
            violations=_violations(read, "violations"),
            at_bounds=read.numbers("at_bounds"),
            mesh_error=read.optional_number("mesh_error"),
            mesh_worst=_violations(read, "mesh_worst"),
            replay=read.optional_number("replay"),
            replay_until=read.optional_number("replay_until"),
            parameters=read.numbers("parameters"),
            duration=read.number("duration"),
            iterations=read.integer("iterations"),
            cpu_seconds=read.number("cpu_seconds"),
            linear_seconds=read.number("linear_seconds"),
            nodes=read.integer("nodes"),
            scheme=read.text("scheme", ""),
            unknowns=read.integer("unknowns"),
            rows=read.integer("rows"),
            prepare_seconds=read.number("prepare_seconds", 0.0),
            starts=tuple(
                Fields("optimum.starts", {"objective": value}, ["objective"]).number("objective")
                for value in read.sequence("starts")
            ),
        )


def _violations(read: Fields, field_name: str) -> tuple[Violation, ...]:
    found = []
    names = ("name", "time", "size")
    for row in read.sequence(field_name):
        if not isinstance(row, list | tuple) or len(row) != len(names):
            raise DataError(f"optimum.{field_name}: a name, a time and a size are expected, not {str(row)[:60]}")
        item = Fields(f"optimum.{field_name}", dict(zip(names, row, strict=True)), list(names))
        found.append(Violation(item.text("name"), item.number("time"), item.number("size")))
    return tuple(found)
