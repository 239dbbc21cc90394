"""Lines of action at the glenohumeral joint, from an export of the Dynamic Arm Simulator.

Paths of that model are lengths alone. For the muscles that cross the glenohumeral joint the file also has the direction
in which each pulls the humerus, in the axes of the scapula: a polynomial of joint angles for each component. Their sum
is nearly, not exactly, of unit length; the release divides by it, and so do we.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from myodyne.errors import FileError, ModelError
from myodyne.files.models.json_reader import as_row, json_table, refused
from myodyne.model import Polynomial, Term
from myodyne.model.part import Name, Number, problems_of

Power = Annotated[int, Field(strict=True, ge=0, le=20)]
Powers = Annotated[tuple[Annotated[tuple[Power, ...], BeforeValidator(as_row)], ...], BeforeValidator(as_row)]
Numbers = Annotated[tuple[Number, ...], BeforeValidator(as_row)]
Line = tuple[Polynomial, Polynomial, Polynomial]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Muscle(_Entry):
    osim_name: Name
    crosses: bool = Field(default=False, alias="crossesGH")
    dof_names: Annotated[tuple[Name, ...], BeforeValidator(as_row)]
    xparams: Powers = ()
    xcoefs: Numbers = ()
    yparams: Powers = ()
    ycoefs: Numbers = ()
    zparams: Powers = ()
    zcoefs: Numbers = ()


class _Angle(_Entry):
    name: Name
    osim: Name


class _Export(_Entry):
    dofs: tuple[_Angle, ...]
    muscles: tuple[_Muscle, ...]


def glenohumeral_lines(path: str | os.PathLike[str]) -> Mapping[str, Line]:
    """Return the direction in which each muscle pulls the humerus, by components along the axes of the scapula."""
    file = Path(path)
    try:
        tree = json_table(file.read_bytes(), file.name)
    except OSError as error:
        raise FileError(f"{file.name}: cannot be read: {error.strerror}") from None
    try:
        export = _Export.model_validate(tree)
    except ValidationError as error:
        raise refused(file.name, problems_of(error)) from None
    names = {angle.name: angle.osim for angle in export.dofs}
    try:
        return {muscle.osim_name: _line(muscle, names) for muscle in export.muscles if muscle.crosses}
    except (ModelError, KeyError) as error:
        raise ModelError(f"{file.name}: lines of action: {error}") from None


def _line(muscle: _Muscle, names: Mapping[str, str]) -> Line:
    of = tuple(names[name] for name in muscle.dof_names)

    def part(powers: tuple[Any, ...], weights: tuple[float, ...]) -> Polynomial:
        # A single term came out of the export as a plain list of its powers.
        rows = (tuple(power for (power,) in powers),) if len(weights) == 1 and len(powers) == len(of) > 1 else powers
        terms = tuple(Term(coefficient=weight, powers=row) for weight, row in zip(weights, rows, strict=True))
        return Polynomial(of=of, terms=terms)

    try:
        return (
            part(muscle.xparams, muscle.xcoefs),
            part(muscle.yparams, muscle.ycoefs),
            part(muscle.zparams, muscle.zcoefs),
        )
    except ValueError as error:
        raise ModelError(f"'{muscle.osim_name}': {error}") from None
