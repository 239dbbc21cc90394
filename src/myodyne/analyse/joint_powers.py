"""Moments, powers and work of the joints in a recorded motion, and the energy of the segments."""

from __future__ import annotations

import time as clock
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from myodyne.analyse.coordinate_motion import CoordinateMotion, analysis_result, coordinate_motion, equations_kept
from myodyne.analyse.external_wrenches import wrenches_of
from myodyne.analyse.inverse_dynamics import net_moments
from myodyne.analyse.joint_reactions import check_loops
from myodyne.analyse.segment_energies import body_motion, external_powers, joint_exchange, segment_energies
from myodyne.data import DataError, ExternalForce, ExternalForces, Report, Result, Trajectory
from myodyne.equations import Equations
from myodyne.model import Model
from myodyne.model.units import angles
from myodyne.progress import task
from myodyne.types import Floats

_WHOLE = "whole"


@dataclass(frozen=True)
class Work:
    """Work (J) of a joint in a phase: done by it, done on it (negative), and both together.

    Examples
    --------
    >>> Work(positive=12.0, negative=-5.0).net
    7.0
    """

    positive: float
    negative: float

    @property
    def net(self) -> float:
        """What is left of both."""
        return self.positive + self.negative


@dataclass(frozen=True, eq=False)
class JointPowers:
    """What `joint_powers` finds.

    Parameters
    ----------
    result
        Columns over time: of each coordinate ``.moment`` and ``.power``; of each body ``.kinetic_energy``,
        ``.potential_energy`` and ``.external_power``; of each joint ``.power_to_child`` and ``.power_to_parent``.
    work
        For each phase the work of each coordinate; the phase ``whole`` is always there.
    phases
        Beginning and end of each phase (s).

    Examples
    --------
    >>> import myodyne as my
    >>> times = [0.1 * row for row in range(11)]
    >>> raised = my.Trajectory(times, {"angle": [0.5 * time for time in times]}, {"angle": "rad"})
    >>> round(my.joint_powers(my.load_model("pendulum"), raised).work["whole"]["angle"].net, 3)      # J
    0.6
    """

    result: Result
    work: Mapping[str, Mapping[str, Work]]
    phases: Mapping[str, tuple[float, float]]

    def __str__(self) -> str:
        lines = [f"{'phase':<14}{'coordinate':<22}{'positive':>10}{'negative':>10}{'net':>10}   (J)"]
        for phase, done in self.work.items():
            for name, work in done.items():
                row = f"{work.positive:>10.2f}{work.negative:>10.2f}{work.net:>10.2f}"
                lines.append(f"{phase:<14}{name:<22}{row}")
        return "\n".join(lines)


def joint_powers(
    model: Model,
    motion: Trajectory,
    external_forces: ExternalForces | None = None,
    *,
    cutoff: float | None = None,
    phases: Mapping[str, tuple[float, float]] | None = None,
) -> JointPowers:
    """Return moments, powers and work of the joints, energies of the segments, and the power that joints transfer.

    Moments are net ones: springs, muscles and contacts of the model do not act beside them, as in `inverse_dynamics`.
    The energy of a segment changes by what its joints bring in and what external forces do on it.

    Parameters
    ----------
    model, motion, external_forces, cutoff
        As in `inverse_dynamics`.
    phases
        Beginning and end (s) of phases by name, like ``{"stance": (0.0, 0.31)}``; `stance` finds some.

    Examples
    --------
    >>> import myodyne as my
    >>> times = [0.1 * row for row in range(11)]
    >>> raised = my.Trajectory(times, {"angle": [0.5 * time for time in times]}, {"angle": "rad"})
    >>> found = my.joint_powers(my.load_model("pendulum"), raised, phases={"first half": (0.0, 0.5)})
    >>> round(found.work["first half"]["angle"].positive, 3)      # J: the rod is lifted by 1.5 cm
    0.152
    """
    started = clock.perf_counter()
    movement = coordinate_motion(model, motion, cutoff)
    check_loops(model)
    spans = _checked_phases(movement.time, phases)
    with task(f"Joint powers of '{model.name}'"):
        tree = equations_kept(model)
        columns, units = _columns(tree, model, movement, external_forces)
    work = {
        phase: {name: _work(movement.time, columns[f"{name}.power"], *span) for name in tree.coordinates}
        for phase, span in spans.items()
    }
    notes = external_forces.notes if external_forces else ()
    report = Report("completed", evaluations=len(motion), wall_seconds=clock.perf_counter() - started, notes=notes)
    table = Trajectory(movement.time, columns, units, motion.notes)
    return JointPowers(analysis_result(tree, model, table, "joint powers", report, gaps=True), work, spans)


def stance(force: ExternalForce, *, least: float = 20.0) -> tuple[tuple[float, float], ...]:
    """Return when a foot is on its plate: beginning and end (s) of each time in which the force exceeds ``least`` (N).

    Beginning and end lie where the recorded size of the force, straight between its rows, passes ``least``.

    Examples
    --------
    >>> import myodyne as my
    >>> rows = {"x": [0.0] * 5, "y": [0.0, 0.0, 700.0, 0.0, 0.0], "z": [0.0] * 5}
    >>> plate = my.ExternalForce("right", "foot", my.Trajectory([0.0, 0.1, 0.2, 0.3, 0.4], rows), force=("x", "y", "z"))
    >>> [(round(begin, 3), round(end, 3)) for begin, end in my.stance(plate, least=70.0)]
    [(0.11, 0.29)]
    """
    if not isinstance(force, ExternalForce) or force.force is None:
        raise DataError(f"a stance is found from an ExternalForce with a force, not from {force!r:.60}")
    if isinstance(least, bool) or not isinstance(least, int | float | np.number) or not 0.0 < least < np.inf:
        raise DataError(f"the force threshold of stance must be a positive number (N), not {least!r:.40}")
    size = np.linalg.norm([force.data.values(name) for name in force.force], axis=0)
    time, above = _with_crossings(force.data.time, size - least)
    # Between a crossing and the next row the sign is that of the row: a stance is a run of rows that are not below.
    loaded = above >= 0.0
    edges = np.diff(np.concatenate([[False], loaded, [False]]).astype(np.int8))
    spans = zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1, strict=True)
    found = tuple((float(time[first]), float(time[last])) for first, last in spans if last > first)
    if not found:
        raise DataError(
            f"external force '{force.name}' never exceeds {least:g} N (at most {size.max():.3g} N): there is no stance"
        )
    return found


def _columns(
    tree: Equations, model: Model, movement: CoordinateMotion, external_forces: ExternalForces | None
) -> tuple[dict[str, Floats], dict[str, str]]:
    moments = net_moments(tree, movement, external_forces, acting=False)
    wrenches = wrenches_of(tree, movement, external_forces)
    moved = body_motion(tree, movement)
    turning = angles(model)
    columns: dict[str, Floats] = {}
    units: dict[str, str] = {}
    for number, name in enumerate(tree.coordinates):
        columns[f"{name}.moment"] = moments[:, number]
        columns[f"{name}.power"] = moments[:, number] * movement.v[:, number]
        units |= {f"{name}.moment": "N m" if name in turning else "N", f"{name}.power": "W"}
    energies = (*segment_energies(tree, moved), external_powers(tree, moved, wrenches))
    for number, name in enumerate(tree.bodies):
        for kind, unit, table in zip(
            ("kinetic_energy", "potential_energy", "external_power"), ("J", "J", "W"), energies, strict=True
        ):
            columns[f"{name}.{kind}"], units[f"{name}.{kind}"] = table[:, number], unit
    exchange = joint_exchange(tree, movement, moved, wrenches)
    return {**columns, **exchange}, {**units, **dict.fromkeys(exchange, "W")}


def _checked_phases(time: Floats, phases: Mapping[str, tuple[float, float]] | None) -> dict[str, tuple[float, float]]:
    first, last = float(time[0]), float(time[-1])
    spans = {_WHOLE: (first, last)}
    slack = 1e-9 * max(abs(first), abs(last))
    for name, span in (phases or {}).items():
        if name == _WHOLE:
            raise DataError(f"'{_WHOLE}' is the name of the whole motion; give the phase another name")
        try:
            begin, end = (float(edge) for edge in span)
        except (TypeError, ValueError):
            raise DataError(f"phase '{name}' needs a start and an end (s), not {span!r:.60}") from None
        if not begin < end:
            raise DataError(f"phase '{name}' is empty: it begins at {begin:g} s and ends at {end:g} s")
        if begin < first - slack or end > last + slack:
            raise DataError(
                f"phase '{name}' ({begin:g} to {end:g} s) is not covered by the motion, {first:g} to {last:g} s"
            )
        spans[name] = (max(begin, first), min(end, last))
    return spans


def _work(time: Floats, power: Floats, begin: float, end: float) -> Work:
    """Return the integrals of positive and negative power, straight between the rows."""
    inside = (time > begin) & (time < end)
    times = np.concatenate([[begin], time[inside], [end]])
    at, values = _with_crossings(times, np.interp(times, time, power))
    positive, negative = (float(np.trapezoid(part, at)) for part in (np.maximum(values, 0.0), np.minimum(values, 0.0)))
    return Work(positive, negative)


def _with_crossings(time: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Return the rows with those between in which straight lines pass zero."""
    passing = np.flatnonzero(values[:-1] * values[1:] < 0.0)
    before, after = values[passing], values[passing + 1]
    at = time[passing] + (time[passing + 1] - time[passing]) * before / (before - after)
    return np.insert(time, passing + 1, at), np.insert(values, passing + 1, 0.0)
