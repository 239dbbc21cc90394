"""Constraints that are kept: their forces are those of joints, they do no work, and what cannot be is named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import myodyne as my
from myodyne.model import Axis, Joint, Placement

FINE = my.DOP853(relative=1e-12, absolute=1e-12)
INERTIA = my.Inertia(xx=0.1, yy=0.05, zz=0.12, xy=0.01)
UPPER = my.Body(mass=1.0, centre_of_mass=(0.1, -0.3, 0.05), inertia=INERTIA)
LOWER = my.Body(mass=2.0, centre_of_mass=(0.05, -0.25, 0.1), inertia=INERTIA)
TIP = (0.02, -0.6, 0.03)
ALONG = (0.6, 0.0, 0.8)
POSE = ("x", "y", "z", "r1", "r2", "r3")
START = {"a1": 0.3, "a2": 0.2, "a3": -0.4, "a1.speed": 1.0, "a2.speed": -0.5, "a3.speed": 0.7}
TURNS = {"b1": 0.5, "b2": 0.1, "b3": 0.2, "b1.speed": 0.7, "b2.speed": -1.0, "b3.speed": 2.0}


def interpreted(model: my.Model) -> my.Equations:
    return my.equations_of(model, compiled=False)


def pair(joint: Joint) -> my.Model:
    """Return two bodies that hang from the ground, the second by any joint."""
    shoulder = my.ball("ground", "upper", ("a1", "a2", "a3"))
    return my.Model(name="pair", bodies={"upper": UPPER, "lower": LOWER}, joints={"shoulder": shoulder, "elbow": joint})


def cut(**constraints: Any) -> my.Model:
    """Return the same bodies with the second one free, but for constraints."""
    return pair(my.free("ground", "lower", POSE)).with_parts(constraints=constraints)


def lower_pose(equations: my.Equations, q: Any) -> Any:
    turns, places = equations.body_poses(q)
    number = equations.bodies.index("lower")
    return np.concatenate([places[number], Rotation.from_matrix(turns[number]).as_euler("XYZ")])


def same_start(equations: my.Equations, start: dict[str, float]) -> dict[str, float]:
    """Return a start of the tree in the coordinates of the cut model."""
    q, v = np.split(equations.state(start), 2)
    h = 1e-4
    ahead, behind = ([lower_pose(equations, q + s * k * h * v) for k in (1, 2)] for s in (1, -1))
    speeds = (8 * (ahead[0] - behind[0]) - (ahead[1] - behind[1])) / (12 * h)
    values = {name: value for name, value in start.items() if name.startswith("a")}
    values |= dict(zip(POSE, lower_pose(equations, q).tolist(), strict=True))
    return values | {f"{name}.speed": speed for name, speed in zip(POSE, speeds.tolist(), strict=True)}


TO_TIP = {"body": "upper", "at": TIP}
ON_A_LINE = Joint(
    parent=Placement(body="upper", at=TIP),
    child=Placement(body="lower"),
    coordinates={name: {} for name in ("shift", "b1", "b2", "b3")},
    axes=(
        Axis(motion="translation", direction=ALONG, function="shift"),
        *(
            Axis(motion="rotation", direction=axis, function=name)
            for axis, name in zip("xyz", ("b1", "b2", "b3"), strict=True)
        ),
    ),
)
FORCE = tuple(f"force_{axis}" for axis in "xyz")
MOMENT = tuple(f"moment_{axis}" for axis in "xyz")
CUTS = {
    "point": (
        my.ball(TO_TIP, "lower", ("b1", "b2", "b3")),
        START | TURNS,
        my.PointConstraint(first={"body": "lower"}, second=TO_TIP),
        FORCE,
    ),
    "weld": (
        my.weld(TO_TIP, "lower"),
        START,
        my.WeldConstraint(first={"body": "lower"}, second=TO_TIP),
        FORCE + MOMENT,
    ),
    "line": (
        ON_A_LINE,
        START | TURNS | {"shift": 0.3, "shift.speed": -0.5},
        my.LineConstraint(point={"body": "lower"}, body="upper", at=TIP, direction=ALONG),
        (),
    ),
}


@pytest.mark.parametrize("kind", CUTS)
def test_a_joint_that_is_cut_and_closed_by_a_constraint(kind: str) -> None:
    """The same motion, and the multipliers are the reactions of the joint; no work is done."""
    joint, start, constraint, parts = CUTS[kind]
    tree, open_tree = interpreted(pair(joint)), interpreted(cut(elbow_hold=constraint))
    one = my.simulate(tree, 0.6, start=start, scheme=FINE)
    other = my.simulate(open_tree, 0.6, start=same_start(tree, start), scheme=FINE)
    for name in ("a1", "a2", "a3.speed", "lower.position_x", "lower.velocity_y", "com.position_z"):
        np.testing.assert_allclose(other.values(name), one.values(name), atol=1e-9)
    for part in parts:
        np.testing.assert_allclose(other.values(f"elbow_hold.{part}"), one.values(f"elbow.reaction_{part}"), atol=1e-8)
    for axis in "xyz":
        name = f"shoulder.reaction_force_{axis}"
        np.testing.assert_allclose(other.values(name), one.values(name), atol=1e-8)
    assert np.max(np.abs(other.values("elbow_hold.power"))) < 1e-8
    assert other.report.energy_error < 1e-12
    assert max(other.report.drift.values()) < 1e-10


def test_a_rod_between_two_points_is_a_pendulum() -> None:
    """A particle at a constant distance: gravity along the rod and v²/r give its force, energy is kept."""
    particle = my.Model(
        name="particle",
        bodies={"bob": my.Body(mass=2.0)},
        joints={
            "place": Joint(
                parent=Placement(body="ground"),
                child=Placement(body="bob"),
                coordinates={n: {} for n in "xyz"},
                axes=tuple(Axis(motion="translation", direction=n, function=n) for n in "xyz"),
            )
        },
        constraints={"rod": my.DistanceConstraint(first={"body": "bob"}, second={"body": "ground"}, distance=1.3)},
    )
    start = {"x": 0.5, "y": -1.2, "z": 0.0, "x.speed": 0.0, "z.speed": 1.5}
    run = my.simulate(interpreted(particle), 2.0, start=start, scheme=FINE)
    at, speed = (np.stack([run.values(f"{n}{what}") for n in "xyz"], axis=1) for what in ("", ".speed"))
    outward = -2.0 * np.sum(speed**2, axis=1) / 1.3 + 2.0 * 9.80665 * at[:, 1] / 1.3
    np.testing.assert_allclose(run.values("rod.force"), outward, rtol=1e-9)
    turning = at[:, 2] * speed[:, 0] - at[:, 0] * speed[:, 2]
    np.testing.assert_allclose(turning, turning[0], rtol=1e-10)
    assert run.report.energy_error < 1e-12


def two_pins(**coordinates: Any) -> my.Model:
    rod = my.Body(mass=1.0, centre_of_mass=(0.5, 0.0, 0.0), inertia=0.1)
    return my.Model(
        name="two pins",
        bodies={"a": rod, "b": rod},
        joints={
            "one": my.pin("ground", "a", "qa"),
            "two": my.pin({"body": "a", "at": (1.0, 0.0, 0.0)}, "b", "qb", **coordinates),
        },
    )


def test_a_coordinate_coupled_by_a_multiplier_or_embedded() -> None:
    gear = my.Polynomial(of=("qa",), terms=[{"coefficient": 0.3, "powers": [0]}, {"coefficient": 0.5, "powers": [2]}])
    kept = two_pins().with_parts(constraints={"gear": my.CouplerConstraint(coordinate="qb", function=gear)})
    embedded = two_pins(coupled=gear)
    runs = [my.simulate(interpreted(m), 1.0, start={"qa": 0.2, "qa.speed": 1.0}, scheme=FINE) for m in (kept, embedded)]
    for name in ("qa", "qa.speed", "qb", "com.position_y"):
        np.testing.assert_allclose(runs[0].values(name), runs[1].values(name), atol=1e-10)


def test_the_torque_of_a_drive_is_that_of_inverse_dynamics() -> None:
    model = two_pins().with_parts(constraints={"drive": my.SpeedConstraint(coordinate="qa", speed=3.0)})
    run = my.simulate(interpreted(model), 0.5, scheme=FINE)
    tree = interpreted(two_pins())
    q, v, vdot = (
        np.stack([run.values(n + what) for n in ("qa", "qb")], axis=1) for what in ("", ".speed", ".acceleration")
    )
    needed = tree.inverse_dynamics(q, v, vdot)
    np.testing.assert_allclose(run.values("drive.torque"), needed[:, 0], atol=1e-9)
    np.testing.assert_allclose(needed[:, 1], 0.0, atol=1e-9)
    np.testing.assert_allclose(run.values("drive.power"), 3.0 * needed[:, 0], atol=1e-8)
    assert run.report.energy_error < 1e-10


@pytest.mark.parametrize(
    "constraint",
    [
        my.PointConstraint(first={"body": "lower"}, second=TO_TIP),
        my.WeldConstraint(first={"body": "lower"}, second=TO_TIP),
        my.DistanceConstraint(first={"body": "lower"}, second=TO_TIP, distance=0.4),
        my.LineConstraint(point={"body": "lower"}, body="upper", at=TIP, direction=ALONG),
    ],
    ids=lambda constraint: constraint.kind,
)
def test_constraints_between_free_bodies_keep_momentum(constraint: Any) -> None:
    """In free fall, an impact onto the constraint and the motion after it leave momentum alone."""
    floating = my.Model(
        name="floating",
        bodies={"upper": UPPER, "lower": LOWER},
        gravity=(0.0, 0.0, 0.0),
        joints={
            "one": my.free("ground", "upper", ("ux", "uy", "uz", "u1", "u2", "u3")),
            "two": my.free("ground", "lower", POSE),
        },
    )
    held = interpreted(floating.with_parts(constraints={"hold": constraint}))
    placed = my.simulate(held, 1e-6, start={"y": -0.7, "r1": 0.3, "u2": 0.2}, scheme=FINE)
    start = {name: float(placed.values(name)[0]) for name in held.coordinates}
    start |= {"ux.speed": 0.7, "y.speed": -2.0, "r2.speed": 1.0, "u1.speed": -0.5}
    free = interpreted(floating)
    before = np.concatenate(free.momentum(*np.split(free.state(start), 2)))
    # Nothing is given but a saved state, so that all speeds may change, as in an impact.
    saved = my.simulate(free, 1e-9, start=start, scheme=my.Heun(step=1e-9))
    run = my.simulate(held, 0.5, start=saved, scheme=FINE)
    assert any("moved onto the constraints" in note for note in run.report.notes)
    for row in (0, -1):
        after = [run.values(f"momentum.{kind}_{axis}")[row] for kind in ("linear", "angular") for axis in "xyz"]
        np.testing.assert_allclose(after, before, atol=1e-7)


@pytest.mark.parametrize(
    "name, output, unit",
    [
        ("sliding_blocks", "contact.torque", "N"),
        ("three_segment_balance", "platform.torque", "N"),
        ("cyclist_one_leg", "drive.torque", "N m"),
        ("four_bar", "loop.force_x", "N"),
    ],
)
def test_multipliers_have_the_unit_of_what_they_push(name: str, output: str, unit: str) -> None:
    equations = interpreted(my.load_model(name))
    assert equations.output_units[equations.outputs.index(output)] == unit


# ---- what cannot be -------------------------------------------------------------------------------------------


def test_a_weld_is_not_met_by_half_a_turn() -> None:
    """The sine of the turn vanishes there too, so it must not be the demand."""
    model = my.Model(
        name="block",
        bodies={"lower": LOWER},
        joints={"flight": my.free("ground", "lower", POSE)},
        constraints={"hold": my.WeldConstraint(first={"body": "lower"}, second={"body": "ground"})},
    )
    for angle in (0.5, 2.1, 3.0):
        run = my.simulate(interpreted(model), 0.001, start={"r1": angle})
        assert run.final["r1"] == pytest.approx(0.0, abs=1e-11)
    with pytest.raises(my.SolveError, match=r"'hold'.*half a turn"):
        my.simulate(interpreted(model), 0.001, start={"r1": np.pi})


def test_a_distance_between_points_that_coincide_has_no_direction() -> None:
    model = cut(rod=my.DistanceConstraint(first={"body": "lower"}, second={"body": "ground"}, distance=1.0))
    with pytest.raises(my.SolveError, match=r"'rod'.*off by 1"):
        my.simulate(interpreted(model), 0.001)


def test_a_drive_of_a_locked_coordinate_can_never_be_met() -> None:
    model = two_pins(locked=True).with_parts(constraints={"drive": my.SpeedConstraint(coordinate="qb", speed=2.0)})
    with pytest.raises(my.ModelError, match="'drive' can never be met: its speed is off by -2"):
        my.simulate(interpreted(model), 0.001)


def rhomb(lengths: float = 1.0) -> my.Model:
    """Return three bars as long as the ground between them: flat, they may fold in two ways."""
    bar = my.Body(mass=1.0, centre_of_mass=(0.5, 0.0, 0.0), inertia=0.1)
    return my.Model(
        name="rhomb",
        bodies={"a": bar, "b": bar, "c": bar},
        joints={
            "ja": my.pin("ground", "a", "qa", default=1.0),
            "jb": my.pin({"body": "a", "at": (lengths, 0, 0)}, "b", "qb", default=-1.0),
            "jc": my.pin({"body": "ground", "at": (1, 0, 0)}, "c", "qc", default=1.0),
        },
        constraints={
            "loop": my.PointConstraint(
                first={"body": "b", "at": (1, 0, 0)}, second={"body": "c", "at": (lengths, 0, 0)}, axes="xy"
            )
        },
    )


@pytest.mark.parametrize(
    "scheme", [my.DOP853(), my.Heun(step=1e-3), my.BDF(), my.Adams()], ids=lambda s: type(s).__name__
)
def test_a_singular_pose_on_the_way_is_noted(scheme: Any) -> None:
    """Schemes go on differently behind it, with energy and loops intact: only a note can tell."""
    run = my.simulate(interpreted(rhomb()), 0.7, scheme=scheme)
    (note,) = run.report.notes
    assert "'rhomb' pass a singular pose" in note
    assert float(note.split()[2]) == pytest.approx(0.52, abs=0.011)


def test_a_singular_start_is_refused() -> None:
    for near in (0.0, 1e-11):
        with pytest.raises(my.SolveError, match=r"repeat others in this pose, among 'loop\.force_x'"):
            my.simulate(interpreted(rhomb()), 0.1, start={"qa": near, "qb": -near, "qc": near})


@pytest.mark.parametrize("name", ["four_bar", "five_bar", "andrews_squeezer"])
def test_poses_that_are_not_singular_are_not_noted(name: str) -> None:
    assert my.simulate(my.load_model(name), 0.05 if name == "andrews_squeezer" else 3.0).report.notes == ()
