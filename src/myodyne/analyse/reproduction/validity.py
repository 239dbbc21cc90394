"""validity: whether a model, driven by the moments of its own inverse dynamics, moves as it was recorded."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite

import numpy as np

from myodyne.analyse.reproduction.compare import Comparison, compare
from myodyne.analyse.reproduction.recorded import Recorded, recorded
from myodyne.analyse.reproduction.reproduce import reproduce
from myodyne.data import DataError, ExternalForces, Trajectory
from myodyne.errors import ModelError, SolveError, unknown_name
from myodyne.model import Model
from myodyne.model.units import angles
from myodyne.progress import task
from myodyne.types import Floats, Integers

OWN, ACCURATE, MOMENTS, MASSES = "matched forces", "inverse dynamics", "moments perturbed", "masses perturbed"
# Tolerances of the accurate scheme, far below what is read from it.
_RELATIVE, _ABSOLUTE = 1e-7, 1e-8
# A run this far from the motion (rad, m) is lost: the rest of it says nothing, and takes long.
_LOST = 1.0
# Growth is read after the start, where errors only add up, from errors above rounding.
_SETTLED, _ROUNDING, _FEWEST = 0.2, 1e-13, 5


@dataclass(frozen=True)
class Trial:
    """One forward simulation of a recorded movement.

    Parameters
    ----------
    label
        What drove it.
    comparison
        How far it went from the motion, with the first times beyond the bound.
    doubling
        Time (s) in which the error of all angles doubles, None where it does not grow exponentially.
    run
        The simulated coordinates at the times of the motion, until they were lost.

    Examples
    --------
    >>> import numpy as np
    >>> import myodyne as my
    >>> time = np.linspace(0.0, 1.0, 101)
    >>> swing = my.Trajectory(time, {"angle": 0.5 * np.sin(3.0 * time)}, {"angle": "rad"})
    >>> trial = my.validity(my.load_model("pendulum"), swing)["matched forces"]
    >>> type(trial).__name__, trial.label
    ('Trial', 'matched forces')
    """

    label: str
    comparison: Comparison
    doubling: float | None
    run: Trajectory = field(repr=False, compare=False)

    @property
    def beyond(self) -> float | None:
        """The first time (s) at which a coordinate is beyond the bound, None where none is."""
        first = self.comparison.first_beyond
        return None if first is None else first.beyond


@dataclass(frozen=True)
class Validity:
    """Inverse, then forward: how well the model's own moments reproduce its recorded movement; it prints as a table.

    Parameters
    ----------
    trials
        ``matched forces``: the forces of `reproduce`, under the midpoint rule. ``inverse dynamics``: the moments of
        inverse dynamics as splines, under an accurate scheme. ``moments perturbed``, ``masses perturbed``: the same,
        all joint moments, or all masses and moments of inertia, larger by ``perturbation``.
    bound, perturbation
        The bound on angles (rad) and the relative perturbation.
    residuals
        Whether residual forces acted on bodies that float.

    Examples
    --------
    >>> import numpy as np
    >>> import myodyne as my
    >>> time = np.linspace(0.0, 1.0, 101)
    >>> swing = my.Trajectory(time, {"angle": 0.5 * np.sin(3.0 * time)}, {"angle": "rad"})
    >>> found = my.validity(my.load_model("pendulum"), swing)
    >>> type(found).__name__, [trial.label for trial in found.trials][:2]
    ('Validity', ['matched forces', 'inverse dynamics'])
    """

    trials: tuple[Trial, ...]
    bound: float
    perturbation: float
    residuals: bool

    def __getitem__(self, label: str) -> Trial:
        found = next((trial for trial in self.trials if trial.label == label), None)
        if found is None:
            raise DataError(unknown_name("trial", label, [trial.label for trial in self.trials]))
        return found

    def __str__(self) -> str:
        limit = f"{np.degrees(self.bound):.3g}°"
        lines = [
            f"{'driven by':<26} {'RMS (°)':>9} {'largest (°)':>11} {'beyond ' + limit:>12} {'doubles in':>11}  first"
        ]
        for trial in self.trials:
            label = trial.label
            if label in (MOMENTS, MASSES):
                label = f"{label} {100 * self.perturbation:+.3g} %"
            beyond = "never" if trial.beyond is None else f"{trial.beyond:.3f} s"
            doubling = "" if trial.doubling is None else f"{trial.doubling:.3f} s"
            first = trial.comparison.first_beyond
            rms, largest = (
                np.degrees(part.get("rad", 0.0)) for part in (trial.comparison.rms, trial.comparison.largest)
            )
            lines.append(
                f"{label:<26} {rms:>9.3g} {largest:>11.3g} {beyond:>12} {doubling:>11}  {first.name if first else ''}"
            )
        lines.append(f"residual forces on floating bodies: {'yes' if self.residuals else 'no'}")
        return "\n".join(line.rstrip() for line in lines)


def validity(
    model: Model,
    motion: Trajectory,
    forces: ExternalForces | None = None,
    *,
    bound: float = np.radians(5.0),
    perturbation: float = 0.01,
    residuals: bool = True,
) -> Validity:
    """Return how well the moments of inverse dynamics reproduce a recorded movement: internal validity.

    A forward simulation with the moments of the inverse solution should give the recorded motion (Winter 2009, §8.0.2).
    With accurate schemes it does so for a while: small errors grow, and after about half a second of gait they are
    too large (Gilchrist and Winter 1997).

    Parameters
    ----------
    model, motion, forces
        As in `reproduce`: the model, a filtered motion, recorded forces.
    bound
        Deviation of an angle (rad) that is too large; the first to pass it is reported.
    perturbation
        By which all joint moments, and in another simulation all masses and moments of inertia, are larger.
    residuals
        Whether forces also act on bodies that float, like a pelvis.

    Examples
    --------
    >>> import numpy as np
    >>> import myodyne as my
    >>> time = np.linspace(0.0, 1.0, 101)
    >>> swing = my.Trajectory(time, {"angle": 0.5 * np.sin(3.0 * time)}, {"angle": "rad"})
    >>> found = my.validity(my.load_model("pendulum"), swing)
    >>> found["inverse dynamics"].beyond is None
    True
    """
    for name, value in (("bound", bound), ("perturbation", perturbation)):
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or value <= 0:
            raise ModelError(f"{name} must be a positive number, not {value!r:.40}")
    recording = recorded(model, motion, forces, None, residuals)
    names, movement = recording.equations.coordinates, recording.movement
    turning = angles(model)
    units = {name: "rad" if name in turning else "m" for name in names}
    wanted = Trajectory.from_rows(movement.time, names, movement.q, units)
    own = reproduce(model, motion, forces, residuals=residuals).run.select(list(names))
    runs = {OWN: (own.time, own.rows())}
    with task(f"Validity of '{model.name}'"):
        runs |= _accurate(recording, perturbation)
    columns = np.array([name in turning for name in names])
    trials = []
    for label, (times, rows) in runs.items():
        run = Trajectory.from_rows(times, names, rows, units)
        error = rows[:, columns] - movement.q[: len(rows), columns]
        trials.append(Trial(label, compare(run, wanted, bound={"rad": bound}), _doubling(times, error), run))
    return Validity(tuple(trials), float(bound), float(perturbation), residuals)


def _accurate(recording: Recorded, perturbation: float) -> dict[str, tuple[Floats, Floats]]:
    """Return the three simulations under an accurate scheme by label: times and coordinates, until they are lost.

    They run as rows of one system. Masses that are all larger by a factor do what all forces do that are smaller by
    it: gravity and inertia are proportional to them.
    """
    from scipy.integrate import DOP853
    from scipy.interpolate import CubicSpline

    movement, equations, size = recording.movement, recording.equations, len(recording.equations.coordinates)
    moments = equations.inverse_dynamics(movement.q, movement.v, movement.vdot)
    moments = moments - recording.applied(movement.time, movement.q)
    moments[:, list(recording.undriven)] = 0.0
    spline = CubicSpline(movement.time, moments)
    joints = np.array([number not in recording.floating for number in range(size)])
    scale = np.ones((3, size))
    scale[1, joints] += perturbation
    mass = np.array([1.0, 1.0, 1.0 + perturbation])[:, None]

    def rates(time: float, flat: Floats, rows: Integers) -> Floats:
        q, v = np.split(flat.reshape(len(rows), 2 * size), 2, axis=1)
        acting = (spline(time) * scale[rows] + recording.applied_at(time, q)) / mass[rows]
        return np.hstack([v, equations.forward_dynamics(q, v, acting)]).ravel()

    alive: Integers = np.arange(3)
    start = np.hstack([movement.q[0], movement.v[0]])
    found: list[list[Floats]] = [[movement.q[0]] for _ in range(3)]
    time, state, row = float(movement.time[0]), np.tile(start, 3), 1
    while row < len(movement.time) and len(alive):
        held = alive
        solver = DOP853(
            lambda t, y, held=held: rates(t, y, held), time, state, movement.time[-1], rtol=_RELATIVE, atol=_ABSOLUTE
        )
        while solver.status == "running":
            if solver.step() is not None and solver.status == "failed":
                raise SolveError(f"the movement cannot be simulated beyond {solver.t:g} s")
            between = solver.dense_output()
            while row < len(movement.time) and movement.time[row] <= solver.t:
                places = between(movement.time[row]).reshape(len(alive), -1)[:, :size]
                for number, place in zip(alive, places, strict=True):
                    found[number].append(place)
                row += 1
            error = np.abs(solver.y.reshape(len(alive), -1)[:, :size] - movement.q[min(row, len(movement.time)) - 1])
            kept = error.max(axis=1) < _LOST
            if not kept.all():
                state = solver.y.reshape(len(alive), -1)[kept].ravel()
                time, alive = solver.t, alive[kept]
                break
    labels = (ACCURATE, MOMENTS, MASSES)
    return {label: (movement.time[: len(rows)], np.array(rows)) for label, rows in zip(labels, found, strict=True)}


def _doubling(times: Floats, errors: Floats) -> float | None:
    """Return the time (s) in which the root mean square of errors doubles, None where it does not grow."""
    if errors.shape[1] == 0:
        return None
    size = np.sqrt(np.mean(errors**2, axis=1))
    late = (times >= times[0] + _SETTLED * (times[-1] - times[0])) & (size > _ROUNDING)
    if late.sum() < _FEWEST:
        return None
    slope = float(np.polyfit(times[late], np.log(size[late]), 1)[0])
    # An error that grows by less than half over the whole run only varies.
    return float(np.log(2.0) / slope) if slope * (times[-1] - times[0]) > 1.0 else None
