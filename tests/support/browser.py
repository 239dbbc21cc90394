"""A browser for the tests of pages: Debian's or another Chromium, where there is one."""

import os
import shutil

import pytest

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def chromium():
    return next(
        (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
    )


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium; its absence is a failure in continuous integration, a skip elsewhere."""
    program = chromium()
    if program is None:
        if os.environ.get("CI"):
            pytest.fail("there is no Chromium: continuous integration installs it (.ci/run)")
        pytest.skip("there is no Chromium to show the page in")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        shown = playwright.chromium.launch(executable_path=program, args=FLAGS, headless=True)
        yield shown
        shown.close()


@pytest.fixture
def page(browser):
    """An empty page that fails the test if a script on it fails."""
    context = browser.new_context(viewport={"width": 1100, "height": 800}, color_scheme="light")
    shown = context.new_page()
    errors = []
    shown.on("pageerror", lambda error: errors.append(str(error)))
    yield shown
    context.close()
    assert not errors
