"""The muscles of a model, sorted into kinds that share one function, and what the C runtime must know of them.

All muscles with the same curves, activation and kind of tendon obey one function of their numbers. It is compiled
once and called for each of them: a hundred muscles cost no more to compile than one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from myodyne.equations.body import MuscleTables
from myodyne.errors import ModelError
from myodyne.model import HatzeActivation, Model, Muscle, Part
from myodyne.paths.groups import Groups

# What acts on a muscle, in the order of the first input of its function.
DRIVE = ("length", "speed", "projected", "projected_rate", "state", "state_rate", "excitation")

# The response and those of its derivatives that can differ from zero, in the order of the function's output;
# native/march/body.c reads them in this order.
RESPONSE = ("tension", "contraction", "activation")
DERIVATIVES = (
    ("tension", "length"),
    ("tension", "speed"),
    ("tension", "projected"),
    ("tension", "state"),
    ("tension", "excitation"),
    ("contraction", "length"),
    ("contraction", "projected"),
    ("contraction", "projected_rate"),
    ("contraction", "state"),
    ("contraction", "excitation"),
    ("activation", "state"),
    ("activation", "state_rate"),
    ("activation", "excitation"),
)

# What is read of a muscle beside that: forces (N) of tendon and fibres, length (m), velocity (m/s), angle (rad).
DETAILS = (
    "force",
    "fibre_length",
    "fibre_velocity",
    "pennation_angle",
    "activation",
    "active_force",
    "passive_force",
)


@dataclass(frozen=True)
class Kind:
    """Muscles that share one function: an example, and the names of the numbers in which they differ."""

    example: Muscle
    fields: tuple[str, ...]

    def numbers(self, muscle: Muscle) -> list[Any]:
        """Return the numbers of a muscle of this kind, in the order of ``fields``."""
        return [_get(muscle, field) for field in self.fields]


def kinds_of(model: Model) -> tuple[dict[str, int], tuple[Kind, ...]]:
    """Return the number of the kind of each muscle, by name, and the kinds."""
    found: dict[tuple[Any, ...], int] = {}
    kinds: list[Kind] = []
    kind_of: dict[str, int] = {}
    for name, muscle in model.muscles.items():
        _refuse_free_tables(model, name)
        straight = muscle.pennation == 0.0 and f"{name}.pennation" not in model.free_values
        key = (type(muscle.curves), _tables(muscle.curves), type(muscle.activation), muscle.tendon, straight)
        if key not in found:
            found[key] = len(kinds)
            skipped = {"pennation"} if straight else set()
            kinds.append(Kind(muscle, tuple(field for field in _fields(muscle) if field not in skipped)))
        kind_of[name] = found[key]
    return kind_of, tuple(kinds)


def fibre_states(model: Model) -> dict[str, str]:
    """Return the name of the fibre state of each muscle that has one: those with elastic tendons."""
    return {name: f"{name}.projected_length" for name, muscle in model.muscles.items() if muscle.elastic}


def activation_states(model: Model) -> dict[str, str]:
    """Return the name of the activation state of each muscle that has one."""
    return {
        name: f"{name}.{'calcium' if isinstance(muscle.activation, HatzeActivation) else 'activation'}"
        for name, muscle in model.muscles.items()
        if muscle.activated
    }


def _fields(part: Any, prefix: str = "") -> Iterator[str]:
    """Yield the names of all single numbers of a muscle but those of its path."""
    for field in type(part).model_fields:
        value = getattr(part, field)
        if field == "path":
            continue
        if isinstance(value, Part):
            yield from _fields(value, f"{prefix}{field}.")
        elif isinstance(value, float | int) and not isinstance(value, bool):
            yield f"{prefix}{field}"


def _refuse_free_tables(model: Model, name: str) -> None:
    """Refuse free numbers in the tables of curves, which are no inputs of the function of a kind."""
    single = {f"{name}.{field}" for field in _fields(model.muscles[name])}
    for free in model.free_values:
        if free.startswith(f"{name}.curves.") and free not in single:
            raise ModelError(f"'{free}' shapes the equations and cannot be free; change it with with_values")


def _tables(curves: Part) -> tuple[Any, ...]:
    """Return what curves hold besides single numbers: it is built into the function of a kind."""
    parts = (getattr(curves, field) for field in type(curves).model_fields)
    return tuple(part for part in parts if not isinstance(part, float | int | str))


def _get(part: Any, field: str) -> Any:
    for key in field.split("."):
        part = getattr(part, key)
    return part


def tables_of(model: Model, kernels: Any, exact_paths: Any = None) -> MuscleTables:
    """Return the tables of a model's muscles; ``kernels`` gives those of its structure by name.

    ``exact_paths`` takes the place of the kernel of paths; nothing tells then how the paths bend.
    """
    kind_of, kinds = kinds_of(model)
    paths = kernels["paths"] if exact_paths is None else exact_paths
    groups = Groups.noted(paths.signature.notes)
    fibres, actives = list(fibre_states(model)), list(activation_states(model))
    names = [list(model.muscles)[number] for number in groups.order]
    numbers: list[float] = []
    first_number, free = [], []
    for name in names:
        kind = kinds[kind_of[name]]
        first_number.append(len(numbers))
        for place, field in enumerate(kind.fields, start=len(numbers)):
            if f"{name}.{field}" in model.free_values:
                free.append((place, model.free_values.index(f"{name}.{field}")))
        numbers += kind.numbers(model.muscles[name])
    compiled = kinds if kernels.compiled else ()
    batches = tuple(kernels.batch(number) for number in range(len(compiled)))
    rates = tuple(kernels.rate_batch(number) for number in range(len(compiled)))
    return MuscleTables(
        kinds=tuple(kernels[f"muscle_{number}"] for number in range(len(kinds))),
        batches=batches,
        rates=rates,
        prepared=max((batch.signature.notes["prepared"] for batch in batches), default=0),
        settled=max((rate.signature.notes["prepared"] for rate in rates), default=0),
        eased=max((rate.signature.notes["eased"] for rate in rates), default=0),
        paths=paths,
        bending=kernels["bending"] if exact_paths is None else None,
        kind=[kind_of[name] for name in names],
        fibre=[fibres.index(name) if name in fibres else -1 for name in names],
        active=[actives.index(name) if name in actives else -1 for name in names],
        groups=groups,
        first_number=first_number,
        numbers=numbers,
        free=free,
    )
