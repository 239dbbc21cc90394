"""What a report says of paths over surfaces that entered as fitted polynomials."""

from __future__ import annotations

from typing import Any

import pytest

import myodyne as my
from support.wrapped_arm import wrapped_arm

ABOUT = "over surfaces entered as fitted polynomials"


def notes(
    model: my.Model, start: dict[str, float] | None = None, duration: float = 0.02, **options: Any
) -> tuple[str, ...]:
    equations = my.equations_of(model, compiled=False, **options)
    return my.simulate(equations, duration, start=start or {}).report.notes


def only(name: str) -> my.Model:
    """Return the arm with one muscle."""
    model = wrapped_arm()
    return model.without(*(other for other in model.muscles if other != name))


def test_one_note_shows_how_close_the_fits_are() -> None:
    model = wrapped_arm().without("triceps_long", "coraco")
    equations = my.equations_of(model, compiled=False)
    worst = max(equations.path_fits, key=lambda name: equations.path_fits[name].length.rms)
    (note,) = notes(model)
    assert note.startswith(f"3 paths {ABOUT}: the lengths are off by ")
    assert f"{1000 * equations.path_fits[worst].length.rms:.2g} mm at most (root mean square, '{worst}')" in note
    missed = [name for name, fit in equations.path_fits.items() if not fit.within]
    assert missed == ["deltoid"]
    assert "; less accurate than requested: 'deltoid' (" in note
    assert "'triceps' (" not in note


def test_fits_that_are_close_enough_are_said_to_be() -> None:
    (note,) = notes(only("triceps"))
    assert note.startswith(f"1 path {ABOUT}")
    assert ", all as accurate as requested" in note
    assert "less accurate" not in note


def test_models_without_fits_say_nothing() -> None:
    assert notes(only("coraco")) == ()
    assert notes(wrapped_arm(wraps=False, surfaces={}).without("triceps_long")) == ()


@pytest.mark.parametrize("speed, first", [(0.0, None), (30.0, 0.003)])
def test_leaving_the_range_of_a_fit_is_reported(speed: float, first: float | None) -> None:
    found = notes(only("triceps"), {"elbow": 1.8, "elbow.speed": speed}, 0.01)
    beyond = [note for note in found if "beyond the range [0.1, 1.9] over which paths were fitted" in note]
    if first is None:
        assert not beyond
        return
    (note,) = beyond
    assert note.startswith("'elbow' takes values from 1.8 to 2.")
    assert "do not trust 'triceps' there" in note
    assert float(note.partition("first at ")[2].partition(" s")[0]) == pytest.approx(first, abs=0.002)


def test_every_phase_is_looked_at_and_nothing_is_repeated() -> None:
    model = only("triceps")
    switch = my.Switch(my.crosses("elbow", 1.95), to=model.with_values({"lower.mass": 1.6}))
    run = my.simulate(model, 0.01, start={"elbow": 1.8, "elbow.speed": 30.0}, until=switch)
    assert len(run.report.events) == 1
    assert sum(ABOUT in note for note in run.report.notes) == 1
    (note,) = (note for note in run.report.notes if "over which paths were fitted" in note)
    assert float(note.partition("first at ")[2].partition(" s")[0]) < run.report.events[0][0]
