"""Forces by formulas and body actuators of OpenSim files against OpenSim 4.6; metabolic probes as settings."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import myodyne as my
from myodyne.files.osim import read_osim
from myodyne.model.formulas import parsed

FOLDER = Path(__file__).parents[2] / "fixtures" / "opensim" / "forces"


def test_accelerations_are_those_of_opensim() -> None:
    model = my.load_model(FOLDER / "formulas.osim")
    assert model.audit is not None
    assert all(count.skipped == 0 for count in model.audit.counts.values())
    assert {force.kind for force in model.forces.values()} >= {"coordinate_formula", "line_formula", "bushing_formula"}
    eq = my.equations_of(model, compiled=False)
    assert eq.controls == tuple(f"wind_{kind}_{axis}" for kind in ("torque", "force") for axis in "xyz")
    for state in json.loads((FOLDER / "formulas.json").read_text())["states"]:
        x = np.array([*state["q"], *state["v"]])
        rates = eq.derivative(x, np.array(state["wind"]))
        assert rates[7] == pytest.approx(state["knee"], rel=1e-9)
        # While the hip stands still, the angular acceleration of the thigh follows from the rates of its angles alone.
        step = 1e-6
        ahead, behind = (eq.body_poses(x[:4] + s * 0.5 * step**2 * rates[4:] * 1e6)[0][0] for s in (1.0, -1.0))
        turn = eq.body_poses(x[:4])[0][0]
        spin = (ahead - behind) @ turn.T / (step**2 * 1e6)
        found = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        np.testing.assert_allclose(found, state["angular"]["thigh"], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q*", "is expected, not 'the end'"),
        ("q; 2", "cannot be read at"),
        ("__import__(q)", "neither a variable"),
        ("max(q)", "',' is expected"),
        ("(" * 100 + "q" + ")" * 100, "nested too deeply"),
        ("1+" * 1500 + "q", "at most 2000 characters"),
        ("q q", "is not expected"),
    ],
)
def test_what_is_no_arithmetic_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        parsed(text, ("q",))
    with pytest.raises(my.ModelError, match="formula"):
        my.CoordinateFormula(coordinate="knee", formula=text)


PROBE = """<ProbeSet><objects><Umberger2010MuscleMetabolicsProbe name="cost">
<Umberger2010MuscleMetabolicsProbe_MetabolicMuscleParameterSet><objects>
<Umberger2010MuscleMetabolicsProbe_MetabolicMuscleParameter name="{name}">
<specific_tension>600000</specific_tension><density>1060</density>
<ratio_slow_twitch_fibers>0.7</ratio_slow_twitch_fibers>
</Umberger2010MuscleMetabolicsProbe_MetabolicMuscleParameter>
</objects></Umberger2010MuscleMetabolicsProbe_MetabolicMuscleParameterSet>
</Umberger2010MuscleMetabolicsProbe></objects></ProbeSet></Model>"""


def test_probes_are_settings_of_the_metabolic_power() -> None:
    text = (FOLDER.parent / "muscles.osim").read_text()
    plain = read_osim(text.encode(), "plain.osim")
    name = next(iter(plain.muscles))
    probed = read_osim(text.replace("</Model>", PROBE.format(name=name)).encode(), "probed.osim")
    assert probed.muscles[name].slow_fibres == 0.7
    assert probed.muscles[name].specific_tension == pytest.approx(6e5 * 1059.7 / 1060)
    assert probed.audit is not None
    (remark,) = [remark for remark in probed.audit.remarks if remark.name == "cost"]
    assert remark.fate == "approximated"
    assert "basal rate" in remark.message


def test_settings_of_the_metabolic_power_are_written_as_a_probe(tmp_path: Path) -> None:
    model = my.load_model(FOLDER.parent / "muscles.osim")
    name = next(iter(model.muscles))
    changed = model.with_values({f"{name}.slow_fibres": 0.3, f"{name}.specific_tension": 3.1e5})
    my.save_model(changed, tmp_path / "again.osim")
    assert my.load_model(tmp_path / "again.osim").muscles[name] == changed.muscles[name]
