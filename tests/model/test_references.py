"""The table of references holds every field of a part that names a body, a coordinate or a surface."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from myodyne.model import Constraint, Force, FunctionPath, Joint, Marker, Part, Placement, Surface, Wrap
from myodyne.model.checks.references import REFERENCES
from myodyne.model.paths import PointOfPath


def kinds(union: Any) -> tuple[type[Part], ...]:
    """Return the classes of an annotated union."""
    return kinds(get_args(union)[0]) if hasattr(union, "__metadata__") else get_args(union)


PARTS = (Joint, Marker, FunctionPath, Wrap, *(k for u in (Force, Constraint, Surface, PointOfPath) for k in kinds(u)))
NAMING = {"body", "reaction", "coordinate", "surface"}


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_every_field_that_names_a_part_is_checked(part: type[Part]) -> None:
    expected = {name for name in part.model_fields if name in NAMING}
    expected |= {f"{name}.body" for name, field in part.model_fields.items() if field.annotation in (Marker, Placement)}
    checked = {reference.attribute for reference in REFERENCES.get(part, ())}
    checked = {"coordinate" if name == "coordinates" and "coordinate" in expected else name for name in checked}
    assert expected <= checked
