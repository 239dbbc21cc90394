"""Reports name what cannot be meant; friction ratios and the centre of pressure are outputs."""

import numpy as np
import pytest

import myodyne as my

G = 9.81
SWING = my.Model(
    name="swing",
    gravity=(0.0, -G, 0.0),
    bodies={"rod": my.Body(mass=1.0, centre_of_mass=(0.0, -0.5, 0.0), inertia=1 / 12)},
    joints={"hinge": my.pin("ground", "rod", "angle", range=(-0.5, 1.0))},
)


def test_a_coordinate_that_leaves_its_range_is_named_with_its_worst_value_and_first_time() -> None:
    run = my.simulate(SWING, 1.5, start={"angle": 0.9})
    (note,) = run.report.notes
    worst, first = run.values("angle").min(), run.time[np.argmax(run.values("angle") < -0.515)]
    assert note.startswith(f"'angle' leaves its range [-0.5, 1] first at {first:.6g} s and reaches {worst:.4g} rad (-5")
    assert my.simulate(SWING, 1.5, start={"angle": 0.45}).report.notes == ()


def test_a_limit_that_gives_way_is_named() -> None:
    assert my.simulate(SWING, 1.5, start={"angle": 0.9}).report.notes[0].endswith("add one, or change the range")
    soft = my.JointLimit(coordinate="angle", lower=-0.5, upper=1.0, stiffness=2.0)
    limited = SWING.with_parts(forces={"stop": soft})
    (note,) = my.simulate(limited, 1.5, start={"angle": 0.9}).report.notes
    assert note.endswith("its limit 'stop' gives way; make that stiffer, or change the range")


def test_an_angle_in_degrees_is_asked_about() -> None:
    free = my.load_model("pendulum")
    (note,) = my.simulate(free, 0.01, start={"angle": 90.0}).report.notes
    assert note == "'angle' starts at 90 rad, more than a turn; angles are in radians (my.degrees converts)"
    spun = my.simulate(free, 0.1, start={"angle.speed": 100.0})
    assert spun.report.notes == my.simulate(free, 0.1, start=spun).report.notes == ()


def test_a_crude_simulation_says_so() -> None:
    run = my.simulate(my.load_model("double_pendulum"), 2.0, start={"angle1": 1.2}, scheme=my.Euler(step=0.01))
    assert run.report.energy_error > 0.05
    assert any("do not trust the motion" in note for note in run.report.notes)


def block(height: float, **contacts: my.ContactPoint) -> my.Model:
    return my.Model(
        name="block",
        gravity=(0.0, -G, 0.0),
        bodies={"block": my.Body(mass=2.0, inertia=0.1)},
        joints={"base": my.planar("ground", "block", ("x", "y", "turn"), y={"default": height})},
        forces=contacts,
    )


def corner(x: float) -> my.ContactPoint:
    return my.ContactPoint(body="block", at=(x, -0.1, 0.0), stiffness=1e4, dissipation=1.0, friction=0.5)


def test_a_contact_deep_in_the_ground_is_named() -> None:
    (note,) = my.simulate(block(0.05, left=corner(-0.2)), 0.001).report.notes
    assert note.startswith("contact 'left' starts 0.05 m deep in the ground")
    assert my.simulate(block(0.095, left=corner(-0.2)), 0.001).report.notes == ()


def test_a_sliding_block_has_the_friction_ratio_of_its_contacts_and_its_pressure_below_the_centre() -> None:
    """Friction 0.5 at full slip; pressure lies ahead of the centre by height * ratio (moments about the centre)."""
    model = block(0.0995, left=corner(-0.3), right=corner(0.3))
    run = my.simulate(model, 0.5, start={"x.speed": 10.0})
    for name in ("left", "right"):
        assert run.values(f"{name}.friction_ratio")[-1] == pytest.approx(0.5, rel=1e-3)
    turning = run.values("turn.acceleration")[-1] * 0.1
    normal = sum(run.values(f"{name}.force_y")[-1] for name in ("left", "right"))
    along = sum(run.values(f"{name}.force_x")[-1] for name in ("left", "right"))
    ahead = run.final["ground.centre_of_pressure_x"] - run.final["x"]
    assert turning == pytest.approx(ahead * normal + 0.0995 * along, abs=0.02)
    assert run.final["ground.centre_of_pressure_z"] == pytest.approx(0.0, abs=1e-12)


def test_in_the_air_they_are_finite() -> None:
    run = my.simulate(block(50.0, left=corner(-0.3), right=corner(0.3)), 0.1)
    assert run.report.status == "completed"
    assert np.isfinite(run.values("left.friction_ratio")).all()
    assert run.final["ground.centre_of_pressure_x"] == pytest.approx(0.0, abs=1e-9)


def test_the_friction_ratio_of_a_held_foot_is_an_event() -> None:
    """A rod that falls about its foot slips at a known angle: forces of a falling chimney, F_x/F_y = ratio."""
    rod = my.Model(
        name="rod",
        gravity=(0.0, -G, 0.0),
        bodies={"rod": my.Body(mass=1.0, centre_of_mass=(0.0, 0.5, 0.0), inertia=1 / 12)},
        joints={"base": my.planar("ground", "rod", ("x", "y", "lean"))},
        constraints={
            "foot": my.PointConstraint(first=my.Marker(body="rod"), second=my.Marker(body="ground"), axes="xy")
        },
    )
    start = {"lean": -0.2, "x": 0.0, "y": 0.0}
    run = my.simulate(rod, 2.0, start=start, until=my.Crossing("foot.friction_ratio", "rising", 0.3))
    assert run.report.status == "stopped by event"
    lean = -run.final["lean"]
    turned = np.cos(0.2) - np.cos(lean)
    # Of a uniform rod of length 1: angular speed² = 3 g turned, angular acceleration = 1.5 g sin(lean).
    square, bend = 3 * G * turned, 1.5 * G * np.sin(lean)
    along = 0.5 * (bend * np.cos(lean) - square * np.sin(lean))
    normal = G - 0.5 * (bend * np.sin(lean) + square * np.cos(lean))
    assert along / normal == pytest.approx(0.3, rel=1e-6)
    assert run.final["foot.friction_ratio"] == pytest.approx(0.3, rel=1e-9)


def test_outputs_that_are_no_numbers_are_not_completed() -> None:
    """An output that no state makes finite: the simulation fails and names it."""
    from myodyne.simulate.reporting.plausibility import refuse_nonsense

    run = my.simulate(SWING, 0.1)
    broken = my.Trajectory(run.time, {"hinge.power": np.where(run.time > 0.05, np.nan, 0.0)})
    eq = my.equations_of(SWING)
    assert refuse_nonsense([(run, eq)]) == ""
    assert refuse_nonsense([(run, eq), (broken, eq)]).startswith(
        "'hinge.power' of 'swing' is not a finite number at 0.05"
    )
