"""Every part that names bodies or coordinates is in the table by which these names are checked."""

from __future__ import annotations

from typing import get_args

import pytest

import myodyne as my
from myodyne.model.checks.references import REFERENCES
from myodyne.model.constraints import Constraint
from myodyne.model.forces import Force

KINDS = [*get_args(get_args(Force)[0]), *get_args(get_args(Constraint)[0])]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_force_or_constraint_is_in_the_table(kind: type) -> None:
    # A force along a path is checked through its path.
    assert kind in REFERENCES or "path" in kind.model_fields


def test_a_misspelt_body_is_reported_with_the_nearest() -> None:
    force = my.PointForce(body="rodd", at=(0.0, 0.0, 0.0), force=(1.0, 0.0, 0.0))
    with pytest.raises(my.ModelError, match="did you mean 'rod'"):
        my.load_model("pendulum").with_parts(forces={"push": force})
