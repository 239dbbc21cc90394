"""Every element of every file is read or skipped, and counted: against a walk through the file by other means."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from xml.dom import expatbuilder
from xml.dom.minidom import Element

import pytest

import myodyne as my
from myodyne.files.osim import read_osim

SHARED = Path(__file__).parents[4] / "shared"
FIXTURES = Path(__file__).parents[2] / "fixtures" / "opensim"
PUBLISHED = sorted([*SHARED.glob("models_osim/*.osim"), *SHARED.glob("data/**/*.osim")])
OWN = sorted(FIXTURES.rglob("*.osim"))


@cache
def loaded(path: Path) -> tuple[my.Model, my.Audit]:
    model = my.load_model(path)
    assert model.audit is not None
    return model, model.audit


@cache
def elements(path: Path) -> list[Element]:
    """All elements of a file; without namespaces, because OpenSim has tags with colons."""
    # The builder has no stubs.
    document = expatbuilder.parse(str(path), namespaces=False)  # type: ignore[no-untyped-call,unused-ignore]
    return [element for element in document.getElementsByTagName("*") if isinstance(element, Element)]


def names(path: Path, tag: str) -> set[str]:
    return {element.getAttribute("name") for element in elements(path) if element.tagName == tag} - {""}


def test_the_published_models_are_all_there() -> None:
    if not SHARED.is_dir():
        pytest.skip("needs ../shared/models_osim")
    assert len(PUBLISHED) == 27


@pytest.mark.parametrize("path", [*PUBLISHED, *OWN], ids=lambda path: path.stem)
def test_counts_are_those_of_the_file(path: Path) -> None:
    _, audit = loaded(path)
    found = Counter(element.tagName for element in elements(path) if element.tagName[0].isupper())
    assert {tag: count.found for tag, count in audit.counts.items()} == found


@pytest.mark.parametrize("path", [*PUBLISHED, *OWN], ids=lambda path: path.stem)
def test_what_was_read_is_in_the_model(path: Path) -> None:
    model, audit = loaded(path)
    read = {tag: count.read for tag, count in audit.counts.items()}
    assert names(path, "Body") - {"ground"} <= set(model.bodies)
    assert names(path, "Coordinate") - {"default"} <= set(model.coordinates)
    assert read.get("Marker", 0) == len(model.markers)


@pytest.mark.parametrize("path", [*PUBLISHED, *OWN], ids=lambda path: path.stem)
def test_every_skipped_kind_has_a_remark(path: Path) -> None:
    """Directly, or because it stands in something that was skipped with a remark."""
    _, audit = loaded(path)
    told = {remark.element for remark in audit.about("skipped")}
    for element in elements(path):
        count = audit.counts.get(element.tagName)
        if count is None or count.read:
            continue
        around, at = {element.tagName}, element.parentNode
        while isinstance(at, Element):
            around.add(at.tagName)
            at = at.parentNode
        assert around & told, element.tagName


def test_default_pose_under_the_ground_is_suspicious() -> None:
    path = SHARED / "models_osim" / "2D_gait.osim"
    if not path.is_file():
        pytest.skip("needs ../shared/models_osim")
    assert any("deep in the ground" in remark.message for remark in loaded(path)[1].about("suspicious"))


def test_bodies_without_mass_are_reported_and_what_only_they_are_moved_by() -> None:
    text = (
        '<OpenSimDocument Version="40000"><Model name="light"><BodySet><objects><Body name="a"><mass>{}</mass></Body>'
        '<Body name="b"><mass>{}</mass></Body></objects></BodySet><JointSet><objects>'
        '<PinJoint name="first"><socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>/bodyset/a'
        '</socket_child_frame><coordinates><Coordinate name="p"/></coordinates></PinJoint>'
        '<PinJoint name="second"><socket_parent_frame>/bodyset/a</socket_parent_frame><socket_child_frame>/bodyset/b'
        '</socket_child_frame><coordinates><Coordinate name="q"/></coordinates></PinJoint></objects></JointSet></Model>'
        "</OpenSimDocument>"
    )

    def told(*masses: float) -> list[tuple[str, str]]:
        audit = read_osim(text.format(*masses).encode(), "light.osim").audit
        assert audit is not None
        return [(remark.name, remark.message) for remark in audit.about("suspicious")]

    assert told(1, 1) == []
    assert told(0, 1) == [("a", "has no mass")]
    assert told(1, 0) == [
        ("b", "has no mass"),
        ("b", "neither it nor what it carries has a mass, so that the motion of 'q' is not determined"),
    ]
    assert told(0, 0) == [("a", "no body of the model has a mass")]


def test_models_without_mass_and_impossible_inertias_are_suspicious() -> None:
    folder = SHARED / "models_osim"
    if not folder.is_dir():
        pytest.skip("needs ../shared/models_osim")
    assert any(
        "no body of the model has a mass" in str(r) for r in loaded(folder / "wrist.osim")[1].about("suspicious")
    )
    _, audit = loaded(SHARED / "data" / "das3" / "das4_v4_MIT.osim")
    assert any("less than 0" in remark.message for remark in audit.about("suspicious"))
