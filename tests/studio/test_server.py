"""The studio in a process of its own: a browser works it, strangers are refused."""

import json
import random
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import ExitStack, contextmanager

import pytest

import myodyne as my
from myodyne.studio.server import MOST_PAGES, MOST_RATE
from support.studios import Running, pull_body


@pytest.fixture
def studio(jump_studio):
    return jump_studio


def connect(studio, origin=None, host=None):
    from websockets.sync.client import connect as open_socket

    address = f"127.0.0.1:{studio.port}"
    headers = {"Host": host} if host else None
    return open_socket(
        f"ws://{address}/socket", origin=origin or f"http://{address}", additional_headers=headers, max_size=None
    )


@contextmanager
def greeted(studio):
    with connect(studio) as socket:
        socket.send(json.dumps({"token": studio.token, "protocol": 5}))
        yield socket


def answers(socket):
    """Yield what the server says; scenes come as bytes in between, whenever they are ready."""
    while True:
        message = socket.recv(timeout=30)
        if isinstance(message, str):
            yield json.loads(message)


def alive(studio):
    with greeted(studio) as socket:
        return next(answers(socket))["kind"] == "session"


def test_files_come_with_a_strict_policy_and_to_this_host_alone(studio):
    with urllib.request.urlopen(f"http://127.0.0.1:{studio.port}/", timeout=10) as answer:
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert studio.token not in answer.read().decode()
    for path in ("/../pyproject.toml", "/..%2f..%2fpyproject.toml", "/static/studio.js", "/session"):
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(f"http://127.0.0.1:{studio.port}{path}", timeout=10)
    rebound = urllib.request.Request(f"http://127.0.0.1:{studio.port}/", headers={"Host": "evil.example"})
    with pytest.raises(urllib.error.HTTPError, match="421"):
        urllib.request.urlopen(rebound, timeout=10)


def test_strangers_are_refused(studio):
    from websockets.exceptions import WebSocketException

    for wrong in ({"origin": "http://evil.example"}, {"host": "evil.example"}):
        with pytest.raises(WebSocketException), connect(studio, **wrong) as socket:
            socket.recv(timeout=10)
    for hello in ("", "{", "[]", json.dumps({"token": "wrong", "protocol": 5}), json.dumps({"token": studio.token})):
        with connect(studio) as socket, pytest.raises(WebSocketException):
            socket.send(hello)
            # A page of another protocol is answered before it is refused.
            socket.recv(timeout=15)
            socket.recv(timeout=15)
    assert alive(studio)


MESSAGES = [
    {"kind": "edit", "edit": {"kind": "SetHandle", "control": "soleus", "number": 0, "value": 0.5}},
    {"kind": "edit", "edit": {"kind": "SetInstant", "control": "soleus", "time": 0.1, "value": 0.5}},
    {
        "kind": "edit",
        "edit": {"kind": "DragBody", "body": "trunk", "point": [0, 0, 0], "target": [0, 1, 0], "chain": 1, "time": 0},
    },
    {"kind": "curve", "control": "soleus", "name": "../mine.csv", "text": "time,soleus\n0,1\n1,\ud800\n"},
    {"kind": "foot", "body": "foot", "first": 0.0, "last": 0.2, "level": 0.0, "chosen": {"radius": 1}},
    {"kind": "open", "group": "Saved sessions", "name": "../../../etc/passwd"},
    {"kind": "export", "ending": "../sto", "request": "x"},
    {"kind": "eigenvalues", "time": 0.1},
    {"kind": "find", "words": "mass"},
]


def test_files_outside_and_unknown_names_are_not_opened(studio):
    for number in (3, 5, 6):
        with greeted(studio) as socket:
            socket.send(json.dumps(MESSAGES[number]))
            refusal = next(message for message in answers(socket) if message["kind"] == "refused")
            assert "root:" not in json.dumps(refusal)


def test_pages_and_messages_are_limited(studio):
    from websockets.exceptions import WebSocketException

    with ExitStack() as pages:
        for _ in range(MOST_PAGES):
            assert next(answers(pages.enter_context(greeted(studio))))["kind"] == "session"
        with pytest.raises(WebSocketException), greeted(studio) as one_more:
            one_more.recv(timeout=10)
    # The server hears a little later that they left.
    time.sleep(1.0)
    with pytest.raises(WebSocketException), greeted(studio) as hasty:
        for _ in range(3 * MOST_RATE):
            hasty.send("[]")
        while True:
            hasty.recv(timeout=20)
    assert len(studio.token) * 6 >= 128
    assert alive(studio)


def test_malformed_messages_leave_the_server_alive(studio):
    from websockets.exceptions import WebSocketException

    dice = random.Random(3)
    for _ in range(10):
        with greeted(studio) as socket:
            for _ in range(100):
                text = list(json.dumps(dice.choice(MESSAGES)))
                for _ in range(dice.randrange(1, 6)):
                    text[dice.randrange(len(text))] = chr(dice.randrange(32, 500))
                socket.send("".join(text))
    with greeted(studio) as other, pytest.raises(WebSocketException):
        other.send("x" * 300_000)
        while True:
            other.recv(timeout=20)
    assert alive(studio)


@pytest.fixture
def shown(studio, page):
    from playwright.sync_api import expect

    page.goto(studio.url)
    expect(page.get_by_test_id("status")).to_have_text("idle", timeout=60_000)
    return page


def settled(page):
    """Wait until the last edit has reached the server and its movement the page."""
    from playwright.sync_api import expect

    page.wait_for_timeout(1000)
    expect(page.get_by_test_id("status")).to_have_text("idle", timeout=30_000)
    page.wait_for_timeout(300)


def height(page):
    settled(page)
    return page.get_by_test_id("summary-height").text_content()


def test_handles_are_dragged_typed_and_undone(shown):
    from playwright.sync_api import expect

    curve = shown.get_by_role("group", name="soleus", exact=True)
    curve.get_by_role("button", name="Fit handles").click()
    handle = curve.get_by_role("slider", name="soleus handle 3")
    expect(handle).to_be_visible()
    fitted = height(shown)
    box = handle.bounding_box()
    shown.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    shown.mouse.down()
    # The fit begins at zero, so that there is room above.
    for step in range(1, 9):
        shown.mouse.move(box["x"] + box["width"] / 2, box["y"] - 5 * step)
    shown.mouse.up()
    expect(shown.get_by_test_id("summary-height")).not_to_have_text(fitted, timeout=30_000)
    dragged = height(shown)
    handle.focus()
    shown.keyboard.press("PageDown")
    expect(shown.get_by_test_id("summary-height")).not_to_have_text(dragged, timeout=30_000)
    settled(shown)
    assert float(height(shown)) == pytest.approx(float(repeated(shown).values("com.position_y").max()), rel=1e-5)
    shown.get_by_role("button", name="Undo").click()
    expect(shown.get_by_test_id("summary-height")).to_have_text(dragged, timeout=30_000)
    shown.get_by_role("button", name="Undo").click()
    expect(shown.get_by_test_id("summary-height")).to_have_text(fitted, timeout=30_000)


def repeated(page):
    """Return the run of the script that a page shows."""
    scope = {}
    exec(page.get_by_test_id("script").text_content().replace("my.show(run)", ""), scope)
    return scope["run"]


def test_a_movement_is_interrupted_changed_and_goes_on(shown):
    from playwright.sync_api import expect

    shown.get_by_label("Time", exact=True).evaluate(
        "one => { one.value = '0.1'; one.dispatchEvent(new Event('input', {bubbles: true})); }"
    )
    shown.get_by_role("button", name="Interrupt here").click()
    expect(shown.get_by_test_id("since")).to_contain_text("After 0.100 s")
    curve = shown.get_by_role("group", name="vasti", exact=True)
    curve.get_by_role("button", name="Fit handles").click()
    handle = curve.get_by_role("slider", name="vasti handle 3")
    expect(handle).to_be_visible()
    before = height(shown)
    handle.focus()
    shown.keyboard.press("Home" if float(handle.get_attribute("aria-valuenow")) > 0.5 else "End")
    expect(shown.get_by_test_id("summary-height")).not_to_have_text(before, timeout=30_000)
    changed = float(height(shown))
    assert changed == pytest.approx(float(repeated(shown).values("com.position_y").max()), rel=1e-5)
    for _ in range(3):
        shown.get_by_role("button", name="Undo").click()
    expect(shown.get_by_test_id("since")).to_have_text("")


def test_a_recording_is_a_ghost_whose_distance_is_shown(shown):
    from playwright.sync_api import expect

    expect(shown.locator("header .entry", has_text="recorded")).to_be_visible()
    settled(shown)
    before = float(shown.get_by_test_id("summary-rms-knee").text_content())
    knee = shown.get_by_label("start of knee", exact=True)
    shown.get_by_text("Start", exact=True).click()
    knee.focus()
    shown.keyboard.press("ArrowUp")
    settled(shown)
    assert float(shown.get_by_test_id("summary-rms-knee").text_content()) > before
    shown.get_by_role("button", name="Undo").click()
    settled(shown)
    assert float(shown.get_by_test_id("summary-rms-knee").text_content()) == before


def test_a_curve_is_typed_added_to_set_at_an_instant_and_taken_from_a_file(shown):
    from playwright.sync_api import expect

    curve = shown.get_by_role("group", name="glutei", exact=True)
    curve.scroll_into_view_if_needed()
    curve.get_by_role("button", name="Fit handles").click()
    expect(curve.get_by_role("slider")).to_have_count(6)
    shown.get_by_role("button", name="Pin for comparison").click()
    curve.get_by_text("More").click()
    curve.get_by_role("slider").nth(1).focus()
    curve.get_by_label("glutei value").fill("0.45")
    curve.get_by_role("button", name="Set handle 2").click()
    expect(curve.get_by_role("slider").nth(1)).to_have_attribute("aria-valuenow", "0.4500")
    expect(shown.get_by_role("row", name="Peak power")).to_contain_text("%")
    curve.get_by_role("slider").nth(1).focus()
    for _ in range(5):
        # Faster than the server answers: each goes on from the one before.
        shown.keyboard.press("ArrowUp")
    expect(curve.get_by_role("slider").nth(1)).to_have_attribute("aria-valuenow", "0.5500")
    curve.get_by_role("button", name="Add a handle").click()
    expect(curve.get_by_role("slider")).to_have_count(7)
    curve.get_by_role("slider").nth(6).focus()
    shown.keyboard.press("Delete")
    expect(curve.get_by_role("slider")).to_have_count(6)
    curve.get_by_label("glutei value").fill("0.25")
    curve.get_by_role("button", name="Set at 0.000 s").click()
    expect(curve.get_by_role("slider").first).to_have_attribute("aria-valuenow", "0.2500")
    rows = b"time,glutei\n0,0.1\n0.1,0.9\n0.3,0.2\n"
    file = {"name": "mine.csv", "mimeType": "text/csv", "buffer": rows}
    curve.get_by_label("glutei from a file").set_input_files(files=[file])
    expect(curve.get_by_role("slider")).to_have_count(3)
    settled(shown)
    assert float(height(shown)) == pytest.approx(float(repeated(shown).values("com.position_y").max()), rel=1e-5)
    for _ in range(11):
        shown.get_by_role("button", name="Undo").click()
    expect(curve.get_by_role("button", name="Fit handles")).to_be_visible()


def test_the_body_is_dragged_by_hand(shown):
    shown.get_by_label("Drag the body").check()
    settled(shown)
    script = shown.get_by_test_id("script")
    before = script.text_content()
    pull_body(shown)
    dragged = float(height(shown))
    assert script.text_content() != before
    assert dragged == pytest.approx(float(repeated(shown).values("com.position_y").max()), rel=1e-5)
    shown.get_by_role("button", name="Undo").click()
    settled(shown)
    assert script.text_content() == before


def test_what_cannot_be_done_is_said_in_the_page(shown):
    from playwright.sync_api import expect

    shown.get_by_label("Duration (s)").fill("-3")
    shown.get_by_label("Duration (s)").press("Enter")
    expect(shown.get_by_role("alert")).to_contain_text("between 0 and 60")
    assert shown.get_by_test_id("status").text_content() == "idle"


def test_a_killed_studio_comes_back_where_it_was(tmp_path):
    first = Running(tmp_path, "pendulum", "--new")
    with greeted(first) as socket:
        socket.send(json.dumps({"kind": "edit", "edit": {"kind": "SetStart", "name": "angle", "value": 0.7}}))
        next(message for message in answers(socket) if message.get("undo") == 1)
    first.end(signal.SIGKILL)
    second = Running(tmp_path, "pendulum")
    with greeted(second) as socket:
        session = next(answers(socket))
    second.end()
    assert {row["name"]: row["value"] for row in session["start"]}["angle"] == 0.7


def test_a_port_that_is_taken_is_an_error(studio):
    command = [sys.executable, "-m", "myodyne", "studio", "pendulum", "--no-browser", "--port", str(studio.port)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "is taken" in done.stderr


def test_the_models_that_are_built_in_open(tmp_path):
    from myodyne.studio.session import opened

    for name in ("pendulum", "gait2d", *my.builtin_movements()):
        assert opened(name).recipe.duration > 0
