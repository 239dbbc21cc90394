"""How noise in recorded coordinates spreads to moments and powers: by linear propagation, or by Monte Carlo."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from myodyne.analyse.coordinate_motion import CoordinateMotion, coordinate_motion, equations_kept, splined
from myodyne.analyse.inverse_dynamics import net_moments
from myodyne.data import DataError, ExternalForces, Trajectory
from myodyne.equations import Equations
from myodyne.errors import listed, unknown_name
from myodyne.model import Model
from myodyne.model.units import angles
from myodyne.progress import task
from myodyne.types import Floats

# Steps of central differences, in units of each quantity (rad, rad/s, rad/s²).
_STEPS = (1e-5, 1e-4, 1e-3)


@dataclass(frozen=True)
class MonteCarlo:
    """Repeat an analysis with random noise: the number of repeats and the seed.

    Examples
    --------
    >>> MonteCarlo(count=500, seed=7).count
    500
    """

    count: int = 200
    seed: int = 0

    def __post_init__(self) -> None:
        if isinstance(self.count, bool) or not isinstance(self.count, int) or self.count < 2:
            raise DataError(f"a spread needs at least two samples, not {self.count!r:.40}")


def moment_spread(
    model: Model,
    motion: Trajectory,
    noise: float | Mapping[str, float],
    external_forces: ExternalForces | None = None,
    *,
    cutoff: float | None = None,
    by: MonteCarlo | None = None,
) -> Trajectory:
    """Return the standard deviations of moments and powers under white noise in the recorded coordinates.

    Noise is independent from row to row and from coordinate to coordinate. Filter and splines carry it to speeds and
    accelerations, the equations of motion to ``<coordinate>.moment`` (N m or N) and ``<coordinate>.power`` (W).

    Parameters
    ----------
    model, motion, external_forces, cutoff
        As in `inverse_dynamics`. Speeds and accelerations are always those of splines.
    noise
        Standard deviation of every angle (rad), or of coordinates by name (rad, m); those not named have none.
    by
        None propagates linearly, which holds for small noise; `MonteCarlo` repeats the analysis.

    Examples
    --------
    >>> import myodyne as my, numpy as np
    >>> times = np.arange(101) / 100.0
    >>> swing = my.Trajectory(times, {"angle": 0.4 * np.sin(5.0 * times)}, {"angle": "rad"})
    >>> spread = my.moment_spread(my.load_model("pendulum"), swing, 0.002, cutoff=6.0)
    >>> round(spread.at(0.5)["angle.moment"], 2)      # N m
    0.13
    """
    # Faults of the motion are named before anything is computed.
    coordinate_motion(model, motion, cutoff)
    sizes = _sizes(model, motion, noise)
    if by is not None and not isinstance(by, MonteCarlo):
        raise DataError(f"by must be my.MonteCarlo(...), or None for linear propagation, not {by!r:.40}")
    with task(f"Spread of the moments of '{model.name}'"):
        tree = equations_kept(model)
        trial = _Trial(tree, model, motion, external_forces, cutoff)
        found = _linear(trial, sizes) if by is None else _sampled(trial, sizes, by)
    turning = angles(model)
    names = [f"{name}.{part}" for part in ("moment", "power") for name in tree.coordinates]
    units = {f"{name}.moment": "N m" if name in turning else "N" for name in tree.coordinates}
    units |= {f"{name}.power": "W" for name in tree.coordinates}
    way = "linear propagation" if by is None else f"Monte Carlo, {by.count} samples, seed {by.seed}"
    columns = dict(zip(names, found.T, strict=True))
    return Trajectory(motion.time, columns, units, (f"standard deviations by {way}",))


class _Trial(NamedTuple):
    """What is analysed again and again."""

    tree: Equations
    model: Model
    motion: Trajectory
    external: ExternalForces | None
    cutoff: float | None


def _sizes(model: Model, motion: Trajectory, noise: float | Mapping[str, float]) -> dict[str, float]:
    held = [name for name in model.coordinates if name in motion]
    if isinstance(noise, Mapping):
        for name in noise:
            if name not in held:
                raise DataError("noise: " + unknown_name("coordinate", name, held))
        sizes = {name: noise.get(name, 0.0) for name in held}
    else:
        turning = angles(model)
        sizes = {name: noise if name in turning else 0.0 for name in held}
    for name, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, int | float | np.number) or not 0.0 <= size < np.inf:
            raise DataError(f"the noise of '{name}' must be a standard deviation, at least 0, not {size!r:.40}")
    if not any(sizes.values()):
        raise DataError("all noise is zero: give a standard deviation (rad), or several by name")
    return sizes


def _moments_and_powers(tree: Equations, movement: CoordinateMotion, external: ExternalForces | None) -> Floats:
    moments = net_moments(tree, movement, external, acting=False)
    return np.hstack([moments, moments * movement.v])


def _linear(trial: _Trial, sizes: Mapping[str, float]) -> Floats:
    """Return the spread from the covariances of value, rate and second rate in each row, and the local slopes."""
    tree, model, motion, external, cutoff = trial
    missing = [name for name in model.coordinates if name not in motion and not model.coordinates[name].locked]
    if missing:
        raise DataError(
            f"linear propagation needs all coordinates in the motion, and {listed(missing, 3)} follow others; use "
            f"by=my.MonteCarlo()"
        )
    bare = motion.select([name for name in model.coordinates if name in motion])
    movement = coordinate_motion(model, bare, cutoff)
    # What one unit in one recorded row does to value, rate and second rate in every row.
    count = len(motion)
    unit = Trajectory.from_rows(motion.time, [str(row) for row in range(count)], np.eye(count))
    responses = splined(unit, unit.names, cutoff, motion.time)
    covariance = np.array([[np.sum(one * other, axis=1) for other in responses] for one in responses])
    variance = np.zeros((count, 2 * len(tree.coordinates)))
    for name, size in sizes.items():
        if size == 0.0:
            continue
        column = movement.names.index(name)
        slopes = [_slope(tree, movement, external, column, order) for order in range(3)]
        for one in range(3):
            for other in range(3):
                variance += size**2 * covariance[one, other][:, None] * slopes[one] * slopes[other]
    found: Floats = np.sqrt(np.maximum(variance, 0.0))
    return found


def _slope(
    tree: Equations, movement: CoordinateMotion, external: ExternalForces | None, column: int, order: int
) -> Floats:
    """Return the derivatives of moments and powers by a coordinate, its rate or its second rate, row by row."""
    sides = []
    for sign in (1.0, -1.0):
        tables = [np.array(table) for table in (movement.q, movement.v, movement.vdot)]
        tables[order][:, column] += sign * _STEPS[order]
        sides.append(_moments_and_powers(tree, CoordinateMotion(movement.names, movement.time, *tables), external))
    found: Floats = (sides[0] - sides[1]) / (2.0 * _STEPS[order])
    return found


def _sampled(trial: _Trial, sizes: Mapping[str, float], by: MonteCarlo) -> Floats:
    tree, model, motion, external, cutoff = trial
    random = np.random.default_rng(by.seed)
    held = {name: motion.values(name) for name in sizes}
    total, squares = np.zeros(1), np.zeros(1)
    first: Floats | None = None
    for _ in range(by.count):
        noisy = {name: held[name] + size * random.normal(size=len(motion)) for name, size in sizes.items()}
        movement = coordinate_motion(model, Trajectory(motion.time, noisy), cutoff)
        values = _moments_and_powers(tree, movement, external)
        # Differences from the first sample: sums of squares of large numbers would lose digits.
        first = values if first is None else first
        total = total + (values - first)
        squares = squares + (values - first) ** 2
    found: Floats = np.sqrt(np.maximum(squares - total**2 / by.count, 0.0) / (by.count - 1))
    return found
