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
