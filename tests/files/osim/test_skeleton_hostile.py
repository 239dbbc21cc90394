"""Files that are broken, huge or malicious: refused within a second, by line and element, and never otherwise."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

import myodyne as my
from myodyne.files.osim import read_osim
from myodyne.files.osim.document import LARGEST_FILE
from support.clocks import within_seconds

FOLDER = Path(__file__).parents[2] / "fixtures" / "opensim" / "skeleton"
WHOLE = (FOLDER / "pin_slider.osim").read_bytes()
HEAD = b'<OpenSimDocument Version="40000">'


def changed(old: str, new: str) -> bytes:
    text = WHOLE.decode()
    assert old in text
    return text.replace(old, new).encode()


def many_bodies() -> bytes:
    bodies = b"".join(b'<Body name="b%d"><mass>1</mass></Body>' % number for number in range(5000))
    return HEAD + b"<Model><BodySet><objects>" + bodies + b"</objects></BodySet></Model></OpenSimDocument>"


def chain_of_frames() -> bytes:
    frame = '<PhysicalOffsetFrame name="f{0}"><socket_parent>/f{1}</socket_parent></PhysicalOffsetFrame>'
    frames = "".join(frame.format(number, number + 1) for number in range(1500))
    return changed("<BodySet", f"<components>{frames}</components><BodySet").replace(b">on_parent<", b">/f0<")


BOMB = (
    b'<!DOCTYPE lolz [<!ENTITY a "ha">'
    + b"".join(b'<!ENTITY a%d "&a%d;&a%d;">' % (n, n - 1, n - 1) for n in range(2, 60))
    + b"]>"
    + HEAD
    + b"<Model>&a59;</Model></OpenSimDocument>"
)

# What the file holds, and what the message must name.
REFUSED: dict[str, tuple[Callable[[], bytes], tuple[str, ...]]] = {
    "empty": (lambda: b"", ("line 1",)),
    "text": (lambda: b"name: leg\nbodies: {}\n", ("line 1", "not XML")),
    "zeros": (lambda: b"\0" * 1000, ("line 1",)),
    "truncated": (lambda: WHOLE[: WHOLE.index(b"<mass_center>") + 5], ("line 5", "<Body 'a'>", "ends too early")),
    "unknown encoding": (lambda: WHOLE.replace(b"UTF-8", b"KLINGON"), ("line 1", "encoding")),
    "several bytes a letter": (lambda: WHOLE.replace(b"UTF-8", b"shift_jis"), ("line 1", "encoding")),
    "bomb": (lambda: BOMB, ("line 1", "DOCTYPE")),
    "outside entity": (lambda: b'<!DOCTYPE a SYSTEM "file:///etc/passwd">' + WHOLE.partition(b"?>\n")[2], ("DOCTYPE",)),
    "deep": (lambda: HEAD + b"<Model>" + b"<a>" * 100_000, ("more than 200 deep",)),
    "many elements": (lambda: HEAD + b"<Model>" + b"<a/>" * 500_000, ("more than 150000 elements",)),
    "many attributes": (
        lambda: HEAD + b"<Model " + b" ".join(b'a%d=""' % n for n in range(500_000)) + b"/>",
        ("longer than 100 kB",),
    ),
    "huge": (lambda: HEAD + b" " * LARGEST_FILE, ("larger than 16 MB",)),
    "many bodies": (many_bodies, ("<BodySet>", "at most 2000")),
    "chain of frames": (chain_of_frames, ("line 4", "<PhysicalOffsetFrame", "chain")),
    "no model": (lambda: HEAD + b"</OpenSimDocument>", ("line 1", "no <Model>")),
    "no version": (lambda: changed('Version="40000"', 'Version="new"'), ("line 2", "'new'")),
    "other root": (lambda: b"<robot/>", ("<robot>",)),
    "unknown body": (
        lambda: changed("/bodyset/b<", "/bodyset/bb<"),
        ("line 10", "<PhysicalOffsetFrame 'on_child'>", "'bb'"),
    ),
    "unknown frame": (lambda: changed(">on_parent<", ">nowhere<"), ("<PinJoint 'pin'>", "'nowhere'")),
    "frames in a cycle": (lambda: changed("<socket_parent>/ground<", "<socket_parent>../on_parent<"), ("cycle",)),
    "not a number": (lambda: changed("<mass>1.5<", "<mass>NaN<"), ("line 5", "<Body 'a'>", "<mass>", "NaN")),
    "no number at all": (lambda: changed("<mass>1.5<", "<mass>heavy<"), ("<Body 'a'>", "heavy")),
    "infinite": (lambda: changed("<mass>1.5<", "<mass>1e999<"), ("<Body 'a'>", "1e999")),
    "negative mass": (lambda: changed("<mass>1.5<", "<mass>-1.5<"), ("<Body 'a'>", "negative")),
    "no mass": (lambda: changed("<mass>1.5</mass>", ""), ("<Body 'a'>", "<mass> is missing")),
    "too few numbers": (
        lambda: changed("<translation>0.1 -0.2 0.05<", "<translation>0.1<"),
        ("needs 3 numbers, not 1",),
    ),
    "unknown joint": (lambda: changed("PinJoint", "ScrewJoint"), ("<ScrewJoint 'pin'>", "PinJoint")),
    "two bodies of one name": (lambda: changed('Body name="b"', 'Body name="a"'), ("<Body 'a'>", "another body")),
    "joint to itself": (lambda: changed("/bodyset/b<", "/bodyset/a<"), ("<SliderJoint 'slider'>", "itself")),
    "slash in a name": (lambda: changed('"turn"', '"tu/rn"'), ("<Coordinate 'tu/rn'>", "'/'")),
    "in another file": (
        lambda: changed("<Model ", '<Model><MarkerSet file="m.xml"/></Model><Model '),
        ("MarkerSet", "m.xml"),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_they_are_refused_by_line_and_element(case: str) -> None:
    make, named = REFUSED[case]
    content = make()
    with within_seconds(1.0), pytest.raises(my.FileError) as caught:
        read_osim(content, "leg.osim")
    message = str(caught.value)
    assert message.startswith("leg.osim") and len(message) < 1000
    for part in named:
        assert part in message


@pytest.mark.parametrize("case", ["deep", "bomb", "many elements", "huge"])
def test_memory_is_bounded(case: str) -> None:
    content = REFUSED[case][0]()
    tracemalloc.start()
    try:
        with pytest.raises(my.FileError):
            read_osim(content, "leg.osim")
        assert tracemalloc.get_traced_memory()[1] < 200e6
    finally:
        tracemalloc.stop()


def test_every_beginning_of_a_file_is_refused() -> None:
    for end in range(0, len(WHOLE.rstrip()), 7):
        with pytest.raises(my.FileError, match="line"):
            read_osim(WHOLE[:end], "leg.osim")


JUNK = (
    "NaN",
    "",
    "abc",
    "1e400",
    "-1",
    "0",
    "1 2",
    "1 2 3 4 5 6 7",
    "../..",
    "/x/y",
    "ground",
    "\u2028",
    "a/b",
    "x" * 300,
    "true",
    "1e308 1e308 1e308",
)
TAGS = ("PinJoint", "Constant", "SimmSpline", "Body", "CustomJoint", "Marker", "WeldConstraint", "objects", "x")


@pytest.mark.parametrize("seed", range(12))
def test_damaged_files_are_read_or_refused(seed: int) -> None:
    """Elements removed, doubled, renamed or filled with nonsense lead to a model or to a FileError, to nothing else."""
    draw = random.Random(seed)
    path = draw.choice(sorted(FOLDER.glob("*.osim")))
    for _ in range(25):
        root = ElementTree.parse(path).getroot()
        elements = list(root.iter())
        parents = {child: parent for parent in elements for child in parent}
        element = draw.choice(elements[1:])
        damage = draw.choice(("remove", "fill", "fill", "name", "double", "rename"))
        if damage == "remove":
            parents[element].remove(element)
        elif damage == "fill":
            element.text = draw.choice(JUNK)
        elif damage == "name":
            element.set("name", draw.choice((*JUNK, "a", "b")))
        elif damage == "double":
            parents[element].append(element)
        else:
            element.tag = draw.choice(TAGS)
        try:
            model = read_osim(ElementTree.tostring(root), "leg.osim")
        except my.FileError as error:
            assert "leg.osim" in str(error)
        else:
            assert model.audit is not None
