"""From states over time to a result: all outputs by name, the energy audit, the report."""

from __future__ import annotations

import time as clock
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from myodyne.data import Provenance, Report, Result, Trajectory
from myodyne.data.report import Status
from myodyne.equations import Equations
from myodyne.errors import listed
from myodyne.numerics.stepping.march import Advance
from myodyne.simulate.constrained import singular_passages
from myodyne.simulate.reporting.path_notes import path_notes
from myodyne.simulate.reporting.phases import Phase, Piece
from myodyne.simulate.reporting.plausibility import (
    contact_notes,
    control_notes,
    energy_notes,
    range_notes,
    refuse_nonsense,
    start_notes,
)
from myodyne.simulate.reporting.ranges import missed_loops
from myodyne.types import Floats

# The part of a number that a few roundings may change.
_ROUNDING = 8 * np.finfo(float).eps


@dataclass
class Tally:
    """What a simulation cost and how it ended."""

    status: Status = "completed"
    message: str = ""
    steps: int = 0
    rejected: int = 0
    evaluations: int = 0
    iterations: int = 0
    events: list[tuple[float, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def count(self, advance: Advance) -> None:
        """Add what one advance cost."""
        self.steps += advance.steps
        self.rejected += advance.rejected
        self.evaluations += advance.evaluations
        self.iterations += advance.iterations


def rows_of(equations: Equations, states: Floats, rates: Floats | None = None) -> Floats:
    """Return the rows of a phase: what is marched, with its rates; without any the equations will give them."""
    if rates is None:
        rates = np.full((len(states), len(equations.states)), np.nan)
    return np.hstack([states, rates])


def simulation_result(
    phases: Sequence[Phase], tally: Tally, scheme: str, started: float, continuation: object
) -> Result:
    """Return the result of a simulation: columns, report, provenance, model."""
    # A switch at the very end leaves a phase of one instant, which is kept: its state is the end.
    pieces = [_columns(phase) for phase in phases]
    nonsense = refuse_nonsense([(columns, phase.equations) for columns, phase, *_ in pieces])
    if nonsense and tally.status in ("completed", "stopped by event"):
        tally.status, tally.message = "failed", nonsense
    errors = [_energy_error(piece.columns, piece.outputs) for piece in pieces]
    known = [error for error in errors if error is not None]
    equations = phases[0].equations
    drifts = [_drift(piece.columns, piece.phase.equations) for piece in pieces]
    report = Report(
        status=tally.status,
        message=tally.message,
        steps=tally.steps,
        rejected=tally.rejected,
        evaluations=tally.evaluations,
        iterations=tally.iterations,
        energy_error=max(known) if known else None,
        events=tuple(tally.events),
        notes=(
            *start_notes(phases[0]),
            *contact_notes(phases[0]),
            *tally.notes,
            *control_notes(pieces),
            *range_notes(pieces),
            *energy_notes(max(known, default=0.0)),
            *_fibre_notes(pieces),
            *path_notes((phase.equations, columns) for columns, phase, *_ in pieces),
            *_repeated_notes(phases),
            *_singular_notes(phases),
            *_loop_notes(phases, drifts),
        ),
        drift={name: max(d.get(name, 0.0) for d in drifts) for d in drifts for name in d},
        wall_seconds=clock.perf_counter() - started,
    )
    provenance = Provenance(
        model_name=equations.model.name,
        model_hash=equations.model.hash,
        scheme=scheme,
        compiled=equations.compiled,
        feedback="" if equations.closure.law is None else equations.closure.law.to_text(),
    )
    columns, text = _joined([piece.columns for piece in pieces]), phases[0].facts.model_text
    return Result(columns, report, provenance, text, continuation=continuation)


def _columns(phase: Phase) -> Piece:
    """Return everything about a phase by name."""
    equations = phase.equations
    times, (motion, work, rates) = (
        np.array(phase.times),
        np.split(np.array(phase.rows), [len(equations.motion), len(equations.marched)], axis=1),
    )
    values = equations.outputs_at(times, motion, phase.signals, rates=rates)
    controls = phase.controls(times, motion)
    columns = phase.facts.header.joined(times, [motion, controls, values, work])
    return Piece(columns, phase, values, controls)


def _joined(parts: Sequence[Trajectory]) -> Trajectory:
    """Return phases one after the other; what a phase does not have is NaN there."""
    if len(parts) == 1:
        return parts[0]
    names = list(dict.fromkeys(name for part in parts for name in part.names))
    columns = {
        name: np.concatenate([part.values(name) if name in part else np.full(len(part), np.nan) for part in parts])
        for name in names
    }
    units: dict[str, str] = {}
    for part in parts:
        units |= part.units
    return Trajectory(np.concatenate([part.time for part in parts]), columns, units)


def _drift(columns: Trajectory, equations: Equations) -> dict[str, float]:
    """Return the largest violation of each constraint in position and in speed."""
    return {
        f"{name}.{what}": float(np.max(columns.values(f"{name}.{what}")))
        for name in equations.model.constraints
        for what in ("drift", "drift_speed")
        if f"{name}.{what}" in columns
    }


def _fibre_notes(pieces: Sequence[Piece]) -> list[str]:
    """Return which muscles shortened to nothing: their curves go on there, but fibres and tendons end."""
    notes: dict[str, str] = {}
    for columns, phase, *_ in pieces:
        known = phase.facts.fibres
        if not known.names:
            continue
        table = columns.rows()
        lengths = table[:, known.paths]
        fibres = np.where(known.elastic, table[:, known.states] * known.optimal, lengths - known.slack)
        # A slack tendon takes up what fibres leave of the path, but not less than nothing.
        gone = (fibres <= 0) | (known.elastic & (fibres >= lengths))
        for number in np.flatnonzero(gone.any(axis=0)):
            name, first = known.names[number], int(np.argmax(gone[:, number]))
            if name not in notes:
                notes[name] = (
                    f"the fibres or the tendon of '{name}' have no length left, first at {columns.time[first]:.6g} s "
                    f"(path {lengths[first, number]:.4g} m, slack tendon {known.slack[number]:g} m): do not trust its "
                    "force; check its path against tendon_slack_length"
                )
    return list(notes.values())


def _repeated_notes(phases: Sequence[Phase]) -> list[str]:
    """Return which rows of constraints repeat others, each model once."""
    return list(
        dict.fromkeys(
            f"rows of constraints that repeat others are left out of the equations; all share forces: {listed(rows, 6)}"
            for rows in (phase.equations.repeated_rows for phase in phases)
            if rows
        )
    )


def _singular_notes(phases: Sequence[Phase]) -> list[str]:
    """Return where constraints became redundant during the motion, which is then one of several possible ones."""
    notes = []
    for phase in phases:
        passages = []
        if phase.equations.multipliers:
            passages = singular_passages(phase.equations, np.array(phase.times), np.array(phase.rows))
        if passages:
            others = f", and {len(passages) - 1} more times," if len(passages) > 1 else ""
            notes.append(
                f"shortly before {passages[0]:.6g} s{others} the constraints of '{phase.equations.model.name}' pass a "
                "singular pose, where rounding decides between branches: do not trust the motion after it"
            )
    return notes


def _loop_notes(phases: Sequence[Phase], drifts: Sequence[dict[str, float]]) -> list[str]:
    """Return which fitted functions miss their loops, each once."""
    found = [
        note for phase, drift in zip(phases, drifts, strict=True) for note in missed_loops(phase.equations.model, drift)
    ]
    return list(dict.fromkeys(found))


def _energy_error(columns: Trajectory, values: Floats) -> float | None:
    """Return the largest error of the energy balance, relative to the energy that was exchanged.

    Kinetic and potential energy may change only by the work of motors, dampers and outside forces, which is
    marched through time with the motion.
    """
    if len(columns) < 2 or not np.all(np.isfinite(values)):
        return None
    kinetic, potential = columns.values("energy.kinetic"), columns.values("energy.potential")
    work = columns.values("energy.input_work") - columns.values("energy.input_work")[0]
    gained = kinetic + potential - kinetic[0] - potential[0]
    exchanged = max(np.max(kinetic), np.ptp(potential), np.max(np.abs(work)))
    error = float(np.max(np.abs(gained - work)))
    # A body at rest exchanges only rounding errors of its energy.
    rounding = _ROUNDING * max(np.max(kinetic), np.max(np.abs(potential)))
    if error <= rounding:
        return 0.0 if exchanged > 0 else None
    return error / float(exchanged)
