"""The muscles of a model as expressions: the one function of each kind, and its value for every muscle."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TypeVar

import casadi as ca

from myodyne.equations.muscles.kinds import DERIVATIVES, DETAILS, DRIVE, RESPONSE, RESPONSE_COLUMN, Kind, kinds_of
from myodyne.model import Model, Muscle, Part
from myodyne.physics.curves.shapes import held_parameters
from myodyne.physics.muscle import Drive, Response, balanced_rate, respond
from myodyne.physics.spatial import SX

PartType = TypeVar("PartType", bound=Part)


@cache
def function_of(kind: Kind) -> ca.Function:
    """Return the function of a kind: drive and numbers to response and derivatives."""
    with held_parameters() as held:
        drive, numbers, _, response = _response_of(kind)
    values: list[SX] = [getattr(response, name) for name in RESPONSE]
    slopes = {name: ca.jacobian(value, drive) for name, value in zip(RESPONSE, values, strict=True)}
    for name, row in slopes.items():
        for position, source in enumerate(DRIVE):
            listed = (name, source) in DERIVATIVES
            assert listed or row[0, position].nnz() == 0, f"{name} of {kind} depends on {source}"
    values += [slopes[name][0, DRIVE.index(source)] for name, source in DERIVATIVES]
    table = _released(ca.densify(ca.vertcat(*map(ca.densify, values))), held)
    return ca.Function("muscle", [drive, numbers], ca.cse([table]), ["drive", "numbers"], ["values"])


def curvature_of(kind: Kind) -> tuple[SX, SX, SX, SX, list[tuple[int, int]]]:
    """Return drive, numbers and weights of a kind, and the second derivatives of its weighted response by the drive.

    The response is that of ``RESPONSE``; of the symmetric matrix, the lower half is returned. Last come the pairs of
    response and drive, by number, of which the first depends on the second.
    """
    with held_parameters() as held:
        drive, numbers, _, response = _response_of(kind)
    values = ca.vertcat(*(ca.densify(getattr(response, name)) for name in RESPONSE))
    weights = SX.sym("weights", len(RESPONSE))
    matrix, _ = ca.hessian(ca.dot(weights, values), drive)
    rows, columns = ca.jacobian(values, drive).sparsity().get_triplet()
    return drive, numbers, weights, _released(ca.tril(matrix), held), list(zip(rows, columns, strict=True))


def fibre_balance_of(kind: Kind) -> tuple[SX, SX, SX, SX, SX]:
    """Return the rate of the fibres, drive and numbers, and what an iteration for the rates of muscles needs.

    These are, first, values that do not depend on the rate of the fibres: tension, rate of activation, and the initial
    rate of the fibres for an iteration, with the residual of forces there and its slope, zero where they are not known.
    Second, residual and slope at any rate, for elastic tendons. The entry of the rate in the drive is not read.
    """
    place, activation = DRIVE.index("projected_rate"), DRIVE.index("state_rate")
    drive, numbers, muscle = _symbols_of(kind)
    with held_parameters(by=drive[place]) as held:
        response = respond(muscle, _drive(drive))
    rate = SX.sym("rate")
    known = [response.tension, SX(0), SX(0), SX(0), SX(0)]
    if kind.example.activated:
        # The residual of the activation is its rate less what the rate has to be.
        known[1] = -ca.substitute(response.activation, drive[activation], 0)
    if kind.example.elastic:
        known[2:] = balanced_rate(muscle, _drive(drive), response)
    balance = ca.vertcat(response.contraction, ca.jacobian(response.contraction, drive[place]))
    balance = ca.substitute(_released(ca.densify(balance), held), drive[place], rate)
    return rate, drive, numbers, ca.densify(ca.vertcat(*known)), balance


def _released(expression: SX, held: list[tuple[SX, SX]]) -> SX:
    """Return an expression with the symbols of held parameters replaced by the parameters."""
    for symbol, found in reversed(held):
        expression = ca.substitute(expression, symbol, found)
    return expression


def details_of(kind: Kind) -> tuple[SX, SX, SX]:
    """Return drive, numbers and the results of a muscle of a kind that ``DETAILS`` lists."""
    drive, numbers, muscle, response = _response_of(kind)
    values = {
        "force": response.tension,
        "fibre_length": response.fibre_length,
        "fibre_velocity": response.fibre_velocity,
        "pennation_angle": ca.acos(response.cosine),
        "activation": response.active_state,
        "active_force": response.contractile * muscle.max_force,
        "passive_force": response.parallel * muscle.max_force,
    }
    return drive, numbers, ca.densify(ca.vertcat(*(ca.densify(values[name]) for name in DETAILS)))


def _response_of(kind: Kind) -> tuple[SX, SX, Muscle, Response]:
    drive, numbers, muscle = _symbols_of(kind)
    return drive, numbers, muscle, respond(muscle, _drive(drive))


def _symbols_of(kind: Kind) -> tuple[SX, SX, Muscle]:
    """Return drive and numbers of a kind, and a muscle that has those numbers."""
    drive, numbers = SX.sym("drive", len(DRIVE)), SX.sym("numbers", len(kind.fields))
    muscle = kind.example
    for position, field in enumerate(kind.fields):
        muscle = _replaced(muscle, field.split("."), numbers[position])
    return drive, numbers, muscle


def _drive(drive: SX) -> Drive:
    return Drive(*(drive[i] for i in range(len(DRIVE))))


class Responses:
    """The responses of all muscles as expressions, by what they are and by what they are differentiated by."""

    def __init__(self, model: Model, symbolic: Mapping[str, Muscle], drives: Mapping[str, SX]) -> None:
        # Kinds are those of the model with numbers: whether a pennation is zero cannot be seen from a symbol.
        kind_of, kinds = kinds_of(model)
        columns = [
            function_of(kinds[kind_of[name]])(drives[name], ca.vertcat(*kinds[kind_of[name]].numbers(muscle)))
            for name, muscle in symbolic.items()
        ]
        table = ca.horzcat(*columns) if columns else SX(len(RESPONSE) + len(DERIVATIVES), 0)
        self._rows = {key: table[number, :].T for key, number in RESPONSE_COLUMN.items()}

    def __getitem__(self, key: str | tuple[str, str]) -> SX:
        return self._rows[key]


def _replaced(part: PartType, keys: list[str], value: SX) -> PartType:
    """Return a part with the number at a path of attributes replaced by a symbol."""
    key, *rest = keys
    return part.model_copy(update={key: _replaced(getattr(part, key), rest, value) if rest else value})
