"""A foot stays where it lands: constraints of the next model are anchored at the instant, or the switch is refused."""

from typing import Any

import numpy as np
import pytest

import myodyne as my

G = 9.81
ROD = my.Model(
    name="rod",
    gravity=(0.0, -G, 0.0),
    bodies={"rod": my.Body(mass=1.0, centre_of_mass=(0.0, 0.5, 0.0), inertia=1 / 12)},
    joints={"base": my.planar("ground", "rod", ("x", "y", "lean"), y={"default": 0.5}, lean={"default": -0.1})},
)
TOE = my.PointConstraint(first=my.Marker(body="rod"), second=my.Marker(body="ground"), axes="xy")
STANDING = ROD.with_parts(constraints={"toe": TOE})
THROWN = {"x": 0.4, "x.speed": 1.0}
LANDING = my.falls_through_zero("y")
FALL = np.sqrt(2 * 0.5 / G)


def test_a_foot_that_lands_elsewhere_is_not_moved_silently() -> None:
    with pytest.raises(my.SimulationError, match=r"would have to move the state by 0.719 .*anchor=\['toe'\]") as caught:
        my.simulate(ROD, 0.6, start=THROWN, until=my.Switch(LANDING, to=STANDING))
    assert caught.value.result.report.status == "failed"
    assert caught.value.result.time[-1] == pytest.approx(FALL)


def test_an_anchored_foot_stays_where_it_lands() -> None:
    """The impact keeps the angular momentum about the toe, and the toe is where the flight ended."""
    run = my.simulate(ROD, 0.6, start=THROWN, until=my.Switch(LANDING, to=STANDING, anchor=["toe"]))
    after = run.time > FALL + 1e-9
    assert after.any()
    assert run.values("x")[after] == pytest.approx(0.4 + FALL, abs=1e-9)
    assert run.values("y")[after] == pytest.approx(0.0, abs=1e-9)
    first = int(np.argmax(after))
    lean, speed = -0.1, np.array([1.0, -G * FALL])
    arm = 0.5 * np.array([-np.sin(lean), np.cos(lean)])
    about_toe = arm[0] * speed[1] - arm[1] * speed[0]
    assert run.values("lean.speed")[first - 1] == pytest.approx(about_toe / (1 / 12 + 0.25), abs=1e-9)
    assert any("'toe' was anchored at (0.719" in note for note in run.report.notes)
    assert not any("moved onto the constraints: coordinates by up to 0.7" in note for note in run.report.notes)


def test_it_lands_and_leaves_again_and_again_without_a_compiler() -> None:
    """Two landings of one model differ by free numbers alone."""
    from myodyne.simulate.switching.landing import freed, landed

    model = freed(STANDING, ["toe"])
    eq = my.equations_of(model, compiled=False)
    one, other = (landed(eq, ["toe"], [x, 0.0, 0.3])[0] for x in (0.2, 1.7))
    assert one.structure_hash == other.structure_hash == model.structure_hash
    assert other.constraints["toe"].second.at == pytest.approx((1.7, 0.0, 0.0))


@pytest.mark.parametrize("kind", ["weld", "line", "first on the ground", "between two bodies"])
def test_other_constraints_are_met_by_their_new_anchors(kind: str) -> None:
    from myodyne.simulate.switching.landing import freed, landed

    body = my.load_model("double_pendulum_3d") if kind == "between two bodies" else my.load_model("free_body")
    names = list(body.bodies)
    constraint: Any = {
        "weld": my.WeldConstraint(
            first=my.Placement(body=names[0], at=(0.1, 0.2, 0.0), orientation=(0.1, 0.5, -0.3)),
            second=my.Placement(body="ground"),
        ),
        "line": my.LineConstraint(point=my.Marker(body=names[0], at=(0.1, 0, 0)), body="ground", direction="x"),
        "first on the ground": my.PointConstraint(
            first=my.Marker(body="ground"), second=my.Marker(body=names[0], at=(0.0, 0.3, 0.1))
        ),
        "between two bodies": my.PointConstraint(
            first=my.Marker(body=names[-1], at=(0.0, 0.3, 0.1)), second=my.Marker(body=names[0])
        ),
    }[kind]
    model = freed(body.with_parts(constraints={"hold": constraint}), ["hold"])
    eq = my.equations_of(model, compiled=False)
    q = np.random.default_rng(1).uniform(-0.6, 0.6, len(eq.coordinates))
    assert np.max(np.abs(eq.constraint_errors(q, 0 * q)[0])) > 1e-2
    met = my.equations_of(landed(eq, ["hold"], q)[0], compiled=False)
    assert np.max(np.abs(met.constraint_errors(q, 0 * q)[0])) < 1e-12


@pytest.mark.parametrize(
    ("anchor", "message"),
    [
        (["tow"], "unknown constraint 'tow': did you mean 'toe'"),
        ("rod", "unknown constraint 'rod'"),
        (["drive"], "a speed constraint, 'drive', has no location"),
    ],
)
def test_wrong_anchors_are_refused_by_name(anchor: Any, message: str) -> None:
    driven = STANDING.with_parts(constraints={"drive": my.SpeedConstraint(coordinate="lean", speed=1.0)})
    with pytest.raises(my.ModelError, match=message):
        my.Switch(LANDING, to=driven, anchor=anchor)
