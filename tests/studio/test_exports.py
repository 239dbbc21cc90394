"""Movements as files for the page: right content, safe names, nothing else."""

import base64

import pytest

import myodyne as my
from myodyne.studio.desk import Desk
from myodyne.studio.exports import ENDINGS, exported, safe_name
from myodyne.studio.session import opened


@pytest.fixture(scope="module")
def run():
    return my.simulate(my.load_model("pendulum"), 0.1, start={"angle": 0.4})


@pytest.mark.parametrize(
    ("ending", "begins"), [("gif", b"GIF8"), ("html", b"<!doctype html"), ("nc", None), ("sto", None)]
)
def test_files_hold_the_movement(run, ending, begins, tmp_path):
    message = exported(run, "swing", ending)
    content = base64.b64decode(message["data"])
    assert message["name"] == f"swing.{ending}"
    if begins is not None:
        assert content.lower().startswith(begins.lower())
        return
    (tmp_path / message["name"]).write_bytes(content)
    again = my.load(tmp_path / message["name"])
    assert again.values("angle") == pytest.approx(run.values("angle"), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("asked", ["py", "exe", "../x", "sto/../../x", "", None, 3, ["sto"], {"sto": 1}])
def test_other_endings_are_refused(run, asked):
    with pytest.raises(my.MyodyneError, match="the studio exports"):
        exported(run, "swing", asked)


@pytest.mark.parametrize("name", ["../../etc/passwd", "a\\b", "C:x", "\x00", "...", "ünïcode", "x" * 500, ""])
def test_names_are_plain(name):
    safe = safe_name(name)
    assert 0 < len(safe) <= 60
    assert safe.replace("_", "").replace("-", "").isalnum()
    assert safe.isascii()


def test_the_desk_answers_the_page_that_asked():
    sent = []
    desk = Desk(opened("jump"), sent.append)
    try:
        desk.receive({"kind": "export", "ending": "sto"})
        assert sent[-1].data["reason"] == "there is no movement yet to export; wait until the status is idle"
        desk.receive({"kind": "edit", "edit": {"kind": "SetDuration", "duration": 0.02}})
        desk.wait()
        desk.receive({"kind": "export", "ending": "sto", "request": "r1"})
        assert (sent[-1].data["kind"], sent[-1].data["request"]) == ("file", "r1")
        desk.receive({"kind": "export", "ending": "/etc/passwd"})
        assert sent[-1].data["kind"] == "refused"
    finally:
        desk.close()
    assert "mp4" in ENDINGS
