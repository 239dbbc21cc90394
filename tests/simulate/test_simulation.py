"""simulate itself: where it starts, what it records, how it ends, and what its audit finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import myodyne as my
from myodyne.simulate import simulation


def mass_on_spring(stiffness: float, damping: float = 0.0) -> my.Model:
    return my.Model(
        name="mass on spring",
        gravity=(0.0, 0.0, 0.0),
        bodies={"mass": my.Body(mass=1.0)},
        joints={"rail": my.slider("ground", "mass", "x")},
        forces={"spring": my.TorsionSpring(coordinate="x", stiffness=stiffness, damping=damping)},
    )


# ---- starting -----------------------------------------------------------------------------------------------


def test_a_run_starts_from_the_defaults_with_changes_by_name() -> None:
    model = my.load_model("double_pendulum")
    run = my.simulate(model, 0.1, start={"angle2.speed": -2.0})
    assert {name: run.values(name)[0] for name in ("angle1", "angle2", "angle1.speed", "angle2.speed")} == {
        "angle1": 1.0,
        "angle2": 0.5,
        "angle1.speed": 0.0,
        "angle2.speed": -2.0,
    }
    assert run.time[0] == 0.0


@pytest.mark.parametrize(
    "start, message",
    [
        ({"angel1": 0.1}, "unknown state 'angel1': did you mean 'angle1'"),
        ({"angle1": float("nan")}, "state 'angle1' cannot be nan"),
        ({"angle1.speed": float("inf")}, r"state 'angle1\.speed' cannot be inf"),
    ],
)
def test_an_impossible_start_is_refused_by_name(start: Any, message: str) -> None:
    with pytest.raises(my.ModelError, match=message):
        my.simulate(my.load_model("double_pendulum"), 0.1, start=start)


@pytest.mark.parametrize("scheme", [my.DOP853(), my.RK4(step=0.01), my.TRBDF2(step=0.01)], ids=repr)
def test_a_run_goes_on_where_another_ended(scheme: Any) -> None:
    model = my.load_model("double_pendulum")
    whole = my.simulate(model, 1.0, scheme=scheme)
    first = my.simulate(model, 0.4, scheme=scheme)
    second = my.simulate(model, 0.6, scheme=scheme, start=first)
    assert second.time[0] == 0.4
    for name in ("angle1", "angle2.speed", "energy.kinetic", "hinge.reaction_force_x"):
        assert second.values(name)[0] == pytest.approx(first.values(name)[-1], abs=1e-12)
        assert second.values(name)[-1] == pytest.approx(whole.values(name)[-1], abs=1e-7)


def test_a_run_cannot_start_from_one_of_another_model() -> None:
    swing = my.simulate(my.load_model("pendulum"), 0.1)
    with pytest.raises(my.ModelError, match="the result to start from has no 'angle1'"):
        my.simulate(my.load_model("double_pendulum"), 0.1, start=swing)


# ---- recording ----------------------------------------------------------------------------------------------


def test_samples_stand_where_they_are_asked_for() -> None:
    model = my.load_model("pendulum")
    np.testing.assert_allclose(my.simulate(model, 1.0, every=0.25).time, [0.0, 0.25, 0.5, 0.75, 1.0], atol=1e-15)
    # The end is always recorded, also when it is no multiple.
    np.testing.assert_allclose(my.simulate(model, 1.0, every=0.3).time, [0.0, 0.3, 0.6, 0.9, 1.0], atol=1e-15)
    np.testing.assert_allclose(my.simulate(model, 1.0, every=5.0).time, [0.0, 1.0])
    assert len(my.simulate(model, 1.0).time) == 101
    assert len(my.simulate(model, 0.01).time) == 101
    assert len(my.simulate(model, 0.5, scheme=my.RK4(step=0.005)).time) == 101


def test_samples_do_not_change_the_motion() -> None:
    model = my.load_model("double_pendulum")
    ends = [my.simulate(model, 1.0, every=every).final["angle2"] for every in (0.001, 0.1, 1.0)]
    assert ends == pytest.approx([ends[0]] * 3, abs=1e-8)
    fixed = [
        my.simulate(model, 1.0, scheme=my.RK4(step=0.01), every=every).final["angle2"] for every in (0.01, 0.1, 1.0)
    ]
    assert fixed == pytest.approx([fixed[0]] * 3, abs=1e-12)


@pytest.mark.parametrize("duration", [0, -1.0, float("nan"), float("inf"), "1 s", None, True])
def test_an_impossible_duration_is_refused(duration: Any) -> None:
    with pytest.raises(my.ModelError, match="duration must be a positive number of seconds"):
        my.simulate(my.load_model("pendulum"), duration)


@pytest.mark.parametrize("every", [0, -0.1, float("nan"), float("inf"), "often", True])
def test_an_impossible_interval_is_refused(every: Any) -> None:
    with pytest.raises(my.ModelError, match="'every' must be a positive number of seconds"):
        my.simulate(my.load_model("pendulum"), 1.0, every=every)


@pytest.mark.parametrize("duration", [1, np.float64(1.0), np.int64(1)])
def test_numbers_of_any_kind_are_durations(duration: Any) -> None:
    assert my.simulate(my.load_model("pendulum"), duration).time[-1] == 1.0


def test_columns_carry_their_units() -> None:
    run = my.simulate(my.load_model("jumper_skeleton"), 0.02)
    expected = {"energy.kinetic": "J", "com.position_x": "m", "com.velocity_y": "m/s", "momentum.angular_z": "kg m^2/s"}
    for name, unit in expected.items():
        assert run.units[name] == unit
    eq = my.equations_of(my.load_model("jumper_skeleton"))
    assert {*eq.states, *eq.outputs} <= set(run.names)
    assert {run.units[name] for name in eq.coordinates} <= {"rad", "m"}


def test_the_result_knows_where_it_came_from() -> None:
    model = my.load_model("pendulum")
    run = my.simulate(model, 0.1, scheme=my.Heun(step=0.01))
    assert run.provenance.model_name == "pendulum"
    assert run.provenance.model_hash == model.hash
    assert run.provenance.scheme == "Heun(step=0.01)"
    assert run.model_data is not None
    assert run.model_data["name"] == "pendulum"


# ---- what goes wrong ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "interpreted"])
def test_a_run_that_blows_up_says_when_and_where_and_keeps_the_rest(compiled: bool) -> None:
    """Euler's steps are a hundred times too long for the spring."""
    eq = my.equations_of(mass_on_spring(stiffness=1e6), compiled=compiled)
    with pytest.raises(my.SimulationError) as caught:
        my.simulate(eq, 100.0, start={"x": 1.0}, scheme=my.Euler(step=0.1))
    error = caught.value
    result = error.result
    assert "the simulation of 'mass on spring' stopped at" in str(error)
    assert "in 'x.speed'" in str(error) or "in 'x'" in str(error)
    assert f"{result.time[-1]:.6g} s" in str(error)
    assert "smaller step" in str(error)
    assert result.report.status == "failed"
    assert result.report.message == str(error)
    assert 0.0 < result.time[-1] < 100.0
    assert len(result) > 10
    for name in eq.states:
        assert np.isfinite(result.values(name)).all()
    # Each step multiplies the amplitude by √(1 + ω²Δt²): the double overflows after about 308/2 steps.
    assert result.report.steps == pytest.approx(308 / np.log10(np.hypot(1.0, 100.0)), abs=4)


def test_a_singular_pose_is_distinguished_from_a_stiff_motion() -> None:
    """A free mass that is zero leaves no acceleration: named at the first instant."""
    empty = my.Model(
        name="nothing",
        bodies={"shell": my.Body(mass=0.0)},
        joints={"rail": my.slider("ground", "shell", "x")},
        forces={"pull": my.CoordinateActuator(coordinate="x")},
    ).free("shell.mass")
    with pytest.raises(my.SimulationError, match=r"'nothing' stopped at 0 s.*'x\.speed'") as caught:
        my.simulate(empty, 1.0, controls={"pull": 1.0})
    assert len(caught.value.result) == 1


def test_too_many_steps_are_refused() -> None:
    stiff = mass_on_spring(stiffness=1e10, damping=1e6)
    with pytest.raises(my.SimulationError, match=r"too many steps were needed.*implicit scheme"):
        my.simulate(stiff, 1.0, start={"x": 1.0}, scheme=my.RKF45(most_steps=200), every=1.0)


@pytest.mark.parametrize("scheme", [my.BDF(), my.TRBDF2(relative=1e-6, absolute=1e-6)], ids=repr)
def test_stiff_motion_is_followed_by_implicit_schemes(scheme: Any) -> None:
    """A mass on a strong damper creeps home: x = exp(-k t/c)."""
    run = my.simulate(mass_on_spring(stiffness=1e6, damping=1e6), 1.0, start={"x": 1.0, "x.speed": -1.0}, scheme=scheme)
    np.testing.assert_allclose(run.values("x"), np.exp(-run.time), atol=1e-4)
    assert run.report.steps < 20_000


class Interrupted:
    """A march that is interrupted at its third advance."""

    def __init__(self, march: Any) -> None:
        self.march, self.calls = march, 0

    def advance(self, *arguments: Any) -> Any:
        self.calls += 1
        if self.calls == 3:
            raise KeyboardInterrupt
        return self.march.advance(*arguments)

    def reset(self) -> None:
        self.march.reset()

    def saved(self) -> Any:
        return self.march.saved()


def test_an_interrupted_run_keeps_what_it_had(monkeypatch: pytest.MonkeyPatch) -> None:
    made = simulation.march_of
    monkeypatch.setattr(simulation, "march_of", lambda *arguments: Interrupted(made(*arguments)))
    model = my.load_model("pendulum")
    run = my.simulate(model, 10.0)
    assert run.report.status == "interrupted"
    assert not run.report.succeeded
    assert run.report.message == f"interrupted at {run.time[-1]:.6g} s, before the end at 10 s"
    assert 0.0 < run.time[-1] < 10.0
    monkeypatch.undo()
    whole = my.simulate(model, 10.0)
    np.testing.assert_array_equal(run.values("angle"), whole.values("angle")[: len(run)])
    assert run.report.steps > 0


# ---- the audit ----------------------------------------------------------------------------------------------


def test_the_audit_finds_a_wrong_simulation() -> None:
    model = my.load_model("double_pendulum")
    right, wrong = my.simulate(model, 2.0), my.simulate(model, 2.0, scheme=my.Euler(step=0.01))
    assert right.report.energy_error is not None and wrong.report.energy_error is not None
    assert right.report.energy_error < 1e-7
    assert wrong.report.energy_error > 0.05


def test_the_audit_falls_with_the_error_of_the_scheme() -> None:
    model = my.load_model("double_pendulum")
    errors = [
        my.simulate(model, 1.0, scheme=my.Heun(step=step)).report.energy_error or 0.0 for step in (0.01, 0.005, 0.0025)
    ]
    assert errors[0] > errors[1] > errors[2] > 0


CONTROLS = {
    "constant": my.constant(3.0),
    "smooth": my.bezier([0.0, 8.0, -6.0, 2.0], 0.0, 2.0),
    "step at a sample": my.step(at=0.5, before=-4.0, after=5.0),
    "step between samples": my.step(at=0.51234, before=-4.0, after=5.0),
    "corners": my.piecewise_linear(np.linspace(0, 2, 41) + 0.0021, 5 * np.sin(np.arange(41.0))),
    "corner at every sample": my.piecewise_linear(np.linspace(0, 2, 201), 5 * np.sin(np.arange(201.0) / 5)),
}


@pytest.mark.parametrize("kind", CONTROLS)
def test_the_audit_is_small_for_damped_and_driven_motion(kind: str) -> None:
    """The work of motors, dampers and wind is accounted for, also where controls jump or bend between samples."""
    pendulum = my.load_model("double_pendulum")
    forces = {
        "motor": my.CoordinateActuator(coordinate="angle1"),
        "damper": my.TorsionSpring(coordinate="angle2", damping=0.5),
        "rope": my.PointSpring(
            start=my.Marker(body="ground", at=(1.0, 0.0, 0.0)), end=my.Marker(body="rod2"), stiffness=20.0, damping=1.0
        ),
        "wind": my.PointForce(body="rod2", force=(2.0, 0.0, 0.0)),
    }
    model = my.Model(
        name="driven",
        gravity=pendulum.gravity,
        bodies=dict(pendulum.bodies),
        joints=dict(pendulum.joints),
        forces=forces,
    )
    run = my.simulate(model, 2.0, controls={"motor": CONTROLS[kind]})
    work = np.ptp(run.values("energy.kinetic") + run.values("energy.potential"))
    assert work > 1.0, "nothing was put in or taken out, so nothing was tested"
    assert run.report.energy_error is not None
    assert run.report.energy_error < 1e-5


def test_a_body_at_rest_has_no_balance_to_draw_up() -> None:
    report = my.simulate(mass_on_spring(stiffness=1.0), 0.1).report
    assert report.energy_error is None or report.energy_error == 0.0


# ---- planar = spatial ---------------------------------------------------------------------------------------


def test_a_planar_model_moves_as_the_spatial_one_that_contains_it() -> None:
    """A flat double pendulum, and one on joints that could leave the plane but are not pushed out of it."""
    flat = my.load_model("double_pendulum")
    thick = {
        name: my.Body(
            mass=body.mass,
            centre_of_mass=body.centre_of_mass,
            inertia=my.Inertia(xx=body.inertia.zz, yy=0.01, zz=body.inertia.zz),
        )
        for name, body in flat.bodies.items()
    }
    spatial = my.Model(
        name="spatial",
        gravity=flat.gravity,
        bodies=thick,
        joints={
            "pivot": my.ball("ground", "rod1", ("a", "b", "angle1"), "xyz"),
            "hinge": my.ball({"body": "rod1", "at": (0.0, -1.0, 0.0)}, "rod2", ("angle2", "c", "d"), "zxy"),
        },
    )
    start = {"angle1": 1.0, "angle2": 0.5}
    ours, theirs = my.simulate(flat, 2.0, start=start), my.simulate(spatial, 2.0, start=start)
    for name in (
        "angle1",
        "angle2",
        "angle1.speed",
        "com.position_x",
        "com.velocity_y",
        "energy.kinetic",
        "pivot.reaction_force_y",
        "hinge.reaction_force_x",
        "momentum.angular_z",
    ):
        np.testing.assert_allclose(theirs.values(name), ours.values(name), rtol=1e-6, atol=1e-6, err_msg=name)
    for name in ("a", "b", "c", "d"):
        np.testing.assert_allclose(theirs.values(name), 0.0, atol=1e-9)


def test_long_runs_of_tiny_steps_hear_ctrl_c() -> None:
    """However seldom samples are kept, a march comes back to Python after some steps; what it kept is the same."""
    from myodyne.simulate.sampling import schedule_of

    schedule = schedule_of(0.0, 10.0, my.RK4(step=1e-5), every=4.0)
    stops = schedule.stops(0, 10**7)
    assert stops.times[stops.samples].tolist() == [4.0, 8.0, 10.0]
    assert np.diff(stops.times[stops.looks], prepend=0.0).max() < 1.001e-3
    assert schedule.stops(0, 8192).times.tolist() == stops.times[:8192].tolist()
    assert schedule_of(0.0, 10.0, my.DOP853(), every=4.0).stops(0, 9).times.tolist() == [4.0, 8.0, 10.0]
    model = my.load_model("pendulum")
    run = my.simulate(model, 0.5, start={"angle": 0.4}, scheme=my.RK4(step=1e-4), every=0.25)
    assert run.time.tolist() == [0.0, 0.25, 0.5]
    assert run.report.steps == 5000


def test_values_beyond_their_range_are_noted() -> None:
    """Degrees for radians, a motor at fifty times its strength: computed as asked, but never silently."""
    jumper = my.load_model("jumper_skeleton")
    assert my.simulate(jumper, 0.01, controls={"knee_motor": 1.0}).report.notes == ()
    note, *others = my.simulate(jumper, 0.01, controls={"knee_motor": my.step(at=0.005, after=50.0)}).report.notes
    assert all(" leaves its range " in other for other in others)
    assert note.startswith("control 'knee_motor' takes values from 0 to 50, beyond its range [-1, 1] first at ")
    assert note.endswith(" s; it was not clipped: keep the signal in the range")
    note, *others = my.simulate(jumper, 0.01, start={"knee": -90.0}).report.notes
    assert all(" turn" in other or " leaves its range " in other for other in others), others
    assert note.startswith("'knee' starts at -90, outside its range [-2.356, 0.087]; angles are in radians")
