"""What a movement is reproduced with: the bare skeleton, the motion at the ends of all steps, the recorded forces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from myodyne.analyse.changed import changed
from myodyne.analyse.coordinate_motion import CoordinateMotion, coordinate_motion, equations_kept, numbers_of, stripped
from myodyne.analyse.external_wrenches import wrenches_in, wrenches_of
from myodyne.data import DataError, ExternalForces, Trajectory
from myodyne.data.external_forces import AppliedForce
from myodyne.equations import Equations
from myodyne.errors import ModelError, listed
from myodyne.model import GROUND, CoordinateActuator, Model, Named
from myodyne.model.units import angles
from myodyne.types import Floats

# A body that floats: it slides in two directions at least, and turns.
_FLOATING = 2
# Values of recorded forces that are kept: more than a step has stages.
_TIMES_KEPT = 32
# Times of a file with few digits miss even ones by less than this share of a step; those that are only rounded, by
# less than the other share of the whole.
_JITTER, _ROUNDED = 1e-3, 1e-12


@dataclass(frozen=True, eq=False)
class Recorded:
    """A motion at the ends of steps, of a skeleton that only motors and recorded forces move."""

    model: Model
    equations: Equations
    movement: CoordinateMotion
    external: ExternalForces | None
    residuals: bool

    @property
    def steps(self) -> Floats:
        """Lengths of the steps (s), a column."""
        return np.diff(self.movement.time)[:, None]

    @cached_property
    def floating(self) -> tuple[int, ...]:
        """Numbers of the coordinates that no joint moment can drive: those of bodies that float."""
        return tuple(map(self.equations.coordinates.index, floating_coordinates(self.model)))

    @property
    def undriven(self) -> tuple[int, ...]:
        """Numbers of the coordinates that have no motor."""
        return () if self.residuals else self.floating

    def applied(self, times: Floats, q: Floats) -> Floats:
        """Return the generalised forces (N m, N) of the recorded forces in some poses, a row for each time."""
        if not self.external:
            return np.zeros_like(q)
        pose = CoordinateMotion(self.movement.names, times, q, q, q)
        wrenches = wrenches_of(self.equations, pose, self.external)
        return self.equations.kernel("external_forces").first(q, wrenches, numbers_of(self.equations))

    def applied_at(self, time: float, q: Floats) -> Floats:
        """Return the same in several poses at one time; values of the record are kept for the next call."""
        if not self.external:
            return np.zeros_like(q)
        wrenches = wrenches_in(self.equations, q, self.external, self._values(time))
        return self.equations.kernel("external_forces").first(q, wrenches, numbers_of(self.equations))

    def _values(self, time: float) -> Mapping[str, AppliedForce]:
        assert self.external is not None
        kept = self._kept
        if time not in kept:
            # Iterations come back to the times of one step, never to those of earlier steps.
            if len(kept) >= _TIMES_KEPT:
                kept.clear()
            kept[time] = self.external.at([time])
        return kept[time]

    @cached_property
    def _kept(self) -> dict[float, Mapping[str, AppliedForce]]:
        return {}

    def motors(self) -> dict[str, CoordinateActuator]:
        """Return a motor for each coordinate that has one, by name; those of floating bodies are residuals."""
        return {
            f"{name}_{'residual' if number in self.floating else 'motor'}": CoordinateActuator(coordinate=name)
            for number, name in enumerate(self.equations.coordinates)
            if number not in self.undriven
        }

    def driven_model(self) -> Model:
        """Return the skeleton with its motors."""
        return changed(stripped(self.model), forces=Named(self.motors()))


def recorded(
    model: Model,
    motion: Trajectory,
    external: ExternalForces | None,
    step: float | None,
    residuals: bool,
) -> Recorded:
    """Return a motion at the ends of steps: the motion's own rows, or equal steps of at most ``step`` (s)."""
    if not isinstance(model, Model):
        raise ModelError(f"a Model is needed (from my.load_model), not {model!r:.60}")
    equations = equations_kept(model, tree=False)
    if equations.multipliers:
        raise ModelError(
            f"'{model.name}' has constraints ({listed(model.constraints, 3)}): forces of motors and of constraints "
            "cannot be determined from a motion alone. Remove the constraints, or let my.embed solve the loops"
        )
    if not isinstance(motion, Trajectory):
        raise DataError(f"the motion must be a Trajectory (from my.load), not {motion!r:.60}")
    times = None
    if step is None:
        times = _evened(motion.time)
    else:
        count = max(1, int(np.ceil(motion.duration / step * (1.0 - 1e-9))))
        times = np.linspace(motion.time[0], motion.time[-1], count + 1)
    movement = coordinate_motion(model, motion, None, times).of(equations.coordinates)
    if len(movement.time) < 2:
        raise DataError("a motion to reproduce needs at least two rows")
    found = Recorded(model, equations, movement, external, residuals)
    # Bad recorded forces are refused before anything is computed.
    found.applied(movement.time[[0, -1]], movement.q[[0, -1]])
    return found


def _evened(times: Floats) -> Floats | None:
    """Return even times where those of a file only miss them by its last digits, else None: steps then are equal."""
    even = np.linspace(times[0], times[-1], len(times))
    missed = float(np.abs(times - even).max())
    span = float(times[-1] - times[0])
    return even if _ROUNDED * span < missed <= _JITTER * span / max(len(times) - 1, 1) else None


def floating_coordinates(model: Model) -> tuple[str, ...]:
    """Return the moving coordinates of joints by which a body floats in the ground, like a pelvis."""
    turning, moving = angles(model), set(model.moving)
    found: list[str] = []
    for joint in _chains_from_ground(model):
        sliding = [name for name in joint if name not in turning]
        if len(sliding) >= _FLOATING:
            found += [name for name in joint if name in moving]
    return tuple(found)


def _chains_from_ground(model: Model) -> list[Sequence[str]]:
    return [tuple(joint.coordinates) for joint in model.joints.values() if joint.parent.body == GROUND]
