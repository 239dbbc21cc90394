"""Muscles and forces of OpenSim files of our own, against what OpenSim 4.6 says about them.

``tests/fixtures/opensim/generate_muscles.py`` and ``generate_forces.py`` made files and numbers.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.files.osim import read_osim
from support.opensim_forces import opensim_forces
from support.osim_muscles import fibre_state, solved_tension

FIXTURES = Path(__file__).parents[2] / "fixtures" / "opensim"
DATA = json.loads((FIXTURES / "muscles.json").read_text(encoding="utf-8"))
MUSCLES = tuple(DATA["poses"][0]["muscles"])
# OpenSim balances this one to 0.01 N.
LOOSELY = {"schutte": 2e-4}


@cache
def model(name: str) -> my.Model:
    return read_osim((FIXTURES / name).read_bytes(), name)


@cache
def equations() -> my.Equations:
    return my.equations_of(model("muscles.osim"), compiled=False)


@pytest.mark.parametrize("pose", DATA["poses"], ids=[str(number) for number in range(len(DATA["poses"]))])
def test_lengths_and_moment_arms(pose: dict[str, Any]) -> None:
    eq = equations()
    q = [pose["q"][name] for name in eq.coordinates]
    lengths, arms = eq.muscle_lengths(q), eq.moment_arms(q)
    for number, name in enumerate(model("muscles.osim").muscles):
        theirs = pose["muscles"][name]
        assert lengths[number] == pytest.approx(theirs["length"], abs=1e-12)
        # Theirs are differences over 2e-5 rad or m.
        assert arms[number] == pytest.approx([theirs["arms"][c] for c in eq.coordinates], abs=1e-7)


@pytest.mark.parametrize("name", [name for name in MUSCLES if name != "rigid"])
def test_forces_in_balance(name: str) -> None:
    muscle = model("muscles.osim").muscles[name]
    for pose in DATA["poses"]:
        theirs = pose["muscles"][name]
        fibre = theirs.get("fibre_length", muscle.optimal_fibre_length)
        start, rate = fibre_state(muscle, fibre, theirs.get("fibre_velocity", 0.0))
        ours = solved_tension(muscle, theirs["length"], theirs["speed"], start, rate, DATA["activation"])
        assert ours == pytest.approx(theirs["tension"], abs=LOOSELY.get(name, 1e-9) * muscle.max_force)


def test_the_rigid_muscle_takes_the_speed_of_its_path_for_that_of_its_fibres() -> None:
    muscle = model("muscles.osim").muscles["rigid"]
    for pose in DATA["poses"]:
        theirs = pose["muscles"]["rigid"]
        projected = theirs["length"] - muscle.tendon_slack_length
        cosine = projected / np.hypot(projected, muscle.optimal_fibre_length * np.sin(muscle.pennation))
        ours = solved_tension(muscle, theirs["length"], theirs["speed"] / cosine, 0.0, 0.0, DATA["activation"])
        assert ours == pytest.approx(theirs["tension"], abs=1e-9 * muscle.max_force)


def test_every_force_is_the_one_that_the_file_was_written_from() -> None:
    found, expected = model("forces.osim").forces, opensim_forces().forces
    assert set(found) == set(expected)
    for name, force in expected.items():
        ours, theirs = _numbers(found[name].model_dump()), _numbers(force.model_dump())
        assert ours.keys() == theirs.keys()
        for field, value in theirs.items():
            assert ours[field] == (pytest.approx(value, rel=1e-12, abs=1e-12) if isinstance(value, float) else value)


def _numbers(value: Any, place: str = "") -> dict[str, Any]:
    """Return nested data as one table."""
    if isinstance(value, dict):
        items: Any = value.items()
    elif isinstance(value, list | tuple):
        items = enumerate(value)
    else:
        return {place: value}
    return {key: leaf for name, inner in items for key, leaf in _numbers(inner, f"{place}.{name}").items()}


@pytest.mark.parametrize("name", ["muscles.osim", "forces.osim"])
def test_nothing_of_the_files_is_left_out(name: str) -> None:
    audit = model(name).audit
    assert audit is not None
    assert not audit.about("skipped")
    # Limits at which OpenSim holds fibres are told of muscles that are there to the letter.
    others = [remark for remark in audit.about("approximated") if "OpenSim holds" not in remark.message]
    assert {remark.element for remark in others} <= {"Schutte1993Muscle_Deprecated", "RigidTendonMuscle"}
