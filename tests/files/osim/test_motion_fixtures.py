"""Coordinates that follow functions of time, against OpenSim 4.6 (``fixtures/opensim/motions.json``)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import myodyne as my
from myodyne.files.osim import read_osim

FOLDER = Path(__file__).parents[2] / "fixtures" / "opensim"
ROWS = json.loads((FOLDER / "motions.json").read_text())["rows"]
CONTENT = (FOLDER / "motions.osim").read_text()


def test_driven_coordinates_free_ones_and_drives_agree_with_opensim() -> None:
    model = my.load_model(FOLDER / "motions.osim")
    run = my.simulate(model, 1.0, every=0.05, scheme=my.DOP853(relative=1e-11, absolute=1e-12))
    for row in ROWS:
        place = int(np.argmin(np.abs(run.time - row["time"])))
        for name, value in row["q"].items():
            # OpenSim was run with an accuracy of 1e-11, its drives without that: they come from the accelerations.
            assert run.values(name)[place] == pytest.approx(value, abs=1e-9)
            assert run.values(f"{name}.speed")[place] == pytest.approx(row["v"][name], abs=1e-8)
            assert run.values(f"{name}.acceleration")[place] == pytest.approx(row["vdot"][name], abs=1e-7)
            if name != "angle":
                assert run.values(f"{name}_motion.torque")[place] == pytest.approx(row["force"][name], abs=1e-7)
    assert max(run.report.drift.values()) < 1e-12


def test_motions_go_into_files_and_come_back(tmp_path: Path) -> None:
    model = my.load_model(FOLDER / "motions.osim")
    assert model.audit is not None
    assert model.audit.remarks == ()
    my.save_model(model, tmp_path / "again.osim")
    again = my.load_model(tmp_path / "again.osim")
    assert list(again.constraints) == list(model.constraints)
    for name in ("wheel_motion", "elbow_motion"):
        assert again.constraints[name] == model.constraints[name]
    before, after = (part.constraints["pivot_motion"].function for part in (model, again))
    assert after.period == before.period
    assert after.mean == before.mean
    assert (*after.sines, *after.cosines) == pytest.approx((*before.sines, *before.cosines), rel=1e-14)


def test_what_opensim_has_no_word_for_is_refused(tmp_path: Path) -> None:
    model = my.load_model(FOLDER / "motions.osim").with_parts(
        constraints={"stay": my.MotionConstraint(coordinate="angle", function=my.Constant(value=0.1))}
    )
    with pytest.raises(my.FileError, match="'angle' is prescribed twice, or to a constant"):
        my.save_model(model, tmp_path / "no.osim")


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (
            "<PiecewiseLinearFunction><x>0 1 2</x><y>0 1 0</y></PiecewiseLinearFunction>",
            "its speed jumps, which takes an infinite force",
        ),
        (
            "<PiecewiseConstantFunction><x>0 1</x><y>0 1</y></PiecewiseConstantFunction>",
            "functions of this kind are not supported",
        ),
    ],
)
def test_motions_that_no_force_can_make_are_left_free(function: str, why: str) -> None:
    start, end = CONTENT.index("<SimmSpline>"), CONTENT.index("</SimmSpline>") + len("</SimmSpline>")
    model = read_osim((CONTENT[:start] + function + CONTENT[end:]).encode(), "jumps.osim")
    assert "elbow" in model.moving
    assert list(model.constraints) == ["pivot_motion", "wheel_motion"]
    assert model.audit is not None
    assert [remark.message for remark in model.audit.about("skipped")] == [
        f"coordinate 'elbow' follows this function of time in OpenSim and is free here: {why}"
    ]


def test_a_lock_is_stronger_and_names_give_way() -> None:
    locked = CONTENT.replace("<prescribed>true</prescribed>", "<prescribed>true</prescribed><locked>true</locked>", 1)
    named = locked.replace('"disc"', '"elbow_motion"').replace("/disc<", "/elbow_motion<")
    model = read_osim(named.encode(), "named.osim")
    assert model.coordinates["pivot"].locked
    assert list(model.constraints) == ["wheel_motion", "elbow_motion_"]
