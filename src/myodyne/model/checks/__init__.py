"""What must hold between the parts of a model: unique names, references to parts that exist, one tree of joints."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING

from myodyne.errors import unknown_name
from myodyne.model.checks.coordinates import coupling_faults, solving_faults, unused_coordinates
from myodyne.model.checks.names import free_value_faults, name_faults
from myodyne.model.checks.parts import constraint_faults, force_faults, joint_faults, path_faults
from myodyne.model.checks.references import Targets, unknown_references
from myodyne.model.checks.tree import tree_faults
from myodyne.model.constraints import TIME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from myodyne.model.model import Model

_MOST_FAULTS = 12


def check_model(model: Model) -> None:
    """Raise a ValueError that lists the faults between the parts of the model."""
    # Not all of thousands: each message searches for the nearest names.
    faults = [*islice(chain(name_faults(model), _reference_faults(model), tree_faults(model)), _MOST_FAULTS)]
    if not faults:
        faults = [*free_value_faults(model)]
    if faults:
        raise ValueError("\n".join(faults))


def _reference_faults(model: Model) -> Iterator[str]:
    """Yield what is wrong with references from part to part, table by table."""
    targets = Targets.of(model)
    yield from joint_faults(model, targets)
    yield from coupling_faults(model)
    yield from unused_coordinates(model)
    yield from solving_faults(model)
    yield from constraint_faults(model, targets)
    for name, marker in model.markers.items():
        yield from unknown_references(f"markers.{name}", marker, targets)
    for name, sensor in model.sensors.items():
        if sensor.body not in targets.body:
            yield f"sensors.{name}.body: {unknown_name('body', sensor.body, targets.body)}"
    yield from path_faults(model, targets)
    for name, surface in model.surfaces.items():
        yield from unknown_references(f"surfaces.{name}", surface, targets)
    yield from force_faults(model, targets)
    yield from _prescribed_faults(model)


def _prescribed_faults(model: Model) -> Iterator[str]:
    """Yield what is wrong with controls over time."""
    for name, function in model.prescribed.items():
        if name not in model.controls:
            yield f"prescribed: {unknown_name('control', name, model.controls)}"
        others = [coordinate for coordinate in function.coordinates if coordinate != TIME]
        if others:
            yield f"prescribed.{name}: a control is a function of '{TIME}', not of '{others[0]}'"
