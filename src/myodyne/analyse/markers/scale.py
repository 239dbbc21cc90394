"""Scaling: a model made to the measure of a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from myodyne.analyse.changed import changed, skeleton
from myodyne.analyse.coordinate_motion import numbers_of
from myodyne.analyse.markers.stretched import Factors, stretched_model
from myodyne.data import DataError, Markers, Measurement
from myodyne.equations import equations_of
from myodyne.errors import ModelError, listed, unknown_name
from myodyne.model import (
    BlankevoortLigament,
    CurveLigament,
    DistanceConstraint,
    FunctionPath,
    Ligament,
    Marker,
    Model,
    Muscle,
    PathFormula,
    PathSpring,
)
from myodyne.model.part import Named
from myodyne.types import Floats

_AXES = "xyz"
# Bodies are seldom scaled beyond these; a factor outside is a mistake of units or of names.
_LEAST, _MOST = 0.1, 10.0


def scale_factors(
    model: Model, static: Markers, measurements: Mapping[str, Measurement]
) -> dict[str, tuple[float, float, float]]:
    """Return by how much each body must be scaled along its axes, from distances between markers of a person at rest.

    Parameters
    ----------
    model
        The model, with markers of the same names.
    static
        The record; distances are the mean of its rows.
    measurements
        Measurements by name.

    Examples
    --------
    >>> import myodyne as my
    >>> ends = {"top": my.Marker(body="rod"), "tip": my.Marker(body="rod", at=(0.0, -1.0, 0.0))}
    >>> rod = my.load_model("pendulum").with_parts(markers=ends)
    >>> record = my.Markers([0.0], ["top", "tip"], [[[0.0, 1.0, 0.0], [0.0, -0.2, 0.0]]])
    >>> my.scale_factors(rod, record, {"length": my.Measurement([("top", "tip")], {"rod": "y"})})
    {'rod': (1.0, 1.2, 1.0)}
    """
    places = _default_places(model)
    factors: dict[str, list[float]] = {}
    given_by: dict[tuple[str, str], str] = {}
    for name, measurement in measurements.items():
        ratios = []
        for pair in measurement.pairs:
            own, seen = (_distance(name, pair, where) for where in (places, static))
            if own == 0.0:
                raise ModelError(f"measurement '{name}': {listed(pair)} are at the same place in the model")
            ratios.append(seen / own)
        ratio = round(float(np.mean(ratios)), 15)
        for body, axes in measurement.bodies.items():
            if body not in model.bodies:
                raise ModelError(f"measurement '{name}': {unknown_name('body', body, model.bodies)}")
            for axis in axes.lower():
                if (body, axis) in given_by:
                    raise DataError(
                        f"measurements '{given_by[body, axis]}' and '{name}' both scale '{body}' along {axis}; remove "
                        f"one of them"
                    )
                given_by[body, axis] = name
                factors.setdefault(body, [1.0, 1.0, 1.0])[_AXES.index(axis)] = ratio
    return {body: (x, y, z) for body, (x, y, z) in factors.items()}


def scale_model(
    model: Model,
    factors: float | Mapping[str, float | Sequence[float]],
    *,
    mass: float | None = None,
    keep_mass_distribution: bool = False,
    inertia: Literal["stretched", "cylinder"] = "stretched",
) -> Model:
    """Return a model whose bodies are scaled by factors along their axes.

    Points, joints, frames, surfaces and centres of mass move with their bodies. Translations of joints scale with the
    parent, but not those that are coordinates themselves. Optimal fibre length and slack length of the tendon change
    as the length of the whole path in the default pose, and so do the slack lengths of ligaments and springs along
    paths and the distances that constraints keep. Maximal forces stay.

    Parameters
    ----------
    model, factors
        The model, and a factor for each body by name, one or three (x, y, z); bodies without one keep their size. A
        single number scales all of them.
    mass
        Mass (kg) that the whole model shall have; None leaves what the factors make of it.
    keep_mass_distribution
        Masses of bodies keep their proportions; otherwise they grow with their volumes.
    inertia
        How moments of inertia change: as those of a body that is stretched along its axes, or those of a cylinder that
        takes the place of every body, as OpenSim does unless all three factors are the same.

    Examples
    --------
    >>> import myodyne as my
    >>> tall = my.scale_model(my.load_model("jumper_skeleton"), 1.1, mass=80.0)
    >>> round(tall.mass, 9)
    80.0
    """
    if not isinstance(model, Model):
        raise ModelError(f"a Model is needed (from my.load_model), not {model!r:.60}")
    if inertia not in ("stretched", "cylinder"):
        raise ModelError(f"inertia must be 'stretched' or 'cylinder', not {inertia!r:.40}")
    checked = _checked(model, factors)
    paths = [
        name
        for table in (model.muscles, model.forces)
        for name, part in table.items()
        if isinstance(getattr(part, "path", None), FunctionPath)
    ]
    if paths:
        raise ModelError(
            f"the paths of {listed(paths)} are functions of the coordinates and have no points to scale; scale the "
            f"model with the points and surfaces, then fit again (my.fit_paths)"
        )
    larger = stretched_model(model, checked, scale_mass=not keep_mass_distribution, cylinders=inertia == "cylinder")
    larger = _with_lengths(model, larger)
    # With all its parts in place the model is checked as any other.
    return (larger if mass is None else _with_mass(larger, mass)).with_parts()


def _checked(model: Model, factors: float | Mapping[str, Any]) -> Factors:
    given = factors if isinstance(factors, Mapping) else dict.fromkeys(model.bodies, factors)
    found: Factors = {}
    for body, factor in given.items():
        if body not in model.bodies:
            raise ModelError(f"factors: {unknown_name('body', body, model.bodies)}")
        try:
            numbers = np.broadcast_to(np.asarray(factor, dtype=float), (3,))
        except (TypeError, ValueError):
            numbers = np.full(3, np.nan)
        if not (np.isfinite(numbers).all() and (numbers >= _LEAST).all() and (numbers <= _MOST).all()):
            raise ModelError(
                f"factors: '{body}' needs one factor or three between {_LEAST:g} and {_MOST:g}, not {factor!r:.60}"
            )
        found[body] = (float(numbers[0]), float(numbers[1]), float(numbers[2]))
    return found


def _with_lengths(before: Model, after: Model) -> Model:
    """Return the scaled model with lengths along its paths in proportion to those in the default pose."""
    muscles = {}
    ratios = dict(zip(before.muscles, _lengths(after) / _lengths(before), strict=True)) if before.muscles else {}
    for name, part in after.muscles.items():
        update = {
            field: getattr(part, field) * float(ratios[name])
            for field in ("optimal_fibre_length", "tendon_slack_length")
        }
        muscles[name] = part.model_copy(update=update)
    forces = dict(after.forces)
    along = (PathSpring, PathFormula, CurveLigament, BlankevoortLigament, Ligament)
    held = {name: part for name, part in before.forces.items() if isinstance(part, along)}
    if held:
        # A path is a path: muscles measure those of the forces.
        longer = _lengths(_pathways(after, held)) / _lengths(_pathways(before, held))
        for name, ratio in zip(held, longer, strict=True):
            field = "rest_length" if isinstance(held[name], PathSpring | PathFormula) else "slack_length"
            forces[name] = forces[name].model_copy(update={field: getattr(held[name], field) * float(ratio)})
    constraints = dict(after.constraints)
    rods = {name: part for name, part in before.constraints.items() if isinstance(part, DistanceConstraint)}
    for name, rod in rods.items():
        moved: Any = after.constraints[name]
        ratio = _apart(after, moved) / _apart(before, rod)
        constraints[name] = moved.model_copy(update={"distance": rod.distance * ratio})
    return changed(after, muscles=Named(muscles), forces=Named(forces), constraints=Named(constraints))


def _apart(model: Model, rod: DistanceConstraint) -> float:
    places = _default_places(model, {"first": rod.first, "second": rod.second})
    return float(np.linalg.norm(places["second"] - places["first"]))


def _pathways(model: Model, held: Mapping[str, Any]) -> Model:
    forces: Mapping[str, Any] = model.forces
    muscles = {
        name: Muscle(max_force=1.0, optimal_fibre_length=1.0, tendon_slack_length=1.0, path=forces[name].path)
        for name in held
    }
    return changed(model, muscles=Named(muscles), forces=Named(), free_values=())


def _lengths(model: Model) -> Floats:
    # Interpreted: lengths in one pose are not worth the time of a compiler.
    bare = changed(skeleton(model, muscles=True), free_values=())
    equations = equations_of(bare, compiled=False)
    return equations.muscle_lengths(equations.coordinate_defaults())


def _default_places(model: Model, markers: Mapping[str, Marker] | None = None) -> dict[str, Floats]:
    """Return where markers are in the default pose, those of the model unless others are given."""
    bare = skeleton(model)
    if markers is not None:
        bare = changed(bare, markers=Named(markers))
    if not bare.markers:
        raise ModelError(f"'{model.name}' has no markers to measure")
    equations = equations_of(bare, compiled=False)
    places = equations.kernel("markers").output("positions", equations.coordinate_defaults(), numbers_of(equations))
    return dict(zip(bare.markers, places.reshape(-1, 3), strict=True))


def _distance(measurement: str, pair: tuple[str, str], where: Mapping[str, Floats] | Markers) -> float:
    """Return how far two markers are apart in the model, or on average in a record."""
    record = isinstance(where, Markers)
    for marker in pair:
        if marker not in where:
            known = where.names if isinstance(where, Markers) else tuple(where)
            problem = unknown_name(f"marker of the {'record' if record else 'model'}", marker, known)
            raise (DataError if record else ModelError)(f"measurement '{measurement}': {problem}")
    # Not the distance of mean places: a person who sways would shrink.
    apart = np.linalg.norm(where[pair[0]] - where[pair[1]], axis=-1)
    if np.isnan(apart).all():
        raise DataError(f"measurement '{measurement}': {listed(pair)} are never visible at the same time")
    return float(np.nanmean(apart))


def _with_mass(model: Model, mass: float) -> Model:
    if not (isinstance(mass, int | float) and np.isfinite(mass) and mass > 0.0):
        raise ModelError(f"mass must be a positive number (kg), not {mass!r:.40}")
    if model.mass == 0.0:
        raise ModelError(f"'{model.name}' has no mass to scale to {mass:g} kg")
    factor = mass / model.mass
    bodies = {}
    for name, body in model.bodies.items():
        moments = {field: getattr(body.inertia, field) * factor for field in ("xx", "yy", "zz", "xy", "xz", "yz")}
        bodies[name] = body.model_copy(
            update={"mass": body.mass * factor, "inertia": body.inertia.model_copy(update=moments)}
        )
    return changed(model, bodies=Named(bodies))
