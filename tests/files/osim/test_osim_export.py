"""Models written as OpenSim files, and read again."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import myodyne as my
from myodyne.files.osim import read_osim
from myodyne.files.osim_writer import osim_text
from myodyne.files.osim_writer.markup import preimage

ROOT = Path(__file__).parents[3]
FIXTURES = sorted((ROOT / "tests" / "fixtures" / "opensim").rglob("*.osim"))
SHARED = sorted(
    [*(ROOT.parent / "shared" / "models_osim").glob("*.osim"), *(ROOT.parent / "shared" / "data").rglob("*.osim")]
)
# What comes back otherwise, and how: see docs/guide/opensim.md.
REFUSED = {"prescribed", "speeds_scapula"}
REORDERED = {"version_10900"}
ROUNDED = {"curves", "couplers", "forces"}


def again(model: my.Model) -> my.Model:
    return read_osim(osim_text(model), "again.osim")


def roughly(value: Any) -> Any:
    """Return plain data that compare equal if their numbers do to twelve digits and their tables but for the order."""
    if isinstance(value, dict):
        return {name: roughly(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [roughly(item) for item in value]
    return float(f"{value:.12g}") if isinstance(value, float) else value


def renamed(model: my.Model) -> my.Model:
    """Return the model with the name that it has in OpenSim, which takes no blanks."""
    return model.model_copy(update={"name": model.name.replace(" ", "_")})


@pytest.mark.parametrize("file", FIXTURES, ids=lambda file: file.stem)
def test_fixtures_read_back(file: Path) -> None:
    model = my.load_model(file)
    if file.stem in REFUSED:
        with pytest.raises(my.FileError, match="a product of functions"):
            osim_text(model)
        return
    back = again(model)
    if file.stem in REORDERED | ROUNDED:
        assert roughly(back.model_dump(mode="json")) == roughly(model.model_dump(mode="json"))
    else:
        assert back == renamed(model)
    assert back.audit is not None
    assert not back.audit.about("skipped")


@pytest.mark.skipif(not SHARED, reason="needs ../shared/models_osim")
@pytest.mark.parametrize("file", SHARED, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_published_models_read_back(file: Path, tmp_path: Path) -> None:
    model = my.load_model(file)
    my.save_model(model, tmp_path / "model.osim")
    assert my.load_model(tmp_path / "model.osim") == renamed(model)
    my.save_model(model, tmp_path / "model.yaml")
    back = my.load_model(tmp_path / "model.yaml")
    assert back == model
    assert back.hash == model.hash


@pytest.mark.parametrize("name", ["chain", "double_pendulum_3d", "pendulum", "spinning_top"])
def test_own_models_read_back(name: str) -> None:
    model = my.load_model(name)
    assert again(model) == model


@pytest.mark.parametrize("name", ["free_body", "full_body", "runner_skeleton"])
def test_opensim_has_its_own_order_of_coordinates_and_joints(name: str) -> None:
    model = my.load_model(name)
    back = again(model)
    assert list(back.coordinates) != list(model.coordinates)
    assert roughly(back.model_dump(mode="json")) == roughly(model.model_dump(mode="json"))


ROD = my.load_model("pendulum")
(JOINT,), (BODY,) = ROD.joints, ROD.bodies
(ANGLE,) = ROD.coordinates
PATH = my.PointPath(points=(("ground", (0.1, 0.0, 0.0)), (BODY, (0.0, -0.2, 0.0))))


def muscle(**fields: Any) -> my.Muscle:
    usual: dict[str, Any] = {
        "max_force": 100.0,
        "optimal_fibre_length": 0.1,
        "tendon_slack_length": 0.1,
        "curves": my.Thelen2003(),
        "activation": my.ThelenActivation(),
        "path": PATH,
    }
    return my.Muscle(**{**usual, **fields})


def refusal(**tables: Any) -> str:
    with pytest.raises(my.FileError) as caught:
        osim_text(ROD.with_parts(**tables))
    return str(caught.value)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"curves": my.VanDenBogert2011()}, "its curves of the kind 'van_den_bogert_2011'"),
        ({"activation": my.HeActivation()}, "activation of the kind 'he_1991' with curves of the kind 'thelen_2003'"),
        ({"damping": 0.1}, "damping with curves"),
        ({"curves": my.Thelen2003(tendon_shape=4.0)}, "tendon_toe_force and tendon_shape"),
        ({"curves": my.Millard2012(floor=0.05)}, "OpenSim takes a floor of at least 0.1"),
        ({"curves": my.Millard2012(), "damping": 0.01}, "OpenSim takes no floor"),
        ({"curves": my.Millard2012(), "damping": 1e-5}, "a damping below 0.001"),
        ({"curves": my.DeGrooteFregly2016(), "activation": my.DeGrooteActivation()}, "the coefficient b11 = 0.814"),
        ({"curves": my.Tabulated(), "activation": my.HeActivation()}, "the parallel_floor of its curves"),
        ({"activation": my.NoActivation(), "default_activation": 0.5}, "a default_activation without dynamics"),
    ],
)
def test_muscles_without_counterpart_are_named(fields: dict[str, Any], why: str) -> None:
    told = refusal(muscles={"biceps": muscle(**fields)})
    assert re.search(rf"muscle 'biceps': .*{re.escape(why)}", told)


@pytest.mark.parametrize(
    ("table", "part", "why"),
    [
        ("forces", my.BodyTorque(body=BODY, torque=(0.0, 0.0, 1.0)), "a force of the kind 'body_torque'"),
        (
            "forces",
            my.PointSpring(start=my.Marker(body="ground"), end=my.Marker(body=BODY), damping=1.0),
            "the damping",
        ),
        (
            "forces",
            my.HuntCrossleyContact(
                body=BODY, radius=0.1, plane=my.Placement(body="ground"), stiffness=1e6, sphere_share=1.0
            ),
            "a sphere_share of 1",
        ),
        ("constraints", my.SpeedConstraint(coordinate=ANGLE, speed=1.0), "a constant speed"),
        (
            "constraints",
            my.PointConstraint(first=my.Marker(body=BODY), second=my.Marker(body="ground"), axes="xy"),
            "the axes 'xy' only",
        ),
        ("markers", my.Marker(body=BODY), "a name with blanks"),
    ],
)
def test_parts_without_counterpart_are_named(table: str, part: Any, why: str) -> None:
    name = "tip of it" if table == "markers" else "part"
    told = refusal(**{table: {name: part}})
    assert f"'{name}': " in told
    assert why in told


def joint(*axes: tuple[str, Any, Any], names: tuple[str, ...] = ("a", "b")) -> my.Joint:
    return my.Joint(
        parent=my.Placement(body="ground"),
        child=my.Placement(body="rod"),
        coordinates={name: my.Coordinate() for name in names},
        axes=[my.Axis(motion=motion, direction=along, function=by) for motion, along, by in axes],
    )


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        (joint(("rotation", "x", "a"), ("translation", "x", "b"), ("rotation", "y", "a")), "between its rotations"),
        (joint(("rotation", "x", "a"), ("rotation", "-x", "b")), "two of its axes of rotation are parallel"),
        (joint(("rotation", "x", 0.3), names=()), "no coordinate to move them"),
        (joint(("rotation", "x", my.Product(factors=("a", "b")))), "a product of functions"),
        (
            joint(("rotation", "x", my.Spline(coordinate="a", x=(0, 1), y=(0, 1))), ("rotation", "y", "b")),
            "natural spline",
        ),
        (
            joint(("rotation", "x", my.Fourier(coordinate="a", period=1.0, sines=(1, 1))), ("rotation", "y", "b")),
            "Fourier",
        ),
    ],
)
def test_joints_without_counterpart_are_named(broken: my.Joint, why: str) -> None:
    model = my.Model(name="rod", bodies={"rod": my.Body(mass=1.0)}, joints={"odd": broken})
    with pytest.raises(my.FileError, match=rf"joint 'odd': .*{why}"):
        osim_text(model)


@pytest.mark.parametrize(
    "made",
    [
        joint(("rotation", "x", "a"), ("translation", "y", "b")),
        joint(
            ("translation", (0.6, 0.8, 0.0), my.Spline(coordinate="a", x=(0, 1, 2, 3), y=(0, 1, 0, 2))),
            ("rotation", "z", my.Linear(coordinate="a", slope=0.5, offset=0.1)),
            names=("a",),
        ),
        joint(
            (
                "rotation",
                "x",
                my.Polynomial(
                    of=("a", "b"),
                    terms=(my.Term(coefficient=0.5, powers=(0, 2)), my.Term(coefficient=2.0, powers=(1, 1))),
                ),
            )
        ),
        joint(
            ("rotation", "x", my.Polynomial(of=("a",), terms=(my.Term(coefficient=2.0, powers=(3,)),))), names=("a",)
        ),
        joint(("rotation", "z", my.PiecewiseLinear(coordinate="a", x=(0, 1, 2), y=(0, 1, 0))), names=("a",)),
        joint(
            ("rotation", "z", my.Fourier(coordinate="a", period=1.3, mean=0.2, sines=(0.4,), cosines=(0.0,))),
            names=("a",),
        ),
        joint(names=()),
    ],
)
def test_joints_read_back(made: my.Joint) -> None:
    model = my.Model(name="rod", bodies={"rod": my.Body(mass=1.0)}, joints={"joint": made})
    assert again(model) == model


def scapula(**tables: Any) -> my.Model:
    return my.load_model(ROOT / "tests" / "fixtures" / "opensim" / "skeleton" / "scapula.osim").with_parts(**tables)


def test_a_shoulder_blade_is_one_joint_again() -> None:
    document = ElementTree.fromstring(osim_text(scapula()))
    assert [joint.get("name") for joint in document.iter("ScapulothoracicJoint")] == ["scapula"]
    assert "scapula_between" not in {body.get("name") for body in document.iter("Body")}
    point = my.ConditionalPoint(body="b", at=(0.0, 0.1, 0.0), coordinate="winging", range=(-0.5, 0.5))
    path = my.PointPath(points=(("a", (0.1, 0.0, 0.0)), point, ("b", (0.0, -0.2, 0.0))))
    model = scapula(muscles={"serratus": muscle(path=path)})
    assert again(model) == model


@pytest.mark.parametrize(
    ("tables", "why"),
    [
        ({"markers": {"tip": my.Marker(body="scapula_between")}}, "joint 'scapula': a product of functions"),
        ({"forces": {"motor": my.CoordinateActuator(coordinate="abduction")}}, "force 'motor': .*would be a torque"),
    ],
)
def test_what_opensim_hides_in_a_shoulder_blade_is_named(tables: dict[str, Any], why: str) -> None:
    with pytest.raises(my.FileError, match=why):
        osim_text(scapula(**tables))


def test_speeds_over_ellipsoids_are_refused() -> None:
    model = my.load_model(ROOT / "tests" / "fixtures" / "opensim" / "skeleton" / "ellipsoid.osim")
    name, joint_ = next((name, part) for name, part in model.joints.items() if len(part.axes) == 6)
    first = next(iter(joint_.coordinates))
    coordinates = {**joint_.coordinates, first: my.Coordinate(default_speed=1.0)}
    moving = model.with_parts(joints={name: joint_.model_copy(update={"coordinates": coordinates})})
    with pytest.raises(my.FileError, match="set the default speeds to zero"):
        osim_text(moving)


def test_axes_that_stand_still_make_a_basis() -> None:
    model = my.Model(
        name="rod",
        bodies={"rod": my.Body(mass=1.0)},
        joints={"joint": joint(("rotation", (0.0, 0.8, 0.6), "a"), names=("a",))},
    )
    document = ElementTree.fromstring(osim_text(model))
    axes = [[float(word) for word in (axis.findtext("axis") or "").split()] for axis in document.iter("TransformAxis")]
    assert axes[:3] == [[0.0, 0.8, 0.6], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    assert axes[3:] == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def test_refused_models_leave_no_file(tmp_path: Path) -> None:
    with pytest.raises(my.FileError, match=r"jumper.osim: the model holds what OpenSim has no counterpart for:\n"):
        my.save_model(my.load_model("jumper"), tmp_path / "jumper.osim")
    assert not list(tmp_path.iterdir())


def test_long_lists_of_refusals_are_cut() -> None:
    told = refusal(forces={f"twist{number}": my.BodyTorque(body=BODY, torque=(0.0, 0.0, 1.0)) for number in range(15)})
    assert told.endswith("and 5 more")


def test_numbers_that_are_reckoned_are_found_again() -> None:
    wanted = 0.3 / 9.7
    assert preimage(wanted, wanted * 9.7, lambda number: number / 9.7) == pytest.approx(0.3, rel=1e-15)
    # No number is read as this one: the guess is as good as any.
    assert preimage(0.5, 0.4, lambda number: 0.0) == 0.4
