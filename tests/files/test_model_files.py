"""Loading by name and by path, saving, and the grammar of model files with its JSON schema."""

from __future__ import annotations

import inspect
import json
import math
import os
import re
import warnings
from pathlib import Path

import jsonschema
import pytest

from myodyne.errors import FileError, ModelError
from myodyne.files import builtin_models, load_model, model_schema, save_model, shipped
from myodyne.files.models import builtin
from myodyne.files.models.grammar import JointEntry
from myodyne.files.models.load import model_from
from myodyne.files.models.schema import DIALECT, schema_text
from myodyne.files.models.yaml_reader import read_tree
from myodyne.model import (
    Body,
    Constant,
    Joint,
    Linear,
    Model,
    Named,
    Product,
    ball,
    free,
    pin,
    planar,
    slider,
    universal,
    weld,
)
from myodyne.model.joints import CONSTRUCTORS
from myodyne.model.part import AXES

REPOSITORY = Path(__file__).parents[2]
VALIDATOR = jsonschema.Draft202012Validator(model_schema())
ROD = "name: rod\nbodies:\n  rod: {mass: 1}\njoints:\n  pivot: {parent: ground, child: rod, pin: {coordinate: angle}}\n"


def read(text: str) -> Model:
    return model_from(text.encode(), "test.yaml")


def joint_of(form: str) -> Joint:
    head = "name: m\nbodies: {b: {mass: 1}}\njoints:\n  j:\n    parent: ground\n    child: b\n"
    return read(f"{head}    {form}\n").joints["j"]


# --- by name ------------------------------------------------------------------------------------------------


def test_builtin_models_are_the_files_of_the_folder() -> None:
    found = builtin_models()
    assert found == tuple(sorted(path.stem for path in (REPOSITORY / "models").glob("*.yaml")))


def test_every_builtin_loads_names_its_source_and_validates() -> None:
    for name in builtin_models():
        model = load_model(name)
        assert model.source, name
        tree = read_tree((REPOSITORY / "models" / f"{name}.yaml").read_bytes(), name)
        assert not list(VALIDATOR.iter_errors(tree)), name


@pytest.fixture
def own_builtins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "pendulum.yaml").write_text(ROD)
    (tmp_path / "models" / "notes.txt").write_text("not a model")
    monkeypatch.setattr(shipped, "files", lambda package: tmp_path)
    return tmp_path


def test_models_inside_the_package_come_first(own_builtins: Path) -> None:
    assert builtin_models() == ("pendulum",)
    assert load_model("pendulum").name == "rod"


def test_unknown_names_are_answered_with_the_nearest(own_builtins: Path) -> None:
    with pytest.raises(FileError, match=r"unknown built-in model 'pendulm': did you mean 'pendulum'\?.* ends in .yaml"):
        load_model("pendulm")
    with pytest.raises(FileError, match="unknown built-in model"):
        load_model("")


def test_without_any_models_the_list_is_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtin, "shipped_files", lambda folder, suffix: {})
    assert builtin_models() == ()
    with pytest.raises(FileError, match="there are none"):
        load_model("pendulum")


# --- by path ------------------------------------------------------------------------------------------------


def test_paths_may_be_text_or_path_and_end_in_yml(tmp_path: Path) -> None:
    path = tmp_path / "rod.YML"
    path.write_text(ROD)
    assert load_model(path) == load_model(str(path)) == read(ROD)


def test_a_byte_order_mark_and_other_line_ends_are_tolerated() -> None:
    content = ROD.replace("\n", "\r\n").encode()
    assert model_from(b"\xef\xbb\xbf" + content, "rod.yaml") == read(ROD)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 1e-3),
        ("1E3", 1e3),
        ("+1.5", 1.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("1", 1.0),
        ("0x10", 16.0),
        ("0o17", 15.0),
        ("017", 17.0),
        ("123456789012345678901234567890", 1.2345678901234568e29),
        ("1e-400", 0.0),
    ],
)
def test_numbers_follow_yaml_1_2(text: str, value: float) -> None:
    assert read(f"name: m\ngravity: [{text}, 0, 0]").gravity[0] == value


def test_minus_zero_is_kept() -> None:
    assert math.copysign(1.0, read("name: m\ngravity: [-0.0, 0, 0]").gravity[0]) == -1.0


@pytest.mark.parametrize(
    "text", ["yes", "no", "on", "off", "12:30:45", "2001-01-01", "1_000", "0b11", "y", "nan", "inf", "=", "None"]
)
def test_words_stay_words(text: str) -> None:
    assert read(f"name: {text}").name == text


def test_yaml_1_2_may_be_announced() -> None:
    assert read("%YAML 1.2\n---\nname: m\n...\n").name == "m"


# --- saving -------------------------------------------------------------------------------------------------


def test_saving_refuses_other_suffixes(tmp_path: Path) -> None:
    for name in ("rod.json", "rod", "rod.xml"):
        with pytest.raises(FileError, match=r"ends in .yaml, .yml or .osim"):
            save_model(read(ROD), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_saving_replaces_a_file_in_one_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rod.yaml"
    path.write_text("old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(FileError, match=r"rod.yaml: cannot be written: No space left"):
            save_model(read(ROD), path)
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]
    save_model(read(ROD), path)
    assert load_model(path) == read(ROD) and list(tmp_path.iterdir()) == [path]


def test_saving_into_nowhere(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="there is no folder"):
        save_model(read(ROD), tmp_path / "none" / "rod.yaml")
    (tmp_path / "folder.yaml").mkdir()
    with pytest.raises(FileError, match="is a folder"):
        save_model(read(ROD), tmp_path / "folder.yaml")


def test_saving_takes_a_model_and_then_a_path(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="a model and then a path"):
        save_model("rod.yaml", read(ROD))  # type: ignore[arg-type]
    with pytest.raises(FileError, match="a model and then a path"):
        save_model(read(ROD), 5)  # type: ignore[arg-type]


def test_what_could_not_be_read_back_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be written so that it reads back: its text, line 2, field source"):
        save_model(Model(name="m", source="\ud800"), tmp_path / "m.yaml")
    function: Linear | Product = Linear(coordinate="q")
    for _ in range(40):
        function = Product(factors=[function, Constant(value=2.0)])
    deep = Model(
        name="m",
        bodies={"b": Body(mass=1.0)},
        joints={
            "j": Joint(
                parent={"body": "ground"},
                child={"body": "b"},
                coordinates={"q": {}},
                axes=[{"motion": "rotation", "direction": "x", "function": function}],
            )
        },
    )
    with pytest.raises(FileError, match="nested more than 40 deep"):
        save_model(deep, tmp_path / "m.yaml")
    assert not list(tmp_path.iterdir())


# --- short forms --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "joint"),
    [
        ("weld: {}", weld("ground", "b")),
        ("pin: {coordinate: q}", pin("ground", "b", "q")),
        (
            "pin: {coordinate: q, axis: [0, 3, 4], default: 0.1, range: [-1, 1], locked: true, default_speed: 2}",
            pin("ground", "b", "q", axis=(0, 3, 4), default=0.1, range=(-1, 1), locked=True, default_speed=2),
        ),
        ("slider: {coordinate: q}", slider("ground", "b", "q")),
        ("universal: {coordinates: [p, q]}", universal("ground", "b", ("p", "q"))),
        (
            "universal: {coordinates: {p: {default: 1}, q: {}}, axes: [z, [1, 1, 0]]}",
            universal("ground", "b", ("p", "q"), axes=("z", (1, 1, 0)), p={"default": 1}),
        ),
        ("ball: {coordinates: [p, q, r]}", ball("ground", "b", ("p", "q", "r"))),
        ("ball: {coordinates: [p, q, r], sequence: zxz}", ball("ground", "b", ("p", "q", "r"), "zxz")),
        ("planar: {coordinates: [x, y, turn]}", planar("ground", "b", ("x", "y", "turn"))),
        (
            "free: {coordinates: {x: {}, y: {default: 1}, z: {}, p: {}, q: {}, r: {range: [0, 1]}}}",
            free("ground", "b", ("x", "y", "z", "p", "q", "r"), y={"default": 1}, r={"range": (0, 1)}),
        ),
    ],
)
def test_short_forms_mean_what_the_constructors_mean(form: str, joint: Joint) -> None:
    assert joint_of(form) == joint


def test_every_constructor_has_a_short_form_with_its_defaults() -> None:
    for kind, construct in CONSTRUCTORS.items():
        form = JointEntry.model_fields[kind].annotation
        assert form is not None
        defaults = {
            name: parameter.default
            for name, parameter in inspect.signature(construct).parameters.items()
            if parameter.default is not inspect.Parameter.empty
        }
        for name, default in defaults.items():
            shown = form.model_fields[name].default
            expected = tuple(AXES[letter] for letter in default) if name == "axes" else AXES.get(default, default)
            assert shown == expected, (kind, name)


def test_functions_may_be_names_and_numbers() -> None:
    joint = joint_of(
        "coordinates: {q: {}}\n    axes: [{motion: rotation, direction: -y, function: q}, "
        "{motion: translation, direction: x, function: 0.5}]"
    )
    assert joint.axes[0].function == Linear(coordinate="q")
    assert joint.axes[1].function == Constant(value=0.5)


# --- the schema ---------------------------------------------------------------------------------------------


def test_the_published_schema_is_current() -> None:
    published = (REPOSITORY / "docs" / "model.schema.json").read_text(encoding="utf-8")
    assert json.loads(published) == model_schema(), (
        "write it anew: pathlib.Path('docs/model.schema.json').write_text(myodyne.files.models.schema.schema_text())"
    )
    assert published == schema_text()


def test_the_schema_is_itself_valid_and_made_without_warnings() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        schema = model_schema()
        assert Model.model_json_schema()["properties"]["bodies"]["default"] == {}
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == DIALECT


VALID = [
    ROD,
    "name: m",
    "name: m\nbodies: {b: {mass: 1, inertia: 0.1}}\njoints: {j: {parent: {body: ground}, child: b, weld: {}}}",
    "name: m\njoints: {j: {parent: a, child: b, axes: [{motion: rotation, direction: -x, function: 1}]}}",
    "name: m\njoints: {j: {parent: a, child: b, ball: {coordinates: {p: {range: [0, 1]}, q: {}, r: {}}, sequence: zxz}}}",
    "name: m\nforces: {f: {kind: coordinate_actuator, coordinate: q, control_range: null}}",
]
INVALID = {
    "no name": "bodies: {}",
    "unknown field": "name: m\nbodys: {}",
    "negative mass": "name: m\nbodies: {b: {mass: -1}}",
    "mass as text": "name: m\nbodies: {b: {mass: '1'}}",
    "mass missing": "name: m\nbodies: {b: {}}",
    "negative inertia": "name: m\nbodies: {b: {mass: 1, inertia: -1}}",
    "short vector": "name: m\ngravity: [0, 1]",
    "bodies as a list": "name: m\nbodies: [b]",
    "joint without a motion": "name: m\njoints: {j: {parent: a, child: b}}",
    "joint with two motions": "name: m\njoints: {j: {parent: a, child: b, weld: {}, pin: {coordinate: q}}}",
    "coordinates beside a short form": "name: m\njoints: {j: {parent: a, child: b, weld: {}, coordinates: {q: {}}}}",
    "empty short form": "name: m\njoints: {j: {parent: a, child: b, weld: }}",
    "pin without a coordinate": "name: m\njoints: {j: {parent: a, child: b, pin: {axis: z}}}",
    "unknown axis": "name: m\njoints: {j: {parent: a, child: b, pin: {coordinate: q, axis: w}}}",
    "two coordinates for a ball": "name: m\njoints: {j: {parent: a, child: b, ball: {coordinates: [p, q]}}}",
    "doubled coordinate": "name: m\njoints: {j: {parent: a, child: b, universal: {coordinates: [p, p]}}}",
    "impossible sequence": "name: m\njoints: {j: {parent: a, child: b, ball: {coordinates: [p, q, r], sequence: xxy}}}",
    "seven axes": "name: m\njoints: {j: {parent: a, child: b, axes: ["
    + ", ".join(["{motion: rotation, direction: x, function: 0}"] * 7)
    + "]}}",
    "unknown function": "name: m\njoints: {j: {parent: a, child: b, axes: [{motion: rotation, direction: x, function: {kind: f}}]}}",
    "unknown force": "name: m\nforces: {f: {kind: magic}}",
    "force without a kind": "name: m\nforces: {f: {coordinate: q}}",
    "number of a name": "name: 5",
}


@pytest.mark.parametrize("text", VALID)
def test_the_schema_allows_what_is_well_formed(text: str) -> None:
    VALIDATOR.validate(read_tree(text.encode(), "m.yaml"))


@pytest.mark.parametrize("case", INVALID)
def test_the_schema_refuses_what_the_reader_refuses(case: str) -> None:
    tree = read_tree(INVALID[case].encode(), "m.yaml")
    assert list(VALIDATOR.iter_errors(tree))
    with pytest.raises(ModelError):
        read(INVALID[case])


def test_an_empty_table_has_a_schema_of_its_own() -> None:
    assert Named() == Model(name="m").bodies
    assert Model.model_json_schema()["properties"]["joints"]["default"] == {}


# --- the guide ----------------------------------------------------------------------------------------------


def test_the_models_of_the_guide_load_and_validate() -> None:
    guide = (REPOSITORY / "docs" / "guide" / "model_files.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```yaml\n(.*?)```", guide, flags=re.DOTALL)
    assert len(blocks) >= 4
    for block in blocks:
        assert model_from(block.encode(), "guide.yaml").name
        VALIDATOR.validate(read_tree(block.encode(), "guide.yaml"))


def test_the_guide_names_every_kind_of_part() -> None:
    guide = (REPOSITORY / "docs" / "guide" / "model_files.md").read_text(encoding="utf-8")
    for kind in CONSTRUCTORS:
        assert f"| `{kind}: {{" in guide
    schema = model_schema()
    for table in ("forces", "constraints"):
        for kind in schema["properties"][table]["additionalProperties"]["discriminator"]["mapping"]:
            assert f"| `{kind}` |" in guide
    muscle = schema["$defs"]["Muscle"]["properties"]
    for field in muscle:
        assert re.search(rf"^\| .*`{field}`.* \|", guide, flags=re.MULTILINE), field
    for field in ("curves", "activation"):
        row = next(line for line in guide.splitlines() if line.startswith(f"| `{field}` |"))
        for kind in muscle[field]["discriminator"]["mapping"]:
            assert f"`{kind}`" in row
    for field in schema["properties"]:
        assert f"| `{field}` |" in guide


def test_the_messages_of_the_guide_are_those_of_the_reader() -> None:
    guide = (REPOSITORY / "docs" / "guide" / "model_files.md").read_text(encoding="utf-8")
    leg = re.findall(r"```yaml\n(.*?)```", guide, flags=re.DOTALL)[0]
    shown = re.findall(r"```text\n(.*?)```", guide, flags=re.DOTALL)[0].splitlines()
    wrong = leg.replace("mass: 7.5", "mas: 7.5").replace("range: [-2.4, 0]", "range: [-120, 0]")
    with pytest.raises(ModelError) as caught:
        model_from(wrong.encode(), "leg.yaml")
    assert str(caught.value).splitlines() == shown
