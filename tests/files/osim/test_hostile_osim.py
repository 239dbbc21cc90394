"""Files that are broken, huge or malicious, with muscles and forces in them, and as they lie on a disk.

Skeletons alone are in ``test_skeleton_hostile.py``.
"""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

import myodyne as my
from myodyne.files.osim import read_osim
from support.clocks import within_seconds

FIXTURES = Path(__file__).parents[2] / "fixtures" / "opensim"
LEG = (FIXTURES / "elements" / "leg_40000.osim").read_bytes()
WHOLE = {
    path.stem: path.read_bytes()
    for path in (FIXTURES / "muscles.osim", FIXTURES / "forces.osim", *sorted((FIXTURES / "elements").glob("*.osim")))
}
MEMORY = 300e6


def changed(old: str, new: str, content: bytes = LEG, count: int = 1) -> bytes:
    text = content.decode()
    assert old in text
    return text.replace(old, new, count).encode()


def refused(path: Path) -> str:
    with within_seconds(1.0), pytest.raises(my.FileError) as caught:
        my.load_model(path)
    return str(caught.value)


def test_the_file_itself_is_read(tmp_path: Path) -> None:
    (tmp_path / "leg.osim").write_bytes(LEG)
    assert set(my.load_model(tmp_path / "leg.osim").muscles) == {"thelen", "wrapped"}


def test_every_beginning_is_refused_by_line() -> None:
    for end in range(0, len(LEG.rstrip()), 10):
        with pytest.raises(my.FileError, match=r"leg\.osim, line \d+"):
            read_osim(LEG[:end], "leg.osim")


@pytest.mark.parametrize("name", sorted(WHOLE))
def test_every_file_is_refused_without_its_end(name: str) -> None:
    content = WHOLE[name].rstrip()
    for end in random.Random(name).sample(range(len(content)), 20):
        with pytest.raises(my.FileError, match=r"x\.osim, line \d+"):
            read_osim(content[:end], "x.osim")


UMLAUT = LEG.replace(b'name="thelen"', 'name="thelän"'.encode())
ENCODINGS: dict[str, tuple[bytes, bool]] = {
    "byte order mark": (b"\xef\xbb\xbf" + UMLAUT, True),
    "UTF-16 that says so": (UMLAUT.decode().replace("UTF-8", "UTF-16").encode("utf-16"), True),
    "latin-1 that says so": (UMLAUT.decode().replace("UTF-8", "ISO-8859-1").encode("latin-1"), True),
    "UTF-16 that says UTF-8": (UMLAUT.decode().encode("utf-16"), False),
    "latin-1 that says nothing": (UMLAUT.decode().partition("?>\n")[2].encode("latin-1"), True),
    "latin-1 that says UTF-8": (UMLAUT.decode().encode("latin-1"), True),
    "UTF-32": (UMLAUT.decode().encode("utf-32"), False),
    "UTF-7": (UMLAUT.decode().replace("UTF-8", "UTF-7").encode("utf-7"), False),
}


@pytest.mark.parametrize("case", ENCODINGS)
def test_encodings(case: str, tmp_path: Path) -> None:
    content, readable = ENCODINGS[case]
    file = tmp_path / "leg.osim"
    file.write_bytes(content)
    if readable:
        assert "thelän" in my.load_model(file).muscles
    else:
        assert "leg.osim, line " in refused(file)


def many_materials() -> bytes:
    text = LEG.decode()
    start = text.index("<HuntCrossleyForce::ContactParameters><")
    end = text.index("</HuntCrossleyForce::ContactParameters>") + len("</HuntCrossleyForce::ContactParameters>")
    return (text[:start] + text[start:end] * 1000 + text[end:]).encode()


# What the file holds, and what the message must name.
REFUSED: dict[str, tuple[Callable[[], bytes], tuple[str, ...]]] = {
    "unknown body of a point": (
        lambda: changed(
            '"d"><location>0.03 -0.1 0.02</location><socket_parent_frame>/bodyset/foot',
            '"d"><location>0.03 -0.1 0.02</location><socket_parent_frame>/bodyset/feet',
        ),
        ("<PathPoint 'd'>", "'feet'"),
    ),
    "unknown coordinate of a point": (
        lambda: changed("shank_joint/knee</socket_coordinate>", "shank_joint/knie</socket_coordinate>"),
        ("<ConditionalPathPoint 'b'>", "'knie'", "'knee'"),
    ),
    "unknown coordinate of a moving point": (
        lambda: changed("shank_joint/knee</socket_x_coordinate>", "shank_joint/knie</socket_x_coordinate>"),
        ("<MovingPathPoint 'c'>", "'knie'"),
    ),
    "unknown wrap object": (lambda: changed("<wrap_object>bulge", "<wrap_object>bump"), ("<PathWrap 'w'>", "'bump'")),
    "unknown coordinate of a motor": (
        lambda: changed(
            "<optimal_force>3</optimal_force><coordinate>ankle", "<optimal_force>3</optimal_force><coordinate>ankel"
        ),
        ("<CoordinateActuator 'motor'>", "'ankel'"),
    ),
    "unknown geometry": (lambda: changed("heel floor", "heel roof"), ("ContactParameters", "'roof'")),
    "unknown frame of geometry": (
        lambda: changed("<socket_frame>/bodyset/toes", "<socket_frame>/bodyset/toe"),
        ("<ContactSphere 'heel'>", "'toe'"),
    ),
    "unknown frame of a bushing": (
        lambda: changed("<socket_frame1>end1", "<socket_frame1>end9"),
        ("<BushingForce 'cushion'>", "'end9'"),
    ),
    "unknown coordinate of a coupler": (
        lambda: changed("<independent_coordinate_names>ankle", "<independent_coordinate_names>ankel"),
        ("<CoordinateCouplerConstraint 'follow'>", "'ankel'"),
    ),
    "unknown body of a constraint": (
        lambda: changed("<socket_body_1>/bodyset/shank", "<socket_body_1>/bodyset/shin"),
        ("<ConstantDistanceConstraint 'string'>", "'shin'"),
    ),
    "unknown body of a marker": (
        lambda: changed('"tip"><socket_parent_frame>/bodyset/toes', '"tip"><socket_parent_frame>/bodyset/toe'),
        ("<Marker 'tip'>", "'toe'"),
    ),
    "no number in a point": (lambda: changed("0.05 0.1 0<", "0.05 NaN 0<"), ("<PathPoint 'a'>", "<location>", "NaN")),
    "no number in a muscle": (
        lambda: changed("<max_isometric_force>300", "<max_isometric_force>nan"),
        ("<Thelen2003Muscle 'thelen'>", "nan"),
    ),
    "infinite stiffness": (lambda: changed("<stiffness>1e5", "<stiffness>1e999"), ("ContactParameters", "1e999")),
    "two muscles of one name": (lambda: changed('"wrapped"', '"thelen"'), ("<Thelen2003Muscle 'thelen'>", "same name")),
    "muscle with the name of a coordinate": (lambda: changed('"wrapped"', '"knee"'), ("<Thelen2003Muscle 'knee'>",)),
    "negative stiffness": (lambda: changed("<stiffness>1e5", "<stiffness>-1e5"), ("ContactParameters", "negative")),
    "entity in a muscle": (
        lambda: LEG.replace(b"?>\n", b'?>\n<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>\n', 1).replace(
            b">300<", b">&e;<"
        ),
        ("line 2", "DOCTYPE"),
    ),
    "entity that nobody declared": (lambda: changed(">300<", ">&lol;<"), ("line", "not XML")),
    "deep in a muscle": (
        lambda: LEG.replace(b"<max_isometric", b"<a>" * 100_000 + b"<max_isometric", 1),
        ("more than 200 deep", "<a>"),
    ),
    "many contacts": (lambda: changed("heel floor", "heel floor " * 300), ("ContactParameters", "at most 500")),
    "many contact materials": (many_materials, ("<HuntCrossleyForce 'tread'>", "at most 500")),
    "long list": (lambda: changed("<x>-1.5", "<x>" + "-1.5 " * 300_000), ("longer than 1000 kB", "<SimmSpline")),
    "long reference": (lambda: changed("/bodyset/foot<", "../" * 1_000_000 + "bodyset/foot<"), ("2000 letters",)),
    "many terms": (
        lambda: changed(
            "<LinearFunction><coefficients>0.4 0.05</coefficients></LinearFunction>",
            "<MultivariatePolynomialFunction><coefficients>1</coefficients><dimension>6</dimension>"
            "<order>20</order></MultivariatePolynomialFunction>",
        ).replace(
            b"<independent_coordinate_names>ankle", b"<independent_coordinate_names>ankle knee reach swing lift ankle"
        ),
        ("<MultivariatePolynomialFunction>", "at most 8008"),
    ),
    "many coordinates": (
        lambda: changed("<independent_coordinate_names>ankle", "<independent_coordinate_names>" + "ankle " * 5000),
        ("<LinearFunction>", "at most 50"),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_they_are_refused_by_line_and_element(case: str, tmp_path: Path) -> None:
    make, named = REFUSED[case]
    file = tmp_path / "leg.osim"
    file.write_bytes(make())
    tracemalloc.start()
    try:
        message = refused(file)
        assert tracemalloc.get_traced_memory()[1] < MEMORY
    finally:
        tracemalloc.stop()
    assert "leg.osim, line " in message
    for word in named:
        assert word in message
    assert len(message) < 1000


@pytest.mark.parametrize("letter", [b" ", b"\0", b"\n"], ids=["spaces", "zeros", "lines"])
def test_hundreds_of_megabytes_are_not_even_read(letter: bytes, tmp_path: Path) -> None:
    file = tmp_path / "huge.osim"
    with file.open("wb") as stream:
        for _ in range(200):
            stream.write(letter * 2**20)
    tracemalloc.start()
    try:
        message = refused(file)
        assert tracemalloc.get_traced_memory()[1] < 50e6
    finally:
        tracemalloc.stop()
    assert "huge.osim" in message
    assert "larger" in message


@pytest.mark.parametrize(
    "content",
    [b"", b"\x7fELF" + bytes(range(256)) * 40, b"\x89PNG\r\n\x1a\n", b"\xff" * 1000],
    ids=["empty", "program", "picture", "ones"],
)
def test_files_of_other_kinds_are_refused(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "leg.osim"
    file.write_bytes(content)
    assert "leg.osim, line 1" in refused(file)


def test_joints_in_a_circle_become_a_loop_on_a_body_that_floats() -> None:
    text = (FIXTURES / "skeleton" / "stray.osim").read_text(encoding="utf-8")
    start, end = text.index("<PinJoint"), text.index("</PinJoint>") + len("</PinJoint>")
    back = text[start:end].replace('"pin"', '"back"').replace('"turn"', '"return"')
    back = (
        back.replace("/bodyset/a<", "/bodyset/x<")
        .replace("/bodyset/b<", "/bodyset/a<")
        .replace("/bodyset/x<", "/bodyset/b<")
    )
    model = read_osim((text[:end] + back + text[end:]).encode(), "circle.osim")
    assert set(model.bodies) == {"a", "b", "a_copy1"}
    assert set(model.constraints) == {"a_copy1_weld"}
    assert model.audit is not None
    assert any("closes a loop" in remark.message for remark in model.audit.about("approximated"))


@pytest.mark.parametrize("number", ["1e308", "-1e308", "1e-320", "1e150"])
def test_numbers_at_the_end_of_the_scale_are_read_or_refused(number: str) -> None:
    """Every number of the leg in turn: no overflow on the way, and refusals name line and element."""
    root = ElementTree.fromstring(LEG.decode().replace("::", ".."))
    leaves = [leaf for leaf in root.iter() if not len(leaf) and (leaf.text or "").strip()[:1] in set("-.0123456789")]
    assert len(leaves) > 100
    for leaf in leaves:
        kept = leaf.text or ""
        leaf.text = " ".join([number, *kept.split()[1:]])
        try:
            assert (
                read_osim(ElementTree.tostring(root).replace(b"..Contact", b"::Contact"), "leg.osim").audit is not None
            )
        except my.FileError as error:
            assert str(error).startswith("leg.osim, line ")
        leaf.text = kept


JUNK = (
    "NaN",
    "",
    "abc",
    "1e400",
    "-1",
    "0",
    "1 2",
    "1 2 3",
    "1e308 1e308 1e308",
    "../..",
    "/x/y",
    "ground",
    "all",
    "x" * 300,
    "true",
    "99999999999 1",
    "-inf -inf",
    "heel floor",
    "knee",
    "/bodyset/foot",
)
TAGS = (
    "PinJoint",
    "Constant",
    "SimmSpline",
    "Body",
    "objects",
    "x",
    "Thelen2003Muscle",
    "PathPoint",
    "MovingPathPoint",
    "ConditionalPathPoint",
    "WrapTorus",
    "HuntCrossleyForce",
    "BushingForce",
    "defaults",
    "components",
    "BallJoint",
    "ScapulothoracicJoint",
    "FunctionBasedPath",
    "MultivariatePolynomialFunction",
    "DeGrooteFregly2016Muscle",
)


def damage(root: ElementTree.Element, draw: random.Random) -> None:
    elements = list(root.iter())
    parents = {child: parent for parent in elements for child in parent}
    element = draw.choice(elements[1:])
    match draw.choice(("remove", "fill", "fill", "fill", "name", "double", "rename", "move")):
        case "remove":
            parents[element].remove(element)
        case "fill":
            element.text = draw.choice(JUNK)
        case "name":
            element.set("name", draw.choice((*JUNK, "thelen", "bulge", "shank")))
        case "double":
            parents[element].append(element)
        case "rename":
            element.tag = draw.choice(TAGS)
        case "move":
            place = draw.choice(elements)
            if place not in list(element.iter()):
                parents[element].remove(element)
                place.append(element)


@pytest.mark.parametrize("name", ["muscles", "forces", "leg_20302", "leg_40000", "everywhere", "speeds", "tied_40000"])
def test_damaged_files_are_read_or_refused(name: str) -> None:
    """Elements removed, doubled, moved, renamed or filled with nonsense lead to a model or to a FileError with its line."""
    draw = random.Random(name)
    for _ in range(40):
        root = ElementTree.fromstring(WHOLE[name].decode().replace("::", ".."))
        damage(root, draw)
        try:
            model = read_osim(ElementTree.tostring(root).replace(b"..Contact", b"::Contact"), "leg.osim")
        except my.FileError as error:
            assert str(error).startswith("leg.osim, line ")
        else:
            assert model.audit is not None
