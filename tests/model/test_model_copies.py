"""Copies of a model tell of themselves, not of what they were copied from."""

from __future__ import annotations

import myodyne as my


def test_a_copy_forgets_what_was_worked_out_of_the_original() -> None:
    model = my.load_model("jumper")
    before = model.mass, model.hash, model.structure_hash, model.controls
    copy = model.model_copy(update={"muscles": type(model.muscles)()})
    assert copy.controls == ()
    assert copy.hash != before[1]
    assert copy.structure_hash != before[2]
    assert (model.mass, model.hash, model.structure_hash, model.controls) == before
