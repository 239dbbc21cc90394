"""The muscles of gait3d, from a table."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from myodyne.model.functions import Polynomial, Term
from myodyne.model.muscles.activation import HeActivation
from myodyne.model.muscles.curves import DeGrooteFregly2016
from myodyne.model.muscles.muscle import Muscle
from myodyne.model.paths import FunctionPath

_ELASTIC_FROM = 3.0  # tendon slack lengths per fibre length


def leg_muscles(side: str) -> dict[str, Muscle]:
    """Return the forty muscles of a leg, ``"r"`` or ``"l"``."""
    return {f"{name}_{side}": _muscle(row, side) for name, row in _rows().items()}


def _muscle(row: Mapping[str, str], side: str) -> Muscle:
    terms = [term.split("@") for term in row["length"].split()]
    length = Polynomial(
        of=tuple(f"{name}_{side}" for name in row["coordinates"].split()),
        terms=tuple(Term(coefficient=float(value), powers=tuple(map(int, powers))) for value, powers in terms),
    )
    fibre, tendon = float(row["fibre"]), float(row["tendon"])
    return Muscle(
        max_force=float(row["max_force"]),
        optimal_fibre_length=fibre,
        tendon_slack_length=tendon,
        pennation=float(row["pennation"]),
        max_velocity=10.0,
        damping=0.001,
        tendon="elastic" if tendon > _ELASTIC_FROM * fibre else "rigid",
        curves=DeGrooteFregly2016(parallel_strain=0.7),
        activation=HeActivation(activation_time=0.015, deactivation_time=0.06),
        default_activation=0.02,
        path=FunctionPath(length=length),
    )


@cache
def _rows() -> dict[str, dict[str, str]]:
    text = (files("myodyne.library.gait3d") / "muscles.csv").read_text(encoding="utf-8")
    lines = [line.split(",") for line in text.splitlines() if not line.startswith("#")]
    return {cells[0]: dict(zip(lines[0], cells, strict=True)) for cells in lines[1:]}
