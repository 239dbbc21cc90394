"""Controls and forces over time, and inertial sensors, of OpenSim files against OpenSim 4.6.

``tests/fixtures/opensim/forces/generate_prescribed.py`` made the numbers.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import casadi as ca
import numpy as np
import pytest

import myodyne as my
from myodyne.files.osim import read_osim
from myodyne.simulate.motions import prescribed_signals

FOLDER = Path(__file__).parents[2] / "fixtures" / "opensim" / "forces"
DATA = json.loads((FOLDER / "prescribed.json").read_text(encoding="utf-8"))
TEXT = (FOLDER / "prescribed.osim").read_text(encoding="utf-8")


@cache
def model() -> my.Model:
    return my.load_model(FOLDER / "prescribed.osim")


@cache
def equations() -> my.Equations:
    return my.equations_of(model(), compiled=False)


@pytest.mark.parametrize("state", DATA["states"], ids=lambda state: str(state["time"]))
def test_accelerations_are_those_of_opensim(state: dict[str, list[float]]) -> None:
    signals = prescribed_signals(model(), 1.0)
    controls = [signals[name](state["time"]) if name in signals else 0.0 for name in equations().controls]
    rates = equations().derivative(np.array([*state["q"], *state["v"]]), np.array(controls))
    np.testing.assert_allclose(rates[4:], state["acceleration"], rtol=DATA["tolerance"], atol=1e-9)


@pytest.mark.parametrize("state", DATA["states"][:3], ids=lambda state: str(state["time"]))
def test_sensors_read_what_those_of_opensim_read(state: dict[str, dict[str, dict[str, list[float]]]]) -> None:
    a = equations().assembly()
    for name, sensor in my.inertial_sensors(model()).items():
        place, _, signal = name.partition(".")
        kind, letter = signal[:-2], "xyz".index(signal[-1])
        reading = ca.Function("reading", [a.q, a.v, a.vdot], [sensor.expression(SimpleNamespace(assembly=a))])
        found = float(reading(state["q"], state["v"], state["acceleration"]))
        assert found == pytest.approx(state["sensors"][place][kind][letter], rel=1e-9, abs=1e-9)


def test_what_is_not_followed_is_named() -> None:
    audit = model().audit
    assert audit is not None
    assert [(remark.name, remark.message[:12]) for remark in audit.about("skipped")] == [
        ("asleep", "switched off"),
        ("reflex", "controllers "),
    ]


def test_a_simulation_follows_the_model_unless_it_is_given_other_controls() -> None:
    run = my.simulate(equations(), 0.2, every=0.01)
    signal = prescribed_signals(model(), 1.0)["hip_motor"]
    np.testing.assert_allclose(run.values("hip_motor.control"), signal(run.time), atol=1e-12)
    assert any("the model prescribes 'push_force_x'" in note for note in run.report.notes)
    other = my.simulate(equations(), 0.2, every=0.01, controls={"hip_motor": 0.0})
    assert not other.values("hip_motor.control").any()
    assert run.report.energy_error < 1e-6


def test_controls_and_sensors_are_written(tmp_path: Path) -> None:
    # A point that moves makes products of functions, for which OpenSim's controllers have none.
    plain = model().without(*[name for name in model().forces if "_shift_" in name])
    my.save_model(plain, tmp_path / "again.osim")
    again = my.load_model(tmp_path / "again.osim")
    assert dict(again.sensors) == dict(plain.sensors)
    times = np.linspace(0.0, 0.9, 37)
    first, second = (prescribed_signals(one, 1.0) for one in (plain, again))
    assert first.keys() == second.keys()
    for name, signal in first.items():
        np.testing.assert_allclose(signal(times), second[name](times), atol=1e-12)
    with pytest.raises(my.FileError, match="a product of functions"):
        my.save_model(model(), tmp_path / "moving.osim")
    my.save_model(model(), tmp_path / "moving.yaml")
    assert my.load_model(tmp_path / "moving.yaml") == model()


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('<FunctionSet name="ControlFunctions">', "<controls_file>a.sto</controls_file><FunctionSet>", "'a.sto'"),
        ("/forceset/hip_motor ", "/forceset/wing ", "drives 'wing', which is not a muscle or actuator"),
        ("/forceset/hip_motor ", "", "2 functions for 1 actuators"),
        ("<pointIsGlobal>true", "<pointIsGlobal>false", "a point that moves in other axes"),
    ],
)
def test_controls_that_cannot_be_followed_are_named(old: str, new: str, why: str) -> None:
    audit = read_osim(TEXT.replace(old, new).encode(), "odd.osim").audit
    assert audit is not None
    assert why in "\n".join(remark.message for remark in audit.remarks)


@pytest.mark.parametrize("listed", ["hip_motor knee_angle", "ALL"])
def test_lists_of_older_files_are_in_order(listed: str) -> None:
    """As OpenSim 4.6 takes them: by their order, whatever the functions are called; all are those of the file."""
    text = TEXT.replace('Version="40600"', 'Version="40000"').replace(
        "<Sine><amplitude>0.7", '<Sine name="hip_twist"><amplitude>0.7'
    )
    text = text.replace(
        "socket_actuators>/forceset/hip_motor /forceset/knee_angle</socket_actuators",
        f"actuator_list>{listed}</actuator_list",
    )
    prescribed = read_osim(text.encode(), "old.osim").prescribed
    first, second = ("hip_motor", "knee_angle_actuator")[:: -1 if listed == "ALL" else 1]
    assert prescribed[first].kind == "steps"
    assert prescribed[second].kind == "fourier"
    assert "hip_twist" not in prescribed


def test_prescriptions_are_checked_by_name() -> None:
    with pytest.raises(my.ModelError, match="did you mean 'hip_motor'"):
        model().with_parts(prescribed={"hip_motr": my.Constant(value=1.0)})
    with pytest.raises(my.ModelError, match="a function of 'time', not of 'hip_x'"):
        model().with_parts(prescribed={"hip_motor": my.Linear(coordinate="hip_x")})
    with pytest.raises(my.ModelError, match=r"sensors\.odd\.body"):
        model().with_parts(sensors={"odd": my.Placement(body="foot")})
    assert "hip_motor" not in model().without("hip_motor").prescribed
    assert model().without("thigh_imu").structure_hash == model().structure_hash
