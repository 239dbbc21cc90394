"""An audit of the viewer and the studio by axe-core, light and dark; the tour of the first visit; a download."""

from importlib.util import find_spec
from pathlib import Path

import pytest

import myodyne as my


@pytest.fixture
def studio(jump_studio):
    return jump_studio


@pytest.fixture(scope="module")
def viewer_page(tmp_path_factory):
    file = tmp_path_factory.mktemp("viewer") / "swing.html"
    run = my.simulate(my.load_model("double_pendulum"), 0.2, start={"angle1": 1.2})
    my.animate(run, file)
    return file.as_uri()


def opened_page(browser, address, scheme):
    # The studio's policy allows no scripts but its own; the audit's is one more.
    context = browser.new_context(viewport={"width": 1100, "height": 800}, color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("canvas", timeout=30_000)
    return context, page


def serious_faults(page):
    spec = find_spec("axe_playwright_python")
    if spec is None or spec.origin is None:
        pytest.skip("axe-core comes with axe-playwright-python, of the test extra")
    if not page.evaluate("() => 'axe' in window"):
        page.add_script_tag(path=str(Path(spec.origin).with_name("axe.min.js")))
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    return [
        (fault["id"], fault["nodes"][0]["html"][:160], fault["nodes"][0]["failureSummary"][:300])
        for fault in found["violations"]
        if fault["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_viewer_has_no_serious_fault(browser, viewer_page, scheme):
    context, page = opened_page(browser, viewer_page, scheme)
    try:
        assert serious_faults(page) == []
    finally:
        context.close()


def test_the_studio_has_no_serious_fault_light_or_dark(browser, studio):
    context, page = opened_page(browser, studio.url, "light")
    try:
        assert page.get_by_test_id("tour").is_visible()
        # A jump has no control law: the fold of its gains is hidden.
        for fold in page.locator(".side > details:not([hidden]) > summary, .side .curve:first-child summary").all():
            fold.click()
        assert serious_faults(page) == []
        page.emulate_media(color_scheme="dark")
        page.get_by_role("button", name="Light or dark").click()
        assert serious_faults(page) == []
        page.get_by_role("button", name="Open …").click()
        page.get_by_role("group", name="Problems").wait_for(timeout=20_000)
        assert serious_faults(page) == []
    finally:
        context.close()


def test_the_tour_has_three_steps_and_comes_once(browser, studio):
    context, page = opened_page(browser, studio.url, "light")
    try:
        tour = page.get_by_test_id("tour")
        for number in (1, 2, 3):
            assert f"{number} of 3" in tour.inner_text()
            tour.get_by_role("button", name="Done" if number == 3 else "Next").press("Enter")
        assert page.get_by_test_id("tour").count() == 0
        page.reload()
        page.wait_for_selector("canvas", timeout=30_000)
        assert page.get_by_test_id("tour").count() == 0
        with page.expect_download(timeout=30_000) as waiting:
            page.get_by_label("Export").select_option("sto")
        assert waiting.value.suggested_filename == "jump.sto"
        assert b"endheader" in Path(waiting.value.path()).read_bytes()
    finally:
        context.close()


def test_escape_closes_the_tour(browser, studio):
    context, page = opened_page(browser, studio.url, "light")
    try:
        page.keyboard.press("Escape")
        assert page.get_by_test_id("tour").count() == 0
    finally:
        context.close()
