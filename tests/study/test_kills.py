"""Studies that are killed at random instants end as the undisturbed one."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import myodyne as my

SCRIPT = """
import sys, time
import myodyne as my

def slowly(run):
    time.sleep(0.02)
    return run.final["angle"]

study = my.Study(
    my.load_model("pendulum"),
    vary=my.sample({"start:angle": (0.0, 2.0), "rod.mass": (0.5, 2.0)}, count=250, seed=5),
    measure=[slowly, "angle.max"],
    duration=0.2,
    scheme=my.RK4(step=2e-3),
)
engine = {"serial": my.Serial(), "processes": my.Processes(2), "dask": my.Dask(count=2)}[sys.argv[1]]
table = study.run(engine, out=sys.argv[2], resume=True)
print(table.sizes["row"])
"""


def children_of(parent: int) -> list[int]:
    """Return all processes below one."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found, new = [], [parent]
    while new:
        new = [pid for pid, above in parents.items() if above in new]
        found += new
    return found


def started(engine: str, out: Path, script: Path) -> subprocess.Popen[str]:
    command = [sys.executable, str(script), engine, str(out)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="finds the processes below one in /proc")
@pytest.mark.parametrize(("engine", "kills"), [("serial", 8), ("processes", 8), ("dask", 4)])
def test_killed_at_random_instants_nothing_is_lost(engine: str, kills: int, tmp_path: Path) -> None:
    """The driver (with it the scheduler of a local cluster), or one of its workers, dies by SIGKILL."""
    script, out, undisturbed = tmp_path / "script.py", tmp_path / "table", tmp_path / "undisturbed"
    script.write_text(SCRIPT)
    whole = started("serial", undisturbed, script)
    assert whole.communicate(timeout=300)[0].strip() == "250"
    chance = random.Random(engine)
    driver, killed = started(engine, out, script), 0
    while killed < kills and driver.poll() is None:
        _wait_for_rows(out, driver, chance.randint(1, 25))
        time.sleep(chance.random() * 0.1)
        below = children_of(driver.pid)
        if below and killed % 2:
            os.kill(chance.choice(below), signal.SIGKILL)
        else:
            driver.kill()
            driver.communicate()
            driver = started(engine, out, script)
        killed += 1
    assert driver.communicate(timeout=300)[0].strip() == "250"
    assert killed >= 3
    found, expected = (my.load_study(folder).drop_vars("seconds") for folder in (out, undisturbed))
    assert found.identical(expected)


def _wait_for_rows(out: Path, driver: Any, more: int) -> None:
    """Wait until the table has grown by some rows, or its driver has ended."""
    journal = out / "journal.jsonl"
    first = journal.stat().st_size if journal.exists() else 0
    deadline = time.monotonic() + 60
    while driver.poll() is None and time.monotonic() < deadline:
        if journal.exists() and journal.stat().st_size >= first + 90 * more:
            return
        time.sleep(0.01)
