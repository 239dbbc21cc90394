"""Ligaments by strain, bushings by curves, tensions by formulas and pairs of spheres against OpenSim 4.6.

``tests/fixtures/opensim/forces/generate_curves.py`` made the numbers.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import myodyne as my
from myodyne.files.osim import read_osim

FOLDER = Path(__file__).parents[2] / "fixtures" / "opensim" / "forces"
DATA = json.loads((FOLDER / "curves.json").read_text(encoding="utf-8"))
FORCES = tuple(name for name in DATA["states"][0]["acceleration"] if name != "all")


@cache
def model() -> my.Model:
    return my.load_model(FOLDER / "curves.osim")


def test_everything_is_read() -> None:
    audit = model().audit
    assert audit is not None
    assert not audit.remarks
    assert {force.kind for force in model().forces.values()} == {
        "blankevoort_ligament",
        "path_formula",
        "curve_bushing",
        "sphere_pair_contact",
    }
    # A force between three spheres on three bodies is three contacts.
    assert sum(name.startswith("knees_") for name in model().forces) == 3


@pytest.mark.parametrize("alone", ["all", *FORCES])
def test_accelerations_are_those_of_opensim(alone: str) -> None:
    others = [name for name in model().forces if alone != "all" and not name.startswith(alone)]
    equations = my.equations_of(model().without(*others), compiled=False)
    for state in DATA["states"]:
        rates = equations.derivative(np.array([*state["q"], *state["v"]]))
        np.testing.assert_allclose(rates[4:], state["acceleration"][alone], rtol=DATA["tolerance"], atol=1e-9)


def test_exported_forces_come_back(tmp_path: Path) -> None:
    my.save_model(model(), tmp_path / "again.osim")
    again = my.load_model(tmp_path / "again.osim")
    assert list(again.forces) == list(model().forces)
    first, second = (my.equations_of(one, compiled=False) for one in (model(), again))
    for state in DATA["states"]:
        x = np.array([*state["q"], *state["v"]])
        np.testing.assert_allclose(first.derivative(x), second.derivative(x), rtol=1e-12, atol=1e-12)


def test_energy_is_kept_without_damping() -> None:
    calm = model().without(*[name for name in model().forces if name not in ("taut", "toe", "sleeve")])
    calm = calm.with_values({"taut.damping": 0.0, "toe.damping": 0.0, "sleeve.rotational_damping": (0.0, 0.0, 0.0)})
    run = my.simulate(my.equations_of(calm, compiled=False), 0.1, start={"hip_x": 0.3, "knee_angle": -0.6})
    energy = run.values("energy.kinetic") + run.values("energy.potential")
    assert np.ptp(run.values("energy.kinetic")) > 0.1
    np.testing.assert_allclose(energy, energy[0], atol=1e-6)


@pytest.mark.parametrize(
    ("tag", "why"),
    [
        ("ElasticFoundationForce", "contact of meshes is not supported"),
        ("ClutchedPathSpring", "a state of its own"),
        ("McKibbenActuator", "pneumatic"),
        ("ExponentialContactForce", "anchors of friction"),
        ("MeyerFregly2016Force", "contact of this kind"),
    ],
)
def test_what_stays_out_is_named(tag: str, why: str) -> None:
    text = (FOLDER / "curves.osim").read_text().replace("<ForceSet><objects>", f'<ForceSet><objects><{tag} name="no"/>')
    audit = read_osim(text.encode(), "more.osim").audit
    assert audit is not None
    (remark,) = audit.about("skipped")
    assert (remark.element, remark.name) == (tag, "no")
    assert why in remark.message
