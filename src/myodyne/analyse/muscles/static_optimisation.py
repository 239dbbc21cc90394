"""Static optimisation: muscle activations that produce the moments of a motion, row by row."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from myodyne.analyse.changed import skeleton as without_muscles
from myodyne.analyse.coordinate_motion import CoordinateMotion, analysis_result, coordinate_motion
from myodyne.analyse.muscles.muscle_capacity import Capacity, capacity_of
from myodyne.analyse.muscles.needed_moments import needed_moments
from myodyne.data import ExternalForces, Report, Result, Trajectory
from myodyne.equations import Equations, equations_of
from myodyne.errors import ModelError, listed, unknown_name
from myodyne.model import Model
from myodyne.model.units import angles, force_units
from myodyne.numerics.power_minima import PowerMinima, minimise_powers
from myodyne.progress import task
from myodyne.types import Floats

# Rows solved at once; Ctrl-C keeps the blocks that are done.
_BLOCK = 64
# A reserve that gives this part of a coordinate's moment (root mean square), or more, is reported.
_NOTABLE = 0.05
_SATURATED = 0.99
# Powers of activations beyond this are the minimax solution, and overflow.
_STEEPEST = 100.0
# Below this moment arm (m) a muscle does not cross a coordinate.
_NO_ARM = 1e-9
# Moments (N m, N) that may be left over.
_UNMET = 1e-3


def static_optimisation(
    model: Model,
    motion: Trajectory,
    external_forces: ExternalForces | None = None,
    *,
    reserves: float | Mapping[str, float] | None = None,
    settings: Sharing | None = None,
) -> Result:
    """Return the activations of all muscles, and the controls of actuators, that give the moments of a motion.

    In each row the sum of activations and controls, raised to a power, is smallest. A muscle pulls with its activation
    times the force that it has when fully active, at the length and speed that its path gives with a rigid tendon.
    Forces of the model that no control drives act as they are. Columns: ``<muscle>.activation``, ``<muscle>.force``
    (N), ``<actuator>.control``, ``<actuator>.force`` (N, N m), ``<coordinate>.moment`` (what the motion needs),
    ``<coordinate>.reserve`` and ``<coordinate>.unmet`` (N m, N), and ``objective``. The report says which coordinates
    need reserves, which muscles are fully active, and what could not be balanced. Ctrl-C ends it with the rows done
    so far, as "interrupted".

    Parameters
    ----------
    model, motion, external_forces
        As for `inverse_dynamics`; coordinates of the model that move on their own are balanced.
    reserves
        Strength (N m, N) of a motor that is added to every coordinate, or to some by name: its control has no bounds
        and counts like an activation, so a weak motor is expensive. None adds none.
    settings
        Power, filter, and what counts; see `Sharing`.

    Examples
    --------
    >>> import myodyne as my
    >>> arm = my.load_model("planar_arm")
    >>> still = {name: [0.5] * 8 for name in arm.moving}
    >>> held = my.Trajectory([0.1 * row for row in range(8)], still)
    >>> shared = my.static_optimisation(arm, held, reserves=1.0)
    >>> bool(abs(shared.final["shoulder.unmet"]) < 1e-6)
    True
    """
    started = time.perf_counter()
    settings = settings or Sharing()
    rows = len(motion)
    blocks: list[PowerMinima] = []
    with task(f"Static optimisation of '{model.name}'", total=rows, unit="rows") as solving:
        problem = _Problem.of(
            model, coordinate_motion(model, motion, settings.cutoff), external_forces, reserves, settings
        )
        try:
            for first in range(0, rows, _BLOCK):
                blocks.append(problem.solved(slice(first, first + _BLOCK)))
                solving.update(min(first + _BLOCK, rows))
        except KeyboardInterrupt:
            if not blocks:
                raise
    table = problem.table(blocks)
    unsolved = sum(int((~block.converged).sum()) for block in blocks)
    report = Report(
        "completed" if len(table) == rows else "interrupted",
        "" if len(table) == rows else f"interrupted after {len(table)} of {rows} rows",
        steps=len(table),
        iterations=sum(block.iterations for block in blocks),
        wall_seconds=time.perf_counter() - started,
        notes=(*(external_forces.notes if external_forces else ()), *problem.explained(table, unsolved)),
    )
    return analysis_result(problem.equations, model, table, f"static optimisation, power {settings.exponent:g}", report)


@dataclass(frozen=True)
class Sharing:
    """Settings of static optimisation: the ``exponent`` of activations, the ``cutoff`` (Hz) of the motion filter.

    ``least_activation`` bounds activations from below. ``passive_fibres`` lets the passive force of stretched fibres
    take its part; OpenSim leaves it out, and with rigid tendons it is easily too large. Without ``force_curves`` a
    muscle's strength depends neither on length nor on speed.

    Examples
    --------
    >>> Sharing(exponent=3.0).least_activation
    0.01
    """

    exponent: float = 2.0
    cutoff: float | None = None
    least_activation: float = 0.01
    passive_fibres: bool = False
    force_curves: bool = True

    def __post_init__(self) -> None:
        if not (isinstance(self.exponent, int | float) and 1.0 <= self.exponent <= _STEEPEST):
            raise ModelError(f"the exponent of activations must lie from 1 to {_STEEPEST:g}, not {self.exponent!r:.40}")
        if not 0.0 <= self.least_activation < 1.0:
            raise ModelError(f"least_activation must lie between 0 and 1, not {self.least_activation!r:.40}")


@dataclass(frozen=True, eq=False)
class _Problem:
    """What each row needs, and what muscles, actuators and reserves give per unit of their activation or control."""

    model: Model
    equations: Equations
    movement: CoordinateMotion
    capacity: Capacity
    settings: Sharing
    needed: Floats
    given: Floats
    ways: Floats | None
    strength: Mapping[str, float]

    @staticmethod
    def of(
        model: Model,
        movement: CoordinateMotion,
        external: ExternalForces | None,
        reserves: float | Mapping[str, float] | None,
        settings: Sharing,
    ) -> _Problem:
        skeleton = equations_of(without_muscles(model, model.forces))
        moving = movement.of(skeleton.coordinates)
        strength = _strengths(skeleton.coordinates, reserves)
        if not (model.muscles or skeleton.controls or strength):
            raise ModelError(f"'{model.name}' has no muscles or actuators to produce the moments")
        capacity = capacity_of(model, moving, settings.passive_fibres, settings.force_curves)
        needed, driven = needed_moments(skeleton, moving, external)
        needed = needed - np.matmul(capacity.passive[:, None], capacity.arms)[:, 0]
        columns = [np.swapaxes(capacity.arms * capacity.active[:, :, None], 1, 2), driven]
        for name, force in strength.items():
            column = np.zeros((len(needed), len(skeleton.coordinates), 1))
            column[:, skeleton.coordinates.index(name), 0] = force
            columns.append(column)
        return _Problem(
            model,
            skeleton,
            moving,
            capacity,
            settings,
            needed,
            np.concatenate(columns, axis=2),
            _free_ways(skeleton, moving),
            strength,
        )

    def solved(self, rows: slice) -> PowerMinima:
        matrix, wanted = self.given[rows], self.needed[rows]
        if self.ways is not None:
            matrix = np.matmul(self.ways[rows], matrix)
            wanted = np.matmul(self.ways[rows], wanted[:, :, None])[:, :, 0]
        unbounded = (-math.inf, math.inf)
        driven = (self.model.forces[name] for name in self.equations.controls)
        ranges = [getattr(force, "control_range", None) or unbounded for force in driven]
        muscles = [(self.settings.least_activation, 1.0)] * len(self.model.muscles)
        bounds = np.array([*muscles, *ranges, *[unbounded] * len(self.strength)], dtype=float).reshape(-1, 2)
        return minimise_powers(matrix, wanted, bounds[:, 0], bounds[:, 1], float(self.settings.exponent))

    def table(self, blocks: list[PowerMinima]) -> Trajectory:
        x = np.concatenate([block.x for block in blocks])
        rows, names = len(x), self.equations.coordinates
        turning, units_of = angles(self.model), force_units(self.model)
        columns: dict[str, Floats] = {}
        units: dict[str, str] = {}
        for place, name in enumerate(self.model.muscles):
            columns[f"{name}.activation"], units[f"{name}.activation"] = x[:, place], ""
            pull = x[:, place] * self.capacity.active[:rows, place] + self.capacity.passive[:rows, place]
            columns[f"{name}.force"], units[f"{name}.force"] = pull, "N"
        for place, name in enumerate(self.equations.controls, start=len(self.model.muscles)):
            gain = float(getattr(self.model.forces[name], "gain", 1.0))
            columns[f"{name}.control"], units[f"{name}.control"] = x[:, place], ""
            columns[f"{name}.force"], units[f"{name}.force"] = gain * x[:, place], units_of[name]
        first = x.shape[1] - len(self.strength)
        left = self.needed[:rows] - np.matmul(self.given[:rows], x[:, :, None])[:, :, 0]
        if self.ways is not None:
            # Forces that constraints carry are not unmet.
            kept = self.ways[:rows]
            left = np.matmul(np.swapaxes(kept, 1, 2), np.matmul(kept, left[:, :, None]))[:, :, 0]
        for place, name in enumerate(names):
            unit = "N m" if name in turning else "N"
            columns[f"{name}.moment"], columns[f"{name}.unmet"] = self.needed[:rows, place], left[:, place]
            units[f"{name}.moment"] = units[f"{name}.unmet"] = unit
            if name in self.strength:
                number = first + list(self.strength).index(name)
                columns[f"{name}.reserve"], units[f"{name}.reserve"] = self.strength[name] * x[:, number], unit
        columns["objective"] = (np.abs(x) ** self.settings.exponent).sum(axis=1)
        return Trajectory(self.movement.time[:rows], columns, units)

    def explained(self, table: Trajectory, unsolved: int) -> list[str]:
        """Return what a reader of the activations should know."""
        notes = list(self.capacity.notes)
        if unsolved:
            notes.append(f"{unsolved} rows did not converge; check the unmet moments there")
        notes += self._unmet(table)
        notes += self._carried_by_reserves(table)
        full = []
        for name in self.model.muscles:
            rows = int((table.values(f"{name}.activation") >= _SATURATED).sum())
            if rows:
                full.append((rows, f"{name} ({rows} rows)"))
        if full:
            muscles = [text for _, text in sorted(full, reverse=True)]
            notes.append(f"fully active: {listed(muscles)}")
        idle = [
            name
            for place, name in enumerate(self.model.muscles)
            if (self.capacity.active[:, place] <= 0.0).any() and self.settings.force_curves
        ]
        if idle:
            notes.append(f"fibres too short or shortening too fast to produce force in some rows: {listed(idle)}")
        return notes

    def _carried_by_reserves(self, table: Trajectory) -> list[str]:
        """Return notes on coordinates that actuators and reserves move in place of muscles, or without any."""
        rows, first = len(table), len(self.model.muscles)
        x = np.column_stack(
            [
                *(table.values(f"{name}.control") for name in self.equations.controls),
                *(table.values(f"{name}.reserve") / force for name, force in self.strength.items()),
                np.empty((rows, 0)),
            ]
        )
        helped = np.matmul(self.given[:rows, :, first:], x[:, :, None])[:, :, 0]
        crossed = np.any(np.abs(self.capacity.arms[:rows]) > _NO_ARM, axis=(0, 1)).tolist()
        helped_by, alone = [], []
        for place, name in enumerate(self.equations.coordinates):
            size, help_ = _rms(self.needed[:rows, place]), _rms(helped[:, place])
            if help_ <= max(_UNMET, _NOTABLE * size):
                continue
            if crossed[place]:
                helped_by.append((help_ / max(size, _UNMET), name))
            else:
                alone.append(f"{name} ({help_:.3g} {table.units[f'{name}.moment']} rms)")
        notes = []
        if helped_by:
            shares = [f"{name} ({100 * part:.0f} %)" for part, name in sorted(helped_by, reverse=True)]
            notes.append(f"share of the moment (rms) carried by actuators or reserves: {listed(shares)}")
        if alone and self.model.muscles:
            notes.append(f"crossed by no muscle, moved by actuators or reserves: {listed(alone)}")
        return notes

    def _unmet(self, table: Trajectory) -> list[str]:
        worst = {}
        for name in self.equations.coordinates:
            left = np.abs(table.values(f"{name}.unmet"))
            if float(left.max()) > _UNMET:
                row = int(left.argmax())
                worst[name] = f"{name} (by {left[row]:.3g} {table.units[f'{name}.unmet']} at {table.time[row]:g} s)"
        if not worst:
            return []
        return [f"moments that cannot be met: {listed(worst.values())}. Add reserves, or stronger muscles there"]


def _strengths(names: tuple[str, ...], reserves: float | Mapping[str, float] | None) -> dict[str, float]:
    if reserves is None:
        return {}
    asked = dict(reserves) if isinstance(reserves, Mapping) else dict.fromkeys(names, reserves)
    for name, force in asked.items():
        if name not in names:
            raise ModelError(f"reserves: {unknown_name('coordinate that moves', name, names)}")
        if isinstance(force, bool) or not isinstance(force, int | float) or not (math.isfinite(force) and force > 0.0):
            raise ModelError(f"reserves: the strength of '{name}' must be a number above 0 (N m, N), not {force!r:.40}")
    return {name: float(force) for name, force in asked.items()}


def _free_ways(skeleton: Equations, moving: CoordinateMotion) -> Floats | None:
    """Return the directions in which constraints let the model move, a row each; None where there are none."""
    if not skeleton.multipliers:
        return None
    jacobian = skeleton.constraint_errors(moving.q, moving.v)[2]
    _, sizes, ways = np.linalg.svd(jacobian)
    rank = int((sizes > 1e-9 * sizes.max(axis=1, keepdims=True)).sum(axis=1).max())
    free: Floats = ways[:, rank:]
    return free


def _rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(values**2)))
