"""tracking: the problem of following recorded angles and ground forces without residual forces."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

import numpy as np

from myodyne.analyse.contacts.fit import contacts_under
from myodyne.analyse.contacts.place import is_planar
from myodyne.analyse.coordinate_motion import splined
from myodyne.data import DataError, ExternalForces, Trajectory
from myodyne.errors import ModelError, listed, unknown_name
from myodyne.model import GROUND, CoordinateActuator, Model
from myodyne.model.units import angles
from myodyne.numerics.schemes import Midpoint
from myodyne.optimise.conditions import Bounds
from myodyne.optimise.goals import Effort, Smoothness
from myodyne.optimise.problem import Problem
from myodyne.optimise.recorded.tracking import Track

# Errors of recorded angles, positions and forces (part of each plate's peak) where none are stated.
_ERRORS = {"rad": float(np.radians(2.0)), "m": 0.02, "plates": 0.05}
# How far a movement may leave the recorded range: far beyond any error, near enough to keep the search in sight.
_MARGIN = {"rad": 0.5, "m": 0.3}
# Accelerations by which coordinates with motors are weighed beside muscles: their own, but at least this part of the
# largest of all. Weighed by less, small movements would be flattened.
_LEAST = 0.1
# Rows that a quintic spline needs.
_ROWS = 6
# Nodes for a second of movement.
_RATE = 100.0


def tracking(
    model: Model,
    motion: Trajectory,
    plates: ExternalForces | None = None,
    *,
    errors: Mapping[str, float] | None = None,
    effort: float = 1.0,
    nodes: int | None = None,
) -> Problem:
    """Return the problem of a movement that follows a recording without residual forces: only the feet push.

    Contacts of the model make the ground forces, muscles or motors move the joints. Angles and positions are tracked by
    `Track`, the sums of contact forces under each foot follow the plates.

    Parameters
    ----------
    model
        A model with contacts under the feet, and without motors on its floating body.
    motion
        Its coordinates over time (rad, m), by name; what it lacks is free.
    plates
        Recorded forces from `load_external_forces`. The contacts of a plate are those of its body and of all bodies
        beyond it, such as the toes.
    errors
        Standard errors of the recording, which are the weights: by column, or by ``"rad"``, ``"m"``, and
        ``"plates"`` (a part of the peak force). By default 2°, 0.02 m and 5 %.
    effort
        Weight of the mean square of excitations and controls beside the tracking: with 1, full excitation costs as much
        as an error of one standard error. In a model with motors it weighs accelerations as well, relative to the
        largest one recorded: a motor answers at once, and could otherwise alternate within the intervals of a mesh.
        Beside muscles, coordinates with motors are weighed by their own largest one, for arms are lighter than legs.
    nodes
        Of the mesh; by default 100 for a second.

    Examples
    --------
    >>> import numpy as np
    >>> import myodyne as my
    >>> walker = my.load_model("gait2d")
    >>> data = my.winter_gait().mean
    >>> angles = data.select([name for name in data.names if name in walker.coordinates])
    >>> problem = my.tracking(walker, angles)
    >>> [goal.name for goal in problem.goals]
    ['motion', 'effort']
    """
    if not isinstance(model, Model):
        raise ModelError(f"a Model is needed (from my.load_model), not {model!r:.60}")
    if not isinstance(motion, Trajectory):
        raise DataError(f"the motion must be a Trajectory (from my.load), not {motion!r:.60}")
    names = [name for name in model.moving if name in motion]
    if not names:
        raise DataError(f"the motion contains no coordinate of '{model.name}': it has {listed(motion.names, 5)}")
    _refuse_residual_motors(model)
    followed = motion.select(names)
    for name in names:
        if not np.isfinite(followed.values(name)).all():
            when = followed.time[int(np.argmin(np.isfinite(followed.values(name))))]
            raise DataError(f"'{name}' is NaN at {when:g} s; cut the motion with slice, or fill the gap")
    turning = angles(model)
    stated = _checked_errors(errors, names)
    deviations = {name: stated.get(name, stated["rad" if name in turning else "m"]) for name in names}
    goals = [Track(followed, deviations=deviations, label="motion")]
    if plates:
        goals.append(_plate_goal(model, plates, followed, stated["plates"]))
    ranges = {}
    for name in names:
        margin, values = _MARGIN["rad" if name in turning else "m"], followed.values(name)
        ranges[name] = (float(values.min()) - margin, float(values.max()) + margin)
    costs = [Effort(of="controls", exponent=2, weight=effort), *_motor_goals(model, followed, effort)]
    return Problem(
        model,
        name=f"{model.name}_tracking",
        source="angles and ground forces of a recording, tracked without residual forces",
        duration=followed.duration,
        start=float(followed.time[0]),
        goals=[*goals, *costs],
        conditions=[Bounds(ranges)],
        scheme=Midpoint(),
        nodes=max(3, round(_RATE * followed.duration) + 1) if nodes is None else nodes,
        guess=followed,
    )


def _checked_errors(errors: Mapping[str, float] | None, names: list[str]) -> dict[str, float]:
    for name, value in (errors or {}).items():
        if name not in _ERRORS and name not in names:
            raise ModelError("errors: " + unknown_name("tracked column", name, [*_ERRORS, *names]))
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or value <= 0:
            raise ModelError(f"errors: that of '{name}' must be a positive number, not {value!r:.40}")
    return {**_ERRORS, **(errors or {})}


def _motor_goals(model: Model, motion: Trajectory, weight: float) -> list[Smoothness]:
    """Return the goal that keeps motors from alternating: small accelerations beside the largest recorded."""
    if not any(force.controlled for force in model.forces.values()) or len(motion) < _ROWS:
        return []
    each = np.abs(splined(motion, motion.names, None, motion.time)[2]).max(axis=0)
    largest = float(each.max())
    if not largest > 0.0:
        return []
    motored = {force.coordinate for force in model.forces.values() if isinstance(force, CoordinateActuator)}
    scales = {
        name: max(float(own), _LEAST * largest)
        for name, own in zip(motion.names, each, strict=True)
        if model.muscles and name in motored
    }
    return [Smoothness(of="speeds", scale=largest, scales=scales, weight=weight, label="accelerations")]


def _refuse_residual_motors(model: Model) -> None:
    """Refuse motors that push a floating body from outside: they would be residual forces."""
    turning = angles(model)
    floating = {
        name
        for joint in model.joints.values()
        if joint.parent.body == GROUND and sum(part not in turning for part in joint.coordinates) > 1
        for name in joint.coordinates
    }
    for name, force in model.forces.items():
        if isinstance(force, CoordinateActuator) and force.coordinate in floating:
            raise ModelError(
                f"'{name}' pushes '{force.coordinate}' from outside, a residual force: leave it out, or use "
                f"my.reproduce, which reports its residuals"
            )


def _plate_goal(model: Model, plates: ExternalForces, motion: Trajectory, share: float) -> Track:
    """Return the goal that sums of contact forces follow the plates at the times of the motion."""
    columns, sums, deviations = {}, {}, {}
    axes = "xy" if is_planar(model) else "xyz"
    applied = plates.at(motion.time)
    for name, plate in plates.items():
        if plate.force_frame != GROUND:
            raise ModelError(f"plate '{name}' gives its force in the axes of '{plate.force_frame}', not of the ground")
        contacts = contacts_of(model, plate.body, name)
        force = applied[name].force
        peak = float(np.linalg.norm(force, axis=1).max())
        if not peak > 0.0:
            raise DataError(f"plate '{name}' records no force during the motion: leave it out")
        for number, axis in enumerate(axes):
            column = f"{name}_{axis}"
            columns[column] = force[:, number]
            sums[column] = tuple(f"{contact}.force_{axis}" for contact in contacts)
            deviations[column] = share * peak
    record = Trajectory(motion.time, columns, dict.fromkeys(columns, "N"))
    return Track(record, of=sums, deviations=deviations, label="plates")


def contacts_of(model: Model, body: str, plate: str) -> list[str]:
    """Return the contacts of a body and of all bodies that it carries; a plate without any is an error."""
    if body not in model.bodies:
        raise ModelError(f"plate '{plate}': {unknown_name('body', body, tuple(model.bodies))}")
    contacts = list(contacts_under(model, body))
    if not contacts:
        raise ModelError(
            f"plate '{plate}' pushes '{body}', which has no contact in '{model.name}': give the foot contacts "
            "(my.fit_contacts, my.ContactPoint), or reproduce the motion with recorded forces (my.reproduce)"
        )
    return contacts
