"""The muscles of the shoulder, from a table."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from myodyne.library.shoulder.rhythm import AXIAL, ELEVATION, PLANE
from myodyne.model.functions import Polynomial, Term
from myodyne.model.muscles.activation import HeActivation
from myodyne.model.muscles.curves import DeGrooteFregly2016
from myodyne.model.muscles.muscle import Muscle
from myodyne.model.paths import FunctionPath


def shoulder_muscles() -> dict[str, Muscle]:
    """Return the fourteen muscles by name."""
    return {row["muscle"]: _muscle(row) for row in _rows()}


def _muscle(row: dict[str, str]) -> Muscle:
    terms = [term.split("@") for term in row["length"].split()]
    length = Polynomial(
        of=(PLANE, ELEVATION, AXIAL),
        terms=tuple(Term(coefficient=float(value), powers=tuple(map(int, powers))) for value, powers in terms),
    )
    return Muscle(
        max_force=float(row["max_force"]),
        optimal_fibre_length=float(row["fibre"]),
        tendon_slack_length=float(row["tendon"]),
        pennation=float(row["pennation"]),
        max_velocity=10.0,
        damping=0.001,
        tendon="elastic",
        curves=DeGrooteFregly2016(parallel_strain=0.7),
        activation=HeActivation(activation_time=0.015, deactivation_time=0.06),
        default_activation=0.02,
        path=FunctionPath(length=length),
    )


@cache
def _rows() -> list[dict[str, str]]:
    text = (files("myodyne.library.shoulder") / "muscles.csv").read_text(encoding="utf-8")
    lines = [line.split(",") for line in text.splitlines() if not line.startswith("#")]
    return [dict(zip(lines[0], cells, strict=True)) for cells in lines[1:]]
