"""The muscles of a model, sorted into kinds that share one function.

All muscles with the same curves, activation and kind of tendon obey one function of their numbers. It is compiled
once and called for each of them: a hundred muscles cost no more to compile than one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter

from myodyne.errors import ModelError
from myodyne.model import HatzeActivation, Model, Muscle, Part
from myodyne.types import Floats

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

# The places of these in the arrays.
DRIVE_PLACE = {name: place for place, name in enumerate(DRIVE)}
_COLUMNS: tuple[str | tuple[str, str], ...] = (*RESPONSE, *DERIVATIVES)
RESPONSE_COLUMN = {key: column for column, key in enumerate(_COLUMNS)}

# Further results of a muscle: forces (N) of tendon and fibres, length (m), velocity (m/s), angle (rad).
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

    def numbers(self, muscle: Muscle) -> list[float]:
        """Return the numbers of a muscle of this kind, in the order of ``fields``; symbols where it has symbols."""
        return [attrgetter(field)(muscle) for field in self.fields]


def kinds_of(model: Model) -> tuple[dict[str, int], tuple[Kind, ...]]:
    """Return the number of the kind of each muscle, by name, and the kinds."""
    found: dict[tuple[object, ...], int] = {}
    kinds: list[Kind] = []
    kind_of: dict[str, int] = {}
    for name, muscle in model.muscles.items():
        if model.free_values:
            _refuse_free_tables(model, name)
        straight = muscle.pennation == 0.0 and f"{name}.pennation" not in model.free_values
        key = (type(muscle.curves), _tables(muscle.curves), type(muscle.activation), muscle.tendon, straight)
        if key not in found:
            found[key] = len(kinds)
            skipped = {"pennation"} if straight else set()
            kinds.append(Kind(muscle, tuple(field for field in _fields(muscle) if field not in skipped)))
        kind_of[name] = found[key]
    return kind_of, tuple(kinds)


@dataclass(frozen=True, eq=False)
class ResponseTable:
    """Tensions, residuals and their derivatives by name, a row of ``values`` for each muscle."""

    values: Floats

    def __getitem__(self, key: str | tuple[str, str]) -> Floats:
        column: Floats = self.values[:, RESPONSE_COLUMN[key]]
        return column


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


def _fields(part: Part, prefix: str = "") -> Iterator[str]:
    """Yield the names of all single numbers of a muscle except those of its path."""
    for field in type(part).model_fields:
        value = getattr(part, field)
        if field == "path":
            continue
        if isinstance(value, Part):
            yield from _fields(value, f"{prefix}{field}.")
        elif isinstance(value, float | int) and not isinstance(value, bool):
            yield f"{prefix}{field}"


def _refuse_free_tables(model: Model, name: str) -> None:
    """Raise an error for free numbers in tables of curves, which are constants of the function of a kind."""
    single = {f"{name}.{field}" for field in _fields(model.muscles[name])}
    for free in model.free_values:
        if free.startswith(f"{name}.curves.") and free not in single:
            raise ModelError(f"'{free}' shapes the equations and cannot be free; change it with with_values")


def _tables(curves: Part) -> tuple[object, ...]:
    """Return the fields of curves that are not single numbers: they are constants of the function of a kind."""
    parts = (getattr(curves, field) for field in type(curves).model_fields)
    return tuple(part for part in parts if not isinstance(part, float | int | str))
