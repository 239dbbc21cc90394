"""Names are unique across a model; free values name single numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from myodyne.model import values
from myodyne.model.bodies import GROUND

if TYPE_CHECKING:
    from collections.abc import Iterator

    from myodyne.model.model import Model


def name_faults(model: Model) -> Iterator[str]:
    """Yield a message for each name that is used twice."""
    owners: dict[str, str] = {GROUND: "the ground"}
    for kind, table in (
        ("body", model.bodies),
        ("joint", model.joints),
        ("muscle", model.muscles),
        ("force", model.forces),
        ("marker", model.markers),
        ("sensor", model.sensors),
        ("surface", model.surfaces),
        ("constraint", model.constraints),
    ):
        for name in table:
            if name in owners:
                yield f"{kind} '{name}' has the name of {owners[name]}; names are unique across a model"
            owners[name] = f"a {kind}"
    yield from _coordinate_names(model, owners)


def _coordinate_names(model: Model, owners: dict[str, str]) -> Iterator[str]:
    seen: dict[str, str] = {}
    for joint_name, joint in model.joints.items():
        for name in joint.coordinates:
            if name in seen:
                yield f"coordinate '{name}' belongs to joint '{seen[name]}' and again to joint '{joint_name}'"
            elif name in owners and name != joint_name:
                yield (
                    f"coordinate '{name}' has the name of {owners[name]}; "
                    "only a joint and its own coordinate may share a name"
                )
            seen[name] = joint_name


def free_value_faults(model: Model) -> Iterator[str]:
    """Yield a message for each free value that cannot be an input of the equations."""
    for name in model.free_values:
        value = values.get(model, name)
        if isinstance(value, bool) or not isinstance(value, float | int):
            yield f"free_values: '{name}' is not a single number"
        if any(name.startswith(f"{motion}.") for motion in model.motions):
            yield (
                f"free_values: '{name}' belongs to a function of time, which is not part of the equations; "
                "change it by with_values"
            )
