"""Parts whose constructor takes a field by position are validated in place, as all others are."""

from __future__ import annotations

from typing import Any

import pytest

import myodyne as my
from myodyne.model.part import Part, Positive


class Weight(Part):
    mass: Positive

    def __init__(self, mass: Any = None, **values: Any) -> None:
        super().__init__(mass=mass, **values)


class Rack(Part):
    weights: tuple[Weight, ...]


def test_a_field_may_be_given_by_position() -> None:
    assert Weight(2.0) == Weight(mass=2.0)


def test_faults_of_nested_parts_keep_their_place() -> None:
    with pytest.raises(my.ModelError) as caught:
        Rack(weights=[{"mass": 1.0}, {"mass": -1.0}])
    assert [place for place, _ in caught.value.problems] == [("weights", 1, "mass")]
