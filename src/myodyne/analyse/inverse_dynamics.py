"""Inverse dynamics: the moments at the joints that a recorded motion needs."""

from __future__ import annotations

import time
from collections.abc import Iterable

import numpy as np

from myodyne.analyse.coordinate_motion import (
    CoordinateMotion,
    analysis_result,
    coordinate_motion,
    equations_kept,
    numbers_of,
    passive_forces,
)
from myodyne.analyse.external_wrenches import wrenches_of
from myodyne.data import ExternalForces, Report, Result, Trajectory
from myodyne.equations import Equations
from myodyne.errors import listed
from myodyne.model import Model
from myodyne.model.units import angles
from myodyne.progress import task
from myodyne.types import Floats


def inverse_dynamics(
    model: Model,
    motion: Trajectory,
    external_forces: ExternalForces | None = None,
    *,
    cutoff: float | None = None,
    passive: bool | str | Iterable[str] = False,
) -> Result:
    """Return the net generalised forces that a motion requires in addition to gravity and external forces.

    One column for each coordinate of the plain tree, ``<coordinate>.moment`` (N m, or N for a coordinate that
    slides): locks, couplings and constraints are lifted, as in OpenSim's inverse dynamics.

    Parameters
    ----------
    model, motion
        The model, and its coordinates over time (rad, m), by name. Locked coordinates may be left out, coupled ones
        too. Where the motion holds all speeds and accelerations, as a simulation does, they are taken as they are if
        no ``cutoff`` is given; otherwise they are derivatives of natural quintic splines.
    external_forces
        Recorded forces on bodies, from `load_external_forces`.
    cutoff
        Cut-off frequency (Hz) of the low-pass filter on the coordinates, see `Trajectory.filtered`; None filters
        nothing.
    passive
        Forces of the model that no control drives (springs, limits, ligaments, bushings, contacts) and that are
        taken out of the moments: all (True), none, or some by name, with ``*`` and ``?``.

    Examples
    --------
    >>> import myodyne as my
    >>> rod = my.load_model("pendulum")
    >>> held = my.Trajectory([0.1 * row for row in range(8)], {"angle": [0.5] * 8}, {"angle": "rad"})
    >>> round(my.inverse_dynamics(rod, held).final["angle.moment"], 3)      # N m that hold it at 0.5 rad
    2.352
    """
    started = time.perf_counter()
    movement = coordinate_motion(model, motion, cutoff)
    taken = passive_forces(model, passive, external_forces)
    with task(f"Inverse dynamics of '{model.name}'"):
        tree = equations_kept(model, tuple(taken))
        moments = net_moments(tree, movement, external_forces, acting=bool(taken))
    turning = angles(model)
    names = [f"{name}.moment" for name in tree.coordinates]
    units = {f"{name}.moment": "N m" if name in turning else "N" for name in tree.coordinates}
    notes = list(external_forces.notes) if external_forces else []
    if taken:
        notes.append(f"taken out of the moments: {listed(taken)}")
    spent = time.perf_counter() - started
    report = Report("completed", evaluations=len(motion), wall_seconds=spent, notes=tuple(notes))
    method = "inverse dynamics" if cutoff is None else f"inverse dynamics, low-pass {cutoff:g} Hz"
    table = Trajectory.from_rows(movement.time, names, moments, units)
    return analysis_result(tree, model, table, method, report)


def net_moments(
    tree: Equations, movement: CoordinateMotion, external_forces: ExternalForces | None, *, acting: bool
) -> Floats:
    """Return the generalised forces that a movement needs, a row for each time; ``acting``: forces of the tree act."""
    wrenches = wrenches_of(tree, movement, external_forces)
    if acting:
        size = len(tree.coordinates)
        x, xdot = np.hstack([movement.q, movement.v]), np.hstack([movement.v, movement.vdot])
        moments = tree.residual(x, xdot)[:, size : 2 * size]
    else:
        moments = tree.inverse_dynamics(movement.q, movement.v, movement.vdot)
    if external_forces:
        moments = moments - tree.kernel("external_forces").first(movement.q, wrenches, numbers_of(tree))
    return moments
