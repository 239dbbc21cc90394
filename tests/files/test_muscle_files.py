"""Muscles in model files: their short forms, their schema, and what is said of wrong ones."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest
import yaml

import myodyne as my
from myodyne.files.models.load import model_from

ARM = """\
name: arm
bodies:
  arm: {mass: 2, centre_of_mass: [0, -0.15, 0], inertia: 0.02}
  forearm: {mass: 1.2, centre_of_mass: [0, -0.14, 0], inertia: 0.012}
joints:
  shoulder: {parent: ground, child: arm, pin: {coordinate: shoulder}}
  elbow: {parent: {body: arm, at: [0, -0.3, 0]}, child: forearm, pin: {coordinate: elbow, range: [0, 2.4]}}
muscles:
  brachialis:
    max_force: 900
    optimal_fibre_length: 0.1
    tendon_slack_length: 0.06
    path: {points: [[arm, [0.01, -0.15, 0]], [forearm, [0.012, -0.03, 0]]]}
  biceps:
    max_force: 600
    optimal_fibre_length: 0.14
    tendon_slack_length: 0.17
    pennation: 0.1
    damping: 0.01
    curves: {kind: millard_2012, tendon_strain: 0.05}
    activation: {kind: hatze_1977}
    path:
      points:
        - {body: ground, at: [0.02, 0.03, 0]}
        - {kind: conditional, body: arm, at: [0.03, -0.1, 0], coordinate: shoulder, range: [-1, 0.2]}
        - {kind: moving, body: forearm, at: [{kind: linear, coordinate: elbow, slope: 0.002, offset: 0.02}, -0.04, 0]}
  triceps:
    max_force: 1500
    optimal_fibre_length: 0.13
    tendon_slack_length: 0
    tendon: rigid
    curves: {kind: thelen_2003}
    activation: {kind: none}
    path: {length: {kind: polynomial, of: [elbow], terms: [{coefficient: 0.13, powers: [0]}, {coefficient: 0.02, powers: [1]}]}}
forces:
  band: {kind: ligament, path: {length: {kind: linear, coordinate: elbow, slope: 0.02}}, slack_length: 0.04, stiffness: 1000}
"""
POINTS = "{points: [[arm, [0.01, -0.15, 0]], [forearm, [0.012, -0.03, 0]]]}"
# What is exchanged, for what, the field that is named, and what is said.
WRONG = {
    "path without content": (POINTS, "{}", "brachialis.path", "a path has 'points', or a 'length'"),
    "path with both": (POINTS, f"{POINTS[:-1]}, length: elbow}}", "brachialis.path", "one of them"),
    "path misspelt": ("{points: [[arm", "{pionts: [[arm", "brachialis.path", "a path has 'points'"),
    "path as a list": (
        POINTS,
        "[[arm, [0, 0, 0]], [forearm, [0, 0, 0]]]",
        "brachialis.path",
        "{points: [[body, [x, y, z]]",
    ),
    "one point": (
        POINTS,
        "{points: [[arm, [0, 0, 0]]]}",
        "brachialis.path.points",
        "must have at least 2 items, not 1",
    ),
    "no points": (POINTS, "{points: []}", "brachialis.path.points", "must have at least 2 items, not 0"),
    "bare names": (
        POINTS,
        "{points: [arm, forearm]}",
        "brachialis.path.points.0",
        "a point of a path is [body, [x, y, z]]",
    ),
    "three entries": (
        "[arm, [0.01, -0.15, 0]]",
        "[arm, [0, 0, 0], 3]",
        "brachialis.path.points.0",
        "[body, [x, y, z]]",
    ),
    "kind of point": ("kind: moving", "kind: movng", "biceps.path.points.2", "did you mean 'moving'"),
    "field of a point": (
        "coordinate: shoulder, range",
        "coordinte: shoulder, range",
        "biceps.path.points.1.coordinte",
        "did you mean 'coordinate'",
    ),
    "all on one body": ("[forearm, [0.012", "[arm, [0.012", "brachialis.path", "it would have no effect"),
    "inverted range": ("[-1, 0.2]", "[0.2, -1]", "biceps.path.points.1", "is empty or inverted"),
    "range in degrees": ("[-1, 0.2]", "[-60, 10]", "biceps.path.points.1.range", "degrees? use my.degrees"),
    "conditional end": (
        "kind: moving, body: forearm, at: [{kind: linear, coordinate: elbow, slope: 0.002, offset: 0.02},",
        "kind: conditional, body: forearm, coordinate: elbow, range: [0, 1], at: [0,",
        "biceps.path",
        "the last point of a path cannot be conditional",
    ),
    "kind of curves": ("kind: millard_2012", "kind: milard_2012", "biceps.curves", "did you mean 'millard_2012'"),
    "field of curves": ("tendon_strain: 0.05", "tendon_strian: 0.05", "biceps.curves.tendon_strian", "'tendon_strain'"),
    "name of a body": ("  brachialis:", "  forearm:", "muscles.forearm", "has the name of a body"),
    "not a number": ("max_force: 900", "max_force: .nan", "brachialis.max_force", "must be a finite number, not nan"),
}


def test_muscles_of_every_kind_load_and_are_written_back(tmp_path: Path) -> None:
    model = model_from(ARM.encode(), "arm.yaml")
    assert model.controls == ("brachialis", "biceps", "triceps")
    my.save_model(model, tmp_path / "arm.yaml")
    assert my.load_model(tmp_path / "arm.yaml") == model


def test_the_schema_allows_short_forms_of_paths_and_refuses_wrong_ones() -> None:
    validator = jsonschema.Draft202012Validator(my.model_schema())
    assert [*validator.iter_errors(yaml.safe_load(ARM))] == []
    # What only relations between fields or parts tell is beyond a schema.
    beyond = {
        "all on one body",
        "inverted range",
        "range in degrees",
        "conditional end",
        "name of a body",
        "not a number",
    }
    allowed = {
        case for case, (old, new, *_) in WRONG.items() if validator.is_valid(yaml.safe_load(ARM.replace(old, new, 1)))
    }
    assert allowed == beyond


@pytest.mark.parametrize("case", WRONG)
def test_wrong_muscles_are_refused_with_line_and_field(case: str) -> None:
    old, new, field, words = WRONG[case]
    assert old in ARM
    text = ARM.replace(old, new, 1)
    with pytest.raises(my.ModelError) as refused:
        model_from(text.encode(), "arm.yaml")
    place = f"field {'' if field.startswith('muscles') else 'muscles.'}{field}: "
    told = [line for line in str(refused.value).splitlines() if place in line]
    assert told and words in told[0]
    line = int(told[0].split("line ")[1].partition(",")[0])
    assert field.split(".")[-1] in text.splitlines()[line - 1] or new.strip() in text.splitlines()[line - 1]


@pytest.mark.parametrize(
    ("coupled", "words"),
    [
        ("{kind: linear, coordinate: elbow, slope: 1}", "is coupled to itself: the couplings form a cycle"),
        ("{kind: linear, coordinate: elbw, slope: 1}", "did you mean 'elbow'"),
        ("{kind: linear, coordinate: shoulder, slope: 1}, locked: true", "is locked and coupled"),
    ],
)
def test_wrong_couplings_are_refused_where_they_stand(coupled: str, words: str) -> None:
    text = ARM.replace("range: [0, 2.4]}", f"coupled: {coupled}}}")
    with pytest.raises(my.ModelError, match=words) as refused:
        model_from(text.encode(), "arm.yaml")
    assert "line 7, field joints.elbow.pin.coordinate: " in str(refused.value)


def test_a_conditional_range_along_a_slide_is_in_metres() -> None:
    """What looks like degrees on a hinge is a plain length on a slider."""
    text = ARM.replace("pin: {coordinate: shoulder}", "slider: {coordinate: shoulder}").replace(
        "[-1, 0.2]", "[-60, 10]"
    )
    (point,) = [
        p for p in model_from(text.encode(), "arm.yaml").muscles["biceps"].path.points if p.kind == "conditional"
    ]
    assert point.range == (-60.0, 10.0)
