"""Bands along paths, and points that ellipsoids keep outside: their curves, their energy, and models that cannot be."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import quad

import myodyne as my
from myodyne.equations.assemble import Assembly
from myodyne.files.models.load import model_from
from support.comparison import assert_close, central_differences

SPRINGY: dict[str, Any] = {"slack_length": 0.5, "stiffness": 3000.0, "toe": 0.02}


def slider(**forces: Any) -> my.Model:
    """Return a body that slides along x, from the ground's origin."""
    return my.Model(
        name="slider",
        gravity=(0.0, 0.0, 0.0),
        bodies={"cart": my.Body(mass=2.0, inertia=0.1)},
        joints={"rail": my.slider("ground", "cart", "x", axis="x")},
        forces=forces,
    )


def along(**numbers: Any) -> my.Ligament:
    """Return a band from the ground's origin to the cart: its length is |x|."""
    return my.Ligament(
        path=my.PointPath(points=(("ground", (0.0, 0.0, 0.0)), ("cart", (0.0, 0.0, 0.0)))), **{**SPRINGY, **numbers}
    )


def outputs(model: my.Model, q: Any, v: Any) -> dict[str, float]:
    eq = my.equations_of(model, compiled=False)
    x = np.concatenate([np.atleast_1d(q), np.atleast_1d(v)]).astype(float)
    values = eq.output_values(x[None], np.zeros((1, len(x))), np.zeros((1, len(eq.controls))))[0]
    return dict(zip(eq.outputs, map(float, values), strict=True))


@pytest.mark.parametrize("x", [0.05, 0.3, 0.48, 0.5, 0.51, 0.6, 1.5])
def test_the_tension_is_a_line_with_a_rounded_corner(x: float) -> None:
    found = outputs(slider(band=along()), x, 0.0)
    d = x - 0.5
    assert found["band.force"] == pytest.approx(3000.0 * (d + np.hypot(d, 0.02)) / 2, rel=1e-12)
    stored, _ = quad(lambda e: 3000.0 * (e + np.hypot(e, 0.02)) / 2, 0.0, d, epsabs=1e-12)
    assert found["energy.potential"] == pytest.approx(stored, abs=1e-9)


def test_far_from_the_corner_it_is_slack_or_straight() -> None:
    assert outputs(slider(band=along(toe=1e-4)), 0.1, 0.0)["band.force"] < 1e-4
    assert outputs(slider(band=along(toe=1e-4)), 0.9, 0.0)["band.force"] == pytest.approx(1200.0, rel=1e-6)


@pytest.mark.parametrize("speed", [-50.0, -1.0, 0.0, 1.0, 50.0])
@pytest.mark.parametrize("x", [0.2, 0.5, 0.7])
def test_damping_never_makes_it_push_and_always_takes_energy(x: float, speed: float) -> None:
    plain, damped = (outputs(slider(band=along(damping=c)), x, speed) for c in (0.0, 100.0))
    assert damped["band.force"] >= 0.0
    assert damped["band.power"] == pytest.approx(-damped["band.force"] * speed)
    assert damped["energy.input_power"] <= 1e-12
    d = x - 0.5
    wanted = plain["band.force"] + 100.0 * (1 + d / np.hypot(d, 0.02)) / 2 * speed
    assert damped["band.force"] == pytest.approx(max(wanted, 0.0), rel=1e-12)


@pytest.mark.parametrize("distance", [0.0, 0.05, 0.199, 0.2, 0.21, 0.6])
def test_a_sphere_pushes_outwards_as_it_says(distance: float) -> None:
    contact = my.EllipsoidContact(
        body="ground",
        centre=(-0.1, 0.0, 0.0),
        radii=(0.2, 0.2, 0.2),
        stiffness=500.0,
        transition=0.1,
        point=my.Marker(body="cart"),
    )
    model = slider(contact=contact)
    found = outputs(model, distance - 0.1, 0.0)
    F = (distance / 0.2) ** 2 - 1
    wanted = -500.0 * (3 * 0.2**2) * distance / 0.2**2 * (F - np.hypot(F, 0.1)) / 2
    assert found["contact.force"] == pytest.approx(wanted, rel=1e-12, abs=1e-15)
    eq = my.equations_of(model, compiled=False)
    assert eq.derivative([distance - 0.1, 0.0])[1] == pytest.approx(wanted / 2.0, rel=1e-12, abs=1e-15)


def test_just_below_its_surface_a_sphere_is_six_times_as_stiff_as_its_number() -> None:
    contact = my.EllipsoidContact(
        body="ground", radii=(0.2, 0.2, 0.2), stiffness=500.0, transition=1e-9, point=my.Marker(body="cart")
    )
    for depth in (1e-4, 1e-5):
        assert outputs(slider(contact=contact), 0.2 - depth, 0.0)["contact.force"] == pytest.approx(
            6 * 500.0 * depth, rel=2 * depth / 0.2
        )


def limb(**forces: Any) -> my.Model:
    body = my.Body(mass=1.5, centre_of_mass=(0.01, -0.2, 0.02), inertia=my.Inertia(xx=0.03, yy=0.01, zz=0.03, xy=0.002))
    return my.Model(
        name="limb",
        bodies={"upper": body, "lower": body},
        forces=forces,
        joints={
            "hip": my.ball("ground", "upper", ("a", "b", "c"), "xyz"),
            "knee": my.pin({"body": "upper", "at": (0.0, -0.4, 0.0)}, "lower", "knee", axis=(0.1, 0.2, 1.0)),
        },
    )


def passive() -> my.Model:
    sliding = my.MovingPoint(body="upper", at=(my.Linear(coordinate="knee", slope=0.03, offset=0.05), -0.35, 0.01))
    return limb(
        band=my.Ligament(
            path=my.PointPath(points=(("ground", (0.1, 0.02, 0.0)), sliding, ("lower", (0.04, -0.1, 0.02)))),
            slack_length=0.4,
            stiffness=500.0,
            toe=0.03,
        ),
        formula=my.Ligament(
            path=my.FunctionPath(
                length=my.Polynomial(
                    of=("knee", "a"),
                    terms=(
                        my.Term(coefficient=0.3, powers=(0, 0)),
                        my.Term(coefficient=0.04, powers=(1, 0)),
                        my.Term(coefficient=0.01, powers=(1, 2)),
                    ),
                )
            ),
            slack_length=0.3,
            stiffness=800.0,
            toe=0.02,
        ),
        glide=my.EllipsoidContact(
            body="upper",
            centre=(0.0, -0.4, 0.0),
            radii=(0.15, 0.3, 0.2),
            stiffness=300.0,
            transition=0.2,
            point=my.Marker(body="lower", at=(0.08, -0.25, 0.02)),
        ),
    )


def test_the_forces_are_the_slope_of_what_they_store() -> None:
    """Also between two moving bodies: the reaction acts on the ellipsoid."""
    eq, bare = my.equations_of(passive(), compiled=False), my.equations_of(limb(), compiled=False)
    rng = np.random.default_rng(2)
    still = np.zeros(4)
    for _ in range(6):
        q = rng.uniform(-0.9, 0.9, size=4)
        x = np.concatenate([q, still])
        generalised = bare.residual(x, np.zeros(8), [])[4:] - eq.residual(x, np.zeros(8), [])[4:]

        def potential(rows: Any) -> Any:
            return eq.energy(rows, 0 * rows)[1] - bare.energy(rows, 0 * rows)[1]

        slope = central_differences(lambda rows: potential(rows)[:, None], q)
        assert_close(generalised, -slope[0], 1e-7, "generalised force", floor=1.0)


@pytest.mark.parametrize("damping", [0.0, 5.0])
def test_the_energy_audit_closes(damping: float) -> None:
    model = passive().with_values({"band.damping": damping})
    run = my.simulate(
        model, 2.0, start={"a": 0.4, "knee": 0.9, "c": 0.3}, scheme=my.DOP853(relative=1e-11, absolute=1e-12)
    )
    assert run.report.energy_error < 1e-8
    assert (run.values("band.force") >= 0.0).all()
    assert np.ptp(run.values("glide.force")) > 1.0
    energy = run.values("energy.kinetic") + run.values("energy.potential")
    assert (energy[-1] < energy[0] - 0.01) == (damping > 0.0)


def test_a_free_body_keeps_its_momentum() -> None:
    """Bands and contacts between the parts of a floating pair push nothing from outside."""
    body = my.Body(mass=1.5, centre_of_mass=(0.01, -0.2, 0.02), inertia=my.Inertia(xx=0.03, yy=0.01, zz=0.03))
    inner = {name: force for name, force in passive().forces.items() if name == "glide"}
    inner["band"] = my.Ligament(
        path=my.PointPath(points=(("upper", (0.05, -0.2, 0.0)), ("lower", (0.04, -0.1, 0.02)))),
        slack_length=0.2,
        stiffness=500.0,
        toe=0.03,
        damping=3.0,
    )
    pair = my.Model(
        name="pair",
        gravity=(0.0, 0.0, 0.0),
        bodies={"upper": body, "lower": body},
        forces=inner,
        joints={
            "root": my.free("ground", "upper", ("x", "y", "z", "a", "b", "c"), "zxy"),
            "knee": my.pin({"body": "upper", "at": (0.0, -0.4, 0.0)}, "lower", "knee"),
        },
    )
    run = my.simulate(
        pair,
        1.0,
        start={"knee": 0.8, "a.speed": 1.0, "knee.speed": -3.0},
        scheme=my.DOP853(relative=1e-11, absolute=1e-12),
    )
    for axis in "xyz":
        for kind in ("linear", "angular"):
            column = run.values(f"momentum.{kind}_{axis}")
            assert np.ptp(column) < 1e-8, (kind, axis)


def test_a_joint_carries_a_band_of_points_as_it_carries_a_spring() -> None:
    """Far above its corner a band is a spring: the same torques, and the same wrenches on the bodies."""
    start, end = (0.05, -0.1, 0.02), (0.03, -0.15, 0.0)
    spring = my.PointSpring(
        start=my.Marker(body="upper", at=start), end=my.Marker(body="lower", at=end), stiffness=200.0, rest_length=0.1
    )
    band = my.Ligament(
        path=my.PointPath(points=(("upper", start), ("lower", end))), slack_length=0.1, stiffness=200.0, toe=1e-9
    )
    first, second = (Assembly(limb(f=force)) for force in (spring, band))
    q, v = np.array([0.3, -0.2, 0.5, 0.7]), np.array([0.1, 0.4, -0.3, 0.2])
    found = []
    for assembly, wrenches in ((first, first.applied.wrenches), (second, second.applied.pulled)):
        parts = ca.vertcat(*(ca.vertcat(w.moment, w.force) for w in wrenches))
        found.append(np.array(ca.Function("f", [assembly.q, assembly.v], [parts])(q, v)))
    assert np.abs(found[0]).max() > 10.0
    assert_close(found[1], found[0], 1e-9, "wrenches")


# ---- hostile --------------------------------------------------------------------------------------------------

POINTS = {"points": [["upper", [0.0, -0.3, 0.0]], ["lower", [0.0, -0.1, 0.0]]]}
BAND = {"path": POINTS, "slack_length": 0.1, "stiffness": 1000.0}
ROUND = {"body": "upper", "radii": [0.1, 0.1, 0.1], "stiffness": 100.0, "point": {"body": "lower"}}


@pytest.mark.parametrize(
    "kind, fields, message",
    [
        (my.Ligament, {**BAND, "stiffness": -1.0}, "stiffness"),
        (my.Ligament, {**BAND, "toe": 0.0}, "toe"),
        (my.Ligament, {**BAND, "slack_length": float("nan")}, "slack_length"),
        (my.Ligament, {**BAND, "path": {"points": [["upper", [0, 0, 0]]]}}, "points"),
        (my.Ligament, {**BAND, "path": {"way": 3}}, "path"),
        (my.Ligament, {**BAND, "path": {"points": [["upper", [0, 0]], ["lower", [0, 0, 0]]]}}, "at"),
        (my.Ligament, {**BAND, "force": 3.0}, "unknown field"),
        (my.EllipsoidContact, {**ROUND, "radii": [0.1, 0.0, 0.1]}, "radii"),
        (my.EllipsoidContact, {**ROUND, "radii": [0.1, 0.1]}, "radii"),
        (my.EllipsoidContact, {**ROUND, "transition": -0.1}, "transition"),
        (my.EllipsoidContact, {**ROUND, "point": {"at": [0.0, 0.0, 0.0]}}, "point.body"),
    ],
)
def test_numbers_that_cannot_be_are_refused_by_name(kind: Any, fields: dict[str, Any], message: str) -> None:
    with pytest.raises(my.ModelError, match=message):
        kind(**fields)


@pytest.mark.parametrize(
    "force, message",
    [
        (
            my.Ligament(**{**BAND, "path": {"points": [["uper", [0, 0, 0]], ["lower", [0, 0, 0]]]}}),
            "forces.f.path.points.0.body.*did you mean 'upper'",
        ),
        (
            my.Ligament(**{**BAND, "path": {"points": [["upper", [0, 0, 0]], ["upper", [0, 0, 1]]]}}),
            "all points are on 'upper'",
        ),
        (
            my.Ligament(**{**BAND, "path": {"length": {"kind": "linear", "coordinate": "nee"}}}),
            "forces.f.path.length.*'knee'",
        ),
        (my.EllipsoidContact(**{**ROUND, "body": "uper"}), "forces.f.body.*did you mean 'upper'"),
        (my.EllipsoidContact(**{**ROUND, "point": {"body": "foot"}}), "forces.f.point.body"),
        (my.EllipsoidContact(**{**ROUND, "point": {"body": "upper"}}), "both on 'upper'"),
    ],
)
def test_names_that_lead_nowhere_are_reported(force: Any, message: str) -> None:
    with pytest.raises(my.ModelError, match=message):
        limb(f=force)


def test_both_are_kinds_of_a_model_file(tmp_path: Any) -> None:
    model = passive()
    my.save_model(model, tmp_path / "limb.yaml")
    assert my.load_model(tmp_path / "limb.yaml") == model
    text = (tmp_path / "limb.yaml").read_text(encoding="utf-8")
    assert "kind: ligament" in text
    assert "kind: ellipsoid_contact" in text
    with pytest.raises(my.ModelError, match=r"limb.yaml, line .*toe"):
        model_from(text.replace("toe: 0.03", "toe: -0.03").encode(), "limb.yaml")
