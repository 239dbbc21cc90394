"""Make the screenshots of the guides: ten states of viewer and studio, light and dark.

Needs Playwright and Chromium, as the tests do: ``python docs/screenshots.py``.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

import myodyne as my

IMAGES = Path(__file__).parent / "images"
SIZE = (1000, 720)
FLAGS = ["--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader"]
MOST_BYTES = 150_000


def main() -> None:
    """Make all pictures."""
    with sync_playwright() as playwright, TemporaryDirectory() as folder:
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        viewer(browser, Path(folder))
        with studio("jump", "--new") as address:
            studio_states(browser, address)
        browser.close()


def viewer(browser: Browser, folder: Path) -> None:
    """Make the pictures of the viewer: a walk, a jump, a comparison, a model."""
    walk, jumped = my.load_movement("walk").run(), my.load_movement("jump")
    jump = jumped.run()
    my.animate(walk, folder / "walk.html")
    my.animate(jump, folder / "jump.html")
    weaker = jumped.model.with_values({"vasti.max_force": 6000.0})
    weak = my.simulate(weaker, jumped.duration, start=jumped.start, controls=jumped.controls)
    my.animate([jump, weak], folder / "compared.html", labels=["able", "weak knee extensors"])
    my.animate(my.load_model("runner"), folder / "model.html")
    states: list[tuple[str, str, str, Callable[[Page], None]]] = [
        ("viewer_walk", "walk", "light", half_way),
        ("viewer_walk_dark", "walk", "dark", half_way),
        ("viewer_jump", "jump", "light", half_way),
        ("viewer_compared", "compared", "light", half_way),
        ("viewer_model_dark", "model", "dark", lambda page: None),
    ]
    for name, file, scheme, act in states:
        shoot(browser, (folder / f"{file}.html").as_uri(), name, scheme, act)


def half_way(page: Page) -> None:
    """Go to the middle of the movement."""
    scrubber = page.get_by_label("Time", exact=True)
    scrubber.evaluate(
        "e => { e.value = (Number(e.min) + Number(e.max)) * 0.55;"
        " e.dispatchEvent(new Event('input', {bubbles: true})) }"
    )


def studio_states(browser: Browser, address: str) -> None:
    """Make the pictures of the studio: the first visit, handles, a pinned run, and the script."""
    shoot(browser, address, "studio_first_visit", "light", lambda page: None)
    shoot(browser, address, "studio_first_visit_dark", "dark", lambda page: None)
    shoot(browser, address, "studio", "light", handles)
    shoot(browser, address, "studio_pinned", "light", pinned)
    shoot(browser, address, "studio_script_dark", "dark", script)


def handles(page: Page) -> None:
    """Fit handles to the first curve and move one."""
    page.keyboard.press("Escape")
    fit = page.get_by_role("button", name="Fit handles").first
    if fit.count():
        fit.click()
        page.wait_for_timeout(1500)
    handle = page.locator(".curves [role=slider]").nth(2)
    handle.focus()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    page.wait_for_timeout(2500)
    half_way(page)
    page.locator(".tools summary").first.click()


def pinned(page: Page) -> None:
    """Pin the run, and change it again."""
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Pin for comparison").click()
    page.wait_for_timeout(1500)
    page.locator(".curves [role=slider]").nth(1).focus()
    for _ in range(6):
        page.keyboard.press("PageDown")
    page.wait_for_timeout(2500)
    half_way(page)
    page.mouse.wheel(0, 250)


def script(page: Page) -> None:
    """Open the script."""
    page.keyboard.press("Escape")
    page.get_by_text("Script", exact=True).click()
    page.get_by_test_id("script").scroll_into_view_if_needed()


def shoot(browser: Browser, address: str, name: str, scheme: str, act: Callable[[Page], None]) -> None:
    """Open an address, do something, and keep a small picture of the page."""
    context = browser.new_context(
        viewport={"width": SIZE[0], "height": SIZE[1]}, color_scheme="dark" if scheme == "dark" else "light"
    )
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("canvas", timeout=60_000)
    page.wait_for_timeout(1500)
    act(page)
    page.wait_for_timeout(800)
    picture = Image.open(BytesIO(page.screenshot())).convert("RGB").quantize(128)
    context.close()
    file = IMAGES / f"{name}.png"
    picture.save(file, optimize=True)
    if file.stat().st_size > MOST_BYTES:
        raise SystemExit(f"{file.name} has {file.stat().st_size} bytes, more than {MOST_BYTES}")
    print(name, file.stat().st_size)


@contextmanager
def studio(*words: str) -> Iterator[str]:
    """Run a studio and give its address."""
    command = [sys.executable, "-m", "myodyne", "studio", *words, "--no-browser", "--json"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    try:
        yield json.loads(running.stdout.readline())["url"]
    finally:
        running.terminate()
        running.wait(timeout=30)


if __name__ == "__main__":
    main()
