"""A recorded motion as the equations want it: coordinates, speeds and accelerations, row by row."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from myodyne.data import DataError, ExternalForces, Provenance, Report, Result, Trajectory
from myodyne.equations import Equations, equations_of
from myodyne.errors import ModelError, SolveError, listed, unknown_name
from myodyne.model import (
    ContactPoint,
    EllipsoidContact,
    HuntCrossleyContact,
    Model,
    SmoothSphereContact,
    SpherePairContact,
)
from myodyne.model.part import Named
from myodyne.model.units import angles
from myodyne.notebook import counted
from myodyne.types import Floats

if TYPE_CHECKING:
    from myodyne.numerics.filters import NaturalSpline

_CONTACTS = (EllipsoidContact, HuntCrossleyContact, SmoothSphereContact, ContactPoint, SpherePairContact)
# No joint turns twice around: such an angle was meant in degrees.
_MOST_TURNED = 4.0 * math.pi
# Models whose equations and texts are kept: to make them anew takes longer than a trial.
_KEPT = 16


@dataclass(frozen=True, eq=False)
class CoordinateMotion:
    """Values, rates and accelerations of some coordinates, a row for each time."""

    names: tuple[str, ...]
    time: Floats
    q: Floats
    v: Floats
    vdot: Floats

    def of(self, names: Sequence[str]) -> CoordinateMotion:
        """Return the same for some of the coordinates."""
        columns = [self.names.index(name) for name in names]
        return CoordinateMotion(tuple(names), self.time, self.q[:, columns], self.v[:, columns], self.vdot[:, columns])


def coordinate_motion(
    model: Model, motion: Trajectory, cutoff: float | None, times: Floats | None = None
) -> CoordinateMotion:
    """Return how all coordinates of a model move in a motion, the locked and coupled ones too.

    ``times`` (s) are those at which, the motion's own unless given.

    With a cut-off frequency (Hz) the motion is filtered first, padded by its reflection. Rates are those of natural
    quintic splines, or the motion's own where it holds speeds and accelerations and is not filtered. Coordinates that
    the motion does not hold are at their default where they are locked, and follow their function where they are
    coupled.
    """
    if not isinstance(model, Model):
        raise ModelError(f"a Model is needed (from my.load_model), not {model!r:.60}")
    if not isinstance(motion, Trajectory):
        raise DataError(f"the motion must be a Trajectory (from my.load), not {motion!r:.60}")
    names = tuple(model.coordinates)
    held = [name for name in names if name in motion]
    _check_held(model, motion, held)
    at = motion.time if times is None else times
    parts = _recorded_rates(motion, held) if cutoff is None else None
    if parts is not None and times is not None:
        q, v, vdot = (_spline(motion.time, part)(times) for part in parts)
    else:
        q, v, vdot = splined(motion, held, cutoff, at) if parts is None else parts
    return _completed(model, CoordinateMotion(tuple(held), at, q, v, vdot))


def _check_held(model: Model, motion: Trajectory, held: Sequence[str]) -> None:
    missing = [name for name in model.moving if name not in held]
    if missing:
        others = f" and {counted(len(missing) - 1, 'other coordinate')}" if len(missing) > 1 else ""
        spare = [name for name in motion.names if name not in model.coordinates]
        hint = ": " + unknown_name("column", missing[0], spare) if spare else "; lock it, or add its column"
        raise DataError(f"the motion lacks '{missing[0]}'{others} of '{model.name}'{hint}")
    turning = angles(model)
    for name in held:
        values = motion.values(name)
        if not np.isfinite(values).all():
            when = float(motion.time[int(np.argmin(np.isfinite(values)))])
            raise DataError(f"'{name}' is NaN at {when:g} s; cut the motion with slice, or fill the gap")
        if name not in turning:
            continue
        unit = motion.units[name]
        most = float(np.abs(values).max())
        # What a simulation gives is in radians, however often a crank goes around.
        if unit.lower().startswith(("deg", "°")) or (most > _MOST_TURNED and not isinstance(motion, Result)):
            problem = f"is in {unit}" if unit and unit != "rad" else f"reaches {most:.4g} rad, more than two turns"
            raise DataError(
                f"'{name}' {problem}: angles must be in radians. my.load(file, model=model) converts a file in degrees"
            )


def _recorded_rates(motion: Trajectory, held: Sequence[str]) -> tuple[Floats, Floats, Floats] | None:
    """Return values and rates as the motion has them, None where it does not hold the rates of all."""
    wanted = [f"{name}{ending}" for ending in ("", ".speed", ".acceleration") for name in held]
    if not set(wanted).issubset(motion.names):
        return None
    rows = np.array(motion.select(wanted).rows(), order="C") if wanted else np.empty((len(motion), 0))
    q, v, vdot = (np.ascontiguousarray(part) for part in np.split(rows, 3, axis=1))
    for table, ending in ((v, "speed"), (vdot, "acceleration")):
        if not np.isfinite(table).all():
            row, column = map(int, np.argwhere(~np.isfinite(table))[0])
            raise DataError(f"'{held[column]}.{ending}' is NaN at {motion.time[row]:g} s")
    return q, v, vdot


def splined(
    motion: Trajectory, held: Sequence[str], cutoff: float | None, times: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return columns at some times (s) and their two derivatives, on quintic splines, filtered before or not."""
    part = motion.select(held) if held else None
    if part is None:
        empty = np.empty((len(times), 0))
        return empty, empty, empty
    source = part if cutoff is None else part.filtered(cutoff, padded=True)
    spline = _spline(source.time, source.rows())
    q, v, vdot = (spline(times, order) for order in range(3))
    return q, v, vdot


def _spline(time: Floats, rows: Floats) -> NaturalSpline:
    from myodyne.numerics.filters import NaturalSpline

    try:
        return NaturalSpline(time, rows, 5)
    except ValueError as error:
        raise DataError(f"speeds and accelerations cannot be computed from the motion: {error}") from None


def _completed(model: Model, held: CoordinateMotion) -> CoordinateMotion:
    """Return the motion with the coordinates that it does not hold."""
    names = tuple(model.coordinates)
    missing = [name for name in names if name not in held.names]
    tables = [np.zeros((len(held.time), len(names))) for _ in range(3)]
    if any(not model.coordinates[name].locked for name in missing):
        equations = equations_kept(model, tree=False)
        moving = held.of(equations.coordinates)
        found = equations.kernel("all_coordinates")(moving.q, moving.v, moving.vdot, numbers_of(equations))
        for table, values in zip(tables, found, strict=True):
            table[...] = values
    for name in missing:
        if model.coordinates[name].locked:
            tables[0][:, names.index(name)] = model.coordinates[name].default
    columns = [names.index(name) for name in held.names]
    for table, values in zip(tables, (held.q, held.v, held.vdot), strict=True):
        table[:, columns] = values
    return CoordinateMotion(names, held.time, *tables)


def stripped(model: Model, forces: Iterable[str] = (), *, muscles: bool = False) -> Model:
    """Return a model with some of its forces, and with or without its muscles: what is not asked for costs no time."""
    kept = set(forces)
    gone = {name for name in model.forces if name not in kept} | (set() if muscles else set(model.muscles))
    free = tuple(name for name in model.free_values if name.partition(".")[0] not in gone)
    left = Named({name: force for name, force in model.forces.items() if name in kept})
    update: dict[str, Any] = {"forces": left, "free_values": free}
    if not muscles:
        update["muscles"] = Named()
    return model.model_copy(update=update)


@lru_cache(maxsize=_KEPT)
def equations_kept(
    model: Model, forces: tuple[str, ...] = (), *, muscles: bool = False, tree: bool = True
) -> Equations:
    """Return the equations of a stripped model, of its plain tree or with its couplings: made once for many motions."""
    part = stripped(model, forces, muscles=muscles)
    return equations_of(part.unconstrained() if tree else part)


@lru_cache(maxsize=_KEPT)
def _text(model: Model) -> str:
    """Return a model as JSON, written once for many results."""
    return json.dumps(model.model_dump(mode="json"), allow_nan=False, separators=(",", ":"))


def numbers_of(equations: Equations) -> Floats:
    """Return the model's own values of its free numbers."""
    return np.array(equations.model.free_numbers, dtype=float)


def passive_forces(model: Model, passive: bool | str | Iterable[str], external: ExternalForces | None) -> list[str]:
    """Return the names of the model's forces that are meant by True, False, a name, or names with ``*`` and ``?``."""
    offered = [name for name, force in model.forces.items() if not force.controlled]
    if passive is False:
        return []
    if passive is True:
        twice = [name for name in offered if isinstance(model.forces[name], _CONTACTS)]
        if twice and external:
            raise ModelError(
                f"'{model.name}' has contacts ({listed(twice, 3)}), and external forces are given too: the ground "
                f"would push twice. Name the forces that count, like passive=['knee_limit'], or give no external "
                f"forces"
            )
        return offered
    wanted = [passive] if isinstance(passive, str) else list(passive)
    for pattern in wanted:
        if pattern in model.forces and pattern not in offered:
            raise ModelError(f"'{pattern}' is driven by a control and is not a passive force")
        if not any(fnmatchcase(name, pattern) for name in offered):
            raise ModelError(unknown_name("passive force", pattern, offered))
    return [name for name in offered if any(fnmatchcase(name, pattern) for pattern in wanted)]


def analysis_result(
    equations: Equations, model: Model, table: Trajectory, method: str, report: Report, *, gaps: bool = False
) -> Result:
    """Return columns with the report and where they come from; without ``gaps``, all values must be finite."""
    if not gaps:
        bad = ~np.isfinite(table.rows())
        if bad.any():
            row, column = map(int, np.argwhere(bad)[0])
            raise SolveError(
                f"{method} of '{model.name}': '{table.names[column]}' is not finite at {table.time[row]:g} s; check "
                "the motion, and masses, lengths and strengths of the model"
            )
    provenance = Provenance(model.name, model.hash, method, equations.compiled)
    return Result(table, report, provenance, _text(model))
