"""Files that are not models: each is refused in words that name file, line and field, and soon."""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from myodyne.errors import FileError, ModelError
from myodyne.files import load_model
from myodyne.files.models.yaml_reader import DEEPEST, LARGEST_FILE, MOST_VALUES

LEG = """\
name: leg
source: made up for tests
gravity: [0, -9.81, 0]
bodies:
  thigh: {mass: 7.5, centre_of_mass: [0, -0.186, 0], inertia: {xx: 0.12, yy: 0.02, zz: 0.12}}
  shank: {mass: 3.5, centre_of_mass: [0, -0.2, 0], inertia: 0.06}
  patella: {mass: 0.1, inertia: 1e-4}
joints:
  hip:
    parent: ground
    child: thigh
    ball: {coordinates: {flexion: {range: [-1, 2]}, adduction: {}, rotation: {}}, sequence: zxy}
  knee:
    parent: {body: thigh, at: [0, -0.43, 0]}
    child: shank
    pin: {coordinate: knee, axis: z, range: [-2.4, 0.0], default: -0.1}
  glide:
    parent: {body: shank, orientation: [0, 0, 0.1]}
    child: patella
    coordinates: {slide: {}}
    axes:
      - {motion: translation, direction: x, function: {kind: spline, coordinate: knee, x: [-2, -1, 0], y: [0.1, 0.2, 0.1]}}
      - {motion: translation, direction: [0, 1, 0], function: slide}
      - {motion: rotation, direction: -z, function: {kind: polynomial, of: [knee, slide], terms: [{coefficient: 1.5, powers: [1, 0]}]}}
      - {motion: rotation, direction: x, function: {kind: product, factors: [{kind: fourier, coordinate: knee, period: 6.28, sines: [0.1]}, 2.0]}}
markers:
  ankle: {body: shank, at: [0, -0.4, 0]}
forces:
  motor: {kind: coordinate_actuator, coordinate: knee, gain: 50, control_range: [-1, 1]}
  push: {kind: point_force, body: shank, force: [1, 0, 0]}
  twist: {kind: body_torque, body: thigh, torque: [0, 0, 1], controlled: true}
  band: {kind: point_spring, start: {body: ground}, end: {body: shank}, stiffness: 100}
  spring: {kind: torsion_spring, coordinate: knee, stiffness: 2}
  stop: {kind: joint_limit, coordinate: knee, lower: -2.4, upper: 0, stiffness: 500}
free_values: [thigh.mass]
"""


def changed(old: str, new: str) -> str:
    assert old in LEG
    return LEG.replace(old, new, 1)


# name: (text of the file, field named in the message, words in the message)
CONTENT: dict[str, tuple[str, str, str]] = {
    "negative mass": (changed("7.5", "-7.5"), "bodies.thigh.mass", "not -7.5"),
    "mass is text": (changed("7.5", "heavy"), "bodies.thigh.mass", "must be a number, not 'heavy'"),
    "mass in quotes": (changed("7.5", "'7.5'"), "bodies.thigh.mass", "without quotes"),
    "mass with a unit": (changed("7.5", "7.5 kg"), "bodies.thigh.mass", "a unit"),
    "mass is a bool": (changed("7.5", "true"), "bodies.thigh.mass", "must be a number, not true"),
    "mass is a list": (changed("7.5", "[7.5]"), "bodies.thigh.mass", "must be a number"),
    "mass is a table": (changed("7.5", "{kg: 7.5}"), "bodies.thigh.mass", "must be a number"),
    "mass is empty": (changed("mass: 7.5", "mass: "), "bodies.thigh.mass", "is empty"),
    "mass is null": (changed("7.5", "null"), "bodies.thigh.mass", "is empty"),
    "mass is NaN": (changed("7.5", ".nan"), "bodies.thigh.mass", "finite number, not nan"),
    "mass is infinite": (changed("7.5", ".inf"), "bodies.thigh.mass", "finite number, not inf"),
    "mass overflows": (changed("7.5", "1e999"), "bodies.thigh.mass", "finite number"),
    "mass of 5000 digits": (changed("7.5", "9" * 5000), "bodies.thigh.mass", "finite number"),
    "mass is missing": (changed("mass: 7.5, ", ""), "bodies.thigh.mass", "is missing"),
    "misspelt field": (changed("mass: 7.5", "mas: 7.5"), "bodies.thigh.mas", "did you mean 'mass'?"),
    "misspelt table": (changed("bodies:", "bodys:"), "bodys", "did you mean 'bodies'?"),
    "misspelt option": (
        changed("flexion: {range", "flexion: {rnage"),
        "joints.hip.ball.coordinates.flexion.rnage",
        "did you mean 'range'?",
    ),
    "misspelt short form": (changed("pin:", "pinn:"), "joints.knee.pinn", "did you mean 'pin'?"),
    "misspelt field of a function": (
        changed("period: 6.28", "periode: 6.28"),
        "joints.glide.axes.3.function.factors.0.periode",
        "did you mean 'period'?",
    ),
    "misspelt field of a force": (changed("gain: 50", "gian: 50"), "forces.motor.gian", "did you mean 'gain'?"),
    "misspelt field of a term": (
        changed("coefficient: 1.5", "coeficient: 1.5"),
        "joints.glide.axes.2.function.terms.0.coeficient",
        "did you mean 'coefficient'?",
    ),
    "triangle inequality": (changed("xx: 0.12", "xx: 1.2"), "bodies.thigh.inertia", "triangle inequality"),
    "negative moment of inertia": (changed("inertia: 0.06", "inertia: -0.06"), "bodies.shank.inertia", "0"),
    "products of inertia too large": (changed("zz: 0.12", "zz: 0.12, xz: 0.5"), "bodies.thigh.inertia", "negative"),
    "vector too short": (changed("[0, -9.81, 0]", "[0, -9.81]"), "gravity.2", "too short"),
    "vector too long": (changed("[0, -9.81, 0]", "[0, -9.81, 0, 0]"), "gravity", "at most 3 items, not 4"),
    "vector with text": (changed("[0, -9.81, 0]", "[0, down, 0]"), "gravity.1", "not 'down'"),
    "vector is a number": (changed("[0, -9.81, 0]", "-9.81"), "gravity", "must be a list"),
    "vector is a table": (changed("[0, -9.81, 0]", "{y: -9.81}"), "gravity", "must be a list"),
    "name is missing": (changed("name: leg\n", ""), "name", "is missing"),
    "name is a number": (changed("name: leg", "name: 5"), "name", "must be text"),
    "name is too long": (changed("name: leg", "name: " + "l" * 200), "name", "at most 120"),
    "name with a slash": (changed("name: leg", "name: a/b"), "name", "'/'"),
    "source is a list": (changed("source: made up for tests", "source: [a]"), "source", "must be text"),
    "bodies are a list": (
        changed(LEG[LEG.index("bodies:") : LEG.index("joints:")], "bodies: [thigh, shank]\n"),
        "bodies",
        "must be a table",
    ),
    "body is a number": (
        changed("patella: {mass: 0.1, inertia: 1e-4}", "patella: 0.1"),
        "bodies.patella",
        "must be a table of fields, not 0.1",
    ),
    "body without a name": (changed("patella: {mass", "'': {mass"), "bodies.", "at least 1"),
    "bodies are empty": (changed(LEG[LEG.index("  thigh:") : LEG.index("joints:")], ""), "bodies", "is empty"),
    "joint is a list": (
        changed(LEG[LEG.index("  knee:") : LEG.index("  glide:")], "  knee: [thigh, shank]\n"),
        "joints.knee",
        "must be a table",
    ),
    "unknown parent": (
        changed("body: thigh, at", "body: thihg, at"),
        "joints.knee.parent.body",
        "did you mean 'thigh'?",
    ),
    "unknown parent by name alone": (
        changed("parent: ground", "parent: grond"),
        "joints.hip.parent",
        "did you mean 'ground'?",
    ),
    "unknown child": (changed("child: shank", "child: shnak"), "joints.knee.child", "did you mean 'shank'?"),
    "parent is missing": (changed("    parent: ground\n", ""), "joints.hip.parent", "is missing"),
    "parent is a number": (changed("parent: ground", "parent: 5"), "joints.hip.parent", "must be a table"),
    "parent is turned in degrees": (changed("[0, 0, 0.1]", "[0, 0, 90]"), "joints.glide.parent.orientation.2", "6.3"),
    "cycle": (changed("parent: ground", "parent: shank"), "joints.hip.child", "cycle"),
    "joined to itself": (changed("body: thigh, at", "body: shank, at"), "joints.knee", "to itself"),
    "two parents": (changed("child: patella", "child: thigh"), "joints.glide.child", "already the child"),
    "no joint": (
        changed(LEG[LEG.index("  glide:") : LEG.index("markers:")], ""),
        "bodies.patella",
        "is the child of no joint",
    ),
    "ground as child": (changed("child: thigh", "child: ground"), "joints.hip.child", "ground cannot be the child"),
    "joint without a motion": (
        changed("    pin: {coordinate: knee, axis: z, range: [-2.4, 0.0], default: -0.1}\n", ""),
        "joints.knee",
        "does not say how it moves",
    ),
    "joint with two motions": (
        changed("    child: shank\n", "    child: shank\n    weld: {}\n"),
        "joints.knee",
        "several ways",
    ),
    "coordinates beside a short form": (
        changed("    child: shank\n", "    child: shank\n    coordinates: {a: {}}\n"),
        "joints.knee",
        "inside it",
    ),
    "short form is empty": (
        changed("pin: {coordinate: knee, axis: z, range: [-2.4, 0.0], default: -0.1}", "pin:"),
        "joints.knee.pin",
        "is empty",
    ),
    "pin without a coordinate": (changed("coordinate: knee, axis", "axis"), "joints.knee.pin.coordinate", "is missing"),
    "ball with two coordinates": (changed(", rotation: {}", ""), "joints.hip.ball.coordinates", "3 coordinates, not 2"),
    "ball with a doubled name": (
        changed("{flexion: {range: [-1, 2]}, adduction: {}, rotation: {}}", "[a, b, a]"),
        "joints.hip.ball.coordinates",
        "twice",
    ),
    "ball with numbers for names": (
        changed("{flexion: {range: [-1, 2]}, adduction: {}, rotation: {}}", "[1, 2, 3]"),
        "joints.hip.ball.coordinates",
        "by name",
    ),
    "impossible sequence": (changed("sequence: zxy", "sequence: zzy"), "joints.hip.ball.sequence", "'zzy'"),
    "sequence is a number": (changed("sequence: zxy", "sequence: 123"), "joints.hip.ball.sequence", "must be text"),
    "range in degrees": (changed("[-2.4, 0.0]", "[-120, 0]"), "joints.knee.pin.range", "are these degrees?"),
    "range in degrees, ball": (
        changed("range: [-1, 2]", "range: [-60, 120]"),
        "joints.hip.ball.coordinates.flexion.range",
        "are these degrees?",
    ),
    "default outside the range": (changed("default: -0.1", "default: -5"), "joints.knee.pin", "outside the range"),
    "range inverted": (changed("[-2.4, 0.0]", "[0.0, -2.4]"), "joints.knee.pin", "inverted"),
    "range of one number": (changed("[-2.4, 0.0]", "[-2.4]"), "joints.knee.pin.range.1", "too short"),
    "locked by a word": (changed("default: -0.1", "locked: yes"), "joints.knee.pin.locked", "true or false, not 'yes'"),
    "unknown axis": (changed("axis: z", "axis: w"), "joints.knee.pin.axis", "x, y, z"),
    "zero direction": (changed("axis: z", "axis: [0, 0, 0]"), "joints.knee.pin.axis", "zero vector"),
    "direction with NaN": (changed("axis: z", "axis: [0, .nan, 1]"), "joints.knee.pin.axis.1", "finite"),
    "seven axes": (
        changed("    axes:\n", "    axes:\n" + 3 * "      - {motion: rotation, direction: x, function: 0}\n"),
        "joints.glide.axes",
        "at most 6 items, not 7",
    ),
    "unknown motion": (changed("motion: translation", "motion: slide"), "joints.glide.axes.0.motion", "'rotation'"),
    "unknown function": (
        changed("kind: spline", "kind: splin"),
        "joints.glide.axes.0.function",
        "did you mean 'spline'?",
    ),
    "function without a kind": (changed("kind: spline, ", ""), "joints.glide.axes.0.function", "needs a 'kind'"),
    "function is a list": (changed("function: slide", "function: [slide]"), "joints.glide.axes.1.function", "table"),
    "function of an unknown coordinate": (
        changed("function: slide", "function: slidee"),
        "joints.glide.axes.1",
        "did you mean 'slide'",
    ),
    "coordinate that moves nothing": (
        changed("coordinates: {slide: {}}", "coordinates: {slide: {}, idle: {}}"),
        "joints.glide.coordinates.idle",
        "moves nothing",
    ),
    "spline knots decrease": (
        changed("x: [-2, -1, 0]", "x: [-1, -2, 0]"),
        "joints.glide.axes.0.function",
        "must increase",
    ),
    "spline of unequal lengths": (
        changed("y: [0.1, 0.2, 0.1]", "y: [0.1, 0.2]"),
        "joints.glide.axes.0.function",
        "as many x",
    ),
    "spline of one point": (
        changed("x: [-2, -1, 0], y: [0.1, 0.2, 0.1]", "x: [0], y: [0]"),
        "joints.glide.axes.0.function.x",
        "at least 2",
    ),
    "powers do not match": (changed("powers: [1, 0]", "powers: [1]"), "joints.glide.axes.2.function", "1 powers for 2"),
    "power is a fraction": (
        changed("powers: [1, 0]", "powers: [1.5, 0]"),
        "joints.glide.axes.2.function.terms.0.powers.0",
        "1.5",
    ),
    "power is negative": (
        changed("powers: [1, 0]", "powers: [-1, 0]"),
        "joints.glide.axes.2.function.terms.0.powers.0",
        "-1",
    ),
    "period of zero": (
        changed("period: 6.28", "period: 0"),
        "joints.glide.axes.3.function.factors.0.period",
        "greater than 0",
    ),
    "product of nothing": (
        changed("[{kind: fourier, coordinate: knee, period: 6.28, sines: [0.1]}, 2.0]", "[]"),
        "joints.glide.axes.3.function.factors",
        "at least 1",
    ),
    "unknown force": (changed("kind: joint_limit", "kind: joint_limits"), "forces.stop", "did you mean 'joint_limit'"),
    "force without a kind": (
        changed("kind: joint_limit, ", ""),
        "forces.stop",
        "needs a 'kind': choose from 'point_force'",
    ),
    "kind is a number": (changed("kind: joint_limit", "kind: 5"), "forces.stop", "unknown kind '5'"),
    "force on nothing": (
        changed(
            "motor: {kind: coordinate_actuator, coordinate: knee", "motor: {kind: coordinate_actuator, coordinate: kne"
        ),
        "forces.motor.coordinate",
        "did you mean 'knee'?",
    ),
    "force on the ground": (
        changed("kind: point_force, body: shank", "kind: point_force, body: ground"),
        "forces.push.body",
        "moves nothing",
    ),
    "spring on one body": (changed("start: {body: ground}", "start: {body: shank}"), "forces.band", "both ends"),
    "limits inverted": (changed("lower: -2.4, upper: 0", "lower: 0, upper: -2.4"), "forces.stop", "must lie below"),
    "control range inverted": (
        changed("control_range: [-1, 1]", "control_range: [1, -1]"),
        "forces.motor.control_range",
        "inverted",
    ),
    "controlled by a number": (
        changed("controlled: true", "controlled: 1"),
        "forces.twist.controlled",
        "true or false",
    ),
    "marker on nothing": (
        changed("ankle: {body: shank", "ankle: {body: foot"),
        "markers.ankle.body",
        "unknown body 'foot'",
    ),
    "body named like the ground": (changed("patella: {", "ground: {"), "bodies.ground", "has the name of"),
    "two parts of one name": (changed("motor: {kind", "thigh: {kind"), "forces.thigh", "has the name of a body"),
    "two coordinates of one name": (
        changed("coordinate: knee, axis", "coordinate: flexion, axis"),
        "joints.knee.pin.coordinate",
        "again to joint 'knee'",
    ),
    "free value that is not there": (
        changed("[thigh.mass]", "[shank.mass, thigh.mas]"),
        "free_values.1",
        "did you mean 'thigh.mass'",
    ),
    "free value of nothing": (changed("[thigh.mass]", "[thgh.mass]"), "free_values.0", "did you mean 'thigh'?"),
    "free value that is no number": (changed("[thigh.mass]", "[knee.parent]"), "free_values", "not a single number"),
    "nothing but a name in brackets": ("{name: [leg]}", "name", "must be text"),
}

SYNTAX: dict[str, tuple[str | bytes, str, str]] = {
    "empty": ("", "line 1", "is empty"),
    "whitespace": (" \n \n\n", "line 1", "is empty"),
    "comment only": ("# a model\n", "line 1", "holds nothing"),
    "document without content": ("---\n...\n", "line 1", "holds nothing"),
    "list at the top": ("- name: leg\n- bodies: {}\n", "line 1", "holds a list"),
    "number at the top": ("42", "line 1", "a single value"),
    "text at the top": ("once upon a time", "line 1", "a single value"),
    "two documents": (LEG + "---\n" + LEG, f"line {LEG.count(chr(10)) + 1}", "second document"),
    "doubled key": (changed("  shank: {mass", "  thigh: {mass"), "line 6, field bodies.thigh", "already in line 5"),
    "doubled field": (changed("mass: 7.5", "mass: 7.5, mass: 8"), "line 5, field bodies.thigh.mass", "given twice"),
    "object tag": (
        changed("7.5", "!!python/object/apply:os.system ['true']"),
        "line 5, field bodies.thigh.mass",
        "!!python/object/apply:os.system",
    ),
    "harmless tag": (changed("7.5", "!!float 7.5"), "line 5, field bodies.thigh.mass", "!!float"),
    "own tag": (changed("7.5", "!kg 7.5"), "line 5, field bodies.thigh.mass", "!kg"),
    "tag on a table": ("name: leg\nbodies: !!omap {}\n", "line 2, field bodies", "!!omap"),
    "tag directive": ("%TAG !p! tag:yaml.org,2002:python/\n---\nname: leg\n", "line 1", "%TAG"),
    "merge key": (changed("mass: 7.5", "<<: {mass: 7.5}"), "line 5, field bodies.thigh", "merge key"),
    "anchor": (changed("mass: 7.5", "mass: &m 7.5"), "line 5, field bodies.thigh.mass", "'&m'"),
    "alias": (changed("mass: 7.5", "mass: *m"), "line 5, field bodies.thigh.mass", "'*m'"),
    "anchor within itself": ("name: leg\nbodies: &b {thigh: *b}\n", "line 2, field bodies", "'&b'"),
    "billion laughs": (
        "a: &a [x, x, x, x, x, x, x, x, x]\n"
        + "".join(
            f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
        ),
        "line 1, field a",
        "'&a'",
    ),
    "tab as indent": (changed("  thigh: {mass", "\tthigh: {mass"), "line 5, field bodies", "a tab"),
    "tab within the indent": (changed("    child: thigh", "  \tchild: thigh"), "line 11, field joints.hip", "a tab"),
    "wrong indent": (changed("  shank: {mass", " shank: {mass"), "line 6", "not YAML"),
    "open bracket": (changed("[0, -9.81, 0]", "[0, -9.81, 0"), "line 4", "not YAML"),
    "open quotes": (changed("source: made", "source: 'made"), "field source", "not YAML"),
    "stray brace": (changed("inertia: 0.06}", "inertia: 0.06}}"), "line 6", "not YAML"),
    "colon in text": (changed("source: made up", "source: made: up"), "line 2", "not YAML"),
    "unknown escape": ('name: "\\q"', "line 1, field name", "not YAML"),
    "half a character by escape": ('name: "\\ud800"', "line 1, field name", ""),
    "number as a name": (changed("  patella: {", "  3: {"), "line 7, field bodies", "put it in quotes: '3'"),
    "truth as a name": (changed("  patella: {", "  true: {"), "line 7, field bodies", "put it in quotes"),
    "null as a name": (changed("  patella: {", "  ~: {"), "line 7, field bodies", "put it in quotes"),
    "list as a name": ("name: leg\n? [a, b]\n: 1\n", "line 2", "plain name"),
    "control character": (changed("made up", "made\x07up"), "line 2", "U+0007"),
    "escape sequence": (changed("made up", "\x1b[31mmade up"), "line 2", "U+001B"),
    "delete character": (changed("made up", "made\x7fup"), "line 2", "U+007F"),
    "NUL byte": (changed("made up", "made\0up"), "line 2", "NUL"),
    "UTF-16": (LEG.encode("utf-16"), "line 1", "UTF-16"),
    "UTF-16 without a mark": (LEG.encode("utf-16-le"), "line 1", "NUL"),
    "UTF-32": (LEG.encode("utf-32"), "line 1", "UTF-32"),
    "Latin-1": (changed("made up", "erfunden für").encode("latin-1"), "line 2", "0xFC is not UTF-8"),
    "Latin-1 behind a byte order mark": (
        b"\xef\xbb\xbf" + changed("made up", "für").encode("latin-1"),
        "line 2",
        "0xFC",
    ),
    "half a character": (changed("made up", "für").encode()[: LEG.index("made") + 2], "line 2", "not UTF-8"),
    "compressed": (b"\x1f\x8b\x08\x00\x00\x00\x00\x00", "line 1", "NUL"),
    "pickle": (pickle.dumps({"name": "leg"}), "line 1", "NUL"),
    "picture": (b"\x89PNG\r\n\x1a\n", "line 1", "0x89 is not UTF-8"),
    "XML": (
        "<?xml version='1.0'?>\n<OpenSimDocument Version='40000'>\n</OpenSimDocument>\n",
        "line 1",
        "a single value",
    ),
}

LARGE: dict[str, tuple[str, str]] = {
    "brackets": ("[" * 10_000_000, "larger than 8 MB"),
    "braces": ("{a: " * 2_500_000, "larger than 8 MB"),
    "7 MB of brackets": ("[" * 7_000_000, "nested"),
    "7 MB of braces": ("{a: " * 1_750_000, "nested"),
    "7 MB of dashes": ("- " * 3_500_000, "nested"),
    "7 MB of indents": ("\n".join(" " * depth + "a:" for depth in range(3700)), "nested"),
    "7 MB of question marks": ("? " * 3_500_000, "plain name"),
    "one level too deep": ("a: " + "[" * DEEPEST + "]" * DEEPEST, "nested"),
    "brackets in a key": ("[" * 30 + "]" * 30 + ": 1", "plain name"),
    "many numbers": ("name: leg\ngravity: [" + "1," * (MOST_VALUES + 1) + "]", "too many"),
    "many unknown fields": ("name: leg\n" + "".join(f"field{n}: 1\n" for n in range(50_000)), "49990 more"),
    "many bodies": ("name: leg\nbodies:\n" + "".join(f"  b{n}: {{mass: 1}}\n" for n in range(50_000)), "50000 parts"),
    "many wrong factors": (
        "name: leg\njoints: {a: {parent: b, child: c, axes: [{motion: rotation, direction: x, "
        "function: {kind: product, factors: [" + "{kind: z}," * 60_000 + "]}}]}}",
        "59990 more",
    ),
    "a name of 5 MB": ("name: " + "n" * 5_000_000, "at most 120"),
    "a field of 500 characters": ("f" * 500 + ": 1\n", "unknown field"),
    "a field of 5 MB": ("f" * 5_000_000 + ": 1\n", "not YAML"),
    "a number of 5 MB": ("name: leg\ngravity: [" + "9" * 5_000_000 + ", 0, 0]", "finite"),
    "an exponent of 5 MB": ("name: leg\ngravity: [1e" + "9" * 5_000_000 + ", 0, 0]", "finite"),
    "7 MB of comments": ("# a\n" * 1_750_000, "holds nothing"),
    "7 MB of quotes": ("'" * 7_000_000, "FileError"),
    "7 MB of one open text": ("name: '" + "a\n " * 2_300_000, "not YAML"),
    "text of 7 MB": ("source: |\n" + "  a\n" * 1_750_000, "name: is missing"),
    "a long chain of tags": ("!a " * 500_000, "tag"),
    "a long alias": ("name: *" + "a" * 5_000_000, "alias"),
}


@pytest.fixture(autouse=True)
def _in_bounded_time() -> Iterator[None]:
    """A reader that hangs is stopped; the bound is generous, because speed is not what is tested."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def stop(number: int, frame: object) -> None:
        pytest.fail("reading did not end within 10 s")

    previous = signal.signal(signal.SIGALRM, stop)
    signal.alarm(10)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, previous)


def refusal(path: Path, content: str | bytes) -> FileError | ModelError:
    """The error that a content raises; it names the file, is short, and drags no other traceback along."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises((FileError, ModelError)) as caught:
        load_model(path)
    error = caught.value
    assert str(path) in str(error)
    assert error.__cause__ is None
    assert error.__context__ is None or error.__suppress_context__
    assert len(str(error)) < 12_000
    assert isinstance(error, FileError | ModelError)
    return error


def test_the_base_of_all_cases_is_a_model(tmp_path: Path) -> None:
    path = tmp_path / "leg.yaml"
    path.write_text(LEG)
    model = load_model(path)
    assert model.name == "leg" and list(model.coordinates) == ["flexion", "adduction", "rotation", "knee", "slide"]


def test_there_are_many_cases() -> None:
    assert len(CONTENT) + len(SYNTAX) + len(LARGE) >= 150


@pytest.mark.parametrize("case", CONTENT)
def test_wrong_content_is_refused_with_line_and_field(case: str, tmp_path: Path) -> None:
    content, field, words = CONTENT[case]
    error = refusal(tmp_path / "leg.yaml", content)
    assert isinstance(error, ModelError)
    found = [line for line in str(error).splitlines() if f", field {field}: " in line and words in line]
    assert len(found) == 1, str(error)
    assert f"{tmp_path / 'leg.yaml'}, line " in found[0]
    assert error.problems


@pytest.mark.parametrize("case", SYNTAX)
def test_what_is_not_a_model_file_is_refused_with_its_line(case: str, tmp_path: Path) -> None:
    content, place, words = SYNTAX[case]
    error = refusal(tmp_path / "leg.yaml", content)
    assert isinstance(error, FileError)
    assert place in str(error) and words in str(error)


@pytest.mark.parametrize("case", LARGE)
def test_large_files_are_refused_soon(case: str, tmp_path: Path) -> None:
    content, words = LARGE[case]
    error = refusal(tmp_path / "leg.yaml", content)
    assert words in f"{type(error).__name__}: {error}"


def test_all_faults_are_reported_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    content = LEG.replace("7.5", "-1").replace("mass: 3.5", "mas: 3.5").replace("axis: z", "axis: w")
    error = refusal(tmp_path / "leg.yaml", content)
    lines = str(error).splitlines()
    assert [line.partition(", field ")[0].rpartition(" ")[2] for line in lines] == ["5", "6", "6", "16"]
    assert isinstance(error, ModelError)
    assert {place for place, _ in error.problems} == {
        ("bodies", "thigh", "mass"),
        ("bodies", "shank", "mass"),
        ("bodies", "shank", "mas"),
        ("joints", "knee", "pin", "axis"),
    }


def test_many_faults_are_cut(tmp_path: Path) -> None:
    bodies = "".join(f"  b{number}: {{mass: -1}}\n" for number in range(30))
    lines = str(refusal(tmp_path / "leg.yaml", f"name: leg\nbodies:\n{bodies}")).splitlines()
    assert len(lines) == 11
    assert lines[-1].endswith("and 20 more")


def test_names_with_dots_and_colons_keep_their_line(tmp_path: Path) -> None:
    content = LEG.replace("  knee:\n", "  'R.knee: a':\n").replace("body: thigh, at", "body: thig, at")
    error = refusal(tmp_path / "leg.yaml", content)
    assert "line 14, field joints.R.knee: a.parent.body: unknown body 'thig'" in str(error)


@pytest.mark.parametrize("parser", ["CSafeLoader", "SafeLoader"])
def test_a_truncated_file_never_breaks_the_reader(parser: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not hasattr(yaml, parser):
        pytest.skip("this PyYAML was built without libyaml")
    monkeypatch.setattr(yaml, "CSafeLoader", getattr(yaml, parser), raising=False)
    path = tmp_path / "leg.yaml"
    content = LEG.encode()
    refused = 0
    for end in range(0, len(content), 7):
        path.write_bytes(content[:end])
        try:
            model = load_model(path)
        except (FileError, ModelError) as error:
            assert str(path) in str(error)
            assert error.__cause__ is None and (error.__context__ is None or error.__suppress_context__)
            refused += 1
        else:
            # What is left is a whole model: a cut between two elements, or within a comment or a number.
            assert model.name in ("l", "le", "leg")
    assert refused > 0.9 * len(range(0, len(content), 7))


@pytest.mark.parametrize("case", [*CONTENT, *SYNTAX])
def test_the_parser_without_a_compiler_refuses_the_same(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(yaml, "CSafeLoader", yaml.SafeLoader, raising=False)
    content, _, words = CONTENT.get(case) or SYNTAX[case]
    error = refusal(tmp_path / "leg.yaml", content)
    assert words in str(error)


def test_every_byte_may_be_wrong(tmp_path: Path) -> None:
    path = tmp_path / "leg.yaml"
    content = LEG.encode()
    outcomes = set()
    for place in range(0, len(content), 13):
        for wrong in (b"\xff", b"{", b"'", b":", b"\t", b"&", b"9"):
            path.write_bytes(content[:place] + wrong + content[place + 1 :])
            try:
                load_model(path)
            except (FileError, ModelError) as error:
                outcomes.add(type(error))
                assert str(path) in str(error)
    assert outcomes == {FileError, ModelError}


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"none.yaml: no such file"):
        load_model(tmp_path / "none.yaml")


def test_folder(tmp_path: Path) -> None:
    folder = tmp_path / "folder.yaml"
    folder.mkdir()
    with pytest.raises(FileError, match=r"folder.yaml: is a folder"):
        load_model(folder)
    with pytest.raises(FileError, match="is a folder"):
        load_model(str(tmp_path))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in this file system")
def test_pipe_does_not_wait(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    with pytest.raises(FileError, match=r"pipe.yaml: is not a regular file"):
        load_model(tmp_path / "pipe.yaml")


def test_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "secret.yaml"
    path.write_text(LEG)

    # Permissions would not bind an administrator.
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(FileError, match=r"secret.yaml: cannot be read: Permission denied"):
        load_model(path)


def test_link_to_itself(tmp_path: Path) -> None:
    (tmp_path / "loop.yaml").symlink_to(tmp_path / "loop.yaml")
    with pytest.raises(FileError, match=r"loop.yaml"):
        load_model(tmp_path / "loop.yaml")


def test_impossible_paths() -> None:
    with pytest.raises(FileError, match="not a possible path"):
        load_model("leg\0.yaml")
    with pytest.raises(FileError, match="cannot be read"):
        load_model("a" * 5000 + ".yaml")
    with pytest.raises(FileError, match="not None"):
        load_model(None)  # type: ignore[arg-type]


def test_file_that_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    with path.open("wb") as stream:
        stream.truncate(LARGEST_FILE * 100)
    with pytest.raises(FileError, match=r"large.yaml: is larger than 8 MB"):
        load_model(path)


def test_other_suffixes(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"gait.osim: no such file"):
        load_model("gait.osim")
    other = tmp_path / "leg.toml"
    other.write_text("")
    with pytest.raises(FileError, match=r"ends in .yaml, .yml or .osim, not in '.toml'"):
        load_model(other)
