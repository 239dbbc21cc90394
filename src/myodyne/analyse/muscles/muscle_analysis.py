"""Muscles along a recorded motion: lengths, speeds, moment arms, fibres and forces."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Literal

import numpy as np

from myodyne.analyse.coordinate_motion import CoordinateMotion, analysis_result, coordinate_motion, stripped
from myodyne.analyse.muscles.fibres_along import Muscles, fibres_along
from myodyne.analyse.muscles.jumps_along import jump_notes
from myodyne.data import DataError, Report, Result, Trajectory
from myodyne.equations import Equations, equations_of
from myodyne.equations.muscles.kinds import DETAILS, activation_states
from myodyne.errors import ModelError, unknown_name
from myodyne.model import Model
from myodyne.model.part import Named
from myodyne.progress import task
from myodyne.types import Floats

_UNITS = {
    "force": "N",
    "fibre_length": "m",
    "fibre_velocity": "m/s",
    "pennation_angle": "rad",
    "activation": "",
    "active_force": "N",
    "passive_force": "N",
}
# Moment arms below this (m) in all poses belong to coordinates that a muscle does not cross.
_NO_ARM = 1e-9


def muscle_analysis(
    model: Model,
    motion: Trajectory,
    *,
    activations: float | Mapping[str, float] | Trajectory | None = None,
    tendon: Literal["rigid", "elastic"] | None = None,
    cutoff: float | None = None,
) -> Result:
    """Return lengths, lengthening speeds and moment arms of all muscles along a motion, and what their fibres do.

    Columns are ``<muscle>.length`` (m), ``.velocity`` (m/s), ``.moment_arm.<coordinate>`` (m) for each coordinate that
    the muscle crosses; with activations also ``.force`` (N, of the tendon), ``.fibre_length``, ``.fibre_velocity``,
    ``.pennation_angle``, ``.activation``, ``.active_force`` and ``.passive_force`` (N, of the fibres).

    Parameters
    ----------
    model, motion, cutoff
        As in `inverse_dynamics`. Locked coordinates stay at their defaults, coupled ones follow their functions.
    activations
        One for all muscles, by muscle, or over time (columns ``<muscle>.activation`` or ``<muscle>``); None leaves
        fibres and forces out. With Hatze's dynamics it is the calcium (``<muscle>.calcium``) that is given.
    tendon
        ``"rigid"`` or ``"elastic"`` for all muscles, None as the model has them. Fibres on elastic tendons start in
        balance at rest and are marched through the motion.

    Examples
    --------
    >>> import myodyne as my
    >>> arm = my.load_model("planar_arm")
    >>> still = my.Trajectory([0.1 * row for row in range(8)], {name: [0.5] * 8 for name in arm.moving})
    >>> found = my.muscle_analysis(arm, still, activations=0.5, tendon="rigid")
    >>> [name for name in found.names if name.startswith("elbow_flexor") and "moment" in name]
    ['elbow_flexor.moment_arm.elbow']
    """
    started = time.perf_counter()
    if not model.muscles:
        raise ModelError(f"'{model.name}' has no muscles")
    with task(f"Muscle analysis of '{model.name}'"):
        movement = coordinate_motion(model, motion, cutoff)
        chosen = _with_tendons(stripped(model, muscles=True), tendon)
        equations = equations_of(chosen)
        moving = movement.of(equations.coordinates)
        lengths, arms = equations.muscle_lengths(moving.q), equations.moment_arms(moving.q)
        speeds = -np.einsum("tmc,tc->tm", arms, moving.v)
        active = None if activations is None else _activations(chosen, activations, movement.time)
        details = None if active is None else fibres_along(equations, Muscles(movement.time, lengths, speeds, active))
        jumps = jump_notes(equations, moving.time, moving.q, (lengths, arms))
    columns: dict[str, Floats] = {}
    units: dict[str, str] = {}
    for number, name in enumerate(chosen.muscles):
        columns[f"{name}.length"], columns[f"{name}.velocity"] = lengths[:, number], speeds[:, number]
        units |= {f"{name}.length": "m", f"{name}.velocity": "m/s"}
        for column in np.flatnonzero(np.abs(arms[:, number]).max(axis=0) > _NO_ARM):
            key = f"{name}.moment_arm.{equations.coordinates[column]}"
            columns[key], units[key] = arms[:, number, column], "m"
        if details is not None:
            for place, detail in enumerate(DETAILS):
                columns[f"{name}.{detail}"] = details[:, number, place]
                units[f"{name}.{detail}"] = _UNITS[detail]
    report = Report(
        "completed",
        evaluations=len(motion),
        wall_seconds=time.perf_counter() - started,
        notes=(*_deviations(model, movement, equations), *jumps),
    )
    return analysis_result(equations, model, Trajectory(movement.time, columns, units), "muscle analysis", report)


def _with_tendons(model: Model, tendon: str | None) -> Model:
    if tendon is None:
        return model
    if tendon not in ("rigid", "elastic"):
        raise ModelError(f"tendon must be 'rigid', 'elastic' or None, not {tendon!r:.40}")
    if tendon == "elastic":
        none = [name for name, muscle in model.muscles.items() if not muscle.tendon_slack_length > 0]
        if none:
            raise ModelError(f"muscle '{none[0]}' cannot have an elastic tendon: its tendon_slack_length is zero")
    muscles = {name: muscle.model_copy(update={"tendon": tendon}) for name, muscle in model.muscles.items()}
    return model.model_copy(update={"muscles": Named(muscles)})


def _activations(model: Model, given: float | Mapping[str, float] | Trajectory, times: Floats) -> Floats:
    """Return the activation of each muscle at some times, from 0 to 1."""
    names = list(model.muscles)
    if isinstance(given, Trajectory):
        states, columns = activation_states(model), []
        for name in names:
            found = [column for column in (states.get(name, f"{name}.activation"), name) if column in given]
            if not found:
                raise DataError(f"the activations lack muscle '{name}': {unknown_name('column', name, given.names)}")
            columns.append(found[0])
        table = np.asarray(given.select(columns).resampled(times).rows())
    elif isinstance(given, Mapping):
        for name in given:
            if name not in model.muscles:
                raise ModelError(unknown_name("muscle", name, names))
        missing = [name for name in names if name not in given]
        if missing:
            raise DataError(f"the activations lack muscle '{missing[0]}' and {len(missing) - 1} more; give all of them")
        table = np.tile([float(given[name]) for name in names], (len(times), 1))
    else:
        table = np.full((len(times), len(names)), float(given))
    wrong = ~((table >= 0.0) & (table <= 1.0))
    if wrong.any():
        row, column = map(int, np.argwhere(wrong)[0])
        value = f"{table[row, column]:g} at {times[row]:g} s"
        raise DataError(f"the activation of '{names[column]}' is {value}; activations lie between 0 and 1")
    return table


def _deviations(model: Model, movement: CoordinateMotion, equations: Equations) -> tuple[str, ...]:
    """Return which locked or coupled coordinates the motion moves in another way than the model."""
    notes = []
    for name, part in model.coordinates.items():
        if part.locked:
            off = float(np.abs(movement.of([name]).q - part.default).max())
            if off > 1e-6:
                notes.append(f"'{name}' is locked at {part.default:g}; the motion has it up to {off:.3g} away")
    return tuple(notes)
