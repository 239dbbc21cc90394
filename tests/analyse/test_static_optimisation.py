"""Sharing of moments: balance, optimality, reserves, and what the report says."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import myodyne as my

module = importlib.import_module("myodyne.analyse.muscles.static_optimisation")
TIME = np.arange(30) / 30.0


def rod(**forces: object) -> my.Model:
    """A heavy rod on a pin, with two muscles of constant moment arm that raise it and one that lowers it."""

    def muscle(arm: float, force: float) -> my.Muscle:
        # Long fibres, so that length and speed hardly change what they can pull.
        return my.Muscle(
            max_force=force,
            optimal_fibre_length=10.0,
            tendon_slack_length=1.0,
            path=my.FunctionPath(length=my.Linear(coordinate="angle", slope=-arm, offset=11.0)),
        )

    muscles = {"strong": muscle(0.04, 1000.0), "weak": muscle(0.02, 500.0), "other": muscle(-0.03, 800.0)}
    model = my.load_model("pendulum").with_parts(muscles=muscles)
    return model.with_parts(forces=forces) if forces else model


def swing(size: float = 0.5) -> my.Trajectory:
    return my.Trajectory(TIME, {"angle": size * np.sin(3.0 * TIME) + 0.6})


def test_muscles_balance_the_motion() -> None:
    model = rod()
    found = my.static_optimisation(model, swing())
    arms = {"strong": 0.04, "weak": 0.02, "other": -0.03}
    pulled = sum(arm * found.values(f"{name}.force") for name, arm in arms.items())
    needed = my.inverse_dynamics(model, swing()).values("angle.moment")
    assert found.values("angle.moment") == pytest.approx(needed, abs=1e-9)
    assert pulled == pytest.approx(needed, abs=1e-6)
    assert found.report.status == "completed"
    assert found.units["strong.force"] == "N"


@pytest.mark.parametrize("exponent", [2.0, 3.0])
def test_shares_have_equal_prices(exponent: float) -> None:
    """What one more newton metre costs is the same by either muscle, where both are between their bounds."""
    found = my.static_optimisation(rod(), swing(0.2), settings=my.Sharing(exponent=exponent))
    prices = []
    for name, arm in (("strong", 0.04), ("weak", 0.02)):
        a = found.values(f"{name}.activation")
        assert (a > 0.011).all()
        assert (a < 0.99).all()
        prices.append(exponent * a ** (exponent - 1.0) / (arm * found.values(f"{name}.force") / a))
    assert prices[0] == pytest.approx(prices[1], rel=1e-5)
    assert found.values("other.activation") == pytest.approx(np.full(30, 0.01), abs=1e-6)
    assert found.values("objective") == pytest.approx(
        sum(found.values(f"{name}.activation") ** exponent for name in ("strong", "weak", "other"))
    )


def test_moments_that_muscles_cannot_meet_are_reported_and_reserves_carry_them() -> None:
    model = rod().with_values({"strong.max_force": 20.0, "weak.max_force": 10.0})
    alone = my.static_optimisation(model, swing())
    assert np.abs(alone.values("angle.unmet")).max() > 0.5
    assert any("moments that cannot be met: 'angle (by" in note for note in alone.report.notes)
    assert any("fully active" in note and "strong (" in note for note in alone.report.notes)
    helped = my.static_optimisation(model, swing(), reserves=2.0)
    assert np.abs(helped.values("angle.unmet")).max() < 1e-6
    assert any("carried by actuators or reserves" in note and "angle (" in note for note in helped.report.notes)
    assert helped.units["angle.reserve"] == "N m"
    weak = my.static_optimisation(model, swing(), reserves={"angle": 0.5})
    assert weak.values("objective").mean() > helped.values("objective").mean()


def test_motors_and_passive_forces_of_the_model_take_part() -> None:
    motor = my.CoordinateActuator(coordinate="angle", gain=10.0, control_range=(-0.05, 0.05))
    spring = my.TorsionSpring(coordinate="angle", stiffness=2.0)
    found = my.static_optimisation(rod(motor=motor, spring=spring), swing())
    plain = my.static_optimisation(rod(), swing())
    assert found.values("angle.moment") - plain.values("angle.moment") == pytest.approx(
        2.0 * swing().values("angle"), abs=1e-9
    )
    assert np.abs(found.values("motor.control")).max() <= 0.05
    assert found.values("motor.force") == pytest.approx(10.0 * found.values("motor.control"))
    assert np.abs(found.values("angle.unmet")).max() < 1e-6


def test_external_forces_are_taken_off() -> None:
    columns = {f"push_{axis}": np.full(30, size) for axis, size in zip("xyz", (3.0, 0.0, 0.0), strict=True)}
    record = my.Trajectory(TIME, columns)
    push = my.ExternalForces([my.ExternalForce("push", "rod", record, force=("push_x", "push_y", "push_z"))])
    found = my.static_optimisation(rod(), swing(), push)
    needed = my.inverse_dynamics(rod(), swing(), push).values("angle.moment")
    assert found.values("angle.moment") == pytest.approx(needed, abs=1e-9)


def test_constraints_carry_what_they_carry() -> None:
    """A four-bar linkage has one way to move: one reserve balances it, whatever the others do."""
    model = my.load_model("four_bar")
    run = my.simulate(model, duration=0.3)
    motion = my.Trajectory(run.time, {name: run.values(name) for name in model.moving})
    crank = model.moving[0]
    found = my.static_optimisation(model, motion, reserves={crank: 10.0})
    middle = slice(len(found) // 4, -len(found) // 4)
    left = max(float(np.abs(found.values(f"{name}.unmet")[middle]).max()) for name in model.moving)
    assert left < 1e-5
    # It moves on its own: no motor is needed.
    assert (
        np.abs(found.values(f"{crank}.reserve")[middle]).max()
        < 2e-2 * np.abs(found.values(f"{crank}.moment")).max() + 1e-3
    )


def test_settings_change_what_muscles_can_do() -> None:
    short = {
        "path": my.FunctionPath(length=my.Linear(coordinate="angle", slope=-0.04, offset=0.35)),
        "optimal_fibre_length": 0.1,
        "tendon_slack_length": 0.2,
    }
    model = rod()
    model = model.with_parts(muscles={"strong": model.muscles["strong"].model_copy(update=short)})
    plain = my.static_optimisation(model, swing(), settings=my.Sharing(force_curves=False))
    assert plain.values("strong.force") == pytest.approx(1000.0 * plain.values("strong.activation"))
    curved = my.static_optimisation(model, swing())
    passive = my.static_optimisation(model, swing(), settings=my.Sharing(passive_fibres=True))
    strength = curved.values("strong.force") / curved.values("strong.activation")
    assert not np.allclose(strength, 1000.0, rtol=0.01)
    extra = passive.values("strong.force") - strength * passive.values("strong.activation")
    assert extra.min() > 0.0
    assert np.abs(passive.values("angle.unmet")).max() < 1e-6
    with pytest.raises(my.ModelError, match="exponent"):
        my.Sharing(exponent=0.5)
    with pytest.raises(my.ModelError, match="least_activation"):
        my.Sharing(least_activation=2.0)


def test_ctrl_c_keeps_the_rows_that_are_done(monkeypatch) -> None:
    monkeypatch.setattr(module, "_BLOCK", 10)
    solved, calls = module._Problem.solved, []

    def interrupted(self, rows):
        calls.append(rows)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return solved(self, rows)

    monkeypatch.setattr(module._Problem, "solved", interrupted)
    found = my.static_optimisation(rod(), swing())
    assert found.report.status == "interrupted"
    assert len(found) == 20


def test_mistakes_are_reported() -> None:
    with pytest.raises(my.ModelError, match="no muscles or actuators"):
        my.static_optimisation(my.load_model("pendulum"), swing())
    with pytest.raises(my.ModelError, match=r"reserves: .*angle"):
        my.static_optimisation(rod(), swing(), reserves={"angel": 1.0})
    with pytest.raises(my.ModelError, match="above 0"):
        my.static_optimisation(rod(), swing(), reserves=-1.0)


def test_a_force_set_gives_actuators(tmp_path) -> None:
    file = tmp_path / "reserves.xml"
    text = """<OpenSimDocument Version="30000"><ForceSet name="r"><objects>
    <CoordinateActuator name="angle"><coordinate>angle</coordinate><optimal_force>5</optimal_force><min_control>-Inf</min_control>
    <max_control>Inf</max_control></CoordinateActuator>
    <PointActuator name="FX"><body>rod</body><point>0 -0.5 0</point><direction>1 0 0</direction><force_is_global>true</force_is_global>
    <optimal_force>2</optimal_force></PointActuator>
    <TorqueActuator name="MZ"><bodyA>rod</bodyA><bodyB>ground</bodyB><axis>0 0 1</axis></TorqueActuator></objects></ForceSet></OpenSimDocument>"""
    file.write_text(text)
    found = my.load_forces(file, rod())
    assert list(found) == ["angle_reserve", "FX", "MZ"]
    model = my.load_model("pendulum").with_parts(forces=found)
    shared = my.static_optimisation(model, swing())
    assert np.abs(shared.values("angle.unmet")).max() < 1e-6
    # Shares are as the moments per control: 5, 2 × 0.5 × cos(angle), and 1.
    ratio = shared.values("FX.control") / shared.values("angle_reserve.control")
    assert ratio == pytest.approx(0.5 * 2.0 * np.cos(swing().values("angle")) / 5.0, rel=1e-6)
    for wrong, told in (
        (text.replace(">angle<", ">angel<"), "angle"),
        (text.replace("<body>rod", "<body>rot"), "rod"),
        (text.replace("PointActuator", "ClutchedPathSpring"), "ClutchedPathSpring"),
        (text.replace("0 0 1</axis>", "0 0 0</axis>"), "line 6, <TorqueActuator 'MZ'>: .*zero vector"),
        ("<OpenSimDocument Version='40000'/>", "ForceSet"),
    ):
        file.write_text(wrong)
        with pytest.raises(my.FileError, match=told):
            my.load_forces(file, rod())
