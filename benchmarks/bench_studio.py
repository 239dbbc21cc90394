"""The studio: drag to redraw, frames in a second, a new walk after the speed slider, sizes and memory."""

from __future__ import annotations

import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from timing import below, figure

import myodyne as my
from myodyne.optimise import Settings
from myodyne.studio.tasks.task import SetSpeed, SetStrength, TaskEdit, apply_task, opened_task
from myodyne.studio.tasks.task_desk import QUICK
from myodyne.studio.tasks.watch import Order, Solved, Watch
from myodyne.view.assets import asset

_MODELS = Path(__file__).resolve().parents[2] / "shared" / "models_osim"
_FLAGS = ["--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", "--no-first-run"]
_EDITS, _DRAGS = 1000, 60
# Presses a key on a handle and waits for the summary, which is written after the new movement has been drawn; reading a
# pixel back waits until it is really drawn, by a card or by software.
_DRAG = """
async ([label, count]) => {
  const handle = document.querySelector(`[aria-label="${label}"]`);
  const summary = document.querySelector('table[aria-label="Summary"]');
  const page = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const spent = [];
  for (let number = 0; number < count; number++) {
    const began = performance.now();
    await new Promise((done) => {
      const seen = new MutationObserver(() => {
        seen.disconnect();
        page.drawImage(document.querySelector(".stage canvas"), 0, 0, 1, 1);
        page.getImageData(0, 0, 1, 1);
        done();
      });
      seen.observe(summary, { childList: true });
      const key = number % 2 ? "ArrowUp" : "ArrowDown";
      handle.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    });
    const drawn = performance.now() - began;
    await new Promise((done) => requestAnimationFrame(done));
    spent.push([drawn, performance.now() - began]);
    await new Promise((done) => setTimeout(done, 30));
  }
  return spent;
}
"""
_FRAMES = """
async (seconds) => {
  let frames = 0;
  const began = performance.now();
  await new Promise((done) => {
    const next = () => {
      frames++;
      performance.now() - began < 1000 * seconds ? requestAnimationFrame(next) : done();
    };
    requestAnimationFrame(next);
  });
  return (1000 * frames) / (performance.now() - began);
}
"""


@contextmanager
def _studio(*words: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    command = [sys.executable, "-m", "myodyne", "studio", *words, "--new", "--no-browser", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process, json.loads(process.stdout.readline())
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def _page(browser: Any, url: str) -> tuple[Any, float]:
    """Return an open page and the time (s) until its first movement is shown."""
    from playwright.sync_api import expect

    page = browser.new_page(viewport={"width": 1100, "height": 800})
    began = time.perf_counter()
    page.goto(url)
    expect(page.get_by_test_id("status")).to_have_text("idle", timeout=300_000)
    return page, time.perf_counter() - began


def _drags(browser: Any, model: str, limits: tuple[float, float | None]) -> list[dict[str, Any]]:
    with _studio(model) as (_, ready):
        page, _ = _page(browser, ready["url"])
        page.get_by_label("Duration (s)").fill("0.8")
        page.get_by_label("Duration (s)").press("Enter")
        curve = page.locator(".curve").first
        control = curve.get_attribute("aria-label")
        page.wait_for_timeout(3000)
        # The first few warm up both sides.
        spent = page.evaluate(_DRAG, [f"{control} handle 2", _DRAGS + 5])[5:]
        page.close()
        _, opened = _page(browser, ready["url"])
    what = f"{model}, 0.8 s in steps of 3 ms: drag to redraw"
    drawn, shown = np.array(spent).T
    median, last = statistics.median(drawn), float(np.quantile(drawn, 0.95))
    rows = [below(f"{what}, median", median, "ms", limits[0])]
    rows.append(figure(f"{what} and the next frame of the screen, median", statistics.median(shown), "ms"))
    rows.append(
        figure(f"{what}, 95 %", last, "ms") if limits[1] is None else below(f"{what}, 95 %", last, "ms", limits[1])
    )
    return [*rows, below(f"{model}: page ready", opened, "s", 2.0)]


def _frames(browser: Any) -> dict[str, Any]:
    with _studio("gait3d") as (_, ready):
        page, _ = _page(browser, ready["url"])
        page.get_by_role("button", name="Play", exact=True).click()
        rate = page.evaluate(_FRAMES, 5)
    row = below("gait3d, 80 muscles playing, rendered by software: frames in a second", rate, "1/s", 25.0)
    return {**row, "target": "≥ 25", "met": rate >= 25.0}


def _new_walk(folder: Path) -> list[dict[str, Any]]:
    """Return how long the studio takes to other walks, each from a walk of one start, once everything is compiled.

    Beside each time stands how far its objective is from that of a solve with all means from the same walk.
    """
    walk = my.load_problem("gait2d_predictive")
    for speed in (1.2, 1.3):
        slow = walk.with_speed(speed)
        start = slow.guess or slow.starts[0]
        found = my.solve(slow, nodes=slow.nodes, guess=start, audit=False, show=False)
        my.save(found, folder / f"walk{speed}.nc")
    changes: tuple[tuple[str, float, TaskEdit], ...] = (
        ("from 1.2 to 1.4 m/s", 1.2, SetSpeed(1.4)),
        ("from 1.3 to 1.0 m/s", 1.3, SetSpeed(1.0)),
        ("from 1.3 to 1.6 m/s", 1.3, SetSpeed(1.6)),
        ("with a soleus of 60 %", 1.3, SetStrength("soleus", 0.6)),
    )
    ended: list[Solved] = []
    watch = Watch(lambda answer: ended.append(answer) if isinstance(answer, Solved) else None)
    rows = []
    for what, speed, edit in changes:
        task, solution = opened_task(str(folder / f"walk{speed}.nc"))
        problem, nodes = apply_task(task, edit).changed, task.problem.nodes
        spent, objectives = 0.0, []
        # The solve with all means comes first, and compiles.
        for settings in (Settings(), QUICK):
            began = time.perf_counter()
            watch.solve(Order(problem, nodes, solution, settings))
            watch.wait(300.0)
            spent, best = time.perf_counter() - began, ended[-1].solution
            if best is None or best.report.optimum is None:
                raise RuntimeError(f"no walk {what}: {ended[-1].failure}")
            objectives.append(best.report.optimum.objective)
        rows.append(below(f"new walk {what}", spent, "s", 5.0))
        above = 100.0 * (objectives[1] / objectives[0] - 1.0)
        rows.append(figure(f"new walk {what}: objective above that of all means", above, "%"))
    watch.close()
    return rows


def _memory() -> dict[str, Any]:
    """Return by how much the server grows while it obeys a thousand edits, all of which can be undone."""
    from websockets.sync.client import connect

    with _studio("jump") as (process, ready):
        address = ready["url"].split("/#")[0]
        with connect(address.replace("http", "ws") + "/socket", origin=address, max_size=None) as socket:
            socket.send(json.dumps({"token": ready["token"], "protocol": 5}))
            done = [0]
            threading.Thread(target=_count, args=(socket, done), daemon=True).start()
            _edit(socket, {"kind": "FitHandles", "control": "soleus", "curve": "bezier", "points": 6})
            time.sleep(3.0)
            before = _resident(process.pid)
            for number in range(_EDITS):
                _edit(socket, {"kind": "SetHandle", "control": "soleus", "number": 2, "value": (number % 90) / 100})
                time.sleep(0.02)
            _wait_for(done, _EDITS + 1)
            grown = _resident(process.pid) - before
    return below(f"memory of the server after {_EDITS} edits, more than before", grown / 1e6, "MB", 200.0)


def _count(socket: Any, done: list[int]) -> None:
    """Keep how many steps the server could undo, of all messages that come until the line ends."""
    with suppress(Exception):
        for text in socket:
            if isinstance(text, str) and '"undo"' in text:
                done[0] = json.loads(text)["undo"]


def _wait_for(done: list[int], steps: int) -> None:
    """Wait until the server has obeyed; a figure taken before would be of fewer edits."""
    until = time.monotonic() + 300.0
    while done[0] < steps:
        if time.monotonic() > until:
            raise RuntimeError(f"the server obeyed {done[0]} of {steps} edits in 300 s")
        time.sleep(0.1)


def _edit(socket: Any, edit: dict[str, Any]) -> None:
    socket.send(json.dumps({"kind": "edit", "edit": edit, "dragging": False}))


def _resident(process: int) -> float:
    """Return the memory of a process (bytes)."""
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _sizes(folder: Path) -> list[dict[str, Any]]:
    rows = [below("bundle of the studio, minified", len(asset("studio.js").encode()) / 1e3, "kB", 900.0)]
    file = _MODELS / "Rajagopal2016.osim"
    if file.is_file():
        model = my.load_model(file)
        # It falls from its default pose: a real run, with everything that it records.
        run = my.simulate(model, 5.0, every=0.01, progress=False)
        my.animate(run, folder / "run.html")
        size = (folder / "run.html").stat().st_size / 1e6
        rows.append(below("5 s of Rajagopal2016, simulated, as a page", size, "MB", 5.0))
    return rows


def run() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [*_sizes(folder), _memory(), *_new_walk(folder)]
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        return [*rows, figure("there is no Chromium: drags, frames and the page are not measured", float("nan"), "")]
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=_FLAGS, headless=True)
        rows += _drags(browser, "runner", (40.0, 80.0))
        rows += _drags(browser, "gait3d", (120.0, None))
        rows.append(_frames(browser))
        browser.close()
    return rows
