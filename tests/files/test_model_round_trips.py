"""What is written reads back to the same model, to the last bit, whatever the model holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from myodyne.files import load_model, model_schema, save_model
from myodyne.files.models.load import model_from
from myodyne.files.models.write import model_text
from myodyne.files.models.yaml_reader import read_tree
from myodyne.model import (
    Axis,
    Body,
    BodyTorque,
    Bushing,
    ConditionalPoint,
    Constant,
    ContactPoint,
    Coordinate,
    CoordinateActuator,
    CoordinateLimit,
    CurveLigament,
    EllipsoidContact,
    Fourier,
    FunctionPath,
    HuntCrossleyContact,
    Inertia,
    Joint,
    JointLimit,
    Ligament,
    LineActuator,
    Linear,
    Marker,
    Model,
    MovingPoint,
    PathActuator,
    PathPoint,
    PathSpring,
    Placement,
    PointActuator,
    PointForce,
    PointPath,
    PointSpring,
    Polynomial,
    Product,
    SmoothSphereContact,
    Spline,
    Term,
    TorqueActuator,
    TorsionSpring,
    ball,
    free,
    pin,
    planar,
    slider,
    universal,
    weld,
)

VALIDATOR = jsonschema.Draft202012Validator(model_schema())
FEW = settings(max_examples=80, deadline=None, database=None, suppress_health_check=list(HealthCheck))

# Names that YAML could take for something else, or that the short forms use themselves.
ODD_NAMES = [
    "L.Ankle",
    "no",
    "Yes",
    "off",
    "null",
    "~",
    "true",
    "False",
    "1e3",
    "12",
    "-1",
    ".5",
    ".inf",
    ".nan",
    "0x1F",
    "0o7",
    "1_000",
    "12:30:45",
    "2001-01-01",
    "x: y",
    "a, b",
    "# c",
    "a #b",
    "- d",
    "-",
    "---",
    "...",
    "[k]",
    "{",
    "}",
    "'",
    '"q"',
    "it's",
    "\\",
    "a\\nb",
    "<<",
    "*a",
    "&b",
    "!t",
    "%p",
    "@a",
    "`b",
    "=",
    "?",
    "? x",
    ":",
    ":x",
    "x:",
    "|",
    ">",
    "a b",
    "Fuß",
    "膝",
    "😀",
    "x²",
    "kind",
    "coordinate",
    "coordinates",
    "sequence",
    "axes",
    "parent",
    "range",
    "y",
    "n",
    "e" * 120,
    "[key]",
    "a.b.c",
]

numbers = st.floats(allow_nan=False, allow_infinity=False, width=64) | st.sampled_from(
    [0.0, -0.0, 1e-5, 1e16, 1e22, 5e-324, 0.1, 1 / 3, -9.81, 1.7976931348623157e308]
)
moderate = st.floats(min_value=-1e3, max_value=1e3)
angles = st.floats(min_value=-3.0, max_value=3.0)
vectors = st.tuples(numbers, numbers, numbers)
directions: st.SearchStrategy[Any] = st.sampled_from(["x", "y", "z", "-x", "-y", "-z"]) | st.tuples(
    moderate, moderate, moderate
).filter(lambda v: sum(x * x for x in v) > 1e-6)
positives = st.floats(min_value=1e-9, max_value=1e9)
names = st.sampled_from(ODD_NAMES) | st.text(min_size=1, max_size=12).filter(
    lambda name: name == name.strip() and name.isprintable() and "/" not in name and name != "ground"
)


@st.composite
def inertias(draw: st.DrawFn) -> Inertia:
    if draw(st.booleans()):
        return Inertia.model_validate(draw(st.just(0.0) | positives))
    a, b, c = draw(positives), draw(positives), draw(positives)
    small = 1e-3 * min(a, b, c)
    return Inertia(xx=a + b, yy=b + c, zz=a + c, xy=draw(st.sampled_from([0.0, -0.0, small])))


@st.composite
def coordinates(draw: st.DrawFn) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if draw(st.booleans()):
        options["default"] = draw(angles)
    if draw(st.booleans()):
        options["range"] = (-3.5, draw(st.floats(min_value=3.1, max_value=4.0)))
    if draw(st.booleans()):
        options["default_speed"] = draw(numbers)
    if draw(st.booleans()):
        options["locked"] = draw(st.booleans())
    return options


@st.composite
def functions(draw: st.DrawFn, own: list[str], depth: int = 2) -> Any:
    kind = draw(
        st.sampled_from(["constant", "linear", "polynomial", "spline", "fourier", "product"][: 6 if depth else 5])
    )
    name = draw(st.sampled_from(own))
    match kind:
        case "constant":
            return Constant(value=draw(numbers))
        case "linear":
            return Linear(coordinate=name, slope=draw(st.just(1.0) | numbers), offset=draw(st.just(0.0) | numbers))
        case "polynomial":
            terms = draw(
                st.lists(
                    st.tuples(numbers, st.lists(st.integers(0, 20), min_size=len(own), max_size=len(own))),
                    min_size=1,
                    max_size=12,
                )
            )
            return Polynomial(of=own, terms=[Term(coefficient=c, powers=p) for c, p in terms])
        case "spline":
            x = sorted(draw(st.sets(moderate.map(lambda x: x + 0.0), min_size=2, max_size=25)))
            return Spline(coordinate=name, x=x, y=[draw(numbers) for _ in x])
        case "fourier":
            return Fourier(
                coordinate=name,
                period=draw(positives),
                mean=draw(numbers),
                cosines=draw(st.lists(numbers, max_size=3)),
                sines=draw(st.lists(numbers, max_size=30)),
            )
        case _:
            return Product(factors=[draw(functions(own, depth - 1)) for _ in range(draw(st.integers(1, 3)))])


@st.composite
def placements(draw: st.DrawFn, body: str) -> Placement:
    at = draw(st.just((0.0, 0.0, 0.0)) | vectors)
    return Placement(body=body, at=at, orientation=draw(st.just((0.0, 0.0, 0.0)) | st.tuples(angles, angles, angles)))


@st.composite
def joints(draw: st.DrawFn, parent: str, child: str, fresh: list[str]) -> Joint:
    """A joint by one of the constructors, or by axes and functions of any kind."""
    ends = (draw(placements(parent)), draw(placements(child)))
    kind = draw(st.sampled_from(["weld", "pin", "slider", "universal", "ball", "planar", "free", "axes"]))
    count = {"weld": 0, "pin": 1, "slider": 1, "universal": 2, "ball": 3, "planar": 3, "free": 6, "axes": 2}[kind]
    own = [fresh.pop() for _ in range(count)]
    options = {name: draw(coordinates()) for name in own}
    sequence = draw(st.sampled_from(["xyz", "zxy", "zxz", "yxy"]))
    match kind:
        case "weld":
            return weld(*ends)
        case "pin" | "slider":
            construct = pin if kind == "pin" else slider
            return construct(*ends, own[0], axis=draw(directions), **options[own[0]])
        case "axes":
            axes = [
                Axis(
                    motion=draw(st.sampled_from(["rotation", "translation"])),
                    direction=draw(directions),
                    function=draw(functions(own)),
                )
                for _ in range(draw(st.integers(1, 4)))
            ]
            # Each coordinate must move something.
            axes += [Axis(motion="translation", direction="x", function=name) for name in own]
            return Joint(parent=ends[0], child=ends[1], coordinates=options, axes=axes)
        case "universal":
            plain = universal(
                *ends, (own[0], own[1]), axes=draw(st.just(("x", "y")) | st.tuples(directions, directions))
            )
        case "ball":
            plain = ball(*ends, (own[0], own[1], own[2]), sequence)
        case "planar":
            plain = planar(*ends, (own[0], own[1], own[2]))
        case _:
            plain = free(*ends, (own[0], own[1], own[2], own[3], own[4], own[5]), sequence)
    return Joint(parent=ends[0], child=ends[1], coordinates=options, axes=plain.axes)


@st.composite
def paths(draw: st.DrawFn, body: str, own: list[str]) -> PointPath | FunctionPath:
    """Return a path from the ground to a body, over points of every kind; or a function."""
    between: list[Any] = [PathPoint(body="ground", at=draw(vectors))]
    if own:
        name = draw(st.sampled_from(own))
        if draw(st.booleans()):
            return FunctionPath(length=Linear(coordinate=name, slope=draw(numbers), offset=draw(numbers)))
        if draw(st.booleans()):
            between.append(
                MovingPoint(body=body, at=(Linear(coordinate=name, slope=draw(numbers)), draw(numbers), 0.0))
            )
        if draw(st.booleans()):
            between.append(ConditionalPoint(body=body, at=draw(vectors), coordinate=name, range=(-1.0, 0.5)))
    return PointPath(points=(*between, PathPoint(body=body, at=draw(vectors))))


@st.composite
def opensim_forces(draw: st.DrawFn, body: str, own: list[str]) -> Any:
    """Return a force of one of the kinds that come from OpenSim, between the ground and a body."""
    axes = draw(st.sampled_from(["ground", "body"]))
    limits = draw(st.none() | st.just((-1.0, 1.0)))
    frame = Placement(body=body, at=draw(vectors), orientation=(draw(angles), 0.0, draw(angles)))
    sphere = {
        "body": "ground",
        "at": draw(vectors),
        "radius": draw(positives),
        "plane": frame,
        "stiffness": draw(positives),
    }
    curve = Spline(coordinate="length", x=(1.0, 1.1, 1.3), y=draw(vectors), ends="cubic")
    match draw(
        st.sampled_from(["torque", "point", "line", "path", "bushing", "spring", "ligament", "sphere", "smooth", "tip"])
    ):
        case "torque":
            return TorqueActuator(
                body=body,
                reaction=draw(st.sampled_from([None, "ground"])),
                axis=draw(directions),
                axes=axes,
                gain=draw(numbers),
                control_range=limits,
            )
        case "point":
            return PointActuator(
                body=body, at=draw(vectors), at_frame=axes, direction=draw(directions), gain=draw(numbers)
            )
        case "line":
            return LineActuator(
                start=Marker(body="ground", at=draw(vectors)), end=Marker(body=body), control_range=limits
            )
        case "path":
            return PathActuator(path=draw(paths(body, own)), gain=draw(numbers), control_range=limits)
        case "bushing":
            stiffness = draw(st.tuples(positives, positives, positives))
            return Bushing(
                first=Placement(body="ground"),
                second=frame,
                rotational_stiffness=stiffness,
                translational_damping=stiffness,
            )
        case "spring":
            return PathSpring(path=draw(paths(body, own)), rest_length=draw(positives), stiffness=draw(positives))
        case "ligament":
            return CurveLigament(
                path=draw(paths(body, own)), slack_length=draw(positives), scale=draw(positives), curve=curve
            )
        case "tip":
            return ContactPoint(body=body, at=draw(vectors), stiffness=draw(positives), friction=draw(positives))
        case "sphere":
            return HuntCrossleyContact(
                **sphere, sphere_share=draw(st.floats(0.0, 1.0)), static_friction=draw(positives)
            )
        case _:
            return SmoothSphereContact(**sphere, dissipation=draw(positives), hertz_smoothing=draw(positives))


@st.composite
def forces(draw: st.DrawFn, bodies: list[str], own: list[str]) -> Any:
    body = draw(st.sampled_from(bodies))
    kinds = ["push", "twist", "band", "ligament", "contact", "opensim"] + (
        ["motor", "spring", "stop", "edge"] if own else []
    )
    kind = draw(st.sampled_from(kinds))
    if kind == "opensim":
        return draw(opensim_forces(body, own))
    axes = draw(st.sampled_from(["ground", "body"]))
    match kind:
        case "push":
            return PointForce(
                body=body, at=draw(vectors), force=draw(vectors), axes=axes, controlled=draw(st.booleans())
            )
        case "twist":
            return BodyTorque(body=body, torque=draw(vectors), axes=axes)
        case "band":
            return PointSpring(
                start=Marker(body="ground", at=draw(vectors)), end=Marker(body=body), stiffness=draw(positives)
            )
        case "ligament":
            return Ligament(path=draw(paths(body, own)), slack_length=draw(positives), stiffness=draw(positives))
        case "contact":
            radii = draw(st.tuples(positives, positives, positives))
            return EllipsoidContact(
                body="ground", centre=draw(vectors), radii=radii, point=Marker(body=body), stiffness=draw(positives)
            )
        case "motor":
            limits = draw(st.none() | st.just((-1.0, 1.0)))
            return CoordinateActuator(coordinate=draw(st.sampled_from(own)), gain=draw(numbers), control_range=limits)
        case "spring":
            return TorsionSpring(coordinate=draw(st.sampled_from(own)), stiffness=draw(positives), rest=draw(numbers))
        case "edge":
            return CoordinateLimit(
                coordinate=draw(st.sampled_from(own)),
                lower=-1.0,
                upper=2.0,
                lower_stiffness=draw(positives),
                upper_stiffness=draw(positives),
                transition=draw(positives),
            )
        case _:
            return JointLimit(coordinate=draw(st.sampled_from(own)), lower=-1.0, upper=2.0, stiffness=draw(positives))


@st.composite
def models(draw: st.DrawFn) -> Model:
    fresh = draw(st.lists(names, min_size=40, max_size=40, unique=True))
    bodies = [fresh.pop() for _ in range(draw(st.integers(0, 3)))]
    table = {}
    for number, body in enumerate(bodies):
        parent = draw(st.sampled_from(["ground", *bodies[:number]]))
        table[fresh.pop()] = draw(joints(parent, body, fresh))
    own = [name for joint in table.values() for name in joint.coordinates]
    acting = {fresh.pop(): draw(forces(bodies, own)) for _ in range(draw(st.integers(0, 4)) if bodies else 0)}
    return Model(
        name=draw(names),
        source=draw(
            st.text(max_size=300)
            | st.just("a b, c: d; e")
            | st.just("one\ntwo\n\n three\n")
            | st.just("word " * 60 + ".")
        ),
        gravity=draw(vectors),
        bodies={
            name: Body(mass=draw(positives), centre_of_mass=draw(vectors), inertia=draw(inertias())) for name in bodies
        },
        joints=table,
        markers={fresh.pop(): Marker(body=draw(st.sampled_from(["ground", *bodies])), at=draw(vectors))},
        forces=acting,
        free_values=("gravity.y",) if draw(st.booleans()) else (),
    )


@FEW
@given(models())
def test_every_model_reads_back_equal_and_validates(model: Model) -> None:
    text = model_text(model)
    again = model_from(text.encode(), "m.yaml")
    assert again == model
    assert again.hash == model.hash
    assert model_text(again) == text
    VALIDATOR.validate(read_tree(text.encode(), "m.yaml"))


@FEW
@given(st.text(max_size=400, alphabet=st.characters(exclude_categories=("Cs",))))
def test_every_text_reads_back(text: str) -> None:
    model = Model(name="m", source=text)
    assert model_from(model_text(model).encode(), "m.yaml").source == text


@FEW
@given(
    st.lists(
        st.sampled_from(
            ["a", " ", "  ", "\n", "\n\n", "- b", "#", ": ", "'", '"', "\t", "word" * 30, "é", "\x85", "|"]
        ),
        max_size=12,
    )
)
def test_every_layout_of_text_reads_back(pieces: list[str]) -> None:
    model = Model(name="m", source="".join(pieces))
    assert model_from(model_text(model).encode(), "m.yaml") == model


@pytest.mark.parametrize("name", ODD_NAMES)
def test_every_name_reads_back_as_key_value_and_item(name: str) -> None:
    rod = Model(
        name=name,
        bodies={name: Body(mass=1.0)},
        joints={"joint": weld("ground", name)},
        markers={"marker": Marker(body=name)},
    )
    assert model_from(model_text(rod).encode(), "m.yaml") == rod
    turning = Model(
        name="m", bodies={"b": Body(mass=1.0)}, joints={name: ball("ground", "b", (name, "second", "third"))}
    )
    assert model_from(model_text(turning).encode(), "m.yaml") == turning


SHORT_FORMS = {
    "weld: {}": weld("ground", "b"),
    "pin: {coordinate: q}": pin("ground", "b", "q"),
    "pin: {coordinate: q, axis: -x, range: [-1.0, 2.0], locked: true}": pin(
        "ground", "b", "q", axis="-x", range=(-1, 2), locked=True
    ),
    "pin: {coordinate: q, axis: [0.6, 0.8, 0.0]}": pin("ground", "b", "q", axis=(0.6, 0.8, 0.0)),
    "slider: {coordinate: q, default: 0.5}": slider("ground", "b", "q", default=0.5),
    "slider: {coordinate: q, axis: y}": slider("ground", "b", "q", axis="y"),
    "universal: {coordinates: [p, q]}": universal("ground", "b", ("p", "q")),
    "universal: {coordinates: [p, q], axes: [z, -y]}": universal("ground", "b", ("p", "q"), axes=("z", "-y")),
    "ball: {coordinates: [p, q, r]}": ball("ground", "b", ("p", "q", "r")),
    "ball: {coordinates: {p: {range: [-1.0, 1.0]}, q: {}, r: {}}, sequence: zxy}": ball(
        "ground", "b", ("p", "q", "r"), "zxy", p={"range": (-1, 1)}
    ),
    "planar: {coordinates: [x, y, turn]}": planar("ground", "b", ("x", "y", "turn")),
    "free: {coordinates: [x, y, z, p, q, r], sequence: zxz}": free(
        "ground", "b", ("x", "y", "z", "p", "q", "r"), "zxz"
    ),
}


@pytest.mark.parametrize("form", SHORT_FORMS)
def test_joints_are_written_short_and_mean_what_the_constructor_means(form: str) -> None:
    model = Model(name="m", bodies={"b": Body(mass=1.0)}, joints={"joint": SHORT_FORMS[form]})
    text = model_text(model)
    assert text.endswith(f"joints:\n  joint:\n    parent: ground\n    child: b\n    {form}\n")
    assert model_from(text.encode(), "m.yaml") == model


def _rotations(directions: str) -> list[Axis]:
    return [Axis(motion="rotation", direction=d, function=c) for d, c in zip(directions, "pqr", strict=False)]


LONG_FORMS = {
    "axis by a number": Joint(
        parent=Placement(body="ground"),
        child=Placement(body="b"),
        axes=[Axis(motion="rotation", direction="z", function=0.5)],
    ),
    "coordinates in another order": Joint(
        parent=Placement(body="ground"),
        child=Placement(body="b"),
        coordinates={c: Coordinate() for c in "qpr"},
        axes=_rotations("xyz"),
    ),
    "equal neighbours": Joint(
        parent=Placement(body="ground"),
        child=Placement(body="b"),
        coordinates={c: Coordinate() for c in "pqr"},
        axes=_rotations("xxy"),
    ),
    "one coordinate twice": Joint(
        parent=Placement(body="ground"),
        child=Placement(body="b"),
        coordinates={"p": Coordinate()},
        axes=[Axis(motion="rotation", direction=d, function="p") for d in "xy"],
    ),
    "slope": Joint(
        parent=Placement(body="ground"),
        child=Placement(body="b"),
        coordinates={"p": Coordinate()},
        axes=[Axis(motion="rotation", direction="x", function=Linear(coordinate="p", slope=2.0))],
    ),
    "minus zero offset": Joint(
        parent=Placement(body="ground"),
        child=Placement(body="b"),
        coordinates={"p": Coordinate()},
        axes=[Axis(motion="rotation", direction="x", function=Linear(coordinate="p", offset=-0.0))],
    ),
}


@pytest.mark.parametrize("case", LONG_FORMS)
def test_other_joints_are_written_in_full(case: str) -> None:
    model = Model(name="m", bodies={"b": Body(mass=1.0)}, joints={"joint": LONG_FORMS[case]})
    text = model_text(model)
    assert "    axes:" in text
    again = model_from(text.encode(), "m.yaml")
    assert again == model and again.hash == model.hash


def test_the_text_is_easy_to_read() -> None:
    knee = Spline(coordinate="flexion", x=tuple(n / 10 for n in range(20)), y=tuple(n * n / 1000 for n in range(20)))
    leg = Model(
        name="leg",
        source="A source that is told at some length, so that it does not fit on one line of the file: it is folded at blanks.",
        bodies={
            "thigh": Body(mass=7.5, centre_of_mass=(0, -0.186, 0), inertia=Inertia(xx=0.12, yy=0.02, zz=0.12)),
            "shank": Body(mass=3.5, inertia=0.06),
        },
        joints={
            "hip": free("ground", "thigh", ("x", "y", "z", "a", "b", "c")),
            "knee": Joint(
                parent=Placement(body="thigh", at=(0, -0.43, 0)),
                child=Placement(body="shank"),
                coordinates={"flexion": {"range": (-2.4, 0)}},
                axes=[
                    Axis(motion="rotation", direction="z", function="flexion"),
                    Axis(motion="translation", direction="x", function=knee),
                ],
            ),
        },
        forces={"no": TorsionSpring(coordinate="flexion", stiffness=1e-5)},
    ).free("thigh.mass")
    assert (
        model_text(leg)
        == """\
name: leg
source: >-
  A source that is told at some length, so that it does not fit on one line of the file: it is
  folded at blanks.
bodies:
  thigh: {mass: 7.5, centre_of_mass: [0.0, -0.186, 0.0], inertia: {xx: 0.12, yy: 0.02, zz: 0.12}}
  shank: {mass: 3.5, inertia: 0.06}
joints:
  hip:
    parent: ground
    child: thigh
    free: {coordinates: [x, y, z, a, b, c]}
  knee:
    parent: {body: thigh, at: [0.0, -0.43, 0.0]}
    child: shank
    coordinates: {flexion: {range: [-2.4, 0.0]}}
    axes:
      - {motion: rotation, direction: z, function: flexion}
      - motion: translation
        direction: x
        function:
          kind: spline
          coordinate: flexion
          x: [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6,
              1.7, 1.8, 1.9]
          y: [0.0, 0.001, 0.004, 0.009, 0.016, 0.025, 0.036, 0.049, 0.064, 0.081, 0.1, 0.121, 0.144,
              0.169, 0.196, 0.225, 0.256, 0.289, 0.324, 0.361]
forces:
  "no": {kind: torsion_spring, coordinate: flexion, stiffness: 1.0e-05}
free_values: [thigh.mass]
"""
    )
    assert model_from(model_text(leg).encode(), "leg.yaml") == leg


def test_saving_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    model = Model(name="m", bodies={"b": Body(mass=1 / 3)}, joints={"j": pin("ground", "b", "q", axis=(1, 2, 3))})
    save_model(model, tmp_path / "first.yaml")
    save_model(load_model(tmp_path / "first.yaml"), tmp_path / "second.yml")
    assert (tmp_path / "first.yaml").read_bytes() == (tmp_path / "second.yml").read_bytes()
    assert load_model(str(tmp_path / "second.yml")) == model


def test_the_data_of_a_model_is_itself_a_file() -> None:
    model = Model(name="m", bodies={"b": Body(mass=1.0)}, joints={"j": pin("ground", "b", "q")})
    assert model_from(json.dumps(model.model_dump(mode="json")).encode(), "m.yaml") == model
