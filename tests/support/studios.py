"""A studio in a process of its own, for tests."""

import json
import os
import signal
import subprocess
import sys

import pytest

import myodyne as my


class Running:
    """A studio that runs, its address, and what it needs to be started again."""

    def __init__(self, folder, *words):
        environment = {**os.environ, "MYODYNE_SESSIONS": str(folder)} if folder else dict(os.environ)
        command = [sys.executable, "-m", "myodyne", "studio", *words, "--no-browser", "--json"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        ready = json.loads(self.process.stdout.readline())
        self.url, self.token = ready["url"], ready["token"]
        self.port = int(self.url.split(":")[2].split("/")[0])

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(timeout=60)
        self.process.stdout.close()


@pytest.fixture(scope="session")
def jump_studio(tmp_path_factory):
    """A studio of the jump with a recording of it, for all tests that leave it as they found it."""
    file = tmp_path_factory.mktemp("recorded") / "recorded.sto"
    my.save(my.load_movement("jump").run().select(["knee", "ankle", "hip"]), file)
    running = Running(None, "jump", "--new", "--reference", str(file))
    yield running
    running.end()


def pull_body(page):
    """Pull whatever body lies near the middle of the view a little to the right, until the script says so."""
    script, canvas = page.get_by_test_id("script"), page.get_by_role("img", name="Moving view")
    canvas.scroll_into_view_if_needed()
    before, box = script.text_content(), canvas.bounding_box()
    for down in (0.5, 0.45, 0.55, 0.4, 0.6, 0.35, 0.65, 0.3):
        for across in (0.5, 0.45, 0.55, 0.4, 0.6):
            x, y = box["x"] + across * box["width"], box["y"] + down * box["height"]
            page.mouse.move(x, y)
            page.mouse.down()
            page.mouse.move(x + 5, y)
            page.mouse.move(x + 12, y)
            page.mouse.up()
            page.wait_for_timeout(100)
            if script.text_content() != before:
                return
    pytest.fail("there is no body near the middle of the view, or it cannot be pulled")
